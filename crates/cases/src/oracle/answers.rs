//! The answers oracle: judges replies to other questions (an optimum, an interpolant, an invariant, …) by their
//! obligations. A model of the opposite of a claim proves the claim wrong, and so do two independent families of
//! solvers that give the excluded answer, of which the accused may be one; a solver that gives it alone contradicts
//! itself. The kinds are in `answers`.
//!
//! ```text
//! (assert (< x 5)) (maximize x) (check-sat) (get-objectives)     (objectives (x 3))
//! (assert (< x 5)) (assert (> x 3)) (check-sat)                  sat with x = 4: the optimum is wrong
//! ```

use super::differential::{is_extension, is_unsettled, some_operator};
use super::fact::SolverId;
use super::grounds::{Grounds, ModelOf, Refuted};
use super::{Class, FollowUp, Link, Oracle, QueryContext, Related, Reply, Side, Verdict};
use crate::answers::{Asked, Check, Kind, Obligation, asked_by};
use crate::case::Evidence;
use auspex_logic::model::{Model, ModelVerdict, read_model, validate_within};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Query, Script};
use std::collections::BTreeSet;

pub struct Answers;

/// The most obligations of one reply that are followed up.
const MOST: usize = 24;

/// An obligation of one reply.
pub(super) struct Claim {
    kind: Kind,
    /// Position among the questions of the reply; none for the answer to the query itself.
    question: Option<usize>,
    obligation: Obligation,
}

impl Oracle for Answers {
    fn name(&self) -> &'static str {
        "answers"
    }

    fn about(&self) -> &'static str {
        "A reply (an optimum, an interpolant, an invariant, …) is wrong if something it claims does not hold."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let mut all = Vec::new();
        for at in 0..context.replies.len() {
            for claim in claims(context, at) {
                all.extend(verdict(context, at, &claim));
            }
        }
        all
    }
}

/// What the replies to questions that belong to one reply commit its solver to.
fn claims(context: &mut QueryContext<'_>, at: usize) -> Vec<Claim> {
    let reply = &context.replies[at];
    if reply.has_no_answer() || reply.solver.has_partial_functions {
        return Vec::new();
    }
    let own = reply.side().map(|side| (None, side.word()));
    let questions = reply.questions.iter().enumerate();
    let questions = questions.map(|(number, one)| (Some(number), one.said.as_str()));
    let others = context.replies.iter();
    let others = others.filter(|other| other.solver != reply.solver);
    let others: Vec<&str> = others.filter_map(Reply::model).collect();
    let mut claims = Vec::new();
    for (question, said) in own.into_iter().chain(questions) {
        let command = question.map_or(context.query.command, |q| reply.questions[q].command);
        let Some(kind) = asked_by(context.terms, context.script, command) else {
            continue;
        };
        let answer = (command >= context.query.command).then_some(&reply.answer);
        let obligations = kind.obligations(&mut Asked {
            said,
            answer,
            evidence: context.evidence,
            others: &others,
            earlier: &reply.earlier,
            time_used: reply.time_used,
            ..Asked::new(context.terms, context.script, command)
        });
        // A reply that cannot be read has no obligations.
        let obligations = obligations.unwrap_or_default().into_iter();
        claims.extend(obligations.map(|obligation| Claim {
            kind: kind.kind(),
            question,
            obligation,
        }));
    }
    claims.truncate(MOST);
    claims
}

/// The scripts of obligations that were not asked yet; those of several replies that are the same script are one.
pub(super) fn follow_ups(context: &mut QueryContext<'_>) -> Vec<FollowUp> {
    let mut all: Vec<FollowUp> = Vec::new();
    for at in 0..context.replies.len() {
        for (number, claim) in claims(context, at).into_iter().enumerate() {
            let Some(script) = claim.script() else {
                continue;
            };
            let text = render::script(context.terms, script, Sharing::Auto);
            let asked = context.related.iter().any(|one| one.text == text);
            if !asked && all.iter().all(|one| one.text.as_ref() != Some(&text)) {
                all.push(FollowUp {
                    link: Link::Claim(at, number),
                    reply: at,
                    text: Some(text),
                });
            }
        }
    }
    all
}

