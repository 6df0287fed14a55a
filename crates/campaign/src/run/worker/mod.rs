//! One worker: takes a block, makes its cases, asks the solvers, judges, confirms and records, step by step.
//! A panic of ours costs one case, is recorded with it, and nothing else.

mod ask;
mod follow;
mod make;
mod seeds;

use crate::judge::confirm::Details;
use crate::judge::judging::Forms;
use crate::ledger::Lease;
use crate::panics;
use crate::run::state::CampaignState;
use crate::schedule::plan::BlockPlan;
use crate::schedule::recipe::Source;
use crate::seeds::pool::SeedFile;
use crate::seeds::probe::SeedProbe;
use crate::shrink::reduction::shrink;
use crate::stable;
use crate::status::Tally;
use crate::store::DefectRow;
use crate::team::case_profile::CaseProfile;
use crate::team::{SolverRun, WorkerSessions};
use auspex_cases::{Case, Evidence, Seed};
use auspex_logic::Terms;
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An arena is thrown away after so many blocks, however small it has stayed.
const ARENA_LIFE: u64 = 256;
/// How long a worker waits for others before it asks for a block again, and while the campaign is paused.
const WAIT: Duration = Duration::from_millis(5);
const PAUSE: Duration = Duration::from_millis(50);

/// A made case, ready to be asked.
struct MadeCase {
    number: u64,
    case: Case,
    text: String,
    profile: CaseProfile,
}

/// What a case was made from: the seeds in the worker's arena, and how to find them again.
#[derive(Clone, Copy)]
struct MadeFrom<'a> {
    seeds: &'a [Seed],
    sources: &'a [Source],
    /// In which other forms its queries are asked, too.
    forms: Forms,
}

/// A case with all answers to it.
#[derive(Clone, Copy)]
struct Answered<'a> {
    made: &'a MadeCase,
    from: MadeFrom<'a>,
    runs: &'a [SolverRun],
    details: Details,
}

/// What is remembered from the first to the last case of a block.
#[derive(Default)]
struct BlockMemory {
    /// Answers to related scripts, by solver and text: many cases of a block have the same.
    related: HashMap<(usize, u64), Option<SolverRun>>,
    /// The solvers that ran out of time, each with the seed that it was about.
    timeouts: Vec<(usize, String)>,
    /// Hashes of what the answers and verdicts were like.
    outcomes: Vec<u64>,
    /// The seeds that are mutants.
    grown: Vec<Arc<SeedFile>>,
}

/// How far a block has come; survives a panic.
#[derive(Default)]
struct Progress {
    /// The case in hand.
    current: Option<u64>,
    /// Cases that made us panic.
    poisoned: BTreeSet<u64>,
    tested: BTreeSet<u64>,
    /// Whether the ledger knows what was made.
    reported: bool,
    sources: Vec<Source>,
}

/// Poisons a whole block: the panic was outside of any case.
const WHOLE_BLOCK: u64 = u64::MAX;

struct Worker<'s> {
    campaign: &'s CampaignState,
    terms: Terms,
    sessions: WorkerSessions<'s>,
    probe: SeedProbe<'s>,
    tally: Tally,
    /// Whether the last answer of each live solver leaves its process alive.
    healthy: Vec<bool>,
    memory: BlockMemory,
    blocks: u64,
    /// How long it has been at work, and how much of that it spent on asking about seeds.
    started: Instant,
    probing: Duration,
}

/// Works until there is nothing to do or the campaign stops.
pub fn run(campaign: &CampaignState) {
    let mut worker = Worker::new(campaign);
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
                // Jobs of a shared campaign may wait for a worker that has time.
                while campaign.is_shared && !campaign.is_stopped() && worker.reduce_a_finding() {}
                break;
            }
        }
    }
}

