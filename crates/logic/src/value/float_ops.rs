//! Arithmetic of `Float`: exact on big naturals, then rounded once by `float_round`.
//! Operands of one operation have the same format: the sort check promises it.

use std::cmp::Ordering;

use dashu_int::UBig;
use dashu_int::ops::{BitTest, SquareRoot};

use super::float::{Float, Format, RoundingMode};
use super::float_round::{Number, Unpacked, jam};
use super::int::Int;

impl Float {
    pub fn neg(&self) -> Float {
        match self.unpack() {
            Unpacked::Nan => self.clone(),
            _ => self.with_sign(!self.sign_bit()),
        }
    }

    pub fn abs(&self) -> Float {
        match self.unpack() {
            Unpacked::Nan => self.clone(),
            _ => self.with_sign(false),
        }
    }

    fn with_sign(&self, negative: bool) -> Float {
        let bits = super::float::join(negative, &self.exponent_field(), &self.fraction_field());
        Float::from_ieee_bits(self.format(), &bits)
    }

    pub fn add(&self, mode: RoundingMode, other: &Float) -> Float {
        sum(self.format(), mode, self.unpack(), other.unpack())
    }

    pub fn sub(&self, mode: RoundingMode, other: &Float) -> Float {
        self.add(mode, &other.neg())
    }

    pub fn mul(&self, mode: RoundingMode, other: &Float) -> Float {
        finish(self.format(), mode, product(self.unpack(), other.unpack()))
    }

    /// `(x * y) + z`, rounded once.
    pub fn fma(&self, mode: RoundingMode, factor: &Float, summand: &Float) -> Float {
        let exact = product(self.unpack(), factor.unpack());
        sum(self.format(), mode, exact, summand.unpack())
    }

    pub fn div(&self, mode: RoundingMode, divisor: &Float) -> Float {
        let format = self.format();
        let negative = self.sign_bit() != divisor.sign_bit();
        match (self.unpack(), divisor.unpack()) {
            (Unpacked::Nan, _) | (_, Unpacked::Nan) => Float::nan(format),
            (Unpacked::Infinite { .. }, Unpacked::Infinite { .. }) => Float::nan(format),
            (Unpacked::Zero { .. }, Unpacked::Zero { .. }) => Float::nan(format),
            (Unpacked::Infinite { .. }, _) | (_, Unpacked::Zero { .. }) => {
                Float::infinity(format, negative)
            }
            (Unpacked::Zero { .. }, _) | (_, Unpacked::Infinite { .. }) => {
                Float::zero(format, negative)
            }
            (Unpacked::Finite(a), Unpacked::Finite(b)) => {
                quotient(format, &a, &b).round(format, mode)
            }
        }
    }

    pub fn sqrt(&self, mode: RoundingMode) -> Float {
        let format = self.format();
        match self.unpack() {
            Unpacked::Nan => Float::nan(format),
            Unpacked::Zero { .. } | Unpacked::Infinite { negative: false } => self.clone(),
            Unpacked::Infinite { negative: true } => Float::nan(format),
            Unpacked::Finite(a) if a.negative => Float::nan(format),
            Unpacked::Finite(a) => root(format, &a).round(format, mode),
        }
    }

    /// `x - y * n` where n is the integer nearest to `x / y`, the even one of two: always exact.
    pub fn rem(&self, divisor: &Float) -> Float {
        let format = self.format();
        match (self.unpack(), divisor.unpack()) {
            (Unpacked::Nan | Unpacked::Infinite { .. }, _) => Float::nan(format),
            (_, Unpacked::Nan | Unpacked::Zero { .. }) => Float::nan(format),
            (Unpacked::Zero { .. }, _) | (_, Unpacked::Infinite { .. }) => self.clone(),
            (Unpacked::Finite(a), Unpacked::Finite(b)) => match remainder(&a, &b) {
                Some(exact) => exact.round(format, RoundingMode::Rne),
                None => Float::zero(format, a.negative),
            },
        }
    }

