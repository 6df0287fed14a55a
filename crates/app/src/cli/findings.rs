//! `auspex findings`: what a campaign has found.

use super::status::{open, store_failure};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::store::Store;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// The campaign's folder
    #[arg(default_value = "auspex-out")]
    folder: PathBuf,
    /// Show all about the findings whose names contain this
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// Only findings of this class: wrong-unsat, wrong-sat, invalid-model, wrong-core, crash, …
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Only findings about this solver
    #[arg(long, value_name = "SOLVER")]
    solver: Option<String>,
    /// Also those that are the same bug as another, as their reduced scripts show
    #[arg(long)]
    all: bool,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let rows = open(&arguments.folder)?.findings().map_err(store_failure)?;
    let fits = |wanted: &Option<String>, found: &str| {
        wanted.as_ref().is_none_or(|w| found.contains(w.as_str()))
    };
    let mut found: Vec<(Finding, u64)> = rows
        .iter()
        .filter(|row| fits(&arguments.class, &row.class) && fits(&arguments.solver, &row.solver))
        .filter(|row| fits(&arguments.show, &row.id))
        .filter_map(|row| Some((Finding::from_json(&row.json).ok()?, row.repeats)))
        .collect();
    if !arguments.all {
        found.retain(|(finding, _)| finding.same_as.is_none());
    }
    // Gravest first, as a report would have them.
    found.sort_by_key(|(finding, _)| finding.class);
    let mut out = terminal.out();
    if arguments.json {
        let all: Vec<&Finding> = found.iter().map(|(finding, _)| finding).collect();
        writeln!(
            out,
            "{}",
            serde_json::to_string_pretty(&all).unwrap_or_default()
        )?;
    } else {
        for (finding, repeats) in &found {
            match arguments.show {
                Some(_) => show(finding, *repeats, &mut out)?,
                None => writeln!(
                    out,
                    "{}  seen {}\n    {}",
                    finding.line(),
                    repeats + 1,
                    finding.why
                )?,
            }
        }
    }
    out.flush()?;
    Ok(match found.is_empty() {
        true => Exit::Clean,
        false => Exit::Found,
    })
}

fn show(finding: &Finding, repeats: u64, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}\n{}", finding.id, finding.why)?;
    writeln!(
        out,
        "seen {} times; made by {}",
        repeats + 1,
        finding.origin.strategy
    )?;
    for step in &finding.origin.steps {
        writeln!(out, "  {step}")?;
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
    writeln!(out, "\n{}", finding.shown())
}
