//! Intervals with rounded ends that contain the exact result. Every operation rounds the ends outward to a given
//! number of bits, and returns none for results that are too large or undefined.

use super::dyadic::{Dyadic, Toward};
use super::{Int, Rat};
use std::cmp::Ordering;

/// All reals from one number to another.
#[derive(Clone, Debug)]
pub struct Interval {
    low: Dyadic,
    high: Dyadic,
}

impl Interval {
    pub fn new(low: Dyadic, high: Dyadic) -> Interval {
        Interval { low, high }
    }

    pub fn point(at: Dyadic) -> Interval {
        Interval::new(at.clone(), at)
    }

    pub fn int(int: i64) -> Interval {
        Interval::point(Dyadic::from_int(Int::from(int)))
    }

    /// The interval around all reals between two fractions.
    pub fn between(low: &Rat, high: &Rat, bits: u64) -> Option<Interval> {
        Some(Interval::new(
            Dyadic::from_rat(low, bits, Toward::Below)?,
            Dyadic::from_rat(high, bits, Toward::Above)?,
        ))
    }

    pub fn low(&self) -> &Dyadic {
        &self.low
    }

    pub fn high(&self) -> &Dyadic {
        &self.high
    }

    fn rounded(low: Dyadic, high: Dyadic, bits: u64) -> Option<Interval> {
        Some(Interval {
            low: low.rounded(bits, Toward::Below)?,
            high: high.rounded(bits, Toward::Above)?,
        })
    }

    /// Around the same numbers, with ends of fewer bits.
    pub fn shortened(&self, bits: u64) -> Option<Interval> {
        Interval::rounded(self.low.clone(), self.high.clone(), bits)
    }

    pub fn is_zero(&self) -> bool {
        self.low.is_zero() && self.high.is_zero()
    }

    pub fn is_positive(&self) -> bool {
        self.low.signum() > 0
    }

    pub fn is_negative(&self) -> bool {
        self.high.signum() < 0
    }

    /// How any number of this one compares with any of the other; none if that differs.
    pub fn compare(&self, other: &Interval) -> Option<Ordering> {
        if self.high.compare(&other.low)? == Ordering::Less {
            return Some(Ordering::Less);
        }
        if self.low.compare(&other.high)? == Ordering::Greater {
            return Some(Ordering::Greater);
        }
        let points = [&self.high, &other.low, &other.high];
        let same = |end: &&Dyadic| self.low.compare(end) == Some(Ordering::Equal);
        points.iter().all(same).then_some(Ordering::Equal)
    }

    pub fn neg(&self) -> Interval {
        Interval::new(self.high.neg(), self.low.neg())
    }

    /// Times a power of two.
    pub fn scaled(&self, power: i64) -> Interval {
        Interval::new(self.low.scaled(power), self.high.scaled(power))
    }

    pub fn add(&self, other: &Interval, bits: u64) -> Option<Interval> {
        Interval::rounded(self.low.add(&other.low)?, self.high.add(&other.high)?, bits)
    }

    pub fn sub(&self, other: &Interval, bits: u64) -> Option<Interval> {
        self.add(&other.neg(), bits)
    }

    pub fn mul(&self, other: &Interval, bits: u64) -> Option<Interval> {
        let ((a, b), (c, d)) = ((&self.low, &self.high), (&other.low, &other.high));
        // The signs say which ends make the least and the greatest product.
        let ((a_low, c_low), (a_high, c_high)) = match (self.side(), other.side()) {
            (Side::Above, Side::Above) => ((a, c), (b, d)),
            (Side::Above, Side::Below) => ((b, c), (a, d)),
            (Side::Above, Side::Both) => ((b, c), (b, d)),
            (Side::Below, Side::Above) => ((a, d), (b, c)),
            (Side::Below, Side::Below) => ((b, d), (a, c)),
            (Side::Below, Side::Both) => ((a, d), (a, c)),
            (Side::Both, Side::Above) => ((a, d), (b, d)),
            (Side::Both, Side::Below) => ((b, c), (a, c)),
            (Side::Both, Side::Both) => {
                let low = largest(&a.mul(d).neg(), &b.mul(c).neg())?.neg();
                return Interval::rounded(low, largest(&a.mul(c), &b.mul(d))?, bits);
            }
        };
        Interval::rounded(a_low.mul(c_low), a_high.mul(c_high), bits)
    }

