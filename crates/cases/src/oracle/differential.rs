//! Solvers that contradict each other: at least one is wrong. Models decide where they can (see `model_validity`);
//! what is left is a disagreement, with a statement of how sure we are whose fault it is, and why.
//! Timeouts, unknowns, rejections and crashes never count as a contradiction.
//!
//! ```text
//! z3 5.4.0 sat, cvc5 1.0.3 unsat, bitwuzla 0.9.1 unsat    likely z3: two independent solvers stand against it
//! z3 5.4.0 sat, z3 4.13.0 unsat, cvc5 1.0.3 unsat         likely z3 5.4.0: its own older release stands against it
//! z3 5.4.0 sat, cvc5 1.0.3 unsat                          open
//! ```

use super::{Class, Complaint, Oracle, Trial};
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::theory::{Known, Meaning};
use auspex_logic::{Answer, Head, Theory, render};
use std::collections::BTreeSet;

pub struct Differential;

/// An answer that can contradict another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Sat,
    Unsat,
}

/// How sure a disagreement is about who is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sureness {
    /// Independent solvers, or other releases of the accused itself, stand against it.
    Likely,
    /// As many stand on one side as on the other.
    Open,
}

/// What would help to decide a disagreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Further {
    /// The model of this reply, which answered sat without one.
    Model { reply: usize },
    /// Solvers that have not answered yet, of another make than these.
    OtherMakes { asked: Vec<String> },
    /// Other releases of a solver.
    OtherReleases { make: String },
    /// Other options of a solver: another tier, no preprocessing, a fresh process.
    OtherOptions { make: String },
}

impl Oracle for Differential {
    fn name(&self) -> &'static str {
        "differential"
    }

    fn about(&self) -> &'static str {
        "One solver answers sat and another unsat: filed as a disagreement until evidence says who is wrong."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let Some(parties) = Parties::of(trial) else {
            return Vec::new();
        };
        if is_unsettled(trial) {
            return Vec::new();
        }
        let (sureness, accused, reason) = parties.blame(trial);
        let why = format!(
            "{} sat, {} unsat.{} {} {}",
            say(trial, &parties.sat),
            say(trial, &parties.unsat),
            silent(trial),
            models(trial, &parties.sat),
            match sureness {
                Sureness::Likely => format!("Likely wrong: {}; {reason}.", names(trial, &accused)),
                Sureness::Open => format!("Open who is wrong: {reason}."),
            }
        );
        vec![Complaint {
            class: Class::Disagreement,
            accused,
            why,
            site: String::new(),
        }]
    }
}

/// What to ask next about a disagreement; nothing if there is none. Answers join the replies, and all are judged again.
pub fn further(trial: &Trial<'_>) -> Vec<Further> {
    let Some(parties) = Parties::of(trial) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for reply in &parties.sat {
        if let Answer::Sat { model: None } = trial.replies[*reply].answer {
            all.push(Further::Model { reply: *reply });
        }
    }
    let makes: BTreeSet<&str> = trial.replies.iter().map(|r| make_of(&r.solver)).collect();
    all.push(Further::OtherMakes {
        asked: makes.into_iter().map(str::to_string).collect(),
    });
    let parties = parties.sat.iter().chain(&parties.unsat);
    let makes: BTreeSet<&str> = parties
        .map(|at| make_of(&trial.replies[*at].solver))
        .collect();
    for make in makes {
        all.push(Further::OtherReleases { make: make.into() });
        all.push(Further::OtherOptions { make: make.into() });
    }
    all
}

struct Parties {
    sat: Vec<usize>,
    unsat: Vec<usize>,
}

impl Parties {
    /// Those who contradict each other, if any do.
    fn of(trial: &Trial<'_>) -> Option<Parties> {
        let on = |wanted: Side| -> Vec<usize> {
            (0..trial.replies.len())
                .filter(|at| side(&trial.replies[*at].answer) == Some(wanted))
                .collect()
        };
        let parties = Parties {
            sat: on(Side::Sat),
            unsat: on(Side::Unsat),
        };
        (!parties.sat.is_empty() && !parties.unsat.is_empty()).then_some(parties)
    }

