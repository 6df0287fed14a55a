//! Operations of `BitVec` that give bit-vectors, defined as in FixedSizeBitVectors and QF_BV of SMT-LIB 2.7.
//! Operands of one operation have the same width: the sort check promises it.

use dashu_int::UBig;

use super::bits::{BitVec, Repr, WORD, mask};

impl BitVec {
    /// One operation in a word or on big naturals; both results are cut to the width.
    fn zip(
        &self,
        other: &BitVec,
        word: impl Fn(u64, u64) -> u64,
        big: impl Fn(&UBig, &UBig) -> UBig,
    ) -> BitVec {
        debug_assert_eq!(self.width(), other.width(), "operands have one sort");
        match (self.repr(), other.repr()) {
            (Repr::Small { width, bits: a }, Repr::Small { bits: b, .. }) => {
                BitVec::from_u64(*width, word(*a, *b))
            }
            (Repr::Big { width, bits: a }, Repr::Big { bits: b, .. }) => {
                BitVec::from_ubig(*width, big(a, b))
            }
            _ => BitVec::from_ubig(self.width(), big(&self.to_ubig(), &other.to_ubig())),
        }
    }

    pub fn not(&self) -> BitVec {
        self.xor(&BitVec::ones(self.width()))
    }

    pub fn and(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a & b, |a, b| a & b)
    }

    pub fn or(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a | b, |a, b| a | b)
    }

    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    pub fn nand(&self, other: &BitVec) -> BitVec {
        self.and(other).not()
    }

    pub fn nor(&self, other: &BitVec) -> BitVec {
        self.or(other).not()
    }

    pub fn xnor(&self, other: &BitVec) -> BitVec {
        self.xor(other).not()
    }

    pub fn neg(&self) -> BitVec {
        match self.repr() {
            Repr::Small { width, bits } => BitVec::from_u64(*width, bits.wrapping_neg()),
            Repr::Big { .. } => self.not().add(&BitVec::one(self.width())),
        }
    }

    pub fn add(&self, other: &BitVec) -> BitVec {
        self.zip(other, u64::wrapping_add, |a, b| a + b)
    }

    pub fn sub(&self, other: &BitVec) -> BitVec {
        match (self.repr(), other.repr()) {
            (Repr::Small { width, bits: a }, Repr::Small { bits: b, .. }) => {
                BitVec::from_u64(*width, a.wrapping_sub(*b))
            }
            _ => self.add(&other.neg()),
        }
    }

    pub fn mul(&self, other: &BitVec) -> BitVec {
        self.zip(other, u64::wrapping_mul, |a, b| a * b)
    }

    /// Unsigned quotient; all ones for divisor 0.
    pub fn udiv(&self, divisor: &BitVec) -> BitVec {
        if divisor.is_zero() {
            return BitVec::ones(self.width());
        }
        self.zip(divisor, |a, b| a / b, |a, b| a / b)
    }

    /// Unsigned remainder; the dividend for divisor 0.
    pub fn urem(&self, divisor: &BitVec) -> BitVec {
        if divisor.is_zero() {
            return self.clone();
        }
        self.zip(divisor, |a, b| a % b, |a, b| a % b)
    }

    /// The absolute value of the signed value; the smallest one is its own.
    fn magnitude(&self) -> BitVec {
        if self.sign_bit() {
            self.neg()
        } else {
            self.clone()
        }
    }

    fn negated_if(self, condition: bool) -> BitVec {
        if condition { self.neg() } else { self }
    }

    /// Signed quotient, truncated; by `udiv` of the magnitudes, hence 1 or -1 for divisor 0.
    pub fn sdiv(&self, divisor: &BitVec) -> BitVec {
        let quotient = self.magnitude().udiv(&divisor.magnitude());
        quotient.negated_if(self.sign_bit() != divisor.sign_bit())
    }

    /// Signed remainder with the sign of the dividend; the dividend for divisor 0.
    pub fn srem(&self, divisor: &BitVec) -> BitVec {
        let remainder = self.magnitude().urem(&divisor.magnitude());
        remainder.negated_if(self.sign_bit())
    }

    /// Signed remainder with the sign of the divisor; the dividend for divisor 0.
    pub fn smod(&self, divisor: &BitVec) -> BitVec {
        let remainder = self.magnitude().urem(&divisor.magnitude());
        let signed = remainder.negated_if(self.sign_bit());
        if signed.is_zero() || self.sign_bit() == divisor.sign_bit() {
            return signed;
        }
        signed.add(divisor)
    }

    /// Shift left with zero fill; 0 from the width on.
    pub fn shl(&self, amount: &BitVec) -> BitVec {
        self.shift_left_by(amount.to_u64().unwrap_or(u64::MAX))
    }

    /// Shift right with zero fill; 0 from the width on.
    pub fn lshr(&self, amount: &BitVec) -> BitVec {
        self.shift_right_by(amount.to_u64().unwrap_or(u64::MAX))
    }

    /// Shift right with sign fill; only sign bits from the width on.
    pub fn ashr(&self, amount: &BitVec) -> BitVec {
        match self.sign_bit() {
            true => self.not().lshr(amount).not(),
            false => self.lshr(amount),
        }
    }

    pub(super) fn shift_left_by(&self, count: u64) -> BitVec {
        let width = self.width();
        if count >= u64::from(width) {
            return BitVec::zero(width);
        }
        match self.repr() {
            Repr::Small { bits, .. } => BitVec::from_u64(width, bits << count),
            Repr::Big { bits, .. } => {
                // Cut first, so that the shifted number is never wider than the width.
                let mut kept = UBig::clone(bits);
                kept.clear_high_bits(width as usize - count as usize);
                BitVec::from_ubig(width, kept << count as usize)
            }
        }
    }

    pub(super) fn shift_right_by(&self, count: u64) -> BitVec {
        let width = self.width();
        if count >= u64::from(width) {
            return BitVec::zero(width);
        }
        match self.repr() {
            Repr::Small { bits, .. } => BitVec::from_u64(width, bits >> count),
            Repr::Big { bits, .. } => BitVec::from_ubig(width, &**bits >> count as usize),
        }
    }

    pub fn rotate_left(&self, count: u64) -> BitVec {
        let width = u64::from(self.width().max(1));
        let count = count % width;
        self.shift_left_by(count)
            .or(&self.shift_right_by(width - count))
    }

    pub fn rotate_right(&self, count: u64) -> BitVec {
        let width = u64::from(self.width().max(1));
        self.rotate_left(width - count % width)
    }

    /// Rotate left by the unsigned value of a bit-vector (z3's `ext_rotate_left`, bitwuzla's `bvrol`).
    pub fn rotate_left_by(&self, amount: &BitVec) -> BitVec {
        self.rotate_left(amount.modulo_width(self.width()))
    }

    /// Rotate right by the unsigned value of a bit-vector (z3's `ext_rotate_right`, bitwuzla's `bvror`).
    pub fn rotate_right_by(&self, amount: &BitVec) -> BitVec {
        self.rotate_right(amount.modulo_width(self.width()))
    }

    /// The unsigned value modulo a width.
    fn modulo_width(&self, width: u32) -> u64 {
        let width = u64::from(width.max(1));
        match self.to_u64() {
            Some(amount) => amount % width,
            None => u64::try_from(self.to_ubig() % UBig::from(width)).unwrap_or(0),
        }
    }
}

