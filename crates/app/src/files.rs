//! Finds and reads input files: single files as they are named, folders by what is in them.

use crate::exit::Failure;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The extensions of SMT-LIB scripts in a folder.
const EXTENSIONS: [&str; 3] = ["smt2", "smt25", "smt"];

/// The scripts at the given paths, sorted within each folder. A file named directly counts whatever its extension.
pub fn scripts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let kind = std::fs::metadata(path).map_err(|error| Failure::file(path, &error))?;
        if kind.is_dir() {
            let start = files.len();
            walk(path, &mut files)?;
            files[start..].sort_unstable();
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Symbolic links to folders are not followed, so that a loop of them is no danger.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| Failure::file(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Failure::file(&folder, &error))?;
            let kind = entry
                .file_type()
                .map_err(|error| Failure::file(&folder, &error))?;
            let path = entry.path();
            if kind.is_dir() {
                open.push(path);
            } else if is_script(&path) {
                files.push(path);
            }
        }
    }
    Ok(())
}

fn is_script(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// A file's contents; `-` is standard input.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let contents = if path == Path::new("-") {
        let mut contents = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut contents).map(|_| contents)
    } else {
        std::fs::read(path)
    };
    contents.map_err(|error| Failure::file(path, &error))
}

/// A path as messages show it.
pub fn shown(path: &Path) -> Cow<'_, str> {
    if path == Path::new("-") {
        Cow::Borrowed("standard input")
    } else {
        path.to_string_lossy()
    }
}
