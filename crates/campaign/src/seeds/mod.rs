//! The seeds of a campaign and what is learnt about them: their answers, models and cores.

pub mod models;
pub mod pool;
pub mod probe;
