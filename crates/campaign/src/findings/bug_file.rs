//! All bugs with their states: a file that can be read, reviewed and merged (`auspex-bugs.toml`), or rows of a
//! database. One table per bug, sorted by name.
//!
//! ```toml
//! releases = ["z3@latest"]
//!
//! [bugs.wrong-sat-z3-cbe776c18aca]
//! title = "z3 4.13.0 answers sat to an unsatisfiable script: const, store"
//! state = "reported"
//! link = "https://example.org/issues/1"
//! keys = ["fingerprint cbe776c18aca", "shape 0f3a…"]
//! ```

use crate::findings::bug::{BugEntry, BugState};
use crate::findings::finding_id::is_id;
use crate::findings::trigger::Trigger;
use crate::reading::{LARGEST, read_within};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The name of the file in a campaign's folder.
pub const FILE: &str = "auspex-bugs.toml";
/// The prefix of a bug's row in a database; no finding has such a name.
const ROW: &str = "bug/";
const HEADER: &str = "# Bugs and their states, one table per bug. `auspex bugs` writes this file; it may be edited by hand.\n";

/// The bugs of a campaign or a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bugs {
    /// The configured releases: a bug is closed when all of its solver's are right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub releases: Vec<String>,
    pub bugs: BTreeMap<String, BugEntry>,
}

impl Bugs {
    /// Reads the text of a file; an empty one has no bugs.
    pub fn read(text: &str) -> Result<Bugs, String> {
        let bugs: Bugs = toml::from_str(text).map_err(|error| error.to_string())?;
        for (id, entry) in &bugs.bugs {
            if !is_id(id) {
                return Err(format!("{id:?} is not the name of a bug"));
            }
            if entry.keys.is_empty() {
                return Err(format!("{id}: no keys, so no finding would be recognised"));
            }
        }
        Ok(bugs)
    }

