//! One solver's answers to one script, with times.

use crate::team::Team;
use auspex_cases::oracle::{Form, Reply};
use auspex_logic::{Answer, Crash, Said};
use auspex_solvers::{Mode, Run};
use std::sync::Arc;
use std::time::Duration;

/// One solver's answers to one script.
#[derive(Clone, Debug)]
pub struct SolverRun {
    /// Position in the team.
    pub member: usize,
    pub form: Form,
    /// One per query that was reached.
    pub answers: Vec<Answer>,
    /// A crash after the last answer.
    pub later: Option<Crash>,
    /// The replies to its questions, as far as it came.
    pub said: Vec<Said>,
    pub mode: Mode,
    /// What the same process was asked before, since its last reset.
    pub earlier: Vec<Arc<str>>,
    pub wall: Duration,
    pub cpu: Duration,
    /// Which part of the time limit it took, on the clock.
    pub time_used: Option<f64>,
}

impl SolverRun {
    /// The answers of a member of the team.
    pub fn of(member: usize, run: Run) -> SolverRun {
        SolverRun {
            member,
            form: match run.mode {
                Mode::Fresh => Form::Script,
                Mode::Reset | Mode::PushPop | Mode::CheckSatUsing => Form::Live,
            },
            answers: run.answers,
            later: run.later.map(|later| later.crash),
            said: run.said,
            mode: run.mode,
            earlier: run.earlier,
            wall: run.wall,
            cpu: run.cpu,
            time_used: (!run.time_limit.is_zero())
                .then(|| run.wall.as_secs_f64() / run.time_limit.as_secs_f64()),
        }
    }

    pub fn in_form(self, form: Form) -> SolverRun {
        SolverRun { form, ..self }
    }

    /// The answer to a query of the script.
    pub fn answer(&self, number: usize) -> Option<&Answer> {
        self.answers.get(number)
    }

    /// One of its answers, as a fact.
    pub fn reply(&self, team: &Team, answer: Answer) -> Reply {
        let solver = team.members[self.member].id.clone();
        let time_used = self.time_used.filter(|_| !sets_limits(&solver.options));
        Reply {
            form: self.form,
            time: Some(self.cpu),
            time_used,
            ..Reply::new(solver, answer)
        }
    }
}

/// Whether a solver's own options may limit its time or its steps.
fn sets_limits(options: &[String]) -> bool {
    const PARTS: [&str; 5] = ["limit", "timeout", "max", "-t:", "-T:"];
    let mut options = options.iter();
    options.any(|option| PARTS.iter().any(|part| option.contains(part)))
}
