//! What campaigns of one user keep for later ones on this machine: the reduced scripts of bugs, which become seeds, and
//! how far strategies that walk their cases came with each release. Both are hints: what is damaged counts as none, and
//! what cannot be written is dropped.

use crate::reading::read_within;
use crate::stable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most scripts that are kept; the newest stay.
const MOST_BUGS: usize = 256;
/// The largest script that is kept.
const LARGEST: u64 = 16 << 10;
/// The largest file of walks, and the most releases in it.
const LARGEST_WALKS: u64 = 1 << 20;
const MOST_WALKS: usize = 512;

/// A folder of a user.
#[derive(Clone, Debug)]
pub struct Memory {
    folder: PathBuf,
}

/// How many cases of its walk are done, by release and theories.
#[derive(Default, Serialize, Deserialize)]
struct Walks(BTreeMap<String, u64>);

impl Memory {
    pub fn at(folder: PathBuf) -> Memory {
        Memory { folder }
    }

    /// The file with what earlier campaigns learned about the schedule.
    pub fn learned(&self) -> PathBuf {
        self.folder.join("learned.json")
    }

    fn bugs(&self) -> PathBuf {
        self.folder.join("bugs")
    }

    /// The scripts of earlier bugs, newest first, each with a name of its own.
    pub fn scripts(&self) -> Vec<(String, String)> {
        let mut files = files(&self.bugs());
        files.truncate(MOST_BUGS);
        let read = |(path, _): (PathBuf, SystemTime)| {
            let name = path.file_stem()?.to_str()?.to_string();
            let bytes = read_within(&path, LARGEST).ok()?;
            Some((format!("finding:{name}"), String::from_utf8(bytes).ok()?))
        };
        files.into_iter().filter_map(read).collect()
    }

    /// Keeps the scripts of bugs, and removes the oldest beyond the limit.
    pub fn keep_scripts<'s>(&self, scripts: impl Iterator<Item = &'s str>) {
        let folder = self.bugs();
        if make_private(&folder).is_err() || !is_own(&folder) {
            return;
        }
        for text in scripts.filter(|text| text.len() as u64 <= LARGEST) {
            let name = format!("{:016x}.smt2", stable::hash(text));
            let path = folder.join(name);
            if !path.exists() {
                let _ = replace(&path, text.as_bytes());
            }
        }
        for (path, _) in files(&folder).into_iter().skip(MOST_BUGS) {
            let _ = std::fs::remove_file(path);
        }
    }

    /// How many cases of the walk are done for all of these releases.
    pub fn walked(&self, releases: &[String]) -> u64 {
        let walks = self.walks();
        let done = releases.iter().map(|one| walks.0.get(one).copied());
        done.map(Option::unwrap_or_default).min().unwrap_or(0)
    }

    /// Records that the cases of a range are done; a range that begins beyond the end of what is done leaves a gap, and
    /// is not recorded.
    pub fn keep_walk(&self, releases: &[String], (from, until): (u64, u64)) {
        if make_private(&self.folder).is_err() || !is_own(&self.folder) {
            return;
        }
        let mut walks = self.walks();
        for release in releases {
            let done = walks.0.entry(release.clone()).or_default();
            if from <= *done {
                *done = until.max(*done);
            }
        }
        walks.0.retain(|_, done| *done > 0);
        while walks.0.len() > MOST_WALKS {
            walks.0.pop_first();
        }
        if let Ok(text) = serde_json::to_vec(&walks) {
            let _ = replace(&self.folder.join(WALKS), &text);
        }
    }

    fn walks(&self) -> Walks {
        let bytes = read_within(&self.folder.join(WALKS), LARGEST_WALKS).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

const WALKS: &str = "walks.json";

/// The plain files of a folder of our own, newest first.
fn files(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    if !is_own(folder) {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(PathBuf, SystemTime)> = entries
        .filter_map(|entry| {
            let data = entry.metadata().ok()?;
            let path = entry.path();
            let is_script = data.is_file() && path.extension().is_some_and(|e| e == "smt2");
            is_script.then_some((path, data.modified().ok()?))
        })
        .collect();
    files.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    files
}

/// Whether no other user could have written in a folder.
fn is_own(folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    std::fs::metadata(folder).is_ok_and(|data| data.uid() == own && data.mode() & 0o022 == 0)
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Puts a new file in the place of an old one, so that no reader meets half of it.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&new, bytes)?;
    std::fs::rename(&new, path).inspect_err(|_| _ = std::fs::remove_file(&new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn memory(scratch: &Scratch) -> Memory {
        Memory::at(scratch.path().join("memory"))
    }

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn bugs_are_kept_once_and_bounded() {
        let scratch = Scratch::new();
        let memory = memory(&scratch);
        assert!(memory.scripts().is_empty());
        let texts: Vec<String> = (0..MOST_BUGS + 20)
            .map(|n| format!("(assert (= {n} 0))"))
            .collect();
        memory.keep_scripts(texts.iter().map(String::as_str));
        memory.keep_scripts(texts.iter().map(String::as_str).take(1));
        let large = " ".repeat(LARGEST as usize + 1);
        memory.keep_scripts([large.as_str()].into_iter());
        let kept = memory.scripts();
        assert_eq!(kept.len(), MOST_BUGS);
        assert!(kept.iter().all(|(name, _)| name.starts_with("finding:")));
    }

    #[test]
    fn a_walk_goes_on_and_has_no_gaps() {
        let scratch = Scratch::new();
        let memory = memory(&scratch);
        let (one, both) = (names(&["z3@5.4.0"]), names(&["cvc5@1.4.2", "z3@5.4.0"]));
        memory.keep_walk(&one, (0, 64));
        assert_eq!((memory.walked(&one), memory.walked(&both)), (64, 0));
        memory.keep_walk(&both, (0, 32));
        assert_eq!((memory.walked(&one), memory.walked(&both)), (64, 32));
        memory.keep_walk(&one, (96, 128));
        assert_eq!(memory.walked(&one), 64, "there would be a gap");
        std::fs::write(scratch.path().join("memory").join(WALKS), "{").unwrap();
        assert_eq!(memory.walked(&one), 0);
    }

    #[test]
    fn a_folder_of_others_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new();
        let memory = memory(&scratch);
        memory.keep_scripts(["(check-sat)"].into_iter());
        assert_eq!(memory.scripts().len(), 1);
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(memory.bugs(), open).unwrap();
        assert!(memory.scripts().is_empty());
    }
}
