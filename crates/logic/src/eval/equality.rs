//! Functions as values: conversion to arrays where possible, and equality where comparing points decides it.
//!
//! A body that only compares its variables with constants, such as z3's and cvc5's `(ite (= x 1) 2 (ite (= x 4) 5
//! 0))`, cannot distinguish values that it does not mention. One value that represents all of those decides for all
//! of them.

use super::{Evaluator, Outcome, Reason, Undetermined};
use crate::Symbol;
use crate::render::post_order;
use crate::sort::{Sort, SortKind};
use crate::term::{Head, TermId};
use crate::theory::Theory;
use crate::value::array::enumerate;
use crate::value::{ArrayValue, Closure, Value, cardinality};
use std::sync::Arc;

/// At how many points functions are compared.
const MOST_POINTS: usize = 20_000;
/// Index sorts with so many values are listed.
const FEW: u128 = 1024;

/// A value that differs from every other and represents all values that a body does not mention.
fn stranger(number: usize) -> Value {
    Value::Element(Symbol(u32::MAX - number as u32))
}

fn is_stranger(value: &Value) -> bool {
    const MOST_STRANGERS: u32 = 64;
    matches!(value, Value::Element(symbol) if symbol.0 > u32::MAX - MOST_STRANGERS)
}

impl Evaluator<'_> {
    /// A function of one argument as an array if it is constant almost everywhere, else unchanged.
    pub(super) fn simplest(&mut self, closure: Closure) -> Value {
        match self.as_array(&closure) {
            Some(array) => Value::Array(Arc::new(array)),
            None => Value::Closure(Arc::new(closure)),
        }
    }

    fn as_array(&mut self, closure: &Closure) -> Option<ArrayValue> {
        let [variable] = *closure.variables else {
            return None;
        };
        let index = self.terms.sort(variable);
        let listed = self.all_values(index);
        let (places, default) = match listed {
            Some(places) => (places, None),
            None => {
                let places = self.mentioned(closure)?;
                let default = self
                    .call_closure(closure.body, closure, &[stranger(0)])
                    .ok()?;
                (places, Some(default))
            }
        };
        let mut elements = Vec::with_capacity(places.len());
        for place in places {
            let element = self
                .call_closure(closure.body, closure, std::slice::from_ref(&place))
                .ok()?;
            elements.push((place, element));
        }
        let default = default.or_else(|| elements.first().map(|(_, e)| e.clone()))?;
        let storable = |value: &Value| !is_stranger(value) && value.is_comparable();
        if !storable(&default) || !elements.iter().all(|(p, e)| storable(p) && storable(e)) {
            return None;
        }
        let mut array = ArrayValue::constant(&self.terms.sorts, index, default);
        for (place, element) in elements {
            array.put(place, element);
        }
        array.normalize(&self.terms.sorts, index);
        Some(array)
    }

    /// All values of a sort with few of them.
    fn all_values(&self, sort: Sort) -> Option<Vec<Value>> {
        if let SortKind::Declared(..) = self.terms.sorts.kind(sort) {
            return self.model.universe(sort).map(<[Value]>::to_vec);
        }
        cardinality(&self.terms.sorts, sort).filter(|n| *n <= FEW)?;
        enumerate(&self.terms.sorts, sort)
    }

    /// The values a body compares its variables with; `None` if it does anything else with them.
    fn mentioned(&mut self, closure: &Closure) -> Option<Vec<Value>> {
        let is_variable = |t: TermId| closure.variables.contains(&t);
        let mut found = Vec::new();
        for term in post_order(self.terms, closure.body) {
            let free = self.terms.free_variables(term);
            if !free.iter().any(|v| is_variable(*v)) || is_variable(term) {
                continue;
            }
            let Head::Op(op) = self.terms.head(term) else {
                return None;
            };
            // Connectives, `ite` and equality treat all values alike.
            if self.terms.op(op).theory != Theory::Core {
                return None;
            }
            for arg in self.terms.args(term) {
                let bound = self.terms.free_variables(*arg);
                if bound.is_empty() {
                    found.push(self.eval(*arg).ok()?);
                } else if let [(_, value)] = closure
                    .environment
                    .iter()
                    .filter(|(v, _)| v == arg)
                    .collect::<Vec<_>>()[..]
                {
                    found.push(value.clone());
                } else if !bound.iter().any(|v| is_variable(*v)) {
                    return None;
                }
            }
        }
        found.sort();
        found.dedup();
        Some(found)
    }

    /// Whether two functions, or a function and an array, are the same.
    pub(super) fn equal_functions(
        &mut self,
        term: TermId,
        pair: &[Value],
    ) -> Result<bool, Undetermined> {
        let unknown = Undetermined {
            term,
            reason: Reason::NoMeaning("equality of functions"),
        };
        let [a, b] = pair else { return Err(unknown) };
        let sort = self.terms.sort(self.terms.args(term)[0]);
        let parts = match self.terms.sorts.kind(sort) {
            SortKind::Function(parts) => parts.to_vec(),
            SortKind::Array(index, element) => vec![*index, *element],
            _ => return Err(unknown),
        };
        let params = &parts[..parts.len() - 1];
        let (grid, decides) = self.points(params, [a, b]).ok_or(unknown)?;
        let mut choice = vec![0usize; params.len()];
        loop {
            let args: Vec<Value> = grid
                .iter()
                .zip(&choice)
                .map(|(values, at)| values[*at].clone())
                .collect();
            let (x, y) = (
                self.apply_value(term, a, &args)?,
                self.apply_value(term, b, &args)?,
            );
            match crate::theory::core::same(&x, &y) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(_) => return Err(unknown),
            }
            let mut place = 0;
            while place < choice.len() {
                choice[place] += 1;
                if choice[place] < grid[place].len() {
                    break;
                }
                choice[place] = 0;
                place += 1;
            }
            if place == choice.len() {
                return if decides { Ok(true) } else { Err(unknown) };
            }
        }
    }

    /// The points at which two functions are compared, and whether equality there is equality everywhere.
    fn points(&mut self, params: &[Sort], both: [&Value; 2]) -> Option<(Vec<Vec<Value>>, bool)> {
        let mut mentioned = Some(Vec::new());
        for function in both {
            let more = match function {
                Value::Closure(closure) => self.mentioned(closure),
                Value::Array(array) => Some(array.entries.keys().cloned().collect()),
                _ => None,
            };
            mentioned = mentioned
                .zip(more)
                .map(|(mut all, more): (Vec<Value>, Vec<Value>)| {
                    all.extend(more);
                    all
                });
        }
        let mut decides = true;
        let mut grid = Vec::new();
        for param in params {
            let values = match (self.all_values(*param), &mentioned) {
                (Some(all), _) => all,
                (None, Some(mentioned)) => {
                    let strangers = (0..params.len()).map(stranger);
                    mentioned.iter().cloned().chain(strangers).collect()
                }
                (None, None) => {
                    decides = false;
                    self.candidates(*param).values
                }
            };
            grid.push(values);
        }
        let size = grid
            .iter()
            .try_fold(1usize, |n, values| n.checked_mul(values.len()))?;
        (size > 0 && size <= MOST_POINTS).then_some((grid, decides))
    }

    /// A function applied to fewer arguments than it has: the function of the others.
    pub(super) fn partly_applied(&mut self, closure: &Closure, args: &[Value]) -> Outcome {
        let (bound, rest) = closure.variables.split_at(args.len());
        let mut environment = closure.environment.to_vec();
        environment.extend(bound.iter().copied().zip(args.iter().cloned()));
        Ok(self.simplest(Closure {
            variables: rest.into(),
            body: closure.body,
            environment: environment.into(),
        }))
    }
}
