//! Makes random values of every sort, corner values more often than others.

use auspex_cases::Draw;
use auspex_logic::value::{
    ArrayValue, BitVec, Escapes, Float, Format, Int, Rat, RoundingMode, Str,
};
use auspex_logic::{Sort, SortKind, Sorts, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A random value of a sort; `None` if the sort has no values that can be written.
pub(super) fn random(terms: &Terms, draw: &mut Draw, sort: Sort) -> Option<Value> {
    if let SortKind::FiniteField(order) = terms.sorts.kind(sort) {
        let order = Int::parse(terms.symbols.name(*order))?;
        return int(draw).mod_smtlib(&order).map(Value::Int);
    }
    at_depth(&terms.sorts, draw, sort, 0)
}

/// A similar number that is written without minus and fraction.
pub(super) fn plain(value: Value) -> Value {
    match value {
        Value::Int(int) => Value::Int(int.abs()),
        Value::Real(rat) => Value::Real(Rat::from(rat.numerator().abs())),
        other => other,
    }
}

fn at_depth(sorts: &Sorts, draw: &mut Draw, sort: Sort, depth: u32) -> Option<Value> {
    const DEEPEST: u32 = 4;
    if depth > DEEPEST {
        return None;
    }
    Some(match sorts.kind(sort) {
        SortKind::Bool => Value::Bool(draw.coin()),
        SortKind::Int => Value::Int(int(draw)),
        SortKind::Real => Value::Real(real(draw)?),
        SortKind::String => Value::Str(string(draw)?),
        SortKind::RoundingMode => Value::Rounding(*draw.pick(&RoundingMode::ALL)?),
        SortKind::BitVec(width) => Value::BitVec(bits(draw, *width)),
        SortKind::Float { eb, sb } => Value::Float(float(draw, Format::new(*eb, *sb)?)),
        SortKind::Array(index, element) => {
            let (index, element) = (*index, *element);
            // Some solvers accept only such numbers as the default of an array, and in the normal form of an array
            // over few indices any element may be the default.
            let default = plain(at_depth(sorts, draw, element, depth + 1)?);
            let mut array = ArrayValue::constant(sorts, index, default);
            for _ in 0..draw.below(4) {
                let place = at_depth(sorts, draw, index, depth + 1)?;
                array.put(place, plain(at_depth(sorts, draw, element, depth + 1)?));
            }
            array.normalize(sorts, index);
            Value::Array(Arc::new(array))
        }
        SortKind::Seq(element) => Value::Seq(several(sorts, draw, *element, depth)?.into()),
        SortKind::Set(element) => {
            let items = several(sorts, draw, *element, depth)?;
            Value::Set(Arc::new(items.into_iter().collect::<BTreeSet<_>>()))
        }
        SortKind::Bag(element) => {
            let items = several(sorts, draw, *element, depth)?.into_iter();
            let counted = items.map(|item| (item, Int::from(draw.between(1, 3) as i64)));
            Value::Bag(Arc::new(counted.collect::<BTreeMap<_, _>>()))
        }
        SortKind::Tuple(parts) => {
            let fields: Option<Vec<Value>> = parts
                .iter()
                .map(|part| at_depth(sorts, draw, *part, depth + 1))
                .collect();
            Value::Tuple(fields?.into())
        }
        SortKind::Data(id, arguments) if arguments.is_empty() => {
            let constructors = &sorts.datatype(*id).constructors;
            // Constructors without fields come first, so that recursion ends.
            let most = if depth >= 2 { 1 } else { constructors.len() };
            let number = draw.index(most);
            let fields = constructors.get(number)?.selectors.iter();
            let fields: Option<Box<[Value]>> = fields
                .map(|(_, field)| at_depth(sorts, draw, *field, depth + 1))
                .collect();
            Value::data(sort, number as u32, fields?)
        }
        _ => return None,
    })
}

fn several(sorts: &Sorts, draw: &mut Draw, element: Sort, depth: u32) -> Option<Vec<Value>> {
    // Few different elements, so that the same one comes up again.
    let few: Option<Vec<Value>> = (0..2)
        .map(|_| at_depth(sorts, draw, element, depth + 1))
        .collect();
    let few = few?;
    (0..draw.below(4))
        .map(|_| draw.pick(&few).cloned())
        .collect()
}

fn int(draw: &mut Draw) -> Int {
    let small = Int::from(draw.below(21) as i64 - 10);
    match draw.below(8) {
        0..=4 => small,
        5 => Int::from(draw.below(2_001) as i64 - 1_000),
        6 => {
            let power = Int::power_of_two(draw.between(5, 70)).unwrap_or(Int::from(1));
            let near = power.add(&Int::from(draw.below(3) as i64 - 1));
            if draw.coin() { near } else { near.neg() }
        }
        _ => {
            let corners = [
                i64::MAX,
                i64::MIN,
                i64::from(i32::MIN),
                55_296,
                196_607,
                196_608,
                97,
                48,
            ];
            Int::from(corners[draw.index(corners.len())])
        }
    }
}

fn real(draw: &mut Draw) -> Option<Rat> {
    let denominators = [1, 1, 2, 3, 4, 10, 7, 1 << 20, 1_000_000_007];
    let denominator = denominators[draw.index(denominators.len())];
    Rat::new(&int(draw), &Int::from(denominator))
}

fn string(draw: &mut Draw) -> Option<Str> {
    let letters = [
        "a",
        "a",
        "b",
        "ab",
        "ba",
        "A",
        "z",
        "0",
        "1",
        "9",
        "-",
        " ",
        "\\u{0}",
        "\\u{7f}",
        "\\u{e9}",
        "\\u{2FFFF}",
        "\\u{5c}",
        "\\u{d7ff}",
    ];
    let few = [*draw.pick(&letters)?, *draw.pick(&letters)?];
    let text: String = (0..draw.below(5)).map(|_| few[draw.index(2)]).collect();
    Str::read(&text, Escapes::Standard)
}

fn bits(draw: &mut Draw, width: u32) -> BitVec {
    let word = |draw: &mut Draw| {
        let halves = [draw.below(u64::MAX), draw.below(u64::MAX)].map(Int::from);
        let shift = Int::power_of_two(64).unwrap_or(Int::from(0));
        BitVec::from_int(width, &halves[0].mul(&shift).add(&halves[1]))
    };
    match draw.below(10) {
        0 => BitVec::zero(width),
        1 => BitVec::one(width),
        2 => BitVec::ones(width),
        3 => BitVec::min_signed(width),
        4 => BitVec::max_signed(width),
        5 => BitVec::from_u64(width, u64::from(width)),
        6 => BitVec::from_u64(width, draw.below(u64::from(width) + 2)),
        7 => word(draw).not(),
        _ => word(draw),
    }
}

fn float(draw: &mut Draw, format: Format) -> Float {
    let negative = draw.coin();
    match draw.below(12) {
        0 => Float::zero(format, negative),
        1 => Float::infinity(format, negative),
        2 => Float::nan(format),
        3 => Float::min_subnormal(format, negative),
        4 => Float::max_finite(format, negative),
        5 => {
            let integer = Rat::from(draw.below(9) as i64 - 4);
            Float::from_rat(format, RoundingMode::ALL[0], &integer)
        }
        6 => {
            let real = real(draw).unwrap_or(Rat::ONE);
            Float::from_rat(format, RoundingMode::ALL[draw.index(5)], &real)
        }
        _ => {
            let pattern = bits(draw, format.eb() + format.sb());
            Float::from_ieee_bits(format, &pattern)
        }
    }
}
