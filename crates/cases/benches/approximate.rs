//! What one mutant of `approximate` costs, on the scripts of a folder.
//!
//! `cargo bench -p auspex-cases --bench approximate -- FOLDER [PYTHON]`; with a Python that has yinyang 0.3.0 installed,
//! its mutators are measured on the same scripts in the same run.

use auspex_cases::strategy::approximate::Approximate;
use auspex_cases::{Draw, Seed, SeedStatus, Strategy, Workshop};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::Known;
use auspex_logic::{Command, Terms, read_script};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MUTANTS: u64 = 300;

fn main() {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let Some(folder) = words.next() else {
        println!(
            "a folder of scripts is needed: cargo bench -p auspex-cases --bench approximate -- FOLDER"
        );
        return;
    };
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    files.sort();
    measure(&files);
    if let Some(python) = words.next() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/yinyang.py");
        let run = std::process::Command::new(python)
            .args([script, &folder])
            .status();
        println!("yinyang: {run:?}");
    }
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
    fertile: usize,
    barren: Vec<String>,
    mutants: u64,
    made: Duration,
    written: Duration,
    bytes: usize,
}

fn measure(files: &[PathBuf]) {
    let mut sums = Sums::default();
    for file in files {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        let mut terms = Terms::new();
        let Ok(reading) = read_script(&mut terms, &text) else {
            continue;
        };
        let name = file.display().to_string();
        let mut seed = Seed {
            name,
            script: reading.script,
            status: None,
            models: Vec::new(),
            core: None,
        };
        seed.status = status(&terms, &seed);
        mutate(&mut terms, &seed, &mut sums);
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / sums.mutants.max(1) as f64;
    println!(
        "{} scripts read, {} with mutants ({:.2} %)",
        sums.seeds,
        sums.fertile,
        100.0 * sums.fertile as f64 / sums.seeds.max(1) as f64
    );
    println!(
        "{} mutants of {} bytes on average",
        sums.mutants,
        sums.bytes / sums.mutants.max(1) as usize
    );
    println!(
        "approximate: {:.2} µs to make one, {:.2} µs to make and write one",
        each(sums.made),
        each(sums.written)
    );
    println!("the paper's Table 5: 400 to 1300 µs");
    for name in sums.barren.iter().take(20) {
        println!("no mutant of {name}");
    }
}

fn mutate(terms: &mut Terms, seed: &Seed, sums: &mut Sums) {
    let mut text = String::new();
    let mut made = 0;
    let mut round = |terms: &mut Terms, write: bool| {
        let started = Instant::now();
        for number in 0..MUTANTS {
            let mark = terms.mark();
            let mut workshop = Workshop {
                terms,
                seeds: std::slice::from_ref(seed),
                theories: &[],
                solvers: Known::Z3.and(Known::CVC5),
                forbidden: &[],
            };
            let case = Approximate::USUAL.make(&mut workshop, &mut Draw::new(1, number));
            if let (Some(case), true) = (case, write) {
                made += 1;
                text.clear();
                render::script_to(terms, &case.script, Sharing::Auto, &mut text);
                sums.bytes += text.len();
            }
            terms.release(mark);
        }
        started.elapsed()
    };
    let (only, written) = (round(terms, false), round(terms, true));
    sums.seeds += 1;
    sums.mutants += made;
    sums.made += only;
    sums.written += written;
    if made > 0 {
        sums.fertile += 1;
    } else {
        sums.barren.push(seed.name.clone());
    }
}
