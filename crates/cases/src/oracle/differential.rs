//! The differential oracle: if solvers contradict each other, at least one is wrong. Models decide where they can
//! (see `model_validity`). A `sat` without a valid model against two independent families of solvers is a wrong
//! `sat`, if the script has standard operators only. The rest is a disagreement, with a statement of who is more
//! likely wrong and why. Timeouts, unknowns, rejections and crashes are never a contradiction.
//!
//! ```text
//! z3 5.4.0 sat, cvc5 1.0.3 unsat, bitwuzla 0.9.1 unsat    wrong sat: two independent solvers refute it
//! z3 5.4.0 sat, z3 4.13.0 unsat, cvc5 1.0.3 unsat         likely z3 5.4.0: its own older release contradicts it
//! z3 5.4.0 sat, cvc5 1.0.3 unsat                          open
//! ```

use super::grounds::{Balance, Grounds, ModelState};
use super::{Class, Oracle, QueryContext, Side, Verdict};
use auspex_logic::theory::{Meaning, SolverSet};
use auspex_logic::{Answer, Head, OpDecl, TermId, Terms, Theory, render};
use std::collections::BTreeSet;

pub struct Differential;

/// A further query that would help to decide a disagreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Further {
    /// The model of this reply, which answered sat without one.
    Model { reply: usize },
    /// Solvers of other makes than these.
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
        "One solver answers sat and another unsat: a disagreement, until models or independent solvers decide it."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let Some(sides) = Sides::of(context) else {
            return Vec::new();
        };
        // `consistency` handles a solver that contradicts only itself.
        if sides.families(context).len() < 2 && sides.releases(context) < 2 {
            return Vec::new();
        }
        if has_operator(context, is_unsettled) {
            return Vec::new();
        }
        let models: Vec<ModelState> = sides
            .sat
            .iter()
            .map(|at| context.model_state(*at))
            .collect();
        let (balance, accused) = sides.balance(context);
        let decided = !models.contains(&ModelState::Valid)
            && matches!(&balance, Balance::Likely { wrong: Side::Sat, against } if *against >= 2)
            && !has_operator(context, is_extension);
        let class = match decided {
            true => Class::WrongSat,
            false => Class::Disagreement,
        };
        let replies = context.replies.iter().enumerate();
        let neither = replies.filter(|(_, reply)| reply.side().is_none());
        let mut states = models;
        states.sort_unstable();
        states.dedup();
        let grounds = Grounds::Contradiction {
            neither: neither.map(|(at, _)| at).collect(),
            sat: sides.sat,
            unsat: sides.unsat,
            models: states,
            balance,
        };
        let first = accused.first().copied().unwrap_or(0);
        vec![Verdict {
            accused,
            ..Verdict::new(class, first, grounds)
        }]
    }
}

/// The next queries about a disagreement; none if there is none. The answers are added to the replies, and all are
/// judged again.
pub fn further(context: &QueryContext<'_>) -> Vec<Further> {
    let Some(sides) = Sides::of(context) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for reply in &sides.sat {
        if let Answer::Sat { model: None } = context.replies[*reply].answer {
            all.push(Further::Model { reply: *reply });
        }
    }
    let make = |at: &usize| context.replies[*at].solver.make.as_str();
    let asked: BTreeSet<&str> = (0..context.replies.len()).map(|at| make(&at)).collect();
    all.push(Further::OtherMakes {
        asked: asked.into_iter().map(str::to_string).collect(),
    });
    let both = sides.sat.iter().chain(&sides.unsat);
    let makes: BTreeSet<&str> = both.map(make).collect();
    for make in makes {
        all.push(Further::OtherReleases { make: make.into() });
        all.push(Further::OtherOptions { make: make.into() });
    }
    all
}

/// The replies that contradict each other.
struct Sides {
    sat: Vec<usize>,
    unsat: Vec<usize>,
}

impl Sides {
    /// None if no replies contradict each other.
    fn of(context: &QueryContext<'_>) -> Option<Sides> {
        let on = |wanted: Side| -> Vec<usize> {
            let replies = context.replies.iter().enumerate();
            let of_side = replies.filter(|(_, reply)| reply.side() == Some(wanted));
            of_side.map(|(at, _)| at).collect()
        };
        let sides = Sides {
            sat: on(Side::Sat),
            unsat: on(Side::Unsat),
        };
        (!sides.sat.is_empty() && !sides.unsat.is_empty()).then_some(sides)
    }

