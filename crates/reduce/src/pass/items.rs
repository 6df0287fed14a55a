//! Removes items of lists.
//!
//! ```text
//! (declare-datatype D ((a) (b (s Int))))   →   (declare-datatype D ((a)))
//! ```
//! Needs no sorts. If the script is well-sorted, ill-sorted candidates are dropped before anything is run.

use super::Pass;
use crate::chunks::chunks;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;
use auspex_syntax::Sexpr;
use std::ops::Range;

pub struct Items;

impl Pass for Items {
    fn name(&self) -> &'static str {
        "items"
    }

    fn about(&self) -> &'static str {
        "Removes items of lists, as text, in halves, quarters and so on."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut stack: Vec<Sexpr<'_>> = subject.document.items().rev().collect();
        while let Some(list) = stack.pop() {
            let items: Vec<Sexpr<'_>> = list.items().collect();
            stack.extend(items.iter().rev());
            for piece in chunks(items.len()) {
                let gone = &items[piece];
                let gain = gone
                    .iter()
                    .map(|item| u64::from(item.after() - item.at()))
                    .sum();
                let text = splice(&subject.text, &[(range(gone), "")]);
                edits.push(Edit::text(gain, text));
            }
        }
        edits
    }
}

/// The range from the first of some adjacent items to the last.
fn range(items: &[Sexpr<'_>]) -> Range<usize> {
    match (items.first(), items.last()) {
        (Some(first), Some(last)) => first.span().range().start..last.span().range().end,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_items_of_any_list() {
        proposes(&Items, "(a (b c))", "(a (b ))");
        proposes(&Items, "(a (b c))", "( (b c))");
    }

    #[test]
    fn leaves_atoms_alone() {
        leaves_alone(&Items, "a b c");
    }
}
