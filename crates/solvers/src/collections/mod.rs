//! Collections of seeds: brought by name through cargo, or copied from a folder, a checkout or an archive, and kept in
//! the cache with origin, licence and checksum. Only scripts and licences are kept; nothing of a package is run.

use crate::cache::{Cache, Staging, sha256};
use crate::install::{InstallError, tool};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The name of the file that says where a collection is from; it is written last.
const ORIGIN: &str = "auspex-seeds.toml";
/// The folder of the scripts within a collection.
const SCRIPTS: &str = "scripts";
/// Larger scripts are no use as seeds.
const LARGEST: u64 = 4 << 20;
/// How deep folders are followed.
const DEEPEST: usize = 24;

/// A collection that can be had by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    pub name: String,
    pub about: String,
    /// The crate that holds it.
    pub package: String,
    pub version: String,
    /// Of the package file.
    pub sha256: String,
    /// Where the scripts are in it.
    pub folder: String,
    pub licence: String,
    /// Files of the package that state the licence.
    pub licences: Vec<String>,
    /// How many there are.
    pub scripts: usize,
}

/// Where the scripts of an installed collection are from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    pub name: String,
    pub version: String,
    /// `crate bitwuzla-sys 0.8.0`, `git checkout …`, `archive …`, `folder …`.
    pub source: String,
    #[serde(default)]
    pub licence: Option<String>,
    pub scripts: usize,
    pub bytes: u64,
    /// Of the names and contents of all scripts.
    pub sha256: String,
}

/// An installed collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    folder: PathBuf,
    pub origin: Origin,
}

impl Collection {
    /// The folder of its scripts.
    pub fn scripts(&self) -> PathBuf {
        self.folder.join(SCRIPTS)
    }

    /// Whether its scripts are those that were installed.
    pub fn is_whole(&self) -> bool {
        digest(&self.scripts()).is_ok_and(|now| now.sha256 == self.origin.sha256)
    }
}

/// Why a collection could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    #[error("{package} has the checksum {found}, and {wanted} is recorded; nothing of it is used")]
    Checksum {
        package: String,
        wanted: String,
        found: String,
    },
    #[error("{0} holds no .smt2 files")]
    Empty(String),
    #[error("{0} has changed since it was installed")]
    Changed(String),
    #[error("{0:?} is no name of a collection: use letters, digits, `-`, `_` and `.`")]
    BadName(String),
    #[error(transparent)]
    Tool(#[from] InstallError),
    #[error("{path}: {source}")]
    Io {
        path: String,
        source: std::io::Error,
    },
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> CollectionError + '_ {
    move |source| CollectionError::Io {
        path: path.display().to_string(),
        source,
    }
}

/// The collections that can be had by name.
pub fn known() -> Vec<Known> {
    #[derive(Deserialize)]
    struct File {
        collection: Vec<Known>,
    }
    let file: File = toml::from_str(include_str!("known.toml")).expect("known.toml is well-formed");
    file.collection
}

/// The collections in the cache, by name.
pub fn installed(cache: &Cache) -> Vec<Collection> {
    let Ok(folders) = std::fs::read_dir(cache.seeds()) else {
        return Vec::new();
    };
    let mut found: Vec<Collection> = folders
        .flatten()
        .filter_map(|entry| {
            let text = std::fs::read_to_string(entry.path().join(ORIGIN)).ok()?;
            Some(Collection {
                folder: entry.path(),
                origin: toml::from_str(&text).ok()?,
            })
        })
        .collect();
    found.sort_by(|one, other| one.origin.name.cmp(&other.origin.name));
    found
}

/// Brings a collection by name, unless it is here.
pub fn install(cache: &Cache, known: &Known) -> Result<Collection, CollectionError> {
    let _lock = cache.lock("seeds").map_err(at(cache.folder()))?;
    let is_it = |c: &Collection| c.origin.name == known.name && c.origin.version == known.version;
    if let Some(present) = installed(cache).into_iter().find(is_it) {
        return Ok(present);
    }
    let staging = cache.staging().map_err(at(cache.folder()))?;
    let package = vendored(known, &staging)?;
    let ready = staging.folder().join("ready");
    copy_scripts(&package.join(&known.folder), &ready.join(SCRIPTS))?;
    for licence in &known.licences {
        let to = ready.join(licence.replace('/', "-"));
        std::fs::copy(package.join(licence), &to).map_err(at(&to))?;
    }
    let source = format!("crate {} {}", known.package, known.version);
    let origin = (known.name.as_str(), Some(known.version.as_str()), source);
    adopt(cache, &ready, origin, Some(known.licence.clone()))
}

