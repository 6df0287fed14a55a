//! Solvers as processes: profiles, installation, sessions, limits, and replies parsed command by command. Scripts
//! come in as text, replies leave as [`Answer`](auspex_logic::answer::Answer); nothing here knows terms.

pub mod allow;
pub mod cache;
pub mod collections;
pub mod coverage;
pub mod crash;
pub mod deal;
pub mod discover;
pub mod drivers;
mod ending;
pub mod fence;
pub mod guard;
pub mod install;
pub mod invocation;
pub mod items;
pub mod limits;
pub mod meaning;
pub mod options;
mod plain;
pub mod probe;
pub mod process;
pub mod profile;
pub mod reply;
pub mod run;
pub mod script;
pub mod session;
pub mod settable;
pub mod solver;
pub mod talk;
mod trail;
pub mod version;

pub use cache::Cache;
pub use discover::{Called, Catalog};
pub use install::{Want, install};
pub use invocation::Invocation;
pub use limits::Limits;

pub use profile::{Mode, Profile};
pub use run::{Query, Run};
pub use session::Session;
pub use solver::Solver;
pub use version::Version;
