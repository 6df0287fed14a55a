//! Positions: byte offsets, and the lines and columns people count in.

use std::ops::Range;

/// Byte offsets into the source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The span as indices of a slice.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The number of bytes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Line and column of a byte offset, both counted from 1, the column in characters.
///
/// An offset past the end means the end; one inside a character means that character.
pub fn line_column(source: &str, at: u32) -> (usize, usize) {
    let bytes = source.as_bytes();
    let at = (at as usize).min(bytes.len());
    let line_start = bytes[..at]
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |n| n + 1);
    let line = bytes[..line_start].iter().filter(|&&b| b == b'\n').count() + 1;
    let starts_character = |&&b: &&u8| b & 0xC0 != 0x80;
    let inside = bytes.get(at).is_some_and(|b| !starts_character(&b));
    let before = bytes[line_start..at]
        .iter()
        .filter(starts_character)
        .count();
    (line, if inside { before } else { before + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_columns_from_one() {
        let text = "(a\n b\n\nc)";
        assert_eq!(line_column(text, 0), (1, 1));
        assert_eq!(line_column(text, 2), (1, 3));
        assert_eq!(line_column(text, 4), (2, 2));
        assert_eq!(line_column(text, 6), (3, 1));
        assert_eq!(line_column(text, 7), (4, 1));
    }

    #[test]
    fn columns_are_characters_not_bytes() {
        let text = "äöü x";
        assert_eq!(line_column(text, 7), (1, 5));
        assert_eq!(line_column(text, 3), (1, 2), "inside a character");
    }

    #[test]
    fn past_the_end_is_the_end() {
        assert_eq!(line_column("ab\n", 99), (2, 1));
        assert_eq!(line_column("", 5), (1, 1));
    }
}
