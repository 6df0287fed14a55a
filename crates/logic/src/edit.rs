//! Changes terms, at one occurrence or at all, and checks every changed application again. Occurrences are numbered
//! as in the expanded tree, without expanding it.

use crate::sort::{Sort, SortKind};
use crate::term::{Head, Op, TermId, Terms};
use crate::value::{Int, Rat, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The position of an occurrence: argument positions from the root down.
pub type Path = Vec<u32>;

/// All occurrences of all subterms of some roots.
pub struct Occurrences {
    roots: Vec<TermId>,
    /// The number of occurrences in each term's tree, including the term itself.
    sizes: FxHashMap<TermId, u64>,
    total: u64,
}

/// One occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub root: usize,
    pub path: Path,
    pub term: TermId,
}

impl Occurrences {
    pub fn new(terms: &Terms, roots: &[TermId]) -> Self {
        let mut sizes = FxHashMap::default();
        for root in roots {
            count(terms, *root, &mut sizes);
        }
        let total = roots
            .iter()
            .fold(0u64, |sum, root| sum.saturating_add(sizes[root]));
        Occurrences {
            roots: roots.to_vec(),
            sizes,
            total,
        }
    }

    pub fn len(&self) -> u64 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The occurrence with that number, in the order of the text.
    pub fn nth(&self, terms: &Terms, mut number: u64) -> Option<Occurrence> {
        let mut root = 0;
        while number >= *self.sizes.get(self.roots.get(root)?)? {
            number -= self.sizes[&self.roots[root]];
            root += 1;
        }
        let mut term = self.roots[root];
        let mut path = Path::new();
        while number > 0 {
            number -= 1;
            let mut place = 0;
            for arg in terms.args(term) {
                let size = self.sizes[arg];
                if number < size {
                    term = *arg;
                    break;
                }
                number -= size;
                place += 1;
            }
            path.push(place);
        }
        Some(Occurrence { root, path, term })
    }
}

fn count(terms: &Terms, root: TermId, sizes: &mut FxHashMap<TermId, u64>) {
    let mut stack = vec![(root, false)];
    while let Some((term, ready)) = stack.pop() {
        if sizes.contains_key(&term) {
            continue;
        }
        if ready {
            let size = terms
                .args(term)
                .iter()
                .fold(1u64, |sum, arg| sum.saturating_add(sizes[arg]));
            sizes.insert(term, size);
        } else {
            stack.push((term, true));
            stack.extend(terms.args(term).iter().map(|arg| (*arg, false)));
        }
    }
}

impl Terms {
    /// The same application with other arguments, if its sort stays the same.
    pub fn with_args(&mut self, term: TermId, args: &[TermId]) -> Option<TermId> {
        let sort = self.sort(term);
        let old = self.args(term);
        if old == args {
            return Some(term);
        }
        let same_sorts = old.len() == args.len()
            && old
                .iter()
                .zip(args)
                .all(|(a, b)| self.sort(*a) == self.sort(*b));
        let head = self.head(term);
        if same_sorts {
            return Some(self.node(head, args, sort));
        }
        match head {
            Head::Op(op) => self.apply_op(op, args, sort),
            Head::Fun(fun) if !self.fun(fun).params.is_empty() => self.fun_app(fun, args).ok(),
            _ => None,
        }
    }

    /// The term at a path below a root.
    pub fn at_path(&self, root: TermId, path: &[u32]) -> Option<TermId> {
        path.iter().try_fold(root, |term, place| {
            self.args(term).get(*place as usize).copied()
        })
    }

    /// The bound variables in scope at a path below a root, outermost first.
    pub fn variables_at(&self, root: TermId, path: &[u32]) -> Vec<TermId> {
        let mut variables = Vec::new();
        let mut term = root;
        for place in path {
            match self.head(term) {
                Head::Binder(number) => variables.extend_from_slice(&self.binder(number).variables),
                Head::Match(number) if *place > 0 => {
                    let cases = &self.match_(number).cases;
                    if let Some(case) = cases.get(*place as usize - 1) {
                        variables.extend_from_slice(&case.variables);
                    }
                }
                _ => {}
            }
            match self.args(term).get(*place as usize) {
                Some(next) => term = *next,
                None => break,
            }
        }
        variables
    }

    /// Replaces one occurrence by a term of the same sort.
    pub fn replace_at(&mut self, root: TermId, path: &[u32], new: TermId) -> Option<TermId> {
        let mut spine = vec![root];
        for place in path {
            let next = *self.args(*spine.last()?).get(*place as usize)?;
            spine.push(next);
        }
        let mut changed = new;
        let mut args = Vec::new();
        for (parent, place) in spine[..path.len()].iter().zip(path).rev() {
            args.clear();
            args.extend_from_slice(self.args(*parent));
            args[*place as usize] = changed;
            changed = self.with_args(*parent, &args)?;
        }
        Some(changed)
    }

