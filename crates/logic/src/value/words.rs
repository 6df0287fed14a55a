//! Operations on words over any alphabet, shared by strings and sequences: positions are signed and total as in SMT-LIB.

use super::string::{MAX_LENGTH, TooLarge};

/// A position or length as an index, if it lies in `0..=limit`.
fn within(position: i64, limit: usize) -> Option<usize> {
    usize::try_from(position).ok().filter(|&at| at <= limit)
}

/// The longest part of `word` of length at most `length` from `start`; empty when `start` lies outside of `word` or `length` is not positive.
pub fn extract<T>(word: &[T], start: i64, length: i64) -> &[T] {
    let Some(start) = within(start, word.len()) else {
        return &[];
    };
    let rest = &word[start..];
    let length = usize::try_from(length).unwrap_or(0);
    &rest[..length.min(rest.len())]
}

/// Finds occurrences of one pattern in linear time, after Knuth, Morris and Pratt.
struct Finder<'p, T> {
    pattern: &'p [T],
    /// For every prefix the length of its longest proper border; worked out as far as a match has come.
    borders: Vec<usize>,
}

impl<'p, T: PartialEq> Finder<'p, T> {
    fn new(pattern: &'p [T]) -> Self {
        let borders = Vec::new();
        Self { pattern, borders }
    }

    /// The first occurrence in `word` at or after `from`, which must not exceed the length of `word`.
    fn find(&mut self, word: &[T], from: usize) -> Option<usize> {
        if self.pattern.is_empty() {
            return Some(from);
        }
        if self.pattern.len() > word.len() - from {
            return None;
        }
        let mut matched = 0;
        for (at, letter) in word.iter().enumerate().skip(from) {
            while matched > 0 && *letter != self.pattern[matched] {
                matched = self.border(matched - 1);
            }
            if *letter == self.pattern[matched] {
                matched += 1;
            }
            if matched == self.pattern.len() {
                return Some(at + 1 - matched);
            }
        }
        None
    }

    /// The length of the longest proper border of the prefix that ends with the letter at `last`.
    fn border(&mut self, last: usize) -> usize {
        for at in self.borders.len()..=last {
            let mut length = at.checked_sub(1).map_or(0, |before| self.borders[before]);
            while length > 0 && self.pattern[at] != self.pattern[length] {
                length = self.borders[length - 1];
            }
            length += usize::from(at > 0 && self.pattern[at] == self.pattern[length]);
            self.borders.push(length);
        }
        self.borders[last]
    }
}

/// The first position at or after `from` where `pattern` occurs in `word`; none if `from` is outside of `0..=|word|`.
pub fn index_of<T: PartialEq>(word: &[T], pattern: &[T], from: i64) -> Option<usize> {
    let from = within(from, word.len())?;
    Finder::new(pattern).find(word, from)
}

/// The last position where `pattern` occurs in `word`; the length of `word` for the empty pattern.
pub fn last_index_of<T: PartialEq>(word: &[T], pattern: &[T]) -> Option<usize> {
    let backwards: Vec<&T> = word.iter().rev().collect();
    let pattern_backwards: Vec<&T> = pattern.iter().rev().collect();
    let first = Finder::new(&pattern_backwards).find(&backwards, 0)?;
    Some(word.len() - pattern.len() - first)
}

/// Whether `pattern` occurs in `word`.
pub fn contains<T: PartialEq>(word: &[T], pattern: &[T]) -> bool {
    Finder::new(pattern).find(word, 0).is_some()
}

/// The first occurrence of `pattern` replaced by `by`; an empty `pattern` occurs at the start.
pub fn replace<T: Clone + PartialEq>(
    word: &[T],
    pattern: &[T],
    by: &[T],
) -> Result<Vec<T>, TooLarge> {
    match Finder::new(pattern).find(word, 0) {
        None => Ok(word.to_vec()),
        Some(at) => join(&[&word[..at], by, &word[at + pattern.len()..]]),
    }
}

/// Every occurrence of `pattern` replaced by `by`, from left to right without overlaps; `word` itself for the empty pattern.
pub fn replace_all<T: Clone + PartialEq>(
    word: &[T],
    pattern: &[T],
    by: &[T],
) -> Result<Vec<T>, TooLarge> {
    if pattern.is_empty() {
        return Ok(word.to_vec());
    }
    let mut finder = Finder::new(pattern);
    let mut result = Vec::new();
    let mut from = 0;
    while let Some(at) = finder.find(word, from) {
        append(&mut result, &word[from..at])?;
        append(&mut result, by)?;
        from = at + pattern.len();
    }
    append(&mut result, &word[from..])?;
    Ok(result)
}

/// The letters of `word` from `start` on overwritten by those of `by`, as far as `word` reaches; `word` itself if `start` is not one of its positions.
pub fn update<T: Clone>(word: &[T], start: i64, by: &[T]) -> Vec<T> {
    let mut result = word.to_vec();
    if let Some(start) = within(start, word.len()) {
        for (old, new) in result[start..].iter_mut().zip(by) {
            *old = new.clone();
        }
    }
    result
}

/// All parts one after another.
pub fn join<T: Clone>(parts: &[&[T]]) -> Result<Vec<T>, TooLarge> {
    let mut result = Vec::new();
    for part in parts {
        append(&mut result, part)?;
    }
    Ok(result)
}

/// Adds letters to a word that must not grow beyond [`MAX_LENGTH`].
pub fn append<T: Clone>(word: &mut Vec<T>, more: &[T]) -> Result<(), TooLarge> {
    if more.len() > MAX_LENGTH.saturating_sub(word.len()) {
        return Err(TooLarge);
    }
    word.extend_from_slice(more);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_with_borders() {
        assert_eq!(index_of(b"aabaabaac", b"aabaac", 0), Some(3));
        assert_eq!(index_of(b"aabaabaac", b"aabaad", 0), None);
    }

    #[test]
    fn last_occurrence_may_overlap_an_earlier_one() {
        assert_eq!(last_index_of(b"aaa", b"aa"), Some(1));
        assert_eq!(last_index_of(b"aaa", b""), Some(3));
        assert_eq!(last_index_of(b"aaa", b"b"), None);
        assert_eq!(last_index_of(b"a", b"aa"), None);
    }

    #[test]
    fn growth_is_bounded() {
        let long = vec![0_u8; MAX_LENGTH / 2 + 1];
        assert_eq!(join(&[&long, &long]), Err(TooLarge));
        assert!(replace_all(&long, &[0], &[]).is_ok_and(|word| word.is_empty()));
        assert_eq!(replace_all(&long, &[0], &[1, 1]), Err(TooLarge));
    }
}
