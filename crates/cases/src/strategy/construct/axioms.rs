//! Adds quantifiers around the sides of a law, with and without patterns.
//!
//! ```text
//! (forall ((y0 S)) (! (= (f y0) B) :pattern ((f y0)))) (not (= A r)) (= (f x0) r)   a side behind a function
//! (exists ((z0 S)) (and (= z0 t) B[z0]))                                            a term behind a variable
//! (forall ((z0 S)) (=> (= z0 t) (not A[z0])))
//! ```
//! Each is equivalent to the formula without it: the axiom defines the function, and the quantified variable equals
//! its term. The formulas without quantifiers are checked by evaluation.

use super::check::Check;
use super::contradict::Denied;
use super::draft::Draft;
use super::grow::Maker;
use super::links::is_variable;
use auspex_logic::render::post_order;
use auspex_logic::term::BinderKind;
use auspex_logic::{Sort, TermId, Value};

/// Asserts that one side holds and the other fails, with quantifiers.
pub(super) fn deny(maker: &mut Maker<'_>, draft: &mut Draft, sides: &Denied) -> Option<()> {
    let known = maker.variables.len();
    let (holds, fails) = sides.formulas(maker)?;
    if is_possible(maker, draft, holds, fails) {
        return None;
    }
    draft.quantified = true;
    if maker.draw.one_in(3) {
        return behind_variables(maker, draft, holds, fails);
    }
    maker.forget(known);
    // The first side, the second, or both.
    let which = maker.draw.below(3);
    let mut hidden = *sides;
    if which != 0 {
        hidden.holds = behind_function(maker, draft, hidden.holds, "f")?;
    }
    if which != 1 {
        hidden.fails = behind_function(maker, draft, hidden.fails, "g")?;
    }
    let (holds, fails) = hidden.formulas(maker)?;
    let fails = maker.negation(fails)?;
    draft.member(fails);
    draft.member(holds);
    Some(())
}

/// Whether the known values satisfy a formula that should be unsatisfiable; then the law is wrong.
fn is_possible(maker: &Maker<'_>, draft: &Draft, holds: TermId, fails: TermId) -> bool {
    let mut check = Check::new(maker);
    let mut members = draft.assertions.iter().map(|(term, _)| *term);
    members.all(|term| check.holds(term))
        && check.holds(holds)
        && check.value(fails) == Some(Value::FALSE)
}

/// A function of the side's variables that equals it everywhere, applied to them.
fn behind_function(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    side: TermId,
    name: &str,
) -> Option<TermId> {
    const MOST: usize = 6;
    let variables: Vec<TermId> = post_order(maker.terms, side)
        .into_iter()
        .filter(|term| is_variable(maker.terms, *term))
        .collect();
    if variables.is_empty() || variables.len() > MOST {
        return None;
    }
    let sorts: Vec<Sort> = variables.iter().map(|v| maker.terms.sort(*v)).collect();
    let bound: Vec<TermId> = (0..)
        .zip(&sorts)
        .map(|(at, sort)| bound(maker, 'y', at, *sort))
        .collect();
    let map = variables
        .iter()
        .copied()
        .zip(bound.iter().copied())
        .collect();
    let body = maker.terms.replace_all(side, &map);
    let result = maker.terms.sort(side);
    let function = maker.terms.declare_fun(name, &sorts, result);
    draft.functions.push(function);
    let application = maker.terms.fun_app(function, &bound).ok()?;
    let mut axiom = maker.equation(application, body)?;
    let patterned = maker.draw.below(4) > 0;
    if patterned {
        axiom = maker.terms.with_patterns(axiom, &[&[application]]);
    }
    let axiom = maker.terms.quantified(BinderKind::Forall, &bound, axiom);
    draft.member(axiom);
    let step = match patterned {
        true => "side behind a function with pattern",
        false => "side behind a function",
    };
    draft.steps.push(step.into());
    maker.terms.fun_app(function, &variables).ok()
}

/// A term of each side behind a quantified variable that equals it.
fn behind_variables(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    holds: TermId,
    fails: TermId,
) -> Option<()> {
    let not_fails = maker.negation(fails)?;
    for formula in [not_fails, holds] {
        let guarded = behind_variable(maker, formula).unwrap_or(formula);
        draft.member(guarded);
    }
    draft.steps.push("terms behind quantified variables".into());
    Some(())
}

fn behind_variable(maker: &mut Maker<'_>, formula: TermId) -> Option<TermId> {
    let terms = post_order(maker.terms, formula).into_iter();
    // A literal inside of a regular expression or an array must not be replaced.
    let able = |term: &TermId| {
        *term != formula
            && maker.terms.sort(*term) != Sort::REG_LAN
            && maker.terms.literal_value(*term).is_none()
            && maker.terms.is_closed(*term)
    };
    let inner: Vec<TermId> = terms.filter(able).collect();
    let term = *maker.draw.pick(&inner)?;
    let sort = maker.terms.sort(term);
    let variable = bound(maker, 'z', 0, sort);
    let map = [(term, variable)].into_iter().collect();
    let body = maker.terms.replace_all(formula, &map);
    let equal = maker.equation(variable, term)?;
    let (kind, operator) = match maker.draw.coin() {
        true => (BinderKind::Exists, "and"),
        false => (BinderKind::Forall, "=>"),
    };
    let body = maker.terms.app(operator, &[equal, body]).ok()?;
    Some(maker.terms.quantified(kind, &[variable], body))
}

fn bound(maker: &mut Maker<'_>, letter: char, number: usize, sort: Sort) -> TermId {
    let name = maker.numbered(letter, number);
    maker.terms.variable(name, sort)
}
