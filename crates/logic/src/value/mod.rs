//! Exact values.

pub mod int;
mod int_ops;
pub mod rat;
