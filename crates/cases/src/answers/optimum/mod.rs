//! Optima of z3: `maximize`, `minimize` and `assert-soft`, in lexicographic order, each on its own (box), or Pareto.
//!
//! ```text
//! (assert (< x 5)) (maximize x) (check-sat) (get-objectives)     (objectives (x 3))
//! must be unsat:  (assert (< x 5)) (assert (> x 3))              no model is better
//! must be sat:    (assert (< x 5)) (assert (= x 3))              it is attained, unless its model attains it
//! ```
//!
//! In lexicographic order each objective is judged among the models that attain the ones before it. Objectives after
//! one that no model attains (`oo`, `epsilon`) are not judged, because no order is defined there. Bit-vectors are
//! unsigned numbers, as in z3. Soft assertions are the sum of the weights of those that fail.

mod ask;
mod goals;
mod linear;
mod relatives;
mod value;

use super::{AnswerKind, Asked, Kind, Obligation, asked_by, query_at};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{MOST_WORK, read_model};
use auspex_logic::value::Rat;
use auspex_logic::{Answer, Command, Script, Terms};
use goals::{Objective, Priority, Range};
use linear::{Standalone, differ};
use value::{Extended, Optimum};

pub struct Optima;

/// One problem in so many asks for an objective in other words, in a query of its own.
const RELATIVES: u64 = 4;

/// A value above this counts as evidence that there is no bound.
const LARGE: i64 = 1_000_000;

impl AnswerKind for Optima {
    fn kind(&self) -> Kind {
        Kind::Optimum
    }

    fn makes(&self) -> &'static [&'static str] {
        &["z3"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        query_before(terms, script, command).is_some()
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        if !matches!(asked.answer, Some(Answer::Sat { .. })) {
            return Ok(Vec::new());
        }
        let told = Told::of(asked.terms, asked.script, asked.command, asked.said)?;
        let contradictions = against_relatives(asked, &told);
        let priority = told.priority;
        let mut claims = Claims::of(asked, told.objectives, told.optima);
        claims.all = contradictions;
        match priority {
            Priority::Lexicographic => claims.in_order(),
            Priority::Box => claims.each(),
            Priority::Pareto => claims.together(),
        }?;
        Ok(claims.all)
    }

    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        self.makes().contains(&make).then_some(())?;
        match draw.one_in(RELATIVES) {
            true => relatives::ask(draw, terms, case),
            false => ask::ask(draw, terms, case),
        }
    }
}

/// The query whose objectives a question is about: the last before it, with nothing in between that changes anything.
fn query_before(terms: &Terms, script: &Script, command: usize) -> Option<usize> {
    let is_question = |at: &Command| matches!(at, Command::Other(text) if super::head(terms.symbols.name(*text)) == "get-objectives");
    if !script.commands.get(command).is_some_and(is_question) {
        return None;
    }
    for at in (0..command).rev() {
        match &script.commands[at] {
            Command::CheckSat => return Some(at),
            Command::GetModel | Command::GetValue(_) | Command::GetUnsatCore => {}
            Command::SetInfo(..) => {}
            Command::Other(text) if terms.symbols.name(*text).starts_with("(get-") => {}
            _ => return None,
        }
    }
    None
}

/// A reply as it was read.
struct Told {
    priority: Priority,
    objectives: Vec<Objective>,
    optima: Vec<Optimum>,
}

impl Told {
    fn of(terms: &Terms, script: &Script, command: usize, said: &str) -> Result<Told, String> {
        let query = query_before(terms, script, command);
        let query = query.ok_or("no query before get-objectives")?;
        let objectives = goals::in_force(terms, script, query)?;
        let priority = goals::priority(terms, script, query).ok_or("an unknown priority")?;
        let optima = value::read(said)?;
        if optima.len() != objectives.len() {
            let (values, all) = (optima.len(), objectives.len());
            return Err(format!("{values} values for {all} objectives"));
        }
        Ok(Told {
            priority,
            objectives,
            optima,
        })
    }

