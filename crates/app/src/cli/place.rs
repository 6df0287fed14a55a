//! Where a campaign is: in a folder, or in a database that many machines share.

use super::records::{Exhibits, exhibits, finding_folder};
use super::status::{open, store_failure};
use crate::exit::Failure;
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::findings::bug::BugEntry;
use auspex_campaign::findings::bug_file::{self, Bugs};
use auspex_campaign::findings::group::FindingRecord;
use auspex_campaign::findings::history::History;
use auspex_campaign::store::{self, Store};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seconds without a sign of life after which a process loses its blocks.
pub const LEASE: f64 = 120.0;

#[derive(clap::Args)]
pub struct Place {
    /// The campaign's folder
    #[arg(default_value = "auspex-out")]
    pub folder: PathBuf,
    /// The database of a shared campaign: postgres://…
    #[arg(long, value_name = "URL", conflicts_with = "folder")]
    pub store: Option<String>,
    /// The file with the states of bugs; by default auspex-bugs.toml in the campaign's folder
    #[arg(long, value_name = "FILE")]
    pub bugs: Option<PathBuf>,
}

impl Place {
    /// Opens the store for reading.
    pub fn open(&self) -> Result<Box<dyn Store>, Failure> {
        Ok(match &self.store {
            Some(url) => look(url)?,
            None => Box::new(open(&self.folder)?),
        })
    }

    /// Every finding with its history. Findings that cannot be read are reported and skipped.
    pub fn exhibits(&self, store: &mut dyn Store, terminal: Terminal) -> Result<Exhibits, Failure> {
        match &self.store {
            Some(_) => shared_exhibits(store, terminal),
            None => exhibits(&self.folder, store, terminal),
        }
    }

    /// The file of bugs; none if they are in the database.
    pub fn bug_file(&self) -> Option<PathBuf> {
        let beside = || {
            self.store
                .is_none()
                .then(|| self.folder.join(bug_file::FILE))
        };
        self.bugs.clone().or_else(beside)
    }

    /// Every bug with its state. `store` is needed if they are in the database.
    pub fn bugs(&self, store: Option<&mut dyn Store>) -> Result<Bugs, Failure> {
        if let Some(path) = self.bug_file() {
            return read_bugs(&path);
        }
        store.map_or(Ok(Bugs::default()), bugs_in)
    }

    /// Stores the state of a bug.
    pub fn put_bug(&self, id: &str, entry: &BugEntry) -> Result<(), Failure> {
        if let Some(path) = self.bug_file() {
            let mut bugs = read_bugs(&path)?;
            bugs.bugs.insert(id.to_string(), entry.clone());
            let written = bugs.save(&path);
            return written.map_err(|error| Failure::file(&path, &error));
        }
        let url = self.store.as_deref().unwrap_or_default();
        let (name, json) = Bugs::row(id, entry);
        let stored = write(url, LEASE)?.put_history(&name, &json);
        stored.map_err(store_failure)
    }

    /// Stores the history of a finding.
    pub fn remember(&self, exhibit: &FindingRecord) -> Result<(), Failure> {
        let Some(url) = &self.store else {
            let folder = finding_folder(&self.folder, &exhibit.finding.id);
            let written = exhibit.history.write(&folder);
            return written.map_err(|error| Failure::file(&folder, &error));
        };
        remember(
            write(url, LEASE)?.as_mut(),
            &exhibit.finding.id,
            &exhibit.history,
        )
    }
}

/// Stores the history of a finding in a database.
pub fn remember(store: &mut dyn Store, id: &str, history: &History) -> Result<(), Failure> {
    let json = serde_json::to_string(history).unwrap_or_default();
    store.put_history(id, &json).map_err(store_failure)
}

/// The bugs in a database.
pub fn bugs_in(store: &mut dyn Store) -> Result<Bugs, Failure> {
    let rows = store.histories().map_err(store_failure)?;
    let rows = rows.iter().map(|(id, json)| (id.as_str(), json.as_str()));
    Ok(Bugs::from_rows(rows))
}

/// Reads a file of bugs; a missing one has none.
pub fn read_bugs(path: &Path) -> Result<Bugs, Failure> {
    Bugs::load(path).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

/// Whether this is the address of a database rather than a folder.
pub fn is_url(text: &str) -> bool {
    store::is_url(text)
}

/// Opens a database for reading.
pub fn look(url: &str) -> Result<Box<dyn Store>, Failure> {
    store::look_shared(url).map_err(store_failure)
}

/// Opens a database for writing; after `lease` seconds of silence others get what this process has leased.
pub fn write(url: &str, lease: f64) -> Result<Box<dyn Store>, Failure> {
    let lease = Duration::try_from_secs_f64(lease);
    let lease = lease.map_err(|_| Failure::Usage("invalid duration for --lease".to_string()))?;
    store::join(url, lease).map_err(store_failure)
}

fn shared_exhibits(store: &mut dyn Store, terminal: Terminal) -> Result<Exhibits, Failure> {
    let histories = store.histories().map_err(store_failure)?;
    let histories: BTreeMap<String, String> = histories.into_iter().collect();
    let (mut all, mut failed) = (Vec::new(), 0);
    for row in store.findings().map_err(store_failure)? {
        match Finding::from_json(&row.json) {
            Ok(finding) => all.push(FindingRecord {
                history: history(histories.get(finding.id.as_str())),
                repeats: row.repeats,
                finding,
            }),
            Err(error) => {
                terminal.error(&format!("{}: {error}", row.id));
                failed += 1;
            }
        }
    }
    Ok(Exhibits { all, failed })
}

fn history(json: Option<&String>) -> History {
    let json = json.map_or("", |json| json.as_str());
    serde_json::from_str(json).unwrap_or_default()
}

/// The one finding in a database whose name contains this, with its history.
pub fn one_finding(store: &mut dyn Store, name: &str) -> Result<(Finding, History), Failure> {
    let rows = store.findings().map_err(store_failure)?;
    let mut fitting = rows.iter().filter(|row| row.id.contains(name));
    let (Some(row), None) = (fitting.next(), fitting.next()) else {
        let number = rows.iter().filter(|row| row.id.contains(name)).count();
        let text = format!("{number} findings match {name}; name exactly one");
        return Err(Failure::Usage(text));
    };
    let finding = Finding::from_json(&row.json);
    let finding = finding.map_err(|error| Failure::Usage(format!("{}: {error}", row.id)))?;
    let histories = store.histories().map_err(store_failure)?;
    let found = histories.iter().find(|(id, _)| finding.id == *id);
    let history = history(found.map(|(_, json)| json));
    Ok((finding, history))
}
