//! The page of seeds: what is known about each, and which are set aside.

use super::findings::{Pages, Query};
use super::picture::{Picture, Seed};
use super::{Frame, Site, blocking};
use askama::Template;
use auspex_cases::SeedStatus;
use axum::extract::{Query as Asked, State};
use axum::response::Response;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "seeds.html")]
struct Page {
    frame: Frame,
    q: String,
    known: usize,
    all: usize,
    used: usize,
    set_aside: usize,
    skipped: u64,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    name: String,
    status: String,
    theories: String,
    models: usize,
    answers: Vec<(String, String)>,
    set_aside: Option<String>,
}

pub async fn show(State(site): State<Arc<Site>>, Asked(query): Asked<Query>) -> Response {
    blocking(move || Some(page(&site.picture(), &query))).await
}

fn page(picture: &Picture, query: &Query) -> Page {
    let found: Vec<&Seed> = picture
        .seeds
        .iter()
        .filter(|seed| fits(seed, query))
        .collect();
    let pages = Pages::new("/seeds", query, found.len());
    let status = &picture.status;
    Page {
        frame: Frame::new("Seeds", "Seeds", picture),
        q: query.q.clone(),
        known: picture.seeds.len(),
        all: status.seeds,
        used: status.seeds_used,
        set_aside: status.seeds_set_aside,
        skipped: status.seeds_skipped,
        rows: found[pages.range()].iter().map(|seed| row(seed)).collect(),
        pages,
    }
}

fn fits(seed: &Seed, query: &Query) -> bool {
    let facts = &seed.facts;
    let why = facts.set_aside.as_deref().unwrap_or("");
    let status = facts.status.map_or("", SeedStatus::word);
    query.fits(&[&seed.name, why, status, &facts.theories.join(" ")])
}

fn row(seed: &Seed) -> Row {
    let facts = &seed.facts;
    let answer = |(solver, (word, ms)): (&String, &(String, u64))| {
        (solver.clone(), format!("{word} in {ms} ms"))
    };
    Row {
        name: seed.name.clone(),
        status: facts.status.map_or("unknown", SeedStatus::word).to_string(),
        theories: facts.theories.join(", "),
        models: facts.models.len(),
        answers: facts.answers.iter().map(answer).collect(),
        set_aside: facts.set_aside.clone(),
    }
}
