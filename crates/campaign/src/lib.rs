//! The work loop around solvers: examinations, campaigns, findings, the store and reports.

pub mod bug_check;
pub mod check;
pub mod command_check;
pub mod examine;
