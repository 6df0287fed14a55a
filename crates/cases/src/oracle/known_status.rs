//! An answer that contradicts what is known by construction is wrong.
//!
//! ```text
//! witness x = 3, (assert (= x 3)) → unsat       wrong: the witness is a model
//! core a, b by a proved rule      → sat         wrong: a and b contradict each other
//! ```

use super::{Class, Complaint, Oracle, Trial};
use crate::case::{Direction, Evidence, Expected, SeedStatus};
use auspex_logic::Answer;
use auspex_logic::model::{ModelVerdict, is_defined, read_model, validate};

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
            let valid = validate(trial.terms, model, trial.query) == ModelVerdict::Valid
                && (!trial.replies[at].is_partial() || is_defined(trial.terms, model, trial.query));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Care, Reply};
    use auspex_logic::{Terms, read_script};

    /// Who is convicted of a wrong unsat, given the witness x = 0.5.
    fn convicted(assertion: &str) -> Vec<usize> {
        let mut terms = Terms::new();
        let text = format!("(declare-const x Real)(assert {assertion})(check-sat)");
        let script = read_script(&mut terms, &text).expect("well-formed").script;
        let model = read_model(&mut terms, &script, "((define-fun x () Real 0.5))");
        let query = script.queries().remove(0);
        let replies = ["dreal 4.21.6.2", "z3 5.4.0"].map(|solver| Reply {
            solver: solver.to_string(),
            answer: Answer::Unsat { core: None },
            time: None,
        });
        let mut trial = Trial {
            terms: &mut terms,
            script: &script,
            query: &query,
            evidence: &Evidence::Witness(Box::new(model.expect("a model"))),
            replies: &replies,
            care: Care::THOROUGH,
        };
        let complaints = KnownStatus.judge(&mut trial);
        complaints.into_iter().flat_map(|c| c.accused).collect()
    }

    #[test]
    fn bounds_on_transcendental_functions_convict() {
        assert_eq!(convicted("(< 0.479 (sin x) 0.480)"), [0, 1]);
        assert_eq!(convicted("(or (> x 0.0) (> (/ 1.0 x) 7.0))"), [0, 1]);
    }

    #[test]
    fn what_bounds_leave_open_convicts_nobody() {
        let one = "(= (+ (* (sin x) (sin x)) (* (cos x) (cos x))) 1.0)";
        assert_eq!(convicted(one), []);
        assert_eq!(convicted("(> (sin x) 0.48)"), []);
    }

    #[test]
    fn a_part_without_a_value_excuses_a_solver_with_partial_functions() {
        let part = "(or (> x 0.0) (> (/ 1.0 (- x 0.5)) 7.0))";
        assert_eq!(convicted(part), [1]);
        assert_eq!(convicted("(or (> x 0.0) (> (log (- x)) 7.0))"), [1]);
    }
}
