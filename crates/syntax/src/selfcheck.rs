//! Laws of reading and printing that hold for any bytes; the fuzz targets and the tests call them.
//!
//! Each function panics with the broken law and is silent otherwise.

use crate::pretty::comment;
use crate::{Comments, Diagnostic, Document, Kind, Reader, Sexpr, SyntaxError, Tape};
use crate::{decode, encode, pretty, write_flat, write_string, write_symbol};

/// Reading any bytes ends, loses nothing, and marks every problem at a place in the text.
pub fn read_text(bytes: &[u8]) {
    let text = decode(bytes);
    assert_eq!(&*encode(&text), bytes, "encode undoes decode");
    let (mut reader, mut tape) = (Reader::new(&text), Tape::default());
    let (mut covered, mut errors) = (0, 0);
    loop {
        let before = tape.len();
        match reader.next(&mut tape) {
            Ok(Some(at)) => {
                assert_eq!(at as usize, before, "nodes are appended");
                let root = tape.root(&text, at);
                assert_eq!(
                    root.after() as usize,
                    tape.len(),
                    "one s-expression is read at a time"
                );
                assert_gap(&text[covered..root.span().start as usize]);
                assert_nested(root);
                covered = root.span().end as usize;
            }
            Ok(None) => break assert_gap(&text[covered..]),
            Err(error) => {
                assert_eq!(tape.len(), before, "an error leaves the tape as it was");
                // Showing a message takes far longer than reading; the first ones are enough.
                if errors < 3 {
                    assert_place(&text, &error);
                }
                errors += 1;
                covered = reader.position();
            }
        }
    }
}

/// Printing any s-expressions and reading them again gives the same ones, in any layout.
pub fn print_text(bytes: &[u8]) {
    let Ok(document) = Document::read(decode(bytes)) else {
        return;
    };
    for width in [0, 20, 80] {
        for comments in [Comments::Keep, Comments::Drop] {
            assert_layout(&document, width, comments);
        }
    }
    for root in document.items() {
        assert_one_line(root);
    }
    for at in 0..document.tape().len() {
        assert_atom(document.tape().root(document.source(), at as u32));
    }
}

/// Small texts that once revealed a defect: one of each kind of token, mistake and escape.
pub const CORPUS: &[&[u8]] = &[
    b"",
    b"(set-logic ALL)\n(assert (! (= x 1.0) :named a)) ; done\n(check-sat)\n",
    b"(a |b c| :d 1 2.5 #xFf #b01 \"e \"\"f\"\"\" #f1m5 1/3 -1 2.)",
    b"(echo \"str\\\") (echo \"\\\"\"\")",
    b"\"say \\\"hi\\\" \" \"\\\"\" \"\\\"b \"x \"",
    b"|a\\|b| |a\\|| |a\\| |\\|",
    b"; only\n\n; comments\r\n",
    b"(a ; one\n\n ; two\n b (); three\n)\n\n\n(c) ; four\n ; five",
    b"\xEF\xBB\xBF(a)\xFF\xC3(\xEF\x9E\x80) \0 \x0C",
    b") (a)) |x",
    b"(((\"",
    b"(let ((x (f (g (h 1 2 3) (h 4 5 6)) (g (h 1 2 3))))) (forall ((y Int)) (! (p x y) :pattern ((p x y)))))",
    b"(set-info :source |\n two\n lines |) \"a\nb\"",
    b"\\ a\\b \\\" 'x `y [z] {w} , a#b a:b : # #x #b2 1e5 00 0.",
];

/// Between tokens there is whitespace, and comments to the end of their lines, and byte order marks.
fn assert_gap(gap: &str) {
    for line in gap.replace('\u{FEFF}', "").split('\n') {
        let blank = line.split(';').next().unwrap_or("");
        let is_blank = blank
            .bytes()
            .all(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0B | 0x0C));
        assert!(is_blank, "no byte is lost: {gap:?}");
    }
}

/// Items follow one another inside their list and fill it up to gaps.
fn assert_nested(root: Sexpr<'_>) {
    for at in root.at()..root.after() {
        let node = root.tape().root(root.source(), at);
        let span = node.span();
        assert!(span.start < span.end, "every token has text");
        if !node.is_list() {
            assert_eq!(node.after(), at + 1, "an atom has no items");
            continue;
        }
        let mut gap = span.start as usize + 1;
        for item in node.items() {
            assert_gap(&root.source()[gap..item.span().start as usize]);
            gap = item.span().end as usize;
        }
        assert_gap(&root.source()[gap..span.end as usize - 1]);
        assert!(
            node.text().starts_with('(') && node.text().ends_with(')'),
            "lists have parentheses"
        );
    }
}

