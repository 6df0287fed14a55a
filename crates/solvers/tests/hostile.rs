//! Scripts of somebody who wants to write files, on real solvers: lists keep them out, and behind the lists the kernel.

mod hostile_scripts;

use auspex_logic::answer::Answer;
use auspex_solvers::fence::{self, Fence};
use auspex_solvers::{Called, Catalog, Limits, Mode, Query, Session, Solver, Want, install};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The releases that the attacks were found on.
fn releases() -> Vec<Solver> {
    let catalog = Catalog::of_user().unwrap();
    ["z3@5.4.0", "z3@4.13.0"]
        .iter()
        .filter_map(|spec| provided(&catalog, spec))
        .collect()
}

/// A solver, installed if need be; a loud line where it cannot be had.
fn provided(catalog: &Catalog, spec: &str) -> Option<Solver> {
    if let Ok(found) = catalog.find(spec) {
        return Some(found.solver);
    }
    let called = Called::read(spec);
    let profile = catalog.profile(called.name)?;
    let want = Want::read(called.release)?;
    if let Err(error) = install(profile, &want, &catalog.cache, &mut |_| {}) {
        let strict = std::env::var_os("AUSPEX_NO_SKIP").is_some();
        assert!(!strict, "{spec} is needed here: {error}");
        eprintln!("SKIPPED: {spec} cannot be had on this machine: {error}");
        return None;
    }
    catalog.find(spec).ok().map(|found| found.solver)
}

/// A read-only folder, and a file in it that should never appear.
struct Target(PathBuf);

impl Target {
    fn new(name: &str) -> Target {
        let folder =
            std::env::temp_dir().join(format!("auspex-hostile-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Target(folder)
    }

    fn file(&self) -> String {
        self.0.join("written").display().to_string()
    }

    fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.0).unwrap().next().is_none()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The six spellings that a list of forbidden texts let through, and the plain ones.
fn spellings(file: &str) -> Vec<String> {
    let options = [
        "(set-option :regular-output-channel \"@\")",
        "(set-option :regular-output-channel\"@\")",
        "(;x\nset-option :regular-output-channel \"@\")",
        "(|set-option| :regular-output-channel \"@\")",
        "(set-option ;\"\n:trace_file_name ;\"\n\"@\")(set-option :trace true)",
        "(set-option :solver.proof.log ;x\n |@|)",
        "(set-option ;x\n :sat.drat.file ;x\n |@|)(check-sat-using sat)",
        "(set-option :diagnostic-output-channel \"@\")",
        "(assert true)#| \" |#(set-option :regular-output-channel \"@\")#| \" |#",
        "(apply (using-params sat :drat.file |@|))",
    ];
    let harm = "(echo \"a line of somebody's choice\")(check-sat)";
    let script = |option: &&str| {
        let head = "(declare-const p Bool)(declare-const q Bool)";
        let option = option.replace('@', file);
        format!("{head}{option}(assert (or p q))(assert (not p)){harm}")
    };
    options.iter().map(script).collect()
}

fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(20),
        ..Limits::default()
    }
}

#[test]
fn no_spelling_of_an_option_writes_a_file() {
    let target = Target::new("spelling");
    for solver in releases() {
        for script in spellings(&target.file()) {
            for mode in Mode::ALL {
                let mut session = Session::start(&solver, &limits());
                let run = session.ask(&Query::new(&script).mode(mode)).unwrap();
                let place = format!("{} {mode:?} {script}\n{run:#?}", solver.title());
                assert!(matches!(run.answer(), Answer::Sat { .. }), "{place}");
                assert!(!run.stdout.contains("choice"), "{place}");
                assert!(target.is_empty(), "{place}");
            }
            for run in [
                solver.fresh(&script, &limits()),
                solver.fresh_exact(&script, &limits()),
            ] {
                assert!(
                    matches!(run.unwrap().answer(), Answer::Sat { .. }),
                    "{script}"
                );
                assert!(target.is_empty(), "{} {script}", solver.title());
            }
        }
    }
}

/// A few of those that `examples/hostile.rs` makes by the million.
#[test]
fn no_made_script_writes_a_file() {
    let target = Target::new("made");
    for solver in releases() {
        let mut session = Session::start(&solver, &limits());
        for number in 0..300 {
            let script = hostile_scripts::script(number, &target.file());
            let mode = Mode::ALL[number as usize % 4];
            let run = session.ask(&Query::new(&script).mode(mode)).unwrap();
            assert!(
                !run.stdout.contains("choice"),
                "{number} {script:?}\n{run:#?}"
            );
            assert!(target.is_empty(), "{} {number} {script:?}", solver.title());
        }
    }
}

/// The lists are off here, as for a script of the user's own: what is left is the kernel.
#[test]
fn the_fence_alone_keeps_files_from_being_written() {
    if !fence::state().is_up() {
        return eprintln!("SKIPPED: {}", fence::state().text());
    }
    let target = Target::new("fence");
    for solver in releases() {
        let solver = solver.as_is();
        for script in spellings(&target.file()) {
            let _ = solver.fresh_exact(&script, &limits()).unwrap();
            assert!(target.is_empty(), "{} {script}", solver.title());
        }
        let honest = solver.fresh("(assert true)(check-sat)", &limits()).unwrap();
        assert!(matches!(honest.answer(), Answer::Sat { .. }));
    }
}

/// A shell in the place of a solver, which does what it is told.
fn shell(commands: &str) -> String {
    let mut solver = Solver::new(
        std::sync::Arc::new(auspex_solvers::Profile::unknown("sh")),
        auspex_solvers::Invocation {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), "exit 0".into()],
            ..auspex_solvers::Invocation::default()
        },
    )
    .unwrap();
    solver.base.arguments = vec!["-c".into(), commands.into()];
    let run = solver.fresh("(check-sat)", &limits()).unwrap();
    format!("{}{}", run.stdout, run.stderr)
}

#[test]
fn a_process_writes_and_reads_where_it_may() {
    if fence::state() != Fence::Whole {
        return eprintln!("SKIPPED: {}", fence::state().text());
    }
    let target = Target::new("shell");
    let file = target.file();
    let said = shell(&format!(
        "echo x > {file}; echo no > here && cat here; echo > /dev/null && echo null"
    ));
    assert!(
        target.is_empty() && said.contains("no") && said.contains("null"),
        "{said}"
    );
    let home = std::env::var("HOME").unwrap();
    if Path::new(&home) != Path::new("/") {
        let said = shell(&format!(
            "ls {home} && echo read; cat /etc/passwd > /dev/null && echo fine"
        ));
        assert!(!said.contains("read") && said.contains("fine"), "{said}");
    }
    let said = shell("kill -0 $PPID && echo reached");
    assert!(!said.contains("reached"), "{said}");
}
