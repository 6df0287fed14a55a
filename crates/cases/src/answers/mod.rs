//! Answers other than `sat` and `unsat` (optima, interpolants, invariants, simplified terms, lemmas, proof steps):
//! the obligations that such an answer claims, which can be evaluated or asked of solvers. This code is pure; the
//! oracle `oracle/answers.rs` judges the obligations.
//!
//! ```text
//! (maximize x) (check-sat) (get-objectives)     (objectives (x 3))
//!     claims: no model has an x above 3         must be unsat: the assertions and (> x 3)
//! ```
//!
//! A kind of answers is one file in this folder with a type that implements `AnswerKind`, and one line in `ALL`:
//! - `is_asked` recognises its commands in any script, also in one that a user wrote. The command is a question
//!   (`get-…`, `simplify`, `apply`, …) or a query: a `sat` to Horn clauses claims something, too.
//! - `obligations` reads the reply and says what must hold. It gets the reply to the letter, as the solver printed it;
//!   refusals, empty replies and replies after an error never come here. A reply that cannot be read commits to
//!   nothing: return a message, not an obligation. Build scripts as text, with `Asked::must_be_unsat` and its like.
//! - `ask` turns a made case into a script that asks: the same case, draw and make give the same script. A case whose
//!   queries stay the same keeps its evidence. What a make does not speak is `None`.
//!
//! Test with `testing::obligations` and `testing::asked`, text in and text out: replies recorded from real solvers,
//! right ones and altered ones.

mod abduct;
mod assumptions;
mod consequence;
mod elimination;
mod grammar;
mod guarded;
mod interpolant;
mod invariant;
pub mod lemma;
mod opened;
pub mod optimum;
mod points;
mod preprocessing;
mod printing;
pub mod proof;
mod reading;
mod reason;
mod simplification;
mod small;
mod synthesis;
mod tactic;
#[cfg(test)]
pub mod testing;
mod value;

use crate::alone::alone;
use crate::case::{Case, Evidence};
use crate::draw::Draw;
use crate::logics::smallest_of;
use crate::oracle::QuestionReply;
use auspex_logic::answer::{Said, is_narrated, is_question};
use auspex_logic::model::{ModelVerdict, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Query, Script, Terms, read_script};
use serde::{Deserialize, Serialize};

/// What a reply is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Optimum,
    Interpolant,
    Abduct,
    Synthesis,
    Invariant,
    Simplification,
    Elimination,
    Consequence,
    Assumptions,
    Value,
    Lemma,
    ProofStep,
    Preprocessing,
    Printing,
    Reason,
}

impl Kind {
    pub const ALL: [Kind; 15] = [
        Kind::Optimum,
        Kind::Interpolant,
        Kind::Abduct,
        Kind::Synthesis,
        Kind::Invariant,
        Kind::Simplification,
        Kind::Elimination,
        Kind::Consequence,
        Kind::Assumptions,
        Kind::Value,
        Kind::Lemma,
        Kind::ProofStep,
        Kind::Preprocessing,
        Kind::Printing,
        Kind::Reason,
    ];

