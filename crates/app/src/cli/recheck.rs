//! `auspex recheck`: runs every finding of a campaign on other releases, marks the fixed ones, closes bugs when all
//! configured releases are right, and reopens those that return.

use super::input::{foreign_solvers, named_solvers, solvers, within};
use super::jobs::{RECHECK, enqueue};
use super::place::Place;
use super::records::Exhibits;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::clock::{date, now};
use auspex_campaign::findings::bisect::GroundTruth;
use auspex_campaign::findings::bug::Change;
use auspex_campaign::findings::bug_file::Bugs;
use auspex_campaign::findings::finding::EvidenceRecord;
use auspex_campaign::findings::group::{FindingRecord, Group, accused_name, groups_among};
use auspex_campaign::findings::history::{Recheck, State};
use auspex_campaign::report::{BugSummary, headline};
use auspex_solvers::{Called, Limits, Solver};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// The release to run, or a command line (may be given several times); by default those that the file of bugs
    /// configures. A bug is closed when all releases of its solver are right
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// A solver whose answer counts as right (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    trusted: Vec<String>,
    /// Seconds per run
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
    /// With --store: queue it for the campaign's workers, who store the result
    #[arg(long, requires = "store")]
    queue: bool,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// What a worker needs to run the job.
#[derive(serde::Serialize, serde::Deserialize)]
struct Details {
    solver: Vec<String>,
    trusted: Vec<String>,
    timeout: f64,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    if let (Some(url), true) = (&arguments.place.store, arguments.queue) {
        return queue(arguments, url, terminal);
    }
    let limits = within(arguments.timeout)?;
    let mut store = arguments.place.open()?;
    let known = arguments.place.bugs(Some(&mut *store))?;
    let asked = solvers(configured(arguments, &known)?, terminal)?;
    let trusted = named_solvers(&arguments.trusted, terminal)?;
    let Exhibits { all, mut failed } = arguments.place.exhibits(&mut *store, terminal)?;
    let bar = terminal.progress(all.len() as u64, "findings");
    let mut checked: Vec<(FindingRecord, Vec<Recheck>)> = Vec::new();
    for mut exhibit in all {
        bar.inc(1);
        // A finding that cannot be run or stored does not stop the others.
        let rows = recheck(&exhibit.finding, &asked, &trusted, &limits);
        let kept = rows.and_then(|rows| {
            exhibit.history.rechecks.extend(rows.clone());
            match rows.is_empty() {
                true => Ok(rows),
                false => arguments.place.remember(&exhibit).map(|()| rows),
            }
        });
        match kept {
            Ok(rows) if rows.is_empty() => {}
            Ok(rows) => checked.push((exhibit, rows)),
            Err(failure) => {
                terminal.error(&format!("{}: {failure}", exhibit.finding.id));
                failed += 1;
            }
        }
    }
    bar.finish_and_clear();
    let changes = change_states(arguments, &checked, &known)?;
    show(arguments, &checked, &changes, terminal)?;
    let still = |row: &Recheck| row.state == State::Wrong;
    let found = match checked.iter().any(|(_, rows)| rows.iter().any(still)) {
        true => Exit::Found,
        false => Exit::Clean,
    };
    Ok(Exhibits::exit(failed, found))
}

/// The releases to run: those of the command line, else those of the file of bugs.
fn configured<'a>(arguments: &'a Arguments, known: &'a Bugs) -> Result<&'a [String], Failure> {
    match (arguments.solver.is_empty(), known.releases.is_empty()) {
        (false, _) => Ok(&arguments.solver),
        (true, false) => Ok(&known.releases),
        (true, true) => Err(Failure::Usage(
            "name the releases to run: --solver z3@latest, or `releases = [\"z3@latest\"]` in the file of bugs".into(),
        )),
    }
}

/// What the runs mean for one bug.
struct BugChange {
    id: String,
    title: String,
    line: String,
    change: Option<Change>,
}

/// Closes and reopens bugs, and stores their states.
fn change_states(
    arguments: &Arguments,
    checked: &[(FindingRecord, Vec<Recheck>)],
    known: &Bugs,
) -> Result<Vec<BugChange>, Failure> {
    let runs: BTreeMap<&str, &[Recheck]> = checked
        .iter()
        .map(|(exhibit, rows)| (&*exhibit.finding.id, rows.as_slice()))
        .collect();
    let exhibits = checked.iter().map(|(exhibit, _)| exhibit.clone());
    let bugs = exhibits.filter(|exhibit| exhibit.finding.class.is_bug());
    let today = date(now());
    let mut changes = Vec::new();
    for group in groups_among(bugs.collect(), known) {
        let title = headline(&group, &BugSummary::of(&group.first().finding, None));
        let results = results_of(&group, &runs);
        let mut entry = group.entry_or_new(&title);
        let change = entry.change(&results);
        if let Some(change) = &change {
            entry.apply(change, &today);
            arguments.place.put_bug(group.id(), &entry)?;
        }
        changes.push(BugChange {
            id: group.id().to_string(),
            line: entry.line(),
            title,
            change,
        });
    }
    Ok(changes)
}

