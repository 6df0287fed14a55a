//! `Int`: an integer of any size; small ones live in a machine word, with no allocation. Arithmetic is in `int_ops`.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};

/// A mathematical integer. `Big` holds only what does not fit an `i64`, so equal integers are equal values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Int {
    Small(i64),
    Big(Arc<IBig>),
}

impl Int {
    pub const ZERO: Int = Int::Small(0);
    pub const ONE: Int = Int::Small(1);

    /// Operations that could grow without bound refuse results of more bits than this.
    pub const MAX_BITS: u64 = 1 << 18;

    /// Reads decimal digits, nothing else: no sign, no spaces, no separators.
    pub fn parse(digits: &str) -> Option<Int> {
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        match digits.parse::<i64>() {
            Ok(small) => Some(Int::Small(small)),
            Err(_) => IBig::from_str_radix(digits, 10).ok().map(Int::from),
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self, Int::Small(0))
    }

    pub fn is_one(&self) -> bool {
        matches!(self, Int::Small(1))
    }

    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    pub fn is_even(&self) -> bool {
        !self.bit(0)
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match self {
            Int::Small(n) => n.signum() as i32,
            Int::Big(n) if n.sign() == Sign::Negative => -1,
            Int::Big(_) => 1,
        }
    }

    /// How many bits the absolute value has; 0 for zero.
    pub fn bit_len(&self) -> u64 {
        match self {
            Int::Small(n) => u64::from(u64::BITS - n.unsigned_abs().leading_zeros()),
            Int::Big(n) => magnitude_bit_len(n),
        }
    }

    /// Bit `index` of the two's complement with endless sign bits.
    pub fn bit(&self, index: u64) -> bool {
        match self {
            Int::Small(n) => (n >> index.min(63)) & 1 == 1,
            Int::Big(n) => usize::try_from(index).map_or(n.sign() == Sign::Negative, |i| n.bit(i)),
        }
    }

    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Int::Small(n) => Some(*n),
            Int::Big(_) => None,
        }
    }

    pub fn to_u64(&self) -> Option<u64> {
        match self {
            Int::Small(n) => u64::try_from(*n).ok(),
            Int::Big(n) => u64::try_from(&**n).ok(),
        }
    }

    pub fn to_u32(&self) -> Option<u32> {
        self.to_i64().and_then(|n| u32::try_from(n).ok())
    }

    pub fn to_usize(&self) -> Option<usize> {
        self.to_u64().and_then(|n| usize::try_from(n).ok())
    }

    pub fn to_ibig(&self) -> IBig {
        match self {
            Int::Small(n) => IBig::from(*n),
            Int::Big(n) => IBig::clone(n),
        }
    }

    /// The absolute value as a natural number.
    pub fn magnitude(&self) -> UBig {
        match self {
            Int::Small(n) => UBig::from(n.unsigned_abs()),
            Int::Big(n) => IBig::clone(n).into_parts().1,
        }
    }
}

/// Length in bits of the absolute value; the library's own `bit_len` means another thing for negative numbers.
fn magnitude_bit_len(n: &IBig) -> u64 {
    let (_, words) = n.as_sign_words();
    let unused = words.last().map_or(0, |top| top.leading_zeros());
    words.len() as u64 * u64::from(dashu_int::Word::BITS) - u64::from(unused)
}

impl From<IBig> for Int {
    fn from(n: IBig) -> Int {
        match i64::try_from(&n) {
            Ok(small) => Int::Small(small),
            Err(_) => Int::Big(Arc::new(n)),
        }
    }
}

impl From<UBig> for Int {
    fn from(n: UBig) -> Int {
        Int::from(IBig::from(n))
    }
}

macro_rules! from_small {
    ($($t:ty)*) => {$(
        impl From<$t> for Int {
            fn from(n: $t) -> Int {
                Int::Small(i64::from(n))
            }
        }
    )*};
}

