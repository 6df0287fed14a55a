//! Judges a model against the assertions of a query.

use super::Model;
use crate::eval::{Evaluator, Outcome, Undetermined};
use crate::script::Query;
use crate::term::{Head, TermId, Terms};
use crate::value::Value;

/// What a model is worth for one query.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelVerdict {
    /// Every assertion and assumption is true.
    Valid,
    /// This assertion or assumption is false.
    Invalid { assertion: TermId },
    /// None is false, but this one could not be decided.
    Undetermined {
        assertion: TermId,
        why: Undetermined,
    },
}

/// Evaluates every assertion and assumption of a query under a model.
pub fn validate(terms: &Terms, model: &Model, query: &Query) -> ModelVerdict {
    let mut evaluator = Evaluator::new(terms, model);
    let mut undetermined = None;
    for term in query
        .assertions
        .iter()
        .map(|a| a.term)
        .chain(query.assumptions.iter().copied())
    {
        match evaluator.value(term) {
            Ok(Value::Bool(true)) => {}
            // A default for a symbol the model left out may be the wrong choice: not the model's fault.
            Ok(Value::Bool(false)) if evaluator.completed => {
                let why = Undetermined {
                    term,
                    reason: crate::eval::Reason::NotInModel,
                };
                undetermined.get_or_insert((term, why));
            }
            Ok(Value::Bool(false)) => return ModelVerdict::Invalid { assertion: term },
            Ok(_) => {
                let why = Undetermined {
                    term,
                    reason: crate::eval::Reason::Opaque,
                };
                undetermined.get_or_insert((term, why));
            }
            Err(why) => {
                undetermined.get_or_insert((term, why));
            }
        }
    }
    match undetermined {
        Some((assertion, why)) => ModelVerdict::Undetermined { assertion, why },
        None => ModelVerdict::Valid,
    }
}

/// The subterms that explain why a term is false, smallest part last: each with its value.
pub fn falsified(terms: &Terms, model: &Model, assertion: TermId) -> Vec<(TermId, Outcome)> {
    let mut evaluator = Evaluator::new(terms, model);
    let _ = evaluator.value(assertion);
    let mut chain = Vec::new();
    let mut current = assertion;
    loop {
        chain.push((current, evaluator.value(current)));
        match deciding_argument(terms, &mut evaluator, current) {
            Some(next) => current = next,
            None => return chain,
        }
    }
}

/// The innermost Boolean subterm on which the falsehood rests.
pub fn smallest_false_part(terms: &Terms, model: &Model, assertion: TermId) -> TermId {
    falsified(terms, model, assertion)
        .last()
        .map_or(assertion, |(term, _)| *term)
}

/// For a connective, the argument that alone makes it what it is.
fn deciding_argument(terms: &Terms, evaluator: &mut Evaluator<'_>, term: TermId) -> Option<TermId> {
    let args = terms.args(term).to_vec();
    let name = match terms.head(term) {
        Head::Op(op) => terms.op(op).name.clone(),
        Head::Annotated(_) => return args.first().copied(),
        _ => return None,
    };
    let value = evaluator.value(term).ok()?;
    match (&*name, value) {
        ("not", _) => args
            .first()
            .copied()
            .filter(|a| matches!(terms.head(*a), Head::Op(_))),
        ("and", Value::Bool(false)) => args
            .into_iter()
            .find(|a| evaluator.value(*a) == Ok(Value::FALSE)),
        ("or", Value::Bool(true)) => args
            .into_iter()
            .find(|a| evaluator.value(*a) == Ok(Value::TRUE)),
        ("=>", Value::Bool(false)) => args.last().copied(),
        _ => None,
    }
}
