//! Validates a model against the assertions of a query.

use super::Model;
use crate::eval::{Evaluator, Outcome, Reason, Undetermined};
use crate::render::post_order;
use crate::script::Query;
use crate::term::{Head, TermId, Terms};
use crate::theory::SolverSet;
use crate::value::Value;

/// The result of validating a model for one query.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelVerdict {
    /// Every assertion and assumption is true.
    Valid,
    /// This assertion or assumption is false.
    Invalid { assertion: TermId },
    /// No assertion is false, but this one could not be decided.
    Undetermined {
        assertion: TermId,
        why: Undetermined,
    },
}

/// How much work inside binders all assertions together may take, as [`Evaluator::at_most`] counts it.
pub const MOST_WORK: u64 = 100_000;
/// After a tenth of the allowed work no other way to show a model valid is tried.
const OTHER_WAYS: u64 = 10;

/// Evaluates every assertion and assumption of a query under a model.
pub fn validate(terms: &Terms, model: &Model, query: &Query) -> ModelVerdict {
    validate_within(terms, model, query, MOST_WORK)
}

/// The same with a limit on work: what exceeds it is undetermined.
pub fn validate_within(terms: &Terms, model: &Model, query: &Query, most: u64) -> ModelVerdict {
    let (verdict, work) = evaluate(terms, model, query, most);
    // The steps below evaluate everything again, some of it many times.
    let affordable = work <= most / OTHER_WAYS;
    let by_bounds = || holds_by_bounds(terms, model, query);
    let filled = || super::fill::can_be_filled(terms, model, query);
    match verdict {
        ModelVerdict::Undetermined { .. } if affordable && (by_bounds() || filled()) => {
            ModelVerdict::Valid
        }
        verdict => verdict,
    }
}

/// An assertion that is false under a model, if this much work shows one. This suffices if a valid model would refute
/// no other answer.
pub fn false_within(terms: &Terms, model: &Model, query: &Query, most: u64) -> Option<TermId> {
    match evaluate(terms, model, query, most).0 {
        ModelVerdict::Invalid { assertion } => Some(assertion),
        ModelVerdict::Valid | ModelVerdict::Undetermined { .. } => None,
    }
}

/// The result of evaluation alone, and its work.
fn evaluate(terms: &Terms, model: &Model, query: &Query, most: u64) -> (ModelVerdict, u64) {
    let mut evaluator = Evaluator::new(terms, model).at_most(most);
    let mut undetermined = None;
    let mut work = 0;
    for term in query.demands() {
        let value = evaluator.value(term);
        work += evaluator.work();
        evaluator = evaluator.at_most(most.saturating_sub(work));
        match value {
            Ok(Value::Bool(true)) => {}
            // A default for a symbol that the model omits may be the wrong choice, which is not the model's fault.
            Ok(Value::Bool(false)) if !is_false_anyway(terms, model, &evaluator, term) => {
                let reason = Reason::NotInModel;
                undetermined.get_or_insert((term, Undetermined { term, reason }));
            }
            Ok(Value::Bool(false)) => return (ModelVerdict::Invalid { assertion: term }, work),
            Ok(_) => {
                let reason = Reason::Opaque;
                undetermined.get_or_insert((term, Undetermined { term, reason }));
            }
            Err(why) => {
                undetermined.get_or_insert((term, why));
            }
        }
    }
    let verdict = match undetermined {
        None => ModelVerdict::Valid,
        Some((assertion, why)) => ModelVerdict::Undetermined { assertion, why },
    };
    (verdict, work)
}

/// Whether bounds on transcendental functions show that all assertions are true.
fn holds_by_bounds(terms: &Terms, model: &Model, query: &Query) -> bool {
    let mut evaluator = Evaluator::new(terms, model).enclosing();
    query
        .demands()
        .all(|term| evaluator.value(term) == Ok(Value::TRUE))
}

/// Whether every subterm of the assertions has a value under a model, even if nothing depends on it. A solver with
/// partial functions, such as dReal, may treat a subterm without a value as a contradiction; and we do not know where
/// operators that the table does not list for it have a value.
pub fn is_defined(terms: &Terms, model: &Model, query: &Query) -> bool {
    let mut evaluator = Evaluator::new(terms, model).enclosing();
    let listed = |part: TermId| match terms.head(part) {
        Head::Op(op) => terms.op(op).known.includes(SolverSet::DREAL),
        _ => true,
    };
    query.demands().all(|demand| {
        let mut parts = post_order(terms, demand).into_iter();
        evaluator.value(demand).is_ok()
            && parts
                .all(|part| listed(part) && terms.is_closed(part) && evaluator.value(part).is_ok())
    })
}

/// Whether a false term is false for every interpretation of the symbols that the model omits.
fn is_false_anyway(terms: &Terms, model: &Model, evaluator: &Evaluator<'_>, term: TermId) -> bool {
    if !evaluator.completed {
        return true;
    }
    let mut strict = Evaluator::new(terms, model).without_completion();
    strict.value(term) == Ok(Value::FALSE)
}

/// The subterms that explain why a term is false, each with its value, smallest part last.
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

/// The innermost Boolean subterm that makes the term false.
pub fn smallest_false_part(terms: &Terms, model: &Model, assertion: TermId) -> TermId {
    falsified(terms, model, assertion)
        .last()
        .map_or(assertion, |(term, _)| *term)
}

/// For a connective, the argument that alone determines its value.
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
