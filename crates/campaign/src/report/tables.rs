//! Bugs counted by state, class, theory and release, each by solver: the tables with which papers and teams report.

use crate::findings::bug::BugState;
use crate::findings::group::Group;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A table of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub title: &'static str,
    /// What a row is.
    pub what: &'static str,
    /// The solvers, and `total`.
    pub columns: Vec<String>,
    pub rows: Vec<(String, Vec<usize>)>,
}

impl Table {
    /// Counts groups by the words of each; rows in the order given, or by their number of bugs.
    fn of(
        title: &'static str,
        what: &'static str,
        groups: &[&Group],
        words: impl Fn(&Group) -> Vec<String>,
    ) -> Table {
        let mut solvers: Vec<String> = groups
            .iter()
            .map(|group| group.solver().to_string())
            .collect();
        solvers.sort();
        solvers.dedup();
        let mut counts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for group in groups {
            let column = solvers.iter().position(|solver| solver == group.solver());
            for word in words(group) {
                let row = counts
                    .entry(word)
                    .or_insert_with(|| vec![0; solvers.len() + 1]);
                row[column.unwrap_or(0)] += 1;
                row[solvers.len()] += 1;
            }
        }
        let mut rows: Vec<(String, Vec<usize>)> = counts.into_iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row[solvers.len()]));
        solvers.push("total".to_string());
        Table {
            title,
            what,
            columns: solvers,
            rows,
        }
    }

    fn in_order(mut self, order: &[&str]) -> Table {
        self.rows
            .sort_by_key(|(word, _)| order.iter().position(|one| one == word));
        self
    }

    pub fn markdown(&self) -> String {
        let mut out = format!(
            "## {}\n\n| {} | {} |\n",
            self.title,
            self.what,
            self.columns.join(" | ")
        );
        let _ = writeln!(out, "|---|{}", "---:|".repeat(self.columns.len()));
        for (word, counts) in &self.rows {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            let word = super::markdown::plain(word);
            let _ = writeln!(out, "| {word} | {} |", counts.join(" | "));
        }
        out
    }
}

/// The stages that a bug has passed: a fixed bug may be a reported and a confirmed one, too.
const STAGES: [&str; 8] = [
    "found",
    "reported",
    "confirmed",
    "fixed",
    "closed",
    "duplicate",
    "wont-fix",
    "invalid",
];

fn stages(group: &Group) -> Vec<String> {
    let entry = group.entry.as_ref().map(|(_, entry)| entry);
    let state = group.state();
    let was_reported = entry.is_some_and(|entry| entry.reported.is_some() || entry.link.is_some());
    let mut stages = vec!["found"];
    if was_reported || matches!(state, BugState::Reported | BugState::Confirmed) {
        stages.push("reported");
    }
    if entry.is_some_and(|entry| entry.confirmed.is_some()) {
        stages.push("confirmed");
    }
    match state {
        BugState::Fixed => stages.push("fixed"),
        BugState::Duplicate => stages.push("duplicate"),
        BugState::WontFix => stages.push("wont-fix"),
        BugState::Invalid => stages.push("invalid"),
        BugState::Open | BugState::Reported | BugState::Confirmed => {}
    }
    if entry.is_some_and(|entry| entry.is_closed()) {
        stages.push("closed");
    }
    stages.into_iter().map(str::to_string).collect()
}

/// Every table of these bugs.
pub fn tables(groups: &[&Group]) -> Vec<Table> {
    let class = |group: &Group| vec![group.first().finding.class.name().to_string()];
    let theories = |group: &Group| {
        let names = group.theories();
        match names.is_empty() {
            true => vec!["core".to_string()],
            false => names.iter().map(|name| name.to_string()).collect(),
        }
    };
    let all = [
        Table::of("Bugs by state", "state", groups, stages).in_order(&STAGES),
        Table::of("Bugs by class", "class", groups, class),
        Table::of("Bugs by theory", "theory", groups, theories),
        Table::of(
            "Bugs by release and options",
            "release",
            groups,
            Group::wrong_titles,
        ),
    ];
    all.into_iter()
        .filter(|table| !table.rows.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::bug::{BugEntry, Decision};
    use crate::findings::finding::sample;
    use crate::findings::group::{FindingRecord, groups};
    use crate::findings::history::History;

    fn group(fingerprint: &str) -> Group {
        let record = FindingRecord {
            finding: sample(fingerprint),
            history: History::default(),
            repeats: 0,
        };
        groups(vec![record]).remove(0)
    }

    #[test]
    fn a_fixed_bug_was_reported_and_confirmed() {
        let (one, mut two) = (group("a"), group("b"));
        let mut entry = BugEntry::default();
        for state in [BugState::Reported, BugState::Fixed] {
            let decision = Decision {
                state,
                link: Some("https://example.org/1".to_string()),
                fixed_in: Some("5.5.0".to_string()),
                ..Decision::default()
            };
            entry.decide(decision, "2026-11-19");
        }
        two.entry = Some(("b".to_string(), entry));
        let all = tables(&[&one, &two]);
        let states: Vec<(&str, usize)> = all[0]
            .rows
            .iter()
            .map(|(word, row)| (word.as_str(), row[1]))
            .collect();
        assert_eq!(
            states,
            [
                ("found", 2),
                ("reported", 1),
                ("confirmed", 1),
                ("fixed", 1)
            ]
        );
        assert!(
            all[1]
                .markdown()
                .contains("| class | z3 | total |\n|---|---:|---:|\n| wrong-sat | 2 | 2 |")
        );
        assert_eq!(all[2].rows[0].0, "core");
        assert_eq!(all[3].rows[0], ("z3 5.4.0".to_string(), vec![2, 2]));
        assert!(tables(&[]).is_empty());
    }
}
