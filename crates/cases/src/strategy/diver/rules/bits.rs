//! Bit-vectors: intervals that go around zero, and bits that are fixed.

use super::super::allowed::Allowed;
use super::{Context, wanted};
use auspex_logic::Value;
use auspex_logic::value::BitVec;

/// How a bit-vector order counts: from which least value, strictly or not, and which side is lower.
pub(super) struct Order {
    signed: bool,
    strict: bool,
    flipped: bool,
}

pub(super) const ULT: Order = Order {
    signed: false,
    strict: true,
    flipped: false,
};
pub(super) const ULE: Order = Order {
    signed: false,
    strict: false,
    flipped: false,
};
pub(super) const UGT: Order = Order {
    signed: false,
    strict: true,
    flipped: true,
};
pub(super) const UGE: Order = Order {
    signed: false,
    strict: false,
    flipped: true,
};
pub(super) const SLT: Order = Order {
    signed: true,
    strict: true,
    flipped: false,
};
pub(super) const SLE: Order = Order {
    signed: true,
    strict: false,
    flipped: false,
};
pub(super) const SGT: Order = Order {
    signed: true,
    strict: true,
    flipped: true,
};
pub(super) const SGE: Order = Order {
    signed: true,
    strict: false,
    flipped: true,
};

pub(super) fn bits(value: &Value) -> Option<&BitVec> {
    match value {
        Value::BitVec(bits) => Some(bits),
        _ => None,
    }
}

pub(super) fn circle(context: &Context<'_>, at: usize, order: &Order) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let value = wanted(context)?;
    let (strict, flipped) = if value {
        (order.strict, order.flipped)
    } else {
        (!order.strict, !order.flipped)
    };
    let other = bits(if at == 0 { b } else { a })?;
    let width = other.width();
    let (least, most) = if order.signed {
        (BitVec::min_signed(width), BitVec::max_signed(width))
    } else {
        (BitVec::zero(width), BitVec::ones(width))
    };
    let one = BitVec::one(width);
    // The present value satisfies the order, so there is room beside a strict bound.
    Some(if (at == 0) != flipped {
        Allowed::Circle(
            least,
            if strict {
                other.sub(&one)
            } else {
                other.clone()
            },
        )
    } else {
        Allowed::Circle(
            if strict {
                other.add(&one)
            } else {
                other.clone()
            },
            most,
        )
    })
}

/// The set moved around the circle of bit-vectors.
fn turned(allowed: &Allowed, by: &dyn Fn(&BitVec) -> BitVec) -> Option<Allowed> {
    allowed.moved(&|one| {
        Some(match one {
            Allowed::Anything => Allowed::Anything,
            Allowed::Exactly(Value::BitVec(v)) => Allowed::Exactly(Value::BitVec(by(v))),
            Allowed::AnythingBut(Value::BitVec(v)) => Allowed::AnythingBut(Value::BitVec(by(v))),
            Allowed::Circle(low, high) => Allowed::Circle(by(low), by(high)),
            _ => return None,
        })
    })
}

/// The set moved by a map that counts backwards, which changes the ends of an interval.
fn reversed(allowed: &Allowed, by: &dyn Fn(&BitVec) -> BitVec) -> Option<Allowed> {
    turned(allowed, by)?.moved(&|one| {
        Some(match one {
            Allowed::Circle(low, high) => Allowed::Circle(high.clone(), low.clone()),
            other => other.clone(),
        })
    })
}

pub(super) fn sum(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let mut others = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, v)| bits(v));
    let width = bits(&context.values[0])?.width();
    let rest = others.try_fold(BitVec::zero(width), |sum, v| Some(sum.add(v?)))?;
    turned(context.allowed, &|v| v.sub(&rest))
}

pub(super) fn difference(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [x, y] = context.values else { return None };
    let (x, y) = (bits(x)?, bits(y)?);
    if at == 0 {
        return turned(context.allowed, &|v| v.add(y));
    }
    reversed(context.allowed, &|v| x.sub(v))
}

pub(super) fn negation(context: &Context<'_>, _: usize) -> Option<Allowed> {
    reversed(context.allowed, &BitVec::neg)
}

