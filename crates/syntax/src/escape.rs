//! Where string literals and quoted symbols end, in both escape styles.
//!
//! Since SMT-LIB 2.5 a quote inside a string is doubled and a backslash is an ordinary character;
//! SMT-LIB 2.0 and old solvers write `\"`. Both occur: `(echo "str\")` is a complete command today,
//! and `"say \"hi\""` was one literal in 2.0. The rule, which agrees with the standard on every text
//! whose literals stand apart from their neighbours:
//!
//! 1. A literal ends as the standard says if its first inner quote has no backslash before it.
//! 2. Otherwise it still ends as the standard says if whitespace, a parenthesis, a comment or the
//!    end of the text follows.
//! 3. Otherwise, if the older style gives an end that is followed by one of these, the literal has
//!    the older style, and later literals of the same text that satisfy 1 prefer it.
//!
//! z3 accepts `\|` in quoted symbols; a bar after a backslash that is not followed as in 2 is
//! skipped if a later bar gives such an end.

use crate::scan::is_delimiter;
use std::borrow::Cow;

/// Finds the ends of literals, in linear time even on hostile texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ends {
    old_style: bool,
    quotes: Unescaped,
    bars: Unescaped,
}

/// The last answer to "where is the next mark without a backslash before it?".
#[derive(Clone, Debug, Default)]
struct Unescaped {
    from: usize,
    found: Option<usize>,
    asked: bool,
}

impl Unescaped {
    /// Whether a mark is escaped does not depend on where the search starts, so an answer
    /// holds for every later start before it, and the text is searched only once.
    fn next(&mut self, bytes: &[u8], mark: u8, from: usize) -> Option<usize> {
        let known = self.asked && self.from <= from && self.found.is_none_or(|at| from <= at);
        if !known {
            let mut at = from;
            self.found = loop {
                match find(bytes, mark, at) {
                    Some(mark_at) if is_escaped(bytes, mark_at) => at = mark_at + 1,
                    end => break end,
                }
            };
            (self.from, self.asked) = (from, true);
        }
        self.found
    }
}

#[inline]
fn find(bytes: &[u8], byte: u8, from: usize) -> Option<usize> {
    bytes[from..]
        .iter()
        .position(|&b| b == byte)
        .map(|n| from + n)
}

/// Whether an odd number of backslashes stands before this place.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at]
        .iter()
        .rev()
        .take_while(|&&b| b == b'\\')
        .count()
        % 2
        == 1
}

fn ends_apart(bytes: &[u8], end: usize) -> bool {
    bytes.get(end).is_none_or(|&b| is_delimiter(b))
}

impl Ends {
    /// The end of the string literal whose opening quote stands at `start`.
    pub fn string(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let quote = find(bytes, b'"', start + 1)?;
        if bytes[quote - 1] != b'\\' || !is_escaped(bytes, quote) {
            return standard_string_end(bytes, quote);
        }
        if self.old_style {
            let old = self.old_string_end(bytes, quote + 1);
            return old.or_else(|| standard_string_end(bytes, quote));
        }
        let standard = standard_string_end(bytes, quote);
        if standard.is_some_and(|end| ends_apart(bytes, end)) {
            return standard;
        }
        let old = self.old_string_end(bytes, quote + 1);
        self.old_style = old.is_some();
        old.or(standard)
    }

    fn old_string_end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let end = self.quotes.next(bytes, b'"', from)? + 1;
        ends_apart(bytes, end).then_some(end)
    }

    /// The end of the quoted symbol whose opening bar stands at `start`.
    pub fn quoted_symbol(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let bar = find(bytes, b'|', start + 1)?;
        let end = bar + 1;
        if bytes[bar - 1] != b'\\' || !is_escaped(bytes, bar) || ends_apart(bytes, end) {
            return Some(end);
        }
        let escaped_end = self.bars.next(bytes, b'|', end).map(|bar| bar + 1);
        escaped_end
            .filter(|&end| ends_apart(bytes, end))
            .or(Some(end))
    }
}

/// The end by the standard's rule, given the first quote after the opening one.
#[inline]
fn standard_string_end(bytes: &[u8], first_quote: usize) -> Option<usize> {
    let mut quote = first_quote;
    while bytes.get(quote + 1) == Some(&b'"') {
        quote = find(bytes, b'"', quote + 2)?;
    }
    Some(quote + 1)
}

/// A token without its first and last byte: quotes or bars.
pub(crate) fn inside(token: &str) -> &str {
    token.get(1..token.len().saturating_sub(1)).unwrap_or("")
}

/// The contents of a string token. In the older style no two quotes stand together, in the
/// standard's style no quote stands alone, so the first one tells the style.
pub(crate) fn unescape_string(token: &str) -> Cow<'_, str> {
    let contents = inside(token);
    match contents.find('"') {
        None => Cow::Borrowed(contents),
        Some(quote) if contents.as_bytes().get(quote + 1) == Some(&b'"') => {
            Cow::Owned(contents.replace("\"\"", "\""))
        }
        Some(_) => Cow::Owned(unescape_backslashes(contents)),
    }
}

fn unescape_backslashes(contents: &str) -> String {
    let mut out = String::with_capacity(contents.len());
    let mut chars = contents.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' {
            chars.next_if(|c| matches!(c, '"' | '\\'))
        } else {
            None
        };
        out.push(escaped.unwrap_or(c));
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::Document;

    /// Reads the text and gives its tokens; lists are not expected.
    fn tokens(text: &str) -> Vec<String> {
        let document = Document::read(text).unwrap();
        document.items().map(|s| s.text().to_owned()).collect()
    }

    fn contents(text: &str) -> Vec<String> {
        let document = Document::read(text).unwrap();
        document
            .items()
            .filter_map(|s| Some(s.string()?.into_owned()))
            .collect()
    }

    #[test]
    fn standard_style_is_the_default() {
        assert_eq!(contents(r#""a""b" """" "" "#), [r#"a"b"#, "\"", ""]);
        assert_eq!(contents(r#""str\" "x""#), [r"str\", "x"], "an echo of cvc5");
        assert_eq!(contents(r#""\""" "x""#), [r#"\""#, "x"]);
        assert_eq!(contents(r#""\\""" "x""#), [r#"\\""#, "x"]);
    }

    #[test]
    fn older_style_is_read_where_the_standard_does_not_fit() {
        assert_eq!(
            contents(r#""say \"hi\" to \\" "x""#),
            [r#"say "hi" to \"#, "x"]
        );
        assert_eq!(
            contents("\"\\\"\"\n\"\\\"\""),
            ["\"", "\""],
            "the second literal is not glued to the first"
        );
    }

    #[test]
    fn an_older_style_that_fits_nowhere_is_not_taken() {
        assert_eq!(tokens(r#""\"a "b" "#), [r#""\""#, "a", r#""b""#]);
    }

    #[test]
    fn quoted_symbols_end_at_the_first_bar() {
        assert_eq!(
            tokens("|a||b| |\n;(\"| |\\| x"),
            ["|a|", "|b|", "|\n;(\"|", "|\\|", "x"]
        );
    }

    #[test]
    fn protected_bars_are_part_of_a_quoted_symbol() {
        assert_eq!(tokens(r"|a\|b| |a\||"), [r"|a\|b|", r"|a\||"]);
    }

    #[test]
    fn hostile_escapes_take_linear_time() {
        for piece in ["\"\\\"a", "\\\"a", "|\\|a", "\\\"\"\" "] {
            let _ = Document::read(piece.repeat(200_000));
        }
    }
}
