//! The operator table: one row per operator, assembled from one file per theory. Every fact about an operator is a
//! column of its row; code elsewhere asks the row and never matches on operator names. A row looks like this (see
//! `docs/adding/operator.md`):
//!
//! ```text
//! row("(bvadd (_ BitVec m) (_ BitVec m) (_ BitVec m) :left-assoc)", STANDARD, Strict(add))
//!     .commutative()
//!     .examples(&[("(bvadd #b01 #b11)", "#b00")])
//! ```
//!
//! The declaration is in the style of SMT-LIB theory files (see `sig`). A meaning gets argument
//! values of the declared sorts (it may rely on that), already folded to the declared number of
//! arguments for associative, chainable and pairwise operators.

pub mod arrays;
pub mod bags;
pub mod bitvec;
pub mod core;
pub mod cvc5;
pub mod fields;
pub mod float;
mod folding;
pub mod ints;
pub mod nullable;
pub mod reals;
pub mod regex;
pub mod relations;
pub mod separation;
pub mod sequences;
mod set;
pub mod sets;
pub mod strings;
mod tables;
mod user;
pub mod z3;

use crate::sig::{Declaration, Rule, Sig, read_declaration};
use crate::sort::{Sort, Sorts};
use crate::value::Value;
pub use set::TheorySet;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
pub use user::SignatureError;

/// The theory of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Theory {
    Core,
    Ints,
    Reals,
    BitVectors,
    FloatingPoint,
    Arrays,
    Strings,
    Regex,
    Datatypes,
    Sequences,
    Sets,
    Bags,
    FiniteFields,
    Transcendentals,
    Separation,
    /// Tuples, and the relations and tables made of them.
    Relations,
    /// Declared in a user's signature file.
    User,
}

impl Theory {
    pub const ALL: [Theory; 17] = [
        Theory::Core,
        Theory::Ints,
        Theory::Reals,
        Theory::BitVectors,
        Theory::FloatingPoint,
        Theory::Arrays,
        Theory::Strings,
        Theory::Regex,
        Theory::Datatypes,
        Theory::Sequences,
        Theory::Sets,
        Theory::Bags,
        Theory::FiniteFields,
        Theory::Transcendentals,
        Theory::Separation,
        Theory::Relations,
        Theory::User,
    ];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Theory::Core => "core",
            Theory::Ints => "ints",
            Theory::Reals => "reals",
            Theory::BitVectors => "bv",
            Theory::FloatingPoint => "fp",
            Theory::Arrays => "arrays",
            Theory::Strings => "strings",
            Theory::Regex => "regex",
            Theory::Datatypes => "datatypes",
            Theory::Sequences => "seq",
            Theory::Sets => "sets",
            Theory::Bags => "bags",
            Theory::FiniteFields => "ff",
            Theory::Transcendentals => "transcendentals",
            Theory::Separation => "separation",
            Theory::Relations => "relations",
            Theory::User => "user",
        }
    }
}

/// A set of solvers that support an operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverSet(pub u16);

impl SolverSet {
    pub const Z3: SolverSet = SolverSet(1);
    pub const CVC5: SolverSet = SolverSet(2);
    pub const CVC4: SolverSet = SolverSet(4);
    pub const BITWUZLA: SolverSet = SolverSet(8);
    pub const YICES: SolverSet = SolverSet(16);
    pub const MATHSAT: SolverSet = SolverSet(32);
    pub const DREAL: SolverSet = SolverSet(64);
    /// No solver whose answers about it are judged.
    pub const NONE: SolverSet = SolverSet(0);
    /// In the SMT-LIB standard: every solver that supports the theory.
    pub const STANDARD: SolverSet = SolverSet(u16::MAX);

    pub const fn intersection(self, other: SolverSet) -> SolverSet {
        SolverSet(self.0 & other.0)
    }

    pub const fn union(self, other: SolverSet) -> SolverSet {
        SolverSet(self.0 | other.0)
    }

    pub fn includes(self, other: SolverSet) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn is_standard(self) -> bool {
        self == SolverSet::STANDARD
    }

