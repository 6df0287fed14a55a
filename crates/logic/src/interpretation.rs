//! Interpretations of a script's symbols, and of applications that the standard leaves unspecified.

mod default;

use crate::intern::Symbol;
use crate::script::Script;
use crate::sort::{Sort, SortKind};
use crate::term::{Fun, TermId, Terms};
use crate::value::{Field, Irrational, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;

/// The interpretation of a function symbol.
#[derive(Clone, Debug)]
pub enum Interpretation {
    /// A constant, or a constant function.
    Value(Value),
    /// A table of arguments and results, and a default if known.
    Table(HashMap<Vec<Value>, Value>, Option<Value>),
    /// A term over variables.
    Body(Vec<TermId>, TermId),
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) interpretations: FxHashMap<Fun, Interpretation>,
    /// Functions that the solver added, by name: `div0` and the like.
    pub(crate) added: HashMap<Box<str>, Vec<Fun>>,
    pub(crate) elements: FxHashSet<Symbol>,
    /// The number field that contains the model's irrational numbers.
    pub(crate) field: Field,
    pub(crate) universes: FxHashMap<Sort, Vec<Value>>,
}

/// The names under which solvers print the values of unspecified applications.
const OPEN_CASES: &[(&str, &[&str])] = &[
    ("/", &["/0"]),
    ("div", &["div0"]),
    ("mod", &["mod0"]),
    ("bvudiv", &["bvudiv0"]),
    ("bvurem", &["bvurem0"]),
    ("bvsdiv", &["bvsdiv0"]),
    ("bvsrem", &["bvsrem0"]),
    ("bvsmod", &["bvsmod0"]),
    ("seq.nth", &["seq.nth_u", "nth_u"]),
    ("fp.min", &["fp.min_unspecified", "fp.min_i"]),
    ("fp.max", &["fp.max_unspecified", "fp.max_i"]),
    ("fp.to_ubv", &["fp.to_ubv_unspecified"]),
    ("fp.to_sbv", &["fp.to_sbv_unspecified"]),
    ("fp.to_real", &["fp.to_real_unspecified"]),
    ("fp.to_ieee_bv", &["fp.to_ieee_bv_unspecified"]),
];

impl Model {
    /// A model with the script's own definitions only.
    pub fn with_definitions(script: &Script) -> Self {
        let mut model = Model::default();
        for definition in script.definitions() {
            let body = Interpretation::Body(definition.variables.clone(), definition.body);
            model.interpretations.insert(definition.fun, body);
        }
        model
    }

    pub fn set(&mut self, fun: Fun, interpretation: Interpretation) {
        self.interpretations.insert(fun, interpretation);
    }

    pub fn set_value(&mut self, fun: Fun, value: Value) {
        self.set(fun, Interpretation::Value(value));
    }

    pub fn interpretation(&self, fun: Fun) -> Option<&Interpretation> {
        self.interpretations.get(&fun)
    }

    pub fn interpretations(&self) -> impl Iterator<Item = (Fun, &Interpretation)> {
        self.interpretations.iter().map(|(fun, what)| (*fun, what))
    }

    /// Functions of the model that may define an unspecified application of an operator.
    pub(crate) fn open_case(&self, operator: &str) -> &[Fun] {
        let names = OPEN_CASES
            .iter()
            .find(|(op, _)| *op == operator)
            .map_or(&[][..], |(_, names)| names);
        names
            .iter()
            .find_map(|name| self.added.get(*name))
            .map_or(&[], Vec::as_slice)
    }

    pub(crate) fn is_element(&self, terms: &Terms, term: TermId, name: Symbol) -> bool {
        self.elements.contains(&name)
            && matches!(
                terms.sorts.kind(terms.sort(term)),
                SortKind::Declared(..) | SortKind::Opaque(_)
            )
    }

    /// A value of the model or the script, with an irrational number as an element of the model's field.
    #[inline]
    pub(crate) fn in_field(&self, value: &Value) -> Value {
        if let Value::Irrational(irrational) = value
            && let Irrational::Algebraic(number) = &**irrational
            && let Some(number) = self.field.express(number)
        {
            return number.into();
        }
        value.clone()
    }

    /// All elements of an uninterpreted sort, if the model lists them.
    pub(crate) fn universe(&self, sort: Sort) -> Option<&[Value]> {
        self.universes.get(&sort).map(Vec::as_slice)
    }

    /// Like `universe`, by the sort's name.
    pub(crate) fn universe_named(&self, terms: &Terms, name: &str) -> Option<&[Value]> {
        let mut all = self.universes.iter();
        all.find(|(sort, _)| match terms.sorts.kind(**sort) {
            SortKind::Declared(symbol, _) => terms.symbols.name(*symbol) == name,
            _ => false,
        })
        .map(|(_, universe)| universe.as_slice())
    }

    /// Values that the model assigns to constants of a sort.
    pub(crate) fn values_of(&self, terms: &Terms, sort: Sort) -> Vec<Value> {
        let of_sort = self
            .interpretations
            .iter()
            .filter(|(fun, _)| terms.fun(**fun).result == sort);
        let mut values: Vec<Value> = of_sort
            .filter_map(|(_, what)| match what {
                Interpretation::Value(value) => Some(value.clone()),
                Interpretation::Body(variables, body) if variables.is_empty() => {
                    terms.literal_value(*body).cloned()
                }
                _ => None,
            })
            .collect();
        // Hash order must not matter.
        values.sort();
        values.dedup();
        values
    }

    /// Some value of a sort, always the same one.
    pub fn default_value(&self, terms: &Terms, sort: Sort) -> Option<Value> {
        match self.universe(sort) {
            Some(universe) => universe.first().cloned(),
            None => default::value(terms, sort),
        }
    }
}
