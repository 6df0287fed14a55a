//! `Rat`: an exact rational number; small ones live in two machine words, with no allocation.

use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroI64;
use std::sync::Arc;

use super::int::Int;
use super::int_ops::gcd_u64;

/// A rational number in lowest terms with a positive denominator, so equal numbers are equal values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rat(Repr);

/// `Big` holds only what does not fit two words. The denominator's niche keeps this at 16 bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, NonZeroI64),
    Big(Arc<(Int, Int)>),
}

const DENOMINATOR_ONE: NonZeroI64 = NonZeroI64::new(1).unwrap();

impl Rat {
    pub const ZERO: Rat = Rat(Repr::Small(0, DENOMINATOR_ONE));
    pub const ONE: Rat = Rat(Repr::Small(1, DENOMINATOR_ONE));

    /// The fraction in lowest terms; `None` for denominator 0.
    pub fn new(numerator: &Int, denominator: &Int) -> Option<Rat> {
        if denominator.is_zero() {
            return None;
        }
        if let (Int::Small(a), Int::Small(b)) = (numerator, denominator) {
            return Some(reduce_words(i128::from(*a), i128::from(*b)));
        }
        Some(reduce(numerator, denominator))
    }

    /// Reads an SMT-LIB decimal such as `12.50`, or a numeral; no sign.
    pub fn parse(text: &str) -> Option<Rat> {
        let Some((whole, fraction)) = text.split_once('.') else {
            return Int::parse(text).map(Rat::from);
        };
        let (whole, digits) = (Int::parse(whole)?, Int::parse(fraction)?);
        let scale = Int::from(10).pow(fraction.len() as u64)?;
        Rat::new(&whole.mul(&scale).add(&digits), &scale)
    }

    pub fn numerator(&self) -> Int {
        match &self.0 {
            Repr::Small(numerator, _) => Int::Small(*numerator),
            Repr::Big(parts) => parts.0.clone(),
        }
    }

    /// Always positive.
    pub fn denominator(&self) -> Int {
        match &self.0 {
            Repr::Small(_, denominator) => Int::Small(denominator.get()),
            Repr::Big(parts) => parts.1.clone(),
        }
    }

    /// The bits of numerator and denominator together.
    pub fn bit_len(&self) -> u64 {
        match &self.0 {
            Repr::Small(..) => 128,
            Repr::Big(parts) => parts.0.bit_len() + parts.1.bit_len(),
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    pub fn is_int(&self) -> bool {
        match &self.0 {
            Repr::Small(_, denominator) => denominator.get() == 1,
            Repr::Big(parts) => parts.1.is_one(),
        }
    }

    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(numerator, _) => numerator.signum() as i32,
            Repr::Big(parts) => parts.0.signum(),
        }
    }

    /// Numerator and denominator if both are machine words.
    fn words(&self) -> Option<(i128, i128)> {
        match &self.0 {
            Repr::Small(a, b) => Some((i128::from(*a), i128::from(b.get()))),
            Repr::Big(_) => None,
        }
    }
}

/// Lowest terms of a fraction whose parts are at most 2^127 - 1 in size; the denominator is not 0.
fn reduce_words(numerator: i128, denominator: i128) -> Rat {
    let divisor = gcd_u128(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
    let sign = denominator.signum();
    let (numerator, denominator) = (sign * numerator / divisor, sign * denominator / divisor);
    let small = i64::try_from(numerator)
        .ok()
        .zip(i64::try_from(denominator).ok());
    match small.and_then(|(n, d)| NonZeroI64::new(d).map(|d| Repr::Small(n, d))) {
        Some(small) => Rat(small),
        None => Rat(Repr::Big(Arc::new((
            Int::from(numerator),
            Int::from(denominator),
        )))),
    }
}

fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    loop {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd_u64(a, b));
        }
        if b == 0 {
            return a;
        }
        (a, b) = (b, a % b);
    }
}

