//! Takes options that send a solver's output elsewhere out of a script that is not the user's own: a seed from
//! anywhere must not write to a path of its choice, and answers that go elsewhere are lost.

use crate::script::commands;
use std::borrow::Cow;

/// The script without such options; their places are left blank, so that lines and columns stay true.
pub fn kept_here(script: &str) -> Cow<'_, str> {
    if !script.contains("set-option") {
        return Cow::Borrowed(script);
    }
    let leaving = commands(script).filter(|(start, end, _)| leads_away(&script[*start..*end]));
    let mut kept = Cow::Borrowed(script);
    for (start, end, _) in leaving {
        let text = &script[start..end];
        let blank: String = text
            .chars()
            .map(|c| if c == '\n' { '\n' } else { ' ' })
            .collect();
        let blank = blank + &" ".repeat(text.len() - text.chars().count());
        kept.to_mut().replace_range(start..end, &blank);
    }
    kept
}

/// `(set-option :regular-output-channel …)` and its like, and any option whose value may be a path out of the folder.
fn leads_away(command: &str) -> bool {
    let inside = command.trim_start_matches('(').trim_start();
    let Some(option) = inside.strip_prefix("set-option") else {
        return false;
    };
    let option = option.trim_start();
    let name = option.split(|c: char| c.is_whitespace() || c == ')').next();
    let name = name.unwrap_or("");
    name.ends_with("-output-channel") || value(&option[name.len()..]).contains('/')
}

/// The value of an option: a quoted text, or whatever stands before a comment.
fn value(text: &str) -> &str {
    let text = text.trim_start();
    match text.chars().next() {
        Some(quote @ ('"' | '|')) => text[1..].split(quote).next().unwrap_or(""),
        _ => text.split(';').next().unwrap_or(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_write_elsewhere_is_left_blank() {
        for option in [
            "(set-option :regular-output-channel \"answers\")",
            "( set-option :diagnostic-output-channel stderr)",
            "(set-option :trace_file_name \"/home/é\")",
            "(set-option :dump-to |../x|)",
            "(set-option :out /tmp/x)",
        ] {
            let script = format!("(set-logic ALL)\n{option}(check-sat)");
            let kept = kept_here(&script);
            assert_eq!(kept.len(), script.len());
            let words: Vec<&str> = kept.split_whitespace().collect();
            assert_eq!(words, ["(set-logic", "ALL)", "(check-sat)"], "{option}");
        }
    }

    #[test]
    fn other_options_stay() {
        for script in [
            "(set-option :produce-models true) ; see http://x/y",
            "(set-option :produce-models ; a/b\n true)",
            "(set-option :smt.qi.cost \"(+ weight generation)\")",
            "(set-info :source |a/b|)(assert (= s \"(set-option :out /x)\"))",
            "(set-option",
        ] {
            assert_eq!(kept_here(script), script);
        }
    }
}