macro_rules! from_wide {
    ($($t:ty)*) => {$(
        impl From<$t> for Int {
            fn from(n: $t) -> Int {
                i64::try_from(n).map_or_else(|_| Int::Big(Arc::new(IBig::from(n))), Int::Small)
            }
        }
    )*};
}

from_small!(i32 u32 i64);
from_wide!(u64 usize i128 u128);

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => a.cmp(b),
            (Int::Big(a), Int::Big(b)) => a.cmp(b),
            // A big one lies outside the range of the small ones, on the side of its sign.
            (Int::Big(_), Int::Small(_)) => self.signum().cmp(&0),
            (Int::Small(_), Int::Big(_)) => 0.cmp(&other.signum()),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Decimal digits, with a leading `-` if negative. For SMT-LIB text use [`Int::to_smtlib`].
impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int::Small(n) => n.fmt(f),
            Int::Big(n) => n.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Int {
    /// The value as an SMT-LIB term: `7`, `(- 7)`.
    pub fn to_smtlib(&self) -> String {
        match self.is_negative() {
            true => format!("(- {})", self.abs()),
            false => self.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Int {
        match text.strip_prefix('-') {
            Some(digits) => Int::parse(digits).expect("digits").neg(),
            None => Int::parse(text).expect("digits"),
        }
    }

    #[test]
    fn reads_digits_of_any_length() {
        assert_eq!(Int::parse("007"), Some(Int::Small(7)));
        assert_eq!(
            Int::parse("9223372036854775807"),
            Some(Int::Small(i64::MAX))
        );
        let big = Int::parse("9223372036854775808").unwrap();
        assert!(matches!(big, Int::Big(_)));
        assert_eq!(big.to_string(), "9223372036854775808");
    }

    #[test]
    fn refuses_what_is_not_a_numeral() {
        for text in ["", "-1", "+1", "1_000", " 1", "1.0", "0x1", "１"] {
            assert_eq!(Int::parse(text), None, "{text}");
        }
    }

    #[test]
    fn keeps_what_fits_a_word_small() {
        assert_eq!(Int::from(IBig::from(i64::MIN)), Int::Small(i64::MIN));
        assert_eq!(int("-9223372036854775808"), Int::Small(i64::MIN));
        assert!(matches!(int("-9223372036854775809"), Int::Big(_)));
        assert_eq!(Int::from(u64::MAX).to_u64(), Some(u64::MAX));
        assert_eq!(Int::from(u64::MAX).to_i64(), None);
    }

    #[test]
    fn orders_small_and_big_together() {
        let texts = [
            "-36893488147419103232",
            "-9223372036854775809",
            "-9223372036854775808",
            "-1",
            "0",
        ];
        let more = [
            "1",
            "9223372036854775807",
            "9223372036854775808",
            "36893488147419103232",
        ];
        let ints: Vec<Int> = texts.iter().chain(&more).map(|t| int(t)).collect();
        for (i, a) in ints.iter().enumerate() {
            for (j, b) in ints.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn counts_and_reads_bits() {
        let lengths = [
            ("0", 0),
            ("1", 1),
            ("-1", 1),
            ("-8", 4),
            ("9223372036854775808", 64),
        ];
        for (text, length) in lengths {
            assert_eq!(int(text).bit_len(), length, "{text}");
        }
        assert_eq!(int("-18446744073709551616").bit_len(), 65);
        assert!(int("-1").bit(0) && int("-1").bit(1_000_000) && !int("-2").bit(0));
        assert!(int("-18446744073709551616").bit(64) && !int("-18446744073709551616").bit(63));
        assert!(!int("18446744073709551616").bit(u64::MAX));
    }

    #[test]
    fn prints_negative_integers_as_applications() {
        assert_eq!(int("-7").to_smtlib(), "(- 7)");
        assert_eq!(int("7").to_smtlib(), "7");
    }
}
