//! Turns a term with one value into a term with another, by undoing the difference with an operator of its sort.
//!
//! ```text
//! (* x y) has the value 12, 7 is wanted      →   (- (* x y) 5)
//! (str.++ s t) is "ab", "abc" is wanted      →   (str.++ (str.++ s t) "c")
//! p is false, true is wanted                 →   (not p)
//! ```

use crate::draw::Draw;
use auspex_logic::value::{Int, Str};
use auspex_logic::{TermId, Terms, Value};

/// A term that contains `term` (whose value is `value`) and has the value `target`.
pub(super) fn towards(
    terms: &mut Terms,
    draw: &mut Draw,
    term: TermId,
    value: &Value,
    target: &Value,
) -> Option<TermId> {
    if value == target {
        return Some(term);
    }
    let direct = match (value, target) {
        (Value::Bool(_), Value::Bool(_)) => terms.app("not", &[term]).ok(),
        (Value::Int(from), Value::Int(to)) => add(terms, draw, term, &to.sub(from)),
        (Value::Real(from), Value::Real(to)) => {
            let sort = terms.sort(term);
            let step = terms.value_term(&Value::Real(to.sub(from)), sort)?;
            terms.app("+", &[term, step]).ok()
        }
        (Value::BitVec(from), Value::BitVec(to)) => {
            let sort = terms.sort(term);
            let (name, step) = match draw.below(3) {
                0 => ("bvadd", to.sub(from)),
                1 => ("bvxor", to.xor(from)),
                _ => ("bvsub", from.sub(to)),
            };
            let step = terms.value_term(&Value::BitVec(step), sort)?;
            terms.app(name, &[term, step]).ok()
        }
        (Value::Str(from), Value::Str(to)) => extend(terms, term, from, to),
        _ => None,
    };
    match direct {
        Some(term) => Some(term),
        None => choose(terms, term, value, target),
    }
}

fn add(terms: &mut Terms, draw: &mut Draw, term: TermId, step: &Int) -> Option<TermId> {
    let sort = terms.sort(term);
    let magnitude = terms.value_term(&Value::Int(step.abs()), sort)?;
    let name = if step.is_negative() { "-" } else { "+" };
    if name == "+" && draw.coin() {
        return terms.app(name, &[magnitude, term]).ok();
    }
    terms.app(name, &[term, magnitude]).ok()
}

/// A prefix or suffix is completed.
fn extend(terms: &mut Terms, term: TermId, from: &Str, to: &Str) -> Option<TermId> {
    let (from, to) = (from.code_points(), to.code_points());
    let sort = terms.sort(term);
    let mut literal = |points: &[u32]| terms.value_term(&Value::Str(Str::new(points)?), sort);
    if let Some(rest) = to.strip_prefix(from) {
        let rest = literal(rest)?;
        return terms.app("str.++", &[term, rest]).ok();
    }
    if let Some(rest) = to.strip_suffix(from) {
        let rest = literal(rest)?;
        return terms.app("str.++", &[rest, term]).ok();
    }
    None
}

/// For any sort: `(ite (= term value) target term)`.
fn choose(terms: &mut Terms, term: TermId, value: &Value, target: &Value) -> Option<TermId> {
    let sort = terms.sort(term);
    let (value, target) = (
        terms.value_term(value, sort)?,
        terms.value_term(target, sort)?,
    );
    let condition = terms.app("=", &[term, value]).ok()?;
    terms.app("ite", &[condition, target, term]).ok()
}
