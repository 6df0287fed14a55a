//! Replaces all occurrences of a term by a new constant.
//!
//! ```text
//! (assert (< (* y z) 3)) (assert (> (* y z) 5))   →   (declare-const x Int) (assert (< x 3)) (assert (> x 5))
//! ```
//! Preserves satisfiability: the constant can have the term's value.

use super::Pass;
use super::quantifiers::first_with_terms;
use crate::edit::Edit;
use crate::subject::Subject;
use auspex_logic::{Command, Sort};
use rustc_hash::FxHashMap;

pub struct Abstraction;

/// The size that `(declare-const x S)` adds.
const DECLARATION: u64 = 4;
/// How many terms are tried, largest first.
const MOST: usize = 200;

impl Pass for Abstraction {
    fn name(&self) -> &'static str {
        "abstraction"
    }

    fn about(&self) -> &'static str {
        "Replaces all occurrences of a term by a new constant."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let name = subject.fresh_name();
        let mut edits = Vec::new();
        for term in subterms.all.iter().take(MOST) {
            let sort = subject.terms.sort(*term);
            let gain = subterms.gain(*term, 1).saturating_sub(DECLARATION);
            if gain == 0 || sort == Sort::UNKNOWN || !subject.terms.is_closed(*term) {
                continue;
            }
            let fun = subject.terms.declare_fun(&name, &[], sort);
            let Ok(constant) = subject.terms.fun_app(fun, &[]) else {
                continue;
            };
            let mut script = subject.script.clone();
            let map = FxHashMap::from_iter([(*term, constant)]);
            script.map_roots(|root| subject.terms.replace_all(root, &map));
            let at = first_with_terms(&script);
            script.commands.insert(at, Command::DeclareFun(fun));
            edits.push(Edit::script(gain, script));
        }
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn puts_a_new_constant_for_a_term() {
        proposes(
            &Abstraction,
            "(declare-const y Int)(assert (< (* y y 2) 3))(assert (> (* y y 2) 5))",
            "(declare-const x Int)(assert (< x 3))(assert (> x 5))",
        );
    }

    #[test]
    fn leaves_terms_smaller_than_a_declaration_alone() {
        leaves_alone(&Abstraction, "(declare-const p Bool)(assert (not p))");
    }
}
