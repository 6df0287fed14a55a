//! Replaces a term by one of its own subterms of the same sort.
//!
//! ```text
//! (assert (not (and p (or q r))))   →   (assert (or q r))
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::{Sort, TermId, Terms};

pub struct Hoist;

/// How many subterms are tried for one term: more would be quadratic in the script.
const MOST: usize = 24;

impl Pass for Hoist {
    fn name(&self) -> &'static str {
        "hoist"
    }

    fn about(&self) -> &'static str {
        "Replaces a term by one of its own subterms of the same sort."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let mut edits = Vec::new();
        for term in &subterms.all {
            for inner in inner_terms(&subject.terms, *term) {
                let gain = subterms.gain(*term, subterms.size(inner));
                edits.push(Edit::new(gain, Change::All(vec![(*term, inner)])));
            }
        }
        edits
    }
}

/// Subterms of the same sort without variables that would lose their binder, nearest first.
fn inner_terms(terms: &Terms, term: TermId) -> Vec<TermId> {
    let (mut found, mut queue, mut at) = (Vec::new(), terms.args(term).to_vec(), 0);
    let sort = terms.sort(term);
    let outside = terms.free_variables(term);
    while let Some(inner) = queue.get(at).copied() {
        at += 1;
        let fits = terms.sort(inner) == sort && sort != Sort::UNKNOWN;
        let bound = terms
            .free_variables(inner)
            .iter()
            .all(|v| outside.contains(v));
        if fits && bound && !found.contains(&inner) {
            found.push(inner);
        }
        if found.len() >= MOST || queue.len() > 20 * MOST {
            break;
        }
        queue.extend_from_slice(terms.args(inner));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn replaces_an_assertion_by_a_part() {
        proposes(
            &Hoist,
            "(declare-const p Bool)(declare-const q Bool)(assert (not (and p (or q p))))",
            "(declare-const p Bool)(declare-const q Bool)(assert (or q p))",
        );
    }

    #[test]
    fn keeps_bound_variables_below_their_binder() {
        leaves_alone(&Hoist, "(assert (forall ((p Bool)) p))");
    }
}
