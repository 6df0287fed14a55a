//! A core is wrong only if it is satisfiable: a known model that satisfies all its members shows that.
//! A core that is merely not minimal is not wrong.

use super::{Class, Complaint, Oracle, Trial};
use crate::case::Evidence;
use auspex_logic::eval::Evaluator;
use auspex_logic::{Answer, Value};

pub struct CoreValidity;

impl Oracle for CoreValidity {
    fn name(&self) -> &'static str {
        "core"
    }

    fn about(&self) -> &'static str {
        "A core whose members are all true under a known model, or that names no assertion of the script, is wrong."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        for (at, reply) in trial.replies.iter().enumerate() {
            let Answer::Unsat { core: Some(core) } = &reply.answer else {
                continue;
            };
            let unknown = core.iter().find(|name| !is_named(trial, name));
            if let Some(name) = unknown {
                let why = format!(
                    "{} puts {name} into the core, but no assertion has that name.",
                    reply.solver
                );
                complaints.push(Complaint {
                    class: Class::WrongCore,
                    accused: vec![at],
                    why,
                    site: String::new(),
                });
            } else if satisfied_by_witness(trial, core) {
                let why = format!(
                    "{} gives the core ({}), but a known model makes all its members true.",
                    reply.solver,
                    core.join(" ")
                );
                complaints.push(Complaint {
                    class: Class::WrongCore,
                    accused: vec![at],
                    why,
                    site: String::new(),
                });
            }
        }
        complaints
    }
}

/// Whether an assertion has this name, or had it: one that is asserted again without its name is still known by it.
fn is_named(trial: &Trial<'_>, name: &str) -> bool {
    let mut named = trial.script.assertions().filter_map(|a| a.name);
    named.any(|n| trial.terms.symbols.name(n) == name)
        || !trial.query.assumptions.is_empty()
        || trial
            .script
            .definitions()
            .any(|d| trial.terms.symbols.name(trial.terms.fun(d.fun).name) == name)
}

/// The members are satisfiable on their own; unnamed assertions belong to every core.
fn satisfied_by_witness(trial: &Trial<'_>, core: &[String]) -> bool {
    let Evidence::Witness(model) = trial.evidence else {
        return false;
    };
    let mut evaluator = Evaluator::new(trial.terms, model);
    let mut members = trial.query.assertions.iter().filter(|a| match a.name {
        Some(name) => core.iter().any(|c| c == trial.terms.symbols.name(name)),
        None => true,
    });
    members.all(|a| evaluator.value(a.term) == Ok(Value::TRUE))
}
