//! Simplified terms and goals: the result must equal the term, or relate to the assertions as the tactic promises.
//!
//! ```text
//! (simplify (+ x 1 x))                         (+ 1 (* 2 x))
//!     claims: both are equal                       must be unsat: (not (= (+ x 1 x) (+ 1 (* 2 x))))
//! (assert a) (apply (then simplify qe))        (goals (goal b c :precision precise :depth 1))
//!     claims: a and (and b c) imply each other     must be unsat: a, (not (and b c)); (and b c), (not a)
//! ```
//! Both sides are evaluated at corner points first; if they differ there, no solver need be asked.

use super::opened::opened;
use super::points::difference_of_sides;
use super::reading::{
    asserted, conjunction, declines, disjunction, is_named, last_assertion, only, parts, reply,
    short,
};
use super::small::Small;
use super::tactic::{self, Promise, promise};
use super::{AnswerKind, Asked, Check, Kind, Obligation};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::{Command, Head, Script, Sort, TermId, Terms};
use auspex_syntax::Sexpr;

pub struct Simplification;

impl AnswerKind for Simplification {
    fn kind(&self) -> Kind {
        Kind::Simplification
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3", "cvc5"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        match is_named(terms, script, command, &["apply"]) {
            true => tactic_of(terms, script, command).is_some_and(|tactic| {
                !tactic::eliminates(&tactic) && !tactic::keeps_satisfiability_only(&tactic)
            }),
            false => is_named(terms, script, command, &["simplify"]),
        }
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) {
            return Ok(Vec::new());
        }
        match tactic_of(asked.terms, asked.script, asked.command) {
            Some(tactic) => of_goals(asked, &tactic),
            None => of_term(asked),
        }
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        let small = Small::over(draw, terms, case)?;
        match make {
            "z3" if draw.coin() => ask_for_goals(draw, terms, &small),
            "z3" | "cvc5" => ask_for_terms(draw, terms, &small, make),
            _ => None,
        }
    }
}

/// The tactic that a command applies.
pub(super) fn tactic_of(terms: &Terms, script: &Script, command: usize) -> Option<String> {
    if !is_named(terms, script, command, &["apply"]) {
        return None;
    }
    parts(terms, script.commands.get(command)?)?
        .into_iter()
        .nth(1)
}

fn of_term(asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
    let question = parts(asked.terms, &asked.script.commands[asked.command]);
    let question = question.ok_or("the question cannot be read")?;
    let term = question.get(1).ok_or("the question has no term")?;
    let result = only(asked.said)?;
    let claim = format!("The result {} equals the term.", short(&result));
    same_value(asked, (term, &result), claim)
}

/// What must hold if a term and another one in its place have one sort and one value. The very same term claims
/// nothing.
pub(super) fn same_value(
    asked: &mut Asked<'_>,
    (term, result): (&str, &str),
    claim: String,
) -> Result<Vec<Obligation>, String> {
    if let Some(found) = other_sort(asked, term, result) {
        return Ok(vec![Obligation::wrong(
            "The result has the sort of the term.",
            found,
        )]);
    }
    let equation = asked.script(&format!("(assert (= {term} {result}))"))?;
    if is_identity(asked.terms, &equation) {
        return Ok(Vec::new());
    }
    if let Some(point) = difference_of_sides(asked.terms, &equation) {
        return Ok(vec![Obligation::wrong(claim, point)]);
    }
    let unequal = format!("(assert (not (= {term} {result})))");
    Ok(vec![refutable(asked, &claim, &unequal)?])
}

/// Whether both sides of the asserted equation are one term.
fn is_identity(terms: &Terms, equation: &Script) -> bool {
    let sides = last_assertion(equation).map(|term| terms.args(term));
    matches!(sides, Some([one, other]) if one == other)
}

/// That the result has another sort, in words. A solver may write an integer for a real.
fn other_sort(asked: &mut Asked<'_>, term: &str, result: &str) -> Option<String> {
    let script = asked
        .script(&format!("(get-value ({term} {result}))"))
        .ok()?;
    let values = script.commands.iter().find_map(|command| match command {
        Command::GetValue(terms) => Some(terms.clone()),
        _ => None,
    })?;
    let sorts: Vec<Sort> = values.iter().map(|term| asked.terms.sort(*term)).collect();
    let [one, other] = sorts[..] else { return None };
    let is_number = |sort| sort == Sort::INT || sort == Sort::REAL;
    let is_known = one != Sort::UNKNOWN && other != Sort::UNKNOWN;
    let differ = is_known && one != other && !(is_number(one) && is_number(other));
    let is_compatible = asked.terms.sorts.is_compatible(one, other);
    let text = |sort| auspex_logic::render::sort(asked.terms, sort);
    (differ && !is_compatible).then(|| {
        format!(
            "The term has the sort {}, and the result {}.",
            text(one),
            text(other)
        )
    })
}

