//! Values that assertions force upon symbols, and assertions that are false with them.
//!
//! ```text
//! (= x true)  (= y (not x))  (or x y (= z 1))   →   x is true, y is false; the last one is left open
//! ```
//!
//! No guessing: what is found here holds in every model.

use auspex_logic::eval::Evaluator;
use auspex_logic::script::Query;
use auspex_logic::{Fun, Head, Model, Script, TermId, Terms, Value};

/// How often the assertions are gone through; chains of definitions longer than this are rare.
const ROUNDS: usize = 16;

/// Whether an assertion of a query is false in every model.
pub fn is_refuted(terms: &Terms, script: &Script, query: &Query) -> bool {
    let mut parts = Vec::new();
    let assertions = query.assertions.iter().map(|assertion| assertion.term);
    for term in assertions.chain(query.assumptions.iter().copied()) {
        conjuncts(terms, term, &mut parts);
    }
    let mut model = Model::with_definitions(script);
    for _ in 0..ROUNDS {
        let mut evaluator = Evaluator::new(terms, &model).without_completion();
        if parts
            .iter()
            .any(|part| evaluator.value(*part) == Ok(Value::FALSE))
        {
            return true;
        }
        let free = |fun: Fun| model.interpretation(fun).is_none();
        let forced = parts.iter().filter_map(|part| {
            let (fun, value) = forced(terms, *part, &mut evaluator)?;
            free(fun).then_some((fun, value))
        });
        let forced: Vec<(Fun, Value)> = forced.collect();
        if forced.is_empty() {
            return false;
        }
        // Of two values for one symbol the first stays, and the other assertion is false with it.
        for (fun, value) in forced.into_iter().rev() {
            model.set_value(fun, value);
        }
    }
    false
}

/// The parts of a conjunction; a name or a pattern on the way changes nothing.
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
    use crate::candidate::Candidate;

    fn refuted(assertions: &[&str]) -> bool {
        let mut text =
            "(declare-const p Bool)(declare-const x Int)(declare-const y Int)".to_string();
        for assertion in assertions {
            text.push_str(&format!("(assert {assertion})"));
        }
        text.push_str("(check-sat)");
        Candidate::read(&text).expect("well-formed").is_false(0)
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
