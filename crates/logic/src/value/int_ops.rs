//! Arithmetic of `Int`, each operation named by its convention. Machine words first, big integers on overflow.

use dashu_int::ops::{DivRem, Gcd};
use dashu_int::{IBig, UBig};

use super::int::Int;

/// One binary operation: the machine word's if it does not overflow, else the big integers'.
macro_rules! word_first {
    ($(#[$doc:meta])* $name:ident, $checked:ident, $op:tt) => {
        $(#[$doc])*
        pub fn $name(&self, other: &Int) -> Int {
            if let (Int::Small(a), Int::Small(b)) = (self, other)
                && let Some(small) = a.$checked(*b)
            {
                return Int::Small(small);
            }
            with_big(self, other, |a, b| a $op b)
        }
    };
}

/// Both operands as big integers, borrowed where they are big already.
fn with_big(a: &Int, b: &Int, op: impl Fn(&IBig, &IBig) -> IBig) -> Int {
    Int::from(match (a, b) {
        (Int::Big(a), Int::Big(b)) => op(a, b),
        (Int::Big(a), Int::Small(b)) => op(a, &IBig::from(*b)),
        (Int::Small(a), Int::Big(b)) => op(&IBig::from(*a), b),
        (Int::Small(a), Int::Small(b)) => op(&IBig::from(*a), &IBig::from(*b)),
    })
}

impl Int {
    word_first!(add, checked_add, +);
    word_first!(sub, checked_sub, -);
    word_first!(mul, checked_mul, *);

    pub fn neg(&self) -> Int {
        Int::ZERO.sub(self)
    }

    pub fn abs(&self) -> Int {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// `div` of the Ints theory: rounds down for a positive divisor, up for a negative one. `None` for divisor 0.
    pub fn div_smtlib(&self, divisor: &Int) -> Option<Int> {
        self.div_mod_smtlib(divisor).map(|(quotient, _)| quotient)
    }

    /// `mod` of the Ints theory: never negative. `None` for divisor 0.
    pub fn mod_smtlib(&self, divisor: &Int) -> Option<Int> {
        self.div_mod_smtlib(divisor).map(|(_, remainder)| remainder)
    }

    /// The unique q and r with `self = divisor * q + r` and `0 <= r < |divisor|`.
    pub fn div_mod_smtlib(&self, divisor: &Int) -> Option<(Int, Int)> {
        if divisor.is_zero() {
            return None;
        }
        if let (Int::Small(a), Int::Small(b)) = (self, divisor)
            && let Some(quotient) = a.checked_div_euclid(*b)
        {
            return Some((Int::Small(quotient), Int::Small(a.rem_euclid(*b))));
        }
        let (quotient, remainder) = self.to_ibig().div_rem(divisor.to_ibig());
        let (quotient, remainder) = (Int::from(quotient), Int::from(remainder));
        if !remainder.is_negative() {
            return Some((quotient, remainder));
        }
        // The operators above truncate; a negative remainder moves the quotient one step away from zero.
        let step = Int::from(divisor.signum());
        Some((quotient.sub(&step), remainder.add(&divisor.abs())))
    }

    /// The quotient rounded toward negative infinity. `None` for divisor 0.
    pub fn div_floor(&self, divisor: &Int) -> Option<Int> {
        let (quotient, remainder) = self.div_mod_smtlib(divisor)?;
        let exact_or_positive = remainder.is_zero() || !divisor.is_negative();
        Some(if exact_or_positive {
            quotient
        } else {
            quotient.sub(&Int::ONE)
        })
    }

    /// Whether the divisor has this integer as a multiple; 0 divides only 0.
    pub fn is_multiple_of(&self, divisor: &Int) -> bool {
        self.mod_smtlib(divisor)
            .map_or(self.is_zero(), |r| r.is_zero())
    }

    /// The greatest common divisor, never negative; 0 for two zeros.
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Int::Small(a), Int::Small(b)) = (self, other) {
            return Int::from(gcd_u64(a.unsigned_abs(), b.unsigned_abs()));
        }
        if self.is_one() || other.is_one() {
            return Int::ONE;
        }
        // The library's gcd of zero and zero panics; here at least one operand is big.
        Int::from(self.magnitude().gcd(&other.magnitude()))
    }

    /// The power, or `None` if it has more than [`Int::MAX_BITS`] bits. `0` to the power `0` is 1.
    pub fn pow(&self, exponent: u64) -> Option<Int> {
        if let Int::Small(-1..=1) = self {
            let negative = self.is_negative() && exponent % 2 == 1;
            let one_or_zero = if exponent == 0 { Int::ONE } else { self.abs() };
            return Some(if negative {
                one_or_zero.neg()
            } else {
                one_or_zero
            });
        }
        if self.bit_len().saturating_sub(1).saturating_mul(exponent) > Int::MAX_BITS {
            return None;
        }
        if let (Int::Small(base), Ok(exponent)) = (self, u32::try_from(exponent))
            && let Some(small) = base.checked_pow(exponent)
        {
            return Some(Int::Small(small));
        }
        Some(Int::from(
            self.to_ibig().pow(usize::try_from(exponent).ok()?),
        ))
    }

    /// 2 to the power `exponent`, or `None` if it has more than [`Int::MAX_BITS`] bits.
    pub fn power_of_two(exponent: u64) -> Option<Int> {
        Int::ONE.shift_left(exponent)
    }

    /// Times 2 to the power `count`, or `None` if it has more than [`Int::MAX_BITS`] bits.
    pub fn shift_left(&self, count: u64) -> Option<Int> {
        if self.is_zero() {
            return Some(Int::ZERO);
        }
        let length = self.bit_len().saturating_add(count);
        if let (Int::Small(n), true) = (self, length < 64) {
            return Some(Int::Small(n << count));
        }
        if length > Int::MAX_BITS {
            return None;
        }
        Some(Int::from(self.to_ibig() << usize::try_from(count).ok()?))
    }

    /// Divided by 2 to the power `count`, rounded toward negative infinity.
    pub fn shift_right_floor(&self, count: u64) -> Int {
        match (self, usize::try_from(count)) {
            (Int::Small(n), _) => Int::Small(n >> count.min(63)),
            (Int::Big(n), Ok(count)) => Int::from(&**n >> count),
            (Int::Big(_), Err(_)) => Int::Small(i64::from(self.signum().min(0))),
        }
    }

    /// The remainder modulo 2 to the power `count`, never negative.
    pub fn low_bits(&self, count: u32) -> UBig {
        if !self.is_negative() {
            let mut low = self.magnitude();
            low.clear_high_bits(count as usize);
            return low;
        }
        // -(n) mod 2^k is the complement of (n - 1) in k bits.
        let mut below = self.magnitude() - UBig::ONE;
        below.clear_high_bits(count as usize);
        UBig::ones(count as usize) - below
    }

    /// Bitwise and of the two's complements with endless sign bits.
    pub fn bit_and(&self, other: &Int) -> Int {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => Int::Small(a & b),
            _ => with_big(self, other, |a, b| a & b),
        }
    }

    /// Bitwise or of the two's complements with endless sign bits.
    pub fn bit_or(&self, other: &Int) -> Int {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => Int::Small(a | b),
            _ => with_big(self, other, |a, b| a | b),
        }
    }

    /// Bitwise exclusive or of the two's complements with endless sign bits.
    pub fn bit_xor(&self, other: &Int) -> Int {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => Int::Small(a ^ b),
            _ => with_big(self, other, |a, b| a ^ b),
        }
    }

    /// The largest n with `2^n <= self`; `None` unless positive.
    pub fn log2_floor(&self) -> Option<u64> {
        (self.signum() > 0).then(|| self.bit_len() - 1)
    }
}