impl<'s> Worker<'s> {
    fn new(campaign: &'s CampaignState) -> Worker<'s> {
        let setup = &campaign.setup;
        Worker {
            campaign,
            terms: setup.maker.terms(),
            sessions: campaign.sessions(),
            probe: campaign.seed_probe(),
            tally: Tally::default(),
            healthy: vec![true; setup.team.members.len()],
            memory: BlockMemory::default(),
            blocks: 0,
            started: Instant::now(),
            probing: Duration::ZERO,
        }
    }

    /// Makes and tests the cases of a block, again and again without those that make us panic.
    fn work_on(&mut self, plan: &BlockPlan) {
        let mut progress = Progress::default();
        loop {
            let attempt = || self.try_block(plan, &mut progress);
            match catch_unwind(AssertUnwindSafe(attempt)) {
                Ok(complete) => {
                    self.hand_in();
                    if complete {
                        self.campaign.ledger().finish(plan.block);
                    }
                    return;
                }
                Err(_) => self.recover(plan, &mut progress),
            }
        }
    }

    /// Does what is left of a block; false if the campaign stops before it is done.
    fn try_block(&mut self, plan: &BlockPlan, progress: &mut Progress) -> bool {
        if self.campaign.setup.steady {
            self.sessions = self.campaign.sessions();
        }
        let mark = self.terms.mark();
        let (seeds, mut made) = match progress.poisoned.contains(&WHOLE_BLOCK) {
            true => (Vec::new(), Vec::new()),
            false => self.make(plan, progress),
        };
        self.report_made(plan, &made, progress);
        self.probe.restart_if_idle();
        // Between two scripts of one logic a live process need not be reset.
        made.sort_by(|one, other| header(&one.text).cmp(header(&other.text)));
        let started = Instant::now();
        let complete = self.test(plan, &seeds, &made, progress);
        drop((seeds, made));
        self.report_answers(plan, started.elapsed());
        self.terms.release(mark);
        self.blocks += 1;
        if self.blocks.is_multiple_of(ARENA_LIFE) {
            self.terms = self.campaign.setup.maker.terms();
        }
        complete
    }

    /// Tests the cases that no earlier attempt has tested; false if the campaign stops before.
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
                forms: plan.forms,
            };
            let (runs, details) = self.ask_solvers(made, plan);
            self.judge(Answered {
                made,
                from,
                runs: &runs,
                details,
            });
            progress.current = None;
            progress.tested.insert(made.number);
        }
        true
    }

    /// After a panic nothing half-made is used again, and the case is not tried again.
    fn recover(&mut self, plan: &BlockPlan, progress: &mut Progress) {
        let maker = &self.campaign.setup.maker;
        let number = progress.current.take();
        let case = number.unwrap_or(plan.cases().start);
        let strategy = maker.names()[plan.strategy];
        let recipe = maker.recipe(strategy, case, progress.sources.clone());
        self.record_panic(recipe.to_string());
        self.tally.defects += 1;
        // A panic outside any case would come again: give the block up.
        progress.poisoned.insert(number.unwrap_or(WHOLE_BLOCK));
        self.terms = maker.terms();
        self.sessions = self.campaign.sessions();
        self.memory = BlockMemory::default();
    }

    /// Records what the last panic said, with the line that shows it again.
    fn record_panic(&self, replay: String) {
        let message = panics::take();
        self.campaign.ledger().defect(DefectRow { replay, message });
    }

    /// Shrinks a finding, if one waits and reducing has not taken too much time already; true if one got smaller.
    fn reduce_a_finding(&mut self) -> bool {
        let campaign = self.campaign;
        if !campaign.setup.reduce {
            return false;
        }
        let Some(finding) = campaign.ledger().next_reduction(campaign.worked()) else {
            return false;
        };
        let started = Instant::now();
        let stop = || campaign.is_stopped();
        let attempt = || shrink(&finding, &campaign.setup.team, &stop);
        let reduced = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
            self.record_panic(finding.replay.clone());
            None
        });
        let done = reduced.is_some();
        let mut ledger = campaign.ledger();
        ledger.reduced(&finding.fingerprint, reduced, started.elapsed());
        done
    }

    /// Adds what this worker has counted to the common counts.
    fn hand_in(&mut self) {
        let tally = std::mem::take(&mut self.tally);
        self.campaign.ledger().tally.add(&tally);
    }
}

impl BlockMemory {
    /// The answer to a related script; it is asked once.
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

/// The logic and the options of a script as we write it.
fn header(text: &str) -> &str {
    let lines = text.split_inclusive('\n');
    let length = lines.take_while(|line| line.starts_with("(set-"));
    &text[..length.map(str::len).sum()]
}

fn is_witness(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::Witness(_))
}
