//! Builds a solver that is published as a Rust crate.

use super::{InstallError, Prepared, Want, tool};
use crate::cache::Staging;
use crate::profile::CargoPackage;

/// Builds the crate into the staging folder.
pub(super) fn prepare(
    package: &CargoPackage,
    want: &Want,
    staging: &Staging,
) -> Result<Prepared, InstallError> {
    let folder = staging.folder();
    let mut arguments = vec!["install".to_string(), "--root".to_string()];
    arguments.push(folder.display().to_string());
    arguments.extend(["--bin".to_string(), package.program.clone()]);
    if let Want::Version(version) = want {
        arguments.extend(["--version".to_string(), version.to_string()]);
    }
    arguments.push(package.name.clone());
    tool::run("cargo", &arguments, None)?;
    let program = format!("bin/{}", package.program);
    Ok(Prepared {
        version: installed_version(folder, &package.name).unwrap_or_default(),
        channel: "cargo",
        packages: Vec::new(),
        program: format!("./{program}"),
        arguments: Vec::new(),
        libraries: Vec::new(),
        files: vec![program],
        driver: false,
    })
}

/// Cargo's own record of what it installed: `"rz3 0.2.0 (…)" = […]`.
fn installed_version(folder: &std::path::Path, name: &str) -> Option<String> {
    let record = std::fs::read_to_string(folder.join(".crates.toml")).ok()?;
    let entry = record
        .lines()
        .find_map(|line| line.strip_prefix(&format!("\"{name} ")))?;
    entry.split(' ').next().map(str::to_string)
}
