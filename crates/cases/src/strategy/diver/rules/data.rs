//! Arrays, datatypes and sequences: what a part may be, and what the whole may be around it.

use super::super::allowed::Allowed;
use super::{Context, wanted};
use auspex_logic::Value;

/// `(select a i)`: the array is free elsewhere.
pub(super) fn selection(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([_, index], 0) = (context.values, at) else {
        return None;
    };
    index
        .is_comparable()
        .then(|| Allowed::Element(index.clone(), Box::new(context.allowed.clone())))
}

/// `(store a i v)` of which one element matters.
pub(super) fn storing(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([_, index, _], Allowed::Element(bound, inner)) = (context.values, context.allowed) else {
        return None;
    };
    if !index.is_comparable() {
        return None;
    }
    match (at, index == bound) {
        (0, true) | (2, false) => Some(Allowed::Anything),
        (0, false) => Some(context.allowed.clone()),
        (2, true) => Some((**inner).clone()),
        _ => None,
    }
}

pub(super) fn tester(context: &Context<'_>, number: u32) -> Option<Allowed> {
    wanted(context).map(|value| Allowed::Constructor(number, value))
}

/// A field of a value that has it.
pub(super) fn selector(context: &Context<'_>, number: u32, field: u32) -> Option<Allowed> {
    match context.values {
        [Value::Data(data)] if data.constructor == number => Some(Allowed::Field(
            number,
            field as usize,
            Box::new(context.allowed.clone()),
        )),
        _ => None,
    }
}

/// The fields of a value of which only the constructor or one field matters.
pub(super) fn constructor(context: &Context<'_>, number: u32, at: usize) -> Option<Allowed> {
    match context.allowed {
        Allowed::Constructor(other, same) => {
            ((number == *other) == *same).then_some(Allowed::Anything)
        }
        Allowed::Field(other, field, inner) if *other == number => Some(match at == *field {
            true => (**inner).clone(),
            false => Allowed::Anything,
        }),
        Allowed::AnythingBut(Value::Data(not)) => {
            let mut others = not.fields.iter().zip(context.values).enumerate();
            let differs = not.constructor != number
                || others.any(|(i, (a, b))| i != at && b.is_comparable() && a != b);
            if differs {
                return Some(Allowed::Anything);
            }
            not.fields.get(at).cloned().map(Allowed::AnythingBut)
        }
        _ => None,
    }
}

/// Sequences of an allowed length.
pub(super) fn sequence_length(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let (low, high) = match context.allowed {
        Allowed::Ints(low, high) => (low.clone(), high.clone()),
        Allowed::Exactly(Value::Int(n)) => (Some(n.clone()), Some(n.clone())),
        _ => return None,
    };
    let low = match low.filter(|l| !l.is_negative()) {
        Some(low) => low.to_usize()?,
        None => 0,
    };
    let high = match high {
        Some(high) => Some(high.to_usize()?),
        None => None,
    };
    Some(Allowed::Lengths(low, high))
}

/// `(seq.nth s i)` inside the sequence.
pub(super) fn item(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([Value::Seq(items), Value::Int(place)], 0) = (context.values, at) else {
        return None;
    };
    let place = place.to_usize().filter(|place| *place < items.len())?;
    Some(Allowed::Item(place, Box::new(context.allowed.clone())))
}

/// A sequence of one item.
pub(super) fn unit(context: &Context<'_>, _: usize) -> Option<Allowed> {
    match context.allowed {
        Allowed::Lengths(low, high) => {
            (*low <= 1 && high.is_none_or(|h| h >= 1)).then_some(Allowed::Anything)
        }
        Allowed::Item(0, inner) => Some((**inner).clone()),
        Allowed::AnythingBut(Value::Seq(items)) => Some(match &**items {
            [only] => Allowed::AnythingBut(only.clone()),
            _ => Allowed::Anything,
        }),
        _ => None,
    }
}
