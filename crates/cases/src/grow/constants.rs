//! Interesting constants of each sort: the ends of ranges and encodings, whether or not a formula contains them.

use crate::draw::Draw;
use auspex_logic::value::{BitVec, Float, Format, Int, Rat, RoundingMode, Str, Value};
use auspex_logic::{Sort, SortKind, TermId, Terms};

/// The nesting depth of values.
const DEEPEST: u32 = 3;
/// From this depth on only constructors without datatype fields are tried, because others seldom terminate.
const LAST_NESTED: u32 = 2;
/// The most parts of a constant, failed attempts included: a datatype with many constructors may have no value that
/// small, and trying all would take long each time.
const MOST_PARTS: u32 = 48;

/// Strings that encodings, escapes and conversions distinguish.
const STRINGS: &[&[u32]] = &[
    &[],
    &['a' as u32],
    &['0' as u32],
    &['9' as u32],
    &['A' as u32],
    &['-' as u32, '1' as u32],
    &['0' as u32, '0' as u32],
    &['1' as u32, '0' as u32],
    &['a' as u32, 'a' as u32],
    &['a' as u32, 'b' as u32],
    &[' ' as u32],
    &['"' as u32],
    &['\\' as u32],
    // Looks like an escape sequence, but is not one: the backslash must be written as an escape.
    &[
        '\\' as u32,
        'u' as u32,
        '{' as u32,
        '6' as u32,
        '1' as u32,
        '}' as u32,
    ],
    &['\\' as u32, 'x' as u32, '0' as u32, '0' as u32],
    &[0],
    &[0x7f],
    &[0x80],
    &[0xff],
    &[0x100],
    &[0xd800],
    &[0xdfff],
    &[0xd83d, 0xde00],
    &[0xffff],
    &[0x1_0000],
    &[0x2_ffff],
    // Longer than a machine word of bits, and than the digits of one.
    &['a' as u32; 65],
    &['9' as u32; 21],
];

/// Exponents at the ends of machine words, and some others.
const EXPONENTS: &[u32] = &[
    1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 53, 63, 64, 65, 128,
];

/// A constant of a sort, or none if the sort has no constants.
pub fn constant(terms: &mut Terms, draw: &mut Draw, sort: Sort) -> Option<TermId> {
    nested(terms, draw, sort, &mut Room::default())
}

/// The depth of a part of a constant, and how many more parts there may be.
struct Room {
    depth: u32,
    left: u32,
}

impl Default for Room {
    fn default() -> Room {
        let (depth, left) = (0, MOST_PARTS);
        Room { depth, left }
    }
}

fn nested(terms: &mut Terms, draw: &mut Draw, sort: Sort, room: &mut Room) -> Option<TermId> {
    room.left = room.left.checked_sub(1)?;
    if room.depth > DEEPEST {
        return None;
    }
    room.depth += 1;
    let term = within(terms, draw, sort, room);
    room.depth -= 1;
    term
}

fn within(terms: &mut Terms, draw: &mut Draw, sort: Sort, room: &mut Room) -> Option<TermId> {
    let value = match terms.sorts.kind(sort).clone() {
        SortKind::Bool => Value::Bool(draw.coin()),
        SortKind::Int => Value::Int(int(draw)),
        SortKind::Real => Value::Real(real(draw)?),
        SortKind::String => Value::Str(Str::new(draw.pick(STRINGS)?)?),
        SortKind::RoundingMode => Value::Rounding(*draw.pick(&RoundingMode::ALL)?),
        SortKind::BitVec(width) => Value::BitVec(bits(draw, width)),
        SortKind::Float { eb, sb } => Value::Float(float(draw, Format::new(eb, sb)?)),
        SortKind::RegLan => return regex(terms, draw),
        SortKind::Seq(element) => {
            return collection(terms, draw, sort, element, ["seq.empty", "seq.unit"], room);
        }
        SortKind::Set(element) => {
            return collection(
                terms,
                draw,
                sort,
                element,
                ["set.empty", "set.singleton"],
                room,
            );
        }
        SortKind::Array(_, element) => {
            let element = super::literal(terms, draw, element, false)?;
            return terms.qualified_app("const", &[element], sort).ok();
        }
        SortKind::Data(..) => return data(terms, draw, sort, room),
        SortKind::Bag(_)
        | SortKind::Tuple(_)
        | SortKind::Nullable(_)
        | SortKind::FiniteField(_)
        | SortKind::Function(_)
        | SortKind::Declared(..)
        | SortKind::Parameter(_)
        | SortKind::Opaque(_)
        | SortKind::Unknown => return None,
    };
    terms.value_term(&value, sort)
}

