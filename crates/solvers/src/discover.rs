//! Finds solvers: on PATH, in the cache, or by a command line.

use crate::cache::{Cache, Entry};
use crate::drivers;
use crate::install::Want;
use crate::invocation::Invocation;
use crate::profile::{Profile, ProfileError, profiles};
use crate::solver::{Solver, StartError};
use crate::version::Version;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The profiles and the cache.
#[derive(Clone, Debug)]
pub struct Catalog {
    pub profiles: Vec<Profile>,
    pub cache: Cache,
}

/// A solver, and where it was found.
#[derive(Clone, Debug)]
pub struct Found {
    pub solver: Solver,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Path,
    Cache,
    CommandLine,
}

/// Why a solver was not found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("unknown solver {0}")]
    Unknown(String),
    #[error("{0} is neither on PATH nor installed; try `auspex solvers install {0}`")]
    Absent(String),
    #[error("{0} has no tier {1}; it has {2}")]
    NoTier(String, String, String),
    #[error("{0:?} is not a solver: expected a name, name@release, or a command line")]
    Unreadable(String),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// A solver as a user names it: `z3`, `z3@4.13.0`, `cvc5+plain`, `cvc5@1.4.2+plain` or `cvc5+plain@1.4.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called<'a> {
    pub name: &'a str,
    pub release: Option<&'a str>,
    pub tier: Option<&'a str>,
}

impl<'a> Called<'a> {
    /// Reads the first word of a command line.
    pub fn read(line: &'a str) -> Called<'a> {
        let word = line.split_whitespace().next().unwrap_or("");
        let until_sign = |text: &'a str| text.split_at(text.find(['@', '+']).unwrap_or(text.len()));
        let (name, mut rest) = until_sign(word);
        let (mut release, mut tier) = (None, None);
        while !rest.is_empty() {
            let (sign, after) = rest.split_at(1);
            let (part, left) = until_sign(after);
            match sign {
                "@" => release = Some(part),
                _ => tier = Some(part),
            }
            rest = left;
        }
        Called {
            name,
            release,
            tier,
        }
    }
}

/// Name and release, for `auspex solvers install`.
impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.release {
            Some(release) => write!(f, "{}@{release}", self.name),
            None => f.write_str(self.name),
        }
    }
}

impl Catalog {
    /// The built-in profiles with the user's, and the user's cache.
    pub fn of_user() -> Result<Catalog, ProfileError> {
        let folder = user_profiles();
        Ok(Catalog {
            profiles: profiles(folder.as_deref())?,
            cache: Cache::of_user().ok_or(ProfileError::NoCache)?,
        })
    }

    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.name == name)
    }

    /// Every solver on PATH and in the cache that can be started.
    pub fn found(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for profile in &self.profiles {
            if let Some(program) = on_path(profile) {
                let solver = Solver::new(Arc::new(profile.clone()), plain(program));
                found.extend(solver.ok().map(|solver| Found {
                    solver,
                    place: Place::Path,
                }));
            }
            let entries = self.cache.entries().into_iter();
            for entry in entries.filter(|entry| entry.installed.solver == profile.name) {
                let solver = solver_of(profile, &entry).ok();
                found.extend(solver.map(|solver| Found {
                    solver,
                    place: Place::Cache,
                }));
            }
        }
        found
    }

    /// Finds the solver for `z3`, `z3@4.13.0`, `cvc5+plain` (see [`Called`]), or a command line with options.
    pub fn find(&self, spec: &str) -> Result<Found, FindError> {
        let words = words(spec).ok_or_else(|| FindError::Unreadable(spec.to_string()))?;
        let (first, options) = words
            .split_first()
            .ok_or_else(|| FindError::Unreadable(spec.to_string()))?;
        let called = Called::read(first);
        let mut found = match self.profile(called.name) {
            Some(profile) => self.find_release(profile, &called)?,
            None => self.find_program(first)?,
        };
        if let Some(tier) = called.tier.filter(|_| !first.contains('/')) {
            let tiers = found.solver.profile.tiers.iter();
            let mut tiers: Vec<&str> = tiers.map(|tier| tier.name.as_str()).collect();
            tiers.dedup();
            let tiers = match tiers.is_empty() {
                true => "none".to_string(),
                false => tiers.join(", "),
            };
            let missing = FindError::NoTier(called.name.to_string(), tier.to_string(), tiers);
            found.solver = found.solver.with_tier(tier).ok_or(missing)?;
        }
        found.solver = found.solver.with_options(options);
        Ok(found)
    }

    fn find_release(&self, profile: &Profile, called: &Called<'_>) -> Result<Found, FindError> {
        let version = called.release;
        let want = Want::read(version).ok_or_else(|| FindError::Unknown(called.to_string()))?;
        let want = match want {
            Want::Latest => Want::Any,
            other => other,
        };
        if let (Some(program), true) = (on_path(profile), version != Some("latest")) {
            let solver = Solver::new(Arc::new(profile.clone()), plain(program))?;
            let text = solver.version.as_ref().map(Version::to_string);
            if want.accepts(&text.unwrap_or_default()) {
                let place = Place::Path;
                return Ok(Found { solver, place });
            }
        }
        let entries = self.cache.entries().into_iter();
        let entry = entries
            .filter(|entry| entry.installed.solver == profile.name)
            .filter(|entry| want.accepts(&entry.installed.version))
            .max_by_key(|entry| Version::read(&entry.installed.version))
            .ok_or_else(|| FindError::Absent(called.to_string()))?;
        let solver = solver_of(profile, &entry)?;
        let place = Place::Cache;
        Ok(Found { solver, place })
    }

    /// A program by its path or name; its file name chooses the profile.
    fn find_program(&self, program: &str) -> Result<Found, FindError> {
        let path = Path::new(program);
        let path = match program.contains('/') {
            true => path.to_path_buf(),
            false => in_path(program).ok_or_else(|| FindError::Unknown(program.to_string()))?,
        };
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let known = |profile: &&Profile| {
            let mut programs = profile.programs.iter();
            programs.any(|name| file == *name || file.starts_with(&format!("{name}-")))
        };
        let profile = match self.profiles.iter().find(known) {
            Some(profile) => profile.clone(),
            None => Profile::unknown(&file),
        };
        let solver = Solver::new(Arc::new(profile), plain(path))?;
        let place = Place::CommandLine;
        Ok(Found { solver, place })
    }
}

