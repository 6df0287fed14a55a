//! `auspex report`: writes the bugs of a campaign as issue texts, a page with charts, JSON, SARIF and JUnit.

use super::input::catalog;
use super::place::Place;
use super::records::{Exhibits, team_here};
use super::status::store_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::findings::group::{Group, groups};
use auspex_campaign::report::exchange::{junit, sarif};
use auspex_campaign::report::{
    BugSummary, Entry, Report, Tracker, headline, issue, page, plan_weeks,
};
use auspex_campaign::{Finding, Status};
use auspex_solvers::Catalog;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Where to write; by default the folder `report` in the campaign's folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Only bugs of this solver
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// Use stored results only; run no solver
    #[arg(long)]
    stored: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut store = arguments.place.open()?;
    let rows = store.statistics(0).map_err(store_failure)?;
    let states: Vec<Status> = rows
        .iter()
        .filter_map(|row| serde_json::from_str(&row.json).ok())
        .collect();
    let Exhibits { all, failed } = arguments.place.exhibits(&mut *store, terminal)?;
    let mut all = groups(all);
    all.retain(|group| {
        let wanted = arguments.solver.as_ref();
        wanted.is_none_or(|name| group.solver() == name) && group.known().is_none()
    });
    let (all, others): (Vec<Group>, Vec<Group>) = all
        .into_iter()
        .partition(|group| group.first().finding.class.is_bug());
    let catalog = catalog()?;
    let bar = terminal.progress(all.len() as u64, "bugs");
    let mut entries: Vec<Entry> = all
        .into_iter()
        .map(|group| {
            bar.inc(1);
            entry(group, &catalog, arguments.stored)
        })
        .collect();
    bar.finish_and_clear();
    plan_weeks(&mut entries);
    let default = arguments.place.folder.join("report");
    let out = arguments.out.as_ref().unwrap_or(&default);
    let report = Report {
        title: "Bugs found by Auspex".to_string(),
        entries,
        others,
        states,
    };
    write_all(out, &report)?;
    list(out, &report, terminal)?;
    let found = match report.entries.is_empty() {
        true => Exit::Clean,
        false => Exit::Found,
    };
    Ok(Exhibits::exit(failed, found))
}

fn entry(group: Group, catalog: &Catalog, stored: bool) -> Entry {
    let finding = &group.first().finding;
    let team = (!stored).then(|| team_here(catalog, finding));
    let account = BugSummary::of(finding, team.as_ref());
    let name = group.solver();
    let tracker = catalog.profile(name).map_or_else(
        || Tracker {
            solver: name.to_string(),
            ..Tracker::default()
        },
        |profile| Tracker {
            solver: profile.title.clone(),
            url: profile.tracker.clone(),
            weekly: profile.weekly,
            model_options: profile.model_options.clone(),
        },
    );
    Entry {
        group,
        account,
        tracker,
        week: None,
    }
}

fn write_all(out: &Path, report: &Report) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(|error| Failure::file(out, &error))?;
    for entry in &report.entries {
        let text = issue(&entry.group, &entry.account, &entry.tracker);
        write(&out.join(entry.file_name()), &text)?;
    }
    let status = report.states.last().cloned().unwrap_or_default();
    let shown = |entry: &Entry| entry.group.first().finding.clone();
    let findings: Vec<Finding> = report.entries.iter().map(shown).collect();
    let findings: Vec<&Finding> = findings.iter().collect();
    let data: Vec<Value> = report.entries.iter().map(as_json).collect();
    let data = serde_json::to_string_pretty(&data).unwrap_or_default();
    write(&out.join("report.json"), &(data + "\n"))?;
    let tests = junit(&findings, status.tally.cases, status.elapsed_all);
    write(&out.join("junit.xml"), &tests)?;
    let log = sarif(&findings, env!("CARGO_PKG_VERSION"));
    write(&out.join("findings.sarif"), &log)?;
    write(&out.join("index.html"), &page(report))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::file(path, &error))
}

fn as_json(entry: &Entry) -> Value {
    let finding = &entry.group.first().finding;
    let ids: Vec<&str> = entry.group.members.iter().map(|m| &*m.finding.id).collect();
    let saying = |saying: &auspex_campaign::report::account::Outcome| {
        json!({
            "solver": saying.title,
            "command": saying.command,
            "answers": saying.answers,
            "accused": saying.accused,
        })
    };
    json!({
        "title": headline(&entry.group, &entry.account),
        "class": finding.class.name(),
        "accused": finding.accused,
        "seen": entry.group.seen(),
        "findings": ids,
        "script": entry.account.script,
        "why": entry.account.why,
        "model": entry.account.witness,
        "answers": entry.account.sayings.iter().map(saying).collect::<Vec<_>>(),
        "history": entry.group.first().history,
        "tracker": entry.tracker.url,
        "week": entry.week,
        "text": entry.file_name(),
    })
}

/// Lists what was written, smallest bug first, with the week in which to report it.
fn list(out: &Path, report: &Report, terminal: Terminal) -> Result<(), Failure> {
    let mut to = terminal.out_for(false);
    for entry in &report.entries {
        let when = match (entry.week, entry.tracker.weekly) {
            (None, _) => "fixed".to_string(),
            (Some(week), Some(most)) => format!("week {week} (at most {most} a week)"),
            (Some(_), None) => String::new(),
        };
        let title = headline(&entry.group, &entry.account);
        writeln!(to, "{title}\n    {}  {when}", entry.file_name())?;
    }
    if !report.others.is_empty() {
        writeln!(to, "not bugs:")?;
    }
    for group in &report.others {
        writeln!(to, "{}", group.first().finding.line())?;
    }
    to.flush()?;
    let page = out.join("index.html");
    terminal.note(&format!(
        "{} bugs; see {}; nothing was sent anywhere",
        report.entries.len(),
        page.display()
    ));
    Ok(())
}
