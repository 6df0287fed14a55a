//! The slowness oracle: a small script that one solver answers at once and another not within the whole time limit.
//!
//! ```text
//! z3 5.4.0: sat in 0.02 s, z3 4.13.0: timeout after 1 s      z3 4.13.0 is slow
//! z3 5.4.0: sat in 0.02 s, z3 4.13.0: sat in 0.3 s           nothing to complain about
//! ```
//! Times are processor times, so that a busy machine does not matter. Slowness is never a bug. The idea of searching
//! for it is from BanditFuzz and StringFuzz.

use super::grounds::Grounds;
use super::{Class, Oracle, QueryContext, Reply, Verdict};
use crate::case::Expected;
use auspex_logic::{Answer, TermId};
use rustc_hash::FxHashSet;

pub struct Slowness;

/// The slow solver takes at least this many times as long as the fast one.
pub const RATIO: u32 = 50;
/// The most distinct terms of a small query.
const SMALL: usize = 200;

impl Oracle for Slowness {
    fn name(&self) -> &'static str {
        "slowness"
    }

    fn about(&self) -> &'static str {
        "A solver is slow if a small script takes it the whole time limit and fifty times as long as another solver."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let Some(least) = context.budget.slow_from else {
            return Vec::new();
        };
        let expected = context.evidence.expected();
        let replies = context.replies.iter().enumerate();
        let quick = replies.filter(|(_, reply)| is_answer(reply, expected));
        let quick = quick.filter_map(|(at, reply)| Some((reply.time?, at)));
        let Some((time, quick)) = quick.min() else {
            return Vec::new();
        };
        let least = least.max(time * RATIO);
        let slow =
            |reply: &Reply| !is_over(&reply.answer) && reply.time.is_some_and(|t| t >= least);
        let replies = context.replies.iter().enumerate();
        let slow: Vec<usize> = replies
            .filter(|(_, reply)| slow(reply))
            .map(|(at, _)| at)
            .collect();
        if slow.is_empty() || !is_small(context) {
            return Vec::new();
        }
        let grounds = Grounds::Slower { than: quick };
        let verdict = |at| Verdict::new(Class::Slowness, at, grounds.clone());
        slow.into_iter().map(verdict).collect()
    }
}

/// Whether a reply is an answer that is right as far as we know.
fn is_answer(reply: &Reply, expected: Option<Expected>) -> bool {
    match &reply.answer {
        Answer::Sat { .. } => expected != Some(Expected::Unsat),
        Answer::Unsat { .. } => expected != Some(Expected::Sat),
        _ => false,
    }
}

/// Whether something other than time ended it.
fn is_over(answer: &Answer) -> bool {
    match answer {
        Answer::Timeout | Answer::Sat { .. } | Answer::Unsat { .. } => false,
        Answer::Unknown { .. }
        | Answer::OutOfMemory
        | Answer::Rejected { .. }
        | Answer::Crashed(_)
        | Answer::Garbled { .. } => true,
    }
}

fn is_small(context: &QueryContext<'_>) -> bool {
    let asserted = context.query.assertions.iter().map(|a| a.term);
    let mut stack: Vec<TermId> = asserted.collect();
    let mut seen = FxHashSet::default();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend_from_slice(context.terms.args(term));
        }
        if seen.len() > SMALL {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Evidence, Relation, RelationKind, SeedStatus};
    use crate::oracle::Budget;
    use crate::oracle::tests::{PLAIN, reply, with_context};
    use ::core::time::Duration;

    const LIMIT: Option<Duration> = Some(Duration::from_secs(1));

    /// Who is slow, if solvers take so many milliseconds.
    fn slow_given(
        evidence: &Evidence,
        slow_from: Option<Duration>,
        times: &[(&str, u64)],
    ) -> Vec<usize> {
        let names = ["a 1", "b 1", "c 1"].into_iter().zip(times);
        let timed = names.map(|(name, (word, ms))| Reply {
            time: Some(Duration::from_millis(*ms)),
            ..reply(name, word)
        });
        let timed: Vec<Reply> = timed.collect();
        with_context(PLAIN, evidence, &timed, &[], |context| {
            context.budget = Budget {
                slow_from,
                ..Budget::THOROUGH
            };
            let all = Slowness.judge(context);
            all.iter().flat_map(|v| v.accused.clone()).collect()
        })
    }

    fn slow(slow_from: Option<Duration>, times: &[(&str, u64)]) -> Vec<usize> {
        slow_given(&Evidence::NoneKnown, slow_from, times)
    }

    #[test]
    fn flags_who_needs_the_whole_limit_for_what_another_answers_at_once() {
        assert_eq!(slow(LIMIT, &[("sat", 9), ("timeout", 1000)]), [1]);
        assert_eq!(
            slow(LIMIT, &[("sat", 2000), ("unsat", 20), ("timeout", 1100)]),
            [0, 2]
        );
    }

    #[test]
    fn accepts_who_is_slow_with_others_or_ends_for_another_reason() {
        assert_eq!(slow(LIMIT, &[("sat", 21), ("timeout", 1000)]), [0usize; 0]);
        assert_eq!(slow(LIMIT, &[("sat", 1), ("timeout", 900)]), [0usize; 0]);
        assert_eq!(slow(LIMIT, &[("sat", 1), ("unknown", 2000)]), [0usize; 0]);
        assert_eq!(slow(LIMIT, &[("timeout", 1000)]), [0usize; 0]);
        assert_eq!(slow(None, &[("sat", 1), ("timeout", 9000)]), [0usize; 0]);
    }

    #[test]
    fn a_wrong_answer_is_no_quick_one() {
        let evidence = Evidence::Relation(Relation {
            kind: RelationKind::Weaker,
            sources: Vec::new(),
            status: Some(SeedStatus::ProvedSat),
        });
        let found = slow_given(&evidence, LIMIT, &[("unsat", 1), ("timeout", 2000)]);
        assert_eq!(found, [0usize; 0]);
    }
}
