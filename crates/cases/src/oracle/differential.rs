//! Solvers that contradict each other: at least one is wrong, but without more evidence nobody knows which.
//! Timeouts, unknowns, rejections and crashes never count as a contradiction.

use super::{Class, Complaint, Oracle, Trial};
use auspex_logic::Answer;

pub struct Differential;

impl Oracle for Differential {
    fn name(&self) -> &'static str {
        "differential"
    }

    fn about(&self) -> &'static str {
        "One solver answers sat and another unsat: filed as a disagreement until evidence says who is wrong."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let who = |wanted: fn(&Answer) -> bool| -> Vec<usize> {
            (0..trial.replies.len())
                .filter(|at| wanted(&trial.replies[*at].answer))
                .collect()
        };
        let sat = who(|a| matches!(a, Answer::Sat { .. }));
        let unsat = who(|a| matches!(a, Answer::Unsat { .. }));
        if sat.is_empty() || unsat.is_empty() {
            return Vec::new();
        }
        let names = |all: &[usize]| {
            all.iter()
                .map(|at| trial.replies[*at].solver.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let why = format!(
            "{} answers sat, {} answers unsat; no model decides it.",
            names(&sat),
            names(&unsat)
        );
        let accused = sat.iter().chain(&unsat).copied().collect();
        vec![Complaint {
            class: Class::Disagreement,
            accused,
            why,
            site: String::new(),
        }]
    }
}
