//! Removes arguments of variadic operators.
//!
//! ```text
//! (and p q r s)   →   (and r s)
//! ```

use super::Pass;
use crate::chunks::chunks;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::Head;

pub struct Arguments;

impl Pass for Arguments {
    fn name(&self) -> &'static str {
        "arguments"
    }

    fn about(&self) -> &'static str {
        "Removes arguments of variadic operators."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let mut edits = Vec::new();
        for term in &subterms.all {
            let (Head::Op(op), sort) = (subject.terms.head(*term), subject.terms.sort(*term))
            else {
                continue;
            };
            let args = subject.terms.args(*term).to_vec();
            for piece in chunks(args.len()) {
                if args.len() < 2 || piece.len() == args.len() {
                    continue;
                }
                let mut rest = args.clone();
                let gone: u64 = rest.drain(piece).map(|arg| subterms.size(arg)).sum();
                if let Some(new) = subject.terms.apply_op(op, &rest, sort) {
                    let gain = gone.saturating_mul(subterms.uses(*term));
                    edits.push(Edit::new(gain, Change::All(vec![(*term, new)])));
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
    fn drops_some_arguments() {
        proposes(
            &Arguments,
            "(declare-const p Bool)(declare-const q Bool)(assert (and p p q))",
            "(declare-const p Bool)(assert (and p p))",
        );
    }

    #[test]
    fn leaves_fixed_numbers_of_arguments_alone() {
        leaves_alone(&Arguments, "(declare-const p Bool)(assert (ite p p p))");
    }
}
