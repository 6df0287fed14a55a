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
    ("dreal", include_str!("dreal.py")),
];

/// The files of a driver, by their installed names.
pub fn files(name: &str) -> Option<Vec<(&'static str, &'static str)>> {
    let (_, text) = ALL.iter().find(|(known, _)| *known == name)?;
    let mut files = SHARED.to_vec();
    files.push(("driver.py", text));
    Some(files)
}
