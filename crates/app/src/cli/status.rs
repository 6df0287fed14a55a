//! `auspex status`: shows the state of a campaign, while it runs or afterwards.

use super::place::Place;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use crate::tui;
use auspex_campaign::clock::now;
use auspex_campaign::findings::folder::{Folder, FolderError};
use auspex_campaign::ledger::sum_of;
use auspex_campaign::status::{FindingLine, SILENCE};
use auspex_campaign::store::{Sqlite, Store, StoreError};
use auspex_campaign::{Finding, Status};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut store = arguments.place.open()?;
    let shared = store.shared().is_some();
    let status = status_of(&mut *store)?;
    let mut out = terminal.out_for(arguments.json);
    if arguments.json {
        let text = serde_json::to_string_pretty(&status).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        let age = now().saturating_sub(status.at);
        let state = match (status.over, age < 30) {
            (true, _) => "stopped",
            (false, true) => "running",
            (false, false) => "killed, or the machine is too busy",
        };
        writeln!(out, "{state}")?;
        for line in tui::details(&status) {
            writeln!(out, "{line}")?;
        }
        if shared {
            others(&mut *store, status.at, &mut out)?;
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

/// The state of a campaign, local or shared.
pub fn status_of(store: &mut dyn Store) -> Result<Status, Failure> {
    match store.shared() {
        Some(_) => shared_status(store),
        None => own_status(store),
    }
}

/// The last status of a local campaign.
fn own_status(store: &mut dyn Store) -> Result<Status, Failure> {
    let rows = store.statistics(0).map_err(store_failure)?;
    let last = rows.last();
    let status = last.and_then(|row| serde_json::from_str(&row.json).ok());
    Ok(status.unwrap_or_default())
}

/// The counters of all processes, and the findings.
fn shared_status(store: &mut dyn Store) -> Result<Status, Failure> {
    let workers = store.workers().map_err(store_failure)?;
    let campaign = store.campaign().map_err(store_failure)?;
    let mut status = sum_of(&workers, campaign.map_or(0, |row| row.started));
    let rows = store.findings().map_err(store_failure)?;
    let found = rows.iter().filter_map(|row| {
        let finding = Finding::from_json(&row.json).ok()?;
        finding
            .same_as
            .is_none()
            .then(|| FindingLine::of(&finding, row.repeats))
    });
    let mut lines: Vec<FindingLine> = found.collect();
    lines.reverse();
    for line in &lines {
        *status.classes.entry(line.class.clone()).or_default() += 1;
    }
    (status.newest, status.lesser) = lines.into_iter().partition(FindingLine::is_bug);
    status.newest.truncate(50);
    status.lesser.truncate(50);
    Ok(status)
}

/// How many waiting jobs of a kind to list.
const SHOWN_JOBS: usize = 5;

/// Prints a line for every active process, and the waiting jobs.
fn others(store: &mut dyn Store, now: u64, out: &mut impl Write) -> Result<(), Failure> {
    let rows = store.workers().map_err(store_failure)?;
    for row in rows.iter().filter(|row| row.seen + SILENCE > now) {
        let status: Status = serde_json::from_str(&row.json).unwrap_or_default();
        let state = if status.over { "ended" } else { "works" };
        let (cases, rate) = (status.tally.cases, status.rate_now);
        writeln!(out, "{}: {state}, {cases} cases, {rate:.1}/s", row.owner)?;
    }
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for job in store.jobs().map_err(store_failure)? {
        let seen = kinds.entry(job.kind.clone()).or_default();
        *seen += 1;
        if *seen <= SHOWN_JOBS {
            let (kind, attempts) = (job.kind, job.attempts);
            writeln!(
                out,
                "waiting: {kind} {} (started {attempts} times)",
                job.finding
            )?;
        }
    }
    for (kind, count) in kinds.iter().filter(|(_, count)| **count > SHOWN_JOBS) {
        writeln!(out, "waiting: {} more of {kind}", count - SHOWN_JOBS)?;
    }
    Ok(())
}

/// Opens the store of a campaign for reading.
pub fn open(folder: &Path) -> Result<Sqlite, Failure> {
    let folder = Folder::look(folder).map_err(folder_failure)?;
    Sqlite::look(&folder.database()).map_err(store_failure)
}

pub fn folder_failure(error: FolderError) -> Failure {
    match error {
        FolderError::NoCampaign(_) | FolderError::Another(_) => Failure::Usage(error.to_string()),
        FolderError::Busy(_) | FolderError::Io { .. } => Failure::Environment(error.to_string()),
    }
}

pub fn store_failure(error: StoreError) -> Failure {
    match error {
        StoreError::Empty(_) | StoreError::Address(_) | StoreError::LeftOut => {
            Failure::Usage(error.to_string())
        }
        _ => Failure::Environment(error.to_string()),
    }
}