    /// The word on screens and in replay lines.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Optimum => "optimum",
            Kind::Interpolant => "interpolant",
            Kind::Abduct => "abduct",
            Kind::Synthesis => "synthesis",
            Kind::Invariant => "invariant",
            Kind::Simplification => "simplification",
            Kind::Elimination => "elimination",
            Kind::Consequence => "consequence",
            Kind::Assumptions => "assumptions",
            Kind::Value => "value",
            Kind::Lemma => "lemma",
            Kind::ProofStep => "proof-step",
            Kind::Preprocessing => "preprocessing",
            Kind::Printing => "printing",
            Kind::Reason => "reason",
        }
    }

    /// The class of findings about it.
    pub fn wrong(self) -> &'static str {
        match self {
            Kind::Optimum => "wrong-optimum",
            Kind::Interpolant => "wrong-interpolant",
            Kind::Abduct => "wrong-abduct",
            Kind::Synthesis => "wrong-synthesis",
            Kind::Invariant => "wrong-invariant",
            Kind::Simplification => "wrong-simplification",
            Kind::Elimination => "wrong-elimination",
            Kind::Consequence => "wrong-consequence",
            Kind::Assumptions => "wrong-assumptions",
            Kind::Value => "wrong-value",
            Kind::Lemma => "wrong-lemma",
            Kind::ProofStep => "wrong-proof-step",
            Kind::Preprocessing => "wrong-preprocessing",
            Kind::Printing => "wrong-printing",
            Kind::Reason => "wrong-reason",
        }
    }

    /// When a reply of this kind is right, after "it is right if".
    pub fn right_if(self) -> &'static str {
        match self {
            Kind::Optimum => {
                "no model is better, and some model attains it or comes as close as one wants"
            }
            Kind::Interpolant => {
                "the first side implies it, it contradicts the second side, and it has symbols of both only"
            }
            Kind::Abduct => "it is consistent with the assertions, and with them implies the goal",
            Kind::Synthesis => {
                "its functions satisfy every constraint for all values of the variables"
            }
            Kind::Invariant => {
                "sat comes with a model of every clause, and unsat only where there is none"
            }
            Kind::Simplification => {
                "a result equals its term, and goals relate to the assertions as the tactic promises"
            }
            Kind::Elimination => "the result is equivalent to the formula, without the quantifier",
            Kind::Consequence => {
                "each consequence follows, and each symbol without one can be true and false"
            }
            Kind::Assumptions => "they are assumptions of the query, and contradict the assertions",
            Kind::Value => "one model of the assertions has all these values",
            Kind::Lemma => "it holds in every model of what it is about",
            Kind::ProofStep => "its conclusion follows from its premises",
            Kind::Preprocessing => "the assertions before and after have a model, or neither have",
            Kind::Printing => "what is printed reads back as the same",
            Kind::Reason => "a limit that it names was set and reached",
        }
    }

    /// Whether only a point convicts, checked by evaluation: what answers of solvers say about it is a disagreement.
    /// How a solver means what it shows of its reasoning is less certain than what it means by an answer.
    pub fn needs_point(self) -> bool {
        matches!(self, Kind::Lemma | Kind::ProofStep | Kind::Preprocessing)
    }

    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Something that must hold if a reply is right.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What the solver claims, as a full sentence: "No model has a smaller x than 3."
    pub claim: String,
    pub check: Check,
}

/// How an obligation is decided.
#[derive(Clone, Debug)]
pub enum Check {
    /// The assertions contradict each other if the claim holds. A model that makes them all true, by evaluation, is the
    /// proof that it does not; that the accused itself answers sat is a contradiction in itself.
    Unsat(Script),
    /// The assertions have a model if the claim holds.
    Sat(Script),
    /// The claim does not hold, as reading or evaluating shows; a full sentence says what was found:
    /// "Under its model x is 2."
    Wrong(String),
}

impl Obligation {
    /// A claim that reading or evaluating has refuted.
    pub fn wrong(claim: impl Into<String>, found: impl Into<String>) -> Obligation {
        Obligation {
            claim: claim.into(),
            check: Check::Wrong(found.into()),
        }
    }
}

/// A question in a script with the reply to it.
pub struct Asked<'a> {
    pub terms: &'a mut Terms,
    pub script: &'a Script,
    /// Number of the command that asks: a question, or the query itself.
    pub command: usize,
    /// The reply to it, to the letter; of a query `sat` or `unsat`.
    pub said: &'a str,
    /// The answer to the last query before the question, or to the query itself; none if there is no query before it.
    pub answer: Option<&'a Answer>,
    /// What is known about that query from the way the case was made.
    pub evidence: &'a Evidence,
    /// Models that other solvers returned for that query.
    pub others: &'a [&'a str],
    /// The solver's replies to questions that belong to earlier queries of the script, which it answered.
    pub earlier: &'a [QuestionReply],
    /// Which part of the time limit the whole run took; none if that is not known, or if the solver was started with
    /// limits of its own.
    pub time_used: Option<f64>,
}

/// What is in force where a question is asked, as text.
pub struct InForce {
    /// `(set-logic …)` if the script has one, declarations and definitions, one command a line; no options.
    pub declarations: String,
    /// The terms that are asserted, and of a query those that are assumed.
    pub assertions: Vec<String>,
}

