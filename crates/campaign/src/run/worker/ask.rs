//! Asks the solvers about a case, in the block's mode and with its options, and counts their answers.

use super::{MadeCase, Worker, is_witness};
use crate::judge::confirm::Details;
use crate::judge::fingerprint::{crash_site, normalised};
use crate::ledger::{BlockYield, KnownBug};
use crate::run::state::Part;
use crate::schedule::plan::{BlockPlan, mode_arm, option_arm, strategy_arm, theory_arm};
use crate::stable::Stable;
use crate::status::{OperatorTally, count};
use crate::team::{Member, SolverRun, Wants};
use auspex_cases::answers;
use auspex_logic::TheorySet;
use auspex_logic::{Answer, Terms, Theory};
use auspex_solvers::Mode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A block counts for at least so many seconds, so that one without cases is not drawn for ever.
const LEAST_SECONDS: f64 = 0.05;
/// After this many timeouts in one block a solver is not asked about the other cases of the same seed, which are
/// similar.
const ENOUGH_TIMEOUTS: usize = 2;

impl Worker<'_> {
    /// Asks every solver that a case is made for, and the one with an additional option if the block has one.
    pub(super) fn ask_solvers(
        &mut self,
        made: &MadeCase,
        plan: &BlockPlan,
    ) -> (Vec<SolverRun>, Details) {
        let maker = &self.campaign.setup.maker;
        let team = self.sessions.team();
        let has_names = made.case.script.assertions().any(|a| a.name.is_some());
        let mode = match plan.mode {
            // It asks a query in another way, which some questions are not about.
            Mode::CheckSatUsing if made.has_questions => Mode::Reset,
            mode => mode,
        };
        let wants = Wants {
            mode,
            models: true,
            cores: plan.cores && has_names,
            likely_sat: made.case.evidence.iter().all(is_witness),
        };
        let started = Instant::now();
        let strategy = maker.strategies[plan.strategy];
        let targets = maker.targets(strategy, made.number);
        let (compared, operators) = (strategy.needs_second(), &made.profile.operators);
        // An option may be about the plain query only.
        let configuration = self.memory.configuration.as_ref();
        let configured = configuration.filter(|_| !made.has_questions);
        let configured = configured.map(|_| team.plain);
        let mut runs = Vec::with_capacity(team.members.len());
        for member in (0..team.plain).chain(configured) {
            let spec = &team.members[member].vocabulary.spec;
            let speaks = !made.has_questions || self.speaks(member, made);
            if speaks && maker.vocabularies.asks(targets, spec, compared, operators) {
                runs.extend(self.ask(member, made, wants));
            }
        }
        let strategy = self.tally.strategy(made.case.origin.strategy);
        strategy.cases += 1;
        strategy.solver_us += started.elapsed().as_micros() as u64;
        self.tally.cases += 1;
        self.tally.queries += runs.iter().map(|a| a.answers.len() as u64).sum::<u64>();
        let details = Details {
            models: wants.models,
            cores: wants.cores,
        };
        (runs, details)
    }

    /// Whether a solver speaks the questions of a case.
    fn speaks(&self, member: usize, made: &MadeCase) -> bool {
        let team = self.sessions.team();
        answers::speaks(&self.terms, &made.case.script, team.members[member].name())
    }

    /// Asks one solver, unless it is unlikely to answer.
    pub(super) fn ask(
        &mut self,
        member: usize,
        made: &MadeCase,
        wants: Wants,
    ) -> Option<SolverRun> {
        let team = self.sessions.team();
        let label = &team.members[member].label;
        if self.is_pointless(member, made) {
            self.tally.avoided += 1;
            return None;
        }
        let objection = match self.timed_out_on_seed(member, made) {
            true => Some("timed out on the seed".to_string()),
            false => self.sessions.objection(member, &made.profile),
        };
        if let Some(why) = objection {
            self.tally.solver(label).skip(&why, 1);
            return None;
        }
        let before = self.sessions.starts(member);
        let run = match self.sessions.ask(member, &made.text, wants, &made.profile) {
            Ok(run) => run,
            Err(error) => {
                self.campaign.ledger().complain(error.to_string());
                std::thread::sleep(Duration::from_millis(100));
                return None;
            }
        };
        count(&mut self.tally.modes, run.mode.name());
        let started = self.sessions.starts(member) - before;
        let tally = self.tally.solver(label);
        tally.starts += started;
        if started > 0 && before > 0 {
            match self.healthy[member] {
                true => tally.recycled += 1,
                false => tally.killed += 1,
            }
        }
        tally.wall_us += run.wall.as_micros() as u64;
        tally.cpu_us += run.cpu.as_micros() as u64;
        self.count_answers(made, &run);
        // A fresh process says nothing about the live one.
        if run.mode != Mode::Fresh {
            self.healthy[member] = run.answers.iter().all(is_regular) && run.later.is_none();
        }
        Some(run)
    }

    /// Whether a solver most likely fails on a case with a bug that is known already. Notes the triggers that the case
    /// holds.
    fn is_pointless(&mut self, member: usize, made: &MadeCase) -> bool {
        let team = self.sessions.team();
        let known = Arc::clone(&self.memory.known);
        let held = held(&known, &team.members[member], &self.terms, made);
        if held.iter().any(|at| !known[*at].is_turn(made.number)) {
            return true;
        }
        self.memory.held.extend(held);
        false
    }

    fn timed_out_on_seed(&self, member: usize, made: &MadeCase) -> bool {
        let seed = made.case.origin.seed.as_ref();
        let is_alike = |(who, about): &&(usize, String)| *who == member && Some(about) == seed;
        self.memory.timeouts.iter().filter(is_alike).count() >= ENOUGH_TIMEOUTS
    }

    /// Counts for every operator of a case that it was asked about, and whether it was answered.
    fn count_operators(&mut self, made: &MadeCase, run: &SolverRun) {
        let decides = |answer: &Answer| matches!(answer, Answer::Sat { .. } | Answer::Unsat { .. });
        let met = OperatorTally {
            asked: 1,
            answered: u64::from(run.answers.iter().any(decides)),
        };
        for row in &made.profile.operators {
            *self.tally.operators.entry(*row).or_default() += met;
        }
    }

    fn count_answers(&mut self, made: &MadeCase, run: &SolverRun) {
        self.count_operators(made, run);
        let team = self.sessions.team();
        let member = &team.members[run.member];
        let tally = self.tally.solver(&member.label);
        for answer in &run.answers {
            let outcome = Stable::default().text(member.name()).text(answer.word());
            let outcome = outcome.text(&message(answer));
            let outcome = outcome.number(made.profile.theories.number());
            self.memory.outcomes.push(outcome.finish());
            count(&mut tally.answers, answer.word());
            match (answer, &made.case.origin.seed) {
                (Answer::Timeout, Some(seed)) => {
                    self.memory.timeouts.push((run.member, seed.clone()));
                }
                (Answer::Rejected { message, .. }, _) => tally.refuse(&short(message), 1),
                (Answer::Garbled { text }, _) => {
                    tally.refuse(&format!("unparsable reply: {}", short(text)), 1);
                }
                _ => {}
            }
        }
    }

    /// Notes which edges of instrumented solvers a case was the first to reach, and makes it a seed if it was.
    pub(super) fn note_edges(&mut self, made: &MadeCase) {
        let campaign = self.campaign;
        let new = self.gauges.read(&campaign.reached);
        if new == 0 {
            return;
        }
        self.memory.earned.edges += new;
        self.tally.strategy(made.case.origin.strategy).edges += new;
        // Other solvers could not read a seed with questions.
        if campaign.is_guided() && !made.has_questions {
            let case = (made.number, &made.case, made.text.as_str());
            campaign.reached.guide.join(&mut self.terms, case, new);
        }
    }

    /// Chooses under which options one solver is asked about the cases of a block, if it is one of those.
    pub(super) fn configure(&mut self, plan: &BlockPlan, made: &[MadeCase]) {
        let setup = &self.campaign.setup;
        let all = made.iter().map(|one| one.profile.theories);
        let theories = all.fold(TheorySet::default(), TheorySet::union);
        let theories = theories.without(Theory::Core);
        let weights = plan.configured.as_deref();
        let drawn = weights.and_then(|weights| {
            let space = &setup.options;
            space.draw(setup.maker.seed, plan.block, theories, weights)
        });
        let open = drawn.filter(|drawn| !self.campaign.sweep.is_shut(drawn));
        let ready = open.filter(|drawn| self.sessions.configure(drawn).is_some());
        self.memory.configuration = ready;
    }

    /// Reports what a block brought, which its arms earn.
    pub(super) fn report_answers(&mut self, plan: &BlockPlan, took: Duration) {
        let setup = &self.campaign.setup;
        let memory = std::mem::take(&mut self.memory);
        let strategy = setup.maker.strategies[plan.strategy].name();
        let mut arms = vec![strategy_arm(strategy), mode_arm(plan.mode)];
        match &plan.theories[..] {
            [] => arms.push(theory_arm(None)),
            some => arms.extend(some.iter().map(|theory| theory_arm(Some(*theory)))),
        }
        if let Some(configuration) = &memory.configuration {
            let groups = configuration.groups.iter();
            arms.extend(groups.map(|at| option_arm(&setup.options.groups[*at])));
        }
        if !setup.lacks(Part::Schedule) {
            self.campaign.ledger().answered(&BlockYield {
                arms,
                seconds: took.as_secs_f64().max(LEAST_SECONDS),
                outcomes: memory.outcomes,
                earned: memory.earned,
                held: memory.held,
            });
        }
    }
}

