//! Consequences: each must follow from the assertions and its premises, and none may be missing.
//!
//! ```text
//! (assert (=> a b)) (get-consequences (a) (b c))     sat (=> a b)
//!     claims: the assumptions are possible             must be sat: the assertions, a
//!             (=> a b) follows                         must be unsat: the assertions, a, (not b)
//!             c is not fixed                           must be sat: the assertions, a, c; and with (not c)
//! ```

use super::reading::{asserted, declines, is_named, parts, reply, texts};
use super::small::Small;
use super::{AnswerKind, Asked, Kind, Obligation};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::{Script, Terms};
use auspex_syntax::{Document, Sexpr};

pub struct Consequences;

/// The reply to `(get-consequences (assumptions) (symbols))`.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    /// The assertions contradict the assumptions.
    Contradiction,
    /// Premises with their consequence.
    All(Vec<(Vec<String>, String)>),
}

impl AnswerKind for Consequences {
    fn kind(&self) -> Kind {
        Kind::Consequence
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["get-consequences"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) {
            return Ok(Vec::new());
        }
        let question = parts(asked.terms, &asked.script.commands[asked.command]);
        let question = question.ok_or("the question cannot be read")?;
        let [_, assumptions, symbols] = &question[..] else {
            return Err("the question cannot be read".to_string());
        };
        let (assumptions, symbols) = (list(assumptions)?, list(symbols)?);
        let context = asked.in_force().assertions;
        let context = asserted(&context) + &asserted(&assumptions);
        match read(asked.said)? {
            None => Ok(Vec::new()),
            Some(Reply::Contradiction) => {
                let claim = "The assertions and the assumptions contradict each other.";
                Ok(vec![asked.must_be_unsat(claim, &context)?])
            }
            Some(Reply::All(consequences)) => {
                let mut all = follow(asked, &assumptions, &consequences)?;
                all.extend(not_missing(asked, &context, &symbols, &consequences)?);
                Ok(all)
            }
        }
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        if make != "z3" {
            return None;
        }
        let small = Small::over(draw, terms, case)?;
        let mut commands = asserted(&small.formulas);
        let mut names = Vec::new();
        for number in 0..4 {
            let formula = match draw.below(3) {
                0 => draw.pick(&small.formulas)?.clone(),
                1 => small.atom(draw)?,
                _ => small.formula(draw)?,
            };
            commands.push_str(&format!(
                "(declare-const fact{number} Bool)\n(assert (= fact{number} {formula}))\n"
            ));
            names.push(format!("fact{number}"));
        }
        for _ in 0..2 {
            let mut assumptions = Vec::new();
            let mut symbols = Vec::new();
            for name in &names {
                match draw.below(4) {
                    0 => assumptions.push(name.clone()),
                    1 => assumptions.push(format!("(not {name})")),
                    _ => symbols.push(name.clone()),
                }
            }
            let (assumptions, symbols) = (assumptions.join(" "), symbols.join(" "));
            commands.push_str(&format!("(get-consequences ({assumptions}) ({symbols}))\n"));
        }
        small.script(terms, "", &commands)
    }
}

fn list(text: &str) -> Result<Vec<String>, String> {
    let document = Document::read(text).map_err(|error| error.message().to_string())?;
    Ok(document.items().next().map(texts).unwrap_or_default())
}

/// None if the solver answers unknown.
fn read(said: &str) -> Result<Option<Reply>, String> {
    let document = reply(said)?;
    let mut items = document.items();
    match items.next().map(Sexpr::text) {
        Some("unsat") => return Ok(Some(Reply::Contradiction)),
        Some("sat") => {}
        Some("unknown") => return Ok(None),
        _ => return Err("the reply does not start with sat or unsat".to_string()),
    }
    let mut all = Vec::new();
    for item in items {
        // The list may be parenthesised.
        let implications = match item.head() {
            Some(_) => vec![item],
            None => item.items().collect(),
        };
        for implication in implications {
            let [head, premises, conclusion] = &texts(implication)[..] else {
                return Err("a consequence is no implication".to_string());
            };
            if head != "=>" {
                return Err("a consequence is no implication".to_string());
            }
            all.push((conjuncts(premises)?, conclusion.clone()));
        }
    }
    Ok(Some(Reply::All(all)))
}

/// The premises of an implication: `true`, one of them, or `(and p q)`.
fn conjuncts(premises: &str) -> Result<Vec<String>, String> {
    let document = reply(premises)?;
    let only = document
        .items()
        .next()
        .ok_or("an implication has no premise")?;
    Ok(match (only.text(), only.head()) {
        ("true", _) => Vec::new(),
        (_, Some("and")) => texts(only).split_off(1),
        _ => vec![premises.to_string()],
    })
}