fn of_goals(asked: &mut Asked<'_>, tactic: &str) -> Result<Vec<Obligation>, String> {
    match promise(tactic) {
        Promise::Nothing => Ok(Vec::new()),
        promise => goals(asked, promise),
    }
}

/// The obligations between the remaining goals and the assertions.
pub(super) fn goals(asked: &mut Asked<'_>, promise: Promise) -> Result<Vec<Obligation>, String> {
    let result = read_goals(asked.said)?;
    let assertions = asked.in_force().assertions;
    let whole = conjunction(&assertions);
    if promise == Promise::Equivalent {
        let equation = asked.script(&format!("(assert (= {whole} {result}))"))?;
        if let Some(point) = difference_of_sides(asked.terms, &equation) {
            return Ok(vec![Obligation::wrong(
                "The goals are equivalent to the assertions.",
                point,
            )]);
        }
    }
    let mut all = Vec::new();
    if promise != Promise::Stronger {
        let claim = "The assertions imply the goals together.";
        let text = format!("{}(assert (not {result}))", asserted(&assertions));
        all.push(refutable(asked, claim, &text)?);
    }
    if promise != Promise::Weaker {
        let claim = "The goals together imply the assertions.";
        let text = format!("(assert {result})\n(assert (not {whole}))");
        all.push(refutable(asked, claim, &text)?);
    }
    Ok(all)
}

/// A claim that fails if these commands have a model; without quantifiers where they can be opened.
pub(super) fn refutable(
    asked: &mut Asked<'_>,
    claim: &str,
    text: &str,
) -> Result<Obligation, String> {
    let script = asked.script(text)?;
    Ok(Obligation {
        claim: claim.to_string(),
        check: Check::Unsat(opened(asked.terms, &script)),
    })
}

/// `(goals (goal f g :precision precise :depth 1) …)` as one formula.
pub(super) fn read_goals(said: &str) -> Result<String, String> {
    let document = reply(said)?;
    let mut items = document.items();
    let (goals, more) = (items.next().ok_or("the reply is empty")?, items.next());
    if goals.head() != Some("goals") || more.is_some() {
        return Err("the reply is not a list of goals".to_string());
    }
    let all: Result<Vec<String>, String> = goals.items().skip(1).map(read_goal).collect();
    Ok(disjunction(&all?))
}

fn read_goal(goal: Sexpr<'_>) -> Result<String, String> {
    let mut formulas = Vec::new();
    let mut items = goal.items().skip(1);
    while let Some(item) = items.next() {
        match (item.text(), item.is_list()) {
            (":precision", _) if items.next().map(Sexpr::text) != Some("precise") => {
                return Err("the goal is not precise".to_string());
            }
            (":precision", _) => {}
            (":depth", _) => {
                items.next();
            }
            (word, false) if word.starts_with(':') => {
                return Err(format!("the goal has the attribute {word}"));
            }
            _ => formulas.push(item.portable_text().into_owned()),
        }
    }
    Ok(conjunction(&formulas))
}

/// Options of z3's simplifier that keep what a term means.
const SIMPLIFYING: &[&str] = &[
    ":som true",
    ":arith_lhs true",
    ":elim_and true",
    ":pull_cheap_ite true",
    ":push_ite_bv true",
    ":push_ite_arith true",
    ":blast_distinct true",
    ":flat false",
    ":hoist_mul true",
    ":hoist_ite true",
    ":local_ctx true",
    ":mul2concat true",
    ":bv_sort_ac true",
    ":bv_extract_prop true",
    ":bv_not_simpl true",
    ":bv_ite2id true",
    ":bv_le_extra true",
    ":blast_eq_value true",
    ":expand_select_store true",
    ":expand_store_eq true",
    ":expand_select_ite true",
    ":sort_store true",
    ":rewrite_patterns true",
    ":elim_rem true",
    ":gcd_rounding true",
    ":eq2ineq true",
    ":sort_sums true",
    ":algebraic_number_evaluator false",
    ":cache_all true",
    ":ite_extra_rules true",
    ":split_concat_eq true",
    ":mul_to_power true",
    ":expand_power true",
];

/// How many terms are asked about at once.
const TERMS: usize = 3;

fn ask_for_terms(draw: &mut Draw, terms: &mut Terms, small: &Small, make: &str) -> Option<Script> {
    let script = small.script(terms, "", &asserted(&small.formulas))?;
    let mut parts: Vec<TermId> = Vec::new();
    for root in script.roots() {
        parts.extend(auspex_logic::render::post_order(terms, root));
    }
    parts.retain(|part| terms.is_closed(*part) && !matches!(terms.head(*part), Head::Literal(_)));
    let mut commands = asserted(&small.formulas);
    let last = last_assertion(&script)?;
    for number in 0..TERMS {
        let part = match number {
            0 => last,
            _ => *draw.pick(&parts)?,
        };
        let text = auspex_logic::render::term(terms, part, auspex_logic::render::Sharing::Auto);
        let mut options = String::new();
        while make == "z3" && draw.coin() {
            options.push_str(&format!(" {}", draw.pick(SIMPLIFYING)?));
        }
        commands.push_str(&format!("(simplify {text}{options})\n"));
    }
    small.script(terms, "", &commands)
}

