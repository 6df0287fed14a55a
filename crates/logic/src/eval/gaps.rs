//! Gaps: applications without a value, because the standard leaves them unspecified or the model does not define a
//! symbol. A model may define them; otherwise `model::validate` may choose values.

use super::{Evaluator, Outcome, Reason, Undetermined};
use crate::sort::Sort;
use crate::term::{Fun, Head, Op, TermId};
use crate::value::Value;
use rustc_hash::FxHashMap;

/// An application to values that neither the standard nor the model defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gap {
    pub head: Head,
    pub args: Vec<Value>,
    pub sort: Sort,
}

/// Values for gaps.
pub type Choices = FxHashMap<Gap, Value>;

impl<'a> Evaluator<'a> {
    /// Leaves symbols that the model does not define undetermined, unless a value was chosen.
    pub fn with_choices(mut self, choices: Choices) -> Self {
        self.completes = false;
        self.choices = choices;
        self
    }

    /// The last gap without a value.
    pub fn gap(&self) -> Option<&Gap> {
        self.gap.as_ref()
    }

    /// Returns the choices, for the next try.
    pub fn into_choices(self) -> Choices {
        self.choices
    }

    /// All values found so far for closed terms of a sort, unordered.
    pub fn values_of_sort(&self, sort: Sort) -> impl Iterator<Item = &Value> {
        let terms = self.terms;
        let known = self.closed.iter();
        known.filter_map(move |(term, outcome)| match outcome {
            Ok(value) if terms.sort(*term) == sort => Some(value),
            _ => None,
        })
    }

    fn chosen(&mut self, term: TermId, head: Head, args: &[Value], reason: Reason) -> Outcome {
        let gap = Gap {
            head,
            args: args.to_vec(),
            sort: self.terms.sort(term),
        };
        if let Some(value) = self.choices.get(&gap) {
            return Ok(value.clone());
        }
        self.gap = Some(gap);
        Err(Undetermined { term, reason })
    }

    /// An application that the standard leaves unspecified: the model may define it under the solver's own name.
    pub(super) fn unspecified(&mut self, term: TermId, op: Op, args: &[Value]) -> Outcome {
        let sort = self.terms.sort(term);
        let model = self.model;
        for fun in model.open_case(&self.terms.op(op).name) {
            let decl = self.terms.fun(*fun);
            if decl.result != sort || decl.params.len() > args.len() {
                continue;
            }
            if let Some(interpretation) = model.interpretation(*fun) {
                return self.call(term, interpretation, &args[..decl.params.len()]);
            }
        }
        self.chosen(term, Head::Op(op), args, Reason::Unspecified)
    }

    /// A selector applied to the wrong constructor: the model may define its value.
    pub(super) fn open_selector(&mut self, term: TermId, fun: Fun, args: &[Value]) -> Outcome {
        match self.model.interpretation(fun) {
            Some(interpretation) => self.call(term, interpretation, args),
            None => self.chosen(term, Head::Fun(fun), args, Reason::Unspecified),
        }
    }

    /// A declared symbol that the model does not define: any value should do, so a default is tried.
    pub(super) fn missing(&mut self, term: TermId, fun: Fun, args: &[Value]) -> Outcome {
        if self.completes {
            let result = self.terms.fun(fun).result;
            if let Some(value) = self.model.default_value(self.terms, result) {
                self.completed = true;
                return Ok(value);
            }
        }
        self.chosen(term, Head::Fun(fun), args, Reason::NotInModel)
    }
}
