//! An assertion that is false whatever its symbols stand for makes the script unsatisfiable;
//! assertions that are all true whatever they stand for make it satisfiable.
//!
//! ```text
//! (assert (= (store ((as const (Array Bool Bool)) false) true true) ((as const (Array Bool Bool)) true)))
//!     → sat       wrong: the arrays differ at false
//! ```

use super::differential::Side;
use super::{Class, Complaint, Oracle, Trial};
use crate::case::Evidence;
use auspex_logic::eval::Evaluator;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Model, TermId, Value};

pub struct Ground;

impl Oracle for Ground {
    fn name(&self) -> &'static str {
        "ground"
    }

    fn about(&self) -> &'static str {
        "An answer that contradicts the value of assertions that no symbol can change is wrong."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        if !matches!(trial.evidence, Evidence::Agreement) {
            return Vec::new();
        }
        let (class, why) = match known(trial) {
            Known::False(assertion) => {
                let shown = render::term(trial.terms, assertion, Sharing::Auto);
                (
                    Class::WrongSat,
                    format!("answers sat, but {shown} is false whatever its symbols stand for"),
                )
            }
            Known::True => (
                Class::WrongUnsat,
                "answers unsat, but every assertion is true".to_string(),
            ),
            Known::Nothing => return Vec::new(),
        };
        let wrong = trial.replies.iter().enumerate().filter(|(_, reply)| {
            matches!(
                (class, &reply.answer),
                (Class::WrongSat, Answer::Sat { .. }) | (Class::WrongUnsat, Answer::Unsat { .. })
            )
        });
        wrong
            .map(|(at, reply)| Complaint {
                class,
                accused: vec![at],
                why: format!("{} {why} (checked by evaluation).", reply.solver),
                site: String::new(),
            })
            .collect()
    }
}

enum Known {
    False(TermId),
    True,
    Nothing,
}

fn known(trial: &Trial<'_>) -> Known {
    let model = Model::with_definitions(trial.script);
    let mut evaluator = Evaluator::new(trial.terms, &model)
        .without_completion()
        .at_most(trial.care.work / 8);
    let may_be_wrong_sat = trial.anyone_says(Side::Sat);
    let mut all_true = trial.anyone_says(Side::Unsat);
    for term in trial.query.demands() {
        if !all_true && !may_be_wrong_sat {
            return Known::Nothing;
        }
        match evaluator.value(term) {
            Ok(Value::Bool(false)) => return Known::False(term),
            Ok(Value::Bool(true)) => {}
            _ => all_true = false,
        }
    }
    if all_true {
        Known::True
    } else {
        Known::Nothing
    }
}
