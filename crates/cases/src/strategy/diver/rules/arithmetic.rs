//! Floating-point arithmetic with one operand and the rounding given: it never falls, or never rises, as the other
//! operand does, so what leads into an interval is one. Its ends are found by halving.

use super::super::allowed::{Allowed, FloatBound};
use super::Context;
use super::floats::float;
use auspex_logic::Value;
use auspex_logic::value::{BitVec, Float, Format, Int, RoundingMode};

/// Wider formats take too many steps.
const WIDEST: u32 = 64;

pub(super) fn sum(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let (mode, other) = operands(context, at)?;
    let other = finite(other)?;
    preimage(context.allowed, other.format(), true, &|x| {
        x.add(mode, other)
    })
}

pub(super) fn difference(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let (mode, other) = operands(context, at)?;
    let other = finite(other)?;
    match at {
        1 => preimage(context.allowed, other.format(), true, &|x| {
            x.sub(mode, other)
        }),
        _ => preimage(context.allowed, other.format(), false, &|x| {
            other.sub(mode, x)
        }),
    }
}

pub(super) fn product(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let (mode, other) = operands(context, at)?;
    let other = finite(other).filter(|other| !other.is_zero())?;
    let rises = !other.is_negative();
    preimage(context.allowed, other.format(), rises, &|x| {
        x.mul(mode, other)
    })
}

/// Only the dividend: around zero a quotient jumps.
pub(super) fn quotient(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let (mode, other) = operands(context, at)?;
    let other = finite(other).filter(|other| !other.is_zero() && at == 1)?;
    let rises = !other.is_negative();
    preimage(context.allowed, other.format(), rises, &|x| {
        x.div(mode, other)
    })
}

pub(super) fn integral(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([Value::Rounding(mode), Value::Float(now)], 1) = (context.values, at) else {
        return None;
    };
    preimage(context.allowed, now.format(), true, &|x| {
        x.round_to_integral(*mode)
    })
}

/// Of what is not negative, and nothing else: a root of a negative number is none.
pub(super) fn root(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([Value::Rounding(mode), Value::Float(now)], 1) = (context.values, at) else {
        return None;
    };
    let Allowed::Floats(low, high, false) = context.allowed else {
        return None;
    };
    let zero = Float::zero(now.format(), false);
    let low = low.clone().filter(|(low, _)| zero.ieee_leq(low));
    let above_zero = Allowed::Floats(low.or(Some((zero.clone(), false))), high.clone(), false);
    let root = |x: &Float| match x.is_negative() && !x.is_zero() {
        true => Float::infinity(x.format(), true),
        false => x.sqrt(*mode),
    };
    preimage(&above_zero, now.format(), true, &root)
}

/// The rounding mode, and the operand that stays.
fn operands<'c>(context: &Context<'c>, at: usize) -> Option<(RoundingMode, &'c Float)> {
    match (context.values, at) {
        ([Value::Rounding(mode), _, other], 1) => Some((*mode, float(other)?)),
        ([Value::Rounding(mode), other, _], 2) => Some((*mode, float(other)?)),
        _ => None,
    }
}

fn finite(float: &Float) -> Option<&Float> {
    (!float.is_nan() && !float.is_infinite()).then_some(float)
}

/// What a function takes into an interval. It rises or falls and takes NaN, and nothing else, to NaN.
fn preimage(
    allowed: &Allowed,
    format: Format,
    rises: bool,
    of: &dyn Fn(&Float) -> Float,
) -> Option<Allowed> {
    let (low, high, nan) = match allowed {
        Allowed::Floats(low, high, nan) => (low.clone(), high.clone(), *nan),
        // The two zeros are one place of an interval.
        Allowed::Exactly(Value::Float(only)) if !only.is_zero() && !only.is_nan() => {
            let bound = Some((only.clone(), false));
            (bound.clone(), bound, false)
        }
        _ => return None,
    };
    if format.width() > WIDEST {
        return None;
    }
    let above = |x: &Float| {
        low.as_ref().is_none_or(|(low, open)| match open {
            true => low.ieee_lt(&of(x)),
            false => low.ieee_leq(&of(x)),
        })
    };
    let below = |x: &Float| {
        high.as_ref().is_none_or(|(high, open)| match open {
            true => of(x).ieee_lt(high),
            false => of(x).ieee_leq(high),
        })
    };
    let (first, last) = match rises {
        true => (first(format, &above)?, first(format, &|x| !below(x))),
        false => (first(format, &below)?, first(format, &|x| !above(x))),
    };
    let last = match last {
        None => infinity(format),
        Some(beyond) => beyond - 1,
    };
    if first > last {
        return None;
    }
    let bound = |place: i128| -> FloatBound { Some((at(format, place), false)) };
    Some(Allowed::Floats(bound(first), bound(last), nan))
}

/// The place of +oo among the numbers of a format, where both zeros are at 0.
fn infinity(format: Format) -> i128 {
    let bits = Float::infinity(format, false).to_ieee_bits();
    bits.and_then(|bits| bits.to_u64()).map_or(0, i128::from)
}

fn at(format: Format, place: i128) -> Float {
    let magnitude = BitVec::from_int(format.width(), &Int::from(place.unsigned_abs() as u64));
    let float = Float::from_ieee_bits(format, &magnitude);
    match place < 0 {
        true => float.neg(),
        false => float,
    }
}

/// The first place from which on something is true, if it is anywhere.
fn first(format: Format, is_true: &dyn Fn(&Float) -> bool) -> Option<i128> {
    let end = infinity(format);
    let (mut low, mut high) = (-end, end);
    if !is_true(&at(format, high)) {
        return None;
    }
    while low < high {
        let middle = low + (high - low).div_euclid(2);
        match is_true(&at(format, middle)) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Some(low)
}
