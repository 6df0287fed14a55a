//! A running campaign: its workers, their sessions with the solvers under test, time limits, and counters.

pub(crate) mod adaptive_timeout;
pub mod campaign;
pub mod config;
pub mod stats;
pub mod team;
pub(crate) mod worker;
