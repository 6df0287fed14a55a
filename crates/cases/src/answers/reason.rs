//! Reasons for `unknown`: one that names a limit says that this limit was set and reached.
//!
//! ```text
//! (check-sat) (get-info :reason-unknown)      (:reason-unknown "max. resource limit exceeded")
//!     claims: a limit of resources is set        wrong: neither the script nor an option sets one
//! (:reason-unknown "timeout")                 claims: the time limit was reached       wrong: after 1 % of it
//! ```
//!
//! Other reasons claim nothing: `incomplete` is never certain to be wrong, `canceled` names no limit, and a solver may
//! run out of memory in one allocation, before it holds any.

use super::reading::{declines, is_named, parts, reply};
use super::{AnswerKind, Asked, Kind, Obligation};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::{Answer, Command, Script, Terms};

pub struct Reasons;

const QUESTION: &str = "(get-info :reason-unknown)";

/// The part of the time limit below which it was certainly not reached.
const CERTAINLY_EARLY: f64 = 0.1;

/// Parts of names of options, attributes and tactics that limit time or steps.
const LIMITING: [&str; 6] = ["limit", "timeout", "time-out", "max", "try-for", "budget"];

impl AnswerKind for Reasons {
    fn kind(&self) -> Kind {
        Kind::Reason
    }

    fn makes(&self) -> &'static [&'static str] {
        &[
            "z3",
            "cvc5",
            "cvc4",
            "yices",
            "bitwuzla",
            "mathsat",
            "opensmt",
            "smtinterpol",
            "princess",
        ]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        is_named(terms, script, command, &["get-info"])
            && parts(terms, &script.commands[command])
                .is_some_and(|parts| parts.get(1).is_some_and(|key| key == ":reason-unknown"))
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let gave_up = matches!(
            asked.answer,
            Some(Answer::Unknown { .. } | Answer::Timeout | Answer::OutOfMemory)
        );
        let Some(used) = asked.time_used.filter(|_| gave_up) else {
            return Ok(Vec::new());
        };
        if declines(asked.said) || sets_limits(asked.terms, asked.script) {
            return Ok(Vec::new());
        }
        let reason = read(asked.said)?;
        Ok(match Limit::named(&reason) {
            Some(Limit::Resources) => vec![Obligation::wrong(
                format!("A limit of resources was reached: {reason}."),
                "But neither the script nor an option sets such a limit.",
            )],
            Some(Limit::Time) if used < CERTAINLY_EARLY => vec![Obligation::wrong(
                format!("The time limit was reached: {reason}."),
                "But the whole run took less than a tenth of the shortest time limit.",
            )],
            _ => Vec::new(),
        })
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        self.makes().contains(&make).then_some(())?;
        let queries = case.script.queries();
        let query = queries.get(draw.index(queries.len()))?;
        let mut script = case.script.clone();
        script.spans.clear();
        let question = Command::Other(terms.symbols.intern(QUESTION));
        script.commands.insert(query.command + 1, question);
        Some(script)
    }
}

/// A limit that a reason names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Time,
    Resources,
}

impl Limit {
    /// The limit that a reason names for certain.
    fn named(reason: &str) -> Option<Limit> {
        let reason = reason.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| reason.contains(word));
        if names(&["resource limit", "resourceout", "rlimit"]) {
            Some(Limit::Resources)
        } else if names(&["timeout", "timed out", "time limit", "timeup"]) {
            Some(Limit::Time)
        } else {
            None
        }
    }
}

/// The value in `(:reason-unknown "timeout")`.
fn read(said: &str) -> Result<String, String> {
    let document = reply(said)?;
    let list = document.items().next().ok_or("the reply is empty")?;
    if list.item(0).map(|key| key.text()) != Some(":reason-unknown") {
        return Err("the reply gives no reason".to_string());
    }
    let value = list.item(1).ok_or("the reply gives no reason")?;
    Ok(value.portable_text().trim_matches('"').to_string())
}

/// Whether something in a script may limit time or steps.
fn sets_limits(terms: &Terms, script: &Script) -> bool {
    let limits = |text: &str| LIMITING.iter().any(|part| text.contains(part));
    script.commands.iter().any(|command| match command {
        Command::SetOption(key, _) => limits(terms.symbols.name(*key)),
        Command::CheckSatUsing(tactic) => limits(terms.symbols.name(*tactic)),
        Command::Other(text) => limits(terms.symbols.name(*text)),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Check;
    use auspex_logic::read_script;

    const ASKS: &str =
        "(declare-const x Int)(assert (= (* x x x) 7))(check-sat)(get-info :reason-unknown)";

    /// What a reason claims wrongly after that part of the time limit.
    fn about(script: &str, reason: &str, used: f64) -> Vec<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, script).expect("well-formed").script;
        let answer = Answer::Unknown {
            reason: reason.to_string(),
        };
        let last = script.commands.len() - 1;
        assert!(Reasons.is_asked(&terms, &script, last));
        let said = format!("(:reason-unknown {reason})");
        let told = Reasons.obligations(&mut Asked {
            said: &said,
            answer: Some(&answer),
            time_used: Some(used),
            ..Asked::new(&mut terms, &script, last)
        });
        let found = |one: Obligation| match one.check {
            Check::Wrong(found) => format!("{} {found}", one.claim),
            Check::Unsat(_) | Check::Sat(_) => one.claim,
        };
        told.expect("readable").into_iter().map(found).collect()
    }

    #[test]
    fn a_limit_must_be_set_and_reached() {
        assert_eq!(
            about(ASKS, "\"timeout\"", 0.01),
            [
                "The time limit was reached: timeout. But the whole run took less than a tenth of the shortest time limit."
            ]
        );
        for resources in ["\"max. resource limit exceeded\"", "resourceout"] {
            assert_eq!(about(ASKS, resources, 0.5).len(), 1, "{resources}");
        }
    }

    #[test]
    fn what_may_be_true_is_accepted() {
        for (reason, used) in [
            ("timeout", 0.2),
            ("timeout", 1.1),
            ("\"canceled\"", 0.01),
            ("incomplete", 1.0),
            ("\"(incomplete (theory arithmetic))\"", 0.01),
            ("memout", 0.01),
            (
                "\"smt tactic failed to show goal to be sat/unsat (incomplete quantifiers)\"",
                0.01,
            ),
        ] {
            assert_eq!(about(ASKS, reason, used), [] as [&str; 0], "{reason}");
        }
        for setting in ["(set-option :timeout 5)", "(set-option :rlimit 100)"] {
            let script = format!("{setting}{ASKS}");
            assert_eq!(about(&script, "\"timeout\"", 0.01), [] as [&str; 0]);
            let resources = "\"max. resource limit exceeded\"";
            assert_eq!(about(&script, resources, 0.01), [] as [&str; 0]);
        }
    }

    #[test]
    fn a_query_is_followed_by_the_question() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)";
        let made = crate::answers::testing::asked(&Reasons, text, "z3", 0).expect("a question");
        assert!(
            made.contains("(check-sat)\n(get-info :reason-unknown)\n"),
            "{made}"
        );
    }
}
