//! Printing: what a solver prints of a term or of its assertions must read back as the same.
//!
//! ```text
//! (display (= x (- 1)))                          (= x (- 1))
//!     claims: both are equal                       must be unsat: (not (= (= x (- 1)) (= x (- 1)))), if they differ
//! (assert a) (assert b) (get-assertions)         (a b)
//!     claims: the printed ones say what the asserted ones say
//! ```
//!
//! What reads back as the very term claims nothing more.

use super::reading::{conjunction, declines, is_named, only, parts, reply, short, texts};
use super::simplification::same_value;
use super::{AnswerKind, Asked, Kind, Obligation};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::render::{self, Sharing, post_order};
use auspex_logic::{Command, Head, Script, SortKind, TermId, Terms};

pub struct Printing;

impl AnswerKind for Printing {
    fn kind(&self) -> Kind {
        Kind::Printing
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3", "cvc5"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["display", "get-assertions"])
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) {
            return Ok(Vec::new());
        }
        let command = &asked.script.commands[asked.command];
        let question = parts(asked.terms, command).ok_or("the question cannot be read")?;
        let (original, printed) = match &question[..] {
            [name, term] if name == "display" => (term.clone(), only(asked.said)?),
            [name] if name == "get-assertions" => {
                let printed = read_assertions(asked.said)?;
                (conjunction(&asked.in_force().assertions), printed)
            }
            _ => return Err("the question cannot be read".to_string()),
        };
        let claim = format!("What is printed, {}, says the same.", short(&printed));
        same_value(asked, (&original, &printed), claim)
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        let queries = case.script.queries();
        let query = queries.get(draw.index(queries.len()))?;
        let questions = match make {
            "z3" => shown_terms(draw, terms, &query.demands().collect::<Vec<_>>())?,
            "cvc5" => vec!["(get-assertions)".to_string()],
            _ => return None,
        };
        let mut script = case.script.clone();
        script.spans.clear();
        let questions = questions
            .iter()
            .map(|text| Command::Other(terms.symbols.intern(text)));
        let place = query.command;
        let questions: Vec<Command> = questions.collect();
        script.commands.splice(place..place, questions);
        if make == "cvc5" {
            let key = terms.symbols.intern(":produce-assertions");
            let value = terms.symbols.intern("true");
            script.commands.insert(0, Command::SetOption(key, value));
        }
        Some(script)
    }
}

/// How many terms are printed at once.
const TERMS: usize = 3;

/// Questions about subterms.
fn shown_terms(draw: &mut Draw, terms: &Terms, roots: &[TermId]) -> Option<Vec<String>> {
    let mut all: Vec<TermId> = Vec::new();
    for root in roots {
        all.extend(post_order(terms, *root));
    }
    let is_shown = |term: &TermId| {
        let is_term = !matches!(
            terms.sorts.kind(terms.sort(*term)),
            SortKind::Function(_) | SortKind::Unknown
        );
        is_term
            && terms.is_closed(*term)
            && !matches!(terms.head(*term), Head::Fun(_) if terms.args(*term).is_empty())
    };
    all.retain(is_shown);
    let mut chosen = vec![*draw.pick(roots)?];
    chosen.extend((1..TERMS).filter_map(|_| draw.pick(&all).copied()));
    chosen.dedup();
    let question = |term| format!("(display {})", render::term(terms, term, Sharing::Auto));
    Some(chosen.into_iter().map(question).collect())
}

/// `(a (! b :named c))` as one formula.
fn read_assertions(said: &str) -> Result<String, String> {
    let document = reply(said)?;
    let mut items = document.items();
    let (list, more) = (items.next().ok_or("the reply is empty")?, items.next());
    if !list.is_list() || more.is_some() {
        return Err("the reply is not a list of assertions".to_string());
    }
    let formulas = list.items().map(|item| match item.head() {
        Some("!") => texts(item).swap_remove(1),
        _ => item.portable_text().into_owned(),
    });
    Ok(conjunction(&formulas.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    fn about(script: &str, said: &str) -> Vec<String> {
        let declared = "(declare-const x Int)(declare-const f (_ FloatingPoint 5 11))";
        obligations(&Printing, &format!("{declared}{script}"), said, None)
    }

    #[test]
    fn the_same_term_claims_nothing_more() {
        assert_eq!(about("(display (- x))", "(- x)"), [] as [&str; 0]);
        assert_eq!(
            about(
                "(assert (> x (- 3)))(get-assertions)",
                "((! (> x (- 3)) :named a0))"
            ),
            [] as [&str; 0]
        );
    }

    #[test]
    fn another_term_must_be_equal() {
        // z3 5.4.0 prints a fraction for a decimal.
        let told = about(
            "(display (fp.abs ((_ to_fp 5 11) RNE 1.5)))",
            "(fp.abs ((_ to_fp 5 11) roundNearestTiesToEven (/ 3.0 2.0)))",
        );
        assert!(
            told.iter().all(|one| one.contains("=> unsat: ")),
            "{told:?}"
        );
        let told = about("(display (> x (- 30)))", "(> x 30)");
        assert!(
            told[0].contains("says the same. => wrong: With x = "),
            "{told:?}"
        );
        let told = about(
            "(assert (> x 3))(assert (< x 9))(get-assertions)",
            "((> x 3))",
        );
        assert!(told[0].contains("=> wrong: With x = "), "{told:?}");
    }

    #[test]
    fn terms_of_the_case_are_printed() {
        let text = "(declare-const x Int)(assert (> (+ x 1) 3))(check-sat)";
        let made = asked(&Printing, text, "z3", 3).expect("a question");
        assert!(made.contains("(display (> (+ x 1) 3))"), "{made}");
        let made = asked(&Printing, text, "cvc5", 3).expect("a question");
        assert!(made.contains("(get-assertions)\n(check-sat)"), "{made}");
    }
}