impl<'a> Asked<'a> {
    /// A question without a reply, of which nothing else is known.
    pub fn new(terms: &'a mut Terms, script: &'a Script, command: usize) -> Asked<'a> {
        Asked {
            terms,
            script,
            command,
            said: "",
            answer: None,
            evidence: &Evidence::NoneKnown,
            others: &[],
            earlier: &[],
            time_used: None,
        }
    }

    /// The model in force, if the solver printed one.
    pub fn model(&self) -> Option<&'a str> {
        match self.answer {
            Some(Answer::Sat { model }) => model.as_deref(),
            _ => None,
        }
    }

    /// The assertions in force, as a query at the place of the command.
    pub fn query(&self) -> Query {
        query_at(self.script, self.command)
    }

    pub fn in_force(&self) -> InForce {
        let query = self.query();
        let mut declarations = alone(self.terms, self.script, &query);
        // The command itself stands last.
        declarations.commands.pop();
        declarations.commands.retain(is_declaration);
        let text = |term| render::term(self.terms, term, Sharing::Auto);
        InForce {
            declarations: render::script(self.terms, &declarations, Sharing::Auto),
            assertions: query.demands().map(text).collect(),
        }
    }

    /// A script of the declarations in force, more commands, and one query; in the smallest logic that fits.
    /// A message where a part of it cannot be read.
    pub fn script(&mut self, commands: &str) -> Result<Script, String> {
        let text = format!("{}{commands}\n(check-sat)\n", self.in_force().declarations);
        script_of(self.terms, &text)
    }

    /// A claim that fails if the declarations in force and these commands have a model.
    pub fn must_be_unsat(&mut self, claim: &str, commands: &str) -> Result<Obligation, String> {
        let check = Check::Unsat(self.script(commands)?);
        let claim = claim.to_string();
        Ok(Obligation { claim, check })
    }

    /// A claim that fails if the declarations in force and these commands have no model.
    pub fn must_be_sat(&mut self, claim: &str, commands: &str) -> Result<Obligation, String> {
        let check = Check::Sat(self.script(commands)?);
        let claim = claim.to_string();
        Ok(Obligation { claim, check })
    }
}

/// A text as a script in the smallest logic that fits; a message where a part of it cannot be read.
fn script_of(terms: &mut Terms, text: &str) -> Result<Script, String> {
    let reading = read_script(terms, text).map_err(|error| error.message().to_string())?;
    if let Some((_, issue)) = reading.issues.first() {
        return Err(issue.message());
    }
    let mut script = reading.script;
    script.spans.clear();
    script
        .commands
        .retain(|command| !matches!(command, Command::SetLogic(_)));
    let logic = smallest_of(terms, &script.commands);
    let logic = terms.symbols.intern(logic);
    script.commands.insert(0, Command::SetLogic(logic));
    Ok(script)
}

/// The assertions in force at a command, as a query there.
pub fn query_at(script: &Script, command: usize) -> Query {
    let until = script.commands.len().min(command);
    if let Some(query) = script.queries().into_iter().find(|q| q.command == command) {
        return query;
    }
    let mut before = Script {
        commands: script.commands[..until].to_vec(),
        spans: Vec::new(),
    };
    before.commands.push(Command::CheckSat);
    let last = before.queries().pop();
    last.filter(|query| query.command == until)
        .unwrap_or_default()
}

fn is_declaration(command: &Command) -> bool {
    match command {
        Command::SetLogic(_)
        | Command::DeclareSort(..)
        | Command::DefineSort(..)
        | Command::DeclareDatatypes(_)
        | Command::DeclareFun(_)
        | Command::DefineFun(_)
        | Command::DefineFunsRec(_) => true,
        // `alone` keeps only those that declare something.
        Command::Other(_) => true,
        _ => false,
    }
}

/// One kind of answers: which commands ask for it, what a reply commits the solver to, and how it is asked for.
pub trait AnswerKind: Sync {
    fn kind(&self) -> Kind;
    /// The solvers that speak it, by the names of their profiles.
    fn makes(&self) -> &'static [&'static str];
    /// Whether the command asks for an answer of this kind.
    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool;
    /// The obligations of a reply; a message where it cannot be read. None where the solver declines to answer.
    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String>;
    /// A made case as a script that asks for such an answer in the words of a make; none where it has no such question,
    /// or the case gives no occasion. The result depends on the arguments alone.
    fn ask(&self, draw: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script>;
}

/// Every kind of answers that is judged.
pub const ALL: &[&dyn AnswerKind] = &[
    &lemma::Lemmas,
    &proof::Proofs,
    &preprocessing::Preprocessing,
    &optimum::Optima,
    &interpolant::Interpolants,
    &invariant::Invariants,
    &simplification::Simplification,
    &elimination::Elimination,
    &consequence::Consequences,
    &assumptions::Assumptions,
    &value::Values,
    &abduct::Abducts,
    &synthesis::Synthesis,
    &printing::Printing,
    &reason::Reasons,
];

/// The replies to the questions of a script that ask for an answer of some kind. Solvers reply to all questions in
/// order; where they were asked others, as their names show, the rest says nothing.
pub fn replies(terms: &Terms, script: &Script, said: &[Said]) -> Vec<QuestionReply> {
    let numbers = 0..script.commands.len();
    let questions = numbers.filter_map(|number| Some((number, question(terms, script, number)?)));
    let pairs = questions
        .zip(said)
        .take_while(|((_, text), said)| head(text) == said.head);
    let judged = pairs.filter(|((number, _), said)| {
        !is_refusal(&said.text) && asked_by(terms, script, *number).is_some()
    });
    let replies = judged.map(|((command, question), said)| QuestionReply {
        command,
        question,
        said: said.text.clone(),
    });
    replies.collect()
}

