//! Replaces a list by one of its items.
//!
//! ```text
//! (assert (unheard-of (f x) y))   →   (assert (f x))
//! ```
//! Needs no sorts. If the script is well-sorted, ill-sorted candidates are dropped before anything is run.

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;
use auspex_syntax::Sexpr;

pub struct Children;

impl Pass for Children {
    fn name(&self) -> &'static str {
        "children"
    }

    fn about(&self) -> &'static str {
        "Replaces a list by one of its items, as text."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut stack: Vec<Sexpr<'_>> = subject.document.items().rev().collect();
        while let Some(list) = stack.pop() {
            stack.extend(list.items().collect::<Vec<_>>().into_iter().rev());
            let size = |sexpr: Sexpr<'_>| u64::from(sexpr.after() - sexpr.at());
            for item in list.items() {
                let patch = (list.span().range(), item.text());
                let gain = size(list) - size(item);
                edits.push(Edit::text(gain, splice(&subject.text, &[patch])));
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
    fn puts_an_item_for_its_list() {
        proposes(&Children, "(a (b c))", "(a c)");
        proposes(&Children, "(a (b c))", "(b c)");
    }

    #[test]
    fn leaves_atoms_alone() {
        leaves_alone(&Children, "a () c");
    }
}
