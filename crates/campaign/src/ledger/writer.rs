//! The writer: the campaign's folder and store, and what waits to be written. Whoever holds it may wait for a disk or a
//! database; leasing a block and looking up a finding do not need it.

use super::deployment::Deployment;
use super::room::Room;
use crate::findings::finding::Finding;
use crate::findings::folder::Folder;
use crate::store::{DefectRow, FindingRow, SeedRow, Store, StoreError};
use std::collections::BTreeMap;
use std::io;

pub(super) struct Writer {
    pub(super) store: Box<dyn Store>,
    pub(super) folder: Folder,
    pub(super) room: Room,
    pub(super) deployment: Box<dyn Deployment>,
    /// Findings that are not on disk.
    pub(super) unsaved: Vec<Finding>,
    /// Findings that are on disk, and not in the store.
    pub(super) undelivered: Vec<Finding>,
}

/// Rows that wait to be written.
#[derive(Default)]
pub(super) struct Pending {
    pub(super) features: Vec<u64>,
    pub(super) seeds: Vec<SeedRow>,
    pub(super) defects: Vec<DefectRow>,
    pub(super) repeats: BTreeMap<String, u64>,
}

impl Pending {
    /// Adds rows that came later.
    pub(super) fn add(&mut self, later: Pending) {
        self.features.extend(later.features);
        self.seeds.extend(later.seeds);
        self.defects.extend(later.defects);
        for (fingerprint, count) in later.repeats {
            *self.repeats.entry(fingerprint).or_default() += count;
        }
    }
}

impl Writer {
    /// Writes a finding to the disk and to the store. If the disk does not take it, a store elsewhere may; else it waits.
    /// Returns as `deliver`, and what is wrong.
    pub(super) fn save(&mut self, finding: &Finding) -> (Vec<String>, Option<String>) {
        let Err(error) = self.write_to_disk(finding) else {
            self.undelivered.push(finding.clone());
            return match self.deliver() {
                Ok(known) => (known, None),
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
        };
        let trouble = Some(format!("a finding cannot be written: {error}"));
        if self.deployment.has_own_disk() {
            self.undelivered.push(finding.clone());
            if let Ok(known) = self.deliver() {
                return (known, trouble);
            }
            self.undelivered.pop();
        }
        self.unsaved.push(finding.clone());
        (Vec::new(), trouble)
    }

    fn write_to_disk(&mut self, finding: &Finding) -> io::Result<()> {
        self.folder.write(finding).or_else(|error| {
            // The reserve makes room for this one and some more.
            match self.folder.spend_reserve() {
                true => self.folder.write(finding),
                false => Err(error),
            }
        })
    }

    /// Sends findings to the store. Returns the fingerprints of those that another process had sent before.
    pub(super) fn deliver(&mut self) -> Result<Vec<String>, StoreError> {
        if self.undelivered.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<FindingRow> = self.undelivered.iter().map(FindingRow::from).collect();
        let is_new = self.store.put_findings(&rows)?;
        let findings = std::mem::take(&mut self.undelivered);
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for (finding, new) in findings.into_iter().zip(is_new) {
            if new { &mut first } else { &mut again }.push(finding);
        }
        self.deployment.delivered(&mut *self.store, &first)?;
        // A finding that is sent again because it was reduced is not another sighting.
        let seen = again
            .into_iter()
            .filter(|finding| finding.reduced.is_none());
        Ok(match self.deployment.has_own_disk() {
            true => seen.map(|finding| finding.fingerprint).collect(),
            false => Vec::new(),
        })
    }

    /// Writes rows; those that are written are removed.
    pub(super) fn write(&mut self, pending: &mut Pending) -> Result<(), StoreError> {
        self.store.put_features(&pending.features)?;
        pending.features.clear();
        self.store.put_seeds(&pending.seeds)?;
        pending.seeds.clear();
        self.store.put_defects(&pending.defects)?;
        pending.defects.clear();
        let repeats: Vec<(String, u64)> = pending.repeats.clone().into_iter().collect();
        self.store.add_repeats(&repeats)?;
        pending.repeats.clear();
        Ok(())
    }

    /// A finding as it was last written, or as it waits to be.
    pub(super) fn finding(&mut self, id: &str) -> Option<Finding> {
        let waiting = self.unsaved.iter().chain(&self.undelivered);
        let waiting = waiting.rev().find(|finding| finding.id == *id).cloned();
        waiting
            .or_else(|| self.deployment.finding(&mut *self.store, id))
            .or_else(|| self.folder.finding(id))
    }

    /// What is wrong with the store, and what that means.
    pub(super) fn worded(&self, error: &StoreError) -> String {
        match (error, self.undelivered.len()) {
            (StoreError::Away(_), 0) => format!("{error}; will retry"),
            (StoreError::Away(_), number) => format!(
                "{error}; {number} findings wait in {}; will retry",
                self.folder.path().display()
            ),
            _ => error.to_string(),
        }
    }
}
