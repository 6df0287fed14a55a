//! Evaluation: true, false or undetermined with a reason; never a guess.
//! Walks the DAG with an explicit stack, remembers every closed subterm, and allocates nothing per
//! node for Booleans, small integers and small bit-vectors.

mod applying;
mod functions;
mod quantifiers;

use crate::model::Model;
use crate::sig::Assoc;
use crate::sort::Sort;
use crate::term::{BinderKind, Head, Op, TermId, Terms};
use crate::theory::{Args, Meaning, Open};
use crate::value::{Closure, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why a term has no determined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The standard leaves an application open, and the model does not say.
    Unspecified,
    /// Beyond our bounds on work or size.
    TooLarge,
    /// No exact meaning; the text says for what.
    NoMeaning(&'static str),
    /// A quantifier over too many values to try.
    Quantifier,
    /// A term nobody knows.
    Opaque,
    /// A symbol the model does not mention.
    NotInModel,
    /// A recursive definition that goes too deep.
    TooDeep,
}

/// The smallest subterm without a determined value, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Undetermined {
    pub term: TermId,
    pub reason: Reason,
}

pub type Outcome = Result<Value, Undetermined>;

/// Nested definitions and binders deeper than this are given up.
const DEEPEST: usize = 150;
/// How many times the body of a binder may be tried in one evaluation.
const MOST_TRIES: u64 = 100_000;

