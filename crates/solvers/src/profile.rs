//! Solver profiles: what is known about a solver before it runs. Each is a TOML file, built in and overridable by the
//! user. `discover` finds the program; `solver` and `session` run it.

mod parts;

pub use parts::{
    CargoPackage, DebianPackage, Experimental, KnownBug, LimitArguments, Listing, Meaning,
    NamedTier, Never, OptionRow, Packages, Pattern, PipPackage, Preset, Reason, Release, Releases,
    SharedLibrary, Tier,
};

use crate::version::Version;
use parts::within;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// The built-in profiles: name and text, one file per solver.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        pub const BUILT_IN: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../solvers/", $name, ".toml")))),*
        ];
    };
}

built_in!(
    "z3",
    "cvc5",
    "cvc4",
    "bitwuzla",
    "boolector",
    "yices",
    "opensmt",
    "mathsat",
    "smtinterpol",
    "stp",
    "dreal",
    "alt-ergo",
    "verit",
    "princess",
    "oxiz",
    "z3rs",
    "rz3",
);

/// One solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Profile {
    /// The name in commands and reports: `z3`.
    pub name: String,
    /// The name in running text: `Z3`.
    pub title: String,
    /// Solvers that share code belong to one family and do not confirm each other; by default each solver is its own
    /// family.
    #[serde(default)]
    pub family: Option<String>,
    /// Whether it treats functions as undefined outside their domains.
    #[serde(default)]
    pub partial_functions: bool,
    pub home: String,
    /// Where bugs are reported.
    #[serde(default)]
    pub tracker: String,
    /// The most reports a week that its maintainers ask for.
    #[serde(default)]
    pub weekly: Option<u32>,
    /// Names of the executable, best first.
    pub programs: Vec<String>,
    /// Arguments that print the version.
    #[serde(default)]
    pub version: Vec<String>,
    /// Arguments that every run needs.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Arguments that make it read the script from standard input; absent if it reads only files.
    #[serde(default)]
    pub stdin: Option<Vec<String>>,
    /// Arguments for a live session, instead of `stdin`.
    #[serde(default)]
    pub live: Vec<String>,
    /// Arguments that a fresh run of a script with several queries needs.
    #[serde(default)]
    pub incremental: Vec<String>,
    pub modes: Vec<Mode>,
    /// Whether it answers commands from standard input while it reads; by default if it has a live mode.
    #[serde(default)]
    pub streams: Option<bool>,
    /// Whether `(echo "…")` is understood.
    #[serde(default = "yes")]
    pub echo: bool,
    /// Whether names of assertions stay in use after a `pop` and even after a `reset`.
    #[serde(default)]
    pub names_last: bool,
    /// Whether it continues after a rejected command, such as a request for a model that does not exist.
    #[serde(default)]
    pub goes_on: bool,
    /// Commands that a script needs before it may ask for models.
    #[serde(default)]
    pub model_options: Vec<String>,
    /// Commands that a script needs before it may ask for a core.
    #[serde(default)]
    pub core_options: Vec<String>,
    /// Whether it supports models and cores at all.
    #[serde(default = "yes")]
    pub models: bool,
    #[serde(default = "yes")]
    pub cores: bool,
    /// With what it gives no cores: commands of a script, or features of its logic.
    #[serde(default)]
    pub cores_clash: Vec<String>,
    /// Options that a foreign script or finding may set in addition to the standard ones: names, or prefixes followed
    /// by a star.
    #[serde(default)]
    pub settable: Vec<String>,
    /// Settings such as `output=lemmas` that a script may make although their names stand for chatter: with them the
    /// replies to queries say more, and nothing else is written.
    #[serde(default)]
    pub narrating: Vec<String>,
    /// What of these no campaign sets, and why.
    #[serde(default)]
    pub never: Vec<Never>,
    /// How an option stands on the command line, if not as `--name=value`.
    #[serde(default)]
    pub setting: Option<String>,
    /// How it lists its options.
    #[serde(default)]
    pub listing: Option<Listing>,
    /// Whether a backslash before a quote is an ordinary character in string literals, as in the standard.
    #[serde(default)]
    pub standard_strings: bool,
    /// Whether scripts are sent unchanged, because the user trusts them.
    #[serde(skip)]
    pub as_is: bool,
    /// Options with which it finds other models than by default.
    #[serde(default)]
    pub diverse: Vec<String>,
    #[serde(default)]
    pub theories: Vec<String>,
    /// Logics as in `set-logic`; `ALL` alone if it takes the name of every combination of its theories.
    #[serde(default)]
    pub logics: Vec<String>,
    /// The logic for which `ALL` stands, if not for all of its theories.
    #[serde(default)]
    pub all_means: Option<String>,
    /// The only logics besides `ALL` in which it knows strings and sequences, if it does not in every one that has them.
    #[serde(default)]
    pub string_logics: Vec<String>,
    /// Whether it refuses a script that sets no logic.
    #[serde(default)]
    pub needs_logic: bool,
    /// What it takes only under an option, or in another build.
    #[serde(default)]
    pub experimental: Vec<Experimental>,
    /// Operators that only some releases support, or that the operator table does not list for this solver.
    #[serde(default)]
    pub operators: BTreeMap<String, Releases>,
    #[serde(default)]
    pub limits: LimitArguments,
    #[serde(default, rename = "tier")]
    pub tiers: Vec<NamedTier>,
    #[serde(default, rename = "option")]
    pub options: Vec<OptionRow>,
    /// Configurations that a paper tried.
    #[serde(default, rename = "preset")]
    pub presets: Vec<Preset>,
    #[serde(default, rename = "reply")]
    pub replies: Vec<Pattern>,
    #[serde(default, rename = "bug")]
    pub bugs: Vec<KnownBug>,
    #[serde(default, rename = "release")]
    pub releases: Vec<Release>,
    #[serde(default)]
    pub packages: Packages,
}

