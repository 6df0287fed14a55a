//! Copies the findings and seed knowledge of other campaigns into one. Counters of cases stay where they are, and so
//! do the features that shape a plan, because a plan follows from its own campaign alone.

use crate::findings::finding::Finding;
use crate::findings::folder::{Folder, FolderError};
use crate::store::{self, FindingRow, Sqlite, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    pub new: usize,
    pub known: usize,
    /// Seeds with new knowledge.
    pub seeds: usize,
    /// Findings that could not be read, with the reason.
    pub unreadable: Vec<(String, String)>,
}

/// Why campaigns cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a finding cannot be written: {0}")]
    Write(#[from] std::io::Error),
    #[error("{} cannot be merged with itself", .0.display())]
    Itself(PathBuf),
    #[error("{} belongs to a shared campaign; name its database with --store", .0.display())]
    Shared(PathBuf),
}

/// The target of a merge.
pub enum Destination {
    /// Created if missing.
    Folder(PathBuf),
    /// The database of a shared campaign.
    Store(Box<dyn Store>),
}

/// The target campaign.
struct Target {
    /// None if the campaign is in a database only.
    folder: Option<Folder>,
    store: Box<dyn Store>,
    fingerprints: BTreeSet<String>,
    ids: BTreeSet<String>,
    /// The findings that represent bugs, by reduced script.
    shapes: BTreeMap<String, String>,
}

/// Adds the findings and the learned seeds of `others`, folders or databases, to a campaign.
/// Merging the same campaign again changes nothing.
pub fn merge(into: Destination, others: &[String]) -> Result<Merged, MergeError> {
    for other in others.iter().filter(|other| !store::is_url(other)) {
        let path = Path::new(other);
        Folder::look(path)?;
        if let Destination::Folder(into) = &into
            && path.canonicalize().ok() == into.canonicalize().ok()
        {
            return Err(MergeError::Itself(path.to_path_buf()));
        }
    }
    let mut target = Target::open(into)?;
    let mut merged = Merged::default();
    for other in others {
        target.take_in(&mut *store::look(other)?, &mut merged)?;
    }
    Ok(merged)
}

impl Target {
    fn open(into: Destination) -> Result<Target, MergeError> {
        let (folder, mut store) = match into {
            Destination::Store(store) => (None, store),
            Destination::Folder(path) => {
                let folder = Folder::create(&path)?;
                if folder.belongs_to(None).is_err() {
                    return Err(MergeError::Shared(path));
                }
                let store: Box<dyn Store> = Box::new(Sqlite::create(&folder.database())?);
                (Some(folder), store)
            }
        };
        let rows = store.findings()?;
        let mut target = Target {
            folder,
            store,
            fingerprints: BTreeSet::new(),
            ids: BTreeSet::new(),
            shapes: BTreeMap::new(),
        };
        for row in rows {
            if let Ok(finding) = Finding::from_json(&row.json) {
                target.enter(&finding);
            }
        }
        Ok(target)
    }

    fn enter(&mut self, finding: &Finding) {
        self.fingerprints.insert(finding.fingerprint.clone());
        self.ids.insert(finding.id.to_string());
        if let (Some(shape), None) = (&finding.reduced_fingerprint, &finding.same_as) {
            self.shapes.insert(shape.clone(), finding.id.to_string());
        }
    }

