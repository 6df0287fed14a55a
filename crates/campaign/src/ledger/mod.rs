//! What all workers share: who has which block, what was found, what was counted; and when it is written down.
//! Findings are written before anybody is told of them; the rest is written every second, or every few seconds
//! to a store that many machines share.

mod claims;
mod fleet;
mod room;
mod silence;

pub use fleet::{REDUCE, job, sum_of};
pub use silence::KnownBug;

use self::claims::{Claims, Next};
use self::fleet::Fleet;
use self::room::Room;
use self::silence::Silence;
use crate::findings::finding::Finding;
use crate::findings::folder::Folder;
use crate::findings::trigger::Trigger;
use crate::judge::fingerprint::Identity;
use crate::schedule::arms::{Arms, Earned};
use crate::schedule::growth::PREFIX;
use crate::schedule::plan::{Menu, Weights};
use crate::schedule::recipe::{Recipe, Source};
use crate::seeds::pool::SeedRecord;
use crate::shrink::reduction::Reduced;
use crate::status::{FindingLine, Status, Tally};
use crate::store::{DefectRow, SeedRow, StatisticsRow, Store, StoreError};
use auspex_cases::Class;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
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
const REDUCING: u32 = 6;
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
    /// Nothing right now: others have all the blocks, or the store cannot be asked.
    Wait,
    /// Nothing any more.
    Over,
}

/// What is known about a suspicion before it is confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// It is new: the caller must confirm it and report the result.
    New,
    /// Found already, or being confirmed by another worker.
    Known,
    /// Its bucket is full, or there is no time for more of its kind.
    Similar,
    /// Most likely the known bug of this name.
    Silenced(String),
    /// It did not show again before.
    Unrepeatable,
}

/// What a suspicion is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Positions of known bugs whose triggers the script holds, for this class and solver.
    pub held: &'a [usize],
    /// A kind with so many findings gets no more for now.
    pub most: usize,
}

impl Context<'_> {
    /// No trigger, and no limit but the usual ones.
    pub const OPEN: Context<'static> = Context {
        held: &[],
        most: usize::MAX,
    };
}

/// What the answers to a block showed.
#[derive(Clone, Debug, Default)]
pub struct BlockYield {
    /// The arms with which it was made and asked.
    pub arms: Vec<String>,
    pub seconds: f64,
    /// Hashes that characterise answers, messages and verdicts.
    pub outcomes: Vec<u64>,
    /// What is counted already.
    pub earned: Earned,
    /// Positions of known bugs, once for each script with their triggers.
    pub held: Vec<usize>,
}

/// The shared books of one run.
pub struct Ledger {
    store: Box<dyn Store>,
    pub folder: Folder,
    claims: Claims,
    fleet: Fleet,
    menu: Menu,
    /// What the arms of this process earned, and those of others.
    arms: Arms,
    others: Arms,
    /// Operators in context that some case had.
    known_features: HashSet<u64>,
    // What waits to be written.
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
    /// Buckets with a reduced finding.
    reduced_kinds: HashSet<String>,
    /// Whether findings are shrunk at all.
    reduces: bool,
    /// Whether a worker reduces, and how long all did.
    reducing: bool,
    reduce_time: Duration,
    failures: HashMap<String, u32>,
    silence: Silence,
    reported: HashSet<String>,
    /// Answers and complaints seen so far, by hash.
    outcomes: HashSet<u64>,
    room: Room,
    pub tally: Tally,
    pub trouble: Option<String>,
}

