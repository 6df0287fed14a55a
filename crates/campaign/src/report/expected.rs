//! What the solver should do and what it does instead, in a line each.

use super::account::BugSummary;
use super::prose::prose;
use crate::findings::finding::Finding;
use auspex_cases::Class;
use auspex_cases::answers::Kind;
use auspex_cases::oracle::Grounds;

/// The two lines, as Markdown; none for what is no wrong answer.
pub fn expected_and_actual(finding: &Finding, account: &BugSummary) -> Option<(String, String)> {
    let grounds = account.grounds.as_ref().unwrap_or(&finding.grounds);
    let line = |text: &str| text.to_string();
    Some(match finding.class {
        Class::InvalidModel => (
            line("`unsat`, or a model that makes every assertion true"),
            line("`sat`, and a model that makes an assertion false"),
        ),
        Class::WrongCore => (
            line("a core whose members contradict each other"),
            core(grounds, account),
        ),
        Class::Crash => (line("an answer"), line("a crash")),
        Class::Wrong(kind) => (line(right_reply(kind)), reply(grounds)),
        Class::SelfContradiction => (
            line("answers that agree"),
            line("answers that contradict each other"),
        ),
        class => {
            let right = class.expected()?;
            let said = answer(finding, account).unwrap_or_else(|| line(right.other().word()));
            (format!("`{}`", right.word()), said)
        }
    })
}

/// The answer to the query, with its number if there are several.
fn answer(finding: &Finding, account: &BugSummary) -> Option<String> {
    let answers = &account.accused()?.answers;
    match (answers.as_slice(), answers.get(finding.query)) {
        ([], _) => None,
        ([only], _) => Some(format!("`{only}`")),
        (_, Some(one)) => Some(format!("`{one}` to query {}", finding.query + 1)),
        (all, None) => Some(format!("`{}`", all.join(", "))),
    }
}

fn core(grounds: &Grounds, account: &BugSummary) -> String {
    let core = account.accused().and_then(|one| one.core.as_ref());
    match (grounds, core) {
        (Grounds::UnknownName { .. }, _) => {
            "a core with a member that is no name of an assertion".to_string()
        }
        (_, Some(core)) => {
            let core = format!("({})", core.join(" "));
            format!(
                "the core {}, whose members have a model",
                super::markdown::code(&core)
            )
        }
        (_, None) => "a core whose members have a model".to_string(),
    }
}

/// What a right reply is.
fn right_reply(kind: Kind) -> &'static str {
    match kind {
        Kind::Optimum => "a value that a model attains and none betters",
        Kind::Interpolant => {
            "a formula of the shared symbols that follows from the one part and contradicts the other"
        }
        Kind::Abduct => "a formula that has a model with the assertions and makes the goal follow",
        Kind::Synthesis => "functions that fulfil every constraint",
        Kind::Invariant => "an interpretation that makes every clause true",
        Kind::Simplification => "an equivalent term",
        Kind::Elimination => "an equivalent formula without quantifiers",
        Kind::Consequence => "formulas that follow from the assertions and the named assumptions",
        Kind::Assumptions => "assumptions of the query that contradict the assertions",
        Kind::Value => "the values that the terms have in the model",
        Kind::Lemma => "lemmas that hold in every interpretation",
        Kind::ProofStep => "steps that follow from their premises",
        Kind::Preprocessing => "assertions that have a model if and only if the original ones have",
        Kind::Printing => "the same formulas as were read",
        Kind::Reason => "a limit that was set and reached, or another reason",
    }
}

/// The claim of the reply that does not hold.
fn reply(grounds: &Grounds) -> String {
    match grounds {
        Grounds::Claim { claim, .. } => format!("a reply with a wrong claim: {}", prose(claim)),
        _ => "a reply that is wrong".to_string(),
    }
}
