//! Sorts, signatures, terms, scripts, values, models and evaluation of SMT-LIB. Pure: no IO, no clock, no randomness.

pub mod answer;
pub mod value;
