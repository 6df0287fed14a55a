//! Lemmas: what a solver prints of its reasoning before the answer must hold, even where the answer is right.
//!
//! ```text
//! (set-option :output lemmas) (check-sat)     (lemma (or (not (>= b 1)) (>= b 0)) :source ARITH_SPLIT_DEQ)
//!     claims: it holds for all values of b        must be unsat: its negation
//! ```
//!
//! A lemma that is true at one point and false at another is wrong, whichever polarity it was printed in. Kinds that are
//! not known to be valid are judged in models of the assertions only; kinds that only preserve satisfiability are not
//! judged. What names an internal symbol is left out and counted.

use super::reading::{asserted, short};
use super::{AnswerKind, Asked, Check, Kind, Obligation};
use crate::case::{Case, Evidence};
use crate::draw::Draw;
use crate::proofs::Sequent;
use crate::proofs::lemmas::{Promise, listed, promise};
use crate::proofs::points::{Survey, Truth, survey, truth_at};
use auspex_logic::model::read_model;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Model, Script, TermId, Terms, read_script};
use std::collections::BTreeMap;

pub struct Lemmas;

/// How many points are tried for each lemma.
const TRIES: usize = 40;
/// How many lemmas of one reply are asked of other solvers.
const ASKED: usize = 6;

/// The settings under which a make prints its lemmas, as commands.
pub fn settings(make: &str) -> Option<&'static [(&'static str, &'static str)]> {
    match make {
        "cvc5" => Some(&[(":output", "lemmas")]),
        // Other tactics bound or break symmetries first, and clauses follow from what they leave.
        "z3" => Some(&[
            (":solver.lemmas2console", "true"),
            (":tactic.default_tactic", "smt"),
        ]),
        _ => None,
    }
}

/// The same script under the settings of a make, first of all.
pub fn narrated(terms: &mut Terms, script: &Script, make: &str) -> Option<Script> {
    let settings = settings(make)?.iter();
    let options: Vec<Command> = settings
        .map(|(key, value)| {
            Command::SetOption(terms.symbols.intern(key), terms.symbols.intern(value))
        })
        .filter(|option| !script.commands.contains(option))
        .collect();
    let mut made = script.clone();
    made.spans.clear();
    made.commands.splice(0..0, options);
    Some(made)
}

impl AnswerKind for Lemmas {
    fn kind(&self) -> Kind {
        Kind::Lemma
    }

    fn makes(&self) -> &'static [&'static str] {
        &["cvc5", "z3"]
    }

    fn is_asked(&self, terms: &Terms, script: &Script, command: usize) -> bool {
        let is_query = matches!(
            script.commands.get(command),
            Some(Command::CheckSat | Command::CheckSatAssuming(_) | Command::CheckSatUsing(_))
        );
        let mut before = script.commands[..command.min(script.commands.len())].iter();
        let name = |symbol| terms.symbols.name(symbol);
        let is_set = |command: &Command| match command {
            Command::SetOption(key, value) => ["cvc5", "z3"]
                .into_iter()
                .filter_map(settings)
                .any(|all| all[0] == (name(*key), name(*value))),
            _ => false,
        };
        is_query && before.any(is_set)
    }

    fn obligations(&self, asked: &mut Asked<'_>) -> Result<Vec<Obligation>, String> {
        let judged = judged(asked)?;
        let mut all: Vec<Obligation> = judged.iter().filter_map(Judged::wrong).collect();
        // One of each kind first: lemmas of one kind are much alike.
        let mut order: BTreeMap<usize, Vec<&Judged>> = BTreeMap::new();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for one in judged.iter().filter(|one| one.question.is_some()) {
            let rank = seen.entry(&one.source).or_default();
            order.entry(*rank).or_default().push(one);
            *rank += 1;
        }
        for one in order.into_values().flatten().take(ASKED) {
            if let Some((claim, commands)) = &one.question {
                all.extend(asked.must_be_unsat(claim, commands));
            }
        }
        Ok(all)
    }

    fn ask(&self, _: &mut Draw, terms: &mut Terms, case: &Case, make: &str) -> Option<Script> {
        narrated(terms, &case.script, make)
    }
}

