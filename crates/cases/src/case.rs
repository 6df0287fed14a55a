//! A test case: a script, and for each of its queries why the answer is known.

use auspex_logic::{Model, Script, Symbol};

/// What a strategy makes and an oracle judges.
#[derive(Clone, Debug)]
pub struct Case {
    pub script: Script,
    /// One per query of the script, in order.
    pub evidence: Vec<Evidence>,
    pub origin: Origin,
}

/// Why the expected answer of a query is known. Each kind can be checked again after any change.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Satisfiable: this model makes every assertion true, as our evaluator confirms.
    Witness(Box<Model>),
    /// Unsatisfiable: the assertions with these names contradict each other by construction;
    /// the text says by which proved rule.
    Core { names: Vec<Symbol>, because: String },
    /// Implied by (weaker) or implying (stronger) a seed with that answer.
    Approximation {
        direction: Direction,
        seed: SeedStatus,
    },
    /// Nothing is known: solvers are compared with each other.
    Agreement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Every model of the seed is a model of the mutant.
    Weaker,
    /// Every model of the mutant is a model of the seed.
    Stronger,
}

/// What is known about a seed's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeedStatus {
    /// Satisfiable, with a model that our evaluator accepted.
    ProvedSat,
    /// Unsatisfiable, as at least two independent solvers and the seed's own text say.
    AgreedUnsat,
    /// Only the solver under test has said so.
    SaidSat,
    SaidUnsat,
}

/// What a change of a script promises about its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The same models.
    Equivalent,
    /// The same answer.
    Equisatisfiable,
    Weaker,
    Stronger,
    KnownSat,
    KnownUnsat,
    Nothing,
}

/// The answer a query must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    Sat,
    Unsat,
}

impl Evidence {
    /// The answer that follows from the evidence.
    pub fn expected(&self) -> Option<Expected> {
        match self {
            Evidence::Witness(_) => Some(Expected::Sat),
            Evidence::Core { .. } => Some(Expected::Unsat),
            Evidence::Approximation { direction, seed } => match (direction, seed) {
                (Direction::Weaker, SeedStatus::ProvedSat | SeedStatus::SaidSat) => {
                    Some(Expected::Sat)
                }
                (Direction::Stronger, SeedStatus::AgreedUnsat | SeedStatus::SaidUnsat) => {
                    Some(Expected::Unsat)
                }
                _ => None,
            },
            Evidence::Agreement => None,
        }
    }
}

/// How a case came about, so that a person can follow it and the reducer can undo it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub strategy: &'static str,
    /// The seed's file name, if there was one.
    pub seed: Option<String>,
    /// One line per mutation, oldest first.
    pub steps: Vec<String>,
}
