//! Answers other than `sat` and `unsat`: what a solver claims by an optimum, an interpolant, an invariant, a simplified
//! term, a lemma or a step of a proof, as obligations that can be evaluated or asked of others. Each kind is one file
//! and one line in `ALL`. Pure: nothing here asks a solver.

use auspex_logic::{Script, Terms};
use serde::{Deserialize, Serialize};

/// What a reply is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Optimum,
    Interpolant,
    Abduct,
    Synthesis,
    Invariant,
    Simplification,
    Elimination,
    Consequence,
    Assumptions,
    Value,
    Lemma,
    ProofStep,
    Preprocessing,
}

/// Something that must hold if a reply is right.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What the solver claims, as a full sentence: "No model has a smaller x than 3."
    pub claim: String,
    pub check: Check,
}

/// How an obligation is decided.
#[derive(Clone, Debug)]
pub enum Check {
    /// The assertions contradict each other if the claim holds. A model that makes them all true, by evaluation, is the
    /// proof that it does not; that the accused itself finds one is a contradiction in itself.
    Unsat(Script),
    /// The assertions have a model if the claim holds.
    Sat(Script),
    /// The claim does not hold, as reading or evaluating shows; the sentence says what was found.
    Wrong(String),
}

/// A question in a script with the reply to it.
pub struct Asked<'a> {
    pub terms: &'a mut Terms,
    pub script: &'a Script,
    /// Number of the command that asks.
    pub command: usize,
    /// The reply to it, to the letter.
    pub said: &'a str,
    /// The model in force there, if the solver printed one.
    pub model: Option<&'a str>,
}

/// One kind of answers: which commands ask for it, and what a reply commits the solver to.
pub trait AnswerKind: Sync {
    fn kind(&self) -> Kind;
    /// Whether the command asks for an answer of this kind.
    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool;
    /// The obligations of a reply; a message where it can not be read. None where the solver declines to answer.
    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String>;
}

/// Every kind of answers that is judged.
pub const ALL: &[&dyn AnswerKind] = &[];
