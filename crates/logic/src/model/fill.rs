//! Fills the gaps of a model: values for applications that the standard leaves unspecified, and for symbols that the
//! solver omitted. Any values are allowed, so a model is valid if some choice makes all assertions true. No choice
//! makes a model invalid, because the solver may have meant another.

use super::Model;
use crate::eval::{Choices, Evaluator, Gap};
use crate::script::Query;
use crate::sort::Sort;
use crate::term::{Fun, FunKind, Head, TermId, Terms};
use crate::theory::OpenCase;
use crate::value::{BitVec, Int, Rat, Value};

/// How often all assertions are evaluated.
const MOST_TRIES: usize = 300;
/// The most evaluations of bodies of binders for one model.
const MOST_BODIES: u64 = 50_000;
/// How many values are tried for one gap.
const MOST_VALUES: usize = 40;
/// How many gaps one model may have.
const MOST_GAPS: usize = 12;

/// Whether values for the gaps make every assertion and assumption true.
pub(super) fn can_be_filled(terms: &Terms, model: &Model, query: &Query) -> bool {
    choices(terms, model, query).is_some()
}

/// Values of constants that a model omits, with which it makes every assertion and assumption true.
pub fn omitted_values(terms: &Terms, model: &Model, query: &Query) -> Vec<(Fun, Value)> {
    let found = choices(terms, model, query).unwrap_or_default();
    let constants = found.into_iter().filter_map(|(gap, value)| match gap.head {
        Head::Fun(fun) if gap.args.is_empty() => Some((fun, value)),
        _ => None,
    });
    let mut constants: Vec<(Fun, Value)> = constants.collect();
    // Hash order must not matter.
    constants.sort();
    constants
}

fn choices(terms: &Terms, model: &Model, query: &Query) -> Option<Choices> {
    let mut search = Search {
        terms,
        model,
        assertions: query.demands().collect(),
        tries: 0,
        bodies: 0,
    };
    let mut choices = Choices::default();
    search.holds(&mut choices).then_some(choices)
}

struct Search<'a> {
    terms: &'a Terms,
    model: &'a Model,
    assertions: Vec<TermId>,
    tries: usize,
    /// The number of evaluations of bodies of binders in all tries.
    bodies: u64,
}

impl Search<'_> {
    fn holds(&mut self, choices: &mut Choices) -> bool {
        self.tries += 1;
        if self.tries > MOST_TRIES || self.bodies > MOST_BODIES || choices.len() > MOST_GAPS {
            return false;
        }
        let given = std::mem::take(choices);
        let mut evaluator = Evaluator::new(self.terms, self.model).with_choices(given);
        let mut open = false;
        let mut gap = None;
        for assertion in &self.assertions {
            let value = evaluator.value(*assertion);
            self.bodies += evaluator.work();
            match value {
                Ok(Value::Bool(true)) => {}
                Ok(_) => {
                    *choices = evaluator.into_choices();
                    return false;
                }
                Err(_) => {
                    open = true;
                    gap = gap.or_else(|| evaluator.gap().cloned());
                }
            }
        }
        let candidates = gap.as_ref().map(|gap| self.candidates(&evaluator, gap));
        *choices = evaluator.into_choices();
        match (open, gap, candidates) {
            (false, _, _) => true,
            (true, Some(gap), Some(candidates)) => candidates.into_iter().any(|value| {
                choices.insert(gap.clone(), value);
                let holds = self.holds(choices);
                if !holds {
                    choices.remove(&gap);
                }
                holds
            }),
            (true, _, _) => false,
        }
    }

    /// Values worth trying, simplest first; none if a solver's own convention decides.
    fn candidates(&self, evaluator: &Evaluator<'_>, gap: &Gap) -> Vec<Value> {
        let case = match gap.head {
            Head::Op(op) => self.terms.op(op).open_case,
            Head::Fun(fun) => match self.terms.fun(fun).kind {
                FunKind::Declared | FunKind::Selector(..) => OpenCase::Any,
                _ => OpenCase::Unknown,
            },
            _ => OpenCase::Unknown,
        };
        match case {
            OpenCase::Unknown => Vec::new(),
            OpenCase::Argument => self.terms_of_sort(gap),
            OpenCase::Element => elements(&gap.args).unwrap_or_else(|| self.any(evaluator, gap)),
            OpenCase::Any => self.any(evaluator, gap),
        }
    }

    fn terms_of_sort(&self, gap: &Gap) -> Vec<Value> {
        let sorts = &self.terms.sorts;
        let same = gap.args.iter().filter(|v| v.has_sort(sorts, gap.sort));
        same.cloned().collect()
    }

    fn any(&self, evaluator: &Evaluator<'_>, gap: &Gap) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        values.extend(self.model.default_value(self.terms, gap.sort));
        values.extend(simple(gap.sort));
        values.extend(self.terms_of_sort(gap));
        values.extend(self.model.values_of(self.terms, gap.sort));
        let mut seen: Vec<Value> = evaluator.values_of_sort(gap.sort).cloned().collect();
        // Hash order must not matter.
        seen.sort();
        values.extend(seen);
        values.extend(neighbours(&values));
        let mut unique = Vec::new();
        for value in values {
            if !unique.contains(&value) {
                unique.push(value);
            }
        }
        unique.truncate(MOST_VALUES);
        unique
    }
}

/// The elements of a set or bag among the arguments, if it has any.
fn elements(args: &[Value]) -> Option<Vec<Value>> {
    let all: Vec<Value> = match args {
        [Value::Set(set)] => set.iter().cloned().collect(),
        [Value::Bag(bag)] => bag.keys().cloned().collect(),
        _ => return None,
    };
    (!all.is_empty()).then_some(all)
}

fn simple(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::BOOL => vec![Value::FALSE, Value::TRUE],
        Sort::INT => [1, -1, 2].map(|n| Value::Int(Int::from(n))).to_vec(),
        Sort::REAL => [1, -1, 2].map(|n| Value::Real(Rat::from(n))).to_vec(),
        _ => Vec::new(),
    }
}

/// Neighbours of numbers, which `<` and `distinct` need.
fn neighbours(values: &[Value]) -> Vec<Value> {
    let next = values.iter().flat_map(|value| match value {
        Value::Int(n) => [n.add(&Int::from(1)), n.sub(&Int::from(1))]
            .map(Value::Int)
            .to_vec(),
        Value::Real(n) => [n.add(&Rat::ONE), n.sub(&Rat::ONE)]
            .map(Value::Real)
            .to_vec(),
        Value::BitVec(bits) => {
            let one = BitVec::one(bits.width());
            [bits.add(&one), bits.not()].map(Value::BitVec).to_vec()
        }
        _ => Vec::new(),
    });
    next.collect()
}
