//! Makes small equations over all theories at once: one operation on the first few values of small sorts, at most one
//! operation per argument, and any subset of the values replaced by variables.
//!
//! ```text
//! (= (select x0 (bvnot x1)) true)                                            sat
//! (= (store ((as const A) true) #x0 false) (store ((as const A) false) #x1 true))   unsat
//! ```
//! There are so few of each kind that random draws soon cover all. Most errors in an operator, or where two theories
//! meet, show in one of them. After Becker's thesis, which lists them theory by theory.

use super::draft::{Claim, Draft};
use super::grow::{Leaves, Maker};
use super::{sat, unsat};
use auspex_logic::TheorySet;

/// An equation of a small operation with its result, or with another value.
pub(super) fn draft(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    maker.small = true;
    maker.focus = TheorySet::ALL;
    let depth = depth.min(1);
    match maker.draw.weighted(&[3, 1, 4])? {
        0 => unsat::ground(maker, depth),
        1 => unsat::defined(maker, depth),
        _ => {
            maker.leaves = match maker.draw.coin() {
                true => Leaves::Mixed,
                false => Leaves::Free,
            };
            let equation = sat::equation(maker, depth)?;
            let mut draft = Draft::new(Claim::Witness, "small operation equals its result");
            draft.member(equation);
            Some(draft)
        }
    }
}