fn assert_place(text: &str, error: &SyntaxError) {
    let marked = &text[error.span.range()];
    assert!(
        matches!(marked, "(" | ")" | "\"" | "|"),
        "the mark is on what has no partner"
    );
    let diagnostic = Diagnostic::of_syntax_error("text", text, error);
    assert!(
        diagnostic.render(false).contains(error.message()),
        "the message is shown"
    );
}

fn assert_layout(document: &Document, width: usize, comments: Comments) {
    let (mut once, mut twice) = (String::new(), String::new());
    document.pretty(width, comments, &mut once);
    let again = read_again(&once);
    assert!(
        document.same_as(&again),
        "layout keeps every token: {once:?}"
    );
    again.pretty(width, comments, &mut twice);
    assert_eq!(once, twice, "layout is stable");
    if comments == Comments::Keep {
        assert_eq!(
            all_comments(document),
            all_comments(&again),
            "layout keeps comments"
        );
    }
}

fn assert_one_line(root: Sexpr<'_>) {
    let (mut flat, mut wide) = (String::new(), String::new());
    write_flat(root, &mut flat);
    pretty(root, usize::MAX, &mut wide);
    if !flat.contains('\n') {
        assert_eq!(flat, wide, "what fits stands on one line");
    }
}

/// Names and contents survive being written and read; so do tokens themselves.
fn assert_atom(atom: Sexpr<'_>) {
    let mut written = String::new();
    if let Some(name) = atom.symbol() {
        write_symbol(&mut written, name);
        let again = read_again(&written);
        let names: Vec<_> = again.items().map(Sexpr::symbol).collect();
        assert_eq!(
            names,
            [Some(name)],
            "a symbol is read back from {written:?}"
        );
    } else if let Some(contents) = atom.string() {
        write_string(&mut written, &contents);
        let again = read_again(&written);
        let strings: Vec<_> = again.items().map(Sexpr::string).collect();
        assert_eq!(
            strings,
            [Some(contents)],
            "a string is read back from {written:?}"
        );
    } else if atom.kind() != Kind::List {
        let kinds: Vec<_> = read_again(atom.text()).items().map(Sexpr::kind).collect();
        assert_eq!(kinds, [atom.kind()], "a literal is read alike anywhere");
    }
}

fn read_again(text: &str) -> Document {
    match Document::read(text) {
        Ok(document) => document,
        Err(error) => panic!("printed text is read again: {error} in {text:?}"),
    }
}

/// Every comment of a text: lines of the gaps between tokens.
fn all_comments(document: &Document) -> Vec<String> {
    let mut gap_start = 0;
    let mut comments = Vec::new();
    let mut add =
        |gap: &str| comments.extend(gap.split('\n').filter_map(comment).map(str::to_owned));
    for at in 0..document.tape().len() {
        let node = document.tape().root(document.source(), at as u32);
        let span = node.span();
        add(&document.source()[gap_start..span.start as usize]);
        gap_start = if node.is_list() {
            span.start + 1
        } else {
            span.end
        } as usize;
    }
    add(&document.source()[gap_start..]);
    comments
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn read_text_smoke() {
        CORPUS.iter().for_each(|bytes| read_text(bytes));
    }

    #[test]
    fn print_text_smoke() {
        CORPUS.iter().for_each(|bytes| print_text(bytes));
    }

    #[test]
    fn laws_hold_on_every_prefix_and_pair_of_the_corpus() {
        for a in CORPUS {
            for end in 0..a.len() {
                read_text(&a[..end]);
                print_text(&a[..end]);
            }
            for b in CORPUS {
                read_text(&[*a, *b].concat());
                print_text(&[*a, *b].concat());
            }
        }
    }

    #[test]
    #[should_panic(expected = "no byte is lost")]
    fn a_lost_token_breaks_a_law() {
        assert_gap(" x ");
    }

    proptest! {
        #[test]
        fn laws_hold_on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read_text(&bytes);
            print_text(&bytes);
        }

        #[test]
        fn laws_hold_on_likely_bytes(text in r#"[()"|\\;: a0#xb.\n]{0,60}"#) {
            read_text(text.as_bytes());
            print_text(text.as_bytes());
        }

        #[test]
        fn laws_hold_on_many_quotes(text in r#"["\\ a]{0,24}"#) {
            read_text(text.as_bytes());
            print_text(text.as_bytes());
        }

        #[test]
        fn any_string_is_written_and_read(contents in any::<String>()) {
            let mut out = String::new();
            write_string(&mut out, &contents);
            let document = read_again(&out);
            let strings: Vec<_> = document.items().map(Sexpr::string).collect();
            prop_assert_eq!(strings, [Some(contents.into())]);
        }

        #[test]
        fn any_name_without_bars_is_written_and_read(name in "[^|]{0,20}") {
            let mut out = String::new();
            write_symbol(&mut out, &name);
            let document = read_again(&out);
            let names: Vec<_> = document.items().map(Sexpr::symbol).collect();
            prop_assert_eq!(names, [Some(&*name)]);
        }
    }
}
