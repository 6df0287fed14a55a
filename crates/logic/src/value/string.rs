//! `Str`, a value of sort String: a word of code points 0 to 0x2FFFF, and the functions of the theory that need no regular expression.
//!
//! Positions and lengths are `i64`: no string is longer than [`MAX_LENGTH`], so a caller may clamp larger integers.
//! `str.to_int` and `str.from_int` work on decimal text and leave the numbers to the caller.

use std::sync::Arc;

use super::words;

/// The largest code point of the theory: the end of Unicode plane 2.
pub const MAX_CODE_POINT: u32 = 0x2FFFF;

/// Longer words are not computed; the result is undetermined instead.
pub const MAX_LENGTH: usize = 1 << 22;

/// The result exists, but finding it would cost more than the work or space allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("beyond the allowed work or size")
    }
}

impl std::error::Error for TooLarge {}

/// A string; the order is `str.<`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Str(Arc<[u32]>);

impl Default for Str {
    fn default() -> Self {
        Self(Arc::from([]))
    }
}

impl Str {
    /// The word of these code points, or none if one of them is not a character of the theory.
    pub fn new(code_points: &[u32]) -> Option<Self> {
        let all_fit = code_points.iter().all(|&c| c <= MAX_CODE_POINT);
        all_fit.then(|| Self(Arc::from(code_points)))
    }

    /// For code points that come from other strings.
    pub(super) fn trusted(code_points: impl Into<Arc<[u32]>>) -> Self {
        Self(code_points.into())
    }

    pub fn code_points(&self) -> &[u32] {
        &self.0
    }

    /// `str.len`
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The only character of a singleton string.
    pub fn single(&self) -> Option<u32> {
        match *self.0 {
            [c] => Some(c),
            _ => None,
        }
    }

    /// `str.++`
    pub fn concat(&self, other: &Self) -> Result<Self, TooLarge> {
        Self::concat_all(&[self.clone(), other.clone()])
    }

    /// `str.++` of any number of strings.
    pub fn concat_all(parts: &[Self]) -> Result<Self, TooLarge> {
        let parts: Vec<&[u32]> = parts.iter().map(Self::code_points).collect();
        words::join(&parts).map(Self::trusted)
    }

    /// `str.at`
    pub fn at(&self, position: i64) -> Self {
        self.substr(position, 1)
    }

    /// `str.substr`
    pub fn substr(&self, start: i64, length: i64) -> Self {
        Self::trusted(words::extract(&self.0, start, length))
    }

    /// `str.prefixof` with `self` as the first argument
    pub fn is_prefix_of(&self, whole: &Self) -> bool {
        whole.0.starts_with(&self.0)
    }

    /// `str.suffixof` with `self` as the first argument
    pub fn is_suffix_of(&self, whole: &Self) -> bool {
        whole.0.ends_with(&self.0)
    }

    /// `str.contains`
    pub fn contains(&self, part: &Self) -> bool {
        words::contains(&self.0, &part.0)
    }

    /// `str.indexof`; `None` stands for -1
    pub fn index_of(&self, part: &Self, from: i64) -> Option<usize> {
        words::index_of(&self.0, &part.0, from)
    }

    /// z3's `seq.last_indexof`; `None` stands for -1
    pub fn last_index_of(&self, part: &Self) -> Option<usize> {
        words::last_index_of(&self.0, &part.0)
    }

    /// `str.replace`
    pub fn replace(&self, part: &Self, by: &Self) -> Result<Self, TooLarge> {
        words::replace(&self.0, &part.0, &by.0).map(Self::trusted)
    }

    /// `str.replace_all`
    pub fn replace_all(&self, part: &Self, by: &Self) -> Result<Self, TooLarge> {
        words::replace_all(&self.0, &part.0, &by.0).map(Self::trusted)
    }

    /// `str.is_digit`
    pub fn is_digit(&self) -> bool {
        self.single().is_some_and(is_digit)
    }

