//! Fusion functions: `z` is computed from `x` and `y` such that each of the two can be recovered from `z` and the
//! other.
//!
//! ```text
//! z = (+ x y)      x = (- z y)      y = (- z x)
//! ```
//!
//! In a row the function replaces `z`, which gives two laws that are proved like all others: `(- (+ x y) y)` is `x`.
//! After Winterer, Zhang and Su (YinYang), 2020.

use super::pattern::Node;
use super::{Bindings, Rule};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Sort, TermId, Terms, Theory};

/// A fusion function.
pub struct Fusion {
    pub name: String,
    /// Over `x` and `y`.
    z: Node,
    /// `x` over `x`, `y` and `z`, of which it uses the last two; and `y`.
    x: Node,
    y: Node,
    /// The laws that recover `x` and `y`.
    pub inverses: [Rule; 2],
}

/// Fusion functions and inverses of three terms.
pub struct Fused {
    pub z: TermId,
    pub x: TermId,
    pub y: TermId,
}

impl Fusion {
    pub(super) fn new(name: &str, z: Node, inverses: [Rule; 2]) -> Fusion {
        let inverse = |law: &Rule| law.left.node.with(&z, &Node::Variable(2));
        Fusion {
            name: name.to_string(),
            x: inverse(&inverses[0]),
            y: inverse(&inverses[1]),
            z,
            inverses,
        }
    }

    pub fn theory(&self) -> Theory {
        self.inverses[0].theory
    }

    /// Whether a solver proved both laws; evaluation is a test.
    pub fn is_proved(&self) -> bool {
        self.inverses.iter().all(Rule::is_proved)
    }

    /// The solvers that support all of its operators.
    pub fn known_to(&self) -> SolverSet {
        let [x, y] = &self.inverses;
        x.known_to().intersection(y.known_to())
    }

    /// `z`, `x` and `y` in terms of the others; none if their sorts do not match.
    pub fn build(&self, terms: &mut Terms, number: u64, places: [TermId; 3]) -> Option<Fused> {
        let mut bindings = Bindings::default().with_terms(&places);
        bindings.set_number('n', number);
        let sort = terms.sort(places[0]);
        if let Some(width) = terms.sorts.bit_width(sort) {
            bindings.set_number('m', u64::from(width));
        }
        if !self.inverses[0].sizes_hold(&bindings) || self.sort(terms, &bindings)? != sort {
            return None;
        }
        Some(Fused {
            z: self.z.build(terms, &bindings)?,
            x: self.x.build(terms, &bindings)?,
            y: self.y.build(terms, &bindings)?,
        })
    }

    fn sort(&self, terms: &mut Terms, bindings: &Bindings) -> Option<Sort> {
        let variable = self.inverses[0].variables.first()?;
        variable.sort.instance(terms, bindings)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{fusions, table};
    use super::*;
    use auspex_logic::render::{self, Sharing};

    #[test]
    fn a_function_without_an_inverse_is_refuted() {
        let text = "(law wrong ((x String) (y String)) (= (str.replace (str.++ x y) y \"\") x))";
        let law = table::read_rule(text, Theory::Strings).expect("a rule");
        assert!(law.claim().check().counterexample.is_some());
    }

    #[test]
    fn inverses_speak_of_z_and_the_other_only() {
        let mut terms = Terms::new();
        for fusion in fusions() {
            let bits = terms.sorts.bit_vec(4);
            let sort = match fusion.theory() {
                Theory::Core => Sort::BOOL,
                Theory::Ints => Sort::INT,
                Theory::Reals => Sort::REAL,
                Theory::Strings => Sort::STRING,
                _ => bits,
            };
            let names = ["left", "right", "both"].map(|name| {
                let fun = terms.declare_fun(name, &[], sort);
                terms.fun_app(fun, &[]).expect("a constant")
            });
            let fused = fusion.build(&mut terms, 3, names).expect("it fits");
            let has = |term, name: &str| render::term(&terms, term, Sharing::Auto).contains(name);
            let uses = |term, used: [&str; 2], not: &str| {
                used.iter().all(|name| has(term, name)) && !has(term, not)
            };
            let name = &fusion.name;
            assert!(uses(fused.z, ["left", "right"], "both"), "{name}");
            assert!(uses(fused.x, ["both", "right"], "left"), "{name}");
            assert!(uses(fused.y, ["both", "left"], "right"), "{name}");
        }
    }
}
