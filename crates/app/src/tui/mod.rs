//! What a running campaign shows: a screen on a terminal, lines elsewhere. Consumers of `Status`, nothing else.

mod lines;

pub use lines::{Lines, classes, clock, details};
