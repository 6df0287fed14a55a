//! Sorts: interned, so that equality is a comparison of numbers.
//! Which operators a sort has is not known here; see `theory`.

use crate::intern::{Interner, Symbol, Symbols};
use std::fmt::Write;

/// An interned sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sort(pub(crate) u32);

impl Sort {
    /// The sort of a term nobody could sort: it fits everywhere and promises nothing.
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

/// What a sort is made of.
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
    /// A finite field, by the decimal digits of its order.
    FiniteField(Symbol),
    /// A function as a value: argument sorts, then the result.
    Function(Box<[Sort]>),
    /// An uninterpreted sort from `declare-sort`.
    Declared(Symbol, Box<[Sort]>),
    /// A datatype instance; the number is that of its declaration.
    Data(DataId, Box<[Sort]>),
    /// A parameter of a parametric declaration.
    Parameter(Symbol),
    /// A sort nobody knows, by its text.
    Opaque(Symbol),
}

/// A datatype declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataId(pub(crate) u32);

/// What `declare-datatypes` said about one datatype.
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
    datatypes: Vec<Datatype>,
}

impl Default for Sorts {
    fn default() -> Self {
        let mut sorts = Interner::default();
        for kind in FIXED {
            sorts.intern(kind);
        }
        Self {
            sorts,
            datatypes: Vec::new(),
        }
    }
}

impl Sorts {
    pub fn intern(&mut self, kind: SortKind) -> Sort {
        Sort(self.sorts.intern(kind))
    }

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
        self.datatypes.push(datatype);
        DataId(self.datatypes.len() as u32 - 1)
    }

    pub(crate) fn set_constructors(&mut self, id: DataId, constructors: Vec<Constructor>) {
        self.datatypes[id.0 as usize].constructors = constructors;
    }

    pub fn datatype(&self, id: DataId) -> &Datatype {
        &self.datatypes[id.0 as usize]
    }

    /// The sorts directly inside a sort, in order.
    pub fn parts(&self, sort: Sort) -> Vec<Sort> {
        match self.kind(sort) {
            SortKind::Array(i, e) => vec![*i, *e],
            SortKind::Seq(e) | SortKind::Set(e) | SortKind::Bag(e) => vec![*e],
            SortKind::Tuple(p) | SortKind::Function(p) => p.to_vec(),
            SortKind::Declared(_, p) | SortKind::Data(_, p) => p.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Replaces the parameters of a parametric declaration by sorts.
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
            SortKind::Tuple(p) => SortKind::Tuple(p.iter().map(|s| go(self, *s)).collect()),
            SortKind::Function(p) => SortKind::Function(p.iter().map(|s| go(self, *s)).collect()),
            SortKind::Declared(n, p) => {
                SortKind::Declared(n, p.iter().map(|s| go(self, *s)).collect())
            }
            SortKind::Data(d, p) => SortKind::Data(d, p.iter().map(|s| go(self, *s)).collect()),
            _ => return sort,
        };
        self.intern(instance)
    }

    /// Whether the text that made this sort was fully understood.
    pub fn is_known(&self, sort: Sort) -> bool {
        match self.kind(sort) {
            SortKind::Unknown | SortKind::Opaque(_) => false,
            _ => self.parts(sort).iter().all(|p| self.is_known(*p)),
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
            SortKind::BitVec(w) => put(out, format_args!("(_ BitVec {w})")),
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
        self.datatypes.truncate(mark.1);
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
}
