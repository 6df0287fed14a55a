//! Installs solvers by name into the cache: whole or not at all, and once even if several processes ask.

mod cargo;
mod debian;
mod pip;
mod shared;
pub(crate) mod tool;

use crate::cache::{Cache, Entry, Installed, PackageFile, Staging};
use crate::discover::solver_of;
use crate::limits::Limits;
use crate::probe::says_sat;
use crate::profile::Profile;
use crate::version::Version;
use std::time::Duration;

/// The wanted release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// Any installed one, else the newest.
    Any,
    /// The newest one.
    Latest,
    /// This one, or the newest with this prefix.
    Version(Version),
}

impl Want {
    /// Reads the text after `@`: nothing, `latest`, or a version.
    pub fn read(text: Option<&str>) -> Option<Want> {
        match text {
            None | Some("") => Some(Want::Any),
            Some("latest") => Some(Want::Latest),
            Some(version) => Version::read(version).map(Want::Version),
        }
    }

    /// Whether an installed release suffices, so that no package index is asked.
    pub fn accepts(&self, version: &str) -> bool {
        match self {
            Want::Any => true,
            Want::Latest => false,
            Want::Version(wanted) => Version::read(version)
                .is_some_and(|version| version == *wanted || version.starts_with(wanted)),
        }
    }
}

/// The progress of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is already in the cache.
    Present {
        name: String,
    },
    /// Another process is installing it.
    Waiting {
        name: String,
    },
    Bringing {
        name: String,
        channel: &'static str,
    },
    /// This channel does not have it; the next one is tried.
    Refused {
        channel: &'static str,
        why: String,
    },
    /// It is tested with a query.
    Probing {
        name: String,
    },
    Done {
        name: String,
    },
}

/// Why a solver could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("{tool} is required but cannot be started: {source}")]
    NoTool {
        tool: String,
        source: std::io::Error,
    },
    #[error("`{command}` failed:\n{said}")]
    Tool { command: String, said: String },
    #[error("{channel} offers only {offered}")]
    Other {
        channel: &'static str,
        offered: String,
    },
    #[error("{package} contains no program")]
    Empty { package: String },
    #[error("{package} needs {file}, which this system lacks; {advice}")]
    NoLibrary {
        package: String,
        file: String,
        advice: String,
    },
    #[error("{solver} cannot be installed by name; see {home}")]
    NoPackage { solver: String, home: String },
    #[error("{solver} was installed but does not work: {said}")]
    Broken { solver: String, said: String },
    #[error("{solver} could not be installed:\n{reasons}")]
    AllRefused { solver: String, reasons: String },
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A release unpacked in a staging folder, before it is tried.
pub(crate) struct Prepared {
    version: String,
    channel: &'static str,
    packages: Vec<PackageFile>,
    program: String,
    arguments: Vec<String>,
    libraries: Vec<String>,
    files: Vec<String>,
    driver: bool,
}

/// Installs a release, or finds it installed.
pub fn install(
    profile: &Profile,
    want: &Want,
    cache: &Cache,
    progress: &mut dyn FnMut(Progress),
) -> Result<Entry, InstallError> {
    let name = profile.name.clone();
    if let Some(entry) = present(profile, want, cache) {
        progress(Progress::Present { name });
        return Ok(entry);
    }
    progress(Progress::Waiting { name: name.clone() });
    let _lock = cache.lock(&name)?;
    cache.tidy();
    // The process that held the lock may have installed it.
    if let Some(entry) = present(profile, want, cache) {
        progress(Progress::Present { name });
        return Ok(entry);
    }
    let mut reasons = Vec::new();
    for channel in channels(profile, want) {
        progress(Progress::Bringing {
            name: name.clone(),
            channel: channel.name,
        });
        let staging = cache.staging()?;
        let entry = (channel.prepare)(profile, want, &staging)
            .and_then(|prepared| finish(profile, prepared, &staging, cache, progress));
        match entry {
            Ok(entry) => {
                progress(Progress::Done { name });
                return Ok(entry);
            }
            Err(error) => {
                let why = error.to_string();
                reasons.push(format!("{}: {why}", channel.name));
                progress(Progress::Refused {
                    channel: channel.name,
                    why,
                });
            }
        }
    }
    match reasons.is_empty() {
        true => Err(InstallError::NoPackage {
            solver: name,
            home: profile.home.clone(),
        }),
        false => Err(InstallError::AllRefused {
            solver: name,
            reasons: reasons.join("\n"),
        }),
    }
}

/// The releases that can be installed, oldest first; those in the cache if no package index can be reached.
pub fn releases(profile: &Profile, cache: &Cache) -> Vec<Version> {
    let mut versions = match &profile.packages.pip {
        Some(package) => pip::releases(package).unwrap_or_default(),
        None => Vec::new(),
    };
    let entries = cache.entries().into_iter();
    let own = entries.filter(|entry| entry.installed.solver == profile.name);
    versions.extend(own.filter_map(|entry| Version::read(&entry.installed.version)));
    versions.sort();
    versions.dedup();
    versions
}

