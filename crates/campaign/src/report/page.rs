//! The report as one HTML page: charts first, then every bug with its script and its evidence.

use super::chart::{bars, compact, curve, duration};
use super::explain::Explained;
use super::tables::Table;
use super::{Entry, Report, headline};
use crate::findings::group::Group;
use crate::status::Status;
use askama::Template;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    title: &'r str,
    summary: Vec<(&'static str, String)>,
    charts: Vec<(&'static str, String)>,
    tables: Vec<Table>,
    bugs: Vec<Bug<'r>>,
    others: Vec<Other<'r>>,
}

/// Something that is no bug.
struct Other<'r> {
    id: &'r str,
    class: &'static str,
    seen: u64,
    why: &'r str,
    script: &'r str,
}

struct Bug<'r> {
    id: &'r str,
    class: &'static str,
    headline: String,
    seen: u64,
    members: usize,
    script: &'r str,
    why: &'r str,
    witness: Option<&'r str>,
    explained: &'r [Explained],
    state: String,
    sayings: &'r [super::account::Outcome],
    releases: Option<String>,
    week: Option<u32>,
    tracker: &'r str,
    /// Whether the tracker asks for no more than some reports a week.
    budgeted: bool,
    file: String,
    replay: &'r str,
}

/// The page's text. Everything from outside is escaped by the template.
pub fn page(report: &Report) -> String {
    let page = Page {
        title: &report.title,
        summary: summary(report),
        charts: charts(report),
        tables: report.tables(),
        bugs: report.entries.iter().map(bug).collect(),
        others: report.others.iter().map(other).collect(),
    };
    page.render()
        .unwrap_or_else(|error| format!("<p>The report could not be written: {error}</p>"))
}

fn bug(entry: &Entry) -> Bug<'_> {
    let finding = &entry.group.first().finding;
    let mut histories = entry.group.members.iter().map(|m| &m.history);
    let releases = histories.find_map(|history| history.releases.as_ref());
    Bug {
        id: &finding.id,
        class: finding.class.name(),
        headline: headline(&entry.group, &entry.account),
        seen: entry.group.seen(),
        members: entry.group.members.len(),
        script: entry.account.script.trim_end(),
        why: &entry.account.why,
        witness: entry.account.witness.as_deref(),
        explained: &entry.account.explained,
        state: entry.group.state_line(),
        sayings: &entry.account.sayings,
        releases: releases.map(|releases| releases.line()),
        week: entry.week,
        tracker: &entry.tracker.url,
        budgeted: entry.tracker.weekly.is_some(),
        file: entry.file_name(),
        replay: &finding.replay,
    }
}

fn other(group: &Group) -> Other<'_> {
    let finding = &group.first().finding;
    Other {
        id: &finding.id,
        class: finding.class.name(),
        seen: group.seen(),
        why: &finding.why,
        script: finding.shown().trim_end(),
    }
}

fn summary(report: &Report) -> Vec<(&'static str, String)> {
    let status = report.states.last().cloned().unwrap_or_default();
    let findings: usize = report.entries.iter().map(|e| e.group.members.len()).sum();
    vec![
        ("bugs", report.entries.len().to_string()),
        ("findings", findings.to_string()),
        ("cases", compact(status.tally.cases as f64)),
        ("time", duration(status.elapsed_all)),
        ("cases a second", compact(status.rate.round())),
    ]
}

fn charts(report: &Report) -> Vec<(&'static str, String)> {
    let firsts = || report.entries.iter().map(|e| &e.group.first().finding);
    let mut charts = vec![
        ("Bugs by class", counted(firsts().map(|f| f.class.name()))),
        (
            "Bugs by release",
            counted(firsts().flat_map(|f| f.accused.iter().map(String::as_str))),
        ),
        (
            "Bugs by theory",
            counted(firsts().flat_map(|f| theories(&f.bucket))),
        ),
        (
            "Bugs by strategy",
            counted(firsts().map(|f| f.origin.strategy.as_str())),
        ),
    ];
    charts.push(("Bugs over time", over_time(report)));
    charts.push(("Cases a second", rates(&report.states)));
    if let Some(status) = report.states.last() {
        charts.push(("Answers", answers(status)));
    }
    charts.retain(|(_, svg)| !svg.is_empty());
    charts
}

/// Theories of a wrong answer; the bucket of a crash names its place instead.
fn theories(bucket: &str) -> Vec<&str> {
    match bucket.starts_with("crash ") {
        true => Vec::new(),
        false => {
            let names = bucket.split(' ').nth(2).unwrap_or("").split('+');
            names.filter(|name| *name != "core").collect()
        }
    }
}

fn counted<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for word in words.filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    let mut rows: Vec<(String, f64)> = counts
        .into_iter()
        .map(|(word, count)| (word.to_string(), count as f64))
        .collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    match rows.is_empty() {
        true => String::new(),
        false => bars(&rows),
    }
}

fn over_time(report: &Report) -> String {
    let first_seen = |entry: &Entry| {
        let times = entry.group.members.iter().map(|m| m.finding.found);
        times.min().unwrap_or(0)
    };
    let mut times: Vec<u64> = report.entries.iter().map(first_seen).collect();
    times.sort_unstable();
    let Some(&first) = times.first() else {
        return String::new();
    };
    // Stairs: a bug is one more at once.
    let start = report.states.first().map_or(first, |state| {
        let began = state.at.saturating_sub(state.elapsed_all as u64);
        began.min(first)
    });
    let mut points = vec![(0.0, 0.0)];
    for (count, time) in times.iter().enumerate() {
        let at = (time - start) as f64;
        points.push((at, count as f64));
        points.push((at, count as f64 + 1.0));
    }
    let last = report.states.last().map_or(0, |state| state.at);
    let end = last.max(times[times.len() - 1]) - start;
    points.push((end as f64, times.len() as f64));
    curve(&points, "bugs")
}

fn rates(states: &[Status]) -> String {
    let points: Vec<(f64, f64)> = states
        .iter()
        .map(|state| (state.elapsed_all, state.rate_now))
        .collect();
    match points.len() > 1 {
        true => curve(&points, "cases a second"),
        false => String::new(),
    }
}

fn answers(status: &Status) -> String {
    let mut rows = Vec::new();
    for (solver, tally) in &status.tally.solvers {
        for (word, count) in &tally.answers {
            rows.push((format!("{solver} {word}"), *count as f64));
        }
    }
    match rows.is_empty() {
        true => String::new(),
        false => bars(&rows),
    }
}
