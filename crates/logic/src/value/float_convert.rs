//! Conversions of `Float` to and from other formats, rationals, integers and bit-vectors.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::bits::BitVec;
use super::float::{Float, Format, RoundingMode};
use super::float_round::{Number, Unpacked, jam};
use super::int::Int;
use super::rat::Rat;

/// Why a floating-point value has no real number to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoReal {
    /// NaN or an infinity: `fp.to_real` is unspecified.
    NotFinite,
    /// The number exists, but writing it down takes more than [`Int::MAX_BITS`] bits.
    TooLong,
}

impl Float {
    /// `(_ to_fp eb sb)` of a value of another format.
    pub fn to_format(&self, format: Format, mode: RoundingMode) -> Float {
        match self.unpack() {
            Unpacked::Nan => Float::nan(format),
            Unpacked::Infinite { negative } => Float::infinity(format, negative),
            Unpacked::Zero { negative } => Float::zero(format, negative),
            Unpacked::Finite(number) => number.round(format, mode),
        }
    }

    /// `(_ to_fp eb sb)` of a real number; zero is positive.
    pub fn from_rat(format: Format, mode: RoundingMode, real: &Rat) -> Float {
        Float::from_scaled_rat(format, mode, real, &Int::ZERO)
    }

    /// The real number times 2 to the power of an integer (z3's three-argument `to_fp`); zero is positive.
    pub fn from_scaled_rat(format: Format, mode: RoundingMode, real: &Rat, scale: &Int) -> Float {
        if real.is_zero() {
            return Float::zero(format, false);
        }
        let (numerator, denominator) =
            (real.numerator().magnitude(), real.denominator().magnitude());
        let wanted = format.sb() as usize + 2 + denominator.bit_len();
        let shift = wanted.saturating_sub(numerator.bit_len());
        let dividend = numerator << shift;
        let whole = &dividend / &denominator;
        let inexact = &whole * &denominator != dividend;
        let exponent = scale.sub(&Int::from(shift));
        Number::new(real.is_negative(), jam(whole, inexact), exponent).round(format, mode)
    }

    /// The nearest value to an integer; zero is positive.
    pub fn from_int(format: Format, mode: RoundingMode, n: &Int) -> Float {
        match n.is_zero() {
            true => Float::zero(format, false),
            false => Number::new(n.is_negative(), n.magnitude(), Int::ZERO).round(format, mode),
        }
    }

    /// `(_ to_fp eb sb)` of a bit-vector read as a signed integer.
    pub fn from_sbv(format: Format, mode: RoundingMode, bits: &BitVec) -> Float {
        Float::from_int(format, mode, &bits.sbv_to_int())
    }

    /// `(_ to_fp_unsigned eb sb)`.
    pub fn from_ubv(format: Format, mode: RoundingMode, bits: &BitVec) -> Float {
        Float::from_int(format, mode, &bits.ubv_to_int())
    }

    /// `(_ fp.to_ubv width)`: the value rounded to an integer, if that is in range; else unspecified.
    /// A negative number that rounds to zero is in range.
    pub fn to_ubv(&self, mode: RoundingMode, width: u32) -> Option<BitVec> {
        let n = self.to_int_below(mode, width)?;
        let fits = !n.is_negative() && n.bit_len() <= u64::from(width);
        fits.then(|| BitVec::from_int(width, &n))
    }

    /// `(_ fp.to_sbv width)`: the value rounded to an integer, if that is in range; else unspecified.
    pub fn to_sbv(&self, mode: RoundingMode, width: u32) -> Option<BitVec> {
        let n = self.to_int_below(mode, width)?;
        let bits = BitVec::from_int(width, &n);
        (bits.sbv_to_int() == n).then_some(bits)
    }