/// A source of packages.
struct Channel {
    name: &'static str,
    prepare: fn(&Profile, &Want, &Staging) -> Result<Prepared, InstallError>,
}

/// The channels that have the solver, in the order in which they are tried.
fn channels(profile: &Profile, want: &Want) -> Vec<Channel> {
    let mut channels = Vec::new();
    if profile.packages.pip.is_some() {
        channels.push(Channel {
            name: "pip",
            prepare: |profile, want, staging| match &profile.packages.pip {
                Some(package) => pip::prepare(package, want, staging),
                None => Err(no_package(profile)),
            },
        });
    }
    if profile.packages.debian.is_some() {
        channels.push(Channel {
            name: "debian",
            prepare: |profile, want, staging| match &profile.packages.debian {
                Some(package) => debian::prepare(package, want, staging),
                None => Err(no_package(profile)),
            },
        });
    }
    if profile.packages.cargo.is_some() {
        channels.push(Channel {
            name: "cargo",
            prepare: |profile, want, staging| match &profile.packages.cargo {
                Some(package) => cargo::prepare(package, want, staging),
                None => Err(no_package(profile)),
            },
        });
    }
    let old = profile.packages.pip.as_ref().is_some_and(|pip| pip.last);
    if old && !matches!(want, Want::Version(_)) {
        channels.rotate_left(1);
    }
    channels
}

fn no_package(profile: &Profile) -> InstallError {
    InstallError::NoPackage {
        solver: profile.name.clone(),
        home: profile.home.clone(),
    }
}

/// The newest release in the cache that fits.
fn present(profile: &Profile, want: &Want, cache: &Cache) -> Option<Entry> {
    let entries = cache.entries().into_iter();
    entries
        .filter(|entry| entry.installed.solver == profile.name)
        .filter(|entry| want.accepts(&entry.installed.version))
        .max_by_key(|entry| Version::read(&entry.installed.version))
}

/// Tests a prepared release, and installs it if it answers.
fn finish(
    profile: &Profile,
    prepared: Prepared,
    staging: &Staging,
    cache: &Cache,
    progress: &mut dyn FnMut(Progress),
) -> Result<Entry, InstallError> {
    let name = profile.name.clone();
    progress(Progress::Probing { name: name.clone() });
    let files = prepared.files.iter();
    let files: Result<Vec<_>, _> = files
        .map(|file| PackageFile::of(staging.folder(), file))
        .collect();
    let mut installed = Installed {
        solver: name.clone(),
        version: prepared.version,
        channel: prepared.channel.to_string(),
        packages: prepared.packages,
        program: prepared.program,
        arguments: prepared.arguments,
        libraries: prepared.libraries,
        files: files?,
        driver: prepared.driver,
    };
    let entry = Entry {
        folder: staging.folder().to_path_buf(),
        installed: installed.clone(),
    };
    if let Some(version) = try_out(profile, &entry)? {
        installed.version = version.to_string();
    }
    Ok(cache.adopt(staging, &installed)?)
}

/// Runs the simplest query; returns the version that the program itself prints.
fn try_out(profile: &Profile, entry: &Entry) -> Result<Option<Version>, InstallError> {
    let broken = |said: String| InstallError::Broken {
        solver: profile.name.clone(),
        said,
    };
    let solver = solver_of(profile, entry).map_err(|error| broken(error.to_string()))?;
    let limits = Limits {
        wall: Duration::from_secs(60),
        ..Limits::default()
    };
    let logic = profile.logic_for("QF_UF");
    let script =
        format!("(set-logic {logic})\n(declare-fun p () Bool)\n(assert p)\n(check-sat)\n(exit)\n");
    let run = solver
        .fresh(&script, &limits)
        .map_err(|error| broken(error.to_string()))?;
    match run.answer() {
        answer if says_sat(answer) => Ok(solver.version),
        _ => Err(broken(format!(
            "{} {}",
            run.stdout.trim(),
            run.stderr.trim()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::profiles;

    fn order(solver: &str, release: Option<&str>) -> Vec<&'static str> {
        let profiles = profiles(None).unwrap();
        let profile = profiles.iter().find(|p| p.name == solver).unwrap();
        let want = Want::read(release).unwrap();
        let channels = channels(profile, &want);
        channels.iter().map(|channel| channel.name).collect()
    }

    #[test]
    fn a_channel_with_old_releases_only_is_asked_last() {
        assert_eq!(order("cvc4", None), ["debian", "pip"]);
        assert_eq!(order("cvc4", Some("latest")), ["debian", "pip"]);
    }

    #[test]
    fn whoever_names_a_release_gets_it_from_pip_first() {
        assert_eq!(order("cvc4", Some("1.6")), ["pip", "debian"]);
        assert_eq!(order("z3", None), ["pip", "debian"]);
    }
}
