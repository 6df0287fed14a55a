//! Proves all rules with the solvers of this machine: laws, fusion functions, and rules of approximation.
//! A rule that a solver refutes is a failure, whatever other solvers say.
//!
//! `AUSPEX_RECORD=all cargo test -p auspex-campaign --test rules` asks everything and writes down which solver proved
//! what; `AUSPEX_RECORD=missing` asks only about unproved rules. Without it one query per rule is asked.

mod provided;

use auspex_campaign::rules::prove::{Provers, Said};
use auspex_cases::rules::approximation::{monotone, rules};
use auspex_cases::rules::claim::Claim;
use auspex_cases::rules::{Compiled, laws, proof, record};
use auspex_solvers::Catalog;
use provided::provided;
use std::path::Path;
use std::time::Duration;

/// A rule as it is recorded.
struct Rule {
    title: String,
    queries: Vec<String>,
    proved_by: &'static [&'static str],
}

/// The records below `crates/cases/src/rules`, each with its rules.
fn records() -> [(&'static str, Vec<Rule>); 2] {
    let law = |compiled: &'static Compiled| Rule {
        title: compiled.rule.name.to_string(),
        queries: proof::queries(compiled),
        proved_by: proof::proved_by(compiled),
    };
    let claim = |claim: Claim, proved_by| Rule {
        queries: claim.queries(),
        title: claim.title,
        proved_by,
    };
    let approximations = rules()
        .iter()
        .map(|rule| claim(rule.claim(), rule.provers()));
    let arguments = monotone()
        .iter()
        .map(|row| claim(row.claim(), row.provers()));
    [
        ("proved.txt", laws().map(law).collect()),
        (
            "approximation/proved.txt",
            approximations.chain(arguments).collect(),
        ),
    ]
}

/// Recording takes the time that proofs need; a plain test only looks for a contradiction.
fn provers(is_recording: bool) -> Provers {
    let strict = std::env::var_os("AUSPEX_NO_SKIP").is_some();
    if let Ok(catalog) = Catalog::of_user() {
        for name in ["z3", "cvc5"] {
            provided(&catalog, name);
        }
    }
    let seconds = if is_recording { 8 } else { 1 };
    let provers = Provers::of_machine(Duration::from_secs(seconds));
    assert!(
        !strict || provers.names().len() == 2,
        "{:?}",
        provers.names()
    );
    if provers.names().is_empty() {
        eprintln!("SKIPPED: neither z3 nor cvc5 is on this machine");
    }
    provers
}

/// Those who prove a rule.
fn proved_by(rule: &Rule, provers: &mut Provers, queries: &[String]) -> Vec<&'static str> {
    let mut proved = Vec::new();
    for (name, said) in provers.ask(queries) {
        match said {
            Said::Proved => proved.push(name),
            Said::Open(why) => eprintln!("{name} leaves {} open: {why}", rule.title),
            Said::Denied(script) => panic!("{name} refutes {}:\n{script}", rule.title),
        }
    }
    proved
}

#[test]
fn solvers_prove_every_rule() {
    let recording = std::env::var("AUSPEX_RECORD").ok();
    let mut provers = provers(recording.is_some());
    for (file, rules) in records() {
        let mut text = String::from(
            "# The solvers that proved each rule; written by the test `rules` of the campaign.\n",
        );
        for rule in rules {
            let is_known = !rule.proved_by.is_empty() && recording.as_deref() == Some("missing");
            let most = if recording.is_some() { usize::MAX } else { 1 };
            let queries = &rule.queries[..rule.queries.len().min(most)];
            let proved = match is_known {
                true => rule.proved_by.to_vec(),
                false => proved_by(&rule, &mut provers, queries),
            };
            if !proved.is_empty() {
                text.push_str(&record::line(&rule.title, &proved));
            }
        }
        if recording.is_some() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/src/rules");
            std::fs::write(folder.join(file), text).expect("the record can be written");
        }
    }
}

#[test]
fn solvers_refute_what_is_false() {
    let claim = Claim {
        title: "wrong".into(),
        prelude: String::new(),
        variables: vec![("x".into(), "String".into()), ("y".into(), "String".into())],
        premises: Vec::new(),
        lemma: None,
        conclusion: "(=> (str.suffixof x y) (str.<= x y))".into(),
    };
    for (name, said) in provers(false).ask(&claim.queries()) {
        assert!(matches!(said, Said::Denied(_)), "{name}: {said:?}");
    }
}
