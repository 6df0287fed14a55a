//! Models: read from a solver's reply, completed where the script asks for more, and validated by evaluation.

mod fill;
mod reply;
mod trace;
mod verdict;

pub use crate::interpretation::{Interpretation, Model};
pub use fill::omitted_values;
pub use reply::{ModelError, has_rounded_number, read_model};
pub use trace::{Explanation, Line, Tree, explanation, tree};
pub use verdict::{
    MOST_WORK, ModelVerdict, false_within, falsified, is_defined, smallest_false_part, validate,
    validate_within,
};