impl Ledger {
    /// Opens the books: whatever an earlier run left unfinished is taken up again.
    pub fn open(
        mut store: Box<dyn Store>,
        folder: Folder,
        last_block: Option<u64>,
    ) -> Result<Ledger, StoreError> {
        let claims = Claims::new(owner(), store.shared(), last_block);
        store.reclaim(&claims.owner)?;
        let known_features = store.features()?.into_iter().collect();
        let started = store.campaign()?.map_or(0, |row| row.started);
        let mut ledger = Ledger {
            store,
            folder,
            claims,
            fleet: Fleet::new(started),
            menu: Menu::default(),
            arms: Arms::default(),
            others: Arms::default(),
            known_features,
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
            reduced_kinds: HashSet::new(),
            reduces: true,
            reducing: false,
            reduce_time: Duration::ZERO,
            failures: HashMap::new(),
            silence: Silence::default(),
            reported: HashSet::new(),
            outcomes: HashSet::new(),
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
        self.silence.add(&finding.id, Trigger::of_finding(finding));
        self.known
            .insert(finding.fingerprint.clone(), Some(self.lines.len()));
        let (bugs, all) = self.buckets.entry(finding.bucket.clone()).or_default();
        *bugs += usize::from(finding.same_as.is_none());
        *all += 1;
        if finding.reduced.is_some() {
            self.reduced_kinds.insert(finding.bucket.clone());
        }
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
        if let Err(error) = self.claims.fetch(&mut *self.store) {
            self.trouble = Some(error.to_string());
        }
        match self.claims.next() {
            Next::Block(number) => Lease::Block {
                number,
                weights: self.weights(),
            },
            Next::Wait => Lease::Wait,
            Next::Over => Lease::Over,
        }
    }

    fn weights(&self) -> Weights {
        let mut arms = self.arms.clone();
        arms.add(&self.others);
        self.menu.weights(&arms)
    }

    /// Sets what can be chosen, what was learned before, and whether findings are reduced.
    pub fn schedule(&mut self, menu: Menu, arms: Arms, reduces: bool) {
        self.menu = menu;
        self.arms = arms;
        self.reduces = reduces;
    }

    /// What the arms have earned.
    pub fn arms(&self) -> &Arms {
        &self.arms
    }

    /// The cases of a block are made. Returns how many of their features are new.
    pub fn made(&mut self, features: &[u64]) -> u64 {
        let known = &mut self.known_features;
        let new = features.iter().filter(|feature| known.insert(**feature));
        let before = self.features.len();
        self.features.extend(new);
        (self.features.len() - before) as u64
    }

    /// The answers to a block are there: its arms earn what it brought.
    pub fn answered(&mut self, block: &BlockYield) {
        self.silence.note_asked(&block.held);
        let new = block.outcomes.iter();
        let new = new.filter(|one| self.outcomes.len() < OUTCOMES && self.outcomes.insert(**one));
        let mut earned = block.earned;
        earned.behaviour += new.count() as u64;
        let arms = block.arms.iter().map(String::as_str);
        self.arms.note(arms, block.seconds, earned);
    }

    /// The bugs that are known, with their triggers.
    pub fn known_bugs(&self) -> Arc<Vec<KnownBug>> {
        self.silence.bugs()
    }

    /// Silences a bug that was reported or found elsewhere.
    pub fn silence(&mut self, name: &str, trigger: Trigger) {
        self.silence.add(name, Some(trigger));
    }

    /// The cases of a block are tested.
    pub fn finish(&mut self, block: u64) {
        self.claims.finish(block);
    }

    // ---- findings ----

    /// Whether a suspicion is worth confirming; counts it if it is known.
    pub fn sight(&mut self, identity: &Identity, context: Context<'_>) -> Sighting {
        let explained = self.silence.explain(context.held);
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
        // A crash at another site is another bug.
        if let Some(name) = explained
            && identity.class != Class::Crash
        {
            return Sighting::Silenced(name);
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
        if bugs >= most.min(context.most) || all >= FLOOD {
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

    /// Enters a confirmed finding, first on disk; `seen` is what it was taken for before it was confirmed. Returns what it
    /// is worth: 1 for a bug of a new kind, less for one more of a kind.
    pub fn file(&mut self, seen: &Identity, finding: Finding) -> f64 {
        let known = self.known.get(&finding.fingerprint).copied().flatten();
        if let Some(place) = known {
            // It turned out to be one we have.
            self.known.insert(seen.fingerprint.clone(), Some(place));
            self.lines[place].repeats += 1;
            *self.repeats.entry(finding.fingerprint).or_default() += 1;
            return 0.0;
        }
        let (alike, _) = self
            .buckets
            .get(&finding.bucket)
            .copied()
            .unwrap_or_default();
        self.save(&finding);
        self.enter(&finding, 0);
        let place = self.lines.len() - 1;
        self.known.insert(seen.fingerprint.clone(), Some(place));
        match finding.class.is_bug() {
            true => 1.0 / (1.0 + alike as f64),
            false => 0.0,
        }
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
        let next = self.unreduced.iter().enumerate();
        // A new kind first, then the gravest, then the oldest.
        let next = next.min_by_key(|(at, finding)| {
            let is_reduced = self.reduced_kinds.contains(&finding.bucket);
            (is_reduced, finding.class, *at)
        });
        let finding = self.unreduced.remove(next?.0)?;
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
        if finding.same_as.is_none() {
            self.silence.add(&finding.id, Trigger::of_finding(&finding));
        }
        self.reduced_kinds.insert(finding.bucket.clone());
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
        status.arms = self.arms.clone();
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
