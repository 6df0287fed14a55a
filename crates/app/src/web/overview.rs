//! The overview page: the campaign's state, its newest bugs, its solvers and strategies.

use super::charts::{Curve, Part, curve, share};
use super::findings::Line;
use super::format::{bytes, duration, number, rate};
use super::picture::{Bug, Doing, Moment, Picture};
use super::solvers::answer_parts;
use super::{Frame, Site, blocking};
use askama::Template;
use auspex_campaign::status::{SolverTally, StrategyTally};
use axum::extract::State;
use axum::response::Response;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many bugs the overview shows.
const NEWEST: usize = 6;

#[derive(Template)]
#[template(path = "overview.html")]
struct Page {
    frame: Frame,
    numbers: Vec<Number>,
    curves: Vec<Curve>,
    classes: Vec<(&'static str, usize)>,
    newest: Vec<Line>,
    strategies: Vec<Strategy>,
    solvers: Vec<Solver>,
    defects: Vec<(String, String)>,
}

struct Number {
    name: &'static str,
    value: String,
    /// A remark.
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
    Page {
        frame: Frame::new("Overview", "Overview", picture),
        numbers: numbers(picture),
        curves: curves(picture),
        classes: classes(picture),
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

/// The classes of the bugs, with their numbers.
fn classes(picture: &Picture) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for bug in picture.bugs.iter() {
        *counts
            .entry(bug.group.first().finding.class.name())
            .or_default() += 1;
    }
    counts.into_iter().collect()
}

fn numbers(picture: &Picture) -> Vec<Number> {
    let status = &picture.status;
    let running = picture.doing() == Doing::Running;
    let bugs: Vec<&Bug> = picture.bugs.iter().collect();
    let findings: usize = bugs.iter().map(|bug| bug.group.members.len()).sum();
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
    let memory = format!(
        "{} of memory, {} on disk",
        bytes(status.memory),
        bytes(status.disk)
    );
    [
        ("cases a second", rate_now, over),
        ("cases", number(status.tally.cases), queries),
        ("bugs", number(bugs.len() as u64), seen),
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
    let first_found = |bug: &Bug| {
        let members = bug.group.members.iter();
        members.map(|member| member.finding.found).min()
    };
    let found: Vec<u64> = picture.bugs.iter().filter_map(first_found).collect();
    let rates = curve("Cases a second", &rates, false);
    let bugs = curve("Bugs", &stairs(course, found), true);
    let edges: Vec<(f64, f64)> = course.iter().map(|m| (m.elapsed, m.edges as f64)).collect();
    let is_known = course.iter().any(|moment| moment.edges > 0);
    let edges = is_known
        .then(|| curve("Edges reached in solvers", &edges, true))
        .flatten();
    rates.into_iter().chain(bugs).chain(edges).collect()
}

/// A step at each discovery, over the seconds that the campaign ran; time between two runs does not count.
fn stairs(course: &[Moment], mut found: Vec<u64>) -> Vec<(f64, f64)> {
    let Some(last) = course.last() else {
        return Vec::new();
    };
    found.sort_unstable();
    let elapsed = |at: u64| {
        let next = course.iter().find(|moment| moment.at >= at).unwrap_or(last);
        (next.elapsed - next.at.saturating_sub(at) as f64).clamp(0.0, last.elapsed)
    };
    let mut points = vec![(0.0, 0.0)];
    for (count, at) in found.into_iter().enumerate() {
        points.push((elapsed(at), count as f64 + 1.0));
    }
    points.push((last.elapsed, points[points.len() - 1].1));
    points
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discoveries_stand_where_the_campaign_was() {
        let moment = |at, elapsed| Moment {
            at,
            elapsed,
            edges: 0,
            rate: 1.0,
        };
        // Two runs with a night between them.
        let course = [moment(1010, 10.0), moment(9005, 15.0), moment(9015, 25.0)];
        assert_eq!(
            stairs(&course, vec![9003, 1004, 9999]),
            [
                (0.0, 0.0),
                (4.0, 1.0),
                (13.0, 2.0),
                (25.0, 3.0),
                (25.0, 3.0)
            ]
        );
        assert_eq!(stairs(&[], vec![1]), []);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            [count(1, "worker"), count(2, "worker")],
            ["1 worker", "2 workers"]
        );
    }
}
