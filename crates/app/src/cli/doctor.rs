//! `auspex doctor`: checks that everything Auspex needs is present and works.

use super::input::catalog;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_solvers::discover::in_path;
use auspex_solvers::fence;
use auspex_solvers::probe::probe;
use std::io::Write;

#[derive(clap::Args)]
pub struct Arguments {}

pub fn run(_arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let catalog = catalog()?;
    let mut out = terminal.out();
    let mut healthy = true;
    writeln!(out, "ok    {} profiles", catalog.profiles.len())?;
    let fence = fence::state();
    let mark = if fence.is_up() { "ok  " } else { "note" };
    writeln!(out, "{mark}  {}", fence.text())?;
    let folder = catalog.cache.folder();
    let writable = std::fs::create_dir_all(folder).is_ok();
    report(
        &mut out,
        &mut healthy,
        writable,
        &format!("cache folder {}", folder.display()),
    )?;
    let python = in_path("python3").is_some();
    let advice = if python {
        ""
    } else {
        ": not on PATH; needed to install solvers"
    };
    report(&mut out, &mut healthy, python, &format!("python3{advice}"))?;
    for entry in catalog.cache.entries() {
        let distrust = entry.distrust();
        let name = format!("{}@{}", entry.installed.solver, entry.installed.version);
        let what = match &distrust {
            None => format!("{name}: files unchanged since installation, folders owned by you"),
            Some(why) => format!("{name}: will not be run: {why}; remove it and install it again"),
        };
        report(&mut out, &mut healthy, distrust.is_none(), &what)?;
    }
    let found = catalog.found();
    if found.is_empty() {
        writeln!(
            out,
            "note  no solver installed yet; `auspex fuzz` installs z3 and cvc5"
        )?;
    }
    for one in found {
        let abilities = probe(&one.solver).unwrap_or_default();
        let answers = !abilities.theories.is_empty() && abilities.wrong.is_empty();
        let mut what = format!(
            "{}: answers test queries of {} theories",
            one.solver.title(),
            abilities.theories.len()
        );
        if !answers && !abilities.complaint.is_empty() {
            what = format!("{what}; its output: {}", abilities.complaint);
        }
        report(&mut out, &mut healthy, answers, &what)?;
        out.flush()?;
    }
    out.flush()?;
    Ok(if healthy {
        Exit::Clean
    } else {
        Exit::Environment
    })
}

fn report(out: &mut impl Write, healthy: &mut bool, good: bool, what: &str) -> std::io::Result<()> {
    *healthy &= good;
    writeln!(out, "{}  {what}", if good { "ok  " } else { "BAD " })
}
