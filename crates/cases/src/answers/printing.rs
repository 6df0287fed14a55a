//! Printing: what a solver prints of a term or of its assertions must read back as the same.
//!
//! ```text
//! (display (= x (- 1)))                          (= x (- 1))
//!     claims: both are equal                       must be unsat: (not (= (= x (- 1)) (= x (- 1)))), if they differ
//! (assert a) (assert b) (get-assertions)         (a b)
//!     claims: the printed ones say what the asserted ones say
//! (set-option :output pre-asserts) (check-sat)   ;; pre-asserts start … (assert a) (assert b) … ;; pre-asserts end
//!     claims: the printed script asserts what the script does
//! ```
//!
//! What reads back as the very term claims nothing more.

use super::reading::{
    between_marks, conjunction, declines, is_named, is_query_under, only, parts, reply, short,
    texts, with_setting,
};
use super::simplification::same_value;
use super::{AnswerKind, Asked, Kind, Obligation};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::render::{self, Sharing, post_order};
use auspex_logic::{Command, Head, Script, SortKind, TermId, Terms};
use auspex_syntax::Sexpr;

pub struct Printing;

/// Makes cvc5 print the assertions as a script, before it changes them.
const SETTING: (&str, &str) = (":output", "pre-asserts");

impl AnswerKind for Printing {
    fn kind(&self) -> Kind {
        Kind::Printing
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3", "cvc5"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["display", "get-assertions"])
            || is_query_under(terms, script, command, SETTING)
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if declines(asked.said) {
            return Ok(Vec::new());
        }
        let command = &asked.script.commands[asked.command];
        let question = match command {
            Command::Other(_) => parts(asked.terms, command),
            _ => Some(Vec::new()),
        };
        let question = question.ok_or("the question cannot be read")?;
        let (original, printed) = match &question[..] {
            [] => match printed_script(asked)? {
                Some(printed) => (conjunction(&asked.in_force().assertions), printed),
                None => return Ok(Vec::new()),
            },
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
        if make == "cvc5" && draw.coin() {
            return Some(with_setting(terms, &case.script, SETTING));
        }
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
        match make {
            "cvc5" => Some(with_setting(
                terms,
                &script,
                (":produce-assertions", "true"),
            )),
            _ => Some(script),
        }
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

/// The assertions of the script that cvc5 printed as one formula, without those that repeat definitions. Before later
/// queries it prints what it has learnt instead.
fn printed_script(asked: &Asked<'_>) -> Result<Option<String>, String> {
    let queries = asked.script.queries();
    let is_first = queries.first().map(|query| query.command) == Some(asked.command);
    let Some(text) = between_marks(asked.said, "pre-asserts").filter(|_| is_first) else {
        return Ok(None);
    };
    let document = reply(text)?;
    let asserted = document
        .items()
        .filter(|item| item.head() == Some("assert"));
    let formulas = asserted.filter_map(|item| item.item(1));
    let kept = formulas.filter(|formula| !repeats_definition(asked, *formula));
    let kept: Vec<String> = kept.map(|one| one.portable_text().into_owned()).collect();
    Ok(Some(conjunction(&kept)))
}

/// Whether a formula is `(= f (lambda …))` for a definition of the script.
fn repeats_definition(asked: &Asked<'_>, formula: Sexpr<'_>) -> bool {
    let Some(name) = formula.item(1).and_then(|item| item.symbol()) else {
        return false;
    };
    let mut definitions = asked.script.definitions();
    formula.head() == Some("=")
        && definitions.any(|one| {
            let defined = asked.terms.fun(one.fun).name;
            asked.terms.symbols.name(defined) == name
        })
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
    fn a_printed_script_asserts_the_same() {
        let script = "(set-option :output pre-asserts)(define-fun g ((a Int)) Int (+ a 1))\
                      (assert (= (g x) 5))(assert (< x 9))(check-sat)(assert (> x 0))(check-sat)";
        let about = |said: &str| {
            let first = script.replace("(assert (> x 0))(check-sat)", "");
            about(&first, said)
        };
        // cvc5 1.4.2
        let said = |second: &str| {
            format!(
                ";; pre-asserts start\n(set-logic ALL)\n(define-fun g ((a Int)) Int (+ 1 a))\n(declare-fun x () Int)\n\
                 (assert (= g (lambda ((a Int)) (+ a 1))))\n(assert (= (g x) 5))\n{second}\n(check-sat)\n;; pre-asserts end"
            )
        };
        assert_eq!(about(&said("(assert (< x 9))")), [] as [&str; 0]);
        let told = about(&said(""));
        assert!(told[0].contains("says the same. => "), "{told:?}");
        let told = about(&said("(assert (< x 4))"));
        assert!(told[0].contains("=> wrong: With x = "), "{told:?}");
        let later = obligations(
            &Printing,
            &format!("(declare-const x Int){script}"),
            &said(""),
            None,
        );
        assert_eq!(later, [] as [&str; 0], "a later query");
    }

    #[test]
    fn terms_of_the_case_are_printed() {
        let text = "(declare-const x Int)(assert (> (+ x 1) 3))(check-sat)";
        let made = asked(&Printing, text, "z3", 3).expect("a question");
        assert!(made.contains("(display (> (+ x 1) 3))"), "{made}");
        let made: Vec<String> = (0..9)
            .filter_map(|number| asked(&Printing, text, "cvc5", number))
            .collect();
        let has = |part: &str| made.iter().any(|text| text.contains(part));
        assert!(has("(get-assertions)\n(check-sat)"), "{made:?}");
        assert!(has("(set-option :output pre-asserts)"), "{made:?}");
    }
}
