//! What all workers share: who has which block, what was found, what was counted; and when it is written down.
//! Findings are written before anybody is told of them; the rest is written every second, or every few seconds
//! to a store that many machines share.

mod claims;
mod fleet;
mod room;

pub use fleet::{REDUCE, job, sum_of};

use self::claims::{Claims, Next};
use self::fleet::Fleet;
use self::room::Room;
use crate::findings::broken::Broken;
use crate::findings::finding::Finding;
use crate::findings::folder::Folder;
use crate::judge::fingerprint::Identity;
use crate::schedule::bandit::Bandit;
use crate::schedule::growth::PREFIX;
use crate::schedule::learning::{KEPT, Learning};
use crate::schedule::plan::{EPOCH, MODES, Weights};
use crate::schedule::recipe::{Recipe, Source};
use crate::seeds::pool::SeedRecord;
use crate::shrink::reduction::Reduced;
use crate::status::{FindingLine, Status, Tally};
use crate::store::{DefectRow, FoldRow, SeedRow, StatisticsRow, Store, StoreError, YieldRow};
use auspex_cases::Class;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Past bugs and what led to them.
#[derive(Default)]
pub struct Past {
    /// Names and scripts of bugs, newest first.
    pub scripts: Vec<(String, String)>,
    /// Mutants that were seeds and led to bugs.
    pub grown: Vec<SeedRecord>,
    /// How many bugs each seed led to, by its key.
    pub bugs: BTreeMap<String, u64>,
}

/// Of what is no bug so many are kept of one bucket, as examples.
const EXAMPLES: usize = 3;
/// More findings of one bucket are counted even if reducing shows that most are one bug.
const FLOOD: usize = 100;
/// The share of all time that reducing may take, as a divisor.
const REDUCING: u32 = 4;
/// How many different outcomes are told apart.
const OUTCOMES: usize = 1 << 20;
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
    /// It is new: the caller must confirm it and report the result.
    New,
    /// Found already, or being confirmed by another worker.
    Known,
    /// Its bucket is full, or it has an operator that is known to be wrong.
    Similar,
    /// It did not show again before.
    Unrepeatable,
}

/// The usual weight of a group of options.
const OPTION_WEIGHT: u32 = 4;

