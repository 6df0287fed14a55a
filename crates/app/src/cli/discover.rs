//! `auspex discover`: searches for new approximation rules and proves them.

use super::input::{solvers, theories};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::rules::discover::{Search, Survivor, search};
use auspex_campaign::rules::prove::Provers;
use auspex_cases::rules::discover::{self, Extent};
use auspex_logic::Theory;
use std::io::Write;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Arguments {
    /// Theories, named as in `auspex ops`; by default all that can be searched
    #[arg(long, value_name = "THEORY", value_delimiter = ',')]
    theories: Vec<String>,
    /// How many rules per theory at most, shortest first
    #[arg(long, value_name = "N", default_value_t = Extent::default().rules)]
    rules: usize,
    /// Seconds per proof
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let time_limit = Duration::try_from_secs_f64(arguments.timeout).map_err(|_| {
        Failure::Usage(format!(
            "invalid time limit {}: expected seconds",
            arguments.timeout
        ))
    })?;
    let wanted = theories(&arguments.theories)?;
    let all: Vec<Theory> = discover::theories().collect();
    if let Some(other) = wanted.iter().find(|theory| !all.contains(theory)) {
        let known: Vec<&str> = all.iter().map(|theory| theory.name()).collect();
        return Err(Failure::Usage(format!(
            "cannot search for rules in {}; possible are {}",
            other.name(),
            known.join(", ")
        )));
    }
    // The search needs solvers as provers, so missing ones are installed.
    solvers(&["z3".to_string(), "cvc5".to_string()], terminal)?;
    let mut provers = Provers::of_machine(time_limit);
    let extent = Extent {
        rules: arguments.rules,
        ..Extent::default()
    };
    let mut out = terminal.out();
    let chosen = all.into_iter();
    for theory in chosen.filter(|theory| wanted.is_empty() || wanted.contains(theory)) {
        let bar = terminal.progress(0, theory.name());
        let result = search(theory, &extent, &mut provers, &mut |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        show(theory, &result, &mut out)?;
        out.flush()?;
    }
    Ok(Exit::Clean)
}

/// The result of a search, in the format of the rule tables.
fn show(theory: Theory, result: &Search, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        out,
        "; {}: {} atoms, {} classes, {} implications, {} proposed; proved by two {}, by one {}, refuted {}, open {}",
        theory.name(),
        result.found.atoms,
        result.found.classes,
        result.found.implications,
        result.found.rules.len(),
        result.proved_by(2),
        result.proved_by(1),
        result.refuted,
        result.open,
    )?;
    if !result.survivors.is_empty() {
        writeln!(out, "(theory {})", theory.name())?;
    }
    for Survivor { line, provers } in &result.survivors {
        writeln!(out, "{line} ; {}", provers.join(" "))?;
    }
    Ok(())
}
