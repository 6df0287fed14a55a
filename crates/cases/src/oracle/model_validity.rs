//! A model that makes an assertion false is wrong, and so is an `unsat` beside a model that makes all true.
//!
//! ```text
//! (assert (= (bvnot x) #b0)) → sat, x = #b0     the assertion is false under this model
//! ```

use super::differential::Side;
use super::{Class, Complaint, Oracle, Trial};
use auspex_logic::model::{
    ModelVerdict, false_within, is_defined, read_model, smallest_false_part, validate_within,
};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Model, TermId};

pub struct ModelValidity;

impl Oracle for ModelValidity {
    fn name(&self) -> &'static str {
        "model"
    }

    fn about(&self) -> &'static str {
        "A model that our evaluator finds false convicts its solver; one it finds true refutes every unsat."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        let mut proved_by = None;
        let is_denied = trial.anyone_says(Side::Unsat);
        for (at, reply) in trial.replies.iter().enumerate() {
            let Answer::Sat { model: Some(text) } = &reply.answer else {
                continue;
            };
            let Ok(model) = read_model(trial.terms, trial.script, text) else {
                continue;
            };
            if !is_denied {
                let wrong = false_within(trial.terms, &model, trial.query, trial.care.work);
                complaints.extend(wrong.map(|assertion| invalid(trial, at, &model, assertion)));
                continue;
            }
            match validate_within(trial.terms, &model, trial.query, trial.care.work) {
                ModelVerdict::Valid => {
                    let partial = trial.replies.iter().any(super::Reply::is_partial);
                    let defined = !partial || is_defined(trial.terms, &model, trial.query);
                    proved_by.get_or_insert((at, defined));
                }
                ModelVerdict::Invalid { assertion } => {
                    complaints.push(invalid(trial, at, &model, assertion))
                }
                ModelVerdict::Undetermined { .. } => {}
            }
        }
        if let Some((prover, defined)) = proved_by {
            complaints.extend(refuted(trial, prover, defined));
        }
        complaints
    }
}

fn invalid(trial: &Trial<'_>, at: usize, model: &Model, assertion: TermId) -> Complaint {
    let part = smallest_false_part(trial.terms, model, assertion);
    let shown = render::term(trial.terms, assertion, Sharing::Auto);
    let site = render::term(trial.terms, part, Sharing::Auto);
    let why = if part == assertion {
        format!(
            "{} answers sat, but under its model the assertion {shown} is false.",
            trial.replies[at].solver
        )
    } else {
        format!(
            "{} answers sat, but under its model the assertion {shown} is false, since {site} does not hold as needed.",
            trial.replies[at].solver
        )
    };
    Complaint {
        class: Class::InvalidModel,
        accused: vec![at],
        why,
        site,
    }
}

/// Those who say unsat; where a part has no value, only those to whom every part has one.
fn refuted(trial: &Trial<'_>, prover: usize, defined: bool) -> Vec<Complaint> {
    let wrong =
        trial.replies.iter().enumerate().filter(|(_, r)| {
            matches!(r.answer, Answer::Unsat { .. }) && (defined || !r.is_partial())
        });
    wrong
        .map(|(at, reply)| {
            let why = format!(
                "{} answers unsat, but the model of {} makes every assertion true (checked by evaluation).",
                reply.solver, trial.replies[prover].solver
            );
            Complaint { class: Class::WrongUnsat, accused: vec![at], why, site: String::new() }
        })
        .collect()
}
