//! An invocation: a program with arguments and environment, its working folder, and its input file, if any.

use crate::coverage::Coverage;
use crate::guard;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A program with arguments and environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    /// The working folder. By default a new temporary one, so that no script can make a solver write into the user's.
    pub folder: Option<PathBuf>,
    /// Which edges of the program are recorded; only in a temporary folder.
    pub coverage: Coverage,
}

impl Invocation {
    /// The command as a person would type it.
    pub fn line(&self) -> String {
        let quote = |word: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:@%+,".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                word.to_string()
            } else {
                format!("'{}'", word.replace('\'', r"'\''"))
            }
        };
        let program = self.program.to_string_lossy();
        let arguments = self.arguments.iter().map(|word| word.to_string_lossy());
        let words: Vec<String> = std::iter::once(program)
            .chain(arguments)
            .map(|word| quote(&word))
            .collect();
        words.join(" ")
    }
}

/// Makes a word of a command line independent of the current folder: the path of an existing file becomes absolute,
/// also after `=`. A word without `/` or `.` is not a path.
pub(crate) fn absolute(word: &OsStr) -> OsString {
    let Some(text) = word.to_str() else {
        return word.to_owned();
    };
    let (option, path) = match text.split_once('=') {
        Some((_, path)) => (&text[..text.len() - path.len()], path),
        None => ("", text),
    };
    let relative = !path.starts_with('/') && path.contains(['/', '.']);
    match std::path::absolute(path) {
        Ok(whole) if relative && whole.exists() => {
            let mut word = OsString::from(option);
            word.push(whole);
            word
        }
        _ => word.to_owned(),
    }
}

/// A folder that is removed with its contents on drop.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    path: PathBuf,
}

impl ScratchFolder {
    pub(crate) fn make(name: &str) -> std::io::Result<ScratchFolder> {
        let path = guard::folder()?.join(name);
        std::fs::create_dir(&path)?;
        Ok(ScratchFolder { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // The folder is nearly always empty.
        if std::fs::remove_dir(&self.path).is_err() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// A file that is removed on drop.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn write(contents: &[u8], suffix: &str) -> std::io::Result<Scratch> {
        let path = guard::folder()?.join(format!("{}{suffix}", guard::mark()));
        std::fs::write(&path, contents)?;
        Ok(Scratch { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_exist_are_made_absolute() {
        // Tests run in the folder of the crate.
        let here = std::env::current_dir().unwrap();
        let whole = |name: &str| here.join(name).into_os_string();
        assert_eq!(absolute("src/lib.rs".as_ref()), whole("src/lib.rs"));
        assert_eq!(absolute("./Cargo.toml".as_ref()), whole("Cargo.toml"));
        let mut option = OsString::from("--config=");
        option.push(whole("Cargo.toml"));
        assert_eq!(absolute("--config=Cargo.toml".as_ref()), option);
    }

    #[test]
    fn what_names_no_file_stays() {
        for word in [
            "-in",
            "src",
            "--lang=src",
            "smt.seed=1",
            "no/such.file",
            "/",
            "",
        ] {
            assert_eq!(absolute(word.as_ref()), word);
        }
    }
}
