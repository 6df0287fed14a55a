//! Strings: sets are regular languages.

use super::super::allowed::{Allowed, strings_before};
use super::{Context, wanted};
use auspex_logic::Value;
use auspex_logic::value::{Re, Str};

/// All strings of an allowed length.
pub(super) fn length(context: &Context<'_>, _: usize) -> Option<Allowed> {
    const LONGEST: u32 = 1000;
    let (low, high) = match context.allowed {
        Allowed::Ints(low, high) => (low.clone(), high.clone()),
        Allowed::Exactly(Value::Int(n)) => (Some(n.clone()), Some(n.clone())),
        _ => return None,
    };
    let low = low
        .filter(|l| !l.is_negative())
        .map_or(Some(0), |l| l.to_u32())?;
    let high = match high {
        None => None,
        Some(high) => Some(high.to_u32()?),
    };
    if low > LONGEST || high.is_some_and(|h| h > LONGEST) {
        return None;
    }
    Some(Allowed::Language(Re::all_char().repeat(low, high)))
}

pub(super) fn string(value: &Value) -> Option<&Str> {
    match value {
        Value::Str(string) => Some(string),
        _ => None,
    }
}

/// `x < y`, relative to the other side's value. (The paper's table uses the same value for both sides.)
pub(super) fn ordered(context: &Context<'_>, at: usize, strict: bool) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let value = wanted(context)?;
    let (strict, flipped) = if value {
        (strict, false)
    } else {
        (!strict, true)
    };
    let other = string(if at == 0 { b } else { a })?;
    let before = strings_before(other)?;
    let itself = Re::literal(other.clone());
    let is_lower = (at == 0) != flipped;
    Some(Allowed::Language(match (is_lower, strict) {
        (true, true) => before,
        (true, false) => Re::union(vec![before, itself]),
        (false, true) => Re::union(vec![before, itself]).comp(),
        (false, false) => before.comp(),
    }))
}

/// Where a part stands in a whole.
#[derive(Clone, Copy)]
pub(super) enum Where {
    Start,
    End,
    Anywhere,
}

/// `part of whole`: argument 0 is the part, 1 the whole.
pub(super) fn part(context: &Context<'_>, at: usize, place: Where) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let value = wanted(context)?;
    let other = match (place, at) {
        // `str.contains` has the whole first; `at` was turned around by the caller.
        (Where::Anywhere, 0) => string(a)?,
        (Where::Anywhere, _) => string(b)?,
        (_, 0) => string(b)?,
        (_, _) => string(a)?,
    };
    let language = if at == 0 {
        parts_of(other, place)?
    } else {
        wholes_of(other, place)
    };
    Some(Allowed::Language(if value {
        language
    } else {
        language.comp()
    }))
}

fn wholes_of(part: &Str, place: Where) -> Re {
    let part = Re::literal(part.clone());
    match place {
        Where::Start => Re::concat(vec![part, Re::all()]),
        Where::End => Re::concat(vec![Re::all(), part]),
        Where::Anywhere => Re::concat(vec![Re::all(), part, Re::all()]),
    }
}

pub(super) fn parts_of(whole: &Str, place: Where) -> Option<Re> {
    const LONGEST: usize = 12;
    let points = whole.code_points();
    if points.len() > LONGEST {
        return None;
    }
    let ends = 0..=points.len();
    let ranges: Vec<(usize, usize)> = match place {
        Where::Start => ends.map(|end| (0, end)).collect(),
        Where::End => ends.map(|start| (start, points.len())).collect(),
        Where::Anywhere => ends
            .flat_map(|end| (0..=end).map(move |start| (start, end)))
            .collect(),
    };
    let parts = ranges
        .into_iter()
        .filter_map(|(start, end)| Str::new(&points[start..end]));
    Some(Re::union(parts.map(Re::literal).collect()))
}

pub(super) fn membership(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([_, Value::Regex(re)], 0) = (context.values, at) else {
        return None;
    };
    Some(Allowed::Language(if wanted(context)? {
        re.clone()
    } else {
        re.comp()
    }))
}
