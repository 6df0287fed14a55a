//! Instances of quantified formulas: whether a formula is the body of a quantifier with terms for its variables.
//!
//! ```text
//! (forall ((x Int)) (p x (f x)))     instance: (p 5 (f 5)); not: (p 5 (f 6))
//! ```

use auspex_logic::term::BinderKind;
use auspex_logic::{Head, TermId, Terms};
use std::collections::{HashMap, HashSet};

/// Whether a formula is an instance of a universally quantified one.
pub fn is_instance(terms: &Terms, quantified: TermId, instance: TermId) -> bool {
    let quantified = unannotated(terms, quantified);
    let Head::Binder(number) = terms.head(quantified) else {
        return false;
    };
    let binder = terms.binder(number);
    let [body, ..] = terms.args(quantified) else {
        return false;
    };
    binder.kind == BinderKind::Forall && matches(terms, &binder.variables, (*body, instance))
}

/// One-way matching; a variable stands for one closed term of its sort.
fn matches(terms: &Terms, variables: &[TermId], pair: (TermId, TermId)) -> bool {
    let mut bound: HashMap<TermId, TermId> = HashMap::new();
    let mut done = HashSet::new();
    let mut waiting = vec![pair];
    while let Some((pattern, term)) = waiting.pop() {
        let pattern = unannotated(terms, pattern);
        let term = unannotated(terms, term);
        if !done.insert((pattern, term)) {
            continue;
        }
        if variables.contains(&pattern) {
            let known = *bound.entry(pattern).or_insert(term);
            if known != term || !terms.is_closed(term) || terms.sort(term) != terms.sort(pattern) {
                return false;
            }
            continue;
        }
        if terms.is_closed(pattern) {
            match pattern == term {
                true => continue,
                false => return false,
            }
        }
        let (below, within) = (terms.args(pattern), terms.args(term));
        let is_binder = matches!(terms.head(pattern), Head::Binder(_) | Head::Match(_));
        if is_binder || terms.head(pattern) != terms.head(term) || below.len() != within.len() {
            return false;
        }
        waiting.extend(below.iter().copied().zip(within.iter().copied()));
    }
    true
}

/// A term without patterns and names.
fn unannotated(terms: &Terms, mut term: TermId) -> TermId {
    while let Head::Annotated(_) = terms.head(term) {
        term = terms.args(term)[0];
    }
    term
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    fn is(quantified: &str, instance: &str) -> bool {
        let mut terms = Terms::new();
        let text = format!(
            "(declare-fun p (Int Int) Bool)(declare-fun f (Int) Int)(assert {quantified})(assert {instance})"
        );
        let script = read_script(&mut terms, &text).unwrap().script;
        let roots: Vec<TermId> = script.assertions().map(|a| a.term).collect();
        is_instance(&terms, roots[0], roots[1])
    }

    #[test]
    fn a_variable_stands_for_one_term() {
        let all = "(forall ((x Int) (y Int)) (p x (f y)))";
        assert!(is(all, "(p 5 (f 6))"));
        assert!(is("(forall ((x Int)) (p x (f x)))", "(p 5 (f 5))"));
        assert!(!is("(forall ((x Int)) (p x (f x)))", "(p 5 (f 6))"));
        assert!(!is("(forall ((x Int)) (p x 3))", "(p 5 4)"));
        assert!(!is("(exists ((x Int)) (p x 3))", "(p 5 3)"));
    }
}
