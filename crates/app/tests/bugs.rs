//! From a failing script to a report, as a user goes: reduce, find, bisect, report, recheck.

mod common;

use common::*;
use std::fs;
use std::path::Path;

/// Hides an assertion among two hundred others that hold whatever their symbols stand for.
fn inflated(declarations: &str, assertion: &str) -> String {
    let mut state = 7_u64;
    let mut draw = move |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut lines = vec!["(set-logic ALL)".to_string()];
    for number in 0..10 {
        lines.push(format!("(declare-fun velocity_{number} () Int)"));
        lines.push(format!("(declare-fun flag_{number} () Bool)"));
    }
    lines.push("(define-fun dist ((a Int) (b Int)) Int (ite (< a b) (- b a) (- a b)))".into());
    lines.push(declarations.to_string());
    for number in 0..190 {
        let (a, b, flag) = (draw(10), draw(10), draw(10));
        let part = format!("(< (dist velocity_{a} (+ velocity_{b} {number})) velocity_{b})");
        lines.push(match number % 2 {
            0 => format!("(assert (or (=> flag_{flag} {part}) flag_{flag} (not flag_{flag})))"),
            _ => format!("(assert (let ((?t {part})) (or ?t (not ?t))))"),
        });
    }
    let flag = draw(10);
    let hidden = format!(
        "(assert (! (and (not (not {assertion})) (or flag_{flag} (not flag_{flag}))) :named hidden))"
    );
    lines.insert(100, hidden);
    lines.push("(check-sat)\n(exit)\n".into());
    lines.join("\n")
}

/// Shrinks a script and gives the lines that are left.
fn shrunk(name: &str, solver: &str, text: &str) -> Option<Vec<String>> {
    if !have(solver) || !have("z3@latest") {
        return None;
    }
    assert!(text.lines().count() > 200);
    let script = Scratch::new(name, text);
    let arguments = [
        "reduce",
        script.path(),
        "--solver",
        solver,
        "--trusted",
        "z3@latest",
    ];
    let output = auspex(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let left = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(left.lines().map(str::to_string).collect())
}

#[test]
fn an_inflated_array_bug_comes_back_to_two_lines() {
    let assertion = "(= (store ((as const (Array (_ BitVec 4) Bool)) true) #x0 false)
  (store ((as const (Array (_ BitVec 4) Bool)) false) #x1 true))";
    let text = inflated("", assertion);
    if let Some(lines) = shrunk("written.smt2", "z3@4.8.12", &text) {
        assert!(lines.len() <= 4, "{lines:#?}");
    }
}

#[test]
fn an_inflated_constant_array_bug_comes_back_to_few_lines() {
    let assertion = "(= ((as const (Array Bool Bool)) true)
  (store ((as const (Array Bool Bool)) false) true true))";
    let text = inflated("", assertion);
    if let Some(lines) = shrunk("constant.smt2", "z3@4.13.0", &text) {
        assert!(lines.len() <= 4, "{lines:#?}");
    }
}

#[test]
fn an_inflated_invalid_model_comes_back_to_four_lines() {
    let declarations = "(declare-const a (Array (_ BitVec 4) Bool))
(declare-const bv (_ BitVec 4))(declare-const b Bool)(declare-const s String)";
    let assertion = "(= (select (store a bv b) (bvnot bv)) (str.contains s s))";
    let text = inflated(declarations, assertion);
    if let Some(lines) = shrunk("selected.smt2", "cvc4@1.8", &text) {
        assert!(lines.len() <= 4, "{lines:#?}");
    }
}

/// z3 answers `sat` and then finds fault with its own model (issue 5794 of z3).
#[test]
fn a_complaint_after_an_answer_is_shrunk_as_well() {
    if !have("z3@4.8.12") {
        return;
    }
    let text = "(declare-const y Int)(declare-const x (_ BitVec 1))(assert (> y 5))\n\
        (assert (or (not (bvsmul_noovfl x x)) (and (not (bvsmul_noovfl x x)) (< y 9))))\n(check-sat)\n";
    let script = Scratch::new("doubted.smt2", text);
    let solver = "z3@4.8.12 model_validate=true";
    let output = auspex(&["reduce", script.path(), "--solver", solver]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let left = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(left.lines().count(), 3, "{left}");
}

/// The first wrong `sat` of a campaign.
fn first_wrong_sat(campaign: &Path) -> String {
    let mut all: Vec<_> = fs::read_dir(campaign.join("findings"))
        .expect("findings")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("finding.json").is_file())
        .filter(|path| path.to_string_lossy().contains("wrong-sat"))
        .collect();
    all.sort();
    let first = all.first().expect("the campaign found something");
    first.to_str().expect("a plain path").to_string()
}

#[test]
fn a_finding_becomes_a_report_and_a_later_release_is_seen_to_be_right() {
    if !have("z3@4.13.0") || !have("z3@latest") {
        return;
    }
    let folder = Folder::new("campaign");
    let out = folder.path();
    let fuzz = [
        "fuzz",
        "--solver",
        "z3@4.13.0",
        "--solver",
        "z3@latest",
        "--strategy",
        "construct",
        "--theories",
        "core,arrays",
        "--options",
        "none",
        "--seed",
        "5",
        "--workers",
        "2",
        "--cases",
        "3000",
        "--plain",
        "--out",
        out,
    ];
    let output = auspex(&fuzz);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let finding = first_wrong_sat(Path::new(out));

    let output = auspex(&["bisect", &finding, "--releases", "4.13.0,latest"]);
    assert!(
        said(&output).contains("first bad 4.13.0"),
        "{}",
        said(&output)
    );

    let output = auspex(&["recheck", out, "--solver", "z3@latest"]);
    let told = said(&output);
    assert!(told.contains("fixed"), "{told}");
    // Wrong cores are still there; wrong answers are not.
    let wrong = told.lines().filter(|line| line.starts_with("still wrong"));
    let cores = wrong.clone().filter(|line| line.contains("wrong-core"));
    assert_eq!(wrong.count(), cores.count(), "{told}");

    let output = auspex(&["report", out]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let report = Path::new(out).join("report");
    let page = fs::read_to_string(report.join("index.html")).expect("a page");
    assert!(page.contains("z3 4.13.0") && page.contains("<svg"));
    let name = Path::new(&finding).file_name().expect("a name");
    let texts = fs::read_dir(&report).expect("a folder").flatten();
    let texts: Vec<String> = texts
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "md"))
        .filter(|entry| entry.file_name() != "tables.md")
        .map(|entry| fs::read_to_string(entry.path()).expect("a text"))
        .collect();
    assert!(!texts.is_empty(), "{name:?}");
    for text in &texts {
        assert!(
            text.contains("```smt2\n") && text.contains("- Z3 version: 4.13.0"),
            "{text}"
        );
        assert!(text.contains("Does not show in z3"), "{text}");
    }
    for file in ["report.json", "findings.sarif", "junit.xml"] {
        assert!(report.join(file).is_file(), "{file}");
    }
    let listed = said(&auspex(&["findings", out]));
    assert!(listed.contains("fixed in z3"), "{listed}");
}