/// The query that the reply to a question belongs to: the last before it, else the first.
pub fn query_of(script: &Script, command: usize) -> usize {
    let queries = script.queries();
    let before = queries.iter().take_while(|query| query.command < command);
    before.count().saturating_sub(1)
}

/// The text of a command that is a question.
fn question(terms: &Terms, script: &Script, number: usize) -> Option<String> {
    let command = &script.commands[number];
    match command {
        Command::CheckSat | Command::CheckSatAssuming(_) | Command::CheckSatUsing(_) => {
            let is_narrated = narrates(terms, script, number);
            is_narrated.then(|| text_of(terms, command))
        }
        Command::Other(text) => {
            let text = terms.symbols.name(*text);
            is_question(head(text)).then(|| text.to_string())
        }
        Command::GetValue(_) => Some(text_of(terms, command)),
        _ => None,
    }
}

fn text_of(terms: &Terms, command: &Command) -> String {
    let mut text = String::new();
    render::command_to(terms, command, Sharing::Auto, &mut text);
    text.trim_end().to_string()
}

/// Whether an option before a query makes solvers print more than the answer.
fn narrates(terms: &Terms, script: &Script, number: usize) -> bool {
    let name = |symbol| terms.symbols.name(symbol);
    script.commands[..number]
        .iter()
        .any(|command| match command {
            Command::SetOption(key, value) => is_narrated(name(*key), name(*value)),
            _ => false,
        })
}

/// The first word of a command.
pub fn head(command: &str) -> &str {
    let inner = command.trim_start_matches('(').trim_start();
    let end = inner.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
    &inner[..end.unwrap_or(inner.len())]
}

/// Whether a solver has said that it does not answer.
fn is_refusal(said: &str) -> bool {
    said.is_empty() || said == "unsupported" || said.contains("(error")
}

/// A made case that asks for an answer of a kind. What is known about its queries stays known where they are the same,
/// or have only more assertions and the evidence still holds.
pub fn ask(
    kind: &dyn AnswerKind,
    draw: &mut Draw,
    terms: &mut Terms,
    case: &Case,
    make: &str,
) -> Option<Case> {
    let mut script = kind.ask(draw, terms, case, make)?;
    let (before, after) = (case.script.queries(), script.queries());
    let mut evidence: Vec<Evidence> = after
        .iter()
        .enumerate()
        .map(|(number, query)| {
            let known = before.get(number).zip(case.evidence.get(number));
            let known = known.filter(|_| before.len() == after.len());
            let known = known.filter(|(old, evidence)| still_holds(terms, evidence, old, query));
            known.map_or(Evidence::NoneKnown, |(_, evidence)| evidence.clone())
        })
        .collect();
    if after.is_empty() {
        script.push(Command::CheckSat);
        evidence.push(Evidence::NoneKnown);
    }
    let mut origin = case.origin.clone();
    origin
        .steps
        .push(format!("asks {make} for an answer: {}", kind.kind().name()));
    Some(Case {
        script,
        evidence,
        origin,
    })
}

/// Whether what was known about a query is known about another with the same or more assertions.
fn still_holds(terms: &Terms, evidence: &Evidence, old: &Query, new: &Query) -> bool {
    let asserts_more = old.assertions.iter().all(|a| new.assertions.contains(a))
        && old.assumptions == new.assumptions;
    let same = asserts_more && old.assertions.len() == new.assertions.len();
    match evidence {
        Evidence::Witness(model) => same || validate(terms, model, new) == ModelVerdict::Valid,
        Evidence::Core { .. } => asserts_more,
        Evidence::Relation(_) => same,
        Evidence::NoneKnown => false,
    }
}

/// Whether a solver of this make speaks the questions of a script.
pub fn speaks(terms: &Terms, script: &Script, make: &str) -> bool {
    let numbers = 0..script.commands.len();
    let mut questions = numbers.filter(|number| question(terms, script, *number).is_some());
    questions.all(|number| {
        let kind = asked_by(terms, script, number);
        kind.is_none_or(|kind| kind.makes().contains(&make))
    })
}

/// The kind of answers that a command asks for.
pub fn asked_by(terms: &Terms, script: &Script, command: usize) -> Option<&'static dyn AnswerKind> {
    let mut all = ALL.iter().copied();
    all.find(|kind| kind.is_asked(terms, script, command))
}
