//! The folder of installed solvers: what is in it, how something comes into it whole or not at all, and how it leaves.

use crate::invocation::Invocation;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of the file that says what a folder holds; it is written last, so a folder without it is no installation.
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
    /// Where it came from: `pip`, `debian` or `cargo`.
    pub channel: String,
    /// The package file or files, for the record.
    pub packages: Vec<PackageFile>,
    /// The program; a relative path is inside the folder.
    pub program: String,
    /// What stands before the options; paths in it that begin with `./` are inside the folder.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Folders of shared libraries; a relative path is inside the folder.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// Files that must not change: the program or driver, with their checksums.
    pub files: Vec<PackageFile>,
    /// Whether a driver stands in for the program.
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
    /// Reads a file below `folder` and takes its checksum.
    pub fn of(folder: &Path, name: &str) -> std::io::Result<PackageFile> {
        Ok(PackageFile {
            name: name.to_string(),
            sha256: sha256(&folder.join(name))?,
        })
    }
}

/// A release in the cache, with the folder that holds it.
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
            folder: None,
        }
    }

    /// Brings files of the installation up to date with this program; each is replaced in one step.
    pub(crate) fn renew(&mut self, files: &[(&str, &str)]) -> std::io::Result<()> {
        let stale = |(name, text): &&(&str, &str)| {
            std::fs::read_to_string(self.folder.join(name))
                .ok()
                .as_deref()
                != Some(*text)
        };
        let stale: Vec<_> = files.iter().filter(stale).collect();
        for (name, text) in &stale {
            replace(&self.folder.join(name), text)?;
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

    /// `$AUSPEX_CACHE`, else `$XDG_CACHE_HOME/auspex`, else `~/.cache/auspex`.
    pub fn of_user() -> Cache {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = match (set("AUSPEX_CACHE"), set("XDG_CACHE_HOME"), set("HOME")) {
            (Some(own), _, _) => PathBuf::from(own),
            (None, Some(caches), _) => PathBuf::from(caches).join("auspex"),
            (None, None, Some(home)) => PathBuf::from(home).join(".cache/auspex"),
            (None, None, None) => std::env::temp_dir().join("auspex-cache"),
        };
        Cache { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn solvers(&self) -> PathBuf {
        self.folder.join("solvers")
    }

    /// Everything that is installed, by name and release.
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

    /// A new, empty folder to prepare an installation in; removed when dropped.
    pub fn staging(&self) -> std::io::Result<Staging> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".staging-{}-{number}", std::process::id());
        let folder = self.solvers().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        Ok(Staging { folder })
    }

    /// Removes what interrupted installations left; a folder whose process lives is kept.
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

    /// Waits until nobody else installs this; others wait until the result is dropped.
    pub fn lock(&self, name: &str) -> std::io::Result<File> {
        std::fs::create_dir_all(self.solvers())?;
        let path = self.solvers().join(format!(".lock-{name}"));
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// Makes a prepared folder an installation, in one step.
    pub fn adopt(&self, staging: &Staging, installed: &Installed) -> std::io::Result<Entry> {
        let text = toml::to_string(installed).map_err(std::io::Error::other)?;
        std::fs::write(staging.folder.join(MANIFEST), text)?;
        let name = format!("{}-{}", installed.solver, installed.version);
        let folder = self.solvers().join(name);
        if read_entry(folder.clone()).is_none() {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::rename(&staging.folder, &folder)?;
        }
        read_entry(folder).ok_or_else(|| std::io::Error::other("the installation cannot be read"))
    }

    /// Removes an installation. It is renamed first, so that an interruption leaves nothing that looks whole.
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
