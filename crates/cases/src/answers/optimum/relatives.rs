//! Asks for the same optimum twice: alone, and in other words beside other objectives of a box, of which each stands
//! alone. The oracle compares the two replies.
//!
//! ```text
//! (push 1) (maximize x)                                             (check-sat) (get-objectives) (pop 1)
//! (push 1) (maximize y) (minimize (- 3 x)) (maximize (* 2 x))       (check-sat) (get-objectives) (pop 1)
//! (push 1) (assert-soft p :weight 2)                                …
//! (push 1) (minimize (ite p 0.0 2.0))                               …
//! ```

use super::ask::{Supply, goal, is_decidable, literal};
use super::goals::soft_weight;
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::script::Goal;
use auspex_logic::value::Rat;
use auspex_logic::{Command, Script, Sort, TermId, Terms};

/// The most objectives beside those that are compared.
const MOST_OTHERS: u64 = 2;

/// The script with both queries; none where there is nothing to optimize.
pub(super) fn ask(draw: &mut Draw, terms: &mut Terms, case: &Case) -> Option<Script> {
    let mut script = case.script.clone();
    script.spans.clear();
    let only = script.queries();
    let [query] = &only[..] else { return None };
    let is_plain = |command: &Command| !matches!(command, Command::Goal(_) | Command::Push(_));
    let is_query = script.commands[query.command] == Command::CheckSat;
    if !is_query || !script.commands.iter().all(is_plain) || !is_decidable(terms, &script) {
        return None;
    }
    let supply = Supply::of(terms, &query.demands().collect::<Vec<TermId>>());
    let first = supply.goal(draw, terms)?;
    let mut second = in_other_words(draw, terms, &first)?;
    for _ in 0..draw.below(MOST_OTHERS + 1) {
        second.extend(supply.goal(draw, terms)?);
    }
    draw.shuffle(&mut second);
    let mut asked = scope(terms, first);
    asked.extend(scope(terms, second));
    script.commands.splice(query.command..=query.command, asked);
    let (key, value) = (
        terms.symbols.intern(":opt.priority"),
        terms.symbols.intern("box"),
    );
    script.commands.insert(0, Command::SetOption(key, value));
    Some(script)
}

/// Objectives in a scope of their own, with the questions about them.
fn scope(terms: &mut Terms, goals: Vec<Command>) -> Vec<Command> {
    let question = Command::Other(terms.symbols.intern("(get-objectives)"));
    let mut all = vec![Command::Push(1)];
    all.extend(goals);
    all.extend([Command::CheckSat, question, Command::Pop(1)]);
    all
}

/// Objectives whose optima follow from that of the given one.
fn in_other_words(draw: &mut Draw, terms: &mut Terms, goals: &[Command]) -> Option<Vec<Command>> {
    let goals: Vec<Goal> = goals
        .iter()
        .filter_map(|command| match command {
            Command::Goal(goal) => Some(*goal),
            _ => None,
        })
        .collect();
    let first = goals.first()?;
    if terms.symbols.name(first.verb) == "assert-soft" {
        let sum = penalty(terms, &goals)?;
        return Some(vec![goal(terms, "minimize", sum, None)]);
    }
    let verbs = match terms.symbols.name(first.verb) {
        "maximize" => ["maximize", "minimize"],
        _ => ["minimize", "maximize"],
    };
    let sort = terms.sort(first.term);
    if ![Sort::INT, Sort::REAL].contains(&sort) {
        return Some(vec![goal(terms, verbs[0], first.term, None)]);
    }
    let mut all = Vec::new();
    for _ in 0..draw.between(1, 2) {
        let number = Rat::from(draw.between(2, 5) as i64);
        let number = literal(terms, sort, number)?;
        let (name, args, turned) = match draw.below(5) {
            0 => ("-", vec![first.term], true),
            1 => ("-", vec![number, first.term], true),
            2 => ("+", vec![first.term, number], false),
            3 => ("*", vec![number, first.term], false),
            _ => ("+", vec![first.term, first.term], false),
        };
        let term = terms.app(name, &args).ok()?;
        all.push(goal(terms, verbs[usize::from(turned)], term, None));
    }
    Some(all)
}

/// The weights of failed soft assertions as a sum.
fn penalty(terms: &mut Terms, goals: &[Goal]) -> Option<TermId> {
    let mut parts = Vec::new();
    let none = literal(terms, Sort::REAL, Rat::ZERO)?;
    for goal in goals {
        let weight = soft_weight(terms, goal)?;
        let weight = literal(terms, Sort::REAL, weight)?;
        parts.push(terms.app("ite", &[goal.term, none, weight]).ok()?);
    }
    match parts[..] {
        [one] => Some(one),
        _ => terms.app("+", &parts).ok(),
    }
}
