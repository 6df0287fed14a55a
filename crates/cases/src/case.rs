//! A test case: a script, and for each of its queries the evidence for its answer.

use auspex_logic::{Answer, Model, Script, Symbol};
use serde::{Deserialize, Serialize};

/// A script made by a strategy, with evidence.
#[derive(Clone, Debug)]
pub struct Case {
    pub script: Script,
    /// One per query of the script, in order.
    pub evidence: Vec<Evidence>,
    pub origin: Origin,
}

/// The evidence for the answer of a query. Each kind can be checked again after any change.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Satisfiable: this model makes every assertion true, as our evaluator confirms.
    Witness(Box<Model>),
    /// Unsatisfiable: the assertions with these names contradict each other by construction;
    /// the text says by which proved rule.
    Core { names: Vec<Symbol>, because: String },
    /// A proved relation to the queries of other scripts. The steps of the origin name the rules.
    Relation(Relation),
    /// Nothing is known, so solvers are compared with each other.
    NoneKnown,
}

/// A proved relation between a query and its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub kind: RelationKind,
    pub sources: Vec<Source>,
    /// What is known about all sources.
    pub status: Option<SeedStatus>,
}

/// The kind of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelationKind {
    /// Every model of the source is a model of this query.
    Weaker,
    /// Every model of this query is a model of the source.
    Stronger,
    /// The source has this query's answer.
    Equisatisfiable,
    /// Satisfiable if all sources are.
    SatIfAll,
    /// Unsatisfiable if all sources are.
    UnsatIfAll,
}

/// A query of another script, by its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A query of a seed, by the seed's position among those the case was made from.
    Seed { seed: usize, query: usize },
    /// The assertions of a seed's core alone.
    Core { seed: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Every model of the seed is a model of the mutant.
    Weaker,
    /// Every model of the mutant is a model of the seed.
    Stronger,
}

/// What is known about a seed's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeedStatus {
    /// Satisfiable, with a model that our evaluator accepted.
    ProvedSat,
    /// Unsatisfiable by construction.
    ConstructedUnsat,
    /// Unsatisfiable according to at least two independent solvers and the seed's own `:status`.
    AgreedUnsat,
    /// Answered by a solver, and contradicted by none.
    SaidSat,
    SaidUnsat,
}

impl SeedStatus {
    /// The name in JSON and on screens.
    pub fn word(self) -> &'static str {
        match self {
            SeedStatus::ProvedSat => "proved-sat",
            SeedStatus::ConstructedUnsat => "constructed-unsat",
            SeedStatus::AgreedUnsat => "agreed-unsat",
            SeedStatus::SaidSat => "said-sat",
            SeedStatus::SaidUnsat => "said-unsat",
        }
    }

    pub fn expected(self) -> Expected {
        match self {
            SeedStatus::ProvedSat | SeedStatus::SaidSat => Expected::Sat,
            SeedStatus::ConstructedUnsat | SeedStatus::AgreedUnsat | SeedStatus::SaidUnsat => {
                Expected::Unsat
            }
        }
    }
}

impl From<Direction> for RelationKind {
    fn from(direction: Direction) -> RelationKind {
        match direction {
            Direction::Weaker => RelationKind::Weaker,
            Direction::Stronger => RelationKind::Stronger,
        }
    }
}

impl RelationKind {
    /// The answer that not all sources may have if this query has the given answer.
    pub fn forbids(self, answer: Side) -> Option<Side> {
        match (self, answer) {
            (RelationKind::Weaker | RelationKind::SatIfAll, Side::Unsat) => Some(Side::Sat),
            (RelationKind::Stronger | RelationKind::UnsatIfAll, Side::Sat) => Some(Side::Unsat),
            (RelationKind::Equisatisfiable, answer) => Some(answer.other()),
            _ => None,
        }
    }

    /// The answer that follows if all sources have the given answer.
    fn carries(self, status: SeedStatus) -> Option<Expected> {
        let (side, expected) = match status.expected() {
            Expected::Sat => (Side::Sat, Expected::Sat),
            Expected::Unsat => (Side::Unsat, Expected::Unsat),
        };
        (self.forbids(side.other()) == Some(side)).then_some(expected)
    }
}

/// An answer that can contradict another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    Sat,
    Unsat,
}

impl Side {
    pub fn of(answer: &Answer) -> Option<Side> {
        match answer {
            Answer::Sat { .. } => Some(Side::Sat),
            Answer::Unsat { .. } => Some(Side::Unsat),
            _ => None,
        }
    }

    pub fn other(self) -> Side {
        match self {
            Side::Sat => Side::Unsat,
            Side::Unsat => Side::Sat,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Side::Sat => "sat",
            Side::Unsat => "unsat",
        }
    }
}

/// The answer a query must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    Sat,
    Unsat,
}

impl Expected {
    pub fn word(self) -> &'static str {
        match self {
            Expected::Sat => "sat",
            Expected::Unsat => "unsat",
        }
    }
}

impl Evidence {
    /// The answer that follows from the evidence.
    pub fn expected(&self) -> Option<Expected> {
        match self {
            Evidence::Witness(_) => Some(Expected::Sat),
            Evidence::Core { .. } => Some(Expected::Unsat),
            Evidence::Relation(relation) => relation.kind.carries(relation.status?),
            Evidence::NoneKnown => None,
        }
    }
}

/// How a case was made, for people to follow and for the reducer to undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub strategy: &'static str,
    /// The seed's file name, if there was one.
    pub seed: Option<String>,
    /// One line per mutation, oldest first.
    pub steps: Vec<String>,
}
