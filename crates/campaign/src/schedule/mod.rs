//! Which case is made next, from what and for whom: blocks, strategies, seeds, target solvers, and what pays.

pub mod bandit;
pub mod growth;
pub mod learning;
pub mod maker;
pub mod plan;
pub mod recipe;
pub mod settings;
