//! Evaluates forms that no row of the table can express: arithmetic in finite fields (whose order is part of their
//! sort), and bounds on the size of uninterpreted sorts.

use super::{Evaluator, Outcome, Reason};
use crate::Symbol;
use crate::sort::{Sort, SortKind};
use crate::term::{Op, TermId};
use crate::theory::fields;
use crate::value::{Int, Value};

impl Evaluator<'_> {
    /// A constant known only by its text.
    pub(super) fn special(&mut self, term: TermId, name: Symbol) -> Outcome {
        let text = self.terms.symbols.name(name);
        let value = match self.field_order(self.terms.sort(term)) {
            Some(order) => fields::literal(text)
                .and_then(|n| n.mod_smtlib(&order))
                .map(Value::Int),
            None => self.at_most_so_many(text).map(Value::Bool),
        };
        match value {
            Some(value) if self.terms.args(term).is_empty() => Ok(value),
            _ => self.undetermined(term, Reason::Opaque),
        }
    }

    /// An operator of finite fields.
    pub(super) fn in_field(&mut self, term: TermId, op: Op) -> Outcome {
        let args = self.arguments(term)?;
        let order = self.field_order(self.terms.sort(term));
        let value = order.and_then(|order| fields::meaning(&self.terms.op(op).name, &args, &order));
        match value {
            Some(value) => Ok(value),
            None => self.undetermined(term, Reason::NoMeaning("elements of finite fields")),
        }
    }

    fn field_order(&self, sort: Sort) -> Option<Int> {
        match self.terms.sorts.kind(sort) {
            SortKind::FiniteField(order) => {
                Int::parse(self.terms.symbols.name(*order)).filter(|n| !n.is_zero())
            }
            _ => None,
        }
    }

    /// cvc5's `(_ fmf.card U 2)`: the sort has at most two elements.
    fn at_most_so_many(&self, text: &str) -> Option<bool> {
        let inner = text.strip_prefix("(_ fmf.card ")?.strip_suffix(')')?;
        let (sort, bound) = inner.rsplit_once(' ')?;
        let bound: usize = bound.parse().ok()?;
        let universe = self.model.universe_named(self.terms, sort.trim())?;
        Some(universe.len() <= bound)
    }
}
