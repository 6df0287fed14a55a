//! Inverses of operators that take strings apart or read them: the languages, and numbers, that lead to a result.

use super::super::allowed::Allowed;
use super::Context;
use super::integers::interval;
use super::numbers::int;
use super::strings::{Where, parts_of, string};
use auspex_logic::Value;
use auspex_logic::value::{Int, Re, Str};

/// Longer strings, positions and lengths are not looked at.
const LONGEST: i64 = 48;

/// A set of strings as a language.
fn language(allowed: &Allowed) -> Option<Re> {
    match allowed {
        Allowed::Exactly(Value::Str(string)) => Some(Re::literal(string.clone())),
        Allowed::Language(re) => Some(re.clone()),
        _ => None,
    }
}

fn exactly(allowed: &Allowed) -> Option<&Str> {
    match allowed {
        Allowed::Exactly(Value::Str(string)) => Some(string),
        _ => None,
    }
}

/// A number that positions and lengths are compared with.
fn small(value: &Value) -> Option<i64> {
    int(value)?
        .to_i64()
        .filter(|n| (-LONGEST..=LONGEST).contains(n))
}

fn any(least: i64, most: Option<i64>) -> Re {
    Re::all_char().repeat(least as u32, most.map(|most| most as u32))
}

fn ints(low: Option<i64>, high: Option<i64>) -> Allowed {
    Allowed::Ints(low.map(Int::from), high.map(Int::from))
}

pub(super) fn letter(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [whole, start] = context.values else {
        return None;
    };
    let values = [whole.clone(), start.clone(), Value::Int(Int::from(1))];
    let context = Context {
        values: &values,
        ..*context
    };
    part(&context, at)
}

pub(super) fn part(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [whole, start, length] = context.values else {
        return None;
    };
    if let Allowed::Anything = context.allowed {
        return Some(Allowed::Anything);
    }
    match at {
        0 => wholes(context.allowed, small(start)?, small(length)?),
        1 => starts(exactly(context.allowed)?, string(whole)?, small(length)?),
        _ => lengths(exactly(context.allowed)?, string(whole)?, small(start)?),
    }
}

fn empty(truth: bool) -> Allowed {
    match truth {
        true => Allowed::Anything,
        false => Allowed::Either(Vec::new()),
    }
}

/// The strings of which a part is in a set: whatever stands before and, unless the string ends first, behind it.
fn wholes(allowed: &Allowed, start: i64, length: i64) -> Option<Allowed> {
    let parts = language(allowed)?;
    let has_empty = parts.contains(&Str::default()).ok()?;
    if start < 0 || length <= 0 {
        return Some(empty(has_empty));
    }
    let full = Re::inter(vec![parts.clone(), any(length, Some(length))]);
    let mut all = vec![Re::concat(vec![any(start, Some(start)), full, Re::all()])];
    if length > 1 {
        let cut = Re::inter(vec![parts, any(1, Some(length - 1))]);
        all.push(Re::concat(vec![any(start, Some(start)), cut]));
    }
    if has_empty {
        all.push(any(0, Some(start)));
    }
    Some(Allowed::Language(Re::union(all)))
}

/// The positions from which a part is taken.
fn starts(wanted: &Str, whole: &Str, length: i64) -> Option<Allowed> {
    let end = i64::try_from(whole.len())
        .ok()
        .filter(|end| *end <= LONGEST)?;
    if length <= 0 {
        return Some(empty(wanted.is_empty()));
    }
    let places = (0..end).filter(|start| whole.substr(*start, length) == *wanted);
    let mut all: Vec<Allowed> = places.map(|at| ints(Some(at), Some(at))).collect();
    if wanted.is_empty() {
        all.extend([ints(None, Some(-1)), ints(Some(end), None)]);
    }
    Some(Allowed::Either(all))
}

/// The lengths of a part.
fn lengths(wanted: &Str, whole: &Str, start: i64) -> Option<Allowed> {
    let end = i64::try_from(whole.len()).ok()?;
    if start < 0 || start >= end {
        return Some(empty(wanted.is_empty()));
    }
    let length = wanted.len() as i64;
    if whole.substr(start, length) != *wanted {
        return Some(empty(false));
    }
    Some(match (length, length == end - start) {
        (0, _) => ints(None, Some(0)),
        (_, true) => ints(Some(length), None),
        (_, false) => ints(Some(length), Some(length)),
    })
}

