//! The pool of ingredients for new terms: a formula's distinct expressions by sort, and the functions of its script.

use super::Kinds;
use auspex_logic::term::FunKind;
use auspex_logic::{Fun, Sort, SortKind, Sorts, TermId, Terms};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A set of places in a script, as bits: the places at which all symbols of a term are declared.
pub type Places = u64;
/// Everywhere.
pub const EVERYWHERE: Places = u64::MAX;

/// An expression that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub term: TermId,
    pub places: Places,
    /// Whether it mentions a symbol whose name a bound variable has somewhere, so that it must not get under a
    /// binder.
    pub clashes: bool,
}

/// A function symbol that may be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    pub fun: Fun,
    pub places: Places,
    pub clashes: bool,
}

/// Distinct expressions and functions, in the order of their first appearance.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    items: FxHashMap<Sort, Vec<Item>>,
    functions: FxHashMap<Sort, Vec<Function>>,
    sorts: Vec<Sort>,
    /// Sorts that are not declared everywhere, with their places.
    narrow: Vec<(Sort, Places)>,
}

impl Pool {
    /// All closed subterms of some terms, usable everywhere.
    pub fn of(terms: &mut Terms, roots: &[TermId]) -> Pool {
        let mut pool = Pool::default();
        let mut seen = rustc_hash::FxHashSet::default();
        for root in roots {
            for term in auspex_logic::render::post_order(terms, *root) {
                if seen.insert(term) {
                    let item = Item {
                        term,
                        places: EVERYWHERE,
                        clashes: false,
                    };
                    pool.add(terms, item, EVERYWHERE);
                }
            }
        }
        pool
    }

    /// Adds a new expression; its sort is declared at `sort_places`.
    pub fn add(&mut self, terms: &mut Terms, item: Item, sort_places: Places) {
        let sort = terms.sort(item.term);
        let known = self.items.contains_key(&sort);
        self.items.entry(sort).or_default().push(item);
        if !known {
            self.add_sort(terms, sort, sort_places);
        }
    }

    fn add_sort(&mut self, terms: &mut Terms, sort: Sort, places: Places) {
        // Some solvers do not treat regular expressions and functions as values: no `ite`, no `=`.
        if !matches!(
            terms.sorts.kind(sort),
            SortKind::RegLan | SortKind::Function(_)
        ) {
            self.sorts.push(sort);
        }
        if places != EVERYWHERE {
            self.narrow.push((sort, places));
        }
        let Some((id, _)) = terms.data_of(sort) else {
            return;
        };
        for number in 0..terms.sorts.datatype(id).constructors.len() as u32 {
            self.add_constructor(terms, sort, number, places);
        }
    }

    fn add_constructor(&mut self, terms: &mut Terms, sort: Sort, number: u32, places: Places) {
        let Some(constructor) = terms.constructor(sort, number) else {
            return;
        };
        if is_told_by_fields(terms, constructor) {
            self.add_function(
                terms,
                Function {
                    fun: constructor,
                    places,
                    clashes: false,
                },
            );
        }
        let selectors = (0..terms.fun(constructor).params.len() as u32)
            .filter_map(|field| terms.selector(sort, number, field));
        let selectors: Vec<Fun> = selectors.collect();
        for fun in selectors.into_iter().chain(terms.tester(sort, number)) {
            self.add_function(
                terms,
                Function {
                    fun,
                    places,
                    clashes: false,
                },
            );
        }
    }

    /// Adds a function symbol.
    pub fn add_function(&mut self, terms: &Terms, function: Function) {
        let result = terms.fun(function.fun).result;
        let all = self.functions.entry(result).or_default();
        if !all.iter().any(|f| f.fun == function.fun) {
            all.push(function);
        }
    }

    pub fn items(&self, sort: Sort) -> &[Item] {
        self.items.get(&sort).map_or(&[], Vec::as_slice)
    }

    pub fn functions(&self, result: Sort) -> &[Function] {
        self.functions.get(&result).map_or(&[], Vec::as_slice)
    }

    /// The kinds of sorts with at least one expression.
    pub fn kinds(&self, sorts: &Sorts) -> Kinds {
        Kinds::of(sorts, self.items.keys().copied())
    }

    /// The sorts with expressions that are declared at a place and that any polymorphic operator accepts.
    pub fn sorts(&self, place: Places) -> Cow<'_, [Sort]> {
        if self.narrow.iter().all(|(_, places)| places & place != 0) {
            return Cow::Borrowed(&self.sorts);
        }
        let hidden = |sort: &Sort| {
            let mut narrow = self.narrow.iter();
            narrow.any(|(other, places)| other == sort && places & place == 0)
        };
        Cow::Owned(self.sorts.iter().copied().filter(|s| !hidden(s)).collect())
    }
}

/// Whether the fields of a constructor determine the instance of its datatype. A constructor without fields is
/// written with its sort.
pub(super) fn is_told_by_fields(terms: &Terms, constructor: Fun) -> bool {
    let FunKind::Constructor(id, number) = terms.fun(constructor).kind else {
        return true;
    };
    let datatype = terms.sorts.datatype(id);
    let Some(fields) = datatype.constructors.get(number as usize) else {
        return false;
    };
    fields.selectors.is_empty()
        || datatype.parameters.iter().all(|parameter| {
            let mut fields = fields.selectors.iter();
            fields.any(|(_, sort)| mentions(terms, *sort, *parameter))
        })
}

fn mentions(terms: &Terms, sort: Sort, parameter: auspex_logic::Symbol) -> bool {
    match terms.sorts.kind(sort) {
        SortKind::Parameter(name) => *name == parameter,
        _ => {
            let parts = terms.sorts.parts(sort);
            parts.iter().any(|part| mentions(terms, *part, parameter))
        }
    }
}
