//! `auspex completions`: prints shell completions.

use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use clap_complete::Shell;
use std::io::Write;

#[derive(clap::Args)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::command(), "auspex", &mut text);
    let mut out = terminal.out();
    out.write_all(&text)?;
    out.flush()?;
    Ok(Exit::Clean)
}
