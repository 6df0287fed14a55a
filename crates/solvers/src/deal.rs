//! Assigns replies to commands without markers between them: in order, each command takes what looks like its reply.

use crate::items::{items, verdict};
use crate::script::{Role, Step};

/// One text per completed step, and the rest. Errors go to the next query, because it depends on the rejected
/// command.
pub fn deal<'o>(steps: &[Step<'_>], output: &'o str) -> (Vec<&'o str>, &'o str) {
    let items: Vec<&str> = items(output).collect();
    let mut at = 0;
    let mut texts = Vec::new();
    for step in steps {
        let taken = match step.role {
            Role::Check => to_verdict(&items[at..]),
            Role::Model | Role::Core | Role::Reason => list(&items[at..], &texts),
            // The output of other commands cannot be distinguished from later replies.
            _ => Some(0),
        };
        let Some(count) = taken else { break };
        texts.push(between(output, &items, at, count));
        at += count;
    }
    // Silent steps after the last reply are complete only if the process ends normally; `judge` handles that.
    while texts.len() < steps.len() && texts.last().is_some_and(|text| text.is_empty()) {
        texts.pop();
    }
    (texts, between(output, &items, at, items.len() - at))
}

/// The number of items up to and including the next verdict.
fn to_verdict(items: &[&str]) -> Option<usize> {
    let found = items.iter().position(|item| verdict(item).is_some());
    found.map(|at| at + 1)
}

/// One list, an error or not; none if the next item is already the answer to a later query.
fn list(items: &[&str], before: &[&str]) -> Option<usize> {
    match items.first() {
        Some(item) if item.starts_with('(') => Some(1),
        // Without a list the command was not understood, or the process has ended.
        _ => (!before.is_empty() && !items.is_empty()).then_some(0),
    }
}

fn between<'o>(output: &'o str, items: &[&'o str], at: usize, count: usize) -> &'o str {
    let place = |item: &str| item.as_ptr() as usize - output.as_ptr() as usize;
    match (items.get(at), items.get(at + count).or(items.last())) {
        (Some(first), Some(_)) if count > 0 => {
            let last = items[at + count - 1];
            // Keep the line end, if any, to distinguish a complete line from a truncated one.
            let end = place(last) + last.len();
            let end = end + usize::from(output[end..].starts_with('\n'));
            &output[place(first)..end]
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::steps;

    #[test]
    fn answers_and_models_go_to_their_commands() {
        let script = "(assert true)(check-sat)(get-model)(push 1)(check-sat)(exit)";
        let steps = steps(script);
        let (texts, tail) = deal(&steps, "sat\n(model\n)\nunsat\n");
        assert_eq!(texts[1], "sat\n");
        assert_eq!(texts[2], "(model\n)\n");
        assert_eq!(texts[4], "unsat\n");
        assert_eq!(tail, "");
    }

    #[test]
    fn an_error_spoils_the_next_answer() {
        let script = "(assert x)(check-sat)(check-sat)";
        let steps = steps(script);
        let (texts, _) = deal(&steps, "(error \"unknown x\")\nsat\nunsat\n");
        assert!(texts[1].contains("error"));
        assert_eq!(texts[2], "unsat\n");
    }

    #[test]
    fn what_has_no_reply_is_left_over() {
        let script = "(assert true)(check-sat)";
        let steps = steps(script);
        let (texts, tail) = deal(&steps, "Segmentation fault\n");
        assert!(texts.is_empty());
        assert_eq!(tail, "Segmentation fault\n");
    }
}
