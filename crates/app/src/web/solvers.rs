//! The page of solvers: their answers, costs and refusals.

use super::charts::{Part, parts};
use super::format::{duration, number};
use super::picture::Picture;
use super::{Frame, Site, blocking};
use askama::Template;
use auspex_campaign::status::SolverTally;
use axum::extract::State;
use axum::response::Response;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "solvers.html")]
struct Page {
    frame: Frame,
    solvers: Vec<Row>,
    modes: Vec<(String, String)>,
}

struct Row {
    name: String,
    parts: Vec<Part>,
    wall: String,
    cpu: String,
    starts: String,
    recycled: String,
    killed: String,
    skipped: String,
    refusals: Vec<(String, String)>,
    skips: Vec<(String, String)>,
}

pub async fn show(State(site): State<Arc<Site>>) -> Response {
    blocking(move || Some(page(&site.picture()))).await
}

fn page(picture: &Picture) -> Page {
    let tally = &picture.status.tally;
    let modes = tally
        .modes
        .iter()
        .map(|(mode, count)| (mode.clone(), number(*count)));
    Page {
        frame: Frame::new("Solvers", "Solvers", picture),
        solvers: tally
            .solvers
            .iter()
            .map(|(name, tally)| row(name, tally))
            .collect(),
        modes: modes.collect(),
    }
}

/// Reasons with their counts, common ones first.
fn reasons(all: &BTreeMap<String, u64>) -> Vec<(String, String)> {
    let mut all: Vec<(&String, &u64)> = all.iter().collect();
    all.sort_by(|a, b| b.1.cmp(a.1));
    let row = |(why, count): (&String, &u64)| (why.clone(), number(*count));
    all.into_iter().map(row).collect()
}

fn row(name: &str, tally: &SolverTally) -> Row {
    Row {
        name: name.to_string(),
        parts: answer_parts(tally),
        wall: duration(tally.wall_us as f64 / 1e6),
        cpu: duration(tally.cpu_us as f64 / 1e6),
        starts: number(tally.starts),
        recycled: number(tally.recycled),
        killed: number(tally.killed),
        skipped: number(tally.skipped),
        refusals: reasons(&tally.refusals),
        skips: reasons(&tally.skips),
    }
}

/// The answers of a solver, common ones first.
pub fn answer_parts(tally: &SolverTally) -> Vec<Part> {
    const USUAL: [&str; 5] = ["sat", "unsat", "unknown", "timeout", "rejected"];
    let usual = USUAL.into_iter().filter_map(|word| {
        let count = tally.answers.get(word)?;
        Some((word.to_string(), word, *count))
    });
    let others = tally
        .answers
        .iter()
        .filter(|(word, _)| !USUAL.contains(&word.as_str()));
    let others = others.map(|(word, count)| (word.clone(), "wrong", *count));
    parts(&usual.chain(others).collect::<Vec<_>>())
}
