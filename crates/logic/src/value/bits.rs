//! `BitVec`: a bit-vector of any width; up to 64 bits it lives in a machine word, with no allocation.
//! Operations are in `bits_ops`, comparisons and overflow predicates in `bits_cmp`.

use std::fmt;
use std::sync::Arc;

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

use super::int::Int;

/// A bit-vector. The representation is fixed by the width, so equal bit-vectors are equal values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitVec(Repr);

/// `Small` for widths up to 64, `Big` above; bits above the width are 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Repr {
    Small { width: u32, bits: u64 },
    Big { width: u32, bits: Arc<UBig> },
}

/// The widest bit-vector that lives in a word.
pub(super) const WORD: u32 = u64::BITS;

/// A word with the lowest `width` bits set, for widths up to 64.
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX.checked_shr(WORD - width.min(WORD)).unwrap_or(0)
}

impl BitVec {
    /// Operations that widen refuse results above this.
    pub const MAX_WIDTH: u32 = 1 << 26;

    /// The lowest `width` bits of a word.
    pub fn from_u64(width: u32, bits: u64) -> BitVec {
        match width {
            0..=WORD => BitVec(Repr::Small {
                width,
                bits: bits & mask(width),
            }),
            _ => BitVec(Repr::Big {
                width,
                bits: Arc::new(UBig::from(bits)),
            }),
        }
    }

    /// The lowest `width` bits of a natural number.
    pub fn from_ubig(width: u32, mut bits: UBig) -> BitVec {
        bits.clear_high_bits(width as usize);
        match (width, u64::try_from(&bits)) {
            (0..=WORD, Ok(bits)) => BitVec(Repr::Small { width, bits }),
            _ => BitVec(Repr::Big {
                width,
                bits: Arc::new(bits),
            }),
        }
    }

    /// `(_ int_to_bv width)`: the integer modulo 2 to the power `width`.
    pub fn from_int(width: u32, n: &Int) -> BitVec {
        match (n, width) {
            (Int::Small(n), 0..=WORD) => BitVec::from_u64(width, *n as u64),
            _ => BitVec::from_ubig(width, n.low_bits(width)),
        }
    }

    pub fn from_bool(bit: bool) -> BitVec {
        BitVec::from_u64(1, u64::from(bit))
    }

    pub fn zero(width: u32) -> BitVec {
        BitVec::from_u64(width, 0)
    }

    pub fn one(width: u32) -> BitVec {
        BitVec::from_u64(width, 1)
    }

    /// All bits 1.
    pub fn ones(width: u32) -> BitVec {
        match width {
            0..=WORD => BitVec::from_u64(width, u64::MAX),
            _ => BitVec(Repr::Big {
                width,
                bits: Arc::new(UBig::ones(width as usize)),
            }),
        }
    }

    /// The smallest signed value: the sign bit alone.
    pub fn min_signed(width: u32) -> BitVec {
        BitVec::one(width).shift_left_by(u64::from(width.saturating_sub(1)))
    }

    /// The largest signed value: all bits but the sign bit.
    pub fn max_signed(width: u32) -> BitVec {
        BitVec::min_signed(width).not()
    }

    pub fn width(&self) -> u32 {
        match self.0 {
            Repr::Small { width, .. } | Repr::Big { width, .. } => width,
        }
    }

    /// Bit `index`, counted from the lowest; `false` beyond the width.
    pub fn bit(&self, index: u32) -> bool {
        match &self.0 {
            Repr::Small { bits, .. } => bits.checked_shr(index).unwrap_or(0) & 1 == 1,
            Repr::Big { bits, .. } => bits.bit(index as usize),
        }
    }

    /// The highest bit: the sign.
    pub fn sign_bit(&self) -> bool {
        self.width() > 0 && self.bit(self.width() - 1)
    }

    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Repr::Small { bits, .. } => *bits == 0,
            Repr::Big { bits, .. } => bits.is_zero(),
        }
    }

    pub fn is_ones(&self) -> bool {
        *self == BitVec::ones(self.width())
    }

    /// How many bits are 1.
    pub fn count_ones(&self) -> usize {
        match &self.0 {
            Repr::Small { bits, .. } => bits.count_ones() as usize,
            Repr::Big { bits, .. } => bits.count_ones(),
        }
    }

    /// The unsigned value if it fits a word.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small { bits, .. } => Some(*bits),
            Repr::Big { bits, .. } => u64::try_from(&**bits).ok(),
        }
    }

    /// The unsigned value.
    pub fn to_ubig(&self) -> UBig {
        match &self.0 {
            Repr::Small { bits, .. } => UBig::from(*bits),
            Repr::Big { bits, .. } => UBig::clone(bits),
        }
    }

    /// `ubv_to_int`: the unsigned value.
    pub fn ubv_to_int(&self) -> Int {
        match &self.0 {
            Repr::Small { bits, .. } => Int::from(*bits),
            Repr::Big { bits, .. } => Int::from(UBig::clone(bits)),
        }
    }

    /// `sbv_to_int`: the two's complement value.
    pub fn sbv_to_int(&self) -> Int {
        match &self.0 {
            Repr::Small { width: 0, .. } => Int::ZERO,
            Repr::Small { width, bits } => {
                let unused = WORD - width;
                Int::Small(((bits << unused) as i64) >> unused)
            }
            Repr::Big { .. } if self.sign_bit() => Int::from(-IBig::from(self.neg().to_ubig())),
            Repr::Big { .. } => self.ubv_to_int(),
        }
    }

    pub(super) fn repr(&self) -> &Repr {
        &self.0
    }
}

