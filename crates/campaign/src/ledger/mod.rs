//! The ledger: what the workers of a process share. It is three things with a lock each, so that no worker waits for a
//! disk or a database to get its next block: the scheduler, the index of findings, and the writer.
//! A finding is on disk before it is shown; the rest is written every second, or every few seconds in a shared campaign.
//!
//! Locks are taken in the order writer, scheduler, index, and only the writer's is held while something else is locked.

mod claims;
mod deployment;
mod index;
mod local;
mod room;
mod scheduler;
mod shared;
mod silence;
mod writer;

pub use shared::{REDUCE, job, sum_of};
pub use silence::KnownBug;

use self::deployment::Deployment;
use self::index::Index;
use self::local::Local;
use self::room::Room;
use self::scheduler::Scheduler;
use self::shared::Shared;
use self::writer::{Pending, Writer};
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
use crate::status::{Status, Tally};
use crate::store::{DefectRow, SeedRow, Store, StoreError};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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

/// How many of the newest bugs become seeds of a later run.
const PAST: usize = 64;
/// How many different defects are recorded.
const DEFECTS: usize = 1000;

/// What a worker gets to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Lease {
    Block {
        number: u64,
        weights: Weights,
    },
    /// Nothing right now: other processes have all the blocks, or the store is busy.
    Wait,
    /// The campaign is over.
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
    /// It was not reproduced before.
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

/// What all workers of a process share.
pub struct Ledger {
    owner: String,
    /// The first block that is not part of the campaign.
    end: u64,
    writer: Mutex<Writer>,
    scheduler: Mutex<Scheduler>,
    index: Mutex<Index>,
    pending: Mutex<Pending>,
    /// What other processes learned about seeds, for whoever has the pool.
    foreign_seeds: Mutex<Vec<SeedRow>>,
    /// The messages of defects that are recorded.
    defects: Mutex<HashSet<String>>,
    tally: Mutex<Tally>,
    trouble: Mutex<Option<String>>,
}

