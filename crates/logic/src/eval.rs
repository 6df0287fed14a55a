//! The evaluator: it computes a term's value under a model, or `Undetermined` with a reason, and never guesses. It
//! walks the DAG with an explicit stack, caches every closed subterm, and allocates nothing per node for Booleans,
//! small integers and small bit-vectors.

mod applying;
mod direct;
mod equality;
mod functions;
mod gaps;
mod operators;
mod quantifiers;
mod special;

use crate::interpretation::Model;
use crate::term::{BinderKind, Head, TermId, Terms};
use crate::value::{Closure, Value};
pub use direct::Direct;
pub use gaps::{Choices, Gap};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Why a term has no determined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The standard leaves an application unspecified, and the model does not define it.
    Unspecified,
    /// It exceeds our bounds on work or size.
    TooLarge,
    /// The evaluator has no exact semantics for the thing named.
    NoMeaning(&'static str),
    /// A quantifier ranges over too many values.
    Quantifier,
    /// An unknown term.
    Opaque,
    /// A symbol that the model does not define.
    NotInModel,
    /// A recursive definition is nested too deeply.
    TooDeep,
}

/// The smallest subterm without a determined value, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Undetermined {
    pub term: TermId,
    pub reason: Reason,
}

pub type Outcome = Result<Value, Undetermined>;

/// The deepest nesting of definitions and binders.
const DEEPEST: usize = 150;
/// How many bytes an evaluator's cached values may take.
const MOST_BYTES: usize = 1 << 29;
/// How often bodies of binders may be evaluated in one evaluation.
const MOST_TRIES: u64 = 100_000;
/// How many nodes count as one evaluation of a body.
const NODES: u64 = 32;
/// How often a binder's body is evaluated if that can only refute it, not prove it.
const MOST_GUESSES: u64 = 4_000;

/// The cache of an evaluator, for the next one over the same arena and model. There may be new terms since, but terms
/// released since (see `Terms::release`) must not have been evaluated.
#[derive(Default)]
pub struct Memory {
    closed: FxHashMap<TermId, Outcome>,
    values: Vec<Value>,
    options: Vec<Option<Value>>,
    stack: Vec<(TermId, bool)>,
    bytes: usize,
    completed: bool,
}

impl Memory {
    /// With capacity for the values of this many terms.
    pub fn for_terms(count: usize) -> Memory {
        Memory {
            closed: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
            ..Memory::default()
        }
    }

    /// The value found for a closed term, if it was needed.
    pub fn known(&self, term: TermId) -> Option<&Outcome> {
        self.closed.get(&term)
    }