fn yes() -> bool {
    true
}

/// How a solver is asked a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A fresh process.
    Fresh,
    /// A live process, `(reset)` before the query.
    Reset,
    /// A live process, the query between `(push 1)` and `(pop 1)`.
    PushPop,
    /// As push-pop, with `(check-sat-using default)`: z3's non-incremental pipeline in a live process.
    CheckSatUsing,
}

impl Mode {
    pub const ALL: [Mode; 4] = [Mode::Fresh, Mode::Reset, Mode::PushPop, Mode::CheckSatUsing];

    /// The name in profiles and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Fresh => "fresh",
            Mode::Reset => "reset",
            Mode::PushPop => "push-pop",
            Mode::CheckSatUsing => "check-sat-using",
        }
    }
}

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("profile {name} cannot be read: {message}")]
    Syntax { name: String, message: String },
    #[error(
        "there is no private folder for solvers: set HOME, XDG_CACHE_HOME or AUSPEX_CACHE to a folder of your own"
    )]
    NoCache,
    #[error("profile {name}: {message}")]
    Wrong { name: String, message: String },
    #[error("cannot read {path}: {source}")]
    Io {
        path: String,
        source: std::io::Error,
    },
}

impl Profile {
    /// Reads one profile; `name` is for messages.
    pub fn read(name: &str, text: &str) -> Result<Profile, ProfileError> {
        let profile: Profile = toml::from_str(text).map_err(|error| ProfileError::Syntax {
            name: name.to_string(),
            message: error.to_string(),
        })?;
        match profile.mistake() {
            Some(message) => Err(ProfileError::Wrong {
                name: name.to_string(),
                message,
            }),
            None => Ok(profile),
        }
    }

    /// Constraints that the types do not express.
    fn mistake(&self) -> Option<String> {
        if self.programs.is_empty() {
            return Some("has no program".to_string());
        }
        let live = self.modes.iter().any(|&mode| mode != Mode::Fresh);
        if live && self.stdin.is_none() {
            return Some("has a live mode but does not read standard input".to_string());
        }
        if live && !self.echo {
            return Some("has a live mode but no echo, which marks the end of a reply".to_string());
        }
        let patterns = self.replies.iter().map(|pattern| &pattern.contains);
        let mut patterns = patterns.chain(self.bugs.iter().map(|bug| &bug.contains));
        if patterns.any(|parts| parts.iter().all(|part| part.is_empty())) {
            return Some("has a pattern that matches everything".to_string());
        }
        let since = |text: &Option<String>| text.as_deref().map(Version::read);
        let rows = self.options.iter().flat_map(|row| [&row.since, &row.until]);
        let tiers = self.tiers.iter().flat_map(|row| [&row.since, &row.until]);
        let bugs = self.bugs.iter().flat_map(|row| [&row.since, &row.fixed]);
        let bad = rows
            .chain(tiers)
            .chain(bugs)
            .find(|row| since(row) == Some(None));
        bad.map(|row| format!("has an invalid version: {row:?}"))
    }

