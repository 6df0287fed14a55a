//! One solver during a reduction: its live process, how it is asked, what its answers cost, and how long it may think.

use crate::shrink::bug_check::Costs;
use auspex_solvers::solver::StartError;
use auspex_solvers::{Limits, Mode, Query, Run, Session, Solver};
use std::sync::Arc;
use std::time::Duration;

/// A candidate may take a quarter more than the current script takes, as much again up to this …
const LITTLE: Duration = Duration::from_millis(100);
/// … and so much more, the accused; those who testify, and are not asked about every script, get …
const SLACK: Duration = Duration::from_millis(10);
const SLACK_OF_TRUSTED: Duration = Duration::from_millis(30);
/// … for a reset, which alone takes 13 ms in some releases of z3, this besides …
const RESET: Duration = Duration::from_millis(20);
/// … and where a process has to be started, what that takes, up to this.
const START: Duration = Duration::from_millis(120);

/// How solvers may be asked, cheapest first: a query between push and pop costs a fortieth of one after a reset in
/// some releases of z3, and one in its other pipeline two thirds.
const MODES: [Mode; 4] = [Mode::PushPop, Mode::CheckSatUsing, Mode::Reset, Mode::Fresh];

/// A cheap way that takes longer to show the bug is none: what crashes after a reset may run for ever between push and pop.
const HURRY: Duration = Duration::from_millis(100);

/// How often quick answers of a trusted solver may decide nothing before it is asked properly at once.
const USELESS: u32 = 3;

/// A solver that is asked about candidates.
pub struct ReducerSession {
    solver: Solver,
    session: Session,
    limits: Limits,
    mode: Mode,
    costs: Arc<Costs>,
    /// The least processor time of an answer with the start of its process; hardly more than the start itself, since
    /// where candidates end their process often, one of the next is answered at once.
    start: Option<Duration>,
    /// Processor time of its last answer.
    last: Duration,
    /// Processor time of all its answers, and how many candidates they ruled out.
    spent: Duration,
    refusals: u32,
    /// Refusals in ways that are not the surest.
    unchecked: u32,
    /// Quick answers that decided nothing.
    useless: u32,
    /// What a candidate may take, once the search has begun, and how much more than it is likely to need.
    pace: Option<Duration>,
    slack: Duration,
}

impl ReducerSession {
    pub fn accused(solver: &Solver, limits: &Limits, costs: Arc<Costs>) -> ReducerSession {
        ReducerSession::new(solver, limits, costs, SLACK)
    }

    pub fn trusted(solver: &Solver, limits: &Limits, costs: Arc<Costs>) -> ReducerSession {
        ReducerSession::new(solver, limits, costs, SLACK_OF_TRUSTED)
    }

    fn new(solver: &Solver, limits: &Limits, costs: Arc<Costs>, slack: Duration) -> ReducerSession {
        ReducerSession {
            solver: solver.clone(),
            session: Session::start(solver, limits),
            limits: limits.clone(),
            mode: Mode::Reset,
            costs,
            start: None,
            last: Duration::ZERO,
            spent: Duration::ZERO,
            refusals: 0,
            unchecked: 0,
            useless: 0,
            pace: None,
            slack,
        }
    }

    /// Gives every question a process of its own from now on.
    pub fn be_fresh(&mut self) {
        self.mode = Mode::Fresh;
    }

    /// The ways in which it can be asked, cheapest first.
    pub fn modes(&self) -> Vec<Mode> {
        let profile = &self.solver.profile;
        let all = MODES.into_iter();
        all.filter(|mode| profile.has(*mode)).collect()
    }

