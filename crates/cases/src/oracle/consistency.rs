//! A solver must give one answer to one question, however it is asked: inside an incremental script or alone,
//! with these options or those. A solver that contradicts itself has a bug, whichever answer is right.
//!
//! ```text
//! (push 1) (assert p) (check-sat) (pop 1) (assert q) (check-sat)     second answer: unsat
//! (assert q) (check-sat)                                             sat: the solver contradicts itself
//! ```

use super::grounds::{Grounds, ModelOf};
use super::{Class, Link, Oracle, QueryContext, Side, Verdict};
use auspex_logic::{Command, Query, Script, Terms};
use std::collections::BTreeMap;

pub struct Consistency;

impl Oracle for Consistency {
    fn name(&self) -> &'static str {
        "consistency"
    }

    fn about(&self) -> &'static str {
        "One release of a solver answers the same question with sat and with unsat: it contradicts itself."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let mut releases: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
        for (at, reply) in context.replies.iter().enumerate() {
            let Some(side) = reply.side() else { continue };
            let sides = releases.entry(reply.solver.release_title()).or_default();
            sides[usize::from(side == Side::Unsat)].push(at);
        }
        let torn = releases.into_values().filter_map(|[sat, unsat]| {
            let (one, other) = (*sat.first()?, *unsat.first()?);
            let grounds = Grounds::TwoAnswers {
                sat: one,
                unsat: other,
            };
            Some(Verdict {
                accused: sat.into_iter().chain(unsat).collect(),
                ..Verdict::new(Class::SelfContradiction, one, grounds)
            })
        });
        let torn: Vec<Verdict> = torn.collect();
        let all = 0..context.replies.len();
        torn.into_iter()
            .chain(
                all.filter_map(|at| in_other_form(context, at))
                    .collect::<Vec<_>>(),
            )
            .collect()
    }
}

/// A reply that the same solver contradicts where the same assertions stand otherwise.
fn in_other_form(context: &mut QueryContext<'_>, at: usize) -> Option<Verdict> {
    let side = context.replies[at].side()?;
    let accused = context.replies[at].solver.clone();
    let related = context.related.iter().enumerate();
    let mut forms = related.filter(|(_, one)| matches!(one.link, Link::Alone | Link::Pushed));
    let answer = forms.find_map(|(number, one)| {
        let mut replies = one.replies.iter();
        let reply = replies
            .position(|reply| reply.solver == accused && reply.side() == Some(side.other()))?;
        Some((number, reply))
    })?;
    let (number, reply) = answer;
    // A model of the same assertions tells which answer is wrong.
    let model = context.related[number].replies[reply].model();
    if let Some(text) = model.map(str::to_string)
        && side == Side::Unsat
        && context.is_valid(&text)
    {
        let of = ModelOf::Related(number, reply);
        return Some(Verdict::new(
            Class::WrongUnsat,
            at,
            Grounds::ValidModel { of },
        ));
    }
    let grounds = Grounds::OtherForm { answer };
    Some(Verdict::new(Class::SelfContradiction, at, grounds))
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
    use crate::oracle::tests::{reply, verdicts_of};
    use crate::oracle::{Form, Reply};
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

    /// The sentences about one release asked twice, and about another one.
    fn classes(replies: &[(&str, Form, &str)]) -> Vec<Class> {
        let replies: Vec<Reply> = replies
            .iter()
            .map(|(solver, form, word)| Reply {
                form: *form,
                ..reply(solver, word)
            })
            .collect();
        verdicts_of(&replies).into_iter().map(|v| v.class).collect()
    }

    #[test]
    fn flags_a_solver_that_contradicts_itself() {
        let found = classes(&[
            ("z3 5.4.0", Form::Script, "sat"),
            ("z3 5.4.0", Form::Exact, "unsat"),
        ]);
        assert_eq!(found, [Class::SelfContradiction]);
    }

    #[test]
    fn accepts_one_answer_and_leaves_other_releases_alone() {
        let open = [
            ("z3 5.4.0", Form::Script, "sat"),
            ("z3 5.4.0", Form::Exact, "unknown"),
        ];
        assert_eq!(classes(&open), []);
        let releases = [
            ("z3 5.4.0", Form::Script, "sat"),
            ("z3 4.8.12", Form::Script, "unsat"),
        ];
        assert_eq!(classes(&releases), [Class::Disagreement]);
    }
}
