//! Judges cases of `construct` again, and counts what they are made of.

use auspex_cases::corner::corner_values;
use auspex_cases::strategy::construct::Construct;
use auspex_cases::{Case, Draw, Evidence, GenContext, Strategy};
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{ModelVerdict, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Command, Model, TermId, Terms, Theory, Value};
use std::collections::BTreeMap;

/// Every case of a set for z3 and cvc5.
fn each(theories: &[Theory], count: u64, mut see: impl FnMut(&mut Terms, u64, &Case)) {
    let mut terms = Terms::new();
    for number in 0..count {
        let mark = terms.mark();
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &[],
            theories,
            solvers: SolverSet::Z3.union(SolverSet::CVC5),
            forbidden: &[],
        };
        if let Some(case) = Construct::USUAL.make(&mut workshop, &mut Draw::new(11, number)) {
            see(&mut terms, number, &case);
        }
        terms.release(mark);
    }
}

/// How many cases are right, open or wrong.
pub fn check(name: &str, theories: &[Theory], count: u64) {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    each(theories, count, |terms, number, case| {
        let found = verdict(terms, number, case);
        *counts.entry(found).or_default() += 1;
        if found.starts_with("WRONG") {
            let text = render::script(terms, &case.script, Sharing::Auto);
            println!("{found}: case {number}\n{text}");
        }
    });
    println!("{name}: {counts:?}");
}

fn verdict(terms: &mut Terms, number: u64, case: &Case) -> &'static str {
    match &case.evidence[0] {
        Evidence::Witness(model) => match validate(terms, model, &case.script.queries()[0]) {
            ModelVerdict::Valid => "witness valid",
            ModelVerdict::Invalid { .. } => "WRONG witness",
            _ => "witness open",
        },
        Evidence::Core { names, .. } => {
            let members = case
                .script
                .commands
                .iter()
                .filter_map(|command| match command {
                    Command::Assert(a) if a.name.is_some_and(|n| names.contains(&n)) => {
                        Some(a.term)
                    }
                    _ => None,
                });
            let members: Vec<TermId> = members.collect();
            refuted(terms, number, case, &members)
        }
        _ => "nothing known",
    }
}

/// Tries assignments of corner values: none may satisfy all members of a core.
fn refuted(terms: &mut Terms, number: u64, case: &Case, members: &[TermId]) -> &'static str {
    const TRIES: u64 = 12;
    let mut draw = Draw::new(12, number);
    let mut open = false;
    for _ in 0..TRIES {
        let mut model = Model::default();
        for fun in case.script.declared() {
            let decl = terms.fun(fun).clone();
            if !decl.params.is_empty() {
                return "core with functions";
            }
            let mut values = corner_values(&terms.sorts, decl.result);
            // The simplest values satisfy the most.
            values.truncate(3 + draw.index(4));
            match draw.pick(&values) {
                Some(value) => model.set_value(fun, value.clone()),
                None => return "core without values",
            }
        }
        let mut evaluator = Evaluator::new(terms, &model);
        let mut all = true;
        for member in members {
            match evaluator.value(*member) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => {
                    all = false;
                    break;
                }
                Err(_) => {
                    open = true;
                    all = false;
                    break;
                }
            }
        }
        if all {
            return "WRONG core";
        }
    }
    if open { "core open" } else { "core stands" }
}

/// How often each step occurs.
pub fn steps(name: &str, theories: &[Theory], count: u64) {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    each(theories, count, |terms, _, case| {
        for step in &case.origin.steps {
            let is_rule = |step: &str| step.starts_with("by ") || step.starts_with("rewritten by ");
            let word = match step.split_whitespace().next() {
                Some("rewritten") => "rewritten by a law".to_string(),
                _ if is_rule(step) => "linked by a law".to_string(),
                _ => step.clone(),
            };
            *counts.entry(word).or_default() += 1;
        }
        let text = render::script(terms, &case.script, Sharing::Expanded);
        for word in [":pattern", "(forall ", "(exists ", "(as const ", "(match "] {
            if text.contains(word) {
                *counts.entry(format!("cases with {word}")).or_default() += 1;
            }
        }
        *counts.entry("cases".into()).or_default() += 1;
    });
    println!("{name}:");
    for (step, times) in counts {
        if step.contains(' ') || times > 40 {
            println!("{times:>8}  {step}");
        }
    }
}
