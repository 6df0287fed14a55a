//! Corner values of every sort: the ends of its range, neutral elements, and values that solvers got wrong before.
//! The first values of a sort are its simplest; later ones are drawn less often.

use auspex_logic::value::{ArrayValue, BitVec, Float, Format, Int, Rat, RoundingMode, Str};
use auspex_logic::{Sort, SortKind, Sorts, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many values of a part are combined into values of a compound sort.
const FEW: usize = 3;

/// The corner values of a sort, simplest first, without duplicates; none for a sort without values.
pub fn corner_values(sorts: &Sorts, sort: Sort) -> Vec<Value> {
    let mut values = match sorts.kind(sort) {
        SortKind::Bool => vec![Value::FALSE, Value::TRUE],
        SortKind::Int => ints(),
        SortKind::Real => reals(),
        SortKind::String => strings(),
        SortKind::RoundingMode => RoundingMode::ALL.map(Value::Rounding).to_vec(),
        SortKind::BitVec(width) => bit_vectors(*width),
        SortKind::Float { eb, sb } => floats(*eb, *sb),
        SortKind::Array(index, element) => arrays(sorts, *index, *element),
        SortKind::Seq(element) => sequences(&corner_values(sorts, *element)),
        SortKind::Set(element) => sets(&corner_values(sorts, *element)),
        SortKind::Bag(element) => bags(&corner_values(sorts, *element)),
        _ => Vec::new(),
    };
    let mut seen = BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
    values
}

fn ints() -> Vec<Value> {
    let small = [
        0,
        1,
        -1,
        2,
        -2,
        3,
        5,
        7,
        8,
        10,
        15,
        16,
        -3,
        48,
        57,
        97,
        127,
        128,
        255,
        256,
        i64::from(i32::MAX),
        i64::from(i32::MIN),
        1 << 32,
        i64::MAX,
        i64::MIN,
    ];
    let mut values: Vec<Value> = small.map(|n| Value::Int(Int::from(n))).to_vec();
    let beyond = [64, 128].into_iter().map(power);
    values.extend(beyond.flat_map(|n| [Value::Int(n.clone()), Value::Int(n.neg())]));
    values
}

fn reals() -> Vec<Value> {
    let fractions = [
        (0, 1),
        (1, 1),
        (-1, 1),
        (1, 2),
        (-1, 2),
        (2, 1),
        (1, 3),
        (-3, 2),
        (5, 1),
        (1, 10),
        (7, 4),
        (-7, 1),
        (1, 1 << 20),
        (i64::MAX, 2),
        (5, 2),
        (-33, 16),
    ];
    let value = |(n, d): (i64, i64)| Rat::new(&Int::from(n), &Int::from(d)).map(Value::Real);
    let mut values: Vec<Value> = fractions.into_iter().filter_map(value).collect();
    // Beyond single precision on either side, and the border above which it is infinite.
    let (one, huge) = (Int::from(1), power(128));
    let border = huge.sub(&power(103));
    let extremes = [(&huge, &one), (&one, &power(150)), (&border, &one)];
    let extremes = extremes.into_iter().filter_map(|(n, d)| Rat::new(n, d));
    values.extend(extremes.map(Value::Real));
    values
}

/// Empty, letters, digits with signs and leading zeros, standard escapes, and the last character.
fn strings() -> Vec<Value> {
    let texts = [
        "",
        "a",
        "b",
        "-1",
        "0",
        "ab",
        "aa",
        "1",
        "01",
        "A",
        "10",
        "007",
        "aba",
        " ",
        "z",
        "9",
        "00",
        "1a",
        "-0",
        "Aa",
        "\\u{0}",
        "\\u{7f}",
        "\\u{2FFFF}",
        "\\u{e9}b",
        "\\u{5c}u{41}",
        "\"",
        "aaaaaaaa",
    ];
    let escapes = auspex_logic::value::Escapes::Standard;
    let read = |text: &str| Str::read(text, escapes).map(Value::Str);
    let long = [
        "ab".repeat(33),
        "0".repeat(21),
        format!("{}1", "9".repeat(20)),
    ];
    let all = texts.into_iter().map(ToString::to_string).chain(long);
    all.filter_map(|text| read(&text)).collect()
}

/// Zero, one, all ones, the signed ends, and the powers of two with their neighbours.
fn bit_vectors(width: u32) -> Vec<Value> {
    const MASK_WIDTH: u32 = 64;
    let mut bits = vec![
        BitVec::zero(width),
        BitVec::one(width),
        BitVec::ones(width),
        BitVec::min_signed(width),
        BitVec::max_signed(width),
        BitVec::from_u64(width, 2),
        BitVec::from_u64(width, 0x5555_5555_5555_5555),
        BitVec::from_u64(width, u64::from(width)),
    ];
    for power in (1..width.min(MASK_WIDTH)).rev() {
        let one = 1u64 << power;
        bits.extend([one, one - 1, one + 1].map(|n| BitVec::from_u64(width, n)));
    }
    const MOST: usize = 40;
    bits.truncate(MOST);
    bits.into_iter().map(Value::BitVec).collect()
}

/// Zeros, infinities, NaN, the ends of the normal and subnormal ranges, and a few plain numbers, with both signs.
fn floats(eb: u32, sb: u32) -> Vec<Value> {
    let Some(format) = Format::new(eb, sb) else {
        return Vec::new();
    };
    let plain = |n: i64, d: i64| {
        let real = Rat::new(&Int::from(n), &Int::from(d)).unwrap_or(Rat::ONE);
        Float::from_rat(format, RoundingMode::ALL[0], &real)
    };
    // The encodings of the least normal number, of one, and of the largest number.
    let least = power(sb - 1);
    let one = power(eb + sb - 2).sub(&least);
    let largest = power(eb + sb - 1).sub(&least).sub(&Int::from(1));
    let positive = [
        Float::zero(format, false),
        plain(1, 1),
        Float::infinity(format, false),
        Float::nan(format),
        Float::min_subnormal(format, false),
        Float::max_finite(format, false),
        plain(1, 2),
        plain(3, 2),
        plain(2, 1),
        plain(1, 3),
        plain(5, 1),
        plain(1 << 10, 1),
        plain(5, 2),
        of_bits(format, &least),
        of_bits(format, &least.sub(&Int::from(1))),
        // Half of it lies between two numbers.
        of_bits(format, &least.add(&Int::from(1))),
        of_bits(format, &one.sub(&Int::from(1))),
        of_bits(format, &one.add(&Int::from(1))),
        of_bits(format, &largest.sub(&least)),
        plain(i64::MAX, 1),
        plain(-1, 10).neg(),
    ];
    let both = positive.into_iter().flat_map(|x| [x.neg(), x]);
    let mut values: Vec<Value> = both.map(Value::Float).collect();
    // The simplest value is the positive zero.
    values.swap(0, 1);
    values
}

fn power(exponent: u32) -> Int {
    Int::power_of_two(exponent.into()).unwrap_or(Int::from(1))
}

/// The number of an encoding.
fn of_bits(format: Format, bits: &Int) -> Float {
    Float::from_ieee_bits(format, &BitVec::from_int(format.width(), bits))
}

/// Constant arrays, then arrays with one and two other entries.
fn arrays(sorts: &Sorts, index: Sort, element: Sort) -> Vec<Value> {
    let places = first(corner_values(sorts, index));
    let elements = first(corner_values(sorts, element));
    let constant = |value: &Value| ArrayValue::constant(sorts, index, value.clone());
    let mut arrays: Vec<ArrayValue> = elements.iter().map(constant).collect();
    for default in &elements {
        for place in &places {
            for value in elements.iter().filter(|value| *value != default) {
                let one = constant(default).store(sorts, index, place.clone(), value.clone());
                arrays.push(one);
            }
        }
    }
    if let ([default, value, ..], [one, other, ..]) = (&elements[..], &places[..]) {
        let first = constant(default).store(sorts, index, one.clone(), value.clone());
        arrays.push(first.store(sorts, index, other.clone(), value.clone()));
    }
    arrays
        .into_iter()
        .map(|a| Value::Array(Arc::new(a)))
        .collect()
}

fn first(mut values: Vec<Value>) -> Vec<Value> {
    values.truncate(FEW);
    values
}

fn sequences(elements: &[Value]) -> Vec<Value> {
    let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
    lists.extend(elements.iter().take(FEW).map(|e| vec![e.clone()]));
    if let [one, other, ..] = elements {
        let pairs = [[one, other], [other, one], [one, one]];
        lists.extend(pairs.map(|pair| pair.map(Clone::clone).to_vec()));
        lists.push(vec![one.clone(), other.clone(), one.clone()]);
    }
    lists.into_iter().map(|l| Value::Seq(l.into())).collect()
}

fn sets(elements: &[Value]) -> Vec<Value> {
    let few = &elements[..elements.len().min(FEW)];
    let subsets = (0..1u32 << few.len()).map(|mask| {
        let chosen = few.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
        Value::Set(Arc::new(chosen.map(|(_, e)| e.clone()).collect()))
    });
    subsets.collect()
}

fn bags(elements: &[Value]) -> Vec<Value> {
    let few = &elements[..elements.len().min(2)];
    let mut bags = vec![BTreeMap::new()];
    for element in few {
        let with = |bag: &BTreeMap<Value, Int>, count: i64| {
            let mut more = bag.clone();
            more.insert(element.clone(), Int::from(count));
            more
        };
        let more: Vec<_> = bags.iter().flat_map(|b| [with(b, 1), with(b, 2)]).collect();
        bags.extend(more);
    }
    bags.into_iter().map(|b| Value::Bag(Arc::new(b))).collect()
}

/// Whether a value is written as a literal or a constant array of one, without an operation to compute.
pub fn is_plain(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::BitVec(_) | Value::Str(_) | Value::Rounding(_) => true,
        Value::Int(int) => !int.is_negative(),
        Value::Real(rat) => rat.is_int() && !rat.is_negative(),
        Value::Array(array) => array.entries.is_empty() && is_plain(&array.default),
        _ => false,
    }
}

