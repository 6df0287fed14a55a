//! Evaluates assertions under the witness from scratch, without relying on values recorded while terms grew.

use super::grow::{Maker, Variable};
use auspex_logic::eval::{Direct, Evaluator};
use auspex_logic::{Fun, Model, TermId, Value};

/// Evaluates terms under a maker's witness.
pub(super) struct Check<'m, F> {
    maker: &'m Maker<'m>,
    direct: Direct<'m, F>,
    /// Created when a term needs the evaluator.
    model: Option<Model>,
}

impl<'m> Check<'m, ()> {
    pub fn new(maker: &'m Maker<'_>) -> Check<'m, impl Fn(Fun) -> Option<&'m Value>> {
        let variables: &'m [Variable] = &maker.variables;
        let constant = move |fun: Fun| {
            let own = variables.iter().find(|v| v.fun == fun);
            own.map(|v| &v.value)
        };
        Check {
            maker,
            direct: Direct::new(maker.terms, constant),
            model: None,
        }
    }
}

impl<'m, F: Fn(Fun) -> Option<&'m Value>> Check<'m, F> {
    /// The value of a term, if it is determined.
    pub fn value(&mut self, term: TermId) -> Option<Value> {
        if let Some(value) = self.direct.value(term) {
            return Some(value);
        }
        let model = self.model.get_or_insert_with(|| self.maker.witness());
        Evaluator::new(self.maker.terms, model).value(term).ok()
    }

    pub fn holds(&mut self, term: TermId) -> bool {
        self.value(term) == Some(Value::TRUE)
    }
}