impl Claim {
    fn script(&self) -> Option<&Script> {
        match &self.obligation.check {
            Check::Unsat(script) | Check::Sat(script) => Some(script),
            Check::Wrong(_) => None,
        }
    }
}

fn verdict(context: &mut QueryContext<'_>, at: usize, claim: &Claim) -> Option<Verdict> {
    // `unsat` claims that there is no invariant.
    let class = match (claim.question, context.replies[at].side()) {
        (None, Some(Side::Unsat)) => Class::WrongUnsat,
        _ => Class::Wrong(claim.kind),
    };
    let (class, refuted) = match &claim.obligation.check {
        Check::Wrong(found) => {
            let found = found.clone();
            (class, Refuted::Found { found })
        }
        Check::Unsat(script) => match model_of(context, script) {
            Some(of) => (class, Refuted::Model { of }),
            None => by_answers(context, at, script, (class, Side::Sat))?,
        },
        Check::Sat(script) => match model_of(context, script) {
            Some(_) => return None,
            None => by_answers(context, at, script, (class, Side::Unsat))?,
        },
    };
    let grounds = Grounds::Claim {
        question: claim.question,
        claim: claim.obligation.claim.clone(),
        refuted,
    };
    Some(Verdict::new(class, at, grounds))
}

/// An available model that makes every assertion of an obligation true.
fn model_of(context: &mut QueryContext<'_>, script: &Script) -> Option<ModelOf> {
    let query = script.queries().pop()?;
    if let Evidence::Witness(model) = context.evidence
        && has_same_datatypes(context.script, script)
        && holds(context, model, &query)
    {
        return Some(ModelOf::Case);
    }
    let mut texts: Vec<(ModelOf, &str)> = Vec::new();
    let related = related_to(context, script);
    if let Some((number, related)) = related {
        let replies = related.replies.iter().enumerate();
        let models = replies.filter_map(|(reply, said)| Some((reply, said.model()?)));
        texts.extend(models.map(|(reply, text)| (ModelOf::Related(number, reply), text)));
    }
    let replies = context.replies.iter().enumerate();
    let models = replies.filter_map(|(number, reply)| Some((number, reply.model()?)));
    texts.extend(models.map(|(number, text)| (ModelOf::Reply(number), text)));
    let found = texts.into_iter().find(|(_, text)| {
        let model = read_model(context.terms, script, text);
        model.is_ok_and(|model| holds(context, &model, &query))
    });
    found.map(|(of, _)| of)
}

fn holds(context: &QueryContext<'_>, model: &Model, query: &Query) -> bool {
    validate_within(context.terms, model, query, context.budget.work) == ModelVerdict::Valid
}

/// Values of datatypes mean something else where these were declared again.
fn has_same_datatypes(one: &Script, other: &Script) -> bool {
    let declared = |script: &Script| {
        let declarations = script.commands.iter();
        let declarations = declarations.filter(|c| matches!(c, Command::DeclareDatatypes(_)));
        declarations.cloned().collect::<Vec<Command>>()
    };
    declared(one) == declared(other)
}

/// What solvers were asked about an obligation.
fn related_to<'a>(context: &QueryContext<'a>, script: &Script) -> Option<(usize, &'a Related)> {
    let text = render::script(context.terms, script, Sharing::Auto);
    let mut related = context.related.iter().enumerate();
    related.find(|(_, one)| matches!(one.link, Link::Claim(..)) && one.text == text)
}

