//! The first page: what the campaign does right now, what it has found, and what solvers and strategies bring.

use super::charts::{Curve, Part, curve, share};
use super::findings::Line;
use super::format::{bytes, duration, number, rate};
use super::picture::{Bug, Doing, Picture};
use super::solvers::answer_parts;
use super::{Frame, Site, blocking};
use askama::Template;
use auspex_campaign::stats::{SolverTally, StrategyTally};
use axum::extract::State;
use axum::response::Response;
use std::sync::Arc;

/// So many bugs are shown here.
const NEWEST: usize = 6;

#[derive(Template)]
#[template(path = "overview.html")]
struct Page {
    frame: Frame,
    numbers: Vec<Number>,
    curves: Vec<Curve>,
    classes: Vec<(String, u64)>,
    newest: Vec<Line>,
    strategies: Vec<Strategy>,
    solvers: Vec<Solver>,
    defects: Vec<(String, String)>,
}

struct Number {
    name: &'static str,
    value: String,
    /// What else there is to say.
    note: String,
}

struct Strategy {
    name: String,
    cases: String,
    share: String,
    features: String,
    suspicions: u64,
    findings: u64,
    seconds: String,
}

struct Solver {
    name: String,
    queries: String,
    parts: Vec<Part>,
    findings: usize,
}

pub async fn show(State(site): State<Arc<Site>>) -> Response {
    blocking(move || Some(page(&site.picture()))).await
}

fn page(picture: &Picture) -> Page {
    let mut newest: Vec<&Bug> = picture.bugs.iter().collect();
    newest.sort_by_key(|bug| std::cmp::Reverse(bug.group.first().finding.found));
    let classes = &picture.status.classes;
    Page {
        frame: Frame::new("Overview", "Overview", picture),
        numbers: numbers(picture),
        curves: curves(picture),
        classes: classes
            .iter()
            .map(|(class, count)| (class.clone(), *count))
            .collect(),
        newest: newest.into_iter().take(NEWEST).map(Line::of_bug).collect(),
        strategies: strategies(picture),
        solvers: solvers(picture),
        defects: picture
            .defects
            .iter()
            .map(|d| (d.message.clone(), d.replay.clone()))
            .collect(),
    }
}

fn numbers(picture: &Picture) -> Vec<Number> {
    let status = &picture.status;
    let running = picture.doing() == Doing::Running;
    let findings: usize = picture.bugs.iter().map(|bug| bug.group.members.len()).sum();
    let sightings = status.tally.repeats + findings as u64;
    let (rate_now, over) = match running {
        true => (
            rate(status.rate_now),
            format!("{} over this run", rate(status.rate)),
        ),
        false => (rate(status.rate), "over the last run".to_string()),
    };
    let queries = format!("{} queries", number(status.tally.queries));
    let seen = format!(
        "{}, seen {}×",
        count(findings, "finding"),
        number(sightings)
    );
    let sessions = if running { status.sessions } else { 0 };
    let share = format!("{:.1} %", status.own_share());
    let memory = format!("{} of memory", bytes(status.memory));
    [
        ("cases a second", rate_now, over),
        ("cases", number(status.tally.cases), queries),
        ("bugs", number(picture.bugs.len() as u64), seen),
        (
            "time",
            duration(status.elapsed_all),
            format!("seed {}", status.seed),
        ),
        (
            "solver processes",
            number(sessions),
            count(status.workers, "worker"),
        ),
        ("own processor share", share, memory),
    ]
    .map(|(name, value, note)| Number { name, value, note })
    .into()
}

/// `1 finding`, `2 findings`.
fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

fn curves(picture: &Picture) -> Vec<Curve> {
    let course = &picture.course;
    let rates: Vec<(f64, f64)> = course.iter().map(|m| (m.elapsed, m.rate)).collect();
    let start = course.first().map(|_| (0.0, 0.0));
    let findings = course.iter().map(|m| (m.elapsed, m.findings as f64));
    let findings: Vec<(f64, f64)> = start.into_iter().chain(findings).collect();
    let rates = curve("Cases a second", &rates, false);
    let findings = curve("Findings", &findings, true);
    rates.into_iter().chain(findings).collect()
}

fn strategies(picture: &Picture) -> Vec<Strategy> {
    let tallies = &picture.status.tally.strategies;
    let most = tallies.values().map(|tally| tally.cases).max().unwrap_or(0);
    let mut rows: Vec<_> = tallies.iter().collect();
    rows.sort_by_key(|(_, tally)| {
        (
            std::cmp::Reverse(tally.findings),
            std::cmp::Reverse(tally.cases),
        )
    });
    let row = |(name, tally): (&String, &StrategyTally)| Strategy {
        name: name.clone(),
        cases: number(tally.cases),
        share: share(tally.cases, most),
        features: number(tally.features),
        suspicions: tally.suspicions,
        findings: tally.findings,
        seconds: duration(tally.solver_us as f64 / 1e6),
    };
    rows.into_iter().map(row).collect()
}

fn solvers(picture: &Picture) -> Vec<Solver> {
    let accuse = |name: &str| {
        let members = picture.bugs.iter().flat_map(|bug| &bug.group.members);
        members
            .filter(|m| m.finding.accused.iter().any(|title| title == name))
            .count()
    };
    let row = |(name, tally): (&String, &SolverTally)| Solver {
        name: name.clone(),
        queries: number(tally.answers.values().sum()),
        parts: answer_parts(tally),
        findings: accuse(name),
    };
    picture.status.tally.solvers.iter().map(row).collect()
}
