//! The relation oracle: a proved relation between scripts forbids some pairs of answers. A solver that gives such a
//! pair contradicts itself; knowledge about the sources, or independent solvers' answers to them, show which of its
//! answers is wrong.
//!
//! ```text
//! seed       (assert (< x y))  (check-sat)      sat
//! weakening  (assert (<= x y)) (check-sat)      unsat      one of the two is wrong
//! ```
//! This is the oracle of Sparrow's Algorithm 2, for every relation that a strategy proves.

use super::grounds::{Grounds, ModelOf};
use super::{Class, Link, Oracle, QueryContext, Side, SourceStatus, Verdict};
use crate::case::{Evidence, Relation, RelationKind};
use std::collections::BTreeSet;

pub struct RelationOracle;

impl Oracle for RelationOracle {
    fn name(&self) -> &'static str {
        "relation"
    }

    fn about(&self) -> &'static str {
        "An answer is wrong if a proved relation to other scripts, and their known status or answers, forbid it."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let Evidence::Relation(relation) = context.evidence else {
            return Vec::new();
        };
        let relation = relation.clone();
        let accused = 0..context.replies.len();
        accused
            .filter_map(|at| verdict(context, &relation, at))
            .collect()
    }
}

/// Whether the relation may convict a reply, so that its sources are worth asking about.
pub(super) fn is_suspicious(relation: &Relation, side: Side) -> bool {
    relation.kind.forbids(side).is_some()
}

fn verdict(context: &mut QueryContext<'_>, relation: &Relation, at: usize) -> Option<Verdict> {
    let side = context.replies[at].side()?;
    let forbidden = relation.kind.forbids(side)?;
    let sources = sources(context, relation)?;
    let class = match side {
        Side::Sat => Class::WrongSat,
        Side::Unsat => Class::WrongUnsat,
    };
    let said = |grounds| Verdict::new(class, at, grounds);
    let kind = relation.kind;
    // A valid model of this query would show that our knowledge about the sources is wrong.
    let refuted = class == Class::WrongSat && context.has_valid_model(at);
    if !refuted {
        if are_known(context, &sources, forbidden) {
            let relation = kind;
            return Some(said(Grounds::RelatedKnown { relation, sources }));
        }
        if let Some(of) = model_of_source(context, kind, side, &sources) {
            return Some(said(Grounds::ValidModel { of }));
        }
        if class == Class::WrongSat
            && let Some(answers) = independent(context, at, &sources)
        {
            let relation = kind;
            return Some(said(Grounds::RelatedAnswers { relation, answers }));
        }
    }
    let answers = own_answers(context, at, &sources, forbidden)?;
    let grounds = Grounds::RelatedItself {
        relation: kind,
        answers,
    };
    Some(Verdict::new(Class::SelfContradiction, at, grounds))
}

/// The positions of the sources among the related scripts, if all of them were asked.
fn sources(context: &QueryContext<'_>, relation: &Relation) -> Option<Vec<usize>> {
    let place = |number: usize| {
        let mut related = context.related.iter();
        related.position(|one| one.link == Link::Source(number))
    };
    (0..relation.sources.len()).map(place).collect()
}

fn are_known(context: &QueryContext<'_>, sources: &[usize], side: Side) -> bool {
    sources
        .iter()
        .all(|at| match (&context.related[*at].known, side) {
            (SourceStatus::Model(_), Side::Sat) | (SourceStatus::Contradiction, Side::Unsat) => {
                true
            }
            (SourceStatus::Nothing | SourceStatus::Model(_) | SourceStatus::Contradiction, _) => {
                false
            }
        })
}

/// A solver's model of the source of a weakening that is also, by evaluation, a model of the weakening.
fn model_of_source(
    context: &mut QueryContext<'_>,
    kind: RelationKind,
    side: Side,
    sources: &[usize],
) -> Option<ModelOf> {
    if kind != RelationKind::Weaker || side != Side::Unsat {
        return None;
    }
    let source = *sources.first()?;
    let related = &context.related[source];
    let models = related.replies.iter().enumerate();
    let models: Vec<(usize, String)> = models
        .filter_map(|(at, reply)| Some((at, reply.model()?.to_string())))
        .collect();
    let (at, _) = models
        .into_iter()
        .find(|(_, text)| context.is_valid(text))?;
    Some(ModelOf::Related(source, at))
}

/// Solvers of at least two other families that answer `unsat` to every source, if none answers `sat` to one.
fn independent(
    context: &QueryContext<'_>,
    at: usize,
    sources: &[usize],
) -> Option<Vec<(usize, usize)>> {
    let own = &context.replies[at].solver.family;
    let mut answers = Vec::new();
    for source in sources {
        let replies = context.related[*source].replies.iter().enumerate();
        let others = replies.filter(|(_, reply)| reply.solver.family != *own);
        let mut families = BTreeSet::new();
        for (number, reply) in others {
            match reply.side() {
                Some(Side::Sat) => return None,
                Some(Side::Unsat) => {
                    families.insert(reply.solver.family.clone());
                    answers.push((*source, number));
                }
                None => {}
            }
        }
        if families.len() < 2 {
            return None;
        }
    }
    Some(answers)
}

