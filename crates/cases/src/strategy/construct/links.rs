//! Enlarges the core of ¬A ∧ B and hides it, as Bugariu and Müller do, any number of times.
//!
//! ```text
//! B with x3 for x0, and (= (bvnot (bvnot x0)) x3)             a variable replaced
//! … and x4 for x3, and (= (bvadd x3 #x0) x4)                  and again: a chain
//! B with x5 for #x1, and (= (bvmul #x1 x6) x5), (= x6 #x1)    a constant replaced
//! B with (bvxor (bvxor x0 x7) x7) for x0                      a variable that A does not have
//! B with x8 for x7, and (= x7 x8)                             which is replaced: redundant
//! (= (bvmul x9 x10) x11)                                      redundant as well
//! ```

use super::contradict::Sides;
use super::draft::{Draft, Part};
use super::grow::{Leaves, Maker, Variable};
use super::kit::{Law, SortNo};
use super::laws::Chosen;
use super::sat;
use crate::corner::is_plain;
use auspex_logic::edit::{Occurrence, Occurrences};
use auspex_logic::render::post_order;
use auspex_logic::{Head, Sort, TermId, Terms, Value};

/// The most changes in one case.
const CHANGES: [u32; 7] = [3, 6, 5, 4, 3, 2, 1];

/// Changes B, several times.
pub(super) fn change(maker: &mut Maker<'_>, draft: &mut Draft, sides: &mut Sides) -> Option<()> {
    for _ in 0..maker.draw.weighted(&CHANGES)? {
        let (known, members) = (maker.variables.len(), draft.assertions.len());
        let changed = match maker.draw.weighted(&[5, 3, 3])? {
            0 => replace_variable(maker, draft, sides),
            1 => replace_constant(maker, draft, sides),
            _ => rewrite(maker, draft, sides),
        };
        if changed.is_none() {
            maker.forget(known);
            draft.assertions.truncate(members);
        }
    }
    Some(())
}

/// Equations over new variables.
pub(super) fn redundancies(maker: &mut Maker<'_>, draft: &mut Draft, depth: u64) -> Option<()> {
    for _ in 0..maker.draw.weighted(&[8, 3, 1])? {
        maker.leaves = Leaves::Free;
        let sharing = std::mem::replace(&mut maker.sharing, false);
        let redundant = sat::equation(maker, depth.min(1));
        maker.sharing = sharing;
        draft.bystander(redundant?);
        draft.steps.push("redundancy".into());
    }
    Some(())
}

/// Replaces a variable by a new one and asserts that they are equal. If only B has the variable, that is redundant;
/// then it is replaced everywhere in B.
fn replace_variable(maker: &mut Maker<'_>, draft: &mut Draft, sides: &mut Sides) -> Option<()> {
    let found = occurrence(maker, sides.after, is_variable)?;
    let old = found.term;
    let at = maker.variables.iter().position(|v| v.term == old)?;
    let (sort, value) = (maker.variables[at].sort, maker.variables[at].value.clone());
    let needed = has(maker.terms, sides.before, old)
        || draft
            .assertions
            .iter()
            .any(|(term, part)| *part == Part::Member && has(maker.terms, *term, old));
    let part = if needed {
        Part::Member
    } else {
        Part::Bystander
    };
    let new = maker.fresh(sort, value.clone());
    link(maker, draft, sort, (old, new), part)?;
    sides.after = if needed && maker.draw.coin() {
        maker.terms.replace_at(sides.after, &found.path, new)?
    } else {
        let map = [(old, new)].into_iter().collect();
        maker.terms.replace_all(sides.after, &map)
    };
    let step = match part {
        Part::Member => "variable replaced",
        Part::Bystander => "variable of one side replaced",
    };
    draft.steps.push(step.into());
    Some(())
}

/// Links the first variable of both sides that an identity fits.
pub(super) fn replace_by(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    sides: &mut Sides,
    law: &Law,
) -> Option<()> {
    let shared = |v: &Variable| {
        has(maker.terms, sides.after, v.term) && has(maker.terms, sides.before, v.term)
    };
    let shared: Vec<Variable> = maker
        .variables
        .iter()
        .filter(|v| shared(v))
        .cloned()
        .collect();
    shared.into_iter().find_map(|old| {
        let (identity, at) = maker.as_identity(law, old.sort)?;
        let new = maker.fresh(old.sort, old.value.clone());
        let wrapped = applied(maker, draft, &identity, Some((at, old.term)), Part::Member)?;
        let equal = maker.equation(wrapped, new)?;
        draft.member(equal);
        let map = [(old.term, new)].into_iter().collect();
        sides.after = maker.terms.replace_all(sides.after, &map);
        draft.steps.push(format!("by {}", law.rule.name));
        Some(())
    })
}

/// Replaces a literal by a new variable and asserts its value.
fn replace_constant(maker: &mut Maker<'_>, draft: &mut Draft, sides: &mut Sides) -> Option<()> {
    let found = occurrence(maker, sides.after, is_literal)?;
    let value = maker.terms.literal_value(found.term)?.clone();
    let local = maker.terms.sort(found.term);
    let sort = maker.number_of_sort(local)?;
    let new = maker.fresh(sort, value.clone());
    match maker.draw.weighted(&[3, 3, 2])? {
        0 => link(maker, draft, sort, (found.term, new), Part::Member)?,
        1 => constant_by_law(maker, draft, found.term, new)?,
        _ => constant_by_value(maker, draft, sort, &value, new)?,
    }
    sides.after = maker.terms.replace_at(sides.after, &found.path, new)?;
    draft.steps.push("constant replaced".into());
    Some(())
}

