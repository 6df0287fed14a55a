//! A worker's live sessions with the solvers: adaptive limits, skipped scripts, and second attempts. Hard scripts
//! have limits and processes of their own, so that the many easy ones do not decide how long they get.

use crate::team::adaptive_timeout::AdaptiveTimeout;
use crate::team::case_profile::CaseProfile;
use crate::team::configuration::Configuration;
use crate::team::refusals::Refusals;
use crate::team::{SolverRun, Team};
use auspex_logic::Answer;
use auspex_solvers::solver::StartError;
use auspex_solvers::{Mode, Query, Run, Session, Solver};
use std::sync::Arc;
use std::time::Duration;

/// What is requested in addition to the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    pub mode: Mode,
    pub models: bool,
    pub cores: bool,
    /// Whether the answers are expected to be `sat`.
    pub likely_sat: bool,
}

/// The share of solver time for second attempts: one part in this many.
const SECOND_CHANCES: u32 = 8;

/// A configuration that a solver refuses so often, and never answers under, is not asked again in its block.
const ENOUGH_REFUSED: u32 = 3;

/// A session with the limit of its first attempts.
struct Lane {
    session: Session,
    timeout: AdaptiveTimeout,
}

impl Lane {
    fn new(solver: &Solver, timeout: AdaptiveTimeout) -> Lane {
        Lane {
            session: Session::start(solver, &timeout.limits()),
            timeout,
        }
    }

    /// Ends the process, so that the next one gets the present limits.
    fn restart(&mut self, solver: &Solver) {
        let starts = self.session.starts;
        self.session = Session::start(solver, &self.timeout.limits());
        self.session.starts = starts;
    }
}

/// The sessions with one solver: for easy scripts, and for hard ones. A process starts when it is needed.
struct Lanes {
    easy: Lane,
    hard: Lane,
}

impl Lanes {
    fn new(solver: &Solver, timeout: &AdaptiveTimeout) -> Lanes {
        Lanes {
            easy: Lane::new(solver, timeout.clone()),
            hard: Lane::new(solver, timeout.clone()),
        }
    }

    fn of(&mut self, features: &CaseProfile) -> &mut Lane {
        match features.is_hard {
            true => &mut self.hard,
            false => &mut self.easy,
        }
    }
}

/// Sessions of one worker, two per solver.
pub struct WorkerSessions {
    /// The solvers, with the configuration that was asked last.
    team: Arc<Team>,
    /// How often that configuration was refused; none once it has answered.
    refused: Option<u32>,
    lanes: Vec<Lanes>,
    refusals: Vec<Refusals>,
    /// The time of all attempts, and of second attempts.
    spent: Duration,
    spent_on_second: Duration,
}

impl WorkerSessions {
    /// Sessions with adaptive limits, which test more cases.
    pub fn adaptive(team: &Team) -> WorkerSessions {
        WorkerSessions::with(team, &AdaptiveTimeout::learning(&team.limits))
    }

    /// Sessions that always give the whole time limit, so that two runs ask in the same way.
    pub fn steady(team: &Team) -> WorkerSessions {
        WorkerSessions::with(team, &AdaptiveTimeout::fixed(&team.limits))
    }

    fn with(team: &Team, timeout: &AdaptiveTimeout) -> WorkerSessions {
        let members = team.members.iter();
        WorkerSessions {
            team: Arc::new(team.clone()),
            refused: None,
            lanes: members.map(|m| Lanes::new(&m.solver, timeout)).collect(),
            refusals: team.members.iter().map(|_| Refusals::default()).collect(),
            spent: Duration::ZERO,
            spent_on_second: Duration::ZERO,
        }
    }

    /// The solvers, with the configuration that was asked last.
    pub fn team(&self) -> Arc<Team> {
        Arc::clone(&self.team)
    }

