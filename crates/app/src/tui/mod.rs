//! What a running campaign shows: a screen on a terminal, lines elsewhere. Consumers of `Status`, nothing else.

mod lines;
#[cfg(test)]
mod picture;
mod screen;
mod watch;

pub use lines::{Lines, besides, classes, clock, details};
pub use watch::watch;