/// The user's own profiles: `$XDG_CONFIG_HOME/auspex/solvers` or `~/.config/auspex/solvers`.
pub fn user_profiles() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let config = set("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(PathBuf::from(set("HOME")?).join(".config")))?;
    Some(config.join("auspex/solvers"))
}

/// The solver of an installed release.
pub fn solver_of(profile: &Profile, entry: &Entry) -> Result<Solver, StartError> {
    if !entry.installed.driver {
        return trusted(Arc::new(profile.clone()), entry);
    }
    let mut entry = entry.clone();
    let package = profile.packages.pip.as_ref();
    let driver = package.and_then(|package| package.driver.as_deref());
    if let Some(files) = driver.and_then(drivers::files) {
        // The driver is part of Auspex, not of the package. A read-only cache keeps the old one.
        let _ = entry.renew(&files);
    }
    trusted(Arc::new(profile.for_driver()), &entry)
}

/// Starts a release from the cache, if no other user could have put it there.
fn trusted(profile: Arc<Profile>, entry: &Entry) -> Result<Solver, StartError> {
    match entry.distrust() {
        None => Solver::new(profile, entry.invocation()),
        Some(why) => Err(StartError {
            program: entry.folder.display().to_string(),
            source: std::io::Error::other(format!("{why}; remove it and install it again")),
        }),
    }
}

fn plain(program: PathBuf) -> Invocation {
    Invocation {
        program,
        ..Invocation::default()
    }
}

fn on_path(profile: &Profile) -> Option<PathBuf> {
    profile.programs.iter().find_map(|name| in_path(name))
}

/// The program of that name on PATH.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .filter_map(|folder| std::path::absolute(folder.join(name)).ok())
        .find(|path| {
            let data = std::fs::metadata(path);
            data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
        })
}

/// The words of a command line, with quotes as in a shell; `None` if a quote is open.
pub fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_as_a_shell_does() {
        let split = |line| words(line).unwrap_or_default().join("|");
        assert_eq!(split("z3  smt.seed=1"), "z3|smt.seed=1");
        assert_eq!(split("'/a b/z3' \"x y\"z"), "/a b/z3|x yz");
        assert_eq!(words("z3 'open"), None);
    }

    #[test]
    fn release_and_tier_come_in_any_order() {
        let called = |line| {
            let Called {
                name,
                release,
                tier,
            } = Called::read(line);
            (name, release, tier)
        };
        let both = ("cvc5", Some("1.4.2"), Some("plain"));
        assert_eq!(called("cvc5@1.4.2+plain"), both);
        assert_eq!(called("cvc5+plain@1.4.2 --seed=1"), both);
        assert_eq!(called("z3"), ("z3", None, None));
        assert_eq!(called("é+@"), ("é", Some(""), Some("")));
        assert_eq!(called(" "), ("", None, None));
    }
}
