//! Exact values.

pub mod bits;
mod bits_cmp;
mod bits_ops;
#[cfg(test)]
mod bits_tests;
pub mod float;
pub mod float_convert;
mod float_ops;
#[cfg(test)]
mod float_oracle_tests;
mod float_round;
#[cfg(test)]
mod float_spec_tests;
pub mod int;
mod int_ops;
pub mod rat;
