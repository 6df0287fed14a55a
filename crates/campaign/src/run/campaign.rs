//! A running campaign: start, workers, status, end.

use crate::clock::now;
use crate::findings::finding::Finding;
use crate::findings::folder::{Folder, FolderError};
use crate::ledger::Ledger;
use crate::panics;
use crate::run::experience::Experience;
use crate::run::memory::Memory;
pub use crate::run::state::{CampaignState, Part, Setup, Trace};
use crate::run::worker;
use crate::schedule::arms::Arms;
use crate::schedule::plan::BLOCK;
use crate::schedule::walk::Walk;
use crate::seeds::pool::{Facts, Pool};
use crate::status::{OperatorTally, Status, Tally};
use crate::store::{CampaignRow, DefectRow, ScriptRow, SeedRow, Sqlite, Store, StoreError};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The size of a worker's stack: terms may be deep, and untouched memory costs nothing.
const STACK: usize = 256 << 20;
/// The time span of the current rate, in seconds.
const RATE_SPAN: f64 = 5.0;
/// Seconds between two rows of statistics; in a shared campaign.
const STATISTICS_EVERY: f64 = 5.0;
const SHARED_STATISTICS_EVERY: f64 = 10.0;
/// Seconds between two times that what was learned is kept for later campaigns.
const EXPERIENCE_EVERY: f64 = 60.0;

/// Why a campaign cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartProblem {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the chosen strategies need seeds, and no seed can be used")]
    NothingToDo,
    #[error("no solver is available")]
    NoSolver,
    #[error("cannot start a worker: {0}")]
    Thread(std::io::Error),
}

/// How long a worker may take to stop: it finishes a confirmation or a seed first.
const GRACE: Duration = Duration::from_secs(60);

/// A running campaign.
pub struct Campaign {
    state: Arc<CampaignState>,
    workers: Vec<JoinHandle<()>>,
    clock: Clock,
    grace: Duration,
    /// The counts of earlier runs of the campaign.
    before: Status,
    resumed: bool,
}

struct Clock {
    started: Instant,
    own_cpu: f64,
    solver_cpu: Duration,
    /// Seconds since the start, and cases up to then.
    rates: VecDeque<(f64, u64)>,
    written: f64,
    learned: f64,
}

impl Campaign {
    /// Opens the folder, continues an earlier run if there is one, and starts the workers.
    pub fn start(mut setup: Setup) -> Result<Campaign, StartProblem> {
        let folder = setup.folder()?;
        let mut store = Box::new(Sqlite::create(&folder.database())?);
        setup.begin(&mut *store)?;
        folder.belongs_to(None)?;
        Campaign::open(setup, folder, store, false)
    }

    /// Joins a campaign that other machines may work on, too.
    pub fn join(mut setup: Setup, mut store: Box<dyn Store>) -> Result<Campaign, StartProblem> {
        let folder = setup.folder()?;
        let row = setup.begin(&mut *store)?;
        folder.belongs_to(Some(&row))?;
        share_seeds(&mut *store, &mut setup.pool)?;
        Campaign::open(setup, folder, store, true)
    }

