//! Splits a script into steps, so that every reply can be matched to its commands. It looks only at the parentheses
//! and the first word of each command, and never fails.

use auspex_logic::answer::is_question;
use std::borrow::Cow;

/// The effect of a step on the solver, and the reply it causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `set-logic`: silent.
    Logic,
    /// `set-option` and `set-simplifier`: silent, and a rejection changes no query.
    Option,
    /// `set-info`: silent, and without effect on answers.
    Info,
    /// Declarations, definitions, assertions: silent; a rejection changes the query.
    Setup,
    Push(u32),
    Pop(u32),
    /// `reset` and `reset-assertions`.
    Reset,
    /// `check-sat` and its relatives: one answer.
    Check,
    /// `get-model`.
    Model,
    /// `get-unsat-core`.
    Core,
    /// `(get-info :reason-unknown)`.
    Reason,
    /// A command that prints and changes nothing; its reply is stored as text.
    Question,
    /// Any other command: it may print, and it may change the query.
    Other,
    Exit,
}

/// One command, or a run of silent commands of the same role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'s> {
    pub role: Role,
    /// The first word of the (first) command.
    pub head: &'s str,
    /// The commands with the text between them.
    pub text: &'s str,
    /// The range of the text in the script.
    pub start: usize,
    pub end: usize,
    /// Whether the text consists of complete lists; otherwise it may swallow the text after it.
    pub closed: bool,
}

impl Step<'_> {
    /// Whether it does not stand in the script.
    pub(crate) fn is_added(&self) -> bool {
        self.start == self.end
    }
}

/// The steps of a script. Text that is not a command (an unclosed list, a lone word) becomes a separate last step.
pub fn steps(script: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for (start, end, closed) in commands(script) {
        let step = Step {
            closed,
            ..step(script, start, end)
        };
        match steps.last_mut() {
            Some(last) if last.role == step.role && is_silent(step.role) => {
                last.end = end;
                last.closed &= closed;
                last.text = &script[last.start..end];
            }
            _ => steps.push(step),
        }
    }
    steps
}

/// A script with spaces in the place of what it says about its own answers, so that lines and columns stay correct.
pub(crate) fn without_status(script: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(script);
    for (start, end, closed) in commands(script) {
        let mut words = words(&script[start..end]);
        if closed && words.next() == Some("set-info") && words.next() == Some(":status") {
            let space = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
            let spaces: String = script[start..end].bytes().map(space).collect();
            out.to_mut().replace_range(start..end, &spaces);
        }
    }
    out
}

/// The range of each command, and whether it is a complete list.
pub(crate) fn commands(script: &str) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let command = next_command(script, at)?;
        at = command.1;
        Some(command)
    })
}

fn is_silent(role: Role) -> bool {
    matches!(role, Role::Option | Role::Info | Role::Setup)
}

fn step(script: &str, start: usize, end: usize) -> Step<'_> {
    let text = &script[start..end];
    let mut words = words(text);
    let head = words.next().unwrap_or("");
    let count = |word: Option<&str>| word.map_or(Some(1), |word| word.parse().ok());
    let role = match head {
        "set-logic" => Role::Logic,
        "set-option" | "set-simplifier" => Role::Option,
        // The declared version decides how string literals are read.
        "set-info" if words.next() == Some(":smt-lib-version") => Role::Option,
        "set-info" | "meta-info" => Role::Info,
        "push" => count(words.next()).map_or(Role::Other, Role::Push),
        "pop" => count(words.next()).map_or(Role::Other, Role::Pop),
        "reset" | "reset-assertions" => Role::Reset,
        "check-sat" | "check-sat-assuming" | "check-sat-using" | "query" => Role::Check,
        "get-model" => Role::Model,
        "get-unsat-core" => Role::Core,
        "get-info" if words.next() == Some(":reason-unknown") => Role::Reason,
        "exit" => Role::Exit,
        "assert" | "assert-soft" | "minimize" | "maximize" => Role::Setup,
        "assume" | "constraint" | "inv-constraint" | "synth-fun" | "synth-inv" => Role::Setup,
        _ if head.starts_with("declare-") || head.starts_with("define-") => Role::Setup,
        _ if is_question(head) => Role::Question,
        _ => Role::Other,
    };
    Step {
        role,
        head,
        text,
        start,
        end,
        closed: true,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))
        .filter(|word| !word.is_empty())
}

/// The next top-level list with any words before it, or the rest of the text if the list is not closed.
fn next_command(script: &str, from: usize) -> Option<(usize, usize, bool)> {
    let bytes = script.as_bytes();
    let mut depth = 0usize;
    let mut start = None;
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'(' => {
                start.get_or_insert(at);
                depth += 1;
            }
            b')' => {
                start.get_or_insert(at);
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let start = start?;
                    return Some((start, at + 1, at > start && bytes[start] == b'('));
                }
            }
            b';' => at = skip_to(bytes, at + 1, b'\n'),
            quote @ (b'"' | b'|') => {
                start.get_or_insert(at);
                at = skip_to(bytes, at + 1, quote);
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => {
                start.get_or_insert(at);
            }
        }
        at += 1;
    }
    start.map(|start| (start, bytes.len(), false))
}

/// The position of `end`, or the end of the text. A doubled quote inside a string reads as two strings, which makes
/// no difference here.
fn skip_to(bytes: &[u8], from: usize, end: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest
        .iter()
        .position(|&byte| byte == end)
        .unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(script: &str) -> Vec<Role> {
        steps(script).iter().map(|step| step.role).collect()
    }

    #[test]
    fn joins_silent_commands_and_keeps_the_others_apart() {
        let script = "(set-logic QF_LIA)(declare-const x Int) ; (check-sat)\n(assert (> x 0))\n(check-sat)(get-model)(exit)";
        assert_eq!(
            roles(script),
            [
                Role::Logic,
                Role::Setup,
                Role::Check,
                Role::Model,
                Role::Exit
            ]
        );
        assert!(steps(script)[1].text.ends_with("(assert (> x 0))"));
    }

    #[test]
    fn a_status_is_left_out_and_nothing_moves() {
        let script = "(set-info\n:status unsat)(set-info :source |é|)(check-sat)";
        let without = "         \n              (set-info :source |é|)(check-sat)";
        assert_eq!(without_status(script), without);
        assert_eq!(without_status(without), without);
    }

    #[test]
    fn parentheses_in_strings_symbols_and_comments_do_not_count() {
        let script = "(assert (= s \")\"\")(\")) (assert |)(;|) ; )\n(check-sat)";
        assert_eq!(roles(script), [Role::Setup, Role::Check]);
    }

    #[test]
    fn push_and_pop_count() {
        assert_eq!(
            roles("(push)(push 2)(pop 1)(pop x)"),
            [Role::Push(1), Role::Push(2), Role::Pop(1), Role::Other]
        );
    }

    #[test]
    fn broken_text_is_still_a_step() {
        assert_eq!(roles("(check-sat)(assert (x"), [Role::Check, Role::Setup]);
        assert_eq!(roles("  ; nothing\n"), []);
        for text in ["(check-sat", "foo (bar)", ")", "(assert \"x)", "|"] {
            assert!(!steps(text)[0].closed, "{text}");
        }
        assert!(steps("(check-sat)")[0].closed);
    }
}
