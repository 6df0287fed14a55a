//! What the fence costs: starts of `/bin/true` and of z3 (if it is here) with and without it, in microseconds.

use auspex_solvers::limits::Memory;
use auspex_solvers::process::Process;
use auspex_solvers::{Catalog, Invocation, Limits, fence};
use std::time::{Duration, Instant};

const STARTS: u32 = 300;

fn main() {
    let z3 = Catalog::of_user()
        .ok()
        .and_then(|catalog| catalog.find("z3").ok());
    let z3 = z3.map(|found| Invocation {
        arguments: vec!["--version".into()],
        ..found.solver.base
    });
    let nothing = Invocation {
        program: "/bin/true".into(),
        ..Invocation::default()
    };
    println!("{}", fence::state().text());
    let programs = [("/bin/true", Some(nothing)), ("z3 --version", z3)];
    let programs = programs.map(|(name, what)| (name, what, Duration::ZERO));
    let mut fenced = programs;
    for (_, what, time) in &mut fenced {
        *time = what.as_ref().map_or(Duration::ZERO, start);
    }
    fence::take_down();
    for (name, what, with) in &fenced {
        let without = what.as_ref().map_or(Duration::ZERO, start);
        let (with, without) = (with.as_secs_f64() * 1e6, without.as_secs_f64() * 1e6);
        println!(
            "{name:<14} {with:>8.0} with, {without:>8.0} without, {:>6.0} more",
            with - without
        );
    }
}

/// The time of one start and end, the median of many.
fn start(what: &Invocation) -> Duration {
    let one = || {
        let started = Instant::now();
        let process = Process::start(what, &Limits::default(), Memory::AddressSpace);
        let mut process = process.expect("the program is there");
        let stop = process.run(b"", started + Duration::from_secs(10));
        process.finish(stop);
        started.elapsed()
    };
    let mut times: Vec<Duration> = (0..STARTS).map(|_| one()).collect();
    times.sort();
    times[times.len() / 2]
}