/// Each consequence follows, from assumptions only.
fn follow(
    asked: &mut Asked<'_>,
    assumptions: &[String],
    consequences: &[(Vec<String>, String)],
) -> Result<Vec<Obligation>, String> {
    let assertions = asserted(&asked.in_force().assertions);
    let mut all = Vec::new();
    for (premises, conclusion) in consequences {
        if let Some(alien) = premises.iter().find(|one| !assumptions.contains(one)) {
            let found = format!("A consequence depends on {alien}, which is not an assumption.");
            all.push(Obligation::wrong(
                "Consequences depend on assumptions only.",
                found,
            ));
        }
        let claim = match premises.is_empty() {
            true => format!("The assertions imply {conclusion}."),
            false => format!(
                "The assertions and {} imply {conclusion}.",
                premises.join(", ")
            ),
        };
        let text = format!(
            "{assertions}{}(assert (not {conclusion}))",
            asserted(premises)
        );
        all.push(asked.must_be_unsat(&claim, &text)?);
    }
    Ok(all)
}

/// The assumptions are consistent, and symbols that no consequence fixes can be true and false.
fn not_missing(
    asked: &mut Asked<'_>,
    context: &str,
    symbols: &[String],
    consequences: &[(Vec<String>, String)],
) -> Result<Vec<Obligation>, String> {
    let mut all =
        vec![asked.must_be_sat("The assertions and the assumptions have a model.", context)?];
    for symbol in symbols {
        let negated = format!("(not {symbol})");
        let mut conclusions = consequences.iter().map(|(_, conclusion)| conclusion);
        let is_fixed = conclusions.any(|one| {
            one == symbol || *one == negated || one.starts_with(&format!("(= {symbol} "))
        });
        // Only a Boolean symbol has an opposite value to ask for.
        if is_fixed || asked.script(&format!("(assert {symbol})")).is_err() {
            continue;
        }
        for value in [symbol, &negated] {
            let claim = format!("The assertions and the assumptions allow {value}.");
            all.push(asked.must_be_sat(&claim, &format!("{context}(assert {value})"))?);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    fn about(question: &str, said: &str) -> Vec<String> {
        let script = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)(declare-const x Int)\
             (assert (=> a b))(assert (=> b (> x 3)))(assert (= c (> x 2)))";
        obligations(&Consequences, &format!("{script}{question}"), said, None)
    }

    const ASSERTED: &str = "(assert (=> a b))(assert (=> b (> x 3)))(assert (= c (> x 2)))";

    #[test]
    fn each_consequence_follows() {
        // z3 5.4.0
        let told = about(
            "(get-consequences (a) (b c))",
            "sat\n\n(=> a b)\n(=> a c)\n",
        );
        assert_eq!(
            told,
            [
                format!(
                    "The assertions and a imply b. => unsat: {ASSERTED}(assert a)(assert (not b))"
                ),
                format!(
                    "The assertions and a imply c. => unsat: {ASSERTED}(assert a)(assert (not c))"
                ),
                format!(
                    "The assertions and the assumptions have a model. => sat: {ASSERTED}(assert a)"
                ),
            ]
        );
        assert_eq!(
            about(
                "(get-consequences (a) (b c))",
                "sat\n((=> a b)\n(=> a c))\n"
            ),
            told
        );
    }

    #[test]
    fn what_is_not_fixed_can_be_both() {
        let told = about("(get-consequences () (b))", "sat\n\n");
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!(
            told[2],
            format!(
                "The assertions and the assumptions allow (not b). => sat: {ASSERTED}(assert (not b))"
            )
        );
    }

    #[test]
    fn premises_are_assumptions() {
        let told = about("(get-consequences (a) (c))", "sat\n(=> (and a b) c)");
        assert!(
            told[0].ends_with("wrong: A consequence depends on b, which is not an assumption."),
            "{told:?}"
        );
    }

    #[test]
    fn a_contradiction_is_one() {
        let told = about("(get-consequences (a (not b)) (c))", "unsat\n");
        assert_eq!(told.len(), 1);
        assert_eq!(
            about("(get-consequences (a) (c))", "unknown"),
            [] as [&str; 0]
        );
    }

    #[test]
    fn facts_about_the_case_are_asked_for() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)";
        assert!(
            (0..20)
                .filter_map(|n| asked(&Consequences, text, "z3", n))
                .count()
                > 10
        );
    }
}
