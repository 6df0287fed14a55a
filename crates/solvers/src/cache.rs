//! The folder of installed solvers: its contents, atomic installation, and removal.

use crate::invocation::Invocation;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, File};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The file that describes an installation. It is written last, so a folder without it is incomplete.
const MANIFEST: &str = "auspex.toml";

/// The folder of installed solvers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

/// One installed release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Installed {
    /// The solver's name, as in its profile.
    pub solver: String,
    pub version: String,
    /// The channel: `pip`, `debian` or `cargo`.
    pub channel: String,
    /// The package file or files, for the record.
    pub packages: Vec<PackageFile>,
    /// The program; a relative path is inside the folder.
    pub program: String,
    /// Arguments before the options; paths that start with `./` are inside the folder.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Folders of shared libraries; a relative path is inside the folder.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// Files that must not change (the program or driver), with their checksums.
    pub files: Vec<PackageFile>,
    /// Whether a driver replaces the program.
    #[serde(default)]
    pub driver: bool,
}

/// A file and its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFile {
    pub name: String,
    pub sha256: String,
}

impl PackageFile {
    /// Reads a file below `folder` and computes its checksum.
    pub fn of(folder: &Path, name: &str) -> std::io::Result<PackageFile> {
        Ok(PackageFile {
            name: name.to_string(),
            sha256: sha256(&folder.join(name))?,
        })
    }
}

/// A release in the cache, with its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub folder: PathBuf,
    pub installed: Installed,
}

impl Entry {
    /// The command that starts it.
    pub fn invocation(&self) -> Invocation {
        let inside = |text: &str| match text.strip_prefix("./") {
            Some(rest) => self.folder.join(rest).into_os_string(),
            None => text.into(),
        };
        let libraries = self.installed.libraries.iter();
        let libraries: Vec<PathBuf> = libraries.map(|path| self.folder.join(path)).collect();
        let environment = match std::env::join_paths(libraries) {
            Ok(paths) if !paths.is_empty() => vec![("LD_LIBRARY_PATH".into(), paths)],
            _ => Vec::new(),
        };
        Invocation {
            program: inside(&self.installed.program).into(),
            arguments: self
                .installed
                .arguments
                .iter()
                .map(|text| inside(text))
                .collect(),
            environment,
            ..Invocation::default()
        }
    }

    /// Updates the installation's files to this version of Auspex; each is replaced atomically.
    pub(crate) fn renew(&mut self, files: &[(&str, &str)]) -> std::io::Result<()> {
        let has_text = |name: &str, text: &str| {
            let read = std::fs::read_to_string(self.folder.join(name));
            read.ok().as_deref() == Some(text)
        };
        let is_recorded = |name: &str| {
            let found = PackageFile::of(&self.folder, name);
            found.is_ok_and(|found| self.installed.files.contains(&found))
        };
        // Another process may have renewed the file, but not yet the record.
        let is_stale = |(name, text): &&(&str, &str)| !has_text(name, text) || !is_recorded(name);
        let stale: Vec<_> = files.iter().filter(is_stale).collect();
        for (name, text) in &stale {
            if !has_text(name, text) {
                replace(&self.folder.join(name), text)?;
            }
            let file = PackageFile::of(&self.folder, name)?;
            self.installed.files.retain(|known| known.name != *name);
            self.installed.files.push(file);
        }
        if !stale.is_empty() {
            let text = toml::to_string(&self.installed).map_err(std::io::Error::other)?;
            replace(&self.folder.join(MANIFEST), &text)?;
        }
        Ok(())
    }

    /// Why its program must not be run: another user could have put it there, or it has changed. Checked once per
    /// process.
    pub fn distrust(&self) -> Option<String> {
        static KNOWN: Mutex<BTreeMap<PathBuf, Option<String>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let look = || {
            // The folder of the release, its parent, and the cache.
            let private = self.folder.ancestors().take(3).find_map(is_foreign);
            private.or_else(|| {
                let damaged = self.damaged();
                let files = damaged.join(", ");
                (!damaged.is_empty()).then(|| format!("changed since it was installed: {files}"))
            })
        };
        known
            .entry(self.folder.clone())
            .or_insert_with(look)
            .clone()
    }

    /// Names of files that are missing or have changed since the installation.
    pub fn damaged(&self) -> Vec<String> {
        let changed = |file: &&PackageFile| {
            sha256(&self.folder.join(&file.name)).ok().as_deref() != Some(file.sha256.as_str())
        };
        let files = self.installed.files.iter().filter(changed);
        files.map(|file| file.name.clone()).collect()
    }
}

impl Cache {
    pub fn at(folder: impl Into<PathBuf>) -> Cache {
        Cache {
            folder: folder.into(),
        }
    }

    /// `$AUSPEX_CACHE`, else `$XDG_CACHE_HOME/auspex`, else `~/.cache/auspex`; none if these variables are unset. In
    /// a shared folder others could choose which programs run.
    pub fn of_user() -> Option<Cache> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = match (set("AUSPEX_CACHE"), set("XDG_CACHE_HOME"), set("HOME")) {
            (Some(own), _, _) => PathBuf::from(own),
            (None, Some(caches), _) => PathBuf::from(caches).join("auspex"),
            (None, None, Some(home)) => PathBuf::from(home).join(".cache/auspex"),
            (None, None, None) => return None,
        };
        Some(Cache { folder })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn solvers(&self) -> PathBuf {
        self.folder.join("solvers")
    }