/// Binary greatest common divisor.
pub(super) fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        (a, b) = (a.min(b), a.abs_diff(b));
    }
    a << shift
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;

    /// Integers around every boundary that the code distinguishes, and long ones.
    fn texts() -> impl Strategy<Value = String> {
        let power = (0u32..200, -2i32..=2, any::<bool>()).prop_map(|(k, d, minus)| {
            let n = (BigInt::from(1) << k) + d;
            (if minus { -n } else { n }).to_string()
        });
        let long = "-?[1-9][0-9]{20,400}";
        prop_oneof![
            any::<i64>().prop_map(|n| n.to_string()),
            (-20i64..20).prop_map(|n| n.to_string()),
            power,
            long
        ]
    }

    fn both(text: &str) -> (Int, BigInt) {
        let digits = text.trim_start_matches('-');
        let n = Int::parse(digits).expect("digits");
        let n = if text.starts_with('-') { n.neg() } else { n };
        (n, text.parse().expect("digits"))
    }

    /// The unique remainder in `[0, |b|)` and its quotient, from num-bigint's truncating operators.
    fn reference_div_mod(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
        let size = BigInt::from(b.magnitude().clone());
        let remainder = ((a % &size) + &size) % &size;
        ((a - &remainder) / b, remainder)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_another_library(x in texts(), y in texts()) {
            let ((a, ra), (b, rb)) = (both(&x), both(&y));
            prop_assert_eq!(a.to_string(), ra.to_string());
            prop_assert_eq!(a.add(&b).to_string(), (&ra + &rb).to_string());
            prop_assert_eq!(a.sub(&b).to_string(), (&ra - &rb).to_string());
            prop_assert_eq!(a.mul(&b).to_string(), (&ra * &rb).to_string());
            prop_assert_eq!(a.neg().to_string(), (-&ra).to_string());
            prop_assert_eq!(a.abs().to_string(), ra.magnitude().to_string());
            prop_assert_eq!(a.bit_and(&b).to_string(), (&ra & &rb).to_string());
            prop_assert_eq!(a.bit_or(&b).to_string(), (&ra | &rb).to_string());
            prop_assert_eq!(a.bit_xor(&b).to_string(), (&ra ^ &rb).to_string());
            prop_assert_eq!(a.cmp(&b), ra.cmp(&rb));
            prop_assert_eq!(a.bit_len(), ra.bits());
            if !b.is_zero() {
                let (quotient, remainder) = reference_div_mod(&ra, &rb);
                prop_assert_eq!(a.div_smtlib(&b).unwrap().to_string(), quotient.to_string());
                prop_assert_eq!(a.mod_smtlib(&b).unwrap().to_string(), remainder.to_string());
            }
        }

        #[test]
        fn shifts_and_powers_agree_with_another_library(x in texts(), count in 0u64..300, index in 0u64..1400) {
            let (a, ra) = both(&x);
            prop_assert_eq!(a.shift_left(count).unwrap().to_string(), (&ra << count).to_string());
            prop_assert_eq!(a.shift_right_floor(count).to_string(), (&ra >> count).to_string());
            prop_assert_eq!(a.bit(index), ra.bit(index));
            let modulus = BigInt::from(1) << count;
            let low = reference_div_mod(&ra, &modulus).1;
            prop_assert_eq!(a.low_bits(count as u32).to_string(), low.to_string());
            let exponent = count % 12;
            prop_assert_eq!(a.pow(exponent).unwrap().to_string(), ra.pow(exponent as u32).to_string());
        }

        #[test]
        fn gcd_divides_and_is_greatest(x in texts(), y in texts(), z in texts()) {
            let (a, b, c) = (both(&x).0, both(&y).0, both(&z).0);
            let g = a.gcd(&b);
            prop_assert!(!g.is_negative() && a.is_multiple_of(&g) && b.is_multiple_of(&g));
            prop_assert_eq!(a.mul(&c).gcd(&b.mul(&c)), g.mul(&c.abs()));
            prop_assert_eq!(g, b.gcd(&a));
        }
    }

    #[test]
    fn divides_as_the_ints_theory_says() {
        // (div m n), (mod m n) with m = n * q + r and 0 <= r < |n|
        let cases = [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -3, 1),
            (-7, -2, 4, 1),
            (0, -5, 0, 0),
        ];
        for (m, n, q, r) in cases {
            let (m, n) = (Int::from(m), Int::from(n));
            assert_eq!(
                m.div_mod_smtlib(&n),
                Some((Int::from(q), Int::from(r))),
                "{m} {n}"
            );
        }
        let smallest = Int::Small(i64::MIN);
        let quotient = smallest.div_smtlib(&Int::Small(-1)).unwrap();
        assert_eq!(quotient.to_string(), "9223372036854775808");
        assert_eq!(smallest.mod_smtlib(&Int::Small(-1)), Some(Int::ZERO));
    }

    #[test]
    fn leaves_division_by_zero_open() {
        assert_eq!(Int::ONE.div_smtlib(&Int::ZERO), None);
        assert_eq!(Int::ZERO.mod_smtlib(&Int::ZERO), None);
        assert_eq!(Int::ONE.div_floor(&Int::ZERO), None);
    }

    #[test]
    fn floors_toward_negative_infinity() {
        for (m, n, q) in [
            (7, 2, 3),
            (-7, 2, -4),
            (7, -2, -4),
            (-7, -2, 3),
            (6, -2, -3),
        ] {
            assert_eq!(
                Int::from(m).div_floor(&Int::from(n)),
                Some(Int::from(q)),
                "{m} {n}"
            );
        }
    }

    #[test]
    fn refuses_powers_that_fill_the_memory() {
        assert_eq!(Int::from(2).pow(u64::MAX), None);
        assert_eq!(Int::ONE.shift_left(u64::MAX), None);
        assert_eq!(Int::from(-1).pow(u64::MAX), Some(Int::from(-1)));
        assert_eq!(Int::ZERO.pow(0), Some(Int::ONE));
        assert_eq!(Int::ZERO.shift_left(u64::MAX), Some(Int::ZERO));
        assert_eq!(Int::from(-3).shift_right_floor(u64::MAX), Int::from(-1));
    }

    #[test]
    fn logarithm_is_of_positive_integers_only() {
        assert_eq!(Int::from(8).log2_floor(), Some(3));
        assert_eq!(Int::from(7).log2_floor(), Some(2));
        assert_eq!(Int::ZERO.log2_floor(), None);
    }
}
