//! The campaign folder: one writer at a time, findings written whole or not at all, and a reserve for a full disk.
//!
//! ```text
//! DIR/campaign.db              the store
//! DIR/findings/ID/finding.json, script.smt2, reduced.smt2, witness.smt2, model-SOLVER.smt2, seed-N.smt2
//! DIR/lock, DIR/reserve
//! ```

use crate::findings::finding::{EvidenceRecord, Finding};
use crate::findings::finding_id::is_id;
use crate::reading::{LARGEST, read_within};
use crate::store::CampaignRow;
use auspex_logic::Answer;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The reserve, freed when the disk is full so that the last findings fit.
const RESERVE: usize = 1 << 20;
/// The prefix of unfinished folders.
const UNFINISHED: &str = ".new-";

/// The folder of one campaign.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held while we may write; the kernel releases it however we end.
    _lock: Option<File>,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{0} is in use by another auspex")]
    Busy(PathBuf),
    #[error("{0} already contains another campaign; choose another folder with --out")]
    Another(PathBuf),
    #[error("{0} contains no campaign")]
    NoCampaign(PathBuf),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// A finding's folder that could not be read.
#[derive(Debug)]
pub struct Unreadable {
    pub path: PathBuf,
    pub why: String,
}

impl Folder {
    /// Opens a folder for writing; creates it if necessary.
    pub fn create(path: &Path) -> Result<Folder, FolderError> {
        let failed = |source| FolderError::Io {
            path: path.to_path_buf(),
            source,
        };
        fs::create_dir_all(path.join("findings")).map_err(failed)?;
        let mut options = File::options();
        let options = options.create(true).truncate(false).write(true);
        let lock = options.open(path.join("lock")).map_err(failed)?;
        if !locked(&lock) {
            return Err(FolderError::Busy(path.to_path_buf()));
        }
        let folder = Folder {
            path: path.to_path_buf(),
            _lock: Some(lock),
        };
        folder.tidy();
        folder.keep_reserve();
        Ok(folder)
    }

    /// Opens a folder for reading, even while a campaign writes.
    pub fn look(path: &Path) -> Result<Folder, FolderError> {
        match path.join("campaign.db").is_file() {
            true => Ok(Folder {
                path: path.to_path_buf(),
                _lock: None,
            }),
            false => Err(FolderError::NoCampaign(path.to_path_buf())),
        }
    }

