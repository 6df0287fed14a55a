//! Arms: the strategies, theories, modes and options that a block can be made and asked with. What a block earns is
//! credited to its arms, and later blocks choose by what each arm earns in a second, with a guaranteed minimum for each.
//!
//! The schedule may follow the answers and the clock, because a replay line makes the same case whatever led to it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The guaranteed part of an arm's usual share of the time.
const FLOOR: f64 = 0.2;
/// The decay of the past per try.
const MEMORY: f64 = 0.98;
/// What is assumed of an arm before it is tried: as much as was usual so far in this many seconds.
const ASSUMED: f64 = 2.0;
/// The usual seconds of a block, before any is tried.
const BLOCK_SECONDS: f64 = 0.3;
/// The most seconds that an earlier campaign counts for.
const CARRIED: f64 = 10.0;
/// The most arms that are kept.
const MOST: usize = 2000;

/// What a block brought. A new kind of reward is a new field here, with its worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Earned {
    /// Bugs; one of a kind that is known already counts for less.
    pub bugs: f64,
    /// Answers, messages and crash sites that are new for the theories.
    pub behaviour: u64,
    /// Operators in a new context.
    pub features: u64,
    /// Edges of instrumented solvers that were reached for the first time.
    pub edges: u64,
}

impl Earned {
    /// Everything in one number; bugs count most.
    pub fn worth(&self) -> f64 {
        100.0 * self.bugs + self.behaviour as f64 + 0.02 * (self.features + self.edges) as f64
    }
}

impl AddAssign for Earned {
    fn add_assign(&mut self, more: Earned) {
        self.bugs += more.bugs;
        self.behaviour += more.behaviour;
        self.features += more.features;
        self.edges += more.edges;
    }
}

/// The yield of one arm, with decay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Arm {
    pub blocks: f64,
    pub seconds: f64,
    pub worth: f64,
}

/// All arms by name: `strategy construct`, `theory fp`, `mode fresh`, `option z3 smt.arith`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arms(BTreeMap<String, Arm>);

/// What can be chosen, with its usual share of the time.
pub type Choice<'a> = (&'a str, u32);

impl Arms {
    /// Records a block that was tried with these arms.
    pub fn note<'a>(&mut self, arms: impl Iterator<Item = &'a str>, seconds: f64, earned: Earned) {
        for name in arms {
            if self.0.len() >= MOST && !self.0.contains_key(name) {
                continue;
            }
            let arm = self.0.entry(name.to_string()).or_default();
            arm.fade(MEMORY);
            arm.add(&Arm {
                blocks: 1.0,
                seconds,
                worth: earned.worth(),
            });
        }
    }

    /// The weight of each choice in a draw for a block. Shares are of time, so a choice with long blocks is drawn less
    /// often.
    pub fn weights<'a>(&self, choices: impl Iterator<Item = Choice<'a>>) -> Vec<u32> {
        let choices: Vec<(Arm, f64)> = choices
            .map(|(name, usual)| (self.0.get(name).copied().unwrap_or_default(), usual.into()))
            .collect();
        let mut all = Arm::default();
        choices.iter().for_each(|(arm, _)| all.add(arm));
        let usual_rate = (all.worth + 1.0) / (all.seconds + 1.0);
        let usual_seconds = (all.seconds + BLOCK_SECONDS) / (all.blocks + 1.0);
        let rate = |arm: &Arm| (arm.worth + ASSUMED * usual_rate) / (arm.seconds + ASSUMED);
        let length = |arm: &Arm| (arm.seconds + usual_seconds) / (arm.blocks + 1.0);
        let best = choices.iter().map(|(arm, _)| rate(arm)).fold(0.0, f64::max);
        let weight = |(arm, usual): &(Arm, f64)| {
            let share = FLOOR + (1.0 - FLOOR) * rate(arm) / best;
            let often = usual_seconds / length(arm);
            (1000.0 * usual * share * often).clamp(1.0, 1e8) as u32
        };
        choices.iter().map(weight).collect()
    }

    /// Adds what other processes learned.
    pub fn add(&mut self, others: &Arms) {
        for (name, more) in &others.0 {
            if self.0.len() < MOST || self.0.contains_key(name) {
                self.0.entry(name.clone()).or_default().add(more);
            }
        }
    }

    /// The same, as a hint for another campaign: it counts for a few seconds only, so that what it learns itself soon
    /// decides. What other campaigns may not have is left out.
    pub fn hint(&self) -> Arms {
        let known = self.0.iter().filter(|(_, arm)| arm.is_sound());
        let carried = known.take(MOST).map(|(name, arm)| {
            let mut arm = *arm;
            arm.fade((CARRIED / arm.seconds.max(CARRIED)).min(1.0));
            (name.clone(), arm)
        });
        Arms(carried.collect())
    }

    /// The arms by name, for display.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arm)> {
        self.0.iter().map(|(name, arm)| (name.as_str(), arm))
    }
}

