//! The reader of s-expressions: one pass over the bytes, without recursion, and no allocation except the tape.

use crate::error::{Problem, SyntaxError};
use crate::escape::Ends;
use crate::scan::{self, BYTE_ORDER_MARK, Class, class};
use crate::span::Span;
use crate::tape::{Kind, Node, Tape};

/// The parent of a list at the top level.
const TOP: u32 = u32::MAX;

/// Reads top-level s-expressions one after another; constant memory apart from the tape.
///
/// Only text that cannot be s-expressions is an error: an open list, string or quoted symbol at
/// the end, or a closing parenthesis too many. Any other run of bytes between delimiters is an
/// atom; one that is no literal or keyword of the standard is a symbol. So `#f1m5`, `1e-5`, `a'`,
/// `\`, NUL and non-ASCII characters are read as (part of) symbols.
///
/// Quotes in strings may be escaped as in SMT-LIB 2.5 (`""`) or 2.0 (`\"`). A literal is read in
/// the standard's style, except where that leaves it stuck to the next token and the older style
/// does not; once that has happened, the older style is preferred for the rest of the text.
/// Likewise `\|` does not end a quoted symbol where z3's reading fits and the standard's does not.
#[derive(Clone, Debug)]
pub struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    ends: Ends,
}

impl<'s> Reader<'s> {
    pub fn new(source: &'s str) -> Self {
        Reader {
            bytes: source.as_bytes(),
            at: 0,
            ends: Ends::default(),
        }
    }

    /// Where reading continues: after the last s-expression that was read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Appends the next top-level s-expression to the tape; its index, or None at the end of the text.
    ///
    /// After an error the tape is as before, and reading may go on: behind an unexpected `)`,
    /// and at the end of the text after every other error.
    #[allow(clippy::should_implement_trait)] // the tape is an argument
    pub fn next(&mut self, tape: &mut Tape) -> Result<Option<u32>, SyntaxError> {
        let root = tape.nodes.len();
        if !fits(self.bytes.len(), self.at, root) {
            self.at = self.bytes.len();
            return Err(SyntaxError {
                span: Span::default(),
                problem: Problem::TooLarge,
            });
        }
        match self.read(&mut tape.nodes) {
            Ok(true) => Ok(Some(root as u32)),
            Ok(false) => Ok(None),
            Err(error) => {
                tape.nodes.truncate(root);
                Err(error)
            }
        }
    }

    /// Reads until one s-expression is complete; false at the end of the text.
    fn read(&mut self, nodes: &mut Vec<Node>) -> Result<bool, SyntaxError> {
        let bytes = self.bytes;
        let mut open = TOP;
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            match class(byte) {
                Class::Space => {
                    self.at += 1;
                    continue;
                }
                Class::Semicolon => {
                    self.at = scan::line_end(bytes, start);
                    continue;
                }
                Class::Mark if bytes[start..].starts_with(BYTE_ORDER_MARK) => {
                    self.at += BYTE_ORDER_MARK.len();
                    continue;
                }
                Class::Open => {
                    self.at += 1;
                    open = open_list(nodes, start, open);
                    continue;
                }
                Class::Close => {
                    self.at += 1;
                    open = close_list(nodes, self.at, open)
                        .ok_or_else(|| self.error(start, Problem::UnexpectedClose))?;
                }
                class => {
                    let (kind, end) = self.atom(class, start)?;
                    let after = nodes.len() as u32 + 1;
                    nodes.push(Node {
                        start: start as u32,
                        end: end as u32,
                        after,
                        kind,
                    });
                    self.at = end;
                }
            }
            if open == TOP {
                return Ok(true);
            }
        }
        match nodes.get(open as usize) {
            Some(list) => Err(self.error(list.start as usize, Problem::UnclosedList)),
            None => Ok(false),
        }
    }

    #[inline]
    fn atom(&mut self, class: Class, start: usize) -> Result<(Kind, usize), SyntaxError> {
        Ok(match class {
            Class::Digit => scan::number(self.bytes, start),
            Class::Hash => scan::hash(self.bytes, start),
            Class::Colon => scan::keyword(self.bytes, start),
            Class::Quote => self.string(start)?,
            Class::Bar => self.quoted_symbol(start)?,
            _ => (Kind::Symbol, scan::symbol_end(self.bytes, start + 1)),
        })
    }

    fn string(&mut self, start: usize) -> Result<(Kind, usize), SyntaxError> {
        match self.ends.string(self.bytes, start) {
            Some(end) => Ok((Kind::String, end)),
            None => Err(self.unclosed(start, Problem::UnclosedString)),
        }
    }

    fn quoted_symbol(&mut self, start: usize) -> Result<(Kind, usize), SyntaxError> {
        match self.ends.quoted_symbol(self.bytes, start) {
            Some(end) => Ok((Kind::QuotedSymbol, end)),
            None => Err(self.unclosed(start, Problem::UnclosedQuotedSymbol)),
        }
    }

    fn unclosed(&mut self, start: usize, problem: Problem) -> SyntaxError {
        self.at = self.bytes.len();
        self.error(start, problem)
    }

    /// Every problem is marked at the one byte that has no partner.
    fn error(&self, start: usize, problem: Problem) -> SyntaxError {
        SyntaxError {
            span: Span::new(start as u32, start as u32 + 1),
            problem,
        }
    }
}

/// Whether every offset and index fits 32 bits: there are never more new nodes than bytes left.
fn fits(length: usize, at: usize, nodes: usize) -> bool {
    let most_nodes = nodes.saturating_add(length - at);
    // The largest number marks the top level.
    length.max(most_nodes) < TOP as usize
}

