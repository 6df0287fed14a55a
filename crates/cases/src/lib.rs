//! Test cases with evidence: strategies make them, oracles judge the answers. Pure and replayable.

pub mod case;
pub mod draw;
pub mod features;
pub mod grow;
pub mod mutant;
pub mod oracle;
pub mod rules;
pub mod strategy;

pub use case::{Case, Direction, Effect, Evidence, Expected, Origin, SeedStatus};
pub use draw::Draw;
pub use oracle::{Care, Class, Complaint, Reply, Trial, judge};
pub use strategy::{Seed, Strategy, Workshop};