fn ask_for_goals(draw: &mut Draw, terms: &mut Terms, small: &Small) -> Option<Script> {
    let mut commands = asserted(&small.formulas);
    for _ in 0..TERMS {
        let mut chain = Vec::new();
        for _ in 0..1 + draw.index(3) {
            let list = match draw.one_in(4) {
                true => tactic::WEAKENING,
                false => tactic::EQUIVALENT,
            };
            let name = draw.pick(list)?;
            chain.push(match *name == "split-clause" {
                // It fails where there is no clause.
                true => format!("(or-else {name} skip)"),
                false => name.to_string(),
            });
        }
        let text = match &chain[..] {
            [only] => only.clone(),
            many => format!("(then {})", many.join(" ")),
        };
        commands.push_str(&format!("(apply {text})\n"));
    }
    small.script(terms, "", &commands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const X: &str = "(declare-const x Int)(declare-const y Int)";

    fn about(script: &str, said: &str) -> Vec<String> {
        obligations(&Simplification, &format!("{X}{script}"), said, None)
    }

    #[test]
    fn a_result_equals_the_term() {
        // z3 5.4.0
        assert_eq!(
            about("(simplify (+ x 1 x))", "(+ 1 (* 2 x))"),
            [
                "The result (+ 1 (* 2 x)) equals the term. => unsat: (assert (not (= (+ x 1 x) (+ 1 (* 2 x)))))"
            ]
        );
    }

    #[test]
    fn a_point_shows_that_it_does_not() {
        let told = about("(simplify (+ x 1 x))", "(+ 1 (* 3 x))");
        assert!(
            told[0].starts_with("The result (+ 1 (* 3 x)) equals the term. => wrong: With x = "),
            "{told:?}"
        );
        let told = about("(simplify (> x 1))", "x");
        assert!(
            told[0].contains("wrong: The term has the sort Bool, and the result Int."),
            "{told:?}"
        );
    }

    #[test]
    fn equal_languages_are_equal_however_they_are_written() {
        // z3 5.4.0 and cvc5 1.4.2
        for said in ["re.allchar", "(re.inter re.allchar (re.comp re.none))"] {
            let term = "(re.inter re.allchar (re.diff re.allchar re.none))";
            let told = about(&format!("(simplify {term})"), said);
            assert!(told.iter().all(|one| !one.contains("wrong")), "{told:?}");
        }
        let told = about("(simplify (re.* re.allchar))", "re.allchar");
        assert!(told[0].contains("=> wrong: Always"), "{told:?}");
    }

    #[test]
    fn goals_of_an_equivalent_tactic_say_the_same() {
        let script = "(assert (> x (+ y 1)))(assert (or (= x 3) (< y 3)))(apply simplify)";
        // z3 5.4.0
        let said = "(goals\n(goal\n  (not (<= x (+ 1 y)))\n  (or (= x 3) (not (<= 3 y)))\n  :precision precise :depth 1)\n)";
        let told = about(script, said);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[1].starts_with(
                "The goals together imply the assertions. => unsat: (assert (not (<= x (+ 1 y))))"
            ),
            "{told:?}"
        );
        let less = said.replace("(not (<= x (+ 1 y)))", "");
        assert!(
            about(script, &less)[0].contains("=> wrong: With x = "),
            "{:?}",
            about(script, &less)
        );
    }

    #[test]
    fn goals_without_variables_follow() {
        let script = "(assert (= x (+ y 1)))(assert (> x 3))(apply (then simplify solve-eqs))";
        let told = about(
            script,
            "(goals\n(goal\n  (not (<= y 2))\n  :precision precise :depth 2)\n)",
        );
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("The assertions imply the goals together."),
            "{told:?}"
        );
        let none = about(
            "(assert (= x y))(apply nla2bv)",
            "(goals\n(goal\n  :precision precise :depth 1)\n)",
        );
        assert_eq!(none, [] as [&str; 0]);
    }

    #[test]
    fn no_goal_is_a_contradiction() {
        let script = "(assert (< x y))(assert (< y x))(apply simplify)";
        let told = about(
            script,
            "(goals\n(goal\n  false\n  :precision precise :depth 1)\n)",
        );
        assert!(
            told[0].contains("(assert (< y x))(assert (not false))"),
            "{told:?}"
        );
    }

    #[test]
    fn questions_are_about_terms_and_goals() {
        let text = "(declare-const x Int)(assert (> (+ x 1) 3))(check-sat)";
        let all: Vec<String> = (0..30)
            .filter_map(|n| asked(&Simplification, text, "z3", n))
            .collect();
        assert!(
            all.iter().any(|t| t.contains("(apply "))
                && all.iter().any(|t| t.contains("(simplify "))
        );
    }
}
