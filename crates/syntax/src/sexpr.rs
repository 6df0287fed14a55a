//! Views of s-expressions on a tape: small, copyable, and as cheap as an index.

use crate::escape::{self, unescape_string};
use crate::scan::is_delimiter;
use crate::span::Span;
use crate::tape::{Kind, Node, Tape};
use crate::write::{is_simple, write_string};
use std::borrow::Cow;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

/// A copyable view of one s-expression.
#[derive(Clone, Copy)]
pub struct Sexpr<'s> {
    tape: &'s Tape,
    source: &'s str,
    at: u32,
}

impl<'s> Sexpr<'s> {
    #[inline]
    pub(crate) fn new(tape: &'s Tape, source: &'s str, at: u32) -> Self {
        Sexpr { tape, source, at }
    }

    #[inline]
    fn node(self) -> &'s Node {
        &self.tape.nodes[self.at as usize]
    }

    #[inline]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Where it stands in the source, parentheses, bars and quotes included.
    #[inline]
    pub fn span(self) -> Span {
        let node = self.node();
        Span::new(node.start, node.end)
    }

    /// Its part of the source, exactly.
    #[inline]
    pub fn text(self) -> &'s str {
        &self.source[self.span().range()]
    }

    /// Its text to be written among others: as it is, but string literals of the older style in the standard's.
    /// In which style a literal is read depends on those before it, so one text must not have both.
    pub fn portable_text(self) -> Cow<'s, str> {
        let text = self.text();
        if !text.contains("\\\"") {
            return Cow::Borrowed(text);
        }
        let (mut out, mut from) = (
            String::with_capacity(text.len()),
            self.span().start as usize,
        );
        for node in self.nodes().iter().filter(|n| n.kind == Kind::String) {
            out.push_str(&self.source[from..node.start as usize]);
            write_string(&mut out, &unescape_string(self.token(node)));
            from = node.end as usize;
            // What follows at once could be taken for a part of the literal.
            let next = self.source[from..self.span().end as usize].bytes().next();
            if next.is_some_and(|byte| !is_delimiter(byte)) {
                out.push(' ');
            }
        }
        out.push_str(&self.source[from..self.span().end as usize]);
        Cow::Owned(out)
    }

    /// Its portable text in one line, whatever its layout and comments: what is the same is written the same.
    pub fn flat_text(self) -> Cow<'s, str> {
        let text = self.text();
        let spread = |byte| matches!(byte, b'\t' | b'\n' | b'\r' | b';');
        let gaps = ["  ", "( ", " )"];
        if !text.bytes().any(spread) && !gaps.iter().any(|gap| text.contains(gap)) {
            return self.portable_text();
        }
        let flat = self.flat(|out, kind, token| {
            match kind {
                Kind::String => write_string(out, &unescape_string(token)),
                _ => out.push_str(token),
            }
            true
        });
        Cow::Owned(flat.unwrap_or_default())
    }

    /// Its tokens in one line, each written by `write`, which may refuse.
    fn flat(self, mut write: impl FnMut(&mut String, Kind, &'s str) -> bool) -> Option<String> {
        let (mut out, mut ends) = (String::with_capacity(self.text().len()), Vec::new());
        for node in self.nodes() {
            while ends.pop_if(|end| *end <= node.start).is_some() {
                out.push(')');
            }
            if !out.is_empty() && !out.ends_with('(') {
                out.push(' ');
            }
            if node.kind == Kind::List {
                out.push('(');
                ends.push(node.end);
            } else if !write(&mut out, node.kind, self.token(node)) {
                return None;
            }
        }
        ends.iter().for_each(|_| out.push(')'));
        Some(out)
    }

    /// Its text in one line of which every reader makes the same tokens; none if a literal allows no such text.
    /// With `standard_strings` the reader takes a backslash before a quote for a character, as the standard has it.
    pub fn certain_text(self, standard_strings: bool) -> Option<String> {
        self.flat(|out, kind, token| {
            match kind {
                Kind::String => {
                    let text = unescape_string(token);
                    if !standard_strings && (text.contains("\\\"") || text.ends_with('\\')) {
                        return false;
                    }
                    write_string(out, &text);
                }
                Kind::QuotedSymbol if token.contains('\\') => return false,
                _ => out.push_str(token),
            }
            true
        })
    }

    /// Whether every reader takes its words for words: after a character that one does not know it may skip the next
    /// one, be that a quote, and see other tokens from there on.
    pub fn has_certain_words(self) -> bool {
        self.nodes().iter().all(|node| {
            let token = self.token(node);
            let word = match node.kind {
                Kind::Symbol => token.strip_prefix('#').unwrap_or(token),
                Kind::Keyword => token.strip_prefix(':').unwrap_or(token),
                _ => return true,
            };
            !word.is_empty() && word.bytes().all(is_simple)
        })
    }

    #[inline]
    pub fn is_list(self) -> bool {
        self.kind() == Kind::List
    }

    /// The items of a list; nothing for an atom.
    #[inline]
    pub fn items(self) -> Items<'s> {
        Items {
            tape: self.tape,
            source: self.source,
            next: self.at + 1,
            end: self.node().after,
        }
    }

    #[inline]
    pub fn item(self, i: usize) -> Option<Sexpr<'s>> {
        self.items().nth(i)
    }

    /// The number of items; walks over them.
    #[inline]
    pub fn count(self) -> usize {
        self.items().count()
    }

    /// The name of a symbol, without the bars if it has them.
    #[inline]
    pub fn symbol(self) -> Option<&'s str> {
        match self.kind() {
            Kind::Symbol => Some(self.text()),
            Kind::QuotedSymbol => Some(escape::inside(self.text())),
            _ => None,
        }
    }

    /// Where the name of a symbol stands in the source, without the bars if it has them.
    #[inline]
    pub fn symbol_range(self) -> Option<Range<usize>> {
        let range = self.span().range();
        match self.kind() {
            Kind::Symbol => Some(range),
            Kind::QuotedSymbol => Some(range.start + 1..range.end - 1),
            _ => None,
        }
    }

    /// The name of the symbol that is the first item of a list.
    #[inline]
    pub fn head(self) -> Option<&'s str> {
        self.items().next().and_then(Sexpr::symbol)
    }

    /// The contents of a string literal: outer quotes off, `""` read as `"`.
    ///
    /// In a literal of the older style (see [`Reader`](crate::Reader)) `\"` and `\\` are undone instead.
    /// Other escapes such as `\u{41}` belong to the theory of strings and stay.
    pub fn string(self) -> Option<Cow<'s, str>> {
        (self.kind() == Kind::String).then(|| unescape_string(self.text()))
    }

    /// Whether both have the same tokens in the same lists; positions and comments do not matter.
    pub fn same_as(self, other: Sexpr<'_>) -> bool {
        let (mine, its) = (self.nodes(), other.nodes());
        mine.len() == its.len()
            && mine.iter().zip(its).all(|(a, b)| {
                let same_shape = a.kind == b.kind && a.after - self.at == b.after - other.at;
                same_shape && (a.kind == Kind::List || self.token(a) == other.token(b))
            })
    }

    fn nodes(self) -> &'s [Node] {
        &self.tape.nodes[self.at as usize..self.after() as usize]
    }

    fn token(self, node: &Node) -> &'s str {
        &self.source[Span::new(node.start, node.end).range()]
    }

    /// Its index on the tape.
    #[inline]
    pub fn at(self) -> u32 {
        self.at
    }

    /// The index just after its last descendant.
    #[inline]
    pub fn after(self) -> u32 {
        self.node().after
    }

    #[inline]
    pub fn tape(self) -> &'s Tape {
        self.tape
    }

    #[inline]
    pub fn source(self) -> &'s str {
        self.source
    }
}

