//! Replaces terms by smaller, equal ones.
//!
//! ```text
//! (not (not p))       →   p          for both values of p
//! (ite true x y)      →   x          by the definition of ite
//! (ite c x x)         →   x          whichever branch is taken
//! (= x x)             →   true       equality is reflexive
//! (and p true)        →   p          true is neutral; so is false for or
//! (and p false)       →   false      false decides and; so does true for or
//! (= p true)          →   p          for both values of p
//! (= p false)         →   (not p)    for both values of p
//! (not (<= x y))      →   (> x y)    the order of Int and Real is total
//! (not (= x y))       →   (distinct x y)   by the definition of distinct
//! (not (=> p q))      →   (and p (not q))  de Morgan; so for and, or, forall and exists
//! (=> (not p) q)      →   (or p q)   by the definition of =>
//! (bvadd #x1 #x2)     →   #x3        by evaluation of a term without symbols
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::rewrite::everywhere;
use crate::subject::Subject;
use auspex_logic::eval::Evaluator;
use auspex_logic::term::BinderKind;
use auspex_logic::{Head, Model, Sort, TermId, Terms, Value};

pub struct Simplify;

impl Pass for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn about(&self) -> &'static str {
        "Replaces terms by smaller, equal ones: double negation, decided conditions, neutral arguments, values."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let mut edits = Vec::new();
        for term in &subterms.all {
            let args = subject.terms.args(*term).to_vec();
            if let Some(new) = simpler(&mut subject.terms, *term, &args) {
                let gain = subterms.gain(*term, subterms.size(new));
                edits.push(Edit::new(gain, Change::All(vec![(*term, new)])));
            }
        }
        if edits.len() > 1 {
            let gain = edits
                .iter()
                .map(|edit| edit.gain)
                .fold(0, u64::saturating_add);
            let all = everywhere(&mut subject.terms, &subject.script, simpler);
            edits.push(Edit::script(gain, all));
        }
        edits
    }
}

/// An equal term that is smaller, by the rules of the header.
fn simpler(terms: &mut Terms, term: TermId, args: &[TermId]) -> Option<TermId> {
    let Head::Op(op) = terms.head(term) else {
        return None;
    };
    let name = terms.op(op).name.clone();
    let by_rule = match (&*name, args) {
        ("not", [inner]) => negated(terms, *inner, DEEPEST),
        ("=>", _) => implied(terms, args),
        ("ite", [condition, yes, no]) => chosen(terms, *condition, *yes, *no),
        ("=", [left, right]) if left == right => Some(terms.bool(true)),
        ("=", &[left, right]) => equal(terms, left, right).or_else(|| equal(terms, right, left)),
        ("and", _) => junction(terms, term, args, true),
        ("or", _) => junction(terms, term, args, false),
        _ => None,
    };
    by_rule.or_else(|| evaluated(terms, term, args))
}

/// How far a negation is pushed at once.
const DEEPEST: usize = 16;

/// `(not inner)` with the negation removed, or pushed inside if that adds nothing.
fn negated(terms: &mut Terms, inner: TermId, depth: usize) -> Option<TermId> {
    let args = terms.args(inner).to_vec();
    let op = match terms.head(inner) {
        _ if depth == 0 => return None,
        Head::Op(op) => op,
        Head::Binder(number) => return other_quantifier(terms, number, args[0], depth),
        _ => return None,
    };
    let name = terms.op(op).name.clone();
    let opposite = match (&*name, args.as_slice()) {
        ("not", [inner]) => return Some(*inner),
        ("=>", [first @ .., last]) => {
            let mut all = first.to_vec();
            all.push(negation(terms, *last, depth)?);
            return terms.app("and", &all).ok();
        }
        ("and", _) => return all_negated(terms, "or", &args, depth),
        ("or", _) => return all_negated(terms, "and", &args, depth),
        ("<=", [_, _]) => ">",
        ("<", [_, _]) => ">=",
        (">=", [_, _]) => "<",
        (">", [_, _]) => "<=",
        ("=", [_, _]) => "distinct",
        ("distinct" | "xor", [_, _]) => "=",
        _ => return None,
    };
    terms.app(opposite, &args).ok()
}

/// The negation pushed inside, or put before the term.
fn negation(terms: &mut Terms, term: TermId, depth: usize) -> Option<TermId> {
    match negated(terms, term, depth - 1) {
        Some(new) => Some(new),
        None => terms.app("not", &[term]).ok(),
    }
}

/// The other connective over negations, of which at most one may need its `not`.
fn all_negated(terms: &mut Terms, name: &str, args: &[TermId], depth: usize) -> Option<TermId> {
    let (mut new, mut longer) = (Vec::new(), 0);
    for arg in args {
        let pushed = negated(terms, *arg, depth - 1);
        longer += usize::from(pushed.is_none());
        new.push(pushed.or_else(|| terms.app("not", &[*arg]).ok())?);
    }
    (longer <= 1).then(|| terms.app(name, &new).ok())?
}