pub(super) fn replaced(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [whole, part, by] = context.values else {
        return None;
    };
    let (whole, part, by) = (string(whole)?, string(part)?, string(by)?);
    let wanted = exactly(context.allowed)?;
    let fits = |whole: &Str, part: &Str, by: &Str| {
        whole
            .replace(part, by)
            .is_ok_and(|result| result == *wanted)
    };
    let literals = |all: Vec<Str>| Re::union(all.into_iter().map(Re::literal).collect());
    let short = |string: &Str| string.len() as i64 <= LONGEST;
    Some(Allowed::Language(match at {
        0 if short(wanted) => {
            // What was put in stands somewhere in the result, unless nothing was found.
            let cuts = (0..=wanted.len()).filter_map(|at| {
                let (before, rest) = wanted.code_points().split_at(at);
                let behind = rest.strip_prefix(by.code_points())?;
                Str::new(&[before, part.code_points(), behind].concat())
            });
            let all = cuts.chain([wanted.clone()]);
            literals(all.filter(|whole| fits(whole, part, by)).collect())
        }
        1 => {
            let inside = parts_of(whole, Where::Anywhere)?;
            let points = whole.code_points();
            let ends = (0..=points.len()).flat_map(|end| (0..=end).map(move |start| (start, end)));
            let parts = ends.filter_map(|(start, end)| Str::new(&points[start..end]));
            let mut all = vec![literals(
                parts.filter(|part| fits(whole, part, by)).collect(),
            )];
            if whole == wanted {
                all.push(inside.comp());
            }
            Re::union(all)
        }
        2 => match whole.index_of(part, 0) {
            None => return Some(empty(whole == wanted)),
            Some(start) => {
                let points = whole.code_points();
                let (before, behind) = (&points[..start], &points[start + part.len()..]);
                let result = wanted.code_points();
                let middle = result.strip_prefix(before);
                let middle = middle.and_then(|rest| rest.strip_suffix(behind));
                literals(middle.and_then(Str::new).into_iter().collect())
            }
        },
        _ => return None,
    }))
}

fn digit() -> Re {
    Re::code_range(u32::from('0'), u32::from('9'))
}

/// The digit strings whose number is at most that of some digits, with any number of zeros before.
fn up_to(most: &str) -> Option<Re> {
    let zeros = Re::literal(Str::new(&[u32::from('0')])?).star();
    let length = most.len() as u32;
    let mut all = vec![Re::literal(Str::new(
        &most.chars().map(u32::from).collect::<Vec<_>>(),
    )?)];
    for (at, last) in most.chars().enumerate().filter(|(_, last)| *last > '0') {
        let before: Vec<u32> = most[..at].chars().map(u32::from).collect();
        let smaller = Re::code_range(u32::from('0'), u32::from(last) - 1);
        let rest = length - at as u32 - 1;
        let behind = digit().repeat(rest, Some(rest));
        all.push(Re::concat(vec![
            Re::literal(Str::new(&before)?),
            smaller,
            behind,
        ]));
    }
    if length > 1 {
        all.push(digit().repeat(1, Some(length - 1)));
    }
    Some(Re::concat(vec![zeros, Re::union(all)]))
}

/// The strings that are read as a number of an interval; -1 is what is read from all that are no number.
pub(super) fn number(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let (low, high) = interval(context.allowed)?;
    let numbers = digit().plus();
    let least = |low: &Int| low.signum() > 0;
    let mut all = match &high {
        None => numbers.clone(),
        Some(high) if high.is_negative() => Re::none(),
        Some(high) if high.bit_len() > 160 => return None,
        Some(high) => up_to(&high.to_smtlib())?,
    };
    if let Some(low) = low.as_ref().filter(|low| least(low)) {
        let below = low.sub(&Int::from(1));
        if below.bit_len() > 160 {
            return None;
        }
        all = Re::diff(vec![all, up_to(&below.to_smtlib())?]);
    }
    let minus = Int::from(-1);
    let has_minus = low.is_none_or(|low| low <= minus) && high.is_none_or(|high| high >= minus);
    if has_minus {
        all = Re::union(vec![all, numbers.comp()]);
    }
    Some(Allowed::Language(all))
}

