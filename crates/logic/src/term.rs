//! The term DAG: hash-consed, with small copyable handles and no reference counts. One arena serves one worker;
//! `mark` and `release` free the memory of a case.

pub use crate::intern::TermId;
use crate::intern::{Interner, Symbol, Symbols, hash_of};
use crate::sort::{DataId, Sort, Sorts};
use crate::stack_table::StackTable;
use crate::theory::{OpDecl, OpTable};
use crate::value::Value;
use crate::words::Word;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// An operator with its indices. Unindexed operators have the number of their row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Op(pub(crate) u32);

/// A function symbol with its rank: declared, defined, or part of a datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fun(pub(crate) u32);

/// The kind of a function symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunKind {
    /// Uninterpreted, from `declare-fun` or `declare-const`.
    Declared,
    /// From `define-fun` and its relatives, or a `:named` term; the body is in the script.
    Defined,
    Constructor(DataId, u32),
    Selector(DataId, u32, u32),
    /// `(_ is constructor)`, or z3's and cvc5's `is-constructor`.
    Tester(DataId, u32),
    /// `(_ update selector)`.
    Updater(DataId, u32, u32),
}

/// A function symbol's name, rank and kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunDecl {
    pub name: Symbol,
    pub params: Box<[Sort]>,
    pub result: Sort,
    pub kind: FunKind,
}

/// The root of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// A literal of a theory.
    Literal(u32),
    /// A theory's operator.
    Op(Op),
    /// A function symbol of the script.
    Fun(Fun),
    /// A bound variable.
    Variable(Symbol),
    /// A quantifier or `lambda`; the only argument is the body (two for a set comprehension).
    Binder(u32),
    /// `match`; the first argument is what is matched, the others are the bodies.
    Match(u32),
    /// `(! term attribute…)`; further arguments are the terms inside attributes.
    Annotated(u32),
    /// Application of a function that is itself a term, the first argument.
    Apply,
    /// An unknown term, by the text of its head.
    Opaque(Symbol),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinderKind {
    Forall,
    Exists,
    Lambda,
    Choice,
    /// cvc5's `(set.comprehension (variables) condition element)`.
    Comprehension,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binder {
    pub kind: BinderKind,
    pub variables: Box<[TermId]>,
}

/// The patterns of a `match`, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Match {
    pub cases: Box<[MatchCase]>,
}

/// A constructor with variables for its fields, or (without a constructor) one variable for anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatchCase {
    pub constructor: Option<Fun>,
    pub variables: Box<[TermId]>,
}

/// The attributes of an annotated term, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Annotation {
    pub attributes: Box<[(Symbol, Attribute)]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attribute {
    Bare,
    /// The value's text.
    Text(Symbol),
    /// One term, the next of the arguments.
    Term,
    /// A parenthesised list of that many terms, taken from the arguments in order.
    Terms(u32),
}

#[derive(Clone, Copy)]
struct Node {
    head: Head,
    args: u32,
    arity: u32,
    sort: Sort,
    free: u32,
}

/// An arena of terms with everything they mention.
pub struct Terms {
    pub symbols: Symbols,
    pub sorts: Sorts,
    pub(crate) table: Arc<OpTable>,
    /// The rows of each operator name, by symbol number: names of operators come first.
    rows_of_symbol: Vec<Box<[u32]>>,
    /// Words of the grammar come next.
    words: Range<u32>,
    indexed: Interner<(u32, Box<[u64]>)>,
    funs: Interner<FunDecl>,
    literals: Interner<Value>,
    binders: Interner<Binder>,
    matches: Interner<Match>,
    annotations: Interner<Annotation>,
    /// Sets of free bound variables, sorted; number 0 is the empty set.
    free_sets: Interner<Box<[TermId]>>,
    nodes: Vec<Node>,
    args: Vec<TermId>,
    unique: StackTable,
    pub(crate) scratch: Option<Box<dyn Any + Send + Sync>>,
}

/// A state of an arena to return to; see `Terms::release`.
#[derive(Clone, Copy)]
pub struct Mark {
    symbols: usize,
    sorts: (usize, usize),
    indexed: usize,
    funs: usize,
    literals: usize,
    binders: usize,
    matches: usize,
    annotations: usize,
    free_sets: usize,
    nodes: usize,
    args: usize,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    pub fn new() -> Self {
        Self::with_table(OpTable::builtin())
    }

