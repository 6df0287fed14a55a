//! Grows terms together with their values: operators and corner values are drawn, and the reference semantics gives
//! the result. Corner values become literals or variables; the values of the variables are the witness.

use super::build::call;
use super::check::Check;
use super::kit::{Instance, Kit, SortNo, Spec, Synonym, local_sort, skewed};
use crate::corner::{is_modest, is_plain, is_writable};
use crate::draw::Draw;
use auspex_logic::{Fun, Model, Sort, Symbol, TermId, Terms, TheorySet, Value};

/// A term with its value under the witness.
#[derive(Clone, Debug)]
pub(super) struct Grown {
    pub term: TermId,
    pub value: Value,
}

/// How corner values are written in a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// All as literals.
    Ground,
    /// All as variables.
    Free,
    /// Each at random.
    Mixed,
}

/// A variable of a case with its value in the witness.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub sort: SortNo,
    pub value: Value,
    pub fun: Fun,
    pub term: TermId,
}

/// The state of making one case.
pub(super) struct Maker<'a> {
    pub kit: &'a Kit,
    pub terms: &'a mut Terms,
    pub draw: &'a mut Draw,
    /// The theories whose operators are used.
    pub focus: TheorySet,
    pub leaves: Leaves,
    /// Operators over small sorts and the first few values only.
    pub small: bool,
    /// Whether equal values of a sort share one variable, as in the thesis; otherwise every place has its own.
    pub sharing: bool,
    /// How many more operators there may be beside the deepest path.
    room: u32,
    pub variables: Vec<Variable>,
    /// The arguments of the applications under construction: terms and values.
    args: Vec<TermId>,
    stack: Vec<Value>,
    /// A cache of the arena's sorts, which is faster than looking them up there.
    sorts: [(SortNo, Sort); SORTS],
    /// Rows that a solver rejected, sorted.
    forbidden: &'a [u32],
}

const NAMES: [&str; 24] = [
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
    "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
];

/// How many sorts a maker caches.
const SORTS: usize = 16;

/// The most operators of a case beside its deepest paths.
const ROOM: u32 = 48;

/// One in this many expensive operations may have variables inside.
const EASE: u64 = 8;

impl<'a> Maker<'a> {
    pub fn new(
        kit: &'a Kit,
        terms: &'a mut Terms,
        draw: &'a mut Draw,
        forbidden: &'a [u32],
    ) -> Self {
        let focus = kit.focus(draw);
        let sharing = draw.below(4) > 0;
        Maker {
            kit,
            terms,
            draw,
            focus,
            leaves: Leaves::Ground,
            small: false,
            sharing,
            room: ROOM,
            variables: Vec::with_capacity(8),
            args: Vec::with_capacity(16),
            stack: Vec::with_capacity(16),
            sorts: [(SortNo::OTHER, Sort::UNKNOWN); SORTS],
            forbidden,
        }
    }

    pub fn sort(&mut self, sort: SortNo) -> Sort {
        let place = usize::from(sort.0) % SORTS;
        if self.sorts[place].0 == sort {
            return self.sorts[place].1;
        }
        let local = local_sort(self.kit, &mut self.terms.sorts, sort);
        self.sorts[place] = (sort, local);
        local
    }

    /// One operation over terms of an exact depth; none if this draw gives an unspecified application.
    pub fn operation(&mut self, below: u64) -> Option<(SortNo, Grown)> {
        const TRIES: usize = 4;
        for _ in 0..TRIES {
            let root = match self.small {
                true => self.kit.small_root(self.draw),
                false => self.kit.root(self.focus, self.draw),
            };
            let Some((sort, instance)) = root else {
                continue;
            };
            if let Some(grown) = self.over(instance, *sort, below) {
                return Some((*sort, grown));
            }
        }
        None
    }

    /// A term of a sort, at most that deep.
    pub fn grow(&mut self, sort: SortNo, depth: u64) -> Option<Grown> {
        let has_leaf = self.kit.kind(sort).is_first_class();
        let shallow = if self.small { 2 } else { 3 };
        if has_leaf && (depth == 0 || self.room == 0 || self.draw.one_in(shallow)) {
            return self.leaf(sort);
        }
        const TRIES: usize = 3;
        for _ in 0..TRIES {
            let operator = match self.small {
                true => self.kit.small_operator(sort, self.draw),
                false => self.kit.operator(sort, self.focus, self.draw),
            };
            let Some(instance) = operator else {
                continue;
            };
            // Regular expressions have no literals, so at the bottom only operators without such arguments are
            // possible.
            let deeper = depth.saturating_sub(1);
            let endless = depth == 0 && instance.args.contains(&sort);
            if endless {
                continue;
            }
            self.room = self.room.saturating_sub(1);
            if let Some(grown) = self.apply(instance, sort, deeper, None) {
                return Some(grown);
            }
        }
        if has_leaf { self.leaf(sort) } else { None }
    }

