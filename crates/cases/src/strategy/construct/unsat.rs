//! Makes unsatisfiable cases by evaluation: an operation equals something other than its result.
//!
//! ```text
//! (= (bvadd #x0 #x0) #x1)                                     a wrong constant
//! (= (bvadd #x0 #x0) (bvadd #x0 #x1))                         a wrong result as a term
//! (= x0 #x0) (= x1 (bvnot #xe)) (= (bvadd x0 x0) x1)          the constants hidden behind definitions: a larger core
//! ```
//!
//! After the two transformations of Becker's thesis, section 2.3; the definitions are the constant
//! replacement of section 2.2.2.

use super::draft::{Claim, Draft};
use super::grow::{Grown, Leaves, Maker};
use super::kit::SortNo;
use super::sat;
use auspex_logic::TermId;

/// A ground equation that evaluates to false.
pub(super) fn ground(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    maker.leaves = Leaves::Ground;
    let wrong = wrong_equation(maker, depth)?;
    let claim = Claim::Contradiction("the ground assertion evaluates to false".into());
    let mut draft = Draft::new(claim, "operation equals a wrong result");
    draft.member(wrong);
    Some(draft)
}

/// The same with variables, each defined by its own assertion.
pub(super) fn defined(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    maker.leaves = if maker.draw.coin() {
        Leaves::Mixed
    } else {
        Leaves::Free
    };
    let wrong = wrong_equation(maker, depth)?;
    let claim = Claim::Contradiction(
        "with the variables' defined values the last assertion evaluates to false".into(),
    );
    let mut draft = Draft::new(
        claim,
        "operation on defined variables equals a wrong result",
    );
    maker.leaves = Leaves::Ground;
    for at in 0..maker.variables.len() {
        let definition = definition(maker, at, depth)?;
        draft.member(definition);
    }
    if maker.draw.one_in(4) {
        maker.leaves = Leaves::Free;
        let redundant = sat::equation(maker, depth.min(1))?;
        draft.bystander(redundant);
    }
    draft.member(wrong);
    Some(draft)
}

/// `(= x value)`, with the value as a literal or as an operation with that result.
fn definition(maker: &mut Maker<'_>, at: usize, depth: u64) -> Option<TermId> {
    let variable = maker.variables[at].clone();
    let deep = if maker.draw.one_in(3) {
        depth.min(1)
    } else {
        0
    };
    let value = maker.twin(variable.sort, &variable.value, deep)?;
    match maker.draw.coin() {
        true => maker.equation(variable.term, value.term),
        false => maker.equation(value.term, variable.term),
    }
}

/// An equation whose sides have different values.
fn wrong_equation(maker: &mut Maker<'_>, depth: u64) -> Option<TermId> {
    let (sort, left) = maker.operation(depth)?;
    if !left.value.is_comparable() {
        return None;
    }
    if sat::is_bool(maker, sort) && maker.draw.coin() {
        return match left.value.as_bool()? {
            true => maker.negation(left.term),
            false => Some(left.term),
        };
    }
    let right = wrong_side(maker, sort, &left, depth)?;
    maker.equation(left.term, right.term)
}

fn wrong_side(maker: &mut Maker<'_>, sort: SortNo, left: &Grown, depth: u64) -> Option<Grown> {
    // A wrong constant or a wrong term, equally often.
    let depth = if maker.draw.coin() { depth } else { 0 };
    maker.other(sort, &left.value, depth)
}
