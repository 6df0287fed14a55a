//! What all workers share: who has which block, what was found, what was counted; and when it is written down.
//! Findings are written before anybody is told of them; the rest is written every second.

use crate::bandit::Bandit;
use crate::broken::Broken;
use crate::finding::Finding;
use crate::fingerprint::Identity;
use crate::folder::Folder;
use crate::learning::{KEPT, Learning};
use crate::plan::{EPOCH, MODES, Weights};
use crate::recipe::{Recipe, Source};
use crate::reduction::Reduced;
use crate::stats::{FindingLine, Status, Tally};
use crate::store::{
    DefectRow, FindingRow, FoldRow, SeedRow, StatisticsRow, Store, StoreError, YieldRow,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// More different bugs of one bucket are counted, not kept: most are the same bug.
pub const BUCKET: usize = 25;
/// More findings of one bucket are counted even if reducing shows that most are one bug.
const FLOOD: usize = 100;
/// The share of all time that reducing may take, as a divisor.
const REDUCING: u32 = 4;
/// How many different outcomes are told apart.
const OUTCOMES: usize = 1 << 20;
/// Blocks taken from the store at once.
const LEASE: usize = 8;
/// How far the newest block may be ahead of the oldest unfinished one, in epochs.
const SPREAD: u64 = KEPT / 2;
/// How many of the newest bugs become seeds of a later run.
const PAST: usize = 64;
/// How many of the newest findings a status shows.
const SHOWN: usize = 50;

/// What a worker gets to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Lease {
    Block {
        number: u64,
        weights: Weights,
    },
    /// Nothing right now: the others must come along first.
    Wait,
    /// Nothing any more.
    Over,
}

/// What is known about a suspicion before it is confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// Nobody has seen it: whoever asks must confirm it and say what came out.
    New,
    /// Found already, or being confirmed by another worker.
    Known,
    /// Its bucket is full, or it has an operator that is known to be wrong.
    Similar,
    /// It did not show again before.
    Unrepeatable,
}

/// The shared books of one run.
pub struct Ledger {
    store: Box<dyn Store>,
    pub folder: Folder,
    owner: String,
    strategies: Vec<&'static str>,
    learning: Learning,
    last_block: Option<u64>,
    ready: VecDeque<u64>,
    busy: BTreeSet<u64>,
    // What waits to be written.
    finished: Vec<u64>,
    yields: Vec<YieldRow>,
    folds: Vec<FoldRow>,
    seeds: Vec<SeedRow>,
    defects: Vec<DefectRow>,
    repeats: BTreeMap<String, u64>,
    unsaved: Vec<Finding>,
    // What is known.
    known: HashMap<String, Option<usize>>,
    lines: Vec<FindingLine>,
    /// Different bugs, and findings, by bucket.
    buckets: HashMap<String, (usize, usize)>,
    /// Reduced scripts that stand for a bug: which finding they belong to.
    shapes: HashMap<String, String>,
    unreduced: VecDeque<Finding>,
    /// Whether a worker reduces, and how long all did.
    reducing: bool,
    reduce_time: Duration,
    failures: HashMap<String, u32>,
    broken: Broken,
    reported: HashSet<String>,
    /// Titles of the solvers with one more option.
    variants: Vec<String>,
    /// Answers and complaints seen so far, by hash.
    outcomes: HashSet<u64>,
    bandit: Bandit,
    pub tally: Tally,
    pub trouble: Option<String>,
}

