//! `auspex explain`: shows the values that each subterm of a satisfiable script may take, and how likely it is to be
//! mutated.

use super::input::{read_text, script_of, solvers};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_cases::strategy::diver::{Shown, explain};
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
    /// A model of its first query; by default a solver is asked for one
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
    let places = explain(&mut terms, &script, model).ok_or_else(|| {
        Failure::Usage(
            "the model does not satisfy the script; run `auspex model` to see why".into(),
        )
    })?;
    let mut out = terminal.out();
    draw(&mut out, &mut terms, &places)?;
    out.flush()?;
    Ok(Exit::Clean)
}

/// One line per occurrence, subterms indented: chance of mutation, bar, term, allowed values.
fn draw(out: &mut impl Write, terms: &mut Terms, places: &[Shown]) -> std::io::Result<()> {
    let total: u64 = places.iter().map(|s| u64::from(s.place.weight)).sum();
    let lines: Vec<String> = places.iter().map(|shown| line(terms, shown)).collect();
    let widest = lines.iter().map(|line| line.chars().count()).max();
    let widest = widest.unwrap_or(0);
    let head = "subterm";
    writeln!(out, "chance             {head:<widest$}  may be")?;
    for (shown, line) in places.iter().zip(lines) {
        if shown.path.is_empty() {
            writeln!(out, "assertion {}", shown.root + 1)?;
        }
        let percent = f64::from(shown.place.weight) * 100.0 / total.max(1) as f64;
        let bar = "▇".repeat(shown.place.weight.div_ceil(100) as usize);
        let sort = terms.sort(shown.place.term);
        let allowed = shown.place.allowed.text(terms, sort);
        writeln!(out, "{percent:4.1} % {bar:<10}  {line:<widest$}  {allowed}")?;
    }
    Ok(())
}

/// The start of a subterm, indented by its depth.
fn line(terms: &Terms, shown: &Shown) -> String {
    const WIDEST: usize = 56;
    let text = render::term(terms, shown.place.term, Sharing::Auto);
    let text = format!("{}{text}", "  ".repeat(shown.path.len()));
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST - 1).chain(['…']).collect(),
        false => text,
    }
}

fn asked(text: &str, arguments: &Arguments, terminal: Terminal) -> Result<String, Failure> {
    let solver = solvers(std::slice::from_ref(&arguments.solver), terminal)?.remove(0);
    let run = Session::start(&solver, &Limits::default())
        .ask(&Query::new(text).model())
        .map_err(|error| Failure::Environment(error.to_string()))?;
    match run.answer() {
        Answer::Sat { model: Some(model) } => Ok(model.clone()),
        other => Err(Failure::Usage(format!(
            "{} answers {}, but a model is needed: choose another solver or pass --model",
            solver.title(),
            other.word()
        ))),
    }
}
