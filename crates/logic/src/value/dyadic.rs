//! Numbers m·2^e, for arithmetic with rounding: exact, or rounded down or up to a number of bits.

use super::{Int, Rat};
use dashu_int::ops::SquareRootRem;
use std::cmp::Ordering;

/// `mantissa` · 2^`exponent`.
#[derive(Clone, Debug)]
pub struct Dyadic {
    mantissa: Int,
    exponent: i64,
}

/// Which way what does not fit is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    Below,
    Above,
}

/// Numbers outside of this power of two, in either direction, are not computed.
const MOST_EXPONENT: u64 = 1 << 16;

impl Dyadic {
    pub fn from_int(int: Int) -> Dyadic {
        Dyadic {
            mantissa: int,
            exponent: 0,
        }
    }

    /// A fraction, rounded.
    pub fn from_rat(rat: &Rat, bits: u64, toward: Toward) -> Option<Dyadic> {
        let above = Dyadic::from_int(rat.numerator());
        above.div(&Dyadic::from_int(rat.denominator()), bits, toward)
    }

    pub fn to_rat(&self) -> Option<Rat> {
        let power = Int::power_of_two(self.exponent.unsigned_abs())?;
        match self.exponent >= 0 {
            true => Some(Rat::from(self.mantissa.mul(&power))),
            false => Rat::new(&self.mantissa, &power),
        }
    }

    pub fn signum(&self) -> i32 {
        self.mantissa.signum()
    }

    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    /// The least k such that the number lies between -2^k and 2^k; none for zero.
    pub fn magnitude(&self) -> Option<i64> {
        (!self.is_zero()).then(|| self.mantissa.bit_len() as i64 + self.exponent)
    }

    pub fn neg(&self) -> Dyadic {
        Dyadic {
            mantissa: self.mantissa.neg(),
            exponent: self.exponent,
        }
    }

    pub fn abs(&self) -> Dyadic {
        if self.signum() < 0 {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// Times 2^`power`.
    pub fn scaled(&self, power: i64) -> Dyadic {
        Dyadic {
            mantissa: self.mantissa.clone(),
            exponent: self.exponent + power,
        }
    }

    /// The mantissa with a lower exponent; the exponents of numbers that are not given up are near enough.
    fn lowered(&self, exponent: i64) -> Option<Int> {
        let count = u64::try_from(self.exponent - exponent).ok()?;
        self.mantissa.shift_left(count)
    }

    pub fn add(&self, other: &Dyadic) -> Option<Dyadic> {
        if self.is_zero() {
            return Some(other.clone());
        }
        if other.is_zero() {
            return Some(self.clone());
        }
        let exponent = self.exponent.min(other.exponent);
        let mantissa = self.lowered(exponent)?.add(&other.lowered(exponent)?);
        Some(Dyadic { mantissa, exponent })
    }

    pub fn sub(&self, other: &Dyadic) -> Option<Dyadic> {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Dyadic) -> Dyadic {
        Dyadic {
            mantissa: self.mantissa.mul(&other.mantissa),
            exponent: self.exponent + other.exponent,
        }
    }

    /// The quotient, rounded; none for divisor 0.
    pub fn div(&self, divisor: &Dyadic, bits: u64, toward: Toward) -> Option<Dyadic> {
        let wanted =
            (bits + 2 + divisor.mantissa.bit_len()).saturating_sub(self.mantissa.bit_len());
        let dividend = self.mantissa.shift_left(wanted)?;
        let mantissa = match toward {
            Toward::Below => dividend.div_floor(&divisor.mantissa)?,
            Toward::Above => dividend.neg().div_floor(&divisor.mantissa)?.neg(),
        };
        let exponent = self.exponent - divisor.exponent - wanted as i64;
        Dyadic { mantissa, exponent }.rounded(bits, toward)
    }

    /// The square root of a number that is not negative, rounded.
    pub fn sqrt(&self, bits: u64, toward: Toward) -> Option<Dyadic> {
        if self.signum() < 0 {
            return None;
        }
        let mut wanted = (2 * bits + 2).saturating_sub(self.mantissa.bit_len());
        if (self.exponent - wanted as i64) % 2 != 0 {
            wanted += 1;
        }
        let square = self.mantissa.shift_left(wanted)?.magnitude();
        let (root, rest) = square.sqrt_rem();
        let mut mantissa = Int::from(root);
        if toward == Toward::Above && !rest.is_zero() {
            mantissa = mantissa.add(&Int::ONE);
        }
        let exponent = (self.exponent - wanted as i64) / 2;
        Dyadic { mantissa, exponent }.rounded(bits, toward)
    }

    /// The same number or, if it needs more bits, the next one in a direction; none if it is too large or too small.
    pub fn rounded(self, bits: u64, toward: Toward) -> Option<Dyadic> {
        let Some(magnitude) = self.magnitude() else {
            return Some(Dyadic::from_int(Int::ZERO));
        };
        if magnitude.unsigned_abs() > MOST_EXPONENT {
            return None;
        }
        let over = self.mantissa.bit_len().saturating_sub(bits);
        if over == 0 {
            return Some(self);
        }
        let mantissa = match toward {
            Toward::Below => self.mantissa.shift_right_floor(over),
            Toward::Above => self.mantissa.neg().shift_right_floor(over).neg(),
        };
        let exponent = self.exponent + over as i64;
        Some(Dyadic { mantissa, exponent })
    }

    /// The largest integer that is not greater.
    pub fn floor(&self) -> Option<Int> {
        match u64::try_from(self.exponent) {
            Ok(up) => self.mantissa.shift_left(up),
            Err(_) => Some(
                self.mantissa
                    .shift_right_floor(self.exponent.unsigned_abs()),
            ),
        }
    }

    pub fn compare(&self, other: &Dyadic) -> Option<Ordering> {
        // Signs and sizes decide most cases.
        let sign = self.signum();
        if sign != other.signum() {
            return Some(sign.cmp(&other.signum()));
        }
        match self.magnitude().cmp(&other.magnitude()) {
            Ordering::Equal => Some(self.sub(other)?.signum().cmp(&0)),
            size if sign < 0 => Some(size.reverse()),
            size => Some(size),
        }
    }
}
