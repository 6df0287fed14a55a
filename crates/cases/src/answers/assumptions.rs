//! Failed assumptions: those that a solver returns must be assumptions of the query, and contradict the assertions.
//!
//! ```text
//! (check-sat-assuming (a (not b) c)) (get-unsat-assumptions)     (a (not b))
//!     claims: the assertions and these contradict each other       must be unsat: the assertions, a, (not b)
//! ```

use super::reading::{asserted, declines, is_named, last_assertion, reply, texts};
use super::small::Small;
use super::{AnswerKind, Asked, Kind, Obligation};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::{Command, Script, TermId, Terms};
use rustc_hash::FxHashMap;

pub struct Assumptions;

impl AnswerKind for Assumptions {
    fn kind(&self) -> Kind {
        Kind::Assumptions
    }

    fn makes(&self) -> &'static [&'static str] {
        &[
            "z3",
            "cvc5",
            "yices",
            "bitwuzla",
            "mathsat",
            "opensmt",
            "smtinterpol",
        ]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["get-unsat-assumptions"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let is_unsat = matches!(asked.answer, Some(auspex_logic::Answer::Unsat { .. }));
        if declines(asked.said) || !is_unsat {
            return Ok(Vec::new());
        }
        let assumed = assumed(asked).ok_or("no earlier query has assumptions")?;
        let document = reply(asked.said)?;
        let named = document.items().next().ok_or("the reply is empty")?;
        if !named.is_list() {
            return Err("the reply is not a list".to_string());
        }
        let named = texts(named);
        if let Some(alien) = alien(asked, &named, &assumed)? {
            let found = format!("It contains {alien}, which was not assumed.");
            let claim = "The reply contains only assumptions of the query.";
            return Ok(vec![Obligation::wrong(claim, found)]);
        }
        let context = asserted(&asked.in_force().assertions);
        let claim = match named.is_empty() {
            true => "The assertions alone contradict each other.".to_string(),
            false => format!("The assertions contradict {}.", named.join(", ")),
        };
        let text = format!("{context}{}", asserted(&named));
        Ok(vec![asked.must_be_unsat(&claim, &text)?])
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        let small = Small::over(draw, terms, case)?;
        let mut commands = String::new();
        let mut assumed = Vec::new();
        let count = small.formulas.len() + 2;
        for number in 0..count {
            let formula = match small.formulas.get(number) {
                Some(formula) => formula.clone(),
                None => small.atom(draw)?,
            };
            let name = format!("assume{number}");
            commands.push_str(&format!("(declare-const {name} Bool)\n"));
            match draw.below(4) {
                0 => {
                    commands.push_str(&format!("(assert (=> (not {name}) {formula}))\n"));
                    assumed.push(format!("(not {name})"));
                }
                1 if number + 1 < count => commands.push_str(&format!("(assert {formula})\n")),
                _ => {
                    commands.push_str(&format!("(assert (=> {name} {formula}))\n"));
                    assumed.push(name);
                }
            }
        }
        draw.shuffle(&mut assumed);
        commands.push_str(&format!(
            "(check-sat-assuming ({}))\n(get-unsat-assumptions)\n",
            assumed.join(" ")
        ));
        let header = "(set-option :produce-unsat-assumptions true)\n";
        match make {
            "z3" => small.script(terms, header, &commands),
            _ => small.script_in_logic(terms, header, &commands),
        }
    }
}

/// A member of a reply that was not assumed. z3 writes the definition of an assumed name instead of the name.
fn alien(
    asked: &mut Asked<'_>,
    named: &[String],
    assumed: &[TermId],
) -> Result<Option<String>, String> {
    let defined = definitions(asked.terms, asked.script);
    let mut known = assumed.to_vec();
    known.extend(
        assumed
            .iter()
            .map(|term| asked.terms.replace_all(*term, &defined)),
    );
    for one in named {
        let script = asked.script(&format!("(assert {one})"))?;
        let term = last_assertion(&script).ok_or("a member cannot be read")?;
        if !known.contains(&term) && !known.contains(&asked.terms.replace_all(term, &defined)) {
            let mut definitions = asked.script.definitions();
            let has_functions = definitions.any(|one| !asked.terms.fun(one.fun).params.is_empty());
            return match has_functions {
                true => Err("it may have written out a defined function".to_string()),
                false => Ok(Some(one.clone())),
            };
        }
    }
    Ok(None)
}

