//! Exact values of every sort. Equal values are equal as data (arrays, sets, functions are kept in
//! one canonical form), so a value can be hashed, ordered and compared without asking its theory.

mod algebraic;
pub mod array;
pub mod bits;
mod bits_cmp;
mod bits_ops;
#[cfg(test)]
mod bits_tests;
mod dyadic;
mod elementary;
mod enumerate;
mod expression;
pub mod float;
pub mod float_convert;
mod float_ops;
#[cfg(test)]
mod float_oracle_tests;
mod float_round;
#[cfg(test)]
mod float_spec_tests;
pub mod int;
mod int_ops;
mod interval;
mod poly;
pub mod rat;
mod regex;
mod regex_derive;
mod regex_language;
mod regex_matrix;
mod regex_sample;
mod regex_search;
mod regex_states;
mod string;
mod string_text;
pub mod words;

use crate::Symbol;
use crate::intern::TermId;
use crate::sort::{DataId, Sort, SortKind, Sorts};
pub use algebraic::{Algebraic, Field, Number, Root};
pub use array::ArrayValue;
pub use bits::BitVec;
pub use expression::{Expression, Function};
pub use float::{Float, Format, RoundingMode};
pub use int::Int;
pub use poly::Poly;
pub use rat::Rat;
pub use regex::{Re, Shape};
pub use regex_language::Answer as LanguageAnswer;
pub use regex_sample::{Sample, sample};
pub use regex_search::Matcher;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
pub use string::{MAX_CODE_POINT, MAX_LENGTH, Str, TooLarge};
pub use string_text::Escapes;

/// An exact value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Bool(bool),
    Int(Int),
    Real(Rat),
    BitVec(BitVec),
    Float(Float),
    Rounding(RoundingMode),
    Str(Str),
    Regex(Re),
    Array(Arc<ArrayValue>),
    Data(Arc<DataValue>),
    Seq(Arc<[Value]>),
    Set(Arc<BTreeSet<Value>>),
    /// Elements with their (positive) multiplicity.
    Bag(Arc<BTreeMap<Value, Int>>),
    Tuple(Arc<[Value]>),
    /// An element of an uninterpreted sort; different names are different elements.
    Element(Symbol),
    /// A real that is no fraction of integers; computed with, but never compared as data.
    Irrational(Arc<Irrational>),
    /// A function or array given by a term over its parameters; only applied, never compared.
    Closure(Arc<Closure>),
}

/// An irrational number, as far as we know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Irrational {
    /// Exact; may turn out to be rational all the same.
    Algebraic(Algebraic),
    /// By how it is computed; may turn out to be rational all the same.
    Expression(Expression),
    /// Only by the text a solver printed; never computed with.
    Named(Box<str>),
}

impl std::fmt::Display for Irrational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Irrational::Algebraic(algebraic) => f.write_str(&algebraic.text()),
            Irrational::Expression(expression) => expression.fmt(f),
            Irrational::Named(text) => f.write_str(text),
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        match number {
            Number::Rational(rat) => Value::Real(rat),
            Number::Algebraic(algebraic) => {
                Value::Irrational(Arc::new(Irrational::Algebraic(algebraic)))
            }
        }
    }
}

impl From<Expression> for Value {
    fn from(expression: Expression) -> Value {
        Value::Irrational(Arc::new(Irrational::Expression(expression)))
    }
}

/// A datatype value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DataValue {
    pub sort: Sort,
    pub constructor: u32,
    pub fields: Box<[Value]>,
    size: u64,
}

/// `(lambda (variables) body)` with the values of the variables free in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Closure {
    pub variables: Box<[TermId]>,
    pub body: TermId,
    pub environment: Box<[(TermId, Value)]>,
}