    /// Adds a solver in a configuration, in the place of an earlier one; gives its place. Its process lives on from
    /// block to block as long as the configuration stays.
    pub fn configure(&mut self, configuration: &Configuration) -> Option<usize> {
        let plain = self.team.plain;
        let team = self.team.configured(configuration);
        let new = team.members.get(plain)?;
        let known = self.team.members.get(plain);
        if known.is_none_or(|known| known.title != new.title) {
            let base = self.lanes.get(configuration.member)?;
            let lanes = Lanes {
                easy: Lane::new(&new.solver, base.easy.timeout.clone()),
                hard: Lane::new(&new.solver, base.hard.timeout.clone()),
            };
            self.lanes.truncate(plain);
            self.refusals.truncate(plain);
            self.lanes.push(lanes);
            self.refusals.push(Refusals::default());
            self.team = Arc::new(team);
        }
        self.refused = Some(0);
        Some(plain)
    }

    /// Why asking makes no sense, if so: the solver does not take what the script has, or rejects scripts like it.
    pub fn objection(&mut self, member: usize, features: &CaseProfile) -> Option<String> {
        let is_configured = member >= self.team.plain;
        if is_configured && self.refused.is_some_and(|count| count >= ENOUGH_REFUSED) {
            return Some("refused under these options".to_string());
        }
        let known = self.team.members[member].objection(features);
        known.or_else(|| self.refusals[member].objection(features))
    }

    /// Asks one solver one script, and learns whether it takes such scripts.
    pub fn ask(
        &mut self,
        member: usize,
        script: &str,
        wants: Wants,
        features: &CaseProfile,
    ) -> Result<SolverRun, StartError> {
        let run = self.send(member, script, wants, features)?;
        let refused = |a: &Answer| matches!(a, Answer::Rejected { .. });
        let all_refused = !run.answers.is_empty() && run.answers.iter().all(refused);
        self.refusals[member].note(features, all_refused);
        if member >= self.team.plain {
            self.refused = match all_refused {
                true => self.refused.map(|count| count + 1),
                false => None,
            };
        }
        Ok(run)
    }

    fn send(
        &mut self,
        member: usize,
        script: &str,
        wants: Wants,
        features: &CaseProfile,
    ) -> Result<SolverRun, StartError> {
        let options = &self.team.members[member].solver.options;
        let has_tactic = options
            .iter()
            .any(|word| word.starts_with("(check-sat-using"));
        let query = Query {
            script,
            mode: match wants.mode {
                // The tactic of its configuration stands in the place of the query.
                Mode::CheckSatUsing if has_tactic => Mode::PushPop,
                mode => mode,
            },
            want_model: wants.models && self.team.members[member].solver.profile.models,
            want_core: wants.cores && self.team.members[member].gives_cores(features),
            likely_sat: wants.likely_sat,
        };
        let lane = self.lanes[member].of(features);
        let mut run = lane.session.ask(&query)?;
        self.spent += run.wall;
        let timed_out = run.answers.contains(&Answer::Timeout);
        let was_shortened = lane.timeout.is_shortened();
        if lane.timeout.note(run.wall, timed_out) {
            lane.restart(&self.team.members[member].solver);
        }
        let affordable = self.spent_on_second * SECOND_CHANCES <= self.spent;
        if timed_out && was_shortened && affordable {
            run = self.ask_again(member, query, &run)?;
        }
        Ok(SolverRun::of(member, run))
    }

    /// Asks a related script of a case.
    pub fn ask_related(
        &mut self,
        member: usize,
        script: &str,
        mode: Mode,
        features: &CaseProfile,
    ) -> Option<SolverRun> {
        let wants = Wants {
            mode,
            models: true,
            cores: false,
            likely_sat: false,
        };
        // It is another script, so the profile tells nothing about a refusal.
        self.send(member, script, wants, features).ok()
    }

    /// Asks in a fresh process with the whole time limit.
    fn ask_again(
        &mut self,
        member: usize,
        query: Query<'_>,
        first: &Run,
    ) -> Result<Run, StartError> {
        let mut session = Session::start(&self.team.members[member].solver, &self.team.limits);
        let mut run = session.ask(&Query {
            mode: Mode::Fresh,
            ..query
        })?;
        self.spent += run.wall;
        self.spent_on_second += run.wall;
        run.wall += first.wall;
        run.cpu += first.cpu;
        Ok(run)
    }

    /// Processes started so far for live sessions with a solver.
    pub fn starts(&self, member: usize) -> u64 {
        let Lanes { easy, hard } = &self.lanes[member];
        easy.session.starts + hard.session.starts
    }
}
