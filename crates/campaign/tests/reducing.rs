//! Reductions with a solver that has several bugs: the one at hand is kept, with its evidence, at every step.

use auspex_campaign::judge::candidate::Candidate;
use auspex_campaign::judge::diagnose::{Bug, diagnose};
use auspex_campaign::shrink::bug_check::{BugCheck, Costs};
use auspex_cases::Class;
use auspex_reduce::{Check, Flow, Report, reduce};
use auspex_solvers::{Invocation, Limits, Profile, Solver};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PROFILE: &str = r#"
name = "picky"
title = "Picky"
home = "here"
programs = ["picky"]
version = ["--version"]
stdin = []
live = []
modes = ["fresh", "reset"]
"#;

/// Where the solver writes what it was asked.
struct Log(PathBuf);

impl Log {
    fn new() -> Log {
        // The solver writes down what it is asked, which the fence would forbid.
        auspex_solvers::fence::take_down();
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("auspex-picky-{}-{number}", std::process::id());
        Log(std::env::temp_dir().join(name))
    }

    fn texts(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    fn solver(&self) -> Solver {
        self.solver_with(&[])
    }

    fn solver_with(&self, more: &[&str]) -> Solver {
        let profile = Profile::read("picky", PROFILE).expect("a profile");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/picky/solver.sh");
        let mut arguments = vec![script.into(), self.0.clone().into()];
        arguments.extend(more.iter().map(Into::into));
        let base = Invocation {
            program: "sh".into(),
            arguments,
            environment: Vec::new(),
            ..Invocation::default()
        };
        let mut solver = Solver::new(Arc::new(profile), base).expect("sh runs");
        solver.version = None;
        solver
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn shrunk(text: &str, bug: &Bug, any_bug: bool, workers: usize) -> Report {
    let (limits, costs) = (Limits::default(), Arc::new(Costs::default()));
    let check = || BugCheck::new(bug, any_bug, &limits, costs.clone());
    let mut checks: Vec<Box<dyn Check>> = Vec::new();
    checks.resize_with(workers, || Box::new(check()));
    reduce(text, &[], &mut checks, &mut |_| Flow::Continue).expect("the bug shows")
}

const TWO_CRASHES: &str = "(set-logic ALL)
(declare-const x Int)
(declare-const y Int)
(assert (or (= (mod (+ x y) 17) y) (< (+ x 2) (* 3 y)) (> x (+ y 5))))
(assert (= (div x 3) y))
(check-sat)
";

fn crash(log: &Log) -> Bug {
    crash_of(TWO_CRASHES, log)
}

fn crash_of(text: &str, log: &Log) -> Bug {
    let bugs = diagnose(text, &[log.solver()], &[], &Limits::default());
    let crash = bugs.into_iter().find(|bug| bug.class == Class::Crash);
    crash.expect("it crashes")
}

#[test]
fn one_crash_never_becomes_another() {
    let log = Log::new();
    let report = shrunk(TWO_CRASHES, &crash(&log), false, 1);
    assert_eq!(report.text, "(assert (= (mod 0 17) 0))\n(check-sat)\n");
}

#[test]
fn a_crash_that_needs_no_question_is_asked_none() {
    let log = Log::new();
    let text = "(declare-const x Int)\n(assert (< x (abs 17)))\n(check-sat)\n";
    let report = shrunk(text, &crash_of(text, &log), false, 1);
    assert_eq!(report.text, "(assert (< 0 (abs 17)))\n");
}

#[test]
fn any_bug_may_be_followed() {
    let log = Log::new();
    let report = shrunk(TWO_CRASHES, &crash(&log), true, 1);
    assert!(!report.text.contains("17"), "{}", report.text);
}

#[test]
fn workers_make_no_difference() {
    let log = Log::new();
    let bug = crash(&log);
    let (one, three) = (
        shrunk(TWO_CRASHES, &bug, false, 1),
        shrunk(TWO_CRASHES, &bug, false, 3),
    );
    assert_eq!((one.text, one.steps), (three.text, three.steps));
}

#[test]
fn a_disagreement_keeps_its_sides() {
    let log = Log::new();
    let text = "(declare-const keep Int)\n(assert (= (abs 3) keep))\n(check-sat)\n";
    let bug = Bug {
        class: Class::Disagreement,
        accused: log.solver(),
        trusted: vec![log.solver_with(&["other"])],
        witness: None,
        site: String::new(),
        why: String::new(),
    };
    let report = shrunk(text, &bug, false, 1);
    assert!(report.text.contains("keep"), "{}", report.text);
    assert!(!report.text.contains("abs"), "{}", report.text);
}

#[test]
fn nothing_is_asked_that_the_witness_does_not_satisfy() {
    let log = Log::new();
    let text = "(declare-const x Int)\n(declare-const keep Int)\n(assert (< 3 x 9))\n(assert (or (= keep x) (= keep 8)))\n(check-sat)\n";
    let model = "((define-fun x () Int 7)(define-fun keep () Int 7))";
    let bug = Bug {
        class: Class::WrongUnsat,
        accused: log.solver(),
        trusted: Vec::new(),
        witness: Some(model.to_string()),
        site: String::new(),
        why: String::new(),
    };
    let report = shrunk(text, &bug, false, 1);
    assert!(report.text.contains("keep") && report.text.len() < text.len() / 2);
    let asked = log.texts();
    assert!(asked.len() > 5);
    for text in asked {
        let mut candidate = Candidate::read(&text).expect("well-formed");
        assert!(candidate.holds_everywhere(model), "{text}");
    }
}
