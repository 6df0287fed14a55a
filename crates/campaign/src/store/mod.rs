//! The store of a campaign. The trait works on sets of rows, so that a shared database can serve many machines as
//! well as a file serves one. Data that only Auspex reads is JSON; what is searched, joined or counted has a column.

#[cfg(feature = "postgres")]
mod address;
#[cfg(test)]
mod conformance;
#[cfg_attr(not(feature = "postgres"), path = "no_database.rs")]
mod database;
#[cfg(feature = "postgres")]
mod link;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;
#[cfg(feature = "postgres")]
mod tls;

#[cfg(feature = "postgres")]
pub use self::postgres::Postgres;
#[cfg(feature = "postgres")]
pub use address::Address;
pub use database::{join, look_shared};
pub use sqlite::Sqlite;
use std::ops::Range;
use std::time::Duration;

use std::path::Path;

/// What makes a campaign the one it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignRow {
    /// From which all choices follow.
    pub seed: u64,
    /// The settings that decide which cases are made, as JSON.
    pub settings: String,
    /// Seconds since 1970.
    pub started: u64,
}

/// A finding as the store knows it; the whole of it is in `json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    pub fingerprint: String,
    pub bucket: String,
    pub class: String,
    pub solver: String,
    pub id: String,
    pub strategy: String,
    pub found: u64,
    /// How many duplicates were seen.
    pub repeats: u64,
    /// Whether it has been shrunk; what has been is not replaced by what has not.
    pub reduced: bool,
    pub json: String,
}

/// What was learned about one seed, by the hash of its structure and the solvers that were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedRow {
    pub key: String,
    pub name: String,
    pub facts: String,
}

/// Counters at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatisticsRow {
    /// Seconds since 1970.
    pub at: u64,
    pub json: String,
}

/// One process that works, or worked, for the campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    pub owner: String,
    /// When it was last heard of, in seconds since 1970, by the store's clock.
    pub seen: u64,
    /// Its own status, as JSON.
    pub json: String,
}

/// Something to do about a finding, by whoever has time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// Given by the store.
    pub number: u64,
    /// `reduce`, `bisect` or `recheck`.
    pub kind: String,
    /// The name of a finding.
    pub finding: String,
    /// What else must be known, as JSON.
    pub details: String,
    /// How often it was begun.
    pub attempts: u64,
}

/// A script that machines without the seeds' files work with, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptRow {
    pub key: String,
    pub name: String,
    pub text: String,
}

/// How far somebody has read what others write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    pub changes: u64,
    pub features: u64,
}

/// What others have written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// New and changed ones.
    pub findings: Vec<FindingRow>,
    pub seeds: Vec<SeedRow>,
    pub features: Vec<u64>,
    /// Where to go on reading.
    pub mark: Mark,
}

/// A defect of our own: a panic, with the case that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefectRow {
    pub replay: String,
    pub message: String,
}

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the disk is full")]
    Full,
    #[error("the store was made by a newer auspex (schema {found}, this one knows {known})")]
    TooNew { found: i64, known: i64 },
    #[error("the store is damaged: {0}")]
    Damaged(String),
    #[error("the database cannot be reached: {0}")]
    Away(String),
    #[error("there is no campaign in {0}")]
    Empty(String),
    #[error("--store: {0}")]
    Address(String),
    #[error(
        "this auspex was built without PostgreSQL; build it with the feature `postgres` to share a campaign"
    )]
    LeftOut,
    #[error("the store failed: {0}")]
    Other(String),
}

/// The memory of a campaign. Every call is atomic: all of its rows are there afterwards, or none.
pub trait Store: Send {
    /// The campaign in this store; the given one if there is none yet.
    fn open(&mut self, wanted: &CampaignRow) -> Result<CampaignRow, StoreError>;
    /// The campaign in this store, if there is one.
    fn campaign(&mut self) -> Result<Option<CampaignRow>, StoreError>;
    /// How long a process that is not heard of keeps its blocks, if others may work on the same campaign.
    fn shared(&self) -> Option<Duration>;

    /// Leases up to `count` free blocks, lowest first and all below `limit`.
    fn lease(&mut self, owner: &str, count: usize, limit: u64) -> Result<Vec<u64>, StoreError>;
    /// Gives back what was taken by those who are gone.
    fn reclaim(&mut self, owner: &str) -> Result<(), StoreError>;
    /// Says that an owner lives; gives the blocks that are still its own.
    fn renew(&mut self, owner: &str) -> Result<Vec<u64>, StoreError>;
    /// Gives back what an owner has not finished; that a job was begun does not count then.
    fn release(&mut self, owner: &str) -> Result<(), StoreError>;
    /// Blocks of an owner whose cases have all been tested. What another took over is that one's to finish.
    fn finish(&mut self, owner: &str, blocks: &[u64]) -> Result<(), StoreError>;
    /// How many blocks are finished.
    fn finished(&mut self) -> Result<u64, StoreError>;

