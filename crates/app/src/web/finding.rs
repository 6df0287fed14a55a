//! The page of one finding: script, reason, answers, releases, and the text for a tracker.

use super::findings::Line;
use super::format::{bytes, segment};
use super::highlight::{Piece, highlight};
use super::picture::{Bug, Picture};
use super::tree::{Evaluation, Piece as TreePiece, evaluation};
use super::{Frame, Site, Time, blocking, missing};
use crate::cli::tracker;
use askama::Template;
use auspex_campaign::Finding;
use auspex_campaign::findings::bug::BugState;
use auspex_campaign::findings::finding::EvidenceRecord;
use auspex_campaign::findings::group::{FindingRecord, Group, accused_name};
use auspex_campaign::findings::history::Releases;
use auspex_campaign::report::{BugSummary, headline, issue};
use auspex_cases::{RelationKind, Side};
use auspex_logic::Answer;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "finding.html")]
struct Page {
    frame: Frame,
    line: Line,
    link: String,
    before: Option<String>,
    after: Option<String>,
    why: String,
    expected: Option<&'static str>,
    script: Vec<Piece>,
    sizes: Option<(String, String)>,
    /// Pass, number of changes, size and lines afterwards.
    reduction: Vec<(String, usize, String, usize)>,
    original: Option<Vec<Piece>>,
    evaluations: Vec<Evaluation>,
    witness: Option<Vec<Piece>>,
    evidence: Vec<String>,
    /// Other scripts that the reason refers to: name, text, answers.
    related: Vec<(&'static str, Vec<Piece>, String)>,
    runs: Vec<Run>,
    releases: Option<Releases>,
    rechecks: Vec<Recheck>,
    steps: Vec<String>,
    seeds: Vec<(String, Vec<Piece>)>,
    replay: String,
    siblings: Vec<Line>,
    report: String,
    actions: Option<Actions>,
}

struct Run {
    title: String,
    accused: bool,
    answer: &'static str,
    /// Details of the answer: a message, a reason, a core.
    note: Option<String>,
    model: Option<Vec<Piece>>,
    mode: String,
    wall: String,
    cpu: String,
    command: String,
}

struct Recheck {
    solver: String,
    state: &'static str,
    answers: String,
    at: Time,
}

/// The actions a viewer may take.
struct Actions {
    /// Releases that can be run.
    releases: Vec<String>,
    /// The states, and whether each is the present one.
    states: Vec<(&'static str, bool)>,
    job: Option<String>,
}

pub async fn show(State(site): State<Arc<Site>>, Path(id): Path<String>) -> Response {
    blocking(move || {
        let picture = site.picture();
        let (bug, at) = picture.find(&id)?;
        Some(page(&site, &picture, bug, at))
    })
    .await
}

fn page(site: &Site, picture: &Picture, bug: &Bug, at: usize) -> Page {
    let exhibit = &bug.group.members[at];
    let (finding, history) = (&exhibit.finding, &exhibit.history);
    let account = BugSummary::of(finding, None);
    let line = line(bug, exhibit, &account);
    let (before, after) = neighbours(picture, bug);
    let others = bug
        .group
        .members
        .iter()
        .filter(|m| m.finding.id != finding.id);
    let rechecks = history.rechecks.iter().rev();
    Page {
        frame: Frame::new("Findings", &line.headline, picture),
        link: line.link.clone(),
        line,
        before,
        after,
        expected: finding.class.expected().map(Side::word),
        script: highlight(finding.shown()),
        sizes: sizes(finding),
        reduction: finding
            .reduction
            .iter()
            .map(|step| {
                (
                    step.pass.clone(),
                    step.changes,
                    bytes(step.bytes as u64),
                    step.lines,
                )
            })
            .collect(),
        original: finding.reduced.as_ref().map(|_| highlight(&finding.script)),
        evaluations: account.explained.iter().map(evaluation).collect(),
        witness: account.witness.as_deref().map(highlight),
        evidence: evidence(finding),
        related: account
            .related
            .iter()
            .map(|other| {
                let answers = other.answers.iter();
                let answers: Vec<String> = answers
                    .map(|(title, word)| format!("{title} answers {word}"))
                    .collect();
                (other.name, highlight(&other.text), answers.join(", "))
            })
            .collect(),
        runs: runs(finding, &account),
        releases: history.releases.clone(),
        rechecks: rechecks.map(recheck).collect(),
        steps: finding.origin.steps.clone(),
        seeds: finding
            .seeds
            .iter()
            .map(|s| (s.name.clone(), highlight(&s.text)))
            .collect(),
        replay: finding.replay.clone(),
        siblings: others.map(|member| Line::of_member(bug, member)).collect(),
        report: issue(&alone(exhibit), &account, &tracker(&site.catalog, finding)),
        actions: site.may_act().then(|| Actions {
            releases: site.releases(accused_name(finding)),
            states: BugState::ALL
                .map(|state| (state.word(), state == bug.group.state()))
                .into(),
            job: site.jobs.told(),
        }),
        why: account.why,
    }
}

/// The headline of this finding, which may differ from that of the smallest one of its bug.
fn line(bug: &Bug, exhibit: &FindingRecord, account: &BugSummary) -> Line {
    Line {
        headline: headline(&alone(exhibit), account),
        ..Line::of_member(bug, exhibit)
    }
}

fn alone(exhibit: &FindingRecord) -> Group {
    Group {
        members: vec![exhibit.clone()],
        ..Group::default()
    }
}

/// The bugs before and after this one in the list.
fn neighbours(picture: &Picture, bug: &Bug) -> (Option<String>, Option<String>) {
    let link = |bug: &Bug| format!("/findings/{}", segment(&bug.group.first().finding.id));
    let is_bug = bug.group.first().finding.class.is_bug();
    let listed = if is_bug {
        &picture.bugs
    } else {
        &picture.others
    };
    let mut places = listed.iter();
    let at = places.position(|other| std::ptr::eq(other, bug));
    let at = at.unwrap_or(0);
    let before = at.checked_sub(1).and_then(|at| listed.get(at));
    (before.map(link), listed.get(at + 1).map(link))
}

/// Size before and after reduction.
fn sizes(finding: &Finding) -> Option<(String, String)> {
    let size = |text: &str| bytes(text.len() as u64);
    finding
        .reduced
        .as_ref()
        .map(|reduced| (size(&finding.script), size(reduced)))
}

fn evidence(finding: &Finding) -> Vec<String> {
    match &finding.evidence {
        EvidenceRecord::Witness { .. } => {
            vec!["The script was made with a known model.".to_string()]
        }
        EvidenceRecord::Core { names, because } => vec![format!(
            "The assertions {} contradict each other: {because}.",
            names.join(", ")
        )],
        EvidenceRecord::Relation { relation, .. } => {
            let word = match relation {
                RelationKind::Weaker => "weaker than its source",
                RelationKind::Stronger => "stronger than its source",
                RelationKind::Equisatisfiable => "satisfiable if and only if its source is",
                RelationKind::SatIfAll => "satisfiable if its sources are",
                RelationKind::UnsatIfAll => "unsatisfiable if its sources are",
            };
            vec![format!("The script is {word}, by the steps below.")]
        }
        EvidenceRecord::NoneKnown => {
            vec!["The right answer was not known when the script was made.".to_string()]
        }
    }
}

fn runs(finding: &Finding, account: &BugSummary) -> Vec<Run> {
    let run = |(at, reply): (usize, &auspex_campaign::findings::finding::ReplyRecord)| {
        let (note, model) = told(&reply.answer);
        Run {
            title: reply.title.clone(),
            accused: finding.accused.contains(&reply.title),
            answer: reply.answer.word(),
            note,
            model: model.map(highlight),
            mode: reply.mode.clone(),
            wall: format!("{:.0} ms", reply.wall_ms),
            cpu: format!("{:.0} ms", reply.cpu_ms),
            // Leave out the folders of this machine.
            command: account
                .sayings
                .get(at)
                .map_or_else(String::new, |s| s.command.clone()),
        }
    };
    finding.replies.iter().enumerate().map(run).collect()
}

/// Details of an answer: text, and a model.
fn told(answer: &Answer) -> (Option<String>, Option<&str>) {
    match answer {
        Answer::Sat { model } => (None, model.as_deref()),
        Answer::Unsat { core } => (
            core.as_ref()
                .map(|names| format!("core: {}", names.join(" "))),
            None,
        ),
        Answer::Unknown { reason } => (Some(reason.clone()), None),
        Answer::Timeout | Answer::OutOfMemory => (None, None),
        Answer::Rejected { message, .. } => (Some(message.clone()), None),
        Answer::Crashed(crash) => (Some(crash.message.clone()), None),
        Answer::Garbled { text } => (Some(text.clone()), None),
    }
}

fn recheck(row: &auspex_campaign::findings::history::Recheck) -> Recheck {
    Recheck {
        solver: row.solver.clone(),
        state: row.state.word(),
        answers: row.answers.join(" "),
        at: Time::of(row.at),
    }
}

/// The files of a finding, made from memory, so that no address becomes a path.
pub async fn file(
    State(site): State<Arc<Site>>,
    Path((id, name)): Path<(String, String)>,
) -> Response {
    let picture = site.picture();
    let Some((bug, at)) = picture.find(&id) else {
        return missing();
    };
    let exhibit = &bug.group.members[at];
    let finding = &exhibit.finding;
    let text = match name.as_str() {
        "script.smt2" => finding.script.clone(),
        "reduced.smt2" => finding.shown().to_string(),
        "finding.json" => finding.to_json(),
        "report.md" => issue(
            &alone(exhibit),
            &BugSummary::of(finding, None),
            &tracker(&site.catalog, finding),
        ),
        _ => return missing(),
    };
    let headers = [
        (
            header::CONTENT_TYPE,
            "text/plain; charset=utf-8".to_string(),
        ),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    (headers, auspex_syntax::encode(&text).into_owned()).into_response()
}