/// Structure: joining, cutting and widening. What would exceed [`BitVec::MAX_WIDTH`] is `None`.
impl BitVec {
    /// This above `low`.
    pub fn concat(&self, low: &BitVec) -> Option<BitVec> {
        let width = checked_width(u64::from(self.width()) + u64::from(low.width()))?;
        if let (Repr::Small { bits: high, .. }, Repr::Small { bits, width: count }, 0..=WORD) =
            (self.repr(), low.repr(), width)
        {
            return Some(BitVec::from_u64(
                width,
                high.checked_shl(*count).unwrap_or(0) | bits,
            ));
        }
        let high = self.to_ubig() << low.width() as usize;
        Some(BitVec::from_ubig(width, high | low.to_ubig()))
    }

    /// Bits `high` down to `low`; `None` unless `low <= high < width`.
    pub fn extract(&self, high: u32, low: u32) -> Option<BitVec> {
        if low > high || high >= self.width() {
            return None;
        }
        let width = high - low + 1;
        Some(match self.repr() {
            Repr::Small { bits, .. } => BitVec::from_u64(width, (bits >> low) & mask(width)),
            Repr::Big { bits, .. } => BitVec::from_ubig(width, &**bits >> low as usize),
        })
    }

    /// `count` copies side by side; `None` for 0 copies, which have no sort.
    pub fn repeat(&self, count: u32) -> Option<BitVec> {
        checked_width(u64::from(self.width()) * u64::from(count))?;
        // Doubling needs a logarithmic number of steps.
        let mut doubled = self.clone();
        let mut result: Option<BitVec> = None;
        for step in 0..u32::BITS - count.leading_zeros() {
            if step > 0 {
                doubled = doubled.concat(&doubled)?;
            }
            if count >> step & 1 == 1 {
                result = Some(match result {
                    Some(result) => doubled.concat(&result)?,
                    None => doubled.clone(),
                });
            }
        }
        result
    }

    /// `count` more high bits, all 0.
    pub fn zero_extend(&self, count: u32) -> Option<BitVec> {
        let width = checked_width(u64::from(self.width()) + u64::from(count))?;
        Some(match (self.repr(), width) {
            (Repr::Small { bits, .. }, _) => BitVec::from_u64(width, *bits),
            (Repr::Big { bits, .. }, _) => BitVec::from_ubig(width, UBig::clone(bits)),
        })
    }

    /// `count` more high bits, all like the sign bit.
    pub fn sign_extend(&self, count: u32) -> Option<BitVec> {
        match self.sign_bit() {
            true => Some(self.not().zero_extend(count)?.not()),
            false => self.zero_extend(count),
        }
    }
}

fn checked_width(width: u64) -> Option<u32> {
    u32::try_from(width)
        .ok()
        .filter(|w| *w <= BitVec::MAX_WIDTH)
}
