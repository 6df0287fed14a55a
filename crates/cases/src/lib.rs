//! Test cases with evidence: strategies make them, oracles judge the answers. Pure and replayable.

pub mod alone;
pub mod answers;
pub mod case;
pub mod corner;
pub mod draw;
pub mod features;
pub mod grow;
pub mod logic_set;
pub mod logics;
pub mod mutant;
pub mod oracle;
pub mod proofs;
pub mod rules;
pub mod spelling;
pub mod strategy;

pub use case::{
    Case, Direction, Evidence, Expected, Origin, Relation, RelationKind, SeedStatus, Source,
};
pub use draw::Draw;
pub use oracle::{Budget, Class, QueryContext, Reply, Side, SolverId, Verdict, judge};
pub use strategy::{GenContext, Seed, Strategy};