impl Ledger {
    /// Opens the books: whatever an earlier run left unfinished is taken up again.
    pub fn open(
        mut store: Box<dyn Store>,
        folder: Folder,
        strategies: Vec<&'static str>,
        last_block: Option<u64>,
    ) -> Result<Ledger, StoreError> {
        let owner = owner();
        store.reclaim(&owner)?;
        let (learning, folds) = Learning::recall(&mut *store)?;
        let mut ledger = Ledger {
            store,
            folder,
            owner,
            strategies,
            learning,
            last_block,
            ready: VecDeque::new(),
            busy: BTreeSet::new(),
            finished: Vec::new(),
            yields: Vec::new(),
            folds,
            seeds: Vec::new(),
            defects: Vec::new(),
            repeats: BTreeMap::new(),
            unsaved: Vec::new(),
            known: HashMap::new(),
            lines: Vec::new(),
            buckets: HashMap::new(),
            shapes: HashMap::new(),
            unreduced: VecDeque::new(),
            reducing: false,
            reduce_time: Duration::ZERO,
            failures: HashMap::new(),
            broken: Broken::default(),
            reported: HashSet::new(),
            variants: Vec::new(),
            outcomes: HashSet::new(),
            bandit: Bandit::default(),
            tally: Tally::default(),
            trouble: None,
        };
        ledger.recall_findings()?;
        Ok(ledger)
    }

    /// Findings of the store, and those in the folder that a killed run could not enter any more.
    fn recall_findings(&mut self) -> Result<(), StoreError> {
        for row in self.store.findings()? {
            if let Ok(finding) = Finding::from_json(&row.json) {
                self.enter(&finding, row.repeats);
            }
        }
        let (findings, _) = self.folder.findings();
        for finding in findings {
            if !self.known.contains_key(&finding.fingerprint) {
                self.store.put_findings(&[row_of(&finding)])?;
                self.enter(&finding, 0);
            }
        }
        Ok(())
    }

    fn enter(&mut self, finding: &Finding, repeats: u64) {
        self.broken.learn(finding);
        self.known
            .insert(finding.fingerprint.clone(), Some(self.lines.len()));
        let (bugs, all) = self.buckets.entry(finding.bucket.clone()).or_default();
        *bugs += usize::from(finding.same_as.is_none());
        *all += 1;
        match (&finding.reduced_fingerprint, &finding.same_as) {
            (Some(shape), None) => {
                self.shapes.insert(shape.clone(), finding.id.clone());
            }
            (None, None) => self.unreduced.push_back(finding.clone()),
            (_, Some(_)) => {}
        }
        self.lines.push(FindingLine {
            same_as: finding.same_as.clone(),
            id: finding.id.clone(),
            class: finding.class.name().to_string(),
            accused: finding.accused.join(", "),
            strategy: finding.origin.strategy.clone(),
            why: finding.why.clone(),
            found: finding.found,
            repeats,
            reduced: finding.reduced.is_some(),
        });
    }

    // ---- blocks ----

    pub fn lease(&mut self) -> Lease {
        if self.ready.is_empty() {
            let window = self.learning.limit();
            let oldest = self.busy.first().map(|block| block / EPOCH);
            let spread = oldest.map_or(u64::MAX, |epoch| (epoch + SPREAD) * EPOCH);
            let end = self.last_block.map_or(u64::MAX, |last| last + 1);
            let limit = window.min(spread).min(end);
            match self.store.lease(&self.owner, LEASE, limit) {
                Ok(blocks) => self.ready.extend(blocks),
                Err(error) => self.trouble = Some(error.to_string()),
            }
            if self.ready.is_empty() && limit == end && self.busy.is_empty() {
                return Lease::Over;
            }
        }
        match self.ready.pop_front() {
            Some(number) => {
                self.busy.insert(number);
                let weights = self.weights(number);
                Lease::Block { number, weights }
            }
            None => Lease::Wait,
        }
    }

    fn weights(&self, block: u64) -> Weights {
        let modes = MODES.iter().map(|(mode, usual)| (mode.name(), *usual));
        let variants = self.variants.iter().map(|title| (title.as_str(), 1));
        Weights {
            strategies: self.learning.weights(block, &self.strategies),
            modes: self.bandit.weights(modes),
            variants: self.bandit.weights(variants),
        }
    }

    /// Takes up what an earlier run learned about modes and options.
    pub fn schedule(&mut self, variants: Vec<String>, bandit: Bandit) {
        self.variants = variants;
        self.bandit = bandit;
    }

