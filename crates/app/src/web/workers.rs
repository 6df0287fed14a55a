//! The page of workers: the processes of the campaign, from their counters.

use super::format::{bytes, duration, number, rate};
use super::picture::Picture;
use super::{Frame, Site, Time, blocking};
use askama::Template;
use auspex_campaign::Status;
use axum::extract::State;
use axum::response::Response;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "workers.html")]
struct Page {
    frame: Frame,
    machines: Vec<Machine>,
    losses: Vec<(&'static str, String)>,
}

/// One process with its threads.
struct Machine {
    name: String,
    workers: usize,
    rate: String,
    cases: String,
    sessions: u64,
    cpu: String,
    memory: String,
    running: String,
    heard: Time,
    unsaved: usize,
}

pub async fn show(State(site): State<Arc<Site>>) -> Response {
    blocking(move || Some(page(&site.picture()))).await
}

fn machine((name, status): &(String, Status)) -> Machine {
    let (own, solvers) = (duration(status.own_cpu), duration(status.solver_cpu));
    Machine {
        name: match status.gone {
            0 => name.clone(),
            1 => "1 finished process".to_string(),
            many => format!("{many} finished processes"),
        },
        workers: status.workers,
        rate: rate(status.rate_now),
        cases: number(status.tally.cases),
        sessions: status.sessions,
        cpu: format!("{own} own, {solvers} solvers"),
        memory: bytes(status.memory),
        running: duration(status.elapsed),
        heard: Time::of(status.at),
        unsaved: status.unsaved,
    }
}

fn page(picture: &Picture) -> Page {
    let tally = &picture.status.tally;
    Page {
        frame: Frame::new("Workers", "Workers", picture),
        machines: picture.machines.iter().map(machine).collect(),
        losses: vec![
            ("suspicions", number(tally.suspicions)),
            ("confirmed", number(tally.confirmed)),
            ("duplicates", number(tally.repeats)),
            ("silenced", number(tally.silenced.values().sum())),
            ("similar to others", number(tally.similar)),
            ("known or ignored", number(tally.suppressed)),
            ("not reproduced", number(tally.unrepeatable)),
            ("defects of Auspex", number(tally.defects)),
        ],
    }
}