/// Whether a value fits on a few lines. Powers of powers do not; they take seconds and test little.
pub fn is_modest(value: &Value) -> bool {
    const BITS: u64 = 512;
    const LENGTH: usize = 200;
    match value {
        Value::Int(int) => int.bit_len() <= BITS,
        Value::Real(rat) => rat.numerator().bit_len().max(rat.denominator().bit_len()) <= BITS,
        Value::Str(text) => text.len() <= LENGTH,
        Value::Seq(items) => items.len() <= LENGTH && items.iter().all(is_modest),
        Value::Set(items) => items.len() <= LENGTH,
        Value::Array(array) => array.entries.len() <= LENGTH,
        _ => true,
    }
}

/// Whether solvers accept a term for the value; some require a simple default of an array.
pub fn is_writable(value: &Value, careful: bool) -> bool {
    match value {
        Value::Array(array) => {
            let entries = array.entries.iter().flat_map(|(place, e)| [place, e]);
            (!careful || is_plain(&array.default))
                && is_writable(&array.default, careful)
                && entries.into_iter().all(|v| is_writable(v, careful))
        }
        Value::Seq(items) => items.iter().all(|v| is_writable(v, careful)),
        Value::Set(items) => items.iter().all(|v| is_writable(v, careful)),
        Value::Bag(items) => items.keys().all(|v| is_writable(v, careful)),
        Value::Regex(_) | Value::Closure(_) | Value::Irrational(_) | Value::Element(_) => false,
        Value::Tuple(_) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::Terms;

    fn texts(kind: impl Fn(&mut Sorts) -> Sort) -> Vec<String> {
        let mut terms = Terms::new();
        let sort = kind(&mut terms.sorts);
        let values = corner_values(&terms.sorts, sort);
        let written = values.iter().filter_map(|value| {
            let term = terms.value_term(value, sort)?;
            Some(auspex_logic::render::term(&terms, term, Default::default()))
        });
        written.collect()
    }

    #[test]
    fn bit_vectors_have_both_ends() {
        let texts = texts(|sorts| sorts.bit_vec(3));
        for value in ["#b000", "#b001", "#b111", "#b100", "#b011", "#b010"] {
            assert!(texts.iter().any(|t| t == value), "{value}");
        }
        assert_eq!(texts.len(), texts.iter().collect::<BTreeSet<_>>().len());
    }

    #[test]
    fn floats_have_specials() {
        let texts = texts(|sorts| sorts.float(5, 11)).join(" ");
        assert!(texts.contains("(_ NaN 5 11)"));
        assert!(texts.starts_with("(fp #b0 #b00000 #b0000000000)"));
    }

    #[test]
    fn arrays_over_any_sorts_have_values() {
        let texts = texts(|sorts| {
            let inner = sorts.array(Sort::BOOL, Sort::STRING);
            sorts.array(Sort::REAL, inner)
        });
        assert!(texts.len() > 3);
    }

    #[test]
    fn towers_of_powers_are_not_modest() {
        let power = |bits: u64| Value::Int(Int::power_of_two(bits).expect("small enough"));
        assert!(is_modest(&power(64)));
        assert!(!is_modest(&power(100_000)));
    }

    #[test]
    fn regular_expressions_have_none() {
        assert_eq!(
            corner_values(&Sorts::default(), Sort::REG_LAN),
            Vec::<Value>::new()
        );
    }
}