/// Copies the scripts of a folder, a checkout or an archive.
pub fn install_from(
    cache: &Cache,
    path: &Path,
    name: &str,
    licence: Option<String>,
) -> Result<Collection, CollectionError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(CollectionError::BadName(name.to_string()));
    }
    let _lock = cache.lock("seeds").map_err(at(cache.folder()))?;
    let staging = cache.staging().map_err(at(cache.folder()))?;
    let ready = staging.folder().join("ready");
    let scripts = ready.join(SCRIPTS);
    std::fs::create_dir_all(&scripts).map_err(at(&scripts))?;
    let path = path.canonicalize().map_err(at(path))?;
    let (version, source) = match path.is_dir() {
        true => {
            copy_scripts(&path, &scripts)?;
            match commit(&path) {
                Some(commit) => (
                    Some(commit[..12].to_string()),
                    format!("git checkout {} at {commit}", path.display()),
                ),
                None => (None, format!("folder {}", path.display())),
            }
        }
        false => {
            let driver = staging.folder().join("unpack.py");
            std::fs::write(&driver, include_str!("unpack.py")).map_err(at(&driver))?;
            let words = [driver.as_os_str(), path.as_os_str(), scripts.as_os_str()];
            tool::run("python3", &words, None)?;
            let sum = sha256(&path).map_err(at(&path))?;
            let source = format!("archive {} with checksum {sum}", path.display());
            (Some(sum[..12].to_string()), source)
        }
    };
    adopt(cache, &ready, (name, version.as_deref(), source), licence)
}

/// Removes every collection of that name; false if there is none.
pub fn remove(cache: &Cache, name: &str) -> Result<bool, CollectionError> {
    let mut removed = false;
    for one in installed(cache) {
        if one.origin.name == name {
            let staging = cache.staging().map_err(at(cache.folder()))?;
            let to = staging.folder().join("removed");
            std::fs::rename(&one.folder, to).map_err(at(&one.folder))?;
            removed = true;
        }
    }
    Ok(removed)
}

/// Makes a prepared folder a collection in one step; an older one of the same name goes.
fn adopt(
    cache: &Cache,
    ready: &Path,
    (name, version, source): (&str, Option<&str>, String),
    licence: Option<String>,
) -> Result<Collection, CollectionError> {
    let scripts = ready.join(SCRIPTS);
    let found = digest(&scripts).map_err(at(&scripts))?;
    if found.scripts == 0 {
        return Err(CollectionError::Empty(source));
    }
    let origin = Origin {
        name: name.to_string(),
        version: version.unwrap_or(&found.sha256[..12]).to_string(),
        source,
        licence,
        scripts: found.scripts,
        bytes: found.bytes,
        sha256: found.sha256,
    };
    let text = toml::to_string(&origin).expect("plain values");
    std::fs::write(ready.join(ORIGIN), text).map_err(at(ready))?;
    remove(cache, name)?;
    let folder = cache.seeds().join(format!("{name}-{}", origin.version));
    std::fs::create_dir_all(cache.seeds()).map_err(at(&folder))?;
    std::fs::rename(ready, &folder).map_err(at(&folder))?;
    Ok(Collection { folder, origin })
}

/// The sources of a crate, as cargo brings them; checked against the recorded checksum.
fn vendored(known: &Known, staging: &Staging) -> Result<PathBuf, CollectionError> {
    let folder = staging.folder().join("fetch");
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n{} = \"={}\"\n",
        known.package, known.version
    );
    std::fs::create_dir_all(&folder).map_err(at(&folder))?;
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(at(&folder))?;
    std::fs::write(folder.join("lib.rs"), "").map_err(at(&folder))?;
    let words = ["vendor", "--versioned-dirs", "--quiet", "packages"];
    tool::run("cargo", &words, Some(&folder))?;
    let name = format!("{}-{}", known.package, known.version);
    let package = folder.join("packages").join(name);
    let sums = package.join(".cargo-checksum.json");
    let text = std::fs::read_to_string(&sums).map_err(at(&sums))?;
    let wanted = format!("\"package\":\"{}\"", known.sha256);
    if !text.contains(&wanted) {
        let found = text.rsplit("\"package\":\"").next().unwrap_or("");
        return Err(CollectionError::Checksum {
            package: known.package.clone(),
            wanted: known.sha256.clone(),
            found: found.trim_end_matches(['"', '}']).to_string(),
        });
    }
    Ok(package)
}

