//! Reads proofs in the Alethe format, as cvc5 and veriT print them.
//!
//! ```text
//! (assume a0 (! (> b 0) :named @p_1))
//! (step t1 (cl (not @p_1) (>= b 1)) :rule equiv_pos2 :premises (t0))
//! (anchor :step t6) (assume t6.a0 @p_5) … (step t6 (cl …) :rule subproof :discharge (t6.a0))
//! ```

use super::draft::{Draft, How, Named, after, step_name};
use super::internal::{Dialect, atom};
use auspex_syntax::Sexpr;

/// The rule by which a solver says that it has no reason.
const HOLE: &str = "hole";

/// Reads the commands of a proof.
pub fn read<'s>(commands: impl Iterator<Item = Sexpr<'s>>) -> Draft {
    let mut reader = Reader::default();
    for command in commands {
        reader.command(command);
    }
    reader.steps.draft
}

#[derive(Default)]
struct Reader {
    steps: Named,
    /// The subproofs that are open.
    anchors: Vec<Anchor>,
}

/// A subproof: its last step ends it.
struct Anchor {
    step: String,
    /// Whether it binds variables.
    binds: bool,
    assumed: Vec<usize>,
}

impl Reader {
    fn command(&mut self, command: Sexpr<'_>) {
        let items: Vec<Sexpr<'_>> = command.items().collect();
        match (command.head().unwrap_or(""), &items[..]) {
            ("anchor", _) => {
                let step = after(&items, ":step").map_or("", |step| step.text());
                self.anchors.push(Anchor {
                    step: step.to_string(),
                    binds: after(&items, ":args").is_some(),
                    assumed: Vec::new(),
                });
            }
            ("assume", [_, name, formula]) => {
                let conclusion = self.plain(*formula);
                let how = match self.anchors.is_empty() {
                    true => How::Assertion,
                    false => How::Assumption,
                };
                let place = self.steps.push(name.text(), "assume", how, conclusion);
                if let Some(anchor) = self.anchors.last_mut() {
                    anchor.assumed.push(place);
                }
            }
            ("step", [_, name, clause, ..]) => self.step(name.text(), *clause, &items),
            _ => {}
        }
    }

    fn plain(&mut self, term: Sexpr<'_>) -> Result<String, String> {
        plain(term, &mut self.steps.draft.names)
    }

    fn step(&mut self, name: &str, clause: Sexpr<'_>, items: &[Sexpr<'_>]) {
        let rule = after(items, ":rule").map_or("", |rule| rule.text());
        let conclusion = self.plain(clause);
        let premises = self.steps.premises(items);
        let ended = match self.anchors.last() {
            Some(anchor) if anchor.step == name => self.anchors.pop(),
            _ => None,
        };
        let in_context = self.anchors.iter().any(|anchor| anchor.binds);
        let last = self.steps.draft.steps.len().checked_sub(1);
        let (how, extra) = match (&ended, last) {
            (Some(anchor), Some(last)) if !anchor.binds && !in_context => {
                (How::Derived, vec![under(&anchor.assumed, last)])
            }
            (Some(_), _) => (How::Context, Vec::new()),
            _ if in_context => (How::Context, Vec::new()),
            _ if rule == HOLE => (How::Hole, Vec::new()),
            _ => (How::Derived, Vec::new()),
        };
        let place = self.steps.push(name, rule, how, conclusion);
        let step = &mut self.steps.draft.steps[place];
        step.premises = premises;
        step.extra = extra;
    }
}

/// What was derived last, under the assumptions of its subproof.
fn under(assumed: &[usize], last: usize) -> Result<String, String> {
    let assumed = assumed.iter().filter(|place| **place != last);
    let mut text = format!("|{}|", step_name(last));
    for place in assumed {
        text = format!("(=> |{}| {text})", step_name(*place));
    }
    Ok(text)
}

/// What is still to be done for a term.
enum Work<'s> {
    Item(Sexpr<'s>),
    /// Joins the last texts to one.
    Join(Join, usize),
}

enum Join {
    Application,
    Clause,
    Named(String),
}

/// A term in the words of the standard; terms with names go into the list of names.
fn plain(
    term: Sexpr<'_>,
    names: &mut Vec<(String, Result<String, String>)>,
) -> Result<String, String> {
    let mut texts: Vec<String> = Vec::new();
    let mut waiting = vec![Work::Item(term)];
    while let Some(work) = waiting.pop() {
        match work {
            Work::Item(item) if !item.is_list() => {
                let name = item.text();
                let is_name = name.starts_with("@p_");
                texts.push(match is_name {
                    true => format!("|{name}|"),
                    false => atom(item, Dialect::Cpc)?,
                });
            }
            Work::Item(item) => {
                let items: Vec<Sexpr<'_>> = item.items().collect();
                let (join, parts) = match (item.head(), &items[..]) {
                    (Some("!"), [_, inner, rest @ ..]) => match after(rest, ":named") {
                        Some(name) => (Join::Named(name.text().to_string()), vec![*inner]),
                        None => (Join::Application, vec![*inner]),
                    },
                    (Some("cl"), [_, literals @ ..]) => (Join::Clause, literals.to_vec()),
                    (Some("choice"), _) => return Err("choice".to_string()),
                    _ => (Join::Application, items),
                };
                // An annotation without a name is its term.
                let is_bare = item.head() == Some("!") && matches!(join, Join::Application);
                if !is_bare {
                    waiting.push(Work::Join(join, parts.len()));
                }
                waiting.extend(parts.into_iter().rev().map(Work::Item));
            }
            Work::Join(join, count) => {
                let parts = texts.split_off(texts.len() - count);
                texts.push(joined(join, parts, names));
            }
        }
    }
    texts.pop().ok_or_else(|| "nothing".to_string())
}

fn joined(
    join: Join,
    parts: Vec<String>,
    names: &mut Vec<(String, Result<String, String>)>,
) -> String {
    match join {
        Join::Application => format!("({})", parts.join(" ")),
        Join::Clause => match &parts[..] {
            [] => "false".to_string(),
            [only] => only.clone(),
            many => format!("(or {})", many.join(" ")),
        },
        Join::Named(name) => {
            let text = parts.into_iter().next().unwrap_or_default();
            let shown = format!("|{name}|");
            names.push((name, Ok(text)));
            shown
        }
    }
}
