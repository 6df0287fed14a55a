//! Inverses of operators on integers: the numbers that division, remainder, absolute value and rounding take into an
//! interval.

use super::super::allowed::Allowed;
use super::numbers::int;
use super::{Context, wanted};
use auspex_logic::Value;
use auspex_logic::value::{Int, Rat};

/// An interval of integers; a single one is one, too.
pub(super) fn interval(allowed: &Allowed) -> Option<(Option<Int>, Option<Int>)> {
    match allowed {
        Allowed::Anything => Some((None, None)),
        Allowed::Exactly(Value::Int(int)) => Some((Some(int.clone()), Some(int.clone()))),
        Allowed::Ints(low, high) => Some((low.clone(), high.clone())),
        _ => None,
    }
}

/// The constant other than zero that is the second argument, where the first is asked for.
fn divisor<'c>(context: &Context<'c>, at: usize) -> Option<&'c Int> {
    match (context.values, at) {
        ([_, k], 0) => int(k).filter(|k| !k.is_zero()),
        _ => None,
    }
}

/// `x div k` is `q` for the `|k|` numbers from `k * q` on.
pub(super) fn quotient(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let k = divisor(context, at)?;
    let (low, high) = interval(context.allowed)?;
    let (first, last) = match k.is_negative() {
        true => (high, low),
        false => (low, high),
    };
    let most = k.abs().sub(&Int::from(1));
    let first = first.map(|q| q.mul(k));
    let last = last.map(|q| q.mul(k).add(&most));
    Some(Allowed::Ints(first, last))
}

pub(super) fn remainder(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let k = divisor(context, at)?.abs();
    let (low, high) = interval(context.allowed)?;
    let (zero, last) = (Int::from(0), k.sub(&Int::from(1)));
    let low = low.map_or(zero.clone(), |low| low.max(zero.clone()));
    let high = high.map_or(last.clone(), |high| high.min(last.clone()));
    if low == zero && high == last {
        return Some(Allowed::Anything);
    }
    Some(match low > high {
        true => Allowed::Either(Vec::new()),
        false => Allowed::Residues(k, low, high),
    })
}

pub(super) fn divisible(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let k = Int::from(*context.indices.first()?);
    let multiples = Allowed::Residues(k, Int::from(0), Int::from(0));
    Some(match wanted(context)? {
        true => multiples,
        false => Allowed::Except(Box::new(multiples)),
    })
}

pub(super) fn absolute(context: &Context<'_>, _: usize) -> Option<Allowed> {
    int(&context.values[0])?;
    let (low, high) = interval(context.allowed)?;
    let one = Int::from(1);
    let within = |most: &Int| Allowed::Ints(Some(most.neg()), Some(most.clone()));
    let low = low.filter(|low| low.signum() > 0);
    Some(match (low, high) {
        (None, None) => Allowed::Anything,
        (None, Some(high)) => within(&high),
        (Some(low), None) => Allowed::Except(Box::new(within(&low.sub(&one)))),
        (Some(low), Some(high)) => Allowed::Either(vec![
            Allowed::Ints(Some(high.neg()), Some(low.neg())),
            Allowed::Ints(Some(low), Some(high)),
        ]),
    })
}

/// The reals from the first integer up to the one after the last.
pub(super) fn to_int(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let (low, high) = interval(context.allowed)?;
    let low = low.map(|low| (Rat::from(low), false));
    let high = high.map(|high| (Rat::from(high.add(&Int::from(1))), true));
    Some(Allowed::Reals(low, high))
}