    /// What the solvers' answers to a block were like, in these modes and with these options.
    pub fn answered(&mut self, arms: &[&str], seconds: f64, outcomes: &[u64]) {
        let new = outcomes
            .iter()
            .filter(|one| self.outcomes.len() < OUTCOMES && self.outcomes.insert(**one));
        let new = new.count() as u64;
        for arm in arms {
            self.bandit.note(arm, seconds, new);
        }
    }

    /// The cases of a block are made. Gives how many of its features nobody had seen.
    pub fn made(&mut self, row: YieldRow) -> usize {
        let (stored, folds) = self.learning.note(row);
        let new = stored.as_ref().map_or(0, |row| row.features.len());
        self.yields.extend(stored);
        self.folds.extend(folds);
        new
    }

    /// The cases of a block are tested.
    pub fn finish(&mut self, block: u64) {
        self.busy.remove(&block);
        self.finished.push(block);
    }

    // ---- findings ----

    pub fn sight(&mut self, identity: &Identity) -> Sighting {
        if let Some(place) = self.known.get(&identity.fingerprint) {
            if let Some(place) = *place {
                self.lines[place].repeats += 1;
                *self
                    .repeats
                    .entry(identity.fingerprint.clone())
                    .or_default() += 1;
            }
            return Sighting::Known;
        }
        let (bugs, all) = self
            .buckets
            .get(&identity.bucket)
            .copied()
            .unwrap_or_default();
        if bugs >= BUCKET || all >= FLOOD || self.broken.explains(identity) {
            return Sighting::Similar;
        }
        // What did not show again twice is tried less and less often.
        if let Some(failures) = self.failures.get_mut(&identity.fingerprint) {
            *failures += 1;
            if *failures > 3 && !failures.is_power_of_two() {
                return Sighting::Unrepeatable;
            }
        }
        self.known.insert(identity.fingerprint.clone(), None);
        Sighting::New
    }

    /// The suspicion did not show again.
    pub fn dismiss(&mut self, identity: &Identity) {
        self.known.remove(&identity.fingerprint);
        self.failures
            .entry(identity.fingerprint.clone())
            .or_insert(1);
    }

    /// Enters a confirmed finding, first on disk; `seen` is what it was taken for before it was confirmed.
    pub fn file(&mut self, seen: &Identity, finding: Finding) {
        let known = self.known.get(&finding.fingerprint).copied().flatten();
        if let Some(place) = known {
            // It turned out to be one we have.
            self.known.insert(seen.fingerprint.clone(), Some(place));
            self.lines[place].repeats += 1;
            *self.repeats.entry(finding.fingerprint).or_default() += 1;
            return;
        }
        self.save(&finding);
        self.enter(&finding, 0);
        let place = self.lines.len() - 1;
        self.known.insert(seen.fingerprint.clone(), Some(place));
    }

    fn save(&mut self, finding: &Finding) {
        let written = self.folder.write(finding).or_else(|error| {
            // The reserve makes room for this one and some more.
            match self.folder.spend_reserve() {
                true => self.folder.write(finding),
                false => Err(error),
            }
        });
        let stored = written.map_err(|error| error.to_string()).and_then(|()| {
            self.store
                .put_findings(&[row_of(finding)])
                .map_err(|e| e.to_string())
        });
        if let Err(why) = stored {
            self.trouble = Some(format!("a finding cannot be written: {why}"));
            self.unsaved.push(finding.clone());
        }
    }

    /// A finding to shrink, if reducing has not had its share of the time; one at a time.
    pub fn next_reduction(&mut self, spent: Duration) -> Option<Finding> {
        if self.reducing || self.reduce_time > spent / REDUCING {
            return None;
        }
        // Grave ones first, and of those the oldest.
        let grave = self
            .unreduced
            .iter()
            .enumerate()
            .min_by_key(|(at, f)| (f.class, *at));
        let finding = self.unreduced.remove(grave?.0)?;
        self.reducing = true;
        Some(finding)
    }