    /// The assumptions about a program without a profile: it reads a file and prints answers.
    pub fn unknown(name: &str) -> Profile {
        Profile {
            name: name.to_string(),
            title: name.to_string(),
            family: None,
            partial_functions: false,
            home: String::new(),
            tracker: String::new(),
            weekly: None,
            programs: vec![name.to_string()],
            version: vec!["--version".to_string()],
            arguments: Vec::new(),
            stdin: None,
            live: Vec::new(),
            incremental: Vec::new(),
            modes: vec![Mode::Fresh],
            streams: None,
            echo: false,
            names_last: false,
            goes_on: false,
            model_options: vec!["(set-option :produce-models true)".to_string()],
            core_options: vec!["(set-option :produce-unsat-cores true)".to_string()],
            models: true,
            cores: true,
            cores_clash: Vec::new(),
            settable: Vec::new(),
            narrating: Vec::new(),
            never: Vec::new(),
            setting: None,
            listing: None,
            standard_strings: false,
            as_is: false,
            diverse: Vec::new(),
            theories: Vec::new(),
            logics: vec!["ALL".to_string()],
            all_means: None,
            string_logics: Vec::new(),
            needs_logic: false,
            experimental: Vec::new(),
            operators: BTreeMap::new(),
            limits: LimitArguments::default(),
            tiers: Vec::new(),
            options: Vec::new(),
            presets: Vec::new(),
            replies: Vec::new(),
            bugs: Vec::new(),
            releases: Vec::new(),
            packages: Packages::default(),
        }
    }

    /// The profile for the driver instead of the program.
    pub fn for_driver(&self) -> Profile {
        let mut profile = self.clone();
        if let Some(package) = &self.packages.pip {
            profile.stdin = package.stdin.clone().or(profile.stdin);
            profile.live = package.live.clone().unwrap_or(profile.live);
            profile.modes = package.modes.clone().unwrap_or(profile.modes);
            profile.streams = package.streams.or(profile.streams);
            profile.echo = package.echo.unwrap_or(profile.echo);
            profile.listing = package.listing.clone().or(profile.listing);
        }
        profile
    }

    /// The profile as it holds for one release.
    pub fn for_release(&self, version: &Version) -> Profile {
        let mut profile = self.clone();
        for release in &self.releases {
            if !within(version, release.since.as_deref(), release.until.as_deref()) {
                continue;
            }
            let take = |new: &Option<Vec<String>>, old: &mut Vec<String>| {
                *old = new.clone().unwrap_or_else(|| old.clone());
            };
            take(&release.arguments, &mut profile.arguments);
            take(&release.live, &mut profile.live);
            profile.stdin = release.stdin.clone().or(profile.stdin);
            profile.modes = release.modes.clone().unwrap_or(profile.modes);
            profile.streams = release.streams.or(profile.streams);
            profile.echo = release.echo.unwrap_or(profile.echo);
            profile.models = release.models.unwrap_or(profile.models);
            profile.cores = release.cores.unwrap_or(profile.cores);
        }
        profile
    }

    /// The logic to set for a script of logic `wanted`: that one if the solver lists it, else the nearest.
    pub fn logic_for<'s>(&'s self, wanted: &'s str) -> &'s str {
        let has = |name: &str| self.logics.iter().any(|logic| logic == name);
        match self.logics.first() {
            _ if has(wanted) => wanted,
            _ if has("ALL") => "ALL",
            Some(first) => first,
            None => wanted,
        }
    }

