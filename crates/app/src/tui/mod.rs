//! The display of a running campaign: a screen on a terminal, lines elsewhere. It reads `Status` and nothing else.

mod lines;
#[cfg(test)]
mod picture;
mod screen;
mod watch;

pub use lines::{Lines, besides, classes, clock, details};
pub use watch::watch;
