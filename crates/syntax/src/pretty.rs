//! Formatting: breaks long lists over lines, without recursion, and never changes a token.
//!
//! A list that fits on its line stays there. Otherwise its head stays, together with what belongs
//! to the head (a name, bound variables, a single argument), and every other item gets a line two
//! columns further in; a keyword keeps its value beside it.

use crate::sexpr::{Items, Sexpr};
use crate::tape::Kind;

/// What happens to comments when a document is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    Keep,
    Drop,
}

/// Wider than any line: for tokens and lists that cannot stand on one line.
const TOO_WIDE: u32 = u32::MAX;

/// Appends an s-expression laid out for lines of `width` characters, without its comments.
///
/// A line is longer only where a token, or a head with what belongs to it, leaves no choice.
/// The text does not end in a line break.
pub fn pretty(sexpr: Sexpr<'_>, width: usize, out: &mut String) {
    Printer::new(width, Comments::Drop, out).sexpr(sexpr);
}

/// Appends an s-expression on one line with single spaces, but for line breaks inside tokens.
pub fn write_flat(sexpr: Sexpr<'_>, out: &mut String) {
    let mut ends = Vec::new();
    let mut needs_space = false;
    for at in sexpr.at()..sexpr.after() {
        while ends.pop_if(|end| *end == at).is_some() {
            out.push(')');
        }
        if needs_space {
            out.push(' ');
        }
        let node = sexpr.tape().root(sexpr.source(), at);
        needs_space = !node.is_list() || node.items().is_empty();
        if node.is_list() {
            out.push('(');
            ends.push(node.after());
        } else {
            out.push_str(node.text());
        }
    }
    out.extend(ends.iter().map(|_| ')'));
}

/// A list that is being broken over lines.
struct Frame<'s> {
    items: Items<'s>,
    /// How many items are still to stand on the line of the head.
    beside: usize,
    /// How far in the line stands on which the next item would go on, and a new line would.
    indent: usize,
    item_indent: usize,
    after_keyword: bool,
    is_fresh: bool,
    /// Closing parentheses that stand directly behind this list.
    closers: usize,
    /// The start of the source text between the last token and the next one.
    gap: u32,
    end: u32,
}

/// Writes laid-out s-expressions and knows the column.
pub(crate) struct Printer<'o> {
    width: usize,
    comments: Comments,
    out: &'o mut String,
    column: usize,
    /// Whether something was printed, so that the next top-level item needs a new line.
    has_started: bool,
    empty_line_is_due: bool,
    /// The flat width of every node of the s-expression at hand.
    widths: Vec<u32>,
}

impl<'o> Printer<'o> {
    pub fn new(width: usize, comments: Comments, out: &'o mut String) -> Self {
        let column = out.chars().rev().take_while(|&c| c != '\n').count();
        let (has_started, empty_line_is_due) = (false, false);
        Printer {
            width,
            comments,
            out,
            column,
            has_started,
            empty_line_is_due,
            widths: Vec::new(),
        }
    }

    /// A top-level s-expression on a line of its own.
    pub fn root(&mut self, sexpr: Sexpr<'_>) {
        self.new_root_line();
        self.sexpr(sexpr);
    }

    /// What stands between top-level s-expressions: comments and empty lines.
    pub fn between(&mut self, gap: &str, follows_root: bool) {
        for (number, line) in gap.split('\n').enumerate() {
            let is_rest_of_line = number == 0 && follows_root;
            let is_whole_line = number > 0 && line.trim().is_empty();
            match comment(line).filter(|_| self.comments == Comments::Keep) {
                Some(comment) if is_rest_of_line => self.put(&format!(" {comment}")),
                Some(comment) => {
                    self.new_root_line();
                    self.put(comment);
                }
                // The piece behind the last line break belongs to the next s-expression's line.
                None if is_whole_line && has_line_after(gap, line) => self.empty_line_is_due = true,
                None => {}
            }
        }
    }

    /// Ends the last line.
    pub fn finish(self) {
        if self.has_started {
            self.out.push('\n');
        }
    }

    fn new_root_line(&mut self) {
        if self.has_started {
            if self.empty_line_is_due {
                self.out.push('\n');
            }
            self.new_line(0);
        }
        (self.has_started, self.empty_line_is_due) = (true, false);
    }

    /// One s-expression, from where the line stands now.
    fn sexpr(&mut self, sexpr: Sexpr<'_>) {
        self.measure(sexpr);
        let (base, source) = (sexpr.at(), sexpr.source());
        let mut frames: Vec<Frame<'_>> = Vec::new();
        frames.extend(self.item(sexpr, base, 0, 0));
        while let Some(frame) = frames.last_mut() {
            let Some(item) = frame.items.next() else {
                self.close(frame, source);
                frames.pop();
                continue;
            };
            self.separate(frame, item);
            let closers = if frame.items.is_empty() {
                frame.closers + 1
            } else {
                0
            };
            let indent = frame.indent;
            frames.extend(self.item(item, base, indent, closers));
        }
    }