impl BitVec {
    /// Reads `#b0101` or `#xAf`.
    pub fn parse(text: &str) -> Option<BitVec> {
        let (digits, radix, bits_per_digit) = match text.get(..2)? {
            "#b" => (&text[2..], 2, 1),
            "#x" => (&text[2..], 16, 4),
            _ => return None,
        };
        let width = u32::try_from(digits.len())
            .ok()?
            .checked_mul(bits_per_digit)?;
        let legal = digits.chars().all(|c| c.is_digit(radix));
        if !legal || width == 0 || width > BitVec::MAX_WIDTH {
            return None;
        }
        if width <= WORD {
            return u64::from_str_radix(digits, radix)
                .ok()
                .map(|n| BitVec::from_u64(width, n));
        }
        UBig::from_str_radix(digits, radix)
            .ok()
            .map(|n| BitVec::from_ubig(width, n))
    }

    /// Reads the digits of `(_ bvDIGITS width)`; `None` if the number does not fit, which the standard calls an error.
    pub fn parse_decimal(digits: &str, width: u32) -> Option<BitVec> {
        let n = Int::parse(digits)?;
        (n.bit_len() <= u64::from(width)).then(|| BitVec::from_int(width, &n))
    }

    /// The digits after `#b`, all of them.
    pub fn to_binary_digits(&self) -> String {
        let width = self.width() as usize;
        match &self.0 {
            Repr::Small { width: 0, .. } => String::new(),
            Repr::Small { bits, .. } => format!("{bits:0width$b}"),
            Repr::Big { bits, .. } => pad_with_zeros(&bits.in_radix(2).to_string(), width),
        }
    }

    fn to_hexadecimal_digits(&self) -> String {
        let count = self.width() as usize / 4;
        match &self.0 {
            Repr::Small { bits, .. } => format!("{bits:0count$x}"),
            Repr::Big { bits, .. } => pad_with_zeros(&bits.in_radix(16).to_string(), count),
        }
    }
}

/// Formatting arguments stop at 65535, bit-vectors do not.
fn pad_with_zeros(digits: &str, length: usize) -> String {
    let mut padded = "0".repeat(length.saturating_sub(digits.len()));
    padded.push_str(digits);
    padded
}

/// The SMT-LIB literal: `#x` if the width is a multiple of 4, else `#b`.
impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width() % 4 {
            0 => write!(f, "#x{}", self.to_hexadecimal_digits()),
            _ => write!(f, "#b{}", self.to_binary_digits()),
        }
    }
}

impl fmt::Debug for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bv(text: &str) -> BitVec {
        BitVec::parse(text).expect("a literal")
    }

    #[test]
    fn is_as_small_as_two_words() {
        assert_eq!(size_of::<BitVec>(), 16);
    }

    #[test]
    fn reads_and_prints_literals() {
        for text in [
            "#b0",
            "#b101",
            "#x0f",
            "#xffffffffffffffff",
            "#x00000000000000000f",
        ] {
            assert_eq!(bv(text).to_string(), text);
        }
        assert_eq!(bv("#xAf"), bv("#b10101111"));
        assert_eq!(bv("#b0101").to_string(), "#x5");
        let wide = format!("#b{}1", "0".repeat(64));
        assert_eq!(bv(&wide).to_string(), wide);
    }

    #[test]
    fn refuses_what_is_not_a_literal() {
        for text in [
            "", "#", "#b", "#x", "#b2", "#xg", "#b+1", "#o7", "b01", "#b0_1", "é", "#é",
        ] {
            assert_eq!(BitVec::parse(text), None, "{text}");
        }
    }

    #[test]
    fn reads_decimal_constants_that_fit() {
        assert_eq!(BitVec::parse_decimal("13", 32), Some(bv("#x0000000d")));
        assert_eq!(BitVec::parse_decimal("15", 4), Some(bv("#xf")));
        assert_eq!(BitVec::parse_decimal("16", 4), None);
        assert_eq!(BitVec::parse_decimal("-1", 4), None);
    }

    #[test]
    fn converts_to_and_from_integers() {
        // The standard's own example: ((_ int_to_bv 4) -7) and ((_ int_to_bv 4) 9) are both 1001.
        assert_eq!(BitVec::from_int(4, &Int::from(-7)), bv("#b1001"));
        assert_eq!(BitVec::from_int(4, &Int::from(9)), bv("#b1001"));
        assert_eq!(bv("#b1001").ubv_to_int(), Int::from(9));
        assert_eq!(bv("#b1001").sbv_to_int(), Int::from(-7));
        let minus_one = BitVec::from_int(100, &Int::from(-1));
        assert!(minus_one.is_ones());
        assert_eq!(minus_one.sbv_to_int(), Int::from(-1));
        assert_eq!(
            BitVec::from_int(64, &Int::from(u64::MAX)).sbv_to_int(),
            Int::from(-1)
        );
    }

    #[test]
    fn names_the_extreme_values() {
        assert_eq!(BitVec::min_signed(4), bv("#b1000"));
        assert_eq!(BitVec::max_signed(4), bv("#b0111"));
        assert_eq!(BitVec::min_signed(1), bv("#b1"));
        assert_eq!(BitVec::max_signed(1), bv("#b0"));
        assert_eq!(BitVec::min_signed(65).count_ones(), 1);
        assert_eq!(BitVec::max_signed(65).count_ones(), 64);
    }

    #[test]
    fn reads_and_prints_a_million_bits() {
        let text = format!("#x{}", "a5".repeat(125_000));
        let wide = bv(&text);
        assert_eq!(wide.width(), 1_000_000);
        assert_eq!(wide.to_string(), text);
        assert_eq!(BitVec::one(1_000_000).to_string().len(), 250_002);
        let digits = wide.ubv_to_int().to_string();
        assert_eq!(BitVec::parse_decimal(&digits, 1_000_000), Some(wide));
    }
}