pub(super) fn complement(context: &Context<'_>, _: usize) -> Option<Allowed> {
    reversed(context.allowed, &BitVec::not)
}

pub(super) fn xor(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [x, y] = context.values else { return None };
    let other = bits(if at == 0 { y } else { x })?;
    match context.allowed {
        Allowed::Exactly(Value::BitVec(v)) => Some(Allowed::Exactly(Value::BitVec(v.xor(other)))),
        Allowed::AnythingBut(Value::BitVec(v)) => {
            Some(Allowed::AnythingBut(Value::BitVec(v.xor(other))))
        }
        Allowed::Bits(mask, fixed) => {
            Some(Allowed::Bits(mask.clone(), fixed.xor(&other.and(mask))))
        }
        _ => None,
    }
}

/// `bvand` shows a bit only where the other argument is 1, `bvor` only where it is 0.
pub(super) fn mask(context: &Context<'_>, at: usize, is_or: bool) -> Option<Allowed> {
    let [x, y] = context.values else { return None };
    let other = bits(if at == 0 { y } else { x })?;
    let shown = if is_or { other.not() } else { other.clone() };
    let (mask, fixed) = match context.allowed {
        Allowed::Exactly(Value::BitVec(v)) => (BitVec::ones(v.width()), v.clone()),
        Allowed::Bits(mask, fixed) => (mask.clone(), fixed.clone()),
        _ => return None,
    };
    let mask = mask.and(&shown);
    Some(Allowed::Bits(mask.clone(), fixed.and(&mask)))
}

/// The bits outside the extracted part are free.
pub(super) fn extract(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let whole = bits(&context.values[0])?.width();
    let (high, low) = (
        u32::try_from(*context.indices.first()?).ok()?,
        *context.indices.get(1)?,
    );
    let (mask, fixed) = match context.allowed {
        Allowed::Exactly(Value::BitVec(v)) => (BitVec::ones(v.width()), v.clone()),
        Allowed::Bits(mask, fixed) => (mask.clone(), fixed.clone()),
        _ => return None,
    };
    if high >= whole {
        return None;
    }
    let place = |v: &BitVec| {
        v.ubv_to_int()
            .shift_left(low)
            .map(|int| BitVec::from_int(whole, &int))
    };
    Some(Allowed::Bits(place(&mask)?, place(&fixed)?))
}

/// Fixed bits, also of one value.
pub(super) fn fixed_bits(allowed: &Allowed) -> Option<(BitVec, BitVec)> {
    match allowed {
        Allowed::Exactly(Value::BitVec(v)) => Some((BitVec::ones(v.width()), v.clone())),
        Allowed::Bits(mask, fixed) => Some((mask.clone(), fixed.clone())),
        _ => None,
    }
}

/// Each part keeps its share of the fixed bits.
pub(super) fn concat(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [high, low] = context.values else {
        return None;
    };
    let (high, low) = (bits(high)?, bits(low)?);
    let ends = match at {
        0 => (low.width() + high.width() - 1, low.width()),
        _ => (low.width() - 1, 0),
    };
    if let Allowed::AnythingBut(Value::BitVec(not)) = context.allowed {
        let (mine, other) = (
            not.extract(ends.0, ends.1)?,
            if at == 0 { low } else { high },
        );
        let others = match at {
            0 => not.extract(low.width() - 1, 0)?,
            _ => not.extract(low.width() + high.width() - 1, low.width())?,
        };
        return Some(match *other == others {
            true => Allowed::AnythingBut(Value::BitVec(mine)),
            false => Allowed::Anything,
        });
    }
    let (mask, fixed) = fixed_bits(context.allowed)?;
    let part = |v: &BitVec| v.extract(ends.0, ends.1);
    Some(Allowed::Bits(part(&mask)?, part(&fixed)?))
}

/// The new bits are zero whatever the argument is.
pub(super) fn zero_extend(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let width = bits(&context.values[0])?.width();
    let (mask, fixed) = fixed_bits(context.allowed)?;
    let part = |v: &BitVec| v.extract(width - 1, 0);
    Some(Allowed::Bits(part(&mask)?, part(&fixed)?))
}