/// Lowest terms of any fraction; the denominator is not 0.
fn reduce(numerator: &Int, denominator: &Int) -> Rat {
    let divisor = numerator.gcd(denominator);
    let divisor = if denominator.is_negative() {
        divisor.neg()
    } else {
        divisor
    };
    lowest(exact(numerator, &divisor), exact(denominator, &divisor))
}

/// A quotient without a remainder.
fn exact(dividend: &Int, divisor: &Int) -> Int {
    match divisor.is_one() {
        true => dividend.clone(),
        false => dividend.div_smtlib(divisor).unwrap_or(Int::ZERO),
    }
}

/// The fraction of two numbers that have no common factor; the denominator is positive.
fn lowest(numerator: Int, denominator: Int) -> Rat {
    if let (Int::Small(n), Int::Small(d)) = (&numerator, &denominator)
        && let Some(d) = NonZeroI64::new(*d)
    {
        return Rat(Repr::Small(*n, d));
    }
    Rat(Repr::Big(Arc::new((numerator, denominator))))
}

impl Rat {
    pub fn add(&self, other: &Rat) -> Rat {
        if let (Some((a, b)), Some((c, d))) = (self.words(), other.words()) {
            // Each product is below 2^126 in size, so the sum fits.
            return reduce_words(a * d + c * b, b * d);
        }
        let (a, b) = (self.numerator(), self.denominator());
        let (c, d) = (other.numerator(), other.denominator());
        // Only what the denominators share can be shared by the sum: a divisor of small numbers instead of large ones.
        let shared = b.gcd(&d);
        let (b_own, d_own) = (exact(&b, &shared), exact(&d, &shared));
        let sum = a.mul(&d_own).add(&c.mul(&b_own));
        if shared.is_one() {
            return lowest(sum, b.mul(&d));
        }
        let divisor = sum.gcd(&shared);
        lowest(exact(&sum, &divisor), b_own.mul(&exact(&d, &divisor)))
    }

    pub fn sub(&self, other: &Rat) -> Rat {
        if let (Some((a, b)), Some((c, d))) = (self.words(), other.words()) {
            return reduce_words(a * d - c * b, b * d);
        }
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Rat) -> Rat {
        if let (Some((a, b)), Some((c, d))) = (self.words(), other.words()) {
            return reduce_words(a * c, b * d);
        }
        let (a, b) = (self.numerator(), self.denominator());
        let (c, d) = (other.numerator(), other.denominator());
        if a.is_zero() || c.is_zero() {
            return Rat::ZERO;
        }
        let (left, right) = (a.gcd(&d), c.gcd(&b));
        lowest(
            exact(&a, &left).mul(&exact(&c, &right)),
            exact(&b, &right).mul(&exact(&d, &left)),
        )
    }

    /// The quotient; `None` for divisor 0, which the standard leaves open.
    pub fn div(&self, divisor: &Rat) -> Option<Rat> {
        Some(self.mul(&divisor.inverse()?))
    }

    /// One divided by this; `None` for 0.
    pub fn inverse(&self) -> Option<Rat> {
        let (above, below) = (self.denominator(), self.numerator());
        match below.signum() {
            0 => None,
            1 => Some(lowest(above, below)),
            _ => Some(lowest(above.neg(), below.neg())),
        }
    }

    pub fn neg(&self) -> Rat {
        lowest(self.numerator().neg(), self.denominator())
    }

