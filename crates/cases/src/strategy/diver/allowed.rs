//! Sets of allowed values: the values a subterm may take so that the formula stays true under the model. Every set is
//! sound (each of its values keeps the formula true) but need not be complete.

use crate::draw::Draw;
use auspex_logic::Value;
use auspex_logic::value::{BitVec, Float, Int, Rat, Re, Sample, Shape, Str, sample};
use std::cmp::Ordering;

/// A set of allowed values.
#[derive(Clone, Debug, PartialEq)]
pub enum Allowed {
    Anything,
    Exactly(Value),
    AnythingBut(Value),
    /// Bounds included; `None` is unbounded.
    Ints(Option<Int>, Option<Int>),
    /// Bounds excluded if the flag says so.
    Reals(Option<(Rat, bool)>, Option<(Rat, bool)>),
    /// A cyclic range from the first to the second: covers unsigned and signed intervals.
    Circle(BitVec, BitVec),
    /// Bits that are fixed: mask, and values of the masked bits.
    Bits(BitVec, BitVec),
    Language(Re),
    /// By the order of IEEE 754; bounds excluded if the flag says so. The last flag includes NaN.
    Floats(FloatBound, FloatBound, bool),
    /// An array whose element at an index is in a set; other elements are arbitrary.
    Element(Value, Box<Allowed>),
    /// A datatype value made by this constructor, or by any other if the flag is false.
    Constructor(u32, bool),
    /// A datatype value made by a constructor, whose field is in a set.
    Field(u32, usize, Box<Allowed>),
    /// Sequences by their length, bounds included.
    Lengths(usize, Option<usize>),
    /// A sequence that has an item at a position, which is in a set.
    Item(usize, Box<Allowed>),
    /// Integers whose remainder by a positive number is in an inclusive range.
    Residues(Int, Int, Int),
    /// The complement of a set.
    Except(Box<Allowed>),
    /// A union of sets.
    Either(Vec<Allowed>),
    /// Not computed, as below a binder; only evaluation decides.
    Unknown,
}

/// The end of an interval of floating-point numbers; `None` is unbounded.
pub type FloatBound = Option<(Float, bool)>;

impl Allowed {
    pub fn truth(value: bool) -> Allowed {
        Allowed::Exactly(Value::Bool(value))
    }

    /// The image of the set under an injective map of its intervals and values.
    pub fn moved(&self, by: &dyn Fn(&Allowed) -> Option<Allowed>) -> Option<Allowed> {
        match self {
            Allowed::Except(not) => Some(Allowed::Except(Box::new(not.moved(by)?))),
            Allowed::Either(parts) => {
                let parts = parts.iter().map(|part| part.moved(by));
                Some(Allowed::Either(parts.collect::<Option<_>>()?))
            }
            one => by(one),
        }
    }

