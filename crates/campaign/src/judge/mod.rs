//! From replies to confirmed verdicts: facts are put before the oracles, and what they accuse is run again.

pub mod arbitrate;
pub mod candidate;
pub mod confirm;
pub mod diagnose;
pub mod examine;
pub mod judging;
pub(crate) mod slow;
pub mod witness;
