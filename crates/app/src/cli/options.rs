//! `auspex options`: lists the options of a release as it tells them itself, with their tiers, and what campaigns set.

use super::input;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_solvers::Solver;
use auspex_solvers::options::{Offer, Parameter, offer, refused};
use auspex_solvers::profile::Tier;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

#[derive(clap::Args)]
pub struct Arguments {
    /// A solver by name, with a release or without: z3@5.4.0
    #[arg(required = true, value_name = "SOLVER")]
    solver: Vec<String>,
    /// Only options whose name contains this text
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Only options that campaigns set
    #[arg(long)]
    set: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let solvers = input::named_solvers(&arguments.solver, terminal)?;
    let cache = input::catalog()?.cache;
    let mut out = terminal.out();
    let mut all = Vec::new();
    for solver in &solvers {
        let mut offer = offer(solver, Some(&cache));
        offer.parameters.retain(|one| arguments.wants(one, solver));
        match arguments.json {
            true => all.push(data(solver, &offer, &refused(solver, &cache))),
            false => {
                write_table(&mut out, solver, &offer)?;
                for word in refused(solver, &cache) {
                    writeln!(out, "  refused in a campaign: {word}")?;
                }
            }
        }
    }
    if arguments.json {
        serde_json::to_writer_pretty(&mut out, &all).map_err(std::io::Error::from)?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

impl Arguments {
    fn wants(&self, one: &Parameter, solver: &Solver) -> bool {
        let named = self
            .name
            .as_ref()
            .is_none_or(|text| one.name.contains(text.as_str()));
        named && (!self.set || one.refusal(&solver.profile).is_none())
    }
}

/// The tier as we and its makers call it.
fn tier(one: &Parameter) -> String {
    let ours = match one.tier {
        Tier::Normal => "normal",
        Tier::Advanced => "advanced",
        Tier::Unsupported => "unsupported",
    };
    match one.category.as_str() {
        "" => ours.to_string(),
        theirs => format!("{ours} ({theirs})"),
    }
}

fn data(solver: &Solver, offer: &Offer, refused: &BTreeSet<String>) -> Value {
    let option = |one: &Parameter| {
        let refusal = one.refusal(&solver.profile);
        let mut data = json!(one);
        data["set"] = json!(refusal.is_none());
        if let Some(refusal) = refusal {
            data["never"] = json!({ "reason": refusal.reason, "means": refusal.means });
        }
        data
    };
    json!({
        "solver": solver.profile.name,
        "release": solver.version.as_ref().map(ToString::to_string),
        "options": offer.parameters.iter().map(option).collect::<Vec<_>>(),
        "simplifiers": offer.simplifiers,
        "tactics": offer.tactics,
        "refused": refused,
    })
}

fn write_table(out: &mut impl Write, solver: &Solver, offer: &Offer) -> std::io::Result<()> {
    let set = |one: &&Parameter| one.refusal(&solver.profile).is_none();
    let count = offer.parameters.iter().filter(set).count();
    writeln!(
        out,
        "{}: {} options, of which campaigns set {count}; {} simplifiers, {} tactics",
        solver.title(),
        offer.parameters.len(),
        offer.simplifiers.len(),
        offer.tactics.len()
    )?;
    let names = offer.parameters.iter().map(|one| one.name.len());
    let width = names.max().unwrap_or(0);
    for one in &offer.parameters {
        let refusal = one.refusal(&solver.profile);
        let never = refusal.map_or(String::new(), |why| format!("   never: {why}"));
        let default = match one.default.as_str() {
            "" => String::new(),
            value => format!(", default {value}"),
        };
        writeln!(
            out,
            "  {:<width$}  {}: {}{default}{never}",
            one.name,
            tier(one),
            one.domain.shown()
        )?;
    }
    Ok(())
}