    /// `str.to_code`; `None` stands for -1
    pub fn to_code(&self) -> Option<u32> {
        self.single()
    }

    /// `str.from_code`
    pub fn from_code(code: i64) -> Self {
        match u32::try_from(code) {
            Ok(c) if c <= MAX_CODE_POINT => Self::trusted([c]),
            _ => Self::default(),
        }
    }

    /// `str.to_int` as decimal digits without superfluous zeros; `None` stands for -1
    pub fn to_int(&self) -> Option<String> {
        if self.is_empty() || !self.0.iter().all(|&c| is_digit(c)) {
            return None;
        }
        let digits = self.0.iter().filter_map(|&c| char::from_u32(c));
        let digits: String = digits.skip_while(|&d| d == '0').collect();
        Some(if digits.is_empty() {
            "0".into()
        } else {
            digits
        })
    }

    /// `str.from_int` of an integer in decimal notation, with a `-` in front if it is negative
    pub fn from_int(decimal: &str) -> Self {
        let digits = decimal.trim_start_matches('0');
        match decimal.bytes().all(|b| b.is_ascii_digit()) {
            true if digits.is_empty() && !decimal.is_empty() => Self::from("0"),
            true => Self::from(digits),
            false => Self::default(),
        }
    }

    /// `str.rev` (cvc5)
    pub fn reverse(&self) -> Self {
        Self(self.0.iter().rev().copied().collect())
    }

    /// `str.to_lower` (cvc5): ASCII letters only
    pub fn to_lower(&self) -> Self {
        self.map_in(u32::from('A')..=u32::from('Z'), |c| c + 32)
    }

    /// `str.to_upper` (cvc5): ASCII letters only
    pub fn to_upper(&self) -> Self {
        self.map_in(u32::from('a')..=u32::from('z'), |c| c - 32)
    }

    fn map_in(&self, range: std::ops::RangeInclusive<u32>, change: fn(u32) -> u32) -> Self {
        let letters = self.0.iter();
        Self(
            letters
                .map(|&c| if range.contains(&c) { change(c) } else { c })
                .collect(),
        )
    }

    /// `str.update` (cvc5)
    pub fn update(&self, start: i64, by: &Self) -> Self {
        Self::trusted(words::update(&self.0, start, &by.0))
    }
}

/// The characters of the text as they stand, without escapes; those beyond plane 2, which the theory does not have, are left out.
impl From<&str> for Str {
    fn from(text: &str) -> Self {
        let code_points = text.chars().map(u32::from);
        Self(code_points.filter(|&c| c <= MAX_CODE_POINT).collect())
    }
}

/// The literal, for messages and failing tests.
impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

