//! A small command over this crate alone: `install NAME…`, `list`, `releases NAME`, `probe NAME`, `ask NAME MODE FILE`, `soak NAME COUNT`.

use auspex_solvers::discover::Catalog;
use auspex_solvers::install::releases;
use auspex_solvers::probe::probe;
use auspex_solvers::{Limits, Mode, Query, Session, Want, install};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let catalog = Catalog::of_user()?;
    match words.as_slice() {
        ["install", names @ ..] => names.iter().try_for_each(|name| bring(&catalog, name)),
        ["list"] => {
            for found in catalog.found() {
                let command = found.solver.base.line();
                println!("{:<24} {:?} {command}", found.solver.title(), found.place);
            }
            Ok(())
        }
        ["releases", name] => {
            let profile = catalog.profile(name).ok_or("no such solver")?;
            for version in releases(profile, &catalog.cache) {
                println!("{name}@{version}");
            }
            Ok(())
        }
        ["probe", name] => {
            println!("{:#?}", probe(&catalog.find(name)?.solver)?);
            Ok(())
        }
        ["ask", name, mode, file] => ask(&catalog, name, mode, file),
        ["soak", name, count] => soak(&catalog, name, count.parse()?),
        _ => Err(
            "usage: install NAME… | list | releases NAME | probe NAME | ask NAME MODE FILE | soak NAME COUNT".into(),
        ),
    }
}

fn bring(catalog: &Catalog, spec: &str) -> Result<(), Box<dyn Error>> {
    let (name, version) = match spec.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (spec, None),
    };
    let profile = catalog.profile(name).ok_or("no such solver")?;
    let want = Want::read(version).ok_or("no such version")?;
    let entry = install(profile, &want, &catalog.cache, &mut |progress| {
        eprintln!("{progress:?}");
    })?;
    println!("{} {}", name, entry.installed.version);
    Ok(())
}

fn ask(catalog: &Catalog, name: &str, mode: &str, file: &str) -> Result<(), Box<dyn Error>> {
    let solver = catalog.find(name)?.solver;
    let known = Mode::ALL.into_iter().find(|known| known.name() == mode);
    let bytes = std::fs::read(file)?;
    let script = auspex_syntax::decode(&bytes);
    let query = Query::new(&script).mode(known.ok_or("no such mode")?);
    let run = Session::start(&solver, &Limits::default()).ask(&query)?;
    println!("{run:#?}");
    Ok(())
}

/// Many small queries through one session, with the memory of this process at every tenth.
fn soak(catalog: &Catalog, name: &str, count: u64) -> Result<(), Box<dyn Error>> {
    let solver = catalog.find(name)?.solver;
    let mut session = Session::start(&solver, &Limits::default());
    let modes: Vec<Mode> = solver.profile.modes.clone();
    let live: Vec<Mode> = modes
        .into_iter()
        .filter(|&mode| mode != Mode::Fresh)
        .collect();
    for number in 0..count {
        let value = number % 256;
        let script = format!(
            "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(assert (= x (_ bv{value} 8)))(check-sat)"
        );
        let mode = live[number as usize % live.len()];
        let run = session.ask(&Query::new(&script).mode(mode).model())?;
        if run.answer().word() != "sat" {
            return Err(format!("query {number}: {run:#?}").into());
        }
        if (number + 1).is_multiple_of((count / 10).max(1)) {
            let statm = std::fs::read_to_string("/proc/self/statm")?;
            let pages: u64 = statm.split(' ').nth(1).unwrap_or("0").parse()?;
            println!(
                "{:>9} queries, {:>6} kB, {} processes",
                number + 1,
                pages * 4,
                session.starts
            );
        }
    }
    Ok(())
}
