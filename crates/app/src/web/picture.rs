//! A snapshot of the campaign. One thread reads the store and the findings' folders, and pages use its snapshot, so
//! any number of viewers costs the store no more than one.

use crate::exit::Failure;
use auspex_campaign::clock::now;
use auspex_campaign::findings::bug_file::Bugs;
use auspex_campaign::findings::finding_id::is_id;
use auspex_campaign::findings::folder::Folder;
use auspex_campaign::findings::gist::{gist, operators};
use auspex_campaign::findings::group::{FindingRecord, Group, groups_among};
use auspex_campaign::findings::history::History;
use auspex_campaign::report::{BugSummary, headline};
use auspex_campaign::seeds::pool::Facts;
use auspex_campaign::status::SILENCE;
use auspex_campaign::store::{self, DefectRow, Store, StoreError};
use auspex_campaign::{Finding, Status};
use auspex_cases::Class;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Time between two reads of the counters, and between two reads of all findings and seeds.
const OFTEN: Duration = Duration::from_secs(1);
const SELDOM: Duration = Duration::from_secs(10);

/// Where a campaign is kept.
#[derive(Clone, Debug)]
pub struct Source {
    /// The address for `store::look`.
    pub location: String,
    /// The campaign's folder, if it is on this machine.
    pub folder: Option<PathBuf>,
    /// The file with the states of bugs; none if they are in the database.
    pub bugs: Option<PathBuf>,
}

/// A snapshot of a campaign.
#[derive(Clone, Default)]
pub struct Picture {
    /// Grows with every change.
    pub version: u64,
    /// Counters of all machines together.
    pub status: Status,
    /// Every active process, by name.
    pub machines: Vec<(String, Status)>,
    pub course: Arc<Vec<Moment>>,
    /// Gravest first.
    pub bugs: Arc<Vec<Bug>>,
    /// What is no bug: slowness, incompleteness, disagreements.
    pub others: Arc<Vec<Bug>>,
    pub seeds: Arc<Vec<Seed>>,
    pub defects: Arc<Vec<DefectRow>>,
    /// Why the store could not be read, if so; then the rest is older.
    pub trouble: Option<String>,
}

/// The counters at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    pub at: u64,
    /// Seconds of all runs.
    pub elapsed: f64,
    pub rate: f64,
    /// Edges of instrumented solvers reached so far.
    pub edges: usize,
}

/// One bug with what a list shows.
pub struct Bug {
    pub group: Group,
    pub headline: String,
    /// The decisive assertions.
    pub gist: String,
    pub operators: Vec<String>,
}

/// One seed with what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seed {
    pub name: String,
    pub facts: Facts,
}

/// What a campaign is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Running,
    Paused,
    Stopped,
    /// It went silent without saying that it stops.
    Silent,
    /// It has not written anything yet.
    Starting,
}

impl Doing {
    pub fn word(self) -> &'static str {
        match self {
            Doing::Running => "running",
            Doing::Paused => "paused",
            Doing::Stopped => "stopped",
            Doing::Silent => "silent",
            Doing::Starting => "starting",
        }
    }
}

impl Picture {
    pub fn doing(&self) -> Doing {
        let status = &self.status;
        match now().saturating_sub(status.at) > SILENCE {
            _ if status.at == 0 => Doing::Starting,
            _ if status.over => Doing::Stopped,
            true => Doing::Silent,
            false if status.paused => Doing::Paused,
            false => Doing::Running,
        }
    }

    /// The bug of a finding, with the finding's position in it.
    pub fn find(&self, id: &str) -> Option<(&Bug, usize)> {
        let all = self.bugs.iter().chain(self.others.iter());
        all.into_iter().find_map(|bug| {
            let mut members = bug.group.members.iter();
            Some((bug, members.position(|m| *m.finding.id == *id)?))
        })
    }
}

/// Keeps the snapshot current.
pub struct Reader {
    source: Source,
    store: Option<Box<dyn Store>>,
    exhibits: Vec<FindingRecord>,
    bugs: Bugs,
    picture: Picture,
    looked: Option<Instant>,
    /// How many findings the campaign had at the last read.
    told: u64,
}

