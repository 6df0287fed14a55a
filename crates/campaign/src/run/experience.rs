//! What campaigns on this machine have learned about strategies, theories, modes and options: a small file, by the
//! makes of the solvers. It is a hint: a damaged or newer file counts as none, and what cannot be written is dropped.

use crate::reading::read_within;
use crate::run::memory::Memory;
use crate::run::state::Setup;
use crate::schedule::arms::Arms;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of the file.
const VERSION: u32 = 1;
/// The largest file that is read.
const LARGEST: u64 = 4 << 20;
/// The most combinations of makes that are kept.
const MOST: usize = 64;

/// The file as it is written.
#[derive(Default, Serialize, Deserialize)]
struct Learned {
    version: u32,
    /// By the makes of the solvers, with a number that rises with each campaign.
    makes: BTreeMap<String, (u64, Arms)>,
}

/// The part of the file for the solvers of a campaign.
pub struct Experience {
    path: Option<PathBuf>,
    makes: String,
}

impl Experience {
    pub fn of(setup: &Setup) -> Experience {
        let mut makes: Vec<&str> = setup.team.plain().iter().map(|m| m.name()).collect();
        makes.sort_unstable();
        makes.dedup();
        Experience {
            path: setup.memory.as_ref().map(Memory::learned),
            makes: makes.join(" "),
        }
    }

    /// What was learned earlier.
    pub fn arms(&self) -> Arms {
        let learned = self.path.as_deref().map(read).unwrap_or_default();
        let own = learned.makes.get(&self.makes);
        own.map_or_else(Arms::default, |(_, arms)| arms.hint())
    }

    /// Replaces what was learned; others' rows stay.
    pub fn keep(&self, arms: Arms) {
        let Some(path) = &self.path else {
            return;
        };
        let mut learned = read(path);
        let newest = learned
            .makes
            .values()
            .map(|(turn, _)| *turn)
            .max()
            .unwrap_or(0);
        let row = (newest.saturating_add(1), arms);
        learned.makes.insert(self.makes.clone(), row);
        while learned.makes.len() > MOST {
            let oldest = learned.makes.iter().min_by_key(|(_, (turn, _))| *turn);
            let oldest = oldest.map(|(makes, _)| makes.clone()).unwrap_or_default();
            learned.makes.remove(&oldest);
        }
        learned.version = VERSION;
        let _ = write(path, &learned);
    }
}

fn read(path: &Path) -> Learned {
    let bytes = read_within(path, LARGEST).unwrap_or_default();
    let learned: Learned = serde_json::from_slice(&bytes).unwrap_or_default();
    match learned.version {
        VERSION => learned,
        _ => Learned::default(),
    }
}

/// Writes a new file and puts it in the place of the old one, so that no reader meets half of it.
fn write(path: &Path, learned: &Learned) -> std::io::Result<()> {
    let text = serde_json::to_vec(learned)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&new, text)?;
    std::fs::rename(&new, path).inspect_err(|_| _ = std::fs::remove_file(&new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::arms::Earned;
    use crate::scratch::Scratch;

    fn experience(path: &Path, makes: &str) -> Experience {
        Experience {
            path: Some(path.to_path_buf()),
            makes: makes.to_string(),
        }
    }

    fn arms() -> Arms {
        let mut arms = Arms::default();
        let earned = Earned {
            bugs: 1.0,
            ..Earned::default()
        };
        arms.note(["strategy construct"].into_iter(), 1.0, earned);
        arms
    }

    #[test]
    fn a_later_campaign_on_the_same_makes_starts_with_it() {
        let scratch = Scratch::new();
        let path = scratch.path().join("in/learned.json");
        let z3 = experience(&path, "z3");
        assert_eq!(z3.arms(), Arms::default());
        z3.keep(arms());
        assert_eq!(z3.arms(), arms());
        assert_eq!(experience(&path, "cvc5 z3").arms(), Arms::default());
        for number in 0..2 * MOST {
            experience(&path, &number.to_string()).keep(arms());
        }
        assert_eq!(z3.arms(), Arms::default(), "the oldest makes room");
        assert_eq!(read(&path).makes.len(), MOST);
    }

    #[test]
    fn damage_counts_as_nothing() {
        let scratch = Scratch::new();
        let path = scratch.path().join("learned.json");
        let z3 = experience(&path, "z3");
        for text in ["", "{", "{\"version\": 9, \"makes\": {}}", "[1]", "\u{0}"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(z3.arms(), Arms::default());
        }
        z3.keep(arms());
        assert_eq!(z3.arms(), arms());
    }
}
