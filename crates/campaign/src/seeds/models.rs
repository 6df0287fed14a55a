//! Finds further models of a seed: asks the solver again with found models excluded, then with another random seed
//! and other phases. Our evaluator checks every model.
//!
//! ```text
//! (assert (< x y)), x = 0, y = 1   →   (assert (< x y)) (assert (or (distinct x 0) (distinct y 1)))
//!                                      and, for a model that differs more, (assert (distinct y 1))
//! ```

use crate::team::Member;
use auspex_cases::Budget;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::{ModelVerdict, read_model, validate_within};
use auspex_logic::render::{self, Sharing};
use auspex_logic::term::FunKind;
use auspex_logic::value::Value;
use auspex_logic::{Answer, Assertion, Command, Model, Query, Script, TermId, Terms};
use auspex_solvers::{Limits, Mode, Query as Question, Session};

/// The most models of a seed.
pub const MOST: usize = 8;
/// How often one solver is asked for another model.
const ROUNDS: usize = 4;

/// A model that our evaluator accepts, with the text it was read from.
pub struct Found {
    pub text: String,
    pub model: Model,
}

/// Reads and validates a solver's model.
pub fn accepted(terms: &mut Terms, script: &Script, query: &Query, text: &str) -> Option<Found> {
    let model = read_model(terms, script, text).ok()?;
    // A model that takes long to validate would slow down every mutant of the seed.
    let verdict = validate_within(terms, &model, query, Budget::QUICK.work);
    let valid = verdict == ModelVerdict::Valid;
    valid.then(|| Found {
        text: text.to_string(),
        model,
    })
}

/// The script of a seed with one query, for which more models are wanted.
pub struct Search<'a> {
    pub script: &'a Script,
    pub query: &'a Query,
    pub mode: Mode,
}

/// The processes that search for other models with the profile's `diverse` options.
pub fn diverse(member: &Member, limits: &Limits) -> Vec<Session> {
    let start = |options: &String| {
        let words: Vec<String> = options.split_whitespace().map(String::from).collect();
        Session::start(&member.solver.clone().with_options(&words), limits)
    };
    member.solver.profile.diverse.iter().map(start).collect()
}

impl Search<'_> {
    /// Asks a solver that returned a model for others, until there are enough or no more.
    pub fn more(
        &self,
        terms: &mut Terms,
        session: &mut Session,
        diverse: &mut [Session],
        found: &mut Vec<Found>,
    ) {
        let mut forbidden: Vec<TermId> = found
            .iter()
            .filter_map(|f| self.forbidding(terms, &f.model))
            .collect();
        for round in 0..ROUNDS {
            let Some(last) = found.last().filter(|_| found.len() < MOST) else {
                return;
            };
            let mut demands = forbidden.clone();
            demands.extend(self.changes(terms, &last.model, round));
            let new = match self.ask(terms, session, &demands) {
                None if demands.len() > forbidden.len() => self.ask(terms, session, &forbidden),
                new => new,
            };
            let Some(new) = new else { break };
            forbidden.extend(self.forbidding(terms, &new.model));
            keep(found, new);
        }
        for session in diverse {
            if let Some(new) = self.ask(terms, session, &[]) {
                keep(found, new);
            }
        }
    }

    fn ask(&self, terms: &mut Terms, session: &mut Session, demands: &[TermId]) -> Option<Found> {
        let text = render::script(terms, &with(self.script, demands), Sharing::Auto);
        let question = Question::new(&text).mode(self.mode).model();
        match session.ask(&question).ok()?.answers.into_iter().next()? {
            Answer::Sat { model: Some(text) } => accepted(terms, self.script, self.query, &text),
            _ => None,
        }
    }

    /// For each constant whose value can be written, the formula that it has another value.
    fn differences(&self, terms: &mut Terms, model: &Model) -> Vec<TermId> {
        let declared: Vec<_> = self.script.declared().collect();
        let mut all = Vec::new();
        for fun in declared {
            let plain =
                terms.fun(fun).params.is_empty() && terms.fun(fun).kind == FunKind::Declared;
            let Some(constant) = terms.fun_app(fun, &[]).ok().filter(|_| plain) else {
                continue;
            };
            let value = Evaluator::new(terms, model).value(constant).ok();
            let value = value.filter(|v| v.is_comparable() && !matches!(v, Value::Element(_)));
            let sort = terms.sort(constant);
            let value = value.and_then(|value| terms.value_term(&value, sort));
            all.extend(value.and_then(|value| terms.app("distinct", &[constant, value]).ok()));
        }
        all
    }

    /// The formula that excludes a model.
    fn forbidding(&self, terms: &mut Terms, model: &Model) -> Option<TermId> {
        match self.differences(terms, model).as_slice() {
            [] => None,
            [one] => Some(*one),
            many => terms.app("or", many).ok(),
        }
    }

    /// The formula that some constants have other values; each round has more and other constants.
    fn changes(&self, terms: &mut Terms, model: &Model, round: usize) -> Vec<TermId> {
        let all = self.differences(terms, model).into_iter().enumerate();
        let chosen = all.filter(|(at, _)| (at + round).is_multiple_of(ROUNDS - round));
        chosen.map(|(_, term)| term).collect()
    }
}

