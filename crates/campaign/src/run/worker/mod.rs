//! A worker: leases a block, makes its cases, asks the solvers, judges, confirms and records, step by step. A panic
//! of Auspex costs one case and is recorded with it.

mod ask;
mod follow;
mod make;
mod seeds;
mod sweep;

use crate::activity::{Activity, Timesheet};
use crate::coverage::Gauges;
use crate::judge::confirm::Details;
use crate::judge::judging::Forms;
use crate::ledger::{KnownBug, Lease};
use crate::panics;
use crate::run::state::{CampaignState, Part};
use crate::schedule::arms::Earned;
use crate::schedule::plan::BlockPlan;
use crate::schedule::recipe::{Question, Source};
use crate::seeds::pool::SeedFile;
use crate::seeds::probe::SeedProbe;
use crate::shrink::reduction::shrink;
use crate::stable;
use crate::status::Tally;
use crate::store::DefectRow;
use crate::team::case_profile::CaseProfile;
use crate::team::configuration::Configuration;
use crate::team::{SolverRun, Team, WorkerSessions};
use auspex_cases::{Case, Evidence, Seed};
use auspex_logic::{Terms, Theory};
use auspex_solvers::Mode;
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of blocks after which an arena is replaced.
const ARENA_LIFE: u64 = 256;
/// How long a worker waits before it asks for a block again, and while the campaign is paused.
const WAIT: Duration = Duration::from_millis(5);
const PAUSE: Duration = Duration::from_millis(50);

/// A made case, ready to be asked.
struct MadeCase {
    number: u64,
    case: Case,
    text: String,
    profile: CaseProfile,
    /// What it was made to ask for.
    question: Option<Question>,
    /// Whether it is for solvers that speak its questions only.
    has_questions: bool,
}

/// The seeds of a case in the worker's arena, and how to find them again.
#[derive(Clone, Copy)]
struct MadeFrom<'a> {
    seeds: &'a [Seed],
    sources: &'a [Source],
    /// What the block is about; empty means the campaign's theories.
    theories: &'a [Theory],
    /// The other forms in which its queries are asked, too.
    forms: Forms,
    /// How related scripts are asked.
    related: Mode,
}

/// A case with all answers to it.
#[derive(Clone, Copy)]
struct Answered<'a> {
    made: &'a MadeCase,
    from: MadeFrom<'a>,
    runs: &'a [SolverRun],
    details: Details,
}

/// State from the first to the last case of a block.
#[derive(Default)]
struct BlockMemory {
    /// A cache of answers to related scripts, by solver and text, which many cases of a block share.
    related: HashMap<(usize, u64), Option<SolverRun>>,
    /// The solvers that timed out, each with the seed.
    timeouts: Vec<(usize, String)>,
    /// Hashes that characterise the answers and verdicts.
    outcomes: Vec<u64>,
    /// What it brought besides these.
    earned: Earned,
    /// The bugs that are known, and those whose triggers each script holds, with the solver that was asked.
    known: Arc<Vec<KnownBug>>,
    held: Vec<usize>,
    /// The seeds that are mutants.
    grown: Vec<Arc<SeedFile>>,
    /// Under which options one solver is asked, too.
    configuration: Option<Configuration>,
}

/// The progress of a block; survives a panic.
#[derive(Default)]
struct Progress {
    /// The current case.
    current: Option<u64>,
    /// Cases that caused a panic.
    poisoned: BTreeSet<u64>,
    tested: BTreeSet<u64>,
    /// Whether the cases were reported to the ledger.
    reported: bool,
    sources: Vec<Source>,
}

/// Gives up a whole block, because the panic was outside of any case.
const WHOLE_BLOCK: u64 = u64::MAX;

struct Worker<'s> {
    campaign: &'s CampaignState,
    /// The campaign's solvers, with gauges of this worker.
    team: &'s Team,
    gauges: Gauges,
    terms: Terms,
    sessions: WorkerSessions,
    probe: SeedProbe<'s>,
    tally: Tally,
    /// Whether each live solver's process survived its last answer.
    healthy: Vec<bool>,
    memory: BlockMemory,
    blocks: u64,
    time: Timesheet,
}