    fn take_in(&mut self, from: &mut dyn Store, merged: &mut Merged) -> Result<(), MergeError> {
        // An empty folder becomes a copy of the first campaign.
        if let Some(row) = from.campaign()? {
            self.store.open(&row)?;
        }
        let seeds = from.seeds()?;
        merged.seeds += seeds.len();
        self.store.put_seeds(&seeds)?;
        self.store.put_scripts(&from.scripts()?)?;
        self.store.put_defects(&from.defects()?)?;
        for row in from.findings()? {
            let finding = match Finding::from_json(&row.json) {
                Ok(finding) => finding,
                Err(error) => {
                    merged.unreadable.push((row.id, error.to_string()));
                    continue;
                }
            };
            match self.fingerprints.contains(&finding.fingerprint) {
                true => merged.known += 1,
                false => {
                    self.add(finding, row.repeats)?;
                    merged.new += 1;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, mut finding: Finding, repeats: u64) -> Result<(), MergeError> {
        let there = |same: &String| self.ids.contains(same);
        let shape = finding.reduced_fingerprint.as_ref();
        let same_shape = shape.and_then(|shape| self.shapes.get(shape).cloned());
        finding.same_as = finding.same_as.filter(there).or(same_shape);
        if let Some(folder) = &self.folder {
            folder.write(&finding)?;
        }
        self.store.put_findings(&[FindingRow::from(&finding)])?;
        self.store
            .add_repeats(&[(finding.fingerprint.clone(), repeats)])?;
        self.enter(&finding);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;
    use crate::scratch::Scratch;
    use crate::store::{CampaignRow, SeedRow};

    fn merge(into: &Path, others: &[PathBuf]) -> Result<Merged, MergeError> {
        let others: Vec<String> = others.iter().map(|o| o.display().to_string()).collect();
        super::merge(Destination::Folder(into.to_path_buf()), &others)
    }

    fn campaign(path: &Path, names: &[&str], shape: Option<&str>) {
        let folder = Folder::create(path).unwrap();
        let mut store = Sqlite::create(&folder.database()).unwrap();
        let row = CampaignRow {
            seed: names.len() as u64,
            settings: "{}".to_string(),
            started: 1,
        };
        store.open(&row).unwrap();
        for name in names {
            let mut finding = sample(name);
            finding.reduced_fingerprint = shape.map(ToString::to_string);
            folder.write(&finding).unwrap();
            store.put_findings(&[FindingRow::from(&finding)]).unwrap();
        }
        let (key, name, facts) = ("k".to_string(), "n".to_string(), "{}".to_string());
        store.put_seeds(&[SeedRow { key, name, facts }]).unwrap();
    }

    #[test]
    fn what_is_new_is_added_once() {
        let scratch = Scratch::new();
        let [one, two, all] = ["one", "two", "all"].map(|name| scratch.path().join(name));
        campaign(&one, &["f", "g"], None);
        campaign(&two, &["g", "h", "i"], None);
        let merged = merge(&all, &[one.clone(), two.clone()]).unwrap();
        assert_eq!((merged.new, merged.known, merged.seeds), (4, 1, 2));
        let (findings, unreadable) = Folder::look(&all).unwrap().findings();
        assert_eq!((findings.len(), unreadable.len()), (4, 0));
        assert_eq!(merge(&all, &[two]).unwrap().new, 0, "again is nothing new");
        let mut store = Sqlite::look(&all.join("campaign.db")).unwrap();
        assert_eq!(
            store.campaign().unwrap().unwrap().seed,
            2,
            "the first one's"
        );
        assert_eq!(store.findings().unwrap().len(), 4);
    }

    #[test]
    fn findings_of_one_shape_are_one_bug_across_campaigns() {
        let scratch = Scratch::new();
        let [one, two] = ["one", "two"].map(|name| scratch.path().join(name));
        campaign(&one, &["f"], Some("shape"));
        campaign(&two, &["g"], Some("shape"));
        merge(&one, &[two]).unwrap();
        let (findings, _) = Folder::look(&one).unwrap().findings();
        let bugs = findings.iter().filter(|f| f.same_as.is_none()).count();
        assert_eq!((findings.len(), bugs), (2, 1));
    }

    #[test]
    fn a_folder_without_a_campaign_or_the_same_one_is_refused() {
        let scratch = Scratch::new();
        let one = scratch.path().join("one");
        campaign(&one, &["f"], None);
        let none = merge(&one, &[scratch.path().join("none")]);
        assert!(matches!(none, Err(MergeError::Folder(_))));
        let itself = merge(&one, std::slice::from_ref(&one));
        assert!(matches!(itself, Err(MergeError::Itself(_))));
    }
}