impl Reader {
    /// Reads once; fails if there is no campaign.
    pub fn new(source: Source) -> Result<Reader, Failure> {
        let failed = |error: StoreError| match error {
            StoreError::TooNew { .. }
            | StoreError::Damaged(_)
            | StoreError::Empty(_)
            | StoreError::Address(_)
            | StoreError::LeftOut => Failure::Usage(error.to_string()),
            StoreError::Full | StoreError::Away(_) | StoreError::Other(_) => {
                Failure::Environment(error.to_string())
            }
        };
        let mut reader = Reader {
            store: Some(store::look(&source.location).map_err(failed)?),
            source,
            exhibits: Vec::new(),
            bugs: Bugs::default(),
            picture: Picture::default(),
            looked: None,
            told: 0,
        };
        reader.read().map_err(failed)?;
        Ok(reader)
    }

    pub fn picture(&self) -> Arc<Picture> {
        Arc::new(self.picture.clone())
    }

    /// Reads until the server ends; `wake` asks for a full read at once.
    pub fn run(
        mut self,
        shown: &watch::Sender<Arc<Picture>>,
        wake: &std::sync::mpsc::Receiver<()>,
    ) {
        loop {
            match wake.recv_timeout(OFTEN) {
                Ok(()) => self.looked = None,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
            }
            let before = self.picture.version;
            if let Err(error) = self.read() {
                // Reopen a store that was lost.
                self.store = None;
                let why = error.to_string();
                if self.picture.trouble.as_ref() != Some(&why) {
                    self.picture.trouble = Some(why);
                    self.picture.version += 1;
                }
            }
            if self.picture.version != before {
                shown.send_replace(self.picture());
            }
        }
    }

    fn read(&mut self) -> Result<(), StoreError> {
        let mut store = match self.store.take() {
            Some(store) => store,
            None => store::look(&self.source.location)?,
        };
        let mut changed = self.picture.trouble.take().is_some();
        changed |= self.read_counters(&mut *store)?;
        changed |= self.read_machines(&mut *store)?;
        let due = self.looked.is_none_or(|at| at.elapsed() >= SELDOM);
        let told = self.picture.status.findings();
        if due || told != self.told {
            changed |= self.read_rest(&mut *store)?;
            (self.looked, self.told) = (Some(Instant::now()), told);
        }
        self.picture.version += u64::from(changed);
        self.store = Some(store);
        Ok(())
    }

    /// The counters since the last read.
    fn read_counters(&mut self, store: &mut dyn Store) -> Result<bool, StoreError> {
        let rows = store.statistics(self.picture.status.at)?;
        let states: Vec<Status> = rows
            .iter()
            .filter_map(|row| serde_json::from_str(&row.json).ok())
            .collect();
        let Some(last) = states.last().filter(|last| **last != self.picture.status) else {
            return Ok(false);
        };
        let mut course = Vec::clone(&self.picture.course);
        let from = states.first().map_or(0, |state| state.at);
        course.retain(|moment| moment.at < from);
        course.extend(states.iter().map(|state| Moment {
            at: state.at,
            elapsed: state.elapsed_all,
            rate: state.rate_now,
            edges: state.edges.values().map(|edges| edges.reached).sum(),
        }));
        self.picture.course = Arc::new(course);
        self.picture.status = last.clone();
        Ok(true)
    }

    /// The active processes: in a shared store each has its row, else the one process that writes the counters.
    fn read_machines(&mut self, store: &mut dyn Store) -> Result<bool, StoreError> {
        let machines = match store.shared() {
            Some(_) => store.workers()?.into_iter().filter_map(machine).collect(),
            None if self.picture.status.at == 0 => Vec::new(),
            None => vec![("this campaign".to_string(), self.picture.status.clone())],
        };
        let changed = machines != self.picture.machines;
        self.picture.machines = machines;
        Ok(changed)
    }

    /// Findings, seeds and defects.
    fn read_rest(&mut self, store: &mut dyn Store) -> Result<bool, StoreError> {
        let mut changed = false;
        let exhibits = exhibits(store, &self.source)?;
        // A file that cannot be read leaves the states as they were.
        let bugs = bugs(store, &self.source)?.unwrap_or_else(|_| self.bugs.clone());
        if !same(&exhibits, &self.exhibits) || bugs != self.bugs {
            self.exhibits = exhibits.clone();
            let all = groups_among(exhibits, &bugs).into_iter().map(bug);
            let (real, others): (Vec<Bug>, Vec<Bug>) =
                all.partition(|bug| bug.group.first().finding.class.is_bug());
            (self.picture.bugs, self.picture.others) = (Arc::new(real), Arc::new(others));
            self.bugs = bugs;
            changed = true;
        }
        let seeds: Vec<Seed> = store.seeds()?.into_iter().map(seed).collect();
        if seeds != *self.picture.seeds {
            self.picture.seeds = Arc::new(seeds);
            changed = true;
        }
        let defects = store.defects()?;
        if defects != *self.picture.defects {
            self.picture.defects = Arc::new(defects);
            changed = true;
        }
        Ok(changed)
    }
}

