//! Array values: a default and the entries that differ from it, in one canonical form.

use super::{Value, cardinality};
use crate::sort::{Sort, SortKind, Sorts};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A total function from index values to element values that is constant almost everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayValue {
    pub default: Value,
    /// The entries that differ from the default.
    pub entries: BTreeMap<Value, Value>,
    /// Whether the index sort's universe is unknown, so that the default may occur nowhere.
    pub open_universe: bool,
}

impl ArrayValue {
    pub fn constant(sorts: &Sorts, index: Sort, default: Value) -> Self {
        let open_universe = has_open_universe(sorts, index);
        ArrayValue {
            default,
            entries: BTreeMap::new(),
            open_universe,
        }
    }

    pub fn select(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// The array with one entry changed, in canonical form.
    pub fn store(&self, sorts: &Sorts, index_sort: Sort, index: Value, element: Value) -> Self {
        let mut changed = self.clone();
        changed.put(index, element);
        changed.normalize(sorts, index_sort);
        changed
    }

    /// Changes one entry without restoring the canonical form; `normalize` must follow.
    pub fn put(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }

    /// Over a finite index sort the most frequent element is the default (the smallest of several),
    /// so that two arrays with the same elements everywhere are the same data.
    pub fn normalize(&mut self, sorts: &Sorts, index: Sort) {
        let Some(size) = cardinality(sorts, index) else {
            return;
        };
        let explicit = self.entries.len() as u128;
        if explicit * 2 < size {
            return;
        }
        let mut counts: BTreeMap<&Value, u128> = BTreeMap::new();
        if size > explicit {
            counts.insert(&self.default, size - explicit);
        }
        for element in self.entries.values() {
            *counts.entry(element).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        let best = counts
            .iter()
            .find(|(_, n)| **n == most)
            .map(|(v, _)| (*v).clone());
        if let Some(best) = best.filter(|best| *best != self.default) {
            self.make_default(sorts, index, best);
        }
    }

    fn make_default(&mut self, sorts: &Sorts, index: Sort, best: Value) {
        let old = std::mem::replace(&mut self.default, best);
        let mut entries = std::mem::take(&mut self.entries);
        let all = enumerate(sorts, index).unwrap_or_default();
        for place in all {
            let element = entries.remove(&place).unwrap_or_else(|| old.clone());
            if element != self.default {
                self.entries.insert(place, element);
            }
        }
    }

    pub fn is_comparable(&self) -> bool {
        self.default.is_comparable() && self.entries.values().all(Value::is_comparable)
    }
}

/// Uninterpreted sorts may be as small as one element, so "everywhere else" may be nowhere.
/// Sorts made of them are as open. A datatype may contain itself, also inside an array or a sequence.
fn has_open_universe(sorts: &Sorts, sort: Sort) -> bool {
    let (mut seen, mut rest) = (FxHashSet::default(), vec![sort]);
    while let Some(sort) = rest.pop() {
        if !seen.insert(sort) {
            continue;
        }
        match sorts.kind(sort) {
            SortKind::Declared(..)
            | SortKind::Opaque(_)
            | SortKind::Unknown
            | SortKind::Parameter(_) => return true,
            SortKind::Data(id, args) => {
                let datatype = sorts.datatype(*id);
                // How many values these have is not counted.
                if datatype.codatatype || !args.is_empty() {
                    return true;
                }
                let fields = datatype.constructors.iter().flat_map(|c| &c.selectors);
                rest.extend(fields.map(|(_, field)| *field));
            }
            _ => rest.extend(sorts.parts(sort)),
        }
    }
    false
}

/// All values of a small finite sort, in order; `None` if there are too many to list.
pub fn enumerate(sorts: &Sorts, sort: Sort) -> Option<Vec<Value>> {
    const MOST: u128 = 1 << 16;
    let size = cardinality(sorts, sort).filter(|n| *n <= MOST)?;
    let mut all = super::enumerate::values(sorts, sort)?;
    all.sort();
    debug_assert_eq!(all.len() as u128, size, "cardinality and enumeration agree");
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Terms, read_script};

    fn with_sorts(check: impl Fn(&Sorts, &dyn Fn(usize) -> Sort)) {
        let text = "(declare-datatypes ((T 0) (S 0) (E 0) (R 0) (P 1) (U 0))\
            (((leaf) (node (many (Seq T)))) ((n) (m (some (Set S)))) ((a) (b)) ((r (e E) (f E)))\
            (par (X) ((p (x X)))) ((u))))(declare-codatatype C ((c (next C))))\
            (declare-const t T)(declare-const s S)(declare-const r R)(declare-const p (P Bool))\
            (declare-const k C)(declare-const v (Array Int U))";
        let mut terms = Terms::default();
        let reading = read_script(&mut terms, text).expect("well-formed");
        assert_eq!(reading.issues, []);
        let declared: Vec<Sort> = reading
            .script
            .declared()
            .map(|fun| terms.fun(fun).result)
            .collect();
        check(&terms.sorts, &|number| declared[number]);
    }

    #[test]
    fn a_datatype_that_contains_itself_has_no_end() {
        with_sorts(|sorts, of| {
            for recursive in [of(0), of(1)] {
                assert_eq!(cardinality(sorts, recursive), None);
                assert!(!has_open_universe(sorts, recursive));
            }
        });
    }

    #[test]
    fn nested_records_are_counted() {
        with_sorts(|sorts, of| {
            assert_eq!(cardinality(sorts, of(2)), Some(4));
            assert_eq!(enumerate(sorts, of(2)).map(|all| all.len()), Some(4));
            assert_eq!(cardinality(sorts, of(5)), Some(1));
        });
    }

    #[test]
    fn what_is_not_counted_is_open() {
        with_sorts(|sorts, of| {
            for open in [of(3), of(4)] {
                assert_eq!(cardinality(sorts, open), None);
                assert!(has_open_universe(sorts, open));
            }
        });
    }
}