fn int(draw: &mut Draw) -> Int {
    let magnitude = match draw.below(8) {
        0..=3 => Int::from(draw.below(4)),
        4 => Int::from(draw.below(100)),
        // The ends of the code points and of the decimal digits.
        5 => Int::from(
            *draw
                .pick(&[9, 10, 48, 57, 127, 196_607, 196_608])
                .unwrap_or(&10),
        ),
        _ => near_power_of_two(draw),
    };
    if draw.one_in(3) {
        magnitude.neg()
    } else {
        magnitude
    }
}

fn near_power_of_two(draw: &mut Draw) -> Int {
    let exponent = draw.pick(EXPONENTS).copied().unwrap_or(8);
    let power = Int::power_of_two(exponent.into()).unwrap_or(Int::from(256));
    match draw.below(3) {
        0 => power.sub(&Int::from(1)),
        1 => power.add(&Int::from(1)),
        _ => power,
    }
}

fn real(draw: &mut Draw) -> Option<Rat> {
    let numerator = int(draw);
    // Exact halves and sixteenths are where rounding to a floating-point number has a tie.
    let denominators: [i64; 9] = [1, 1, 1, 2, 3, 10, 16, 1_000_000, 1 << 40];
    let denominator = Int::from(*draw.pick(&denominators)?);
    Rat::new(&numerator, &denominator)
}

fn bits(draw: &mut Draw, width: u32) -> BitVec {
    match draw.below(8) {
        0 => BitVec::zero(width),
        1 => BitVec::one(width),
        2 => BitVec::ones(width),
        3 => BitVec::min_signed(width),
        4 => BitVec::max_signed(width),
        5 => {
            let exponent = draw.below(width.into());
            let power = Int::power_of_two(exponent).unwrap_or(Int::from(1));
            let near = match draw.below(3) {
                0 => power.sub(&Int::from(1)),
                1 => power.add(&Int::from(1)),
                _ => power,
            };
            BitVec::from_int(width, &near)
        }
        6 => BitVec::from_u64(width, draw.below(u64::MAX)),
        _ => BitVec::from_u64(width, draw.below(16)),
    }
}

fn float(draw: &mut Draw, format: Format) -> Float {
    let negative = draw.coin();
    match draw.below(9) {
        0 => Float::nan(format),
        1 => Float::infinity(format, negative),
        2 => Float::zero(format, negative),
        3 => Float::max_finite(format, negative),
        4 => Float::min_subnormal(format, negative),
        5 => {
            // One: the exponent's bias with an empty fraction.
            let bias = Int::power_of_two(u64::from(format.eb()) - 1).unwrap_or(Int::from(1));
            let one = bias
                .sub(&Int::from(1))
                .shift_left(u64::from(format.sb()) - 1);
            let one = BitVec::from_int(format.width(), &one.unwrap_or(Int::from(0)));
            Float::from_ieee_bits(format, &one)
        }
        6 => {
            // The least normal number, or its neighbour below.
            let normal = Int::power_of_two(u64::from(format.sb()) - 1).unwrap_or(Int::from(1));
            let near = normal.sub(&Int::from(draw.below(2)));
            Float::from_ieee_bits(format, &BitVec::from_int(format.width(), &near))
        }
        // A small number of halves: the least ones are exact, and others ties between two numbers of a small format.
        7 => {
            let halves = Int::from(draw.below(64) + 1);
            let half = Rat::new(&halves, &Int::from(2)).unwrap_or(Rat::ONE);
            let number = Float::from_rat(format, RoundingMode::ALL[0], &half);
            if negative { number.neg() } else { number }
        }
        _ => Float::from_ieee_bits(format, &bits(draw, format.width())),
    }
}

fn regex(terms: &mut Terms, draw: &mut Draw) -> Option<TermId> {
    match draw.below(5) {
        0 => terms.app("re.none", &[]).ok(),
        1 => terms.app("re.all", &[]).ok(),
        2 => terms.app("re.allchar", &[]).ok(),
        3 => {
            let mut end = |code: u64| {
                let one = Str::new(&[code as u32])?;
                terms.value_term(&Value::Str(one), Sort::STRING)
            };
            let (low, high) = (end(draw.between(47, 98))?, end(draw.between(97, 123))?);
            terms.app("re.range", &[low, high]).ok()
        }
        _ => {
            let word = constant(terms, draw, Sort::STRING)?;
            terms.app("str.to_re", &[word]).ok()
        }
    }
}

