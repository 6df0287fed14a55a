//! Where a wrong `unsat` comes from: asks the accused for its proof, and looks for the smallest step that a model of the
//! assertions makes false although its premises are true.

use auspex_cases::answers::proof::{FalseStep, Proofs, with_proof};
use auspex_cases::answers::{AnswerKind, Asked, replies};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Terms, read_script};
use auspex_solvers::{Limits, Query, Session, Solver};

/// The step of the solver's proof of a script that is false under one of these models of it; none if the solver prints
/// no proof, or none that can be read.
pub fn false_step(
    terms: &mut Terms,
    accused: &Solver,
    limits: &Limits,
    script: &str,
    models: &[&str],
) -> Option<FalseStep> {
    if models.is_empty() || !Proofs.makes().contains(&&*accused.profile.name) {
        return None;
    }
    let script = read_script(terms, script).ok()?.script;
    let asking = with_proof(terms, &script);
    let text = render::script(terms, &asking, Sharing::Auto);
    let run = Session::start(accused, limits).ask(&Query::new(&text));
    let run = run.ok()?;
    let answer = run.answers.last()?;
    let said = replies(terms, &asking, &run.said).pop()?;
    let is_proof = asking.commands.len() == said.command + 1;
    if !is_proof || !matches!(answer, Answer::Unsat { .. }) {
        return None;
    }
    FalseStep::of(&mut Asked {
        said: &said.said,
        answer: Some(answer),
        others: models,
        ..Asked::new(terms, &asking, said.command)
    })
}
