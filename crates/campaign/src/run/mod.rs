//! A running campaign: its start and end, its workers, its configuration file.

pub mod campaign;
pub mod config;
mod experience;
pub mod memory;
mod state;
pub(crate) mod worker;
