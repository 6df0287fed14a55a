//! The setup of a campaign, and the state that its workers share.

use crate::coverage::{Aim, Reached};
use crate::findings::ignore::IgnoreRow;
use crate::findings::trigger::Trigger;
use crate::judge::arbitrate::Neighbours;
use crate::ledger::Ledger;
use crate::run::memory::Memory;
use crate::schedule::growth::Growth;
use crate::schedule::maker::Maker;
use crate::schedule::plan::{BLOCK, BlockPlan, Menu, Weights, choose};
use crate::schedule::walk::{self, Walk};
use crate::seeds::pool::Pool;
use crate::seeds::probe::{Detail, SeedProbe};
use crate::team::configuration::OptionSpace;
use crate::team::sweep::{Class, Sweep};
use crate::team::{Team, WorkerSessions};
use auspex_cases::{Budget, Draw};
use auspex_solvers::Mode;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Number, strategy and hash of each case of a block.
pub type Trace = Box<dyn Fn(Vec<(u64, &'static str, u64)>) + Send + Sync>;

/// Everything a campaign needs to start.
pub struct Setup {
    pub maker: Maker,
    pub team: Team,
    /// The options that solvers are asked under now and then.
    pub options: OptionSpace,
    pub pool: Pool,
    pub out: PathBuf,
    pub workers: usize,
    /// The limit of disk space; none means no limit.
    pub disk_limit: Option<u64>,
    /// Stop after this many cases.
    pub cases: Option<u64>,
    pub ignore: Vec<IgnoreRow>,
    /// The modes in which solvers are asked; empty means a mix of all.
    pub modes: Vec<Mode>,
    /// The settings that decide which cases are made, as JSON; stored with the campaign.
    pub settings: String,
    /// Reduce findings while the campaign runs.
    pub reduce: bool,
    /// Start every block with new processes and let nothing follow the answers, so that two runs ask the same queries
    /// in the same way.
    pub steady: bool,
    /// Look for bugs only.
    pub bugs_only: bool,
    /// What the campaign does without, to measure what it is worth.
    pub without: Vec<Part>,
    /// Bugs that are known from elsewhere: a name, and what a script must hold to show it.
    pub known: Vec<(String, Trigger)>,
    /// What is kept for later campaigns of the same user; none if nothing is.
    pub memory: Option<Memory>,
    /// Mutants that reach new edges of an instrumented solver become seeds.
    pub guided: bool,
    /// The change that it is directed at.
    pub aim: Option<Aim>,
    /// Called for every case that is made.
    pub trace: Option<Trace>,
}

/// A part of a campaign that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Learning which arms pay.
    Schedule,
    /// Silence about known bugs.
    Silence,
    /// Blocks about one theory or two.
    Theories,
    /// Trying every option once.
    Sweep,
}

impl Part {
    pub const ALL: [(&'static str, Part); 4] = [
        ("schedule", Part::Schedule),
        ("silence", Part::Silence),
        ("theories", Part::Theories),
        ("sweep", Part::Sweep),
    ];

    pub fn named(name: &str) -> Option<Part> {
        let mut all = Part::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, part)| part)
    }
}

impl Setup {
    /// Whether a part is left out. A steady campaign learns nothing, so that two runs do the same.
    pub fn lacks(&self, part: Part) -> bool {
        let learns = matches!(part, Part::Schedule | Part::Silence | Part::Sweep);
        self.without.contains(&part) || (self.steady && learns)
    }

    /// The sweep over all options, unless the campaign does without.
    fn sweep(&self) -> Sweep {
        let space = match self.lacks(Part::Sweep) {
            true => &OptionSpace::default(),
            false => &self.options,
        };
        let single = self.maker.single_theories();
        let theories = match &single[..] {
            [] => &self.maker.theories,
            some => some,
        };
        Sweep::over(space, theories, self.maker.seed)
    }

    /// What blocks can be made and asked with.
    pub fn menu(&self) -> Menu {
        let single = match self.lacks(Part::Theories) {
            true => Vec::new(),
            false => self.maker.single_theories(),
        };
        Menu::new(&self.maker.strategies, single, &self.options.groups)
    }
}

