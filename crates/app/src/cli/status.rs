//! `auspex status`: the state of a campaign, while it runs or afterwards.

use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use crate::tui;
use auspex_campaign::folder::{Folder, FolderError};
use auspex_campaign::store::{Sqlite, Store, StoreError};
use auspex_campaign::{Status, campaign::now};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    /// The campaign's folder
    #[arg(default_value = "auspex-out")]
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut store = open(&arguments.folder)?;
    let rows = store.statistics(0).map_err(store_failure)?;
    let status: Option<Status> = rows
        .last()
        .and_then(|row| serde_json::from_str(&row.json).ok());
    let status = status.unwrap_or_default();
    let mut out = terminal.out();
    if arguments.json {
        let text = serde_json::to_string_pretty(&status).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        let age = now().saturating_sub(status.at);
        let state = match (status.over, age < 30) {
            (true, _) => "stopped",
            (false, true) => "running",
            (false, false) => "killed, or its machine is busy",
        };
        writeln!(out, "{state}")?;
        for line in tui::details(&status) {
            writeln!(out, "{line}")?;
        }
        for defect in store.defects().map_err(store_failure)? {
            writeln!(
                out,
                "defect of auspex: {}\n  {}",
                defect.message, defect.replay
            )?;
        }
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// The store of a campaign, to look at.
pub fn open(folder: &Path) -> Result<Sqlite, Failure> {
    let folder = Folder::look(folder).map_err(folder_failure)?;
    Sqlite::look(&folder.database()).map_err(store_failure)
}

pub fn folder_failure(error: FolderError) -> Failure {
    match error {
        FolderError::NoCampaign(_) => Failure::Usage(error.to_string()),
        FolderError::Busy(_) | FolderError::Io { .. } => Failure::Environment(error.to_string()),
    }
}

pub fn store_failure(error: StoreError) -> Failure {
    Failure::Environment(error.to_string())
}
