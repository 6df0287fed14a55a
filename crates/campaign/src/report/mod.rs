//! Reports for people: per bug a text to paste into a tracker, and one page with charts that needs no network.
//! Nothing is ever sent anywhere.

pub mod account;
pub mod chart;
mod console;
pub mod exchange;
mod expected;
pub mod explain;
mod headline;
pub mod issue;
pub mod markdown;
mod markup;
pub mod next;
pub mod page;
mod prose;
mod related;
pub mod tables;

pub use account::BugSummary;
pub use headline::headline;
pub use issue::{Tracker, issue};
pub use page::page;

use crate::findings::bug::BugState;
use crate::findings::group::Group;
use crate::status::Status;
use std::collections::BTreeMap;
use tables::Table;

/// A bug with everything that is told about it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub group: Group,
    pub account: BugSummary,
    pub tracker: Tracker,
    /// The week in which its tracker would welcome it, from 1; none if it is reported or fixed already.
    pub week: Option<u32>,
}

impl Entry {
    /// The name of its text.
    pub fn file_name(&self) -> String {
        format!("{}.md", self.group.first().finding.id)
    }
}

/// Everything a report is made from.
pub struct Report {
    pub title: String,
    pub entries: Vec<Entry>,
    /// What was found besides bugs.
    pub others: Vec<Group>,
    /// The states of the campaign, oldest first.
    pub states: Vec<Status>,
}

impl Report {
    /// The bugs counted by state, class, theory and release.
    pub fn tables(&self) -> Vec<Table> {
        let groups: Vec<&Group> = self.entries.iter().map(|entry| &entry.group).collect();
        tables::tables(&groups)
    }
}

/// Spreads reports over weeks, so that no tracker gets more than its maintainers ask for.
pub fn plan_weeks(entries: &mut [Entry]) {
    let mut planned: BTreeMap<String, u32> = BTreeMap::new();
    for entry in entries.iter_mut() {
        if entry.group.fixed_in().is_some() || entry.group.state() != BugState::Open {
            entry.week = None;
            continue;
        }
        let before = planned.entry(entry.tracker.url.clone()).or_default();
        let budget = entry.tracker.weekly.unwrap_or(u32::MAX).max(1);
        entry.week = Some(*before / budget + 1);
        *before += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;
    use crate::findings::group::{FindingRecord, groups};
    use crate::findings::history::{History, Recheck, State};

    fn entry(fingerprint: &str, weekly: Option<u32>) -> Entry {
        let finding = sample(fingerprint);
        let exhibit = FindingRecord {
            finding: finding.clone(),
            history: History::default(),
            repeats: 0,
        };
        Entry {
            group: groups(vec![exhibit]).remove(0),
            account: BugSummary::of(&finding, None),
            tracker: Tracker {
                url: format!("tracker {weekly:?}"),
                weekly,
                ..Tracker::default()
            },
            week: None,
        }
    }

    #[test]
    fn a_tracker_gets_no_more_than_it_asks_for_and_nothing_that_is_fixed() {
        let mut all: Vec<Entry> = ["a", "b", "c", "d"].map(|f| entry(f, Some(2))).into();
        all.push(entry("e", None));
        let fixed = Recheck {
            solver: "z3 6".to_string(),
            state: State::Fixed,
            answers: Vec::new(),
            at: 1,
        };
        all[1].group.members[0].history.rechecks.push(fixed);
        plan_weeks(&mut all);
        let weeks: Vec<Option<u32>> = all.iter().map(|e| e.week).collect();
        assert_eq!(weeks, [Some(1), None, Some(1), Some(2), Some(1)]);
    }
}
