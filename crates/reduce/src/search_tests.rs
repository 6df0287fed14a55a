//! The search as a whole, with checks that are plain functions of the text.

use crate::check::{Check, Examined, Support};
use crate::search::{Flow, NotInteresting, Report, reduce};

fn run(text: &str, check: impl FnMut(&str) -> bool + Send + Clone) -> Report {
    run_with(text, check, 1)
}

fn run_with(text: &str, check: impl FnMut(&str) -> bool + Send + Clone, workers: usize) -> Report {
    let mut checks: Vec<Box<dyn Check>> = Vec::new();
    checks.resize_with(workers, || Box::new(check.clone()));
    reduce(text, &[], &mut checks, &mut |_| Flow::Continue).expect("interesting")
}

const LONG: &str = "(set-logic ALL)
(set-option :produce-models true)
(declare-fun unused (Int) Int)
(declare-const velocity Int)
(declare-const other Int)
(assert (! (and (< velocity 10) (or (= (mod velocity other) 3) (> other 0))) :named first))
(assert (forall ((q Int)) (=> (> q velocity) (< 0 (+ q other)))))
(check-sat)
(get-model)
(exit)
";

#[test]
fn keeps_only_what_the_check_needs() {
    let report = run(LONG, |text| text.contains("(mod "));
    assert_eq!(report.text, "(assert (= (mod 0 0) 0))\n");
    assert!(report.complete && report.after.nodes < report.before.nodes);
}

#[test]
fn result_does_not_depend_on_the_number_of_workers() {
    let check = |text: &str| text.contains("mod") && text.contains("check-sat");
    let one = run_with(LONG, check, 1);
    let four = run_with(LONG, check, 4);
    assert_eq!(one.text, four.text);
    assert_eq!(one.steps, four.steps);
}

#[test]
fn every_step_is_smaller_and_none_is_tried_twice() {
    let mut tried = Vec::new();
    let report = {
        let check = |text: &str| {
            tried.push(text.to_string());
            text.contains("forall")
        };
        let mut checks: Vec<Box<dyn Check + '_>> = vec![Box::new(check)];
        reduce(LONG, &[], &mut checks, &mut |_| Flow::Continue).expect("interesting")
    };
    let asked = tried.len();
    assert_eq!(report.checks, asked as u64);
    tried.sort();
    tried.dedup();
    assert_eq!(tried.len(), asked);
    let nodes: Vec<usize> = report.steps.iter().map(|step| step.size.nodes).collect();
    assert!(nodes[1..].is_sorted_by(|a, b| a >= b));
}

#[test]
fn an_unknown_dialect_is_reduced_by_its_text() {
    let text = "(declare-thing a (b c))\n(frobnicate (a 1) (b 2 (c 3)))\n(go)\n";
    let report = run(text, |text| text.contains("(c"));
    assert_eq!(report.text, "(frobnicate (c))\n");
}

#[test]
fn an_unreadable_text_is_reduced_by_its_lines() {
    let report = run("(a\n(b\nkeep\n)))))\n", |text| text.contains("keep"));
    assert_eq!(report.text.trim(), "keep");
}

#[test]
fn refuses_a_text_that_shows_nothing() {
    let mut checks: Vec<Box<dyn Check>> = vec![Box::new(|_: &str| false)];
    let result = reduce("(check-sat)", &[], &mut checks, &mut |_| Flow::Continue);
    assert_eq!(result, Err(NotInteresting));
}

#[test]
fn goes_back_to_an_earlier_text_first() {
    let earlier = ["(nothing)".to_string(), "(assert keep)\n".to_string()];
    let mut checks: Vec<Box<dyn Check>> = vec![Box::new(|text: &str| text.contains("keep"))];
    let report = reduce(
        LONG.replace("velocity", "keep").as_str(),
        &earlier,
        &mut checks,
        &mut |_| Flow::Continue,
    );
    let report = report.expect("interesting");
    assert_eq!(report.steps[0].pass, "undo");
    assert!(report.checks < 20);
}

