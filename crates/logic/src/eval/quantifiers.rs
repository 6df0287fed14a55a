//! Evaluates quantifiers: tries all values of small finite sorts; over other sorts a witness or a counterexample
//! among likely values decides, and otherwise the quantifier is undetermined.

use super::{DEEPEST, Evaluator, MOST_GUESSES, Outcome, Reason, Undetermined};
use crate::sort::Sort;
use crate::term::TermId;
use crate::value::{Int, Rat, Value, array::enumerate, cardinality};

/// The values to try for one variable, and whether these are all.
pub(super) struct Candidates {
    pub(super) values: Vec<Value>,
    complete: bool,
}

impl Evaluator<'_> {
    /// `forall` if `universal`, else `exists`.
    pub(super) fn quantifier(&mut self, term: TermId, number: u32, universal: bool) -> Outcome {
        let variables = self.terms.binder(number).variables.clone();
        let candidates: Vec<Candidates> = variables
            .iter()
            .map(|v| self.candidates(self.terms.sort(*v)))
            .collect();
        if candidates.iter().any(|c| c.values.is_empty()) {
            return self.undetermined(term, Reason::Quantifier);
        }
        if self.depth >= DEEPEST {
            return self.undetermined(term, Reason::TooDeep);
        }
        let environment = self.environment.clone();
        let local = std::mem::take(&mut self.local);
        self.depth += 1;
        let outcome = self.try_all(term, &variables, &candidates, universal);
        self.depth -= 1;
        self.environment = environment;
        self.local = local;
        outcome
    }

    /// Tries combinations of values one after another, each in its own environment.
    fn try_all(
        &mut self,
        term: TermId,
        variables: &[TermId],
        candidates: &[Candidates],
        universal: bool,
    ) -> Outcome {
        let body = self.terms.args(term)[0];
        let complete = candidates.iter().all(|c| c.complete);
        let mut undetermined = None;
        let mut choice = vec![0usize; variables.len()];
        let mut changed = variables.len();
        let mut guesses = 0;
        while changed > 0 {
            // After an undetermined body nothing can be proved any more.
            guesses += u64::from(!complete || undetermined.is_some());
            self.tries += 1;
            if self.work() > self.most_work || guesses > MOST_GUESSES {
                undetermined.get_or_insert(Undetermined {
                    term,
                    reason: Reason::Quantifier,
                });
                break;
            }
            for (place, variable) in variables[..changed].iter().enumerate() {
                let value = candidates[place].values[choice[place]].clone();
                self.environment.insert(*variable, value);
            }
            self.local.clear();
            match self.eval(body) {
                Ok(Value::Bool(holds)) if holds != universal => {
                    self.record_instance(term, variables);
                    return Ok(Value::Bool(holds));
                }
                Ok(_) => {}
                Err(why) => undetermined = Some(why),
            }
            changed = advance(&mut choice, candidates);
        }
        match undetermined {
            Some(why) => Err(why),
            None if complete => Ok(Value::Bool(universal)),
            None => self.undetermined(term, Reason::Quantifier),
        }
    }

    fn record_instance(&mut self, term: TermId, variables: &[TermId]) {
        if let Some(instances) = &mut self.instances
            && self.terms.is_closed(term)
        {
            let values = variables.iter().filter_map(|v| self.environment.get(v));
            instances.insert(term, values.cloned().collect());
        }
    }

    pub(super) fn candidates(&self, sort: Sort) -> Candidates {
        const FEW: u128 = 4096;
        if cardinality(&self.terms.sorts, sort).is_some_and(|n| n <= FEW)
            && let Some(values) = enumerate(&self.terms.sorts, sort)
        {
            return Candidates {
                values,
                complete: true,
            };
        }
        if self.is_uninterpreted(sort)
            && let Some(universe) = self.model.universe(sort)
        {
            return Candidates {
                values: universe.to_vec(),
                complete: true,
            };
        }
        let mut values: Vec<Value> = match sort {
            Sort::INT => [0, 1, -1, 2].map(|n| Value::Int(Int::from(n))).to_vec(),
            Sort::REAL => [0, 1, -1].map(|n| Value::Real(Rat::from(n))).to_vec(),
            _ => self
                .model
                .default_value(self.terms, sort)
                .into_iter()
                .collect(),
        };
        values.extend(self.model.values_of(self.terms, sort));
        values.sort();
        values.dedup();
        values.truncate(32);
        Candidates {
            values,
            complete: false,
        }
    }
}

/// The next combination: how many of the first places differ from the last one; none after the last.
fn advance(choice: &mut [usize], candidates: &[Candidates]) -> usize {
    for (at, (place, of)) in choice.iter_mut().zip(candidates).enumerate() {
        *place += 1;
        if *place < of.values.len() {
            return at + 1;
        }
        *place = 0;
    }
    0
}