    /// Checks that the folder does not belong to another campaign: a local one has `campaign.db`, and a shared one
    /// leaves a mark, so that findings that wait here go to the right one.
    pub fn belongs_to(&self, shared: Option<&CampaignRow>) -> Result<(), FolderError> {
        let file = self.path.join("shared");
        let another = || FolderError::Another(self.path.clone());
        let there = fs::read_to_string(&file).ok();
        let Some(row) = shared else {
            return there.map_or(Ok(()), |_| Err(another()));
        };
        let mark = format!("seed {} started {}\n", row.seed, row.started);
        match there {
            Some(there) if there == mark => Ok(()),
            Some(_) => Err(another()),
            None if self.database().exists() => Err(another()),
            None => fs::write(&file, mark).map_err(|source| FolderError::Io { path: file, source }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn database(&self) -> PathBuf {
        self.path.join("campaign.db")
    }

    fn findings_path(&self) -> PathBuf {
        self.path.join("findings")
    }

    /// Removes unfinished folders of a killed campaign.
    fn tidy(&self) {
        let entries = fs::read_dir(self.findings_path()).into_iter().flatten();
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Makes the reserve, also after it was used; failure is not fatal.
    pub fn keep_reserve(&self) {
        let path = self.path.join("reserve");
        let full = fs::metadata(&path).is_ok_and(|data| data.len() == RESERVE as u64);
        if !full && fs::write(&path, vec![b'.'; RESERVE]).is_err() {
            // The disk is full, so do not keep half a reserve.
            let _ = fs::remove_file(&path);
        }
    }

    /// Bytes on disk that the campaign uses, without reports.
    pub fn size(&self) -> u64 {
        let findings = entries(&self.findings_path());
        let files = findings.iter().flat_map(|finding| entries(finding));
        let own = entries(&self.path)
            .into_iter()
            .filter(|path| path.is_file());
        files.chain(own).map(|path| room(&path)).sum()
    }

    /// Replaces a finding's files by fewer and shorter ones; returns the freed bytes.
    pub fn slim(&self, finding: &Finding) -> io::Result<u64> {
        let folder = self.findings_path().join(&finding.id);
        let size = || entries(&folder).iter().map(|path| room(path)).sum::<u64>();
        let before = size();
        rewrite(finding, &folder)?;
        let wanted: Vec<String> = files(finding).into_iter().map(|(name, _)| name).collect();
        let is_wanted = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            !name.ends_with(".smt2") || wanted.iter().any(|wanted| *wanted == name)
        };
        for path in entries(&folder).iter().filter(|path| !is_wanted(path)) {
            fs::remove_file(path)?;
        }
        Ok(before.saturating_sub(size()))
    }

    /// Frees the reserve; true if there was one.
    pub fn spend_reserve(&self) -> bool {
        fs::remove_file(self.path.join("reserve")).is_ok()
    }

    /// Writes a finding atomically: completely or not at all, whatever happens.
    pub fn write(&self, finding: &Finding) -> io::Result<()> {
        let wanted = self.findings_path().join(&finding.id);
        if wanted.is_dir() {
            return rewrite(finding, &wanted);
        }
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!("{UNFINISHED}{}-{number}", std::process::id());
        let unfinished = self.findings_path().join(unfinished);
        let written = write_files(&unfinished, finding)
            .and_then(|()| fs::rename(&unfinished, &wanted))
            .and_then(|()| sync_folder(&self.findings_path()));
        if written.is_err() {
            let _ = fs::remove_dir_all(&unfinished);
        }
        written
    }

    /// One finding by its name.
    pub fn finding(&self, id: &str) -> Option<Finding> {
        let known = is_id(id).then(|| self.findings_path().join(id));
        known.and_then(|path| read_named(&path).ok())
    }

    /// Every finding in the folder by name, and the unreadable ones.
    pub fn findings(&self) -> (Vec<Finding>, Vec<Unreadable>) {
        let entries = fs::read_dir(self.findings_path()).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries
            .flatten()
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with(UNFINISHED))
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for path in paths {
            match read_named(&path) {
                Ok(finding) => good.push(finding),
                Err(why) => bad.push(Unreadable { path, why }),
            }
        }
        (good, bad)
    }
}

/// Replaces the files of an existing finding, each atomically, the description last.
pub fn rewrite(finding: &Finding, folder: &Path) -> io::Result<()> {
    for (name, text) in files(finding) {
        let unfinished = folder.join(format!("{UNFINISHED}{name}"));
        write_file(&unfinished, &text)?;
        fs::rename(&unfinished, folder.join(name))?;
    }
    sync_folder(folder)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

/// The disk space of a file.
fn room(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.blocks() * 512)
}

/// Takes the lock. A solver that was starting when its campaign was killed may hold it for a moment.
fn locked(lock: &File) -> bool {
    (0..20).any(|attempt| {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
        flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok()
    })
}

/// Reads a finding from its folder or its `finding.json`.
pub fn read_finding(path: &Path) -> Result<Finding, String> {
    let file = match path.is_dir() {
        true => path.join("finding.json"),
        false => path.to_path_buf(),
    };
    let bytes = read_within(&file, LARGEST).map_err(|error| error.to_string())?;
    Finding::from_bytes(&bytes).map_err(|error| error.to_string())
}

/// Reads a finding, whose name must be that of its folder.
fn read_named(path: &Path) -> Result<Finding, String> {
    let finding = read_finding(path)?;
    match path
        .file_name()
        .is_some_and(|name| name == finding.id.as_str())
    {
        true => Ok(finding),
        false => Err(format!(
            "its name inside is {}, but its folder has another name",
            finding.id
        )),
    }
}

/// The files of a finding. `finding.json` alone is complete; the others are for people.
fn files(finding: &Finding) -> Vec<(String, Vec<u8>)> {
    let bytes = |text: &str| auspex_syntax::encode(text).into_owned();
    let mut files = vec![(
        "script.smt2".to_string(),
        bytes(&finding.as_sent(&finding.script)),
    )];
    if let Some(reduced) = &finding.reduced {
        files.push(("reduced.smt2".to_string(), bytes(&finding.as_sent(reduced))));
    }
    if let EvidenceRecord::Witness { model } = &finding.evidence {
        files.push(("witness.smt2".to_string(), bytes(model)));
    }
    for (number, related) in finding.related.iter().enumerate() {
        files.push((format!("related-{number}.smt2"), bytes(&related.text)));
        let reduced = related.reduced.clone();
        files.extend(reduced.map(|one| {
            let name = format!("related-{number}-reduced.smt2");
            (name, bytes(&one.text))
        }));
    }
    for (number, reply) in finding.replies.iter().enumerate() {
        if let Answer::Sat { model: Some(model) } = &reply.answer {
            let solver: String = reply
                .solver
                .chars()
                .filter(|c| c.is_ascii_alphanumeric())
                .collect();
            files.push((format!("model-{number}-{solver}.smt2"), bytes(model)));
        }
    }
    // JSON is UTF-8, so invalid UTF-8 in a script stays escaped.
    files.push(("finding.json".to_string(), finding.to_json().into_bytes()));
    files
}

fn write_files(folder: &Path, finding: &Finding) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, text) in files(finding) {
        write_file(&folder.join(name), &text)?;
    }
    sync_folder(folder)
}

