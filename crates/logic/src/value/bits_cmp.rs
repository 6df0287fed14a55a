//! Predicates of `BitVec`: comparisons, overflow and reductions, defined as in FixedSizeBitVectors and QF_BV of SMT-LIB 2.7.

use std::cmp::Ordering;

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::bits::{BitVec, Repr};
use super::int::Int;

impl BitVec {
    /// Order of the unsigned values.
    pub fn unsigned_cmp(&self, other: &BitVec) -> Ordering {
        match (self.repr(), other.repr()) {
            (Repr::Small { bits: a, .. }, Repr::Small { bits: b, .. }) => a.cmp(b),
            (Repr::Big { bits: a, .. }, Repr::Big { bits: b, .. }) => a.cmp(b),
            _ => self.to_ubig().cmp(&other.to_ubig()),
        }
    }

    /// Order of the two's complement values.
    pub fn signed_cmp(&self, other: &BitVec) -> Ordering {
        let by_sign = other.sign_bit().cmp(&self.sign_bit());
        by_sign.then_with(|| self.unsigned_cmp(other))
    }

    pub fn ult(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_lt()
    }

    pub fn ule(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_le()
    }

    pub fn ugt(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_gt()
    }

    pub fn uge(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_ge()
    }

    pub fn slt(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_lt()
    }

    pub fn sle(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_le()
    }

    pub fn sgt(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_gt()
    }

    pub fn sge(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_ge()
    }

    /// `bvcomp`: one bit that says whether they are equal.
    pub fn comp(&self, other: &BitVec) -> BitVec {
        BitVec::from_bool(self == other)
    }

    /// `bvnego`: negation overflows, for the smallest signed value only.
    pub fn nego(&self) -> bool {
        self.width() > 0 && *self == BitVec::min_signed(self.width())
    }

    /// `bvuaddo`: the sum of the unsigned values needs more bits.
    pub fn uaddo(&self, other: &BitVec) -> bool {
        // The truncated sum is smaller than an operand exactly if bits were lost.
        self.add(other).ult(self)
    }

    /// `bvsaddo`: the sum of the signed values is out of range.
    pub fn saddo(&self, other: &BitVec) -> bool {
        let sign = self.sign_bit();
        sign == other.sign_bit() && self.add(other).sign_bit() != sign
    }

    /// `bvusubo`: the difference of the unsigned values is negative.
    pub fn usubo(&self, other: &BitVec) -> bool {
        self.ult(other)
    }

    /// `bvssubo`: the difference of the signed values is out of range.
    pub fn ssubo(&self, other: &BitVec) -> bool {
        let sign = self.sign_bit();
        sign != other.sign_bit() && self.sub(other).sign_bit() != sign
    }

    /// `bvumulo`: the product of the unsigned values needs more bits.
    pub fn umulo(&self, other: &BitVec) -> bool {
        let bits = match (self.repr(), other.repr()) {
            (Repr::Small { bits: a, .. }, Repr::Small { bits: b, .. }) => {
                let product = u128::from(*a) * u128::from(*b);
                (u128::BITS - product.leading_zeros()) as usize
            }
            (Repr::Big { bits: a, .. }, Repr::Big { bits: b, .. }) => UBig::bit_len(&(&**a * &**b)),
            _ => (self.to_ubig() * other.to_ubig()).bit_len(),
        };
        bits > self.width() as usize
    }

    /// `bvsmulo`: the product of the signed values is out of range.
    pub fn smulo(&self, other: &BitVec) -> bool {
        self.smul_above(other) || self.smul_below(other)
    }

    /// The product of the signed values is above the largest one (z3's `bvsmul_noovfl` says it is not).
    pub fn smul_above(&self, other: &BitVec) -> bool {
        self.signed_product(other) > BitVec::max_signed(self.width()).sbv_to_int()
    }

    /// The product of the signed values is below the smallest one (z3's `bvsmul_noudfl` says it is not).
    pub fn smul_below(&self, other: &BitVec) -> bool {
        self.signed_product(other) < BitVec::min_signed(self.width()).sbv_to_int()
    }

    fn signed_product(&self, other: &BitVec) -> Int {
        self.sbv_to_int().mul(&other.sbv_to_int())
    }

    /// `bvsdivo`: the signed quotient is out of range, for the smallest value divided by -1 only.
    pub fn sdivo(&self, divisor: &BitVec) -> bool {
        self.nego() && divisor.is_ones()
    }

    /// `bvredor`: some bit is 1.
    pub fn redor(&self) -> BitVec {
        BitVec::from_bool(!self.is_zero())
    }

    /// `bvredand`: every bit is 1.
    pub fn redand(&self) -> BitVec {
        BitVec::from_bool(self.is_ones())
    }

    /// `bvredxor`: an odd number of bits is 1.
    pub fn redxor(&self) -> BitVec {
        BitVec::from_bool(self.count_ones() % 2 == 1)
    }
}