/// Evaluates terms of one arena under one model.
pub struct Evaluator<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) model: &'a Model,
    /// Results of closed terms. A table by hash, not by term number: an arena may hold a million
    /// terms of which a case uses ten.
    closed: FxHashMap<TermId, Outcome>,
    /// Results of terms with free variables, valid for the current environment.
    local: FxHashMap<TermId, Outcome>,
    environment: FxHashMap<TermId, Value>,
    values: Vec<Value>,
    options: Vec<Option<Value>>,
    depth: usize,
    tries: u64,
    completes: bool,
    /// Whether a symbol missing in the model got a default value.
    pub completed: bool,
}

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Evaluator {
            terms,
            model,
            // Room for a small formula without growing.
            closed: FxHashMap::with_capacity_and_hasher(24, Default::default()),
            local: FxHashMap::default(),
            environment: FxHashMap::default(),
            values: Vec::new(),
            options: Vec::new(),
            depth: 0,
            tries: 0,
            completes: true,
            completed: false,
        }
    }

    /// Leaves symbols that the model does not mention undetermined, instead of trying a default.
    /// What is determined then holds whatever they stand for.
    pub fn without_completion(mut self) -> Self {
        self.completes = false;
        self
    }

    /// The value of a closed term.
    pub fn value(&mut self, term: TermId) -> Outcome {
        self.tries = 0;
        self.eval(term)
    }

    /// The value already computed for a closed subterm, if it was needed.
    pub fn known(&self, term: TermId) -> Option<&Outcome> {
        self.closed.get(&term)
    }

    fn lookup(&self, term: TermId) -> Option<&Outcome> {
        if self.terms.is_closed(term) {
            self.closed.get(&term)
        } else {
            self.local.get(&term)
        }
    }

    fn remember(&mut self, term: TermId, outcome: Outcome) {
        if self.terms.is_closed(term) {
            self.closed.insert(term, outcome);
        } else {
            self.local.insert(term, outcome);
        }
    }

    /// The value of a term in the current environment.
    pub(crate) fn eval(&mut self, root: TermId) -> Outcome {
        let mut stack = vec![(root, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.lookup(term).is_some() {
                continue;
            }
            if !ready && self.has_plain_arguments(term) {
                stack.push((term, true));
                let args = self.terms.args(term);
                stack.extend(
                    args.iter()
                        .rev()
                        .filter(|a| self.lookup(**a).is_none())
                        .map(|a| (*a, false)),
                );
                continue;
            }
            let outcome = self.node(term);
            self.remember(term, outcome);
        }
        self.lookup(root)
            .cloned()
            .expect("the root was just evaluated")
    }

    /// Binders and `match` look at their bodies only in their own environment.
    fn has_plain_arguments(&self, term: TermId) -> bool {
        !self.terms.args(term).is_empty()
            && !matches!(self.terms.head(term), Head::Binder(_) | Head::Match(_))
    }

    fn node(&mut self, term: TermId) -> Outcome {
        match self.terms.head(term) {
            Head::Literal(number) => Ok(self.terms.literal(number).clone()),
            Head::Op(op) => self.operator(term, op),
            Head::Fun(fun) => self.function(term, fun),
            Head::Variable(_) => match self.environment.get(&term) {
                Some(value) => Ok(value.clone()),
                None => Err(Undetermined {
                    term,
                    reason: Reason::Opaque,
                }),
            },
            Head::Annotated(_) => self.argument(term, 0),
            Head::Binder(number) => self.binder(term, number),
            Head::Match(number) => self.match_term(term, number),
            Head::Apply => self.apply(term),
            Head::Opaque(name) => self.opaque(term, name),
        }
    }

    pub(crate) fn argument(&self, term: TermId, place: usize) -> Outcome {
        let arg = self.terms.args(term)[place];
        self.lookup(arg)
            .cloned()
            .expect("arguments are evaluated first")
    }

    fn operator(&mut self, term: TermId, op: Op) -> Outcome {
        let decl = self.terms.op(op);
        match decl.meaning {
            Meaning::None(why) => Err(Undetermined {
                term,
                reason: Reason::NoMeaning(why),
            }),
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

    fn strict(&mut self, term: TermId, op: Op, meaning: crate::theory::StrictMeaning) -> Outcome {
        let base = self.values.len();
        for place in 0..self.terms.args(term).len() {
            match self.lookup(self.terms.args(term)[place]) {
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
        match result {
            Ok(value) => Ok(value),
            Err(Open::Unspecified) => self.unspecified(term, op),
            Err(Open::TooLarge) => Err(Undetermined {
                term,
                reason: Reason::TooLarge,
            }),
            Err(Open::NoMeaning("selection from an array given as a function")) => {
                self.select_closure(term)
            }
            Err(Open::NoMeaning(why)) => Err(Undetermined {
                term,
                reason: Reason::NoMeaning(why),
            }),
        }
    }

    /// A term equals itself whatever its value is.
    fn same_arguments(&self, term: TermId, op: Op) -> Option<Value> {
        let decl = self.terms.op(op);
        let args = self.terms.args(term);
        let reflexive =
            decl.theory == crate::theory::Theory::Core && decl.sig.assoc == Assoc::Chainable;
        (reflexive && args.iter().all(|a| *a == args[0])).then_some(Value::TRUE)
    }

    /// Applies a binary meaning to more (or fewer) than two arguments as the declaration says.
    fn fold(
        &self,
        term: TermId,
        op: Op,
        meaning: crate::theory::StrictMeaning,
        base: usize,
    ) -> Result<Value, Open> {
        let decl = self.terms.op(op);
        let sig = &decl.sig;
        let values = &self.values[base..];
        let sort = self.terms.sort(term);
        let call = |values: &[Value], sort: Sort| {
            meaning(&Args {
                values,
                indices: self.terms.op_indices(op),
                sort,
                sorts: &self.terms.sorts,
            })
        };
        if values.len() == sig.params.len() {
            return call(values, sort);
        }
        match sig.assoc {
            Assoc::None => call(values, sort),
            Assoc::Left if values.len() == 1 => Ok(values[0].clone()),
            Assoc::Right if values.len() == 1 => Ok(values[0].clone()),
            Assoc::Left => {
                let mut sum = values[0].clone();
                for next in &values[1..] {
                    sum = call(&[sum, next.clone()], sort)?;
                }
                Ok(sum)
            }
            Assoc::Right => {
                let (last, rest) = values.split_last().expect("an application has arguments");
                rest.iter()
                    .rev()
                    .try_fold(last.clone(), |sum, next| call(&[next.clone(), sum], sort))
            }
            Assoc::Chainable => all(values.windows(2), |pair| call(pair, sort)),
            Assoc::Pairwise => {
                let pairs =
                    (0..values.len()).flat_map(|i| (i + 1..values.len()).map(move |j| (i, j)));
                all(pairs, |(i, j)| {
                    call(&[values[i].clone(), values[j].clone()], sort)
                })
            }
        }
    }

    fn opaque(&self, term: TermId, name: crate::Symbol) -> Outcome {
        // In a model, a name nobody declared is an element of an uninterpreted sort.
        let is_leaf = self.terms.args(term).is_empty();
        if is_leaf && self.model.is_element(self.terms, term, name) {
            return Ok(Value::Element(name));
        }
        Err(Undetermined {
            term,
            reason: Reason::Opaque,
        })
    }

    fn binder(&mut self, term: TermId, number: u32) -> Outcome {
        match self.terms.binder(number).kind {
            BinderKind::Lambda => Ok(self.closure(term, number)),
            BinderKind::Choice | BinderKind::Comprehension => Err(Undetermined {
                term,
                reason: Reason::Quantifier,
            }),
            BinderKind::Forall => self.quantifier(term, number, true),
            BinderKind::Exists => self.quantifier(term, number, false),
        }
    }

    fn closure(&self, term: TermId, number: u32) -> Value {
        let free = self.terms.free_variables(term);
        let environment = free
            .iter()
            .filter_map(|v| self.environment.get(v).map(|value| (*v, value.clone())))
            .collect();
        Value::Closure(Arc::new(Closure {
            variables: self.terms.binder(number).variables.clone(),
            body: self.terms.args(term)[0],
            environment,
        }))
    }
}

/// True if all are; the first undetermined one makes the whole undetermined unless one is false.
fn all<T>(
    items: impl Iterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<Value, Open>,
) -> Result<Value, Open> {
    let mut open = None;
    for item in items {
        match holds(item) {
            Ok(Value::Bool(false)) => return Ok(Value::FALSE),
            Ok(_) => {}
            Err(why) => open = Some(why),
        }
    }
    open.map_or(Ok(Value::TRUE), Err)
}
