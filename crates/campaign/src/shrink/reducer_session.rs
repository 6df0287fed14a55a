//! One solver's session during a reduction: its live process, its mode, the cost of its answers, and its time limit.

use crate::shrink::bug_check::Costs;
use auspex_solvers::solver::StartError;
use auspex_solvers::{Limits, Mode, Query, Run, Session, Solver};
use std::sync::Arc;
use std::time::Duration;

/// A candidate's time limit is a quarter more than the current script takes, plus as much again up to this …
const LITTLE: Duration = Duration::from_millis(100);
/// … plus this for the accused; trusted solvers, which are not asked about every script, get this …
const SLACK: Duration = Duration::from_millis(10);
const SLACK_OF_TRUSTED: Duration = Duration::from_millis(30);
/// … plus this for a reset, which alone takes 13 ms in some releases of z3 …
const RESET: Duration = Duration::from_millis(20);
/// … plus, if a process must be started, its start time, up to this.
const START: Duration = Duration::from_millis(120);

/// The modes, cheapest first: in some releases of z3 a query between push and pop costs a fortieth of one after a
/// reset, and a `check-sat-using` two thirds.
const MODES: [Mode; 4] = [Mode::PushPop, Mode::CheckSatUsing, Mode::Reset, Mode::Fresh];

/// The longest time in which a cheap mode must show the bug: a script that crashes after a reset may run forever
/// between push and pop.
const HURRY: Duration = Duration::from_millis(100);

/// How often a trusted solver's quick answers may be useless before it is asked with full limits at once.
const USELESS: u32 = 3;

/// A solver that is asked about candidates.
pub struct ReducerSession {
    solver: Solver,
    session: Session,
    limits: Limits,
    mode: Mode,
    costs: Arc<Costs>,
    /// The least processor time of an answer including the start of its process; hardly more than the start itself,
    /// since some queries are answered at once.
    start: Option<Duration>,
    /// Processor time of its last answer.
    last: Duration,
    /// Processor time of all its answers, and how many candidates they ruled out.
    spent: Duration,
    refusals: u32,
    /// The number of rejections in less reliable modes.
    unchecked: u32,
    /// The number of useless quick answers.
    useless: u32,
    /// A candidate's time limit after the start of the search, and its margin.
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

    /// Uses a fresh process for every query from now on.
    pub fn be_fresh(&mut self) {
        self.mode = Mode::Fresh;
    }

    /// The modes that the solver supports, cheapest first.
    pub fn modes(&self) -> Vec<Mode> {
        let profile = &self.solver.profile;
        let all = MODES.into_iter();
        all.filter(|mode| profile.has(*mode)).collect()
    }

    /// Uses this mode from now on.
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

    /// The more reliable modes in which to check the last rejection again. After a reset: every fourth rejection
    /// between push and pop, where z3 works differently, and every sixteenth in modes that are similar. In a fresh
    /// process, if the solver has options: the first, fourth, sixteenth and so on, since some solvers forget options
    /// on a reset (yices its `--mcsat`).
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

    /// Asks about a candidate within its time limit.
    pub fn ask(&mut self, text: &str, model: bool) -> Option<Run> {
        self.ask_in(self.mode, text, model)
    }

    /// Sets the time limit of one query: what the current script permits; if that is not known yet, the full limit,
    /// or little for a cheap mode.
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

    /// The start time of a process, if known.
    fn start(&self) -> Duration {
        self.start.unwrap_or(START).min(START)
    }

    /// Asks quickly, and with the full limit if the quick answer is useless.
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

    /// Asks in one mode within a candidate's time limit.
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

    /// Asks in a fresh process with the full limit; the script is unchanged unless a model is wanted.
    pub fn ask_surely(&mut self, text: &str, model: bool) -> Option<Run> {
        match model {
            false => self.alone(|solver, limits| solver.fresh_exact(text, limits)),
            true => self.alone(|solver, limits| {
                Session::start(solver, limits).ask(&Query::new(text).model())
            }),
        }
    }

    /// Asks for cores in a fresh process.
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

    /// Records that the last answer ruled a candidate out.
    pub fn refuses(&mut self) {
        self.refusals += 1;
    }

    /// The cost of ruling one candidate out by asking this solver first.
    pub fn price(&self) -> Duration {
        self.spent / (self.refusals + 1)
    }

    /// Records that the last answer was about the new current script, which sets the time limit of candidates. A
    /// candidate that takes a solver long is useless, and would be most of the cost.
    pub fn pace(&mut self) {
        let wanted = match self.start {
            Some(_) => self.last + self.last / 4 + self.last.min(LITTLE) + self.slack,
            // The time it needs is not known yet.
            None => START,
        };
        if self.pace.is_none_or(|now| wanted < now) {
            self.pace = Some(wanted);
        }
    }
}
