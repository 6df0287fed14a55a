//! One row per operator: from the values allowed for an application to those allowed for each argument.
//! Tables I and II of the paper, corrected, and rows for the operators they leave out.
//! An operator without a row keeps its arguments' values, which is always sound.

use super::allowed::{Allowed, strings_before};
use auspex_logic::Value;
use auspex_logic::value::{BitVec, Int, Rat, Re, Str};

/// The allowed set of an application, and the present values of its arguments.
pub struct Context<'a> {
    pub allowed: &'a Allowed,
    pub values: &'a [Value],
    pub indices: &'a [u64],
}

/// The allowed set of the argument at a place; `None` keeps its value.
pub type Rule = fn(&Context<'_>, usize) -> Option<Allowed>;

/// The rule of an operator.
pub fn rule(operator: &str) -> Option<Rule> {
    ROWS.iter()
        .find(|(name, _)| *name == operator)
        .map(|(_, rule)| *rule)
}

pub const ROWS: &[(&str, Rule)] = &[
    ("not", negation),
    ("and", |c, at| connective(c, at, false)),
    ("or", |c, at| connective(c, at, true)),
    ("=>", implication),
    ("ite", choice),
    ("=", equality),
    ("distinct", distinctness),
    ("<", |c, at| ordered(c, at, true, false)),
    ("<=", |c, at| ordered(c, at, false, false)),
    (">", |c, at| ordered(c, at, true, true)),
    (">=", |c, at| ordered(c, at, false, true)),
    ("+", sum),
    ("-", difference),
    ("*", product),
    ("div", quotient),
    ("abs", absolute),
    ("to_real", to_real),
    ("to_int", to_int),
    ("bvult", |c, at| circle(c, at, &ULT)),
    ("bvule", |c, at| circle(c, at, &ULE)),
    ("bvugt", |c, at| circle(c, at, &UGT)),
    ("bvuge", |c, at| circle(c, at, &UGE)),
    ("bvslt", |c, at| circle(c, at, &SLT)),
    ("bvsle", |c, at| circle(c, at, &SLE)),
    ("bvsgt", |c, at| circle(c, at, &SGT)),
    ("bvsge", |c, at| circle(c, at, &SGE)),
    ("bvadd", bv_sum),
    ("bvsub", bv_difference),
    ("bvneg", bv_negation),
    ("bvnot", bv_complement),
    ("bvxor", bv_xor),
    ("bvand", |c, at| bv_mask(c, at, false)),
    ("bvor", |c, at| bv_mask(c, at, true)),
    ("extract", bv_extract),
    ("select", selection),
    ("str.len", length),
    ("str.<", |c, at| string_order(c, at, true)),
    ("str.<=", |c, at| string_order(c, at, false)),
    ("str.prefixof", |c, at| part(c, at, Where::Start)),
    ("str.suffixof", |c, at| part(c, at, Where::End)),
    ("str.contains", |c, at| part(c, 1 - at, Where::Anywhere)),
    ("str.in_re", membership),
];

/// Whether a Boolean application must be true or false; `None` if it may be either.
fn wanted(context: &Context<'_>) -> Option<bool> {
    match context.allowed {
        Allowed::Exactly(Value::Bool(value)) => Some(*value),
        _ => None,
    }
}

fn negation(context: &Context<'_>, _: usize) -> Option<Allowed> {
    wanted(context).map(|value| Allowed::truth(!value))
}

/// `and` absorbs false, `or` absorbs true: one absorbing argument sets all others free.
fn connective(context: &Context<'_>, at: usize, absorbing: bool) -> Option<Allowed> {
    let value = wanted(context)?;
    if value != absorbing {
        return Some(Allowed::truth(value));
    }
    let others = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at);
    let absorbed = others
        .map(|(_, v)| v)
        .any(|v| v.as_bool() == Some(absorbing));
    Some(if absorbed {
        Allowed::Anything
    } else {
        Allowed::truth(absorbing)
    })
}

fn implication(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let value = wanted(context)?;
    let last = context.values.len() - 1;
    if !value {
        return Some(Allowed::truth(at != last));
    }
    let holds_without = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .any(|(place, v)| v.as_bool() == Some(place == last));
    Some(if holds_without {
        Allowed::Anything
    } else {
        Allowed::truth(at == last)
    })
}

