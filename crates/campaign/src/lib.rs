//! The campaign: makes cases, asks solvers, judges, confirms and stores. Consumers read its status and its store.

pub mod activity;
pub mod clock;
pub mod coverage;
pub mod crosscheck;
pub mod findings;
pub mod judge;
pub mod ledger;
mod panics;
pub mod reading;
pub mod report;
pub mod rules;
pub mod run;
pub mod schedule;
#[cfg(test)]
mod scratch;
pub mod script;
pub mod seeds;
pub mod shrink;
pub mod stable;
pub mod status;
pub mod store;
pub mod team;

pub use findings::finding::Finding;
pub use findings::folder::Folder;
pub use run::campaign::{Campaign, Setup};
pub use status::Status;
