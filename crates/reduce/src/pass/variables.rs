//! Replaces a subterm by an existing symbol of the same sort.
//!
//! ```text
//! (assert (= x (+ y (* 2 z))))   →   (assert (= x y))
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::{Sort, TermId, Terms};

pub struct Variables;

/// How many symbols are tried for one term.
const MOST: usize = 4;

impl Pass for Variables {
    fn name(&self) -> &'static str {
        "variables"
    }

    fn about(&self) -> &'static str {
        "Replaces a subterm by a declared constant or a bound variable of the same sort."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let symbols = constants(subject);
        let mut edits = Vec::new();
        for term in &subterms.all {
            let sort = subject.terms.sort(*term);
            if subject.terms.args(*term).is_empty() || sort == Sort::UNKNOWN {
                continue;
            }
            let bound = subject.terms.free_variables(*term).to_vec();
            let all = symbols.iter().chain(&bound).copied();
            let same_sort = all.filter(|symbol| subject.terms.sort(*symbol) == sort);
            for symbol in same_sort.take(MOST) {
                let gain = subterms.gain(*term, 1);
                edits.push(Edit::new(gain, Change::All(vec![(*term, symbol)])));
            }
        }
        edits
    }
}

/// The declared constants as terms.
pub fn constants(subject: &mut Subject) -> Vec<TermId> {
    let declared: Vec<_> = subject.script.declared().collect();
    let terms: &mut Terms = &mut subject.terms;
    let constant = |fun| terms.fun_app(fun, &[]).ok();
    declared.into_iter().filter_map(constant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn puts_a_symbol_for_a_term() {
        proposes(
            &Variables,
            "(declare-const x Int)(declare-const y Int)(assert (= x (* 2 y)))",
            "(declare-const x Int)(assert (= x x))",
        );
        proposes(
            &Variables,
            "(assert (forall ((x Int)) (= x (* 2 x))))",
            "(assert (forall ((x Int)) (= x x)))",
        );
    }

    #[test]
    fn needs_the_same_sort() {
        leaves_alone(&Variables, "(declare-const x Int)(assert (= x 1))");
    }
}