    /// Each single solver with its name.
    pub const SOLVERS: [(SolverSet, &'static str); 7] = [
        (SolverSet::Z3, "z3"),
        (SolverSet::CVC5, "cvc5"),
        (SolverSet::CVC4, "cvc4"),
        (SolverSet::BITWUZLA, "bitwuzla"),
        (SolverSet::YICES, "yices"),
        (SolverSet::MATHSAT, "mathsat"),
        (SolverSet::DREAL, "dreal"),
    ];
}

/// Why an application has no determined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Open {
    /// The standard leaves this application unspecified; a model may define it.
    Unspecified,
    /// The exact value exceeds our bounds on work or size.
    TooLarge,
    /// We have no exact semantics for the thing named.
    NoMeaning(&'static str),
}

/// The arguments of one application, all determined.
pub struct Args<'a> {
    pub values: &'a [Value],
    pub indices: &'a [u64],
    /// The sort of the application.
    pub sort: Sort,
    pub sorts: &'a Sorts,
}

pub type StrictMeaning = fn(&Args<'_>) -> Result<Value, Open>;
/// Gets `None` for an argument that is undetermined; gives `None` if the result is, too.
pub type LazyMeaning = fn(&[Option<Value>]) -> Option<Value>;

/// Applies a function value to arguments, for meanings that get functions.
pub type Apply<'a> = &'a mut dyn FnMut(&Value, &[Value]) -> Result<Value, Open>;
pub type ApplyingMeaning = fn(&Args<'_>, Apply<'_>) -> Result<Value, Open>;

/// The semantics of an operator.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// Undetermined as soon as an argument is.
    Strict(StrictMeaning),
    /// Like `Strict`, with a way to apply arguments that are functions.
    Applying(ApplyingMeaning),
    /// Sees all arguments at once (no folding), and may be determined although an argument is not.
    Lazy(LazyMeaning),
    /// Known by name and signature only; the text says why.
    None(&'static str),
}

/// The possible values of an application whose meaning is `Open::Unspecified`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenCase {
    /// Each solver has its own convention, so no value is chosen for it.
    Unknown,
    /// Any value: the standard, and every solver, takes an unknown function of the arguments.
    Any,
    /// One of the arguments.
    Argument,
    /// An element of the argument; any value if there is none.
    Element,
}

/// One operator, as written in a theory's file.
#[derive(Clone, Copy)]
pub struct Row {
    pub declaration: &'static str,
    pub known: SolverSet,
    pub meaning: Meaning,
    pub examples: &'static [(&'static str, &'static str)],
    pub commutative: bool,
    /// Leaves linear arithmetic even on linear arguments.
    pub nonlinear: bool,
    pub rule: Option<Rule>,
    /// The arguments that some solver accepts only as literals, as a bit set.
    pub literals: u8,
    pub open_case: OpenCase,
    /// What the standard says about the cases that solvers get wrong, in our words; may be empty.
    pub says: &'static str,
}

pub const fn row(declaration: &'static str, known: SolverSet, meaning: Meaning) -> Row {
    Row {
        declaration,
        known,
        meaning,
        examples: &[],
        commutative: false,
        nonlinear: false,
        rule: None,
        literals: 0,
        open_case: OpenCase::Unknown,
        says: "",
    }
}

impl Row {
    /// Ground terms with their values, taken from the standard.
    pub const fn examples(mut self, examples: &'static [(&'static str, &'static str)]) -> Row {
        self.examples = examples;
        self
    }

    pub const fn commutative(mut self) -> Row {
        self.commutative = true;
        self
    }

    pub const fn open(mut self, case: OpenCase) -> Row {
        self.open_case = case;
        self
    }

    pub const fn nonlinear(mut self) -> Row {
        self.nonlinear = true;
        self
    }

    /// What the standard says about the cases that matter, with the name of its theory.
    pub const fn says(mut self, clause: &'static str) -> Row {
        self.says = clause;
        self
    }

    /// The sort is computed; the declaration only describes it.
    pub const fn rule(mut self, rule: Rule) -> Row {
        self.rule = Some(rule);
        self
    }

    /// Some solver accepts these arguments only as literals; the first is the lowest bit.
    pub const fn literals(mut self, places: u8) -> Row {
        self.literals = places;
        self
    }
}