pub(super) fn is_digit(c: u32) -> bool {
    (0x30..=0x39).contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(text: &str) -> Str {
        Str::from(text)
    }

    #[test]
    fn order_is_lexicographic_by_code_point() {
        let sorted = ["", "a", "aardvark", "aardwolf", "zygomorphic", "zygotic"];
        assert!(sorted.map(s).is_sorted());
        assert!(s("B") < s("a"));
        assert!(s("b") > s("aa"));
    }

    #[test]
    fn substr_is_total() {
        assert_eq!(s("abcde").substr(1, 3), s("bcd"));
        assert_eq!(s("abcde").substr(3, 99), s("de"));
        for (start, length) in [
            (-1, 2),
            (5, 1),
            (6, 1),
            (0, 0),
            (0, -1),
            (i64::MAX, i64::MAX),
        ] {
            assert_eq!(s("abcde").substr(start, length), s(""));
        }
        assert_eq!(s("abc").substr(0, i64::MAX), s("abc"));
        assert_eq!(s("abc").at(2), s("c"));
        assert_eq!(s("abc").at(3), s(""));
        assert_eq!(s("abc").at(-1), s(""));
    }

    #[test]
    fn parts_include_the_empty_string_and_the_whole() {
        for part in ["", "abc"] {
            assert!(s(part).is_prefix_of(&s("abc")));
            assert!(s(part).is_suffix_of(&s("abc")));
            assert!(s("abc").contains(&s(part)));
        }
        assert!(!s("b").is_prefix_of(&s("abc")) && !s("b").is_suffix_of(&s("abc")));
        assert!(!s("").contains(&s("a")));
    }

    #[test]
    fn indexof_follows_the_range_of_the_start() {
        assert_eq!(s("abab").index_of(&s("ab"), 0), Some(0));
        assert_eq!(s("abab").index_of(&s("ab"), 1), Some(2));
        assert_eq!(s("abab").index_of(&s("ab"), 3), None);
        assert_eq!(s("abab").index_of(&s("ab"), -1), None);
        // The result is the start itself for the empty part, also at the end.
        assert_eq!(s("ab").index_of(&s(""), 2), Some(2));
        assert_eq!(s("ab").index_of(&s(""), 3), None);
        assert_eq!(s("ab").index_of(&s(""), -1), None);
        assert_eq!(s("").index_of(&s(""), 0), Some(0));
    }

    #[test]
    fn replace_puts_in_front_for_the_empty_part() {
        assert_eq!(s("abab").replace(&s("b"), &s("c")), Ok(s("acab")));
        assert_eq!(s("ab").replace(&s(""), &s("x")), Ok(s("xab")));
        assert_eq!(s("ab").replace(&s("c"), &s("x")), Ok(s("ab")));
        assert_eq!(s("").replace(&s(""), &s("x")), Ok(s("x")));
    }

    #[test]
    fn replace_all_leaves_the_empty_part_alone() {
        assert_eq!(s("aaa").replace_all(&s("aa"), &s("b")), Ok(s("ba")));
        assert_eq!(s("abab").replace_all(&s("ab"), &s("aab")), Ok(s("aabaab")));
        assert_eq!(s("ab").replace_all(&s(""), &s("x")), Ok(s("ab")));
    }

    #[test]
    fn codes_are_total() {
        assert_eq!(Str::from_code(0x2FFFF).to_code(), Some(0x2FFFF));
        assert_eq!(Str::from_code(0x30000), s(""));
        assert_eq!(Str::from_code(-1), s(""));
        assert_eq!(s("ab").to_code(), None);
        assert_eq!(s("").to_code(), None);
        assert!(s("7").is_digit() && !s("77").is_digit() && !s("").is_digit());
        assert!(!s("٣").is_digit() && !s("/").is_digit() && !s(":").is_digit());
    }

    #[test]
    fn integers_map_to_decimal_words() {
        assert_eq!(s("00123").to_int().as_deref(), Some("123"));
        assert_eq!(s("000").to_int().as_deref(), Some("0"));
        assert_eq!(s("-123").to_int(), None);
        assert_eq!(s("").to_int(), None);
        assert_eq!(s("1 ").to_int(), None);
        assert_eq!(Str::from_int("123"), s("123"));
        assert_eq!(Str::from_int("0"), s("0"));
        assert_eq!(Str::from_int("-123"), s(""));
    }

    #[test]
    fn extensions_follow_the_documentation_of_cvc5() {
        assert_eq!(s("abc").reverse(), s("cba"));
        assert_eq!(s("aZ[é").to_lower(), s("az[é"));
        assert_eq!(s("aZ`é").to_upper(), s("AZ`é"));
        assert_eq!(s("abcd").update(1, &s("XYZW")), s("aXYZ"));
        assert_eq!(s("abcd").update(1, &s("X")), s("aXcd"));
        assert_eq!(s("abcd").update(4, &s("X")), s("abcd"));
        assert_eq!(s("abcd").update(-1, &s("X")), s("abcd"));
    }

    #[test]
    fn code_points_beyond_the_theory_are_refused() {
        assert!(Str::new(&[MAX_CODE_POINT]).is_some());
        assert!(Str::new(&[MAX_CODE_POINT + 1]).is_none());
    }
}
