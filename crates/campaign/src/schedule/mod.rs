//! The schedule: blocks, strategies, seeds and target solvers of the next cases, and the yields that shape it.

pub mod arms;
pub mod growth;
pub mod maker;
pub mod plan;
pub mod recipe;
pub mod settings;
pub mod walk;