    /// Reads a file; a missing one has no bugs.
    pub fn load(path: &Path) -> Result<Bugs, String> {
        if !path.exists() {
            return Ok(Bugs::default());
        }
        let bytes = read_within(path, LARGEST).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_string())?;
        Bugs::read(&text)
    }

    /// The text of the file: the same for the same bugs.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string_pretty(self).unwrap_or_default();
        format!("{HEADER}\n{text}")
    }

    /// Writes the file atomically.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = path.with_file_name(format!(".new-{}-{name}", std::process::id()));
        fs::write(&unfinished, self.to_toml())?;
        fs::rename(&unfinished, path)
    }

    /// The bugs among the rows of a database that hold histories, by name and JSON.
    pub fn from_rows<'r>(rows: impl Iterator<Item = (&'r str, &'r str)>) -> Bugs {
        let bugs = rows.filter_map(|(name, json)| {
            let id = name.strip_prefix(ROW).filter(|id| is_id(id))?;
            Some((id.to_string(), serde_json::from_str(json).ok()?))
        });
        Bugs {
            releases: Vec::new(),
            bugs: bugs.collect(),
        }
    }

    /// A bug as a row.
    pub fn row(id: &str, entry: &BugEntry) -> (String, String) {
        let json = serde_json::to_string(entry).unwrap_or_default();
        (format!("{ROW}{id}"), json)
    }

    /// The names of the bugs that have one of these keys, those with the most specific one first.
    pub fn with_keys(&self, keys: &[String]) -> Vec<&str> {
        let mut fitting: Vec<(usize, &str)> = Vec::new();
        for (id, entry) in &self.bugs {
            let best = keys.iter().position(|key| entry.keys.contains(key));
            fitting.extend(best.map(|at| (at, id.as_str())));
        }
        fitting.sort_unstable();
        fitting.into_iter().map(|(_, id)| id).collect()
    }

    /// What scripts hold that show one of the bugs whose lookalikes need no look: its name, and the trigger.
    pub fn triggers(&self) -> Vec<(String, Trigger)> {
        let decided = self.bugs.iter().filter(|(_, bug)| bug.state.is_silenced());
        let triggers = decided.filter_map(|(id, bug)| Some((id.clone(), Trigger::of_entry(bug)?)));
        triggers.collect()
    }

    /// The bug that another is a duplicate of, as far as it is among these.
    pub fn original<'b>(&'b self, id: &'b str) -> &'b str {
        let mut at = id;
        // A ring of duplicates ends somewhere in it.
        for _ in 0..self.bugs.len() {
            let of = self
                .bugs
                .get(at)
                .filter(|entry| entry.state == BugState::Duplicate);
            match of.and_then(|entry| entry.duplicate_of.as_deref()) {
                Some(of) if of != id && self.bugs.contains_key(of) => at = of,
                _ => break,
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::bug::Decision;
    use crate::scratch::Scratch;

    fn bugs() -> Bugs {
        let mut entry = BugEntry {
            title: "z3 4.13.0 answers sat (\"const\")".to_string(),
            class: "wrong-sat".to_string(),
            solver: "z3".to_string(),
            keys: vec!["fingerprint a".to_string(), "shape b".to_string()],
            ..BugEntry::default()
        };
        let reported = Decision {
            state: BugState::Reported,
            link: Some("https://example.org/1".to_string()),
            ..Decision::default()
        };
        entry.decide(reported, "2026-11-19");
        let mut bugs = Bugs {
            releases: vec!["z3@latest".to_string()],
            ..Bugs::default()
        };
        bugs.bugs
            .insert("wrong-sat-z3-a".to_string(), entry.clone());
        entry.keys = vec!["shape c".to_string(), "fingerprint a".to_string()];
        bugs.bugs
            .insert("wrong-sat-my.solver+1-b".to_string(), entry);
        bugs
    }

    #[test]
    fn a_file_is_read_again_and_is_the_same_for_the_same_bugs() {
        let (scratch, bugs) = (Scratch::new(), bugs());
        let path = scratch.path().join(FILE);
        assert_eq!(Bugs::load(&path), Ok(Bugs::default()));
        bugs.save(&path).unwrap();
        assert_eq!(Bugs::load(&path).as_ref(), Ok(&bugs));
        assert_eq!(
            Bugs::load(&path).unwrap().to_toml(),
            fs::read_to_string(&path).unwrap()
        );
        let text = bugs.to_toml();
        assert!(text.contains("[bugs.wrong-sat-z3-a]\n"), "{text}");
        assert!(text.contains("state = \"reported\"\n"), "{text}");
    }

    #[test]
    fn lookalikes_of_a_bug_are_silenced_as_long_as_it_may_be_there() {
        let mut bugs = bugs();
        assert!(bugs.triggers().is_empty(), "no script is known");
        let script = "(declare-const s String)(assert (= (str.to_code s) 5))(check-sat)";
        let id = "wrong-sat-z3-a";
        bugs.bugs.get_mut(id).unwrap().keep_script(script, &[]);
        for state in BugState::ALL {
            bugs.bugs.get_mut(id).unwrap().state = state;
            let names: Vec<String> = bugs.triggers().into_iter().map(|(id, _)| id).collect();
            let wanted = match state {
                BugState::Open | BugState::Fixed | BugState::Invalid => vec![],
                _ => vec![id],
            };
            assert_eq!(names, wanted, "{state}");
        }
        let text = bugs.to_toml();
        assert_eq!(Bugs::read(&text).as_ref(), Ok(&bugs), "{text}");
    }

    #[test]
    fn a_file_that_says_too_little_or_too_much_is_refused_with_its_place() {
        for (text, part) in [
            ("[bugs.\"../x\"]\nkeys = [\"a\"]", "not the name"),
            ("[bugs.x]\nstate = \"open\"", "no keys"),
            ("[bugs.x]\nkeys = [\"a\"]\nstate = \"closed\"", "closed"),
            ("[bugs.x]\nkeys = [\"a\"]\nstat = \"open\"", "stat"),
        ] {
            let why = Bugs::read(text).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn rows_of_a_database_hold_the_same() {
        let bugs = bugs();
        let rows: Vec<(String, String)> =
            bugs.bugs.iter().map(|(id, e)| Bugs::row(id, e)).collect();
        let rows = rows.iter().map(|(id, json)| (id.as_str(), json.as_str()));
        let read = Bugs::from_rows(rows.chain([("crash-z3-1", "{}")]));
        assert_eq!(read.bugs, bugs.bugs);
    }

    #[test]
    fn the_most_specific_key_decides_and_rings_of_duplicates_end() {
        let mut bugs = bugs();
        let keys = ["shape c".to_string(), "fingerprint a".to_string()];
        assert_eq!(
            bugs.with_keys(&keys),
            ["wrong-sat-my.solver+1-b", "wrong-sat-z3-a"]
        );
        assert!(bugs.with_keys(&["shape x".to_string()]).is_empty());
        for (one, other) in [
            ("wrong-sat-z3-a", "wrong-sat-my.solver+1-b"),
            ("wrong-sat-my.solver+1-b", "wrong-sat-z3-a"),
        ] {
            let entry = bugs.bugs.get_mut(one).unwrap();
            entry.state = BugState::Duplicate;
            entry.duplicate_of = Some(other.to_string());
        }
        assert_eq!(bugs.original("wrong-sat-z3-a"), "wrong-sat-my.solver+1-b");
    }
}
