//! `auspex mutate` as a user runs it: strategies with parameters, sets of operators, and what it says when nothing is made.

mod common;

use common::*;
use std::collections::BTreeSet;

const FIGURE_4: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/typefuzz-figure-4.smt2"
);

/// The words that stand behind an opening parenthesis in the assertions of some scripts.
fn heads(text: &str) -> BTreeSet<&str> {
    let assertions = text.lines().filter(|line| line.starts_with("(assert"));
    let parts = assertions.flat_map(|line| line.split('(').skip(1));
    let words = parts.filter_map(|part| part.split([' ', ')']).next());
    words
        .filter(|word| !word.is_empty() && *word != "assert")
        .collect()
}

fn mutants(arguments: &[&str], seed: &Scratch) -> String {
    let output = auspex(&[&["mutate", seed.path()], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const WORDS: &str = "(declare-const s String)(declare-const x Int)(declare-const r Real)
(assert (and (str.in_re s (re.+ (str.to_re \"a\"))) (< (str.len s) x)))(assert (< r (to_real x)))(check-sat)";

#[test]
fn a_file_of_operators_is_all_that_is_put_in() {
    let seed = Scratch::new("operators.smt2", WORDS);
    let only = mutants(&["--operators", FIGURE_4, "--count", "800"], &seed);
    let listed = auspex(&["ops", "--operators", FIGURE_4]);
    let listed = said(&listed);
    for head in heads(&only) {
        assert!(
            listed.contains(&format!("({head} ")),
            "{head} is not in the file"
        );
    }
    assert!(heads(&only).len() > 40, "{:?}", heads(&only));
    let all = mutants(&["--count", "800"], &seed);
    assert!(!heads(&all).is_subset(&heads(&only)));
}

#[test]
fn operators_of_ones_own_are_put_in() {
    let seed = Scratch::new(
        "own.smt2",
        "(declare-const x Int)(assert (< x 3))(check-sat)",
    );
    let file = Scratch::new("own-operators.smt2", "(abs Int Int)(mix Int Int Int)");
    let text = mutants(&["--operators", file.path(), "--count", "200"], &seed);
    // Negative numbers are written with a sign.
    let known: BTreeSet<&str> = ["abs", "mix", "<", "-"].into();
    assert_eq!(heads(&text), known);
}

#[test]
fn what_has_no_effect_is_refused() {
    let seed = Scratch::new("refused.smt2", WORDS);
    let refused = |arguments: &[&str], why: &str| {
        let output = auspex(&[&["mutate", seed.path()], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(why), "{}", said(&output));
    };
    refused(&["--strategy", "typefuzz:length=0"], "from 1 to");
    refused(&["--strategy", "diver:depht=3"], "it has per-seed");
    refused(&["--strategy", "structure:3"], "has no parameters");
    refused(
        &["--strategy", "structure", "--operators", FIGURE_4],
        "has no effect",
    );
    refused(
        &["--theories", "core", "--operators", FIGURE_4],
        "cannot be used with",
    );
    refused(&["--strategy", "construct"], "auspex generate");
}

#[test]
fn chains_have_the_length_that_is_asked_for() {
    let seed = Scratch::new("chains.smt2", WORDS);
    let steps = |strategy: &str, count: &str| -> Vec<usize> {
        let text = mutants(&["--strategy", strategy, "--count", count], &seed);
        let scripts = text
            .split("(check-sat)")
            .filter(|one| one.contains("(assert"));
        // One line names the case; a mutation that led nowhere new is told as a step, too.
        scripts.map(|one| one.matches("\n; ").count()).collect()
    };
    let rising = |steps: &[usize]| steps.windows(2).all(|pair| pair[0] < pair[1]);
    let one = steps("typefuzz:1", "16");
    assert!(
        one.len() == 16 && one.iter().all(|steps| *steps <= 2),
        "{one:?}"
    );
    let three = steps("typefuzz:3", "6");
    assert!(
        rising(&three[..3]) && rising(&three[3..]) && three[2] > three[3],
        "{three:?}"
    );
    let each = steps("opfuzz:length=40,each=on", "40");
    assert!(rising(&each) && each.len() == 40, "{each:?}");
}

#[test]
fn no_mutant_has_an_exit_code_of_its_own() {
    if !have("z3") {
        return;
    }
    let seed = Scratch::new("nothing.smt2", "(declare-const p Bool)(check-sat)");
    let output = auspex(&[
        "mutate",
        seed.path(),
        "--strategy",
        "storm",
        "--solver",
        "z3",
    ]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
}

#[test]
fn diver_without_a_part_makes_mutants_too() {
    if !have("z3") {
        return;
    }
    let seed = Scratch::new("parts.smt2", WORDS);
    for strategy in [
        "diver:paper",
        "diver:uniform",
        "diver:simple",
        "diver:plain",
    ] {
        let text = mutants(
            &["--strategy", strategy, "--count", "40", "--solver", "z3"],
            &seed,
        );
        assert!(text.matches("(check-sat)").count() > 10, "{strategy}");
        let has_fresh = text.contains("fresh!1");
        assert_eq!(has_fresh, strategy != "diver:simple", "{strategy}");
    }
}