    /// The integral value next to this one in the direction of the mode, with its sign if it is zero.
    /// Where the format has no such finite value, as `(_ FloatingPoint 2 3)` has none above 3.5, the infinity.
    pub fn round_to_integral(&self, mode: RoundingMode) -> Float {
        let format = self.format();
        let Unpacked::Finite(number) = self.unpack() else {
            return self.clone();
        };
        if !number.exponent.is_negative() {
            return self.clone();
        }
        let integer = number.to_multiple_of(&Int::ZERO, mode);
        match integer.is_zero() {
            true => Float::zero(format, number.negative),
            false => Number::new(number.negative, integer, Int::ZERO).round(format, mode),
        }
    }

    /// The smaller of the two, or the one that is not NaN; `None` for two zeros of different sign,
    /// where the standard allows either.
    pub fn minimum(&self, other: &Float) -> Option<Float> {
        self.choose(other, Ordering::Less)
    }

    /// The greater of the two, or the one that is not NaN; `None` for two zeros of different sign,
    /// where the standard allows either.
    pub fn maximum(&self, other: &Float) -> Option<Float> {
        self.choose(other, Ordering::Greater)
    }

    fn choose(&self, other: &Float, wanted: Ordering) -> Option<Float> {
        match self.compare(other) {
            Some(Ordering::Equal) => (self == other).then(|| self.clone()),
            Some(order) if order == wanted => Some(self.clone()),
            Some(_) => Some(other.clone()),
            None if self.is_nan() => Some(other.clone()),
            None => Some(self.clone()),
        }
    }
}

/// A value that needs no more than rounding.
fn finish(format: Format, mode: RoundingMode, value: Unpacked) -> Float {
    match value {
        Unpacked::Nan => Float::nan(format),
        Unpacked::Infinite { negative } => Float::infinity(format, negative),
        Unpacked::Zero { negative } => Float::zero(format, negative),
        Unpacked::Finite(number) => number.round(format, mode),
    }
}

fn sum(format: Format, mode: RoundingMode, a: Unpacked, b: Unpacked) -> Float {
    // A sum that is exactly zero has the sign of two equal signs, else it is negative only in RTN.
    let zero_sign = |a: bool, b: bool| {
        if mode == RoundingMode::Rtn {
            a || b
        } else {
            a && b
        }
    };
    match (a, b) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => Float::nan(format),
        (Unpacked::Infinite { negative: a }, Unpacked::Infinite { negative: b }) if a != b => {
            Float::nan(format)
        }
        (Unpacked::Infinite { negative }, _) | (_, Unpacked::Infinite { negative }) => {
            Float::infinity(format, negative)
        }
        (Unpacked::Zero { negative: a }, Unpacked::Zero { negative: b }) => {
            Float::zero(format, zero_sign(a, b))
        }
        (Unpacked::Zero { .. }, Unpacked::Finite(n))
        | (Unpacked::Finite(n), Unpacked::Zero { .. }) => n.round(format, mode),
        (Unpacked::Finite(a), Unpacked::Finite(b)) => match exact_sum(format, &a, &b) {
            Some(exact) => exact.round(format, mode),
            None => Float::zero(format, zero_sign(a.negative, b.negative)),
        },
    }
}

/// The sum as rounding sees it, `None` for zero. A summand far below the other is replaced by a mark,
/// else two distant exponents would need a significand as long as their distance.
fn exact_sum(format: Format, a: &Number, b: &Number) -> Option<Number> {
    let (high, low) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    let floor = high.exponent.sub(&Int::from(format.sb() + 3));
    if low.top() <= floor {
        return signed_sum(high, &Number::new(low.negative, UBig::ONE, floor));
    }
    signed_sum(high, low)
}

/// The exact sum of two numbers whose exponents are near, `None` for zero.
fn signed_sum(a: &Number, b: &Number) -> Option<Number> {
    let exponent = a.exponent.clone().min(b.exponent.clone());
    let aligned = |n: &Number| n.to_multiple_of(&exponent, RoundingMode::Rtz);
    let (x, y) = (aligned(a), aligned(b));
    if a.negative == b.negative {
        return Some(Number::new(a.negative, x + y, exponent));
    }
    match x.cmp(&y) {
        Ordering::Equal => None,
        Ordering::Greater => Some(Number::new(a.negative, x - y, exponent)),
        Ordering::Less => Some(Number::new(b.negative, y - x, exponent)),
    }
}

