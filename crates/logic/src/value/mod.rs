//! Exact values.

pub mod bits;
mod bits_cmp;
mod bits_ops;
#[cfg(test)]
mod bits_tests;
pub mod int;
mod int_ops;
pub mod rat;
