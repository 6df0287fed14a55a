//! Replaces a relation by a simpler one.
//!
//! ```text
//! (<= x y)           →   (= x y), (< x y)
//! (str.contains s t) →   (= s t)
//! ```
//! Only the name gets smaller, but other passes can solve an equation.

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::{Head, Sort};

pub struct Relations;

impl Pass for Relations {
    fn name(&self) -> &'static str {
        "relations"
    }

    fn about(&self) -> &'static str {
        "Replaces a relation by an equation or a strict relation."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for term in subject.subterms().all {
            let Head::Op(op) = subject.terms.head(term) else {
                continue;
            };
            let name = subject.terms.op(op).name.clone();
            let args = subject.terms.args(term).to_vec();
            let sorts = args.iter().map(|arg| subject.terms.sort(*arg));
            let alike = args.len() > 1 && sorts.is_sorted_by(|a, b| a == b);
            if !alike || subject.terms.sort(term) != Sort::BOOL || &*name == "=" {
                continue;
            }
            // `<=` without its last character is `<`; the same holds for other orders written like this.
            let strict = name.strip_suffix('=').filter(|name| !name.is_empty());
            for simpler in ["="].into_iter().chain(strict) {
                if let Ok(new) = subject.terms.app(simpler, &args) {
                    edits.push(Edit::new(1, Change::All(vec![(term, new)])));
                }
            }
        }
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn proposes_an_equation_and_the_strict_order() {
        let text = |relation: &str| format!("(declare-const x Int)(assert ({relation} x 7))");
        proposes(&Relations, &text("<="), &text("="));
        proposes(&Relations, &text("<="), &text("<"));
    }

    #[test]
    fn leaves_equations_alone() {
        leaves_alone(&Relations, "(declare-const x Int)(assert (= x 7))");
    }
}
