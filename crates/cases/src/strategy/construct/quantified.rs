//! Makes quantified cases, with and without patterns.
//!
//! ```text
//! (exists ((y0 S)) (not (= before after)))                                          unsat
//! (not (forall ((y0 S)) (= before after)))                                          unsat
//! (forall ((y0 S)) (! (= (f y0) after) :pattern ((f y0)))) (not (= (f c) before))   unsat by one instance
//! (forall ((y0 S)) (= before after))                                                sat, all values tried
//! (exists ((y0 S)) (= (op y0 x0) x1))                                               sat
//! ```

use super::draft::{Claim, Draft};
use super::grow::{Leaves, Maker};
use super::laws::Chosen;
use super::sat;
use crate::rules::Rule;
use auspex_logic::term::BinderKind;
use auspex_logic::value::cardinality;
use auspex_logic::{Sort, TermId};

pub(super) fn draft(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    // Evaluating all values takes as long as making a dozen other cases.
    match maker.draw.weighted(&[4, 4, 6, 1, 4])? {
        0 => denied(maker, true),
        1 => denied(maker, false),
        2 => defined_function(maker),
        3 => valid(maker),
        _ => witnessed(maker, depth),
    }
}

/// A rule without regular expressions, which cannot be quantified over.
fn choose(maker: &mut Maker<'_>) -> Option<Chosen> {
    const TRIES: usize = 4;
    (0..TRIES).find_map(|_| {
        let chosen = maker.choose_law()?;
        let first_class = |sort| maker.kit.kind(sort).is_first_class();
        chosen
            .sorts
            .iter()
            .all(|sort| first_class(*sort))
            .then_some(chosen)
            .filter(|chosen| !chosen.valued.contains(&true))
    })
}

const NAMES: [&str; 6] = ["y0", "y1", "y2", "y3", "y4", "y5"];

/// Bound variables for the sorts of a rule.
fn bound(maker: &mut Maker<'_>, chosen: &Chosen) -> Option<Vec<TermId>> {
    let mut variables = Vec::with_capacity(chosen.sorts.len());
    for (name, sort) in NAMES.iter().zip(&chosen.sorts) {
        let local = maker.sort(*sort);
        let name = maker.terms.symbols.intern(name);
        variables.push(maker.terms.variable(name, local));
    }
    (variables.len() == chosen.sorts.len() && !variables.is_empty()).then_some(variables)
}

fn because(rule: &Rule) -> String {
    format!("the rule {} says the opposite for all values", rule.name)
}

/// What a rule says of some terms.
fn formula(maker: &mut Maker<'_>, chosen: &Chosen, terms: &[TermId]) -> Option<TermId> {
    let bindings = chosen.bindings.with_terms(terms);
    chosen.rule.formula(maker.terms, &bindings)
}

/// Some values refute a rule, or not all confirm it.
fn denied(maker: &mut Maker<'_>, some: bool) -> Option<Draft> {
    let chosen = choose(maker)?;
    let variables = bound(maker, &chosen)?;
    let body = formula(maker, &chosen, &variables)?;
    let term = if some {
        let not = maker.negation(body)?;
        maker.terms.quantified(BinderKind::Exists, &variables, not)
    } else {
        let all = maker.terms.quantified(BinderKind::Forall, &variables, body);
        maker.negation(all)?
    };
    let claim = Claim::Contradiction(because(chosen.rule));
    let mut draft = Draft::new(claim, &chosen.rule.name);
    draft.steps.push("quantified".into());
    draft.quantified = true;
    draft.member(term);
    Some(draft)
}

