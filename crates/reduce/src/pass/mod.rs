//! Passes propose edits. Each is one file and one line in `ALL`; its header shows before and after.

mod abstraction;
mod annotations;
mod arguments;
mod assumptions;
mod bitvectors;
mod children;
mod commands;
mod constants;
mod flatten;
mod floats;
mod forms;
mod hoist;
mod inline;
mod items;
mod layout;
mod levels;
mod lines;
mod logic;
mod mentions;
mod merge;
mod names;
mod numerals;
mod occurrences;
mod parameters;
mod quantifiers;
mod reals;
mod relations;
mod simplify;
mod solve;
mod sorts;
mod strings;
mod undefine;
mod unused;
mod variables;
mod widths;

use crate::edit::Edit;
use crate::subject::Subject;

/// A way of making scripts smaller.
pub trait Pass: Sync {
    /// The name used in reports.
    fn name(&self) -> &'static str;
    /// One sentence for the manual.
    fn about(&self) -> &'static str;
    /// Whether it changes only the look of a script, which enables no further reduction.
    fn is_cosmetic(&self) -> bool {
        false
    }
    /// Whether it changes values. For these large steps come first in every order, since small ones would take too
    /// long.
    fn is_about_values(&self) -> bool {
        false
    }
    /// Edits of the subject; edits of equal gain are tried in this order.
    fn candidates(&self, subject: &mut Subject) -> Vec<Edit>;
}

/// Every pass, in the order of a round: passes that remove much first, cosmetic ones last.
pub const ALL: &[&dyn Pass] = &[
    &commands::Commands,
    &forms::Forms,
    &levels::Levels,
    &assumptions::Assumptions,
    &unused::Unused,
    &constants::Constants,
    &mentions::Mentions,
    &hoist::Hoist,
    &arguments::Arguments,
    &variables::Variables,
    &solve::Solve,
    &inline::Inline,
    &undefine::Undefine,
    &quantifiers::Quantifiers,
    &annotations::Annotations,
    &flatten::Flatten,
    &simplify::Simplify,
    &abstraction::Abstraction,
    &occurrences::Occurrences,
    &merge::Merge,
    &parameters::Parameters,
    &items::Items,
    &children::Children,
    &relations::Relations,
    &reals::Reals,
    &sorts::Sorts,
    &widths::Widths,
    &floats::Floats,
    &bitvectors::BitVectors,
    &strings::Strings,
    &numerals::Numerals,
    &lines::Lines,
    &logic::Logic,
    &layout::Layout,
    &names::Names,
];

/// The passes that change the content of a script.
pub fn meaning() -> Vec<&'static dyn Pass> {
    let passes = ALL.iter().copied();
    passes.filter(|pass| !pass.is_cosmetic()).collect()
}

/// The passes that change only its look.
pub fn looks() -> Vec<&'static dyn Pass> {
    let passes = ALL.iter().copied();
    passes.filter(|pass| pass.is_cosmetic()).collect()
}

/// The passes that change the content, in another order: those that keep the script's shape before those that remove
/// pieces.
pub fn otherwise() -> Vec<&'static dyn Pass> {
    let cutting = [constants::Constants.name(), hoist::Hoist.name()];
    let mut passes = meaning();
    passes.sort_by_key(|pass| cutting.contains(&pass.name()));
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_pass_says_what_it_does() {
        let mut names: Vec<&str> = ALL.iter().map(|pass| pass.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.iter().all(|pass| pass.about().ends_with('.')));
    }

    #[test]
    fn no_pass_minds_what_it_gets() {
        for text in [
            "",
            "((",
            "x",
            "(assert)",
            "(assert (",
            "(check-sat) )",
            "(forall ((x)) y)",
        ] {
            for pass in ALL {
                let mut subject = Subject::read(text);
                for edit in pass.candidates(&mut subject) {
                    edit.change.text(&mut subject);
                }
            }
        }
    }
}