    /// Whether a value is in the set; `None` if unknown.
    pub fn contains(&self, value: &Value) -> Option<bool> {
        match (self, value) {
            (Allowed::Anything, _) => Some(true),
            (Allowed::Exactly(only), Value::Irrational(_)) => {
                Some(only.real_order(value)? == Ordering::Equal)
            }
            (Allowed::AnythingBut(not), Value::Irrational(_)) => {
                Some(not.real_order(value)? != Ordering::Equal)
            }
            (Allowed::Except(not), _) => not.contains(value).map(|inside| !inside),
            (Allowed::Either(parts), _) => {
                let mut all = Some(false);
                for part in parts {
                    match part.contains(value) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => all = None,
                    }
                }
                all
            }
            (Allowed::Residues(modulus, low, high), Value::Int(int)) => {
                let rest = int.mod_smtlib(modulus)?;
                Some(*low <= rest && rest <= *high)
            }
            (Allowed::Exactly(only), _) => value.is_comparable().then(|| only == value),
            (Allowed::AnythingBut(not), _) => value.is_comparable().then(|| not != value),
            (Allowed::Ints(low, high), Value::Int(int)) => Some(
                low.as_ref().is_none_or(|l| l <= int) && high.as_ref().is_none_or(|h| int <= h),
            ),
            (Allowed::Reals(low, high), Value::Real(rat)) => {
                let above = low
                    .as_ref()
                    .is_none_or(|(l, open)| if *open { l < rat } else { l <= rat });
                let below = high
                    .as_ref()
                    .is_none_or(|(h, open)| if *open { rat < h } else { rat <= h });
                Some(above && below)
            }
            (Allowed::Reals(low, high), Value::Irrational(_)) => {
                let order = |(rat, _): &(Rat, bool)| Value::Real(rat.clone()).real_order(value);
                let above = match low {
                    Some(low) => below_by(order(low)?, low.1),
                    None => true,
                };
                let below = match high {
                    Some(high) => below_by(order(high)?.reverse(), high.1),
                    None => true,
                };
                Some(above && below)
            }
            (Allowed::Circle(low, high), Value::BitVec(bits)) => {
                Some(bits.sub(low).ule(&high.sub(low)))
            }
            (Allowed::Bits(mask, fixed), Value::BitVec(bits)) => Some(bits.and(mask) == *fixed),
            (Allowed::Language(re), Value::Str(string)) => re.contains(string).ok(),
            (Allowed::Element(index, inner), Value::Array(array)) => {
                inner.contains(array.select(index))
            }
            (Allowed::Floats(low, high, nan), Value::Float(float)) => {
                if float.is_nan() {
                    return Some(*nan);
                }
                let above = low.as_ref().is_none_or(|(l, open)| match open {
                    true => l.ieee_lt(float),
                    false => l.ieee_leq(float),
                });
                let below = high.as_ref().is_none_or(|(h, open)| match open {
                    true => float.ieee_lt(h),
                    false => float.ieee_leq(h),
                });
                Some(above && below)
            }
            (Allowed::Constructor(number, same), Value::Data(data)) => {
                Some((data.constructor == *number) == *same)
            }
            (Allowed::Field(number, field, inner), Value::Data(data)) => {
                if data.constructor != *number {
                    return Some(false);
                }
                inner.contains(data.fields.get(*field)?)
            }
            (Allowed::Lengths(low, high), Value::Seq(items)) => {
                Some(*low <= items.len() && high.is_none_or(|h| items.len() <= h))
            }
            (Allowed::Item(at, inner), Value::Seq(items)) => match items.get(*at) {
                Some(item) => inner.contains(item),
                None => Some(false),
            },
            _ => None,
        }
    }

    /// How promising a mutation is, as in the paper's score, in thousandths.
    pub fn score(&self) -> u32 {
        const MOST: u32 = 1000;
        const LEAST: u32 = 1;
        match self {
            Allowed::Anything | Allowed::AnythingBut(_) => MOST,
            Allowed::Exactly(Value::Bool(_)) => MOST / 2,
            Allowed::Exactly(_) => LEAST,
            Allowed::Ints(Some(low), Some(high)) => width(&high.sub(low)),
            Allowed::Ints(..) => MOST,
            Allowed::Reals(Some((low, _)), Some((high, _))) => width(&high.sub(low).floor()),
            Allowed::Reals(..) => MOST,
            Allowed::Circle(low, high) => width(&high.sub(low).ubv_to_int()),
            Allowed::Bits(mask, _) => {
                let free = mask.width() as usize - mask.count_ones();
                if free >= 10 { MOST } else { 1 << free }
            }
            // A repetition allows ever new strings; without one there are few.
            Allowed::Language(re) if is_unbounded(re) => MOST,
            Allowed::Language(_) => LEAST,
            Allowed::Floats(Some((low, _)), Some((high, _)), _) if low == high => LEAST,
            Allowed::Floats(..) | Allowed::Lengths(_, None) => MOST,
            Allowed::Lengths(..) => MOST / 10,
            Allowed::Field(_, _, inner) | Allowed::Item(_, inner) => inner.score().min(MOST / 2),
            Allowed::Unknown => MOST / 20,
            Allowed::Except(not) => match **not {
                Allowed::Exactly(Value::Bool(_)) => MOST / 2,
                _ => MOST,
            },
            Allowed::Either(parts) => {
                let sum = parts
                    .iter()
                    .map(Allowed::score)
                    .fold(0, u32::saturating_add);
                sum.clamp(LEAST, MOST)
            }
            // One in this many numbers.
            Allowed::Residues(modulus, low, high) => {
                let inside = u64::from(width(&high.sub(low)));
                let all = modulus.to_u64().unwrap_or(u64::MAX).max(1);
                (u64::from(MOST) * inside / all).clamp(1, u64::from(MOST)) as u32
            }
            Allowed::Element(..) => MOST,
            Allowed::Constructor(..) => MOST / 2,
        }
    }

    /// A value of the set, if one is easy to find.
    pub fn sample(&self, draw: &mut Draw) -> Option<Value> {
        match self {
            Allowed::Exactly(value) => Some(value.clone()),
            Allowed::Ints(low, high) => {
                let step = Int::from(draw.below(40) as i64);
                match (low, high) {
                    (Some(low), Some(high)) => {
                        let value = low.add(&step);
                        Some(Value::Int(if value <= *high {
                            value
                        } else {
                            high.clone()
                        }))
                    }
                    (Some(low), None) => Some(Value::Int(low.add(&step))),
                    (None, Some(high)) => Some(Value::Int(high.sub(&step))),
                    (None, None) => Some(Value::Int(step.sub(&Int::from(20)))),
                }
            }
            Allowed::Reals(low, high) => {
                let step = Rat::new(
                    &Int::from(draw.between(1, 40) as i64),
                    &Int::from(draw.between(1, 4) as i64),
                )?;
                let value = match (low, high) {
                    (Some((low, _)), Some((high, _))) => low.add(high).div(&Rat::from(2))?,
                    (Some((low, _)), None) => low.add(&step),
                    (None, Some((high, _))) => high.sub(&step),
                    (None, None) => step,
                };
                Some(Value::Real(value))
            }
            Allowed::Circle(low, high) => {
                let span = high.sub(low).ubv_to_int();
                let most = span.to_u64().unwrap_or(u64::MAX - 1);
                let step =
                    BitVec::from_u64(low.width().min(64), draw.below(most.saturating_add(1)));
                let step = BitVec::from_int(low.width(), &step.ubv_to_int());
                Some(Value::BitVec(low.add(&step)))
            }
            Allowed::Bits(mask, fixed) => {
                let noise = BitVec::from_int(mask.width(), &Int::from(draw.below(u64::MAX)));
                Some(Value::BitVec(noise.and(&mask.not()).or(fixed)))
            }
            Allowed::Language(re) => match sample(re, &mut |n| draw.below(n), 12) {
                Sample::Member(string) => Some(Value::Str(string)),
                _ => None,
            },
            Allowed::AnythingBut(value) => another(value),
            Allowed::Floats(low, high, nan) => {
                let bound = low.as_ref().or(high.as_ref()).map(|(float, _)| float)?;
                let format = bound.format();
                let likely = [
                    low.as_ref().map(|(float, _)| float.clone()),
                    high.as_ref().map(|(float, _)| float.clone()),
                    Some(Float::zero(format, draw.coin())),
                    Some(Float::max_finite(format, draw.coin())),
                    Some(Float::min_subnormal(format, draw.coin())),
                    Some(Float::infinity(format, draw.coin())),
                    nan.then(|| Float::nan(format)),
                ];
                let fitting: Vec<Value> = likely
                    .into_iter()
                    .flatten()
                    .map(Value::Float)
                    .filter(|value| self.contains(value) == Some(true))
                    .collect();
                draw.pick(&fitting).cloned()
            }
            Allowed::Residues(modulus, low, high) => {
                let base = Int::from(draw.below(9) as i64 - 4).mul(modulus);
                let span = high.sub(low).to_u64().unwrap_or(u64::MAX - 1);
                let step = Int::from(draw.below(span.saturating_add(1)));
                Some(Value::Int(base.add(low).add(&step)))
            }
            Allowed::Except(not) => {
                let inside = not.sample(draw)?;
                let near = [another(&inside), beyond(not, draw)];
                let near = near.into_iter().flatten();
                near.into_iter()
                    .find(|value| self.contains(value) == Some(true))
            }
            Allowed::Either(parts) => draw.pick(parts)?.sample(draw),
            Allowed::Anything
            | Allowed::Element(..)
            | Allowed::Constructor(..)
            | Allowed::Field(..)
            | Allowed::Lengths(..)
            | Allowed::Item(..)
            | Allowed::Unknown => None,
        }
    }
}