/// A panic while a part is locked leaves it usable, because every change is complete before anything can panic.
fn lock<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    /// Opens the ledger, with what an earlier run left unfinished.
    pub fn open(
        mut store: Box<dyn Store>,
        folder: Folder,
        last_block: Option<u64>,
        reduces: bool,
    ) -> Result<Ledger, StoreError> {
        let owner = owner();
        store.reclaim(&owner)?;
        let scheduler = Scheduler::new(store.shared(), store.features()?);
        let started = store.campaign()?.map_or(0, |row| row.started);
        let deployment: Box<dyn Deployment> = match store.shared() {
            Some(_) => Box::new(Shared::new(owner.clone(), started, reduces)),
            None => Box::new(Local),
        };
        let index = Index::new(reduces && deployment.queues_reductions());
        let ledger = Ledger {
            owner,
            end: last_block.map_or(i64::MAX as u64, |last| last + 1),
            writer: Mutex::new(Writer {
                store,
                folder,
                room: Room::default(),
                deployment,
                unsaved: Vec::new(),
                undelivered: Vec::new(),
            }),
            scheduler: Mutex::new(scheduler),
            index: Mutex::new(index),
            pending: Mutex::default(),
            foreign_seeds: Mutex::default(),
            defects: Mutex::default(),
            tally: Mutex::default(),
            trouble: Mutex::default(),
        };
        ledger.recall_findings()?;
        Ok(ledger)
    }

    /// Enters the findings of the store, and those in the folder that a killed run could not send to the store.
    fn recall_findings(&self) -> Result<(), StoreError> {
        let mut writer = self.writer();
        self.read_news(&mut writer)?;
        let (findings, _) = writer.folder.findings();
        for finding in findings {
            let mut index = self.index();
            if !index.knows(&finding.fingerprint) {
                index.enter(&finding, 0);
                writer.undelivered.push(finding);
            }
        }
        self.deliver(&mut writer)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        lock(&self.writer)
    }

    /// The writer, unless it waits for a disk or a database.
    fn idle_writer(&self) -> Option<MutexGuard<'_, Writer>> {
        match self.writer.try_lock() {
            Ok(writer) => Some(writer),
            Err(TryLockError::Poisoned(writer)) => Some(writer.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn scheduler(&self) -> MutexGuard<'_, Scheduler> {
        lock(&self.scheduler)
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        lock(&self.index)
    }

    // ---- blocks ----

    /// The next block for a worker.
    pub fn lease(&self) -> Lease {
        if let Some(mut writer) = self.idle_writer()
            && let Err(error) = self.fetch(&mut writer)
        {
            self.complain(error.to_string());
        }
        self.scheduler().lease()
    }

    /// Leases more blocks if they run short.
    fn fetch(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let Some(count) = self.scheduler().claims.wanted() else {
            return Ok(());
        };
        let blocks = writer.store.lease(&self.owner, count, self.end)?;
        if !self.scheduler().claims.take(blocks) {
            return Ok(());
        }
        // In a shared campaign other processes may still die; then their blocks come to us.
        self.report(writer)?;
        if writer.store.finished()? >= self.end {
            self.scheduler().claims.end();
        }
        Ok(())
    }

    /// Sets what can be chosen, and what was learned before.
    pub fn schedule(&self, menu: Menu, arms: Arms) {
        self.scheduler().start(menu, arms);
    }

    /// What the arms have earned.
    pub fn arms(&self) -> Arms {
        self.scheduler().arms().clone()
    }

    /// The cases of a block are made. Returns how many of their features are new.
    pub fn made(&self, features: &[u64]) -> u64 {
        let new = self.scheduler().new_features(features);
        let count = new.len() as u64;
        lock(&self.pending).features.extend(new);
        count
    }

    /// The solvers have answered a block.
    pub fn answered(&self, block: &BlockYield) {
        self.index().note_asked(&block.held);
        self.scheduler().answered(block);
    }

    /// The cases of a block are tested.
    pub fn finish(&self, block: u64) {
        self.scheduler().claims.finish(block);
    }

    // ---- findings ----

    /// The bugs that are known, with their triggers.
    pub fn known_bugs(&self) -> Arc<Vec<KnownBug>> {
        self.index().known_bugs()
    }

    /// Silences a bug that was reported or found elsewhere.
    pub fn silence(&self, name: &str, trigger: Trigger) {
        self.index().silence(name, trigger);
    }

    /// Whether a suspicion is worth confirming; counts it if it is known.
    pub fn sight(&self, identity: &Identity, context: Context<'_>) -> Sighting {
        self.index().sight(identity, context)
    }

    /// The suspicion was not reproduced.
    pub fn dismiss(&self, identity: &Identity) {
        self.index().dismiss(identity);
    }

    /// Enters a confirmed finding, first on disk; `seen` is what it was taken for before it was confirmed. Returns what
    /// it is worth, see `Index::file`.
    pub fn file(&self, seen: &Identity, finding: &Finding) -> f64 {
        let mut writer = self.writer();
        if self.index().is_duplicate(seen, finding) {
            return 0.0;
        }
        self.save(&mut writer, finding);
        self.index().file(seen, finding)
    }

    fn save(&self, writer: &mut Writer, finding: &Finding) {
        let (known, trouble) = writer.save(finding);
        self.index().count_repeats(&known);
        if let Some(trouble) = trouble {
            self.complain(trouble);
        }
    }

    fn deliver(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let known = writer.deliver()?;
        self.index().count_repeats(&known);
        Ok(())
    }

    /// A finding to reduce, if reducing has not had its share of the time; one at a time.
    pub fn next_reduction(&self, spent: Duration) -> Option<Finding> {
        let is_over = self.scheduler().claims.is_over();
        if !self.index().begin_reduction(spent, is_over) {
            return None;
        }
        let finding = self.index().next_unreduced().or_else(|| {
            let mut writer = self.idle_writer()?;
            let Writer {
                store, deployment, ..
            } = &mut *writer;
            deployment.take_reduction(&mut **store, is_over)
        });
        if finding.is_none() {
            self.index().end_reduction(Duration::ZERO);
        }
        finding
    }

    /// What came of a reduction. A script of a known shape makes its finding a duplicate of the known one.
    pub fn reduced(&self, fingerprint: &str, reduced: Option<Reduced>, took: Duration) {
        let mut writer = self.writer();
        let done = reduced.is_some();
        self.note_reduced(&mut writer, fingerprint, reduced);
        let Writer {
            store, deployment, ..
        } = &mut *writer;
        deployment.end_reduction(&mut **store, done);
        self.index().end_reduction(took);
    }

    fn note_reduced(&self, writer: &mut Writer, fingerprint: &str, reduced: Option<Reduced>) {
        let id = self.index().id(fingerprint);
        let finding = id.and_then(|id| writer.finding(&id));
        let (Some(reduced), Some(mut finding)) = (reduced, finding) else {
            return;
        };
        let shape = reduced.identity.fingerprint;
        finding.take_reduced(reduced.text, reduced.source, reduced.steps);
        finding.reduced_model = reduced.model;
        finding.false_step = reduced.false_step;
        finding.reduced_fingerprint = Some(shape.clone());
        self.index().note_reduced(&mut finding, &shape);
        self.save(writer, &finding);
    }

    /// What earlier runs of the campaign found.
    pub fn past(&self) -> Past {
        let mut past = Past::default();
        let names = self.index().newest_bugs(PAST);
        let mut writer = self.writer();
        for finding in names.iter().filter_map(|id| writer.finding(id)) {
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
    pub fn unsaved(&self) -> Vec<Finding> {
        self.writer().unsaved.clone()
    }

    // ---- seeds, defects, counters ----

    pub fn learned(&self, row: SeedRow) {
        lock(&self.pending).seeds.push(row);
    }

    /// Records a panic; the same one may come a thousand times.
    pub fn defect(&self, row: DefectRow) {
        let mut known = lock(&self.defects);
        if known.len() < DEFECTS && known.insert(row.message.clone()) {
            lock(&self.pending).defects.push(row);
        }
    }

    pub fn known_seeds(&self) -> Result<Vec<SeedRow>, StoreError> {
        self.writer().store.seeds()
    }

    /// What other processes learned about seeds since the last call.
    pub fn news_of_seeds(&self) -> Vec<SeedRow> {
        std::mem::take(&mut lock(&self.foreign_seeds))
    }

    pub fn tally(&self) -> MutexGuard<'_, Tally> {
        lock(&self.tally)
    }

    /// Shows a trouble until the next flush succeeds.
    pub fn complain(&self, trouble: String) {
        *lock(&self.trouble) = Some(trouble);
    }

    /// The last status that an earlier run wrote; none in a shared campaign, where each process has its own.
    pub fn last_status(&self) -> Option<Status> {
        let Writer {
            store, deployment, ..
        } = &mut *self.writer();
        deployment.last_status(&mut **store)
    }

    // ---- writing ----

    /// Sets the bytes that the campaign may take; none is no limit.
    pub fn limit_disk(&self, limit: Option<u64>) {
        self.writer().room.limit(limit);
    }

    /// Writes what waits. What cannot be written is kept and tried again.
    pub fn flush(&self) {
        let mut writer = self.writer();
        let all = writer.deployment.writes_all();
        self.write_down(&mut writer, all);
    }

    /// Writes everything, and returns the blocks that are not finished.
    pub fn close(&self) {
        let mut writer = self.writer();
        self.write_down(&mut writer, true);
        let Writer {
            store, deployment, ..
        } = &mut *writer;
        if let Err(error) = deployment.close(&mut **store) {
            self.complain(error.to_string());
        }
    }

    fn write_down(&self, writer: &mut Writer, all: bool) {
        for finding in std::mem::take(&mut writer.unsaved) {
            self.save(writer, &finding);
        }
        match self.try_flush(writer, all) {
            Ok(()) if writer.unsaved.is_empty() => *lock(&self.trouble) = writer.room.trouble(),
            Ok(()) => {}
            Err(error) => self.complain(writer.worded(&error)),
        }
    }

    fn try_flush(&self, writer: &mut Writer, all: bool) -> Result<(), StoreError> {
        self.renew(writer)?;
        self.fetch(writer)?;
        self.deliver(writer)?;
        if !all {
            return Ok(());
        }
        self.report(writer)?;
        writer.keep_room(|| self.index().names())?;
        self.index().most = writer.room.most();
        match writer.deployment.is_news_due() {
            true => self.read_news(writer),
            false => Ok(()),
        }
    }

    fn renew(&self, writer: &mut Writer) -> Result<(), StoreError> {
        if self.scheduler().claims.must_renew() {
            let now = Instant::now();
            let held = writer.store.renew(&self.owner)?;
            self.scheduler().claims.renewed(now, held);
        }
        Ok(())
    }

    /// Writes all rows that wait and then the finished blocks, so that a kill in between loses nothing.
    fn report(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let finished = self.scheduler().claims.take_finished();
        let mut pending = std::mem::take(&mut *lock(&self.pending));
        pending.add(Pending {
            repeats: self.index().take_repeats(),
            ..Pending::default()
        });
        let written = writer.write(&mut pending);
        let written = written.and_then(|()| writer.store.finish(&self.owner, &finished));
        if written.is_err() {
            self.scheduler().claims.keep_finished(finished);
            let mut later = lock(&self.pending);
            pending.add(std::mem::take(&mut *later));
            *later = pending;
        }
        written
    }

    /// Reads what other processes wrote, or earlier runs.
    fn read_news(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let Writer {
            store, deployment, ..
        } = writer;
        let news = deployment.news(&mut **store)?;
        let arms = deployment.arms_of_all(&mut **store)?;
        self.scheduler().hear(&news.features, arms);
        let mut index = self.index();
        for row in &news.findings {
            if let Ok(finding) = Finding::from_json(&row.json) {
                index.take_in(&finding, row.repeats);
            }
        }
        lock(&self.foreign_seeds).extend(news.seeds);
        Ok(())
    }

    pub fn put_status(&self, status: &Status) {
        let mut writer = self.writer();
        let Writer {
            store, deployment, ..
        } = &mut *writer;
        let fill = |sum: &mut Status| {
            self.index().describe(sum);
            sum.unsaved = status.unsaved;
            sum.trouble.clone_from(&status.trouble);
            (sum.disk, sum.disk_limit) = (status.disk, status.disk_limit);
        };
        if let Err(error) = deployment.put_status(&mut **store, status, &fill) {
            self.complain(writer.worded(&error));
        }
    }

    /// Fills in what the ledger knows.
    pub fn describe(&self, status: &mut Status) {
        self.index().describe(status);
        status.arms = self.arms();
        status.trouble.clone_from(&lock(&self.trouble));
        let writer = self.writer();
        status.unsaved = writer.unsaved.len() + writer.undelivered.len();
        (status.disk, status.disk_limit) = writer.room.state();
    }
}

/// A unique name for this run: process numbers are used again.
pub fn owner() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let machine = machine.unwrap_or_default();
    format!("{}-{}-{nanos:x}", machine.trim(), std::process::id())
}

#[cfg(test)]
mod tests;