fn product(a: Unpacked, b: Unpacked) -> Unpacked {
    let sign = |n: &Unpacked| match n {
        Unpacked::Nan => false,
        Unpacked::Infinite { negative } | Unpacked::Zero { negative } => *negative,
        Unpacked::Finite(n) => n.negative,
    };
    let negative = sign(&a) != sign(&b);
    match (a, b) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => Unpacked::Nan,
        (Unpacked::Infinite { .. }, Unpacked::Zero { .. }) => Unpacked::Nan,
        (Unpacked::Zero { .. }, Unpacked::Infinite { .. }) => Unpacked::Nan,
        (Unpacked::Infinite { .. }, _) | (_, Unpacked::Infinite { .. }) => {
            Unpacked::Infinite { negative }
        }
        (Unpacked::Zero { .. }, _) | (_, Unpacked::Zero { .. }) => Unpacked::Zero { negative },
        (Unpacked::Finite(a), Unpacked::Finite(b)) => {
            let exponent = a.exponent.add(&b.exponent);
            Unpacked::Finite(Number::new(
                negative,
                a.significand * b.significand,
                exponent,
            ))
        }
    }
}

/// The quotient with enough bits for any rounding.
fn quotient(format: Format, a: &Number, b: &Number) -> Number {
    let wanted = format.sb() as usize + 2 + b.significand.bit_len();
    let shift = wanted.saturating_sub(a.significand.bit_len());
    let dividend = &a.significand << shift;
    let whole = &dividend / &b.significand;
    let inexact = &whole * &b.significand != dividend;
    let exponent = a.exponent.sub(&b.exponent).sub(&Int::from(shift));
    Number::new(a.negative != b.negative, jam(whole, inexact), exponent)
}

/// The square root of a positive number with enough bits for any rounding.
fn root(format: Format, a: &Number) -> Number {
    let wanted = 2 * (format.sb() as usize + 2);
    let shift = wanted.saturating_sub(a.significand.bit_len());
    let odd = !a.exponent.sub(&Int::from(shift)).is_even();
    let shift = shift + usize::from(odd);
    let radicand = &a.significand << shift;
    let whole = radicand.sqrt();
    let inexact = &whole * &whole != radicand;
    let exponent = a.exponent.sub(&Int::from(shift)).shift_right_floor(1);
    Number::new(false, jam(whole, inexact), exponent)
}

/// The IEEE remainder of two numbers, `None` for zero.
fn remainder(a: &Number, b: &Number) -> Option<Number> {
    // Below half of the divisor the nearest integer is 0; this also bounds the shift of the divisor.
    if a.top().add(&Int::ONE) < b.top() {
        return Some(a.clone());
    }
    let exponent = a.exponent.clone().min(b.exponent.clone());
    let divisor = b.to_multiple_of(&exponent, RoundingMode::Rtz);
    // Modulo twice the divisor, the whole part of the quotient keeps its parity.
    let rest =
        times_power_of_two_modulo(&a.significand, &a.exponent.sub(&exponent), &(&divisor << 1));
    let odd = rest >= divisor;
    let rest = if odd { rest - &divisor } else { rest };
    let up = match (&rest << 1).cmp(&divisor) {
        Ordering::Less => false,
        Ordering::Equal => odd,
        Ordering::Greater => true,
    };
    let (negative, size) = if up {
        (!a.negative, divisor - rest)
    } else {
        (a.negative, rest)
    };
    (!size.is_zero()).then(|| Number::new(negative, size, exponent))
}

/// Shifts up to this many bits are made as such; beyond, the power is taken modulo, so that memory stays bounded.
const DIRECT_SHIFT: usize = 1 << 16;