/// Whether what compares so with another stands before it, and apart from it if need be.
fn below_by(order: Ordering, strictly: bool) -> bool {
    order == Ordering::Less || order == Ordering::Equal && !strictly
}

/// A number beyond the end of an interval.
fn beyond(of: &Allowed, draw: &mut Draw) -> Option<Value> {
    let Allowed::Ints(low, high) = of else {
        return None;
    };
    let step = Int::from(draw.between(1, 40) as i64);
    let above = high.as_ref().map(|high| high.add(&step));
    let below = low.as_ref().map(|low| low.sub(&step));
    let ends: Vec<Int> = above.into_iter().chain(below).collect();
    draw.pick(&ends).cloned().map(Value::Int)
}

/// Some other value of the same sort, if there certainly is one.
fn another(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Bool(b) => Value::Bool(!b),
        Value::Int(int) => Value::Int(int.add(&Int::from(1))),
        Value::Real(rat) => Value::Real(rat.add(&Rat::from(1))),
        Value::BitVec(bits) => Value::BitVec(bits.not()),
        Value::Str(string) => {
            let mut points = string.code_points().to_vec();
            points.push(u32::from('a'));
            Value::Str(Str::new(&points)?)
        }
        _ => return None,
    })
}

/// Whether an expression has an unbounded repetition, judged by a bounded search.
fn is_unbounded(re: &Re) -> bool {
    const LARGE: u64 = 1000;
    // Do not walk a large shared expression as a tree.
    re.size() > LARGE || repeats(re)
}

