//! Leaves out declarations that nobody uses.
//!
//! ```text
//! (declare-const p Bool) (declare-const q Bool) (assert q)   →   (declare-const q Bool) (assert q)
//! ```

use super::Pass;
use crate::chunks::chunks;
use crate::edit::{Change, Edit};
use crate::subject::Subject;

pub struct Unused;

impl Pass for Unused {
    fn name(&self) -> &'static str {
        "unused"
    }

    fn about(&self) -> &'static str {
        "Leaves out declarations and definitions of sorts and functions that nobody uses."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let commands = subject.script.commands.iter().enumerate();
        let idle: Vec<usize> = commands
            .filter(|(_, command)| !subject.usage.needs(command))
            .map(|(number, _)| number)
            .collect();
        let pieces = chunks(idle.len()).into_iter();
        pieces
            .map(|piece| Edit::new(4 * piece.len() as u64, Change::Drop(idle[piece].to_vec())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_what_nobody_uses() {
        proposes(
            &Unused,
            "(declare-sort S 0)(declare-const p Bool)(declare-const q Bool)(assert q)",
            "(declare-const q Bool)(assert q)",
        );
    }

    #[test]
    fn keeps_what_an_unknown_command_mentions() {
        leaves_alone(&Unused, "(declare-const p Bool)(maximize p)");
    }
}
