//! Small domains: a few values of every sort, all of them where the sort is small.

use auspex_logic::eval::Evaluator;
use auspex_logic::value::{ArrayValue, Int, Rat, Str, array, cardinality};
use auspex_logic::{Model, Sort, SortKind, Terms, Value, read_script};
use std::sync::Arc;

/// Values of a sort worth trying; `None` for sorts without any that can be written.
pub fn domain(terms: &mut Terms, sort: Sort) -> Option<Vec<Value>> {
    const FEW: u128 = 64;
    match terms.sorts.kind(sort).clone() {
        SortKind::Int => Some(
            (-3..=3)
                .chain([7])
                .map(|n| Value::Int(Int::from(n)))
                .collect(),
        ),
        SortKind::Real => Some((-4..=4).filter_map(half).collect()),
        SortKind::String => Some(words().iter().filter_map(|w| string(w)).collect()),
        SortKind::RegLan => regex_values(terms),
        SortKind::Array(index, element) => {
            let (places, elements) = (domain(terms, index)?, domain(terms, element)?);
            Some(arrays(terms, index, &places, &elements))
        }
        SortKind::Seq(element) => Some(sequences(&domain(terms, element)?)),
        SortKind::Set(element) => {
            let mut elements = domain(terms, element)?;
            elements.truncate(3);
            let subsets = (0..1u32 << elements.len()).map(|mask| {
                let chosen = elements
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| mask >> i & 1 == 1);
                Value::Set(Arc::new(chosen.map(|(_, v)| v.clone()).collect()))
            });
            Some(subsets.collect())
        }
        SortKind::Data(..) => data(terms, sort, 2),
        _ if cardinality(&terms.sorts, sort).is_some_and(|n| n <= FEW) => {
            array::enumerate(&terms.sorts, sort)
        }
        _ => None,
    }
}

fn half(n: i64) -> Option<Value> {
    Rat::new(&Int::from(n), &Int::from(2)).map(Value::Real)
}

fn string(text: &str) -> Option<Value> {
    let codes: Vec<u32> = text.chars().map(u32::from).collect();
    Str::new(&codes).map(Value::Str)
}

/// Short words over two letters, and some digits.
fn words() -> &'static [&'static str] {
    &[
        "", "a", "b", "aa", "ab", "ba", "bb", "aab", "aba", "bab", "0", "10",
    ]
}

/// Regular expressions of every kind.
pub fn regexes() -> &'static [&'static str] {
    &[
        "re.none",
        "(str.to_re \"a\")",
        "(str.to_re \"\")",
        "(re.* (str.to_re \"ab\"))",
        "re.allchar",
        "(re.comp (str.to_re \"a\"))",
        "(re.range \"a\" \"b\")",
        "(re.union (str.to_re \"a\") (str.to_re \"bb\"))",
        "(re.++ re.all (str.to_re \"b\"))",
    ]
}

fn regex_values(terms: &mut Terms) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for text in regexes() {
        let script = read_script(terms, &format!("(assert (str.in_re \"\" {text}))"))
            .ok()?
            .script;
        let term = terms.args(*script.roots().first()?)[1];
        let model = Model::default();
        values.push(Evaluator::new(terms, &model).value(term).ok()?);
    }
    Some(values)
}

fn arrays(terms: &Terms, index: Sort, places: &[Value], elements: &[Value]) -> Vec<Value> {
    let (places, elements) = (
        &places[..places.len().min(3)],
        &elements[..elements.len().min(3)],
    );
    let mut all = std::collections::BTreeSet::new();
    for default in elements {
        let constant = ArrayValue::constant(&terms.sorts, index, default.clone());
        all.insert(Value::Array(Arc::new(constant.clone())));
        for place in places {
            for element in elements {
                let array = constant.store(&terms.sorts, index, place.clone(), element.clone());
                all.insert(Value::Array(Arc::new(array)));
            }
        }
    }
    all.into_iter().collect()
}

fn sequences(elements: &[Value]) -> Vec<Value> {
    let elements = &elements[..elements.len().min(2)];
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..3 {
        last = last
            .iter()
            .flat_map(|start| {
                elements
                    .iter()
                    .map(move |e| start.iter().cloned().chain([e.clone()]).collect())
            })
            .collect();
        all.extend(last.iter().cloned());
    }
    all.truncate(11);
    all.into_iter()
        .map(|items| Value::Seq(items.into()))
        .collect()
}

fn data(terms: &mut Terms, sort: Sort, depth: u32) -> Option<Vec<Value>> {
    let (id, _) = terms.data_of(sort)?;
    let mut all = Vec::new();
    for number in 0..terms.sorts.datatype(id).constructors.len() as u32 {
        let constructor = terms.constructor(sort, number)?;
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for field in terms.fun(constructor).params.clone() {
            let values = match terms.sorts.kind(field) {
                SortKind::Data(..) if depth == 0 => Vec::new(),
                SortKind::Data(..) => data(terms, field, depth - 1)?,
                _ => domain(terms, field)?,
            };
            let values = &values[..values.len().min(3)];
            rows = rows
                .iter()
                .flat_map(|row| {
                    values
                        .iter()
                        .map(move |v| row.iter().cloned().chain([v.clone()]).collect())
                })
                .collect();
        }
        let rows = rows.into_iter();
        all.extend(rows.map(|fields: Vec<Value>| Value::data(sort, number, fields.into())));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sorts_are_complete() {
        let mut terms = Terms::new();
        let bits = terms.sorts.bit_vec(3);
        assert_eq!(domain(&mut terms, bits).map(|v| v.len()), Some(8));
        let float = terms.sorts.float(2, 3);
        // 32 bit patterns, of which 6 mean NaN.
        assert_eq!(domain(&mut terms, float).map(|v| v.len()), Some(27));
    }

    #[test]
    fn unknown_sorts_have_no_values() {
        let mut terms = Terms::new();
        assert_eq!(domain(&mut terms, Sort::UNKNOWN), None);
        assert!(domain(&mut terms, Sort::REG_LAN).is_some_and(|v| v.len() == regexes().len()));
    }
}
