//! The rows of a profile: limits, tiers, options, reply patterns, known bugs, releases and packages.

use super::Mode;
use crate::limits::Memory;
use crate::options::Form;
use crate::version::Version;
use serde::{Deserialize, Serialize};

/// How the solver takes limits: `{ms}`, `{s}`, `{mb}` and `{kb}` are filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LimitArguments {
    /// Time limit of one query.
    pub query: Option<String>,
    /// Time limit of the whole run.
    pub total: Option<String>,
    /// Memory limit, as the solver counts it.
    pub memory: Option<String>,
    /// How we measure its memory.
    #[serde(default)]
    pub measure: Memory,
}

/// A set of releases: `always`, `never`, `since 4.8.13`, `until 4.8.5`, or `since 4.8.8 until 4.12`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Releases(String);

impl Releases {
    fn bounds(text: &str) -> Option<(Option<&str>, Option<&str>)> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let bounds = match words[..] {
            ["always"] => (None, None),
            ["since", first] => (Some(first), None),
            ["until", last] => (None, Some(last)),
            ["since", first, "until", last] => (Some(first), Some(last)),
            _ => return None,
        };
        let (first, last) = bounds;
        let mut named = first.into_iter().chain(last);
        named
            .all(|name| Version::read(name).is_some())
            .then_some(bounds)
    }

    /// Whether a release is among them. An unknown release counts as the newest.
    pub fn include(&self, release: Option<&Version>) -> bool {
        match (Releases::bounds(&self.0), release) {
            (None, _) => false,
            (Some((first, last)), Some(release)) => within(release, first, last),
            (Some((_, last)), None) => last.is_none(),
        }
    }
}

impl TryFrom<String> for Releases {
    type Error = String;

    fn try_from(text: String) -> Result<Releases, String> {
        match text == "never" || Releases::bounds(&text).is_some() {
            true => Ok(Releases(text)),
            false => Err(format!(
                "invalid releases {text:?}: expected for instance \"since 4.8.13\""
            )),
        }
    }
}

impl From<Releases> for String {
    fn from(releases: Releases) -> String {
        releases.0
    }
}

/// How well the solver's maintainers support an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Fully supported.
    Normal,
    /// For experts: bug reports are accepted, with lower priority.
    Advanced,
    /// Experimental or known to be unsound: do not report bugs.
    Unsupported,
}

impl Tier {
    /// What a report may expect.
    pub fn meaning(self) -> &'static str {
        match self {
            Tier::Normal => "normal, fully supported",
            Tier::Advanced => "advanced, for experts: reports are accepted, with lower priority",
            Tier::Unsupported => "unsupported: do not report",
        }
    }
}

/// One option that a campaign may vary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OptionRow {
    /// As an argument on the command line.
    pub text: String,
    pub tier: Tier,
    pub means: String,
    /// First and last release that has it.
    #[serde(default)]
    pub since: Option<String>,
    #[serde(default)]
    pub until: Option<String>,
}

/// What a solver takes only under an option, or in another build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Experimental {
    /// The option that turns it on, as an argument; none if no option does.
    #[serde(default)]
    pub option: Option<String>,
    pub releases: Releases,
    #[serde(default)]
    pub operators: Vec<String>,
    /// Commands and attributes.
    #[serde(default)]
    pub words: Vec<String>,
    /// The floating-point formats that need no option, each by the widths of exponent and significand; all others do.
    #[serde(default)]
    pub formats_beyond: Vec<(u32, u32)>,
}

impl Experimental {
    pub(super) fn is_turned_on(&self, options: &[String]) -> bool {
        self.option
            .as_ref()
            .is_some_and(|own| options.contains(own))
    }
}

/// How a program lists its options, simplifiers and tactics: the arguments that make it do so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Listing {
    pub form: Form,
    pub arguments: Vec<String>,
    #[serde(default)]
    pub simplifiers: Vec<String>,
    #[serde(default)]
    pub tactics: Vec<String>,
}

/// Why no campaign sets an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It reads or writes files or starts programs. No foreign script may set it either.
    Files,
    /// It prints more, less or otherwise than asked.
    Output,
    /// It only lets the solver give up, or use more of the machine.
    Limits,
    /// A script means something else under it: the judge counts nothing but crashes.
    Meaning,
    /// Its makers say that answers under it are not sound.
    Unsound,
    /// For the work on the solver itself.
    Debugging,
    /// It belongs to another task than answering a script.
    OtherTask,
}

/// Options that no campaign sets: names, or `name=value` where only some values are meant; a star stands for any text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Never {
    pub options: Vec<String>,
    pub reason: Reason,
    pub means: String,
}

/// Configurations that belong together: what a paper tried on a solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Preset {
    pub name: String,
    /// Each is one or more options with blanks between them.
    pub configurations: Vec<String>,
    pub means: String,
}

