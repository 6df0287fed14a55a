//! The campaign: makes cases, asks solvers, judges, confirms, remembers. Consumers look at its status and its store.

pub mod arbitrate;
pub mod bandit;
pub mod bisect;
pub mod broken;
pub mod bug_check;
pub mod campaign;
pub mod candidate;

pub mod command_check;
pub mod config;
pub mod confirm;

pub mod crosscheck;
pub mod diagnose;
pub mod discover;
pub mod examine;
pub mod exchange;
pub mod features;
mod filing;
pub mod finding;
pub mod finding_id;
pub mod fingerprint;
pub mod folder;

mod adaptive_timeout;
pub mod group;
pub mod growth;
pub mod history;
pub mod ignore;
pub mod judging;
pub mod learn;
pub mod learning;
pub mod ledger;
pub mod maker;
mod markup;
pub mod merge;
mod models;
pub mod pair;
mod panics;
pub mod plan;
pub mod pool;
pub mod prove;
pub mod readers;
pub mod reading;
pub mod recipe;
mod reducer_session;
pub mod reduction;
pub mod replay;
pub mod report;
#[cfg(test)]
mod scratch;
pub mod settings;
pub mod shape;
mod slow;
pub mod stable;
pub mod stats;
pub mod store;

pub mod team;
pub mod witness;
mod worker;

pub use campaign::{Campaign, Setup};
pub use finding::Finding;
pub use folder::Folder;
pub use stats::Status;
