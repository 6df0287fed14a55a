//! Polynomials in one variable with rational coefficients, as far as algebraic numbers need them.

use super::{Int, Rat};
use std::cmp::Ordering;

/// A polynomial times a positive number that makes its coefficients whole. Signs are found without the greatest
/// common divisors that fractions need, and those take most of the time.
pub struct Signs(Vec<Int>);

impl Signs {
    /// The sign at a number.
    pub fn at(&self, number: &Rat) -> i32 {
        let (numerator, denominator) = (number.numerator(), number.denominator());
        let (mut sum, mut scale) = (Int::from(0), Int::from(1));
        for c in self.0.iter().rev() {
            sum = sum.mul(&numerator).add(&c.mul(&scale));
            scale = scale.mul(&denominator);
        }
        sum.signum()
    }

    /// The sign in a whole interval, as far as intervals tell that it is one.
    pub fn within(&self, low: &Rat, high: &Rat) -> Option<i32> {
        let common = low.denominator().mul(&high.denominator());
        let (low, high) = (
            low.numerator().mul(&high.denominator()),
            high.numerator().mul(&low.denominator()),
        );
        let (mut least, mut most, mut scale) = (Int::from(0), Int::from(0), Int::from(1));
        for c in self.0.iter().rev() {
            let corners = [
                least.mul(&low),
                least.mul(&high),
                most.mul(&low),
                most.mul(&high),
            ];
            let more = c.mul(&scale);
            least = corners.iter().min()?.add(&more);
            most = corners.iter().max()?.add(&more);
            scale = scale.mul(&common);
        }
        match (least.signum(), most.signum()) {
            (1, _) => Some(1),
            (_, -1) => Some(-1),
            _ => None,
        }
    }
}

/// Coefficients, lowest power first; the last one is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly(Vec<Rat>);

impl Poly {
    pub fn new(mut coefficients: Vec<Rat>) -> Poly {
        while coefficients.last().is_some_and(Rat::is_zero) {
            coefficients.pop();
        }
        Poly(coefficients)
    }

    pub fn constant(value: Rat) -> Poly {
        Poly::new(vec![value])
    }

    /// The variable itself.
    pub fn variable() -> Poly {
        Poly(vec![Rat::ZERO, Rat::ONE])
    }

