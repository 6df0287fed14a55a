//! Proves the rules of `approximate` with the solvers of this machine.
//! A rule that a solver refutes is a failure, whatever other solvers say.
//!
//! `AUSPEX_RECORD=all cargo test -p auspex-campaign --test approximation` asks everything and writes down which solver
//! proved what; `AUSPEX_RECORD=missing` asks only about what nobody has proved. Without it one query per rule is asked.

mod provided;

use auspex_campaign::prove::{Provers, Said};
use auspex_cases::rules::approximation::{monotone, rules};
use auspex_cases::rules::claim::Claim;
use auspex_cases::rules::record;
use auspex_solvers::Catalog;
use provided::provided;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(4);

/// Every claim with those who have proved it.
fn claims() -> Vec<(Claim, &'static [&'static str])> {
    let rules = rules().iter().map(|rule| (rule.claim(), rule.provers()));
    let rows = monotone().iter().map(|row| (row.claim(), row.provers()));
    rules.chain(rows).collect()
}

fn provers() -> Provers {
    let strict = std::env::var_os("AUSPEX_NO_SKIP").is_some();
    if let Ok(catalog) = Catalog::of_user() {
        for name in ["z3", "cvc5"] {
            provided(&catalog, name);
        }
    }
    let provers = Provers::of_machine(TIME);
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

#[test]
fn solvers_prove_every_rule() {
    let recording = std::env::var("AUSPEX_RECORD").ok();
    let mut provers = provers();
    let mut record: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut denied = Vec::new();
    for (claim, proved_by) in claims() {
        if recording.as_deref() == Some("missing") && !proved_by.is_empty() {
            record.insert(claim.title.clone(), proved_by.to_vec());
            continue;
        }
        let most = if recording.is_some() { usize::MAX } else { 1 };
        for (name, said) in provers.ask(&claim, most) {
            match said {
                Said::Proved => record.entry(claim.title.clone()).or_default().push(name),
                Said::Open(why) => eprintln!("{name} leaves {} open: {why}", claim.title),
                Said::Denied(script) => {
                    denied.push(format!("{name} refutes {}:\n{script}", claim.title))
                }
            }
        }
    }
    assert!(denied.is_empty(), "{}", denied.join("\n"));
    if recording.is_some() {
        write(&record);
    }
}

fn write(proved: &BTreeMap<String, Vec<&str>>) {
    let mut text = String::from(
        "# The solvers that proved each rule and each monotone argument; written by the test `approximation` of the campaign.\n",
    );
    for (claim, _) in claims() {
        if let Some(provers) = proved.get(&claim.title) {
            text.push_str(&record::line(&claim.title, provers));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join("../cases/src/rules/approximation/proved.txt");
    std::fs::write(file, text).expect("the record can be written");
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
    for (name, said) in provers().ask(&claim, 1) {
        assert!(matches!(said, Said::Denied(_)), "{name}: {said:?}");
    }
}
