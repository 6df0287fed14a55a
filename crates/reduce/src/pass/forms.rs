//! Removes top-level s-expressions.
//!
//! ```text
//! (declare-x a) (assert (unknown a)) (check-sat)   →   (check-sat)
//! ```
//! Needs no sorts, so it works on unknown dialects.

use super::Pass;
use crate::chunks::chunks;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;
use std::ops::Range;

pub struct Forms;

impl Pass for Forms {
    fn name(&self) -> &'static str {
        "forms"
    }

    fn about(&self) -> &'static str {
        "Removes top-level s-expressions, as text, in halves, quarters and so on."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let forms: Vec<(Range<usize>, u64)> = subject
            .document
            .items()
            // `logic` is the pass for set-logic.
            .filter(|form| form.head() != Some("set-logic"))
            .map(|form| (form.span().range(), u64::from(form.after() - form.at())))
            .collect();
        let pieces = chunks(forms.len()).into_iter();
        pieces
            .map(|piece| {
                let gain = forms[piece.clone()].iter().map(|(_, size)| size).sum();
                let gone: Vec<_> = forms[piece].iter().map(|(r, _)| (r.clone(), "")).collect();
                Edit::text(gain, splice(&subject.text, &gone))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_commands_of_any_dialect() {
        proposes(&Forms, "(declare-x a)(assert (f a))", "(declare-x a)");
        proposes(&Forms, "(declare-x a)(assert (f a))", "(assert (f a))");
    }

    #[test]
    fn leaves_unreadable_text_alone() {
        leaves_alone(&Forms, "(assert (");
    }
}
