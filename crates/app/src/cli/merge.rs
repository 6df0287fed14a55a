//! `auspex merge`: brings what other campaigns found and learned into one.

use super::status::folder_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::merge::{MergeError, merge};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// The campaign's folder that takes in the others; made if it is not there
    into: PathBuf,
    /// Folders of other campaigns; they stay as they are
    #[arg(required = true)]
    from: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let merged = merge(&arguments.into, &arguments.from).map_err(|error| match error {
        MergeError::Folder(error) => folder_failure(error),
        MergeError::Itself(_) => Failure::Usage(error.to_string()),
        MergeError::Store(_) | MergeError::Write(_) => Failure::Environment(error.to_string()),
    })?;
    terminal.note(&format!(
        "{} new findings, {} known ones, {} seeds learned",
        merged.new, merged.known, merged.seeds
    ));
    Ok(Exit::Clean)
}
