//! The text of a case as a file for a solver's test suite: expected answer, and witness or core, inside.

use auspex_campaign::judge::witness::witness_text;
use auspex_cases::answers::{self, Kind};
use auspex_cases::{Case, Evidence, Expected};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Model, Script, Terms};
use std::collections::BTreeSet;

/// The file of one case.
pub fn of(terms: &mut Terms, case: &Case, about: &str, seed: u64, number: u64) -> String {
    let mut text = format!("; auspex {about}, seed {seed}, case {number}\n");
    for step in &case.origin.steps {
        text.push_str(&format!("; {}\n", step.replace('\n', " ")));
    }
    let evidence = case.evidence.first();
    let status = match evidence.and_then(Evidence::expected) {
        Some(Expected::Sat) => "sat",
        Some(Expected::Unsat) => "unsat",
        None => "unknown",
    };
    for kind in kinds(terms, &case.script) {
        let (name, when) = (kind.name(), kind.right_if());
        text.push_str(&format!("; the {name} is right if {when}\n"));
    }
    text.push_str(&format!("(set-info :status {status})\n"));
    match evidence {
        Some(Evidence::Core { .. }) => {
            text.push_str("(set-option :produce-unsat-cores true)\n");
        }
        Some(Evidence::Witness(_)) => text.push_str("(set-option :produce-models true)\n"),
        _ => {}
    }
    let has_logic = |command: &Command| matches!(command, Command::SetLogic(_));
    if !case.script.commands.iter().any(has_logic) {
        text.push_str("(set-logic ALL)\n");
    }
    match evidence {
        Some(Evidence::Witness(model)) => witness(terms, &case.script, model, &mut text),
        Some(Evidence::Core { names, because }) => {
            let names: Vec<&str> = names.iter().map(|n| terms.symbols.name(*n)).collect();
            text.push_str(&format!("; core: {}\n", names.join(" ")));
            text.push_str(&format!("; {}\n", because.replace('\n', " ")));
        }
        _ => {}
    }
    render::script_to(terms, &case.script, Sharing::Auto, &mut text);
    match evidence {
        Some(Evidence::Core { .. }) => text.push_str("(get-unsat-core)\n"),
        Some(Evidence::Witness(_)) if !case.script.commands.contains(&Command::GetModel) => {
            text.push_str("(get-model)\n");
        }
        _ => {}
    }
    text
}

/// The kinds of answers, besides sat and unsat, that a script asks for.
fn kinds(terms: &Terms, script: &Script) -> BTreeSet<Kind> {
    let commands = 0..script.commands.len();
    let asked = commands.filter_map(|at| answers::asked_by(terms, script, at));
    asked.map(|kind| kind.kind()).collect()
}

/// The witness as definitions in comments, which a solver's reply can be compared with.
fn witness(terms: &mut Terms, script: &Script, model: &Model, text: &mut String) {
    let all = witness_text(terms, script, model);
    let definitions = all.lines().filter(|line| !matches!(*line, "(" | ")"));
    definitions.for_each(|line| text.push_str(&format!("; {line}\n")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_cases::Origin;
    use auspex_cases::strategy::construct::stream::Stream;
    use auspex_logic::model::read_model;
    use auspex_logic::theory::SolverSet;
    use auspex_logic::{Theory, read_script};

    #[test]
    fn files_say_what_is_expected_and_read_back() {
        let stream = Stream::new(&[Theory::BitVectors], SolverSet::Z3, 1, 2);
        let (mut sat, mut unsat) = (0, 0);
        for number in 0..60 {
            let mut terms = Terms::new();
            let Some(case) = stream.nth(&mut terms, number) else {
                continue;
            };
            let text = of(&mut terms, &case, "construct", 1, number);
            let mut again = Terms::new();
            let reading = read_script(&mut again, &text).expect("well-formed");
            assert_eq!(reading.issues, [], "{text}");
            sat += usize::from(text.contains(":status sat"));
            unsat += usize::from(text.contains(":status unsat") && text.contains("; core: a0"));
        }
        assert!(sat > 5 && unsat > 5);
    }

    #[test]
    fn a_witness_shows_functions_and_constants() {
        let mut terms = Terms::new();
        let text = "(declare-fun f (Int) Int)(declare-const x Int)(assert (> (f x) 3))(check-sat)";
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let reply = "((define-fun x () Int 2)(define-fun f ((a Int)) Int (+ a 5)))";
        let model = read_model(&mut terms, &script, reply).expect("a model");
        let case = Case {
            script,
            evidence: vec![Evidence::Witness(Box::new(model))],
            origin: Origin::default(),
        };
        let text = of(&mut terms, &case, "mutate", 1, 0);
        let shown = "; (define-fun f ((a Int)) Int (+ a 5))\n; (define-fun x () Int 2)\n";
        assert!(text.contains(shown), "{text}");
    }
}
