//! `auspex coverage`: the file that a solver is linked with so that it tells which edges it reaches, and a check of a
//! solver that was built so.

use super::input;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_solvers::coverage::RUNTIME;
use auspex_solvers::coverage::source::{NoPlaces, Place, places};
use auspex_solvers::{Limits, Mode, Query, Session, Solver};
use std::collections::BTreeSet;
use std::io::Write;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Print the C file that a solver is linked with
    Runtime,
    /// Say what an instrumented solver tells, and what a query costs
    Check {
        /// A solver, usually the path of your own build
        solver: String,
    },
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut out = terminal.out();
    let exit = match &arguments.what {
        What::Runtime => {
            out.write_all(RUNTIME.as_bytes())?;
            Exit::Clean
        }
        What::Check { solver } => {
            let solvers = input::named_solvers(std::slice::from_ref(solver), terminal)?;
            solvers.iter().try_fold(Exit::Clean, |exit, solver| {
                Ok::<Exit, Failure>(match check(solver, &mut out)? {
                    Exit::Clean => exit,
                    other => other,
                })
            })?
        }
    };
    out.flush()?;
    Ok(exit)
}

fn check(solver: &Solver, out: &mut impl Write) -> Result<Exit, Failure> {
    let title = solver.title();
    let Some(edges) = solver.base.coverage.edges() else {
        writeln!(
            out,
            "{title} is not instrumented; docs/coverage.md says how to build it"
        )?;
        return Ok(Exit::Found);
    };
    writeln!(out, "{title}: {edges} edges")?;
    match places(solver) {
        Ok(places) => write_places(&places, out)?,
        Err(why @ (NoPlaces::NoTable(_) | NoPlaces::NoProgram)) => {
            writeln!(out, "  no places in the source: {why}")?;
        }
        Err(why) => return Err(Failure::Environment(why.to_string())),
    }
    let (recorded, gauge) = solver.clone().gauged();
    let mut reached = 0;
    let with = cost(&recorded, &mut || {
        reached = reached.max(gauge.as_ref().map_or(0, |gauge| gauge.take().len()));
    })?;
    let without = cost(solver, &mut || ())?;
    writeln!(
        out,
        "  a small query reaches up to {reached} edges; it takes {with:.2} ms with its edges recorded and read, {without:.2} ms without"
    )?;
    Ok(Exit::Clean)
}

fn write_places(places: &[Place], out: &mut impl Write) -> std::io::Result<()> {
    let named = places.iter().filter(|place| place.line > 0);
    let functions: BTreeSet<&str> = places.iter().map(|p| p.function.as_str()).collect();
    writeln!(
        out,
        "  {} of them have a line in the source; {} functions",
        named.count(),
        functions.len()
    )
}

/// How many queries are timed.
const TIMED: u32 = 400;

/// Milliseconds of a small query in a live session, in the fastest mode that the solver has.
fn cost(solver: &Solver, after: &mut dyn FnMut()) -> Result<f64, Failure> {
    let failed =
        |error: auspex_solvers::solver::StartError| Failure::Environment(error.to_string());
    let mut session = Session::start(solver, &Limits::default());
    let mode = Mode::PushPop;
    let logic = solver.profile.logic_for("QF_UF");
    let mut best = Duration::MAX;
    for _ in 0..4 {
        let began = Instant::now();
        for number in 0..TIMED / 4 {
            let text = format!(
                "(set-logic {logic})(declare-fun p () Bool)(declare-fun q{number} () Bool)(assert (and p (not q{number})))(check-sat)"
            );
            session.ask(&Query::new(&text).mode(mode)).map_err(failed)?;
            after();
        }
        best = best.min(began.elapsed());
    }
    Ok(best.as_secs_f64() * 1000.0 / f64::from(TIMED / 4))
}
