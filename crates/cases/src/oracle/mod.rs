//! Oracles judge answers. They are pure: they never run anything, but they may ask for more answers.
//! Each is one file and one line in `ALL`.

pub mod consistency;
mod core;
pub mod crash;
pub mod differential;
mod ground;
pub mod incompleteness;
mod known_status;
mod model_validity;
pub mod performance;

use crate::case::Evidence;
use ::core::time::Duration;
use auspex_logic::model::MOST_WORK;
use auspex_logic::{Answer, Command, Head, Query, Script, Symbol, Terms, render};

/// What one solver said to one query.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Name and version of the solver, with its options.
    pub solver: String,
    pub answer: Answer,
    /// Processor time of the whole script, if it was measured.
    pub time: Option<Duration>,
}

impl Reply {
    /// A reply that nobody timed.
    pub fn new(solver: impl Into<String>, answer: Answer) -> Reply {
        Reply {
            solver: solver.into(),
            answer,
            time: None,
        }
    }
}

impl Reply {
    fn is_partial(&self) -> bool {
        is_partial(&self.solver)
    }
}

/// Whether functions have no value outside their domains to the solver. To dReal both `(> (/ 1.0 0.0) x)` and its
/// negation contradict everything, wherever they stand.
pub fn is_partial(solver: &str) -> bool {
    solver.starts_with("dreal")
}

/// One query with its evidence and all answers to it.
pub struct Trial<'a> {
    pub terms: &'a mut Terms,
    pub script: &'a Script,
    pub query: &'a Query,
    pub evidence: &'a Evidence,
    pub replies: &'a [Reply],
    pub care: Care,
}

impl Trial<'_> {
    /// Whether one of the replies takes that side.
    fn anyone_says(&self, wanted: differential::Side) -> bool {
        let mut sides = self.replies.iter().map(|r| differential::side(&r.answer));
        sides.any(|side| side == Some(wanted))
    }
}

/// How closely answers are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Care {
    /// Who takes less processor time is not slow; none where the clock does not count.
    pub patience: Option<Duration>,
    /// How much evaluating a model may take before it is left undetermined.
    pub work: u64,
}

impl Care {
    /// All that can be found out without a clock.
    pub const THOROUGH: Care = Care {
        patience: None,
        work: MOST_WORK,
    };

    /// As much work as a model is worth among many thousands; nobody is slow.
    pub const HASTY: Care = Care {
        patience: None,
        work: MOST_WORK / 300,
    };
}

/// What kind of bug it is, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    WrongUnsat,
    WrongSat,
    InvalidModel,
    WrongCore,
    Crash,
    Disagreement,
    Incompleteness,
    Performance,
}

impl Class {
    pub const ALL: [Class; 8] = [
        Class::WrongUnsat,
        Class::WrongSat,
        Class::InvalidModel,
        Class::WrongCore,
        Class::Crash,
        Class::Disagreement,
        Class::Incompleteness,
        Class::Performance,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Class::WrongUnsat => "wrong-unsat",
            Class::WrongSat => "wrong-sat",
            Class::InvalidModel => "invalid-model",
            Class::WrongCore => "wrong-core",
            Class::Crash => "crash",
            Class::Disagreement => "disagreement",
            Class::Incompleteness => "incompleteness",
            Class::Performance => "performance",
        }
    }

    /// Whether the solver is wrong; the rest is told apart from bugs, and makes nobody fail.
    pub fn is_bug(self) -> bool {
        !matches!(self, Class::Incompleteness | Class::Performance)
    }

    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// A complaint about one solver (or, for a disagreement, about several).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub class: Class,
    /// Positions among the replies of those who are (or may be) wrong.
    pub accused: Vec<usize>,
    /// The evidence in sentences a person can check by hand.
    pub why: String,
    /// Where it happened, for grouping: the site of a crash, the smallest false part of an assertion.
    pub site: String,
}

pub trait Oracle: Sync {
    fn name(&self) -> &'static str;
    /// What it proves, in one sentence.
    fn about(&self) -> &'static str;
    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint>;
}