/// The accused solver's own answers to all sources, if the relation forbids them.
fn own_answers(
    context: &QueryContext<'_>,
    at: usize,
    sources: &[usize],
    forbidden: Side,
) -> Option<Vec<(usize, usize)>> {
    let accused = &context.replies[at].solver;
    let own = |source: &usize| {
        let replies = &context.related[*source].replies;
        let number = replies
            .iter()
            .position(|reply| reply.solver == *accused && reply.side() == Some(forbidden))?;
        Some((*source, number))
    };
    sources.iter().map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{SeedStatus, Source};
    use crate::oracle::tests::{reply, with_context};
    use crate::oracle::{Facts, Related, Reply, judge};
    use auspex_logic::Answer;

    const MUTANT: &str = "(declare-const x Int)(assert (<= x 3))(check-sat)";

    /// A source with these answers, and what is known of it.
    fn source(known: SourceStatus, words: &[(&str, &str)]) -> Related {
        Related {
            link: Link::Source(0),
            text: "(declare-const x Int)(assert (< x 3))(check-sat)".to_string(),
            known,
            replies: words.iter().map(|(who, word)| reply(who, word)).collect(),
        }
    }

    /// Class and sentence of every verdict on replies under a relation.
    fn verdicts(
        kind: RelationKind,
        replies: &[Reply],
        related: Related,
    ) -> Vec<(Class, Vec<usize>, String)> {
        let evidence = Evidence::Relation(Relation {
            kind,
            sources: vec![Source::Seed { seed: 0, query: 0 }],
            status: None::<SeedStatus>,
        });
        let related = [related];
        let facts = Facts {
            replies,
            related: &related,
        };
        with_context(MUTANT, &evidence, replies, &related, |context| {
            let all = judge(context).into_iter();
            all.map(|v| (v.class, v.accused.clone(), v.sentence(facts)))
                .collect()
        })
    }

    #[test]
    fn flags_a_solver_that_refutes_a_weakening_of_what_it_satisfies() {
        let told = source(SourceStatus::Nothing, &[("toy 1", "sat")]);
        let found = verdicts(RelationKind::Weaker, &[reply("toy 1", "unsat")], told);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, Class::SelfContradiction);
        assert_eq!(
            found[0].2,
            "toy 1 answers unsat, but its source implies the script, and toy 1 answers sat to the source."
        );
    }

    #[test]
    fn accepts_what_the_relation_allows_and_what_another_solver_said() {
        let allowed = source(SourceStatus::Nothing, &[("toy 1", "sat")]);
        let stronger = verdicts(RelationKind::Stronger, &[reply("toy 1", "unsat")], allowed);
        assert_eq!(stronger, []);
        let other = source(SourceStatus::Nothing, &[("other 1", "sat")]);
        assert_eq!(
            verdicts(RelationKind::Weaker, &[reply("toy 1", "unsat")], other),
            []
        );
        let unknown = source(SourceStatus::Nothing, &[("toy 1", "unknown")]);
        assert_eq!(
            verdicts(RelationKind::Weaker, &[reply("toy 1", "unsat")], unknown),
            []
        );
    }

    #[test]
    fn a_model_of_the_source_tells_which_answer_is_wrong() {
        let mut told = source(SourceStatus::Nothing, &[("toy 1", "sat")]);
        let model = Some("((define-fun x () Int 1))".to_string());
        told.replies[0].answer = Answer::Sat { model };
        let found = verdicts(RelationKind::Weaker, &[reply("toy 1", "unsat")], told);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, Class::WrongUnsat);
    }

    #[test]
    fn what_is_known_of_the_source_convicts_without_asking() {
        let known = source(SourceStatus::Contradiction, &[]);
        let found = verdicts(RelationKind::Stronger, &[reply("toy 1", "sat")], known);
        assert_eq!(found[0].0, Class::WrongSat);
        assert!(
            found[0].2.contains("contradictory by construction"),
            "{found:?}"
        );
    }

    #[test]
    fn two_independent_families_convict_and_one_does_not() {
        let two = source(SourceStatus::Nothing, &[("a 1", "unsat"), ("b 1", "unsat")]);
        let found = verdicts(RelationKind::Stronger, &[reply("toy 1", "sat")], two);
        assert_eq!(found[0].0, Class::WrongSat);
        assert!(
            found[0]
                .2
                .contains("a 1 answers unsat to the source and b 1 answers unsat")
        );
        let one = source(
            SourceStatus::Nothing,
            &[("cvc4 1.8", "unsat"), ("cvc5 1", "unsat")],
        );
        assert_eq!(
            verdicts(RelationKind::Stronger, &[reply("toy 1", "sat")], one),
            []
        );
    }
}
