//! `Float`: a value of `(_ FloatingPoint eb sb)` for any eb and sb; classification, order and text.
//! Rounding is in `float_round`, arithmetic in `float_ops`, conversions in `float_convert`.
//! The semantics is that of Brain, Tinelli, Rümmer and Wahl, which the SMT-LIB theory gives precedence.

use std::cmp::Ordering;
use std::fmt;

use super::bits::BitVec;
use super::int::Int;

/// The sort's two numbers: exponent bits, and significand bits including the hidden one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Format {
    eb: u32,
    sb: u32,
}

impl Format {
    pub const FLOAT16: Format = Format { eb: 5, sb: 11 };
    pub const FLOAT32: Format = Format { eb: 8, sb: 24 };
    pub const FLOAT64: Format = Format { eb: 11, sb: 53 };
    pub const FLOAT128: Format = Format { eb: 15, sb: 113 };

    /// `None` unless both are greater than 1 and the value fits [`BitVec::MAX_WIDTH`].
    pub fn new(eb: u32, sb: u32) -> Option<Format> {
        let width = eb.checked_add(sb)?;
        (eb > 1 && sb > 1 && width <= BitVec::MAX_WIDTH).then_some(Format { eb, sb })
    }

    pub fn eb(self) -> u32 {
        self.eb
    }

    pub fn sb(self) -> u32 {
        self.sb
    }

    /// Bits of the interchange format.
    pub fn width(self) -> u32 {
        self.eb + self.sb
    }

    /// What is added to an exponent to store it; also the largest exponent.
    pub(super) fn bias(self) -> Int {
        BitVec::max_signed(self.eb).ubv_to_int()
    }

    /// The exponent of the lowest significand bit of subnormal numbers.
    pub(super) fn smallest_quantum(self) -> Int {
        Int::from(2).sub(&self.bias()).sub(&Int::from(self.sb))
    }

    /// The exponent of the lowest significand bit of the largest numbers.
    pub(super) fn largest_quantum(self) -> Int {
        self.bias().add(&Int::ONE).sub(&Int::from(self.sb))
    }
}

/// The five rounding modes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RoundingMode {
    /// To nearest, ties to even.
    Rne,
    /// To nearest, ties away from zero.
    Rna,
    /// Toward positive infinity.
    Rtp,
    /// Toward negative infinity.
    Rtn,
    /// Toward zero.
    Rtz,
}

impl RoundingMode {
    pub const ALL: [RoundingMode; 5] = {
        use RoundingMode::*;
        [Rne, Rna, Rtp, Rtn, Rtz]
    };

    /// Reads the short or the long name.
    pub fn parse(name: &str) -> Option<RoundingMode> {
        let long = |mode: &RoundingMode| mode.long_name() == name;
        RoundingMode::ALL
            .into_iter()
            .find(|mode| mode.name() == name || long(mode))
    }

    pub fn name(self) -> &'static str {
        match self {
            RoundingMode::Rne => "RNE",
            RoundingMode::Rna => "RNA",
            RoundingMode::Rtp => "RTP",
            RoundingMode::Rtn => "RTN",
            RoundingMode::Rtz => "RTZ",
        }
    }

    pub fn long_name(self) -> &'static str {
        match self {
            RoundingMode::Rne => "roundNearestTiesToEven",
            RoundingMode::Rna => "roundNearestTiesToAway",
            RoundingMode::Rtp => "roundTowardPositive",
            RoundingMode::Rtn => "roundTowardNegative",
            RoundingMode::Rtz => "roundTowardZero",
        }
    }
}

impl fmt::Display for RoundingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A floating-point value. There is one NaN, so equality is that of SMT-LIB's `=`.
/// The order is that of the bit patterns: total, and of no meaning.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Float {
    format: Format,
    /// The interchange format; NaN is always the positive one with only the highest fraction bit.
    bits: BitVec,
}

impl Float {
    pub fn nan(format: Format) -> Float {
        let (ones, fraction) = (BitVec::ones(format.eb), BitVec::min_signed(format.sb - 1));
        Float {
            format,
            bits: join(false, &ones, &fraction),
        }
    }

