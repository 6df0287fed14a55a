//! Tests of answers, text in and text out.

use super::{AnswerKind, Asked, Check};
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Script, Terms, read_script};

/// A reply to the last command of a script that asks for this kind of answers, with the solver's model.
/// One line for each obligation: `claim => unsat: (assert …)(assert …)`, `claim => sat: …`, `claim => wrong: …`;
/// definitions among them are kept, declarations are not. A reply that cannot be read is one line `unread: …`.
pub fn obligations(
    kind: &dyn AnswerKind,
    script: &str,
    said: &str,
    model: Option<&str>,
) -> Vec<String> {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, script).expect("well-formed").script;
    let numbers = 0..script.commands.len();
    let command = numbers
        .rev()
        .find(|at| kind.is_asked(&terms, &script, *at))
        .expect("the script asks");
    let answer = Answer::Sat {
        model: model.map(str::to_string),
    };
    let answer = match said {
        "unsat" => Answer::Unsat { core: None },
        _ => answer,
    };
    let is_query = |at: &usize| script.queries().iter().any(|q| q.command == *at);
    let answered = (0..=command).any(|at| is_query(&at));
    let obligations = kind.obligations(&mut Asked {
        said,
        answer: answered.then_some(&answer),
        ..Asked::new(&mut terms, &script, command)
    });
    match obligations {
        Err(why) => vec![format!("unread: {why}")],
        Ok(all) => all
            .iter()
            .map(|one| format!("{} => {}", one.claim, shown(&terms, &one.check)))
            .collect(),
    }
}

fn shown(terms: &Terms, check: &Check) -> String {
    match check {
        Check::Unsat(script) => format!("unsat: {}", body(terms, script)),
        Check::Sat(script) => format!("sat: {}", body(terms, script)),
        Check::Wrong(found) => format!("wrong: {found}"),
    }
}

fn body(terms: &Terms, script: &Script) -> String {
    let mut kept = script.clone();
    let is_shown = |c: &Command| matches!(c, Command::Assert(_) | Command::DefineFun(_));
    kept.commands.retain(is_shown);
    render::script(terms, &kept, Sharing::Auto).replace('\n', "")
}

/// The script that asks, made from a case about which nothing is known; one command a line.
pub fn asked(kind: &dyn AnswerKind, script: &str, make: &str, number: u64) -> Option<String> {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, script).expect("well-formed").script;
    let evidence = vec![Evidence::NoneKnown; script.queries().len()];
    let case = Case {
        script,
        evidence,
        origin: Origin::default(),
    };
    let made = kind.ask(&mut Draw::new(1, number), &mut terms, &case, make)?;
    Some(render::script(&terms, &made, Sharing::Auto))
}
