//! The status oracle: an answer is wrong if it contradicts what is known by construction.
//!
//! ```text
//! witness x = 3, (assert (= x 3)) → unsat       wrong: the witness is a model
//! core a, b by a proved rule      → sat         wrong: a and b contradict each other
//! ```

use super::grounds::{Grounds, ModelOf};
use super::{Class, Oracle, QueryContext, Side, Verdict};
use crate::case::Evidence;
use auspex_logic::model::{ModelVerdict, is_defined, validate};

pub struct KnownStatus;

impl Oracle for KnownStatus {
    fn name(&self) -> &'static str {
        "status"
    }

    fn about(&self) -> &'static str {
        "An answer is wrong if it contradicts how the case was constructed."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let all = 0..context.replies.len();
        match context.evidence {
            Evidence::Witness(_) => {
                let denied = |at: &usize| context.replies[*at].side() == Some(Side::Unsat);
                let denied: Vec<usize> = all.filter(denied).collect();
                witness(context, denied)
            }
            Evidence::Core { because, .. } => {
                let grounds = Grounds::Construction {
                    because: because.clone(),
                };
                let said = |at: &usize| context.replies[*at].side() == Some(Side::Sat);
                let said: Vec<usize> = all.filter(said).collect();
                // A valid model would show that our construction is wrong.
                let wrong = said.into_iter().filter(|at| !context.has_valid_model(*at));
                let verdict = |at| Verdict::new(Class::WrongSat, at, grounds.clone());
                wrong.map(verdict).collect()
            }
            Evidence::Relation(_) | Evidence::NoneKnown => Vec::new(),
        }
    }
}

/// The solvers that answer unsat, if the witness is a model.
fn witness(context: &QueryContext<'_>, denied: Vec<usize>) -> Vec<Verdict> {
    let Evidence::Witness(model) = context.evidence else {
        return Vec::new();
    };
    if denied.is_empty() || validate(context.terms, model, context.query) != ModelVerdict::Valid {
        return Vec::new();
    }
    let defined = || is_defined(context.terms, model, context.query);
    let convicted = denied
        .into_iter()
        .filter(|at| !context.replies[*at].solver.has_partial_functions || defined());
    let grounds = Grounds::ValidModel { of: ModelOf::Case };
    convicted
        .map(|at| Verdict::new(Class::WrongUnsat, at, grounds.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Budget, Reply, SolverId};
    use auspex_logic::model::read_model;
    use auspex_logic::{Answer, Terms, read_script};
    use std::sync::Arc;

    /// Who is convicted of a wrong unsat, given the witness x = 0.5.
    fn convicted(assertion: &str) -> Vec<usize> {
        let mut terms = Terms::new();
        let text = format!("(declare-const x Real)(assert {assertion})(check-sat)");
        let script = read_script(&mut terms, &text).expect("well-formed").script;
        let model = read_model(&mut terms, &script, "((define-fun x () Real 0.5))");
        let query = script.queries().remove(0);
        let dreal = SolverId {
            has_partial_functions: true,
            ..SolverId::new("dreal", "4.21.6.2")
        };
        let solvers = [dreal, SolverId::new("z3", "5.4.0")];
        let replies =
            solvers.map(|solver| Reply::new(Arc::new(solver), Answer::Unsat { core: None }));
        let evidence = Evidence::Witness(Box::new(model.expect("a model")));
        let mut context = QueryContext::new(&mut terms, &script, &query, &evidence)
            .with(&replies, &[])
            .within(Budget::THOROUGH);
        let verdicts = KnownStatus.judge(&mut context);
        verdicts.into_iter().flat_map(|v| v.accused).collect()
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