fn repeats(re: &Re) -> bool {
    match re.shape() {
        Shape::All | Shape::Star(_) | Shape::Plus(_) | Shape::Comp(_) | Shape::Loop(_, _, None) => {
            true
        }
        Shape::None | Shape::AllChar | Shape::Literal(_) | Shape::Range(..) => false,
        Shape::Concat(parts) | Shape::Union(parts) | Shape::Inter(parts) | Shape::Diff(parts) => {
            parts.iter().any(repeats)
        }
        Shape::Opt(part) | Shape::Power(part, _) | Shape::Loop(part, _, Some(_)) => repeats(part),
    }
}

fn width(span: &Int) -> u32 {
    span.to_u64()
        .map_or(1000, |span| span.saturating_add(1).min(1000) as u32)
}

/// All strings before a string in the lexicographic order; none of a long string, since the expression
/// has all its prefixes.
pub fn strings_before(string: &Str) -> Option<Re> {
    const LONGEST: usize = 64;
    let points = string.code_points();
    if points.len() > LONGEST {
        return None;
    }
    let mut parts = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let prefix = Str::new(&points[..at]).unwrap_or_default();
        // A proper prefix stands before the string …
        parts.push(Re::literal(prefix.clone()));
        if *point > 0 {
            // … and so does everything that is smaller at the first difference.
            parts.push(Re::concat(vec![
                Re::literal(prefix),
                Re::code_range(0, point - 1),
                Re::all(),
            ]));
        }
    }
    Some(Re::union(parts))
}
