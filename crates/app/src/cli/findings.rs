//! `auspex findings`: what a campaign has found.

use super::place::Place;
use super::records::Exhibits;
use super::status::status_of;
use crate::exit::{Exit, Failure};
use crate::terminal::{Terminal, fitted};
use auspex_campaign::Finding;
use auspex_campaign::findings::bug::BugState;
use auspex_campaign::findings::gist::{gist, operators};
use auspex_campaign::findings::group::{FindingRecord, Group, accused_name, groups_among};
use auspex_cases::oracle::Grounds;
use std::collections::BTreeMap;
use std::io::Write;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Show the details of findings whose names contain this text
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// Only findings of this class: wrong-unsat, wrong-sat, invalid-model, wrong-core, crash, …
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Only findings about this solver
    #[arg(long, value_name = "SOLVER")]
    solver: Option<String>,
    /// List every finding, not only the smallest one of each bug
    #[arg(long)]
    all: bool,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut store = arguments.place.open()?;
    let Exhibits { all, failed } = arguments.place.exhibits(&mut *store, terminal)?;
    let mut found = all;
    let fits = |wanted: &Option<String>, found: &str| {
        wanted.as_ref().is_none_or(|w| found.contains(w.as_str()))
    };
    found.retain(|exhibit| {
        let finding = &exhibit.finding;
        fits(&arguments.class, finding.class.name())
            && fits(&arguments.solver, accused_name(finding))
            && fits(&arguments.show, &finding.id)
    });
    let known = arguments.place.bugs(Some(&mut *store))?;
    let mut bugs = groups_among(found, &known);
    if arguments.all || arguments.show.is_some() {
        bugs = bugs.into_iter().flat_map(Group::alone).collect();
    }
    let silenced = status_of(&mut *store)?.tally.silenced;
    let mut out = terminal.out_for(arguments.json);
    if arguments.json {
        let all: Vec<&Finding> = bugs.iter().map(|bug| &bug.first().finding).collect();
        let text = serde_json::to_string_pretty(&all).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        // Findings are sorted gravest first, so those that are not bugs come last.
        let mut besides = false;
        for bug in &bugs {
            if !besides && !is_bug(bug) {
                besides = true;
                writeln!(out, "\nnot bugs:\n")?;
            }
            match arguments.show {
                Some(_) => show(bug.first(), &mut out)?,
                None => list(bug, silenced_of(bug, &silenced), &mut out)?,
            }
        }
    }
    out.flush()?;
    let found = match bugs.iter().any(is_bug) {
        true => Exit::Found,
        false => Exit::Clean,
    };
    Ok(Exhibits::exit(failed, found))
}

fn is_bug(group: &Group) -> bool {
    group.first().finding.class.is_bug()
}

/// How many verdicts were taken for a bug and not looked at.
fn silenced_of(bug: &Group, silenced: &BTreeMap<String, u64>) -> u64 {
    let members = bug.members.iter();
    let counts = members.filter_map(|one| silenced.get(&*one.finding.id));
    counts.sum()
}

/// One bug in three lines that fit the terminal: class and solver with how often it occurred, what it is about, and
/// its name. `--show` has the rest.
fn list(bug: &Group, silenced: u64, out: &mut impl Write) -> std::io::Result<()> {
    let finding = &bug.first().finding;
    let more = match bug.members.len() {
        1 => String::new(),
        number => format!(" in {number} findings"),
    };
    let silenced = match silenced {
        0 => String::new(),
        number => format!(", {number} more silenced"),
    };
    let fixed = match bug.fixed_in() {
        Some(solver) if bug.state() != BugState::Fixed => format!(", fixed in {solver}"),
        _ => String::new(),
    };
    let known = match bug.state() {
        BugState::Open => String::new(),
        _ => format!(", {}", bug.state_line()),
    };
    let mut lines = vec![format!(
        "{:<14} {}  seen {}{more}{silenced}{fixed}{known}",
        finding.class.name(),
        finding.accused.join(", "),
        bug.seen()
    )];
    let about = match (operators(finding).as_slice(), gist(finding)) {
        ([], gist) => gist,
        (_, gist) if finding.grounds == Grounds::Crash => gist,
        (names, gist) => format!("{}: {gist}", names.join(" ")),
    };
    lines.push(format!("    {about}"));
    let unreduced = match finding.reduced {
        Some(_) => String::new(),
        None => format!("  ({} bytes, not reduced yet)", finding.script.len()),
    };
    lines.push(format!("    {}{unreduced}", finding.id));
    for line in lines {
        writeln!(out, "{}", fitted(&line))?;
    }
    Ok(())
}

fn show(exhibit: &FindingRecord, out: &mut impl Write) -> std::io::Result<()> {
    let finding = &exhibit.finding;
    writeln!(out, "{}\n{}", finding.id, finding.why)?;
    if let (Some(unsound), Some(title)) = (&finding.unsound, finding.accused.first()) {
        writeln!(out, "{}", unsound.sentence(title))?;
    }
    if let Some(tier) = finding.tier {
        writeln!(out, "tier of the options: {}", tier.meaning())?;
    }
    writeln!(
        out,
        "seen {} times; found by {}",
        exhibit.repeats + 1,
        finding.origin.strategy
    )?;
    for step in &finding.origin.steps {
        writeln!(out, "  {step}")?;
    }
    if let Some(releases) = &exhibit.history.releases {
        writeln!(out, "{}", releases.line())?;
    }
    for check in &exhibit.history.rechecks {
        writeln!(out, "{}: {}", check.solver, check.state.word())?;
    }
    writeln!(out, "auspex replay '{}'", finding.replay)?;
    for reply in &finding.replies {
        writeln!(
            out,
            "{}: {}\n  {}",
            reply.title,
            reply.answer.word(),
            reply.command
        )?;
    }
    writeln!(out, "\n{}", finding.as_sent(finding.shown()))
}
