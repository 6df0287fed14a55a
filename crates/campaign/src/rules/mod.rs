//! Searches for rewrite rules and proves them with solvers.

pub mod discover;
pub mod prove;
