//! The id of a finding: the name of its folder, a part of addresses, a key of the store; never a path.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::path::Path;

/// The longest name; longer ones with suffixes are not valid file names everywhere.
const LONGEST: usize = 200;

/// A name of letters, digits, `-`, `_`, `.` and `+` that does not begin with a dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FindingId(String);

/// A text that is not the name of a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not the name of a finding: use letters, digits, '-', '_', '.' and '+', start with a letter or digit, at most 200"
)]
pub struct BadId(String);

impl FindingId {
    /// The name for a finding of this class and solver; invalid characters become `_`.
    pub fn new(class: &str, solver: &str, fingerprint: &str) -> FindingId {
        let name: String = format!("{class}-{solver}-{fingerprint}")
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .take(LONGEST)
            .collect();
        match name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            true => FindingId(name),
            false => FindingId(format!("f{name}").chars().take(LONGEST).collect()),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+')
}

/// Whether a text is the name of a finding.
pub fn is_id(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    first && text.len() <= LONGEST && text.chars().all(is_plain)
}

impl TryFrom<String> for FindingId {
    type Error = BadId;

    fn try_from(text: String) -> Result<FindingId, BadId> {
        match is_id(&text) {
            true => Ok(FindingId(text)),
            false => Err(BadId(text.chars().take(LONGEST).collect())),
        }
    }
}

impl From<FindingId> for String {
    fn from(id: FindingId) -> String {
        id.0
    }
}

impl Deref for FindingId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<Path> for FindingId {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl PartialEq<str> for FindingId {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<String> for FindingId {
    fn eq(&self, other: &String) -> bool {
        self.0 == *other
    }
}

impl PartialEq<FindingId> for String {
    fn eq(&self, other: &FindingId) -> bool {
        *self == other.0
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<FindingId, BadId> {
        FindingId::try_from(text.to_string())
    }

    #[test]
    fn names_of_our_own_are_read_again() {
        for (solver, name) in [
            ("z3", "crash-z3-0af"),
            ("my solver/../x", "crash-my_solver_.._x-0af"),
            ("é", "crash-_-0af"),
        ] {
            let id = FindingId::new("crash", solver, "0af");
            assert_eq!(id.as_str(), name);
            assert_eq!(read(name).as_ref(), Ok(&id));
        }
        assert_eq!(FindingId::new("", "", "").as_str(), "f--");
    }

    #[test]
    fn paths_are_no_names() {
        let long = "a".repeat(LONGEST + 1);
        for text in [
            "", ".", "..", "../x", "/x", "a/b", ".new-1", "-x", "a b", "a\n", "é", &long,
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
        let json = serde_json::from_str::<FindingId>("\"../../x\"");
        let told = json.unwrap_err().to_string();
        assert!(told.contains("not the name of a finding"), "{told}");
    }
}
