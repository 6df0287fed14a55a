//! The commands that judge, as a user runs them, with real solvers that Auspex installs itself.

mod common;

use common::*;

const CORE: &str = "(declare-const x Int)(assert (! (< x 3) :named low))
(assert (! (> x 5) :named high))(check-sat)";

/// Runs `auspex check` and expects a complaint.
fn convicts(solver: &str, name: &str, script: &str, complaint: &str) {
    if !have(solver) {
        return;
    }
    let script = Scratch::new(name, script);
    let output = auspex(&["check", script.path(), "--solver", solver]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains(complaint), "{}", said(&output));
}

#[test]
fn check_shows_the_constant_array_bug_with_its_evidence() {
    let complaint = "wrong-sat: z3 4.13.0";
    convicts("z3@4.13.0", "constant.smt2", CONSTANT_ARRAYS, complaint);
}

#[test]
fn check_shows_the_array_bug_of_an_old_release() {
    let complaint = "wrong-sat: z3 4.8.12";
    convicts("z3@4.8.12", "written.smt2", WRITTEN_ARRAYS, complaint);
}

#[test]
fn a_model_that_its_solver_doubts_is_judged_and_the_doubt_is_shown() {
    // After regression 4841 of z3test (MIT).
    let script = "(set-option :model_validate true)
(declare-const x (_ FloatingPoint 2 6))
(assert (fp.eq x ((_ to_fp 2 6) RTZ (- 2.0625))))
(assert (= ((_ to_fp 2 6) RTZ (- 2.0)) (fp.div RTZ x ((_ to_fp 2 6) RTZ 0.03125))))
(check-sat)";
    let release = "z3@4.8.12";
    convicts(release, "divided.smt2", script, "invalid-model: z3 4.8.12");
    let doubt = "an invalid model was generated";
    convicts(release, "doubted.smt2", script, doubt);
}

#[test]
fn check_shows_the_invalid_model_of_cvc4() {
    convicts("cvc4", "selected.smt2", SELECTED, "invalid-model: cvc4");
}