    /// Who is more likely wrong, and why. A make on both sides speaks for neither.
    fn blame(&self, trial: &Trial<'_>) -> (Sureness, Vec<usize>, String) {
        let makes = |side: &[usize]| -> BTreeSet<String> {
            side.iter()
                .map(|at| make_of(&trial.replies[*at].solver).to_string())
                .collect()
        };
        let (sat, unsat) = (makes(&self.sat), makes(&self.unsat));
        let torn: Vec<&String> = sat.intersection(&unsat).collect();
        let own = |side: &BTreeSet<String>| side.iter().filter(|m| !torn.contains(m)).count();
        let both = || self.sat.iter().chain(&self.unsat).copied().collect();
        let (few, many, few_count, many_count) = if own(&sat) <= own(&unsat) {
            (&self.sat, &self.unsat, own(&sat), own(&unsat))
        } else {
            (&self.unsat, &self.sat, own(&unsat), own(&sat))
        };
        if few_count == 0 && many_count > 0 {
            let reason = format!(
                "other runs of {} agree with the {many_count} independent of it ({})",
                torn.iter()
                    .map(|m| m.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
                names(trial, many)
            );
            return (Sureness::Likely, few.clone(), reason);
        }
        if many_count > few_count && few_count == 1 {
            let reason = format!("{many_count} independent solvers stand against it");
            return (Sureness::Likely, few.clone(), reason);
        }
        let reason = match torn[..] {
            [] if many_count == 1 => "one stands against one".to_string(),
            [] => format!("{few_count} independent solvers stand against {many_count}"),
            _ => "a solver stands on both sides".to_string(),
        };
        (Sureness::Open, both(), reason)
    }
}

/// The side that an answer takes, if any.
pub fn side(answer: &Answer) -> Option<Side> {
    match answer {
        Answer::Sat { .. } => Some(Side::Sat),
        Answer::Unsat { .. } => Some(Side::Unsat),
        Answer::Unknown { .. }
        | Answer::Timeout
        | Answer::OutOfMemory
        | Answer::Rejected { .. }
        | Answer::Crashed(_)
        | Answer::Garbled { .. } => None,
    }
}

/// Who wrote a solver: the first word of its title. Releases and configurations of one make are not independent.
pub fn make_of(title: &str) -> &str {
    title.split(' ').next().unwrap_or(title)
}

/// Whether the query has an operator that solvers read and no document gives a meaning to, or that the standard
/// does not allow there: then each may be right.
fn is_unsettled(trial: &Trial<'_>) -> bool {
    let roots = trial.query.demands();
    let mut terms = roots.flat_map(|root| render::post_order(trial.terms, root));
    terms.any(|term| match trial.terms.head(term) {
        Head::Op(op) => {
            let decl = trial.terms.op(op);
            decl.known == Known::NONE
                && decl.theory != Theory::User
                && matches!(decl.meaning, Meaning::None(_))
        }
        _ => false,
    })
}

/// `z3 5.4.0 answers` or `z3 5.4.0, cvc5 1.4.2 answer`.
fn say(trial: &Trial<'_>, all: &[usize]) -> String {
    let verb = if all.len() == 1 { "answers" } else { "answer" };
    format!("{} {verb}", names(trial, all))
}

fn names(trial: &Trial<'_>, all: &[usize]) -> String {
    let titles: Vec<&str> = all
        .iter()
        .map(|at| trial.replies[*at].solver.as_str())
        .collect();
    titles.join(", ")
}

/// Those who were asked and take no side.
fn silent(trial: &Trial<'_>) -> String {
    let replies = trial.replies.iter();
    let silent = replies.filter(|reply| side(&reply.answer).is_none());
    let said = silent.map(|reply| format!("{} ({})", reply.solver, reply.answer.word()));
    let said: Vec<String> = said.collect();
    match said.is_empty() {
        true => String::new(),
        false => format!(" On no side: {}.", said.join(", ")),
    }
}

/// Why no model decides the matter.
fn models(trial: &mut Trial<'_>, sat: &[usize]) -> String {
    let mut reasons = BTreeSet::new();
    for at in sat {
        let Answer::Sat { model } = &trial.replies[*at].answer else {
            continue;
        };
        let reason = match model
            .as_ref()
            .map(|text| read_model(trial.terms, trial.script, text))
        {
            None => "no model was given",
            Some(Err(_)) => "a model could not be read",
            Some(Ok(model)) => match validate(trial.terms, &model, trial.query) {
                ModelVerdict::Undetermined { .. } => "a model leaves an assertion undetermined",
                ModelVerdict::Valid => "a model is valid",
                ModelVerdict::Invalid { .. } => "a model is invalid",
            },
        };
        reasons.insert(reason);
    }
    let reasons: Vec<&str> = reasons.into_iter().collect();
    format!("No model decides it ({}).", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::judge;
    use crate::oracle::tests::{complaints, with_trial, with_trial_of};

    fn accused(replies: &[(&str, &str)]) -> Vec<usize> {
        let found = complaints(replies);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].accused.clone()
    }

    #[test]
    fn one_against_one_is_open() {
        let replies = [("z3 5.4.0", "sat"), ("cvc5 1.0.3", "unsat")];
        assert_eq!(accused(&replies), [0, 1]);
        assert!(complaints(&replies)[0].why.contains("Open who is wrong"));
    }

    #[test]
    fn who_takes_no_side_is_named() {
        let replies = [
            ("z3 5.4.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
            ("z3 4.8.12", "unknown"),
        ];
        let why = &complaints(&replies)[0].why;
        assert!(why.contains("On no side: z3 4.8.12 (unknown)."), "{why}");
    }

    #[test]
    fn independent_solvers_outweigh_one() {
        let replies = [
            ("z3 5.4.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
            ("bitwuzla 0.9.1", "unsat"),
        ];
        assert_eq!(accused(&replies), [0]);
        let why = &complaints(&replies)[0].why;
        assert!(
            why.contains("Likely wrong: z3 5.4.0; 2 independent"),
            "{why}"
        );
    }

    #[test]
    fn releases_of_one_make_are_not_independent() {
        let replies = [
            ("z3 5.4.0", "sat"),
            ("z3 4.13.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
        ];
        assert_eq!(accused(&replies), [0, 1, 2]);
    }

    #[test]
    fn an_older_release_against_its_successor() {
        let replies = [
            ("z3 5.4.0", "sat"),
            ("z3 4.13.0", "unsat"),
            ("cvc5 1.0.3", "unsat"),
        ];
        assert_eq!(accused(&replies), [0]);
        assert!(
            complaints(&replies)[0]
                .why
                .contains("other runs of z3 agree")
        );
    }

    #[test]
    fn what_the_standard_does_not_allow_convicts_nobody() {
        let replies = [("z3 5.4.0", "sat"), ("z3 4.8.10", "unsat")];
        // z3 rounds the argument in some places, cvc5 never; the standard has `to_real` for integers only.
        let ill = "(declare-const x Real)(assert (= (to_real x) 0.0))(check-sat)";
        assert_eq!(with_trial_of(ill, &replies, judge), []);
        let other =
            "(set-option :encoding ascii)(declare-const x String)(assert (= x x))(check-sat)";
        assert_eq!(with_trial_of(other, &replies, judge), []);
        let well = "(declare-const x Int)(assert (= (to_real x) 0.0))(check-sat)";
        assert_eq!(with_trial_of(well, &replies, judge).len(), 1);
        // What that does to the assertions only cvc5 knows.
        let changed = format!("(block-model :values){well}");
        assert_eq!(with_trial_of(&changed, &replies, judge), []);
    }

    #[test]
    fn what_is_no_answer_contradicts_nobody() {
        for other in ["unknown", "timeout", "sat"] {
            assert_eq!(
                complaints(&[("z3 5.4.0", "sat"), ("cvc5 1.0.3", other)]),
                []
            );
        }
    }

    #[test]
    fn says_what_would_help() {
        let replies = [
            ("z3 5.4.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
            ("yices 2.6.5", "unknown"),
        ];
        let wanted = with_trial(&replies, |trial| further(trial));
        assert_eq!(wanted[0], Further::Model { reply: 0 });
        assert!(wanted.contains(&Further::OtherReleases {
            make: "cvc5".into()
        }));
        assert!(!wanted.contains(&Further::OtherReleases {
            make: "yices".into()
        }));
        assert_eq!(with_trial(&replies[..1], |trial| further(trial)), []);
    }
}
