//! What to report first, by the rules of each tracker: the gravest class, supported options, standard operators before
//! extensions, the smallest script, and no more reports a week than its maintainers ask for.

use super::Entry;
use crate::clock::day;
use crate::findings::bug::BugState;
use crate::findings::group::Group;
use auspex_logic::read_script;
use auspex_logic::{Head, Terms};
use auspex_solvers::profile::Tier;
use std::cmp::Reverse;

const WEEK: i64 = 7;

/// A bug to report, and why it is the one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its position among the entries.
    pub place: usize,
    pub reasons: Vec<String>,
    /// Days until its tracker takes another report.
    pub wait: i64,
}

/// How soon a bug should be reported: the smaller, the sooner.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    wait: i64,
    class: auspex_cases::Class,
    tier: Tier,
    has_extensions: bool,
    unreduced: bool,
    size: usize,
    seen: Reverse<u64>,
}

/// The bug to report next among the entries, on a day since 1970. None if all are reported, fixed or unsupported.
pub fn next(entries: &[Entry], today: i64) -> Option<Proposal> {
    let open = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| is_due(entry));
    let ranked = open.map(|(place, entry)| (rank(entry, entries, today), place));
    let (rank, place) = ranked.min()?;
    Some(Proposal {
        place,
        reasons: reasons(&entries[place], entries, &rank, today),
        wait: rank.wait,
    })
}

/// Whether it waits to be reported at all.
fn is_due(entry: &Entry) -> bool {
    let group = &entry.group;
    group.first().finding.class.is_bug()
        && group.state() == BugState::Open
        && group.fixed_in().is_none()
        && worst_tier(entry) != Tier::Unsupported
}

fn worst_tier(entry: &Entry) -> Tier {
    let tiers = entry.tracker.options.iter().map(|(_, tier)| *tier);
    tiers.max().unwrap_or(Tier::Normal)
}

fn rank(entry: &Entry, entries: &[Entry], today: i64) -> Rank {
    let finding = &entry.group.first().finding;
    Rank {
        wait: wait(entry, entries, today),
        class: finding.class,
        tier: worst_tier(entry),
        has_extensions: !extensions(&entry.group).is_empty(),
        unreduced: finding.reduced.is_none(),
        size: finding.shown().len(),
        seen: Reverse(entry.group.seen()),
    }
}

/// The days of reports to the same tracker in the last week.
fn recent(entry: &Entry, entries: &[Entry], today: i64) -> Vec<i64> {
    let same = entries
        .iter()
        .filter(|other| other.tracker.url == entry.tracker.url);
    let days = same.filter_map(|other| day(other.group.entry.as_ref()?.1.reported.as_deref()?));
    days.filter(|day| today - day < WEEK).collect()
}

fn wait(entry: &Entry, entries: &[Entry], today: i64) -> i64 {
    let mut recent = recent(entry, entries, today);
    recent.sort_unstable();
    let Some(most) = entry.tracker.weekly.map(|most| most.max(1) as usize) else {
        return 0;
    };
    match recent.len().checked_sub(most) {
        // When the oldest of those that count is a week old.
        Some(at) => (recent[at] + WEEK - today).max(0),
        None => 0,
    }
}

/// The operators of its smallest script that are not in the standard.
fn extensions(group: &Group) -> Vec<String> {
    let finding = &group.first().finding;
    let mut terms: Terms = finding.terms();
    let Ok(reading) = read_script(&mut terms, finding.shown()) else {
        return Vec::new();
    };
    let all = crate::team::case_profile::subterms(&terms, &reading.script);
    let foreign = all.into_iter().filter_map(|term| match terms.head(term) {
        Head::Op(op) if !terms.op(op).known.is_standard() => Some(terms.op(op).name.to_string()),
        Head::Opaque(name) => Some(terms.symbols.name(name).to_string()),
        _ => None,
    });
    let mut names: Vec<String> = foreign.collect();
    names.sort();
    names.dedup();
    names
}

