//! Proves all rules with the solvers of this machine: laws, fusion functions, and rules of approximation.
//! A rule that a solver refutes is a failure, whatever other solvers say.
//!
//! `AUSPEX_RECORD=all cargo test -p auspex-campaign --test rules` asks everything and writes down which solver proved
//! what; `AUSPEX_RECORD=missing` asks only about unproved rules. Without it one query per rule is asked.

mod provided;

use auspex_campaign::rules::prove::{Provers, Said};
use auspex_cases::rules::claim::Claim;
use auspex_cases::rules::record::{self, RECORDS};
use auspex_cases::rules::{approximations, fusions, laws, monotone, read_rule};
use auspex_logic::Theory;
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

/// The rules of a theory, in the order of its record.
fn rules_of(theory: Theory) -> Vec<Rule> {
    let inverses = fusions().iter().flat_map(|fusion| &fusion.inverses);
    let rules = laws().iter().chain(approximations()).chain(inverses);
    let rules = rules.filter(|rule| rule.theory == theory);
    let of_rules = rules.map(|rule| recorded(&rule.claim(), rule.provers()));
    let arguments = monotone().iter().filter(|row| row.theory == theory);
    let of_arguments = arguments.map(|row| recorded(&row.claim(), row.provers()));
    of_rules.chain(of_arguments).collect()
}

fn recorded(claim: &Claim, proved_by: &'static [&'static str]) -> Rule {
    Rule {
        title: claim.title.clone(),
        queries: claim.queries(),
        proved_by,
    }
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
    for (theory, file, _) in RECORDS {
        let mut text = String::from(
            "# The solvers that proved each rule; written by the test `rules` of the campaign.\n",
        );
        for rule in rules_of(*theory) {
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
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/src/rules/tables");
            std::fs::write(folder.join(format!("{file}.proved")), text)
                .expect("the record can be written");
        }
    }
}

#[test]
fn solvers_refute_what_is_false() {
    let text = "(approximation wrong ((x String) (y String)) (=> (str.suffixof x y) (str.<= x y)))";
    let claim = read_rule(text, Theory::Strings).expect("a rule").claim();
    for (name, said) in provers(false).ask(&claim.queries()) {
        assert!(matches!(said, Said::Denied(_)), "{name}: {said:?}");
    }
}