impl Value {
    pub const TRUE: Value = Value::Bool(true);
    pub const FALSE: Value = Value::Bool(false);

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// A real number that can be computed with.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Value::Real(rat) => Some(Number::Rational(rat.clone())),
            Value::Irrational(irrational) => match &**irrational {
                Irrational::Algebraic(algebraic) => Some(Number::Algebraic(algebraic.clone())),
                Irrational::Expression(_) | Irrational::Named(_) => None,
            },
            _ => None,
        }
    }

    /// How two reals compare, where that can be found out.
    pub fn real_order(&self, other: &Value) -> Option<Ordering> {
        match (self.as_number(), other.as_number()) {
            (Some(a), Some(b)) => a.compare(&b),
            _ => Expression::of(self)?.compare(&Expression::of(other)?),
        }
    }

    /// Whether it is a number known only by its bounds, which solvers compute by rules of their own.
    pub fn is_expression(&self) -> bool {
        matches!(self, Value::Irrational(irrational) if matches!(**irrational, Irrational::Expression(_)))
    }

    /// Whether it is a value of a sort, as far as the value itself can tell.
    pub fn has_sort(&self, sorts: &Sorts, sort: Sort) -> bool {
        match (self, sorts.kind(sort)) {
            (Value::Bool(_), SortKind::Bool)
            | (Value::Int(_), SortKind::Int)
            | (Value::Real(_) | Value::Irrational(_), SortKind::Real)
            | (Value::Rounding(_), SortKind::RoundingMode)
            | (Value::Str(_), SortKind::String) => true,
            (Value::BitVec(bits), SortKind::BitVec(width)) => bits.width() == *width,
            (Value::Float(float), SortKind::Float { eb, sb }) => {
                (float.format().eb(), float.format().sb()) == (*eb, *sb)
            }
            (Value::Data(data), SortKind::Data(..)) => data.sort == sort,
            (Value::Seq(items), SortKind::Seq(element)) => {
                items.iter().all(|item| item.has_sort(sorts, *element))
            }
            (Value::Set(items), SortKind::Set(element)) => {
                items.iter().all(|item| item.has_sort(sorts, *element))
            }
            _ => false,
        }
    }

    /// Roughly the bytes of its own that it takes beside those of its parts; 0 for what needs none.
    pub fn heap_size(&self) -> usize {
        const PART: usize = 32;
        const ENTRY: usize = 3 * PART;
        match self {
            Value::Int(int) => int.bit_len() as usize / 512 * 64,
            Value::BitVec(bits) => bits.width() as usize / 512 * 64,
            Value::Real(rat) => rat.bit_len() as usize / 512 * 64,
            Value::Str(string) => string.len() * 4,
            Value::Seq(items) | Value::Tuple(items) => items.len() * PART,
            Value::Array(array) => array.entries.len() * ENTRY,
            Value::Set(items) => items.len() * ENTRY,
            Value::Bag(items) => items.len() * ENTRY,
            Value::Data(data) => data.fields.len() * PART,
            _ => 0,
        }
    }

    /// A constructor applied to values of its fields.
    pub fn data(sort: Sort, constructor: u32, fields: Box<[Value]>) -> Value {
        let size = sizes(fields.iter());
        Value::Data(Arc::new(DataValue {
            sort,
            constructor,
            fields,
            size,
        }))
    }

    /// How many constructors it has when it is written out: parts that are shared count each time.
    /// Only datatypes nest deeper than their sorts say, so what looks at all parts takes that long.
    pub fn size(&self) -> u64 {
        match self {
            Value::Data(data) => data.size,
            Value::Array(array) => {
                let entries = array.entries.iter().flat_map(|(at, item)| [at, item]);
                sizes(entries.chain([&array.default]))
            }
            Value::Seq(items) | Value::Tuple(items) => sizes(items.iter()),
            Value::Set(items) => sizes(items.iter()),
            Value::Bag(items) => sizes(items.keys()),
            _ => 1,
        }
    }

    /// Whether equality of this value with others is decided by comparing data.
    pub fn is_comparable(&self) -> bool {
        match self {
            Value::Closure(_) | Value::Irrational(_) | Value::Regex(_) => false,
            Value::Array(array) => array.is_comparable(),
            Value::Data(data) => data.fields.iter().all(Value::is_comparable),
            Value::Seq(items) | Value::Tuple(items) => items.iter().all(Value::is_comparable),
            Value::Set(items) => items.iter().all(Value::is_comparable),
            Value::Bag(items) => items.keys().all(Value::is_comparable),
            _ => true,
        }
    }
}

fn sizes<'v>(parts: impl Iterator<Item = &'v Value>) -> u64 {
    parts.fold(1, |sum, part| sum.saturating_add(part.size()))
}

/// How many values a sort has: `None` if infinitely many, or not known.
pub fn cardinality(sorts: &Sorts, sort: Sort) -> Option<u128> {
    count(sorts, sort, &mut Vec::new())
}

/// Counts the values of a sort inside the datatypes `around` it: one that contains itself has no end.
fn count(sorts: &Sorts, sort: Sort, around: &mut Vec<DataId>) -> Option<u128> {
    const BIGGEST: u32 = 127;
    match sorts.kind(sort) {
        SortKind::Bool => Some(2),
        SortKind::RoundingMode => Some(5),
        SortKind::BitVec(width) if *width <= BIGGEST => Some(1 << width),
        SortKind::Float { eb, sb } if eb + sb <= BIGGEST => {
            // All bit patterns, with the NaN patterns counted once.
            let nans = (1u128 << sb) - 2;
            Some((1u128 << (eb + sb)) - nans + 1)
        }
        SortKind::Array(index, element) => match count(sorts, *element, around)? {
            1 => Some(1),
            element => {
                let index = count(sorts, *index, around)?;
                element.checked_pow(u32::try_from(index).ok()?)
            }
        },
        SortKind::Set(element) => {
            let element = count(sorts, *element, around)?;
            (element <= u128::from(BIGGEST)).then(|| 1 << element)
        }
        SortKind::Tuple(parts) => product(sorts, parts.iter().copied(), around),
        SortKind::Data(id, arguments) if arguments.is_empty() && !around.contains(id) => {
            around.push(*id);
            let mut constructors = sorts.datatype(*id).constructors.iter();
            let total = constructors.try_fold(0u128, |total, constructor| {
                let fields = constructor.selectors.iter().map(|(_, sort)| *sort);
                total.checked_add(product(sorts, fields, around)?)
            });
            around.pop();
            total
        }
        _ => None,
    }
}

fn product(
    sorts: &Sorts,
    mut parts: impl Iterator<Item = Sort>,
    around: &mut Vec<DataId>,
) -> Option<u128> {
    parts.try_fold(1u128, |n, part| n.checked_mul(count(sorts, part, around)?))
}
