//! `fuzzchick`: replaces an expression by another one of the formula, of the same sort.
//!
//! ```text
//! before  (assert (> (* x y) (+ x 1)))
//! after   (assert (> (* x y) (* x y)))
//! ```
//!
//! Preserves sorts and nothing else; brings no new operator.
//! After the mutator of FuzzChick (Lampropoulos, Hicks, Pierce 2019), as adapted by the authors of TypeFuzz.

use super::chain::{LENGTH, Mutation, Step};
use crate::draw::Draw;
use crate::grow::{self, Palette};
use crate::mutant::{Mutant, Wanted};
use auspex_logic::Terms;

/// `fuzzchick`.
pub const FUZZCHICK: Mutation = Mutation {
    name: "fuzzchick",
    about: "Replaces expressions by others of the same formula and sort.",
    longest: LENGTH,
    each: false,
    step,
};

/// How many sites are tried for one step.
const TRIES: usize = 12;

fn step(
    mutant: &mut Mutant,
    terms: &mut Terms,
    palette: &Palette,
    draw: &mut Draw,
) -> Option<Step> {
    for _ in 0..TRIES {
        let site = mutant.site(terms, draw, Wanted::Any)?;
        let with = mutant.ingredients(palette, &site, 0);
        let Some(new) = grow::existing(terms, draw, terms.sort(site.term), &with) else {
            continue;
        };
        if mutant.replace(terms, &site, new) {
            return Some(Step::Replaced(site, new));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::chain::tests::{all_well_sorted, mutants};

    const SEED: &str =
        "(declare-const x Int)(declare-const y Int)(assert (> (* x y) (+ x 1)))(check-sat)";

    #[test]
    fn reaches_its_example() {
        let found = mutants(&FUZZCHICK, 1, SEED, 2000);
        let wanted = "(assert (> (* x y) (* x y)))";
        assert!(found.iter().any(|text| text.contains(wanted)), "{found:?}");
        assert!(all_well_sorted(&FUZZCHICK, SEED, 200) > 190);
    }

    #[test]
    fn brings_no_new_operator() {
        for text in mutants(&FUZZCHICK, 5, SEED, 200) {
            let known = ["declare-const", "assert", "check-sat", ">", "*", "+"];
            let heads = text
                .split('(')
                .skip(1)
                .map(|part| part.split([' ', ')']).next());
            assert!(heads.flatten().all(|head| known.contains(&head)), "{text}");
        }
    }
}