impl fmt::Debug for Sexpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({})", self.kind(), self.text())
    }
}

/// The items of a list, in order.
#[derive(Clone)]
pub struct Items<'s> {
    tape: &'s Tape,
    source: &'s str,
    next: u32,
    end: u32,
}

impl Items<'_> {
    /// Whether no item is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next >= self.end
    }
}

impl<'s> Iterator for Items<'s> {
    type Item = Sexpr<'s>;

    #[inline]
    fn next(&mut self) -> Option<Sexpr<'s>> {
        if self.is_empty() {
            return None;
        }
        let item = Sexpr::new(self.tape, self.source, self.next);
        self.next = item.after();
        Some(item)
    }
}

impl FusedIterator for Items<'_> {}

impl Tape {
    /// The s-expression at an index that [`Reader::next`](crate::Reader::next) gave, with the text it was read from.
    ///
    /// # Panics
    /// When there is no such node; its later use panics when the text is another one.
    #[inline]
    pub fn root<'s>(&'s self, source: &'s str, at: u32) -> Sexpr<'s> {
        assert!(
            (at as usize) < self.len(),
            "a node of this tape is asked for"
        );
        Sexpr::new(self, source, at)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, Kind};

    fn kinds(text: &str) -> Vec<Kind> {
        let document = Document::read(text).unwrap();
        document.items().map(|s| s.kind()).collect()
    }

