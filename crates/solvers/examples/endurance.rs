//! Sends a great many queries through live sessions, all solvers at once, and shows at intervals what
//! that costs Auspex itself: resident memory, which must stay flat, and its share of processor time.
//!
//! `cargo run --release -p auspex-solvers --example endurance -- 1000000 0 z3@5.4.0 cvc5@1.4.2`;
//! install the solvers first: `auspex solvers install z3@5.4.0 cvc5@1.4.2`. The second number is the
//! width of the factors that each query asks for; with 0 the queries are trivial.

use auspex_logic::answer::Answer;
use auspex_solvers::discover::Catalog;
use auspex_solvers::{Limits, Mode, Query, Session, Solver};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How many lines the table has.
const LINES: u64 = 20;

/// Every so many queries one is refused, and one asks for a model.
const REFUSED: u64 = 1009;
const MODEL: u64 = 17;

/// Counted by the sessions, read by the table.
#[derive(Default)]
struct Counts {
    asked: AtomicU64,
    starts: AtomicU64,
    wrong: AtomicU64,
    solver_nanos: AtomicU64,
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|w| !w.starts_with("--"));
    let total = words.next().and_then(|word| word.parse().ok());
    let width = words.next().and_then(|word| word.parse().ok());
    let (Some(total), Some(width)) = (total, width) else {
        println!("usage: endurance QUERIES WIDTH SOLVER…");
        return;
    };
    let specs: Vec<String> = words.collect();
    let catalog = Catalog::of_user().expect("the profiles can be read");
    let solvers = specs.iter().map(|spec| match catalog.find(spec) {
        Ok(found) => found.solver,
        Err(error) => panic!("{spec}: {error}"),
    });
    let solvers: Vec<Solver> = solvers.collect();
    let counts = Counts::default();
    println!(
        "{:>9} {:>6} {:>9} {:>7} {:>7} {:>9} {:>10} {:>6}",
        "queries", "s", "queries/s", "starts", "own MB", "own s", "solvers s", "own %"
    );
    std::thread::scope(|scope| {
        let workers = solvers.iter().map(|solver| {
            let counts = &counts;
            scope.spawn(move || work(solver, total, width, counts))
        });
        let workers: Vec<_> = workers.collect();
        let started = Instant::now();
        let mut next = total / LINES;
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(200));
            if counts.asked.load(Relaxed) >= next {
                print_line(&counts, started.elapsed());
                next += total / LINES;
            }
        }
        print_line(&counts, started.elapsed());
    });
    let wrong = counts.wrong.load(Relaxed);
    println!("{wrong} answers were not the expected ones");
    assert_eq!(wrong, 0);
}

/// Asks queries in turn with the other sessions until all are asked together.
fn work(solver: &Solver, total: u64, width: u32, counts: &Counts) {
    let mode = [Mode::PushPop, Mode::Reset]
        .into_iter()
        .find(|mode| solver.profile.has(*mode));
    let mode = mode.unwrap_or(Mode::Fresh);
    let mut session = Session::start(solver, &Limits::default());
    let (mut starts, mut number) = (0, counts.asked.fetch_add(1, Relaxed));
    while number < total {
        let (text, expected) = match width {
            0 => query(number),
            _ => factors(number, width),
        };
        let mut query = Query::new(&text).mode(mode);
        if number.is_multiple_of(MODEL) {
            query = query.model();
        }
        let run = session.ask(&query).expect("it starts");
        let right = match run.answer() {
            Answer::Sat { .. } => expected == "sat",
            Answer::Unsat { .. } => expected == "unsat",
            Answer::Rejected { .. } => expected == "refused",
            _ => false,
        };
        counts.wrong.fetch_add(u64::from(!right), Relaxed);
        let nanos = run.cpu.as_nanos() as u64;
        counts.solver_nanos.fetch_add(nanos, Relaxed);
        counts.starts.fetch_add(session.starts - starts, Relaxed);
        starts = session.starts;
        number = counts.asked.fetch_add(1, Relaxed);
    }
    counts.asked.fetch_sub(1, Relaxed);
}

/// A small query that differs from one time to the next, and what must be answered.
fn query(number: u64) -> (String, &'static str) {
    if number % REFUSED == 3 {
        let text = "(declare-const x Int)\n(assert (= x y))\n(check-sat)\n";
        return (text.into(), "refused");
    }
    let value = number % 65_521;
    let (same, expected) = match number.is_multiple_of(2) {
        true => (value, "sat"),
        false => (value + 1, "unsat"),
    };
    let text = match number % 3 {
        0 => format!(
            "(declare-const x (_ BitVec 16))\n(assert (= x (_ bv{value} 16)))\n\
             (assert (= (bvmul x #x0003) (bvmul (_ bv{same} 16) #x0003)))\n(check-sat)\n"
        ),
        1 => format!(
            "(declare-const x Int)\n(declare-const y Int)\n(assert (= (+ x y) {value}))\n\
             (assert (= (- x y) {same}))\n(assert (= y 0))\n(check-sat)\n"
        ),
        _ => format!(
            "(declare-fun f (Int) Int)\n(declare-const x Int)\n(assert (= x {value}))\n\
             (assert (not (= (f x) (f {same}))))\n(assert (= (f {value}) 1))\n(check-sat)\n"
        ),
    };
    // Different arguments of `f` may have different values; the same ones may not.
    match (number % 3, expected) {
        (2, "sat") => (text, "unsat"),
        (2, _) => (text, "sat"),
        _ => (text, expected),
    }
}

/// A product of two numbers of some width, whose factors are asked for.
fn factors(number: u64, width: u32) -> (String, &'static str) {
    let top = 1u64 << (width - 1);
    let (p, q) = (
        top + 1 + number * 7919 % (top - 1),
        top + 1 + number % (top - 1),
    );
    let text = format!(
        "(declare-const p (_ BitVec {width}))\n(declare-const q (_ BitVec {width}))\n\
         (assert (= (bvmul ((_ zero_extend {width}) p) ((_ zero_extend {width}) q)) (_ bv{} {})))\n\
         (assert (bvugt p (_ bv1 {width})))\n(assert (bvugt q (_ bv1 {width})))\n(check-sat)\n",
        p * q,
        2 * width
    );
    (text, "sat")
}

fn print_line(counts: &Counts, elapsed: Duration) {
    let asked = counts.asked.load(Relaxed);
    let (own, seconds) = (own_cpu(), elapsed.as_secs_f64());
    let solvers = counts.solver_nanos.load(Relaxed) as f64 / 1e9;
    println!(
        "{asked:>9} {seconds:>6.0} {:>9.0} {:>7} {:>7.1} {own:>9.1} {solvers:>10.1} {:>6.1}",
        asked as f64 / seconds,
        counts.starts.load(Relaxed),
        own_size(),
        100.0 * own / (own + solvers)
    );
}

/// Processor time of this process so far, in seconds.
fn own_cpu() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes only to the local it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Resident memory of this process, in megabytes.
fn own_size() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|n| n.parse::<f64>().ok());
    pages.unwrap_or(0.0) * 4096.0 / 1e6
}