    fn put_features(&mut self, features: &[u64]) -> Result<(), StoreError>;
    /// Every feature seen so far.
    fn features(&mut self) -> Result<Vec<u64>, StoreError>;

    /// Adds findings; tells of each whether it is new. One that is known keeps its place and is replaced.
    fn put_findings(&mut self, rows: &[FindingRow]) -> Result<Vec<bool>, StoreError>;
    fn findings(&mut self) -> Result<Vec<FindingRow>, StoreError>;
    /// One finding by its name.
    fn finding(&mut self, id: &str) -> Result<Option<FindingRow>, StoreError>;
    /// Counts sightings of known findings, by fingerprint.
    fn add_repeats(&mut self, rows: &[(String, u64)]) -> Result<(), StoreError>;
    /// What was learnt about a finding later, by its name, as JSON.
    fn put_history(&mut self, id: &str, json: &str) -> Result<(), StoreError>;
    fn histories(&mut self) -> Result<Vec<(String, String)>, StoreError>;

    fn put_seeds(&mut self, rows: &[SeedRow]) -> Result<(), StoreError>;
    fn seeds(&mut self) -> Result<Vec<SeedRow>, StoreError>;
    fn put_scripts(&mut self, rows: &[ScriptRow]) -> Result<(), StoreError>;
    fn scripts(&mut self) -> Result<Vec<ScriptRow>, StoreError>;

    fn put_statistics(&mut self, row: &StatisticsRow) -> Result<(), StoreError>;
    /// Counters since a moment, oldest first.
    fn statistics(&mut self, since: u64) -> Result<Vec<StatisticsRow>, StoreError>;
    /// Says what a process has counted.
    fn put_worker(&mut self, owner: &str, json: &str) -> Result<(), StoreError>;
    fn workers(&mut self) -> Result<Vec<WorkerRow>, StoreError>;
    /// Puts one row in the place of those that are gone; false, and nothing, if one of them has been heard of since.
    fn retire(&mut self, gone: &[WorkerRow], sum: &WorkerRow) -> Result<bool, StoreError>;
    /// Whether the caller alone should write the counters of a moment.
    fn take_turn(&mut self, at: u64) -> Result<bool, StoreError>;

    /// Adds jobs; one that waits already is there once.
    fn put_jobs(&mut self, rows: &[JobRow]) -> Result<(), StoreError>;
    /// A free job of these kinds, the least tried first.
    fn take_job(&mut self, owner: &str, kinds: &[&str]) -> Result<Option<JobRow>, StoreError>;
    /// A job of this owner is done, or left to others.
    fn end_job(&mut self, owner: &str, number: u64, done: bool) -> Result<(), StoreError>;
    /// The jobs that are not done, oldest first.
    fn jobs(&mut self) -> Result<Vec<JobRow>, StoreError>;

    /// Takes less of this machine's disk, as far as that costs nothing but old counters.
    fn spare(&mut self) -> Result<(), StoreError>;

    fn put_defects(&mut self, rows: &[DefectRow]) -> Result<(), StoreError>;
    fn defects(&mut self) -> Result<Vec<DefectRow>, StoreError>;

    /// What others have written since; nothing where there are no others.
    fn news(&mut self, since: Mark) -> Result<News, StoreError>;
}

/// A job that was begun so often and never ended is left alone.
const ATTEMPTS: u64 = 5;

/// SQL's integers are signed; the bits are what counts.
fn signed(number: u64) -> i64 {
    number as i64
}

fn unsigned(number: i64) -> u64 {
    number as u64
}

/// Numbers in rising order as ranges without gaps.
pub fn runs(numbers: &[u64]) -> Vec<Range<u64>> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut runs: Vec<Range<u64>> = Vec::new();
    for number in sorted {
        match runs.last_mut() {
            Some(run) if run.end == number => run.end += 1,
            _ => runs.push(number..number + 1),
        }
    }
    runs
}

/// Whether a location is a database that many machines share, and no folder or file.
pub fn is_url(location: &str) -> bool {
    location.starts_with("postgres://") || location.starts_with("postgresql://")
}

/// Opens the store at a location to look at it, also while campaigns write: `postgres://…`, a campaign's folder,
/// or its database file.
pub fn look(location: &str) -> Result<Box<dyn Store>, StoreError> {
    if is_url(location) {
        return look_shared(location);
    }
    let path = Path::new(location);
    let file = match path.is_dir() {
        true => path.join("campaign.db"),
        false => path.to_path_buf(),
    };
    Ok(Box::new(Sqlite::look(&file)?))
}