/// Every oracle, in the order in which they are asked.
pub const ALL: &[&dyn Oracle] = &[
    &crash::CrashOracle,
    &model_validity::ModelValidity,
    &known_status::KnownStatus,
    &ground::Ground,
    &core::CoreValidity,
    &consistency::Consistency,
    &differential::Differential,
    &incompleteness::Incompleteness,
    &performance::Performance,
];

/// Options with which a script means something else than the standard says: strings of fewer characters, integers that
/// are reals or of few bits. With them only a crash is a bug.
const OTHER_MEANING: &[&str] = &[
    ":encoding",
    ":smt.arith.ignore_int",
    ":solve-int-as-bv",
    ":solve-real-as-int",
    ":strings-alpha-card",
];

fn has_other_meaning(terms: &Terms, script: &Script) -> bool {
    let mut options = script.commands.iter().filter_map(|command| match command {
        Command::SetOption(key, value) => Some((key, value)),
        _ => None,
    });
    options.any(|(key, value)| {
        OTHER_MEANING.contains(&terms.symbols.name(*key)) && terms.symbols.name(*value) != "unicode"
    })
}

/// Beginnings of commands kept as text that leave alone what later queries ask.
const HARMLESS: &[&str] = &[
    "(assert",
    "(check-",
    "(de",
    "(display",
    "(echo",
    "(eval",
    "(get-",
    "(help",
    "(labels",
    "(set-",
    "(simplify",
];

/// Whether a query may ask a solver something else than it asks us: a command that nobody knows, such as cvc5's
/// `(block-model :values)`, may have changed it, or it has names that the standard has forgotten by then.
pub fn may_ask_otherwise(terms: &Terms, script: &Script, query: &Query) -> bool {
    let before = script.commands.iter().take(query.command);
    let mut unknown = before.filter_map(|command| match command {
        Command::Other(text) => Some(terms.symbols.name(*text)),
        _ => None,
    });
    unknown.any(|text| !HARMLESS.iter().any(|begin| text.starts_with(begin)))
        || has_forgotten_name(terms, script, query)
}

/// Whether a query uses a function after the end of its scope. Solvers that do not refuse it differ in what it is:
/// after `(reset-assertions)` without `:global-declarations`, z3 keeps a definition and CVC4 only its name.
fn has_forgotten_name(terms: &Terms, script: &Script, query: &Query) -> bool {
    let mut before = script.commands.iter().take(query.command);
    if !before.any(|command| matches!(command, Command::Pop(_) | Command::ResetAssertions)) {
        return false;
    }
    let below = |root| render::post_order(terms, root);
    let mut unknown = query.demands().flat_map(below).filter_map(|term| {
        let Head::Opaque(name) = terms.head(term) else {
            return None;
        };
        Some(name)
    });
    let is_said = |name: Symbol| {
        let defined = script.definitions().map(|definition| definition.fun);
        let mut funs = script.declared().chain(defined);
        funs.any(|fun| terms.fun(fun).name == name)
            || script.assertions().any(|a| a.name == Some(name))
    };
    unknown.any(is_said)
}