    /// Prints an atom or a list that fits; opens any other list.
    fn item<'s>(
        &mut self,
        item: Sexpr<'s>,
        base: u32,
        indent: usize,
        closers: usize,
    ) -> Option<Frame<'s>> {
        if !item.is_list() {
            self.put(item.text());
            return None;
        }
        let flat = self.widths[(item.at() - base) as usize];
        let end = self
            .column
            .saturating_add(flat as usize)
            .saturating_add(closers);
        let is_bare = item.items().is_empty();
        if flat != TOO_WIDE && (end <= self.width || is_bare) {
            write_flat(item, self.out);
            self.column += flat as usize;
            return None;
        }
        Some(self.open(item, indent, closers))
    }

    fn open<'s>(&mut self, list: Sexpr<'s>, indent: usize, closers: usize) -> Frame<'s> {
        // Deep nesting must not make the text quadratic, so indentation stops at half the width.
        let deepest = (self.width / 2).max(2);
        let starts_with_list = list.item(0).is_some_and(Sexpr::is_list);
        let item_indent = if starts_with_list {
            self.column + 1
        } else {
            indent + 2
        }
        .min(deepest);
        let has_room = self.column < deepest;
        self.put("(");
        Frame {
            items: list.items(),
            beside: items_beside_head(list, has_room),
            indent: if starts_with_list {
                item_indent
            } else {
                indent
            },
            item_indent,
            after_keyword: false,
            is_fresh: true,
            closers,
            gap: list.span().start + 1,
            end: list.span().end,
        }
    }

    /// Goes to where the next item of a broken list stands.
    fn separate(&mut self, frame: &mut Frame<'_>, item: Sexpr<'_>) {
        let gap = &item.source()[frame.gap as usize..item.span().start as usize];
        let had_comments = self.inner_comments(gap, frame.item_indent);
        let is_keyword = item.kind() == Kind::Keyword;
        let is_beside = frame.beside > 0 || frame.after_keyword && !is_keyword;
        if had_comments || !is_beside {
            self.new_line(frame.item_indent);
            frame.indent = frame.item_indent;
        } else if !frame.is_fresh {
            self.put(" ");
        }
        frame.beside = frame.beside.saturating_sub(1);
        frame.after_keyword = is_keyword;
        frame.is_fresh = false;
        frame.gap = item.span().end;
    }

    fn close(&mut self, frame: &Frame<'_>, source: &str) {
        let gap = &source[frame.gap as usize..frame.end as usize - 1];
        if self.inner_comments(gap, frame.item_indent) {
            self.new_line(frame.item_indent);
        }
        self.put(")");
    }

    /// Puts the comments of a gap inside a list on lines of their own; whether there were any.
    fn inner_comments(&mut self, gap: &str, indent: usize) -> bool {
        if !self.keeps_comment_in(gap) {
            return false;
        }
        for comment in gap.split('\n').filter_map(comment) {
            self.new_line(indent);
            self.put(comment);
        }
        true
    }

    fn keeps_comment_in(&self, gap: &str) -> bool {
        self.comments == Comments::Keep && gap.bytes().any(|b| b == b';')
    }

    fn new_line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(at) => self.column = text[at + 1..].chars().count(),
            None => self.column += text.chars().count(),
        }
    }

    /// Computes every node's width on one line, items before their lists.
    fn measure(&mut self, sexpr: Sexpr<'_>) {
        let base = sexpr.at();
        self.widths.clear();
        self.widths.resize((sexpr.after() - base) as usize, 0);
        for at in (base..sexpr.after()).rev() {
            let node = sexpr.tape().root(sexpr.source(), at);
            let width = if node.is_list() {
                self.list_width(node, base)
            } else {
                token_width(node.text())
            };
            self.widths[(at - base) as usize] = width;
        }
    }

    fn list_width(&self, list: Sexpr<'_>, base: u32) -> u32 {
        let mut width = if list.items().is_empty() { 2 } else { 1 };
        let mut gap = list.span().start as usize + 1;
        for item in list.items() {
            if self.keeps_comment_in(&list.source()[gap..item.span().start as usize]) {
                return TOO_WIDE;
            }
            gap = item.span().end as usize;
            width = self.widths[(item.at() - base) as usize]
                .saturating_add(1)
                .saturating_add(width);
        }
        if self.keeps_comment_in(&list.source()[gap..list.span().end as usize - 1]) {
            TOO_WIDE
        } else {
            width
        }
    }
}

fn token_width(text: &str) -> u32 {
    if text.contains('\n') {
        TOO_WIDE
    } else {
        text.chars().count().try_into().unwrap_or(TOO_WIDE)
    }
}

