//! The consistency oracle: a solver must give one answer to one query, however it is asked: inside an incremental
//! script or alone, with these options or those. If it contradicts itself, one of its answers is wrong.
//!
//! ```text
//! (push 1) (assert p) (check-sat) (pop 1) (assert q) (check-sat)     second answer: unsat
//! (assert q) (check-sat)                                             sat: the solver contradicts itself
//! ```

use super::grounds::{Grounds, ModelOf};
use super::{Class, Link, Oracle, QueryContext, Side, Verdict};
use std::collections::BTreeMap;

pub struct Consistency;

impl Oracle for Consistency {
    fn name(&self) -> &'static str {
        "consistency"
    }

    fn about(&self) -> &'static str {
        "One release of a solver answers the same question with sat and with unsat: it contradicts itself."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let mut releases: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
        for (at, reply) in context.replies.iter().enumerate() {
            let Some(side) = reply.side() else { continue };
            let sides = releases.entry(reply.solver.release_title()).or_default();
            sides[usize::from(side == Side::Unsat)].push(at);
        }
        let torn = releases.into_values().filter_map(|[sat, unsat]| {
            let (one, other) = (*sat.first()?, *unsat.first()?);
            let grounds = Grounds::TwoAnswers {
                sat: one,
                unsat: other,
            };
            Some(Verdict {
                accused: sat.into_iter().chain(unsat).collect(),
                ..Verdict::new(Class::SelfContradiction, one, grounds)
            })
        });
        let torn: Vec<Verdict> = torn.collect();
        let all = 0..context.replies.len();
        torn.into_iter()
            .chain(
                all.filter_map(|at| in_other_form(context, at))
                    .collect::<Vec<_>>(),
            )
            .collect()
    }
}

/// A reply that the same solver contradicts for the same assertions in another form.
fn in_other_form(context: &mut QueryContext<'_>, at: usize) -> Option<Verdict> {
    let side = context.replies[at].side()?;
    let accused = context.replies[at].solver.clone();
    let related = context.related.iter().enumerate();
    let mut forms = related
        .filter(|(_, one)| matches!(one.link, Link::Alone | Link::Pushed | Link::Spelled(_)));
    let answer = forms.find_map(|(number, one)| {
        let mut replies = one.replies.iter();
        let reply = replies
            .position(|reply| reply.solver == accused && reply.side() == Some(side.other()))?;
        Some((number, reply))
    })?;
    let (number, reply) = answer;
    // A model of the same assertions shows which answer is wrong.
    let model = context.related[number].replies[reply].model();
    if let Some(text) = model.map(str::to_string)
        && side == Side::Unsat
        && context.is_valid(&text)
    {
        let of = ModelOf::Related(number, reply);
        return Some(Verdict::new(
            Class::WrongUnsat,
            at,
            Grounds::ValidModel { of },
        ));
    }
    let grounds = Grounds::OtherForm { answer };
    Some(Verdict::new(Class::SelfContradiction, at, grounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::{reply, verdicts_of};
    use crate::oracle::{Form, Reply};

    /// The sentences about one release asked twice, and about another one.
    fn classes(replies: &[(&str, Form, &str)]) -> Vec<Class> {
        let replies: Vec<Reply> = replies
            .iter()
            .map(|(solver, form, word)| Reply {
                form: *form,
                ..reply(solver, word)
            })
            .collect();
        verdicts_of(&replies).into_iter().map(|v| v.class).collect()
    }

    #[test]
    fn flags_a_solver_that_contradicts_itself() {
        let found = classes(&[
            ("z3 5.4.0", Form::Script, "sat"),
            ("z3 5.4.0", Form::Exact, "unsat"),
        ]);
        assert_eq!(found, [Class::SelfContradiction]);
    }

    #[test]
    fn accepts_one_answer_and_leaves_other_releases_alone() {
        let open = [
            ("z3 5.4.0", Form::Script, "sat"),
            ("z3 5.4.0", Form::Exact, "unknown"),
        ];
        assert_eq!(classes(&open), []);
        let releases = [
            ("z3 5.4.0", Form::Script, "sat"),
            ("z3 4.8.12", Form::Script, "unsat"),
        ];
        assert_eq!(classes(&releases), [Class::Disagreement]);
    }
}