    /// What came of a reduction. A script of a known shape makes its finding a sighting of the known one.
    pub fn reduced(&mut self, fingerprint: &str, reduced: Option<Reduced>, took: Duration) {
        self.reducing = false;
        self.reduce_time += took;
        let place = self.known.get(fingerprint).copied().flatten();
        let (Some(reduced), Some(place)) = (reduced, place) else {
            return;
        };
        let id = self.lines[place].id.clone();
        let Some(mut finding) = self.stored(&id) else {
            return;
        };
        let shape = reduced.identity.fingerprint;
        finding.reduced = Some(reduced.text);
        finding.reduced_fingerprint = Some(shape.clone());
        match self.shapes.get(&shape) {
            Some(other) if *other != id => finding.same_as = Some(other.clone()),
            _ => {
                self.shapes.insert(shape, id);
            }
        }
        if finding.same_as.is_some()
            && let Some((bugs, _)) = self.buckets.get_mut(&finding.bucket)
        {
            *bugs = bugs.saturating_sub(1);
        }
        self.broken.learn(&finding);
        self.lines[place].reduced = true;
        self.lines[place].same_as = finding.same_as.clone();
        self.save(&finding);
    }

    /// A finding as it was last written, or as it waits to be.
    fn stored(&self, id: &str) -> Option<Finding> {
        let waiting = self.unsaved.iter().find(|finding| finding.id == id);
        waiting.cloned().or_else(|| self.folder.finding(id))
    }

    /// Past bugs with their scripts, newest first, and how many bugs each seed led to.
    pub fn past(&self) -> (Vec<(String, String)>, BTreeMap<String, u64>) {
        let (mut scripts, mut bugs) = (Vec::new(), BTreeMap::new());
        let lines = self
            .lines
            .iter()
            .rev()
            .filter(|line| line.same_as.is_none());
        for finding in lines.take(PAST).filter_map(|line| self.stored(&line.id)) {
            if let Ok(recipe) = finding.replay.parse::<Recipe>() {
                for source in recipe.from {
                    if let Source::File { key, .. } = source {
                        *bugs.entry(key).or_default() += 1;
                    }
                }
            }
            let name = format!("finding:{}", finding.id);
            scripts.push((name, finding.reduced.unwrap_or(finding.script)));
        }
        (scripts, bugs)
    }

    /// Findings that are known in this run and not on disk.
    pub fn unsaved(&self) -> &[Finding] {
        &self.unsaved
    }

    // ---- the rest ----

    pub fn learned(&mut self, row: SeedRow) {
        self.seeds.push(row);
    }

    pub fn defect(&mut self, row: DefectRow) {
        // One panic may come a thousand times.
        if self.reported.len() < 1000 && self.reported.insert(row.message.clone()) {
            self.defects.push(row);
        }
    }

    pub fn known_seeds(&mut self) -> Result<Vec<SeedRow>, StoreError> {
        self.store.seeds()
    }

    /// The last status that was written, by this run or an earlier one.
    pub fn last_status(&mut self) -> Option<Status> {
        let rows = self.store.statistics(0).ok()?;
        serde_json::from_str(&rows.last()?.json).ok()
    }