    pub fn infinity(format: Format, negative: bool) -> Float {
        let (ones, fraction) = (BitVec::ones(format.eb), BitVec::zero(format.sb - 1));
        Float {
            format,
            bits: join(negative, &ones, &fraction),
        }
    }

    pub fn zero(format: Format, negative: bool) -> Float {
        let (exponent, fraction) = (BitVec::zero(format.eb), BitVec::zero(format.sb - 1));
        Float {
            format,
            bits: join(negative, &exponent, &fraction),
        }
    }

    /// The finite number furthest from zero.
    pub fn max_finite(format: Format, negative: bool) -> Float {
        let exponent = BitVec::ones(format.eb).sub(&BitVec::one(format.eb));
        Float {
            format,
            bits: join(negative, &exponent, &BitVec::ones(format.sb - 1)),
        }
    }

    /// The number other than zero that is nearest to zero.
    pub fn min_subnormal(format: Format, negative: bool) -> Float {
        let (exponent, fraction) = (BitVec::zero(format.eb), BitVec::one(format.sb - 1));
        Float {
            format,
            bits: join(negative, &exponent, &fraction),
        }
    }

    /// `(_ to_fp eb sb)` of a bit-vector in interchange format, which has the format's width.
    pub fn from_ieee_bits(format: Format, bits: &BitVec) -> Float {
        debug_assert_eq!(
            format.width(),
            bits.width(),
            "the bit-vector has the format's width"
        );
        let float = Float {
            format,
            bits: bits.clone(),
        };
        if float.is_nan() {
            Float::nan(format)
        } else {
            float
        }
    }

    /// `(fp sign exponent fraction)`; `None` if the widths make no format.
    pub fn from_parts(sign: &BitVec, exponent: &BitVec, fraction: &BitVec) -> Option<Float> {
        let format = Format::new(exponent.width(), fraction.width().checked_add(1)?)?;
        let bits = join(sign.sign_bit(), exponent, fraction);
        Some(Float::from_ieee_bits(format, &bits))
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// The interchange format; `None` for NaN, which has several.
    pub fn to_ieee_bits(&self) -> Option<BitVec> {
        (!self.is_nan()).then(|| self.bits.clone())
    }

    pub(super) fn sign_bit(&self) -> bool {
        self.bits.sign_bit()
    }

    pub(super) fn exponent_field(&self) -> BitVec {
        let width = self.format.width();
        cut(&self.bits, width - 2, self.format.sb - 1)
    }

    pub(super) fn fraction_field(&self) -> BitVec {
        cut(&self.bits, self.format.sb - 2, 0)
    }
}

/// Sign, exponent and fraction side by side; a format's parts always fit.
pub(super) fn join(negative: bool, exponent: &BitVec, fraction: &BitVec) -> BitVec {
    let sign = BitVec::from_bool(negative);
    let joined = sign.concat(exponent).and_then(|high| high.concat(fraction));
    joined.expect("a format's width is at most the largest width")
}

fn cut(bits: &BitVec, high: u32, low: u32) -> BitVec {
    bits.extract(high, low)
        .expect("a field lies inside its format")
}

/// Classification. NaN is neither negative nor positive.
impl Float {
    pub fn is_nan(&self) -> bool {
        self.exponent_field().is_ones() && !self.fraction_field().is_zero()
    }

    pub fn is_infinite(&self) -> bool {
        self.exponent_field().is_ones() && self.fraction_field().is_zero()
    }

    pub fn is_zero(&self) -> bool {
        self.exponent_field().is_zero() && self.fraction_field().is_zero()
    }

    pub fn is_subnormal(&self) -> bool {
        self.exponent_field().is_zero() && !self.fraction_field().is_zero()
    }

    pub fn is_normal(&self) -> bool {
        let exponent = self.exponent_field();
        !exponent.is_zero() && !exponent.is_ones()
    }

    pub fn is_negative(&self) -> bool {
        !self.is_nan() && self.sign_bit()
    }