fn reasons(entry: &Entry, entries: &[Entry], rank: &Rank, today: i64) -> Vec<String> {
    let finding = &entry.group.first().finding;
    let due = entries.iter().filter(|other| is_due(other)).count();
    let mut reasons = vec![
        format!(
            "the gravest open class: {} ({due} open bugs)",
            finding.class.name()
        ),
        match (rank.tier, entry.tracker.options.is_empty()) {
            (_, true) => "default options".to_string(),
            (Tier::Normal, _) => "supported options".to_string(),
            (Tier::Advanced, _) => {
                "options for experts, which maintainers accept with less hurry".to_string()
            }
            (Tier::Unsupported, _) => "unsupported options".to_string(),
        },
    ];
    reasons.push(match extensions(&entry.group) {
        names if names.is_empty() => "operators of the standard only".to_string(),
        names => format!("not in the standard: {}", names.join(", ")),
    });
    let lines = finding.shown().lines().count();
    reasons.push(match finding.reduced {
        Some(_) => format!("reduced to {lines} lines"),
        None => format!("{lines} lines, not reduced yet"),
    });
    if let Some(most) = entry.tracker.weekly {
        let used = recent(entry, entries, today).len();
        let wait = match rank.wait {
            0 => String::new(),
            days => format!("; wait {days} days"),
        };
        reasons.push(format!(
            "{used} of {most} reports of this week are used{wait}"
        ));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::super::{BugSummary, Tracker};
    use super::*;
    use crate::findings::bug::{BugEntry, Decision};
    use crate::findings::finding::{Finding, sample};
    use crate::findings::group::{FindingRecord, groups};
    use crate::findings::history::History;
    use auspex_cases::Class;

    fn entry(fingerprint: &str, change: impl FnOnce(&mut Finding)) -> Entry {
        let mut finding = sample(fingerprint);
        change(&mut finding);
        let record = FindingRecord {
            finding: finding.clone(),
            history: History::default(),
            repeats: 0,
        };
        Entry {
            account: BugSummary::of(&finding, None),
            group: groups(vec![record]).remove(0),
            tracker: Tracker {
                weekly: Some(1),
                url: "here".to_string(),
                ..Tracker::default()
            },
            week: None,
        }
    }

    fn reduced(text: &str) -> impl FnOnce(&mut Finding) {
        let text = text.to_string();
        move |finding| finding.reduced = Some(text)
    }

    #[test]
    fn standard_operators_come_before_extensions_and_grave_classes_before_crashes() {
        let crash = entry("c", |finding| finding.class = Class::Crash);
        let own = entry("b", reduced("(assert (= (div_total 1 0) 1))"));
        let standard = entry("a", reduced("(assert (= (div 1 2) 1)) ; a longer script"));
        let all = [crash, own, standard];
        let proposal = next(&all, 20_000).expect("a bug");
        assert_eq!((proposal.place, proposal.wait), (2, 0));
        assert!(
            proposal
                .reasons
                .contains(&"operators of the standard only".to_string())
        );
        assert_eq!(next(&all[..2], 20_000).map(|one| one.place), Some(1));
    }

    #[test]
    fn a_full_week_waits_and_unsupported_options_are_never_proposed() {
        let mut all = [entry("a", |_| ()), entry("b", |_| ())];
        let mut reported = BugEntry::default();
        let decision = Decision {
            state: BugState::Reported,
            link: Some("x".to_string()),
            ..Decision::default()
        };
        reported.decide(decision, "2026-11-19");
        let today = day("2026-11-20").unwrap();
        all[0].group.entry = Some(("a".to_string(), reported));
        let proposal = next(&all, today).expect("a bug");
        assert_eq!((proposal.place, proposal.wait), (1, 6));
        assert_eq!(next(&all, today + 6).map(|one| one.wait), Some(0));
        all[1].tracker.options = vec![("x=1".to_string(), Tier::Unsupported)];
        assert_eq!(next(&all, today), None);
    }
}
