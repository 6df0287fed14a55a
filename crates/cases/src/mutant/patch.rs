//! Finds the text of an occurrence in the text of its command, so that only that part is rewritten.

use auspex_logic::Head;

/// The start of an argument of a term whose text starts at `at`; none for heads that are not written before all their
/// arguments.
pub fn argument(text: &str, at: usize, head: Head, place: usize) -> Option<usize> {
    let before = match head {
        Head::Op(_) | Head::Fun(_) | Head::Annotated(_) => 1,
        // Variables precede the body.
        Head::Binder(_) => 2,
        Head::Apply => 0,
        Head::Literal(_) | Head::Variable(_) | Head::Match(_) | Head::Opaque(_) => return None,
    };
    Some(item(text, at, before + place))
}

/// The start of an item in a list that starts at `at`.
pub fn item(text: &str, at: usize, number: usize) -> usize {
    // Each item is followed by one space.
    (0..number).fold(at + 1, |at, _| end(text, at) + 1)
}

/// The end of the expression that starts at `at`.
pub fn end(text: &str, mut at: usize) -> usize {
    let text = text.as_bytes();
    let mut depth = 0usize;
    while let Some(byte) = text.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' if depth > 1 => depth -= 1,
            b')' => return at + depth,
            b' ' | b'\n' if depth == 0 => return at,
            quote @ (b'"' | b'|') => {
                let inside = &text[at + 1..];
                let long = inside.iter().position(|other| other == quote);
                at += 1 + long.unwrap_or(inside.len());
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut at = 1;
        while at < text.len() {
            found.push(&text[at..end(text, at)]);
            at = end(text, at) + 1;
        }
        found
    }

    #[test]
    fn items_end_where_they_end() {
        assert_eq!(items("(f x (g y) z)"), ["f", "x", "(g y)", "z"]);
        assert_eq!(items("((_ f 1) ((a) b))"), ["(_ f 1)", "((a) b)"],);
    }

    #[test]
    fn quoted_parentheses_and_spaces_are_no_ends() {
        assert_eq!(
            items(r#"(= "a ""(" |b ) c| (f "(" |"|) d)"#),
            ["=", r#""a ""(""#, "|b ) c|", r#"(f "(" |"|)"#, "d"]
        );
    }

    #[test]
    fn a_text_that_ends_early_ends_there() {
        assert_eq!(end("(f x", 0), 4);
        assert_eq!(end("\"", 0), 1);
    }
}
