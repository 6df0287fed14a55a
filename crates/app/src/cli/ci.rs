//! `auspex ci`: a campaign for a solver's own continuous integration. The same seed every time,
//! and only findings that are not in the baseline make it fail.

use super::changed;
use super::fuzz;
use super::status::{folder_failure, open, store_failure};
use crate::exit::{Exit, Failure};
use crate::files::read_config;
use crate::terminal::Terminal;
use auspex_campaign::clock::{date, now};
use auspex_campaign::findings::bug::Change;
use auspex_campaign::findings::bug_file::Bugs;
use auspex_campaign::findings::group::{FindingRecord, groups_among};
use auspex_campaign::findings::history::History;
use auspex_campaign::report::exchange::{Baseline, junit, sarif};
use auspex_campaign::report::{BugSummary, headline};
use auspex_campaign::store::{FindingRow, Store};
use auspex_campaign::{Campaign, Finding, Folder};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    fuzz: fuzz::Arguments,
    #[command(flatten)]
    change: changed::Arguments,
    /// Known findings, or a file of bugs (auspex-bugs.toml); only other findings make the run fail
    #[arg(long, visible_alias = "bugs", value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Add the findings of this run to the baseline file
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// Also fail on new incompleteness: a solver answers unknown to a script that can be decided
    #[arg(long)]
    fail_on_incompleteness: bool,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a SARIF log
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let baseline = baseline(arguments)?;
    let mut plan = fuzz::plan(&arguments.fuzz, terminal, Some(1), &[])?;
    plan.setup.steady = true;
    plan.setup.memory = None;
    arguments.change.direct(&mut plan.setup, terminal)?;
    if arguments.fuzz.out.is_none() {
        plan.setup.out = PathBuf::from("auspex-ci");
    }
    let out = plan.setup.out.clone();
    if Folder::look(&out).is_ok() {
        let text = format!(
            "{} already holds a campaign; a CI run needs a new folder",
            out.display()
        );
        return Err(Failure::Usage(text));
    }
    let signals = fuzz::Signals::watch()?;
    let mut campaign = Campaign::start(plan.setup).map_err(fuzz::problem)?;
    fuzz::watch_lines(&mut campaign, plan.time, &signals, terminal)?;
    changed::tell(&campaign, terminal);
    let status = fuzz::end(campaign, terminal);
    let findings = findings(&out)?;
    let new = baseline.new_among(&findings);
    let new: Vec<&Finding> = new.iter().collect();
    write(&arguments.sarif, &sarif(&new, env!("CARGO_PKG_VERSION")))?;
    let fails = |finding: &&Finding| finding.class.is_bug() || arguments.fail_on_incompleteness;
    let (failing, others): (Vec<&Finding>, Vec<&Finding>) = new.iter().partition(|f| fails(f));
    let report = junit(&failing, status.tally.cases, status.elapsed);
    write(&arguments.junit, &report)?;
    if arguments.update_baseline {
        write(&arguments.baseline, &baseline.with(&new))?;
    }
    terminal.error(&format!(
        "{} cases, {} findings, {} of them new",
        status.tally.cases,
        findings.len(),
        new.len()
    ));
    for finding in &failing {
        terminal.error(&format!("NEW {}: {}", finding.id, finding.why));
    }
    for finding in &others {
        terminal.error(&format!("not bugs, {}: {}", finding.id, finding.why));
    }
    Ok(match failing.is_empty() || arguments.update_baseline {
        true => Exit::Clean,
        false => Exit::Found,
    })
}

/// What is known before the run.
enum Expected {
    Findings(Baseline),
    Bugs(Bugs),
}

impl Expected {
    /// The findings that make the run fail. Of bugs with states, a fixed one that shows again does.
    fn new_among(&self, findings: &[Finding]) -> Vec<Finding> {
        let bugs = match self {
            Expected::Findings(baseline) => {
                return baseline.new_among(findings).into_iter().cloned().collect();
            }
            Expected::Bugs(bugs) => bugs,
        };
        let record = |finding: &Finding| FindingRecord {
            finding: finding.clone(),
            history: History::default(),
            repeats: 0,
        };
        let groups = groups_among(findings.iter().map(record).collect(), bugs);
        let members = groups.into_iter().flat_map(|group| {
            let entry = group.entry.map(|(_, entry)| entry);
            let fails = move |finding: &Finding| {
                entry
                    .as_ref()
                    .is_none_or(|entry| entry.is_back(&finding.accused))
            };
            group
                .members
                .into_iter()
                .map(|member| member.finding)
                .filter(fails)
        });
        members.collect()
    }

    /// The text of the file with these findings added.
    fn with(&self, new: &[&Finding]) -> String {
        let new: Vec<Finding> = new.iter().map(|finding| (*finding).clone()).collect();
        match self {
            Expected::Findings(baseline) => {
                let mut all = baseline.clone();
                all.version = 1;
                all.findings.extend(Baseline::of(&new).findings);
                all.to_json()
            }
            Expected::Bugs(bugs) => with_bugs(bugs, new).to_toml(),
        }
    }
}

/// The bugs with an open entry for each new one; one that is back is open again.
fn with_bugs(bugs: &Bugs, new: Vec<Finding>) -> Bugs {
    let mut all = bugs.clone();
    let records = new.into_iter().map(|finding| FindingRecord {
        finding,
        history: History::default(),
        repeats: 0,
    });
    for group in groups_among(records.collect(), bugs) {
        let title = headline(&group, &BugSummary::of(&group.first().finding, None));
        let mut entry = group.entry_or_new(&title);
        if let (Some(_), Some(release)) = (&group.entry, group.first().finding.accused.first()) {
            let release = release.clone();
            entry.apply(&Change::Returned { release }, &date(now()));
        } else {
            entry.since = date(now());
        }
        all.bugs.insert(group.id().to_string(), entry);
    }
    all
}

/// A baseline named on the command line must exist, unless this run writes it.
fn baseline(arguments: &Arguments) -> Result<Expected, Failure> {
    let Some(path) = &arguments.baseline else {
        return Ok(Expected::Findings(Baseline::default()));
    };
    let text = match arguments.update_baseline && !path.exists() {
        true => String::new(),
        false => read_config(path)?,
    };
    let unreadable = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    match path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        true => Bugs::read(&text).map(Expected::Bugs).map_err(unreadable),
        false => Baseline::read(&text)
            .map(Expected::Findings)
            .map_err(unreadable),
    }
}

fn findings(out: &Path) -> Result<Vec<Finding>, Failure> {
    Folder::look(out).map_err(folder_failure)?;
    let rows = open(out)?.findings().map_err(store_failure)?;
    let read = |row: &FindingRow| {
        let unreadable = |error| Failure::Environment(format!("finding {}: {error}", row.id));
        Finding::from_json(&row.json).map_err(unreadable)
    };
    rows.iter().map(read).collect()
}

fn write(path: &Option<PathBuf>, text: &str) -> Result<(), Failure> {
    match path {
        Some(path) => std::fs::write(path, text).map_err(|error| Failure::file(path, &error)),
        None => Ok(()),
    }
}