/// The comment on a line that holds no token.
pub(crate) fn comment(line: &str) -> Option<&str> {
    line.find(';').map(|at| line[at..].trim_end())
}

/// Whether `line`, a piece of `gap`, is followed by a line break.
fn has_line_after(gap: &str, line: &str) -> bool {
    let end = line.as_ptr() as usize + line.len() - gap.as_ptr() as usize;
    end < gap.len()
}

/// How many items of a list that is broken over lines stay on its first line, the head included.
fn items_beside_head(list: Sexpr<'_>, has_room: bool) -> usize {
    let is_plain = list.item(0).is_some_and(|head| head.kind() == Kind::Symbol);
    match list.head().filter(|_| is_plain) {
        Some("set-info" | "set-option" | "_" | "as") => usize::MAX,
        Some("define-fun" | "define-fun-rec") => 4,
        Some("declare-fun" | "declare-datatype" | "declare-datatypes" | "define-sort") => 2,
        Some("forall" | "exists" | "lambda" | "let" | "match" | "par" | "!") => 2,
        Some(_) if has_room && list.item(2).is_none() => 2,
        Some(_) | None => 1,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Comments, Document, pretty, write_flat};

    fn check_pretty(width: usize, before: &str, after: &str) {
        let document = Document::read(before).unwrap();
        let mut out = String::new();
        document.pretty(width, Comments::Keep, &mut out);
        assert_eq!(out, after);
    }

    fn one_line(text: &str) -> String {
        let document = Document::read(text).unwrap();
        let mut out = String::new();
        write_flat(document.items().next().unwrap(), &mut out);
        out
    }

    #[test]
    fn what_fits_stays_on_one_line() {
        check_pretty(
            20,
            "(assert\n  (= x   y))(check-sat)",
            "(assert (= x y))\n(check-sat)\n",
        );
        check_pretty(16, "(assert (= x y))", "(assert (= x y))\n");
        check_pretty(80, "", "");
    }

    #[test]
    fn long_lists_are_broken() {
        check_pretty(
            20,
            "(assert (and (= x y) (or a bb ccc dddd eeee) c))",
            "(assert (and\n  (= x y)\n  (or\n    a\n    bb\n    ccc\n    dddd\n    eeee)\n  c))\n",
        );
        check_pretty(15, "(assert (= x y))", "(assert (=\n  x\n  y))\n");
    }

    #[test]
    fn bound_variables_stay_with_their_binder() {
        check_pretty(
            36,
            "(assert (forall ((x Int) (y Int) (zz Int)) (! (p x y) :pattern ((p x y)))))",
            "(assert (forall ((x Int)\n                 (y Int)\n                 (zz Int))\n  (! (p x y) :pattern ((p x y)))))\n",
        );
        check_pretty(
            22,
            "(! (p x y) :pattern ((p x y)) q)",
            "(! (p x y)\n  :pattern ((p x y))\n  q)\n",
        );
    }

    #[test]
    fn tokens_never_change() {
        let text = "(set-info :source |\n a  ( b\n|)\n(echo \"x\n  y\")\n";
        check_pretty(10, text, text);
    }

    #[test]
    fn comments_and_empty_lines_are_kept_when_asked_for() {
        let text = "; head\n\n(a) ; beside\n(b ; inside\n   c ; last\n)\n\n\n; end";
        let kept = "; head\n\n(a) ; beside\n(b\n  ; inside\n  c\n  ; last\n  )\n\n; end\n";
        check_pretty(80, text, kept);
        check_pretty(80, kept, kept);
    }

    #[test]
    fn comments_are_dropped_otherwise() {
        let document = Document::read("; head\n(a) ; beside\n(b ; inside\n)").unwrap();
        let mut out = String::new();
        document.pretty(80, Comments::Drop, &mut out);
        assert_eq!(out, "(a)\n(b)\n");
    }

    #[test]
    fn one_line_has_single_spaces() {
        assert_eq!(
            one_line("(a(b)()\n ( (c) d ; e\n)\"f\")"),
            "(a (b) () ((c) d) \"f\")"
        );
        assert_eq!(one_line(" a "), "a");
        assert_eq!(one_line("(((a)))"), "(((a)))");
    }

    #[test]
    fn deep_nesting_is_printed_without_recursion() {
        let depth = 300_000;
        for piece in ["(not ", "(f x ", "((", "(let ((x "] {
            let opens = piece.matches('(').count();
            let text = piece.repeat(depth) + "p" + &")".repeat(depth * opens);
            let document = Document::read(text).unwrap();
            let mut out = String::new();
            pretty(document.items().next().unwrap(), 80, &mut out);
            assert!(out.len() < 100 * opens * depth, "indentation is bounded");
            assert!(document.same_as(&Document::read(out).unwrap()));
        }
    }
}
