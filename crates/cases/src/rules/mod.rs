//! Rules as data, each proved: by evaluation on small domains and by queries to solvers.
//! Here are laws of operators, one file per theory, in SMT-LIB text over typed variables: `construct` builds
//! contradictions from them. `approximation` has the rules that weaken and strengthen.
//!
//! A row is written so:
//!
//! ```text
//! equality("bvadd-by-int", "(s (_ BitVec m)) (t (_ BitVec m))",
//!     "(bvadd s t)", "((_ int2bv m) (+ (bv2nat s) (bv2nat t)))").source(BECKER_2)
//! ```
//!
//! Small letters in sorts and indices are numbers, such as widths; `m-1` and `2^m` are computed from them.
//! The capital letters `X`, `Y`, `Z` are any sorts.

pub mod approximation;
mod arrays;
mod bags;
mod bitvec;
mod bitvec_laws;
pub mod claim;
mod constructors;
mod core;
pub mod discover;
pub mod domain;
mod float;
pub mod fusion;
mod ints;
pub mod matching;
pub mod proof;
mod reals;
pub mod record;
mod regex;
mod sequences;
mod sets;
mod strings;
pub mod template;

use auspex_logic::Theory;
use std::sync::OnceLock;
pub use template::{Compiled, Parameters};

/// What a rule says about its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Two formulas with the same models.
    Equivalence,
    /// Two terms with the same value.
    Equality,
    /// Every model of the first formula is one of the second.
    Implication,
}

/// One law.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub name: &'static str,
    /// The typed variables, as in a quantifier.
    pub variables: &'static str,
    pub before: &'static str,
    pub after: &'static str,
    pub kind: Kind,
    /// Formulas that must hold for the rule to apply.
    pub when: &'static [&'static str],
    /// Conditions on the numbers, such as `2<=m j<=i`.
    pub sizes: &'static str,
    /// Large widths make solvers slow: they count with integers what the operator does with bits.
    pub small: bool,
    pub source: &'static str,
}

pub const fn equality(
    name: &'static str,
    variables: &'static str,
    before: &'static str,
    after: &'static str,
) -> Rule {
    Rule {
        name,
        variables,
        before,
        after,
        kind: Kind::Equality,
        when: &[],
        sizes: "",
        small: false,
        source: "",
    }
}

pub const fn equivalence(
    name: &'static str,
    variables: &'static str,
    before: &'static str,
    after: &'static str,
) -> Rule {
    Rule {
        kind: Kind::Equivalence,
        ..equality(name, variables, before, after)
    }
}

pub const fn implication(
    name: &'static str,
    variables: &'static str,
    before: &'static str,
    after: &'static str,
) -> Rule {
    Rule {
        kind: Kind::Implication,
        ..equality(name, variables, before, after)
    }
}

impl Rule {
    pub const fn when(mut self, when: &'static [&'static str]) -> Rule {
        self.when = when;
        self
    }

    pub const fn sizes(mut self, sizes: &'static str) -> Rule {
        self.sizes = sizes;
        self
    }

    pub const fn small(mut self) -> Rule {
        self.small = true;
        self
    }

    pub const fn source(mut self, source: &'static str) -> Rule {
        self.source = source;
        self
    }
}

/// Every theory's rules: the visible list to which a new file is added.
pub const ALL: &[(Theory, &[Rule])] = &[
    (Theory::Core, core::RULES),
    (Theory::Ints, ints::RULES),
    (Theory::Reals, reals::RULES),
    (Theory::BitVectors, bitvec::RULES),
    (Theory::BitVectors, bitvec_laws::RULES),
    (Theory::FloatingPoint, float::RULES),
    (Theory::Arrays, arrays::RULES),
    (Theory::Strings, strings::RULES),
    (Theory::Regex, regex::RULES),
    (Theory::Sequences, sequences::RULES),
    (Theory::Sets, sets::RULES),
    (Theory::Bags, bags::RULES),
];

/// Every rule, read once.
pub fn all() -> &'static [Compiled] {
    static RULES: OnceLock<Vec<Compiled>> = OnceLock::new();
    RULES.get_or_init(|| {
        let rules = ALL
            .iter()
            .flat_map(|(theory, rules)| rules.iter().map(|rule| (*theory, rule)));
        let compile = |(theory, rule): (Theory, &'static Rule)| {
            Compiled::read(theory, rule).unwrap_or_else(|bad| panic!("rule {}: {bad}", rule.name))
        };
        rules.map(compile).collect()
    })
}

/// Every law that must be proved: the rules, and those that fusion functions rest on.
pub fn laws() -> impl Iterator<Item = &'static Compiled> {
    all()
        .iter()
        .chain(fusion::all().iter().flat_map(fusion::Fusion::laws))
}

/// The rule of that name.
pub fn named(name: &str) -> Option<&'static Compiled> {
    all().iter().find(|compiled| compiled.rule.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_reads() {
        assert!(all().len() > 150, "{}", all().len());
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = all().iter().map(|c| c.rule.name).collect();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn every_rule_can_be_built_at_its_smallest() {
        for compiled in all() {
            let mut terms = auspex_logic::Terms::new();
            let instance = proof::smallest_instance(&mut terms, compiled);
            assert!(instance.is_some(), "{}", compiled.rule.name);
        }
    }
}
