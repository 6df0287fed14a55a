//! Assigns replies to commands without markers between them: in order, each command takes what looks like its reply.

use crate::items::{items, verdict};
use crate::script::{Role, Step};

/// One text per completed step, and the rest. Errors go to the next query, because it depends on the rejected
/// command.
pub fn deal<'o>(steps: &[Step<'_>], output: &'o str) -> (Vec<&'o str>, &'o str) {
    let items: Vec<&str> = items(output).collect();
    let mut at = 0;
    let mut texts = Vec::new();
    // Whether what comes next may belong to an earlier command.
    let mut lost = false;
    for step in steps {
        let taken = match step.role {
            Role::Check => {
                lost = false;
                to_verdict(&items[at..])
            }
            Role::Model | Role::Core | Role::Reason => list(&items[at..], &texts),
            Role::Question => {
                let count = question(step.head, &items[at..]).filter(|_| !lost);
                lost |= count.is_none();
                count.or(Some(0))
            }
            // The output of other commands cannot be distinguished from later replies.
            Role::Other => {
                lost = true;
                Some(0)
            }
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

/// How many items the reply to a question has; none if that is not certain.
fn question(head: &str, items: &[&str]) -> Option<usize> {
    let is_reply = |item: &&&str| !item.starts_with("(error") && **item != "unsupported";
    let list = |item: &&str| item.starts_with('(') && is_reply(&item);
    match head {
        "help" | "get-proof" => None,
        _ if head.starts_with("dbg-") => None,
        // z3 answers the query first.
        "get-consequences" => {
            verdict(items.first()?)?;
            let consequences = items[1..].iter().take_while(|item| list(item));
            Some(1 + consequences.count())
        }
        _ => {
            let first = items.first().filter(is_reply)?;
            verdict(first).is_none().then_some(1)
        }
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
    fn replies_to_questions_go_to_their_commands_as_long_as_that_is_certain() {
        let script =
            "(check-sat)(get-objectives)(get-value (x))(help)(simplify x)(check-sat)(eval x)";
        let steps = steps(script);
        let output = "sat\n(objectives\n (x 3)\n)\n((x 3))\nany\n(simplified)\nsat\n3\n";
        let (texts, tail) = deal(&steps, output);
        assert_eq!(texts[1], "(objectives\n (x 3)\n)\n");
        assert_eq!((texts[2], texts[3], texts[4]), ("((x 3))\n", "", ""));
        assert!(texts[5].ends_with("sat\n"));
        assert_eq!((texts[6], tail), ("3\n", ""));
    }

    #[test]
    fn an_error_is_no_reply_to_a_question() {
        let script = "(assert x)(simplify x)(check-sat)";
        let steps = steps(script);
        let (texts, _) = deal(&steps, "(error \"unknown x\")\nx\nsat\n");
        assert_eq!(texts[1], "");
        assert!(texts[2].contains("error"));
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
