//! Intervals with rounded ends: whatever is computed with them holds the exact result.
//! Every operation says to how many bits the ends are rounded, outward, and gives up what is too large or not defined.

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
        let products = [
            self.low.mul(&other.low),
            self.low.mul(&other.high),
            self.high.mul(&other.low),
            self.high.mul(&other.high),
        ];
        let [mut low, mut high] = [&products[0], &products[0]];
        for product in &products[1..] {
            if product.compare(low)? == Ordering::Less {
                low = product;
            }
            if product.compare(high)? == Ordering::Greater {
                high = product;
            }
        }
        Interval::rounded(low.clone(), high.clone(), bits)
    }

    /// None where the divisor may be zero.
    pub fn div(&self, divisor: &Interval, bits: u64) -> Option<Interval> {
        if !divisor.is_positive() && !divisor.is_negative() {
            return None;
        }
        let one = Dyadic::from_int(Int::ONE);
        // The inverse of the larger end is the smaller one.
        let low = one.div(&divisor.high, bits + 2, Toward::Below)?;
        let high = one.div(&divisor.low, bits + 2, Toward::Above)?;
        self.mul(&Interval::new(low, high), bits)
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

fn largest(a: &Dyadic, b: &Dyadic) -> Option<Dyadic> {
    Some(match a.compare(b)? {
        Ordering::Less => b.clone(),
        Ordering::Equal | Ordering::Greater => a.clone(),
    })
}