/// A finding of an approximation: known to be wrong by the way it was made, so that only the accused was asked.
const APPROXIMATED: &str = r#"{
  "version": 2,
  "id": "wrong-unsat-z3-000000000000",
  "class": "wrong-unsat",
  "fingerprint": "000000000000",
  "bucket": "wrong-unsat z3 bv",
  "accused": ["z3 4.8.12"],
  "grounds": { "kind": "related-known", "relation": "weaker", "sources": [0] },
  "accused_replies": [0],
  "why": "z3 4.8.12 answers unsat, but its source implies the script, and the source has a known model (checked by evaluation).",
  "site": "",
  "query": 0,
  "script": "(declare-const x (_ BitVec 5))\n(declare-const y (_ BitVec 5))\n(assert (or (= x y) (bvult y x)))\n(assert (bvsmul_noovfl x #b11111))\n(assert (= x #b11111))\n(check-sat)\n",
  "evidence": {
    "kind": "relation", "relation": "weaker", "sources": [{ "seed": { "seed": 0, "query": 0 } }], "status": "proved-sat"
  },
  "related": [{
    "link": { "source": 0 }, "known": { "model": "((define-fun x () (_ BitVec 5) #b11111))" }, "replies": [],
    "text": "(declare-const x (_ BitVec 5))\n(assert (bvsmul_noovfl x #b11111))\n(assert (= x #b11111))\n(check-sat)\n"
  }],
  "replies": [{
    "solver": "z3", "family": "z3", "title": "z3 4.8.12", "release": "4.8.12", "options": [], "command": "z3 script.smt2",
    "mode": "fresh", "answer": { "word": "unsat", "core": null }, "wall_ms": 5.0, "cpu_ms": 5.0
  }],
  "origin": { "strategy": "approximate", "seed": null, "steps": [] },
  "replay": "strategy=approximate seed=5 case=1 solvers=z3@4.8.12,z3@4.13.0",
  "seeds": [],
  "setting": "fresh",
  "found": 0,
  "slim": false
}"#;

#[test]
fn a_finding_about_which_nobody_else_was_asked_is_shrunk_with_the_others_of_its_campaign() {
    if !have("z3@4.8.12") || !have("z3@4.13.0") {
        return;
    }
    let folder = Folder::new("alone");
    fs::create_dir_all(folder.path()).expect("a folder");
    let place = Path::new(folder.path()).join("finding.json");
    fs::write(&place, APPROXIMATED).expect("a finding");
    let output = auspex(&["reduce", folder.path()]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let left = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        left,
        "(assert (bvsmul_noovfl #b11111 #b11111))\n(check-sat)\n"
    );
}
