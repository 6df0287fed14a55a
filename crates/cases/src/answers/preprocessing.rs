//! Preprocessing: what a solver asserts after it has simplified the assertions has a model if and only if they have one.
//!
//! ```text
//! (set-option :output post-asserts) (check-sat)     ;; post-asserts start (assert (>= b 1)) … ;; post-asserts end
//!     claims: it has a model if the assertions do       wrong: one of them is false for all values
//!             it has none if they contradict each other by construction      must be unsat
//! (apply elim-uncnstr)                            (goals (goal false :precision precise :depth 1))
//! ```
//!
//! z3's tactics are applied one after the other, each to what the ones before it leave. Those that promise more than
//! satisfiability are judged as simplifications.
//! Models are lost and symbols come and go, so nothing more is claimed.

use super::lemma::known_models;
use super::reading::{between_marks, declines, is_query_under, reply, short, with_setting};
use super::simplification::{read_goals, tactic_of};
use super::tactic;
use super::{AnswerKind, Asked, Check, Kind, Obligation};
use crate::case::{Case, Evidence};
use crate::draw::Draw;
use crate::proofs::Sequent;
use crate::proofs::points::{Truth, survey, truth_at};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, TermId, Terms, read_script};

pub struct Preprocessing;

const SETTING: (&str, &str) = (":output", "post-asserts");
/// How many assertions are evaluated.
const MOST: usize = 60;
/// At how many points each.
const TRIES: usize = 16;

impl AnswerKind for Preprocessing {
    fn kind(&self) -> Kind {
        Kind::Preprocessing
    }

    fn makes(&self) -> &'static [&'static str] {
        &["cvc5", "z3"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_query_under(terms, script, command, SETTING)
            || tactic_of(terms, script, command)
                .is_some_and(|tactic| tactic::keeps_satisfiability_only(&tactic))
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let Some(script) = left_over(asked)? else {
            return Ok(Vec::new());
        };
        if matches!(asked.evidence, Evidence::Core { .. }) {
            let claim =
                "What is left after preprocessing has no model, as the assertions have none.";
            return Ok(vec![Obligation {
                claim: claim.to_string(),
                check: Check::Unsat(script),
            }]);
        }
        match has_model(asked)? {
            true => Ok(contradiction(asked.terms, &script).into_iter().collect()),
            false => Ok(Vec::new()),
        }
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        match make {
            "cvc5" => Some(with_setting(terms, &case.script, SETTING)),
            "z3" => step_by_step(draw, terms, case),
            _ => None,
        }
    }
}

/// What is left after preprocessing, as a script; none if the solver does not say.
fn left_over(asked: &mut Asked<'_>) -> Result<Option<Script>, String> {
    if tactic_of(asked.terms, asked.script, asked.command).is_some() {
        if declines(asked.said) {
            return Ok(None);
        }
        return left_by_tactic(asked).map(Some);
    }
    match between_marks(asked.said, "post-asserts") {
        Some(text) => printed(asked.terms, text).map(Some),
        None => Ok(None),
    }
}

/// The goals that a tactic leaves: as the script that z3 prints after them, which declares new symbols, else as they
/// are.
fn left_by_tactic(asked: &mut Asked<'_>) -> Result<Script, String> {
    let document = reply(asked.said)?;
    let mut items = document
        .items()
        .map(|item| item.portable_text().into_owned());
    let goals = items.next().ok_or("the reply is empty")?;
    let goals = read_goals(&goals)?;
    let script: Vec<String> = items.collect();
    match script.is_empty() {
        true => asked.script(&format!("(assert {goals})")),
        false => printed(asked.terms, &script.join("\n")),
    }
}

/// A script that a solver printed.
fn printed(terms: &mut Terms, text: &str) -> Result<Script, String> {
    let reading = read_script(terms, text).map_err(|error| error.message().to_string())?;
    match reading.issues.first() {
        Some((_, issue)) => Err(issue.message()),
        None => Ok(reading.script),
    }
}

/// The longest chain of tactics.
const LONGEST: u64 = 4;

/// A chain of tactics after a query, one application for each beginning of it.
fn step_by_step(draw: &mut Draw, terms: &mut Terms, case: &Case) -> Option<Script> {
    let queries = case.script.queries();
    let query = queries.get(draw.index(queries.len()))?;
    let mut chain: Vec<String> = Vec::new();
    let mut questions = Vec::new();
    for _ in 0..draw.between(1, LONGEST) {
        let list = [
            tactic::SATISFIABILITY,
            tactic::WEAKENING,
            tactic::EQUIVALENT,
        ];
        let list = list[draw.weighted(&[4, 2, 1])?];
        // Some tactics fail where there is nothing to do.
        chain.push(format!("(or-else {} skip)", draw.pick(list)?));
        let text = format!("(apply (then {}) :print_benchmark true)", chain.join(" "));
        questions.push(Command::Other(terms.symbols.intern(&text)));
    }
    let mut script = case.script.clone();
    script.spans.clear();
    let after = query.command + 1;
    script.commands.splice(after..after, questions);
    Some(script)
}

