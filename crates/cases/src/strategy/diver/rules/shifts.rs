//! Inverses of operators on bit-vectors that move bits: extensions, rotations, shifts by a constant, and products with
//! one, which fix some bits and leave the others free.

use super::super::allowed::Allowed;
use super::Context;
use super::bits::{bits, fixed_bits};
use auspex_logic::Value;
use auspex_logic::value::BitVec;

/// The bits of the argument, given for each bit of the result which bit of the argument it shows; none shows zero.
fn shown(context: &Context<'_>, source: impl Fn(u32) -> Option<u32>) -> Option<Allowed> {
    let width = bits(&context.values[0])?.width();
    let (mask, fixed) = fixed_bits(context.allowed)?;
    let (mut known, mut ones) = (BitVec::zero(width), BitVec::zero(width));
    for at in (0..mask.width()).filter(|at| mask.bit(*at)) {
        let Some(from) = source(at) else {
            if fixed.bit(at) {
                return Some(nothing());
            }
            continue;
        };
        let bit = BitVec::one(width).rotate_left(u64::from(from));
        if known.bit(from) && ones.bit(from) != fixed.bit(at) {
            return Some(nothing());
        }
        known = known.or(&bit);
        if fixed.bit(at) {
            ones = ones.or(&bit);
        }
    }
    Some(match known.is_zero() {
        true => Allowed::Anything,
        false => Allowed::Bits(known, ones),
    })
}

fn nothing() -> Allowed {
    Allowed::Either(Vec::new())
}

/// The new bits are copies of the highest one.
pub(super) fn sign_extend(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let width = bits(&context.values[0])?.width();
    shown(context, |at| Some(at.min(width - 1)))
}

pub(super) fn rotated(context: &Context<'_>, is_left: bool) -> Option<Allowed> {
    let width = u64::from(bits(&context.values[0])?.width());
    let count = context.indices.first()? % width;
    let back = match is_left {
        true => width - count,
        false => count,
    };
    shown(context, |at| Some(((u64::from(at) + back) % width) as u32))
}

/// Which way a shift goes, and what it fills with.
#[derive(Clone, Copy)]
pub(super) enum Shift {
    Left,
    Right,
    /// To the right, with copies of the highest bit.
    Signed,
}

/// A shift whose second argument stays.
pub(super) fn shifted(context: &Context<'_>, at: usize, shift: Shift) -> Option<Allowed> {
    let ([_, by], 0) = (context.values, at) else {
        return None;
    };
    let by = bits(by)?;
    let width = by.width();
    // Further than the width is as far as the width.
    let by = by.to_u64().unwrap_or(u64::MAX).min(u64::from(width)) as u32;
    shown(context, |at| match shift {
        Shift::Left => at.checked_sub(by),
        Shift::Right => Some(at + by).filter(|from| *from < width),
        Shift::Signed => Some((at + by).min(width - 1)),
    })
}

/// A product with a constant `c = odd * 2^t`: the lowest `t` bits of the result are zero, and the others fix as many of
/// the argument, since odd numbers have inverses.
pub(super) fn product(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let width = bits(&context.values[0])?.width();
    let others = context.values.iter().enumerate().filter(|(i, _)| *i != at);
    let factor = others
        .map(|(_, value)| bits(value))
        .try_fold(BitVec::one(width), |product, other| {
            Some(product.mul(other?))
        })?;
    let wanted = match context.allowed {
        Allowed::Anything => return Some(Allowed::Anything),
        Allowed::Exactly(Value::BitVec(wanted)) => wanted,
        _ => return None,
    };
    let zeros = (0..width).find(|at| factor.bit(*at)).unwrap_or(width);
    if (0..zeros).any(|at| wanted.bit(at)) {
        return Some(nothing());
    }
    if zeros == width {
        return Some(Allowed::Anything);
    }
    let by = BitVec::from_int(width, &i64::from(zeros).into());
    let quotient = wanted.lshr(&by).mul(&inverse(&factor.lshr(&by)));
    let mask = BitVec::ones(width).lshr(&by);
    let fixed = quotient.and(&mask);
    Some(match zeros {
        0 => Allowed::Exactly(Value::BitVec(fixed)),
        _ => Allowed::Bits(mask, fixed),
    })
}

/// The inverse of an odd number, by Newton's steps, each of which doubles the bits that are right.
fn inverse(odd: &BitVec) -> BitVec {
    let two = BitVec::from_u64(odd.width().max(2), 2);
    let two = two.extract(odd.width() - 1, 0).unwrap_or(two);
    let mut inverse = odd.clone();
    let mut right = 1;
    while right < odd.width() {
        inverse = inverse.mul(&two.sub(&odd.mul(&inverse)));
        right *= 2;
    }
    inverse
}