    /// Writes down what has gathered. What cannot be written now is kept and tried again.
    pub fn flush(&mut self) {
        if !self.unsaved.is_empty() {
            for finding in std::mem::take(&mut self.unsaved) {
                self.save(&finding);
            }
        }
        match self.try_flush() {
            Ok(()) if self.unsaved.is_empty() => self.trouble = None,
            Ok(()) => {}
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    /// In an order in which a kill between two steps loses nothing: a block is finished last.
    fn try_flush(&mut self) -> Result<(), StoreError> {
        self.store.put_yields(&self.yields)?;
        self.yields.clear();
        while let Some(fold) = self.folds.first() {
            self.store.fold(fold, (fold.epoch + 1) * EPOCH, KEPT)?;
            self.folds.remove(0);
        }
        self.store.put_seeds(&self.seeds)?;
        self.seeds.clear();
        self.store.put_defects(&self.defects)?;
        self.defects.clear();
        let repeats: Vec<(String, u64)> = self.repeats.clone().into_iter().collect();
        self.store.add_repeats(&repeats)?;
        self.repeats.clear();
        self.store.finish(&self.owner, &self.finished)?;
        self.finished.clear();
        Ok(())
    }

    pub fn put_status(&mut self, status: &Status) {
        let row = StatisticsRow {
            at: status.at,
            json: serde_json::to_string(status).unwrap_or_default(),
        };
        if let Err(error) = self.store.put_statistics(&row) {
            self.trouble = Some(error.to_string());
        }
    }

    /// Fills in what the books know.
    pub fn describe(&self, status: &mut Status) {
        let bugs = self.lines.iter().filter(|line| line.same_as.is_none());
        for line in bugs.clone() {
            *status.classes.entry(line.class.clone()).or_default() += 1;
        }
        status.newest = bugs.rev().take(SHOWN).cloned().collect();
        status.bandit = self.bandit.clone();
        status.unsaved = self.unsaved.len();
        status.trouble = self.trouble.clone();
    }
}

/// A name that no other run has: numbers of processes come again.
fn owner() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    format!("{}-{nanos:x}", std::process::id())
}

/// The row of a finding.
pub fn row_of(finding: &Finding) -> FindingRow {
    let accused = finding
        .replies
        .iter()
        .filter(|r| finding.accused.contains(&r.title));
    let mut solvers: Vec<&str> = accused.map(|r| r.solver.as_str()).collect();
    solvers.sort_unstable();
    solvers.dedup();
    FindingRow {
        fingerprint: finding.fingerprint.clone(),
        bucket: finding.bucket.clone(),
        class: finding.class.name().to_string(),
        solver: solvers.join("+"),
        id: finding.id.clone(),
        strategy: finding.origin.strategy.clone(),
        found: finding.found,
        repeats: 0,
        reduced: finding.reduced.is_some(),
        json: finding.to_json(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::sample;
    use crate::scratch::Scratch;
    use crate::store::Sqlite;

    fn open(scratch: &Scratch) -> Ledger {
        let folder = Folder::create(scratch.path()).unwrap();
        let store = Sqlite::create(&folder.database()).unwrap();
        let row = crate::store::CampaignRow {
            seed: 1,
            settings: String::new(),
            started: 0,
        };
        let mut store: Box<dyn Store> = Box::new(store);
        store.open(&row).unwrap();
        Ledger::open(store, folder, vec!["a"], Some(3)).unwrap()
    }

    fn identity(fingerprint: &str) -> Identity {
        Identity {
            fingerprint: fingerprint.to_string(),
            bucket: "wrong-sat z3 core".to_string(),
            operators: Vec::new(),
        }
    }

    fn numbers(ledger: &mut Ledger) -> Vec<u64> {
        let lease = |_| match ledger.lease() {
            Lease::Block { number, .. } => Some(number),
            Lease::Wait | Lease::Over => None,
        };
        (0..10).filter_map(lease).collect()
    }

    #[test]
    fn unfinished_blocks_come_again_after_a_kill() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        assert_eq!(numbers(&mut ledger), [0, 1, 2, 3]);
        assert_eq!(ledger.lease(), Lease::Wait);
        ledger.finish(1);
        ledger.flush();
        ledger.finish(2);
        drop(ledger);
        let mut ledger = open(&scratch);
        assert_eq!(numbers(&mut ledger), [0, 2, 3]);
        for block in [0, 2, 3] {
            ledger.finish(block);
        }
        assert_eq!(ledger.lease(), Lease::Over);
    }

    #[test]
    fn a_bug_is_found_once_and_then_counted() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        assert_eq!(ledger.sight(&identity("f")), Sighting::New);
        assert_eq!(
            ledger.sight(&identity("f")),
            Sighting::Known,
            "being confirmed"
        );
        ledger.file(&identity("f"), sample("f"));
        assert_eq!(ledger.sight(&identity("f")), Sighting::Known);
        ledger.flush();
        drop(ledger);
        let mut ledger = open(&scratch);
        assert_eq!(ledger.sight(&identity("f")), Sighting::Known);
        assert_eq!(ledger.lines[0].repeats, 2);
    }

    #[test]
    fn what_does_not_show_again_may_be_tried_again_but_not_for_ever() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        let mut tried = 0;
        for _ in 0..1000 {
            if ledger.sight(&identity("f")) == Sighting::New {
                tried += 1;
                ledger.dismiss(&identity("f"));
            }
        }
        assert!((3..20).contains(&tried), "{tried}");
    }

