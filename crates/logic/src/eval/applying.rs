//! Evaluates operators that take functions, such as `seq.map` and `set.filter`: their meanings say what to apply to
//! what, and the evaluator applies it.

use super::{Evaluator, MOST_TRIES, Outcome, Reason, Undetermined};
use crate::term::{Op, TermId};
use crate::theory::{ApplyingMeaning, Args, Open};
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn applying(&mut self, term: TermId, op: Op, meaning: ApplyingMeaning) -> Outcome {
        let terms = self.terms;
        let values = self.arguments(term)?;
        let args = Args {
            values: &values,
            indices: terms.op_indices(op),
            sort: terms.sort(term),
            sorts: &terms.sorts,
        };
        // The meaning only sees that an application is undetermined; the reason is kept here.
        let mut failed = None;
        let result = meaning(&args, &mut |function, args| {
            self.counted_application(term, function, args)
                .map_err(|why| {
                    failed = Some(why);
                    Open::NoMeaning("an application of a function")
                })
        });
        match (result, failed) {
            (Ok(value), _) => Ok(value),
            (Err(Open::Unspecified), None) => self.unspecified(term, op, &values),
            (Err(_), Some(why)) => Err(why),
            (Err(Open::TooLarge), None) => Err(too_large(term)),
            (Err(Open::NoMeaning(why)), None) => Err(Undetermined {
                term,
                reason: Reason::NoMeaning(why),
            }),
        }
    }

    fn counted_application(&mut self, term: TermId, function: &Value, args: &[Value]) -> Outcome {
        self.tries += 1;
        if self.tries > MOST_TRIES {
            return Err(too_large(term));
        }
        self.apply_value(term, function, args)
    }
}

fn too_large(term: TermId) -> Undetermined {
    Undetermined {
        term,
        reason: Reason::TooLarge,
    }
}
