//! Abducts: a formula that is consistent with the assertions, implies the goal together with them, and matches the
//! grammar.
//!
//! ```text
//! (assert (> x 0)) (get-abduct A (> (+ x y) 3))     (define-fun A () Bool (= y 4))
//!     claims: it is consistent with the assertions      must be sat: (> x 0), A
//!             with it the goal follows                must be unsat: (> x 0), A, (not (> (+ x y) 3))
//! ```

use super::reading::{asserted, declines, defined_formula, is_named, last_named, short};
use super::small::Small;
use super::{AnswerKind, Asked, Kind, Obligation, grammar};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::{Script, Terms};

pub struct Abducts;

impl AnswerKind for Abducts {
    fn kind(&self) -> Kind {
        Kind::Abduct
    }

    fn makes(&self) -> &'static [&'static str] {
        &["cvc5"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["get-abduct", "get-abduct-next"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) {
            return Ok(Vec::new());
        }
        let (_, question) =
            last_named(asked, &["get-abduct"]).ok_or("there is no earlier get-abduct")?;
        let goal = question.get(2).ok_or("the question has no goal")?;
        let abduct = defined_formula(asked.said)?;
        let shown = short(&abduct);
        let context = format!(
            "{}(assert {abduct})\n",
            asserted(&asked.in_force().assertions)
        );
        let mut all = vec![
            asked.must_be_sat(
                &format!("The abduct {shown} is consistent with the assertions."),
                &context,
            )?,
            asked.must_be_unsat(
                &format!("The assertions and the abduct {shown} imply the goal."),
                &format!("{context}(assert (not {goal}))"),
            )?,
        ];
        if question.len() > 3 {
            all.extend(grammar::obligation(&question[3..], &abduct));
        }
        Ok(all)
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        if make != "cvc5" {
            return None;
        }
        let small = Small::over(draw, terms, case)?;
        let goal = match small.formulas.len() {
            0 | 1 => small.formula(draw)?,
            count => small.formulas[draw.index(count)].clone(),
        };
        let kept: Vec<String> = small
            .formulas
            .iter()
            .filter(|one| **one != goal)
            .cloned()
            .collect();
        let next = if draw.one_in(3) {
            "(get-abduct-next)\n"
        } else {
            ""
        };
        small.script(
            terms,
            "(set-option :produce-abducts true)\n(set-option :incremental true)\n",
            &format!("{}(get-abduct A {goal})\n{next}", asserted(&kept)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    fn about(question: &str, said: &str) -> Vec<String> {
        let script = "(declare-const x Int)(declare-const y Int)(assert (> x 0))";
        obligations(&Abducts, &format!("{script}{question}"), said, None)
    }

    #[test]
    fn an_abduct_is_possible_and_enough() {
        // cvc5 1.4.2
        assert_eq!(
            about(
                "(get-abduct A (> (+ x y) 3))",
                "(define-fun A () Bool (= y 4))"
            ),
            [
                "The abduct (= y 4) is consistent with the assertions. => sat: (assert (> x 0))(assert (= y 4))",
                "The assertions and the abduct (= y 4) imply the goal. => unsat: (assert (> x 0))(assert (= y 4))(assert (not (> (+ x y) 3)))",
            ]
        );
        assert_eq!(about("(get-abduct A (< x 0))", "fail"), [] as [&str; 0]);
    }

    #[test]
    fn the_next_one_is_about_the_same_goal() {
        let told = about(
            "(get-abduct A (> (+ x y) 3))(get-abduct-next)",
            "(define-fun A () Bool (and (= x 4) (= y 0)))",
        );
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn a_grammar_is_kept() {
        let question = "(get-abduct B (> x 3) ((S Bool) (I Int)) ((S Bool ((> I I) (and S S))) (I Int (x y 1 2 3))))";
        assert_eq!(
            about(question, "(define-fun B () Bool (and (> y x) (> x 3)))").len(),
            2
        );
        assert_eq!(about(question, "(define-fun B () Bool (> x 4))").len(), 3);
    }

    #[test]
    fn an_assertion_is_the_goal() {
        let text = "(declare-const x Int)(assert (> x 3))(assert (< x 9))(check-sat)";
        assert!(
            (0..20)
                .filter_map(|n| asked(&Abducts, text, "cvc5", n))
                .count()
                > 10
        );
    }
}