    /// The objectives that are optimized on their own: all of a box, the first of an order, one alone.
    fn standalone(&self, terms: &Terms) -> Vec<Standalone> {
        let many = match self.priority {
            Priority::Box => self.objectives.len(),
            Priority::Lexicographic => 1,
            Priority::Pareto if self.objectives.len() == 1 => 1,
            Priority::Pareto => 0,
        };
        let pairs = self.objectives.iter().zip(&self.optima).take(many);
        let all = pairs.filter_map(|(objective, value)| Standalone::of(terms, objective, value));
        all.collect()
    }
}

/// Where the optimum of one objective is not what that of another says: of one before it in the same reply, or in an
/// earlier reply about the same assertions.
fn against_relatives(asked: &Asked<'_>, told: &Told) -> Vec<Obligation> {
    let query = asked.query();
    let mut known: Vec<Standalone> = Vec::new();
    for one in asked.earlier {
        let is_alike = asked_by(asked.terms, asked.script, one.command)
            .is_some_and(|kind| kind.kind() == Kind::Optimum)
            && query_at(asked.script, one.command).assertions == query.assertions;
        if is_alike && let Ok(other) = Told::of(asked.terms, asked.script, one.command, &one.said) {
            known.extend(other.standalone(asked.terms));
        }
    }
    let mut all = Vec::new();
    for one in told.standalone(asked.terms) {
        let expected = known.iter().find_map(|other| {
            let (words, value) = one.expected(other)?;
            differ(&value, &one.value).then_some((words, value, other))
        });
        if let Some((words, value, other)) = expected {
            all.push(contradiction(&one, (&words, &value), other));
        }
        known.push(one);
    }
    all
}

fn contradiction(
    one: &Standalone,
    (words, value): (&str, &Extended),
    other: &Standalone,
) -> Obligation {
    let (mine, its, value) = (one.title(), other.title(), value.shown());
    let claim = match mine == its {
        true => format!("The {mine} is {value}, as was said before."),
        false => format!("The {mine} is {words} the {its}, so it is {value}."),
    };
    Obligation::wrong(claim, "But it is said to have another value.")
}

/// The claims of one reply, as they are collected.
struct Claims<'c, 'a> {
    asked: &'c mut Asked<'a>,
    objectives: Vec<Objective>,
    optima: Vec<Optimum>,
    /// The objectives as terms.
    terms: Vec<String>,
    /// The assertions in force, as commands.
    asserted: String,
    all: Vec<Obligation>,
}

impl<'c, 'a> Claims<'c, 'a> {
    fn of(
        asked: &'c mut Asked<'a>,
        objectives: Vec<Objective>,
        optima: Vec<Optimum>,
    ) -> Claims<'c, 'a> {
        let asserted = asked.in_force().assertions;
        Claims {
            terms: objectives.iter().map(|o| o.term(asked.terms)).collect(),
            asserted: commands(&asserted),
            asked,
            objectives,
            optima,
            all: Vec::new(),
        }
    }

    /// Each among the models that attain those before it.
    fn in_order(&mut self) -> Result<(), String> {
        let mut before = String::new();
        for at in 0..self.objectives.len() {
            let attained = self.one(at, &before)?;
            let Some(value) = attained else {
                return Ok(());
            };
            if !self.model_attains(at)? {
                self.attained(at, &value, &before)?;
            }
            before.push_str(&commands(&[format!("(= {} {value})", self.terms[at])]));
        }
        Ok(())
    }

    /// Each on its own.
    fn each(&mut self) -> Result<(), String> {
        for at in 0..self.objectives.len() {
            if let Some(value) = self.one(at, "")? {
                self.attained(at, &value, "")?;
            }
        }
        Ok(())
    }