/// The number that is written so; negative ones are written as nothing.
pub(super) fn digits(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let wanted = exactly(context.allowed)?;
    if wanted.is_empty() {
        return Some(ints(None, Some(-1)));
    }
    let Some(digits) = wanted.to_int() else {
        return Some(empty(false));
    };
    match Str::from_int(&digits) == *wanted {
        true => Some(Allowed::Exactly(Value::Int(Int::parse(&digits)?))),
        false => Some(empty(false)),
    }
}

/// The strings in which a part is first found at a place of an interval, and the numbers from which it is.
pub(super) fn place(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [whole, part, start] = context.values else {
        return None;
    };
    if let Allowed::Anything = context.allowed {
        return Some(Allowed::Anything);
    }
    let (low, high) = interval(context.allowed)?;
    let part = string(part)?;
    match at {
        0 => found(part, small(start)?, low, high),
        2 => from(string(whole)?, part, (low, high)),
        _ => None,
    }
}

/// A bound of an interval of places, of which none is below -1.
fn bound(bound: Option<Int>) -> Option<Option<i64>> {
    match bound {
        None => Some(None),
        Some(int) => Some(Some(
            int.max(Int::from(-1)).to_i64().filter(|n| *n <= LONGEST)?,
        )),
    }
}

fn found(part: &Str, start: i64, low: Option<Int>, high: Option<Int>) -> Option<Allowed> {
    /// Places in a set.
    const MOST: i64 = 12;
    if high.as_ref().is_some_and(|high| *high < Int::from(-1)) {
        return Some(empty(false));
    }
    let low = bound(low)?.unwrap_or(-1);
    if start < 0 {
        let high = bound(high)?;
        return Some(empty(low <= -1 && high.is_none_or(|high| high >= -1)));
    }
    let (first, last, complement) = match bound(high)? {
        Some(high) => (low, high, false),
        None => (-1, low - 1, true),
    };
    let mut all = Vec::new();
    if first <= -1 && last >= -1 {
        all.push(missing(part, start));
    }
    if last - first.max(start) >= MOST {
        return None;
    }
    all.extend((first.max(start)..=last).map(|at| first_at(part, start, at)));
    let all = Re::union(all);
    Some(Allowed::Language(match complement {
        true => all.comp(),
        false => all,
    }))
}

/// The strings that have a part at a place.
fn has_at(part: &Str, at: i64) -> Re {
    Re::concat(vec![
        any(at, Some(at)),
        Re::literal(part.clone()),
        Re::all(),
    ])
}

/// The strings in which a part is not found from a place on.
fn missing(part: &Str, start: i64) -> Re {
    let anywhere = [
        any(start, Some(start)),
        Re::all(),
        Re::literal(part.clone()),
        Re::all(),
    ];
    Re::concat(anywhere.to_vec()).comp()
}

/// The strings in which a part is first found at a place.
fn first_at(part: &Str, start: i64, at: i64) -> Re {
    let earlier: Vec<Re> = (start..at).map(|at| has_at(part, at)).collect();
    match earlier.is_empty() {
        true => has_at(part, at),
        false => Re::inter(vec![has_at(part, at), Re::union(earlier).comp()]),
    }
}

/// The numbers from which a part is first found at a place of an interval.
fn from(whole: &Str, part: &Str, (low, high): (Option<Int>, Option<Int>)) -> Option<Allowed> {
    let end = i64::try_from(whole.len())
        .ok()
        .filter(|end| *end <= LONGEST)?;
    let fits = |place: i64| {
        let place = Int::from(place);
        low.as_ref().is_none_or(|low| *low <= place)
            && high.as_ref().is_none_or(|high| place <= *high)
    };
    let result = |start: i64| whole.index_of(part, start).map_or(-1, |place| place as i64);
    let places = (0..=end).filter(|start| fits(result(*start)));
    let mut all: Vec<Allowed> = places.map(|start| ints(Some(start), Some(start))).collect();
    if fits(-1) {
        all.extend([ints(None, Some(-1)), ints(Some(end + 1), None)]);
    }
    Some(Allowed::Either(all))
}
