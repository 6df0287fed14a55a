//! Rules as data, each proved: by evaluation on small domains and by queries to solvers.

pub mod approximation;
pub mod claim;
pub mod domain;