    fn open(
        mut setup: Setup,
        folder: Folder,
        store: Box<dyn Store>,
        is_shared: bool,
    ) -> Result<Campaign, StartProblem> {
        setup.workers = setup.workers.max(1);
        let ledger = Ledger::open(store, folder, setup.last_block(), setup.reduce)?;
        ledger.limit_disk(setup.disk_limit);
        let past = ledger.past();
        let elsewhere = setup.memory.as_ref().map(Memory::scripts);
        let scripts: Vec<_> = past
            .scripts
            .into_iter()
            .chain(elsewhere.unwrap_or_default())
            .collect();
        setup.pool.favour(&scripts, &past.bugs);
        setup.pool.restore(past.grown);
        if let Some(aim) = &setup.aim {
            setup.pool.direct(&aim.seeds);
        }
        recall(&setup, ledger.known_seeds()?);
        let before = ledger.last_status();
        let before_arms = before.as_ref().map(|status| status.arms.hint());
        let arms = match setup.lacks(Part::Schedule) {
            true => Arms::default(),
            false => before_arms.unwrap_or_else(|| Experience::of(&setup).arms()),
        };
        ledger.schedule(setup.menu(), arms);
        for (name, trigger) in std::mem::take(&mut setup.known) {
            ledger.silence(&name, trigger);
        }
        let walk = match &before {
            Some(before) => before.walk.clone(),
            None => setup.walk(),
        };
        let walk = walk.over(&setup.maker.theories);
        let mut campaign = Campaign {
            state: Arc::new(CampaignState::new(setup, ledger, walk, is_shared)),
            workers: Vec::new(),
            clock: Clock::start(),
            grace: GRACE,
            resumed: before.is_some(),
            before: before.unwrap_or_default(),
        };
        campaign.start_workers()?;
        Ok(campaign)
    }

    fn start_workers(&mut self) -> Result<(), StartProblem> {
        let count = self.state.setup.workers;
        self.state.running.store(count, Ordering::SeqCst);
        for number in 0..count {
            let state = Arc::clone(&self.state);
            let work = move || {
                panics::watch();
                let _ = catch_unwind(AssertUnwindSafe(|| worker::run(&state)));
                state.running.fetch_sub(1, Ordering::SeqCst);
            };
            let builder = std::thread::Builder::new()
                .name(format!("worker-{number}"))
                .stack_size(STACK);
            match builder.spawn(work) {
                Ok(handle) => self.workers.push(handle),
                Err(error) => {
                    let missing = count - number;
                    self.state.running.fetch_sub(missing, Ordering::SeqCst);
                    self.state.stop();
                    return Err(StartProblem::Thread(error));
                }
            }
        }
        Ok(())
    }

    pub fn state(&self) -> &CampaignState {
        &self.state
    }

    /// The state, for threads that outlive a borrow.
    pub fn shared_state(&self) -> Arc<CampaignState> {
        Arc::clone(&self.state)
    }

    /// Whether an earlier run of the same folder is continued.
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// Whether other machines may work on it, too.
    pub fn is_shared(&self) -> bool {
        self.state.is_shared
    }

    pub fn seed(&self) -> u64 {
        self.state.setup.maker.seed
    }

    pub fn pause(&self, pause: bool) {
        self.state.pause(pause);
    }

    pub fn is_paused(&self) -> bool {
        self.state.is_paused()
    }

    /// Asks the workers to stop after the current case.
    pub fn stop(&self) {
        self.state.stop();
    }

    /// How long a worker may take to stop.
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Campaign {
        self.grace = grace;
        self
    }

    /// Whether all workers have ended, or have had enough time to.
    pub fn is_over(&self) -> bool {
        let stopping = self.state.stopping_for();
        self.state.running.load(Ordering::SeqCst) == 0
            || stopping.is_some_and(|time| time > self.grace)
    }

    pub fn elapsed(&self) -> Duration {
        self.clock.started.elapsed()
    }

    /// Writes pending data; to be called about once a second.
    pub fn tick(&mut self) -> Status {
        self.state.ledger().flush();
        let seeds = self.state.ledger().news_of_seeds();
        recall(&self.state.setup, seeds);
        let status = self.status();
        let every = match self.is_shared() {
            true => SHARED_STATISTICS_EVERY,
            false => STATISTICS_EVERY,
        };
        if status.elapsed - self.clock.written >= every {
            self.clock.written = status.elapsed;
            self.state.ledger().put_status(&status);
        }
        if status.elapsed - self.clock.learned >= EXPERIENCE_EVERY {
            self.clock.learned = status.elapsed;
            self.keep_experience();
        }
        status
    }