    /// The value rounded to an integer; `None` for NaN, infinities and integers of clearly more than `bits` bits.
    fn to_int_below(&self, mode: RoundingMode, bits: u32) -> Option<Int> {
        let number = match self.unpack() {
            Unpacked::Nan | Unpacked::Infinite { .. } => return None,
            Unpacked::Zero { .. } => return Some(Int::ZERO),
            Unpacked::Finite(number) => number,
        };
        if number.top() > Int::from(bits).add(&Int::ONE) {
            return None;
        }
        let size = Int::from(number.to_multiple_of(&Int::ZERO, mode));
        Some(if number.negative { size.neg() } else { size })
    }

    /// `fp.to_real`.
    pub fn to_rat(&self) -> Result<Rat, NoReal> {
        let number = match self.unpack() {
            Unpacked::Nan | Unpacked::Infinite { .. } => return Err(NoReal::NotFinite),
            Unpacked::Zero { .. } => return Ok(Rat::ZERO),
            Unpacked::Finite(number) => number,
        };
        number.to_rat().ok_or(NoReal::TooLong)
    }
}

impl Number {
    /// `None` if the exponent is too far from zero to write the number down.
    fn to_rat(&self) -> Option<Rat> {
        let size = Int::from(UBig::clone(&self.significand));
        let signed = if self.negative { size.neg() } else { size };
        let shift = self.exponent.abs().to_u64()?;
        match self.exponent.is_negative() {
            true => Rat::new(&signed, &Int::power_of_two(shift)?),
            false => signed.shift_left(shift).map(Rat::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(numerator: i64, denominator: i64) -> Float {
        let real = Rat::new(&Int::from(numerator), &Int::from(denominator)).expect("not 0");
        Float::from_rat(Format::FLOAT16, RoundingMode::Rne, &real)
    }

    #[test]
    fn leaves_out_of_range_conversions_open() {
        assert_eq!(number(-1, 1).to_ubv(RoundingMode::Rtz, 8), None);
        assert_eq!(number(256, 1).to_ubv(RoundingMode::Rtz, 8), None);
        assert_eq!(number(511, 2).to_ubv(RoundingMode::Rne, 8), None);
        assert_eq!(number(128, 1).to_sbv(RoundingMode::Rtz, 8), None);
        assert_eq!(
            Float::nan(Format::FLOAT16).to_sbv(RoundingMode::Rne, 8),
            None
        );
        assert_eq!(
            Float::infinity(Format::FLOAT16, true).to_rat(),
            Err(NoReal::NotFinite)
        );
    }

    #[test]
    fn converts_what_rounds_into_the_range() {
        assert_eq!(
            number(511, 2).to_ubv(RoundingMode::Rtz, 8),
            BitVec::parse("#xff")
        );
        assert_eq!(
            number(-1, 2).to_ubv(RoundingMode::Rne, 8),
            BitVec::parse("#x00")
        );
        assert_eq!(
            number(-128, 1).to_sbv(RoundingMode::Rne, 8),
            BitVec::parse("#x80")
        );
        assert_eq!(
            number(-1, 1).to_sbv(RoundingMode::Rne, 1),
            BitVec::parse("#b1")
        );
        assert_eq!(
            number(-5, 2).to_rat(),
            Ok(Rat::new(&Int::from(-5), &Int::from(2)).unwrap())
        );
    }

    #[test]
    fn refuses_reals_that_fill_the_memory() {
        let format = Format::new(60, 5).unwrap();
        assert_eq!(
            Float::max_finite(format, false).to_rat(),
            Err(NoReal::TooLong)
        );
        assert_eq!(
            Float::min_subnormal(format, false).to_rat(),
            Err(NoReal::TooLong)
        );
        assert_eq!(Float::zero(format, true).to_rat(), Ok(Rat::ZERO));
    }

    #[test]
    fn scales_by_powers_of_two() {
        let (mode, three) = (RoundingMode::Rne, Rat::from(3));
        let scaled = Float::from_scaled_rat(Format::FLOAT16, mode, &three, &Int::from(-1));
        assert_eq!(scaled, number(3, 2));
        let overflow = Float::from_scaled_rat(Format::FLOAT16, mode, &three, &Int::from(i64::MAX));
        assert_eq!(overflow, Float::infinity(Format::FLOAT16, false));
    }
}