    pub fn with_table(table: Arc<OpTable>) -> Self {
        let mut symbols = Symbols::default();
        let mut names: Vec<(&str, &[u32])> = table.names().collect();
        names.sort_unstable_by_key(|(_, rows)| rows[0]);
        let rows_of_symbol = names
            .into_iter()
            .map(|(name, rows)| {
                symbols.intern(name);
                rows.into()
            })
            .collect();
        let first_word = symbols.len() as u32;
        for word in Word::ALL {
            symbols.intern(word.name());
        }
        let words = first_word..symbols.len() as u32;
        let mut sorts = Sorts::default();
        for (name, arity) in table.user_sorts() {
            sorts.add_user_sort(name, symbols.intern(name), *arity);
        }
        let mut free_sets = Interner::default();
        free_sets.intern(Box::default());
        Terms {
            symbols,
            sorts,
            table,
            rows_of_symbol,
            words,
            indexed: Interner::default(),
            funs: Interner::default(),
            literals: Interner::default(),
            binders: Interner::default(),
            matches: Interner::default(),
            annotations: Interner::default(),
            free_sets,
            nodes: Vec::new(),
            args: Vec::new(),
            unique: StackTable::default(),
            scratch: None,
        }
    }

    pub fn table(&self) -> &Arc<OpTable> {
        &self.table
    }

    // ---- inspecting terms ----

    #[inline]
    pub fn head(&self, term: TermId) -> Head {
        self.nodes[term.index()].head
    }

