//! Puts every case of `tests/replies/cases` to every solver that is here, and records what each says.
//!
//! `cargo run -p auspex-solvers --example record [NAME…]`; then read the difference: the answers in it are judgements of
//! this crate, and a wrong one is a bug of this crate unless the solver's own words say so.

#[path = "../tests/replies/mod.rs"]
mod replies;

use auspex_solvers::Solver;
use auspex_solvers::discover::Catalog;
use replies::{Case, NONCE, Record, describe, write_ending};
use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let catalog = Catalog::of_user()?;
    let solvers: Vec<Solver> = match names.is_empty() {
        true => catalog
            .found()
            .into_iter()
            .map(|found| found.solver)
            .collect(),
        false => names
            .iter()
            .map(|name| Ok(catalog.find(name)?.solver))
            .collect::<Result<_, Box<dyn Error>>>()?,
    };
    let cache = catalog.cache.folder().display().to_string();
    for solver in &solvers {
        for case in cases()? {
            record(solver, &case, &cache)?;
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies")
}

fn cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder().join("cases"))? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        cases.push(Case::read(&name, &std::fs::read_to_string(&path)?));
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(cases)
}

fn record(solver: &Solver, case: &Case, cache: &str) -> Result<(), Box<dyn Error>> {
    let script = case.script(&solver.profile);
    let nonce = solver.profile.echo.then_some(NONCE);
    let run = solver.fresh_marked(&script, &case.limits, nonce)?;
    // What names this machine is not for the record.
    let clean = |text: &str| without_paths(&text.replace(cache, "CACHE"));
    let version = solver
        .version
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let record = Record {
        solver: solver.profile.name.clone(),
        version: version.clone(),
        command: solver.shown("FILE"),
        case: case.name.clone(),
        driver: solver.base.line().contains("driver.py"),
        ending: write_ending(run.ending),
        // Coarse, so that a new record of the same behaviour is the same record.
        max_rss: run.max_rss >> 24 << 24,
        stdout: clean(&run.stdout),
        stderr: clean(&run.stderr),
        answers: describe(&run),
    };
    let name = format!("{}-{version}", record.solver);
    let target = folder().join(name.trim_end_matches('-'));
    std::fs::create_dir_all(&target)?;
    std::fs::write(target.join(format!("{}.txt", case.name)), record.write())?;
    println!(
        "{:<24} {:<20} {}",
        solver.title(),
        case.name,
        record.answers.join(", ")
    );
    Ok(())
}

/// Absolute paths without their folders.
fn without_paths(text: &str) -> String {
    let shorten = |word: &str| match (word.find('/'), word.rfind('/')) {
        (Some(0), Some(last)) if last > 0 => word[last + 1..].to_string(),
        _ => word.to_string(),
    };
    let words = text.split_inclusive([' ', '\n', '"', '(', '\'']);
    words.map(shorten).collect()
}