    /// The folder of collections of seeds.
    pub(crate) fn seeds(&self) -> PathBuf {
        self.folder.join("seeds")
    }

    /// All installations, by name and release.
    pub fn entries(&self) -> Vec<Entry> {
        let Ok(folders) = std::fs::read_dir(self.solvers()) else {
            return Vec::new();
        };
        let mut entries: Vec<Entry> = folders
            .flatten()
            .filter(|folder| !folder.file_name().to_string_lossy().starts_with('.'))
            .filter_map(|folder| read_entry(folder.path()))
            .collect();
        entries.sort_by_key(|entry| entry.folder.clone());
        entries
    }

    /// A text that costs a process to get: as it was kept under this name, else as it is made now. A cache that cannot be
    /// written keeps nothing, and what others could have written is not read.
    pub fn text(
        &self,
        kind: &str,
        name: &str,
        make: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        if let Some(text) = self.kept(kind, name) {
            return Some(text);
        }
        let text = make()?;
        self.keep(kind, name, &text);
        Some(text)
    }

    /// The text that was kept under a name, unless others could have written it.
    pub fn kept(&self, kind: &str, name: &str) -> Option<String> {
        let folder = self.private(kind)?;
        std::fs::read_to_string(folder.join(name)).ok()
    }

    /// Keeps a text in the place of an earlier one, if the cache can be written.
    pub fn keep(&self, kind: &str, name: &str, text: &str) {
        if let Some(folder) = self.private(kind) {
            let _ = replace(&folder.join(name), text);
        }
    }

    /// A folder of the cache that only its owner can write.
    fn private(&self, kind: &str) -> Option<PathBuf> {
        let folder = self.folder.join(kind);
        let own = make_private(&folder).is_ok() && is_foreign(&folder).is_none();
        own.then_some(folder)
    }

    /// A new, empty folder to prepare an installation in; removed when dropped.
    pub fn staging(&self) -> std::io::Result<Staging> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".staging-{}-{number}", std::process::id());
        let folder = self.solvers().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        make_private(&folder)?;
        Ok(Staging { folder })
    }

    /// Removes the remains of interrupted installations; a folder whose process lives is kept.
    pub fn tidy(&self) {
        let Ok(folders) = std::fs::read_dir(self.solvers()) else {
            return;
        };
        for folder in folders.flatten() {
            let name = folder.file_name().to_string_lossy().into_owned();
            let owner = name
                .strip_prefix(".staging-")
                .and_then(|rest| rest.split('-').next());
            if owner.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
                let _ = std::fs::remove_dir_all(folder.path());
            }
        }
    }

    /// Locks the installation of this release; others wait until the lock is dropped.
    pub fn lock(&self, name: &str) -> std::io::Result<File> {
        make_private(&self.solvers())?;
        let path = self.solvers().join(format!(".lock-{name}"));
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// Turns a prepared folder into an installation, atomically.
    pub fn adopt(&self, staging: &Staging, installed: &Installed) -> std::io::Result<Entry> {
        let text = toml::to_string(installed).map_err(std::io::Error::other)?;
        std::fs::write(staging.folder.join(MANIFEST), text)?;
        let name = format!("{}-{}", installed.solver, installed.version);
        let folder = self.solvers().join(name);
        if read_entry(folder.clone()).is_none() {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::rename(&staging.folder, &folder)?;
        }
        read_entry(folder).ok_or_else(|| std::io::Error::other("the installation is unreadable"))
    }

    /// Removes an installation. It is renamed first, so that an interruption leaves nothing that looks complete.
    pub fn remove(&self, entry: &Entry) -> std::io::Result<()> {
        let staging = self.staging()?;
        std::fs::rename(&entry.folder, staging.folder.join("removed"))
    }
}

/// A folder that is being prepared.
#[derive(Debug)]
pub struct Staging {
    folder: PathBuf,
}

impl Staging {
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Why other users could write in a folder, if they could.
fn is_foreign(folder: &Path) -> Option<String> {
    let data = match std::fs::metadata(folder) {
        Ok(data) => data,
        Err(error) => return Some(format!("{}: {error}", folder.display())),
    };
    let own = rustix::process::geteuid().as_raw();
    let shown = folder.display();
    if data.uid() != own && data.uid() != 0 {
        return Some(format!("{shown} belongs to another user"));
    }
    (data.mode() & 0o002 != 0).then(|| format!("{shown} is writable by everybody"))
}

/// Makes a private folder; an existing one stays as it is.
fn make_private(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let new = path.with_extension(format!("new-{}", std::process::id()));
    std::fs::write(&new, text)?;
    std::fs::rename(&new, path)
}

fn read_entry(folder: PathBuf) -> Option<Entry> {
    let text = std::fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let installed = toml::from_str(&text).ok()?;
    Some(Entry { folder, installed })
}

/// The SHA-256 of a text, in hexadecimal.
pub(crate) fn sha256_of(text: &[u8]) -> String {
    let digest = Sha256::digest(text);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of a file, in hexadecimal.
pub fn sha256(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0u8; 64 << 10];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            count => hash.update(&chunk[..count]),
        }
    }
    let digest = hash.finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}
