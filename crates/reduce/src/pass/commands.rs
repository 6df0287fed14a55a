//! Removes commands that declare nothing, many at a time.
//!
//! ```text
//! (set-info :status sat) (assert p) (assert q) (check-sat)   →   (assert q) (check-sat)
//! ```
//! Declarations that lose their last use are removed, too. After Zeller and Hildebrandt's ddmin.

use super::Pass;
use crate::chunks::chunks;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use crate::subterms::Subterms;
use auspex_logic::{Command, Script};

pub struct Commands;

impl Pass for Commands {
    fn name(&self) -> &'static str {
        "commands"
    }

    fn about(&self) -> &'static str {
        "Removes assertions, queries, options and other commands, in halves, quarters and so on."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let sizes = sizes(subject);
        let commands = subject.script.commands.iter().enumerate();
        let loose: Vec<usize> = commands
            .filter(|(_, command)| is_loose(command))
            .map(|(number, _)| number)
            .collect();
        let assertions =
            |number: &&usize| matches!(subject.script.commands[**number], Command::Assert(_));
        let rest: Vec<usize> = loose.iter().filter(|n| !assertions(n)).copied().collect();
        let mut edits = Vec::new();
        for list in [&loose, &rest] {
            for piece in chunks(list.len()) {
                let gone = list[piece].to_vec();
                let gain = gone.iter().map(|number| sizes[*number]).sum();
                edits.push(Edit::new(gain, Change::Drop(gone)));
            }
        }
        edits
    }
}

/// Whether nothing else refers to the command.
fn is_loose(command: &Command) -> bool {
    match command {
        Command::SetOption(..)
        | Command::SetInfo(..)
        | Command::Assert(_)
        | Command::CheckSat
        | Command::CheckSatAssuming(_)
        | Command::CheckSatUsing(_)
        | Command::GetValue(_)
        | Command::GetModel
        | Command::GetUnsatCore
        | Command::ResetAssertions
        | Command::Reset
        | Command::Exit
        | Command::Goal(_)
        | Command::Other(_) => true,
        // `logic` is the pass for set-logic.
        Command::SetLogic(_)
        | Command::DeclareSort(..)
        | Command::DefineSort(..)
        | Command::DeclareDatatypes(_)
        | Command::DeclareFun(_)
        | Command::DefineFun(_)
        | Command::DefineFunsRec(_)
        | Command::Push(_)
        | Command::Pop(_) => false,
    }
}

/// The size of each command's terms.
fn sizes(subject: &Subject) -> Vec<u64> {
    let subterms: Subterms = subject.subterms();
    let one = |command: &Command| {
        let alone = Script {
            commands: vec![command.clone()],
            spans: Vec::new(),
        };
        2 + alone.roots().iter().map(|t| subterms.size(*t)).sum::<u64>()
    };
    subject.script.commands.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn drops_an_assertion_and_what_it_alone_used() {
        proposes(
            &Commands,
            "(declare-const p Bool)(declare-const q Bool)(assert p)(assert q)(check-sat)",
            "(declare-const q Bool)(assert q)(check-sat)",
        );
    }

    #[test]
    fn leaves_declarations_to_others() {
        leaves_alone(&Commands, "(declare-const p Bool)(push 1)(pop 1)");
    }
}
