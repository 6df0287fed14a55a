//! `auspex generate` with real solvers: what it makes is right, and bugs of the thesis are found.

mod common;

use common::{auspex, have, said};

/// The cases of a run and what a table says of them.
fn table(solver: &str, more: &[&str]) -> (Option<i32>, String) {
    let mut arguments = vec![
        "--quiet",
        "generate",
        "--table",
        "--failures",
        "--solver",
        solver,
    ];
    arguments.extend(more);
    let output = auspex(&arguments);
    (output.status.code(), said(&output))
}

#[test]
fn honest_solvers_pass_laws_of_datatypes() {
    let more = ["--theories", "datatypes,ints", "--count", "60"];
    for (release, solver) in [
        ("z3@latest", "z3@latest"),
        ("cvc5@latest", "cvc5@latest+plain"),
    ] {
        if have(release) {
            let (code, text) = table(solver, &more);
            assert_eq!(code, Some(0), "{text}");
            assert!(text.contains("datatypes    unsat"), "{text}");
        }
    }
}

/// All small equations about arrays, among them that of section 1.1 of the thesis.
const ARRAYS: [&str; 11] = [
    "--exhaustive",
    "--theories",
    "arrays",
    "--values",
    "2",
    "--sorts",
    "3",
    "--size",
    "1",
    "--count",
    "1600",
];

#[test]
fn all_small_arrays_convict_z3_4_8_8() {
    let release = "z3@4.8.8";
    if have(release) {
        let (code, text) = table(release, &ARRAYS);
        assert_eq!(code, Some(1), "{text}");
        let wrong = "(= (store ((as const (Array Bool Bool)) false) false true) ((as const (Array Bool Bool)) true))";
        assert!(text.contains(wrong), "{text}");
    }
}

#[test]
fn all_small_arrays_accept_an_honest_solver() {
    if have("z3@latest") {
        let (code, text) = table("z3@latest", &ARRAYS);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("arrays       unsat"), "{text}");
    }
}

/// Example 14 of the thesis: stores into constant arrays.
#[test]
fn the_bug_of_the_thesis_in_z3_4_8_12_is_found() {
    let release = "z3@4.8.12";
    if have(release) {
        let (code, text) = table(release, &["--theories", "arrays,bv", "--count", "800"]);
        assert_eq!(code, Some(1), "{text}");
        assert!(
            text.contains("z3 4.8.12 answers sat, but the assertions contradict each other"),
            "{text}"
        );
    }
}

#[test]
fn options_without_effect_are_refused() {
    for (arguments, why) in [
        (&["--exhaustive", "--depth", "3"][..], "--depth"),
        (&["--size", "2"], "--exhaustive"),
        (&["--timeout", "3"], "--table"),
        (
            &["--strategy", "construct:3", "--depth", "2"],
            "--depth has no effect on construct:3",
        ),
        (&["--depth", "1000"], "1..=200"),
    ] {
        let output = auspex(&[&["generate", "--count", "1"], arguments].concat());
        assert!(!output.status.success(), "{arguments:?}");
        assert!(said(&output).contains(why), "{}", said(&output));
    }
    let output = auspex(&["generate", "--count", "2", "--strategy", "construct:7"]);
    assert!(output.status.success(), "{}", said(&output));
}