fn choice(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let chosen = if context.values[0].as_bool()? { 1 } else { 2 };
    match at {
        0 => {
            let both = [1, 2]
                .iter()
                .all(|i| context.allowed.contains(&context.values[*i]) == Some(true));
            both.then_some(Allowed::Anything)
        }
        at if at == chosen => Some(context.allowed.clone()),
        _ => Some(Allowed::Anything),
    }
}

fn equality(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let other = if at == 0 { b } else { a };
    match wanted(context)? {
        true => Some(Allowed::Exactly(other.clone())),
        false => Some(Allowed::AnythingBut(other.clone())),
    }
}

fn distinctness(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let other = if at == 0 { b } else { a };
    match wanted(context)? {
        true => Some(Allowed::AnythingBut(other.clone())),
        false => Some(Allowed::Exactly(other.clone())),
    }
}

/// `<`, `<=`, `>`, `>=` between two numbers; `flipped` for the last two.
fn ordered(context: &Context<'_>, at: usize, strict: bool, flipped: bool) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let value = wanted(context)?;
    // Not (x < y) is y <= x: the sides change, and so does strictness.
    let (strict, flipped) = if value {
        (strict, flipped)
    } else {
        (!strict, !flipped)
    };
    let is_lower = (at == 0) != flipped;
    let other = if at == 0 { b } else { a };
    match other {
        Value::Int(other) => {
            let step = Int::from(i64::from(strict));
            Some(if is_lower {
                Allowed::Ints(None, Some(other.sub(&step)))
            } else {
                Allowed::Ints(Some(other.add(&step)), None)
            })
        }
        Value::Real(other) => {
            let bound = Some((other.clone(), strict));
            Some(if is_lower {
                Allowed::Reals(None, bound)
            } else {
                Allowed::Reals(bound, None)
            })
        }
        _ => None,
    }
}

fn int(value: &Value) -> Option<&Int> {
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
    Some(match shifted(allowed, &Int::neg, &Rat::neg)? {
        Allowed::Ints(low, high) => Allowed::Ints(high, low),
        Allowed::Reals(low, high) => Allowed::Reals(high, low),
        other => other,
    })
}