    pub fn is_positive(&self) -> bool {
        !self.is_nan() && !self.sign_bit()
    }
}

/// Comparisons of values of one sort; all are false if one is NaN, and the zeros are equal.
impl Float {
    /// The order of the numbers, with infinities; `None` if one is NaN.
    pub fn compare(&self, other: &Float) -> Option<Ordering> {
        debug_assert_eq!(self.format, other.format, "operands have one sort");
        if self.is_nan() || other.is_nan() {
            return None;
        }
        if self.is_zero() && other.is_zero() {
            return Some(Ordering::Equal);
        }
        // Within a sign, the interchange format is ordered as an unsigned number.
        Some(match (self.sign_bit(), other.sign_bit()) {
            (false, false) => self.bits.unsigned_cmp(&other.bits),
            (true, true) => other.bits.unsigned_cmp(&self.bits),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        })
    }

    pub fn ieee_lt(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_lt)
    }

    pub fn ieee_leq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_le)
    }

    pub fn ieee_gt(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_gt)
    }

    pub fn ieee_geq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_ge)
    }

    /// `fp.eq`, which is not `=`.
    pub fn ieee_eq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_eq)
    }
}

/// The value as the standard writes it: `(_ NaN 2 3)`, `(_ +oo 2 3)`, `(fp #b0 #b01 #b10)`.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Format { eb, sb } = self.format;
        if self.is_nan() {
            return write!(f, "(_ NaN {eb} {sb})");
        }
        if self.is_infinite() {
            let sign = if self.sign_bit() { '-' } else { '+' };
            return write!(f, "(_ {sign}oo {eb} {sb})");
        }
        let (exponent, fraction) = (self.exponent_field(), self.fraction_field());
        let (exponent, fraction) = (exponent.to_binary_digits(), fraction.to_binary_digits());
        write!(
            f,
            "(fp #b{} #b{exponent} #b{fraction})",
            u8::from(self.sign_bit())
        )
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fp(sign: &str, exponent: &str, fraction: &str) -> Float {
        let part = |text| BitVec::parse(text).expect("a literal");
        Float::from_parts(&part(sign), &part(exponent), &part(fraction)).expect("a format")
    }

    #[test]
    fn is_as_small_as_three_words() {
        assert_eq!(size_of::<Float>(), 24);
    }

    #[test]
    fn formats_have_two_bits_in_each_part() {
        assert!(Format::new(2, 2).is_some());
        assert_eq!(Format::new(1, 5), None);
        assert_eq!(Format::new(5, 1), None);
        assert_eq!(Format::new(u32::MAX, 2), None);
    }

    #[test]
    fn has_one_nan_per_format() {
        let nan = Float::nan(Format::new(2, 3).unwrap());
        for (sign, fraction) in [("#b0", "#b01"), ("#b1", "#b10"), ("#b1", "#b11")] {
            assert_eq!(fp(sign, "#b11", fraction), nan);
        }
        assert_eq!(nan.to_ieee_bits(), None);
        assert_ne!(fp("#b0", "#b11", "#b00"), nan);
    }

    #[test]
    fn prints_values_as_the_standard_does() {
        assert_eq!(fp("#b1", "#b01", "#b10").to_string(), "(fp #b1 #b01 #b10)");
        assert_eq!(fp("#b1", "#b11", "#b00").to_string(), "(_ -oo 2 3)");
        assert_eq!(fp("#b0", "#b11", "#b0").to_string(), "(_ +oo 2 2)");
        assert_eq!(fp("#b1", "#b11", "#b1").to_string(), "(_ NaN 2 2)");
        assert_eq!(fp("#b1", "#b000", "#b0").to_string(), "(fp #b1 #b000 #b0)");
    }

    #[test]
    fn equality_is_not_ieee_equality() {
        let format = Format::FLOAT16;
        let (plus, minus, nan) = (
            Float::zero(format, false),
            Float::zero(format, true),
            Float::nan(format),
        );
        assert!(plus != minus && plus.ieee_eq(&minus));
        assert!(nan == nan.clone() && !nan.ieee_eq(&nan));
    }

    #[test]
    fn rounding_modes_have_two_names() {
        for mode in RoundingMode::ALL {
            assert_eq!(RoundingMode::parse(mode.name()), Some(mode));
            assert_eq!(RoundingMode::parse(mode.long_name()), Some(mode));
        }
        assert_eq!(RoundingMode::parse("rne"), None);
    }
}
