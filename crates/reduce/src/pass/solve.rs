//! Replaces a constant by the term that an assertion equates it with.
//!
//! ```text
//! (declare-const x Int) (assert (= x (+ y 1))) (assert (< x 3))   →   (assert (< (+ y 1) 3))
//! ```
//! The other constants keep their models, since x occurs nowhere else.

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::render::post_order;
use auspex_logic::{Command, Head, TermId, Terms};

pub struct Solve;

impl Pass for Solve {
    fn name(&self) -> &'static str {
        "solve"
    }

    fn about(&self) -> &'static str {
        "Replaces a constant that an assertion equates with a term by that term."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (number, command) in subject.script.commands.iter().enumerate() {
            let Command::Assert(assertion) = command else {
                continue;
            };
            for (constant, value) in solutions(&subject.terms, assertion.term) {
                let change = Change::Eliminate {
                    command: number,
                    old: constant,
                    new: value,
                };
                edits.push(Edit::new(8, change));
            }
        }
        edits
    }
}

/// Constants that an equation defines, with their terms.
fn solutions(terms: &Terms, equation: TermId) -> Vec<(TermId, TermId)> {
    let is_equality = matches!(terms.head(equation), Head::Op(op) if &*terms.op(op).name == "=");
    let &[left, right] = terms.args(equation) else {
        return Vec::new();
    };
    let solves = |(constant, value): &(TermId, TermId)| {
        let symbol = matches!(terms.head(*constant), Head::Fun(_));
        symbol
            && terms.args(*constant).is_empty()
            && terms.is_closed(*value)
            && !post_order(terms, *value).contains(constant)
    };
    let both = [(left, right), (right, left)].into_iter();
    both.filter(|pair| is_equality && solves(pair)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn substitutes_a_solved_constant() {
        proposes(
            &Solve,
            "(declare-const x Int)(declare-const y Int)(assert (= x (+ y 1)))(assert (< x 3))",
            "(declare-const y Int)(assert (< (+ y 1) 3))",
        );
    }

    #[test]
    fn leaves_a_constant_that_depends_on_itself() {
        leaves_alone(&Solve, "(declare-const x Int)(assert (= x (+ x 1)))");
    }
}