    /// What solvers were asked about, in all runs.
    fn operators(&self) -> BTreeMap<String, OperatorTally> {
        let table = &self.state.setup.maker.table;
        let mut operators = self.before.operators.clone();
        for (row, met) in &self.state.ledger().tally().operators {
            let name = table.rows()[*row as usize].name.to_string();
            *operators.entry(name).or_default() += *met;
        }
        operators
    }

    /// Keeps what was learned for later campaigns on this machine.
    fn keep_experience(&self) {
        let setup = &self.state.setup;
        if !setup.lacks(Part::Schedule) {
            let arms = self.state.ledger().arms();
            Experience::of(setup).keep(arms);
        }
    }

    /// The current state.
    pub fn status(&mut self) -> Status {
        let elapsed = self.elapsed().as_secs_f64();
        let run = self.state.ledger().tally().clone();
        let rate_now = self.clock.rate(elapsed, run.cases);
        let (used, set_aside) = self.state.pool().counts();
        let mut tally: Tally = self.before.tally.clone();
        tally.add(&run);
        let starts: u64 = run.solvers.values().map(|s| s.starts).sum();
        let ended: u64 = run.solvers.values().map(|s| s.recycled + s.killed).sum();
        let mut status = Status {
            at: now(),
            seed: self.seed(),
            elapsed,
            elapsed_all: self.before.elapsed_all + elapsed,
            rate_now,
            rate: run.cases as f64 / elapsed.max(0.001),
            tally,
            workers: self.state.setup.workers,
            sessions: starts.saturating_sub(ended),
            seeds: self.state.pool().seeds.len(),
            seeds_used: used,
            seeds_set_aside: set_aside,
            seeds_skipped: self.state.pool().skipped.values().sum(),
            walk: self.state.walk().clone(),
            edges: self.state.reached.edges(),
            seeds_reaching: self.state.reached.guide.count(),
            own_cpu: own_cpu() - self.clock.own_cpu,
            solver_cpu: (auspex_solvers::process::spent() - self.clock.solver_cpu).as_secs_f64(),
            memory: own_memory(),
            paused: self.is_paused(),
            over: self.is_over(),
            ..Status::default()
        };
        self.state.ledger().describe(&mut status);
        status
    }

    /// Keeps the scripts of bugs and the end of the walk for later campaigns.
    fn remember(&self) {
        let setup = &self.state.setup;
        if let Some(memory) = &setup.memory {
            let past = self.state.ledger().past();
            let scripts = past.scripts.iter().map(|(_, text)| text.as_str());
            memory.keep_scripts(scripts);
            memory.keep_walk(&setup.releases(), self.state.walk().done());
        }
    }

    /// Abandons a worker that does not stop; its earlier findings are on disk.
    fn leave_behind(&self, worker: &JoinHandle<()>) {
        let name = worker.thread().name().unwrap_or("a worker").to_string();
        let message = format!("did not stop within {:?} and was abandoned", self.grace);
        let ledger = self.state.ledger();
        ledger.tally().defects += 1;
        ledger.defect(DefectRow {
            replay: name,
            message,
        });
    }

    /// Waits for the workers and writes everything; returns the last status, and findings that could not be written.
    pub fn end(mut self) -> (Status, Vec<Finding>) {
        self.stop();
        while !self.is_over() {
            std::thread::sleep(Duration::from_millis(20));
        }
        for worker in std::mem::take(&mut self.workers) {
            if self.state.running.load(Ordering::SeqCst) == 0 || worker.is_finished() {
                let _ = worker.join();
            } else {
                self.leave_behind(&worker);
            }
        }
        self.state.ledger().close();
        self.remember();
        self.keep_experience();
        let mut status = self.status();
        status.operators = self.operators();
        self.state.ledger().put_status(&status);
        let unsaved = self.state.ledger().unsaved();
        (status, unsaved)
    }
}