/// The states of bugs, from their file or the database.
fn bugs(store: &mut dyn Store, source: &Source) -> Result<Result<Bugs, String>, StoreError> {
    if let Some(file) = &source.bugs {
        return Ok(Bugs::load(file));
    }
    let rows = store.histories()?;
    let rows = rows.iter().map(|(id, json)| (id.as_str(), json.as_str()));
    Ok(Ok(Bugs::from_rows(rows)))
}

fn same(new: &[FindingRecord], old: &[FindingRecord]) -> bool {
    let equal = |(a, b): (&FindingRecord, &FindingRecord)| {
        a.finding == b.finding && a.history == b.history && a.repeats == b.repeats
    };
    new.len() == old.len() && new.iter().zip(old).all(equal)
}

/// Every finding of the store and of the folder. If both have it, the folder's is newer, because commands write
/// there.
fn exhibits(store: &mut dyn Store, source: &Source) -> Result<Vec<FindingRecord>, StoreError> {
    let mut found: BTreeMap<String, (Finding, u64)> = BTreeMap::new();
    for row in store.findings()? {
        if let Ok(finding) = Finding::from_json(&row.json) {
            found.insert(finding.id.to_string(), (finding, row.repeats));
        }
    }
    let folder = source.folder.as_deref().and_then(|f| Folder::look(f).ok());
    let here = folder.map_or_else(Vec::new, |folder| folder.findings().0);
    for finding in here {
        let repeats = found
            .get(finding.id.as_str())
            .map_or(0, |(_, repeats)| *repeats);
        found.insert(finding.id.to_string(), (finding, repeats));
    }
    let shared: BTreeMap<String, String> = store.histories()?.into_iter().collect();
    let history = |id: &str| match (&source.folder, shared.get(id)) {
        (_, Some(json)) => serde_json::from_str(json).unwrap_or_default(),
        (Some(folder), None) if is_id(id) => History::read(&folder.join("findings").join(id)),
        _ => History::default(),
    };
    let exhibit = |(id, (finding, repeats)): (String, (Finding, u64))| FindingRecord {
        history: history(&id),
        finding,
        repeats,
    };
    Ok(found.into_iter().map(exhibit).collect())
}

fn bug(group: Group) -> Bug {
    let finding = &group.first().finding;
    // Only the headline of a crash needs the answers; evaluating a witness would be wasted work.
    let account = match finding.class {
        Class::Crash => BugSummary::of(finding, None),
        _ => BugSummary::of_script(finding),
    };
    Bug {
        headline: headline(&group, &account),
        gist: gist(finding),
        operators: operators(finding),
        group,
    }
}

fn machine(row: store::WorkerRow) -> Option<(String, Status)> {
    let status: Status = serde_json::from_str(&row.json).ok()?;
    let at = row.seen;
    Some((row.owner, Status { at, ..status }))
}

fn seed(row: store::SeedRow) -> Seed {
    Seed {
        name: row.name,
        facts: serde_json::from_str(&row.facts).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for id in ["", "..", ".", "../x", "a/b", "a\\b", "a\0", ".new-1"] {
            assert!(!is_id(id), "{id}");
        }
        assert!(is_id("wrong-sat-z3-84fc25a460fc"));
    }

    #[test]
    fn a_campaign_is_what_it_last_said() {
        let mut picture = Picture::default();
        assert_eq!(picture.doing(), Doing::Starting);
        picture.status.at = now();
        assert_eq!(picture.doing(), Doing::Running);
        picture.status.paused = true;
        assert_eq!(picture.doing(), Doing::Paused);
        picture.status.at = 1;
        assert_eq!(picture.doing(), Doing::Silent);
        picture.status.over = true;
        assert_eq!(picture.doing(), Doing::Stopped);
    }

    #[test]
    fn no_campaign_is_a_failure_and_no_panic() {
        let source = Source {
            location: "/nonexistent/campaign.db".to_string(),
            folder: None,
            bugs: None,
        };
        assert!(Reader::new(source).is_err());
    }
}
