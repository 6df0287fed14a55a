//! The rules of proofs that are known exactly: a row says by which decision procedure a step of it is checked, with an
//! example that it accepts and one that it does not. A step of another rule is an entailment like any other.

use super::Sequent;
use super::closure::{Connective, proves};
use super::matching::is_instance;
use auspex_logic::Terms;

/// How the steps of a rule are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Propositional logic and equality.
    Logic,
    /// The conclusion is an instance of a quantified premise.
    Instance,
}

/// One rule under the names that formats give it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub names: &'static [&'static str],
    pub method: Method,
    /// Premises and, last, the conclusion.
    pub holds: &'static [&'static str],
    pub fails: &'static [&'static str],
}

const fn logic(
    names: &'static [&'static str],
    holds: &'static [&'static str],
    fails: &'static [&'static str],
) -> Row {
    Row {
        names,
        method: Method::Logic,
        holds,
        fails,
    }
}

const fn instance(
    names: &'static [&'static str],
    holds: &'static [&'static str],
    fails: &'static [&'static str],
) -> Row {
    Row {
        names,
        method: Method::Instance,
        holds,
        fails,
    }
}

/// The rules of CPC, Alethe and z3; the examples are over Booleans `p q r s`, constants `a b c d` and functions `f g`.
pub const ALL: &[Row] = &[
    logic(
        &[
            "resolution",
            "chain_resolution",
            "chain_m_resolution",
            "th_resolution",
            "unit-resolution",
            "macro_resolution",
            "macro_resolution_trust",
        ],
        &["(or p q)", "(not p)", "q"],
        &["(or p q)", "p", "q"],
    ),
    logic(
        &["refl", "eq-refl", "eq_reflexive"],
        &["(= (f a) (f a))"],
        &["(= (f a) (f b))"],
    ),
    logic(
        &[
            "symm",
            "eq-symm",
            "eq_symmetric",
            "not_symm",
            "commutativity",
        ],
        &["(= a b)", "(= b a)"],
        &["(= a b)", "(= b c)"],
    ),
    logic(
        &["trans", "trans*", "eq_transitive"],
        &["(= a b)", "(= b c)", "(= a c)"],
        &["(= a b)", "(= c d)", "(= a d)"],
    ),
    logic(
        &[
            "cong",
            "nary_cong",
            "ho_cong",
            "eq_congruent",
            "eq_congruent_pred",
            "monotonicity",
        ],
        &["(= a b)", "(= (g a c) (g b c))"],
        &["(= a b)", "(= (g a c) (g c b))"],
    ),
    logic(
        &["eq_resolve", "equiv_resolve", "mp"],
        &["p", "(= p q)", "q"],
        &["p", "(=> q p)", "q"],
    ),
    logic(
        &["modus_ponens"],
        &["p", "(=> p q)", "q"],
        &["q", "(=> p q)", "p"],
    ),
    logic(
        &["contra"],
        &["p", "(not p)", "false"],
        &["p", "(not q)", "false"],
    ),
    logic(
        &["and_elim", "and", "and-elim"],
        &["(and p q)", "q"],
        &["(or p q)", "q"],
    ),
    logic(
        &["and_intro"],
        &["p", "q", "(and p q)"],
        &["p", "(and p q)"],
    ),
    logic(
        &["not_or_elim", "not_or", "not-or-elim"],
        &["(not (or p q))", "(not q)"],
        &["(not (and p q))", "(not q)"],
    ),
    logic(
        &["not_and", "bool-and-de-morgan"],
        &["(not (and p q))", "(or (not p) (not q))"],
        &["(not (and p q))", "(or p (not q))"],
    ),
    logic(
        &[
            "or",
            "reordering",
            "contraction",
            "factoring",
            "weakening",
            "or_simplify",
            "and_simplify",
        ],
        &["(or p q p)", "(or q p)"],
        &["(or p q r)", "(or q p)"],
    ),
    logic(
        &[
            "implies",
            "implies_elim",
            "bool-impl-elim",
            "bool-implies-de-morgan",
        ],
        &["(=> p q)", "(or (not p) q)"],
        &["(=> p q)", "(or p q)"],
    ),
    logic(
        &["implies_neg1"],
        &["(or (=> p q) p)"],
        &["(or (=> p q) (not p))"],
    ),
    logic(
        &["implies_neg2"],
        &["(or (=> p q) (not q))"],
        &["(or (=> p q) q)"],
    ),
    logic(
        &["implies_pos"],
        &["(or (not (=> p q)) (not p) q)"],
        &["(or (not (=> p q)) p q)"],
    ),
    logic(
        &["implies_simplify"],
        &["(= (=> p false) (not p))"],
        &["(= (=> p true) p)"],
    ),
    logic(
        &["not_implies1", "not_implies_elim1"],
        &["(not (=> p q))", "p"],
        &["(not (=> p q))", "q"],
    ),
    logic(
        &["not_implies2", "not_implies_elim2"],
        &["(not (=> p q))", "(not q)"],
        &["(not (=> p q))", "q"],
    ),
    logic(
        &["equiv1", "equiv_elim1"],
        &["(= p q)", "(or (not p) q)"],
        &["(= p q)", "(or p q)"],
    ),
    logic(
        &["equiv2", "equiv_elim2"],
        &["(= p q)", "(or p (not q))"],
        &["(= p q)", "(or p q)"],
    ),
    logic(
        &["not_equiv1", "not_equiv_elim1"],
        &["(not (= p q))", "(or p q)"],
        &["(not (= p q))", "(or p (not q))"],
    ),
    logic(
        &["not_equiv2", "not_equiv_elim2"],
        &["(not (= p q))", "(or (not p) (not q))"],
        &["(not (= p q))", "(or p (not q))"],
    ),
    logic(
        &["equiv_pos1", "cnf_equiv_pos1"],
        &["(or (not (= p q)) p (not q))"],
        &["(or (not (= p q)) p q)"],
    ),
    logic(
        &["equiv_pos2", "cnf_equiv_pos2"],
        &["(or (not (= p q)) (not p) q)"],
        &["(or (not (= p q)) p q)"],
    ),
    logic(
        &["equiv_neg1", "cnf_equiv_neg1"],
        &["(or (= p q) (not p) (not q))"],
        &["(or (= p q) (not p) q)"],
    ),
    logic(
        &["equiv_neg2", "cnf_equiv_neg2"],
        &["(or (= p q) p q)"],
        &["(or (= p q) (not p) q)"],
    ),
    logic(
        &[
            "equiv_simplify",
            "bool-eq-true",
            "bool-eq-false",
            "iff-true",
            "iff-false",
            "true_intro",
            "false_intro",
        ],
        &["(not p)", "(= p false)"],
        &["(not p)", "(= p true)"],
    ),
    logic(
        &["true_elim", "false_elim", "true", "false", "true-axiom"],
        &["(= p false)", "(not p)"],
        &["(= p true)", "(not p)"],
    ),
    logic(
        &["xor_pos1", "xor1", "xor_elim1", "cnf_xor_pos1"],
        &["(xor p q)", "(or p q)"],
        &["(xor p q)", "(or p (not q))"],
    ),
    logic(
        &["xor_pos2", "xor2", "xor_elim2", "cnf_xor_pos2"],
        &["(xor p q)", "(or (not p) (not q))"],
        &["(xor p q)", "(or (not p) q)"],
    ),
    logic(
        &[
            "xor_neg1",
            "xor_neg2",
            "not_xor1",
            "not_xor2",
            "not_xor_elim1",
            "not_xor_elim2",
            "cnf_xor_neg1",
            "cnf_xor_neg2",
            "bool-xor-false",
            "bool-xor-elim",
        ],
        &["(not (xor p q))", "(or p (not q))"],
        &["(not (xor p q))", "(or p q)"],
    ),
    logic(
        &["and_pos", "cnf_and_pos"],
        &["(or (not (and p q)) q)"],
        &["(or (not (and p q)) (not q))"],
    ),
    logic(
        &["and_neg", "cnf_and_neg"],
        &["(or (and p q) (not p) (not q))"],
        &["(or (and p q) (not p) q)"],
    ),
    logic(
        &["or_pos", "cnf_or_pos"],
        &["(or (not (or p q)) p q)"],
        &["(or (not (or p q)) p)"],
    ),
    logic(
        &["or_neg", "cnf_or_neg"],
        &["(or (or p q) (not q))"],
        &["(or (or p q) q)"],
    ),
    logic(
        &["cnf_implies_pos"],
        &["(or (not (=> p q)) (not p) q)"],
        &["(or (not (=> p q)) p q)"],
    ),
    logic(
        &["cnf_implies_neg1", "cnf_implies_neg2"],
        &["(or (=> p q) (not q))"],
        &["(or (=> p q) q)"],
    ),
    logic(
        &["ite1", "ite_elim2"],
        &["(ite p q r)", "(or p r)"],
        &["(ite p q r)", "(or p q)"],
    ),
    logic(
        &["ite2", "ite_elim1"],
        &["(ite p q r)", "(or (not p) q)"],
        &["(ite p q r)", "(or (not p) r)"],
    ),
    logic(
        &["not_ite1", "not_ite_elim2"],
        &["(not (ite p q r))", "(or p (not r))"],
        &["(not (ite p q r))", "(or p r)"],
    ),
    logic(
        &["not_ite2", "not_ite_elim1"],
        &["(not (ite p q r))", "(or (not p) (not q))"],
        &["(not (ite p q r))", "(or (not p) q)"],
    ),
    logic(
        &[
            "ite_pos1",
            "ite_pos2",
            "cnf_ite_pos1",
            "cnf_ite_pos2",
            "cnf_ite_pos3",
        ],
        &["(or (not (ite p q r)) p r)"],
        &["(or (not (ite p q r)) p q)"],
    ),
    logic(
        &[
            "ite_neg1",
            "ite_neg2",
            "cnf_ite_neg1",
            "cnf_ite_neg2",
            "cnf_ite_neg3",
        ],
        &["(or (ite p q r) p (not r))"],
        &["(or (ite p q r) p r)"],
    ),
    logic(
        &[
            "ite_eq",
            "ite-not-cond",
            "ite-else-false",
            "ite-then-false",
            "ite-else-true",
            "ite-then-true",
            "ite_simplify",
        ],
        &["(= (ite (not p) a b) (ite p b a))"],
        &["(= (ite (not p) a b) (ite p a b))"],
    ),
    logic(
        &[
            "not_not",
            "not_not_elim",
            "bool-double-not-elim",
            "not_simplify",
        ],
        &["(not (not p))", "p"],
        &["(not (not p))", "(not p)"],
    ),
    logic(
        &["scope", "process_scope", "subproof", "lemma"],
        &["(=> p (=> q r))", "(=> (and p q) r)"],
        &["(=> p (=> q r))", "(=> (or p q) r)"],
    ),
    logic(
        &["split", "def-axiom", "tautology"],
        &["(or p (not p))"],
        &["(or p (not q))"],
    ),
    logic(
        &[
            "arith_trichotomy_eq",
            "distinct-elim",
            "distinct-binary-elim",
            "distinct_elim",
        ],
        &["(distinct a b)", "(not (= a b))"],
        &["(distinct a b)", "(= a b)"],
    ),
    instance(
        &["instantiate"],
        &["(forall ((x U)) (= (f x) x))", "(= (f a) a)"],
        &["(forall ((x U)) (= (f x) x))", "(= (f a) b)"],
    ),
    instance(
        &["forall_inst", "quant-inst"],
        &["(or (not (forall ((x U)) (= (f x) x))) (= (f a) a))"],
        &["(or (not (forall ((x U)) (= (f x) x))) (= (f a) b))"],
    ),
];

