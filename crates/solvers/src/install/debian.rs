//! Installs a solver from a Debian package with the libraries it needs, unpacked into the cache. Nothing is installed
//! on the system, and no root is needed.

use super::{InstallError, Prepared, Want, tool};
use crate::cache::{PackageFile, Staging};
use crate::profile::DebianPackage;
use crate::version::Version;
use std::path::Path;

/// Libraries that every system has.
const BASE: &[&str] = &[
    "libc6",
    "libgcc-s1",
    "libstdc++6",
    "libgomp1",
    "zlib1g",
    "libtinfo6",
    "dpkg",
    "tar",
    "perl-base",
];

/// Downloads and unpacks a package with its libraries into the staging folder.
pub(super) fn prepare(
    package: &DebianPackage,
    want: &Want,
    staging: &Staging,
) -> Result<Prepared, InstallError> {
    let offered = offered(&package.name)?;
    let version = Version::read(&offered).unwrap_or_default().to_string();
    if matches!(want, Want::Version(_)) && !want.accepts(&version) {
        return Err(InstallError::Other {
            channel: "debian",
            offered,
        });
    }
    let folder = staging.folder();
    let mut names = vec![package.name.clone()];
    names.extend(libraries(&package.name)?);
    let packages = unpack(&names, folder)?;
    Ok(Prepared {
        version,
        channel: "debian",
        packages,
        program: format!("./{}", package.program),
        arguments: Vec::new(),
        libraries: library_folders(folder),
        files: vec![package.program.clone()],
        driver: false,
    })
}

/// Downloads packages and unpacks them into a folder; returns the files for the record.
pub(super) fn unpack(names: &[String], folder: &Path) -> Result<Vec<PackageFile>, InstallError> {
    let download = folder.join("download");
    std::fs::create_dir_all(&download)?;
    let mut arguments = vec!["download".to_string()];
    arguments.extend_from_slice(names);
    tool::run("apt-get", &arguments, Some(&download)).map_err(with_advice)?;
    let mut packages = Vec::new();
    for entry in std::fs::read_dir(&download)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let file = entry.path();
        let unpack = ["-x".as_ref(), file.as_os_str(), folder.as_os_str()];
        tool::run("dpkg-deb", &unpack, None)?;
        packages.push(PackageFile::of(&download, &name)?);
    }
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    std::fs::remove_dir_all(&download)?;
    Ok(packages)
}

/// Explains a failure: outdated lists name versions that are gone, and only root can update the lists.
fn with_advice(error: InstallError) -> InstallError {
    match error {
        InstallError::Tool { command, mut said } => {
            said.push_str("\nif the package lists are outdated, run `apt-get update` as root");
            InstallError::Tool { command, said }
        }
        other => other,
    }
}

/// The version that apt would install, without Debian's suffix.
fn offered(package: &str) -> Result<String, InstallError> {
    let said = tool::run("apt-cache", &["policy", package], None)?;
    let line = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("Candidate:"));
    match line.map(str::trim) {
        None | Some("" | "(none)") => Err(InstallError::Empty {
            package: package.to_string(),
        }),
        Some(version) => Ok(version.to_string()),
    }
}

/// The libraries that a package needs, transitively.
fn libraries(package: &str) -> Result<Vec<String>, InstallError> {
    let mut arguments = vec!["depends".to_string(), "--recurse".to_string()];
    let kinds = [
        "recommends",
        "suggests",
        "conflicts",
        "breaks",
        "replaces",
        "enhances",
    ];
    arguments.extend(kinds.map(|kind| format!("--no-{kind}")));
    arguments.push(package.to_string());
    let said = tool::run("apt-cache", &arguments, None)?;
    let names = said.lines().filter(|line| line.starts_with("lib"));
    let names = names.filter(|name| !BASE.contains(name));
    Ok(names.map(str::to_string).collect())
}

/// The folders below `lib` that may contain libraries: `lib/x86_64-linux-gnu`, and `lapack` below it.
pub(super) fn library_folders(folder: &Path) -> Vec<String> {
    let below = |tops: &[String]| -> Vec<String> {
        let entries = tops.iter().flat_map(|top| {
            let entries = std::fs::read_dir(folder.join(top)).into_iter().flatten();
            let folders = entries.flatten().filter(|entry| entry.path().is_dir());
            folders.map(move |entry| format!("{top}/{}", entry.file_name().to_string_lossy()))
        });
        entries.collect()
    };
    let mut found = below(&["usr/lib", "lib"].map(String::from));
    found.extend(below(&found));
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_download_says_what_may_help() {
        let failed = InstallError::Tool {
            command: "apt-get download cvc4".to_string(),
            said: "Can't find a source to download version 1.8".to_string(),
        };
        let text = with_advice(failed).to_string();
        assert!(
            text.contains("version 1.8") && text.contains("apt-get update"),
            "{text}"
        );
        let absent = InstallError::Empty {
            package: "cvc4".to_string(),
        };
        assert!(!with_advice(absent).to_string().contains("apt-get update"));
    }
}