/// What is known about a lemma.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Not in the language of the standard: it names an internal symbol, or cannot be read.
    Internal,
    /// Its kind promises nothing about a single lemma.
    WithoutPromise,
    /// True wherever it was evaluated.
    Lemma,
    /// False wherever it was evaluated: printed in the other polarity.
    Conflict,
    /// Evaluation settles it for all values.
    Proved,
    /// No point gives it a truth value.
    Open,
    Wrong,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Internal => "internal",
            State::WithoutPromise => "no promise",
            State::Lemma => "lemma",
            State::Conflict => "conflict",
            State::Proved => "proved",
            State::Open => "open",
            State::Wrong => "WRONG",
        }
    }
}

/// One lemma, judged by evaluation.
#[derive(Clone, Debug)]
pub struct Judged {
    pub source: String,
    pub state: State,
    claim: String,
    /// Two points, if it is wrong.
    found: Option<String>,
    /// The claim to ask of solvers, with the commands that must be unsatisfiable.
    question: Option<(String, String)>,
}

impl Judged {
    fn new(source: String, state: State, claim: String) -> Judged {
        Judged {
            source,
            state,
            claim,
            found: None,
            question: None,
        }
    }

    fn wrong(&self) -> Option<Obligation> {
        let found = self.found.clone()?;
        Some(Obligation {
            claim: self.claim.clone(),
            check: Check::Wrong(found),
        })
    }
}

/// How many lemmas of each kind are in each state.
pub type Census = BTreeMap<(String, State), usize>;

/// Counts the lemmas in a reply.
pub fn census(asked: &mut Asked<'_>) -> Result<Census, String> {
    let mut all = Census::new();
    for one in judged(asked)? {
        *all.entry((one.source, one.state)).or_default() += 1;
    }
    Ok(all)
}

/// The lemmas of a reply, judged by evaluation.
pub fn judged(asked: &mut Asked<'_>) -> Result<Vec<Judged>, String> {
    let (mut all, mut readable) = (Vec::new(), Vec::new());
    for one in listed(asked.said) {
        match (promise(&one.source), one.formula) {
            (Promise::Nothing(_), _) => {
                all.push(Judged::new(
                    one.source,
                    State::WithoutPromise,
                    String::new(),
                ));
            }
            (_, Err(_)) => all.push(Judged::new(one.source, State::Internal, String::new())),
            (promise, Ok(formula)) => readable.push((one.source, promise, formula)),
        }
    }
    if readable.is_empty() {
        return Ok(all);
    }
    let force = asked.in_force();
    let input = asserted(&force.assertions);
    let formulas: Vec<String> = readable.iter().map(|(_, _, text)| text.clone()).collect();
    let text = format!("{}{input}{}", force.declarations, asserted(&formulas));
    let roots = asserted_terms(asked.terms, &text)?;
    let script = roots.script;
    let input_terms: Vec<TermId> = roots.terms[..force.assertions.len()]
        .iter()
        .copied()
        .flatten()
        .collect();
    if input_terms.len() < force.assertions.len() {
        return Err("an assertion cannot be read".to_string());
    }
    let models = known_models(asked, &script);
    for ((source, promise, formula), term) in readable
        .into_iter()
        .zip(&roots.terms[force.assertions.len()..])
    {
        let Some(term) = term else {
            all.push(Judged::new(source, State::Internal, String::new()));
            continue;
        };
        let premises = match promise {
            Promise::FollowsFromInput => input_terms.clone(),
            _ => Vec::new(),
        };
        let sequent = Sequent {
            premises,
            conclusion: *term,
        };
        let lemma = Lemma {
            source,
            promise,
            formula,
            input: &input,
        };
        all.push(lemma.judge(asked.terms, &script, &sequent, &models));
    }
    Ok(all)
}

