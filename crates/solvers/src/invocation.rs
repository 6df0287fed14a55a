//! What to start: a program with arguments and environment, and the file it may be given.

use crate::guard;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
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

/// A file that is removed when dropped.
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
