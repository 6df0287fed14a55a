//! Sorts, interned so that equality is a comparison of numbers. Their operators are in `theory`.

use crate::intern::{Interner, Symbol, Symbols};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Sorts with more parts than this (written out) are not built from smaller ones: definitions and
/// nested sequences could grow them without bound, and everything that walks a sort recurses.
const LARGEST: u32 = 1_000;

/// An interned sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sort(pub(crate) u32);

impl Sort {
    /// The sort of an unsorted term, which fits everywhere.
    pub const UNKNOWN: Sort = Sort(0);
    pub const BOOL: Sort = Sort(1);
    pub const INT: Sort = Sort(2);
    pub const REAL: Sort = Sort(3);
    pub const STRING: Sort = Sort(4);
    pub const REG_LAN: Sort = Sort(5);
    pub const ROUNDING_MODE: Sort = Sort(6);
}

/// The sorts with fixed numbers, in the order of their numbers.
const FIXED: [SortKind; 7] = [
    SortKind::Unknown,
    SortKind::Bool,
    SortKind::Int,
    SortKind::Real,
    SortKind::String,
    SortKind::RegLan,
    SortKind::RoundingMode,
];

/// The structure of a sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SortKind {
    Unknown,
    Bool,
    Int,
    Real,
    String,
    RegLan,
    RoundingMode,
    BitVec(u32),
    Float {
        eb: u32,
        sb: u32,
    },
    Array(Sort, Sort),
    Seq(Sort),
    Set(Sort),
    Bag(Sort),
    Tuple(Box<[Sort]>),
    /// cvc5's `(Nullable X)`: a value of the sort, or none.
    Nullable(Sort),
    /// A finite field, by the decimal digits of its order.
    FiniteField(Symbol),
    /// A function as a value: argument sorts, then the result, which is no function itself:
    /// `(-> A (-> B C))` and `(-> A B C)` are one sort.
    Function(Box<[Sort]>),
    /// An uninterpreted sort from `declare-sort`.
    Declared(Symbol, Box<[Sort]>),
    /// A datatype instance; the number is that of its declaration.
    Data(DataId, Box<[Sort]>),
    /// A parameter of a parametric declaration.
    Parameter(Symbol),
    /// An unknown sort, by its text.
    Opaque(Symbol),
}

/// A datatype declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataId(pub(crate) u32);

/// One datatype of a `declare-datatypes`.
#[derive(Clone, Debug)]
pub struct Datatype {
    pub name: Symbol,
    pub parameters: Vec<Symbol>,
    pub constructors: Vec<Constructor>,
    pub codatatype: bool,
}

#[derive(Clone, Debug)]
pub struct Constructor {
    pub name: Symbol,
    pub selectors: Vec<(Symbol, Sort)>,
}

/// All sorts and datatype declarations of one arena.
#[derive(Clone)]
pub struct Sorts {
    sorts: Interner<SortKind>,
    /// The number of parts of each sort, written out.
    sizes: Vec<u32>,
    datatypes: Vec<Datatype>,
    datatypes_named: FxHashMap<Symbol, Vec<DataId>>,
    /// Sorts of a user's signature file, with their numbers of arguments.
    user: Vec<(Box<str>, Symbol, u32)>,
}

impl Default for Sorts {
    fn default() -> Self {
        let mut sorts = Self {
            sorts: Interner::default(),
            sizes: Vec::new(),
            datatypes: Vec::new(),
            datatypes_named: FxHashMap::default(),
            user: Vec::new(),
        };
        for kind in FIXED {
            sorts.intern(kind);
        }
        sorts
    }
}

impl Sorts {
    pub(crate) fn add_user_sort(&mut self, name: &str, symbol: Symbol, arity: u32) {
        self.user.push((name.into(), symbol, arity));
    }

    /// The symbol of a sort of a user's signature file.
    pub(crate) fn user_sort(&self, name: &str) -> Option<Symbol> {
        let found = self.user.iter().find(|(n, ..)| **n == *name);
        found.map(|(_, symbol, _)| *symbol)
    }

    /// Whether a user's signature file has a sort of this name and number of arguments.
    pub(crate) fn is_user_sort(&self, name: Symbol, arity: usize) -> bool {
        let mut user = self.user.iter();
        user.any(|(_, symbol, a)| *symbol == name && *a as usize == arity)
    }

    pub fn intern(&mut self, mut kind: SortKind) -> Sort {
        if let SortKind::Function(parts) = &mut kind {
            self.flatten(parts);
        }
        let sort = Sort(self.sorts.intern(kind));
        if sort.0 as usize == self.sizes.len() {
            let mut size = 1u32;
            self.each_part(sort, |part| {
                size = size.saturating_add(self.sizes[part.0 as usize]);
            });
            self.sizes.push(size);
        }
        sort
    }