impl Setup {
    /// The folder of the campaign.
    fn folder(&self) -> Result<Folder, StartProblem> {
        match self.team.members.is_empty() {
            true => Err(StartProblem::NoSolver),
            false => Ok(Folder::create(&self.out)?),
        }
    }

    /// Starts the campaign of a store, or continues an existing one with its seed.
    fn begin(&mut self, store: &mut dyn Store) -> Result<CampaignRow, StoreError> {
        let row = store.open(&CampaignRow {
            seed: self.maker.seed,
            settings: self.settings.clone(),
            started: now(),
        })?;
        self.maker.seed = row.seed;
        Ok(row)
    }

    /// The releases that a walk is remembered for, with the theories if not all are walked.
    fn releases(&self) -> Vec<String> {
        let names: Vec<&str> = self.maker.theories.iter().map(|one| one.name()).collect();
        let about = names.join(",");
        let specs = self.maker.vocabularies.specs().into_iter();
        specs
            .map(|spec| format!("{spec} {about}").trim_end().to_string())
            .collect()
    }

    /// The walk of a new campaign.
    fn walk(&self) -> Walk {
        let memory = self.memory.as_ref();
        Walk::from(memory.map_or(0, |memory| memory.walked(&self.releases())))
    }

    fn last_block(&self) -> Option<u64> {
        let blocks = self.cases.map(|cases| cases.div_ceil(BLOCK));
        blocks.map(|blocks| blocks.saturating_sub(1))
    }
}

/// Loads what was learned about seeds with the same solvers, in earlier runs or on other machines.
fn recall(setup: &Setup, rows: Vec<SeedRow>) {
    if rows.is_empty() {
        return;
    }
    let team = format!("-{}", setup.team.key());
    let mut facts: HashMap<String, Facts> = HashMap::new();
    for row in rows {
        let key = row.key.strip_suffix(&team);
        if let (Some(key), Ok(known)) = (key, serde_json::from_str::<Facts>(&row.facts))
            && !(known.brief && setup.maker.wants_models())
        {
            facts.insert(key.to_string(), known);
        }
    }
    setup.pool.recall(&facts);
}

/// Shares seeds: every machine uses those of all machines that are known when it starts.
fn share_seeds(store: &mut dyn Store, pool: &mut Pool) -> Result<(), StoreError> {
    let there = store.scripts()?;
    let known: HashSet<&str> = there.iter().map(|row| row.key.as_str()).collect();
    // PostgreSQL's texts cannot contain a zero byte.
    let ours = pool.seeds.iter().filter(|seed| !seed.text.contains('\0'));
    let new = ours.filter(|seed| !known.contains(seed.key.as_str()));
    let rows: Vec<ScriptRow> = new
        .map(|seed| ScriptRow {
            key: seed.key.clone(),
            name: seed.name.clone(),
            text: seed.text.clone(),
        })
        .collect();
    store.put_scripts(&rows)?;
    pool.add(there.into_iter().map(|row| (row.name, row.text)));
    Ok(())
}

impl Clock {
    fn start() -> Clock {
        Clock {
            started: Instant::now(),
            own_cpu: own_cpu(),
            solver_cpu: auspex_solvers::process::spent(),
            rates: VecDeque::new(),
            written: 0.0,
            learned: 0.0,
        }
    }

    fn rate(&mut self, elapsed: f64, cases: u64) -> f64 {
        self.rates.push_back((elapsed, cases));
        while self.rates.len() > 2 && self.rates[1].0 < elapsed - RATE_SPAN {
            self.rates.pop_front();
        }
        let (then, before) = self.rates[0];
        (cases - before) as f64 / (elapsed - then).max(0.001)
    }
}

/// Processor seconds of this process without its children.
fn own_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / rustix::param::clock_ticks_per_second() as f64
}

/// Resident memory of this process in bytes.
fn own_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split_whitespace()
        .nth(1)
        .and_then(|p| p.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}
