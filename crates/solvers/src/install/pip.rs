//! Installs a solver from a Python wheel: the executable inside it, or its library with a driver.

use super::{InstallError, Prepared, Want, shared, tool};
use crate::cache::{PackageFile, Staging};
use crate::drivers;
use crate::profile::PipPackage;
use crate::version::Version;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Downloads and unpacks a wheel into the staging folder.
pub(super) fn prepare(
    package: &PipPackage,
    want: &Want,
    staging: &Staging,
) -> Result<Prepared, InstallError> {
    let folder = staging.folder();
    let download = folder.join("download");
    let requirement = match want {
        Want::Version(version) => format!("{}=={version}.*", package.name),
        Want::Any | Want::Latest => package.name.clone(),
    };
    let python = python()?;
    let words = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:"];
    let mut arguments: Vec<String> = words.map(str::to_string).to_vec();
    arguments.extend(["--progress-bar=off".to_string(), "-d".to_string()]);
    arguments.extend([download.display().to_string(), requirement]);
    tool::run(&python, &arguments, None)?;
    let wheel = only_file(&download)?;
    let unpacked = folder.join("package");
    let arguments = [
        "-m".as_ref(),
        "zipfile".as_ref(),
        "-e".as_ref(),
        wheel.as_os_str(),
        unpacked.as_os_str(),
    ];
    tool::run(&python, &arguments, None)?;
    let name = wheel
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let file = PackageFile::of(&download, &name)?;
    std::fs::remove_dir_all(&download)?;
    let version = name.split('-').nth(1).unwrap_or("").to_string();
    match (&package.program, &package.driver) {
        (Some(program), _) => keep_program(folder, &unpacked, program, version, file),
        (None, Some(driver)) => {
            let prepared = add_driver(folder, driver, python, version, file)?;
            shared::provide(package, prepared, folder)
        }
        (None, None) => Err(InstallError::Empty { package: name }),
    }
}

/// The releases that pip can install here, oldest first. Any pip lists them when asked for a release that cannot
/// exist.
pub(super) fn releases(package: &PipPackage) -> Result<Vec<Version>, InstallError> {
    let python = python()?;
    let impossible = format!("{}==0.0.0.dev0", package.name);
    let words = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:"];
    let arguments = words.iter().copied().chain(["-d", "/", &impossible]);
    let said = match tool::run(&python, &arguments.collect::<Vec<_>>(), None) {
        Err(InstallError::Tool { said, .. }) if said.contains("from versions:") => said,
        Err(error) => return Err(error),
        Ok(_) => return Ok(Vec::new()),
    };
    let list = said.split("from versions:").nth(1).unwrap_or("");
    let list = list.split(')').next().unwrap_or("");
    let mut versions: Vec<Version> = list
        .split(',')
        .filter_map(|word| Version::read(word.trim()))
        .map(Version::short)
        .collect();
    let since = package.since.as_deref().and_then(Version::read);
    versions.retain(|version| since.as_ref().is_none_or(|since| version >= since));
    versions.sort();
    versions.dedup();
    Ok(versions)
}

/// The interpreter's own path. A wheel fits one interpreter, so the driver must run with the one that installed it.
fn python() -> Result<String, InstallError> {
    let said = tool::run(
        "python3",
        &["-c", "import sys; print(sys.executable)"],
        None,
    )?;
    Ok(said.trim().to_string())
}

fn only_file(folder: &Path) -> Result<PathBuf, InstallError> {
    let mut files = std::fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path());
    files.next().ok_or_else(|| InstallError::Empty {
        package: folder.display().to_string(),
    })
}

/// Keeps only the executable; the libraries and headers beside it are not needed and several times its size.
fn keep_program(
    folder: &Path,
    unpacked: &Path,
    program: &str,
    version: String,
    package: PackageFile,
) -> Result<Prepared, InstallError> {
    let found = find_file(unpacked, program).ok_or_else(|| InstallError::Empty {
        package: package.name.clone(),
    })?;
    let target = folder.join(program);
    std::fs::rename(found, &target)?;
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o755))?;
    std::fs::remove_dir_all(unpacked)?;
    Ok(Prepared {
        version,
        channel: "pip",
        packages: vec![package],
        program: format!("./{program}"),
        arguments: Vec::new(),
        libraries: Vec::new(),
        files: vec![program.to_string()],
        driver: false,
    })
}

fn add_driver(
    folder: &Path,
    driver: &str,
    python: String,
    version: String,
    package: PackageFile,
) -> Result<Prepared, InstallError> {
    let files = drivers::files(driver).ok_or_else(|| InstallError::Empty {
        package: format!("driver {driver}"),
    })?;
    for (name, text) in &files {
        std::fs::write(folder.join(name), text)?;
    }
    let files = files.iter().map(|(name, _)| name.to_string()).collect();
    Ok(Prepared {
        version,
        channel: "pip",
        packages: vec![package],
        program: python,
        // Isolated from the user's packages, which also makes the start faster.
        arguments: ["-I", "-S", "-B", "./driver.py"]
            .map(str::to_string)
            .to_vec(),
        libraries: Vec::new(),
        files,
        driver: true,
    })
}

/// A file of this name anywhere below a folder; in a folder named `bin` first.
fn find_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if entry.file_name() == name {
                found.push(path);
            }
        }
    }
    found.sort_by_key(|path| !path.parent().is_some_and(|parent| parent.ends_with("bin")));
    found.into_iter().next()
}
