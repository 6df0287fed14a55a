//! Quantifiers: all values of small finite sorts are tried; over other sorts a witness or a
//! counterexample among likely values decides, and otherwise the quantifier is undetermined.

use super::{Evaluator, MOST_GUESSES, Outcome, Reason, Undetermined};
use crate::sort::Sort;
use crate::term::TermId;
use crate::value::{Int, Rat, Value, array::enumerate, cardinality};

/// The values to try for one variable, and whether they are all there are.
pub(super) struct Candidates {
    pub(super) values: Vec<Value>,
    complete: bool,
}

impl Evaluator<'_> {
    /// `forall` if `universal`, else `exists`.
    pub(super) fn quantifier(&mut self, term: TermId, number: u32, universal: bool) -> Outcome {
        let variables = self.terms.binder(number).variables.clone();
        let body = self.terms.args(term)[0];
        let candidates: Vec<Candidates> = variables
            .iter()
            .map(|v| self.candidates(self.terms.sort(*v)))
            .collect();
        let mut complete = candidates.iter().all(|c| c.complete);
        let outer: Vec<(TermId, Value)> = self
            .environment
            .iter()
            .map(|(v, x)| (*v, x.clone()))
            .collect();
        let mut undetermined = None;
        let mut choice = vec![0usize; variables.len()];
        if candidates.iter().any(|c| c.values.is_empty()) {
            return Err(Undetermined {
                term,
                reason: Reason::Quantifier,
            });
        }
        let mut guesses = 0;
        loop {
            self.tries += 1;
            guesses += u64::from(!complete);
            if self.tries > self.most_tries || guesses > MOST_GUESSES {
                complete = false;
                break;
            }
            let mut bindings = outer.clone();
            bindings.extend(
                variables
                    .iter()
                    .zip(&choice)
                    .zip(&candidates)
                    .map(|((v, i), c)| (*v, c.values[*i].clone())),
            );
            match self.in_environment(term, &bindings, body) {
                Ok(Value::Bool(holds)) if holds != universal => return Ok(Value::Bool(holds)),
                Ok(_) => {}
                Err(why) => undetermined = Some(why),
            }
            if !advance(&mut choice, &candidates) {
                break;
            }
        }
        match undetermined {
            Some(why) => Err(why),
            None if complete => Ok(Value::Bool(universal)),
            None => Err(Undetermined {
                term,
                reason: Reason::Quantifier,
            }),
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

/// The next combination; false after the last.
fn advance(choice: &mut [usize], candidates: &[Candidates]) -> bool {
    for (place, of) in choice.iter_mut().zip(candidates) {
        *place += 1;
        if *place < of.values.len() {
            return true;
        }
        *place = 0;
    }
    false
}
