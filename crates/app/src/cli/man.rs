//! `auspex man`: writes manual pages, one for the program and one for each command.

use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use clap::CommandFactory;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder for the pages
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    let failed = |error: std::io::Error| Failure::file(folder, &error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(super::Cli::command(), folder).map_err(failed)?;
    terminal.note(&format!("wrote manual pages to {}", folder.display()));
    Ok(Exit::Clean)
}