/// One operator of a table, ready for use.
#[derive(Clone)]
pub struct OpDecl {
    pub name: Box<str>,
    /// The name as printed, in bars if necessary.
    pub written: Box<str>,
    pub theory: Theory,
    pub sig: Sig,
    pub known: SolverSet,
    pub meaning: Meaning,
    pub examples: &'static [(&'static str, &'static str)],
    pub commutative: bool,
    pub nonlinear: bool,
    /// The arguments that some solver accepts only as literals, as a bit set.
    pub literals: u8,
    pub open_case: OpenCase,
    /// What the standard says about the cases that matter; may be empty.
    pub says: &'static str,
    /// The declaration as written.
    pub declaration: Box<str>,
}

impl OpDecl {
    /// Whether some solver accepts that argument only as a literal.
    pub fn wants_literal(&self, place: usize) -> bool {
        place < u8::BITS as usize && self.literals >> place & 1 == 1
    }
}

/// Every theory's rows; a new theory file is added to this list.
pub const ALL: &[(Theory, &[Row])] = &[
    (Theory::Core, core::ROWS),
    (Theory::Ints, ints::ROWS),
    (Theory::Reals, reals::ROWS),
    (Theory::Transcendentals, reals::TRANSCENDENTALS),
    (Theory::BitVectors, bitvec::ROWS),
    (Theory::FloatingPoint, float::ROWS),
    (Theory::Arrays, arrays::ROWS),
    (Theory::Strings, strings::ROWS),
    (Theory::Regex, regex::ROWS),
    (Theory::Sequences, sequences::ROWS),
    (Theory::Sets, sets::ROWS),
    (Theory::Bags, bags::ROWS),
    (Theory::Relations, relations::TUPLES),
    (Theory::Relations, relations::RELATIONS),
    (Theory::Relations, relations::TABLES),
    (Theory::Datatypes, nullable::ROWS),
    (Theory::FiniteFields, fields::ROWS),
    (Theory::Separation, separation::ROWS),
    (Theory::Core, z3::CORE),
    (Theory::Core, z3::ORDERS),
    (Theory::Ints, z3::INTS),
    (Theory::Reals, z3::REALS),
    (Theory::BitVectors, z3::BIT_VECTORS),
    (Theory::Arrays, z3::ARRAYS),
    (Theory::Strings, z3::STRINGS),
    (Theory::Ints, cvc5::INTS),
    (Theory::Sequences, cvc5::SEQUENCES),
];

/// All operators that reading and generating use.
pub struct OpTable {
    rows: Vec<OpDecl>,
    by_name: HashMap<Box<str>, Vec<u32>>,
    /// Sorts of a user's signature file, with their numbers of arguments.
    sorts: Vec<(Box<str>, u32)>,
    /// The text of that file.
    signature: Option<Box<str>>,
    /// The rows that may be inserted into scripts, sorted, if the user restricted them.
    chosen: Option<Vec<u32>>,
}

impl OpTable {
    /// The built-in table.
    pub fn builtin() -> Arc<OpTable> {
        static TABLE: OnceLock<Arc<OpTable>> = OnceLock::new();
        TABLE
            .get_or_init(|| {
                let mut table = OpTable {
                    rows: Vec::new(),
                    by_name: HashMap::new(),
                    sorts: Vec::new(),
                    signature: None,
                    chosen: None,
                };
                for (theory, rows) in ALL {
                    for row in *rows {
                        table.push(built_in_row(*theory, row));
                    }
                }
                Arc::new(table)
            })
            .clone()
    }

    fn push(&mut self, decl: OpDecl) {
        let at = self.rows.len() as u32;
        self.by_name.entry(decl.name.clone()).or_default().push(at);
        self.rows.push(decl);
    }

    /// The sorts of a user's signature file, with their numbers of arguments.
    pub fn user_sorts(&self) -> &[(Box<str>, u32)] {
        &self.sorts
    }

    /// The rows that may be inserted into scripts, sorted; none if all may.
    pub fn chosen(&self) -> Option<&[u32]> {
        self.chosen.as_deref()
    }

    /// The text of the user's signature file, if it has one.
    pub fn signature(&self) -> Option<&str> {
        self.signature.as_deref()
    }

    pub fn rows(&self) -> &[OpDecl] {
        &self.rows
    }

