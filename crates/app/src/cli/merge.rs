//! `auspex merge`: copies the findings and seed knowledge of other campaigns into one.

use super::place;
use super::status::folder_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::findings::merge::{Destination, MergeError, merge};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// The target campaign's folder (created if missing), followed by the sources: folders or databases
    /// (postgres://…), which are not changed. With --store all of them are sources
    #[arg(required = true, value_name = "CAMPAIGN")]
    campaigns: Vec<String>,
    /// The database of a shared campaign, as the target
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let (into, from) = match (&arguments.store, arguments.campaigns.as_slice()) {
        (Some(url), from) => {
            let store = place::write(url, place::LEASE)?;
            (Destination::Store(store), from)
        }
        (None, [into, from @ ..]) if !from.is_empty() && !place::is_url(into) => {
            (Destination::Folder(PathBuf::from(into)), from)
        }
        (None, [into, ..]) if place::is_url(into) => {
            return Err(Failure::Usage("name a target database with --store".into()));
        }
        (None, _) => {
            return Err(Failure::Usage(
                "name the target folder and at least one source".into(),
            ));
        }
    };
    let merged = merge(into, from).map_err(|error| match error {
        MergeError::Folder(error) => folder_failure(error),
        MergeError::Itself(_) | MergeError::Shared(_) => Failure::Usage(error.to_string()),
        MergeError::Store(_) | MergeError::Write(_) => Failure::Environment(error.to_string()),
    })?;
    terminal.note(&format!(
        "{} new findings, {} already known, {} seeds with new knowledge",
        merged.new, merged.known, merged.seeds
    ));
    for (id, why) in &merged.unreadable {
        terminal.error(&format!("skipped finding {id} of a source campaign: {why}"));
    }
    Ok(match merged.unreadable.is_empty() {
        true => Exit::Clean,
        false => Exit::Environment,
    })
}
