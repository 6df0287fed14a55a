//! Extracts one query of an incremental script: the declarations and assertions in force, without the rest.

use auspex_logic::{Command, Query, Script, Terms};

/// Whether the answers of a script may differ from those of its queries asked alone.
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

/// Removes everything after a length, except global declarations.
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
}
