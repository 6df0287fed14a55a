//! Reads the lemmas that a solver prints, and knows what a kind of lemmas promises.
//!
//! ```text
//! (lemma (=> (= b 0) (= (* a b) 0)) :source EXTT_SIMPLIFY)     cvc5 with (set-option :output lemmas)
//! (assert (let (($x1 (>= b 0))) (or (not $x1) …)))             z3 with (set-option :solver.lemmas2console true)
//! ```
//!
//! cvc5 prints conflicts in the other polarity, without saying so: a lemma is wrong in either polarity where it is
//! true at one point and false at another.

use super::internal::{Dialect, plain};
use auspex_syntax::Document;

/// The most lemmas of one reply that are read.
const MOST: usize = 2_000;

/// The kind of z3's clauses, which have no name.
pub const CLAUSE: &str = "clause";

/// What a kind of lemmas promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// It holds for all values of its symbols, or for none.
    Valid,
    /// It holds in all models of the assertions, or in none.
    FollowsFromInput,
    /// No single lemma needs to hold, for a reason.
    Nothing(&'static str),
}

/// Kinds that preserve satisfiability only, or speak about the search; the beginning of the name.
const WITHOUT_PROMISE: [(&str, &str); 11] = [
    (
        "UF_BREAK_SYMMETRY",
        "breaks a symmetry of the assertions, so models are lost on purpose",
    ),
    (
        "UF_CARD",
        "limits the size of a sort while a finite model is searched",
    ),
    (
        "ARITH_DEMAND_RESTART",
        "asks for a restart, and claims nothing",
    ),
    (
        "DATATYPES_SYGUS",
        "excludes solutions that are equal to others",
    ),
    (
        "DATATYPES_REC_SINGLETON_FORCE_DEQ",
        "fresh constants are taken to be different",
    ),
    (
        "QUANTIFIERS_SYGUS",
        "excludes solutions that are equal to others",
    ),
    (
        "QUANTIFIERS_SYQI",
        "introduces a counterexample of a quantified formula",
    ),
    (
        "QUANTIFIERS_CEGQI",
        "introduces a counterexample of a quantified formula",
    ),
    ("QUANTIFIERS_BINT", "bounds the search for a finite model"),
    ("SEP_", "speaks about labels of heaps"),
    ("PARTITION", "divides the search"),
];

/// Kinds that are consequences of a theory; the beginning of the name.
const VALID: [&str; 20] = [
    "ARITH_",
    "ARRAYS_",
    "BAGS_",
    "BV_",
    "COMBINATION_SPLIT",
    "CONFLICT_REWRITE_LIT",
    "DATATYPES_",
    "EQ_CONSTANT_MERGE",
    "EXPLAINED_PROPAGATION",
    "EXTT_SIMPLIFY",
    "FF_",
    "FP_",
    "QUANTIFIERS_INST_",
    "SETS_",
    "STRINGS_",
    "TABLES_",
    "THEORY_PP_SKOLEM_LEM",
    "UF_ARITH_BV_CONV",
    "UF_HO_",
    "UF_LAMBDA_",
];

/// What a lemma of that kind promises. Of a kind that is not listed only the weaker promise is taken.
pub fn promise(source: &str) -> Promise {
    let begins = |begin: &&str| source.starts_with(*begin);
    let mut without = WITHOUT_PROMISE.iter();
    match without.find(|(begin, _)| source.starts_with(begin)) {
        Some((_, reason)) => Promise::Nothing(reason),
        None if VALID.iter().any(begins) => Promise::Valid,
        None => Promise::FollowsFromInput,
    }
}

/// A lemma as it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its kind, as the solver names it.
    pub source: String,
    /// Its formula in the words of the standard; else the symbol of the solver that has no meaning there.
    pub formula: Result<String, String>,
}

/// The lemmas in a reply, each once.
pub fn listed(said: &str) -> Vec<Listed> {
    let Ok(document) = Document::read(said) else {
        return Vec::new();
    };
    let mut all: Vec<Listed> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for item in document.items() {
        let source = match item.head() {
            Some("lemma") => {
                let mut after = item.items().skip_while(|one| one.text() != ":source");
                after.nth(1).map_or("", |source| source.text())
            }
            Some("assert") => CLAUSE,
            _ => continue,
        };
        let Some(formula) = item.item(1) else {
            continue;
        };
        if seen.insert(formula.text()) {
            all.push(Listed {
                source: source.to_string(),
                formula: plain(formula, Dialect::Standard),
            });
        }
        if all.len() == MOST {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lemmas_of_cvc5_and_z3() {
        // cvc5 1.4.2
        let said = "(lemma (=> (= b 0) (= (* a b) 0)) :source EXTT_SIMPLIFY)\n(lemma (> @purify_3 0) :source ARITH_UNATE)\n(lemma (=> (= b 0) (= (* a b) 0)) :source EXTT_SIMPLIFY)\n";
        let all = listed(said);
        assert_eq!(all.len(), 2, "each once");
        assert_eq!(all[0].source, "EXTT_SIMPLIFY");
        assert!(all[0].formula.is_ok());
        assert_eq!(all[1].formula, Err("@purify".to_string()));
        // z3 5.4.0
        let said = "(assert (let (($x63 (>= b 0)))\n(let (($x62 (<= b 0)))\n(or $x62 $x63))))\n";
        let all = listed(said);
        assert_eq!(all[0].source, CLAUSE);
    }

    #[test]
    fn only_kinds_that_are_known_promise_to_be_valid() {
        assert_eq!(promise("ARITH_NL_SIGN"), Promise::Valid);
        assert_eq!(promise(CLAUSE), Promise::FollowsFromInput);
        assert_eq!(promise("SOMETHING_NEW"), Promise::FollowsFromInput);
        assert!(matches!(promise("UF_BREAK_SYMMETRY"), Promise::Nothing(_)));
        assert!(matches!(
            promise("DATATYPES_SYGUS_FAIR_SIZE"),
            Promise::Nothing(_)
        ));
    }
}