    pub fn abs(&self) -> Rat {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// The largest integer that is not greater: `to_int` of the Reals_Ints theory.
    pub fn floor(&self) -> Int {
        if self.is_int() {
            return self.numerator();
        }
        self.numerator()
            .div_floor(&self.denominator())
            .unwrap_or(Int::ZERO)
    }

    /// The integer it is, if it is one.
    pub fn to_int(&self) -> Option<Int> {
        self.is_int().then(|| self.numerator())
    }

    /// An integer power; `None` for a negative power of 0 or a result beyond [`Int::MAX_BITS`].
    pub fn pow(&self, exponent: i64) -> Option<Rat> {
        let base = if exponent < 0 {
            self.inverse()?
        } else {
            self.clone()
        };
        let size = exponent.unsigned_abs();
        let (numerator, denominator) = (base.numerator().pow(size)?, base.denominator().pow(size)?);
        Rat::new(&numerator, &denominator)
    }
}

impl From<Int> for Rat {
    fn from(n: Int) -> Rat {
        match n {
            Int::Small(n) => Rat(Repr::Small(n, DENOMINATOR_ONE)),
            big => Rat(Repr::Big(Arc::new((big, Int::ONE)))),
        }
    }
}

impl From<i64> for Rat {
    fn from(n: i64) -> Rat {
        Rat::from(Int::from(n))
    }
}

impl Ord for Rat {
    fn cmp(&self, other: &Rat) -> Ordering {
        if let (Some((a, b)), Some((c, d))) = (self.words(), other.words()) {
            return (a * d).cmp(&(c * b));
        }
        // Signs first: cheap, and it spares the products in most cases.
        self.signum().cmp(&other.signum()).then_with(|| {
            let left = self.numerator().mul(&other.denominator());
            left.cmp(&other.numerator().mul(&self.denominator()))
        })
    }
}

impl PartialOrd for Rat {
    fn partial_cmp(&self, other: &Rat) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_smtlib())
    }
}

impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Decimals of more digits after the point are printed as fractions.
const MAX_DECIMAL_PLACES: u64 = 18;

impl Rat {
    /// The value as an SMT-LIB term: `3.0`, `0.25`, `(- 2.5)`, `(/ 1.0 3.0)`, `(- (/ 1.0 3.0))`.
    pub fn to_smtlib(&self) -> String {
        if self.is_negative() {
            return format!("(- {})", self.abs().to_smtlib());
        }
        match self.decimal_places() {
            Some(places) => self.to_decimal(places),
            None => format!("(/ {}.0 {}.0)", self.numerator(), self.denominator()),
        }
    }

    /// How many digits after the point write this number exactly, if they are few.
    fn decimal_places(&self) -> Option<u64> {
        let denominator = self.denominator();
        (0..=MAX_DECIMAL_PLACES).find(|places| match Int::from(10).pow(*places) {
            Some(power) => power.is_multiple_of(&denominator),
            None => false,
        })
    }

