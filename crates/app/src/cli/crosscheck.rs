//! `auspex crosscheck`: compares our evaluator with solvers on random ground terms, or on all values of small sorts.

use super::input::solvers;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::crosscheck::{
    self, Count, Difference, Plan, Theirs, TheoryReport, crosscheck,
};
use auspex_logic::Theory;
use auspex_solvers::Limits;
use std::io::Write;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Arguments {
    /// Theories, named as in `auspex ops`; all by default
    #[arg(long, value_name = "THEORY", value_delimiter = ',')]
    theories: Vec<String>,
    /// Terms per theory
    #[arg(long, default_value_t = 1_000)]
    count: u64,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// All values of bit-vectors of width 1 to 4 and of floats (2,2), (2,3) and (3,3) instead of random terms
    #[arg(long)]
    exhaustive: bool,
    /// Only floats of 16, 32, 64 and 128 bits, for solvers that support no others
    #[arg(long)]
    standard_formats: bool,
    /// A solver: z3, z3@4.13.0, cvc5+plain, or a command line (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// Seconds per question
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let wall = Duration::try_from_secs_f64(arguments.timeout).map_err(|_| {
        Failure::Usage(format!(
            "invalid time limit {}: expected seconds",
            arguments.timeout
        ))
    })?;
    let plan = Plan {
        theories: theories(arguments)?,
        count: arguments.count,
        seed: arguments.seed,
        exhaustive: arguments.exhaustive,
        standard_formats: arguments.standard_formats,
        ..Plan::default()
    };
    // Also check operators that cvc5 supports outside its safe mode only.
    let usual = ["z3", "cvc5+plain --fp-exp --arrays-exp --sets-exp"].map(String::from);
    let specs = match arguments.solver.is_empty() {
        true => &usual[..],
        false => &arguments.solver,
    };
    let solvers = solvers(specs, terminal)?;
    let limits = Limits {
        wall: wall + Duration::from_secs(1),
        soft: Some(wall),
        ..Limits::default()
    };
    let started = Instant::now();
    let bar = terminal.progress(0, "terms");
    let mut out = terminal.out();
    let mut reports = Vec::new();
    for theory in &plan.theories {
        let one = Plan {
            theories: vec![*theory],
            ..plan.clone()
        };
        let found = crosscheck(&one, &solvers, &limits, &|theory, done| {
            bar.set_message(theory.name());
            bar.set_position(done);
        });
        // A long run prints differences as they come.
        for report in found {
            bar.suspend(|| show(&report, &mut out))?;
            out.flush()?;
            reports.push(report);
        }
    }
    bar.finish_and_clear();
    let terms: u64 = reports.iter().map(|report| report.terms).sum();
    writeln!(
        out,
        "{terms} terms in {:.0} s",
        started.elapsed().as_secs_f64()
    )?;
    out.flush()?;
    let differs = reports.iter().any(|report| !report.differences.is_empty());
    Ok(if differs { Exit::Found } else { Exit::Clean })
}

fn theories(arguments: &Arguments) -> Result<Vec<Theory>, Failure> {
    if arguments.exhaustive && arguments.theories.is_empty() {
        return Ok(vec![Theory::BitVectors, Theory::FloatingPoint]);
    }
    if arguments.theories.is_empty() {
        return Ok(crosscheck::theories());
    }
    let named = |name: &String| {
        let found = crosscheck::theories()
            .into_iter()
            .find(|theory| theory.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = crosscheck::theories()
                .iter()
                .map(|theory| theory.name())
                .collect();
            Failure::Usage(format!(
                "unknown theory {name}; expected one of {}",
                names.join(", ")
            ))
        })
    };
    arguments.theories.iter().map(named).collect()
}

fn show(report: &TheoryReport, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        out,
        "{}: {} terms compared, {} more have no value",
        report.theory.name(),
        report.terms,
        report.open
    )?;
    for (solver, count) in &report.counts {
        writeln!(out, "  {solver:<32} {}", counted(count))?;
    }
    for (solver, rows) in &report.given_up {
        writeln!(
            out,
            "  {solver}: too many differences, no longer asked about:"
        )?;
        for row in rows {
            writeln!(out, "    {row}")?;
        }
    }
    for difference in &report.differences {
        show_difference(difference, out)?;
    }
    Ok(())
}

fn counted(count: &Count) -> String {
    let mut text = format!("{} agreed", count.agreed);
    let others = [
        (count.different, "DIFFERENT"),
        (count.crashed, "CRASHED"),
        (count.rejected, "rejected"),
        (count.silent, "silent"),
        (count.not_asked, "not asked"),
    ];
    for (number, word) in others.into_iter().filter(|(number, _)| *number > 0) {
        text.push_str(&format!(", {number} {word}"));
    }
    text
}

fn show_difference(difference: &Difference, out: &mut impl Write) -> std::io::Result<()> {
    let (word, what) = match &difference.theirs {
        Theirs::Value(value) => ("says", value),
        Theirs::Rejected(message) => ("refuses it:", message),
        Theirs::Crashed(message) => ("crashes:", message),
    };
    writeln!(out, "  {}", difference.term)?;
    writeln!(out, "    we say   {}", difference.ours)?;
    writeln!(out, "    {} {word} {what}", difference.solver)
}