/// `n * 2^exponent` modulo a modulus; the exponent is not negative.
fn times_power_of_two_modulo(n: &UBig, exponent: &Int, modulus: &UBig) -> UBig {
    if let Some(shift) = exponent.to_usize().filter(|shift| *shift <= DIRECT_SHIFT) {
        return (n << shift) % modulus;
    }
    let mut power = UBig::ONE % modulus;
    for index in (0..exponent.bit_len()).rev() {
        power = &power * &power % modulus;
        if exponent.bit(index) {
            power = (power << 1) % modulus;
        }
    }
    n * power % modulus
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::rat::Rat;

    fn format(eb: u32, sb: u32) -> Format {
        Format::new(eb, sb).expect("a format")
    }

    fn number(format: Format, n: i64) -> Float {
        Float::from_rat(format, RoundingMode::Rne, &Rat::from(n))
    }

    /// 2 to the largest exponent.
    fn largest_power(format: Format) -> Float {
        let exact = Number::new(false, UBig::ONE, format.bias());
        exact.round(format, RoundingMode::Rtz)
    }

    #[test]
    fn exponents_of_any_length_cost_no_memory() {
        for eb in [30, 62, 63, 64, 65, 200, 5000] {
            let format = format(eb, 5);
            let (huge, one) = (largest_power(format), number(format, 1));
            let tiny = Float::min_subnormal(format, false);
            assert_eq!(huge.add(RoundingMode::Rne, &one), huge);
            assert_eq!(
                huge.sub(RoundingMode::Rtn, &tiny)
                    .add(RoundingMode::Rtp, &tiny),
                huge
            );
            assert!(huge.add(RoundingMode::Rtp, &tiny).ieee_gt(&huge));
            assert!(huge.sub(RoundingMode::Rtz, &tiny).ieee_lt(&huge));
            assert!(huge.mul(RoundingMode::Rne, &huge).is_infinite());
            assert_eq!(
                huge.mul(RoundingMode::Rtz, &huge),
                Float::max_finite(format, false)
            );
            assert!(tiny.mul(RoundingMode::Rne, &tiny).is_zero());
            assert_eq!(tiny.mul(RoundingMode::Rtp, &tiny), tiny);
            assert_eq!(huge.fma(RoundingMode::Rtz, &one, &tiny), huge);
            assert_eq!(huge.round_to_integral(RoundingMode::Rne), huge);
            assert!(tiny.round_to_integral(RoundingMode::Rne).is_zero());
            assert_eq!(huge.to_ubv(RoundingMode::Rne, 64), None);
            let root = huge
                .mul(RoundingMode::Rne, &huge.div(RoundingMode::Rne, &huge))
                .sqrt(RoundingMode::Rne);
            assert!(root.ieee_lt(&huge) && root.ieee_gt(&one));
        }
    }

    #[test]
    fn remainders_of_distant_exponents_are_exact() {
        // The largest exponent is odd, and an odd power of two is 2 modulo 3, nearest to -1.
        for eb in [30, 63, 64, 200] {
            let format = format(eb, 5);
            let (huge, three) = (largest_power(format), number(format, 3));
            assert_eq!(huge.rem(&three), number(format, -1));
            assert_eq!(huge.neg().rem(&three), number(format, 1));
            assert_eq!(huge.rem(&number(format, 5)), number(format, -2));
            assert_eq!(three.rem(&huge), three);
            assert_eq!(huge.rem(&number(format, 4)), Float::zero(format, false));
        }
    }

    #[test]
    fn remainder_rounds_the_quotient_to_even() {
        let format = Format::FLOAT32;
        // 5 / 2 is halfway between 2 and 3, 7 / 2 between 3 and 4.
        assert_eq!(number(format, 5).rem(&number(format, 2)), number(format, 1));
        assert_eq!(
            number(format, 7).rem(&number(format, 2)),
            number(format, -1)
        );
        assert_eq!(
            number(format, -6).rem(&number(format, 3)),
            Float::zero(format, true)
        );
    }

    #[test]
    fn leaves_the_extremum_of_different_zeros_open() {
        let (plus, minus) = (
            Float::zero(Format::FLOAT32, false),
            Float::zero(Format::FLOAT32, true),
        );
        assert_eq!(plus.minimum(&minus), None);
        assert_eq!(minus.maximum(&plus), None);
        assert_eq!(minus.maximum(&minus), Some(minus.clone()));
        assert_eq!(Float::nan(Format::FLOAT32).minimum(&plus), Some(plus));
    }

    #[test]
    fn wide_significands_work() {
        let format = format(20, 10_000);
        let (two, three) = (number(format, 2), number(format, 3));
        let third = number(format, 1).div(RoundingMode::Rtz, &three);
        assert!(
            third
                .mul(RoundingMode::Rtz, &three)
                .ieee_lt(&number(format, 1))
        );
        let root = two.sqrt(RoundingMode::Rtn);
        assert!(root.fma(RoundingMode::Rne, &root, &two.neg()).is_negative());
        assert_eq!(
            third.add(RoundingMode::Rne, &third).rem(&third),
            Float::zero(format, false)
        );
    }
}
