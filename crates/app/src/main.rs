//! The `auspex` binary: reads the command line, runs one command, and turns its ending into an exit code.

mod cleaned;
mod cli;
mod exit;
mod files;
mod survey;
mod terminal;
mod tui;
#[cfg(feature = "web")]
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Exceeding a file size limit is an error like a full disk; it must not kill the process.
    auspex_solvers::limits::survive_large_files();
    let outcome = std::panic::catch_unwind(cli::run);
    // The panic's own message was printed when it happened.
    outcome.unwrap_or(exit::Exit::Internal).into()
}