fn other_quantifier(terms: &mut Terms, number: u32, body: TermId, depth: usize) -> Option<TermId> {
    let binder = terms.binder(number).clone();
    let kind = match binder.kind {
        BinderKind::Forall => BinderKind::Exists,
        BinderKind::Exists => BinderKind::Forall,
        _ => return None,
    };
    let body = negation(terms, body, depth)?;
    Some(terms.quantified(kind, &binder.variables, body))
}

/// A disjunction for `(=> (not p) q)` and similar terms, where it is shorter.
fn implied(terms: &mut Terms, args: &[TermId]) -> Option<TermId> {
    let (last, first) = args.split_last()?;
    let mut all = Vec::new();
    for arg in first {
        all.push(negated(terms, *arg, 1)?);
    }
    all.push(*last);
    terms.app("or", &all).ok()
}

/// The simplification of an equality between a truth value and a term.
fn equal(terms: &mut Terms, truth: TermId, term: TermId) -> Option<TermId> {
    match terms.literal_value(truth)? {
        Value::Bool(true) => Some(term),
        Value::Bool(false) => terms.app("not", &[term]).ok(),
        _ => None,
    }
}

fn chosen(terms: &Terms, condition: TermId, yes: TermId, no: TermId) -> Option<TermId> {
    match terms.literal_value(condition) {
        Some(Value::Bool(true)) => Some(yes),
        Some(Value::Bool(false)) => Some(no),
        _ => (yes == no).then_some(yes),
    }
}

/// A conjunction or disjunction whose neutral value is `neutral`.
fn junction(terms: &mut Terms, term: TermId, args: &[TermId], neutral: bool) -> Option<TermId> {
    let truth = |terms: &Terms, arg: &TermId| terms.literal_value(*arg).and_then(Value::as_bool);
    if args.iter().any(|arg| truth(terms, arg) == Some(!neutral)) {
        return Some(terms.bool(!neutral));
    }
    let mut left: Vec<TermId> = Vec::new();
    for arg in args {
        if truth(terms, arg) != Some(neutral) && !left.contains(arg) {
            left.push(*arg);
        }
    }
    let (Head::Op(op), false) = (terms.head(term), left.len() == args.len()) else {
        return None;
    };
    match left.as_slice() {
        [] => Some(terms.bool(neutral)),
        [one] => Some(*one),
        more => terms.apply_op(op, more, Sort::BOOL),
    }
}

/// The value of an application of an operator to values.
fn evaluated(terms: &mut Terms, term: TermId, args: &[TermId]) -> Option<TermId> {
    let ground = !args.is_empty() && args.iter().all(|arg| terms.literal_value(*arg).is_some());
    if !ground {
        return None;
    }
    let again = terms.with_args(term, args)?;
    let model = Model::default();
    let value = Evaluator::new(terms, &model).value(again).ok()?;
    let sort = terms.sort(term);
    terms.value_term(&value, sort).filter(|new| *new != term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    fn check(before: &str, after: &str) {
        let script = |term: &str| format!("(declare-const p Bool)(assert (and p {term}))");
        proposes(&Simplify, &script(before), &script(after));
    }

    #[test]
    fn applies_each_rule() {
        check("(not (not (= p p)))", "(= p p)");
        check("(ite true (xor p p) (not p))", "(xor p p)");
        check("(= (xor p p) false)", "(not (xor p p))");
        check("(not (<= 1 2 3))", "(not true)");
        check("(not (= p (xor p p)))", "(distinct p (xor p p))");
        check("(not (=> p (< 1 2 3)))", "(and p (not (< 1 2 3)))");
        check("(not (and p (not (< 1 1 3))))", "(or (not p) (< 1 1 3))");
        check("(=> (not (not p)) (= p p))", "(or (not p) (= p p))");
        check(
            "(not (forall ((x Int)) (or p (< x 1))))",
            "(exists ((x Int)) (and (not p) (>= x 1)))",
        );
        check("(= (not p) (ite p (not p) (not p)))", "(= (not p) (not p))");
        check("(or (not p) false)", "(not p)");
        check("(or (= 1 (+ 1 1)) (not p))", "(or (= 1 2) (not p))");
    }

    #[test]
    fn simplifies_everything_at_once() {
        proposes(
            &Simplify,
            "(declare-const p Bool)(assert (xor (not (not p)) (< 1 2)))",
            "(declare-const p Bool)(assert (xor p true))",
        );
    }

    #[test]
    fn leaves_single_negation_alone() {
        leaves_alone(&Simplify, "(declare-const p Bool)(assert (not p))");
        leaves_alone(
            &Simplify,
            "(declare-const p Bool)(declare-const q Bool)(assert (not (and p q)))",
        );
        leaves_alone(&Simplify, "(declare-const x Int)(assert (= (div x 0) 1))");
    }
}