    /// Replaces every occurrence of some terms. Applications that would become ill-sorted stay as they were.
    pub fn replace_all(&mut self, root: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        let mut done: FxHashMap<TermId, TermId> = map.clone();
        let mut stack = vec![(root, false)];
        let mut args = Vec::new();
        while let Some((term, ready)) = stack.pop() {
            if done.contains_key(&term) {
                continue;
            }
            if !ready {
                stack.push((term, true));
                stack.extend(
                    self.args(term)
                        .iter()
                        .filter(|a| !done.contains_key(*a))
                        .map(|a| (*a, false)),
                );
                continue;
            }
            args.clear();
            args.extend(self.args(term).iter().map(|arg| done[arg]));
            let new = self.with_args(term, &args).unwrap_or(term);
            done.insert(term, new);
        }
        done[&root]
    }

    /// A term that denotes a value, in standard syntax where there is one.
    pub fn value_term(&mut self, value: &Value, sort: Sort) -> Option<TermId> {
        match value {
            Value::Bool(b) => Some(self.bool(*b)),
            Value::Int(int) => match *self.sorts.kind(sort) {
                SortKind::FiniteField(order) => {
                    let literal = format!("#f{int}m{}", self.symbols.name(order));
                    Some(self.opaque(&literal, &[], sort))
                }
                _ => self.int_term(int),
            },
            Value::Real(rat) => self.real_term(rat),
            Value::BitVec(_) | Value::Rounding(_) | Value::Str(_) => {
                Some(self.literal_node(value.clone(), sort))
            }
            Value::Float(_) => self.float_term(value, sort),
            Value::Array(array) => {
                let SortKind::Array(index, element) = *self.sorts.kind(sort) else {
                    return None;
                };
                let default = self.value_term(&array.default, element)?;
                let mut term = self.array_app("const", &[default], &[element], sort)?;
                for (place, value) in &array.entries {
                    let place = self.value_term(place, index)?;
                    let value = self.value_term(value, element)?;
                    let args = [term, place, value];
                    term = self.array_app("store", &args, &[sort, index, element], sort)?;
                }
                Some(term)
            }
            Value::Data(data) => {
                let constructor = self.constructor(data.sort, data.constructor)?;
                let sorts = self.fun(constructor).params.clone();
                let fields: Option<Vec<TermId>> = data
                    .fields
                    .iter()
                    .zip(sorts.iter())
                    .map(|(f, s)| self.value_term(f, *s))
                    .collect();
                self.fun_app(constructor, &fields?).ok()
            }
            Value::Seq(items) => {
                self.collection(items.iter(), sort, "seq.empty", "seq.unit", "seq.++")
            }
            Value::Set(items) => self.collection(
                items.iter(),
                sort,
                "set.empty",
                "set.singleton",
                "set.union",
            ),
            Value::Bag(items) => self.bag_term(items, sort),
            Value::Tuple(items) => {
                let sorts = self.sorts.parts(sort);
                let parts = items.iter().zip(sorts);
                let parts: Option<Vec<TermId>> =
                    parts.map(|(item, s)| self.value_term(item, s)).collect();
                let head = if items.is_empty() {
                    "tuple.unit"
                } else {
                    "tuple"
                };
                self.app(head, &parts?).ok()
            }
            Value::Regex(_) | Value::Element(_) | Value::Irrational(_) | Value::Closure(_) => None,
        }
    }

    /// Applies an array operator; a look at the sorts usually makes the search for a signature unnecessary.
    fn array_app(
        &mut self,
        name: &str,
        args: &[TermId],
        sorts: &[Sort],
        sort: Sort,
    ) -> Option<TermId> {
        let row = *self.table.named(name).first()?;
        let fits = args.iter().zip(sorts).all(|(a, s)| self.sort(*a) == *s);
        if fits {
            return Some(self.apply_fitting(Op(row), args, sort));
        }
        match name {
            "const" => self.qualified_app(name, args, sort).ok(),
            _ => self.app(name, args).ok(),
        }
    }

    /// A value as text: its term if there is one, else a readable name.
    pub fn value_text(&mut self, value: &Value, sort: Sort) -> String {
        if let Some(term) = self.value_term(value, sort) {
            return crate::render::term(self, term, crate::render::Sharing::Auto);
        }
        match value {
            Value::Element(name) => self.symbols.name(*name).to_string(),
            Value::Irrational(irrational) => irrational.to_string(),
            Value::Regex(regex) => regex.to_string(),
            Value::Closure(_) => "(a function)".to_string(),
            other => format!("{other:?}"),
        }
    }

    fn int_term(&mut self, int: &Int) -> Option<TermId> {
        let magnitude = self.literal_node(Value::Int(int.abs()), Sort::INT);
        if int.is_negative() {
            self.app("-", &[magnitude]).ok()
        } else {
            Some(magnitude)
        }
    }

    fn real_term(&mut self, rat: &Rat) -> Option<TermId> {
        let numerator =
            self.literal_node(Value::Real(Rat::from(rat.numerator().abs())), Sort::REAL);
        let mut term = numerator;
        if !rat.is_int() {
            let denominator =
                self.literal_node(Value::Real(Rat::from(rat.denominator())), Sort::REAL);
            term = self.app("/", &[numerator, denominator]).ok()?;
        }
        if rat.is_negative() {
            self.app("-", &[term]).ok()
        } else {
            Some(term)
        }
    }