    /// No model is better in one and as good in all others.
    fn together(&mut self) -> Result<(), String> {
        let mut values = Vec::new();
        for at in 0..self.objectives.len() {
            let Some(value) = self.number(at) else {
                return Ok(());
            };
            let Some(value) = self.objectives[at].literal(&value) else {
                return self.no_value(at, &value);
            };
            values.push(value);
        }
        let mut all_attained = true;
        for at in 0..values.len() {
            all_attained &= self.model_attains(at)?;
        }
        let pairs = || self.objectives.iter().zip(self.terms.iter().zip(&values));
        let as_good: Vec<String> = pairs().map(|(o, (t, v))| o.as_good(t, v)).collect();
        let better: Vec<String> = pairs().map(|(o, (t, v))| o.better(t, v)).collect();
        let equal: Vec<String> = pairs().map(|(_, (t, v))| format!("(= {t} {v})")).collect();
        let improved = match better.as_slice() {
            [one] => one.clone(),
            several => format!("(or {})", several.join(" ")),
        };
        let claim = "No model is better in one objective and as good in the others.";
        let with = commands(&as_good) + &commands(&[improved]);
        self.must_be_unsat(claim, &with)?;
        if !all_attained {
            let claim = "Some model attains these values together.";
            self.must_be_sat(claim, &commands(&equal))?;
        }
        Ok(())
    }

    /// What the value of one objective claims; the value if it is one that can be attained.
    fn one(&mut self, at: usize, before: &str) -> Result<Option<String>, String> {
        let (value, is_inner) = match self.optima[at].clone() {
            Optimum::Exactly(value) => (value, true),
            Optimum::Between(low, high) => match self.objectives[at].maximize {
                true => (high, false),
                false => (low, false),
            },
        };
        let toward = match self.objectives[at].maximize {
            true => value.infinite.signum(),
            false => -value.infinite.signum(),
        };
        match toward {
            0 => self.bounded(at, &value, is_inner, before),
            1 if is_inner => self.unbounded(at, before).map(|()| None),
            1 => Ok(None),
            _ => self.worst(at, before).map(|()| None),
        }
    }

    fn bounded(
        &mut self,
        at: usize,
        value: &Extended,
        is_inner: bool,
        before: &str,
    ) -> Result<Option<String>, String> {
        let (objective, term) = (self.objectives[at].clone(), self.terms[at].clone());
        let Some(number) = objective.literal(&value.finite) else {
            return self.no_value(at, &value.finite).map(|()| None);
        };
        let name = objective.name(self.asked.terms);
        // Below what is approached from below: not even that is attained.
        let is_open = match objective.maximize {
            true => value.epsilon.is_negative(),
            false => value.epsilon.signum() > 0,
        };
        let word = match objective.maximize {
            true => "larger",
            false => "smaller",
        };
        let among = among(before);
        if is_open {
            let claim = format!("No model{among} has {name} equal to {number} or {word}.");
            let excluded = commands(&[objective.as_good(&term, &number)]);
            self.must_be_unsat(&claim, &format!("{before}{excluded}"))?;
        } else {
            let claim = format!("No model{among} has {name} {word} than {number}.");
            let excluded = commands(&[objective.better(&term, &number)]);
            self.must_be_unsat(&claim, &format!("{before}{excluded}"))?;
        }
        if is_open && is_inner && objective.range == Range::Real {
            self.approached(at, &value.finite, before)?;
        }
        let attained = is_inner && value.epsilon.is_zero();
        Ok(attained.then_some(number))
    }

    /// Models come as close to a value as one wants.
    fn approached(&mut self, at: usize, value: &Rat, before: &str) -> Result<(), String> {
        let objective = &self.objectives[at];
        let thousandth = Rat::parse("0.001").unwrap_or(Rat::ONE);
        let near = match objective.maximize {
            true => value.sub(&thousandth),
            false => value.add(&thousandth),
        };
        let name = objective.name(self.asked.terms);
        let (number, near) = (value.to_smtlib(), near.to_smtlib());
        let close = commands(&[objective.better(&self.terms[at], &near)]);
        let claim = format!(
            "Models{} have {name} as close to {number} as {near}.",
            among(before)
        );
        self.must_be_sat(&claim, &format!("{before}{close}"))
    }

    fn attained(&mut self, at: usize, value: &str, before: &str) -> Result<(), String> {
        let name = self.objectives[at].name(self.asked.terms);
        let claim = format!("Some model{} has {name} equal to {value}.", among(before));
        let equal = commands(&[format!("(= {} {value})", self.terms[at])]);
        self.must_be_sat(&claim, &format!("{before}{equal}"))
    }