    #[inline]
    pub fn args(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term.index()];
        &self.args[node.args as usize..(node.args + node.arity) as usize]
    }

    #[inline]
    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term.index()].sort
    }

    /// The bound variables that occur free in a term, sorted.
    pub fn free_variables(&self, term: TermId) -> &[TermId] {
        self.free_sets.get(self.nodes[term.index()].free)
    }

    /// Whether no bound variable occurs free.
    #[inline]
    pub fn is_closed(&self, term: TermId) -> bool {
        self.nodes[term.index()].free == 0
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn literal(&self, number: u32) -> &Value {
        self.literals.get(number)
    }

    /// The value of a literal term.
    pub fn literal_value(&self, term: TermId) -> Option<&Value> {
        match self.head(term) {
            Head::Literal(number) => Some(self.literal(number)),
            _ => None,
        }
    }

    #[inline]
    pub fn binder(&self, number: u32) -> &Binder {
        self.binders.get(number)
    }

    pub fn match_(&self, number: u32) -> &Match {
        self.matches.get(number)
    }

    pub fn annotation(&self, number: u32) -> &Annotation {
        self.annotations.get(number)
    }

    #[inline]
    pub fn fun(&self, fun: Fun) -> &FunDecl {
        self.funs.get(fun.0)
    }

    #[inline]
    pub fn op(&self, op: Op) -> &OpDecl {
        &self.table.rows()[self.op_row(op)]
    }

    /// The number of an operator's row.
    #[inline]
    pub fn op_row(&self, op: Op) -> usize {
        let rows = self.table.rows().len();
        match (op.0 as usize).checked_sub(rows) {
            None => op.0 as usize,
            Some(number) => self.indexed.get(number as u32).0 as usize,
        }
    }

    #[inline]
    pub fn op_indices(&self, op: Op) -> &[u64] {
        match (op.0 as usize).checked_sub(self.table.rows().len()) {
            None => &[],
            Some(number) => &self.indexed.get(number as u32).1,
        }
    }

    /// The rows of an operator's name; empty for other names.
    pub fn rows_named(&self, name: Symbol) -> &[u32] {
        self.rows_of_symbol
            .get(name.0 as usize)
            .map_or(&[], |rows| rows)
    }

    /// The rows of a name, all rows, and what a search among them changes.
    pub(crate) fn rows_and_sorts(&mut self, name: Symbol) -> (&[u32], &[OpDecl], &mut Sorts) {
        let rows = self.rows_of_symbol.get(name.0 as usize);
        let rows = rows.map_or(&[][..], |rows| rows);
        (rows, self.table.rows(), &mut self.sorts)
    }

    /// The word of the grammar that a symbol is, if any.
    pub(crate) fn word(&self, name: Symbol) -> Option<Word> {
        let at = name.0.checked_sub(self.words.start)?;
        Word::ALL.get(at as usize).copied()
    }

    // ---- making terms; these trust the caller about sorts, `build` checks ----

    #[inline]
    pub fn op_with(&mut self, row: u32, indices: &[u64]) -> Op {
        if indices.is_empty() {
            return Op(row);
        }
        Op(self.table.rows().len() as u32 + self.indexed.intern((row, indices.into())))
    }

    pub fn declare(&mut self, decl: FunDecl) -> Fun {
        Fun(self.funs.intern(decl))
    }

    pub(crate) fn node(&mut self, head: Head, args: &[TermId], sort: Sort) -> TermId {
        let hash = hash_of(&(head, args, sort));
        let (nodes, all_args) = (&self.nodes, &self.args);
        let same = |id: u32| {
            let node = &nodes[id as usize];
            node.head == head
                && node.sort == sort
                && &all_args[node.args as usize..(node.args + node.arity) as usize] == args
        };
        let id = match self.unique.find(hash, same) {
            Ok(known) => return TermId(known),
            Err(gap) => self.unique.push(gap),
        };
        let free = self.free_of(head, args, TermId(id));
        let node = Node {
            head,
            args: self.args.len() as u32,
            arity: args.len() as u32,
            sort,
            free,
        };
        self.args.extend_from_slice(args);
        self.nodes.push(node);
        TermId(id)
    }

    fn free_of(&mut self, head: Head, args: &[TermId], own: TermId) -> u32 {
        match head {
            Head::Variable(_) => return self.free_sets.intern(Box::new([own])),
            Head::Binder(number) => {
                let free = self.free_of_all(args);
                let bound = &self.binders.get(number).variables;
                let free = self.free_sets.get(free).iter();
                let free: Box<[TermId]> = free.copied().filter(|v| !bound.contains(v)).collect();
                return self.free_sets.intern(free);
            }
            Head::Match(number) => return self.free_of_match(number, args),
            _ => {}
        }
        self.free_of_all(args)
    }

    #[inline]
    fn free_of_all(&mut self, args: &[TermId]) -> u32 {
        let nodes = &self.nodes;
        let any = args
            .iter()
            .fold(0, |any, arg| any | nodes[arg.index()].free);
        if any == 0 { 0 } else { self.free_of_some(args) }
    }

    fn free_of_some(&mut self, args: &[TermId]) -> u32 {
        let mut free = 0;
        for arg in args {
            let more = self.nodes[arg.index()].free;
            if more != free && more != 0 {
                free = if free == 0 {
                    more
                } else {
                    self.union(free, more)
                };
            }
        }
        free
    }

    fn free_of_match(&mut self, number: u32, args: &[TermId]) -> u32 {
        let mut all = self.free_variables(args[0]).to_vec();
        for (case, body) in self.matches.get(number).cases.iter().zip(&args[1..]) {
            let free = self.free_sets.get(self.nodes[body.index()].free);
            all.extend(free.iter().filter(|v| !case.variables.contains(v)));
        }
        all.sort_unstable();
        all.dedup();
        self.free_sets.intern(all.into())
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        let mut all: Vec<TermId> = self
            .free_sets
            .get(a)
            .iter()
            .chain(self.free_sets.get(b).iter())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        self.free_sets.intern(all.into())
    }

    pub(crate) fn literal_node(&mut self, value: Value, sort: Sort) -> TermId {
        let number = self.literals.intern(value);
        self.node(Head::Literal(number), &[], sort)
    }

    pub fn variable(&mut self, name: Symbol, sort: Sort) -> TermId {
        self.node(Head::Variable(name), &[], sort)
    }

    pub(crate) fn binder_node(&mut self, binder: Binder, bodies: &[TermId], sort: Sort) -> TermId {
        let number = self.binders.intern(binder);
        self.node(Head::Binder(number), bodies, sort)
    }

    pub(crate) fn match_node(&mut self, match_: Match, args: &[TermId], sort: Sort) -> TermId {
        let number = self.matches.intern(match_);
        self.node(Head::Match(number), args, sort)
    }

    pub(crate) fn annotated_node(&mut self, annotation: Annotation, args: &[TermId]) -> TermId {
        let number = self.annotations.intern(annotation);
        let sort = self.sort(args[0]);
        self.node(Head::Annotated(number), args, sort)
    }

    // ---- memory ----

    pub fn mark(&self) -> Mark {
        Mark {
            symbols: self.symbols.len(),
            sorts: self.sorts.mark(),
            indexed: self.indexed.len(),
            funs: self.funs.len(),
            literals: self.literals.len(),
            binders: self.binders.len(),
            matches: self.matches.len(),
            annotations: self.annotations.len(),
            free_sets: self.free_sets.len(),
            nodes: self.nodes.len(),
            args: self.args.len(),
        }
    }

    /// Drops everything made since the mark. Handles made since then must not be used any more.
    pub fn release(&mut self, mark: Mark) {
        self.unique.truncate(mark.nodes);
        self.nodes.truncate(mark.nodes);
        self.args.truncate(mark.args);
        self.symbols.truncate(mark.symbols);
        self.sorts.release(mark.sorts);
        self.indexed.truncate(mark.indexed);
        self.funs.truncate(mark.funs);
        self.literals.truncate(mark.literals);
        self.binders.truncate(mark.binders);
        self.matches.truncate(mark.matches);
        self.annotations.truncate(mark.annotations);
        self.free_sets.truncate(mark.free_sets);
    }
}
