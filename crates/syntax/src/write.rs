//! Writing symbols and strings so that they are read back as they were.

use crate::scan::{Class, class, symbol_end};

/// The reserved words of SMT-LIB 2.7, sorted: general ones and command names.
const RESERVED: [&str; 46] = [
    "!",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "_",
    "as",
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "declare-sort-parameter",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exists",
    "exit",
    "forall",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "lambda",
    "let",
    "match",
    "par",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

/// Whether a word has a meaning of its own, so that a symbol of this name needs bars.
pub fn is_reserved_word(name: &str) -> bool {
    // Most names end with a digit, or differ in their first letter already.
    let may_be = |first: &u8| b"!BDHNS_acdefglmprs".contains(first);
    let bytes = name.as_bytes();
    !bytes.last().is_some_and(u8::is_ascii_digit)
        && bytes.first().is_some_and(may_be)
        && RESERVED.binary_search(&name).is_ok()
}

/// Whether the standard lets a name stand without bars, reserved words aside.
pub fn is_simple_symbol(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(|b| !b.is_ascii_digit()) && bytes.iter().all(|&b| is_simple(b))
}

pub(crate) fn is_simple(byte: u8) -> bool {
    SIMPLE[usize::from(byte)]
}

static SIMPLE: [bool; 256] = {
    let mut simple = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        simple[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let others = b"~!@$%^&*_-+=<>.?/";
    let mut at = 0;
    while at < others.len() {
        simple[others[at] as usize] = true;
        at += 1;
    }
    simple
};

/// Appends a symbol, in bars when (and only when) its name needs them.
///
/// For names of things, not for keywords of the grammar or literals: `let`, `_` and `#f1m5` get
/// bars. The name is what [`Sexpr::symbol`](crate::Sexpr::symbol) gives and is read back as it is;
/// a bar inside that no backslash protects (no text can have it) is written as `\|`.
pub fn write_symbol(out: &mut String, name: &str) {
    if is_simple_symbol(name) && !is_reserved_word(name) || is_odd_symbol(name) {
        out.push_str(name);
        return;
    }
    out.push('|');
    if name.contains('|') {
        write_protected(out, name)
    } else {
        out.push_str(name)
    }
    out.push('|');
}

/// A symbol that only some dialect has and that does not fit between bars, because of a backslash.
fn is_odd_symbol(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.contains(&b'\\') && class(bytes[0]) == Class::Other && symbol_end(bytes, 0) == bytes.len()
}

fn write_protected(out: &mut String, name: &str) {
    let mut escaped = false;
    for c in name.chars() {
        if c == '|' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
}

/// Appends a string literal: quotes around, quotes inside doubled.
pub fn write_string(out: &mut String, contents: &str) {
    out.push('"');
    let mut pieces = contents.split('"');
    out.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        out.push_str("\"\"");
        out.push_str(piece);
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Kind};

    fn symbol(name: &str) -> String {
        let mut out = String::new();
        write_symbol(&mut out, name);
        out
    }

    #[test]
    fn simple_symbols_stand_alone() {
        for name in [
            "x",
            "<=",
            "bv2nat",
            "~!@$%^&*_-+=<>.?/",
            "-5",
            ".5",
            "letter",
            "+",
            "$x",
        ] {
            assert_eq!(symbol(name), name);
        }
    }

    #[test]
    fn other_symbols_get_bars() {
        for name in [
            "",
            "a b",
            "1x",
            "let",
            "_",
            "check-sat",
            "é",
            "a'",
            "#f1m5",
            ":x",
            "a;",
            "\n",
        ] {
            assert_eq!(symbol(name), format!("|{name}|"));
        }
    }

    #[test]
    fn a_backslash_stays_outside_bars_where_possible() {
        assert_eq!(symbol("\\"), "\\");
        assert_eq!(symbol("a\\b"), "a\\b");
        assert_eq!(symbol("a \\ b"), "|a \\ b|");
        assert_eq!(symbol("a|b"), "|a\\|b|");
    }

    #[test]
    fn reserved_words_are_sorted() {
        assert!(RESERVED.is_sorted());
        assert!(is_reserved_word("exists") && !is_reserved_word("exist"));
        let digit = |word: &&str| word.ends_with(|c: char| c.is_ascii_digit());
        assert!(!RESERVED.iter().any(digit));
    }

    #[test]
    fn written_strings_are_read_back() {
        for contents in [
            "",
            "a",
            "\"",
            "\\",
            "\\\"",
            "\"\"\\",
            "a\n\u{41}",
            "\\\"a\\\" b",
        ] {
            let mut out = String::from("(");
            write_string(&mut out, contents);
            out.push(')');
            let document = Document::read(out).unwrap();
            let list = document.items().next().unwrap();
            assert_eq!(list.count(), 1);
            assert_eq!(list.item(0).unwrap().string().as_deref(), Some(contents));
        }
    }

    #[test]
    fn written_symbols_are_read_back() {
        for name in [
            "",
            "x",
            "a b",
            "1",
            "let",
            "\\",
            "\\ \\",
            "\"",
            "a\\|b\\| c",
            "(",
            "\0",
            "'",
        ] {
            let document = Document::read(symbol(name)).unwrap();
            let token = document.items().next().unwrap();
            assert_eq!(token.symbol(), Some(name));
            assert_eq!(document.items().count(), 1);
            assert_ne!(token.kind(), Kind::Numeral);
        }
    }
}
