//! An answer that contradicts what is known by construction is wrong.
//!
//! ```text
//! witness x = 3, (assert (= x 3)) → unsat       wrong: the witness is a model
//! core a, b by a proved rule      → sat         wrong: a and b contradict each other
//! ```

use super::{Class, Complaint, Oracle, Trial};
use crate::case::{Direction, Evidence, Expected, SeedStatus};
use auspex_logic::Answer;
use auspex_logic::model::{ModelVerdict, read_model, validate};

pub struct KnownStatus;

impl Oracle for KnownStatus {
    fn name(&self) -> &'static str {
        "status"
    }

    fn about(&self) -> &'static str {
        "An answer that contradicts the construction of the case is wrong."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let Some(expected) = trial.evidence.expected() else {
            return Vec::new();
        };
        let mut complaints = Vec::new();
        for at in 0..trial.replies.len() {
            let reply = &trial.replies[at];
            let class = match (expected, &reply.answer) {
                (Expected::Sat, Answer::Unsat { .. }) => Class::WrongUnsat,
                (Expected::Unsat, Answer::Sat { .. }) => Class::WrongSat,
                _ => continue,
            };
            if let Some(why) = explain(trial, at, class) {
                complaints.push(Complaint {
                    class,
                    accused: vec![at],
                    why,
                    site: String::new(),
                });
            }
        }
        complaints
    }
}

/// The sentence that convicts, or none if what is known is not proved or the conviction would be ours.
fn explain(trial: &mut Trial<'_>, at: usize, class: Class) -> Option<String> {
    let solver = trial.replies[at].solver.clone();
    match trial.evidence {
        Evidence::Witness(model) => {
            let valid = validate(trial.terms, model, trial.query) == ModelVerdict::Valid;
            valid.then(|| format!("{solver} answers unsat, but the witness makes every assertion true (checked by evaluation)."))
        }
        Evidence::Core { because, .. } => {
            // A valid model would show that our construction is wrong.
            let convincing = !has_valid_model(trial, at);
            convincing.then(|| {
                format!(
                    "{solver} answers sat, but the assertions contradict each other: {because}."
                )
            })
        }
        Evidence::Approximation { direction, seed } => match (direction, seed, class) {
            (Direction::Weaker, SeedStatus::ProvedSat, Class::WrongUnsat) => Some(format!(
                "{solver} answers unsat, but the script is a weakening of a script with a model checked by evaluation."
            )),
            (Direction::Stronger, SeedStatus::AgreedUnsat, Class::WrongSat)
                if !has_valid_model(trial, at) =>
            {
                Some(format!(
                    "{solver} answers sat, but the script is a strengthening of a script that independent solvers find unsatisfiable."
                ))
            }
            _ => None,
        },
        Evidence::Agreement => None,
    }
}

fn has_valid_model(trial: &mut Trial<'_>, at: usize) -> bool {
    let Answer::Sat { model: Some(text) } = &trial.replies[at].answer else {
        return false;
    };
    match read_model(trial.terms, trial.script, text) {
        Ok(model) => validate(trial.terms, &model, trial.query) == ModelVerdict::Valid,
        Err(_) => false,
    }
}
