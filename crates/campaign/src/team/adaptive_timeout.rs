//! How long a solver is worth waiting for, learnt from how it answers.
//!
//! One query in a hundred takes most of the time of all and hardly ever ends in an answer.
//! So a solver gets as much time as keeps what is lost by waiting for nothing within its share:
//! less time if more is lost, more time if hardly anything is.

use auspex_solvers::Limits;
use std::time::Duration;

/// What a solver gets at the start: most small scripts are answered in a few milliseconds.
const FIRST: Duration = Duration::from_millis(16);
/// The least that it gets.
const LEAST: Duration = Duration::from_millis(4);
/// The share of the time that may be lost, at most and at least, as one of so many.
const MOST_LOST: u32 = 3;
const LEAST_LOST: u32 = 12;
/// Where fewer than one query in so many is answered, the time is too short for these scripts.
const FEWEST: u32 = 4;
/// So many queries, which take so many times the limit, tell how much is lost.
const QUERIES: u32 = 128;
const LIMITS: u32 = 16;
/// A process needs time for its start, and to notice that its time is over.
const SLACK: Duration = Duration::from_millis(500);

/// What one solver gets for one query at first.
#[derive(Clone, Debug)]
pub struct AdaptiveTimeout {
    whole: Limits,
    /// None where the solver always gets the whole time limit.
    limit: Option<Duration>,
    queries: u32,
    answers: u32,
    /// The time of all queries, and of those without an answer.
    all: Duration,
    lost: Duration,
}

impl AdaptiveTimeout {
    /// One that learns.
    pub fn learning(whole: &Limits) -> AdaptiveTimeout {
        let limit = whole.soft.map(|soft| FIRST.min(soft));
        AdaptiveTimeout {
            limit,
            ..AdaptiveTimeout::fixed(whole)
        }
    }

    /// One that never gives up before the time limit.
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

    /// What the next query may use.
    pub fn limits(&self) -> Limits {
        self.limit
            .map_or_else(|| self.whole.clone(), |limit| shortened(&self.whole, limit))
    }

    /// Whether a query gets less than the whole time limit.
    pub fn is_shortened(&self) -> bool {
        self.limit.is_some() && self.limit < self.whole.soft
    }

    /// Learns how long a query took, and says whether its limits are others from now on.
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
