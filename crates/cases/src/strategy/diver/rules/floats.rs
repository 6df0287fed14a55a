//! Floating-point numbers: intervals by the order of IEEE 754, where -0 and +0 are equal and NaN is unordered.

use super::super::allowed::Allowed;
use super::{Context, wanted};
use auspex_logic::Value;
use auspex_logic::value::Float;

pub(super) fn float(value: &Value) -> Option<&Float> {
    match value {
        Value::Float(float) => Some(float),
        _ => None,
    }
}

/// `fp.lt` and its relatives between two numbers; `flipped` for the greater ones.
pub(super) fn ordered(
    context: &Context<'_>,
    at: usize,
    strict: bool,
    flipped: bool,
) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let value = wanted(context)?;
    let other = float(if at == 0 { b } else { a })?;
    if other.is_nan() {
        // Nothing compares with NaN: what is false stays so.
        return (!value).then_some(Allowed::Anything);
    }
    let (strict, flipped) = if value {
        (strict, flipped)
    } else {
        (!strict, !flipped)
    };
    let bound = Some((other.clone(), strict));
    // A comparison that must fail also fails with NaN.
    Some(match (at == 0) != flipped {
        true => Allowed::Floats(None, bound, !value),
        false => Allowed::Floats(bound, None, !value),
    })
}

pub(super) fn equality(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let other = float(if at == 0 { b } else { a })?;
    match wanted(context)? {
        true => {
            let bound = Some((other.clone(), false));
            Some(Allowed::Floats(bound.clone(), bound, false))
        }
        false if other.is_nan() => Some(Allowed::Anything),
        false if other.is_zero() => None,
        false => Some(Allowed::AnythingBut(Value::Float(other.clone()))),
    }
}

pub(super) fn negation(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let turn = |bound: &Option<(Float, bool)>| bound.as_ref().map(|(f, open)| (f.neg(), *open));
    match context.allowed {
        Allowed::Floats(low, high, nan) => Some(Allowed::Floats(turn(high), turn(low), *nan)),
        Allowed::AnythingBut(Value::Float(f)) => Some(Allowed::AnythingBut(Value::Float(f.neg()))),
        _ => None,
    }
}

/// A magnitude up to a bound.
pub(super) fn absolute(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let Allowed::Floats(low, high, nan) = context.allowed else {
        return None;
    };
    let reaches_zero = |(f, open): &(Float, bool)| f.is_negative() || f.is_zero() && !*open;
    if !low.as_ref().is_none_or(reaches_zero) {
        return None;
    }
    Some(match high {
        None => Allowed::Floats(None, None, *nan),
        Some((high, open)) => {
            Allowed::Floats(Some((high.neg(), *open)), Some((high.clone(), *open)), *nan)
        }
    })
}

pub(super) fn is_nan(context: &Context<'_>, _: usize) -> Option<Allowed> {
    (!wanted(context)?).then_some(Allowed::Floats(None, None, false))
}

pub(super) fn is_infinite(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let most = Float::max_finite(float(&context.values[0])?.format(), false);
    (!wanted(context)?)
        .then(|| Allowed::Floats(Some((most.neg(), false)), Some((most.clone(), false)), true))
}

/// Numbers beyond zero have the sign; the zeros are left out.
pub(super) fn has_sign(context: &Context<'_>, negative: bool) -> Option<Allowed> {
    let zero = Float::zero(float(&context.values[0])?.format(), false);
    let wanted = wanted(context)?;
    let bound = Some((zero, true));
    // What lacks the sign has the other one, or is NaN.
    Some(match negative == wanted {
        true => Allowed::Floats(None, bound, !wanted),
        false => Allowed::Floats(bound, None, !wanted),
    })
}