    /// The digits of a number that is not negative and has this many decimal places.
    fn to_decimal(&self, places: u64) -> String {
        let scaled = self
            .mul(&Rat::from(10).pow(places as i64).unwrap_or(Rat::ONE))
            .floor()
            .to_string();
        let digits = format!("{scaled:0>width$}", width = places as usize + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places as usize);
        format!(
            "{whole}.{}",
            if fraction.is_empty() { "0" } else { fraction }
        )
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;

    fn rat(numerator: i64, denominator: i64) -> Rat {
        Rat::new(&Int::from(numerator), &Int::from(denominator)).expect("denominator is not 0")
    }

    #[test]
    fn is_as_small_as_two_words() {
        assert_eq!(size_of::<Rat>(), 16);
    }

    #[test]
    fn keeps_lowest_terms_and_a_positive_denominator() {
        assert_eq!(rat(6, -4), rat(-3, 2));
        assert_eq!(rat(0, -7), Rat::ZERO);
        assert_eq!(rat(i64::MIN, i64::MIN), Rat::ONE);
        assert_eq!(rat(i64::MIN, -1).to_smtlib(), "9223372036854775808.0");
        assert_eq!(Rat::new(&Int::ONE, &Int::ZERO), None);
    }

    #[test]
    fn reads_decimals_and_numerals() {
        assert_eq!(Rat::parse("12.50"), Some(rat(25, 2)));
        assert_eq!(Rat::parse("0.001"), Some(rat(1, 1000)));
        assert_eq!(Rat::parse("3"), Some(rat(3, 1)));
        for text in ["", ".5", "1.", "-1.0", "1.2.3", "1e5"] {
            assert_eq!(Rat::parse(text), None, "{text}");
        }
    }

    #[test]
    fn prints_smtlib_terms() {
        let cases = [
            (3, 1, "3.0"),
            (-5, 2, "(- 2.5)"),
            (1, 3, "(/ 1.0 3.0)"),
            (-1, 3, "(- (/ 1.0 3.0))"),
        ];
        for (numerator, denominator, text) in cases {
            assert_eq!(rat(numerator, denominator).to_smtlib(), text);
        }
        assert_eq!(rat(1, 1 << 10).to_smtlib(), "0.0009765625");
        assert_eq!(rat(1, 1 << 40).to_smtlib(), "(/ 1.0 1099511627776.0)");
        assert_eq!(Rat::ZERO.to_smtlib(), "0.0");
    }

    #[test]
    fn floors_toward_negative_infinity() {
        for (numerator, denominator, floor) in [(7, 2, 3), (-7, 2, -4), (-6, 2, -3), (0, 1, 0)] {
            assert_eq!(rat(numerator, denominator).floor(), Int::from(floor));
        }
    }

    #[test]
    fn leaves_division_by_zero_open() {
        assert_eq!(Rat::ONE.div(&Rat::ZERO), None);
        assert_eq!(Rat::ZERO.pow(-1), None);
        assert_eq!(rat(2, 3).pow(-2), Some(rat(9, 4)));
        assert_eq!(rat(2, 3).div(&rat(-4, 9)), Some(rat(-3, 2)));
    }

    fn parts() -> impl Strategy<Value = BigInt> {
        prop_oneof![
            (-30i64..30).prop_map(BigInt::from),
            any::<i64>().prop_map(BigInt::from),
            prop::sample::select(vec![i64::MIN, i64::MIN + 1, i64::MAX]).prop_map(BigInt::from),
            any::<i128>().prop_map(|n| BigInt::from(n) * n),
        ]
    }

    fn ours(numerator: &BigInt, denominator: &BigInt) -> Rat {
        let int = |n: &BigInt| {
            let size = Int::parse(&n.magnitude().to_string()).expect("digits");
            if n.sign() == num_bigint::Sign::Minus {
                size.neg()
            } else {
                size
            }
        };
        Rat::new(&int(numerator), &int(denominator)).expect("denominator is not 0")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The reference is schoolbook fractions over another library's integers.
        #[test]
        fn agrees_with_fractions_of_another_library(a in parts(), b in parts(), c in parts(), d in parts()) {
            let zero = BigInt::from(0);
            prop_assume!(b != zero && d != zero);
            let (x, y) = (ours(&a, &b), ours(&c, &d));
            prop_assert_eq!(x.add(&y), ours(&(&a * &d + &c * &b), &(&b * &d)));
            prop_assert_eq!(x.sub(&y), ours(&(&a * &d - &c * &b), &(&b * &d)));
            prop_assert_eq!(x.mul(&y), ours(&(&a * &c), &(&b * &d)));
            prop_assert_eq!(x.neg(), ours(&-&a, &b));
            let sign = BigInt::from(if (&b * &d) < zero { -1 } else { 1 });
            prop_assert_eq!(x.cmp(&y), (&a * &d * &sign).cmp(&(&c * &b * &sign)));
            if c != zero {
                prop_assert_eq!(x.div(&y), Some(ours(&(&a * &d), &(&b * &c))));
            }
            let floor = Rat::from(x.floor());
            prop_assert!(floor <= x && x < floor.add(&Rat::ONE));
            prop_assert!(x.denominator() > Int::ZERO);
            prop_assert_eq!(x.numerator().gcd(&x.denominator()), Int::ONE);
        }
    }
}