    /// Flattens a function whose result is a function.
    fn flatten(&self, parts: &mut Box<[Sort]>) {
        while let Some((last, first)) = parts.split_last()
            && let SortKind::Function(rest) = self.kind(*last)
        {
            *parts = first.iter().chain(rest).copied().collect();
        }
    }

    /// Whether a sort is too large to build others from it.
    pub fn is_too_large(&self, sort: Sort) -> bool {
        self.sizes[sort.0 as usize] > LARGEST
    }

    /// Calls back for each sort directly inside a sort, in order.
    fn each_part(&self, sort: Sort, mut visit: impl FnMut(Sort)) {
        match self.kind(sort) {
            SortKind::Array(i, e) => {
                visit(*i);
                visit(*e);
            }
            SortKind::Seq(e) | SortKind::Set(e) | SortKind::Bag(e) | SortKind::Nullable(e) => {
                visit(*e);
            }
            SortKind::Tuple(p)
            | SortKind::Function(p)
            | SortKind::Declared(_, p)
            | SortKind::Data(_, p) => p.iter().copied().for_each(visit),
            _ => {}
        }
    }

    #[inline]
    pub fn kind(&self, sort: Sort) -> &SortKind {
        self.sorts.get(sort.0)
    }

    pub fn bit_vec(&mut self, width: u32) -> Sort {
        self.intern(SortKind::BitVec(width))
    }

    pub fn float(&mut self, eb: u32, sb: u32) -> Sort {
        self.intern(SortKind::Float { eb, sb })
    }

    pub fn array(&mut self, index: Sort, element: Sort) -> Sort {
        self.intern(SortKind::Array(index, element))
    }

    pub fn seq(&mut self, element: Sort) -> Sort {
        self.intern(SortKind::Seq(element))
    }

    pub fn set(&mut self, element: Sort) -> Sort {
        self.intern(SortKind::Set(element))
    }

    pub fn bit_width(&self, sort: Sort) -> Option<u32> {
        match self.kind(sort) {
            SortKind::BitVec(width) => Some(*width),
            _ => None,
        }
    }

    pub fn add_datatype(&mut self, datatype: Datatype) -> DataId {
        let id = DataId(self.datatypes.len() as u32);
        self.datatypes_named
            .entry(datatype.name)
            .or_default()
            .push(id);
        self.datatypes.push(datatype);
        id
    }

    /// Finds earlier datatypes with the same declarations, so that reading a text again gives the same sorts; if
    /// there are any, the new ones are removed.
    pub(crate) fn merge_datatypes(&mut self, new: Vec<DataId>) -> Vec<DataId> {
        match self.same_datatypes(&new) {
            Some(same) => {
                self.forget_datatypes(new[0].0 as usize);
                same
            }
            None => new,
        }
    }

    fn forget_datatypes(&mut self, from: usize) {
        for datatype in self.datatypes.drain(from..).rev() {
            if let Some(ids) = self.datatypes_named.get_mut(&datatype.name) {
                ids.pop();
            }
        }
    }

    /// How many of the latest declarations of a name are compared.
    fn same_datatypes(&self, new: &[DataId]) -> Option<Vec<DataId>> {
        const LATEST: usize = 4;
        let first = new.first()?;
        let earlier = &self.datatypes_named[&self.datatype(*first).name];
        let mut earlier = earlier.iter().rev().filter(|id| *id < first).take(LATEST);
        earlier.find_map(|old| {
            let all: Vec<DataId> = (0..new.len() as u32).map(|n| DataId(old.0 + n)).collect();
            let before = all.last().is_some_and(|last| last < first);
            (before && self.same_declarations(new, &all)).then_some(all)
        })
    }

    fn same_declarations(&self, new: &[DataId], old: &[DataId]) -> bool {
        new.iter().zip(old).all(|(n, o)| {
            let (n, o) = (self.datatype(*n), self.datatype(*o));
            let header = |d: &Datatype| (d.name, d.codatatype, d.constructors.len());
            header(n) == header(o)
                && n.parameters == o.parameters
                && n.constructors.iter().zip(&o.constructors).all(|(a, b)| {
                    a.name == b.name
                        && a.selectors.len() == b.selectors.len()
                        && a.selectors
                            .iter()
                            .zip(&b.selectors)
                            .all(|(a, b)| a.0 == b.0 && self.same_but_for(a.1, b.1, new, old))
                })
        })
    }