    fn both(&self) -> impl Iterator<Item = usize> {
        self.sat.iter().chain(&self.unsat).copied()
    }

    fn families(&self, context: &QueryContext<'_>) -> BTreeSet<String> {
        families(context, &self.both().collect::<Vec<_>>())
    }

    fn releases(&self, context: &QueryContext<'_>) -> usize {
        let release = |at: usize| context.replies[at].solver.release_title();
        self.both().map(release).collect::<BTreeSet<_>>().len()
    }

    /// Which side is more likely wrong. A family on both sides supports neither.
    fn balance(&self, context: &QueryContext<'_>) -> (Balance, Vec<usize>) {
        let (sat, unsat) = (families(context, &self.sat), families(context, &self.unsat));
        let torn: Vec<String> = sat.intersection(&unsat).cloned().collect();
        let own = |side: &BTreeSet<String>| side.iter().filter(|one| !torn.contains(one)).count();
        let (in_sat, in_unsat) = (own(&sat), own(&unsat));
        let (wrong, few, many) = match in_sat <= in_unsat {
            true => (Side::Sat, in_sat, in_unsat),
            false => (Side::Unsat, in_unsat, in_sat),
        };
        let accused = match wrong {
            Side::Sat => self.sat.clone(),
            Side::Unsat => self.unsat.clone(),
        };
        if few == 0 && many > 0 {
            let makes = torn;
            return (Balance::OwnRunsAgree { wrong, makes }, accused);
        }
        if many > few && few == 1 {
            let against = many;
            return (Balance::Likely { wrong, against }, accused);
        }
        let balance = Balance::Open {
            sat: in_sat,
            unsat: in_unsat,
            torn,
        };
        (balance, self.both().collect())
    }
}

fn families(context: &QueryContext<'_>, side: &[usize]) -> BTreeSet<String> {
    let family = |at: &usize| context.replies[*at].solver.family.clone();
    side.iter().map(family).collect()
}

/// Whether the query has an operator of that kind.
fn has_operator(context: &QueryContext<'_>, is: fn(Option<&OpDecl>) -> bool) -> bool {
    some_operator(context.terms, context.query.demands(), is)
}

/// Whether some terms have an operator of that kind; unknown operators have no row.
pub(super) fn some_operator(
    terms: &Terms,
    roots: impl Iterator<Item = TermId>,
    is: fn(Option<&OpDecl>) -> bool,
) -> bool {
    let mut all = roots.flat_map(|root| render::post_order(terms, root));
    all.any(|term| match terms.head(term) {
        Head::Op(op) => is(Some(terms.op(op))),
        Head::Opaque(_) => is(None),
        _ => false,
    })
}

/// An operator that solvers accept although no document defines it, or the standard does not allow it there: any
/// answer may be right.
pub(super) fn is_unsettled(row: Option<&OpDecl>) -> bool {
    row.is_some_and(|row| {
        row.known == SolverSet::NONE
            && row.theory != Theory::User
            && matches!(row.meaning, Meaning::None(_))
    })
}