    pub fn coefficients(&self) -> &[Rat] {
        &self.0
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// 0 for constants, also for the zero polynomial.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The value, if it is the same everywhere.
    pub fn as_constant(&self) -> Option<Rat> {
        match self.0.as_slice() {
            [] => Some(Rat::ZERO),
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    fn lead(&self) -> Rat {
        self.0.last().cloned().unwrap_or(Rat::ZERO)
    }

    pub fn add(&self, other: &Poly) -> Poly {
        let length = self.0.len().max(other.0.len());
        let at = |p: &Poly, i: usize| p.0.get(i).cloned().unwrap_or(Rat::ZERO);
        Poly::new(
            (0..length)
                .map(|i| at(self, i).add(&at(other, i)))
                .collect(),
        )
    }

    pub fn neg(&self) -> Poly {
        Poly(self.0.iter().map(Rat::neg).collect())
    }

    pub fn sub(&self, other: &Poly) -> Poly {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Poly) -> Poly {
        if self.is_zero() || other.is_zero() {
            return Poly::default();
        }
        // Whole numbers on the way: a fraction would be put in lowest terms after each step.
        let ((above, below), (more, under)) = (self.whole(), other.whole());
        let mut product = vec![Int::ZERO; above.len() + more.len() - 1];
        for (i, a) in above.iter().enumerate() {
            for (j, b) in more.iter().enumerate() {
                product[i + j] = product[i + j].add(&a.mul(b));
            }
        }
        Poly::over(&product, &below.mul(&under))
    }

    /// Whole coefficients, and the positive number they are divided by.
    fn whole(&self) -> (Vec<Int>, Int) {
        let scale = self.0.iter().fold(Int::ONE, |lcm, c| {
            let below = c.denominator();
            let quotient = below.div_floor(&lcm.gcd(&below));
            lcm.mul(&quotient.unwrap_or(Int::ONE))
        });
        let part = |c: &Rat| {
            let factor = scale.div_floor(&c.denominator());
            c.numerator().mul(&factor.unwrap_or(Int::ONE))
        };
        (self.0.iter().map(part).collect(), scale)
    }

    /// Whole coefficients divided by a number that is not zero.
    fn over(whole: &[Int], scale: &Int) -> Poly {
        let part = |c: &Int| Rat::new(c, scale).unwrap_or(Rat::ZERO);
        Poly::new(whole.iter().map(part).collect())
    }

    pub fn scale(&self, factor: &Rat) -> Poly {
        Poly::new(self.0.iter().map(|c| c.mul(factor)).collect())
    }

    pub fn pow(&self, exponent: u32) -> Poly {
        (0..exponent).fold(Poly::constant(Rat::ONE), |power, _| power.mul(self))
    }

    /// Quotient and remainder; `None` if the divisor is zero.
    pub fn div_rem(&self, divisor: &Poly) -> Option<(Poly, Poly)> {
        let ((mut rest, mut scale), (by, under)) = (self.whole(), divisor.whole());
        let lead = by.last()?;
        // scale · self = quotient · by + rest, with whole numbers all the way.
        let mut quotient = vec![Int::ZERO; (rest.len() + 1).saturating_sub(by.len())];
        while rest.len() >= by.len() {
            let last = rest.pop()?;
            if last.is_zero() {
                continue;
            }
            let shift = rest.len() + 1 - by.len();
            let common = lead.gcd(&last);
            let (up, factor) = (lead.div_floor(&common)?, last.div_floor(&common)?);
            for part in rest.iter_mut().chain(&mut quotient) {
                *part = part.mul(&up);
            }
            for (i, c) in by[..by.len() - 1].iter().enumerate() {
                rest[i + shift] = rest[i + shift].sub(&c.mul(&factor));
            }
            quotient[shift] = quotient[shift].add(&factor);
            scale = scale.mul(&up);
        }
        let quotient: Vec<Int> = quotient.iter().map(|c| c.mul(&under)).collect();
        Some((Poly::over(&quotient, &scale), Poly::over(&rest, &scale)))
    }

    /// The remainder by a polynomial that is not zero.
    pub fn modulo(&self, divisor: &Poly) -> Poly {
        self.div_rem(divisor)
            .map_or_else(|| self.clone(), |(_, r)| r)
    }

    /// With leading coefficient 1; zero stays zero.
    pub fn monic(&self) -> Poly {
        self.lead()
            .inverse()
            .map_or_else(Poly::default, |inverse| self.scale(&inverse))
    }

    /// The monic greatest common divisor.
    pub fn gcd(&self, other: &Poly) -> Poly {
        let (mut a, mut b) = (self.monic(), other.monic());
        while !b.is_zero() {
            let rest = a.modulo(&b).monic();
            a = std::mem::replace(&mut b, rest);
        }
        a
    }

    /// The monic divisor `g` of both and a factor `f` with `f * self = g` modulo `other`.
    pub fn gcd_with_factor(&self, other: &Poly) -> (Poly, Poly) {
        let (mut a, mut b) = (self.clone(), other.clone());
        let (mut fa, mut fb) = (Poly::constant(Rat::ONE), Poly::default());
        while let Some((quotient, rest)) = a.div_rem(&b) {
            let next = fa.sub(&quotient.mul(&fb));
            // Both may be multiplied by a number, and small ones are easier to compute with.
            let scale = rest.lead().inverse().unwrap_or(Rat::ONE);
            a = std::mem::replace(&mut b, rest.scale(&scale));
            fa = std::mem::replace(&mut fb, next.scale(&scale));
        }
        let inverse = a.lead().inverse().unwrap_or(Rat::ONE);
        (a.scale(&inverse), fa.scale(&inverse))
    }

    pub fn derivative(&self) -> Poly {
        let powers = self.0.iter().enumerate().skip(1);
        Poly::new(powers.map(|(i, c)| c.mul(&Rat::from(i as i64))).collect())
    }

    /// The monic polynomial with the same roots, each simple.
    pub fn square_free(&self) -> Poly {
        let common = self.gcd(&self.derivative());
        self.div_rem(&common)
            .map_or_else(Poly::default, |(q, _)| q.monic())
    }

    /// What its signs are found by.
    pub fn signs(&self) -> Signs {
        let common = self.0.iter().fold(Int::from(1), |common, c| {
            let denominator = c.denominator();
            let shared = common.gcd(&denominator);
            let rest = denominator.div_smtlib(&shared).unwrap_or(denominator);
            common.mul(&rest)
        });
        let whole = |c: &Rat| c.mul(&Rat::from(common.clone())).numerator();
        Signs(self.0.iter().map(whole).collect())
    }

    pub fn eval(&self, at: &Rat) -> Rat {
        self.0
            .iter()
            .rev()
            .fold(Rat::ZERO, |sum, c| sum.mul(at).add(c))
    }

    /// `self` with a polynomial in place of the variable.
    pub fn compose(&self, inner: &Poly) -> Poly {
        self.0.iter().rev().fold(Poly::default(), |sum, c| {
            sum.mul(inner).add(&Poly::constant(c.clone()))
        })
    }

    /// The same modulo a polynomial, and so never larger than that.
    pub fn compose_modulo(&self, inner: &Poly, modulus: &Poly) -> Poly {
        self.0.iter().rev().fold(Poly::default(), |sum, c| {
            let product = sum.mul(inner).modulo(modulus);
            product.add(&Poly::constant(c.clone()))
        })
    }

    /// Bounds of the values on an interval, by Horner's rule.
    pub fn range(&self, low: &Rat, high: &Rat) -> (Rat, Rat) {
        let mut sum = (Rat::ZERO, Rat::ZERO);
        for c in self.0.iter().rev() {
            let corners = [
                sum.0.mul(low),
                sum.0.mul(high),
                sum.1.mul(low),
                sum.1.mul(high),
            ];
            let least = corners.iter().min().cloned().unwrap_or(Rat::ZERO);
            let most = corners.iter().max().cloned().unwrap_or(Rat::ZERO);
            sum = (least.add(c), most.add(c));
        }
        sum
    }

    /// A number that is greater than the magnitude of every root.
    pub fn root_bound(&self) -> Rat {
        let monic = self.monic();
        let largest = monic.0.iter().map(Rat::abs).max().unwrap_or(Rat::ZERO);
        Rat::from(largest.floor()).add(&Rat::from(2))
    }

    /// Sturm's sequence of a square-free polynomial.
    pub fn sturm(&self) -> Sturm {
        let mut chain = vec![self.clone(), self.derivative()];
        while let [.., a, b] = chain.as_slice()
            && !b.is_zero()
        {
            // Only signs count, so the size of the coefficients may be kept down.
            let rest = a.modulo(b).neg();
            let scale = rest.lead().abs().inverse().unwrap_or(Rat::ONE);
            chain.push(rest.scale(&scale));
        }
        Sturm(chain.iter().map(Poly::signs).collect())
    }

    /// The resultant: zero exactly if both have a common root.
    pub fn resultant(&self, other: &Poly) -> Rat {
        if self.is_zero() || other.is_zero() {
            return Rat::ZERO;
        }
        let (mut a, mut b) = (self.clone(), other.clone());
        let mut result = Rat::ONE;
        while b.degree() > 0 {
            let rest = a.modulo(&b);
            if rest.is_zero() {
                return Rat::ZERO;
            }
            if a.degree() % 2 == 1 && b.degree() % 2 == 1 {
                result = result.neg();
            }
            let power = (a.degree() - rest.degree()) as i64;
            result = result.mul(&b.lead().pow(power).unwrap_or(Rat::ZERO));
            a = std::mem::replace(&mut b, rest);
        }
        result.mul(&b.lead().pow(a.degree() as i64).unwrap_or(Rat::ZERO))
    }

    /// The polynomial of lowest degree with these values at 0, 1, 2, …
    pub fn through(values: &[Rat]) -> Poly {
        let mut sum = Poly::default();
        let mut product = Poly::constant(Rat::ONE);
        for (at, value) in values.iter().enumerate() {
            let at = Rat::from(at as i64);
            let missing = value.sub(&sum.eval(&at));
            let factor = missing.div(&product.eval(&at)).unwrap_or(Rat::ZERO);
            sum = sum.add(&product.scale(&factor));
            product = product.mul(&Poly::new(vec![at.neg(), Rat::ONE]));
        }
        sum
    }

    /// With whole coefficients without a common factor.
    pub fn integral(&self) -> Vec<Int> {
        let (whole, _) = self.whole();
        let common = whole.iter().fold(Int::from(0), |gcd, c| gcd.gcd(c));
        whole
            .iter()
            .map(|c| c.div_floor(&common).unwrap_or_else(|| c.clone()))
            .collect()
    }
}

/// Counts the roots of a square-free polynomial in intervals.
pub struct Sturm(Vec<Signs>);

impl Sturm {
    fn variations(&self, at: &Rat) -> usize {
        let signs = self.0.iter().map(|p| p.at(at));
        let mut changes = 0;
        let mut last = 0;
        for sign in signs.filter(|s| *s != 0) {
            changes += usize::from(last != 0 && sign != last);
            last = sign;
        }
        changes
    }

    /// The number of roots greater than `low` and at most `high`.
    pub fn roots(&self, low: &Rat, high: &Rat) -> usize {
        if low.cmp(high) != Ordering::Less {
            return 0;
        }
        self.variations(low).saturating_sub(self.variations(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn poly(coefficients: &[i64]) -> Poly {
        Poly::new(coefficients.iter().map(|c| Rat::from(*c)).collect())
    }

    #[test]
    fn divides_with_remainder() {
        // x^3 - 1 = (x - 1)(x^2 + x + 1)
        let (quotient, rest) = poly(&[-1, 0, 0, 1])
            .div_rem(&poly(&[-1, 1]))
            .expect("not zero");
        assert_eq!((quotient, rest), (poly(&[1, 1, 1]), Poly::default()));
        assert_eq!(poly(&[1]).div_rem(&Poly::default()), None);
    }

    #[test]
    fn makes_roots_simple() {
        // (x - 1)^2 (x + 2)
        let twice = poly(&[-1, 1]).mul(&poly(&[-1, 1])).mul(&poly(&[2, 1]));
        assert_eq!(twice.square_free(), poly(&[-1, 1]).mul(&poly(&[2, 1])));
    }

    #[test]
    fn counts_roots_between_bounds() {
        // (x - 1)(x - 2)(x - 3), and x^2 + 1 without a root.
        let three = poly(&[-6, 11, -6, 1]).sturm();
        let count = |low: i64, high: i64| three.roots(&Rat::from(low), &Rat::from(high));
        assert_eq!((count(0, 4), count(1, 2), count(3, 9)), (3, 1, 0));
        assert_eq!(
            poly(&[1, 0, 1])
                .sturm()
                .roots(&Rat::from(-9), &Rat::from(9)),
            0
        );
    }

    #[test]
    fn resultants_vanish_on_common_roots() {
        // The resultant of x^2 - 2 and x - 3 is 7, the value of the first at 3.
        assert_eq!(poly(&[-2, 0, 1]).resultant(&poly(&[-3, 1])), Rat::from(7));
        assert_eq!(poly(&[-2, 0, 1]).resultant(&poly(&[4, 0, -2])), Rat::ZERO);
        assert_eq!(poly(&[-3, 1]).resultant(&poly(&[-2, 0, 1])), Rat::from(7));
    }

    #[test]
    fn interpolates() {
        let wanted = poly(&[5, -3, 0, 2]);
        let values: Vec<Rat> = (0..4).map(|n| wanted.eval(&Rat::from(n))).collect();
        assert_eq!(Poly::through(&values), wanted);
    }

    #[test]
    fn gives_a_factor_for_the_divisor() {
        // Modulo x^2 - 2 the inverse of x is x / 2.
        let (divisor, factor) = Poly::variable().gcd_with_factor(&poly(&[-2, 0, 1]));
        assert_eq!(divisor, poly(&[1]));
        assert_eq!(factor.scale(&Rat::from(2)), Poly::variable());
    }
}
