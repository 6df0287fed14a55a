//! `auspex explain`: shows each subterm of a satisfiable script with the values it may take and how likely it is mutated.

use super::input::{read_text, script_of, solvers};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_cases::strategy::diver::analysis::Place;
use auspex_cases::strategy::diver::explain;
use auspex_logic::model::read_model;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Terms};
use auspex_solvers::run::Query;
use auspex_solvers::{Limits, Session};
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// A satisfiable SMT-LIB script
    script: PathBuf,
    /// A model of its first query; without it a solver is asked
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// The solver to ask
    #[arg(long, value_name = "SOLVER", default_value = "z3")]
    solver: String,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut terms = Terms::new();
    let text = read_text(&arguments.script)?;
    let script = script_of(&mut terms, &arguments.script, &text, terminal)?.script;
    let reply = match &arguments.model {
        Some(path) => read_text(path)?,
        None => asked(&text, arguments, terminal)?,
    };
    let model = read_model(&mut terms, &script, &reply)
        .map_err(|error| Failure::Usage(format!("the model cannot be read: {error:?}")))?;
    let places = explain(&terms, &script, model).ok_or_else(|| {
        Failure::Usage("the model does not satisfy the script; `auspex model` says why".into())
    })?;
    let mut out = terminal.out();
    let total: u64 = places.iter().map(|(_, weight)| u64::from(*weight)).sum();
    writeln!(out, "  chance  subterm and what it may be")?;
    for (place, weight) in in_text_order(places) {
        let percent = f64::from(weight) * 100.0 / total.max(1) as f64;
        let indent = "  ".repeat(place.path.len());
        let sort = terms.sort(place.term);
        let allowed = place.allowed.text(&mut terms, sort);
        let shown: String = render::term(&terms, place.term, Sharing::Auto)
            .chars()
            .take(60)
            .collect();
        let bar = "▇".repeat(weight as usize / 100);
        writeln!(out, "{percent:6.1} %  {indent}{shown}  ∈  {allowed}  {bar}")?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// The analysis goes level by level; a person reads from left to right.
fn in_text_order(mut places: Vec<(Place, u32)>) -> Vec<(Place, u32)> {
    places.sort_by(|(a, _), (b, _)| (a.root, &a.path).cmp(&(b.root, &b.path)));
    places
}

fn asked(text: &str, arguments: &Arguments, terminal: Terminal) -> Result<String, Failure> {
    let solver = solvers(std::slice::from_ref(&arguments.solver), terminal)?.remove(0);
    let run = Session::start(&solver, &Limits::default())
        .ask(&Query::new(text).model())
        .map_err(|error| Failure::Environment(error.to_string()))?;
    match run.answer() {
        Answer::Sat { model: Some(model) } => Ok(model.clone()),
        other => Err(Failure::Usage(format!(
            "{} answers {}: a model is needed",
            solver.title(),
            other.word()
        ))),
    }
}