    fn unbounded(&mut self, at: usize, before: &str) -> Result<(), String> {
        let objective = &self.objectives[at];
        let (number, word) = match objective.maximize {
            true => (Rat::from(LARGE), "larger"),
            false => (Rat::from(-LARGE), "smaller"),
        };
        let name = objective.name(self.asked.terms);
        let Some(number) = objective.literal(&number) else {
            let claim = format!("{name} has no bound.");
            let found = format!("But {name} has only finitely many values.");
            self.all.push(Obligation::wrong(claim, found));
            return Ok(());
        };
        let beyond = commands(&[objective.better(&self.terms[at], &number)]);
        let claim = format!(
            "There is no bound, so some model{} has {name} {word} than {number}.",
            among(before)
        );
        self.must_be_sat(&claim, &format!("{before}{beyond}"))
    }

    /// The worst value of all: any model is better.
    fn worst(&mut self, at: usize, before: &str) -> Result<(), String> {
        let name = self.objectives[at].name(self.asked.terms);
        let (word, sign) = match self.objectives[at].maximize {
            true => ("larger", "minus "),
            false => ("smaller", ""),
        };
        let among = among(before);
        let claim = format!("No model{among} has {name} {word} than {sign}infinity.");
        self.must_be_unsat(&claim, before)
    }

    /// Whether the model attains a number, as the solver claims; it is wrong if the model has another value.
    fn model_attains(&mut self, at: usize) -> Result<bool, String> {
        let (Some(text), Some(claimed)) = (self.asked.model(), self.number(at)) else {
            return Ok(false);
        };
        let Ok(model) = read_model(self.asked.terms, self.asked.script, text) else {
            return Ok(false);
        };
        let evaluator = Evaluator::new(self.asked.terms, &model);
        let mut evaluator = evaluator.without_completion().at_most(MOST_WORK);
        let Some(value) = self.objectives[at].value(&mut evaluator) else {
            return Ok(false);
        };
        if value != claimed {
            let name = self.objectives[at].name(self.asked.terms);
            let (claimed, value) = (claimed.to_string(), value.to_string());
            self.all.push(Obligation::wrong(
                format!("Its model has {name} equal to {claimed}."),
                format!("But under its model the value is {value}."),
            ));
        }
        Ok(true)
    }

    /// The number that one objective is said to attain.
    fn number(&self, at: usize) -> Option<Rat> {
        match &self.optima[at] {
            Optimum::Exactly(value) => value.number().cloned(),
            Optimum::Between(..) => None,
        }
    }

    /// A value that the objective cannot have.
    fn no_value(&mut self, at: usize, value: &Rat) -> Result<(), String> {
        let objective = &self.objectives[at];
        let name = objective.name(self.asked.terms);
        let what = match objective.range {
            Range::Bits(width) => format!("a bit-vector of {width} bits"),
            Range::Int => "an integer".to_string(),
            Range::Real => "a real number".to_string(),
        };
        self.all.push(Obligation::wrong(
            format!("The optimum of {name} is {value}."),
            format!("But {name} is {what}."),
        ));
        Ok(())
    }

    fn must_be_unsat(&mut self, claim: &str, with: &str) -> Result<(), String> {
        let text = format!("{}{with}", self.asserted);
        let one = self.asked.must_be_unsat(claim, &text)?;
        self.all.push(one);
        Ok(())
    }

    fn must_be_sat(&mut self, claim: &str, with: &str) -> Result<(), String> {
        let text = format!("{}{with}", self.asserted);
        let one = self.asked.must_be_sat(claim, &text)?;
        self.all.push(one);
        Ok(())
    }
}

/// Which models a claim is about.
fn among(before: &str) -> &'static str {
    match before.is_empty() {
        true => "",
        false => " that attains the objectives before it",
    }
}

fn commands(assertions: &[String]) -> String {
    let lines = assertions.iter().map(|text| format!("(assert {text})\n"));
    lines.collect()
}

#[cfg(test)]
mod tests;
