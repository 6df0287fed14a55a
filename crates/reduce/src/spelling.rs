//! Keeps the source's spelling of string literals. Solvers differ in odd escapes such as `"\u{30000}"`, and a bug may
//! depend on one, so unchanged literals are written as they were.

use auspex_logic::value::{Escapes, Str};
use auspex_syntax::{Document, Kind, Sexpr};

use crate::rewrite::splice;

/// Our spelling of a literal, and the source's where it differs.
#[derive(Clone, Debug, Default)]
pub struct Spellings(Vec<(String, String)>);

impl Spellings {
    pub fn of(document: &Document) -> Spellings {
        let mut all: Vec<(String, String)> = Vec::new();
        for literal in literals(document) {
            let contents = literal.string().unwrap_or_default();
            let Some(string) = Str::read(&contents, Escapes::Standard) else {
                continue;
            };
            let written = string.to_string();
            // If a string has two spellings, the first is used.
            if !all.iter().any(|(other, _)| *other == written) {
                all.push((written, literal.text().to_string()));
            }
        }
        all.retain(|(written, original)| written != original);
        Spellings(all)
    }

    /// The text with the source's spelling of every literal that the source has.
    pub fn restore(&self, text: String) -> String {
        if self.0.is_empty() {
            return text;
        }
        let Ok(document) = Document::read(text.as_str()) else {
            return text;
        };
        let mut patches = Vec::new();
        for literal in literals(&document) {
            let known = self.0.iter().find(|(written, _)| literal.text() == written);
            patches.extend(known.map(|(_, original)| (literal.span().range(), original)));
        }
        splice(&text, &patches)
    }
}

/// The string literals in order.
fn literals(document: &Document) -> Vec<Sexpr<'_>> {
    let (mut found, mut stack) = (Vec::new(), Vec::new());
    stack.extend(document.items().rev());
    while let Some(sexpr) = stack.pop() {
        match sexpr.kind() {
            Kind::String => found.push(sexpr),
            _ => stack.extend(sexpr.items().collect::<Vec<_>>().into_iter().rev()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(source: &str, written: &str) -> String {
        let document = Document::read(source).expect("well-formed");
        Spellings::of(&document).restore(written.to_string())
    }

    #[test]
    fn writes_an_odd_escape_as_it_was() {
        let odd = r#"(assert (= s "\u{30000}" "a"))"#;
        let written = r#"(assert (= "\u{5c}u{30000}" "b"))"#;
        assert_eq!(restored(odd, written), r#"(assert (= "\u{30000}" "b"))"#);
    }

    #[test]
    fn leaves_other_literals_and_quoted_symbols_alone() {
        let plain = r#"(assert (= |"a"| "a"))"#;
        assert_eq!(restored(r#"(f "\u{41}")"#, plain), plain);
        assert_eq!(restored(plain, plain), plain);
    }
}
