//! Finds and reads input files: single files as named, and the scripts in folders.

use crate::exit::Failure;
use auspex_campaign::reading::{LARGEST, read_all};
use std::borrow::Cow;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::FileTypeExt;
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
            } else if is_script(&path) && path.is_file() {
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
    let contents = match path == Path::new("-") {
        true => read_all(std::io::stdin().lock(), LARGEST),
        false => read_named(path),
    };
    contents.map_err(|error| Failure::file(path, &error))
}

/// A file or a pipe that the user names; a device may have no end.
fn read_named(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if kind.is_char_device() || kind.is_block_device() {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            "a device, not a script",
        ));
    }
    read_all(file, LARGEST)
}

/// The text of a configuration or baseline; `what` names it in the error if it is not text.
pub fn read_config(path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(read(path)?);
    text.map_err(|_| Failure::Usage(format!("{}: not UTF-8 text", path.display())))
}

/// A path as messages show it.
pub fn shown(path: &Path) -> Cow<'_, str> {
    if path == Path::new("-") {
        Cow::Borrowed("standard input")
    } else {
        path.to_string_lossy()
    }
}
