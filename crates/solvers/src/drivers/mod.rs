//! Small Python programs that turn packages without an executable into command-line solvers.

/// Reading commands from a stream, shared by all drivers.
pub const STREAM: &str = include_str!("stream.py");

/// Every driver: its name in profiles, and its text.
pub const ALL: &[(&str, &str)] = &[("cvc5", include_str!("cvc5.py"))];

/// The text of a driver.
pub fn named(name: &str) -> Option<&'static str> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
