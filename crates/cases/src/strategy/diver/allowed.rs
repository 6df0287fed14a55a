//! The values a subterm may take so that the formula stays true under the model.
//! Every set is sound: any of its values keeps the formula true. It need not be complete.

use crate::draw::Draw;
use auspex_logic::value::{BitVec, Int, Rat, Re, Sample, Str, sample};
use auspex_logic::{Sort, TermId, Terms, Value};

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
    /// From the first counting up to the second, around zero if need be: covers unsigned and signed intervals.
    Circle(BitVec, BitVec),
    /// Bits that are fixed: mask, and values of the masked bits.
    Bits(BitVec, BitVec),
    Language(Re),
    /// An array whose element at an index is in a set; elsewhere it may be anything.
    Element(Value, Box<Allowed>),
    /// A datatype value made by this constructor.
    Constructor(u32),
}

impl Allowed {
    pub fn truth(value: bool) -> Allowed {
        Allowed::Exactly(Value::Bool(value))
    }

    /// Whether a value is in the set; `None` if that is too hard to say.
    pub fn contains(&self, value: &Value) -> Option<bool> {
        match (self, value) {
            (Allowed::Anything, _) => Some(true),
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
            (Allowed::Circle(low, high), Value::BitVec(bits)) => {
                Some(bits.sub(low).ule(&high.sub(low)))
            }
            (Allowed::Bits(mask, fixed), Value::BitVec(bits)) => Some(bits.and(mask) == *fixed),
            (Allowed::Language(re), Value::Str(string)) => re.contains(string).ok(),
            (Allowed::Element(index, inner), Value::Array(array)) => {
                inner.contains(array.select(index))
            }
            (Allowed::Constructor(number), Value::Data(data)) => Some(data.constructor == *number),
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
            Allowed::Language(re) => {
                // A repetition stands for ever new strings; without one there are few.
                // A large expression shares its parts, and must not be written out as a tree.
                const LARGE: u64 = 1000;
                let unbounded = re.size() > LARGE || {
                    let text = re.to_string();
                    text.contains("re.*") || text.contains("re.all")
                };
                if unbounded { MOST } else { 10 }
            }
            Allowed::Element(..) => MOST,
            Allowed::Constructor(_) => MOST / 2,
        }
    }

    /// A value of the set, where one is easily found.
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
            Allowed::Anything
            | Allowed::AnythingBut(_)
            | Allowed::Element(..)
            | Allowed::Constructor(_) => None,
        }
    }

    /// The set as an assertion about a term, for a variable that may take any of its values.
    pub fn constraint(&self, terms: &mut Terms, about: TermId) -> Option<TermId> {
        match self {
            Allowed::Anything => Some(terms.bool(true)),
            Allowed::Exactly(value) => {
                let value = terms.value_term(value, terms.sort(about))?;
                terms.app("=", &[about, value]).ok()
            }
            Allowed::AnythingBut(value) => {
                let value = terms.value_term(value, terms.sort(about))?;
                terms.app("distinct", &[about, value]).ok()
            }
            Allowed::Ints(low, high) => {
                let low = low.as_ref().map(|l| (Value::Int(l.clone()), "<="));
                let high = high.as_ref().map(|h| (Value::Int(h.clone()), "<="));
                between(terms, about, low, high)
            }
            Allowed::Reals(low, high) => {
                let bound = |(rat, open): &(Rat, bool)| {
                    (Value::Real(rat.clone()), if *open { "<" } else { "<=" })
                };
                between(
                    terms,
                    about,
                    low.as_ref().map(bound),
                    high.as_ref().map(bound),
                )
            }
            Allowed::Circle(low, high) => {
                // x - low <= high - low, counted around.
                let sort = terms.sort(about);
                let span = terms.value_term(&Value::BitVec(high.sub(low)), sort)?;
                let low = terms.value_term(&Value::BitVec(low.clone()), sort)?;
                let from_low = terms.app("bvsub", &[about, low]).ok()?;
                terms.app("bvule", &[from_low, span]).ok()
            }
            Allowed::Bits(mask, fixed) => {
                let sort = terms.sort(about);
                let mask = terms.value_term(&Value::BitVec(mask.clone()), sort)?;
                let fixed = terms.value_term(&Value::BitVec(fixed.clone()), sort)?;
                let masked = terms.app("bvand", &[about, mask]).ok()?;
                terms.app("=", &[masked, fixed]).ok()
            }
            Allowed::Element(index, inner) => {
                let index_sort = *terms.sorts.parts(terms.sort(about)).first()?;
                let index = terms.value_term(index, index_sort)?;
                let element = terms.app("select", &[about, index]).ok()?;
                inner.constraint(terms, element)
            }
            Allowed::Constructor(number) => {
                let tester = terms.tester(terms.sort(about), *number)?;
                terms.fun_app(tester, &[about]).ok()
            }
            Allowed::Language(_) => None,
        }
    }

    /// A short description for people.
    pub fn text(&self, terms: &mut Terms, sort: Sort) -> String {
        match self {
            Allowed::Anything => "anything".into(),
            Allowed::Exactly(value) => terms.value_text(value, sort),
            Allowed::AnythingBut(value) => {
                format!("anything but {}", terms.value_text(value, sort))
            }
            Allowed::Ints(low, high) => {
                let side = |bound: &Option<Int>, open: &str| {
                    bound.as_ref().map_or(open.into(), Int::to_smtlib)
                };
                format!("{} … {}", side(low, "-∞"), side(high, "∞"))
            }
            Allowed::Reals(low, high) => {
                let side = |bound: &Option<(Rat, bool)>, open: &str| {
                    bound
                        .as_ref()
                        .map_or(open.into(), |(rat, _)| rat.to_smtlib())
                };
                format!("{} … {}", side(low, "-∞"), side(high, "∞"))
            }
            Allowed::Circle(low, high) => format!("{low} … {high}"),
            Allowed::Bits(mask, fixed) => format!("{fixed} under the mask {mask}"),
            Allowed::Language(re) => {
                let text = re.to_string();
                if text.chars().count() > 60 {
                    "a language".into()
                } else {
                    text
                }
            }
            Allowed::Element(index, inner) => {
                let parts = terms.sorts.parts(sort);
                let (index_sort, element) = (parts[0], parts[1]);
                format!(
                    "at {}: {}",
                    terms.value_text(index, index_sort),
                    inner.text(terms, element)
                )
            }
            Allowed::Constructor(_) => "the same constructor".into(),
        }
    }
}

fn width(span: &Int) -> u32 {
    span.to_u64()
        .map_or(1000, |span| span.saturating_add(1).min(1000) as u32)
}

fn between(
    terms: &mut Terms,
    about: TermId,
    low: Option<(Value, &'static str)>,
    high: Option<(Value, &'static str)>,
) -> Option<TermId> {
    let sort = terms.sort(about);
    let mut parts = Vec::new();
    if let Some((value, relation)) = low {
        let bound = terms.value_term(&value, sort)?;
        parts.push(terms.app(relation, &[bound, about]).ok()?);
    }
    if let Some((value, relation)) = high {
        let bound = terms.value_term(&value, sort)?;
        parts.push(terms.app(relation, &[about, bound]).ok()?);
    }
    match parts.as_slice() {
        [] => Some(terms.bool(true)),
        [one] => Some(*one),
        _ => terms.app("and", &parts).ok(),
    }
}

/// All strings before a string in the lexicographic order, or from it on.
pub fn strings_before(string: &Str) -> Re {
    let points = string.code_points();
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
    Re::union(parts)
}