/// The models that are known for the query, each over the symbols of the script.
pub(super) fn known_models(asked: &mut Asked<'_>, script: &Script) -> Vec<Model> {
    let texts: Vec<String> = asked
        .model()
        .into_iter()
        .chain(asked.others.iter().copied())
        .map(str::to_string)
        .collect();
    let mut all: Vec<Model> = texts
        .iter()
        .filter_map(|text| read_model(asked.terms, script, text).ok())
        .collect();
    if let Evidence::Witness(model) = asked.evidence {
        all.push((**model).clone());
    }
    all
}

/// The assertions of a text; none for one that cannot be read.
struct Roots {
    script: Script,
    terms: Vec<Option<TermId>>,
}

fn asserted_terms(terms: &mut Terms, text: &str) -> Result<Roots, String> {
    let reading = read_script(terms, text).map_err(|error| error.message().to_string())?;
    let spans = reading.script.commands.iter().zip(&reading.script.spans);
    let is_odd = |span: &auspex_syntax::Span| {
        let mut issues = reading.issues.iter();
        issues.any(|(place, _)| span.start <= place.start && place.start < span.end)
    };
    let roots = spans.filter_map(|(command, span)| match command {
        Command::Assert(assertion) => Some((!is_odd(span)).then_some(assertion.term)),
        _ => None,
    });
    Ok(Roots {
        terms: roots.collect(),
        script: reading.script.clone(),
    })
}

/// One lemma that can be judged.
struct Lemma<'a> {
    source: String,
    promise: Promise,
    formula: String,
    /// The assertions in force, as commands.
    input: &'a str,
}

impl Lemma<'_> {
    fn judge(
        self,
        terms: &mut Terms,
        script: &Script,
        sequent: &Sequent,
        models: &[Model],
    ) -> Judged {
        let survey = survey(terms, script, sequent, TRIES);
        let at_models: Vec<Truth> = models
            .iter()
            .map(|model| truth_at(terms, model, sequent))
            .collect();
        let holds = survey.holds.is_some() || at_models.contains(&Truth::Holds);
        let fails = survey.fails.is_some() || at_models.contains(&Truth::Fails);
        let state = match (holds, fails) {
            (true, true) => State::Wrong,
            (true, false) | (false, true) if survey.is_complete => State::Proved,
            (true, false) => State::Lemma,
            (false, true) => State::Conflict,
            (false, false) => State::Open,
        };
        let mut judged = Judged::new(self.source.clone(), state, self.claim(fails && !holds));
        match state {
            State::Wrong => judged.found = Some(found(terms, &survey)),
            State::Lemma => judged.question = Some(self.question(false, terms, sequent)),
            State::Conflict => judged.question = Some(self.question(true, terms, sequent)),
            _ => {}
        }
        judged
    }

    fn claim(&self, is_conflict: bool) -> String {
        let (what, whenever) = match self.promise {
            Promise::FollowsFromInput => (
                "in every model of the assertions",
                "in no model of the assertions",
            ),
            _ => (
                "for all values of its symbols",
                "for no values of its symbols",
            ),
        };
        let (formula, source) = (short(&self.formula), &self.source);
        match is_conflict {
            true => format!("The conflict {formula} ({source}) holds {whenever}."),
            false => format!("The lemma {formula} ({source}) holds {what}."),
        }
    }

    /// The claim, and the commands that must be unsatisfiable.
    fn question(&self, is_conflict: bool, terms: &Terms, sequent: &Sequent) -> (String, String) {
        let formula = render::term(terms, sequent.conclusion, Sharing::Auto);
        let input = match sequent.premises.is_empty() {
            true => "",
            false => self.input,
        };
        let denied = match is_conflict {
            true => format!("(assert {formula})"),
            false => format!("(assert (not {formula}))"),
        };
        (self.claim(is_conflict), format!("{input}{denied}"))
    }
}