/// A function that equals one side of a rule everywhere, but differs from the other side somewhere.
fn defined_function(maker: &mut Maker<'_>) -> Option<Draft> {
    let chosen = choose(maker)?;
    if chosen.rule.relation.is_implication() || chosen.rule.has_quantifier() {
        return None;
    }
    let variables = bound(maker, &chosen)?;
    let after = maker.build(&chosen, &chosen.rule.right.node, &variables)?;
    let params: Vec<Sort> = variables.iter().map(|v| maker.terms.sort(*v)).collect();
    let result = maker.terms.sort(after);
    let function = maker.terms.declare_fun("f", &params, result);
    let application = maker.terms.fun_app(function, &variables).ok()?;
    let mut body = maker.equation(application, after)?;
    for condition in chosen.rule.conditions.iter().rev() {
        let condition = maker.build(&chosen, &condition.node, &variables)?;
        body = maker.terms.app("=>", &[condition, body]).ok()?;
    }
    let patterned = maker.draw.coin();
    if patterned {
        body = maker.terms.with_patterns(body, &[&[application]]);
    }
    let axiom = maker.terms.quantified(BinderKind::Forall, &variables, body);
    let claim = Claim::Contradiction(format!(
        "{}, and the first assertion defines f by one of its sides",
        because(chosen.rule)
    ));
    let mut draft = Draft::new(claim, &chosen.rule.name);
    let step = if patterned {
        "function with pattern"
    } else {
        "function without pattern"
    };
    draft.steps.push(step.into());
    draft.functions.push(function);
    draft.quantified = true;
    draft.member(axiom);
    instance(maker, &mut draft, &chosen, function)?;
    Some(draft)
}

/// The function differs from the other side for some arguments, constants or variables.
fn instance(
    maker: &mut Maker<'_>,
    draft: &mut Draft,
    chosen: &Chosen,
    function: auspex_logic::Fun,
) -> Option<()> {
    maker.leaves = if maker.draw.coin() {
        Leaves::Ground
    } else {
        Leaves::Free
    };
    let mut arguments = Vec::with_capacity(chosen.sorts.len());
    for sort in &chosen.sorts {
        let leaf = maker.leaf(*sort).or_else(|| maker.any_variable(*sort));
        arguments.push(leaf?.term);
    }
    for condition in &chosen.rule.conditions {
        let condition = maker.build(chosen, &condition.node, &arguments)?;
        draft.member(condition);
    }
    let before = maker.build(chosen, &chosen.rule.left.node, &arguments)?;
    let application = maker.terms.fun_app(function, &arguments).ok()?;
    let equal = maker.equation(application, before)?;
    let differs = maker.negation(equal)?;
    draft.member(differs);
    Some(())
}

/// A rule over few values, all of which are evaluated.
fn valid(maker: &mut Maker<'_>) -> Option<Draft> {
    const MOST: u128 = 256;
    let chosen = choose(maker)?;
    let variables = bound(maker, &chosen)?;
    let mut size = Some(1u128);
    for variable in &variables {
        let sort = maker.terms.sort(*variable);
        let values = cardinality(&maker.terms.sorts, sort);
        size = size.zip(values).and_then(|(a, b)| a.checked_mul(b));
    }
    size.filter(|size| *size <= MOST)?;
    let body = formula(maker, &chosen, &variables)?;
    let term = maker.terms.quantified(BinderKind::Forall, &variables, body);
    let mut draft = Draft::new(Claim::Witness, &chosen.rule.name);
    draft.steps.push("quantified".into());
    draft.member(term);
    Some(draft)
}

/// An operation equals its result for some value of a variable of a small sort.
fn witnessed(maker: &mut Maker<'_>, depth: u64) -> Option<Draft> {
    const MOST: u128 = 64;
    maker.leaves = Leaves::Free;
    let equation = sat::equation(maker, depth)?;
    let small = |maker: &mut Maker<'_>, at: usize| {
        let sort = maker.variables[at].sort;
        let local = maker.sort(sort);
        cardinality(&maker.terms.sorts, local).is_some_and(|n| n <= MOST)
    };
    let at = (0..maker.variables.len()).find(|at| small(maker, *at))?;
    let variable = maker.variables.remove(at);
    let local = maker.terms.sort(variable.term);
    let name = maker.terms.symbols.intern(NAMES[0]);
    let bound = maker.terms.variable(name, local);
    let map = [(variable.term, bound)].into_iter().collect();
    let body = maker.terms.replace_all(equation, &map);
    let term = maker.terms.quantified(BinderKind::Exists, &[bound], body);
    let mut draft = Draft::new(Claim::Witness, "operation equals its result for some value");
    draft.member(term);
    Some(draft)
}
