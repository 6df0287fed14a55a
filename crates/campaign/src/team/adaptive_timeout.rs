//! An adaptive time limit for a solver, learned from its answers. One query in a hundred takes most of the time and
//! hardly ever gets an answer. So the limit is chosen such that the time lost on unanswered queries stays within a
//! share: shorter if more is lost, longer if hardly anything is.

use auspex_solvers::Limits;
use std::time::Duration;

/// The initial limit: most small scripts are answered in a few milliseconds.
const FIRST: Duration = Duration::from_millis(16);
/// The shortest limit.
const LEAST: Duration = Duration::from_millis(4);
/// The largest and the smallest share of time that may be lost, as one part in this many.
const MOST_LOST: u32 = 3;
const LEAST_LOST: u32 = 12;
/// If fewer than one query in this many is answered, the limit is too short.
const FEWEST: u32 = 4;
/// The number of queries, and their total time in limits, after which the limit is adapted.
const QUERIES: u32 = 128;
const LIMITS: u32 = 16;
/// Additional time for the start of a process, and for noticing the timeout.
const SLACK: Duration = Duration::from_millis(500);

/// The limit of a solver's first attempt at a query.
#[derive(Clone, Debug)]
pub struct AdaptiveTimeout {
    whole: Limits,
    /// None if the solver always gets the whole time limit.
    limit: Option<Duration>,
    queries: u32,
    answers: u32,
    /// The time of all queries, and of those without an answer.
    all: Duration,
    lost: Duration,
}

impl AdaptiveTimeout {
    /// An adaptive limit.
    pub fn learning(whole: &Limits) -> AdaptiveTimeout {
        let limit = whole.soft.map(|soft| FIRST.min(soft));
        AdaptiveTimeout {
            limit,
            ..AdaptiveTimeout::fixed(whole)
        }
    }

    /// The whole time limit, always.
    pub fn fixed(whole: &Limits) -> AdaptiveTimeout {
        AdaptiveTimeout {
            whole: whole.clone(),
            limit: None,
            queries: 0,
            answers: 0,
            all: Duration::ZERO,
            lost: Duration::ZERO,
        }
    }

    /// The limits of the next query.
    pub fn limits(&self) -> Limits {
        self.limit
            .map_or_else(|| self.whole.clone(), |limit| shortened(&self.whole, limit))
    }

    /// Whether a query gets less than the whole time limit.
    pub fn is_shortened(&self) -> bool {
        self.limit.is_some() && self.limit < self.whole.soft
    }

    /// Records how long a query took; returns whether the limits change.
    pub fn note(&mut self, took: Duration, timed_out: bool) -> bool {
        let (Some(limit), Some(whole)) = (self.limit, self.whole.soft) else {
            return false;
        };
        self.queries += 1;
        self.all += took;
        match timed_out {
            true => self.lost += took,
            false => self.answers += 1,
        }
        if self.queries < QUERIES || self.all < limit * LIMITS {
            return false;
        }
        let better = self.better(limit).clamp(LEAST.min(whole), whole);
        *self = AdaptiveTimeout {
            limit: Some(better),
            ..AdaptiveTimeout::fixed(&self.whole)
        };
        better != limit
    }

    fn better(&self, limit: Duration) -> Duration {
        let too_short = self.answers * FEWEST < self.queries;
        if too_short || self.lost * LEAST_LOST < self.all {
            limit * 2
        } else if self.lost * MOST_LOST > self.all {
            limit / 2
        } else {
            limit
        }
    }
}

/// The same limits with less time.
pub fn shortened(whole: &Limits, limit: Duration) -> Limits {
    let soft = whole.soft.map(|soft| soft.min(limit));
    let wall = limit * 2 + SLACK;
    Limits {
        soft,
        wall: wall.min(whole.wall),
        ..whole.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Duration = Duration::from_millis(3200);

    fn limits() -> Limits {
        Limits {
            soft: Some(WHOLE),
            wall: WHOLE * 2,
            ..Limits::default()
        }
    }

    /// The time limit after many queries that take `usual`, but for one of `rare` that never ends.
    fn learnt(usual: Duration, rare: u32) -> Duration {
        let mut timeout = AdaptiveTimeout::learning(&limits());
        for query in 1..20_000 {
            let limit = timeout.limits().soft.unwrap();
            let timed_out = query % rare == 0 || usual > limit;
            let took = if timed_out { limit } else { usual };
            timeout.note(took, timed_out);
        }
        timeout.limits().soft.unwrap()
    }

    #[test]
    fn waits_less_where_waiting_brings_nothing() {
        let quick = learnt(Duration::from_millis(1), 100);
        assert!(quick <= WHOLE / 32, "{quick:?}");
        assert_eq!(learnt(Duration::from_micros(10), 2), LEAST);
    }

    #[test]
    fn waits_as_long_as_it_pays() {
        let thorough = learnt(Duration::from_millis(200), 100);
        assert!(thorough >= WHOLE / 8, "{thorough:?}");
        assert_eq!(learnt(Duration::from_millis(200), u32::MAX), WHOLE);
    }

    #[test]
    fn some_never_hurry() {
        let mut steady = AdaptiveTimeout::fixed(&limits());
        assert!(!steady.is_shortened());
        for _ in 0..1000 {
            assert!(!steady.note(WHOLE, true));
        }
        assert_eq!(steady.limits(), limits());
    }

    #[test]
    fn a_process_that_does_not_stop_by_itself_is_ended_soon() {
        let hundred = Duration::from_millis(100);
        let short = shortened(&limits(), hundred);
        assert_eq!(short.soft, Some(hundred));
        assert_eq!(short.wall, Duration::from_millis(700));
        assert_eq!(shortened(&limits(), WHOLE).wall, limits().wall);
    }
}
