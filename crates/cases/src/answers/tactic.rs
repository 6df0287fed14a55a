//! What z3's tactics guarantee about their remaining goals.
//!
//! ```text
//! (then simplify ctx-simplify)      the goals are together equivalent to the assertions
//! (then simplify solve-eqs)         they follow from the assertions; variables are gone
//! ```

use auspex_syntax::{Document, Sexpr};

/// The relation between a tactic's goals and the assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    Equivalent,
    /// The assertions imply the goals.
    Weaker,
    /// The goals imply the assertions.
    Stronger,
    /// None without new symbols.
    Nothing,
}

/// Tactics that keep all models.
pub(super) const EQUIVALENT: &[&str] = &[
    "simplify",
    "ctx-simplify",
    "dom-simplify",
    "propagate-ineqs",
    "max-bv-sharing",
    "blast-term-ite",
    "cofactor-term-ite",
    "distribute-forall",
    "der",
    "aig",
    "ctx-solver-simplify",
    "elim-and",
    "factor",
    "unit-subsume-simplify",
    "split-clause",
    "propagate-bv-bounds",
    "propagate-bv-bounds2",
    "elim-small-bv",
    "bv-divrem-bounds",
    "solver-subsumption",
    "skip",
];

/// Tactics that eliminate quantifiers and keep all models.
pub(super) const ELIMINATING: &[&str] = &["qe", "qe2", "qe_rec", "qe-light"];

/// Tactics that eliminate variables: the assertions imply the result.
pub(super) const WEAKENING: &[&str] = &["solve-eqs", "propagate-values", "propagate-values2", "fm"];

/// Tactics that may add symbols or strengthen the goals.
const STRENGTHENING: &[&str] = &["nnf", "snf", "purify-arith", "elim-term-ite", "tseitin-cnf"];

/// Further tactics that leave a satisfiable goal where, and only where, there was one.
pub(super) const SATISFIABILITY: &[&str] = &[
    "elim-uncnstr",
    "elim-uncnstr2",
    "reduce-args",
    "reduce-args2",
    "normalize-bounds",
    "lia2card",
    "card2bv",
    "bv1-blast",
    "bit-blast",
    "fix-dl-var",
    "degree-shift",
    "injectivity",
    "macro-finder",
    "quasi-macros",
    "symmetry-reduce",
    "fpa2bv",
];

impl Promise {
    fn of_name(name: &str) -> Promise {
        let is_in = |list: &[&str]| list.contains(&name);
        if is_in(EQUIVALENT) || is_in(ELIMINATING) {
            Promise::Equivalent
        } else if is_in(WEAKENING) {
            Promise::Weaker
        } else if is_in(STRENGTHENING) {
            Promise::Stronger
        } else {
            Promise::Nothing
        }
    }

    /// The guarantee of a sequence of tactics.
    fn then(self, next: Promise) -> Promise {
        match (self, next) {
            (Promise::Equivalent, other) | (other, Promise::Equivalent) => other,
            (one, other) if one == other => one,
            _ => Promise::Nothing,
        }
    }
}

/// The guarantee of a tactic, by its text.
pub(super) fn promise(tactic: &str) -> Promise {
    let document = Document::read(tactic);
    let promised = document.ok().and_then(|d| d.items().next().map(of));
    promised.unwrap_or(Promise::Nothing)
}

fn of(tactic: Sexpr<'_>) -> Promise {
    let Some(head) = tactic.head() else {
        return Promise::of_name(tactic.text());
    };
    let mut parts = tactic.items().skip(1);
    match head {
        "then" | "and-then" | "par-then" | "or-else" | "par-or" => {
            parts.map(of).fold(Promise::Equivalent, Promise::then)
        }
        "repeat" | "try-for" | "using-params" | "!" => parts.next().map_or(Promise::Nothing, of),
        _ => Promise::Nothing,
    }
}

/// Whether a tactic, by its text, keeps satisfiability and promises nothing more.
pub(super) fn keeps_satisfiability_only(tactic: &str) -> bool {
    let document = Document::read(tactic);
    let kept = document.ok().and_then(|d| d.items().next().map(keeps));
    kept == Some(true) && promise(tactic) == Promise::Nothing
}

fn keeps(tactic: Sexpr<'_>) -> bool {
    let Some(head) = tactic.head() else {
        let name = tactic.text();
        return SATISFIABILITY.contains(&name) || Promise::of_name(name) != Promise::Nothing;
    };
    let mut parts = tactic.items().skip(1);
    match head {
        "then" | "and-then" | "or-else" => parts.all(keeps),
        "repeat" | "using-params" | "!" => parts.next().is_some_and(keeps),
        _ => false,
    }
}

/// Whether a tactic eliminates quantifiers.
pub(super) fn eliminates(tactic: &str) -> bool {
    let mut words = tactic.split(|c: char| c.is_whitespace() || "()".contains(c));
    words.any(|word| ELIMINATING.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_promises_what_all_its_parts_promise() {
        assert_eq!(promise("simplify"), Promise::Equivalent);
        assert_eq!(
            promise("(then simplify (repeat ctx-simplify))"),
            Promise::Equivalent
        );
        assert_eq!(
            promise("(then (! simplify :som true) solve-eqs)"),
            Promise::Weaker
        );
        assert_eq!(promise("(then snf solve-eqs)"), Promise::Nothing);
        assert_eq!(promise("(or-else qe skip)"), Promise::Equivalent);
        assert_eq!(promise("elim-uncnstr"), Promise::Nothing);
        for (tactic, kept) in [
            ("elim-uncnstr", true),
            ("(then simplify (or-else elim-uncnstr skip) nnf)", true),
            ("(then simplify solve-eqs)", false),
            ("(then elim-uncnstr smt)", false),
            ("nla2bv", false),
        ] {
            assert_eq!(keeps_satisfiability_only(tactic), kept, "{tactic}");
        }
        assert!(eliminates("(then simplify qe2)") && !eliminates("(then simplify)"));
    }
}