fn write_file(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// Syncs the names in a folder, so that they survive a power cut.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;
    use crate::scratch::Scratch;

    #[test]
    fn a_written_finding_is_complete() {
        let scratch = Scratch::new();
        let folder = Folder::create(scratch.path()).unwrap();
        let mut finding = sample("0123456789ab");
        folder.write(&finding).unwrap();
        assert_eq!(folder.findings().0, [finding.clone()]);
        finding.reduced = Some("(check-sat)".to_string());
        folder.write(&finding).unwrap();
        assert_eq!(folder.findings().0, [finding.clone()]);
        let shown = scratch.path().join("findings").join(&finding.id);
        assert!(shown.join("reduced.smt2").is_file() && shown.join("model-0-z3.smt2").is_file());
    }

    #[test]
    fn what_was_half_written_is_removed_and_not_read() {
        let scratch = Scratch::new();
        drop(Folder::create(scratch.path()).unwrap());
        let half = scratch.path().join("findings").join(".new-1-1");
        fs::create_dir(&half).unwrap();
        fs::write(half.join("script.smt2"), "(").unwrap();
        let folder = Folder::create(scratch.path()).unwrap();
        assert!(!half.exists());
        assert_eq!(folder.findings().0.len(), 0);
    }

    #[test]
    fn findings_of_two_campaigns_are_not_mixed() {
        let scratch = Scratch::new();
        let folder = Folder::create(scratch.path()).unwrap();
        let row = |seed| CampaignRow {
            seed,
            settings: String::new(),
            started: 3,
        };
        assert!(folder.belongs_to(None).is_ok(), "no owner yet");
        folder.belongs_to(Some(&row(1))).unwrap();
        folder.belongs_to(Some(&row(1))).unwrap();
        assert!(folder.belongs_to(Some(&row(2))).is_err());
        assert!(folder.belongs_to(None).is_err());
        let own = Scratch::new();
        let folder = Folder::create(own.path()).unwrap();
        fs::write(folder.database(), "").unwrap();
        assert!(folder.belongs_to(Some(&row(1))).is_err());
    }

    #[test]
    fn bytes_that_are_no_text_are_written_and_read_again() {
        let scratch = Scratch::new();
        let folder = Folder::create(scratch.path()).unwrap();
        let bytes = b"(declare-const |\xff\xfex| Int)(check-sat)";
        let mut finding = sample("0123456789ab");
        finding.script = auspex_syntax::decode(bytes).into_owned();
        finding.why = auspex_syntax::decode(b"it says \xe9").into_owned();
        folder.write(&finding).unwrap();
        assert_eq!(folder.findings().0, [finding.clone()]);
        let place = scratch.path().join("findings").join(&finding.id);
        assert_eq!(fs::read(place.join("script.smt2")).unwrap(), bytes);
        // As older releases wrote it.
        let older = auspex_syntax::encode(&finding.to_json()).into_owned();
        fs::write(place.join("finding.json"), older).unwrap();
        assert_eq!(folder.findings().0, [finding]);
    }

    #[test]
    fn a_finding_that_names_another_place_is_told() {
        let scratch = Scratch::new();
        let folder = Folder::create(scratch.path()).unwrap();
        let finding = sample("0123456789ab");
        folder.write(&finding).unwrap();
        let json = scratch
            .path()
            .join("findings")
            .join(&finding.id)
            .join("finding.json");
        for id in ["../../x", "/x", "crash-z3-missing"] {
            let text = finding.to_json().replace(finding.id.as_str(), id);
            fs::write(&json, text).unwrap();
            let (good, bad) = folder.findings();
            assert_eq!((good.len(), bad.len()), (0, 1), "{id}");
        }
    }

    #[test]
    fn only_one_may_write() {
        let scratch = Scratch::new();
        let first = Folder::create(scratch.path()).unwrap();
        assert!(matches!(
            Folder::create(scratch.path()),
            Err(FolderError::Busy(_))
        ));
        drop(first);
        assert!(Folder::create(scratch.path()).is_ok());
    }

    #[test]
    fn damage_is_told_and_skipped() {
        let scratch = Scratch::new();
        let folder = Folder::create(scratch.path()).unwrap();
        folder.write(&sample("0123456789ab")).unwrap();
        let odd = scratch.path().join("findings/odd");
        fs::create_dir(&odd).unwrap();
        fs::write(odd.join("finding.json"), "{").unwrap();
        let (good, bad) = folder.findings();
        assert_eq!((good.len(), bad.len()), (1, 1));
    }

    #[test]
    fn a_failed_write_leaves_nothing_and_can_be_repeated() {
        let scratch = Scratch::new();
        let folder = Folder::create(scratch.path()).unwrap();
        let findings = scratch.path().join("findings");
        fs::remove_dir(&findings).unwrap();
        fs::write(&findings, "in the way").unwrap();
        assert!(folder.write(&sample("0123456789ab")).is_err());
        fs::remove_file(&findings).unwrap();
        fs::create_dir(&findings).unwrap();
        folder.write(&sample("0123456789ab")).unwrap();
        assert_eq!(fs::read_dir(&findings).unwrap().count(), 1);
    }
}
