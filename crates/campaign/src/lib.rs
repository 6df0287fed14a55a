//! The work loop around solvers: examinations, campaigns, findings, the store and reports.

pub mod examine;
