//! A simple value of every sort that has one.

use crate::sort::{Sort, SortKind};
use crate::term::Terms;
use crate::value::{ArrayValue, BitVec, Float, Format, Int, Rat, RoundingMode, Str, Value};
use std::sync::Arc;

pub(super) fn value(terms: &Terms, sort: Sort) -> Option<Value> {
    at_depth(terms, sort, 0)
}

fn at_depth(terms: &Terms, sort: Sort, depth: usize) -> Option<Value> {
    const DEEPEST: usize = 20;
    if depth > DEEPEST {
        return None;
    }
    let sorts = &terms.sorts;
    Some(match sorts.kind(sort) {
        SortKind::Bool => Value::FALSE,
        SortKind::Int => Value::Int(Int::from(0)),
        SortKind::Real => Value::Real(Rat::from(0)),
        SortKind::String => Value::Str(Str::default()),
        SortKind::RoundingMode => Value::Rounding(RoundingMode::ALL[0]),
        SortKind::BitVec(width) => Value::BitVec(BitVec::zero(*width)),
        SortKind::Float { eb, sb } => Value::Float(Float::zero(Format::new(*eb, *sb)?, false)),
        SortKind::Array(index, element) => {
            let element = at_depth(terms, *element, depth + 1)?;
            Value::Array(Arc::new(ArrayValue::constant(sorts, *index, element)))
        }
        SortKind::Seq(_) => Value::Seq(Arc::from([])),
        SortKind::Set(_) => Value::Set(Arc::default()),
        SortKind::Bag(_) => Value::Bag(Arc::default()),
        SortKind::Tuple(parts) => {
            let fields: Option<Vec<Value>> = parts
                .iter()
                .map(|p| at_depth(terms, *p, depth + 1))
                .collect();
            Value::Tuple(fields?.into())
        }
        SortKind::Data(id, arguments) if arguments.is_empty() => {
            let constructors = &sorts.datatype(*id).constructors;
            // A constructor without fields of datatype sorts ends the recursion, if there is one.
            let simple = |c: &crate::sort::Constructor| {
                !c.selectors
                    .iter()
                    .any(|(_, s)| matches!(sorts.kind(*s), SortKind::Data(..)))
            };
            let number = constructors.iter().position(simple).unwrap_or(0);
            let fields: Option<Box<[Value]>> = constructors
                .get(number)?
                .selectors
                .iter()
                .map(|(_, s)| at_depth(terms, *s, depth + 1))
                .collect();
            Value::data(sort, number as u32, fields?)
        }
        _ => return None,
    })
}