/// The state that all workers share.
pub struct CampaignState {
    pub setup: Setup,
    pub menu: Menu,
    pub growth: Growth,
    pub reached: Reached,
    pub sweep: Sweep,
    /// Whether other machines may work on it, too.
    pub is_shared: bool,
    stop: AtomicBool,
    stopped: OnceLock<Instant>,
    pause: AtomicBool,
    neighbours: OnceLock<Neighbours>,
    /// How many workers run.
    pub(super) running: AtomicUsize,
    /// How many seeds were handed out to be probed.
    probed: AtomicUsize,
    ledger: Ledger,
    /// The seeds since others came while the campaign ran.
    grown_pool: OnceLock<Pool>,
    walk: Mutex<Walk>,
    started: Instant,
}

impl CampaignState {
    pub(super) fn new(setup: Setup, ledger: Ledger, walk: Walk, is_shared: bool) -> CampaignState {
        CampaignState {
            grown_pool: OnceLock::new(),
            walk: Mutex::new(walk),
            growth: Growth::new(setup.maker.seed),
            menu: setup.menu(),
            sweep: setup.sweep(),
            reached: Reached::new(&setup.team, setup.maker.seed, setup.aim.clone()),
            setup,
            is_shared,
            stop: AtomicBool::new(false),
            stopped: OnceLock::new(),
            pause: AtomicBool::new(false),
            neighbours: OnceLock::new(),
            running: AtomicUsize::new(0),
            probed: AtomicUsize::new(0),
            ledger,
            started: Instant::now(),
        }
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Asks the workers to stop after the current case.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stopped.get_or_init(Instant::now);
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// How long ago the campaign was asked to stop.
    pub(super) fn stopping_for(&self) -> Option<Duration> {
        self.stopped.get().map(Instant::elapsed)
    }

    pub fn pause(&self, pause: bool) {
        self.pause.store(pause, Ordering::Relaxed);
    }

    pub fn is_paused(&self) -> bool {
        self.pause.load(Ordering::Relaxed)
    }

    /// The plan of a block, restricted to the modes that the user allows.
    pub fn plan(&self, block: u64, weights: &Weights) -> BlockPlan {
        let maker = &self.setup.maker;
        let files = self.pool().share();
        let mut plan = choose(maker.seed, block, (&self.menu, weights), files);
        if let Some(swept) = self.swept(&plan) {
            return self.allowed(swept);
        }
        plan.strategy = walk::strategy(&maker.strategies, plan.strategy, block);
        let strategy = maker.strategies[plan.strategy];
        plan.keep_seeds(strategy, maker.seed, files);
        let targets = maker.targets(strategy, block * BLOCK);
        // A walk goes through the campaign's theories in its own order.
        plan.theories
            .retain(|theory| targets.know(*theory) && !strategy.is_walk());
        self.allowed(plan)
    }

    /// A plan with a mode that the user allows.
    fn allowed(&self, mut plan: BlockPlan) -> BlockPlan {
        let modes = &self.setup.modes;
        if !modes.is_empty() && !modes.contains(&plan.mode) {
            plan.mode = modes[plan.block as usize % modes.len()];
        }
        plan
    }

    /// The plan of a block as part of the sweep over all options, if it is one and the campaign has a strategy for it.
    fn swept(&self, plan: &BlockPlan) -> Option<BlockPlan> {
        let affordable = self.sweep.is_affordable(self.worked());
        let class = Class::of(plan.block).filter(|_| affordable)?;
        let strategy = *self.knowing().first()?;
        let Setup { maker, team, .. } = &self.setup;
        let targets = maker.targets(maker.strategies[strategy], plan.block * BLOCK);
        let is_target = |member: usize| {
            let spec = &team.members[member].vocabulary.spec;
            targets.includes(maker.vocabularies.position(spec))
        };
        let turn = self.sweep.turn(class, is_target)?;
        let mut plan = BlockPlan {
            strategy,
            ..plan.clone()
        };
        plan.join_sweep(turn);
        Some(plan)
    }

    /// The general strategies, those that walk last.
    pub fn knowing(&self) -> Vec<usize> {
        let strategies = &self.setup.maker.strategies;
        let mut general: Vec<usize> = (0..strategies.len()).collect();
        general.retain(|at| strategies[*at].is_general());
        general.sort_by_key(|at| strategies[*at].is_walk());
        general
    }

    /// The numbers of a block's cases. Those of a walk are places in it, which follow each other; the sweep over all
    /// options takes any.
    pub fn numbers(&self, plan: &BlockPlan) -> Vec<u64> {
        let strategies = &self.setup.maker.strategies;
        match (strategies[plan.strategy].is_walk(), &plan.sweep) {
            (true, None) => self.walk().places(strategies, plan.block).collect(),
            (true, Some(_)) => places(self.setup.maker.seed, plan.block),
            (false, _) => plan.cases().collect(),
        }
    }

    /// The seeds.
    pub fn pool(&self) -> &Pool {
        self.grown_pool.get().unwrap_or(&self.setup.pool)
    }

    /// Adds seeds while the campaign runs, once; those that it had keep their positions. Returns how many are new.
    pub fn add_seeds(&self, more: Pool) -> usize {
        let pool = self.setup.pool.joined(more);
        let new = pool.seeds.len() - self.setup.pool.seeds.len();
        match self.grown_pool.set(pool) {
            Ok(()) => new,
            Err(_) => 0,
        }
    }

    /// How far the walk came.
    pub fn walk(&self) -> MutexGuard<'_, Walk> {
        self.walk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// New live sessions with a worker's solvers.
    pub fn sessions(&self, team: &Team) -> WorkerSessions {
        match self.setup.steady {
            true => WorkerSessions::steady(team),
            false => WorkerSessions::adaptive(team),
        }
    }

    /// Whether cases follow what they reach in the solvers.
    pub fn is_guided(&self) -> bool {
        self.setup.guided && !self.setup.steady && self.reached.is_known()
    }

    /// New sessions that probe seeds, to the extent that the strategies need.
    pub fn seed_probe<'t>(&self, team: &'t Team) -> SeedProbe<'t> {
        let mode = match self.setup.steady {
            true => Mode::Fresh,
            false => Mode::Reset,
        };
        let detail = match self.setup.maker.wants_models() {
            true => Detail::Whole,
            false => Detail::Brief,
        };
        SeedProbe::new(team, mode, detail)
    }

    /// A seed that may not have been used yet; each is handed out once, in an order that mixes folders.
    pub fn next_seed(&self) -> Option<usize> {
        /// A prime: unless the number of seeds is a multiple of it, every seed is reached.
        const STEP: usize = 7919;
        let (maker, pool) = (&self.setup.maker, self.pool());
        let mut strategies = maker.strategies.iter();
        let count = pool.seeds.len();
        if self.setup.steady || !strategies.any(|strategy| strategy.needs_seeds()) {
            return None;
        }
        loop {
            let turn = self.probed.fetch_add(1, Ordering::Relaxed);
            if turn >= count {
                return None;
            }
            let place = turn * STEP % count;
            if pool.seeds[place].facts.get().is_none() {
                return Some(place);
            }
        }
    }

    /// Installed solvers outside of the team, found on first use.
    pub fn neighbours(&self) -> &Neighbours {
        self.neighbours
            .get_or_init(|| Neighbours::of(&self.setup.team))
    }

    /// The budget for a first look at answers; a confirmation is thorough, and requires the whole time limit.
    pub fn budget(&self) -> Budget {
        let Setup { steady, team, .. } = &self.setup;
        match steady {
            true => Budget::THOROUGH,
            false => Budget {
                slow_from: (!self.setup.bugs_only).then(|| team.time_limit() / 2),
                ..Budget::QUICK
            },
        }
    }

    /// The time that all workers have spent so far.
    pub fn worked(&self) -> Duration {
        self.started.elapsed() * self.setup.workers as u32
    }
}

/// Separates the draws of places in a walk from others.
const PLACES: u64 = 0x706c_6163_6573_2121;
/// Among so many places small terms of all kinds lie.
const NEAR: u64 = 1 << 16;

/// Places all over the beginning of a walk.
fn places(seed: u64, block: u64) -> Vec<u64> {
    let mut draw = Draw::new(seed ^ PLACES, block);
    (0..2 * BLOCK).map(|_| draw.below(NEAR)).collect()
}
