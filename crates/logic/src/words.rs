//! The reserved words that open a form. They are interned first in every arena, so that reading compares numbers
//! instead of texts.

/// A word with a form of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Let,
    Forall,
    Exists,
    Lambda,
    Choice,
    Comprehension,
    Annotation,
    Match,
    Indexed,
    Qualified,
    /// cvc5's explicit application of a function.
    Apply,
    /// z3's algebraic number.
    Root,
    True,
    False,
}

impl Word {
    pub const ALL: [Word; 14] = [
        Word::Let,
        Word::Forall,
        Word::Exists,
        Word::Lambda,
        Word::Choice,
        Word::Comprehension,
        Word::Annotation,
        Word::Match,
        Word::Indexed,
        Word::Qualified,
        Word::Apply,
        Word::Root,
        Word::True,
        Word::False,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Word::Let => "let",
            Word::Forall => "forall",
            Word::Exists => "exists",
            Word::Lambda => "lambda",
            Word::Choice => "choice",
            Word::Comprehension => "set.comprehension",
            Word::Annotation => "!",
            Word::Match => "match",
            Word::Indexed => "_",
            Word::Qualified => "as",
            Word::Apply => "@",
            Word::Root => "root-obj",
            Word::True => "true",
            Word::False => "false",
        }
    }

    /// Whether it is followed by something other than a term, such as bindings or cases.
    pub fn has_parts_of_its_own(self) -> bool {
        !matches!(
            self,
            Word::Apply | Word::Root | Word::True | Word::False | Word::Indexed | Word::Qualified
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Terms;

    #[test]
    fn every_word_is_found_by_its_symbol() {
        let mut terms = Terms::new();
        for word in Word::ALL {
            let symbol = terms.symbols.intern(word.name());
            assert_eq!(terms.word(symbol), Some(word));
        }
        let other = terms.symbols.intern("lets");
        assert_eq!(terms.word(other), None);
    }
}