    /// Whether two sorts are equal up to a renaming of datatypes.
    fn same_but_for(&self, a: Sort, b: Sort, new: &[DataId], old: &[DataId]) -> bool {
        let deep = |xs: &[Sort], ys: &[Sort]| {
            xs.len() == ys.len()
                && xs
                    .iter()
                    .zip(ys)
                    .all(|(x, y)| self.same_but_for(*x, *y, new, old))
        };
        a == b
            || match (self.kind(a), self.kind(b)) {
                (SortKind::Data(x, xs), SortKind::Data(y, ys)) => {
                    let stands_for = new.iter().position(|n| n == x).map(|at| old[at]);
                    stands_for.unwrap_or(*x) == *y && deep(xs, ys)
                }
                (SortKind::Array(i, e), SortKind::Array(j, f)) => deep(&[*i, *e], &[*j, *f]),
                (SortKind::Seq(x), SortKind::Seq(y))
                | (SortKind::Set(x), SortKind::Set(y))
                | (SortKind::Bag(x), SortKind::Bag(y))
                | (SortKind::Nullable(x), SortKind::Nullable(y)) => deep(&[*x], &[*y]),
                (SortKind::Tuple(x), SortKind::Tuple(y))
                | (SortKind::Function(x), SortKind::Function(y)) => deep(x, y),
                (SortKind::Declared(x, xs), SortKind::Declared(y, ys)) => x == y && deep(xs, ys),
                _ => false,
            }
    }

    /// Completes a declaration: constructors may contain the datatype itself.
    pub fn set_constructors(&mut self, id: DataId, constructors: Vec<Constructor>) {
        self.datatypes[id.0 as usize].constructors = constructors;
    }

    pub fn datatype(&self, id: DataId) -> &Datatype {
        &self.datatypes[id.0 as usize]
    }

    /// The sorts directly inside a sort, in order.
    pub fn parts(&self, sort: Sort) -> Vec<Sort> {
        let mut parts = Vec::new();
        self.each_part(sort, |part| parts.push(part));
        parts
    }

    /// Whether a parameter occurs in a sort.
    pub fn mentions(&self, sort: Sort, parameter: Symbol) -> bool {
        match self.kind(sort) {
            SortKind::Parameter(name) => *name == parameter,
            _ => {
                let mut found = false;
                self.each_part(sort, |part| found = found || self.mentions(part, parameter));
                found
            }
        }
    }

