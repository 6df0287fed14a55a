//! Integers and reals: intervals that are moved, mirrored and scaled.

use super::super::allowed::Allowed;
use super::{Context, wanted};
use auspex_logic::Value;
use auspex_logic::value::{Int, Rat};

/// `<`, `<=`, `>`, `>=` between numbers; `flipped` for the last two.
pub(super) fn ordered(
    context: &Context<'_>,
    at: usize,
    strict: bool,
    flipped: bool,
) -> Option<Allowed> {
    let value = wanted(context)?;
    let lower = at.checked_sub(1).map(|i| &context.values[i]);
    let upper = context.values.get(at + 1);
    if context.values.len() != 2 {
        // A chain that holds: between the neighbours. One that does not is left alone.
        let (lower, upper) = if flipped {
            (upper, lower)
        } else {
            (lower, upper)
        };
        return value.then(|| between(lower, upper, strict)).flatten();
    }
    // Not (x < y) is y <= x: the sides change, and so does strictness.
    let (strict, flipped) = if value {
        (strict, flipped)
    } else {
        (!strict, !flipped)
    };
    match flipped {
        true => between(upper, lower, strict),
        false => between(lower, upper, strict),
    }
}

/// The numbers above one and below another.
fn between(lower: Option<&Value>, upper: Option<&Value>, strict: bool) -> Option<Allowed> {
    match lower.or(upper)? {
        Value::Int(_) => {
            let step = Int::from(i64::from(strict));
            let low = lower.map(|v| Some(int(v)?.add(&step)));
            let high = upper.map(|v| Some(int(v)?.sub(&step)));
            Some(Allowed::Ints(
                low.unwrap_or_default(),
                high.unwrap_or_default(),
            ))
        }
        Value::Real(_) => {
            let bound = |v: &Value| Some((real(v)?.clone(), strict));
            // An irrational neighbour has no place in the set.
            let low = match lower {
                Some(lower) => Some(bound(lower)?),
                None => None,
            };
            let high = match upper {
                Some(upper) => Some(bound(upper)?),
                None => None,
            };
            Some(Allowed::Reals(low, high))
        }
        _ => None,
    }
}

pub(super) fn int(value: &Value) -> Option<&Int> {
    match value {
        Value::Int(int) => Some(int),
        _ => None,
    }
}

fn real(value: &Value) -> Option<&Rat> {
    match value {
        Value::Real(rat) => Some(rat),
        _ => None,
    }
}

/// The set moved by a number: `x + k` is in the set.
fn shifted(
    allowed: &Allowed,
    ints: &dyn Fn(&Int) -> Int,
    reals: &dyn Fn(&Rat) -> Rat,
) -> Option<Allowed> {
    allowed.moved(&|one| shifted_one(one, ints, reals))
}

fn shifted_one(
    allowed: &Allowed,
    ints: &dyn Fn(&Int) -> Int,
    reals: &dyn Fn(&Rat) -> Rat,
) -> Option<Allowed> {
    Some(match allowed {
        Allowed::Anything => Allowed::Anything,
        Allowed::Exactly(Value::Int(v)) => Allowed::Exactly(Value::Int(ints(v))),
        Allowed::Exactly(Value::Real(v)) => Allowed::Exactly(Value::Real(reals(v))),
        Allowed::AnythingBut(Value::Int(v)) => Allowed::AnythingBut(Value::Int(ints(v))),
        Allowed::AnythingBut(Value::Real(v)) => Allowed::AnythingBut(Value::Real(reals(v))),
        Allowed::Ints(low, high) => Allowed::Ints(low.as_ref().map(ints), high.as_ref().map(ints)),
        Allowed::Reals(low, high) => {
            let bound = |b: &Option<(Rat, bool)>| b.as_ref().map(|(rat, open)| (reals(rat), *open));
            Allowed::Reals(bound(low), bound(high))
        }
        _ => return None,
    })
}

/// The set with its sign changed.
fn mirrored(allowed: &Allowed) -> Option<Allowed> {
    allowed.moved(&|one| {
        Some(match shifted_one(one, &Int::neg, &Rat::neg)? {
            Allowed::Ints(low, high) => Allowed::Ints(high, low),
            Allowed::Reals(low, high) => Allowed::Reals(high, low),
            other => other,
        })
    })
}