/// Works until there is nothing left to do or the campaign stops.
pub fn run(campaign: &CampaignState) {
    let (team, gauges) = Gauges::attach(&campaign.setup.team);
    let mut worker = Worker::new(campaign, &team, gauges);
    while !campaign.is_stopped() {
        if campaign.is_paused() {
            std::thread::sleep(PAUSE);
            continue;
        }
        worker.reduce_a_finding();
        worker.probe_new_seeds();
        let lease = campaign.ledger().lease();
        match lease {
            Lease::Block { number, weights } => worker.work_on(&campaign.plan(number, &weights)),
            Lease::Wait => std::thread::sleep(WAIT),
            Lease::Over => {
                // Jobs of a shared campaign may wait for an idle worker.
                while campaign.is_shared && !campaign.is_stopped() && worker.reduce_a_finding() {}
                break;
            }
        }
    }
}

impl<'s> Worker<'s> {
    fn new(campaign: &'s CampaignState, team: &'s Team, gauges: Gauges) -> Worker<'s> {
        let setup = &campaign.setup;
        Worker {
            campaign,
            team,
            gauges,
            terms: setup.maker.terms(),
            sessions: campaign.sessions(team),
            probe: campaign.seed_probe(team),
            tally: Tally::default(),
            healthy: vec![true; setup.team.plain + 1],
            memory: BlockMemory::default(),
            blocks: 0,
            time: Timesheet::start(),
        }
    }

    /// Makes and tests the cases of a block; after a panic it continues without the case that caused it.
    fn work_on(&mut self, plan: &BlockPlan) {
        let mut progress = Progress::default();
        loop {
            let attempt = || self.try_block(plan, &mut progress);
            match catch_unwind(AssertUnwindSafe(attempt)) {
                Ok(complete) => {
                    self.hand_in();
                    if complete {
                        let strategies = &self.campaign.setup.maker.strategies;
                        if plan.sweep.is_none() {
                            self.campaign.walk().finish(strategies, plan);
                        }
                        self.campaign.ledger().finish(plan.block);
                    }
                    return;
                }
                Err(_) => self.recover(plan, &mut progress),
            }
        }
    }

    /// Finishes a block; false if the campaign stops first.
    fn try_block(&mut self, plan: &BlockPlan, progress: &mut Progress) -> bool {
        if let Some(turn) = &plan.sweep {
            return self.sweep(plan, turn, progress);
        }
        if self.campaign.setup.steady {
            self.sessions = self.campaign.sessions(self.team);
        }
        self.time.switch(Activity::Making);
        let started = Instant::now();
        if !self.campaign.setup.lacks(Part::Silence) {
            self.memory.known = self.campaign.ledger().known_bugs();
        }
        let mark = self.terms.mark();
        let (seeds, mut made) = match progress.poisoned.contains(&WHOLE_BLOCK) {
            true => (Vec::new(), Vec::new()),
            false => self.make(plan, progress),
        };
        self.report_made(plan, &made, progress);
        self.configure(plan, &made);
        self.probe.restart_if_idle();
        // Between two scripts of one logic a live process need not be reset.
        made.sort_by(|one, other| header(&one.text).cmp(header(&other.text)));
        self.time.switch(Activity::Asking);
        let complete = self.test(plan, &seeds, &made, progress);
        drop((seeds, made));
        self.report_answers(plan, started.elapsed());
        self.time.switch(Activity::Waiting);
        self.terms.release(mark);
        self.blocks += 1;
        if self.blocks.is_multiple_of(ARENA_LIFE) {
            self.terms = self.campaign.setup.maker.terms();
        }
        complete
    }

    /// Tests the cases that no earlier attempt has tested; false if the campaign stops first.
    fn test(
        &mut self,
        plan: &BlockPlan,
        seeds: &[Seed],
        made: &[MadeCase],
        progress: &mut Progress,
    ) -> bool {
        for made in made {
            if self.campaign.is_stopped() {
                return false;
            }
            if progress.tested.contains(&made.number) {
                continue;
            }
            progress.current = Some(made.number);
            let from = MadeFrom {
                seeds,
                sources: &progress.sources,
                theories: &plan.theories,
                forms: plan.forms,
                related: related_mode(plan),
            };
            let (runs, details) = self.ask_solvers(made, plan);
            self.time.switch(Activity::Judging);
            self.judge(Answered {
                made,
                from,
                runs: &runs,
                details,
            });
            self.time.switch(Activity::Asking);
            self.note_edges(made);
            progress.current = None;
            progress.tested.insert(made.number);
        }
        true
    }

    /// After a panic drops all partial state, and does not try the case again.
    fn recover(&mut self, plan: &BlockPlan, progress: &mut Progress) {
        let maker = &self.campaign.setup.maker;
        let number = progress.current.take();
        let case = number.unwrap_or(plan.cases().start);
        let strategy = maker.names()[plan.strategy];
        let maker = maker.about(&plan.theories);
        let recipe = maker.recipe(strategy, case, progress.sources.clone());
        self.record_panic(recipe.to_string());
        self.tally.defects += 1;
        // A panic outside of any case would recur, so give up the block.
        progress.poisoned.insert(number.unwrap_or(WHOLE_BLOCK));
        self.terms = maker.terms();
        self.sessions = self.campaign.sessions(self.team);
        self.time.switch(Activity::Waiting);
        self.memory = BlockMemory::default();
    }

    /// Records the last panic's message with the replay line of its case.
    fn record_panic(&self, replay: String) {
        let message = panics::take();
        self.campaign.ledger().defect(DefectRow { replay, message });
    }

    /// Reduces a waiting finding, unless reduction has taken too much time already; true if one got smaller.
    fn reduce_a_finding(&mut self) -> bool {
        let campaign = self.campaign;
        if !campaign.setup.reduce {
            return false;
        }
        let Some(finding) = campaign.ledger().next_reduction(campaign.worked()) else {
            return false;
        };
        self.time.switch(Activity::Reducing);
        let started = Instant::now();
        let stop = || campaign.is_stopped();
        let attempt = || shrink(&finding, &campaign.setup.team, &stop);
        let reduced = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
            self.record_panic(finding.replay.clone());
            None
        });
        let done = reduced.is_some();
        let ledger = campaign.ledger();
        ledger.reduced(&finding.fingerprint, reduced, started.elapsed());
        self.time.switch(Activity::Waiting);
        done
    }

    /// Adds this worker's counters to the shared ones.
    fn hand_in(&mut self) {
        let mut tally = std::mem::take(&mut self.tally);
        tally.times = self.time.take();
        self.campaign.ledger().tally().add(&tally);
    }
}

impl BlockMemory {
    /// The answer to a related script, which is asked only once.
    fn ask_once(
        &mut self,
        member: usize,
        text: &str,
        ask: impl FnOnce() -> Option<SolverRun>,
    ) -> Option<SolverRun> {
        let key = (member, stable::hash(text));
        self.related.entry(key).or_insert_with(ask).clone()
    }
}

/// How scripts that are related to the cases of a block are asked: in the quickest way, unless another form of the same
/// query is to be answered in another way than the query itself.
fn related_mode(plan: &BlockPlan) -> Mode {
    let is_pushed = matches!(plan.mode, Mode::PushPop | Mode::CheckSatUsing);
    match is_pushed && plan.forms == Forms::default() {
        true => Mode::PushPop,
        false => Mode::Reset,
    }
}

/// The logic and the options of a printed script.
fn header(text: &str) -> &str {
    let lines = text.split_inclusive('\n');
    let length = lines.take_while(|line| line.starts_with("(set-"));
    &text[..length.map(str::len).sum()]
}

fn is_witness(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::Witness(_))
}