/// A named set of arguments, such as those that a solver's maintainers recommend for fuzzing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NamedTier {
    pub name: String,
    pub arguments: Vec<String>,
    pub means: String,
    #[serde(default)]
    pub since: Option<String>,
    #[serde(default)]
    pub until: Option<String>,
    /// The furthest tier of options that can be set in it, if not all.
    #[serde(default)]
    pub options: Option<Tier>,
    /// Whether it is the default of the releases that have it.
    #[serde(default)]
    pub default: bool,
}

/// What a text in a reply or on standard error means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    Unsupported,
    ParseError,
    OutsideLogic,
    Rejected,
    Timeout,
    OutOfMemory,
    /// The solver's own check rejected its model or proof.
    InvalidModel,
    Assertion,
    InternalError,
    Exception,
    /// Noise, which is removed from the reply.
    Ignore,
}

/// A text and its meaning; all parts must occur, in any order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pattern {
    pub contains: Vec<String>,
    pub means: Meaning,
}

impl Pattern {
    pub fn matches(&self, text: &str) -> bool {
        self.contains
            .iter()
            .all(|part| text.contains(part.as_str()))
    }
}

/// A known bug: reported, or fixed in a later release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KnownBug {
    pub link: String,
    pub symptom: String,
    /// Parts of the crash message; for wrong answers, of the script.
    pub contains: Vec<String>,
    #[serde(default)]
    pub since: Option<String>,
    /// The first release without it.
    #[serde(default)]
    pub fixed: Option<String>,
}

/// How some releases differ from the rest of the profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Release {
    #[serde(default)]
    pub since: Option<String>,
    #[serde(default)]
    pub until: Option<String>,
    #[serde(default)]
    pub arguments: Option<Vec<String>>,
    #[serde(default)]
    pub stdin: Option<Vec<String>>,
    #[serde(default)]
    pub live: Option<Vec<String>>,
    #[serde(default)]
    pub modes: Option<Vec<Mode>>,
    #[serde(default)]
    pub streams: Option<bool>,
    #[serde(default)]
    pub echo: Option<bool>,
    #[serde(default)]
    pub models: Option<bool>,
    #[serde(default)]
    pub cores: Option<bool>,
}

/// How the solver can be installed by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Packages {
    pub pip: Option<PipPackage>,
    pub debian: Option<DebianPackage>,
    pub cargo: Option<CargoPackage>,
}

/// A wheel with an executable, or with a library for which we have a driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PipPackage {
    pub name: String,
    /// Name of the executable inside the wheel.
    #[serde(default)]
    pub program: Option<String>,
    /// Name of the driver that turns the library into a program.
    #[serde(default)]
    pub driver: Option<String>,
    /// Oldest release that works.
    #[serde(default)]
    pub since: Option<String>,
    /// How the driver differs from the program: how it reads standard input, a live session, and its modes.
    #[serde(default)]
    pub stdin: Option<Vec<String>>,
    #[serde(default)]
    pub live: Option<Vec<String>>,
    #[serde(default)]
    pub modes: Option<Vec<Mode>>,
    #[serde(default)]
    pub streams: Option<bool>,
    #[serde(default)]
    pub echo: Option<bool>,
    #[serde(default)]
    pub listing: Option<Listing>,
    /// Whether the other channels have newer releases and are tried first, unless a release is named.
    #[serde(default)]
    pub last: bool,
    /// Shared libraries that the wheel expects from the system.
    #[serde(default, rename = "library")]
    pub libraries: Vec<SharedLibrary>,
}

/// A shared library that a wheel needs but does not contain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SharedLibrary {
    /// As the loader names it: `libnlopt.so.0`.
    pub file: String,
    /// The Debian package that contains it, unpacked beside the wheel if the system lacks the library.
    #[serde(default)]
    pub debian: Option<String>,
    /// What the user can do if no package contains it.
    #[serde(default)]
    pub advice: String,
}

/// A Debian package, unpacked into the cache without being installed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DebianPackage {
    pub name: String,
    pub program: String,
}

/// A crate with a binary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CargoPackage {
    pub name: String,
    pub program: String,
}

impl NamedTier {
    /// Whether a release has this tier.
    pub fn covers(&self, version: &Version) -> bool {
        within(version, self.since.as_deref(), self.until.as_deref())
    }
}

/// Whether a release is in a range, which may be open at either end; `until = "4.13"` includes 4.13.4.
pub(super) fn within(version: &Version, since: Option<&str>, until: Option<&str>) -> bool {
    let read = |text: Option<&str>| text.and_then(Version::read);
    read(since).is_none_or(|since| *version >= since)
        && read(until).is_none_or(|until| *version <= until || version.starts_with(&until))
}