pub(super) fn sum(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let others = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, v)| v);
    match &context.values[0] {
        Value::Int(_) => {
            let rest = others
                .map(int)
                .try_fold(Int::from(0), |sum, v| Some(sum.add(v?)))?;
            shifted(context.allowed, &|v| v.sub(&rest), &Rat::clone)
        }
        Value::Real(_) => {
            let rest = others
                .map(real)
                .try_fold(Rat::from(0), |sum, v| Some(sum.add(v?)))?;
            shifted(context.allowed, &Int::clone, &|v| v.sub(&rest))
        }
        _ => None,
    }
}

pub(super) fn difference(context: &Context<'_>, at: usize) -> Option<Allowed> {
    match (context.values, at) {
        ([_], _) => mirrored(context.allowed),
        // x - y in S: x in S + y.
        ([_, y], 0) => match y {
            Value::Int(y) => shifted(context.allowed, &|v| v.add(y), &Rat::clone),
            Value::Real(y) => shifted(context.allowed, &Int::clone, &|v| v.add(y)),
            _ => None,
        },
        // x - y in S: y in x - S.
        ([x, _], _) => {
            let mirror = mirrored(context.allowed)?;
            match x {
                Value::Int(x) => shifted(&mirror, &|v| v.add(x), &Rat::clone),
                Value::Real(x) => shifted(&mirror, &Int::clone, &|v| v.add(x)),
                _ => None,
            }
        }
        _ => None,
    }
}

pub(super) fn product(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let others = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, v)| v);
    if let Value::Real(_) = context.values[0] {
        let factor = others
            .map(real)
            .try_fold(Rat::from(1), |p, v| Some(p.mul(v?)))?;
        return scaled(context.allowed, &factor);
    }
    let factor = others
        .map(int)
        .try_fold(Int::from(1), |p, v| Some(p.mul(v?)))?;
    if factor.is_zero() {
        let fits = context.allowed.contains(&Value::Int(Int::from(0))) == Some(true);
        return fits.then_some(Allowed::Anything);
    }
    let (low, high) = match context.allowed {
        Allowed::Ints(low, high) => (low, high),
        Allowed::AnythingBut(Value::Int(v)) => {
            return Some(match v.is_multiple_of(&factor) {
                true => Allowed::AnythingBut(Value::Int(v.div_smtlib(&factor)?)),
                false => Allowed::Anything,
            });
        }
        _ => return None,
    };
    let (low, high) = if factor.is_negative() {
        (high.as_ref().map(Int::neg), low.as_ref().map(Int::neg))
    } else {
        (low.clone(), high.clone())
    };
    let factor = factor.abs();
    let floor = |v: &Int| v.div_floor(&factor);
    let ceiling = |v: &Int| v.neg().div_floor(&factor).map(|q| q.neg());
    Some(Allowed::Ints(
        low.as_ref().and_then(ceiling),
        high.as_ref().and_then(floor),
    ))
}

/// The reals that a factor takes into the set.
fn scaled(allowed: &Allowed, factor: &Rat) -> Option<Allowed> {
    if factor.is_zero() {
        let fits = allowed.contains(&Value::Real(Rat::from(0))) == Some(true);
        return fits.then_some(Allowed::Anything);
    }
    let inverse = factor.inverse()?;
    allowed.moved(&|one| {
        Some(match shifted_one(one, &Int::clone, &|v| v.mul(&inverse))? {
            Allowed::Reals(low, high) if factor.is_negative() => Allowed::Reals(high, low),
            other => other,
        })
    })
}

/// `(/ x k)` for a divisor that is not zero.
pub(super) fn fraction(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([_, k], 0) = (context.values, at) else {
        return None;
    };
    scaled(context.allowed, &real(k)?.inverse()?)
}

pub(super) fn to_real(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let Allowed::Reals(low, high) = context.allowed else {
        return None;
    };
    let ceiling = |(rat, open): &(Rat, bool)| {
        let up = rat.neg().floor().neg();
        if *open && rat.is_int() {
            up.add(&Int::from(1))
        } else {
            up
        }
    };
    let floor = |(rat, open): &(Rat, bool)| {
        let down = rat.floor();
        if *open && rat.is_int() {
            down.sub(&Int::from(1))
        } else {
            down
        }
    };
    Some(Allowed::Ints(
        low.as_ref().map(ceiling),
        high.as_ref().map(floor),
    ))
}