/// Each release with its gravest result on the findings of a bug: wrong on one is wrong, right on all is right.
fn results_of(group: &Group, runs: &BTreeMap<&str, &[Recheck]>) -> Vec<(String, State)> {
    let members = group.members.iter();
    let rows = members.filter_map(|member| runs.get(&*member.finding.id));
    let mut results: Vec<(String, State)> = Vec::new();
    for row in rows.flat_map(|rows| rows.iter()) {
        match results.iter_mut().find(|(title, _)| *title == row.solver) {
            Some((_, state)) => *state = state.graver(row.state),
            None => results.push((row.solver.clone(), row.state)),
        }
    }
    results
}

/// Queues one job for each finding and the releases of its accused solver.
fn queue(arguments: &Arguments, url: &str, terminal: Terminal) -> Result<Exit, Failure> {
    if arguments.solver.is_empty() {
        let why = "name the releases to queue with --solver".to_string();
        return Err(Failure::Usage(why));
    }
    let names = arguments.solver.iter().map(|spec| Called::read(spec).name);
    let names: Vec<&str> = names.collect();
    let mut store = arguments.place.open()?;
    let Exhibits { all, failed } = arguments.place.exhibits(&mut *store, terminal)?;
    let own = all
        .iter()
        .filter(|exhibit| names.contains(&accused_name(&exhibit.finding)));
    let findings: Vec<String> = own.map(|exhibit| exhibit.finding.id.to_string()).collect();
    let details = Details {
        solver: arguments.solver.clone(),
        trusted: arguments.trusted.clone(),
        timeout: arguments.timeout,
    };
    let details = serde_json::to_string(&details).unwrap_or_default();
    enqueue(url, RECHECK, &findings, &details, terminal)?;
    Ok(Exhibits::exit(failed, Exit::Clean))
}

/// One finding on the releases of a job.
pub fn for_job(
    finding: &Finding,
    details: &str,
    terminal: Terminal,
) -> Result<Vec<Recheck>, Failure> {
    let details: Details =
        serde_json::from_str(details).map_err(|error| Failure::Usage(error.to_string()))?;
    let asked = foreign_solvers(&details.solver, terminal)?;
    let trusted = foreign_solvers(&details.trusted, terminal)?;
    recheck(finding, &asked, &trusted, &within(details.timeout)?)
}

/// The result of each release of the accused solver on one finding.
pub fn recheck(
    finding: &Finding,
    asked: &[Solver],
    trusted: &[Solver],
    limits: &Limits,
) -> Result<Vec<Recheck>, Failure> {
    let name = accused_name(finding);
    let releases = asked.iter().filter(|solver| solver.profile.name == name);
    let witness = match &finding.evidence {
        EvidenceRecord::Witness { model } => Some(model.as_str()),
        _ => None,
    };
    let truth = GroundTruth::new(finding.shown(), Some(finding), witness, trusted, limits);
    let mut rows = Vec::new();
    for solver in releases {
        let row = truth
            .row(solver)
            .map_err(|error| Failure::Environment(error.to_string()))?;
        rows.push(Recheck {
            solver: row.title.clone(),
            state: row.standing.into(),
            answers: row.answers.iter().map(|word| word.to_string()).collect(),
            at: now(),
        });
    }
    Ok(rows)
}

fn show(
    arguments: &Arguments,
    checked: &[(FindingRecord, Vec<Recheck>)],
    changes: &[BugChange],
    terminal: Terminal,
) -> Result<(), Failure> {
    let mut out = terminal.out_for(arguments.json);
    if arguments.json {
        let rows: Vec<_> = checked
            .iter()
            .map(|(exhibit, rows)| json!({"id": exhibit.finding.id, "rechecks": rows}))
            .collect();
        let text = serde_json::to_string_pretty(&rows).unwrap_or_default();
        writeln!(out, "{text}")?;
        out.flush()?;
        return Ok(());
    }
    for (exhibit, rows) in checked {
        for row in rows {
            let said = row.answers.join(" ");
            let id = &exhibit.finding.id;
            writeln!(
                out,
                "{:<12} {:<20} {said:<10} {id}",
                row.state.word(),
                row.solver
            )?;
        }
    }
    for bug in changes {
        let word = match &bug.change {
            Some(Change::Closed { .. }) => "closed",
            Some(Change::Returned { .. }) => "returned",
            None => continue,
        };
        writeln!(
            out,
            "{word:<12} {}: {}\n             {}",
            bug.id, bug.title, bug.line
        )?;
    }
    let count = |is: fn(&Change) -> bool| {
        changes
            .iter()
            .filter(|bug| bug.change.as_ref().is_some_and(is))
            .count()
    };
    writeln!(
        out,
        "{} bugs: {} closed, {} returned, {} unchanged",
        changes.len(),
        count(|change| matches!(change, Change::Closed { .. })),
        count(|change| matches!(change, Change::Returned { .. })),
        changes.iter().filter(|bug| bug.change.is_none()).count(),
    )?;
    out.flush()?;
    Ok(())
}
