//! Quantifier elimination: the result must be equivalent to the formula, without quantifiers and new symbols.
//!
//! ```text
//! (get-qe (exists ((z Real)) (and (< z y) (< 3.0 z))))     (> y 3.0)
//!     claims: both are equivalent                            must be unsat: one and not the other, both ways
//!             it has no quantifier and no new symbol
//! (assert (exists ((z Int)) (= (* 2 z) x))) (apply qe)     (goals (goal (= 0 (mod x 2)) …))
//! ```
//!
//! With assertions in force, cvc5 promises equivalence under them, and a disjunct only one direction.

use super::reading::{asserted, declines, is_named, last_assertion, only, parts, short};
use super::simplification::{goals, refutable, tactic_of};
use super::small::{Domain, Small};
use super::tactic::{self, Promise};
use super::{AnswerKind, Asked, Kind, Obligation};
use crate::case::Case;
use crate::draw::Draw;
use crate::features::Features;
use crate::proofs::points::symbols;
use auspex_logic::render::post_order;
use auspex_logic::term::BinderKind;
use auspex_logic::{Head, Script, TermId, Terms};

pub struct Elimination;

impl AnswerKind for Elimination {
    fn kind(&self) -> Kind {
        Kind::Elimination
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3", "cvc5"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["get-qe", "get-qe-disjunct"])
            || tactic_of(terms, script, command).is_some_and(|t| tactic::eliminates(&t))
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) {
            return Ok(Vec::new());
        }
        match tactic_of(asked.terms, asked.script, asked.command) {
            Some(tactic) if tactic::promise(&tactic) == Promise::Equivalent => {
                goals(asked, Promise::Equivalent)
            }
            Some(_) => Ok(Vec::new()),
            None => of_formula(asked),
        }
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        let small = Small::over(draw, terms, case)?;
        let formula = quantified(draw, &small)?;
        match make {
            "z3" => {
                let tactic = *draw.pick(&[
                    "qe",
                    "qe2",
                    "qe_rec",
                    "(then simplify qe)",
                    "(then qe simplify)",
                    "(then qe2 ctx-simplify)",
                ])?;
                let beside = small.formula(draw)?;
                let beside = if draw.coin() {
                    format!("(assert {beside})\n")
                } else {
                    String::new()
                };
                small.script(
                    terms,
                    "",
                    &format!("(assert {formula})\n{beside}(apply {tactic})\n"),
                )
            }
            "cvc5" if small.domain != Domain::Ints || !formula.contains("(div ") => {
                let command = if draw.one_in(6) {
                    "get-qe-disjunct"
                } else {
                    "get-qe"
                };
                small.script(terms, "", &format!("({command} {formula})\n"))
            }
            _ => None,
        }
    }
}

/// A formula of the case with one constant under a quantifier.
fn quantified(draw: &mut Draw, small: &Small) -> Option<String> {
    let name = draw.pick(&small.constants)?;
    let formula = draw.pick(&small.formulas)?.clone();
    let other = small.formula(draw)?;
    let body = match draw.below(3) {
        0 => formula,
        1 => format!("(and {formula} {other})"),
        _ => format!("(or {formula} {other})"),
    };
    let quantifier = if draw.coin() { "exists" } else { "forall" };
    // The bound variable hides the constant.
    Some(format!(
        "({quantifier} (({name} {})) {body})",
        small.domain.sort()
    ))
}

fn of_formula(asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
    let question = parts(asked.terms, &asked.script.commands[asked.command]);
    let question = question.ok_or("the question cannot be read")?;
    let (command, formula) = (
        &question[0],
        question.get(1).ok_or("the question has no formula")?,
    );
    let result = only(asked.said)?;
    let shown = short(&result);
    let assertions = asserted(&asked.in_force().assertions);
    let read = asked.script(&format!("(assert {formula})"))?;
    let root = last_assertion(&read).ok_or("the formula cannot be read")?;
    let is_exists = is_existential(asked.terms, root);
    let is_whole = command == "get-qe";
    let mut all = Vec::new();
    if is_whole || !is_exists {
        let claim = format!("The formula implies the result {shown}.");
        let text = format!("{assertions}(assert {formula})\n(assert (not {result}))");
        all.push(refutable(asked, &claim, &text)?);
    }
    if is_whole || is_exists {
        let claim = format!("The result {shown} implies the formula.");
        let text = format!("{assertions}(assert {result})\n(assert (not {formula}))");
        all.push(refutable(asked, &claim, &text)?);
    }
    if is_whole {
        all.extend(left_over(asked, root, &result)?);
    }
    Ok(all)
}