fn collection(
    terms: &mut Terms,
    draw: &mut Draw,
    sort: Sort,
    element: Sort,
    [empty, unit]: [&str; 2],
    room: &mut Room,
) -> Option<TermId> {
    if draw.coin() {
        return terms.qualified_app(empty, &[], sort).ok();
    }
    let element = nested(terms, draw, element, room)?;
    terms.app(unit, &[element]).ok()
}

fn data(terms: &mut Terms, draw: &mut Draw, sort: Sort, room: &mut Room) -> Option<TermId> {
    // Another constructor may be flat if the first one recurses.
    constructors(terms, draw, sort).find_map(|number| {
        let constructor = terms.constructor(sort, number)?;
        super::pool::is_told_by_fields(terms, constructor).then_some(())?;
        let fields = terms.fun(constructor).params.clone();
        if fields
            .iter()
            .any(|field| leads_nowhere(terms, *field, room))
        {
            return None;
        }
        let fields: Option<Vec<TermId>> = fields
            .iter()
            .map(|field| nested(terms, draw, *field, room))
            .collect();
        terms.fun_app(constructor, &fields?).ok()
    })
}

/// A constructor without fields.
pub(super) fn bare(terms: &mut Terms, draw: &mut Draw, sort: Sort) -> Option<TermId> {
    constructors(terms, draw, sort).find_map(|number| {
        let constructor = terms.constructor(sort, number)?;
        let is_bare = terms.fun(constructor).params.is_empty();
        is_bare.then(|| terms.fun_app(constructor, &[]).ok())?
    })
}

/// The numbers of a datatype's constructors, from any of them on.
fn constructors(terms: &Terms, draw: &mut Draw, sort: Sort) -> impl Iterator<Item = u32> + use<> {
    let datatype = terms.data_of(sort).map(|(id, _)| terms.sorts.datatype(id));
    let count = datatype.map_or(0, |datatype| datatype.constructors.len());
    let first = draw.index(count);
    (0..count).map(move |turn| ((first + turn) % count) as u32)
}

/// Whether a quick test shows that a field gets no constant.
fn leads_nowhere(terms: &Terms, field: Sort, room: &Room) -> bool {
    match terms.sorts.kind(field) {
        SortKind::Data(..) => room.depth > LAST_NESTED,
        SortKind::Declared(..) | SortKind::Bag(_) | SortKind::Function(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::render::{self, Sharing};
    use std::collections::BTreeSet;

    fn texts(make: impl Fn(&mut Terms) -> Sort) -> BTreeSet<String> {
        let mut terms = Terms::new();
        let sort = make(&mut terms);
        let mut draw = Draw::new(1, 1);
        (0..2000)
            .filter_map(|_| {
                let term = constant(&mut terms, &mut draw, sort)?;
                assert_eq!(terms.sort(term), sort);
                Some(render::term(&terms, term, Sharing::Expanded))
            })
            .collect()
    }

    #[test]
    fn reaches_the_edges() {
        let ints = texts(|_| Sort::INT);
        for edge in [
            "0",
            "1",
            "(- 1)",
            "255",
            "4294967296",
            "(- 9223372036854775807)",
            "196608",
        ] {
            assert!(ints.contains(edge), "{edge}");
        }
        let strings = texts(|_| Sort::STRING);
        for edge in [
            r#""""#,
            r#""\u{d800}""#,
            r#""\u{2ffff}""#,
            r#""\u{5c}u{61}""#,
        ] {
            assert!(strings.contains(edge), "{edge} in {strings:?}");
        }
        let bits = texts(|terms| terms.sorts.bit_vec(8));
        for edge in ["#x00", "#xff", "#x80", "#x7f", "#x01"] {
            assert!(bits.contains(edge), "{edge}");
        }
        let floats = texts(|terms| terms.sorts.float(3, 5));
        for edge in [
            "(_ NaN 3 5)",
            "(fp #b0 #b111 #x0)",
            "(fp #b1 #b000 #x0)",
            "(fp #b0 #b011 #x0)",
        ] {
            assert!(floats.contains(edge), "{edge} in {floats:?}");
        }
    }

    #[test]
    fn has_none_where_none_can_be_written() {
        let mut terms = Terms::new();
        let name = terms.symbols.intern("U");
        let sort = terms.sorts.intern(SortKind::Declared(name, Box::default()));
        assert_eq!(constant(&mut terms, &mut Draw::new(1, 1), sort), None);
    }
}