/// The commit of a checkout, if it is one and git is here.
fn commit(path: &Path) -> Option<String> {
    if !path.join(".git").exists() {
        return None;
    }
    let words = ["rev-parse", "HEAD"];
    let said = tool::run("git", &words, Some(path)).ok()?;
    Some(said.trim().to_string()).filter(|commit| commit.len() >= 12 && commit.is_ascii())
}

/// Copies the scripts below a folder; links are not followed.
fn copy_scripts(from: &Path, to: &Path) -> Result<(), CollectionError> {
    for path in scripts_below(from).map_err(at(from))? {
        let inside = path.strip_prefix(from).expect("below the folder");
        let target = to.join(inside);
        let parent = target.parent().expect("below a folder");
        std::fs::create_dir_all(parent).map_err(at(parent))?;
        std::fs::copy(&path, &target).map_err(at(&path))?;
    }
    Ok(())
}

/// Plain files that end in `.smt2`, in order.
fn scripts_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut open, mut found) = (vec![(folder.to_path_buf(), 0)], Vec::new());
    while let Some((folder, depth)) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, entry.path());
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.is_dir() && !hidden && depth < DEEPEST {
                open.push((path, depth + 1));
            } else if kind.is_file()
                && path.extension().is_some_and(|e| e == "smt2")
                && entry.metadata()?.len() <= LARGEST
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What scripts there are, in numbers.
struct Scripts {
    scripts: usize,
    bytes: u64,
    sha256: String,
}

fn digest(folder: &Path) -> std::io::Result<Scripts> {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let all = scripts_below(folder)?;
    for path in &all {
        let text = std::fs::read(path)?;
        let name = path.strip_prefix(folder).unwrap_or(path);
        hash.update(name.as_os_str().as_encoded_bytes());
        hash.update([0]);
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(&text);
        bytes += text.len() as u64;
    }
    let digest = hash.finalize();
    Ok(Scripts {
        scripts: all.len(),
        bytes,
        sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str) -> Cache {
        let folder =
            std::env::temp_dir().join(format!("auspex-seeds-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Cache::at(folder)
    }

    fn folder_of_scripts(cache: &Cache) -> PathBuf {
        let folder = cache.folder().join("own");
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        std::fs::write(folder.join("a.smt2"), "(check-sat)").unwrap();
        std::fs::write(folder.join("deep/b.smt2"), "(check-sat)\n").unwrap();
        std::fs::write(folder.join("README"), "no script").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("c.smt2")).unwrap();
        folder
    }

    #[test]
    fn known_collections_are_well_formed() {
        let all = known();
        assert!(all.iter().any(|one| one.name == "bitwuzla"));
        for one in all {
            assert_eq!(one.sha256.len(), 64, "{}", one.name);
        }
    }

    #[test]
    fn a_folder_is_copied_without_links_and_checked() {
        let cache = cache("folder");
        let own = folder_of_scripts(&cache);
        let one = install_from(&cache, &own, "own", Some("MIT".into())).unwrap();
        assert_eq!(one.origin.scripts, 2);
        assert_eq!(installed(&cache), std::slice::from_ref(&one));
        assert!(one.is_whole());
        std::fs::write(one.scripts().join("a.smt2"), "(exit)").unwrap();
        assert!(!one.is_whole());
        assert!(remove(&cache, "own").unwrap() && !remove(&cache, "own").unwrap());
        std::fs::remove_dir_all(cache.folder()).unwrap();
    }

    #[test]
    fn archives_cannot_write_elsewhere() {
        let cache = cache("archive");
        std::fs::create_dir_all(cache.folder()).unwrap();
        let make = "import sys, zipfile\n\
                    with zipfile.ZipFile(sys.argv[1], 'w') as z:\n \
                    z.writestr('../../evil.smt2', '(exit)')\n \
                    z.writestr('good/a.smt2', '(check-sat)')\n";
        let archive = cache.folder().join("a.zip");
        let words = ["-c".as_ref(), make.as_ref(), archive.as_os_str()];
        tool::run("python3", &words, None).unwrap();
        let one = install_from(&cache, &archive, "zipped", None).unwrap();
        assert_eq!(one.origin.scripts, 1);
        assert!(one.scripts().join("good/a.smt2").exists());
        std::fs::remove_dir_all(cache.folder()).unwrap();
    }

    #[test]
    fn names_are_plain() {
        let cache = cache("names");
        let own = folder_of_scripts(&cache);
        for name in ["", "../x", ".x", "a/b"] {
            let error = install_from(&cache, &own, name, None).unwrap_err();
            assert!(matches!(error, CollectionError::BadName(_)), "{name}");
        }
        std::fs::remove_dir_all(cache.folder()).unwrap();
    }
}