    /// Asks in this way from now on.
    pub fn be_asked(&mut self, mode: Mode) {
        self.mode = mode;
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// How many candidates its answers ruled out.
    pub fn refusals(&self) -> u32 {
        self.refusals
    }

    /// The ways that cost more in which the last refusal is to be looked at again. After a reset: every fourth of
    /// those between push and pop, where z3 works differently, and every sixteenth where it does much the same.
    /// In a process of its own, if it has options: the first, the fourth, the sixteenth and so on, since some
    /// forget them when they are reset (yices its `--mcsat`).
    pub fn doubts(&mut self) -> Vec<Mode> {
        let every = match self.mode {
            Mode::PushPop => Some(4),
            Mode::CheckSatUsing => Some(16),
            Mode::Reset => None,
            Mode::Fresh => return Vec::new(),
        };
        self.unchecked += 1;
        let reset = every.is_some_and(|every| self.unchecked % every == 1);
        let reset = reset.then_some(Mode::Reset);
        let power_of_four =
            self.unchecked.is_power_of_two() && self.unchecked.trailing_zeros().is_multiple_of(2);
        let fresh = power_of_four && !self.solver.options.is_empty();
        let fresh = fresh.then_some(Mode::Fresh);
        reset.into_iter().chain(fresh).collect()
    }

    /// Asks about a candidate, within the time that candidates get.
    pub fn ask(&mut self, text: &str, model: bool) -> Option<Run> {
        self.ask_in(self.mode, text, model)
    }

    /// Sets the time for one question: what the script at hand allows, or as long as that is not known, all there is,
    /// but for a cheap way, which then gets little.
    fn set_limit(&mut self, mode: Mode) {
        let beginning = match mode {
            Mode::PushPop | Mode::CheckSatUsing if self.session.is_live() => Duration::ZERO,
            Mode::Reset if self.session.is_live() => RESET,
            _ => self.start(),
        };
        let limit = match (self.pace, mode) {
            (Some(pace), _) => pace + beginning,
            (None, Mode::PushPop | Mode::CheckSatUsing) => HURRY,
            (None, Mode::Reset | Mode::Fresh) => self.limits.wall,
        };
        self.limits.cpu = Some(limit);
        self.session.limit_cpu(limit);
    }

    /// What the start of a process takes, as far as that is known.
    fn start(&self) -> Duration {
        self.start.unwrap_or(START).min(START)
    }

    /// Asks quickly, and properly if the quick answer is of no use.
    pub fn ask_for(
        &mut self,
        text: &str,
        model: bool,
        is_useful: &mut dyn FnMut(&Run) -> bool,
    ) -> Option<Run> {
        let quick = self.modes()[0];
        if self.mode == Mode::Reset && quick == Mode::PushPop && self.useless < USELESS {
            let run = self.ask_in(quick, text, model);
            if let Some(run) = run.filter(|run| is_useful(run)) {
                return Some(run);
            }
            self.useless += 1;
        }
        self.ask(text, model)
    }

    /// Asks in one way, within the time that candidates get.
    pub fn ask_in(&mut self, mode: Mode, text: &str, model: bool) -> Option<Run> {
        let query = Query {
            want_model: model,
            ..Query::new(text).mode(mode)
        };
        self.set_limit(mode);
        let starts = self.session.starts;
        let run = match mode == Mode::Fresh && !model {
            true => self.solver.fresh_exact(text, &self.limits),
            false => self.session.ask(&query),
        };
        let run = run.ok()?;
        self.costs.add(run.cpu);
        if self.start.is_none_or(|least| run.cpu < least)
            && (mode == Mode::Fresh || self.session.starts > starts)
        {
            self.start = Some(run.cpu);
        }
        self.last = run.cpu;
        self.spent += run.cpu;
        Some(run)
    }

    /// Asks in a process of its own with all the time there is, to the letter unless a model is wanted.
    pub fn ask_surely(&mut self, text: &str, model: bool) -> Option<Run> {
        match model {
            false => self.alone(|solver, limits| solver.fresh_exact(text, limits)),
            true => self.alone(|solver, limits| {
                Session::start(solver, limits).ask(&Query::new(text).model())
            }),
        }
    }

    /// Asks in a process of its own for the cores of what it refutes.
    pub fn ask_core(&mut self, text: &str) -> Option<Run> {
        self.alone(|solver, limits| Session::start(solver, limits).ask(&Query::new(text).core()))
    }

    fn alone(&mut self, ask: impl Fn(&Solver, &Limits) -> Result<Run, StartError>) -> Option<Run> {
        let limits = Limits {
            cpu: None,
            ..self.limits.clone()
        };
        let run = ask(&self.solver, &limits).ok()?;
        self.costs.add(run.cpu);
        Some(run)
    }

    /// The last answer ruled a candidate out.
    pub fn refuses(&mut self) {
        self.refusals += 1;
    }

    /// What it costs to rule one candidate out by asking this solver first.
    pub fn price(&self) -> Duration {
        self.spent / (self.refusals + 1)
    }

    /// The last answer was about the script that the search goes on from: nothing may take much longer.
    /// A candidate that makes a solver search for long is of no use, and would be most of the cost.
    pub fn pace(&mut self) {
        let wanted = match self.start {
            Some(_) => self.last + self.last / 4 + self.last.min(LITTLE) + self.slack,
            // Nobody knows yet what it needs.
            None => START,
        };
        if self.pace.is_none_or(|now| wanted < now) {
            self.pace = Some(wanted);
        }
    }
}