/// All complaints about the answers to one query. An accusation with proof silences a mere disagreement,
/// a wrong `sat` silences its own wrong model, and one complaint of a class about the same replies is enough.
pub fn judge(trial: &mut Trial<'_>) -> Vec<Complaint> {
    let other = has_other_meaning(trial.terms, trial.script)
        || may_ask_otherwise(trial.terms, trial.script, trial.query);
    let asked: &[&dyn Oracle] = if other { &[&crash::CrashOracle] } else { ALL };
    let all = asked.iter().flat_map(|oracle| oracle.judge(trial));
    let all: Vec<Complaint> = all.collect();
    let proved = |c: &Complaint| {
        matches!(
            c.class,
            Class::WrongSat | Class::WrongUnsat | Class::InvalidModel
        )
    };
    let any_proved = all.iter().any(proved);
    let wrong_sat: Vec<usize> = all
        .iter()
        .filter(|c| c.class == Class::WrongSat)
        .flat_map(|c| c.accused.clone())
        .collect();
    let mut seen: Vec<(Class, Vec<usize>)> = Vec::new();
    let mut kept = all;
    kept.retain(|complaint| {
        let mut accused = complaint.accused.clone();
        accused.sort_unstable();
        let silenced = match complaint.class {
            Class::Disagreement => any_proved,
            // Where there is no model, every model is wrong.
            Class::InvalidModel => accused.iter().all(|at| wrong_sat.contains(at)),
            _ => false,
        };
        let key = (complaint.class, accused);
        let again = seen.contains(&key);
        if !silenced && !again {
            seen.push(key);
            return true;
        }
        false
    });
    kept
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use auspex_logic::read_script;

    /// Does something with a trial in which solvers gave these answers about a script that says nothing.
    pub fn with_trial<T>(replies: &[(&str, &str)], act: impl FnOnce(&mut Trial<'_>) -> T) -> T {
        let text = "(declare-const p Bool)(assert p)(check-sat)";
        with_trial_of(text, replies, act)
    }

    /// Does something with a trial in which solvers gave these answers about a script.
    pub fn with_trial_of<T>(
        text: &str,
        replies: &[(&str, &str)],
        act: impl FnOnce(&mut Trial<'_>) -> T,
    ) -> T {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let replies: Vec<Reply> = replies
            .iter()
            .map(|(solver, word)| {
                let answer = match *word {
                    "sat" => Answer::Sat { model: None },
                    "unsat" => Answer::Unsat { core: None },
                    "timeout" => Answer::Timeout,
                    _ => Answer::Unknown {
                        reason: String::new(),
                    },
                };
                Reply::new(*solver, answer)
            })
            .collect();
        act(&mut Trial {
            terms: &mut terms,
            script: &script,
            query: &script.queries()[0],
            evidence: &Evidence::Agreement,
            replies: &replies,
            care: Care::THOROUGH,
        })
    }

    /// What the oracles say to these answers.
    pub fn complaints(replies: &[(&str, &str)]) -> Vec<Complaint> {
        with_trial(replies, judge)
    }

    #[test]
    fn what_is_forgotten_convicts_nobody() {
        let told =
            |text: &str| with_trial_of(text, &[("cvc4 1.8", "sat"), ("z3 5.4.0", "unsat")], judge);
        let forgotten = [
            "(define-fun a () Bool false)(reset-assertions)(assert a)(check-sat)",
            "(declare-const a Bool)(reset-assertions)(assert (and a (not a)))(check-sat)",
            "(assert (! false :named a))(reset-assertions)(assert a)(check-sat)",
            "(push 1)(define-fun a () Bool false)(pop 1)(assert a)(check-sat)",
        ];
        for text in forgotten {
            assert_eq!(told(text), [], "{text}");
            let global = format!("(set-option :global-declarations true){text}");
            assert_eq!(told(&global).len(), 1, "{global}");
        }
        let anew = "(declare-const a Int)(reset-assertions)(define-fun a () Bool false)(assert a)(check-sat)";
        assert_eq!(told(anew)[0].class, Class::WrongSat);
    }

    #[test]
    fn a_wrong_sat_silences_its_own_model_and_is_told_once() {
        let told = |text: &str| {
            let mut terms = Terms::new();
            let script = read_script(&mut terms, text).expect("well-formed").script;
            let query = script.queries().remove(0);
            let model = Some("((define-fun p () Bool false))".to_string());
            let replies = [Reply::new("a", Answer::Sat { model })];
            let mut trial = Trial {
                terms: &mut terms,
                script: &script,
                query: &query,
                evidence: &Evidence::Agreement,
                replies: &replies,
                care: Care::THOROUGH,
            };
            let all = judge(&mut trial);
            all.iter().map(|c| c.class).collect::<Vec<_>>()
        };
        assert_eq!(
            told("(declare-const p Bool)(assert p)(assert (= 1 2))(check-sat)"),
            [Class::WrongSat]
        );
        assert_eq!(
            told("(declare-const p Bool)(assert p)(check-sat)"),
            [Class::InvalidModel]
        );
    }
}
