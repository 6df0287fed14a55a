//! Lists all values of a small finite sort.

use super::array::ArrayValue;
use super::{BitVec, Float, Format, RoundingMode, Value};
use crate::sort::{Sort, SortKind, Sorts};
use std::collections::BTreeSet;
use std::sync::Arc;

/// All values of a finite sort, unordered. The caller has checked that there are few.
pub(super) fn values(sorts: &Sorts, sort: Sort) -> Option<Vec<Value>> {
    match sorts.kind(sort) {
        SortKind::Bool => Some(vec![Value::FALSE, Value::TRUE]),
        SortKind::RoundingMode => Some(RoundingMode::ALL.map(Value::Rounding).to_vec()),
        SortKind::BitVec(width) => Some(
            (0..1u64 << width)
                .map(|bits| Value::BitVec(BitVec::from_u64(*width, bits)))
                .collect(),
        ),
        SortKind::Float { eb, sb } => {
            let format = Format::new(*eb, *sb)?;
            let patterns = (0..1u64 << (eb + sb)).map(|bits| BitVec::from_u64(eb + sb, bits));
            let floats: BTreeSet<Value> = patterns
                .map(|bits| Value::Float(Float::from_ieee_bits(format, &bits)))
                .collect();
            Some(floats.into_iter().collect())
        }
        SortKind::Tuple(parts) => {
            let fields = product(sorts, parts.iter().copied())?;
            Some(fields.into_iter().map(|f| Value::Tuple(f.into())).collect())
        }
        SortKind::Set(element) => {
            let elements = values(sorts, *element)?;
            let subsets = (0..1u64 << elements.len()).map(|mask| {
                let chosen = elements
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| mask >> i & 1 == 1);
                Value::Set(Arc::new(chosen.map(|(_, v)| v.clone()).collect()))
            });
            Some(subsets.collect())
        }
        SortKind::Array(index, element) => arrays(sorts, *index, *element),
        SortKind::Data(id, _) => {
            let mut all = Vec::new();
            for (number, constructor) in sorts.datatype(*id).constructors.iter().enumerate() {
                for fields in product(sorts, constructor.selectors.iter().map(|(_, s)| *s))? {
                    all.push(Value::data(sort, number as u32, fields.into()));
                }
            }
            Some(all)
        }
        _ => None,
    }
}

fn arrays(sorts: &Sorts, index: Sort, element: Sort) -> Option<Vec<Value>> {
    let places = values(sorts, index)?;
    let tables = product(sorts, places.iter().map(|_| element))?;
    let array = |table: Vec<Value>| {
        let mut array = ArrayValue::constant(sorts, index, table[0].clone());
        for (place, value) in places.iter().zip(table) {
            array.put(place.clone(), value);
        }
        array.normalize(sorts, index);
        Value::Array(Arc::new(array))
    };
    Some(tables.into_iter().map(array).collect())
}

/// All combinations of values of the given sorts.
fn product(sorts: &Sorts, parts: impl Iterator<Item = Sort>) -> Option<Vec<Vec<Value>>> {
    let mut all = vec![Vec::new()];
    for part in parts {
        let choices = values(sorts, part)?;
        all = all
            .iter()
            .flat_map(|prefix| {
                choices
                    .iter()
                    .map(move |choice| prefix.iter().cloned().chain([choice.clone()]).collect())
            })
            .collect();
    }
    Some(all)
}
