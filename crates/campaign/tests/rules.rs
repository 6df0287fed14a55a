//! Proves the rewrite rules with the solvers of this machine: every query that denies a rule must be unsatisfiable.
//!
//! `AUSPEX_RECORD=all cargo test -p auspex-campaign --test rules` writes down which solver proved what, in
//! `crates/cases/src/rules/proved.txt`; `AUSPEX_RECORD=missing` asks only what is not recorded yet.
//! Without it one query per rule is asked, and no answer may contradict the record.

mod provided;

use auspex_cases::rules::{Compiled, laws, proof, record};
use auspex_logic::Answer;
use auspex_logic::theory::Known;
use auspex_solvers::{Catalog, Limits, Mode, Query, Session};
use provided::provided;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// What one solver says about one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// Every query is unsatisfiable.
    Proved,
    /// Some query got no answer, or was refused.
    Open,
    /// Some query is satisfiable.
    Denied,
}

/// The provers with the options under which they know all theories.
const PROVERS: [(&str, Known, &[&str]); 2] = [
    ("z3", Known::Z3, &[]),
    (
        "cvc5",
        Known::CVC5,
        &["--arrays-exp", "--fp-exp", "--strings-exp", "--sets-exp"],
    ),
];

fn sessions() -> Vec<(&'static str, Known, Session)> {
    let Ok(catalog) = Catalog::of_user() else {
        return Vec::new();
    };
    // Recording takes the time that proofs need; a plain test only looks for a contradiction.
    let seconds = if std::env::var_os("AUSPEX_RECORD").is_some() {
        20
    } else {
        1
    };
    let limits = Limits {
        wall: Duration::from_secs(2 * seconds),
        soft: Some(Duration::from_secs(seconds)),
        ..Limits::default()
    };
    let found = PROVERS.into_iter().filter_map(|(name, known, options)| {
        provided(&catalog, name);
        let solver = catalog.find(name).ok()?.solver;
        let options: Vec<String> = options.iter().map(|o| o.to_string()).collect();
        let solver = solver.clone().with_tier("plain").unwrap_or(solver);
        let solver = solver.with_options(&options);
        Some((name, known, Session::start(&solver, &limits)))
    });
    found.collect()
}

fn ask(session: &mut Session, compiled: &Compiled, queries: &[String]) -> Said {
    let mut said = Said::Proved;
    for script in queries {
        let query = Query::new(script).mode(Mode::Reset);
        let answer = session
            .ask(&query)
            .ok()
            .and_then(|run| run.answers.into_iter().next());
        match answer {
            Some(Answer::Unsat { .. }) => {}
            Some(Answer::Sat { .. }) => return Said::Denied,
            other => {
                eprintln!("{}: {other:?}", compiled.rule.name);
                said = Said::Open;
            }
        }
    }
    said
}

#[test]
fn solvers_prove_every_rule() {
    let recording = std::env::var("AUSPEX_RECORD").ok();
    let mut record: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, known, mut session) in sessions() {
        for compiled in laws() {
            if !proof::known_to(compiled).includes(known) {
                continue;
            }
            let rule = compiled.rule.name;
            if recording.as_deref() == Some("missing") && proof::proved_by(compiled).contains(&name)
            {
                record.entry(rule).or_default().push(name);
                continue;
            }
            let mut queries = proof::queries(compiled);
            if recording.is_none() {
                queries.truncate(1);
            }
            let said = ask(&mut session, compiled, &queries);
            assert_ne!(said, Said::Denied, "{name} refutes {rule}: {queries:?}");
            if said == Said::Proved {
                record.entry(rule).or_default().push(name);
            }
        }
    }
    if recording.is_some() {
        write(&record);
    }
}

fn write(proved: &BTreeMap<&str, Vec<&str>>) {
    let mut text = String::from(
        "# The solvers that proved each rule; written by the test `rules` of the campaign.\n",
    );
    for compiled in laws() {
        if let Some(provers) = proved.get(compiled.rule.name) {
            text.push_str(&record::line(compiled.rule.name, provers));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join("../cases/src/rules/proved.txt");
    std::fs::write(file, text).expect("the record can be written");
}