/// Appends a list that remembers the list around it until it is closed; its index.
#[inline]
fn open_list(nodes: &mut Vec<Node>, start: usize, around: u32) -> u32 {
    let at = nodes.len() as u32;
    nodes.push(Node {
        start: start as u32,
        end: 0,
        after: around,
        kind: Kind::List,
    });
    at
}

/// Closes the open list and gives the one around it; nothing if none is open.
#[inline]
fn close_list(nodes: &mut [Node], end: usize, open: u32) -> Option<u32> {
    let after = nodes.len() as u32;
    let list = nodes.get_mut(open as usize)?;
    let around = list.after;
    (list.after, list.end) = (after, end as u32);
    Some(around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn problem(text: &str) -> (Problem, u32) {
        let error = Document::read(text).unwrap_err();
        (error.problem, error.span.start)
    }

    fn kinds(text: &str) -> Vec<Kind> {
        Document::read(text)
            .unwrap()
            .items()
            .map(|s| s.kind())
            .collect()
    }

    #[test]
    fn spans_are_exact() {
        let document = Document::read(" (a |b c| (\"d\")) ; e\n#x0f").unwrap();
        let texts: Vec<_> = document.items().map(|s| s.text()).collect();
        assert_eq!(texts, ["(a |b c| (\"d\"))", "#x0f"]);
    }

    #[test]
    fn literals_of_the_standard() {
        assert_eq!(
            kinds("0 007 123456789012345678901234567890"),
            [Kind::Numeral; 3]
        );
        assert_eq!(kinds("0.0 00.10 2."), [Kind::Decimal; 3]);
        assert_eq!(kinds("#x0 #xaBcDeF"), [Kind::Hexadecimal; 2]);
        assert_eq!(kinds("#b0 #b1010"), [Kind::Binary; 2]);
        assert_eq!(kinds(":named :a.b"), [Kind::Keyword; 2]);
    }

    #[test]
    fn everything_else_is_a_symbol() {
        let odd = "#f1m5 #f-1m5 #x #xg #b #b2 1e-5 1/3 1.0.0 0x1F 1a : ' a' a#b a:b \\ [x] {y} é \u{F7FF} \0 , `";
        assert!(kinds(odd).iter().all(|&kind| kind == Kind::Symbol));
    }

    #[test]
    fn tokens_end_without_spaces() {
        let document = Document::read("(a\"b\"|c|(d)1;e\n:f)").unwrap();
        let list = document.items().next().unwrap();
        let texts: Vec<_> = list.items().map(|s| s.text()).collect();
        assert_eq!(texts, ["a", "\"b\"", "|c|", "(d)", "1", ":f"]);
    }

    #[test]
    fn comments_and_spaces_are_no_tokens() {
        assert!(kinds("").is_empty());
        assert!(kinds("\u{FEFF} \t\r\n\x0B\x0C ; (").is_empty());
        assert!(kinds("; |\n;\"\n").is_empty());
        assert_eq!(kinds("; a\r\nb"), [Kind::Symbol]);
    }

    #[test]
    fn a_byte_order_mark_is_no_token_but_may_be_part_of_one() {
        assert_eq!(
            kinds("\u{FEFF}a \u{FEFF} \u{FEFF}(b)"),
            [Kind::Symbol, Kind::List]
        );
        assert_eq!(kinds("a\u{FEFF}b \u{FFFF}"), [Kind::Symbol; 2]);
    }

    #[test]
    fn errors_name_the_problem_and_the_place() {
        assert_eq!(problem("(a (b) (c"), (Problem::UnclosedList, 7));
        assert_eq!(problem("(a))"), (Problem::UnexpectedClose, 3));
        assert_eq!(problem("(a \"b)"), (Problem::UnclosedString, 3));
        assert_eq!(problem("(a |b)"), (Problem::UnclosedQuotedSymbol, 3));
        assert_eq!(problem("\"\"\""), (Problem::UnclosedString, 0));
    }

    #[test]
    fn reading_goes_on_after_an_unexpected_close() {
        let text = "(a) ) (b)";
        let (mut reader, mut tape) = (Reader::new(text), Tape::default());
        assert_eq!(reader.next(&mut tape), Ok(Some(0)));
        assert!(reader.next(&mut tape).is_err());
        assert_eq!(tape.len(), 2);
        assert_eq!(reader.next(&mut tape), Ok(Some(2)));
        assert_eq!(tape.root(text, 2).text(), "(b)");
        assert_eq!(reader.next(&mut tape), Ok(None));
    }

    #[test]
    fn an_error_leaves_the_tape_as_it_was() {
        let (mut reader, mut tape) = (Reader::new("a (b (c"), Tape::default());
        assert_eq!(reader.next(&mut tape), Ok(Some(0)));
        assert!(reader.next(&mut tape).is_err());
        assert_eq!(tape.len(), 1);
        assert_eq!(reader.next(&mut tape), Ok(None));
    }

    #[test]
    fn only_what_positions_can_count_is_read() {
        let four_gib = 1 << 32;
        assert!(fits(four_gib - 2, 0, 0) && fits(four_gib - 2, 1000, 1000));
        assert!(!fits(four_gib, 0, 0) && !fits(four_gib, four_gib, 0));
        assert!(!fits(1000, 0, four_gib - 1000));
    }

    #[test]
    fn a_million_levels_are_read_without_recursion() {
        let depth = 1_000_000;
        let text = "(".repeat(depth) + &")".repeat(depth);
        let document = Document::read(text.as_str()).unwrap();
        assert_eq!(document.tape().len(), depth);
        assert_eq!(document.items().next().unwrap().text().len(), 2 * depth);
        assert_eq!(problem(&text[1..]).0, Problem::UnexpectedClose);
        assert_eq!(problem(&text[..text.len() - 1]), (Problem::UnclosedList, 0));
    }
}