    /// What it does not take in a release under some options, since none of these turns it on.
    pub fn turned_off<'p>(
        &'p self,
        release: Option<&'p Version>,
        options: &'p [String],
    ) -> impl Iterator<Item = &'p Experimental> {
        let all = self.experimental.iter();
        all.filter(move |one| one.releases.include(release) && !one.is_turned_on(options))
    }

    /// Whether answers can be awaited between commands, also in a fresh process.
    pub fn answers_as_it_reads(&self) -> bool {
        let live = self.modes.iter().any(|&mode| mode != Mode::Fresh);
        self.echo && self.stdin.is_some() && self.streams.unwrap_or(live)
    }

    /// Whether a release supports an operator, if the profile says so. An unknown release counts as the newest.
    pub fn lists(&self, operator: &str, release: Option<&Version>) -> Option<bool> {
        let releases = self.operators.get(operator)?;
        Some(releases.include(release))
    }

    /// Whether this word of a command line occurs in the profile.
    pub fn names_argument(&self, word: &str) -> bool {
        let lists = [&self.arguments, &self.live, &self.incremental];
        let tiers = self.tiers.iter().map(|tier| &tier.arguments);
        let releases = self
            .releases
            .iter()
            .filter_map(|row| row.arguments.as_ref());
        let mut lists = lists.into_iter().chain(tiers).chain(releases).flatten();
        let rows = self.options.iter().map(|row| &row.text);
        let mut phrases = rows.chain(&self.diverse);
        lists.any(|known| known == word)
            || phrases.any(|text| text.split(' ').any(|known| known == word))
    }

    /// Whether it supports this mode.
    pub fn has(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// The default tier of a release.
    pub fn default_tier(&self, version: Option<&Version>) -> Option<&NamedTier> {
        self.tiers
            .iter()
            .find(|tier| tier.default && version.is_some_and(|version| tier.covers(version)))
    }

    /// Options of a tier that a release has.
    pub fn options_for(&self, tier: Tier, version: &Version) -> impl Iterator<Item = &OptionRow> {
        let rows = self.options_of(Some(version));
        rows.filter(move |row| row.tier == tier)
    }

    /// The rows of options that a release has; an unknown release counts as the newest.
    pub fn options_of(&self, version: Option<&Version>) -> impl Iterator<Item = &OptionRow> {
        let version = version.cloned();
        let has = move |row: &&OptionRow| match &version {
            Some(version) => within(version, row.since.as_deref(), row.until.as_deref()),
            None => row.until.is_none(),
        };
        self.options.iter().filter(has)
    }

    /// The known bug that a message or script shows in this release, if any.
    pub fn known_bug(&self, text: &str, version: &Version) -> Option<&KnownBug> {
        self.bugs.iter().find(|bug| {
            let fixed = bug.fixed.as_deref().and_then(Version::read);
            within(version, bug.since.as_deref(), None)
                && fixed.is_none_or(|fixed| *version < fixed)
                && bug.contains.iter().all(|part| text.contains(part.as_str()))
        })
    }
}

/// The built-in profiles, read once.
pub fn built_in() -> &'static [Profile] {
    static ALL: OnceLock<Vec<Profile>> = OnceLock::new();
    // A test reads all of them.
    ALL.get_or_init(|| profiles(None).unwrap_or_default())
}

/// All profiles: the built-in ones, unless a file of the same name in the user's folder replaces them, and the user's
/// others.
pub fn profiles(user: Option<&Path>) -> Result<Vec<Profile>, ProfileError> {
    let mut all = Vec::new();
    for (name, text) in BUILT_IN {
        all.push(Profile::read(name, text)?);
    }
    for path in user.map(toml_files).transpose()?.unwrap_or_default() {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|source| ProfileError::Io {
            path: shown.clone(),
            source,
        })?;
        let profile = Profile::read(&shown, &text)?;
        all.retain(|known| known.name != profile.name);
        all.push(profile);
    }
    Ok(all)
}

fn toml_files(folder: &Path) -> Result<Vec<std::path::PathBuf>, ProfileError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            let path = folder.display().to_string();
            return Err(ProfileError::Io { path, source });
        }
    };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    Ok(files)
}
