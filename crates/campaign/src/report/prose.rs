//! A sentence with terms in it, as Markdown: a term becomes a span of code, so that it can be read and copied.

use super::markdown::{code, plain};
use auspex_logic::Terms;

/// A sentence or a heading. What is in parentheses is a term if it looks like one.
pub fn prose(text: &str) -> String {
    let terms = Terms::new();
    let is_operator = |word: &str| !terms.table().named(word).is_empty();
    let (mut out, mut said, mut at) = (String::new(), 0, 0);
    while let Some(start) = text[at..].find('(').map(|found| at + found) {
        match term_length(&text[start..]).filter(|end| is_term(&text[start..][..*end], is_operator))
        {
            Some(length) => {
                out.push_str(&plain(&text[said..start]));
                out.push_str(&code(&text[start..start + length]));
                at = start + length;
                said = at;
            }
            None => at = start + 1,
        }
    }
    out.push_str(&plain(&text[said..]));
    out
}

/// The length of what is in these parentheses, or of its beginning where the rest was cut off.
fn term_length(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (_, '…') => return Some(at + letter.len_utf8()),
            (Some(_), _) => {}
            (None, '"' | '|') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Our own remarks in parentheses begin with a word or a number: `(checked by evaluation)`.
fn is_term(text: &str, is_operator: impl Fn(&str) -> bool) -> bool {
    let inner = text.trim_start_matches('(');
    let first = inner.split([' ', ')', '…']).next().unwrap_or("");
    let is_word = first.chars().all(char::is_alphabetic);
    let is_number = first.starts_with(|c: char| c.is_ascii_digit());
    text[1..].contains('(') || is_operator(first) || !(is_word || is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_code_and_remarks_are_not() {
        for (text, wanted) in [
            (
                "sat, but (= x 1) is false (checked by evaluation).",
                "sat, but `(= x 1)` is false (checked by evaluation).",
            ),
            (
                "replies (objectives (x 3)) to (get-objectives).",
                "replies `(objectives (x 3))` to `(get-objectives)`.",
            ),
            ("the core (a0 a1) of it", "the core `(a0 a1)` of it"),
            ("(not p) and (2 of 3)", "`(not p)` and (2 of 3)"),
            ("cut (and p (or q…, so", "cut `(and p (or q…`, so"),
            ("(= s \")\") (", "`(= s \")\")` ("),
            ("x < y", "x < y"),
        ] {
            assert_eq!(prose(text), wanted);
        }
    }
}
