//! Syntax highlighting of SMT-LIB with our own reader: a text as pieces with a style each. Joined, the pieces are the
//! text.

use auspex_syntax::{Document, Kind, Sexpr};

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// A class of the style sheet; empty for plain text.
    pub class: &'static str,
    pub text: String,
}

/// How much of a text a page shows; all of it can be downloaded.
pub const LONGEST: usize = 60_000;
const WIDTH: usize = 76;

/// A formatted script or model. Text that is not SMT-LIB, or is very long, is shown unchanged.
pub fn highlight(text: &str) -> Vec<Piece> {
    if text.len() > LONGEST {
        return vec![plain(&format!("{}\n…", head(text, LONGEST)))];
    }
    let Ok(document) = Document::read(text) else {
        return vec![plain(text)];
    };
    let mut laid = String::new();
    document.pretty(WIDTH, auspex_syntax::Comments::Keep, &mut laid);
    match Document::read(laid) {
        Ok(document) => pieces(&document),
        Err(_) => vec![plain(text)],
    }
}

/// The first bytes of a text, cut at a character boundary.
fn head(text: &str, mut most: usize) -> &str {
    while !text.is_char_boundary(most) {
        most -= 1;
    }
    &text[..most]
}

fn plain(text: &str) -> Piece {
    Piece {
        class: "",
        text: text.to_string(),
    }
}

fn pieces(document: &Document) -> Vec<Piece> {
    let mut out = Vec::new();
    let (source, tape) = (document.source(), document.tape());
    let (mut from, mut before) = (0, None);
    for at in 0..tape.len() as u32 {
        let node = tape.root(source, at);
        if node.kind() == Kind::List {
            before = Some(at);
            continue;
        }
        let span = node.span();
        between(&source[from..span.start as usize], &mut out);
        // The first of a list comes right after it on the tape.
        let first = before == at.checked_sub(1) && before.is_some();
        push(&mut out, class(node, first), node.text());
        from = span.end as usize;
    }
    between(&source[from..], &mut out);
    out
}

/// The text between atoms: parentheses, spaces and comments.
fn between(text: &str, out: &mut Vec<Piece>) {
    let mut rest = text;
    while let Some(start) = rest.find(';') {
        push(out, "", &rest[..start]);
        let end = rest[start..].find('\n').map_or(rest.len(), |n| start + n);
        push(out, "hl-comment", &rest[start..end]);
        rest = &rest[end..];
    }
    push(out, "", rest);
}

fn push(out: &mut Vec<Piece>, class: &'static str, text: &str) {
    match out.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.class == class => last.text.push_str(text),
        _ => out.push(Piece {
            class,
            text: text.to_string(),
        }),
    }
}

fn class(node: Sexpr<'_>, first: bool) -> &'static str {
    match node.kind() {
        Kind::Numeral | Kind::Decimal | Kind::Hexadecimal | Kind::Binary => "hl-number",
        Kind::String => "hl-string",
        Kind::Keyword => "hl-keyword",
        Kind::Symbol if first && is_command(node.text()) => "hl-command",
        Kind::Symbol if auspex_syntax::is_reserved_word(node.text()) => "hl-word",
        Kind::Symbol if first => "hl-operator",
        Kind::Symbol | Kind::QuotedSymbol | Kind::List => "",
    }
}

fn is_command(name: &str) -> bool {
    let starts = ["declare-", "define-", "get-", "set-", "check-", "reset"];
    matches!(
        name,
        "assert" | "push" | "pop" | "exit" | "echo" | "minimize" | "maximize"
    ) || starts.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> String {
        let piece = |piece: Piece| match piece.class {
            "" => piece.text,
            class => format!("[{} {}]", class.trim_start_matches("hl-"), piece.text),
        };
        highlight(text).into_iter().map(piece).collect()
    }

    #[test]
    fn atoms_get_their_styles() {
        assert_eq!(
            marked("(assert (! (= x 1.0) :named |a|)) ; why"),
            "([command assert] ([word !] ([operator =] x [number 1.0]) [keyword :named] |a|)) [comment ; why]\n"
        );
    }

    #[test]
    fn no_text_is_lost_or_an_error() {
        for text in [
            "",
            ")",
            "(((",
            "<script>",
            "\"open",
            "; only",
            "(a \u{0} b)",
        ] {
            let all: String = highlight(text).into_iter().map(|p| p.text).collect();
            let squeezed = |s: &str| s.split_whitespace().collect::<String>();
            assert_eq!(squeezed(&all), squeezed(text));
        }
        let long = "é".repeat(LONGEST);
        assert_eq!(highlight(&long).len(), 1);
    }
}
