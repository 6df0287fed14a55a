//! Wrong answers of other kinds, and under options, in releases that anyone can install: `auspex check` convicts the
//! release that is wrong, with the right class, and acquits the one that is right.

mod common;

use common::*;
use std::path::Path;

/// A script, the solvers that are asked about it, and the class of the first one's error; none if all are right.
struct Control {
    script: &'static str,
    solvers: &'static [&'static str],
    class: Option<&'static str>,
}

const fn wrong(
    script: &'static str,
    solvers: &'static [&'static str],
    class: &'static str,
) -> Control {
    Control {
        script,
        solvers,
        class: Some(class),
    }
}

const fn right(script: &'static str, solvers: &'static [&'static str]) -> Control {
    Control {
        script,
        solvers,
        class: None,
    }
}

const OPTIMUM: &str = "optimum-two-objectives.smt2";
const BESIDE: &str = "optimum-beside-another.smt2";
const INTERPOLANT: &str = "interpolant-of-equality.smt2";
const HORN: &str = "horn-array-rows.smt2";
const SIMPLIFIER: &str = "simplifier-ite.smt2";
const BITS: &str = "bit-vector-solver-2.smt2";

const CONTROLS: &[Control] = &[
    wrong(OPTIMUM, &["z3@4.16.0", "cvc5@1.4.2"], "wrong-optimum"),
    wrong(OPTIMUM, &["z3@4.16.0"], "self-contradiction"),
    wrong(OPTIMUM, &["z3@4.13.4"], "wrong-optimum"),
    right(OPTIMUM, &["z3@5.0.0", "cvc5@1.4.2"]),
    wrong(BESIDE, &["z3@4.16.0"], "wrong-optimum"),
    right(BESIDE, &["z3@5.0.0"]),
    wrong(INTERPOLANT, &["cvc5+plain@1.2.0"], "wrong-interpolant"),
    right(INTERPOLANT, &["cvc5@1.3.0"]),
    wrong(HORN, &["z3@4.13.4"], "self-contradiction"),
    right(HORN, &["z3@4.14.1"]),
    wrong(SIMPLIFIER, &["z3@5.0.0"], "invalid-model"),
    right(SIMPLIFIER, &["z3@5.1.0"]),
    wrong(BITS, &["z3@5.1.0 smt.bv.solver=2"], "wrong-unsat"),
    right(
        BITS,
        &["z3@5.0.0 smt.bv.solver=2", "z3@5.4.0 smt.bv.solver=2"],
    ),
];

/// The name of the release alone: `z3@5.1.0`.
fn release(solver: &str) -> String {
    let spec = solver.split(' ').next().unwrap_or(solver);
    let (name, release) = spec.split_once('@').unwrap_or((spec, ""));
    let name = name.split('+').next().unwrap_or(name);
    format!("{name}@{release}")
}

#[test]
fn the_wrong_release_is_convicted_and_the_right_one_acquitted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/answers");
    for control in CONTROLS {
        if !control.solvers.iter().all(|solver| have(&release(solver))) {
            continue;
        }
        let script = folder.join(control.script);
        let mut arguments = vec!["check", script.to_str().expect("a plain path")];
        for solver in control.solvers {
            arguments.extend(["--solver", solver]);
        }
        let output = auspex(&arguments);
        let shown = said(&output);
        let about = format!("{} on {:?}: {shown}", control.script, control.solvers);
        match control.class {
            None => assert_eq!(output.status.code(), Some(0), "{about}"),
            Some(class) => {
                assert_eq!(output.status.code(), Some(1), "{about}");
                let is_class = |line: &str| line.trim_start().starts_with(&format!("{class}: "));
                assert!(shown.lines().any(is_class), "{about}");
            }
        }
    }
}