fn is_existential(terms: &Terms, root: TermId) -> bool {
    match terms.head(root) {
        Head::Binder(number) => terms.binder(number).kind == BinderKind::Exists,
        _ => false,
    }
}

/// A quantifier or a new symbol in the result of linear arithmetic, where the elimination is complete.
fn left_over(
    asked: &mut Asked<'_>,
    formula: TermId,
    result: &str,
) -> Result<Option<Obligation>, String> {
    let script = asked.script(&format!("(assert {result})"))?;
    let root = last_assertion(&script).ok_or("the result cannot be read")?;
    let linear = Features::INTS
        .union(Features::REALS)
        .union(Features::QUANTIFIERS);
    let features = |terms: &Terms, root| {
        let parts = post_order(terms, root).into_iter();
        parts.fold(Features::NONE, |all, part| {
            all.union(Features::of_root(terms, part))
        })
    };
    let is_linear = linear.includes(features(asked.terms, formula));
    if is_linear && features(asked.terms, root).includes(Features::QUANTIFIERS) {
        let found = format!("The result {} has a quantifier.", short(result));
        return Ok(Some(Obligation::wrong("No quantifier is left.", found)));
    }
    let old = symbols(asked.terms, &script, [formula]);
    let new = symbols(asked.terms, &script, [root]);
    Ok(new.iter().find(|fun| !old.contains(fun)).map(|fun| {
        let name = asked.terms.symbols.name(asked.terms.fun(*fun).name);
        let found = format!("The result contains {name}, which does not occur in the formula.");
        Obligation::wrong("The result contains only symbols of the formula.", found)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const Y: &str = "(declare-const y Real)(declare-const x Int)(declare-const u Real)";

    fn about(script: &str, said: &str) -> Vec<String> {
        obligations(&Elimination, &format!("{Y}{script}"), said, None)
    }

    #[test]
    fn the_result_is_equivalent() {
        // cvc5 1.4.2
        let told = about(
            "(get-qe (exists ((z Real)) (and (< (* 2 z) y) (> z 3))))",
            "(not (>= (* (- 1.0) y) (- 6.0)))",
        );
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[0].contains("=> unsat: (assert (< (* 2.0 z) y))(assert (> z 3.0))(assert (>= "),
            "{told:?}"
        );
    }

    #[test]
    fn nothing_is_left_over() {
        let quantified = "(get-qe (exists ((z Real)) (and (< z y) (> z 3))))";
        let told = about(quantified, "(and (> y 3.0) (> u 0.0))");
        assert!(
            told[2].contains("The result contains u, which does not occur in the formula."),
            "{told:?}"
        );
        let told = about(quantified, "(exists ((z Real)) (and (< z y) (> z 3)))");
        assert!(
            told[2].starts_with("No quantifier is left. => wrong"),
            "{told:?}"
        );
    }

    #[test]
    fn a_disjunct_is_one_direction() {
        let told = about(
            "(get-qe-disjunct (exists ((z Real)) (or (< z y) (> z 3))))",
            "true",
        );
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("The result true implies the formula."),
            "{told:?}"
        );
    }

    #[test]
    fn goals_are_equivalent() {
        // z3 5.4.0
        let told = about(
            "(assert (exists ((z Int)) (and (= (* 2 z) x) (> z 3))))(apply qe)",
            "(goals\n(goal\n  (= 0 (mod x 2))\n  (>= x 8)\n  :precision precise :depth 1)\n)",
        );
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("(assert (= (* 2 z) x))(assert (> z 3))(assert (not (and (= 0 (mod x 2)) (>= x 8))))"), "{told:?}");
    }

    #[test]
    fn questions_quantify_a_constant() {
        let text = "(declare-const x Int)(assert (> (+ x 1) 3))(check-sat)";
        for make in ["z3", "cvc5"] {
            let all: Vec<String> = (0..30)
                .filter_map(|n| asked(&Elimination, text, make, n))
                .collect();
            assert!(all.len() > 10, "{make}");
        }
    }
}
