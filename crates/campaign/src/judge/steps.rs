//! Asks solvers about steps of a proof that stay open: the premises and the negated conclusion must be unsatisfiable. A
//! model counts if our evaluator confirms it.

use auspex_cases::answers::proof::Judged;
use auspex_cases::answers::{Asked, Check};
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Script, Terms};
use auspex_solvers::{Limits, Mode, Query, Session, Solver};

/// Whom to ask, and how much.
pub struct Asking<'a> {
    pub solvers: &'a [Solver],
    /// For one step.
    pub limits: &'a Limits,
    pub most: usize,
}

/// What solvers said about a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This one finds no model of the opposite.
    Holds(String),
    /// The model that this one returns shows the opposite.
    Refuted(String),
    Open,
}

/// Asks about the open steps of a proof, those of different rules first.
pub fn ask(
    terms: &mut Terms,
    script: &Script,
    judged: &Judged,
    asking: &Asking<'_>,
) -> Vec<(usize, Outcome)> {
    let sessions = asking.solvers.iter();
    let mut sessions: Vec<Session> = sessions
        .map(|solver| Session::start(solver, asking.limits))
        .collect();
    let mut all = Vec::new();
    for number in judged.most_different(asking.most) {
        let Some(opposite) = opposite(terms, script, judged, number) else {
            continue;
        };
        all.push((number, outcome(terms, &opposite, &mut sessions)));
    }
    all
}

/// The script that has a model if a step is wrong.
fn opposite(terms: &mut Terms, script: &Script, judged: &Judged, number: usize) -> Option<Script> {
    let commands = judged.question(terms, number)?;
    let command = script.queries().last().map_or(0, |query| query.command);
    let mut asked = Asked::new(terms, script, command);
    match asked.must_be_unsat("", &commands).ok()?.check {
        Check::Unsat(script) => Some(script),
        Check::Sat(_) | Check::Wrong(_) => None,
    }
}

fn outcome(terms: &mut Terms, opposite: &Script, sessions: &mut [Session]) -> Outcome {
    let text = render::script(terms, opposite, Sharing::Auto);
    let Some(query) = opposite.queries().pop() else {
        return Outcome::Open;
    };
    let mut held = None;
    for session in sessions {
        let title = session.solver().title();
        let query_text = Query::new(&text).model().mode(Mode::Reset);
        let Ok(run) = session.ask(&query_text) else {
            continue;
        };
        match run.answer() {
            Answer::Sat { model: Some(model) } => {
                let model = read_model(terms, opposite, model);
                let is_valid = |model| validate(terms, &model, &query) == ModelVerdict::Valid;
                if model.is_ok_and(is_valid) {
                    return Outcome::Refuted(title);
                }
            }
            Answer::Unsat { .. } => held = held.or(Some(title)),
            _ => {}
        }
    }
    held.map_or(Outcome::Open, Outcome::Holds)
}
