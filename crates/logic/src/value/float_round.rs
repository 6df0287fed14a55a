//! The one place where floating-point results are rounded: exact numbers in, values of a format out.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::bits::BitVec;
use super::float::{Float, Format, RoundingMode, join};
use super::int::Int;

/// A value taken apart for arithmetic.
#[derive(Clone, Debug)]
pub(super) enum Unpacked {
    Nan,
    Infinite { negative: bool },
    Zero { negative: bool },
    Finite(Number),
}

/// The number `significand * 2^exponent` with a sign; the significand is not 0.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub negative: bool,
    pub significand: UBig,
    /// Of any size, because so is a format's exponent.
    pub exponent: Int,
}

impl Float {
    pub(super) fn unpack(&self) -> Unpacked {
        let negative = self.sign_bit();
        if self.is_nan() {
            return Unpacked::Nan;
        }
        if self.is_infinite() {
            return Unpacked::Infinite { negative };
        }
        let (format, fraction) = (self.format(), self.fraction_field().to_ubig());
        let field = self.exponent_field().ubv_to_int();
        if field.is_zero() {
            if fraction.is_zero() {
                return Unpacked::Zero { negative };
            }
            let exponent = format.smallest_quantum();
            return Unpacked::Finite(Number {
                negative,
                significand: fraction,
                exponent,
            });
        }
        let hidden = UBig::ONE << (format.sb() as usize - 1);
        let exponent = field.sub(&Int::ONE).add(&format.smallest_quantum());
        Unpacked::Finite(Number {
            negative,
            significand: fraction + hidden,
            exponent,
        })
    }
}

impl Number {
    pub fn new(negative: bool, significand: UBig, exponent: Int) -> Number {
        Number {
            negative,
            significand,
            exponent,
        }
    }

    /// The exponent of the first power of two above the number.
    pub fn top(&self) -> Int {
        self.exponent.add(&Int::from(self.significand.bit_len()))
    }

    /// The nearest value of the format in the direction of the mode.
    pub fn round(&self, format: Format, mode: RoundingMode) -> Float {
        let by_precision = self.top().sub(&Int::from(format.sb()));
        let quantum = by_precision.max(format.smallest_quantum());
        let kept = self.to_multiple_of(&quantum, mode);
        pack(format, mode, Number::new(self.negative, kept, quantum))
    }

    /// How many times 2 to the power `quantum` makes this number, rounded to an integer.
    /// The quantum may be far above the exponent, but not far below it.
    pub fn to_multiple_of(&self, quantum: &Int, mode: RoundingMode) -> UBig {
        let drop = quantum.sub(&self.exponent);
        if drop.signum() <= 0 {
            let shift = drop
                .neg()
                .to_usize()
                .expect("the caller bounds shifts to the left");
            return &self.significand << shift;
        }
        // Beyond the length plus one bit, every shift leaves less than a half.
        let length = self.significand.bit_len();
        let drop = drop.to_usize().map_or(length + 2, |d| d.min(length + 2));
        let kept = &self.significand >> drop;
        let half = self.significand.bit(drop - 1);
        let exact = self
            .significand
            .trailing_zeros()
            .is_some_and(|zeros| zeros >= drop);
        let below_half = self
            .significand
            .trailing_zeros()
            .is_some_and(|zeros| zeros >= drop - 1);
        let up = match mode {
            RoundingMode::Rne => half && (!below_half || kept.bit(0)),
            RoundingMode::Rna => half,
            RoundingMode::Rtp => !exact && !self.negative,
            RoundingMode::Rtn => !exact && self.negative,
            RoundingMode::Rtz => false,
        };
        if up { kept + UBig::ONE } else { kept }
    }
}

/// Stores a rounded number; its significand is at most `2^sb`, and 0 if everything was rounded away.
fn pack(format: Format, mode: RoundingMode, number: Number) -> Float {
    let Number {
        negative,
        mut significand,
        exponent: mut quantum,
    } = number;
    let (sb, eb) = (format.sb() as usize, format.eb());
    if significand.bit_len() > sb {
        significand >>= 1;
        quantum = quantum.add(&Int::ONE);
    }
    let subnormal = significand.bit_len() < sb;
    if !subnormal && quantum > format.largest_quantum() {
        return overflow(format, mode, negative);
    }
    let field = quantum.sub(&format.smallest_quantum()).add(&Int::ONE);
    let exponent = if subnormal {
        BitVec::zero(eb)
    } else {
        BitVec::from_int(eb, &field)
    };
    // The hidden bit is cut off here.
    let fraction = BitVec::from_ubig(format.sb() - 1, significand);
    Float::from_ieee_bits(format, &join(negative, &exponent, &fraction))
}

/// The infinity, or the largest number in modes that never round toward the infinity of this sign.
fn overflow(format: Format, mode: RoundingMode, negative: bool) -> Float {
    let to_infinity = match mode {
        RoundingMode::Rne | RoundingMode::Rna => true,
        RoundingMode::Rtp => !negative,
        RoundingMode::Rtn => negative,
        RoundingMode::Rtz => false,
    };
    match to_infinity {
        true => Float::infinity(format, negative),
        false => Float::max_finite(format, negative),
    }
}

/// Marks a truncated number as inexact: with at least two bits more than the format keeps, an odd last bit
/// rounds in every mode as the lost digits would.
pub(super) fn jam(truncated: UBig, inexact: bool) -> UBig {
    if inexact {
        truncated | UBig::ONE
    } else {
        truncated
    }
}
