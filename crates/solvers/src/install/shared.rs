//! Provides the shared libraries that a wheel expects from the system: the loader names the missing one, the profile
//! says where to get it.

use super::{InstallError, Prepared, debian, tool};
use crate::profile::{PipPackage, SharedLibrary};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Starts the driver until no library is missing. Folders of `LD_LIBRARY_PATH` that contain a needed library are
/// recorded, so that later runs do not need the variable.
pub(super) fn provide(
    package: &PipPackage,
    mut prepared: Prepared,
    folder: &Path,
) -> Result<Prepared, InstallError> {
    if package.libraries.is_empty() {
        return Ok(prepared);
    }
    prepared.libraries = of_user(&package.libraries);
    // Each round provides one library, so there are at most as many rounds as libraries.
    for _ in 0..=package.libraries.len() {
        let Some(missing) = missing(&prepared, folder)? else {
            break;
        };
        let library = package.libraries.iter().find(|one| one.file == missing);
        let Some(name) = library.and_then(|library| library.debian.clone()) else {
            let advice = library.map_or("", |library| &library.advice);
            return Err(InstallError::NoLibrary {
                package: package.name.clone(),
                file: missing,
                advice: advice.to_string(),
            });
        };
        prepared.packages.extend(debian::unpack(&[name], folder)?);
        for found in debian::library_folders(folder) {
            if !prepared.libraries.contains(&found) {
                prepared.libraries.push(found);
            }
        }
    }
    Ok(prepared)
}

/// The folders of `LD_LIBRARY_PATH` that contain one of the libraries.
fn of_user(wanted: &[SharedLibrary]) -> Vec<String> {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
    let holding = folders.filter(|folder| wanted.iter().any(|one| folder.join(&one.file).exists()));
    holding.map(|folder| folder.display().to_string()).collect()
}

/// The library that the loader does not find, if any; the probe reports other problems.
fn missing(prepared: &Prepared, folder: &Path) -> Result<Option<String>, InstallError> {
    let folders: Vec<PathBuf> = prepared.libraries.iter().map(|l| folder.join(l)).collect();
    let mut variable = OsString::from("LD_LIBRARY_PATH=");
    variable.push(std::env::join_paths(folders).unwrap_or_default());
    let driver = folder.join("driver.py");
    let mut words = vec![variable, OsString::from(&prepared.program)];
    words.extend(["-I", "-S", "-B"].map(OsString::from));
    words.extend([driver.into_os_string(), OsString::from("--version")]);
    match tool::run("env", &words, None) {
        Err(InstallError::Tool { said, .. }) => Ok(named(&said)),
        Err(error) => Err(error),
        Ok(_) => Ok(None),
    }
}

/// The name in `ImportError: libibex.so: cannot open shared object file: No such file or directory`.
fn named(said: &str) -> Option<String> {
    let before = said.split(": cannot open shared object file").next()?;
    let file = before.rsplit([' ', '\n']).next()?;
    (before.len() < said.len()).then(|| file.to_string())
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn the_loader_names_what_it_misses() {
        let said = "Traceback:\nImportError: libibex.so: cannot open shared object file: No such file or directory";
        assert_eq!(named(said).as_deref(), Some("libibex.so"));
    }

    #[test]
    fn other_complaints_name_no_library() {
        assert_eq!(named("ImportError: no module named dreal"), None);
    }
}