/// The shared books of one run.
pub struct Ledger {
    store: Box<dyn Store>,
    pub folder: Folder,
    claims: Claims,
    fleet: Fleet,
    strategies: Vec<&'static str>,
    learning: Learning,
    // What waits to be written.
    yields: Vec<YieldRow>,
    folds: Vec<FoldRow>,
    features: Vec<u64>,
    seeds: Vec<SeedRow>,
    defects: Vec<DefectRow>,
    repeats: BTreeMap<String, u64>,
    /// Not on disk.
    unsaved: Vec<Finding>,
    /// On disk, and not in the store.
    undelivered: Vec<Finding>,
    // What is known.
    known: HashMap<String, Option<usize>>,
    lines: Vec<FindingLine>,
    /// Different bugs, and findings, by bucket.
    buckets: HashMap<String, (usize, usize)>,
    /// Reduced scripts that stand for a bug: which finding they belong to.
    shapes: HashMap<String, String>,
    unreduced: VecDeque<Finding>,
    /// Whether findings are shrunk at all.
    reduces: bool,
    /// Whether a worker reduces, and how long all did.
    reducing: bool,
    reduce_time: Duration,
    failures: HashMap<String, u32>,
    broken: Broken,
    reported: HashSet<String>,
    /// The groups of options that are learnt about.
    option_groups: Vec<String>,
    /// Answers and complaints seen so far, by hash.
    outcomes: HashSet<u64>,
    bandit: Bandit,
    room: Room,
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
        let claims = Claims::new(owner(), store.shared(), last_block);
        store.reclaim(&claims.owner)?;
        let (learning, folds) = Learning::recall(&mut *store)?;
        let started = store.campaign()?.map_or(0, |row| row.started);
        let mut ledger = Ledger {
            store,
            folder,
            claims,
            fleet: Fleet::new(started),
            strategies,
            learning,
            yields: Vec::new(),
            folds,
            features: Vec::new(),
            seeds: Vec::new(),
            defects: Vec::new(),
            repeats: BTreeMap::new(),
            unsaved: Vec::new(),
            undelivered: Vec::new(),
            known: HashMap::new(),
            lines: Vec::new(),
            buckets: HashMap::new(),
            shapes: HashMap::new(),
            unreduced: VecDeque::new(),
            reduces: true,
            reducing: false,
            reduce_time: Duration::ZERO,
            failures: HashMap::new(),
            broken: Broken::default(),
            reported: HashSet::new(),
            option_groups: Vec::new(),
            outcomes: HashSet::new(),
            bandit: Bandit::default(),
            room: Room::default(),
            tally: Tally::default(),
            trouble: None,
        };
        ledger.recall_findings()?;
        Ok(ledger)
    }

    /// Findings of the store, and those in the folder that a killed run could not enter any more.
    fn recall_findings(&mut self) -> Result<(), StoreError> {
        if self.claims.is_shared() {
            self.read_news()?;
        } else {
            for row in self.store.findings()? {
                if let Ok(finding) = Finding::from_json(&row.json) {
                    self.enter(&finding, row.repeats);
                }
            }
        }
        let (findings, _) = self.folder.findings();
        for finding in findings {
            if !self.known.contains_key(&finding.fingerprint) {
                self.enter(&finding, 0);
                self.undelivered.push(finding);
            }
        }
        self.deliver()
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
                self.shapes.insert(shape.clone(), finding.id.to_string());
            }
            // Among others that is a job, for anybody.
            (None, None) if !self.claims.is_shared() && is_reducible(finding) => {
                self.unreduced.push_back(finding.clone());
            }
            (None, None) | (_, Some(_)) => {}
        }
        self.lines.push(FindingLine::of(finding, repeats));
    }

    // ---- blocks ----

    pub fn lease(&mut self) -> Lease {
        let window = self.learning.limit();
        if let Err(error) = self.claims.fetch(&mut *self.store, window) {
            self.trouble = Some(error.to_string());
        }
        match self.claims.next(window) {
            Next::Block { number, place } => {
                let weights = self.weights(place);
                Lease::Block { number, weights }
            }
            Next::Wait => Lease::Wait,
            Next::Over => Lease::Over,
        }
    }

    fn weights(&self, block: u64) -> Weights {
        let modes = MODES.iter().map(|(mode, usual)| (mode.name(), *usual));
        let groups = self.option_groups.iter();
        let groups = groups.map(|name| (name.as_str(), OPTION_WEIGHT));
        Weights {
            strategies: self.learning.weights(block, &self.strategies),
            modes: self.bandit.weights(modes),
            options: self.bandit.weights(groups),
        }
    }

    /// Takes up what an earlier run learned about modes and options.
    pub fn schedule(&mut self, option_groups: Vec<String>, bandit: Bandit, reduces: bool) {
        self.option_groups = option_groups;
        self.bandit = bandit;
        self.reduces = reduces;
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

    /// The cases of a block are made. Returns how many of its features are new.
    pub fn made(&mut self, mut row: YieldRow) -> usize {
        row.block = self.claims.place(row.block);
        let (stored, folds) = self.learning.note(row);
        let new = stored.as_ref().map_or(0, |row| row.features.len());
        if self.claims.is_shared() {
            // Among others every process learns from its own blocks, and tells which features are known.
            self.features
                .extend(folds.into_iter().flat_map(|fold| fold.features));
        } else {
            self.yields.extend(stored);
            self.folds.extend(folds);
        }
        new
    }

    /// The cases of a block are tested.
    pub fn finish(&mut self, block: u64) {
        self.claims.finish(block);
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
        let most = match identity.class.is_bug() {
            true => self.room.most(),
            false => EXAMPLES,
        };
        if bugs >= most || all >= FLOOD || self.broken.explains(identity) {
            return Sighting::Similar;
        }
        // What did not show again twice is tried less and less often.
        if let Some(failures) = self.failures.get_mut(attempted(identity)) {
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
            .entry(attempted(identity).to_string())
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
        match written {
            Ok(()) => {
                self.undelivered.push(finding.clone());
                if let Err(error) = self.deliver() {
                    self.trouble = Some(error.to_string());
                }
            }
            Err(error) => {
                self.trouble = Some(format!("a finding cannot be written: {error}"));
                if !self.is_safe_elsewhere(finding) {
                    self.unsaved.push(finding.clone());
                }
            }
        }
    }

    /// Sends a finding that this disk does not take to the database that others share.
    fn is_safe_elsewhere(&mut self, finding: &Finding) -> bool {
        if !self.claims.is_shared() {
            return false;
        }
        self.undelivered.push(finding.clone());
        let sent = self.deliver().is_ok();
        if !sent {
            self.undelivered.pop();
        }
        sent
    }

    /// A finding to shrink, if reducing has not had its share of the time; one at a time.
    pub fn next_reduction(&mut self, spent: Duration) -> Option<Finding> {
        // When all else is done there is time enough.
        let busy = !self.claims.is_over();
        if self.reducing || (busy && self.reduce_time > spent / REDUCING) {
            return None;
        }
        if self.claims.is_shared() {
            let finding = self.reduction_for_all();
            self.reducing = finding.is_some();
            return finding;
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
        let done = reduced.is_some();
        self.note_reduced(fingerprint, reduced);
        self.end_reduction(done);
    }

    fn note_reduced(&mut self, fingerprint: &str, reduced: Option<Reduced>) {
        let place = self.known.get(fingerprint).copied().flatten();
        let (Some(reduced), Some(place)) = (reduced, place) else {
            return;
        };
        let id = self.lines[place].id.clone();
        let Some(mut finding) = self.stored(&id) else {
            return;
        };
        let shape = reduced.identity.fingerprint;
        finding.take_reduced(reduced.text, reduced.source, reduced.steps);
        finding.reduced_model = reduced.model;
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
    fn stored(&mut self, id: &str) -> Option<Finding> {
        let waiting = self.unsaved.iter().chain(&self.undelivered);
        if let Some(waiting) = waiting.rev().find(|finding| finding.id == *id) {
            return Some(waiting.clone());
        }
        if self.claims.is_shared()
            && let Ok(Some(row)) = self.store.finding(id)
            && let Ok(finding) = Finding::from_json(&row.json)
        {
            return Some(finding);
        }
        self.folder.finding(id)
    }

    /// What earlier runs of the campaign found.
    pub fn past(&mut self) -> Past {
        let mut past = Past::default();
        let lines = self.lines.iter().rev();
        let bugs_only = |line: &&FindingLine| line.same_as.is_none() && line.is_bug();
        let lines = lines.filter(bugs_only).take(PAST);
        let names: Vec<String> = lines.map(|line| line.id.clone()).collect();
        for finding in names.iter().filter_map(|id| self.stored(id)) {
            if let Ok(recipe) = finding.replay.parse::<Recipe>() {
                for source in recipe.from {
                    if let Source::File { key, .. } = source {
                        *past.bugs.entry(key).or_default() += 1;
                    }
                }
            }
            let name = format!("finding:{}", finding.id);
            let text = finding.reduced.unwrap_or(finding.script);
            past.scripts.push((name, text));
            let seeds = finding.seeds.into_iter();
            past.grown
                .extend(seeds.filter(|seed| seed.name.starts_with(PREFIX)));
        }
        past
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

    /// The last status that was written, by this run or an earlier one; none among others, where each has its own.
    pub fn last_status(&mut self) -> Option<Status> {
        if self.claims.is_shared() {
            return None;
        }
        let rows = self.store.statistics(0).ok()?;
        serde_json::from_str(&rows.last()?.json).ok()
    }

    /// Writes down what has gathered. What cannot be written now is kept and tried again.
    pub fn flush(&mut self) {
        let all = !self.claims.is_shared() || self.fleet.reports();
        self.write_down(all);
    }

    /// Writes down everything, and gives back what is not done.
    pub fn close(&mut self) {
        self.write_down(true);
        if self.claims.is_shared()
            && let Err(error) = self.store.release(&self.claims.owner)
        {
            self.trouble = Some(error.to_string());
        }
    }

    fn write_down(&mut self, all: bool) {
        for finding in std::mem::take(&mut self.unsaved) {
            self.save(&finding);
        }
        match self.try_flush(all) {
            Ok(()) if self.unsaved.is_empty() => self.trouble = self.room.trouble(),
            Ok(()) => {}
            Err(error) => self.trouble = Some(self.worded(&error)),
        }
    }

    /// What is wrong with the store, and what that means.
    fn worded(&self, error: &StoreError) -> String {
        match (error, self.undelivered.len()) {
            (StoreError::Away(_), 0) => format!("{error}; will retry"),
            (StoreError::Away(_), number) => format!(
                "{error}; {number} findings wait in {}; will retry",
                self.folder.path().display()
            ),
            _ => error.to_string(),
        }
    }

    /// In an order in which a kill between two steps loses nothing: a block is finished last.
    fn try_flush(&mut self, all: bool) -> Result<(), StoreError> {
        self.claims.renew(&mut *self.store)?;
        self.deliver()?;
        if !all {
            return Ok(());
        }
        self.store.put_yields(&self.yields)?;
        self.yields.clear();
        while let Some(fold) = self.folds.first() {
            self.store.fold(fold, (fold.epoch + 1) * EPOCH, KEPT)?;
            self.folds.remove(0);
        }
        self.store.put_features(&self.features)?;
        self.features.clear();
        self.store.put_seeds(&self.seeds)?;
        self.seeds.clear();
        self.store.put_defects(&self.defects)?;
        self.defects.clear();
        let repeats: Vec<(String, u64)> = self.repeats.clone().into_iter().collect();
        self.store.add_repeats(&repeats)?;
        self.repeats.clear();
        self.claims.report(&mut *self.store)?;
        self.keep_room()?;
        self.read_news_in_time()
    }

    pub fn put_status(&mut self, status: &Status) {
        let told = match self.claims.is_shared() {
            true => self.tell_counts(status),
            false => self.store.put_statistics(&StatisticsRow {
                at: status.at,
                json: serde_json::to_string(status).unwrap_or_default(),
            }),
        };
        if let Err(error) = told {
            self.trouble = Some(self.worded(&error));
        }
    }

    /// Fills in what the books know.
    pub fn describe(&self, status: &mut Status) {
        let lines = self.lines.iter().filter(|line| line.same_as.is_none());
        for line in lines.clone() {
            *status.classes.entry(line.class.clone()).or_default() += 1;
        }
        let of = |bugs| {
            lines
                .clone()
                .rev()
                .filter(move |line| line.is_bug() == bugs)
        };
        status.newest = of(true).take(SHOWN).cloned().collect();
        status.lesser = of(false).take(SHOWN).cloned().collect();
        status.bandit = self.bandit.clone();
        status.unsaved = self.unsaved.len() + self.undelivered.len();
        status.trouble = self.trouble.clone();
        (status.disk, status.disk_limit) = self.room.state();
    }
}

/// The key by which failed confirmations are counted: the bug itself, or the bucket of a finding that is not a bug.
fn attempted(identity: &Identity) -> &str {
    match identity.class.is_bug() {
        true => &identity.fingerprint,
        false => &identity.bucket,
    }
}

/// Whether a smaller script can be shown to be like it: how long a solver takes is no such thing.
fn is_reducible(finding: &Finding) -> bool {
    finding.class != Class::Slowness
}

/// A name that no other run has: numbers of processes come again.
pub fn owner() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let machine = machine.unwrap_or_default();
    format!("{}-{}-{nanos:x}", machine.trim(), std::process::id())
}

#[cfg(test)]
mod tests;