fn sum(context: &Context<'_>, at: usize) -> Option<Allowed> {
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

fn difference(context: &Context<'_>, at: usize) -> Option<Allowed> {
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

fn product(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let others = context
        .values
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, v)| v);
    let factor = others
        .map(int)
        .try_fold(Int::from(1), |p, v| Some(p.mul(v?)))?;
    if factor.is_zero() {
        let fits = context.allowed.contains(&Value::Int(Int::from(0))) == Some(true);
        return fits.then_some(Allowed::Anything);
    }
    let Allowed::Ints(low, high) = context.allowed else {
        return None;
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

/// `x div k` for a positive `k` is the floor of the quotient.
fn quotient(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([_, k], 0) = (context.values, at) else {
        return None;
    };
    let k = int(k).filter(|k| k.signum() > 0)?;
    let Allowed::Ints(low, high) = context.allowed else {
        return None;
    };
    let last = k.sub(&Int::from(1));
    let high = high.as_ref().map(|h| h.mul(k).add(&last));
    Some(Allowed::Ints(low.as_ref().map(|l| l.mul(k)), high))
}

fn absolute(context: &Context<'_>, _: usize) -> Option<Allowed> {
    match context.allowed {
        Allowed::Ints(low, high) if low.as_ref().is_none_or(|l| l.signum() <= 0) => match high {
            None => Some(Allowed::Anything),
            Some(high) if !high.is_negative() => {
                Some(Allowed::Ints(Some(high.neg()), Some(high.clone())))
            }
            Some(_) => None,
        },
        _ => None,
    }
}

fn to_real(context: &Context<'_>, _: usize) -> Option<Allowed> {
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

fn to_int(context: &Context<'_>, _: usize) -> Option<Allowed> {
    let Allowed::Ints(low, high) = context.allowed else {
        return None;
    };
    let low = low.as_ref().map(|l| (Rat::from(l.clone()), false));
    let high = high
        .as_ref()
        .map(|h| (Rat::from(h.add(&Int::from(1))), true));
    Some(Allowed::Reals(low, high))
}

/// How a bit-vector order counts: from which least value, strictly or not, and which side is lower.
struct Order {
    signed: bool,
    strict: bool,
    flipped: bool,
}

const ULT: Order = Order {
    signed: false,
    strict: true,
    flipped: false,
};
const ULE: Order = Order {
    signed: false,
    strict: false,
    flipped: false,
};
const UGT: Order = Order {
    signed: false,
    strict: true,
    flipped: true,
};
const UGE: Order = Order {
    signed: false,
    strict: false,
    flipped: true,
};
const SLT: Order = Order {
    signed: true,
    strict: true,
    flipped: false,
};
const SLE: Order = Order {
    signed: true,
    strict: false,
    flipped: false,
};
const SGT: Order = Order {
    signed: true,
    strict: true,
    flipped: true,
};
const SGE: Order = Order {
    signed: true,
    strict: false,
    flipped: true,
};

fn bits(value: &Value) -> Option<&BitVec> {
    match value {
        Value::BitVec(bits) => Some(bits),
        _ => None,
    }
}

fn circle(context: &Context<'_>, at: usize, order: &Order) -> Option<Allowed> {
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
    Some(match allowed {
        Allowed::Anything => Allowed::Anything,
        Allowed::Exactly(Value::BitVec(v)) => Allowed::Exactly(Value::BitVec(by(v))),
        Allowed::AnythingBut(Value::BitVec(v)) => Allowed::AnythingBut(Value::BitVec(by(v))),
        Allowed::Circle(low, high) => Allowed::Circle(by(low), by(high)),
        _ => return None,
    })
}

fn bv_sum(context: &Context<'_>, at: usize) -> Option<Allowed> {
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

fn bv_difference(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let [x, y] = context.values else { return None };
    let (x, y) = (bits(x)?, bits(y)?);
    if at == 0 {
        return turned(context.allowed, &|v| v.add(y));
    }
    reversed(turned(context.allowed, &|v| x.sub(v)))
}

fn bv_negation(context: &Context<'_>, _: usize) -> Option<Allowed> {
    reversed(turned(context.allowed, &BitVec::neg))
}

fn bv_complement(context: &Context<'_>, _: usize) -> Option<Allowed> {
    reversed(turned(context.allowed, &BitVec::not))
}

/// A map that counts backwards changes the ends of an interval.
fn reversed(allowed: Option<Allowed>) -> Option<Allowed> {
    match allowed? {
        Allowed::Circle(low, high) => Some(Allowed::Circle(high, low)),
        other => Some(other),
    }
}

fn bv_xor(context: &Context<'_>, at: usize) -> Option<Allowed> {
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
fn bv_mask(context: &Context<'_>, at: usize, is_or: bool) -> Option<Allowed> {
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
fn bv_extract(context: &Context<'_>, _: usize) -> Option<Allowed> {
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

fn selection(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([_, index], 0) = (context.values, at) else {
        return None;
    };
    index
        .is_comparable()
        .then(|| Allowed::Element(index.clone(), Box::new(context.allowed.clone())))
}

/// All strings of an allowed length.
fn length(context: &Context<'_>, _: usize) -> Option<Allowed> {
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

fn string(value: &Value) -> Option<&Str> {
    match value {
        Value::Str(string) => Some(string),
        _ => None,
    }
}

/// `x < y`, relative to the other side's value. (The paper's table uses the same value for both sides.)
fn string_order(context: &Context<'_>, at: usize, strict: bool) -> Option<Allowed> {
    let [a, b] = context.values else { return None };
    let value = wanted(context)?;
    let (strict, flipped) = if value {
        (strict, false)
    } else {
        (!strict, true)
    };
    let other = string(if at == 0 { b } else { a })?;
    let before = strings_before(other);
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
enum Where {
    Start,
    End,
    Anywhere,
}

/// `part of whole`: argument 0 is the part, 1 the whole.
fn part(context: &Context<'_>, at: usize, place: Where) -> Option<Allowed> {
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

fn parts_of(whole: &Str, place: Where) -> Option<Re> {
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

fn membership(context: &Context<'_>, at: usize) -> Option<Allowed> {
    let ([_, Value::Regex(re)], 0) = (context.values, at) else {
        return None;
    };
    Some(Allowed::Language(if wanted(context)? {
        re.clone()
    } else {
        re.comp()
    }))
}
