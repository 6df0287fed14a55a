//! `auspex ci`: a campaign for a solver's own continuous integration. The same seed every time,
//! and only findings that are not in the baseline make it fail.

use super::fuzz;
use super::status::{folder_failure, open, store_failure};
use crate::exit::{Exit, Failure};
use crate::files::read_config;
use crate::terminal::Terminal;
use auspex_campaign::report::exchange::{Baseline, junit, sarif};
use auspex_campaign::store::{FindingRow, Store};
use auspex_campaign::{Campaign, Finding, Folder};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    fuzz: fuzz::Arguments,
    /// Known findings; only findings that are not in this file make the run fail
    #[arg(long, value_name = "FILE")]
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
    let status = fuzz::end(campaign, terminal);
    let findings = findings(&out)?;
    let new = baseline.new_among(&findings);
    write(&arguments.sarif, &sarif(&new, env!("CARGO_PKG_VERSION")))?;
    let fails = |finding: &&Finding| finding.class.is_bug() || arguments.fail_on_incompleteness;
    let (failing, others): (Vec<&Finding>, Vec<&Finding>) = new.iter().partition(|f| fails(f));
    let report = junit(&failing, status.tally.cases, status.elapsed);
    write(&arguments.junit, &report)?;
    if arguments.update_baseline {
        let mut all = baseline.clone();
        all.version = 1;
        let more: Vec<Finding> = new.iter().map(|finding| (*finding).clone()).collect();
        all.findings.extend(Baseline::of(&more).findings);
        write(&arguments.baseline, &all.to_json())?;
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

/// A baseline named on the command line must exist, unless this run writes it.
fn baseline(arguments: &Arguments) -> Result<Baseline, Failure> {
    let Some(path) = &arguments.baseline else {
        return Ok(Baseline::default());
    };
    let text = match arguments.update_baseline && !path.exists() {
        true => String::new(),
        false => read_config(path)?,
    };
    Baseline::read(&text).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
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
