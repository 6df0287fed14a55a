//! Preprocessing: what a solver asserts after it has simplified the assertions has a model if and only if they have one.
//!
//! ```text
//! (set-option :output post-asserts) (check-sat)     ;; post-asserts start (assert (>= b 1)) … ;; post-asserts end
//!     claims: it has a model if the assertions do       wrong: one of them is false for all values
//!             it has none if they contradict each other by construction      must be unsat
//! ```
//!
//! Models are lost and symbols come and go, so nothing more is claimed.

use super::lemma::known_models;
use super::reading::short;
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
        &["cvc5"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        let is_query = matches!(
            script.commands.get(command),
            Some(Command::CheckSat | Command::CheckSatAssuming(_))
        );
        let name = |symbol| terms.symbols.name(symbol);
        let mut before = script.commands[..command.min(script.commands.len())].iter();
        let is_set = |command: &Command| match command {
            Command::SetOption(key, value) => (name(*key), name(*value)) == SETTING,
            _ => false,
        };
        is_query && before.any(is_set)
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let Some(text) = simplified(asked.said) else {
            return Ok(Vec::new());
        };
        let reading =
            read_script(asked.terms, text).map_err(|error| error.message().to_string())?;
        if let Some((_, issue)) = reading.issues.first() {
            return Err(issue.message());
        }
        let script = reading.script;
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

    fn ask(&self, _: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        if make != "cvc5" {
            return None;
        }
        let (key, value) = SETTING;
        let option = Command::SetOption(terms.symbols.intern(key), terms.symbols.intern(value));
        let mut made = case.script.clone();
        made.spans.clear();
        made.commands.insert(0, option);
        Some(made)
    }
}

/// The commands between the marks, the last time that they were printed.
fn simplified(said: &str) -> Option<&str> {
    let (_, rest) = said.rsplit_once(";; post-asserts start")?;
    // The last mark is a comment, which a reply may lack.
    Some(
        rest.split_once(";; post-asserts end")
            .map_or(rest, |(text, _)| text),
    )
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
    fn cvc5_is_asked_in_its_words() {
        let text = "(declare-const b Int)(assert (> b 0))(check-sat)";
        let made = asked(&Preprocessing, text, "cvc5", 0).unwrap();
        assert!(made.starts_with("(set-option :output post-asserts)\n"));
        assert_eq!(asked(&Preprocessing, text, "z3", 0), None);
    }
}
