//! Removes assertion levels.
//!
//! ```text
//! (push 1) (assert p) (check-sat) (pop 1) (check-sat)   →   (assert p) (check-sat) (check-sat)
//!                                                       →   (check-sat)
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::Command;

pub struct Levels;

impl Pass for Levels {
    fn name(&self) -> &'static str {
        "levels"
    }

    fn about(&self) -> &'static str {
        "Removes a push with its pop, the commands between them, or everything after a query."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let commands = &subject.script.commands;
        let levels = levels(commands);
        let mut edits = Vec::new();
        if levels.len() > 1 {
            let all: Vec<usize> = levels
                .iter()
                .flat_map(|(push, pop)| [*push, *pop])
                .collect();
            edits.push(Edit::new(4 * all.len() as u64, drop(commands, all)));
        }
        for (push, pop) in levels {
            let inside = (pop - push) as u64;
            edits.push(Edit::new(
                4 * inside + 6,
                drop(commands, (push..=pop).collect()),
            ));
            edits.push(Edit::new(6, drop(commands, vec![push, pop])));
        }
        let queries = commands.iter().enumerate().filter(|(_, command)| {
            matches!(command, Command::CheckSat | Command::CheckSatAssuming(_))
        });
        for (number, _) in queries {
            let after = (commands.len() - number - 1) as u64;
            let rest = (number + 1..commands.len()).collect();
            edits.push(Edit::new(4 * after, drop(commands, rest)));
        }
        edits
    }
}

fn drop(commands: &[Command], numbers: Vec<usize>) -> Change {
    Change::Drop(
        numbers
            .into_iter()
            .filter(|n| *n < commands.len())
            .collect(),
    )
}

/// Every push with the pop that ends its level, or the end of the script.
fn levels(commands: &[Command]) -> Vec<(usize, usize)> {
    let (mut open, mut levels) = (Vec::new(), Vec::new());
    for (number, command) in commands.iter().enumerate() {
        match command {
            Command::Push(_) => open.push(number),
            Command::Pop(_) => levels.extend(open.pop().map(|push| (push, number))),
            _ => {}
        }
    }
    levels.extend(open.into_iter().map(|push| (push, commands.len())));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_a_level_or_only_its_ends() {
        let text = "(declare-const p Bool)(push 1)(assert p)(check-sat)(pop 1)(check-sat)";
        proposes(&Levels, text, "(check-sat)");
        let flat = "(declare-const p Bool)(assert p)(check-sat)(check-sat)";
        proposes(&Levels, text, flat);
    }

    #[test]
    fn leaves_a_flat_script_alone() {
        leaves_alone(&Levels, "(declare-const p Bool)\n(assert p)\n(check-sat)\n");
    }
}
