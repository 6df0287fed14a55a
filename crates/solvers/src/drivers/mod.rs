//! Small Python programs that turn packages without an executable into command-line solvers.

/// Modules that the drivers share, by file name.
pub const SHARED: &[(&str, &str)] = &[
    ("stream.py", include_str!("stream.py")),
    ("replay.py", include_str!("replay.py")),
];

/// Every driver: its name in profiles, and its text.
pub const ALL: &[(&str, &str)] = &[
    ("cvc5", include_str!("cvc5.py")),
    ("bitwuzla", include_str!("bitwuzla.py")),
    ("boolector", include_str!("boolector.py")),
];

/// The text of a driver.
pub fn named(name: &str) -> Option<&'static str> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
