//! What one mutant of `approximate` costs, on the scripts of a folder.
//!
//! `cargo bench -p auspex-cases --bench approximate -- FOLDER [PYTHON [EVERY]]`; with a Python that has yinyang 0.3.0
//! installed, its mutators are measured in the same run on the same scripts, every tenth unless `EVERY` says otherwise.
//!
//! The comparison: 300 mutants of each script, as in the paper, each as a text in memory, by processor time; with and
//! without what is done once per script (reading it, and making the changes that its mutants share).

use auspex_cases::features::Features;
use auspex_cases::grow::Rules;
use auspex_cases::strategy::approximate::{Approximate, Nursery};
use auspex_cases::{Draw, Seed, SeedStatus, Strategy, Workshop};
use auspex_logic::theory::Known;
use auspex_logic::{Command, Terms, read_script};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

const MUTANTS: u64 = 300;

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
    measure("all", &files);
    println!("the paper's Table 5: 400 to 1300 µs");
    if let Some(python) = words.get(1) {
        let every = words.get(2).and_then(|w| w.parse().ok()).unwrap_or(10);
        let some: Vec<PathBuf> = files.into_iter().step_by(every).collect();
        measure("those given to yinyang", &some);
        yinyang(python, &some);
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
    seeds: usize,
    refused: usize,
    fertile: usize,
    barren: Vec<String>,
    mutants: u64,
    distinct: usize,
    prepared: Duration,
    written: Duration,
    single: Duration,
    singles: u64,
    bytes: usize,
}

fn measure(title: &str, files: &[PathBuf]) {
    let mut sums = Sums::default();
    let mut terms = Terms::new();
    let mark = terms.mark();
    for file in files {
        if let Ok(text) = std::fs::read_to_string(file) {
            script(&mut terms, &file.display().to_string(), &text, &mut sums);
        }
        terms.release(mark);
    }
    let each = |time: Duration, count: u64| time.as_secs_f64() * 1e6 / count.max(1) as f64;
    println!(
        "{title}: {} scripts, {} not read, {} with mutants ({:.2} % of those read)",
        sums.seeds + sums.refused,
        sums.refused,
        sums.fertile,
        100.0 * sums.fertile as f64 / sums.seeds.max(1) as f64
    );
    println!(
        "{} mutants of {} bytes on average, {:.2} % of them distinct among those of their script",
        sums.mutants,
        sums.bytes / sums.mutants.max(1) as usize,
        100.0 * sums.distinct as f64 / sums.mutants.max(1) as f64
    );
    println!(
        "approximate: {:.2} µs to make and write one, {:.2} µs with reading and preparing; \
         {:.2} µs for a mutant on its own",
        each(sums.written, sums.mutants),
        each(sums.written + sums.prepared, sums.mutants),
        each(sums.single, sums.singles)
    );
    for name in sums.barren.iter().take(20) {
        println!("no mutant of {name}");
    }
}

/// Mutants that are made without a prepared seed.
const SINGLE: u64 = 30;

fn script(terms: &mut Terms, name: &str, text: &str, sums: &mut Sums) {
    let started = processor_time();
    let Ok(reading) = read_script(terms, text) else {
        sums.refused += 1;
        return;
    };
    let mut seed = Seed {
        name: name.to_string(),
        script: reading.script,
        status: None,
        models: Vec::new(),
        core: None,
    };
    seed.status = status(terms, &seed);
    let rules = Rules {
        solvers: Known::Z3.and(Known::CVC5),
        theories: &[],
        forbidden: &[],
        features: Features::ALL,
    };
    let nursery = Nursery::new(
        Approximate::USUAL,
        terms,
        rules,
        &seed,
        &mut Draw::new(1, 0),
    );
    sums.prepared += processor_time() - started;
    sums.seeds += 1;
    let before = sums.mutants;
    if let Some(nursery) = &nursery {
        mutate(terms, nursery, sums);
    }
    match sums.mutants > before {
        true => sums.fertile += 1,
        false => sums.barren.push(seed.name.clone()),
    }
    let started = processor_time();
    for number in 0..SINGLE {
        let mark = terms.mark();
        let mut workshop = Workshop {
            terms,
            seeds: std::slice::from_ref(&seed),
            theories: &[],
            solvers: rules.solvers,
            forbidden: &[],
        };
        let made = Approximate::USUAL.make(&mut workshop, &mut Draw::new(1, number));
        sums.singles += u64::from(made.is_some());
        terms.release(mark);
    }
    sums.single += processor_time() - started;
}

fn mutate(terms: &mut Terms, nursery: &Nursery<'_>, sums: &mut Sums) {
    let mut text = String::new();
    let mut seen = HashSet::new();
    let mark = terms.mark();
    // Two clock readings cost as much as a mutant: a script's mutants are timed together, and looked at in a second round.
    let started = processor_time();
    for number in 0..MUTANTS {
        if let Some(mutant) = nursery.mutant(terms, &mut Draw::new(1, number)) {
            text.clear();
            mutant.write(terms, &mut text);
            sums.mutants += 1;
            sums.bytes += text.len();
        }
        terms.release(mark);
    }
    sums.written += processor_time() - started;
    for number in 0..MUTANTS {
        if let Some(mutant) = nursery.mutant(terms, &mut Draw::new(1, number)) {
            text.clear();
            mutant.write(terms, &mut text);
            seen.insert(text.clone());
        }
        terms.release(mark);
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
