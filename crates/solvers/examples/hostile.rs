//! Sends many scripts that want to write a file to a solver, in every mode, and watches the file system:
//! `cargo run --release -p auspex-solvers --example hostile -- 1000000 z3@5.4.0 [first number]`.

#[path = "../tests/hostile_scripts/mod.rs"]
mod hostile_scripts;

use auspex_solvers::{Catalog, Limits, Mode, Query, Session};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many scripts pass between two looks at the file system.
const LOOK: u64 = 500;

fn main() {
    let mut words = std::env::args().skip(1);
    let count: u64 = words
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(10_000);
    let spec = words.next().unwrap_or_else(|| "z3".to_string());
    let first: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let catalog = Catalog::of_user().expect("the profiles can be read");
    let solver = catalog.find(&spec).expect("the solver is here").solver;
    println!(
        "{}; {}",
        solver.title(),
        auspex_solvers::fence::state().text()
    );
    let target = std::env::temp_dir().join(format!("auspex-target-{}", std::process::id()));
    std::fs::create_dir_all(&target).expect("a folder to watch");
    let file = target.join("written").display().to_string();
    let limits = Limits {
        wall: Duration::from_millis(300),
        ..Limits::default()
    };
    let mut session = Session::start(&solver, &limits);
    let (started, mut sent, mut slow) = (Instant::now(), 0u64, 0u64);
    let before = outside();
    for number in first..first + count {
        let script = hostile_scripts::script(number, &file);
        // A fresh process costs a hundred times as much.
        let mode = match number % 200 {
            0 => Mode::Fresh,
            n if n % 2 == 0 => Mode::Reset,
            _ => Mode::PushPop,
        };
        let run = session
            .ask(&Query::new(&script).mode(mode))
            .expect("the solver starts");
        sent += u64::from(!run.replies.is_empty());
        if run.wall >= limits.wall {
            slow += 1;
            println!("{number} took the time limit: {script:?}");
        }
        assert!(
            !run.stdout.contains("somebody's choice"),
            "{number}: {script:?}"
        );
        if number % LOOK == 0 || number + 1 == first + count {
            assert!(is_empty(&target), "a file was written before {number}");
            assert_eq!(outside(), before, "a folder has changed before {number}");
        }
    }
    let _ = std::fs::remove_dir_all(&target);
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{count} scripts in {seconds:.0} s, {sent} of them sent, {slow} up to the time limit, {} processes, nothing written outside",
        session.starts
    );
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// The names in the folders that a careless path would hit: here, the home, the root.
fn outside() -> Vec<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let mut names: Vec<String> = [".", home.as_str(), "/"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| {
            entries
                .flatten()
                .map(|entry| entry.path().display().to_string())
        })
        .collect();
    names.sort();
    names
}
