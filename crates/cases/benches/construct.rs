//! Cases per second that `construct` makes on one core, with their texts, and how much memory that takes.
//! Run with `cargo bench -p auspex-cases --bench construct -- [COUNT] [SET]`.
//! With the word `check` every case is judged again instead, apart from how it was made: witnesses are validated, and
//! the members of a core must not all hold under corner values. With `steps` it counts what cases are made of.

mod construct_check;

use auspex_cases::strategy::construct::Construct;
use auspex_cases::{Draw, GenContext, Strategy};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Terms, Theory};
use std::time::{Duration, Instant};

fn main() {
    let sets: [(&str, &[Theory]); 5] = [
        ("all", &[]),
        ("bv", &[Theory::BitVectors]),
        ("arrays", &[Theory::Arrays]),
        ("strings", &[Theory::Strings, Theory::Regex]),
        (
            "bv,arrays,strings",
            &[Theory::BitVectors, Theory::Arrays, Theory::Strings],
        ),
    ];
    let count: u64 = std::env::args()
        .find_map(|a| a.parse().ok())
        .unwrap_or(200_000);
    let named: Vec<String> = std::env::args().skip(1).collect();
    let some = sets.iter().any(|(name, _)| named.iter().any(|n| n == name));
    let wants = |word: &str| named.iter().any(|n| n == word);
    for (name, theories) in sets {
        if some && !wants(name) {
            continue;
        }
        if wants("check") {
            construct_check::check(name, theories, count);
        } else if wants("steps") {
            construct_check::steps(name, theories, count);
        } else {
            measure(name, theories, count);
        }
    }
}

/// The time this process has run on a processor, where the system tells it.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// The memory this process holds, where the system tells it.
fn megabytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1e3)
}

/// After so many cases memory has reached what one case may need.
const FIRST: u64 = 100_000;

fn measure(name: &str, theories: &[Theory], count: u64) {
    let mut terms = Terms::new();
    let mut text = String::new();
    let (mut made, mut bytes) = (0u64, 0usize);
    let mut slowest = (Duration::ZERO, 0);
    let mut make = |number: u64| {
        let begun = Instant::now();
        let mark = terms.mark();
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &[],
            theories,
            solvers: SolverSet::Z3,
            forbidden: &[],
        };
        let case = Construct::USUAL.make(&mut workshop, &mut Draw::new(1, number));
        if let Some(case) = case {
            text.clear();
            render::script_to(&terms, &case.script, Sharing::Auto, &mut text);
            bytes += text.len();
            made += 1;
        }
        terms.release(mark);
        slowest = slowest.max((begun.elapsed(), number));
    };
    let started = Instant::now();
    make(0);
    let prepared = started.elapsed();
    let (started, processor) = (Instant::now(), processor_seconds());
    let first = count.min(FIRST);
    (1..=first).for_each(&mut make);
    let memory = megabytes();
    (first + 1..=count).for_each(&mut make);
    let wall = started.elapsed().as_secs_f64();
    // On a busy machine only the processor time says how fast the code is.
    let seconds = processor_seconds()
        .zip(processor)
        .map_or(wall, |(after, before)| after - before);
    println!(
        "{name:<20} {:>9.0} cases/s  {:>5.1} MB/s  {:.1} % of draws  first case {prepared:.0?}, slowest {:.0?} (number {}){}",
        made as f64 / seconds,
        bytes as f64 / seconds / 1e6,
        made as f64 * 100.0 / (count + 1) as f64,
        slowest.0,
        slowest.1,
        memory
            .zip(megabytes())
            .map_or(String::new(), |(early, late)| {
                format!("  memory {early:.1} MB after {first} cases, {late:.1} MB at the end")
            }),
    );
}
