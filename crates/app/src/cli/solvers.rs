//! `auspex solvers`: lists, probes, installs and removes solvers.

use super::input::{catalog, install_release};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_solvers::discover::{Found, Place};
use auspex_solvers::probe::probe;
use serde_json::json;
use std::io::Write;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Do not probe the solvers
    #[arg(long)]
    no_probe: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Install releases by name: z3@4.13.0 z3@latest cvc5 bitwuzla yices
    ///
    /// A name without a release, such as cvc5, is satisfied by any installed release; cvc5@latest asks the package
    /// index for the newest one.
    Install {
        #[arg(required = true)]
        releases: Vec<String>,
    },
    /// Remove installed releases: z3@4.13.0
    Remove {
        #[arg(required = true)]
        releases: Vec<String>,
    },
    /// List every solver that has a profile, and how to get it
    Known,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    match &arguments.action {
        Some(Action::Install { releases }) => install_all(releases, terminal),
        Some(Action::Remove { releases }) => remove_all(releases, terminal),
        Some(Action::Known) => known(terminal),
        None => list(arguments, terminal),
    }
}

fn split(release: &str) -> (&str, Option<&str>) {
    match release.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (release, None),
    }
}

fn install_all(releases: &[String], terminal: Terminal) -> Result<Exit, Failure> {
    let catalog = catalog()?;
    let mut failed = Vec::new();
    for release in releases {
        let (name, version) = split(release);
        if let Err(failure) = install_release(&catalog, name, version, terminal) {
            terminal.error(&format!("{release}: {failure}"));
            failed.push(release.as_str());
        }
    }
    if failed.is_empty() {
        Ok(Exit::Clean)
    } else {
        Err(Failure::Environment(format!(
            "not installed: {}",
            failed.join(", ")
        )))
    }
}

fn remove_all(releases: &[String], terminal: Terminal) -> Result<Exit, Failure> {
    let catalog = catalog()?;
    for release in releases {
        let (name, version) = split(release);
        let mut removed = false;
        for entry in catalog.cache.entries() {
            let matches = entry.installed.solver == name
                && version.is_none_or(|v| entry.installed.version == v);
            if matches {
                catalog
                    .cache
                    .remove(&entry)
                    .map_err(|error| Failure::Environment(error.to_string()))?;
                terminal.note(&format!("{name}@{}: removed", entry.installed.version));
                removed = true;
            }
        }
        if !removed {
            return Err(Failure::Usage(format!(
                "{release} is not installed; list the installed ones with `auspex solvers`"
            )));
        }
    }
    Ok(Exit::Clean)
}

fn known(terminal: Terminal) -> Result<Exit, Failure> {
    let catalog = catalog()?;
    let mut out = terminal.out();
    for profile in &catalog.profiles {
        let mut ways = Vec::new();
        ways.extend(
            profile
                .packages
                .pip
                .iter()
                .map(|p| format!("pip {}", p.name)),
        );
        ways.extend(
            profile
                .packages
                .debian
                .iter()
                .map(|p| format!("Debian {}", p.name)),
        );
        ways.extend(
            profile
                .packages
                .cargo
                .iter()
                .map(|p| format!("cargo {}", p.name)),
        );
        let ways = if ways.is_empty() {
            "by hand".to_string()
        } else {
            ways.join(", ")
        };
        writeln!(out, "{:<12} {ways}", profile.name)?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

fn list(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let catalog = catalog()?;
    let found = catalog.found();
    if found.is_empty() {
        terminal.note("no solver on PATH or installed; try `auspex solvers install z3 cvc5`");
    }
    let progress = terminal.progress(found.len() as u64, "probing");
    let mut out = terminal.out();
    let mut rows = Vec::new();
    for one in &found {
        let abilities = if arguments.no_probe {
            None
        } else {
            probe(&one.solver).ok()
        };
        progress.inc(1);
        if arguments.json {
            rows.push(json!({
                "solver": one.solver.profile.name,
                "version": one.solver.version.as_ref().map(|v| v.to_string()),
                "place": place(one),
                "options": one.solver.options,
                "theories": abilities.as_ref().map(|a| a.theories.clone()),
                "models": abilities.as_ref().map(|a| a.models),
                "cores": abilities.as_ref().map(|a| a.cores),
                "modes": abilities.as_ref().map(|a| a.modes.iter().map(|m| m.name()).collect::<Vec<_>>()),
            }));
            continue;
        }
        writeln!(out, "{:<24} {}", one.solver.title(), place(one))?;
        if let Some(abilities) = abilities {
            writeln!(out, "    theories: {}", abilities.theories.join(", "))?;
            let modes: Vec<&str> = abilities.modes.iter().map(|m| m.name()).collect();
            let extras = [(abilities.models, "models"), (abilities.cores, "cores")];
            let extras: Vec<&str> = extras
                .iter()
                .filter(|(has, _)| *has)
                .map(|(_, name)| *name)
                .collect();
            let extras = match extras.is_empty() {
                true => "neither models nor cores".to_string(),
                false => extras.join(" and "),
            };
            writeln!(out, "    modes: {}; {extras}", modes.join(", "))?;
            if abilities.theories.is_empty() && !abilities.complaint.is_empty() {
                writeln!(out, "    it says: {}", abilities.complaint)?;
            }
            if !abilities.wrong.is_empty() {
                writeln!(
                    out,
                    "    WRONG on a test query of: {}",
                    abilities.wrong.join(", ")
                )?;
            }
        }
    }
    progress.finish_and_clear();
    if arguments.json {
        writeln!(out, "{}", serde_json::Value::Array(rows))?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

fn place(found: &Found) -> &'static str {
    match found.place {
        Place::Path => "on PATH",
        Place::Cache => "installed",
        Place::CommandLine => "by command line",
    }
}
