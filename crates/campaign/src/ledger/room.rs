//! How much of the disk a campaign takes: measured now and then, and kept within its limit by giving up what is
//! least missed. Old counters go first, then what findings that are one bug, or of one kind, hold besides a script
//! that shows them. No finding is given up.

use super::writer::Writer;
use crate::judge::fingerprint::BUCKET_LIMIT;
use crate::store::{FindingRow, StoreError};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// How often it is measured.
const EVERY: Duration = Duration::from_secs(20);
/// So many findings of a bucket are kept whole, whatever the room; and so many are found while room is short.
const WHOLE: usize = 3;

/// What is known about the room.
#[derive(Default)]
pub(super) struct Room {
    /// None is 0.
    limit: u64,
    used: u64,
    measured: Option<Instant>,
    /// Findings that have been looked at, and are slim or must stay whole.
    settled: HashSet<String>,
    short: bool,
}

impl Room {
    /// How many different bugs of a bucket are kept.
    pub(super) fn most(&self) -> usize {
        if self.short { WHOLE } else { BUCKET_LIMIT }
    }

    /// What is wrong, if anything is.
    pub(super) fn trouble(&self) -> Option<String> {
        let mega = |bytes: u64| bytes.div_ceil(1 << 20);
        self.short.then(|| {
            let (used, limit) = (mega(self.used), mega(self.limit));
            format!(
                "the campaign takes {used} MB and --disk-limit allows {limit} MB: \
                 of each kind only the first {WHOLE} findings are kept"
            )
        })
    }

    /// Bytes that are used, and that may be.
    pub(super) fn state(&self) -> (u64, u64) {
        (self.used, self.limit)
    }

    fn excess(&self) -> u64 {
        match self.limit {
            0 => 0,
            limit => self.used.saturating_sub(limit),
        }
    }
}

impl Room {
    /// Sets the bytes that the campaign may take; none is no limit.
    pub(super) fn limit(&mut self, limit: Option<u64>) {
        self.limit = limit.unwrap_or(0);
        self.measured = None;
    }
}

impl Writer {
    /// Measures if it is time, and gives up what must be given up. `names` gives the findings that are the same bug as
    /// another, and all others, oldest first.
    pub(super) fn keep_room(
        &mut self,
        names: impl Fn() -> (Vec<String>, Vec<String>),
    ) -> Result<(), StoreError> {
        if self.room.measured.is_some_and(|at| at.elapsed() < EVERY) {
            return Ok(());
        }
        self.room.measured = Some(Instant::now());
        self.folder.keep_reserve();
        self.room.used = self.folder.size();
        if self.room.excess() > 0 {
            self.store.spare()?;
            self.room.used = self.folder.size();
            let (same, first) = names();
            self.slim_findings(&same, &first)?;
        }
        self.room.short = self.room.excess() > 0;
        Ok(())
    }

    fn slim_findings(&mut self, same: &[String], first: &[String]) -> Result<(), StoreError> {
        for id in same {
            self.slim(id)?;
        }
        let mut kinds: HashMap<String, usize> = HashMap::new();
        for id in first {
            if self.room.excess() == 0 {
                return Ok(());
            }
            let Some(finding) = self.folder.finding(id) else {
                continue;
            };
            let number = kinds.entry(finding.bucket).or_default();
            *number += 1;
            if *number > WHOLE {
                self.slim(id)?;
            }
        }
        Ok(())
    }

    fn slim(&mut self, id: &str) -> Result<(), StoreError> {
        if self.room.excess() == 0 || !self.room.settled.insert(id.to_string()) {
            return Ok(());
        }
        let Some(finding) = self.folder.finding(id).filter(|finding| !finding.slim) else {
            return Ok(());
        };
        let finding = finding.slimmed();
        if let Ok(freed) = self.folder.slim(&finding) {
            self.room.used = self.room.used.saturating_sub(freed);
        }
        // A store on another disk keeps it whole.
        match self.deployment.has_own_disk() {
            true => Ok(()),
            false => self
                .store
                .put_findings(&[FindingRow::from(&finding)])
                .map(drop),
        }
    }
}