/// The known bugs whose triggers a case holds, if they are bugs of this solver.
pub(super) fn held(
    known: &[KnownBug],
    member: &Member,
    terms: &Terms,
    made: &MadeCase,
) -> Vec<usize> {
    let is_held = |bug: &KnownBug| {
        let trigger = &bug.trigger;
        trigger.accuses(member) && trigger.is_in(terms, &made.case.script, &made.profile)
    };
    let all = known.iter().enumerate();
    all.filter(|(_, bug)| is_held(bug))
        .map(|(at, _)| at)
        .collect()
}

/// What a solver said besides the answer, without parts that differ from script to script.
fn message(answer: &Answer) -> String {
    match answer {
        Answer::Unknown { reason } => normalised(reason),
        Answer::Crashed(crash) => crash_site(crash),
        Answer::Rejected { message, .. } => short(message),
        _ => String::new(),
    }
}

fn is_regular(answer: &Answer) -> bool {
    matches!(
        answer,
        Answer::Sat { .. } | Answer::Unsat { .. } | Answer::Unknown { .. }
    )
}

/// The message of a rejection, without parts that differ from script to script.
fn short(message: &str) -> String {
    let line = message.lines().find(|line| !line.trim().is_empty());
    let text = normalised(line.unwrap_or(""));
    text.chars().take(100).collect()
}