/// The row of a rule.
pub fn named(rule: &str) -> Option<&'static Row> {
    ALL.iter().find(|row| row.names.contains(&rule))
}

impl Row {
    /// Whether the row proves a step.
    pub fn accepts(&self, terms: &Terms, sequent: &Sequent) -> bool {
        match self.method {
            Method::Logic => proves(terms, sequent),
            Method::Instance => is_instantiation(terms, sequent),
        }
    }
}

/// Whether the conclusion is an instance of a premise, or a clause of a negated quantifier and an instance of it.
fn is_instantiation(terms: &Terms, sequent: &Sequent) -> bool {
    let conclusion = sequent.conclusion;
    let mut premises = sequent.premises.iter();
    if premises.any(|premise| is_instance(terms, *premise, conclusion)) {
        return true;
    }
    if Connective::of(terms, conclusion) != Some(Connective::Or) {
        return false;
    }
    let literals = terms.args(conclusion);
    let negated = literals
        .iter()
        .filter(|literal| Connective::of(terms, **literal) == Some(Connective::Not));
    let mut quantified = negated.flat_map(|literal| terms.args(*literal));
    quantified.any(|quantified| {
        let mut instances = literals.iter();
        instances.any(|instance| is_instance(terms, *quantified, *instance))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::{TermId, read_script};

    const DECLARED: &str = "(declare-sort U 0)(declare-const a U)(declare-const b U)(declare-const c U)(declare-const d U)(declare-fun f (U) U)(declare-fun g (U U) U)(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)";

    fn accepts(row: &Row, formulas: &[&str]) -> bool {
        let mut terms = Terms::new();
        let asserted: String = formulas.iter().map(|f| format!("(assert {f})")).collect();
        let reading = read_script(&mut terms, &format!("{DECLARED}{asserted}")).unwrap();
        assert!(reading.issues.is_empty(), "{formulas:?}");
        let mut premises: Vec<TermId> = reading.script.assertions().map(|a| a.term).collect();
        let conclusion = premises.pop().unwrap();
        row.accepts(
            &terms,
            &Sequent {
                premises,
                conclusion,
            },
        )
    }

    #[test]
    fn every_rule_accepts_its_example_and_not_the_other() {
        for row in ALL {
            assert!(accepts(row, row.holds), "{:?}", row.names);
            assert!(!accepts(row, row.fails), "{:?}", row.names);
        }
    }

    #[test]
    fn no_rule_has_two_rows() {
        let mut names: Vec<&str> = ALL.iter().flat_map(|row| row.names).copied().collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