/// Stores a new model if there is room.
pub fn keep(found: &mut Vec<Found>, new: Found) {
    if found.len() < MOST && found.iter().all(|old| old.text != new.text) {
        found.push(new);
    }
}

/// The script with additional assertions before its query.
fn with(script: &Script, demands: &[TermId]) -> Script {
    let mut longer = script.clone();
    longer.spans.clear();
    let is_query = |c: &Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
    let place = longer.commands.iter().position(is_query);
    let place = place.unwrap_or(longer.commands.len());
    let more = demands.iter().map(|term| {
        let (term, name) = (*term, None);
        Command::Assert(Assertion { term, name })
    });
    longer.commands.splice(place..place, more);
    longer
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::model::validate;
    use auspex_logic::read_script;

    const SCRIPT: &str = "(declare-const x Int)(declare-const p Bool)(declare-fun f (Int) Int)\
                          (assert (or p (< (f x) 3)))(check-sat)";

    fn with_search(act: impl FnOnce(&mut Terms, &Search<'_>)) {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, SCRIPT).expect("well-formed").script;
        let query = script.queries().remove(0);
        let search = Search {
            script: &script,
            query: &query,
            mode: Mode::Reset,
        };
        act(&mut terms, &search);
    }

    fn found(terms: &mut Terms, search: &Search<'_>, x: i64, p: bool) -> Found {
        let text = format!(
            "((define-fun x () Int {x})(define-fun p () Bool {p})(define-fun f ((a Int)) Int 0))"
        );
        accepted(terms, search.script, search.query, &text).expect("a model")
    }

    #[test]
    fn a_forbidden_model_does_not_come_again_but_others_do() {
        with_search(|terms, search| {
            let first = found(terms, search, 1, true);
            let forbidding = search.forbidding(terms, &first.model).expect("constants");
            let longer = with(search.script, &[forbidding]);
            let query = longer.queries().remove(0);
            let holds = |found: &Found, terms: &Terms| validate(terms, &found.model, &query);
            assert!(matches!(holds(&first, terms), ModelVerdict::Invalid { .. }));
            for (x, p) in [(2, true), (1, false)] {
                let other = found(terms, search, x, p);
                assert_eq!(holds(&other, terms), ModelVerdict::Valid);
            }
        });
    }

    #[test]
    fn later_rounds_want_more_changes() {
        with_search(|terms, search| {
            let first = found(terms, search, 1, true);
            let counts: Vec<usize> = (0..ROUNDS)
                .map(|round| search.changes(terms, &first.model, round).len())
                .collect();
            assert_eq!(counts, [1, 0, 1, 2]);
        });
    }

    #[test]
    fn what_is_no_model_is_not_kept() {
        with_search(|terms, search| {
            let text = "((define-fun x () Int 1)(define-fun p () Bool false)(define-fun f ((a Int)) Int 7))";
            assert!(accepted(terms, search.script, search.query, text).is_none());
            let mut all = Vec::new();
            for _ in 0..2 {
                keep(&mut all, found(terms, search, 1, true));
            }
            assert_eq!(all.len(), 1);
        });
    }
}