/// Whether a known model makes all assertions in force true.
fn has_model(asked: &mut Asked<'_>) -> Result<bool, String> {
    let script = asked.script.clone();
    let demands: Vec<TermId> = asked.query().demands().collect();
    let models = known_models(asked, &script);
    let is_model = |model| {
        let holds =
            |term: &TermId| truth_at(asked.terms, model, &Sequent::valid(*term)) == Truth::Holds;
        demands.iter().all(holds)
    };
    Ok(models.iter().any(is_model))
}

/// An assertion that is false for all values.
fn contradiction(terms: &mut Terms, script: &Script) -> Option<Obligation> {
    let roots: Vec<TermId> = script.assertions().map(|a| a.term).take(MOST).collect();
    for root in roots {
        let survey = survey(terms, script, &Sequent::valid(root), TRIES);
        if survey.is_complete && survey.holds.is_none() {
            let shown = short(&render::term(terms, root, Sharing::Auto));
            return Some(Obligation::wrong(
                "What is left after preprocessing has a model, as the assertions have one.",
                format!(
                    "But {shown} is left, which is false for all values (checked by evaluation), and a model makes every assertion true."
                ),
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const SCRIPT: &str =
        "(set-option :output post-asserts)(declare-const b Int)(assert (> b 0))(check-sat)";

    const SCRIPT_OF_TACTIC: &str =
        "(declare-const b Int)(assert (> b 0))(check-sat)(apply elim-uncnstr)";

    fn about(kept: &str) -> Vec<String> {
        let said = format!(
            ";; post-asserts start\n(set-logic ALL)\n(declare-fun b () Int)\n{kept}\n(check-sat)\n;; post-asserts end"
        );
        let model = "((define-fun b () Int 1))";
        obligations(&Preprocessing, SCRIPT, &said, Some(model))
    }

    #[test]
    fn nothing_false_is_left_where_there_is_a_model() {
        // cvc5 1.4.2
        assert_eq!(about("(assert (>= b 1))"), Vec::<String>::new());
        let told = about("(assert (>= b 1))\n(assert (and true false))");
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("=> wrong: But (and true false) is left"),
            "{told:?}"
        );
    }

    #[test]
    fn what_cannot_be_read_commits_to_nothing() {
        let told = about("(assert (> b (unknown b)))");
        assert!(told[0].starts_with("unread: "), "{told:?}");
        assert_eq!(
            obligations(&Preprocessing, SCRIPT, "sat", None),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_tactic_leaves_no_contradiction_where_there_is_a_model() {
        let model = Some("((define-fun b () Int 1))");
        let goals =
            |goal: &str| format!("(goals\n(goal\n  {goal}\n  :precision precise :depth 1)\n)");
        let about = |goal: &str| obligations(&Preprocessing, SCRIPT_OF_TACTIC, &goals(goal), model);
        // z3 5.4.0
        assert_eq!(about(""), [] as [&str; 0]);
        assert_eq!(about("(> b 4)"), [] as [&str; 0]);
        assert!(about("false")[0].contains("=> wrong: But false is left"));
        assert!(about("k!1")[0].starts_with("unread: "), "a new symbol");
        let told = |assertion: &str| {
            let script = format!("(declare-fun k!1 () Bool)\n(assert {assertion})\n(check-sat)");
            let said = format!("{}\n{script}", goals(assertion));
            obligations(&Preprocessing, SCRIPT_OF_TACTIC, &said, model)
        };
        assert_eq!(told("k!1"), [] as [&str; 0]);
        assert!(
            told("(and k!1 (not k!1))")[0].contains("=> wrong: But (and k!1 (not k!1)) is left")
        );
    }

    #[test]
    fn each_make_is_asked_in_its_words() {
        let text = "(declare-const b Int)(assert (> b 0))(check-sat)";
        let made = asked(&Preprocessing, text, "cvc5", 0).unwrap();
        assert!(made.starts_with("(set-option :output post-asserts)\n"));
        let made = asked(&Preprocessing, text, "z3", 1).unwrap();
        assert!(
            made.contains("(check-sat)\n(apply (then (or-else "),
            "{made}"
        );
        assert_eq!(asked(&Preprocessing, text, "yices", 0), None);
    }
}
