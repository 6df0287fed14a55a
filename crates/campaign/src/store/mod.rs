//! What a campaign remembers. The trait is small and works on sets of rows, so that one shared database
//! can serve many machines as well as one file serves one.
//!
//! Rows carry JSON where only Auspex itself looks inside; what is searched, joined or counted has a column.

#[cfg(test)]
mod conformance;
mod sqlite;

pub use sqlite::Sqlite;

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

/// What the making of one block of cases showed: known before its cases are solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YieldRow {
    pub block: u64,
    pub strategy: String,
    pub cases: u32,
    /// Features that no earlier epoch had shown, as far as the maker knew.
    pub features: Vec<u64>,
}

/// What was learned up to and with one epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldRow {
    pub epoch: u64,
    /// The scores of the strategies, as JSON.
    pub state: String,
    /// The features that were new in this epoch.
    pub features: Vec<u64>,
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
    /// How often it was seen again.
    pub repeats: u64,
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
    #[error("the store failed: {0}")]
    Other(String),
}

/// The memory of a campaign. Every call is atomic: all of its rows are there afterwards, or none.
pub trait Store: Send {
    /// The campaign in this store; the given one if there is none yet.
    fn open(&mut self, wanted: &CampaignRow) -> Result<CampaignRow, StoreError>;

    /// Takes up to `count` blocks that nobody has, lowest first and all below `limit`.
    fn lease(&mut self, owner: &str, count: usize, limit: u64) -> Result<Vec<u64>, StoreError>;
    /// Gives back what others took and never finished.
    fn reclaim(&mut self, owner: &str) -> Result<(), StoreError>;
    /// Blocks whose cases have all been tested.
    fn finish(&mut self, blocks: &[u64]) -> Result<(), StoreError>;
    /// How many blocks are finished.
    fn finished(&mut self) -> Result<u64, StoreError>;

    fn put_yields(&mut self, rows: &[YieldRow]) -> Result<(), StoreError>;
    /// The yields of blocks in a range, by number.
    fn yields(&mut self, from: u64, to: u64) -> Result<Vec<YieldRow>, StoreError>;
    /// Adds an epoch to what was learned, and forgets yields and all but the last `keep` states.
    fn fold(&mut self, row: &FoldRow, blocks: u64, keep: u64) -> Result<(), StoreError>;
    /// The states that are kept, oldest first, without their features.
    fn folds(&mut self) -> Result<Vec<FoldRow>, StoreError>;
    /// Every feature seen so far.
    fn features(&mut self) -> Result<Vec<u64>, StoreError>;

    /// Adds findings; tells of each whether it is new. One that is known keeps its place and is replaced.
    fn put_findings(&mut self, rows: &[FindingRow]) -> Result<Vec<bool>, StoreError>;
    fn findings(&mut self) -> Result<Vec<FindingRow>, StoreError>;
    /// Counts sightings of known findings, by fingerprint.
    fn add_repeats(&mut self, rows: &[(String, u64)]) -> Result<(), StoreError>;

    fn put_seeds(&mut self, rows: &[SeedRow]) -> Result<(), StoreError>;
    fn seeds(&mut self) -> Result<Vec<SeedRow>, StoreError>;

    fn put_statistics(&mut self, row: &StatisticsRow) -> Result<(), StoreError>;
    /// Counters since a moment, oldest first.
    fn statistics(&mut self, since: u64) -> Result<Vec<StatisticsRow>, StoreError>;

    fn put_defects(&mut self, rows: &[DefectRow]) -> Result<(), StoreError>;
    fn defects(&mut self) -> Result<Vec<DefectRow>, StoreError>;
}

/// Opens the store at a location to look at it, also while campaigns write: a campaign's folder, or its database file.
pub fn look(location: &str) -> Result<Box<dyn Store>, StoreError> {
    let path = Path::new(location);
    let file = match path.is_dir() {
        true => path.join("campaign.db"),
        false => path.to_path_buf(),
    };
    Ok(Box::new(Sqlite::look(&file)?))
}