/// What the answers to an obligation prove if some take the side that the claim excludes.
fn by_answers(
    context: &QueryContext<'_>,
    at: usize,
    script: &Script,
    (class, excluded): (Class, Side),
) -> Option<(Class, Refuted)> {
    let query = script.queries().pop()?;
    if some_operator(context.terms, query.demands(), is_unsettled) {
        return None;
    }
    let (number, related) = related_to(context, script)?;
    let accused = &context.replies[at].solver;
    let against = |who: &dyn Fn(&SolverId) -> bool, side: Side| {
        let replies = related.replies.iter().enumerate();
        let some = replies.filter(|(_, reply)| {
            let solver = &reply.solver;
            reply.side() == Some(side) && !solver.has_partial_functions && who(solver)
        });
        some.map(|(reply, _)| reply).collect::<Vec<usize>>()
    };
    let told = |replies: Vec<usize>| Refuted::Answers {
        side: excluded,
        answers: replies.into_iter().map(|reply| (number, reply)).collect(),
    };
    let itself = against(&|solver| *solver == **accused, excluded);
    let others = against(&|solver| solver.family != accused.family, excluded);
    let denied = against(&|_| true, excluded.other());
    // The accused may be one of the two families that refute it.
    let refuting: Vec<usize> = itself.iter().chain(&others).copied().collect();
    let family = |reply: &usize| related.replies[*reply].solver.family.as_str();
    let families: BTreeSet<&str> = refuting.iter().map(family).collect();
    let is_standard = !some_operator(context.terms, query.demands(), is_extension);
    let needs_point = matches!(class, Class::Wrong(kind) if kind.needs_point());
    if families.len() >= 2 && denied.is_empty() && is_standard && !needs_point {
        return Some((class, told(refuting)));
    }
    if !itself.is_empty() && !needs_point {
        return Some((Class::SelfContradiction, told(itself)));
    }
    let some = against(&|_| true, excluded);
    if !denied.is_empty() && needs_point {
        return None;
    }
    (!some.is_empty()).then(|| (Class::Disagreement, told(some)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::{reply, with_context};
    use crate::oracle::{QuestionReply, judge};

    const SCRIPT: &str =
        "(declare-const a Real)(assert (< a 0.0))(maximize a)(check-sat)(get-objectives)";

    /// The classes of a reply of z3 to `(get-objectives)`, and whether it is accused; each claim that needs asking is
    /// answered by these solvers with these words.
    fn classes(said: &str, words: &[(&str, &str)]) -> Vec<Class> {
        let mut accused = reply("z3 4.16.0", "sat");
        accused.questions.push(QuestionReply {
            command: 4,
            question: "(get-objectives)".to_string(),
            said: said.to_string(),
        });
        let replies = [accused];
        let nothing = Evidence::NoneKnown;
        let wanted = with_context(SCRIPT, &nothing, &replies, &[], follow_ups);
        let related = wanted.into_iter().filter_map(|one| {
            let replies = words.iter().map(|(who, word)| reply(who, word));
            Some(Related {
                replies: replies.collect(),
                ..Related::unasked(one.link, one.text?)
            })
        });
        let related: Vec<Related> = related.collect();
        let verdicts = with_context(SCRIPT, &nothing, &replies, &related, judge);
        verdicts.into_iter().map(|one| one.class).collect()
    }

    #[test]
    fn flags_a_claim_that_two_families_refute() {
        let wrong = [Class::Wrong(Kind::Optimum)];
        let unbounded = "(objectives (a oo))";
        let both = [("cvc5 1.4.2", "unsat"), ("yices 2.6.5", "unsat")];
        assert_eq!(classes(unbounded, &both), wrong);
        let itself = [("z3 4.16.0", "unsat"), ("cvc5 1.4.2", "unsat")];
        assert_eq!(
            classes(unbounded, &itself),
            wrong,
            "the accused is one of them"
        );
    }

    #[test]
    fn one_family_proves_nothing_about_who_is_wrong() {
        let unbounded = "(objectives (a oo))";
        let itself = [("z3 4.16.0", "unsat")];
        assert_eq!(classes(unbounded, &itself), [Class::SelfContradiction]);
        assert_eq!(
            classes(unbounded, &[("cvc5 1.4.2", "unsat")]),
            [Class::Disagreement]
        );
        let torn = [("z3 4.16.0", "sat"), ("cvc5 1.4.2", "unsat")];
        assert_eq!(classes(unbounded, &torn), [Class::Disagreement]);
    }

    #[test]
    fn accepts_honest_solver() {
        let right = "(objectives (a (* (- 1.0) epsilon)))";
        assert_eq!(classes(right, &[]), []);
        assert_eq!(classes("(objectives (a maybe))", &[]), [], "unreadable");
    }
}
