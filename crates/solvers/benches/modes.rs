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
        "{:<28} {:>16} {:>10} {:>9} {:>7} {:>10} {:>9}",
        "solver", "mode", "queries/s", "ms/query", "starts", "own ms", "own MB"
    );
    for solver in &found {
        measure(solver);
    }
}

fn measure(solver: &Solver) {
    print_row(&solver.title(), "file and shell", &by_shell(solver));
    let mut fresh = None;
    for mode in Mode::ALL {
        if !solver.profile.has(mode) {
            continue;
        }
        let measured = rate(solver, mode);
        let rate = measured.rate;
        print_row(&solver.title(), mode.name(), &measured);
        match (mode, fresh) {
            (Mode::Fresh, _) => fresh = Some(rate),
            (_, Some(fresh)) => println!("{:>62.1} times fresh", rate / fresh),
            (_, None) => {}
        }
    }
}

/// One measurement.
struct Measured {
    rate: f64,
    starts: u64,
    /// Processor time of this process per query, in milliseconds.
    own: f64,
}

fn print_row(title: &str, mode: &str, measured: &Measured) {
    let Measured { rate, starts, own } = measured;
    println!(
        "{title:<28} {mode:>16} {rate:>10.1} {:>9.3} {starts:>7} {own:>10.4} {:>9.1}",
        1000.0 / rate,
        own_size()
    );
}

/// Processor time of this process so far, in milliseconds.
fn own_cpu() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes only to the local it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Resident memory of this process, in megabytes.
fn own_size() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|text| text.parse::<f64>().ok());
    pages.unwrap_or(0.0) * 4096.0 / 1e6
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

fn rate(solver: &Solver, mode: Mode) -> Measured {
    let mut session = Session::start(solver, &Limits::default());
    let mut asked = 0;
    let before = own_cpu();
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
    Measured {
        rate: asked as f64 / started.elapsed().as_secs_f64(),
        starts: match mode {
            Mode::Fresh => asked,
            _ => session.starts,
        },
        own: (own_cpu() - before) / asked as f64,
    }
}

/// The slow way, for comparison: write a file, start a shell that starts the solver, read what it prints.
fn by_shell(solver: &Solver) -> Measured {
    let file = std::env::temp_dir().join(format!("auspex-bench-{}.smt2", std::process::id()));
    let line = solver.command(&file).line();
    let mut asked = 0;
    let before = own_cpu();
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
    Measured {
        rate: asked as f64 / started.elapsed().as_secs_f64(),
        starts: asked,
        own: (own_cpu() - before) / asked as f64,
    }
}
