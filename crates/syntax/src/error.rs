//! Syntax errors: the few ways in which text cannot be s-expressions.

use crate::span::Span;
use std::fmt;

/// A problem with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SyntaxError {
    pub span: Span,
    pub problem: Problem,
}

impl SyntaxError {
    /// What is wrong, in one line.
    pub fn message(&self) -> &'static str {
        self.problem.message()
    }

    /// What was expected instead, in one line.
    pub fn expected(&self) -> &'static str {
        self.problem.expected()
    }
}

/// The kinds of syntax error. Everything else is read as some token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The text ends inside a list; the span is the parenthesis that was opened last.
    UnclosedList,
    /// A closing parenthesis without an open list.
    UnexpectedClose,
    /// The text ends inside a string literal; the span is its opening quote.
    UnclosedString,
    /// The text ends inside a quoted symbol; the span is its opening bar.
    UnclosedQuotedSymbol,
    /// The text has more bytes than a position can count.
    TooLarge,
}

impl Problem {
    pub const ALL: [Problem; 5] = [
        Problem::UnclosedList,
        Problem::UnexpectedClose,
        Problem::UnclosedString,
        Problem::UnclosedQuotedSymbol,
        Problem::TooLarge,
    ];

    pub fn message(self) -> &'static str {
        match self {
            Problem::UnclosedList => "unclosed list",
            Problem::UnexpectedClose => "unmatched closing parenthesis",
            Problem::UnclosedString => "unclosed string literal",
            Problem::UnclosedQuotedSymbol => "unclosed quoted symbol",
            Problem::TooLarge => "the text is too large",
        }
    }

    pub fn expected(self) -> &'static str {
        match self {
            Problem::UnclosedList => "expected `)` before the end of the text",
            Problem::UnexpectedClose => "expected `(` or the end of the text",
            Problem::UnclosedString => "expected `\"` before the end of the text",
            Problem::UnclosedQuotedSymbol => "expected `|` before the end of the text",
            Problem::TooLarge => "expected a text of less than 4 GiB",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_says_what_was_expected() {
        for problem in Problem::ALL {
            assert!(!problem.message().is_empty());
            assert!(problem.expected().starts_with("expected "));
        }
    }
}