#[test]
fn check_accepts_an_honest_solver() {
    if !have("z3@latest") {
        return;
    }
    let scripts = [
        Scratch::new("constant-ok.smt2", CONSTANT_ARRAYS),
        Scratch::new("selected-ok.smt2", SELECTED),
        Scratch::new("core-ok.smt2", CORE),
    ];
    for script in &scripts {
        let output = auspex(&["check", script.path(), "--solver", "z3@latest"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

#[test]
fn model_names_the_false_assertion() {
    let text = "(declare-const x Int)(assert (and (> x 1) (< x 3)))(check-sat)";
    let script = Scratch::new("model.smt2", text);
    let wrong = Scratch::new("wrong.model", "((define-fun x () Int 5))");
    let right = Scratch::new("right.model", "(model (define-fun x () Int 2))");
    let output = auspex(&["model", script.path(), wrong.path()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("(< x 3) is false"),
        "{}",
        said(&output)
    );
    let output = auspex(&["model", script.path(), right.path()]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn eval_gives_a_value_or_says_why_not() {
    let output = auspex(&["eval", "(bvadd #x1 #xf)"]);
    assert_eq!(
        (said(&output).trim(), output.status.code()),
        ("#x0", Some(0))
    );
    let output = auspex(&["eval", "(div 7 0)"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(said(&output).contains("the standard leaves this unspecified"));
}

#[test]
fn eval_uses_the_definitions_of_a_model() {
    let text =
        "(\n  ; a comment\n  (define-fun x () Int 5)\n  (define-fun f ((y Int)) Int (* y x))\n)";
    let model = Scratch::new("eval.model", text);
    let output = auspex(&["eval", "(f (+ x 1))", "--model", model.path()]);
    assert_eq!(
        (said(&output).trim(), output.status.code()),
        ("30", Some(0))
    );
    let output = auspex(&["eval", "(f z)", "--model", model.path()]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

#[test]
fn what_cannot_be_decided_is_neither_valid_nor_invalid() {
    // Bounds on functions can tell numbers apart, but never show that two are the same.
    let sum = "(+ (* (sin x) (sin x)) (* (cos x) (cos x)))";
    let text = format!("(declare-const x Real)(assert (= {sum} 1.0))(check-sat)");
    let script = Scratch::new("open.smt2", &text);
    let model = Scratch::new("open.model", "((define-fun x () Real 1.0))");
    let output = auspex(&["model", script.path(), model.path()]);
    assert_eq!(output.status.code(), Some(5));
    assert!(
        said(&output).starts_with("undetermined"),
        "{}",
        said(&output)
    );
}

/// The smallest false part comes before the larger ones, in words and as data.
#[test]
fn the_smallest_false_part_comes_first() {
    let text = "(declare-const x Int)(assert (and (> x 1) (or (< x 3) (= x 9))))(check-sat)";
    let script = Scratch::new("small.smt2", text);
    let model = Scratch::new("small.model", "((define-fun x () Int 0))");
    let output = auspex(&["model", script.path(), model.path()]);
    let said = said(&output);
    let small = said.find("  (> x 1) is false").expect("the small part");
    let large = said.find("  (and (> x 1)").expect("the large part");
    assert!(small < large, "{said}");
    let output = auspex(&["model", script.path(), model.path(), "--json"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["parts"][0]["term"], "(> x 1)");
    assert_eq!(object["parts"][0]["arguments"][0]["value"], "0");
}

#[test]
fn broken_text_is_shown_with_its_place() {
    let script = Scratch::new("broken.smt2", "(assert (and p\n");
    let output = auspex(&["check", script.path()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("broken.smt2:1:"),
        "{}",
        said(&output)
    );
}

#[test]
fn mutants_are_written_with_what_is_known_about_them() {
    let seed = Scratch::new(
        "seed.smt2",
        "(set-logic ALL)(declare-const x Int)(declare-const y Int)
         (assert (or (< x y) (= (* 2 x) (+ y 3))))(assert (> (+ x y) 10))(check-sat)",
    );
    let output = auspex(&[
        "mutate",
        seed.path(),
        "--count",
        "20",
        "--strategy",
        "typefuzz",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.matches("(check-sat)").count() >= 15, "{text}");
    let again = auspex(&[
        "mutate",
        seed.path(),
        "--count",
        "20",
        "--strategy",
        "typefuzz",
    ]);
    assert_eq!(
        text.as_bytes(),
        again.stdout,
        "the same seed gives the same mutants"
    );

    if have("z3@latest") {
        let diver = [
            "mutate",
            seed.path(),
            "--strategy",
            "diver",
            "--solver",
            "z3@latest",
        ];
        let output = auspex(&diver);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("(set-info :status sat)"), "{}", said(&output));
    }
    let output = auspex(&["mutate", seed.path(), "--strategy", "construct"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("use `auspex generate --strategy construct`"),
        "{}",
        said(&output)
    );
    let output = auspex(&[
        "mutate",
        seed.path(),
        "--strategy",
        "approximate:pst,depth=3",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("apply to injected formulas only"),
        "{}",
        said(&output)
    );
    let uneven = ["mutate", seed.path(), "--per-seed", "5"];
    let output = auspex(&uneven);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("a multiple of 16"),
        "{}",
        said(&output)
    );
}

#[test]
fn explain_draws_what_each_subterm_may_be() {
    let text = "(declare-const x Int)(declare-const p Bool)(assert (or (> x 1) p))(check-sat)";
    let script = Scratch::new("explain.smt2", text);
    let model = "((define-fun x () Int 5)(define-fun p () Bool false))";
    let right = Scratch::new("explain.model", model);
    let output = auspex(&["explain", script.path(), "--model", right.path()]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("assertion 1"), "{shown}");
    let line = |start: &str| {
        shown
            .lines()
            .find(|l| l.contains(start))
            .unwrap_or_default()
    };
    assert!(line("      x ").trim_end().ends_with("2 … ∞"), "{shown}");
    assert!(line("    p ").trim_end().ends_with("anything"), "{shown}");
    let wrong = Scratch::new(
        "explain-wrong.model",
        "((define-fun x () Int 0)(define-fun p () Bool false))",
    );
    let output = auspex(&["explain", script.path(), "--model", wrong.path()]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

#[test]
fn discover_offers_rules_that_solvers_have_proved() {
    if !have("z3@latest") || !have("cvc5@latest") {
        return;
    }
    let output = auspex(&["discover", "--theories", "bv", "--rules", "40"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let proved = text.lines().filter(|line| line.ends_with("; z3 cvc5"));
    assert!(proved.count() >= 3, "{text}");
    let output = auspex(&["discover", "--theories", "separation"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}
