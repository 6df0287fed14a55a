//! Exact values of every sort.

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

mod regex;
mod regex_derive;
mod regex_language;
mod regex_matrix;
mod regex_sample;
mod regex_search;
mod regex_states;
mod string;
mod string_text;
pub mod words;

pub use regex::{Re, Shape};
pub use regex_language::Answer as LanguageAnswer;
pub use regex_sample::{Sample, sample};
pub use regex_search::Matcher;
pub use string::{MAX_CODE_POINT, MAX_LENGTH, Str, TooLarge};
pub use string_text::Escapes;
