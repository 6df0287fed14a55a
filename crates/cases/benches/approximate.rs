//! What one mutant of `approximate` costs, on the scripts of a folder: the paper's Table 5, for PST, LPI and both.
//!
//! `cargo bench -p auspex-cases --bench approximate -- FOLDER [EVERY [PYTHON]]` takes every `EVERY`th script (all if it is
//! not given); with a Python that has yinyang 0.3.0 installed, its mutators are measured in the same run on the same ones.
//!
//! 300 mutants of each script, as in the paper, made as campaigns make them and written as texts in memory, by processor
//! time; reading the script is shown apart.

use auspex_cases::strategy::named;
use auspex_cases::{Draw, GenContext, Seed, SeedStatus, Strategy};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Command, Terms, read_script};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

const MUTANTS: u64 = 300;

/// The rows of Table 5 that are Sparrow's, and our own default.
const VARIANTS: [&str; 5] = [
    "approximate:pst",
    "approximate:lpi",
    "approximate",
    "approximate:no-chain",
    "approximate:paper",
];

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let Some(folder) = words.first() else {
        println!(
            "a folder of scripts is needed: cargo bench -p auspex-cases --bench approximate -- FOLDER"
        );
        return;
    };
    let mut files = Vec::new();
    collect(Path::new(folder), &mut files);
    files.sort();
    let every = words.get(1).and_then(|w| w.parse().ok()).unwrap_or(1);
    let files: Vec<PathBuf> = files.into_iter().step_by(every).collect();
    for name in VARIANTS {
        if let Some(strategy) = named(name) {
            measure(strategy, &files);
        }
    }
    println!("the paper's Table 5: PST 400, LPI 1300, both 700 µs on average");
    if let Some(python) = words.get(2) {
        yinyang(python, &files);
    }
}

fn yinyang(python: &str, files: &[PathBuf]) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/yinyang.py");
    let run = std::process::Command::new(python)
        .args([script, &MUTANTS.to_string()])
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut run) = run else {
        println!("{python} cannot be started");
        return;
    };
    let list: String = files.iter().map(|f| format!("{}\n", f.display())).collect();
    if let Some(mut input) = run.stdin.take() {
        let _ = input.write_all(list.as_bytes());
    }
    let _ = run.wait();
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(place) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "smt2") {
            files.push(path);
        }
    }
}

/// The status that the script states.
fn status(terms: &Terms, seed: &Seed) -> Option<SeedStatus> {
    seed.script
        .commands
        .iter()
        .find_map(|command| match command {
            Command::SetInfo(key, value) if terms.symbols.name(*key) == ":status" => {
                match terms.symbols.name(*value) {
                    "sat" => Some(SeedStatus::SaidSat),
                    "unsat" => Some(SeedStatus::SaidUnsat),
                    _ => None,
                }
            }
            _ => None,
        })
}

#[derive(Default)]
struct Sums {
    scripts: usize,
    refused: usize,
    read: Duration,
    /// Of each mutant, with the bytes of its text.
    times: Vec<Duration>,
    bytes: usize,
    distinct: usize,
    barren: Vec<String>,
}

fn measure(strategy: &dyn Strategy, files: &[PathBuf]) {
    let mut sums = Sums::default();
    let mut terms = Terms::new();
    let mark = terms.mark();
    for file in files {
        if let Ok(text) = std::fs::read_to_string(file) {
            script(
                &mut terms,
                strategy,
                &file.display().to_string(),
                &text,
                &mut sums,
            );
        }
        terms.release(mark);
    }
    sums.times.sort_unstable();
    let micro = |time: Duration| time.as_secs_f64() * 1e6;
    let count = sums.times.len().max(1) as f64;
    let mean = sums.times.iter().map(|t| micro(*t)).sum::<f64>() / count;
    let squares = sums.times.iter().map(|t| (micro(*t) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / count).sqrt();
    let at = |part: usize| sums.times.get(part).copied().map_or(0.0, micro);
    println!(
        "{}: {} mutants of {} scripts ({} not read, {} without mutants)",
        strategy.name(),
        sums.times.len(),
        sums.scripts,
        sums.refused,
        sums.barren.len()
    );
    println!(
        "    µs each: mean {mean:.1}, least {:.1}, median {:.1}, most {:.1}, deviation {deviation:.1}; with reading {:.1}",
        at(0),
        at(sums.times.len() / 2),
        at(sums.times.len().saturating_sub(1)),
        mean + micro(sums.read) / count
    );
    println!(
        "    {} bytes each, {:.1} % distinct among those of their script",
        sums.bytes / sums.times.len().max(1),
        100.0 * sums.distinct as f64 / count
    );
    for name in sums.barren.iter().take(20) {
        println!("    no mutant of {name}");
    }
}

fn script(terms: &mut Terms, strategy: &dyn Strategy, name: &str, text: &str, sums: &mut Sums) {
    let started = processor_time();
    let Ok(reading) = read_script(terms, text) else {
        sums.refused += 1;
        return;
    };
    sums.read += processor_time() - started;
    let mut seed = Seed {
        name: name.to_string(),
        script: reading.script,
        status: None,
        models: Vec::new(),
        core: None,
    };
    seed.status = status(terms, &seed);
    sums.scripts += 1;
    let mut seen = HashSet::new();
    let mark = terms.mark();
    for number in 0..MUTANTS {
        let started = processor_time();
        let mut workshop = GenContext {
            terms,
            seeds: std::slice::from_ref(&seed),
            theories: &[],
            solvers: SolverSet::Z3.union(SolverSet::CVC5),
            forbidden: &[],
        };
        if let Some(case) = strategy.make(&mut workshop, &mut Draw::new(1, number)) {
            let text = render::script(terms, &case.script, Sharing::Auto);
            sums.times.push(processor_time() - started);
            sums.bytes += text.len();
            seen.insert(text);
        }
        terms.release(mark);
    }
    if seen.is_empty() {
        sums.barren.push(seed.name);
    }
    sums.distinct += seen.len();
}

/// Time this program was on a processor: on a busy machine the clock says little about a program.
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes only to the local it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