impl Arm {
    fn fade(&mut self, by: f64) {
        self.blocks *= by;
        self.seconds *= by;
        self.worth *= by;
    }

    fn add(&mut self, more: &Arm) {
        self.blocks += more.blocks;
        self.seconds += more.seconds;
        self.worth += more.worth;
    }

    /// Whether its numbers can be ones that were noted.
    fn is_sound(&self) -> bool {
        let all = [self.blocks, self.seconds, self.worth];
        all.iter()
            .all(|number| number.is_finite() && *number >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(arms: &Arms) -> Vec<u32> {
        arms.weights([("a", 10), ("b", 10), ("c", 40)].into_iter())
    }

    fn bugs(bugs: f64) -> Earned {
        Earned {
            bugs,
            ..Earned::default()
        }
    }

    #[test]
    fn what_finds_bugs_gets_more_and_the_floor_stays() {
        let mut arms = Arms::default();
        let before = weights(&arms);
        assert_eq!(before[0], before[1], "at first as usual");
        assert!((3.9..4.1).contains(&(f64::from(before[2]) / f64::from(before[0]))));
        for _ in 0..200 {
            arms.note(["a"].into_iter(), 1.0, bugs(0.1));
            arms.note(["b", "c"].into_iter(), 1.0, bugs(0.0));
        }
        let now = weights(&arms);
        assert!(now[0] > 4 * now[1], "{now:?}");
        assert!(now[1] * 6 > now[0], "{now:?}");
        assert!(now[0] > now[2], "{now:?}");
    }

    #[test]
    fn shares_are_of_time() {
        let mut arms = Arms::default();
        for _ in 0..200 {
            arms.note(["a"].into_iter(), 1.0, bugs(0.1));
            arms.note(["b"].into_iter(), 4.0, bugs(0.4));
        }
        let now = weights(&arms);
        let ratio = f64::from(now[0]) / f64::from(now[1]);
        assert!((3.5..4.5).contains(&ratio), "{now:?}");
    }

    #[test]
    fn the_past_fades() {
        let mut arms = Arms::default();
        arms.note(["a"].into_iter(), 1.0, bugs(1.0));
        arms.note(["b"].into_iter(), 1.0, bugs(0.0));
        let early = weights(&arms);
        assert!(2 * early[0] > 3 * early[1], "{early:?}");
        for _ in 0..500 {
            arms.note(["a", "b"].into_iter(), 1.0, bugs(0.0));
        }
        let late = weights(&arms);
        assert!(2 * late[0] < 3 * late[1], "{late:?}");
    }

    #[test]
    fn a_hint_counts_for_little_and_damage_for_nothing() {
        let mut arms = Arms::default();
        for _ in 0..300 {
            arms.note(["a"].into_iter(), 1.0, bugs(1.0));
        }
        arms.0.insert(
            "z".to_string(),
            Arm {
                blocks: 1.0,
                seconds: f64::NAN,
                worth: -1.0,
            },
        );
        let hint = arms.hint();
        assert!(hint.0["a"].seconds <= CARRIED + 0.1);
        assert!(!hint.0.contains_key("z"));
        let rate = |arms: &Arms| arms.0["a"].worth / arms.0["a"].seconds;
        assert!((rate(&hint) - rate(&arms)).abs() < 1e-6);
    }
}