    /// Clears the cache, which is necessary after a change of the model.
    pub fn clear(&mut self) {
        self.closed.clear();
        self.bytes = 0;
        self.completed = false;
    }
}

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
    /// Empty tables for the next environment and its results.
    spare: Vec<(FxHashMap<TermId, Value>, FxHashMap<TermId, Outcome>)>,
    values: Vec<Value>,
    options: Vec<Option<Value>>,
    depth: usize,
    /// How often bodies of binders were evaluated for this value, and how often they may be.
    tries: u64,
    /// Nodes that were evaluated.
    nodes: u64,
    most_work: u64,
    /// The approximate size of the cached values.
    bytes: usize,
    completes: bool,
    /// Whether reals may be represented by bounds.
    encloses: bool,
    /// Whether a symbol missing in the model got a default value.
    pub completed: bool,
    choices: Choices,
    gap: Option<Gap>,
    /// The values of bound variables that decided a quantifier, if they are recorded.
    instances: Option<FxHashMap<TermId, Vec<Value>>>,
    /// Kept between calls, so that a warm evaluator allocates nothing.
    stack: Vec<(TermId, bool)>,
}

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        let memory = Memory {
            // Room for a small formula without growing.
            closed: FxHashMap::with_capacity_and_hasher(24, Default::default()),
            ..Memory::default()
        };
        Evaluator::remembering(terms, model, memory)
    }

    /// Continues with the cache of an evaluator over the same arena and model.
    pub fn remembering(terms: &'a Terms, model: &'a Model, memory: Memory) -> Self {
        Evaluator {
            terms,
            model,
            closed: memory.closed,
            local: FxHashMap::default(),
            environment: FxHashMap::default(),
            spare: Vec::new(),
            values: memory.values,
            options: memory.options,
            depth: 0,
            tries: 0,
            nodes: 0,
            most_work: MOST_TRIES,
            bytes: memory.bytes,
            completes: true,
            encloses: false,
            completed: memory.completed,
            choices: Choices::default(),
            gap: None,
            instances: None,
            stack: memory.stack,
        }
    }

    /// The cache, for the next evaluator.
    pub fn into_memory(self) -> Memory {
        Memory {
            closed: self.closed,
            values: self.values,
            options: self.options,
            stack: self.stack,
            bytes: self.bytes,
            completed: self.completed,
        }
    }

    /// Records for each closed quantifier the values of its variables that decide it.
    pub fn recording(mut self) -> Self {
        self.instances = Some(FxHashMap::default());
        self
    }

    /// The values of the variables that decided a quantifier, if one combination did.
    pub fn instance(&self, quantifier: TermId) -> Option<&[Value]> {
        let instances = self.instances.as_ref()?;
        instances.get(&quantifier).map(Vec::as_slice)
    }

    /// Leaves symbols that the model does not define undetermined, instead of trying a default. A determined value
    /// then holds for every interpretation of them.
    pub fn without_completion(mut self) -> Self {
        self.completes = false;
        self
    }

    /// Also computes transcendental functions, by bounds on their values. A true result is certain; a false one need
    /// not be a solver's mistake, since most solvers treat these functions as uninterpreted.
    pub fn enclosing(mut self) -> Self {
        self.encloses = true;
        self
    }

    /// Limits the work for a value: the number of evaluations of bodies of binders, where large bodies count more.
    pub fn at_most(mut self, work: u64) -> Self {
        self.most_work = self.most_work.min(work);
        self
    }

    /// The work for the last value: evaluations of bodies of binders, and of nodes.
    pub(crate) fn work(&self) -> u64 {
        self.tries + self.nodes / NODES
    }

    /// The value of a closed term.
    pub fn value(&mut self, term: TermId) -> Outcome {
        (self.tries, self.nodes) = (0, 0);
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
        let base = self.stack.len();
        self.stack.push((root, false));
        while self.stack.len() > base {
            let (term, ready) = self.stack.pop().expect("longer than the base");
            if !ready {
                if self.lookup(term).is_some() {
                    continue;
                }
                if self.has_plain_arguments(term) {
                    self.stack.push((term, true));
                    for arg in self.terms.args(term).iter().rev() {
                        if self.lookup(*arg).is_none() {
                            self.stack.push((*arg, false));
                        }
                    }
                    continue;
                }
            }
            self.nodes += 1;
            let outcome = self.node(term);
            let outcome = self.affordable(term, outcome);
            self.remember(term, outcome);
        }
        self.lookup(root)
            .cloned()
            .expect("the root was just evaluated")
    }

    /// Many large values together are as expensive as one that is too large.
    fn affordable(&mut self, term: TermId, outcome: Outcome) -> Outcome {
        let size = outcome.as_ref().map_or(0, Value::heap_size);
        if size == 0 || self.terms.args(term).is_empty() {
            return outcome;
        }
        self.bytes = self.bytes.saturating_add(size);
        match self.bytes <= MOST_BYTES {
            true => outcome,
            false => self.undetermined(term, Reason::TooLarge),
        }
    }

    /// Binders and `match` evaluate their bodies in their own environment.
    fn has_plain_arguments(&self, term: TermId) -> bool {
        !self.terms.args(term).is_empty()
            && !matches!(self.terms.head(term), Head::Binder(_) | Head::Match(_))
    }

    fn node(&mut self, term: TermId) -> Outcome {
        match self.terms.head(term) {
            Head::Literal(number) => Ok(self.model.in_field(self.terms.literal(number))),
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

    fn opaque(&mut self, term: TermId, name: crate::Symbol) -> Outcome {
        // In a model, an undeclared name is an element of an uninterpreted sort.
        let is_leaf = self.terms.args(term).is_empty();
        if is_leaf && self.model.is_element(self.terms, term, name) {
            return Ok(Value::Element(name));
        }
        self.special(term, name)
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

    fn closure(&mut self, term: TermId, number: u32) -> Value {
        let free = self.terms.free_variables(term);
        let environment = free
            .iter()
            .filter_map(|v| self.environment.get(v).map(|value| (*v, value.clone())))
            .collect();
        self.simplest(Closure {
            variables: self.terms.binder(number).variables.clone(),
            body: self.terms.args(term)[0],
            environment,
        })
    }

    fn undetermined(&self, term: TermId, reason: Reason) -> Outcome {
        Err(Undetermined { term, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_script;

    fn outcome(formula: &str) -> Outcome {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, &format!("(assert {formula})")).expect("well-formed");
        assert_eq!(reading.issues, []);
        let model = Model::default();
        Evaluator::new(&terms, &model).value(reading.script.roots()[0])
    }

    /// Each of the numbers is allowed, but not hundreds of them.
    #[test]
    fn many_large_values_are_beyond_our_bounds() {
        let large = |n: usize| format!("(+ {n} (ubv_to_int ((_ zero_extend 33554432) #b1)))");
        let few: Vec<String> = (0..3).map(large).collect();
        assert_eq!(
            outcome(&format!("(distinct {})", few.join(" "))),
            Ok(Value::TRUE)
        );
        let wide = |n: usize| format!("(bvnot ((_ zero_extend 33554432) (_ bv{n} 12)))");
        let many: Vec<String> = (0..200).map(wide).collect();
        let why = outcome(&format!("(distinct {})", many.join(" "))).map_err(|u| u.reason);
        assert_eq!(why, Err(Reason::TooLarge));
    }

    /// A tree that is small when its parts are shared, and has 2^n leaves when it is written out.
    #[test]
    fn a_datatype_that_shares_its_parts_is_bounded_as_if_it_did_not() {
        let tree = |depth: usize| {
            let mut terms = Terms::new();
            let mut text = "(declare-datatype T ((leaf) (node (left T) (right T))))\
                            (define-fun t0 () T leaf)"
                .to_string();
            for n in 1..=depth {
                text += &format!("(define-fun t{n} () T (node t{0} t{0}))", n - 1);
            }
            text += &format!("(assert (= t{depth} (node t{0} t{0})))", depth - 1);
            let reading = read_script(&mut terms, &text).expect("well-formed");
            let model = Model::with_definitions(&reading.script);
            let root = reading.script.assertions().next().expect("one").term;
            Evaluator::new(&terms, &model)
                .value(root)
                .map_err(|u| u.reason)
        };
        assert_eq!(tree(12), Ok(Value::TRUE));
        assert_eq!(tree(60), Err(Reason::TooLarge));
    }
}