/// The defined constants of a script with their meanings.
fn definitions(terms: &mut Terms, script: &Script) -> FxHashMap<TermId, TermId> {
    let mut all = FxHashMap::default();
    for definition in script.definitions() {
        let is_constant = terms.fun(definition.fun).params.is_empty();
        if let (true, Ok(name)) = (is_constant, terms.fun_app(definition.fun, &[])) {
            let body = terms.replace_all(definition.body, &all);
            all.insert(name, body);
        }
    }
    all
}

/// The assumptions of the last query before the command.
fn assumed(asked: &Asked<'_>) -> Option<Vec<TermId>> {
    let before = asked.script.commands[..asked.command].iter().rev();
    let mut queries = before.filter_map(|command| match command {
        Command::CheckSatAssuming(all) => Some(Some(all)),
        Command::CheckSat | Command::CheckSatUsing(_) => Some(None),
        _ => None,
    });
    Some(queries.next()??.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};
    use auspex_logic::render::{self, Sharing};

    fn about(said: &str) -> Vec<String> {
        let script = "(declare-const a Bool)(declare-const b Bool)(declare-const d Bool)(assert (=> a b))\
             (check-sat-assuming (a (not b) d))(get-unsat-assumptions)";
        let mut terms = Terms::new();
        let read = auspex_logic::read_script(&mut terms, script)
            .expect("well-formed")
            .script;
        let answer = auspex_logic::Answer::Unsat { core: None };
        let obligations = Assumptions.obligations(&mut Asked {
            said,
            answer: Some(&answer),
            ..Asked::new(&mut terms, &read, read.commands.len() - 1)
        });
        let shown = |one: Obligation| match one.check {
            super::super::Check::Unsat(script) => {
                let text = render::script(&terms, &script, Sharing::Auto);
                let asserted = text.lines().filter(|line| line.starts_with("(assert"));
                format!("{} {}", one.claim, asserted.collect::<String>())
            }
            super::super::Check::Wrong(found) => format!("{} {found}", one.claim),
            super::super::Check::Sat(_) => one.claim,
        };
        match obligations {
            Ok(all) => all.into_iter().map(shown).collect(),
            Err(why) => vec![why],
        }
    }

    #[test]
    fn the_named_are_enough() {
        // z3 5.4.0, cvc5 1.4.2, yices 2.6.5
        assert_eq!(
            about("(a (not b))"),
            ["The assertions contradict a, (not b). (assert (=> a b))(assert a)(assert (not b))"]
        );
        assert_eq!(
            about("()"),
            ["The assertions alone contradict each other. (assert (=> a b))"]
        );
    }

    #[test]
    fn the_named_were_assumed() {
        assert_eq!(
            about("(a b)"),
            [
                "The reply contains only assumptions of the query. It contains b, which was not assumed."
            ]
        );
    }

    #[test]
    fn a_definition_stands_for_its_name() {
        let script = "(declare-const x Int)(define-fun a () Bool (> x 1))(define-fun b () Bool (and a (< x 5)))\
             (check-sat-assuming (b (< x 0)))(get-unsat-assumptions)";
        let about = |said: &str| {
            let mut terms = Terms::new();
            let read = auspex_logic::read_script(&mut terms, script).expect("well-formed");
            let answer = auspex_logic::Answer::Unsat { core: None };
            let told = Assumptions.obligations(&mut Asked {
                said,
                answer: Some(&answer),
                ..Asked::new(&mut terms, &read.script, read.script.commands.len() - 1)
            });
            told.expect("readable").swap_remove(0).claim
        };
        // z3 5.4.0
        let contradicts = |said: &str| about(said).starts_with("The assertions contradict ");
        assert!(contradicts("((and (> x 1) (< x 5)) (< x 0))"));
        assert!(contradicts("(b (< x 0))"));
        assert!(!contradicts("((and (> x 1) (< x 6)) (< x 0))"));
    }

    #[test]
    fn nothing_is_claimed_after_sat() {
        let script = "(declare-const a Bool)(check-sat-assuming (a))(get-unsat-assumptions)";
        assert_eq!(
            obligations(&Assumptions, script, "(a)", None),
            [] as [&str; 0]
        );
    }

    #[test]
    fn assertions_become_assumptions() {
        let text = "(declare-const x Int)(assert (> x 3))(assert (< x 3))(check-sat)";
        assert!(
            (0..20)
                .filter_map(|n| asked(&Assumptions, text, "cvc5", n))
                .count()
                > 10
        );
    }
}
