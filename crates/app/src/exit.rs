//! How the program ends: documented exit codes, and failures that carry their code.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// The exit codes, as documented in `docs/files.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything was done and nothing is wrong.
    Clean = 0,
    /// The thing that was looked for was found: a solver's bug, a file that does not read, a wrong layout.
    Found = 1,
    /// The command line, a configuration file or an input file named there cannot be used.
    Usage = 2,
    /// The machine does not let us: no solver, no permission, disk full, network needed.
    Environment = 3,
    /// A promise inside the program was broken; please report it.
    Internal = 4,
    /// The question has no answer: the standard leaves it open, it is beyond our bounds, or no mutant could be made.
    Undetermined = 5,
}

impl Exit {
    /// Every code with what it means, for the help text and the reference pages.
    pub const ALL: [(Exit, &str); 6] = [
        (Exit::Clean, "clean: done, nothing wrong"),
        (Exit::Found, "found: a bug, or what the command checks for"),
        (
            Exit::Usage,
            "usage: the command line or an input is not usable",
        ),
        (
            Exit::Environment,
            "environment: a solver, a file or a permission is missing",
        ),
        (Exit::Internal, "internal: a defect of auspex itself"),
        (
            Exit::Undetermined,
            "undetermined: a model or a term is left open by the standard, or beyond our bounds; no mutant could be made",
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
    /// What the user gave cannot be used.
    Usage(String),
    /// What the machine gave cannot be used.
    Environment(String),
    /// Our own defect.
    Internal(String),
    /// Nobody reads our output any more, as in `auspex ops | head`.
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
    /// Only writing our output fails without a file's name.
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