    #[test]
    fn a_flood_in_one_bucket_is_bounded() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        for number in 0..BUCKET {
            let name = format!("f{number}");
            assert_eq!(ledger.sight(&identity(&name)), Sighting::New);
            ledger.file(&identity(&name), sample(&name));
        }
        assert_eq!(ledger.sight(&identity("one more")), Sighting::Similar);
    }

    #[test]
    fn findings_that_reduce_to_one_shape_are_one_bug() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        for name in ["f", "g"] {
            ledger.sight(&identity(name));
            ledger.file(&identity(name), sample(name));
        }
        let mut all = Vec::new();
        while let Some(finding) = ledger.next_reduction(Duration::from_secs(100)) {
            assert!(
                ledger.next_reduction(Duration::from_secs(100)).is_none(),
                "one at a time"
            );
            let text = "(assert false)(check-sat)".to_string();
            let reduced = Reduced {
                text,
                identity: identity("shape"),
            };
            ledger.reduced(&finding.fingerprint, Some(reduced), Duration::from_secs(1));
            all.push(finding.id);
        }
        assert_eq!(all.len(), 2);
        let check = |ledger: &mut Ledger| {
            let mut status = Status::default();
            ledger.describe(&mut status);
            assert_eq!(status.findings(), 1);
            let stored: Vec<_> = all.iter().filter_map(|id| ledger.stored(id)).collect();
            assert_eq!(stored[0].same_as, None);
            assert_eq!(stored[1].same_as.as_ref(), Some(&all[0]));
            assert!(stored.iter().all(|f| f.reduced.is_some()));
        };
        check(&mut ledger);
        drop(ledger);
        check(&mut open(&scratch));
    }

    #[test]
    fn reducing_keeps_to_its_share_of_the_time() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        for name in ["f", "g"] {
            ledger.file(&identity(name), sample(name));
        }
        let finding = ledger.next_reduction(Duration::ZERO).unwrap();
        ledger.reduced(&finding.fingerprint, None, Duration::from_secs(10));
        assert!(ledger.next_reduction(Duration::from_secs(39)).is_none());
        assert!(ledger.next_reduction(Duration::from_secs(41)).is_some());
    }

    #[test]
    fn a_finding_that_was_written_but_not_stored_is_entered_later() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        ledger.folder.write(&sample("f")).unwrap();
        drop(ledger);
        ledger = open(&scratch);
        assert_eq!(ledger.store.findings().unwrap().len(), 1);
        assert_eq!(ledger.sight(&identity("f")), Sighting::Known);
    }

    #[test]
    fn a_finding_that_cannot_be_written_is_kept_and_written_later() {
        let scratch = Scratch::new();
        let mut ledger = open(&scratch);
        let findings = scratch.path().join("findings");
        std::fs::remove_dir(&findings).unwrap();
        std::fs::write(&findings, "in the way").unwrap();
        ledger.file(&identity("f"), sample("f"));
        assert_eq!(ledger.unsaved().len(), 1);
        assert!(ledger.trouble.is_some());
        ledger.flush();
        assert_eq!(ledger.unsaved().len(), 1);
        std::fs::remove_file(&findings).unwrap();
        std::fs::create_dir(&findings).unwrap();
        ledger.flush();
        assert!(ledger.unsaved().is_empty() && ledger.trouble.is_none());
        assert_eq!(ledger.folder.findings().0.len(), 1);
        assert_eq!(ledger.store.findings().unwrap().len(), 1);
    }
}
