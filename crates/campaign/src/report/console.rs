//! The script of a report with the command and its output, such that running it shows what is wrong.

use super::account::{BugSummary, Outcome};
use crate::findings::finding::Finding;
use auspex_cases::Class;
use auspex_cases::answers::Kind;

/// The script as it is shown, and what the accused prints.
pub struct Console {
    pub script: String,
    /// Empty if no answer of the accused is known.
    pub output: String,
    /// Whether the output has the model that is wrong.
    pub has_model: bool,
}

const CORES: &str = "(set-option :produce-unsat-cores true)";

impl Console {
    /// `model_options` are the commands that the accused needs before `(get-model)`.
    pub fn of(finding: &Finding, account: &BugSummary, model_options: &[String]) -> Console {
        let Some(accused) = account.accused() else {
            return Console {
                script: account.script.clone(),
                output: String::new(),
                has_model: false,
            };
        };
        let script = &account.script;
        let about_model = matches!(
            finding.class,
            Class::InvalidModel | Class::Wrong(Kind::Invariant)
        );
        let mut asked = None;
        if about_model && accused.model.is_some() {
            asked = asking(script, model_options, "(get-model)");
        } else if finding.is_about_core() && accused.core.is_some() {
            asked = asking(script, &[CORES.to_string()], "(get-unsat-core)");
        }
        let script = asked.unwrap_or_else(|| script.clone());
        let has_model = accused.model.is_some() && script.contains("(get-model)");
        Console {
            output: format!("$ {}\n{}", accused.command, printed(accused, &script)),
            has_model,
            script,
        }
    }
}

/// What the accused prints: a message, or its answers and its replies in the order of the script.
fn printed(accused: &Outcome, script: &str) -> String {
    if let Some(message) = &accused.message {
        return message.clone();
    }
    let mut replies: Vec<(usize, String)> = Vec::new();
    if let (Some(at), Some(model)) = (script.find("(get-model)"), &accused.model) {
        replies.push((at, model.trim().to_string()));
    }
    if let (Some(at), Some(core)) = (script.find("(get-unsat-core)"), &accused.core) {
        replies.push((at, format!("({})", core.join(" "))));
    }
    let others = accused.replies.iter().filter(|reply| !reply.is_empty());
    // Where the questions of these replies are is not recorded; they come last in nearly every script.
    replies.extend(others.map(|reply| (usize::MAX, reply.trim().to_string())));
    replies.sort_by_key(|(at, _)| *at);
    let replies = replies.into_iter().map(|(_, text)| text);
    let all: Vec<String> = accused.answers.iter().cloned().chain(replies).collect();
    all.join("\n")
}

/// A script with one query, extended by a question about its answer.
fn asking(script: &str, options: &[String], question: &str) -> Option<String> {
    let text = script.trim_end();
    if text.contains(question) || !text.ends_with("(check-sat)") {
        return None;
    }
    if text.matches("(check-sat").count() > 1 {
        return None;
    }
    let missing = options.iter().filter(|option| !script.contains(*option));
    let before: String = missing.map(|option| format!("{option}\n")).collect();
    Some(format!("{before}{text}\n{question}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_with_one_query_is_asked_for_what_is_wrong() {
        let models = ["(set-option :produce-models true)".to_string()];
        let asking = |script: &str| asking(script, &models, "(get-model)");
        assert_eq!(
            asking("(assert true)\n(check-sat)\n").as_deref(),
            Some("(set-option :produce-models true)\n(assert true)\n(check-sat)\n(get-model)\n")
        );
        assert_eq!(asking("(check-sat)\n(get-model)"), None);
        assert_eq!(asking("(check-sat)(push 1)(check-sat)"), None);
    }

    #[test]
    fn replies_stand_in_the_order_of_their_questions() {
        let accused = Outcome {
            answers: vec!["sat".to_string()],
            model: Some("(m)".to_string()),
            replies: vec!["(objectives)".to_string()],
            ..Outcome::default()
        };
        let script = "(check-sat)\n(get-model)\n(get-objectives)";
        assert_eq!(printed(&accused, script), "sat\n(m)\n(objectives)");
        assert_eq!(printed(&accused, "(check-sat)"), "sat\n(objectives)");
    }
}
