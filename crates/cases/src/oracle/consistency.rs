//! A solver must give one answer to one question, however it is asked: inside an incremental script or alone,
//! with these options or those. A solver that contradicts itself has a bug, whichever answer is right.
//!
//! ```text
//! (push 1) (assert p) (check-sat) (pop 1) (assert q) (check-sat)     second answer: unsat
//! (assert q) (check-sat)                                             sat: the solver contradicts itself
//! ```

use super::differential::{Side, make_of, side};
use super::{Class, Complaint, Oracle, Trial};
use auspex_logic::{Command, Query, Script, Terms};

/// Marks the reply to a query that was asked alone in the name of its solver.
pub const ALONE: &str = " (asked alone)";

pub struct Consistency;

impl Oracle for Consistency {
    fn name(&self) -> &'static str {
        "consistency"
    }

    fn about(&self) -> &'static str {
        "One release of a solver answers the same question with sat and with unsat: it contradicts itself."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        let mut judged: Vec<String> = Vec::new();
        for reply in trial.replies {
            let release = release_of(&reply.solver);
            if judged.contains(&release) {
                continue;
            }
            let of_side = |wanted: Side| -> Vec<usize> {
                let replies = trial.replies.iter().enumerate();
                let same = replies.filter(|(_, r)| release_of(&r.solver) == release);
                same.filter(|(_, r)| side(&r.answer) == Some(wanted))
                    .map(|(at, _)| at)
                    .collect()
            };
            let (sat, unsat) = (of_side(Side::Sat), of_side(Side::Unsat));
            if let (Some(one), Some(other)) = (sat.first(), unsat.first()) {
                let why = format!(
                    "{release} contradicts itself: {} answers sat, {} answers unsat to the same assertions; one of the two is wrong.",
                    trial.replies[*one].solver, trial.replies[*other].solver
                );
                complaints.push(Complaint {
                    class: Class::Disagreement,
                    accused: sat.iter().chain(&unsat).copied().collect(),
                    why,
                    site: format!("{} against itself", make_of(&reply.solver)),
                });
            }
            judged.push(release);
        }
        complaints
    }
}

/// Name and release of a solver without its options: `z3 4.13.0`.
fn release_of(title: &str) -> String {
    let plain = title.strip_suffix(ALONE).unwrap_or(title);
    let mut words = plain
        .split(' ')
        .take(2)
        .take_while(|word| !word.starts_with('-'));
    words.by_ref().collect::<Vec<_>>().join(" ")
}

/// Whether the answers of a script can differ from those of its queries asked alone.
pub fn is_incremental(script: &Script) -> bool {
    let queries = |c: &&Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
    let scopes = |c: &Command| {
        matches!(
            c,
            Command::Push(_) | Command::Pop(_) | Command::ResetAssertions | Command::Reset
        )
    };
    script.commands.iter().filter(queries).count() > 1 || script.commands.iter().any(scopes)
}

/// A script that asks one query of another script and nothing else: the declarations and assertions in force, in order.
pub fn alone(terms: &Terms, script: &Script, query: &Query) -> Script {
    let mut header = Vec::new();
    let mut stack: Vec<Command> = Vec::new();
    let mut lasting: Vec<usize> = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    let mut global = false;
    for command in &script.commands[..query.command.min(script.commands.len())] {
        match command {
            Command::SetOption(key, value) => {
                global |= terms.symbols.name(*key) == ":global-declarations"
                    && terms.symbols.name(*value) == "true";
                header.push(command.clone());
            }
            Command::SetLogic(_) | Command::SetInfo(..) => header.push(command.clone()),
            Command::Push(count) => {
                levels.extend(std::iter::repeat_n(stack.len(), *count as usize));
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    if let Some(length) = levels.pop() {
                        shorten(&mut stack, &mut lasting, length);
                    }
                }
            }
            Command::ResetAssertions => {
                levels.clear();
                shorten(&mut stack, &mut lasting, 0);
            }
            Command::Reset => {
                levels.clear();
                stack.clear();
                lasting.clear();
                header.clear();
                global = false;
            }
            Command::DeclareSort(..)
            | Command::DefineSort(..)
            | Command::DeclareDatatypes(_)
            | Command::DeclareFun(_)
            | Command::DefineFun(_)
            | Command::DefineFunsRec(_) => {
                if global {
                    lasting.push(stack.len());
                }
                stack.push(command.clone());
            }
            Command::Other(text) if terms.symbols.name(*text).starts_with("(de") => {
                stack.push(command.clone());
            }
            Command::Assert(_) => stack.push(command.clone()),
            Command::CheckSat
            | Command::CheckSatAssuming(_)
            | Command::CheckSatUsing(_)
            | Command::GetValue(_)
            | Command::GetModel
            | Command::GetUnsatCore
            | Command::Exit
            | Command::Goal(_)
            | Command::Other(_) => {}
        }
    }
    header.append(&mut stack);
    header.extend(script.commands.get(query.command).cloned());
    Script {
        commands: header,
        spans: Vec::new(),
    }
}

/// Takes back everything from a length on, except declarations that last.
fn shorten(stack: &mut Vec<Command>, lasting: &mut Vec<usize>, length: usize) {
    let kept: Vec<Command> = lasting
        .iter()
        .filter(|at| **at >= length)
        .map(|at| stack[*at].clone())
        .collect();
    stack.truncate(length);
    lasting.retain(|at| *at < length);
    for command in kept {
        lasting.push(stack.len());
        stack.push(command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::complaints;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};

    const INCREMENTAL: &str = "(set-logic QF_UF)(declare-const p Bool)(push 1)(declare-const q Bool)(assert q)\
         (check-sat)(pop 1)(assert p)(check-sat-assuming ((not p)))(reset-assertions)(check-sat)";

    fn all_alone(text: &str) -> Vec<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        assert!(is_incremental(&script));
        let queries = script.queries();
        let one = |query| render::script(&terms, &alone(&terms, &script, query), Sharing::Auto);
        queries
            .iter()
            .map(one)
            .map(|text| text.replace('\n', ""))
            .collect()
    }

    #[test]
    fn asks_each_query_with_what_is_in_force() {
        assert_eq!(
            all_alone(INCREMENTAL),
            [
                "(set-logic QF_UF)(declare-const p Bool)(declare-const q Bool)(assert q)(check-sat)",
                "(set-logic QF_UF)(declare-const p Bool)(assert p)(check-sat-assuming ((not p)))",
                "(set-logic QF_UF)(check-sat)",
            ]
        );
    }

    #[test]
    fn global_declarations_outlive_their_scope() {
        let text = format!("(set-option :global-declarations true){INCREMENTAL}");
        let last = all_alone(&text).pop().unwrap_or_default();
        assert!(
            last.contains("(declare-const p Bool)(declare-const q Bool)(check-sat)"),
            "{last}"
        );
        assert!(!last.contains("assert"), "{last}");
    }

    #[test]
    fn flags_a_solver_that_contradicts_itself() {
        let found = complaints(&[("z3 5.4.0", "sat"), ("z3 5.4.0 (asked alone)", "unsat")]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].why.contains("z3 5.4.0 contradicts itself"),
            "{found:?}"
        );
    }

    #[test]
    fn accepts_one_answer_and_leaves_other_releases_alone() {
        assert_eq!(
            complaints(&[("z3 5.4.0", "sat"), ("z3 5.4.0 (asked alone)", "unknown")]),
            []
        );
        let found = complaints(&[("z3 5.4.0", "sat"), ("z3 4.8.12", "unsat")]);
        assert!(found.iter().all(|c| !c.why.contains("itself")), "{found:?}");
    }
}