    fn float_term(&mut self, value: &Value, sort: Sort) -> Option<TermId> {
        let (Value::Float(float), SortKind::Float { eb, sb }) =
            (value, self.sorts.kind(sort).clone())
        else {
            return None;
        };
        let Some(bits) = float.to_ieee_bits() else {
            return self.indexed_app("NaN", &[eb.into(), sb.into()], &[]).ok();
        };
        let width = eb + sb;
        let parts = [(width - 1, width - 1), (width - 2, sb - 1), (sb - 2, 0)];
        let parts: Option<Vec<TermId>> = parts
            .into_iter()
            .map(|(high, low)| {
                let part = bits.extract(high, low)?;
                let sort = self.sorts.bit_vec(part.width());
                Some(self.literal_node(Value::BitVec(part), sort))
            })
            .collect();
        self.app("fp", &parts?).ok()
    }

    fn bag_term(&mut self, items: &BTreeMap<Value, Int>, sort: Sort) -> Option<TermId> {
        let element = *self.sorts.parts(sort).first()?;
        let mut parts = Vec::new();
        for (item, count) in items {
            let item = self.value_term(item, element)?;
            let count = self.int_term(count)?;
            parts.push(self.app("bag", &[item, count]).ok()?);
        }
        match parts.as_slice() {
            [] => self.qualified_app("bag.empty", &[], sort).ok(),
            [one] => Some(*one),
            _ => self.app("bag.union_disjoint", &parts).ok(),
        }
    }

    fn collection<'v>(
        &mut self,
        items: impl Iterator<Item = &'v Value>,
        sort: Sort,
        empty: &str,
        unit: &str,
        join: &str,
    ) -> Option<TermId> {
        let element = *self.sorts.parts(sort).first()?;
        let mut parts = Vec::new();
        for item in items {
            let item = self.value_term(item, element)?;
            parts.push(self.app(unit, &[item]).ok()?);
        }
        match parts.as_slice() {
            [] => self.qualified_app(empty, &[], sort).ok(),
            [one] => Some(*one),
            _ => self.app(join, &parts).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_script;
    use crate::render::{self, Sharing};

    fn read(terms: &mut Terms, text: &str) -> TermId {
        let script = read_script(terms, text).expect("well-formed").script;
        *script.roots().last().expect("a term")
    }

    #[test]
    fn numbers_occurrences_in_text_order() {
        let mut terms = Terms::new();
        let term = read(
            &mut terms,
            "(declare-const p Bool)(assert (and (not p) (or p (not p))))",
        );
        let all = Occurrences::new(&terms, &[term]);
        let texts: Vec<String> = (0..all.len())
            .map(|n| {
                render::term(
                    &terms,
                    all.nth(&terms, n).expect("in range").term,
                    Sharing::Expanded,
                )
            })
            .collect();
        assert_eq!(
            texts,
            [
                "(and (not p) (or p (not p)))",
                "(not p)",
                "p",
                "(or p (not p))",
                "p",
                "(not p)",
                "p"
            ]
        );
        assert_eq!(all.nth(&terms, all.len()), None);
    }

    #[test]
    fn replaces_one_occurrence_only() {
        let mut terms = Terms::new();
        let term = read(
            &mut terms,
            "(declare-const p Bool)(assert (and (not p) (or p (not p))))",
        );
        let new = terms.bool(true);
        let changed = terms.replace_at(term, &[1, 1, 0], new).expect("sorts fit");
        assert_eq!(
            render::term(&terms, changed, Sharing::Expanded),
            "(and (not p) (or p (not true)))"
        );
    }

    #[test]
    fn replaces_all_occurrences() {
        let mut terms = Terms::new();
        let term = read(
            &mut terms,
            "(declare-const p Bool)(assert (and (not p) (or p (not p))))",
        );
        let p = terms.at_path(term, &[0, 0]).expect("there");
        let map = FxHashMap::from_iter([(p, terms.bool(false))]);
        let changed = terms.replace_all(term, &map);
        assert_eq!(
            render::term(&terms, changed, Sharing::Expanded),
            "(and (not false) (or false (not false)))"
        );
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let mut terms = Terms::new();
        let term = read(
            &mut terms,
            "(declare-const p Bool)(declare-const i Int)(assert (and p (= i 1)))",
        );
        let i = terms.at_path(term, &[1, 0]).expect("there");
        assert_eq!(terms.replace_at(term, &[0], i), None);
    }

    #[test]
    fn sees_variables_in_scope() {
        let mut terms = Terms::new();
        let term = read(
            &mut terms,
            "(assert (forall ((x Int)) (exists ((y Int)) (< x y))))",
        );
        assert_eq!(terms.variables_at(term, &[]).len(), 0);
        assert_eq!(terms.variables_at(term, &[0]).len(), 1);
        assert_eq!(terms.variables_at(term, &[0, 0]).len(), 2);
    }
}
