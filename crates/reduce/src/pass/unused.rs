//! Removes unused declarations.
//!
//! ```text
//! (declare-const p Bool) (declare-const q Bool) (assert q)   →   (declare-const q Bool) (assert q)
//! (define-funs-rec ((f () Int) (g () Int)) (1 (+ g 1)))     →   (define-fun-rec g () Int (+ g 1))
//! ```

use super::Pass;
use crate::chunks::chunks;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::Command;
use auspex_logic::script::{Definition, DefinitionKind};

pub struct Unused;

impl Pass for Unused {
    fn name(&self) -> &'static str {
        "unused"
    }

    fn about(&self) -> &'static str {
        "Removes unused declarations and definitions of sorts and functions."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let commands = subject.script.commands.iter().enumerate();
        let idle: Vec<usize> = commands
            .filter(|(_, command)| !subject.usage.needs(command))
            .map(|(number, _)| number)
            .collect();
        let pieces = chunks(idle.len()).into_iter();
        let edits = pieces
            .map(|piece| Edit::new(4 * piece.len() as u64, Change::Drop(idle[piece].to_vec())));
        edits.chain(without_members(subject)).collect()
    }
}

/// A group of definitions without the unused ones; a single remaining definition becomes a command of its own.
fn without_members(subject: &Subject) -> Vec<Edit> {
    let commands = subject.script.commands.iter().enumerate();
    let shorter = commands.filter_map(|(number, command)| {
        let Command::DefineFunsRec(all) = command else {
            return None;
        };
        let used = all.iter().filter(|d| subject.usage.funs.contains(&d.fun));
        let used: Vec<_> = used.cloned().collect();
        let new = match used.as_slice() {
            [] => return None,
            [one] => Command::DefineFun(Definition {
                how: DefinitionKind::Recursive,
                ..one.clone()
            }),
            _ if used.len() == all.len() => return None,
            _ => Command::DefineFunsRec(used),
        };
        Some(Edit::new(4, Change::Put(number, vec![new])))
    });
    shorter.collect()
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
    fn drops_one_of_two_definitions_that_belong_together() {
        proposes(
            &Unused,
            "(define-funs-rec ((f () Int) (g () Int)) (1 (+ g 1)))(assert (= g 0))",
            "(define-fun-rec g () Int (+ g 1))(assert (= g 0))",
        );
    }

    #[test]
    fn keeps_what_an_unknown_command_mentions() {
        leaves_alone(&Unused, "(declare-const p Bool)(maximize p)");
    }
}