    /// An operator applied to grown arguments, one of which may be given; a failure leaves no trace.
    pub fn apply(
        &mut self,
        instance: &Instance,
        sort: SortNo,
        depth: u64,
        given: Option<(usize, &Grown)>,
    ) -> Option<Grown> {
        if self.is_forbidden(instance.row) {
            return None;
        }
        let (known, base) = (self.variables.len(), self.stack.len());
        let outer = self.leaves;
        if self.must_be_ground(instance) {
            self.leaves = Leaves::Ground;
        }
        let grown = self.try_apply(instance, sort, depth, given);
        self.leaves = outer;
        self.stack.truncate(base);
        self.args.truncate(base);
        if grown.is_none() {
            self.forget(known);
        }
        grown
    }

    /// Whether an expensive operation may get variables, which is seldom.
    pub fn must_be_ground(&mut self, instance: &Instance) -> bool {
        instance.hard && self.leaves != Leaves::Ground && !self.draw.one_in(EASE)
    }

    fn try_apply(
        &mut self,
        instance: &Instance,
        sort: SortNo,
        depth: u64,
        given: Option<(usize, &Grown)>,
    ) -> Option<Grown> {
        let base = self.stack.len();
        for (place, arg) in instance.args.iter().enumerate() {
            let grown = match given {
                Some((at, given)) if at == place => Some(given.clone()),
                _ if instance.values_only => self.plain_literal(*arg),
                _ => self.argument(sort, *arg, depth),
            }?;
            self.args.push(grown.term);
            self.stack.push(grown.value);
        }
        let local = self.sort(sort);
        let decl = self.kit.decl(instance.row);
        let values = &self.stack[base..];
        let value = call(decl, values, &instance.indices, local, self.terms)?;
        if !is_modest(&value) {
            return None;
        }
        let term = self.application(instance, base, local);
        Some(Grown { term, value })
    }

    /// Solvers require constant regular expressions.
    fn argument(&mut self, result: SortNo, sort: SortNo, depth: u64) -> Option<Grown> {
        let in_regex = !self.kit.kind(result).is_first_class();
        if !in_regex {
            return self.grow(sort, depth);
        }
        let outer = std::mem::replace(&mut self.leaves, Leaves::Ground);
        let grown = if self.kit.kind(sort).is_first_class() {
            self.leaf(sort)
        } else {
            self.grow(sort, depth)
        };
        self.leaves = outer;
        grown
    }

    /// An operator applied to the arguments from a position on; the kit has checked their sorts.
    fn application(&mut self, instance: &Instance, base: usize, sort: Sort) -> TermId {
        let op = self.terms.op_with(instance.row, &instance.indices);
        self.terms.apply_fitting(op, &self.args[base..], sort)
    }

    pub fn is_forbidden(&self, row: u32) -> bool {
        !self.forbidden.is_empty() && self.forbidden.binary_search(&row).is_ok()
    }

    pub fn is_free(&mut self) -> bool {
        match self.leaves {
            Leaves::Ground => false,
            Leaves::Free => true,
            Leaves::Mixed => self.draw.coin(),
        }
    }

    /// A corner value of a sort, as a literal or a variable.
    pub fn leaf(&mut self, sort: SortNo) -> Option<Grown> {
        let pool = &self.kit.kind(sort).values;
        if pool.is_empty() {
            return None;
        }
        let few = self.few(sort);
        let place = match self.small {
            true => self.draw.index(few),
            false => skewed(pool.len(), self.draw),
        };
        let pooled = &pool[place];
        if self.is_free() {
            return Some(self.variable(sort, pooled.clone()));
        }
        self.literal(sort, pooled.clone())
    }

    /// How many values of a sort small equations use: fewer of simple sorts than of compound ones.
    fn few(&self, sort: SortNo) -> usize {
        let kind = self.kit.kind(sort);
        let most = match kind.spec {
            Spec::Fixed(_) | Spec::BitVec(_) | Spec::Float(..) => 4,
            Spec::Array(..) | Spec::Seq(_) | Spec::Set(_) | Spec::Bag(_) => 9,
        };
        kind.values.len().min(most)
    }

    /// A value as a term, if every solver supports it.
    pub fn literal(&mut self, sort: SortNo, value: Value) -> Option<Grown> {
        let kind = self.kit.kind(sort);
        let refused = kind.writers.iter().any(|row| self.is_forbidden(*row));
        if !kind.written || refused || !is_writable(&value, self.kit.careful) {
            return None;
        }
        let local = self.sort(sort);
        let term = self.terms.value_term(&value, local)?;
        Some(Grown { term, value })
    }

    /// A value as a literal, without an operation to compute.
    pub fn plain_literal(&mut self, sort: SortNo) -> Option<Grown> {
        let pool = &self.kit.kind(sort).values;
        const TRIES: usize = 4;
        for _ in 0..TRIES {
            let pooled = pool.get(skewed(pool.len(), self.draw))?;
            if is_plain(pooled) {
                return self.literal(sort, pooled.clone());
            }
        }
        None
    }

