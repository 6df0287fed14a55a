//! `auspex report`: writes the bugs of a campaign as issue texts, a page with charts, JSON, SARIF and JUnit.

use super::input::catalog;
use super::place::Place;
use super::records::{Exhibits, team_here, tracker};
use super::status::store_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::clock::now;
use auspex_campaign::findings::bug::BugState;
use auspex_campaign::findings::group::{Group, groups_among};
use auspex_campaign::report::exchange::{junit, sarif};
use auspex_campaign::report::next::next;
use auspex_campaign::report::tables::Table;
use auspex_campaign::report::{BugSummary, Entry, Report, headline, issue, page, plan_weeks};
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
    /// Write only the text of the bug to report first, and say why it is the one
    #[arg(long)]
    next: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut store = arguments.place.open()?;
    let rows = store.statistics(0).map_err(store_failure)?;
    let states: Vec<Status> = rows
        .iter()
        .filter_map(|row| serde_json::from_str(&row.json).ok())
        .collect();
    let Exhibits { all, failed } = arguments.place.exhibits(&mut *store, terminal)?;
    let known = arguments.place.bugs(Some(&mut *store))?;
    let mut all = groups_among(all, &known);
    all.retain(|group| {
        let wanted = arguments.solver.as_ref();
        wanted.is_none_or(|name| group.solver() == name)
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
    if arguments.next {
        propose(&entries, arguments, terminal)?;
        return Ok(Exhibits::exit(failed, Exit::Clean));
    }
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
    let tracker = tracker(catalog, finding);
    Entry {
        group,
        account,
        tracker,
        week: None,
    }
}

/// Writes the text of the bug to report next, and why.
fn propose(entries: &[Entry], arguments: &Arguments, terminal: Terminal) -> Result<(), Failure> {
    let mut out = terminal.out();
    let today = (now() / 86_400) as i64;
    let Some(proposal) = next(entries, today) else {
        writeln!(out, "no open bug is left to report")?;
        out.flush()?;
        return Ok(());
    };
    let entry = &entries[proposal.place];
    let text = issue(&entry.group, &entry.account, &entry.tracker);
    writeln!(out, "{text}")?;
    out.flush()?;
    terminal.note(&format!(
        "{}: {}",
        entry.group.id(),
        proposal.reasons.join("; ")
    ));
    if !entry.tracker.url.is_empty() {
        terminal.note(&format!(
            "to report at {}; nothing was sent anywhere",
            entry.tracker.url
        ));
    }
    let place = match &arguments.place.store {
        Some(_) => " --store …".to_string(),
        None => format!(" {}", arguments.place.folder.display()),
    };
    terminal.note(&format!(
        "afterwards: auspex bugs set {} reported --link URL{place}",
        entry.group.id()
    ));
    Ok(())
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
    let tables: Vec<String> = report.tables().iter().map(Table::markdown).collect();
    write(&out.join("tables.md"), &tables.join("\n"))?;
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
        "bug": entry.group.id(),
        "state": entry.group.state().word(),
        "title": headline(&entry.group, &entry.account),
        "class": finding.class.name(),
        "accused": finding.accused,
        "seen": entry.group.seen(),
        "findings": ids,
        "script": entry.account.script,
        "why": entry.account.why,
        "evaluation": entry.account.explained.iter().map(|one| one.trace.text()).collect::<Vec<_>>(),
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
            (None, _) if entry.group.state() != BugState::Open => entry.group.state_line(),
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
