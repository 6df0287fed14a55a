//! Evaluates function symbols: declared ones by the model, defined ones by their bodies, those of datatypes by
//! structure.

use super::{DEEPEST, Evaluator, Outcome, Reason, Undetermined};
use crate::interpretation::Interpretation;
use crate::sort::SortKind;
use crate::term::{Fun, FunKind, TermId};
use crate::value::{ArrayValue, Closure, Value};
use std::sync::Arc;

impl Evaluator<'_> {
    pub(super) fn function(&mut self, term: TermId, fun: Fun) -> Outcome {
        let decl = self.terms.fun(fun);
        if self.terms.args(term).is_empty() && !decl.params.is_empty() {
            return self.function_value(term, fun);
        }
        match decl.kind {
            FunKind::Declared | FunKind::Defined => self.interpreted(term, fun),
            FunKind::Constructor(_, constructor) => {
                let fields: Result<Box<[Value]>, _> = (0..self.terms.args(term).len())
                    .map(|i| self.argument(term, i))
                    .collect();
                self.data(term, Value::data(decl.result, constructor, fields?))
            }
            FunKind::Tester(_, constructor) => match self.argument(term, 0)? {
                Value::Data(data) => Ok(Value::Bool(data.constructor == constructor)),
                _ => self.odd(term),
            },
            FunKind::Selector(_, constructor, field) => match self.argument(term, 0)? {
                Value::Data(data) if data.constructor == constructor => {
                    let value = data.fields.get(field as usize).cloned();
                    value.map_or_else(|| self.odd(term), Ok)
                }
                wrong @ Value::Data(_) => self.open_selector(term, fun, &[wrong]),
                _ => self.odd(term),
            },
            FunKind::Updater(_, constructor, field) => {
                match (self.argument(term, 0)?, self.argument(term, 1)?) {
                    (Value::Data(data), value) if data.constructor == constructor => {
                        let mut fields = data.fields.clone();
                        match fields.get_mut(field as usize) {
                            Some(place) => *place = value,
                            None => return self.odd(term),
                        }
                        self.data(term, Value::data(data.sort, constructor, fields))
                    }
                    // Updating a missing field changes nothing.
                    (unchanged, _) => Ok(unchanged),
                }
            }
        }
    }

    /// A value of a datatype, unless it is so large that comparing it would take too long.
    fn data(&self, term: TermId, value: Value) -> Outcome {
        const LARGEST: u64 = 1 << 16;
        match value.size() <= LARGEST {
            true => Ok(value),
            false => self.undetermined(term, Reason::TooLarge),
        }
    }

    fn odd(&self, term: TermId) -> Outcome {
        Err(Undetermined {
            term,
            reason: Reason::NoMeaning("an argument of an unexpected kind"),
        })
    }

    fn interpreted(&mut self, term: TermId, fun: Fun) -> Outcome {
        match self.model.interpretation(fun) {
            Some(interpretation) => self.apply_interpretation(term, interpretation),
            None if self.terms.fun(fun).kind == FunKind::Declared => {
                let args = self.arguments(term)?;
                self.missing(term, fun, &args)
            }
            None => self.undetermined(term, Reason::NotInModel),
        }
    }

    pub(super) fn arguments(&self, term: TermId) -> Result<Vec<Value>, Undetermined> {
        let count = self.terms.args(term).len();
        (0..count).map(|i| self.argument(term, i)).collect()
    }

    fn apply_interpretation(&mut self, term: TermId, interpretation: &Interpretation) -> Outcome {
        if let Interpretation::Value(value) = interpretation {
            return Ok(self.model.in_field(value));
        }
        let args = self.arguments(term)?;
        self.call(term, interpretation, &args)
    }

    pub(super) fn call(
        &mut self,
        term: TermId,
        interpretation: &Interpretation,
        args: &[Value],
    ) -> Outcome {
        match interpretation {
            Interpretation::Value(value) => Ok(self.model.in_field(value)),
            Interpretation::Table(table, default) => match table.get(args) {
                Some(value) => Ok(value.clone()),
                None => default.clone().ok_or(Undetermined {
                    term,
                    reason: Reason::NotInModel,
                }),
            },
            Interpretation::Body(variables, body) => {
                if variables.len() != args.len() {
                    return self.odd(term);
                }
                let bindings = variables
                    .iter()
                    .copied()
                    .zip(args.iter().cloned())
                    .collect::<Vec<_>>();
                self.in_environment(term, &bindings, *body)
            }
        }
    }

    /// Evaluates a body with exactly these variables bound.
    pub(super) fn in_environment(
        &mut self,
        term: TermId,
        bindings: &[(TermId, Value)],
        body: TermId,
    ) -> Outcome {
        if self.depth >= DEEPEST {
            return Err(Undetermined {
                term,
                reason: Reason::TooDeep,
            });
        }
        if self.terms.is_closed(body) {
            self.depth += 1;
            let outcome = self.eval(body);
            self.depth -= 1;
            return outcome;
        }
        // Bodies of functions count like those of binders: inside a quantifier they are evaluated as often.
        self.tries += 1;
        let (mut environment, mut local) = self.spare.pop().unwrap_or_default();
        std::mem::swap(&mut self.environment, &mut environment);
        std::mem::swap(&mut self.local, &mut local);
        self.environment.extend(bindings.iter().cloned());
        self.depth += 1;
        let outcome = self.eval(body);
        self.depth -= 1;
        std::mem::swap(&mut self.environment, &mut environment);
        std::mem::swap(&mut self.local, &mut local);
        environment.clear();
        local.clear();
        self.spare.push((environment, local));
        outcome
    }

    pub(super) fn match_term(&mut self, term: TermId, number: u32) -> Outcome {
        let subject = self.eval(self.terms.args(term)[0])?;
        let Value::Data(data) = &subject else {
            return self.odd(term);
        };
        for (at, case) in self.terms.match_(number).cases.iter().enumerate() {
            let mut bindings: Vec<(TermId, Value)> = self
                .environment
                .iter()
                .map(|(v, value)| (*v, value.clone()))
                .collect();
            match case.constructor.map(|c| self.terms.fun(c).kind) {
                Some(FunKind::Constructor(_, constructor)) if constructor == data.constructor => {
                    bindings.extend(
                        case.variables
                            .iter()
                            .copied()
                            .zip(data.fields.iter().cloned()),
                    );
                }
                Some(_) => continue,
                None => bindings.extend(case.variables.iter().map(|v| (*v, subject.clone()))),
            }
            return self.in_environment(term, &bindings, self.terms.args(term)[at + 1]);
        }
        self.odd(term)
    }

    /// A function used as a value, or z3's `(_ as-array f)`.
    fn function_value(&mut self, term: TermId, fun: Fun) -> Outcome {
        match self.model.interpretation(fun) {
            Some(Interpretation::Body(variables, body)) => Ok(self.simplest(Closure {
                variables: variables.clone().into(),
                body: *body,
                environment: Box::default(),
            })),
            Some(Interpretation::Table(table, Some(default)))
                if self.terms.fun(fun).params.len() == 1 =>
            {
                let index = self.terms.fun(fun).params[0];
                let mut array = ArrayValue::constant(&self.terms.sorts, index, default.clone());
                for (place, value) in table {
                    array.put(place[0].clone(), value.clone());
                }
                array.normalize(&self.terms.sorts, index);
                Ok(Value::Array(Arc::new(array)))
            }
            _ => Err(Undetermined {
                term,
                reason: Reason::NotInModel,
            }),
        }
    }

    /// `(f x)` where `f` is a term.
    pub(super) fn apply(&mut self, term: TermId) -> Outcome {
        let all = self.arguments(term)?;
        self.apply_value(term, &all[0], &all[1..])
    }

    /// A function or an array, given as a value, at some arguments.
    pub(super) fn apply_value(
        &mut self,
        term: TermId,
        function: &Value,
        args: &[Value],
    ) -> Outcome {
        match function {
            Value::Closure(closure) if args.len() < closure.variables.len() => {
                self.partly_applied(closure, args)
            }
            Value::Closure(closure) => {
                let (own, rest) = args.split_at(closure.variables.len());
                let result = self.call_closure(term, closure, own)?;
                match rest {
                    [] => Ok(result),
                    more => self.apply_value(term, &result, more),
                }
            }
            Value::Array(array) if !args.is_empty() && args[0].is_comparable() => {
                let element = array.select(&args[0]).clone();
                match &args[1..] {
                    [] => Ok(element),
                    more => self.apply_value(term, &element, more),
                }
            }
            _ => self.odd(term),
        }
    }

    pub(super) fn call_closure(
        &mut self,
        term: TermId,
        closure: &Closure,
        args: &[Value],
    ) -> Outcome {
        if closure.variables.len() != args.len() {
            return self.odd(term);
        }
        let mut bindings = closure.environment.to_vec();
        bindings.extend(closure.variables.iter().copied().zip(args.iter().cloned()));
        self.in_environment(term, &bindings, closure.body)
    }

    /// Whether a sort is uninterpreted.
    pub(crate) fn is_uninterpreted(&self, sort: crate::sort::Sort) -> bool {
        matches!(self.terms.sorts.kind(sort), SortKind::Declared(..))
    }
}
