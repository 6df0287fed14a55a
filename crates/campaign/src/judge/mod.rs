//! Judging: from replies to confirmed verdicts.

pub mod arbitrate;
pub mod candidate;
pub mod confirm;
pub mod diagnose;
pub mod examine;
pub mod false_step;
pub mod fingerprint;
mod history;
pub mod judging;
pub mod shape;
pub(crate) mod slow;
pub mod steps;
pub mod trivial;
pub mod witness;
