//! Separation logic, as cvc5 has it: known by name and sort only. The heap is declared by a command.

use super::Meaning::None as Unknown;
use super::{Row, SolverSet, row};

const CVC5: SolverSet = SolverSet::CVC5;
const HEAP: super::Meaning = Unknown("truth in a heap");

pub const ROWS: &[Row] = &[
    row("(sep.emp Bool)", CVC5, HEAP),
    row("(sep Bool Bool Bool :left-assoc)", CVC5, HEAP),
    row("(wand Bool Bool Bool)", CVC5, HEAP),
    row("(par (L D) (pto L D Bool))", CVC5, HEAP),
    row("(par (L) (sep.nil L :qualified))", CVC5, HEAP),
];