/// A constant in place of `(p a)` is a dead end, its part is not: only the second way finds that.
#[test]
fn goes_down_another_way_where_the_first_ends_large() {
    let names: Vec<String> = (0..30).map(|n| format!("b{n}")).collect();
    let pad = |name: &String| format!("(declare-const {name} Bool)\n(assert {name})\n");
    let padding: String = names.iter().map(pad).collect();
    let start = "(declare-const a Bool)\n(declare-fun p (Bool) Bool)\n(assert (p a))\n";
    let kept = move |text: &str| {
        let whole = |name: &String| text.contains(&format!("(assert {name})"));
        let held = ["(assert (p a))", "(assert true)", "(assert false)"];
        text.contains("(assert a)")
            || names.iter().all(whole) && held.iter().any(|held| text.contains(held))
    };
    let report = run(&format!("{start}{padding}"), kept);
    assert_eq!(report.text, "(declare-const a Bool)\n(assert a)\n");
}

#[test]
fn stops_when_told() {
    let mut checks: Vec<Box<dyn Check>> = vec![Box::new(|text: &str| text.contains("mod"))];
    let report = reduce(
        LONG,
        &[],
        &mut checks,
        &mut |progress| match progress.checks {
            0..5 => Flow::Continue,
            _ => Flow::Stop,
        },
    );
    let report = report.expect("interesting");
    assert!(!report.complete && report.checks <= 6);
}

/// Interesting is what contains `mod`; the evidence holds for what has the assertion's name.
struct WithEvidence {
    asked_without: bool,
}

impl Check for WithEvidence {
    fn has_evidence(&self) -> bool {
        true
    }

    fn support(&mut self, text: &str) -> Support {
        match (text.contains("first"), text.contains("check-sat")) {
            (_, false) => Support::Refuted,
            (true, true) => Support::Supported,
            (false, true) => Support::Open,
        }
    }

    fn interesting(&mut self, text: &str) -> Examined {
        assert!(text.contains("check-sat"), "refuted texts are never asked");
        let still_large = text.contains("set-logic");
        self.asked_without |= still_large && !text.contains("first");
        match text.contains("mod") {
            true => Examined::Yes {
                evidence: String::new(),
            },
            false => Examined::No,
        }
    }
}

#[test]
fn what_the_evidence_does_not_support_is_tried_last() {
    let mut checks: Vec<Box<dyn Check>> = vec![Box::new(WithEvidence {
        asked_without: false,
    })];
    let report = reduce(LONG, &[], &mut checks, &mut |_| Flow::Continue).expect("interesting");
    assert_eq!(report.text, "(assert (= (mod 0 0) 0))\n(check-sat)\n");
    assert!(report.unsupported > 0);
}

#[test]
fn a_large_script_that_only_two_edits_make_smaller_is_no_dead_end() {
    let lines = (0..20).map(|number| format!("(assert (p a{number:02}))\n"));
    let text: String = lines.collect();
    // No piece of a list of twenty has four or eight items.
    let check = |text: &str| {
        let left = text.matches("(p a").count();
        left > 0 && left.is_multiple_of(4)
    };
    let report = run(&text, check);
    assert_eq!(report.steps[0].pass, "pairs");
    assert!(report.after.nodes < 60);
}

#[test]
fn what_removes_most_is_tried_first() {
    let mut asked = Vec::new();
    {
        let check = |text: &str| {
            asked.push(text.len());
            text.contains("mod")
        };
        let mut checks: Vec<Box<dyn Check + '_>> = vec![Box::new(check)];
        reduce(LONG, &[], &mut checks, &mut |_| Flow::Continue).expect("interesting");
    }
    // The text itself, the text written anew, then the text without most of its commands.
    assert!(asked[2] < LONG.len() / 2, "{asked:?}");
}

#[test]
fn the_same_text_gives_the_same_steps() {
    let check = |text: &str| text.contains("forall") && text.contains("check-sat");
    assert_eq!(run(LONG, check), run(LONG, check));
}