/// A non-standard operator: solvers that adopt it from each other are not independent evidence.
pub(super) fn is_extension(row: Option<&OpDecl>) -> bool {
    row.is_none_or(|row| !row.known.is_standard() || row.theory == Theory::User)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Evidence;
    use crate::oracle::tests::{PLAIN, reply, verdicts_about, with_context};
    use crate::oracle::{Facts, Reply};

    fn only(words: &[(&str, &str)]) -> Verdict {
        let mut found = verdicts_about(PLAIN, words);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    fn sentence(words: &[(&str, &str)]) -> String {
        let replies: Vec<Reply> = words.iter().map(|(who, word)| reply(who, word)).collect();
        only(words).sentence(Facts {
            replies: &replies,
            related: &[],
        })
    }

    #[test]
    fn one_against_one_is_open() {
        let words = [("z3 5.4.0", "sat"), ("cvc5 1.0.3", "unsat")];
        assert_eq!(only(&words).accused, [0, 1]);
        assert_eq!(only(&words).class, Class::Disagreement);
        let why = sentence(&words);
        assert!(
            why.contains("Which side is wrong is open: 1 independent solver says sat"),
            "{why}"
        );
    }

    #[test]
    fn who_takes_no_side_is_named() {
        let words = [
            ("z3 5.4.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
            ("z3 4.8.12", "unknown"),
        ];
        let why = sentence(&words);
        assert!(
            why.contains("Neither sat nor unsat: z3 4.8.12 (unknown)."),
            "{why}"
        );
    }

    #[test]
    fn two_independent_solvers_refute_a_sat_without_a_model() {
        let words = [
            ("z3 5.4.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
            ("bitwuzla 0.9.1", "unsat"),
        ];
        let found = only(&words);
        assert_eq!((found.class, found.accused), (Class::WrongSat, vec![0]));
        let why = sentence(&words);
        assert!(why.contains("Wrong: z3 5.4.0; 2 independent"), "{why}");
    }

    #[test]
    fn an_unsat_is_only_refuted_by_a_model() {
        let words = [
            ("z3 5.4.0", "unsat"),
            ("cvc5 1.0.3", "sat"),
            ("bitwuzla 0.9.1", "sat"),
        ];
        let found = only(&words);
        assert_eq!((found.class, found.accused), (Class::Disagreement, vec![0]));
        assert!(sentence(&words).contains("Likely wrong: z3 5.4.0"));
    }

    #[test]
    fn solvers_of_one_family_are_not_independent() {
        let releases = [
            ("z3 5.4.0", "sat"),
            ("z3 4.13.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
        ];
        assert_eq!(only(&releases).accused, [0, 1, 2]);
        let family = [
            ("z3 5.4.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
            ("cvc4 1.8", "unsat"),
        ];
        assert_eq!(only(&family).class, Class::Disagreement);
    }

    #[test]
    fn an_older_release_against_its_successor() {
        let words = [
            ("z3 5.4.0", "sat"),
            ("z3 4.13.0", "unsat"),
            ("cvc5 1.0.3", "unsat"),
        ];
        assert_eq!(only(&words).accused, [0]);
        assert!(sentence(&words).contains("other runs of z3"));
    }

    #[test]
    fn an_extension_that_solvers_copy_from_each_other_convicts_nobody() {
        let text = "(declare-const s (Seq Int))(assert (= (seq.rev s) s))(check-sat)";
        let words = [
            ("z3 5.4.0", "sat"),
            ("cvc5 1.0.3", "unsat"),
            ("bitwuzla 0.9.1", "unsat"),
        ];
        let found = verdicts_about(text, &words);
        assert!(
            found.iter().all(|v| v.class == Class::Disagreement),
            "{found:?}"
        );
    }

    #[test]
    fn what_the_standard_does_not_allow_convicts_nobody() {
        let words = [("z3 5.4.0", "sat"), ("z3 4.8.10", "unsat")];
        // z3 rounds the argument in some places, cvc5 never; the standard has `to_real` for integers only.
        let ill = "(declare-const x Real)(assert (= (to_real x) 0.0))(check-sat)";
        assert_eq!(verdicts_about(ill, &words), []);
        let well = "(declare-const x Int)(assert (= (to_real x) 0.0))(check-sat)";
        assert_eq!(verdicts_about(well, &words).len(), 1);
        // What that does to the assertions only cvc5 knows.
        let changed = format!("(block-model :values){well}");
        assert_eq!(verdicts_about(&changed, &words), []);
    }

    #[test]
    fn what_is_no_answer_contradicts_nobody() {
        for other in ["unknown", "timeout", "sat"] {
            let words = [("z3 5.4.0", "sat"), ("cvc5 1.0.3", other)];
            assert_eq!(verdicts_about(PLAIN, &words), []);
        }
    }

    #[test]
    fn says_what_would_help() {
        let replies =
            ["sat", "unsat", "unknown"]
                .into_iter()
                .zip(["z3 5.4.0", "cvc5 1.0.3", "yices 2.6.5"]);
        let replies: Vec<Reply> = replies.map(|(word, who)| reply(who, word)).collect();
        let ask = |replies: &[Reply]| {
            with_context(PLAIN, &Evidence::NoneKnown, replies, &[], |context| {
                further(context)
            })
        };
        let wanted = ask(&replies);
        assert_eq!(wanted[0], Further::Model { reply: 0 });
        assert!(wanted.contains(&Further::OtherReleases {
            make: "cvc5".into()
        }));
        assert!(!wanted.contains(&Further::OtherReleases {
            make: "yices".into()
        }));
        assert_eq!(ask(&replies[..1]), []);
    }
}
