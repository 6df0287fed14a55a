//! A small script that one solver answers at once and another does not within the whole time limit.
//!
//! ```text
//! z3 5.4.0: sat in 0.02 s, z3 4.13.0: timeout after 1 s      z3 4.13.0 is slow
//! z3 5.4.0: sat in 0.02 s, z3 4.13.0: sat in 0.3 s           nothing to complain about
//! ```
//!
//! Times are processor times, so that a busy machine slows nobody down. It is no wrong answer and never counts as a
//! bug. The idea of looking for it is that of BanditFuzz and StringFuzz.

use super::{Class, Complaint, Oracle, Reply, Trial};
use crate::case::Expected;
use ::core::time::Duration;
use auspex_logic::{Answer, TermId};
use rustc_hash::FxHashSet;

pub struct Performance;

/// The slow one takes at least so many times what the quick one takes.
pub const RATIO: u32 = 50;
/// A query of more different terms is not small.
const SMALL: usize = 200;

impl Oracle for Performance {
    fn name(&self) -> &'static str {
        "performance"
    }

    fn about(&self) -> &'static str {
        "A solver that needs the whole time limit, and fifty times as long as another, for a small script is slow."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let Some(patience) = trial.care.patience else {
            return Vec::new();
        };
        let expected = trial.evidence.expected();
        let quick = trial.replies.iter().filter(|r| is_answer(r, expected));
        let quick = quick.filter_map(|r| Some((r.time?, r.solver.as_str())));
        let Some((time, quick)) = quick.min() else {
            return Vec::new();
        };
        let least = patience.max(time * RATIO);
        let slow =
            |reply: &Reply| !is_over(&reply.answer) && reply.time.is_some_and(|t| t >= least);
        let replies = trial.replies.iter().enumerate();
        let slow: Vec<(usize, &Reply)> = replies.filter(|(_, reply)| slow(reply)).collect();
        if slow.is_empty() || !is_small(trial) {
            return Vec::new();
        }
        let complaint = |(at, reply): (usize, &Reply)| Complaint {
            class: Class::Performance,
            accused: vec![at],
            why: format!(
                "{} has {} after {} of processor time; {quick} needs {}.",
                reply.solver,
                match &reply.answer {
                    Answer::Timeout => "no answer",
                    _ => "an answer",
                },
                seconds(reply.time.unwrap_or_default()),
                seconds(time)
            ),
            site: String::new(),
        };
        slow.into_iter().map(complaint).collect()
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// Whether a reply answers the question, as far as we know rightly.
fn is_answer(reply: &Reply, expected: Option<Expected>) -> bool {
    match &reply.answer {
        Answer::Sat { .. } => expected != Some(Expected::Unsat),
        Answer::Unsat { .. } => expected != Some(Expected::Sat),
        _ => false,
    }
}

/// Whether something else than time ended it.
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

fn is_small(trial: &Trial<'_>) -> bool {
    let asserted = trial.query.assertions.iter().map(|a| a.term);
    let mut stack: Vec<TermId> = asserted.collect();
    let mut seen = FxHashSet::default();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend_from_slice(trial.terms.args(term));
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
    use crate::case::{Direction, Evidence, SeedStatus};
    use crate::oracle::Care;
    use crate::oracle::tests::with_trial;

    const LIMIT: Option<Duration> = Some(Duration::from_secs(1));

    /// Who is slow, if solvers take so many milliseconds.
    fn slow(patience: Option<Duration>, times: &[(&str, u64)]) -> Vec<usize> {
        let names = ["a 1", "b 1", "c 1"];
        let words: Vec<(&str, &str)> = names.into_iter().zip(times.iter().map(|t| t.0)).collect();
        with_trial(&words, |trial| {
            let timed = trial
                .replies
                .iter()
                .zip(times)
                .map(|(reply, (_, ms))| Reply {
                    time: Some(Duration::from_millis(*ms)),
                    ..reply.clone()
                });
            let timed: Vec<Reply> = timed.collect();
            let mut trial = Trial {
                replies: &timed,
                care: Care {
                    patience,
                    ..Care::THOROUGH
                },
                terms: trial.terms,
                ..*trial
            };
            let all = Performance.judge(&mut trial);
            all.iter().flat_map(|c| c.accused.clone()).collect()
        })
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
        with_trial(&[("a 1", "unsat"), ("b 1", "timeout")], |trial| {
            let evidence = Evidence::Approximation {
                direction: Direction::Weaker,
                seed: SeedStatus::ProvedSat,
            };
            let times = [1, 2000].map(|ms| Some(Duration::from_millis(ms)));
            let timed = trial.replies.iter().zip(times);
            let timed: Vec<Reply> = timed
                .map(|(reply, time)| Reply {
                    time,
                    ..reply.clone()
                })
                .collect();
            let mut trial = Trial {
                replies: &timed,
                care: Care {
                    patience: LIMIT,
                    ..Care::THOROUGH
                },
                evidence: &evidence,
                terms: trial.terms,
                ..*trial
            };
            assert_eq!(Performance.judge(&mut trial), []);
        });
    }
}
