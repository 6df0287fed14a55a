//! Replaces a sort by a simple one, in one declaration or everywhere.
//!
//! ```text
//! (declare-sort S 0) (declare-const x S) (assert (= x x))   →   (declare-const x Bool) (assert (= x x))
//! ```
//! Works on the text; ill-sorted candidates are dropped before anything is run.

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;
use auspex_syntax::Sexpr;
use std::ops::Range;

pub struct Sorts;

/// Simplest first.
const SIMPLE: [&str; 3] = ["Bool", "Int", "Real"];

impl Pass for Sorts {
    fn name(&self) -> &'static str {
        "sorts"
    }

    fn about(&self) -> &'static str {
        "Replaces a sort by Bool, Int or Real, in one declaration or everywhere."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut add = |old: Sexpr<'_>, everywhere: bool| {
            for simple in SIMPLE {
                let places = match everywhere {
                    true => same_as(subject, old),
                    false => vec![old.span().range()],
                };
                let patches: Vec<_> = places.into_iter().map(|place| (place, simple)).collect();
                let text = without_declaration(splice(&subject.text, &patches), old.text());
                if old.text() != simple && subject.admits(&text) {
                    let gain = u64::from(old.after() - old.at()) * patches.len() as u64;
                    edits.push(Edit::text(gain, text));
                }
            }
        };
        let mut seen: Vec<&str> = Vec::new();
        for sort in written_sorts(subject) {
            add(sort, false);
            if !seen.contains(&sort.text()) {
                seen.push(sort.text());
                add(sort, true);
            }
        }
        edits
    }
}

/// The sorts in declarations, and the sorts inside them.
fn written_sorts(subject: &Subject) -> Vec<Sexpr<'_>> {
    let mut sorts = Vec::new();
    for command in subject.document.items() {
        match command.head() {
            Some("declare-const") => sorts.extend(command.item(2)),
            Some("declare-fun") => {
                sorts.extend(command.item(2).iter().flat_map(|params| params.items()));
                sorts.extend(command.item(3));
            }
            _ => {}
        }
    }
    let mut at = 0;
    while at < sorts.len() {
        let indexed = sorts[at].head() == Some("_");
        let inside = sorts[at].items().skip(1).filter(|_| !indexed);
        let inside: Vec<Sexpr<'_>> = inside.collect();
        sorts.extend(inside);
        at += 1;
    }
    sorts
}

fn same_as(subject: &Subject, wanted: Sexpr<'_>) -> Vec<Range<usize>> {
    let (mut places, mut stack) = (Vec::new(), Vec::new());
    stack.extend(subject.document.items());
    while let Some(sexpr) = stack.pop() {
        match sexpr.same_as(wanted) {
            true => places.push(sexpr.span().range()),
            false => stack.extend(sexpr.items()),
        }
    }
    places.sort_unstable_by_key(|place| place.start);
    places
}

/// The text without the `declare-sort` of a replaced name.
fn without_declaration(text: String, name: &str) -> String {
    let lines = text.lines().filter(|line| {
        let declares = line.trim_start().starts_with("(declare-sort ");
        !declares || line.contains(name) || !SIMPLE.iter().any(|s| line.contains(&format!(" {s} ")))
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn puts_simple_sorts_for_others() {
        let text = "(declare-sort S 0)\n(declare-const x S)\n(assert (= x x))\n";
        proposes(&Sorts, text, "(declare-const x Bool)(assert (= x x))");
        proposes(
            &Sorts,
            "(declare-const x (Array Int Int))\n(assert (= x x))\n",
            "(declare-const x (Array Bool Bool))(assert (= x x))",
        );
    }

    #[test]
    fn leaves_what_would_not_fit_alone() {
        leaves_alone(&Sorts, "(declare-const x Bool)\n(assert (not x))\n");
    }
}
