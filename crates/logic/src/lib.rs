//! Sorts, signatures, terms, scripts, values, models and evaluation of SMT-LIB. Pure: no IO, no clock, no randomness.

pub mod answer;
pub mod build;
mod digits;
pub mod edit;
pub mod eval;
pub mod ground;
mod intern;
mod interpretation;
pub mod model;
pub mod read;
pub mod render;
pub mod script;
#[doc(hidden)]
pub mod selfcheck;
pub mod sig;
pub mod sort;
mod stack_table;
pub mod term;
pub mod theory;
pub mod value;
mod words;

pub use answer::{Answer, Crash, CrashKind, Rejection, Said};
pub use intern::{Symbol, Symbols};
pub use model::Model;
pub use read::{Reading, read_script};
pub use script::{Assertion, Command, Definition, Query, Script};
pub use sort::{Sort, SortKind, Sorts};
pub use term::{Fun, Head, Op, TermId, Terms};
pub use theory::{OpDecl, OpTable, Theory, TheorySet};
pub use value::Value;
