//! The JSON of commands fits the schema in the docs; outputs of campaigns are compared with it in `states.rs`.

mod common;

use common::*;
use serde_json::{Value, json as value};

const SCRIPT: &str = "(declare-const x Int)\n(assert (foo x))\n(assert (> x 1))\n(check-sat)\n";

#[test]
fn commands_that_need_no_solver_fit_the_schema() {
    let script = Scratch::new("schema.smt2", SCRIPT);
    for (definition, arguments) in [
        ("parse", &["parse", "--json", script.path()][..]),
        ("ops", &["ops", "--json"]),
        ("seeds", &["seeds", "--json"]),
        ("rules", &["rules", "--json"]),
        (
            "rules",
            &["rules", "--json", "--check", "--strategy", "fusion"],
        ),
        ("solvers", &["solvers", "--json", "--no-probe"]),
    ] {
        schema::fits(definition, &json(arguments));
    }
}

#[test]
fn options_and_abilities_of_solvers_fit_the_schema() {
    for solver in ["z3@latest", "cvc5@latest"] {
        if have(solver) {
            schema::fits("options", &json(&["options", "--json", solver]));
        }
    }
}

#[test]
fn checked_proofs_fit_the_schema() {
    let script = Scratch::new(
        "proof.smt2",
        "(declare-const p Bool)(assert p)(assert (not p))(check-sat)",
    );
    let proof = Scratch::new(
        "proof.alethe",
        "((assume a p)(assume b (not p))(step c (cl) :rule resolution :premises (b a)))",
    );
    let judged = json(&["proof", script.path(), proof.path(), "--json"]);
    schema::fits("proof", &judged);
}

/// The other half: what does not fit is noticed.
#[test]
fn a_missing_a_new_and_a_wrong_field_are_noticed() {
    let good = value!({"solver": "z3", "version": null, "place": "installed", "options": [],
        "theories": null, "models": true, "cores": null, "modes": ["fresh"]});
    schema::fits("solvers", &Value::Array(vec![good.clone()]));
    let changed = |name: &str, new: Option<Value>| {
        let mut bad = good.clone();
        let fields = bad.as_object_mut().expect("an object");
        match new {
            Some(new) => fields.insert(name.to_string(), new),
            None => fields.remove(name),
        };
        Value::Array(vec![bad])
    };
    for bad in [
        changed("place", None),
        changed("colour", Some(value!("red"))),
        changed("models", Some(value!("yes"))),
    ] {
        let fits = std::panic::catch_unwind(|| schema::fits("solvers", &bad));
        assert!(fits.is_err(), "{bad}");
    }
}
