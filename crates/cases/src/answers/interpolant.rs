//! Interpolants: a formula that one side implies, that contradicts the other side, and that has only symbols of both.
//!
//! ```text
//! (assert (= 0 x)) (get-interpolant A (= 0 x))     (define-fun A () Bool (and (= x 0) true))
//!     claims: the assertions imply it              must be unsat: (= 0 x), not A
//!             it implies the goal                  must be unsat: A, not (= 0 x)
//!             it has symbols of both sides only
//! ```
//!
//! Three dialects: cvc5 names a goal, bitwuzla the assertions of one side, and yices contradicts an assignment.

use super::reading::{
    asserted, conjunction, declines, defined_formula, is_named, last_assertion, last_named, only,
    parts, reply, short, texts,
};
use super::small::Small;
use super::{AnswerKind, Asked, Kind, Obligation, grammar};
use crate::case::{Case, Expected};
use crate::draw::Draw;
use crate::proofs::points::symbols;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Script, Terms};
use auspex_syntax::Document;

pub struct Interpolants;

const ASKING: &[&str] = &[
    "get-interpolant",
    "get-interpolant-next",
    "get-interpolants",
    "get-unsat-model-interpolant",
];

/// One interpolant with its two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Interpolant {
    formula: String,
    implied_by: Vec<String>,
    contradicts: Vec<String>,
    /// The grammar that it must be made of; then the grammar says which symbols it may have.
    grammar: Vec<String>,
}

impl AnswerKind for Interpolants {
    fn kind(&self) -> Kind {
        Kind::Interpolant
    }

    fn makes(&self) -> &'static [&'static str] {
        &["cvc5", "bitwuzla"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, ASKING)
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let mut all = Vec::new();
        for interpolant in read(asked)? {
            all.extend(interpolant.obligations(asked)?);
        }
        Ok(all)
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        match make {
            "cvc5" => ask_for_goal(draw, terms, case),
            "bitwuzla" => ask_for_side(draw, terms, case),
            _ => None,
        }
    }
}

/// The interpolants of a reply.
fn read(asked: &Asked<'_>) -> Result<Vec<Interpolant>, String> {
    if declines(asked.said) {
        return Ok(Vec::new());
    }
    let command = &asked.script.commands[asked.command];
    let question = parts(asked.terms, command).ok_or("the question cannot be read")?;
    match &question[..] {
        [name, ..] if name == "get-unsat-model-interpolant" => against_assignment(asked),
        [name, side] if name == "get-interpolant" => {
            let sides = vec![side.clone()];
            against_others(asked, &sides, vec![only(asked.said)?])
        }
        [name, sides @ ..] if name == "get-interpolants" => {
            let document = reply(asked.said)?;
            let all = document.items().next().ok_or("the reply is empty")?;
            against_others(asked, sides, texts(all))
        }
        _ => against_goal(asked),
    }
}

/// cvc5: `(get-interpolant name goal grammar?)`, and `-next` for another one.
fn against_goal(asked: &Asked<'_>) -> Result<Vec<Interpolant>, String> {
    let (_, question) =
        last_named(asked, &["get-interpolant"]).ok_or("there is no earlier get-interpolant")?;
    let goal = question.get(2).ok_or("the question has no goal")?;
    Ok(vec![Interpolant {
        formula: defined_formula(asked.said)?,
        implied_by: asked.in_force().assertions,
        contradicts: vec![format!("(not {goal})")],
        grammar: question.get(3..).unwrap_or_default().to_vec(),
    }])
}

/// bitwuzla: `(get-interpolant (names))` for one side of the assertions, `(get-interpolants (names) …)` for sides that
/// grow: each has the assertions of those before it, too.
fn against_others(
    asked: &Asked<'_>,
    sides: &[String],
    formulas: Vec<String>,
) -> Result<Vec<Interpolant>, String> {
    let query = asked.query();
    let mut names: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for (side, formula) in sides.iter().zip(formulas) {
        let document = Document::read(side.as_str()).map_err(|e| e.message().to_string())?;
        for item in document.items() {
            match item.is_list() {
                true => names.extend(texts(item)),
                false => names.push(item.text().to_string()),
            }
        }
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for assertion in &query.assertions {
            let name = assertion.name.map(|name| asked.terms.symbols.name(name));
            let is_chosen = name.is_some_and(|name| {
                let mut chosen = names.iter().map(|chosen| chosen.trim_matches('|'));
                chosen.any(|chosen| chosen == name)
            });
            let text = render::term(asked.terms, assertion.term, Sharing::Auto);
            if is_chosen { &mut one } else { &mut other }.push(text);
        }
        all.push(Interpolant {
            formula,
            implied_by: one,
            contradicts: other,
            grammar: Vec::new(),
        });
    }
    Ok(all)
}

