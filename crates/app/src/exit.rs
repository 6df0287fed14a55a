//! The documented exit codes, and failures that carry their code.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// The exit codes, as documented in `docs/files.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything was done and nothing is wrong.
    Clean = 0,
    /// The command found what it looks for: a solver's bug, an unreadable file, a wrong layout.
    Found = 1,
    /// The command line, a configuration file or an input file named there cannot be used.
    Usage = 2,
    /// The environment prevents it: no solver, no permission, disk full, network needed.
    Environment = 3,
    /// A defect of Auspex; please report it.
    Internal = 4,
    /// There is no answer: the standard leaves it unspecified, it exceeds our bounds, or no mutant could be made.
    Undetermined = 5,
}

impl Exit {
    /// Every code with its meaning, for the help text and the reference pages.
    pub const ALL: [(Exit, &str); 6] = [
        (Exit::Clean, "clean: done, nothing wrong"),
        (Exit::Found, "found: a bug, or what the command checks for"),
        (
            Exit::Usage,
            "usage: the command line or an input is invalid",
        ),
        (
            Exit::Environment,
            "environment: a solver, a file or a permission is missing",
        ),
        (Exit::Internal, "internal: a defect of auspex itself"),
        (
            Exit::Undetermined,
            "undetermined: the standard leaves the value unspecified, it exceeds our bounds, or no mutant could be made",
        ),
    ];
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// The user's input is invalid.
    Usage(String),
    /// The environment is unsuitable.
    Environment(String),
    /// A defect of Auspex.
    Internal(String),
    /// The output was closed, as in `auspex ops | head`.
    OutputClosed,
}

impl Failure {
    /// A failure about one file.
    pub fn file(path: &std::path::Path, error: &io::Error) -> Failure {
        let text = format!("{}: {error}", path.display());
        match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::FileTooLarge => Failure::Usage(text),
            _ => Failure::Environment(text),
        }
    }

    pub fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_) => Exit::Usage,
            Failure::Environment(_) => Exit::Environment,
            Failure::Internal(_) => Exit::Internal,
            Failure::OutputClosed => Exit::Clean,
        }
    }
}

impl From<io::Error> for Failure {
    /// The only IO errors without a file name come from writing our output.
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::Environment(format!("cannot write the output: {error}")),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::Environment(text) => f.write_str(text),
            Failure::Internal(text) => write!(f, "internal error: {text}"),
            Failure::OutputClosed => f.write_str("the output was closed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_documented_numbers() {
        let codes: Vec<u8> = Exit::ALL.iter().map(|(exit, _)| *exit as u8).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_closed_pipe_is_no_failure_of_ours() {
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(Failure::from(closed).exit(), Exit::Clean);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(Failure::from(full).exit(), Exit::Environment);
    }
}
