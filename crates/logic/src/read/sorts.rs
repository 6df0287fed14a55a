//! Reads sorts.

use super::scope::SortName;
use super::{Issue, ScriptReader};
use crate::intern::Symbol;
use crate::sort::{Sort, SortKind};
use auspex_syntax::Sexpr;

/// Sorts nested deeper than this are kept as text; no real script has such sorts.
const DEEPEST: usize = 200;

impl ScriptReader<'_> {
    /// Reads a sort. An unknown one becomes an opaque sort with the same text.
    pub(crate) fn sort(&mut self, sexpr: Sexpr<'_>) -> Sort {
        self.sort_at(sexpr, 0)
    }

    fn sort_at(&mut self, sexpr: Sexpr<'_>, depth: usize) -> Sort {
        let sort = if depth > DEEPEST {
            None
        } else if let Some(symbol) = self.name(sexpr) {
            self.applied_sort(symbol, &[])
        } else {
            self.compound_sort(sexpr, depth)
        };
        sort.filter(|sort| !self.terms.sorts.is_too_large(*sort))
            .unwrap_or_else(|| self.opaque_sort(sexpr))
    }

    fn compound_sort(&mut self, sexpr: Sexpr<'_>, depth: usize) -> Option<Sort> {
        let name = sexpr.head()?;
        if name == "_" {
            return self.indexed_sort(sexpr);
        }
        let symbol = self.terms.symbols.intern(name);
        let args: Vec<Sort> = sexpr
            .items()
            .skip(1)
            .map(|s| self.sort_at(s, depth + 1))
            .collect();
        self.applied_sort(symbol, &args)
    }

    fn applied_sort(&mut self, name: Symbol, args: &[Sort]) -> Option<Sort> {
        match self.scope.sort_name(name) {
            Some(SortName::Declared(arity)) if *arity as usize == args.len() => {
                let kind = SortKind::Declared(name, args.into());
                return Some(self.terms.sorts.intern(kind));
            }
            Some(SortName::Data(id, arity)) if *arity as usize == args.len() => {
                let kind = SortKind::Data(*id, args.into());
                return Some(self.terms.sorts.intern(kind));
            }
            Some(SortName::Defined(parameters, sort)) if parameters.len() == args.len() => {
                let sort = self.terms.sorts.instantiate(*sort, parameters, args);
                return (sort != Sort::UNKNOWN).then_some(sort);
            }
            Some(SortName::Parameter) if args.is_empty() => {
                return Some(self.terms.sorts.intern(SortKind::Parameter(name)));
            }
            Some(_) => return None,
            None => self.scope.use_sort(name),
        }
        self.builtin_sort(name, args)
    }

    fn builtin_sort(&mut self, name: Symbol, args: &[Sort]) -> Option<Sort> {
        let kind = match (self.terms.symbols.name(name), args) {
            ("Bool", []) => return Some(Sort::BOOL),
            ("Int", []) => return Some(Sort::INT),
            ("Real", []) => return Some(Sort::REAL),
            ("String", []) => return Some(Sort::STRING),
            ("RegLan", []) => return Some(Sort::REG_LAN),
            ("RoundingMode", []) => return Some(Sort::ROUNDING_MODE),
            ("Float16", []) => SortKind::Float { eb: 5, sb: 11 },
            ("Float32", []) => SortKind::Float { eb: 8, sb: 24 },
            ("Float64", []) => SortKind::Float { eb: 11, sb: 53 },
            ("Float128", []) => SortKind::Float { eb: 15, sb: 113 },
            ("UnitTuple", []) => SortKind::Tuple(Box::default()),
            ("Array", [index, element]) => SortKind::Array(*index, *element),
            // z3's arrays with several indices are functions.
            ("Array", [_, _, _, ..]) => SortKind::Function(args.into()),
            ("Seq", [element]) => SortKind::Seq(*element),
            ("Set", [element]) => SortKind::Set(*element),
            ("Bag", [element]) => SortKind::Bag(*element),
            ("Nullable", [element]) => SortKind::Nullable(*element),
            // z3's regular expressions over any sequence; those over strings are the standard's.
            ("RegEx", [Sort::STRING]) => SortKind::RegLan,
            ("Tuple", _) => SortKind::Tuple(args.into()),
            ("Relation", _) => SortKind::Set(self.tuple_sort(args)),
            ("Table", _) => SortKind::Bag(self.tuple_sort(args)),
            // z3 also writes function sorts with the arrow of implication.
            ("->" | "=>", [_, _, ..]) => SortKind::Function(args.into()),
            ("List", [_]) => SortKind::Data(self.builtin_list(), args.into()),
            _ if self.terms.sorts.is_user_sort(name, args.len()) => {
                SortKind::Declared(name, args.into())
            }
            _ => return None,
        };
        Some(self.terms.sorts.intern(kind))
    }

    fn tuple_sort(&mut self, parts: &[Sort]) -> Sort {
        self.terms.sorts.intern(SortKind::Tuple(parts.into()))
    }

    fn indexed_sort(&mut self, sexpr: Sexpr<'_>) -> Option<Sort> {
        let number = |i: usize| {
            let number = sexpr.item(i)?.text().parse::<u32>().ok()?;
            (number > 0).then_some(number)
        };
        let kind = match (sexpr.item(1)?.symbol()?, sexpr.count()) {
            ("BitVec", 3) => SortKind::BitVec(number(2)?),
            ("FloatingPoint" | "FP", 4) => {
                const WIDEST: (u32, u32) = (1 << 20, 1 << 28);
                let (eb, sb) = (number(2)?, number(3)?);
                if eb < 2 || sb < 2 || eb > WIDEST.0 || sb > WIDEST.1 {
                    return None;
                }
                SortKind::Float { eb, sb }
            }
            ("FiniteField", 3) => {
                let order = sexpr.item(2)?.text();
                if !order.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                SortKind::FiniteField(self.terms.symbols.intern(order))
            }
            _ => return None,
        };
        Some(self.terms.sorts.intern(kind))
    }

    fn opaque_sort(&mut self, sexpr: Sexpr<'_>) -> Sort {
        let shown: String = sexpr.text().chars().take(60).collect();
        self.issue(sexpr, Issue::UnknownSort(shown));
        let text = self.terms.symbols.intern(&sexpr.flat_text());
        self.terms.sorts.intern(SortKind::Opaque(text))
    }
}
