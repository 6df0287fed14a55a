//! The model oracle: a model that falsifies an assertion is wrong, and so is an `unsat` if some model satisfies all
//! of them.
//!
//! ```text
//! (assert (= (bvnot x) #b0)) → sat, x = #b0     the assertion is false under this model
//! ```

use super::grounds::{Grounds, ModelOf};
use super::{Class, Oracle, QueryContext, Side, Verdict};
use auspex_logic::model::{
    ModelVerdict, false_within, is_defined, read_model, smallest_false_part, validate_within,
};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Model, TermId};

pub struct ModelValidity;

impl Oracle for ModelValidity {
    fn name(&self) -> &'static str {
        "model"
    }

    fn about(&self) -> &'static str {
        "A model that falsifies an assertion is wrong; a model that satisfies all of them refutes every unsat."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let mut proved_by = None;
        let is_denied = context.anyone_says(Side::Unsat);
        for at in 0..context.replies.len() {
            let Some(text) = context.replies[at].model() else {
                continue;
            };
            let Ok(model) = read_model(context.terms, context.script, text) else {
                continue;
            };
            let work = context.budget.work;
            if !is_denied {
                let wrong = false_within(context.terms, &model, context.query, work);
                verdicts.extend(wrong.map(|assertion| invalid(context, at, &model, assertion)));
                continue;
            }
            match validate_within(context.terms, &model, context.query, work) {
                ModelVerdict::Valid => {
                    let mut replies = context.replies.iter();
                    let partial = replies.any(|reply| reply.solver.has_partial_functions);
                    let defined = !partial || is_defined(context.terms, &model, context.query);
                    proved_by.get_or_insert((at, defined));
                }
                ModelVerdict::Invalid { assertion } => {
                    verdicts.push(invalid(context, at, &model, assertion))
                }
                ModelVerdict::Undetermined { .. } => {}
            }
        }
        if let Some((prover, defined)) = proved_by {
            verdicts.extend(refuted(context, prover, defined));
        }
        verdicts
    }
}

fn invalid(context: &QueryContext<'_>, at: usize, model: &Model, assertion: TermId) -> Verdict {
    let part = smallest_false_part(context.terms, model, assertion);
    let shown = |term| render::term(context.terms, term, Sharing::Auto);
    let grounds = Grounds::FalseAssertion {
        assertion: shown(assertion),
        part: shown(part),
    };
    Verdict {
        site: shown(part),
        ..Verdict::new(Class::InvalidModel, at, grounds)
    }
}

/// The solvers that answer unsat; if a part has no value, without those with partial functions.
fn refuted(context: &QueryContext<'_>, prover: usize, defined: bool) -> Vec<Verdict> {
    let wrong = context.replies.iter().enumerate().filter(|(_, reply)| {
        reply.side() == Some(Side::Unsat) && (defined || !reply.solver.has_partial_functions)
    });
    let grounds = Grounds::ValidModel {
        of: ModelOf::Reply(prover),
    };
    wrong
        .map(|(at, _)| Verdict::new(Class::WrongUnsat, at, grounds.clone()))
        .collect()
}