    /// A variable with a value: an existing one if sharing is on, else a new one.
    pub fn variable(&mut self, sort: SortNo, value: Value) -> Grown {
        let shared = self
            .variables
            .iter()
            .find(|v| self.sharing && v.sort == sort && v.value == value);
        if let Some(variable) = shared {
            let term = variable.term;
            return Grown { term, value };
        }
        let term = self.fresh(sort, value.clone());
        Grown { term, value }
    }

    /// A new variable with that value.
    pub fn fresh(&mut self, sort: SortNo, value: Value) -> TermId {
        let local = self.sort(sort);
        self.fresh_in(sort, local, value)
    }

    /// Like `fresh`, for a sort that may be the case's own.
    pub fn fresh_in(&mut self, sort: SortNo, local: Sort, value: Value) -> TermId {
        let number = self.variables.len();
        let fun = match NAMES.get(number) {
            Some(name) => self.terms.declare_fun(name, &[], local),
            None => self.terms.declare_fun(&format!("x{number}"), &[], local),
        };
        // A constant needs no check.
        let term = match self.terms.fun_app(fun, &[]) {
            Ok(term) => term,
            Err(_) => self.terms.bool(true),
        };
        self.variables.push(Variable {
            sort,
            value,
            fun,
            term,
        });
        term
    }

    /// A term with a given value: another operation that gives it, or the value itself.
    pub fn twin(&mut self, sort: SortNo, value: &Value, depth: u64) -> Option<Grown> {
        // Deep terms seldom have the wanted value.
        let depth = depth.min(2);
        if depth > 0 && !self.draw.one_in(3) {
            const TRIES: usize = 3;
            for _ in 0..TRIES {
                let known = self.variables.len();
                match self.grow(sort, depth) {
                    Some(grown) if grown.value == *value => return Some(grown),
                    _ => self.forget(known),
                }
            }
        }
        if depth > 0
            && let Some(grown) = self.synonym(sort, value)
        {
            return Some(grown);
        }
        if self.is_free() {
            return Some(self.variable(sort, value.clone()));
        }
        self.literal(sort, value.clone())
    }

    /// A precomputed operation on corner values with that result.
    fn synonym(&mut self, sort: SortNo, value: &Value) -> Option<Grown> {
        let kit = self.kit;
        let synonyms = kit.kind(sort).synonyms.get(value)?;
        let synonym = self.draw.pick(synonyms)?;
        if !self.focus.includes(synonym.instance.theories) {
            return None;
        }
        if self.is_forbidden(synonym.instance.row) {
            return None;
        }
        let base = self.args.len();
        let term = self.spell(synonym, sort);
        self.args.truncate(base);
        Some(Grown {
            term: term?,
            value: value.clone(),
        })
    }

    fn spell(&mut self, synonym: &Synonym, sort: SortNo) -> Option<TermId> {
        let base = self.args.len();
        for (arg, at) in synonym.instance.args.iter().zip(&synonym.values) {
            let value = self.kit.kind(*arg).values[usize::from(*at)].clone();
            let grown = if synonym.instance.values_only {
                is_plain(&value).then(|| self.literal(*arg, value))??
            } else if self.is_free() {
                self.variable(*arg, value)
            } else {
                self.literal(*arg, value)?
            };
            self.args.push(grown.term);
        }
        let local = self.sort(sort);
        Some(self.application(&synonym.instance, base, local))
    }

    /// A term with another value than the given one.
    pub fn other(&mut self, sort: SortNo, value: &Value, depth: u64) -> Option<Grown> {
        const TRIES: usize = 4;
        for _ in 0..TRIES {
            let known = self.variables.len();
            match self.grow(sort, depth.min(2)) {
                // Values that cannot be compared never count as different.
                Some(grown) if grown.value != *value && grown.value.is_comparable() => {
                    return Some(grown);
                }
                _ => self.forget(known),
            }
        }
        None
    }

    /// Drops unused variables.
    pub fn forget(&mut self, known: usize) {
        self.variables.truncate(known);
    }

    pub fn equation(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        self.terms.equation(left, right)
    }

    pub fn negation(&mut self, term: TermId) -> Option<TermId> {
        let row = *self.kit.table.named("not").first()?;
        let not = self.terms.op_with(row, &[]);
        Some(self.terms.apply_fitting(not, &[term], Sort::BOOL))
    }

    /// The value of a term under the witness, if it is determined.
    pub fn value_of(&self, term: TermId) -> Option<Value> {
        Check::new(self).value(term)
    }

    /// The values of the variables.
    pub fn witness(&self) -> Model {
        let mut model = Model::default();
        for variable in &self.variables {
            model.set_value(variable.fun, variable.value.clone());
        }
        model
    }

    /// The name of an assertion: a letter and a number.
    pub fn numbered(&mut self, letter: char, number: usize) -> Symbol {
        let mut name = [0u8; 4];
        match u8::try_from(number) {
            Ok(digit) if digit < 10 && letter.is_ascii() => {
                name[0] = letter as u8;
                name[1] = b'0' + digit;
                let text = std::str::from_utf8(&name[..2]).unwrap_or("a");
                self.terms.symbols.intern(text)
            }
            _ => self.terms.symbols.intern(&format!("{letter}{number}")),
        }
    }
}
