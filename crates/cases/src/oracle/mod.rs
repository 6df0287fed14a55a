//! Oracles judge answers. They are pure: they never run anything, but they may ask for more answers.
//! Each is one file and one line in `ALL`.

mod core;
mod crash;
mod differential;
mod ground;
mod known_status;
mod model_validity;

use crate::case::Evidence;
use auspex_logic::{Answer, Query, Script, Terms};

/// What one solver said to one query.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Name and version of the solver, with its options.
    pub solver: String,
    pub answer: Answer,
}

/// One query with its evidence and all answers to it.
pub struct Trial<'a> {
    pub terms: &'a mut Terms,
    pub script: &'a Script,
    pub query: &'a Query,
    pub evidence: &'a Evidence,
    pub replies: &'a [Reply],
}

/// What kind of bug it is, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    WrongUnsat,
    WrongSat,
    InvalidModel,
    WrongCore,
    Crash,
    Disagreement,
    Incompleteness,
    Performance,
}

impl Class {
    pub const ALL: [Class; 8] = [
        Class::WrongUnsat,
        Class::WrongSat,
        Class::InvalidModel,
        Class::WrongCore,
        Class::Crash,
        Class::Disagreement,
        Class::Incompleteness,
        Class::Performance,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Class::WrongUnsat => "wrong-unsat",
            Class::WrongSat => "wrong-sat",
            Class::InvalidModel => "invalid-model",
            Class::WrongCore => "wrong-core",
            Class::Crash => "crash",
            Class::Disagreement => "disagreement",
            Class::Incompleteness => "incompleteness",
            Class::Performance => "performance",
        }
    }

    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// A complaint about one solver (or, for a disagreement, about several).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub class: Class,
    /// Positions among the replies of those who are (or may be) wrong.
    pub accused: Vec<usize>,
    /// The evidence in sentences a person can check by hand.
    pub why: String,
    /// Where it happened, for grouping: the site of a crash, the smallest false part of an assertion.
    pub site: String,
}

pub trait Oracle: Sync {
    fn name(&self) -> &'static str;
    /// What it proves, in one sentence.
    fn about(&self) -> &'static str;
    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint>;
}

/// Every oracle, in the order in which they are asked.
pub const ALL: &[&dyn Oracle] = &[
    &crash::CrashOracle,
    &model_validity::ModelValidity,
    &known_status::KnownStatus,
    &ground::Ground,
    &core::CoreValidity,
    &differential::Differential,
];

/// All complaints about the answers to one query. An accusation with proof silences a mere disagreement.
pub fn judge(trial: &mut Trial<'_>) -> Vec<Complaint> {
    let mut complaints: Vec<Complaint> =
        ALL.iter().flat_map(|oracle| oracle.judge(trial)).collect();
    if complaints.iter().any(|c| {
        matches!(
            c.class,
            Class::WrongSat | Class::WrongUnsat | Class::InvalidModel
        )
    }) {
        complaints.retain(|c| c.class != Class::Disagreement);
    }
    complaints
}
