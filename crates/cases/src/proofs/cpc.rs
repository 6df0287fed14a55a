//! Reads cvc5's proofs in the Cooperating Proof Calculus, as `(get-proof)` prints them under
//! `(set-option :proof-print-conclusion true)`.
//!
//! ```text
//! (define @t1 () (> b 0))
//! (assume @p1 @t1)
//! (step @p2 (= @t1 @t20) :rule arith-geq-norm1-int :args (b 0))
//! (assume-push @p3 @t4) … (step-pop @p7 :rule scope :premises (@p6))
//! ```

use super::draft::{Draft, How, Named, after, step_name};
use super::internal::{Dialect, plain_with};
use auspex_syntax::Sexpr;
use std::collections::HashMap;

/// The rule by which cvc5 says that it has no reason.
const HOLES: [&str; 2] = ["trust", "trust_theory_rewrite"];

/// A term with variables is written out where its name stands, up to this length.
const LONGEST: usize = 20_000;

/// What a name of the proof stands for.
enum Meaning {
    /// A term without variables, which keeps its name.
    Term,
    /// A text to write in its place: a variable, a list of them, a term that has some.
    Text(String),
    Unreadable(String),
}

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
    meanings: HashMap<String, Meaning>,
    /// Assumptions that are in force.
    assumed: Vec<usize>,
}

impl Reader {
    fn command(&mut self, command: Sexpr<'_>) {
        let items: Vec<Sexpr<'_>> = command.items().collect();
        match (command.head().unwrap_or(""), &items[..]) {
            ("define", [_, name, _, term]) => self.define(name.text(), *term),
            ("assume", [_, name, formula]) => {
                let conclusion = self.plain(*formula);
                self.steps
                    .push(name.text(), "assume", How::Assertion, conclusion);
            }
            ("assume-push", [_, name, formula]) => {
                let conclusion = self.plain(*formula);
                let steps = &mut self.steps;
                let place = steps.push(name.text(), "assume-push", How::Assumption, conclusion);
                self.assumed.push(place);
            }
            ("step", [_, name, ..]) => self.step(name.text(), &items),
            ("step-pop", [_, name, ..]) => self.pop(name.text(), &items),
            _ => {}
        }
    }

    fn plain(&self, term: Sexpr<'_>) -> Result<String, String> {
        let names = |name: &str| {
            Some(match self.meanings.get(name)? {
                Meaning::Term => Ok(format!("|{name}|")),
                Meaning::Text(text) => Ok(text.clone()),
                Meaning::Unreadable(why) => Err(why.clone()),
            })
        };
        if let Some(list) = self.variables(term) {
            return Ok(list);
        }
        plain_with(term, Dialect::Cpc, &names)
    }

    /// A list of variables as a quantifier binds them.
    fn variables(&self, term: Sexpr<'_>) -> Option<String> {
        let mut items = term.items();
        if items.next()?.text() != "@list" {
            return None;
        }
        let bound: Option<Vec<String>> = items
            .map(
                |item| match self.meanings.get(&format!("{} ", item.text())) {
                    Some(Meaning::Text(sorted)) => Some(sorted.clone()),
                    _ => None,
                },
            )
            .collect();
        Some(format!("({})", bound?.join(" ")))
    }

    fn define(&mut self, name: &str, term: Sexpr<'_>) {
        if term.head() == Some("@var") {
            let number = name.trim_start_matches('@');
            let variable = format!("auspex.{number}");
            let sort = term.item(2).map_or("", |sort| sort.text());
            // The variable with its sort, as a quantifier binds it.
            let bound = Meaning::Text(format!("({variable} {sort})"));
            self.meanings.insert(format!("{name} "), bound);
            self.meanings
                .insert(name.to_string(), Meaning::Text(variable));
            return;
        }
        let is_list = term.head() == Some("@list");
        let meaning = match self.plain(term) {
            Ok(text) if is_list => Meaning::Text(text),
            Ok(text) if !text.contains("auspex.t") => {
                self.steps.draft.names.push((name.to_string(), Ok(text)));
                Meaning::Term
            }
            Ok(text) if text.len() <= LONGEST => Meaning::Text(text),
            Ok(_) => Meaning::Unreadable("a term that is too long".to_string()),
            Err(why) => Meaning::Unreadable(why),
        };
        self.meanings.insert(name.to_string(), meaning);
    }

    fn step(&mut self, name: &str, items: &[Sexpr<'_>]) {
        let rule = after(items, ":rule").map_or("", |rule| rule.text());
        let conclusion = match items.get(2) {
            Some(item) if item.text() != ":rule" => self.plain(*item),
            _ => Err(
                "no conclusion, which (set-option :proof-print-conclusion true) adds".to_string(),
            ),
        };
        let how = match HOLES.contains(&rule) {
            true => How::Hole,
            false => How::Derived,
        };
        self.add(name, rule, how, conclusion, items);
    }

    /// The end of an assumption: it implies what was derived under it.
    fn pop(&mut self, name: &str, items: &[Sexpr<'_>]) {
        let premises = self.steps.premises(items);
        let assumed = self.assumed.pop();
        let conclusion = match (assumed, &premises[..]) {
            (Some(assumed), [derived]) => {
                let readable = [assumed, *derived].iter().all(|place| {
                    let step = &self.steps.draft.steps[*place];
                    step.conclusion.is_ok()
                });
                match readable {
                    true => Ok(format!(
                        "(=> |{}| |{}|)",
                        step_name(assumed),
                        step_name(*derived)
                    )),
                    false => Err("a term that cannot be read".to_string()),
                }
            }
            _ => Err("the end of an assumption that was not made".to_string()),
        };
        self.add(name, "scope", How::Discharge, conclusion, items);
    }

    /// Adds a step with the premises that its command lists.
    fn add(
        &mut self,
        name: &str,
        rule: &str,
        how: How,
        conclusion: Result<String, String>,
        items: &[Sexpr<'_>],
    ) {
        let premises = self.steps.premises(items);
        let place = self.steps.push(name, rule, how, conclusion);
        self.steps.draft.steps[place].premises = premises;
    }
}
