//! Merges two constants into one.
//!
//! ```text
//! (declare-const x Int) (declare-const y Int) (assert (< x y))   →   (declare-const x Int) (assert (< x x))
//! ```

use super::Pass;
use super::variables::constants;
use crate::edit::{Change, Edit};
use crate::subject::Subject;

pub struct Merge;

/// How many other constants are tried for each constant.
const MOST: usize = 8;

impl Pass for Merge {
    fn name(&self) -> &'static str {
        "merge"
    }

    fn about(&self) -> &'static str {
        "Replaces one declared constant by another of the same sort."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let all = constants(subject);
        let mut edits = Vec::new();
        for (number, gone) in all.iter().enumerate() {
            let others = all[..number].iter();
            let same =
                others.filter(|kept| subject.terms.sort(**kept) == subject.terms.sort(*gone));
            for kept in same.take(MOST) {
                edits.push(Edit::new(4, Change::All(vec![(*gone, *kept)])));
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
    fn merges_two_of_a_sort() {
        proposes(
            &Merge,
            "(declare-const x Int)(declare-const y Int)(assert (< x y))",
            "(declare-const x Int)(assert (< x x))",
        );
    }

    #[test]
    fn leaves_different_sorts_alone() {
        leaves_alone(
            &Merge,
            "(declare-const x Int)(declare-const p Bool)(assert (and p (< x 1)))",
        );
    }
}