    #[test]
    fn every_kind_is_told_apart() {
        use Kind::*;
        assert_eq!(
            kinds("() a |a| :a 1 1.0 #xF #b1 \"a\""),
            [
                List,
                Symbol,
                QuotedSymbol,
                Keyword,
                Numeral,
                Decimal,
                Hexadecimal,
                Binary,
                String
            ]
        );
    }

    #[test]
    fn one_flat_text_for_all_layouts() {
        let flat = |text: &str| {
            let document = Document::read(text).unwrap();
            document.items().next().unwrap().flat_text().into_owned()
        };
        for text in ["(as @c U)", "(as\n   @c ; an element\n\tU)", "( as @c  U )"] {
            assert_eq!(flat(text), "(as @c U)");
        }
        assert_eq!(
            flat("(f\n (g) \"a\nb  c\" |x  y| ())"),
            "(f (g) \"a\nb  c\" |x  y| ())"
        );
        assert_eq!(flat("(((a)  b))"), "(((a) b))");
    }

    #[test]
    fn a_certain_text_has_no_token_that_is_read_in_two_ways() {
        let certain = |text: &str, standard| {
            let document = Document::read(text).unwrap();
            document.items().next().unwrap().certain_text(standard)
        };
        let same = |text: &str| certain(text, true);
        assert_eq!(
            same("(f ;x\r\n(g)#|a|#)").as_deref(),
            Some("(f (g) # |a| #)")
        );
        assert_eq!(same(r#"(f "a\")"#).as_deref(), Some(r#"(f "a\")"#));
        assert_eq!(certain(r#"(f "a\")"#, false), None);
        assert_eq!(
            certain(r#"(f "a\b")"#, false).as_deref(),
            Some(r#"(f "a\b")"#)
        );
        assert_eq!(same(r"(f |a\b|)"), None);
    }

    #[test]
    fn words_of_odd_characters_are_not_certain() {
        let certain = |text: &str| {
            let document = Document::read(text).unwrap();
            document.items().next().unwrap().has_certain_words()
        };
        for text in ["(f x! 1.5 #b01 #f1m5 |a # b| \"#\" :named)", "(= a-b <=)"] {
            assert!(certain(text), "{text}");
        }
        for text in [
            "(f # | x |)",
            "(f a\\b)",
            "(f \u{a0})",
            "(f \0)",
            "(f {)",
            "(f :)",
        ] {
            assert!(!certain(text), "{text}");
        }
    }

    #[test]
    fn items_of_a_list_and_none_of_an_atom() {
        let document = Document::read("(a (b c) () d) e").unwrap();
        let roots: Vec<_> = document.items().collect();
        let texts: Vec<_> = roots[0].items().map(|s| s.text()).collect();
        assert_eq!(texts, ["a", "(b c)", "()", "d"]);
        assert_eq!(roots[0].count(), 4);
        assert_eq!(roots[0].item(1).unwrap().item(1).unwrap().text(), "c");
        assert!(roots[0].item(4).is_none());
        assert_eq!(roots[1].count(), 0);
        assert_eq!((roots[0].at(), roots[0].after(), roots[1].at()), (0, 7, 7));
    }

    #[test]
    fn head_is_the_first_symbol_only() {
        let document = Document::read("(|a b| c) ((a) b) () a").unwrap();
        let heads: Vec<_> = document.items().map(|s| s.head()).collect();
        assert_eq!(heads, [Some("a b"), None, None, None]);
    }

    #[test]
    fn symbols_have_names_and_strings_have_contents() {
        let document = Document::read(r#"|x y| x "a ""b""" "#).unwrap();
        let roots: Vec<_> = document.items().collect();
        assert_eq!(roots[0].symbol(), Some("x y"));
        for symbol in &roots[..2] {
            let range = symbol.symbol_range().unwrap();
            assert_eq!(symbol.source().get(range), symbol.symbol());
        }
        assert_eq!(roots[2].symbol_range(), None);
        assert_eq!(roots[1].symbol(), Some("x"));
        assert_eq!(roots[2].string().as_deref(), Some(r#"a "b""#));
        assert_eq!(roots[2].symbol(), None);
        assert_eq!(roots[0].string(), None);
    }

    #[test]
    fn same_tokens_at_other_places_are_the_same() {
        let same = |a: &str, b: &str| {
            let (a, b) = (Document::read(a).unwrap(), Document::read(b).unwrap());
            a.items().next().unwrap().same_as(b.items().next().unwrap())
        };
        assert!(same("(a (b) c)", "x (a(b);\n c)".trim_start_matches('x')));
        assert!(!same("(a (b) c)", "(a (b c))"));
        assert!(!same("(a b)", "(a |b|)"));
        assert!(!same("(a b)", "(a b c)"));
    }
}
