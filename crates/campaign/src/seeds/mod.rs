//! The seeds of a campaign, and what is learned about them: answers, models and cores.

pub mod models;
pub mod pool;
pub mod probe;
