//! A worker's live sessions with the solvers: adaptive limits, skipped scripts, and second attempts.

use crate::team::adaptive_timeout::AdaptiveTimeout;
use crate::team::case_profile::CaseProfile;
use crate::team::configuration::Configuration;
use crate::team::{SolverRun, Team};
use auspex_logic::{Answer, Theory};
use auspex_solvers::solver::StartError;
use auspex_solvers::{Mode, Query, Run, Session};
use std::collections::HashMap;
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

/// What a solver rejects: operators and theories that were never accepted.
#[derive(Debug, Default)]
struct Refusals {
    /// By operator row or theory: how often asked, how often rejected.
    seen: HashMap<Trait, (u32, u32)>,
    skipped: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Trait {
    Operator(u32),
    Theory(Theory),
}

/// After this many rejections and no answer a solver is no longer asked about an operator.
const ENOUGH_REFUSALS: u32 = 12;
/// One in this many skipped scripts is asked anyway, since the rejections may have had other reasons.
const RETRY: u32 = 64;

fn traits(features: &CaseProfile) -> impl Iterator<Item = Trait> {
    let theories = Theory::ALL
        .into_iter()
        .filter(|t| features.theories.contains(*t));
    let operators = features.operators.iter().map(|row| Trait::Operator(*row));
    operators.chain(theories.map(Trait::Theory))
}

impl Refusals {
    fn expects_answer(&mut self, features: &CaseProfile) -> bool {
        let hopeless = traits(features).any(|one| {
            let seen = self.seen.get(&one);
            seen.is_some_and(|(asked, refused)| *refused >= ENOUGH_REFUSALS && refused == asked)
        });
        self.skipped += u32::from(hopeless);
        !hopeless || self.skipped.is_multiple_of(RETRY)
    }

    fn note(&mut self, features: &CaseProfile, refused: bool) {
        for one in traits(features) {
            let (asked, refusals) = self.seen.entry(one).or_default();
            *asked += 1;
            *refusals += u32::from(refused);
        }
    }
}

/// The share of solver time for second attempts: one part in this many.
const SECOND_CHANCES: u32 = 8;

/// A configuration that a solver refuses so often, and never answers under, is not asked again in its block.
const ENOUGH_REFUSED: u32 = 3;

/// Sessions of one worker, one per solver.
pub struct WorkerSessions {
    /// The solvers, with the configuration that was asked last.
    team: Arc<Team>,
    /// How often that configuration was refused; none once it has answered.
    refused: Option<u32>,
    sessions: Vec<Session>,
    /// The limit of each solver's first attempt.
    timeouts: Vec<AdaptiveTimeout>,
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
        let limits = timeout.limits();
        let members = team.members.iter();
        WorkerSessions {
            team: Arc::new(team.clone()),
            refused: None,
            sessions: members
                .map(|m| Session::start(&m.solver, &limits))
                .collect(),
            timeouts: vec![timeout.clone(); team.members.len()],
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
            let timeout = self.timeouts.get(configuration.member)?.clone();
            self.sessions.truncate(plain);
            self.timeouts.truncate(plain);
            self.refusals.truncate(plain);
            self.sessions
                .push(Session::start(&new.solver, &timeout.limits()));
            self.timeouts.push(timeout);
            self.refusals.push(Refusals::default());
            self.team = Arc::new(team);
        }
        self.refused = Some(0);
        Some(plain)
    }

    /// Whether asking makes sense: the solver supports the theories, and does not reject all scripts like this one.
    pub fn expects_answer(&mut self, member: usize, features: &CaseProfile) -> bool {
        let is_configured = member >= self.team.plain;
        if is_configured && self.refused.is_some_and(|count| count >= ENOUGH_REFUSED) {
            return false;
        }
        self.team.members[member].understands(features)
            && self.refusals[member].expects_answer(features)
    }

    /// Asks one solver one script.
    pub fn ask(
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
            want_core: wants.cores && self.team.members[member].solver.profile.cores,
            likely_sat: wants.likely_sat,
        };
        let mut run = self.sessions[member].ask(&query)?;
        self.spent += run.wall;
        let timed_out = run.answers.contains(&Answer::Timeout);
        let was_shortened = self.timeouts[member].is_shortened();
        if self.timeouts[member].note(run.wall, timed_out) {
            self.restart(member);
        }
        let affordable = self.spent_on_second * SECOND_CHANCES <= self.spent;
        if timed_out && was_shortened && affordable {
            run = self.ask_again(member, query, &run)?;
        }
        let refused = |a: &Answer| matches!(a, Answer::Rejected { .. });
        let all_refused = !run.answers.is_empty() && run.answers.iter().all(refused);
        self.refusals[member].note(features, all_refused);
        if member >= self.team.plain {
            self.refused = match all_refused {
                true => self.refused.map(|count| count + 1),
                false => None,
            };
        }
        Ok(SolverRun::of(member, run))
    }

    /// Asks a related script of a case, after a reset if the solver supports it.
    pub fn ask_related(
        &mut self,
        member: usize,
        script: &str,
        features: &CaseProfile,
    ) -> Option<SolverRun> {
        let wants = Wants {
            mode: Mode::Reset,
            models: true,
            cores: false,
            likely_sat: false,
        };
        self.ask(member, script, wants, features).ok()
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

    /// Ends the live process of a solver that will not be asked soon, or that gets other limits.
    pub fn restart(&mut self, member: usize) {
        let solver = &self.team.members[member].solver;
        let limits = self.timeouts[member].limits();
        let starts = self.starts(member);
        self.sessions[member] = Session::start(solver, &limits);
        self.sessions[member].starts = starts;
    }

    /// Processes started so far for live sessions with a solver.
    pub fn starts(&self, member: usize) -> u64 {
        self.sessions[member].starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_always_refused_is_seldom_asked_again() {
        let script = |operators: &[u32]| CaseProfile {
            operators: operators.to_vec(),
            ..CaseProfile::default()
        };
        let mut refusals = Refusals::default();
        for _ in 0..ENOUGH_REFUSALS {
            assert!(refusals.expects_answer(&script(&[1, 2])));
            refusals.note(&script(&[1, 2]), true);
            refusals.note(&script(&[1]), false);
        }
        let asked = (0..640)
            .filter(|_| refusals.expects_answer(&script(&[1, 2])))
            .count();
        assert_eq!(asked, 10, "operator 2 is refused");
        assert!(refusals.expects_answer(&script(&[1])));
        refusals.note(&script(&[1, 2]), false);
        assert!(refusals.expects_answer(&script(&[1, 2])), "once is enough");
    }
}
