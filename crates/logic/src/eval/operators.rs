//! Evaluates theory operators: first the arguments, then the meaning, folded over all arguments.

use super::{Evaluator, Outcome, Reason, Undetermined};
use crate::sig::Assoc;
use crate::sort::Sort;
use crate::term::{Op, TermId};
use crate::theory::core::FUNCTIONS;
use crate::theory::reals::TRANSCENDENTAL;
use crate::theory::{Args, Meaning, Open, StrictMeaning, Theory};
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn operator(&mut self, term: TermId, op: Op) -> Outcome {
        match self.terms.op(op).meaning {
            Meaning::None(_) if self.terms.op(op).theory == Theory::FiniteFields => {
                self.in_field(term, op)
            }
            Meaning::None(why) => self.undetermined(term, Reason::NoMeaning(why)),
            Meaning::Lazy(meaning) => {
                let base = self.options.len();
                for arg in self.terms.args(term) {
                    let value = self.lookup(*arg).and_then(|o| o.as_ref().ok()).cloned();
                    self.options.push(value);
                }
                let result = meaning(&self.options[base..]);
                self.options.truncate(base);
                result.ok_or_else(|| self.first_undetermined(term))
            }
            Meaning::Strict(meaning) => self.strict(term, op, meaning),
            Meaning::Applying(meaning) => self.applying(term, op, meaning),
        }
    }

    fn first_undetermined(&self, term: TermId) -> Undetermined {
        let args = self.terms.args(term).iter();
        args.filter_map(|a| self.lookup(*a).and_then(|o| o.as_ref().err()).copied())
            .next()
            .unwrap_or(Undetermined {
                term,
                reason: Reason::NoMeaning("arguments of unexpected sorts"),
            })
    }

    fn strict(&mut self, term: TermId, op: Op, meaning: StrictMeaning) -> Outcome {
        let base = self.values.len();
        for arg in self.terms.args(term) {
            match self.lookup(*arg) {
                Some(Ok(value)) => {
                    let value = value.clone();
                    self.values.push(value);
                }
                _ => {
                    self.values.truncate(base);
                    return self
                        .same_arguments(term, op)
                        .ok_or_else(|| self.first_undetermined(term));
                }
            }
        }
        let result = self.fold(term, op, meaning, base);
        self.values.truncate(base);
        result
    }

    /// A term equals itself, whatever its value.
    fn same_arguments(&self, term: TermId, op: Op) -> Option<Value> {
        let decl = self.terms.op(op);
        let args = self.terms.args(term);
        let reflexive = decl.theory == Theory::Core && decl.sig.assoc == Assoc::Chainable;
        (reflexive && args.iter().all(|a| *a == args[0])).then_some(Value::TRUE)
    }

    /// Applies a binary meaning to more (or fewer) than two arguments as the declaration says.
    /// The arguments stand in `values` from `base` on.
    fn fold(&mut self, term: TermId, op: Op, meaning: StrictMeaning, base: usize) -> Outcome {
        let sig = &self.terms.op(op).sig;
        let sort = self.terms.sort(term);
        let count = self.values.len() - base;
        if count == sig.params.len() || sig.assoc == Assoc::None {
            let result = self.meant(op, meaning, &self.values[base..], sort);
            return match result {
                Ok(value) => Ok(value),
                Err(open) => {
                    let args = self.values[base..].to_vec();
                    self.opened(term, op, &args, open)
                }
            };
        }
        match sig.assoc {
            Assoc::None => unreachable!("handled above"),
            Assoc::Left => {
                let mut sum = self.values[base].clone();
                for place in base + 1..base + count {
                    let pair = [sum, self.values[place].clone()];
                    sum = self.step(term, op, meaning, &pair, sort)?;
                }
                Ok(sum)
            }
            Assoc::Right => {
                let mut sum = self.values[base + count - 1].clone();
                for place in (base..base + count - 1).rev() {
                    let pair = [self.values[place].clone(), sum];
                    sum = self.step(term, op, meaning, &pair, sort)?;
                }
                Ok(sum)
            }
            Assoc::Chainable => {
                let pairs = (1..count).map(|place| (place - 1, place));
                self.all(term, op, meaning, base, pairs)
            }
            Assoc::Pairwise => {
                let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
                self.all(term, op, meaning, base, pairs)
            }
        }
    }

    fn meant(
        &self,
        op: Op,
        meaning: StrictMeaning,
        values: &[Value],
        sort: Sort,
    ) -> Result<Value, Open> {
        let result = meaning(&Args {
            values,
            indices: self.terms.op_indices(op),
            sort,
            sorts: &self.terms.sorts,
        });
        match result {
            Ok(value) if !self.encloses && value.is_expression() => {
                Err(Open::NoMeaning(TRANSCENDENTAL))
            }
            result => result,
        }
    }

    fn step(
        &mut self,
        term: TermId,
        op: Op,
        meaning: StrictMeaning,
        pair: &[Value],
        sort: Sort,
    ) -> Outcome {
        match self.meant(op, meaning, pair, sort) {
            Ok(value) => Ok(value),
            Err(open) => self.opened(term, op, pair, open),
        }
    }

    /// Results that the meaning alone cannot give.
    fn opened(&mut self, term: TermId, op: Op, args: &[Value], open: Open) -> Outcome {
        match open {
            Open::Unspecified => self.unspecified(term, op, args),
            Open::TooLarge => self.undetermined(term, Reason::TooLarge),
            Open::NoMeaning("selection from an array given as a function") => {
                self.apply_value(term, &args[0], &args[1..])
            }
            Open::NoMeaning(FUNCTIONS) => {
                // `=` and `distinct` of the same functions are opposites.
                let equal = self.equal_functions(term, args)?;
                let reflexive = self.terms.op(op).sig.assoc == Assoc::Chainable;
                Ok(Value::Bool(equal == reflexive))
            }
            Open::NoMeaning(why) => self.undetermined(term, Reason::NoMeaning(why)),
        }
    }

    /// True if all pairs are true, false if one is false, else undetermined by the first undetermined pair.
    fn all(
        &mut self,
        term: TermId,
        op: Op,
        meaning: StrictMeaning,
        base: usize,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> Outcome {
        let sort = self.terms.sort(term);
        let mut open = None;
        for (i, j) in pairs {
            let pair = [self.values[base + i].clone(), self.values[base + j].clone()];
            match self.step(term, op, meaning, &pair, sort) {
                Ok(Value::Bool(false)) => return Ok(Value::FALSE),
                Ok(_) => {}
                Err(why) => open = Some(why),
            }
        }
        open.map_or(Ok(Value::TRUE), Err)
    }
}