/// Where it is false and where it is true, as a sentence.
fn found(terms: &mut Terms, survey: &Survey) -> String {
    let mut at = |point: &Option<crate::proofs::points::Point>| match point {
        Some(point) => format!("with {}", point.text(terms)),
        None => "under a model that a solver returned".to_string(),
    };
    let (fails, holds) = (at(&survey.fails), at(&survey.holds));
    format!(
        "But {fails} it is false, and {holds} it is true, so it is neither a lemma nor a conflict."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::testing::{asked, obligations};

    const SCRIPT: &str = "(set-option :output lemmas)(declare-const a Int)(declare-const b Int)(assert (> (* a b) 9))(check-sat)";

    fn about(said: &str) -> Vec<String> {
        obligations(&Lemmas, SCRIPT, said, None)
    }

    #[test]
    fn a_lemma_must_hold_for_all_values() {
        // cvc5 1.4.2
        let told = about("(lemma (or (not (>= b 1)) (>= b 0)) :source ARITH_SPLIT_DEQ)");
        assert_eq!(
            told,
            [
                "The lemma (or (not (>= b 1)) (>= b 0)) (ARITH_SPLIT_DEQ) holds for all values of its symbols. => unsat: (assert (not (or (not (>= b 1)) (>= b 0))))"
            ]
        );
    }

    #[test]
    fn a_conflict_is_printed_in_the_other_polarity() {
        // cvc5 1.4.2
        let told = about(
            "(lemma (let ((_let_1 (* a b))) (and (>= _let_1 10) (= _let_1 0))) :source ARITH_CONF_EQ)",
        );
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("The conflict "), "{told:?}");
        assert!(
            told[0].ends_with("(assert (and (>= (* a b) 10) (= (* a b) 0)))"),
            "{told:?}"
        );
    }

    #[test]
    fn a_wrong_constant_is_found_by_evaluation() {
        let told = about("(lemma (or (not (>= b 1)) (>= b 2)) :source ARITH_SPLIT_DEQ)");
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("=> wrong: But with b = 1 it is false"),
            "{told:?}"
        );
    }

    #[test]
    fn what_follows_from_the_input_is_judged_in_its_models() {
        let told = about("(lemma (not (= a 0)) :source SOMETHING_NEW)");
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("=> unsat: (assert (> (* a b) 9))(assert (not (not (= a 0))))"),
            "{told:?}"
        );
        let told = about("(lemma (not (= a 3)) :source SOMETHING_NEW)");
        assert!(told[0].contains("=> wrong"), "{told:?}");
    }

    #[test]
    fn kinds_without_a_promise_and_internal_symbols_commit_to_nothing() {
        for said in [
            "(lemma (< a b) :source UF_BREAK_SYMMETRY)",
            "(lemma (< a @purify_3) :source ARITH_NL_SIGN)",
            "(lemma (< a unknown) :source ARITH_NL_SIGN)",
            "sat",
            "",
            "(",
        ] {
            assert_eq!(about(said), Vec::<String>::new(), "{said}");
        }
    }

    #[test]
    fn each_make_is_asked_in_its_words() {
        let text = "(set-logic QF_NIA)(declare-const a Int)(assert (> (* a a) 9))(check-sat)";
        let made = asked(&Lemmas, text, "cvc5", 0).unwrap();
        assert!(made.starts_with("(set-option :output lemmas)\n(set-logic QF_NIA)"));
        let made = asked(&Lemmas, text, "z3", 0).unwrap();
        assert!(made.starts_with(
            "(set-option :solver.lemmas2console true)\n(set-option :tactic.default_tactic smt)"
        ));
        assert_eq!(asked(&Lemmas, text, "yices", 0), None);
    }
}
