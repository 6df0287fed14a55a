//! Removes assumptions of a query.
//!
//! ```text
//! (check-sat-assuming (p q))   →   (check-sat-assuming (q))   →   (check-sat)
//! ```

use super::Pass;
use crate::chunks::chunks;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::Command;

pub struct Assumptions;

impl Pass for Assumptions {
    fn name(&self) -> &'static str {
        "assumptions"
    }

    fn about(&self) -> &'static str {
        "Removes assumptions, and turns check-sat-assuming without any into check-sat."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (number, command) in subject.script.commands.iter().enumerate() {
            let Command::CheckSatAssuming(all) = command else {
                continue;
            };
            edits.push(Edit::new(
                2 + all.len() as u64,
                Change::Put(number, vec![Command::CheckSat]),
            ));
            for piece in chunks(all.len()) {
                let mut rest = all.clone();
                rest.drain(piece.clone());
                let new = Command::CheckSatAssuming(rest);
                edits.push(Edit::new(
                    piece.len() as u64,
                    Change::Put(number, vec![new]),
                ));
            }
        }
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_assumptions() {
        let text = "(declare-const p Bool)(declare-const q Bool)(check-sat-assuming (p q))";
        proposes(
            &Assumptions,
            text,
            "(declare-const q Bool)(check-sat-assuming (q))",
        );
        proposes(&Assumptions, text, "(check-sat)");
    }

    #[test]
    fn leaves_plain_queries_alone() {
        leaves_alone(&Assumptions, "(check-sat)");
    }
}
