//! Confronts our semantics with the solvers of this machine on a few thousand ground terms, and with one that lies.
//!
//! The long version is `auspex crosscheck --count 100000`; `docs/semantics.md` says how it is run.

mod provided;

use auspex_campaign::crosscheck::{Plan, Theirs, crosscheck, theories};
use auspex_logic::Theory;
use auspex_solvers::{Catalog, Limits, Solver};
use provided::provided;
use std::time::Duration;

/// The options under which each knows all theories.
const ASKED: [(&str, &str); 2] = [
    ("z3", "z3"),
    ("cvc5", "cvc5+plain --fp-exp --arrays-exp --sets-exp"),
];

fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(3),
        soft: Some(Duration::from_secs(2)),
        ..Limits::default()
    }
}

fn solvers() -> Vec<Solver> {
    let Ok(catalog) = Catalog::of_user() else {
        return Vec::new();
    };
    let found = ASKED.into_iter().filter_map(|(name, spec)| {
        provided(&catalog, name);
        Some(catalog.find(spec).ok()?.solver)
    });
    found.collect()
}

#[test]
fn solvers_grant_what_we_compute() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let plan = Plan {
        count: 40,
        ..Plan::default()
    };
    let reports = crosscheck(&plan, &solvers, &limits(), &|_, _| {});
    assert_eq!(reports.len(), theories().len());
    for report in &reports {
        let differences = report.differences.iter();
        let values: Vec<_> = differences
            .filter(|difference| matches!(difference.theirs, Theirs::Value(_)))
            .collect();
        assert!(values.is_empty(), "{values:#?}");
        // Most values of transcendental functions are not rational, so that few terms have one.
        let name = report.theory.name();
        assert!(report.terms > 0, "{name}: no terms");
        let agreed: u64 = report.counts.values().map(|count| count.agreed).sum();
        assert!(
            agreed * 2 >= report.terms,
            "{name}: only {agreed} of {} agreed",
            report.terms
        );
    }
}

/// Says `sat` to everything, as if every equation were wrong.
#[cfg(unix)]
const LIAR: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "Z3 version 5.4.0 - 64 bit"; exit 0; }
while IFS= read -r line; do
  case "$line" in
    *check-sat*) echo sat ;;
    *'(echo "'*) text=${line#*\"}; echo "${text%\"*}" ;;
    *get-value*) echo '((x false))' ;;
    *'(exit)'*) exit 0 ;;
  esac
done
"#;

#[cfg(unix)]
#[test]
fn a_solver_that_denies_everything_is_found_out() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("auspex-liar-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let program = folder.join("z3");
    std::fs::write(&program, LIAR).expect("a file can be written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("it can be made executable");
    let catalog = Catalog::of_user().expect("the profiles can be read");
    let liar = catalog.find(&program.to_string_lossy());
    let liar = liar.expect("it says it is z3").solver;
    let plan = Plan {
        theories: vec![Theory::Core],
        count: 5,
        ..Plan::default()
    };
    let reports = crosscheck(&plan, &[liar], &limits(), &|_, _| {});
    let count = reports[0].counts.values().next().expect("it was asked");
    assert_eq!(count.agreed, 0, "{count:?}");
    assert!(count.different >= 5, "{count:?}");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}
