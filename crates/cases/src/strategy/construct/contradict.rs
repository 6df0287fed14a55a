//! Unsatisfiable cases from rules: one side of a law holds and the other does not.
//!
//! ```text
//! (not (= (bvadd x0 x1) x2)) (= ((_ int2bv 4) (+ (bv2nat x0) (bv2nat x1))) x2)      an equality denied
//! … with x3 for x0 on one side and (= (bvnot (bvnot x0)) x3)                        a larger core
//! … with x4 for a constant on one side and (= x4 (bvadd #x0 #x1))                   a constant replaced
//! … and (= (bvmul x5 x6) x7)                                                        redundancy
//! ```
//!
//! After Bugariu and Müller: equivalent formulas, core growth with fresh variables, variable and constant
//! replacement, redundancy introduction. The steps are repeated as often as the draw says.

use super::draft::{Claim, Draft};
use super::grow::{Leaves, Maker};
use super::kit::SortNo;
use super::laws::Chosen;
use super::sat;
use crate::rules::Kind;
use auspex_logic::render::post_order;
use auspex_logic::{Head, Sort, TermId, Terms};

/// A rule denied.
pub(super) fn draft(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    let chosen = maker.choose_law()?;
    let arguments = maker.arguments(&chosen, depth)?;
    let first: Vec<TermId> = arguments.iter().map(|a| a.term).collect();
    let mut second = first.clone();
    let rule = chosen.compiled.rule;
    let because = format!(
        "by the rule {}, {} {} {}",
        rule.name,
        rule.before,
        word(rule.kind),
        rule.after
    );
    let mut draft = Draft::new(Claim::Contradiction(because), rule.name);
    draft.quantified = chosen.compiled.has_quantifier();
    for (at, sort) in chosen.sorts.iter().enumerate() {
        if is_variable(maker.terms, first[at]) && maker.draw.one_in(3) {
            second[at] = maker.fresh(*sort, arguments[at].value.clone());
            link(maker, &mut draft, *sort, first[at], second[at])?;
            draft.steps.push("variable replaced".into());
        }
    }
    for condition in &chosen.compiled.when {
        let condition = maker.build(&chosen, condition, &first)?;
        draft.member(condition);
    }
    let before = maker.build(&chosen, &chosen.compiled.before, &first)?;
    let mut after = maker.build(&chosen, &chosen.compiled.after, &second)?;
    if maker.draw.one_in(4)
        && let Some(changed) = replace_constant(maker, &mut draft, after)
    {
        after = changed;
        draft.steps.push("constant replaced".into());
    }
    deny(maker, &mut draft, &chosen, before, after)?;
    if maker.draw.one_in(5) {
        maker.leaves = Leaves::Free;
        let redundant = sat::equation(maker, depth)?;
        draft.bystander(redundant);
        draft.steps.push("redundancy".into());
    }
    Some(draft)
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Equality => "equals",
        Kind::Equivalence => "is equivalent to",
        Kind::Implication => "implies",
    }
}

pub(super) fn is_variable(terms: &Terms, term: TermId) -> bool {
    matches!(terms.head(term), Head::Fun(_)) && terms.args(term).is_empty()
}

/// Asserts that one side holds and the other does not.
fn deny(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    chosen: &Chosen,
    before: TermId,
    after: TermId,
) -> Option<()> {
    match (chosen.compiled.rule.kind, maker.draw.below(5)) {
        (Kind::Implication, _) => {
            draft.member(before);
            let not_after = maker.negation(after)?;
            draft.member(not_after);
        }
        (_, 0) => {
            let different = maker.terms.app("distinct", &[before, after]).ok()?;
            draft.member(different);
        }
        (Kind::Equality, turn) => {
            let result = result_variable(maker, before)?;
            let (holds, fails) = if turn == 1 {
                (before, after)
            } else {
                (after, before)
            };
            let fails = maker.equation(fails, result)?;
            let fails = maker.negation(fails)?;
            draft.member(fails);
            let holds = maker.equation(holds, result)?;
            draft.member(holds);
        }
        (Kind::Equivalence, turn) => {
            let (holds, fails) = if turn == 1 {
                (before, after)
            } else {
                (after, before)
            };
            let fails = maker.negation(fails)?;
            draft.member(fails);
            draft.member(holds);
        }
    }
    Some(())
}

/// A new variable for the result of a term.
fn result_variable(maker: &mut Maker<'_>, term: TermId) -> Option<TermId> {
    let local = maker.terms.sort(term);
    let sort = maker.number_of_sort(local)?;
    maker.any_variable(sort).map(|grown| grown.term)
}

/// Assertions that make two variables equal, plainly or by a rule `before = x`.
fn link(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    sort: SortNo,
    old: TermId,
    new: TermId,
) -> Option<()> {
    if maker.draw.coin()
        && let Some((identity, at)) = maker.choose_identity(sort)
    {
        let mut variables = Vec::with_capacity(identity.sorts.len());
        for (place, sort) in identity.sorts.iter().enumerate() {
            let variable = if place == at {
                old
            } else if maker.kit.kind(*sort).is_first_class() {
                maker.any_variable(*sort)?.term
            } else {
                maker.leaves = Leaves::Ground;
                maker.grow(*sort, 1)?.term
            };
            variables.push(variable);
        }
        for condition in &identity.compiled.when {
            let condition = maker.build(&identity, condition, &variables)?;
            draft.member(condition);
        }
        let wrapped = maker.build(&identity, &identity.compiled.before, &variables)?;
        let equal = maker.equation(wrapped, new)?;
        draft.member(equal);
        draft
            .steps
            .push(format!("by {}", identity.compiled.rule.name));
        return Some(());
    }
    let equal = match maker.draw.below(3) {
        0 => maker.equation(new, old)?,
        1 => {
            let different = maker.terms.app("distinct", &[old, new]).ok()?;
            maker.negation(different)?
        }
        _ => maker.equation(old, new)?,
    };
    draft.member(equal);
    Some(())
}

/// Puts a new variable in the place of a literal and asserts what it equals.
fn replace_constant(maker: &mut Maker<'_>, draft: &mut Draft, term: TermId) -> Option<TermId> {
    let parts = post_order(maker.terms, term);
    // Solvers want regular expressions to be constant.
    if parts.iter().any(|t| maker.terms.sort(*t) == Sort::REG_LAN) {
        return None;
    }
    let literals = parts
        .into_iter()
        .filter(|t| matches!(maker.terms.head(*t), Head::Literal(_)) && *t != term);
    let literals: Vec<TermId> = literals.collect();
    let literal = *maker.draw.pick(&literals)?;
    let value = maker.terms.literal_value(literal)?.clone();
    let local = maker.terms.sort(literal);
    let sort = maker.number_of_sort(local)?;
    let new = maker.fresh(sort, value.clone());
    maker.leaves = Leaves::Ground;
    let depth = maker.draw.below(2);
    let twin = maker.twin(sort, &value, depth)?;
    let equal = maker.equation(twin.term, new)?;
    draft.member(equal);
    let map = [(literal, new)].into_iter().collect();
    Some(maker.terms.replace_all(term, &map))
}
