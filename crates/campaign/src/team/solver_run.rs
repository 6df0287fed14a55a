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
        Reply {
            solver: team.members[self.member].id.clone(),
            form: self.form,
            answer,
            questions: Vec::new(),
            time: Some(self.cpu),
        }
    }
}