/// yices: `(check-sat-assuming-model (symbols) (values))` and then `(get-unsat-model-interpolant)`.
fn against_assignment(asked: &Asked<'_>) -> Result<Vec<Interpolant>, String> {
    let (_, query) =
        last_named(asked, &["check-sat-assuming-model"]).ok_or("no assignment was given before")?;
    let [_, symbols, values] = &query[..] else {
        return Err("the assignment cannot be read".to_string());
    };
    let list = |text: &String| {
        let document = Document::read(text.as_str()).ok()?;
        document.items().next().map(texts)
    };
    let (symbols, values) = list(symbols)
        .zip(list(values))
        .ok_or("the assignment is not a list")?;
    let both = symbols.iter().zip(&values);
    Ok(vec![Interpolant {
        formula: in_standard_words(&only(asked.said)?)?,
        implied_by: asked.in_force().assertions,
        contradicts: both.map(|(s, v)| format!("(= {s} {v})")).collect(),
        grammar: Vec::new(),
    }])
}

/// yices writes `/=` for `distinct`, and numbers with their sign.
fn in_standard_words(text: &str) -> Result<String, String> {
    let document = reply(text)?;
    let mut out = String::new();
    let mut end = 0;
    let mut stack: Vec<_> = document.items().collect();
    stack.reverse();
    while let Some(item) = stack.pop() {
        if item.is_list() {
            let items: Vec<_> = item.items().collect();
            stack.extend(items.into_iter().rev());
            continue;
        }
        let span = item.span().range();
        out.push_str(&text[end..span.start]);
        end = span.end;
        let word = item.text();
        let number = word.strip_prefix('-').filter(|rest| !rest.is_empty());
        match (word, number.or(Some(word)).and_then(|n| n.split_once('/'))) {
            ("/=", _) => out.push_str("distinct"),
            (_, Some((over, under))) if is_number(over) && is_number(under) => {
                let fraction = format!("(/ {over} {under})");
                out.push_str(&signed(number.is_some(), &fraction));
            }
            _ => match number {
                Some(number) if is_number(number) => out.push_str(&signed(true, number)),
                _ => out.push_str(word),
            },
        }
    }
    out.push_str(&text[end..]);
    Ok(out)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn signed(negative: bool, number: &str) -> String {
    match negative {
        true => format!("(- {number})"),
        false => number.to_string(),
    }
}

impl Interpolant {
    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let formula = &self.formula;
        let shown = short(formula);
        let implied = asked.must_be_unsat(
            &format!("The first side implies the interpolant {shown}."),
            &format!("{}(assert (not {formula}))", asserted(&self.implied_by)),
        )?;
        let contradicting = asked.must_be_unsat(
            &format!("The interpolant {shown} contradicts the second side."),
            &format!("{}(assert {formula})", asserted(&self.contradicts)),
        )?;
        let mut all = vec![implied, contradicting];
        match &self.grammar[..] {
            [] => all.extend(self.one_sided(asked)?),
            grammar => all.extend(grammar::obligation(grammar, formula)),
        }
        Ok(all)
    }

    /// The symbol that only one side has, if there is one.
    fn one_sided(&self, asked: &mut Asked<'_>) -> Result<Option<Obligation>, String> {
        let mut used_by = |formula: &str| {
            let script = asked.script(&format!("(assert {formula})"))?;
            let roots: Vec<_> = last_assertion(&script).into_iter().collect();
            Ok::<_, String>(symbols(asked.terms, &script, roots))
        };
        let first = used_by(&conjunction(&self.implied_by))?;
        let second = used_by(&conjunction(&self.contradicts))?;
        let own = used_by(&self.formula)?;
        let mut alien = own.iter();
        let alien = alien.find(|fun| !(first.contains(fun) && second.contains(fun)));
        Ok(alien.map(|fun| {
            let name = asked.terms.symbols.name(asked.terms.fun(*fun).name);
            let side = match (first.contains(fun), second.contains(fun)) {
                (true, _) => "only the first side",
                (_, true) => "only the second side",
                _ => "neither side",
            };
            Obligation::wrong(
                "The interpolant contains only symbols of both sides.",
                format!("It contains {name}, which {side} contains."),
            )
        }))
    }
}

/// A goal that follows from assertions: a part of an unsatisfiable case, or an assertion made weaker.
fn ask_for_goal(draw: &mut Draw, terms: &mut Terms, case: &Case) -> Option<Script> {
    let small = Small::over(draw, terms, case)?;
    let (sides, goal) = match draw.below(3) {
        0 if small.expected == Some(Expected::Unsat) && small.formulas.len() > 1 => {
            let cut = 1 + draw.index(small.formulas.len() - 1);
            let (one, other) = small.formulas.split_at(cut);
            (one.to_vec(), format!("(not {})", conjunction(other)))
        }
        1 => {
            let one = draw.pick(&small.formulas)?.clone();
            (small.formulas.clone(), one)
        }
        _ => {
            let one = draw.pick(&small.formulas)?.clone();
            let other = small.formula(draw)?;
            (small.formulas.clone(), format!("(or {other} {one})"))
        }
    };
    let next = match draw.one_in(3) {
        true => "(get-interpolant-next)\n",
        false => "",
    };
    small.script(
        terms,
        "(set-option :produce-interpolants true)\n(set-option :incremental true)\n",
        &format!("{}(get-interpolant I {goal})\n{next}", asserted(&sides)),
    )
}

