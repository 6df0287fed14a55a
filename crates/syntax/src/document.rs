//! A whole text with all its s-expressions, and its formatting with or without comments.

use crate::error::SyntaxError;
use crate::pretty::{Comments, Printer};
use crate::read::Reader;
use crate::sexpr::Sexpr;
use crate::tape::Tape;

/// A whole text with all its s-expressions.
#[derive(Clone, Debug)]
pub struct Document {
    source: String,
    tape: Tape,
    roots: Vec<u32>,
}

impl Document {
    pub fn read(source: impl Into<String>) -> Result<Document, SyntaxError> {
        let source = source.into();
        let (mut tape, mut roots) = (Tape::default(), Vec::new());
        let mut reader = Reader::new(&source);
        while let Some(root) = reader.next(&mut tape)? {
            roots.push(root);
        }
        Ok(Document {
            source,
            tape,
            roots,
        })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// The top-level s-expressions, in order.
    pub fn items(&self) -> impl ExactSizeIterator<Item = Sexpr<'_>> + DoubleEndedIterator + Clone {
        self.roots
            .iter()
            .map(|&at| self.tape.root(&self.source, at))
    }

    /// Whether both have the same s-expressions; positions and comments do not matter.
    pub fn same_as(&self, other: &Document) -> bool {
        let both = || self.items().zip(other.items());
        self.items().len() == other.items().len() && both().all(|(a, b)| a.same_as(b))
    }

    /// Appends the document laid out for lines of `width` characters, one s-expression after another.
    ///
    /// Kept comments stand on lines of their own, except those that followed a whole s-expression
    /// on its last line; an empty line between s-expressions stays.
    pub fn pretty(&self, width: usize, comments: Comments, out: &mut String) {
        let mut printer = Printer::new(width, comments, out);
        let mut from = 0;
        for root in self.items() {
            let start = root.span().start as usize;
            printer.between(&self.source[from..start], from > 0);
            printer.root(root);
            from = root.span().end as usize;
        }
        printer.between(&self.source[from..], from > 0);
        printer.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;

    #[test]
    fn holds_every_s_expression() {
        let document = Document::read("(a) b ; c\n\"d\"").unwrap();
        let texts: Vec<_> = document.items().map(Sexpr::text).collect();
        assert_eq!(texts, ["(a)", "b", "\"d\""]);
        assert_eq!(document.tape().len(), 4);
    }

    #[test]
    fn one_mistake_anywhere_is_an_error() {
        assert_eq!(
            Document::read("(a) )").unwrap_err().problem,
            Problem::UnexpectedClose
        );
    }

    #[test]
    fn same_means_the_same_tokens() {
        let read = |text: &str| Document::read(text).unwrap();
        assert!(read("(a)(b)").same_as(&read("( a ) ;x\n (b)")));
        assert!(!read("(a)(b)").same_as(&read("(a)")));
        assert!(!read("(a)(b)").same_as(&read("(a)(c)")));
    }
}
