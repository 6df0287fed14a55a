//! A running campaign: its workers, its clock, and its state for whoever shows it.

use crate::findings::finding::Finding;
use crate::findings::folder::{Folder, FolderError};
use crate::findings::ignore::IgnoreRow;
use crate::judge::arbitrate::Neighbours;
use crate::ledger::Ledger;
use crate::panics;
use crate::run::stats::{Status, Tally};
use crate::run::team::Team;
use crate::run::worker;
use crate::schedule::growth::Growth;
use crate::schedule::maker::Maker;
use crate::schedule::plan::BLOCK;
use crate::seeds::pool::{Facts, Pool};
use crate::store::{CampaignRow, DefectRow, ScriptRow, SeedRow, Sqlite, Store, StoreError};
use auspex_cases::Budget;
use auspex_solvers::Mode;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A worker's stack: terms may be deep. Memory that is not touched costs nothing.
const STACK: usize = 256 << 20;
/// Over how many seconds the current rate is taken.
const RATE_SPAN: f64 = 5.0;
/// Seconds between two rows of statistics; of one process among many.
const STATISTICS_EVERY: f64 = 5.0;
const SHARED_STATISTICS_EVERY: f64 = 10.0;

/// Number, strategy and hash of each case of a block.
pub type Trace = Box<dyn Fn(Vec<(u64, &'static str, u64)>) + Send + Sync>;

/// Everything a campaign needs to start.
pub struct Setup {
    pub maker: Maker,
    pub team: Team,
    pub pool: Pool,
    pub out: PathBuf,
    /// Where the campaign is if other machines work on it, too; else in a file of the folder.
    pub store: Option<Box<dyn Store>>,
    pub workers: usize,
    /// Bytes that the folder may take; none is no limit.
    pub disk_limit: Option<u64>,
    /// Stop after so many cases of the campaign.
    pub cases: Option<u64>,
    pub ignore: Vec<IgnoreRow>,
    /// The only modes in which solvers are asked; empty means all, mixed.
    pub modes: Vec<Mode>,
    /// The settings that decide which cases are made, as JSON; kept with the campaign.
    pub settings: String,
    /// Shrink findings while the campaign goes on.
    pub reduce: bool,
    /// Every block begins with new processes, and nothing follows the answers: two runs ask the same in the same way.
    pub steady: bool,
    /// Look for nothing that is no bug.
    pub bugs_only: bool,
    /// Told of every case that is made.
    pub trace: Option<Trace>,
}

/// What all workers see.
pub struct Shared {
    pub maker: Maker,
    pub team: Team,
    pub pool: Pool,
    pub growth: Growth,
    pub ignore: Vec<IgnoreRow>,
    pub reduce: bool,
    pub modes: Vec<Mode>,
    pub steady: bool,
    pub bugs_only: bool,
    /// Whether other machines may work on it, too.
    pub is_shared: bool,
    pub stop: AtomicBool,
    stopped: OnceLock<Instant>,
    pub pause: AtomicBool,
    pub trace: Option<Trace>,
    neighbours: OnceLock<Neighbours>,
    running: AtomicUsize,
    /// How many seeds were given out to be looked at.
    looked: AtomicUsize,
    ledger: Mutex<Ledger>,
    started: Instant,
    workers: usize,
}

impl Shared {
    /// The common books. A panic while they are open leaves them usable: every entry is made whole.
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seed that may not have come up yet; each is given out once, in an order that mixes folders.
    pub fn next_seed(&self) -> Option<usize> {
        /// A prime: unless their number is a multiple of it, all seeds come up.
        const STEP: usize = 7919;
        let mut strategies = self.maker.strategies.iter();
        let count = self.pool.seeds.len();
        if self.steady || !strategies.any(|strategy| strategy.needs_seeds()) {
            return None;
        }
        loop {
            let turn = self.looked.fetch_add(1, Ordering::Relaxed);
            if turn >= count {
                return None;
            }
            let place = turn * STEP % count;
            if self.pool.seeds[place].facts.get().is_none() {
                return Some(place);
            }
        }
    }

    /// Solvers of this machine that are not in the team; looked for when they are needed first.
    pub fn neighbours(&self) -> &Neighbours {
        self.neighbours.get_or_init(|| Neighbours::of(&self.team))
    }

    /// How closely answers are looked at first; a confirmation is thorough, and demands the whole time limit.
    pub fn budget(&self) -> Budget {
        let heeds_clock = !self.steady && !self.bugs_only;
        match self.steady {
            true => Budget::THOROUGH,
            false => Budget {
                slow_from: heeds_clock.then(|| self.team.patience() / 2),
                ..Budget::QUICK
            },
        }
    }

    /// The time that all workers have spent so far.
    pub fn spent(&self) -> Duration {
        self.started.elapsed() * self.workers as u32
    }
}

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

/// How long a worker may take to stop: a case in hand is confirmed, a seed learnt.
const GRACE: Duration = Duration::from_secs(60);

/// A campaign that runs.
pub struct Campaign {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    clock: Clock,
    count: usize,
    grace: Duration,
    /// What earlier runs of the campaign have done.
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
}

impl Campaign {
    /// Opens the folder, takes up what an earlier run left, and starts the workers.
    pub fn start(mut setup: Setup) -> Result<Campaign, StartProblem> {
        if setup.team.members.is_empty() {
            return Err(StartProblem::NoSolver);
        }
        let folder = Folder::create(&setup.out)?;
        let shared = setup.store.is_some();
        let mut store = match setup.store.take() {
            Some(store) => store,
            None => Box::new(Sqlite::create(&folder.database())?),
        };
        let wanted = CampaignRow {
            seed: setup.maker.seed,
            settings: setup.settings.clone(),
            started: now(),
        };
        let row = store.open(&wanted)?;
        setup.maker.seed = row.seed;
        folder.belongs_to(shared.then_some(&row))?;
        if shared {
            share_seeds(&mut *store, &mut setup.pool)?;
        }
        let last = setup
            .cases
            .map(|cases| cases.div_ceil(BLOCK).saturating_sub(1));
        let mut ledger = Ledger::open(store, folder, setup.maker.names(), last)?;
        ledger.limit_disk(setup.disk_limit);
        let past = ledger.past();
        setup.pool.favour(&past.scripts, &past.bugs);
        setup.pool.restore(past.grown);
        recall_seeds(&mut ledger, &setup)?;
        let before = ledger.last_status();
        let bandit = before.as_ref().map(|status| status.bandit.clone());
        let variants = setup.team.variants();
        let titles = setup.team.members[variants].iter();
        let titles = titles.map(|member| member.title.clone()).collect();
        ledger.schedule(titles, bandit.unwrap_or_default(), setup.reduce);
        let resumed = before.is_some();
        let is_shared = shared;
        let shared = Arc::new(Shared {
            growth: Growth::new(setup.maker.seed),
            maker: setup.maker,
            team: setup.team,
            pool: setup.pool,
            ignore: setup.ignore,
            reduce: setup.reduce,
            modes: setup.modes,
            steady: setup.steady,
            bugs_only: setup.bugs_only,
            is_shared,
            stop: AtomicBool::new(false),
            stopped: OnceLock::new(),
            pause: AtomicBool::new(false),
            trace: setup.trace,
            neighbours: OnceLock::new(),
            running: AtomicUsize::new(0),
            looked: AtomicUsize::new(0),
            ledger: Mutex::new(ledger),
            started: Instant::now(),
            workers: setup.workers.max(1),
        });
        let mut campaign = Campaign {
            shared,
            workers: Vec::new(),
            clock: Clock::start(),
            count: setup.workers.max(1),
            grace: GRACE,
            before: before.unwrap_or_default(),
            resumed,
        };
        campaign.start_workers()?;
        Ok(campaign)
    }

    fn start_workers(&mut self) -> Result<(), StartProblem> {
        self.shared.running.store(self.count, Ordering::SeqCst);
        for number in 0..self.count {
            let shared = Arc::clone(&self.shared);
            let work = move || {
                panics::watch();
                let _ =
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| worker::run(&shared)));
                shared.running.fetch_sub(1, Ordering::SeqCst);
            };
            let builder = std::thread::Builder::new()
                .name(format!("worker-{number}"))
                .stack_size(STACK);
            match builder.spawn(work) {
                Ok(handle) => self.workers.push(handle),
                Err(error) => {
                    self.shared
                        .running
                        .fetch_sub(self.count - number, Ordering::SeqCst);
                    self.stop();
                    return Err(StartProblem::Thread(error));
                }
            }
        }
        Ok(())
    }

    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Whether an earlier run of the same folder is continued.
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// Whether other machines may work on it, too.
    pub fn is_shared(&self) -> bool {
        self.shared.is_shared
    }

    pub fn seed(&self) -> u64 {
        self.shared.maker.seed
    }

    pub fn pause(&self, pause: bool) {
        self.shared.pause.store(pause, Ordering::Relaxed);
    }

    pub fn is_paused(&self) -> bool {
        self.shared.pause.load(Ordering::Relaxed)
    }

    /// Asks the workers to stop after the case in hand.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.stopped.get_or_init(Instant::now);
    }

    /// How long a worker may take to stop.
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Campaign {
        self.grace = grace;
        self
    }

    /// Whether all workers have ended, or have had time enough for it.
    pub fn is_over(&self) -> bool {
        let stopped = self.shared.stopped.get();
        self.shared.running.load(Ordering::SeqCst) == 0
            || stopped.is_some_and(|at| at.elapsed() > self.grace)
    }

    pub fn elapsed(&self) -> Duration {
        self.clock.started.elapsed()
    }

    /// Writes down what has gathered; to be called about once a second.
    pub fn tick(&mut self) -> Status {
        self.shared.ledger().flush();
        let seeds = self.shared.ledger().news_of_seeds();
        let shared = &self.shared;
        recall(&shared.pool, &shared.team, &shared.maker, seeds);
        let status = self.status();
        let every = match self.shared.is_shared {
            true => SHARED_STATISTICS_EVERY,
            false => STATISTICS_EVERY,
        };
        if status.elapsed - self.clock.written >= every {
            self.clock.written = status.elapsed;
            self.shared.ledger().put_status(&status);
        }
        status
    }

    /// The state right now.
    pub fn status(&mut self) -> Status {
        let elapsed = self.elapsed().as_secs_f64();
        let run = self.shared.ledger().tally.clone();
        let rate_now = self.clock.rate(elapsed, run.cases);
        let (used, aside) = self.shared.pool.counts();
        let mut tally: Tally = self.before.tally.clone();
        tally.add(&run);
        let starts: u64 = run.solvers.values().map(|s| s.starts).sum();
        let ended: u64 = run.solvers.values().map(|s| s.recycled + s.killed).sum();
        let mut status = Status {
            at: now(),
            seed: self.shared.maker.seed,
            elapsed,
            elapsed_all: self.before.elapsed_all + elapsed,
            rate_now,
            rate: run.cases as f64 / elapsed.max(0.001),
            tally,
            workers: self.count,
            sessions: starts.saturating_sub(ended),
            seeds: self.shared.pool.seeds.len(),
            seeds_used: used,
            seeds_aside: aside,
            seeds_skipped: self.shared.pool.skipped.values().sum(),
            own_cpu: own_cpu() - self.clock.own_cpu,
            solver_cpu: (auspex_solvers::process::spent() - self.clock.solver_cpu).as_secs_f64(),
            memory: own_memory(),
            paused: self.is_paused(),
            over: self.is_over(),
            ..Status::default()
        };
        self.shared.ledger().describe(&mut status);
        status
    }

    /// A worker that does not stop must not hold up the rest: what it found before is on disk.
    fn leave_behind(&self, worker: &JoinHandle<()>) {
        let name = worker.thread().name().unwrap_or("a worker").to_string();
        let message = format!("did not stop within {:?} and was abandoned", self.grace);
        let mut ledger = self.shared.ledger();
        ledger.tally.defects += 1;
        ledger.defect(DefectRow {
            replay: name,
            message,
        });
    }

    /// Waits for the workers and writes everything down; the last status, and findings that fit on no disk.
    pub fn end(mut self) -> (Status, Vec<Finding>) {
        self.stop();
        while !self.is_over() {
            std::thread::sleep(Duration::from_millis(20));
        }
        for worker in std::mem::take(&mut self.workers) {
            if self.shared.running.load(Ordering::SeqCst) == 0 || worker.is_finished() {
                let _ = worker.join();
            } else {
                self.leave_behind(&worker);
            }
        }
        self.shared.ledger().close();
        let status = self.status();
        self.shared.ledger().put_status(&status);
        let unsaved = self.shared.ledger().unsaved().to_vec();
        (status, unsaved)
    }
}

/// What earlier runs learned about seeds with the same solvers.
fn recall_seeds(ledger: &mut Ledger, setup: &Setup) -> Result<(), StoreError> {
    let rows = ledger.known_seeds()?;
    recall(&setup.pool, &setup.team, &setup.maker, rows);
    Ok(())
}

fn recall(pool: &Pool, team: &Team, maker: &Maker, rows: Vec<SeedRow>) {
    if rows.is_empty() {
        return;
    }
    let team = format!("-{}", team.key());
    let mut facts: HashMap<String, Facts> = HashMap::new();
    for row in rows {
        let key = row.key.strip_suffix(&team);
        if let (Some(key), Ok(known)) = (key, serde_json::from_str::<Facts>(&row.facts))
            && !(known.brief && maker.wants_models())
        {
            facts.insert(key.to_string(), known);
        }
    }
    pool.recall(&facts);
}

/// Every machine works with the seeds of all, as far as they are known when it begins.
fn share_seeds(store: &mut dyn Store, pool: &mut Pool) -> Result<(), StoreError> {
    let there = store.scripts()?;
    let known: HashSet<&str> = there.iter().map(|row| row.key.as_str()).collect();
    // A database's texts hold no zero byte.
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

/// Seconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
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
