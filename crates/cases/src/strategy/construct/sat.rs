//! Makes satisfiable cases: an operation equals its result.
//!
//! ```text
//! (= (bvadd x0 x1) x2)                                        nothing constrained
//! (= (bvadd x0 #x1) #x0)                                      any subset of variables free
//! (= (bvadd (bvnot x0) (bvmul x1 x1)) (bvsub x0 x1))          constants replaced by terms, then by variables
//! ```
//!
//! The values from which the terms were grown are the witness.
//! After Bugariu and Müller, "Automatically testing string solvers" (ICSE 2020), and Becker's thesis.

use super::draft::{Claim, Draft};
use super::grow::{Grown, Leaves, Maker};
use super::kit::SortNo;
use auspex_logic::{Sort, TermId, Value};

/// One to three equations over shared variables.
pub(super) fn draft(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    let leaves = [Leaves::Ground, Leaves::Mixed, Leaves::Free];
    maker.leaves = leaves[maker.draw.weighted(&[2, 3, 3])?];
    let mut draft = Draft::new(Claim::Witness, "operation equals its result");
    for _ in 0..1 + maker.draw.weighted(&[8, 2, 1])? {
        let term = equation(maker, depth)?;
        draft.member(term);
    }
    Some(draft)
}

/// Both sides of a rule equal the same result.
pub(super) fn law(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    let chosen = maker.choose_law()?;
    if chosen.rule.relation.is_implication() {
        return None;
    }
    let arguments = maker.arguments(&chosen, depth)?;
    let variables: Vec<TermId> = arguments.iter().map(|a| a.term).collect();
    let mut draft = Draft::new(Claim::Witness, &chosen.rule.name);
    for condition in &chosen.rule.conditions {
        let condition = maker.build(&chosen, &condition.node, &variables)?;
        draft.member(condition);
    }
    let before = maker.build(&chosen, &chosen.rule.left.node, &variables)?;
    let after = maker.build(&chosen, &chosen.rule.right.node, &variables)?;
    let value = maker.value_of(before)?;
    let local = maker.terms.sort(before);
    let sort = maker.number_of_sort(local)?;
    let result = maker.variable(sort, value).term;
    for side in [before, after] {
        let equal = maker.equation(side, result)?;
        draft.member(equal);
    }
    Some(draft)
}

/// A true equation (or, between Booleans, any true formula) over the variables made so far and new ones.
pub(super) fn equation(maker: &mut Maker<'_>, depth: u64) -> Option<TermId> {
    let (sort, left) = maker.operation(depth)?;
    if is_bool(maker, sort) && maker.draw.coin() {
        return literal_of(maker, &left);
    }
    let right = right_side(maker, sort, &left.value, depth)?;
    match maker.draw.below(8) {
        0 => maker.equation(right.term, left.term),
        _ => maker.equation(left.term, right.term),
    }
}

pub(super) fn right_side(
    maker: &mut Maker<'_>,
    sort: SortNo,
    value: &Value,
    depth: u64,
) -> Option<Grown> {
    match maker.draw.weighted(&[2, 2, 4])? {
        0 => Some(maker.variable(sort, value.clone())),
        1 => maker
            .literal(sort, value.clone())
            .or_else(|| Some(maker.variable(sort, value.clone()))),
        _ => maker.twin(sort, value, depth),
    }
}

pub(super) fn is_bool(maker: &mut Maker<'_>, sort: SortNo) -> bool {
    maker.sort(sort) == Sort::BOOL
}

/// A Boolean term that is true, or its negation if it is false.
pub(super) fn literal_of(maker: &mut Maker<'_>, grown: &Grown) -> Option<TermId> {
    match grown.value.as_bool()? {
        true => Some(grown.term),
        false => maker.negation(grown.term),
    }
}