/// By an operation with that value.
fn constant_by_value(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    sort: SortNo,
    value: &Value,
    new: TermId,
) -> Option<()> {
    maker.leaves = Leaves::Ground;
    let depth = maker.draw.below(2);
    let twin = maker.twin(sort, value, depth)?;
    let equal = maker.equation(twin.term, new)?;
    draft.member(equal);
    Some(())
}

/// By a rule whose second side is the constant: `(bvmul x #x0) = #x0`.
fn constant_by_law(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    literal: TermId,
    new: TermId,
) -> Option<()> {
    let chosen = maker.choose_constant(literal)?;
    let before = applied(maker, draft, &chosen, None, Part::Member)?;
    let equal = maker.equation(before, new)?;
    draft.member(equal);
    draft.steps.push(format!("by {}", chosen.rule.name));
    Some(())
}

/// Replaces a term of B by the longer side of an identity.
fn rewrite(maker: &mut Maker<'_>, draft: &mut Draft, sides: &mut Sides) -> Option<()> {
    let found = occurrence(maker, sides.after, |_, _| true)?;
    let local = maker.terms.sort(found.term);
    let sort = maker.number_of_sort(local)?;
    let (identity, at) = maker.choose_identity(sort)?;
    let bound = !maker.terms.is_closed(found.term);
    // A condition on a bound variable cannot be asserted outside of its quantifier.
    if bound && !identity.rule.conditions.is_empty() {
        return None;
    }
    let longer = applied(
        maker,
        draft,
        &identity,
        Some((at, found.term)),
        Part::Member,
    )?;
    sides.after = maker.terms.replace_at(sides.after, &found.path, longer)?;
    draft
        .steps
        .push(format!("rewritten by {}", identity.rule.name));
    Some(())
}

/// Asserts that two terms are equal, plainly or by a rule `before = x`.
fn link(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    sort: SortNo,
    (old, new): (TermId, TermId),
    part: Part,
) -> Option<()> {
    if maker.draw.below(3) > 0
        && let Some((identity, at)) = maker.choose_identity(sort)
    {
        let wrapped = applied(maker, draft, &identity, Some((at, old)), part)?;
        let equal = maker.equation(wrapped, new)?;
        draft.assertions.push((equal, part));
        draft.steps.push(format!("by {}", identity.rule.name));
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
    draft.assertions.push((equal, part));
    Some(())
}

/// The first side of a rule over new variables, of which one may be a given term; its conditions are asserted.
fn applied(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    chosen: &Chosen,
    given: Option<(usize, TermId)>,
    part: Part,
) -> Option<TermId> {
    let mut variables = Vec::with_capacity(chosen.sorts.len());
    for (place, sort) in chosen.sorts.iter().enumerate() {
        let variable = match given {
            Some((at, term)) if at == place => {
                let fits = !chosen.valued[at] || is_plain_literal(maker.terms, term);
                fits.then_some(term)?
            }
            _ if chosen.valued[place] => maker.plain_literal(*sort)?.term,
            _ if maker.kit.kind(*sort).is_first_class() => maker.any_variable(*sort)?.term,
            _ => {
                maker.leaves = Leaves::Ground;
                maker.grow(*sort, 1)?.term
            }
        };
        variables.push(variable);
    }
    for condition in &chosen.rule.conditions {
        let condition = maker.build(chosen, &condition.node, &variables)?;
        draft.assertions.push((condition, part));
    }
    maker.build(chosen, &chosen.rule.left.node, &variables)
}

/// An occurrence that may be replaced: not inside of a regular expression, which must be constant, nor of a constant
/// array if solvers require values there.
fn occurrence(
    maker: &mut Maker<'_>,
    root: TermId,
    fits: impl Fn(&Terms, TermId) -> bool,
) -> Option<Occurrence> {
    const TRIES: usize = 12;
    let all = Occurrences::new(maker.terms, &[root]);
    (0..TRIES).find_map(|_| {
        let found = all.nth(maker.terms, maker.draw.below(all.len()))?;
        let free = fits(maker.terms, found.term) && is_open(maker, root, &found.path);
        free.then_some(found)
    })
}

fn is_open(maker: &Maker<'_>, root: TermId, path: &[u32]) -> bool {
    let careful = maker.kit.careful;
    let parents = (0..path.len()).filter_map(|len| maker.terms.at_path(root, &path[..len]));
    let mut all = parents.chain(maker.terms.at_path(root, path));
    all.all(|term| {
        let constant = match maker.terms.head(term) {
            Head::Op(op) => maker.terms.op(op).sig.qualified,
            _ => false,
        };
        maker.terms.sort(term) != Sort::REG_LAN && !(careful && constant)
    })
}

pub(super) fn is_variable(terms: &Terms, term: TermId) -> bool {
    matches!(terms.head(term), Head::Fun(_)) && terms.args(term).is_empty()
}

fn is_literal(terms: &Terms, term: TermId) -> bool {
    matches!(terms.head(term), Head::Literal(_))
}

/// A literal that may stand in a constant array for every solver.
fn is_plain_literal(terms: &Terms, term: TermId) -> bool {
    terms.literal_value(term).is_some_and(is_plain)
}

fn has(terms: &Terms, root: TermId, part: TermId) -> bool {
    post_order(terms, root).contains(&part)
}
