//! The grounds of a verdict: the recorded facts that it rests on. Sentences are rendered from these alone.

use super::fact::Side;
use crate::case::{Expected, RelationKind};
use serde::{Deserialize, Serialize};

/// Why a verdict holds. Numbers are positions among the replies to the query and among the related scripts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Grounds {
    /// The solver died or reported an internal error; its reply says how.
    Crash,
    /// Under the solver's own model this assertion is false; the smallest false part of it.
    FalseAssertion { assertion: String, part: String },
    /// A model makes every assertion true, by evaluation.
    ValidModel { of: ModelOf },
    /// An assertion is false under every interpretation, or with the values that other assertions force.
    FalseByEvaluation { assertion: String, forced: bool },
    /// Every assertion is true under every interpretation.
    TrueByEvaluation,
    /// Assertions contradict each other by construction.
    Construction { because: String },
    /// A proved relation, and what is known about all of its sources.
    RelatedKnown {
        relation: RelationKind,
        sources: Vec<usize>,
    },
    /// A proved relation, and what independent solvers answer to all of its sources: the related script and the reply.
    RelatedAnswers {
        relation: RelationKind,
        answers: Vec<(usize, usize)>,
    },
    /// A proved relation, and what the accused itself answers to all of its sources.
    RelatedItself {
        relation: RelationKind,
        answers: Vec<(usize, usize)>,
    },
    /// The accused itself answers differently to the same assertions in another form: the related script and the
    /// reply.
    OtherForm { answer: (usize, usize) },
    /// One release gives two answers to the same assertions.
    TwoAnswers { sat: usize, unsat: usize },
    /// The core has a name that no assertion has.
    UnknownName { name: String },
    /// A model makes every member of the core true, by evaluation.
    CoreModel { of: ModelOf },
    /// The accused itself finds the members of its core satisfiable: the related script and the reply.
    CoreItself { answer: (usize, usize) },
    /// Independent solvers find the members of the core satisfiable.
    CoreOthers { answers: Vec<(usize, usize)> },
    /// What a reply claims does not hold.
    Claim {
        /// Position among the questions of the reply; none for the answer to the query itself.
        question: Option<usize>,
        /// A full sentence.
        claim: String,
        refuted: Refuted,
    },
    /// Solvers contradict each other.
    Contradiction {
        sat: Vec<usize>,
        unsat: Vec<usize>,
        /// The replies that are neither sat nor unsat.
        neither: Vec<usize>,
        /// Why no model of the solvers that answer sat decides it.
        models: Vec<ModelState>,
        balance: Balance,
    },
    /// The solver answers unknown although scripts of this kind are decidable.
    GaveUp { expected: Expected, reason: String },
    /// Another solver is much faster.
    Slower { than: usize },
}

/// Why a claim does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Refuted {
    /// Reading or evaluating the reply shows it; a full sentence.
    Found { found: String },
    /// A model makes the opposite of the claim true, by evaluation.
    Model { of: ModelOf },
    /// Solvers answer what the claim excludes: the related script and the reply.
    Answers {
        side: Side,
        answers: Vec<(usize, usize)>,
    },
}

impl Refuted {
    /// The related scripts that it refers to.
    pub fn related(&self) -> Vec<usize> {
        match self {
            Refuted::Model {
                of: ModelOf::Related(at, _),
            } => vec![*at],
            Refuted::Answers { answers, .. } => {
                let mut all: Vec<usize> = answers.iter().map(|(at, _)| *at).collect();
                all.dedup();
                all
            }
            Refuted::Found { .. } | Refuted::Model { .. } => Vec::new(),
        }
    }
}

/// The origin of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelOf {
    /// The witness with which the case was made.
    Case,
    /// The model in a reply to the query.
    Reply(usize),
    /// The model in a reply to a related script.
    Related(usize, usize),
}

/// The state of a model that could have decided a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelState {
    Missing,
    Unreadable,
    Undetermined,
    Valid,
    Invalid,
}

/// Which side of a contradiction is more likely wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "balance", rename_all = "kebab-case")]
pub enum Balance {
    /// This many solvers of independent families contradict this side, and nothing else decides it.
    Likely { wrong: Side, against: usize },
    /// Other runs of the same solvers agree with the independent ones against this side.
    OwnRunsAgree { wrong: Side, makes: Vec<String> },
    /// The sides are equally strong, or one solver is on both.
    Open {
        sat: usize,
        unsat: usize,
        torn: Vec<String>,
    },
}
