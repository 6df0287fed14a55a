//! `auspex merge`: brings what other campaigns found and learned into one.

use super::place;
use super::status::folder_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::findings::merge::{Destination, MergeError, merge};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// The campaign's folder that takes in the others, made if it is not there; then the others, folders or
    /// databases (postgres://…), which stay as they are. With --store all of them are others
    #[arg(required = true, value_name = "CAMPAIGN")]
    campaigns: Vec<String>,
    /// The database of a campaign of many machines that takes in the others
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let (into, from) = match (&arguments.store, arguments.campaigns.as_slice()) {
        (Some(url), from) => {
            let store = place::write(url, place::LEASE)?;
            (Destination::Store(Box::new(store)), from)
        }
        (None, [into, from @ ..]) if !from.is_empty() && !place::is_url(into) => {
            (Destination::Folder(PathBuf::from(into)), from)
        }
        (None, [into, ..]) if place::is_url(into) => {
            return Err(Failure::Usage(
                "a database that takes in others is named by --store".into(),
            ));
        }
        (None, _) => {
            return Err(Failure::Usage(
                "name the folder that takes in others, and the others".into(),
            ));
        }
    };
    let merged = merge(into, from).map_err(|error| match error {
        MergeError::Folder(error) => folder_failure(error),
        MergeError::Itself(_) | MergeError::Shared(_) => Failure::Usage(error.to_string()),
        MergeError::Store(_) | MergeError::Write(_) => Failure::Environment(error.to_string()),
    })?;
    terminal.note(&format!(
        "{} new findings, {} known ones, {} seeds learned",
        merged.new, merged.known, merged.seeds
    ));
    for (id, why) in &merged.unreadable {
        terminal.error(&format!(
            "a finding of another campaign, {id}, cannot be read: {why}"
        ));
    }
    Ok(match merged.unreadable.is_empty() {
        true => Exit::Clean,
        false => Exit::Environment,
    })
}
