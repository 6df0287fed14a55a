//! Options that are commands: `set-option` and `set-simplifier` stand before a script, `check-sat-using` instead of each
//! of its plain queries. So a configuration is always the same script with a list of words.

use crate::script::commands;
use std::borrow::Cow;

/// Whether an option is a command of scripts and not a word of a command line.
pub fn is_command(option: &str) -> bool {
    option.starts_with('(')
}

/// The script as a solver with these options is sent it.
pub fn as_written<'s>(options: &[String], script: &'s str) -> Cow<'s, str> {
    if !options.iter().any(|option| is_command(option)) {
        return Cow::Borrowed(script);
    }
    let own = options.iter().filter(|option| is_command(option));
    let (queries, first): (Vec<&String>, Vec<&String>) =
        own.partition(|option| option.starts_with("(check-sat-using"));
    let mut text = String::new();
    for command in first {
        text.push_str(command);
        text.push('\n');
    }
    match queries.last() {
        Some(query) => push_with(&mut text, script, query),
        None => text.push_str(script),
    }
    Cow::Owned(text)
}

/// Adds the script with another command for each plain query.
fn push_with(text: &mut String, script: &str, query: &str) {
    let mut written = 0;
    for (start, end, whole) in commands(script) {
        let words = script[start..end].split(['(', ')', ' ', '\t', '\n', '\r']);
        let mut words = words.filter(|word| !word.is_empty());
        if whole && words.next() == Some("check-sat") && words.next().is_none() {
            text.push_str(&script[written..start]);
            text.push_str(query);
            written = end;
        }
    }
    text.push_str(&script[written..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_before_the_script_and_for_its_queries() {
        let options = [
            "smt.arith.solver=2",
            "(set-option :smt.relevancy 0)",
            "(check-sat-using (then simplify smt))",
        ];
        let options = options.map(str::to_string);
        let script = "(set-logic ALL)\n(assert (= s \"(check-sat)\")) ; (check-sat)\n( check-sat )\n(check-sat-assuming (p))\n";
        assert_eq!(
            as_written(&options, script),
            "(set-option :smt.relevancy 0)\n(set-logic ALL)\n(assert (= s \"(check-sat)\")) ; (check-sat)\n\
             (check-sat-using (then simplify smt))\n(check-sat-assuming (p))\n"
        );
        assert!(matches!(
            as_written(&options[..1], script),
            Cow::Borrowed(_)
        ));
    }
}