    fn side(&self) -> Side {
        match (self.low.signum() >= 0, self.high.signum() <= 0) {
            (true, _) => Side::Above,
            (false, true) => Side::Below,
            (false, false) => Side::Both,
        }
    }

    /// None where the divisor may be zero.
    pub fn div(&self, divisor: &Interval, bits: u64) -> Option<Interval> {
        if divisor.is_negative() {
            return self.neg().div(&divisor.neg(), bits);
        }
        if !divisor.is_positive() {
            return None;
        }
        // A positive number becomes larger by a smaller divisor.
        let (small, large) = (&divisor.low, &divisor.high);
        let (for_low, for_high) = match self.side() {
            Side::Above => (large, small),
            Side::Below => (small, large),
            Side::Both => (small, small),
        };
        Some(Interval {
            low: self.low.div(for_low, bits, Toward::Below)?,
            high: self.high.div(for_high, bits, Toward::Above)?,
        })
    }

    pub fn abs(&self) -> Option<Interval> {
        if self.low.signum() >= 0 {
            return Some(self.clone());
        }
        if self.high.signum() <= 0 {
            return Some(self.neg());
        }
        let zero = Dyadic::from_int(Int::ZERO);
        Some(Interval::new(zero, largest(&self.low.neg(), &self.high)?))
    }

    pub fn min(&self, other: &Interval) -> Option<Interval> {
        Some(self.neg().max(&other.neg())?.neg())
    }

    pub fn max(&self, other: &Interval) -> Option<Interval> {
        let low = largest(&self.low, &other.low)?;
        Some(Interval::new(low, largest(&self.high, &other.high)?))
    }

    /// None where a number of the interval is negative.
    pub fn sqrt(&self, bits: u64) -> Option<Interval> {
        Some(Interval::new(
            self.low.sqrt(bits, Toward::Below)?,
            self.high.sqrt(bits, Toward::Above)?,
        ))
    }

    /// A power with a whole exponent; none for a negative power of what may be zero.
    pub fn power(&self, exponent: i64, bits: u64) -> Option<Interval> {
        let mut power = Interval::int(1);
        for _ in 0..exponent.unsigned_abs() {
            power = power.mul(self, bits + 8)?;
        }
        match exponent < 0 {
            true => Interval::int(1).div(&power, bits),
            false => Interval::rounded(power.low, power.high, bits),
        }
    }

    /// Larger by so much at both ends.
    pub fn widened(&self, by: &Dyadic, bits: u64) -> Option<Interval> {
        Interval::rounded(self.low.sub(by)?, self.high.add(by)?, bits)
    }

    /// The larger of the distances of its ends from zero.
    pub fn size(&self) -> Option<Dyadic> {
        largest(&self.low.abs(), &self.high.abs())
    }

    pub fn width(&self) -> Option<Dyadic> {
        self.high.sub(&self.low)
    }

    pub fn middle(&self) -> Option<Dyadic> {
        Some(self.low.add(&self.high)?.scaled(-1))
    }

    /// The integer below all of its numbers next to each, if that is the same.
    pub fn floor(&self) -> Option<Int> {
        let floor = self.low.floor()?;
        (floor == self.high.floor()?).then_some(floor)
    }
}

/// Where an interval lies: its numbers are not negative, not positive, or of both kinds.
#[derive(Clone, Copy)]
enum Side {
    Above,
    Below,
    Both,
}

fn largest(a: &Dyadic, b: &Dyadic) -> Option<Dyadic> {
    Some(match a.compare(b)? {
        Ordering::Less => b.clone(),
        Ordering::Equal | Ordering::Greater => a.clone(),
    })
}