    /// Whether a solver may treat one sort as the other: z3's functions are arrays.
    pub fn is_compatible(&self, a: Sort, b: Sort) -> bool {
        if a == b {
            return true;
        }
        let (xs, ys) = (self.curried(a), self.curried(b));
        match (xs, ys) {
            (Some(xs), Some(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(&ys).all(|(x, y)| self.is_compatible(*x, *y))
            }
            _ => false,
        }
    }

    /// The argument sorts and then the result of a function, or of an array seen as one.
    pub(crate) fn curried(&self, sort: Sort) -> Option<Vec<Sort>> {
        let mut parts = match self.kind(sort) {
            SortKind::Function(parts) => parts.to_vec(),
            SortKind::Array(index, element) => vec![*index, *element],
            _ => return None,
        };
        while let Some(more) = parts.last().and_then(|last| self.curried(*last)) {
            parts.pop();
            parts.extend(more);
        }
        Some(parts)
    }

    /// Replaces the parameters of a parametric declaration by sorts. Too large a sort becomes unknown.
    pub fn instantiate(&mut self, sort: Sort, parameters: &[Symbol], arguments: &[Sort]) -> Sort {
        let kind = self.kind(sort).clone();
        let go = |sorts: &mut Self, part: Sort| sorts.instantiate(part, parameters, arguments);
        let instance = match kind {
            SortKind::Parameter(name) => {
                return parameters
                    .iter()
                    .position(|p| *p == name)
                    .and_then(|i| arguments.get(i).copied())
                    .unwrap_or(sort);
            }
            SortKind::Array(i, e) => SortKind::Array(go(self, i), go(self, e)),
            SortKind::Seq(e) => SortKind::Seq(go(self, e)),
            SortKind::Set(e) => SortKind::Set(go(self, e)),
            SortKind::Bag(e) => SortKind::Bag(go(self, e)),
            SortKind::Nullable(e) => SortKind::Nullable(go(self, e)),
            SortKind::Tuple(p) => SortKind::Tuple(p.iter().map(|s| go(self, *s)).collect()),
            SortKind::Function(p) => SortKind::Function(p.iter().map(|s| go(self, *s)).collect()),
            SortKind::Declared(n, p) => {
                SortKind::Declared(n, p.iter().map(|s| go(self, *s)).collect())
            }
            SortKind::Data(d, p) => SortKind::Data(d, p.iter().map(|s| go(self, *s)).collect()),
            _ => return sort,
        };
        let instance = self.intern(instance);
        if self.is_too_large(instance) {
            return Sort::UNKNOWN;
        }
        instance
    }

    /// Whether the text that made this sort was fully understood.
    pub fn is_known(&self, sort: Sort) -> bool {
        match self.kind(sort) {
            SortKind::Unknown | SortKind::Opaque(_) => false,
            _ => {
                let mut known = true;
                self.each_part(sort, |part| known = known && self.is_known(part));
                known
            }
        }
    }

    /// Appends the sort in SMT-LIB syntax.
    pub fn write(&self, out: &mut String, symbols: &Symbols, sort: Sort) {
        match self.kind(sort) {
            SortKind::Unknown => out.push('?'),
            SortKind::Bool => out.push_str("Bool"),
            SortKind::Int => out.push_str("Int"),
            SortKind::Real => out.push_str("Real"),
            SortKind::String => out.push_str("String"),
            SortKind::RegLan => out.push_str("RegLan"),
            SortKind::RoundingMode => out.push_str("RoundingMode"),
            SortKind::BitVec(width) => {
                out.push_str("(_ BitVec ");
                crate::digits::write_number(out, u64::from(*width));
                out.push(')');
            }
            SortKind::Float { eb, sb } => put(out, format_args!("(_ FloatingPoint {eb} {sb})")),
            SortKind::FiniteField(order) => {
                put(
                    out,
                    format_args!("(_ FiniteField {})", symbols.name(*order)),
                );
            }
            SortKind::Opaque(text) => out.push_str(symbols.name(*text)),
            SortKind::Parameter(name) => auspex_syntax::write_symbol(out, symbols.name(*name)),
            SortKind::Array(..) => self.write_parts(out, symbols, "Array", sort),
            SortKind::Seq(_) => self.write_parts(out, symbols, "Seq", sort),
            SortKind::Set(_) => self.write_parts(out, symbols, "Set", sort),
            SortKind::Bag(_) => self.write_parts(out, symbols, "Bag", sort),
            SortKind::Nullable(_) => self.write_parts(out, symbols, "Nullable", sort),
            SortKind::Tuple(parts) if parts.is_empty() => out.push_str("UnitTuple"),
            SortKind::Tuple(_) => self.write_parts(out, symbols, "Tuple", sort),
            SortKind::Function(_) => self.write_parts(out, symbols, "->", sort),
            SortKind::Declared(name, _) => self.write_named(out, symbols, *name, sort),
            SortKind::Data(id, _) => self.write_named(out, symbols, self.datatype(*id).name, sort),
        }
    }

    fn write_named(&self, out: &mut String, symbols: &Symbols, name: Symbol, sort: Sort) {
        let mut quoted = String::new();
        auspex_syntax::write_symbol(&mut quoted, symbols.name(name));
        self.write_parts(out, symbols, &quoted, sort);
    }

    fn write_parts(&self, out: &mut String, symbols: &Symbols, head: &str, sort: Sort) {
        let parts = self.parts(sort);
        if parts.is_empty() {
            out.push_str(head);
            return;
        }
        out.push('(');
        out.push_str(head);
        for part in parts {
            out.push(' ');
            self.write(out, symbols, part);
        }
        out.push(')');
    }

    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.sorts.len(), self.datatypes.len())
    }

    pub(crate) fn release(&mut self, mark: (usize, usize)) {
        self.sorts.truncate(mark.0);
        self.sizes.truncate(mark.0);
        self.forget_datatypes(mark.1);
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_written_flat() {
        let mut sorts = Sorts::default();
        let inner = sorts.intern(SortKind::Function(Box::new([Sort::INT, Sort::BOOL])));
        let nested = sorts.intern(SortKind::Function(Box::new([Sort::REAL, inner])));
        let flat = sorts.intern(SortKind::Function(Box::new([
            Sort::REAL,
            Sort::INT,
            Sort::BOOL,
        ])));
        assert_eq!(nested, flat);
    }

    #[test]
    fn functions_pass_for_arrays_and_nothing_else() {
        let mut sorts = Sorts::default();
        let row = sorts.array(Sort::INT, Sort::BOOL);
        let matrix = sorts.array(Sort::REAL, row);
        let function = [Sort::REAL, Sort::INT, Sort::BOOL];
        let function = sorts.intern(SortKind::Function(Box::new(function)));
        assert!(sorts.is_compatible(matrix, function));
        assert!(!sorts.is_compatible(row, function));
        assert!(!sorts.is_compatible(Sort::INT, Sort::REAL));
    }

    #[test]
    fn definitions_cannot_grow_a_sort_without_bound() {
        let (mut symbols, mut sorts) = (Symbols::default(), Sorts::default());
        let x = symbols.intern("x");
        let parameter = sorts.intern(SortKind::Parameter(x));
        let pair = sorts.array(parameter, parameter);
        let mut sort = Sort::INT;
        for _ in 0..100 {
            sort = sorts.instantiate(pair, &[x], &[sort]);
            assert!(!sorts.is_too_large(sort));
        }
    }
}
