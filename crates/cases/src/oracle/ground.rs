//! The ground oracle evaluates without a model: an assertion that is false under every interpretation, or with the
//! values that other assertions force, makes the script unsatisfiable; assertions that are all true make it
//! satisfiable.
//!
//! ```text
//! (assert (= (store ((as const (Array Bool Bool)) false) true true) ((as const (Array Bool Bool)) true)))
//!     → sat       wrong: the arrays differ at false
//! (assert (= x true)) (assert (= y (not x))) (assert y)
//!     → sat       wrong: x is true in every model, so y is false
//! ```

use super::grounds::Grounds;
use super::{Budget, Class, Oracle, QueryContext, Side, Verdict};
use crate::case::Evidence;
use auspex_logic::eval::Evaluator;
use auspex_logic::render::{self, Sharing};
use auspex_logic::script::Query;
use auspex_logic::{Fun, Head, Model, Script, TermId, Terms, Value};

pub struct Ground;

impl Oracle for Ground {
    fn name(&self) -> &'static str {
        "ground"
    }

    fn about(&self) -> &'static str {
        "An answer is wrong if it contradicts assertions whose value no interpretation can change."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        // Stronger evidence decides.
        if !matches!(
            context.evidence,
            Evidence::NoneKnown | Evidence::Relation(_)
        ) {
            return Vec::new();
        }
        let (wrong, class, grounds) = match known(context) {
            Some(Truth::False(term, forced)) => {
                let assertion = render::term(context.terms, term, Sharing::Auto);
                let grounds = Grounds::FalseByEvaluation { assertion, forced };
                (Side::Sat, Class::WrongSat, grounds)
            }
            Some(Truth::True) => (Side::Unsat, Class::WrongUnsat, Grounds::TrueByEvaluation),
            None => return Vec::new(),
        };
        let replies = context.replies.iter().enumerate();
        replies
            .filter(|(_, reply)| reply.side() == Some(wrong))
            .map(|(at, _)| Verdict::new(class, at, grounds.clone()))
            .collect()
    }
}

enum Truth {
    /// This assertion is false; with whether that depends on values that others force.
    False(TermId, bool),
    True,
}

fn known(context: &QueryContext<'_>) -> Option<Truth> {
    let may_be_wrong_sat = context.anyone_says(Side::Sat);
    let mut all_true = context.anyone_says(Side::Unsat);
    if !all_true && !may_be_wrong_sat {
        return None;
    }
    let model = Model::with_definitions(context.script);
    let mut evaluator = Evaluator::new(context.terms, &model)
        .without_completion()
        .at_most(context.budget.work / 8);
    for term in context.query.demands() {
        match evaluator.value(term) {
            Ok(Value::Bool(false)) => return Some(Truth::False(term, false)),
            Ok(Value::Bool(true)) => {}
            _ => all_true = false,
        }
        if !all_true && !may_be_wrong_sat {
            return None;
        }
    }
    if all_true {
        return Some(Truth::True);
    }
    // In a campaign this is worth its time only if the answer is in doubt.
    let in_doubt = context.anyone_says(Side::Unsat) || context.budget.work >= Budget::THOROUGH.work;
    let forced = may_be_wrong_sat && in_doubt;
    let refuted = || refuted_part(context.terms, context.script, context.query);
    forced
        .then(refuted)
        .flatten()
        .map(|part| Truth::False(part, true))
}

/// How often to iterate over the assertions; longer chains of definitions are rare.
const ROUNDS: usize = 16;

/// A part of a query's assertions that is false in every model. Symbols get values only where an assertion forces
/// them.
pub fn refuted_part(terms: &Terms, script: &Script, query: &Query) -> Option<TermId> {
    let mut parts = Vec::new();
    for term in query.demands() {
        conjuncts(terms, term, &mut parts);
    }
    let mut model = Model::with_definitions(script);
    for _ in 0..ROUNDS {
        let mut evaluator = Evaluator::new(terms, &model).without_completion();
        let mut all = parts.iter().copied();
        if let Some(part) = all.find(|part| evaluator.value(*part) == Ok(Value::FALSE)) {
            return Some(part);
        }
        let free = |fun: Fun| model.interpretation(fun).is_none();
        let forced = parts.iter().filter_map(|part| {
            let (fun, value) = forced(terms, *part, &mut evaluator)?;
            free(fun).then_some((fun, value))
        });
        let forced: Vec<(Fun, Value)> = forced.collect();
        if forced.is_empty() {
            return None;
        }
        // If a symbol gets two values the first is kept, which makes the other assertion false.
        for (fun, value) in forced.into_iter().rev() {
            model.set_value(fun, value);
        }
    }
    None
}

/// The parts of a conjunction; names and patterns are skipped.
fn conjuncts(terms: &Terms, term: TermId, parts: &mut Vec<TermId>) {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match terms.head(term) {
            Head::Op(op) if &*terms.op(op).name == "and" => stack.extend(terms.args(term)),
            Head::Annotated(_) => stack.extend(terms.args(term).first()),
            _ => parts.push(term),
        }
    }
}

/// The symbol that must have a value for a part to be true: `p`, `(not p)`, `(= x value)`.
fn forced(terms: &Terms, part: TermId, evaluator: &mut Evaluator<'_>) -> Option<(Fun, Value)> {
    if let Some(fun) = constant(terms, part) {
        return Some((fun, Value::TRUE));
    }
    let Head::Op(op) = terms.head(part) else {
        return None;
    };
    match (&*terms.op(op).name, terms.args(part)) {
        ("not", [inner]) => Some((constant(terms, *inner)?, Value::FALSE)),
        ("=", [left, right]) => {
            let mut both = [(left, right), (right, left)].into_iter();
            both.find_map(|(symbol, term)| {
                let fun = constant(terms, *symbol)?;
                Some((fun, evaluator.value(*term).ok()?))
            })
        }
        _ => None,
    }
}

fn constant(terms: &Terms, term: TermId) -> Option<Fun> {
    match terms.head(term) {
        Head::Fun(fun) if terms.args(term).is_empty() => Some(fun),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::oracle::Class;
    use crate::oracle::tests::verdicts_about;

    fn refuted(assertions: &[&str]) -> bool {
        let mut text =
            "(declare-const p Bool)(declare-const x Int)(declare-const y Int)".to_string();
        for assertion in assertions {
            text.push_str(&format!("(assert {assertion})"));
        }
        text.push_str("(check-sat)");
        let found = verdicts_about(&text, &[("z3 5.4.0", "sat")]);
        found.iter().any(|verdict| verdict.class == Class::WrongSat)
    }

    #[test]
    fn sees_what_forced_values_contradict() {
        assert!(refuted(&["(= 1 2)"]));
        assert!(refuted(&["(= x 3)", "(< x 3)"]));
        assert!(refuted(&["(= x 3)", "(and p (= (+ x 1) y))", "(= y 5)"]));
        assert!(refuted(&["(! (not p) :named a)", "(or p (= 1 2))"]));
    }

    #[test]
    fn leaves_open_what_some_model_may_satisfy() {
        assert!(!refuted(&["(= x 3)", "(< x y)"]));
        assert!(!refuted(&["(or (= x 3) p)", "(< x 3)"]));
        assert!(!refuted(&["(= x y)", "(= y x)"]));
        // A symbol that stands for itself forces nothing.
        assert!(!refuted(&["(= x (div 1 0))", "(= x 7)"]));
    }
}