/// One side of the assertions of an unsatisfiable case, by names.
fn ask_for_side(draw: &mut Draw, terms: &mut Terms, case: &Case) -> Option<Script> {
    let small = Small::over(draw, terms, case)?;
    let mut text = String::new();
    let mut chosen = Vec::new();
    for (number, formula) in small.formulas.iter().enumerate() {
        text.push_str(&format!("(assert (! {formula} :named side{number}))\n"));
        if draw.coin() {
            chosen.push(format!("side{number}"));
        }
    }
    text.push_str(&format!(
        "(check-sat)\n(get-interpolant ({}))\n",
        chosen.join(" ")
    ));
    let is_told = small.expected == Some(Expected::Unsat) && !chosen.is_empty();
    is_told
        .then(|| small.script_in_logic(terms, "(set-option :produce-interpolants true)\n", &text))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const EQUALITY: &str = "(declare-const x Int)(assert (= 0 x))(get-interpolant A (= 0 x))";

    fn about(script: &str, said: &str) -> Vec<String> {
        obligations(&Interpolants, script, said, None)
    }

    #[test]
    fn both_implications_must_hold() {
        // cvc5 1.4.2
        let said = "(define-fun A () Bool (and (= x 0) true))";
        assert_eq!(
            about(EQUALITY, said),
            [
                "The first side implies the interpolant (and (= x 0) true). => unsat: (assert (= 0 x))(assert (not (and (= x 0) true)))",
                "The interpolant (and (= x 0) true) contradicts the second side. => unsat: (assert (not (= 0 x)))(assert (and (= x 0) true))",
            ]
        );
    }

    #[test]
    fn a_symbol_of_one_side_is_wrong() {
        let script = "(declare-const x Int)(declare-const y Int)(declare-const z Int)\
                      (assert (> x (+ y 1)))(assert (> y 3))(get-interpolant A (> x (- 4 (* z z))))";
        let told = about(script, "(define-fun A () Bool (<= 5 x))");
        assert_eq!(told.len(), 2, "{told:?}");
        let told = about(script, "(define-fun A () Bool (and (> y 3) (<= 5 x)))");
        let wrong = "The interpolant contains only symbols of both sides. => wrong: It contains y, which only the first side contains.";
        assert_eq!(told[2], wrong);
    }

    #[test]
    fn a_grammar_says_what_an_interpolant_is_made_of() {
        let script = "(declare-const x Int)(assert (> x 5))\
                      (get-interpolant B (> x 4) ((S Bool) (I Int)) ((S Bool ((> I I))) (I Int (x 1 3 (+ I I)))))";
        // cvc5 1.4.2
        assert_eq!(
            about(script, "(define-fun B () Bool (> x (+ 1 3)))").len(),
            2
        );
        let told = about(script, "(define-fun B () Bool (> x 4))");
        assert_eq!(
            told[2],
            "The grammar generates the answer. => wrong: The grammar does not generate (> x 4)."
        );
    }

    #[test]
    fn a_solver_may_decline() {
        assert_eq!(about(EQUALITY, "fail"), [] as [&str; 0]);
        assert_eq!(about(EQUALITY, "(define-fun A () Int 1)").len(), 1);
    }

    #[test]
    fn sides_are_chosen_by_name() {
        // bitwuzla 0.9.1
        let script = "(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))\
                      (assert (! (bvult x y) :named p))(assert (! (= x #xf) :named q))(check-sat)";
        let said = "(not (= ((_ extract 0 0) x) #b1))";
        let told = about(&format!("{script}(get-interpolant (p))"), said);
        assert_eq!(
            told[1],
            "The interpolant (not (= ((_ extract 0 0) x) #b1)) contradicts the second side. => \
             unsat: (assert (= x #xf))(assert (not (= ((_ extract 0 0) x) #b1)))"
        );
        let told = about(
            &format!("{script}(get-interpolants (p) (q))"),
            "(true false)",
        );
        assert_eq!(
            told[3],
            "The interpolant false contradicts the second side. => unsat: (assert false)"
        );
    }

    #[test]
    fn an_assignment_is_the_second_side() {
        // yices 2.6.5
        let script = "(declare-fun x () Real)(declare-fun y () Real)(assert (> y x))\
                      (check-sat-assuming-model (x y) (2.0 1.0))(get-unsat-model-interpolant)";
        let told = about(script, "(< (+ x (* -1 y)) 0)");
        assert!(
            told[0].ends_with("(assert (not (< (+ x (* (- 1.0) y)) 0.0)))"),
            "{told:?}"
        );
        assert_eq!(
            in_standard_words("(/= x -3/4)"),
            Ok("(distinct x (- (/ 3 4)))".to_string())
        );
    }

    #[test]
    fn a_question_has_a_goal_that_follows() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)";
        let made: Vec<String> = (0..20)
            .filter_map(|n| asked(&Interpolants, text, "cvc5", n))
            .collect();
        assert!(made.len() > 10);
        assert!(
            made.iter().all(|text| text.contains("(get-interpolant I ")),
            "{made:?}"
        );
        assert!(asked(&Interpolants, text, "z3", 0).is_none());
    }
}