    pub fn names(&self) -> impl Iterator<Item = (&str, &[u32])> {
        self.by_name
            .iter()
            .map(|(name, rows)| (&**name, rows.as_slice()))
    }

    /// The rows of an overloaded name.
    pub fn named(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

fn written(name: &str) -> Box<str> {
    let mut written = String::new();
    auspex_syntax::write_symbol(&mut written, name);
    written.into()
}

fn built_in_row(theory: Theory, row: &Row) -> OpDecl {
    let document =
        auspex_syntax::Document::read(row.declaration).expect("built-in rows are well-formed");
    let sexpr = document
        .items()
        .next()
        .expect("built-in rows are not empty");
    let Declaration { name, mut sig } = read_declaration(sexpr).unwrap_or_else(|bad| {
        panic!(
            "built-in row {}: expected {}",
            row.declaration, bad.expected
        )
    });
    sig.rule = row.rule;
    OpDecl {
        written: written(&name),
        name,
        theory,
        sig,
        known: row.known,
        meaning: row.meaning,
        examples: row.examples,
        commutative: row.commutative,
        nonlinear: row.nonlinear,
        literals: row.literals,
        open_case: row.open_case,
        says: row.says,
        declaration: row.declaration.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluator, Outcome, Reason};
    use crate::{Model, Terms, read_script};

    fn outcome(term: &str) -> Outcome {
        let mut terms = Terms::new();
        let script = format!("(assert (= {term} {term}))");
        let reading = read_script(&mut terms, &script).expect("well-formed");
        assert_eq!(reading.issues, [], "in {term}");
        let term = terms.args(reading.script.roots()[0])[0];
        let model = Model::default();
        Evaluator::new(&terms, &model).value(term)
    }

    /// The value of a ground term, as text.
    pub(in crate::theory) fn value(term: &str) -> String {
        let value = outcome(term).unwrap_or_else(|why| panic!("{term} is undetermined: {why:?}"));
        match value {
            Value::Bool(b) => b.to_string(),
            Value::Int(int) => int.to_string(),
            Value::Str(string) => string.to_string(),
            other => format!("{other:?}"),
        }
    }

    /// Why a ground term has no value.
    pub(in crate::theory) fn undetermined(term: &str) -> Reason {
        match outcome(term) {
            Ok(value) => panic!("{term} is {value:?}"),
            Err(why) => why.reason,
        }
    }

    /// A formula is true, if need be by bounds.
    pub(in crate::theory) fn holds(equation: &str) {
        let mut terms = Terms::new();
        let reading =
            read_script(&mut terms, &format!("(assert {equation})")).expect("well-formed");
        assert_eq!(reading.issues, [], "in {equation}");
        let term = reading.script.roots()[0];
        let model = Model::default();
        assert_eq!(
            Evaluator::new(&terms, &model).enclosing().value(term),
            Ok(Value::TRUE),
            "{equation}"
        );
    }

    #[test]
    fn examples_hold() {
        for decl in OpTable::builtin().rows() {
            for (term, value) in decl.examples {
                holds(&format!("(= {term} {value})"));
            }
        }
    }

    #[test]
    fn every_meaning_has_an_example() {
        for decl in OpTable::builtin().rows() {
            let has_meaning = !matches!(decl.meaning, Meaning::None(_));
            assert!(
                !has_meaning || !decl.examples.is_empty(),
                "{} has no example",
                decl.declaration
            );
        }
    }

    #[test]
    fn proposals_infer_back() {
        let table = OpTable::builtin();
        let mut sorts = Sorts::default();
        let hints = [
            Sort::BOOL,
            Sort::INT,
            Sort::REAL,
            Sort::STRING,
            sorts.bit_vec(4),
            sorts.float(3, 5),
        ];
        for decl in table.rows() {
            let mut turn = 0u64;
            let mut choose = |n: u64| {
                turn = turn
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (turn >> 33) % n
            };
            for result in hints {
                if let Some(proposal) = decl.sig.propose(&mut sorts, result, &hints, &mut choose)
                    && !decl.sig.qualified
                {
                    let inferred = decl
                        .sig
                        .infer(&mut sorts, &proposal.indices, &proposal.params);
                    assert_eq!(inferred, Some(result), "{}", decl.declaration);
                }
            }
        }
    }
}
