//! Queries per second on small queries, fresh, reset, push/pop and check-sat-using, for every z3 and cvc5 that is here.
//!
//! `cargo bench -p auspex-solvers --bench modes [-- NAME…]`; install some first: `auspex solvers install z3 cvc5`.

use auspex_logic::answer::Answer;
use auspex_solvers::discover::Catalog;
use auspex_solvers::{Limits, Mode, Query, Session, Solver};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long each measurement lasts.
const SPAN: Duration = Duration::from_secs(2);

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let catalog = Catalog::of_user().expect("the profiles can be read");
    let mut found: Vec<Solver> = match names.is_empty() {
        true => catalog
            .found()
            .into_iter()
            .map(|found| found.solver)
            .collect(),
        false => names
            .iter()
            .map(|name| catalog.find(name).expect("the solver is here").solver)
            .collect(),
    };
    if names.is_empty() {
        found.retain(|solver| matches!(solver.profile.name.as_str(), "z3" | "cvc5"));
    }
    if found.is_empty() {
        println!("no z3 or cvc5 on PATH or in the cache: nothing to measure");
        return;
    }
    println!(
        "{:<32} {:>16} {:>12} {:>10} {:>8}",
        "solver", "mode", "queries/s", "ms/query", "starts"
    );
    for solver in &found {
        measure(solver);
    }
}

fn measure(solver: &Solver) {
    let shell = by_shell(solver);
    print_row(&solver.title(), "file and shell", shell, None);
    let mut fresh = None;
    for mode in Mode::ALL {
        if !solver.profile.has(mode) {
            continue;
        }
        let (rate, starts) = rate(solver, mode);
        print_row(&solver.title(), mode.name(), rate, Some(starts));
        match (mode, fresh) {
            (Mode::Fresh, _) => fresh = Some(rate),
            (_, Some(fresh)) => println!("{:>62.1} times fresh", rate / fresh),
            (_, None) => {}
        }
    }
}

fn print_row(title: &str, mode: &str, rate: f64, starts: Option<u64>) {
    let starts = starts.map(|starts| starts.to_string()).unwrap_or_default();
    println!(
        "{title:<32} {mode:>16} {rate:>12.1} {:>10.3} {starts:>8}",
        1000.0 / rate
    );
}

/// A small bit-vector query that differs from one time to the next; every second one is satisfiable.
fn query(number: u64) -> (String, bool) {
    let value = number % 251;
    let other = if number.is_multiple_of(2) {
        value
    } else {
        value + 1
    };
    let text = format!(
        "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(assert (= x (_ bv{value} 8)))\n(assert (= (bvadd x #x01) (bvadd (_ bv{other} 8) #x01)))\n(check-sat)\n"
    );
    (text, number.is_multiple_of(2))
}

fn rate(solver: &Solver, mode: Mode) -> (f64, u64) {
    let mut session = Session::start(solver, &Limits::default());
    let mut asked = 0;
    let started = Instant::now();
    while started.elapsed() < SPAN {
        let (text, satisfiable) = query(asked);
        let run = session
            .ask(&Query::new(&text).mode(mode))
            .expect("it starts");
        let right = match run.answer() {
            Answer::Sat { .. } => satisfiable,
            Answer::Unsat { .. } => !satisfiable,
            _ => false,
        };
        assert!(right, "{} {mode:?}: {run:#?}", solver.title());
        assert_eq!(run.mode, mode);
        asked += 1;
    }
    let starts = if mode == Mode::Fresh {
        asked
    } else {
        session.starts
    };
    (asked as f64 / started.elapsed().as_secs_f64(), starts)
}

/// The slow way, for comparison: write a file, start a shell that starts the solver, read what it prints.
fn by_shell(solver: &Solver) -> f64 {
    let file = std::env::temp_dir().join(format!("auspex-bench-{}.smt2", std::process::id()));
    let line = solver.command(&file).line();
    let mut asked = 0;
    let started = Instant::now();
    while started.elapsed() < SPAN {
        std::fs::write(&file, query(asked).0).expect("the file can be written");
        let mut command = Command::new("/bin/sh");
        let environment = solver.base.environment.iter();
        command.envs(environment.map(|(name, value)| (name, value)));
        let output = command.args(["-c", &line]).stdin(Stdio::null()).output();
        assert!(!output.expect("a shell").stdout.is_empty());
        asked += 1;
    }
    let _ = std::fs::remove_file(file);
    asked as f64 / started.elapsed().as_secs_f64()
}
