//! Merges nested applications of an associative operator.
//!
//! ```text
//! (and (and p q) r)   →   (and p q r)
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::rewrite::everywhere;
use crate::subject::Subject;
use auspex_logic::sig::Assoc;
use auspex_logic::{Head, TermId, Terms};

pub struct Flatten;

impl Pass for Flatten {
    fn name(&self) -> &'static str {
        "flatten"
    }

    fn about(&self) -> &'static str {
        "Merges nested applications of an associative operator into one."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for term in subject.subterms().all {
            let args = subject.terms.args(term).to_vec();
            if let Some(new) = flat(&mut subject.terms, term, &args) {
                edits.push(Edit::new(2, Change::All(vec![(term, new)])));
            }
        }
        if edits.len() > 1 {
            let gain = 2 * edits.len() as u64;
            let all = everywhere(&mut subject.terms, &subject.script, flat);
            edits.push(Edit::script(gain, all));
        }
        edits
    }
}

/// The application, with nested applications of the same operator replaced by their arguments.
fn flat(terms: &mut Terms, term: TermId, args: &[TermId]) -> Option<TermId> {
    let Head::Op(op) = terms.head(term) else {
        return None;
    };
    if !matches!(terms.op(op).sig.assoc, Assoc::Left | Assoc::Right) || args.len() < 2 {
        return None;
    }
    let mut all = Vec::new();
    for arg in args {
        match terms.head(*arg) {
            Head::Op(inner) if inner == op && terms.args(*arg).len() >= 2 => {
                all.extend_from_slice(terms.args(*arg));
            }
            _ => all.push(*arg),
        }
    }
    let sort = terms.sort(term);
    (all.len() > args.len()).then(|| terms.apply_op(op, &all, sort))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn merges_nested_applications() {
        proposes(
            &Flatten,
            "(declare-const p Bool)(assert (and (and p p) (and p (and p p))))",
            "(declare-const p Bool)(assert (and p p p p p))",
        );
    }

    #[test]
    fn leaves_other_operators_alone() {
        leaves_alone(&Flatten, "(declare-const p Bool)(assert (and p (or p p)))");
    }
}
