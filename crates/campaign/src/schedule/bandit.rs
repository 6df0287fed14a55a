//! A bandit that shares time among modes and options by the new outcomes they bring, with a guaranteed minimum for
//! each. Modes and options do not decide which cases are made, so randomness in the answers does no harm.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The guaranteed part of an arm's usual weight, in thousandths.
const FLOOR: f64 = 250.0;
/// The decay of the past per try.
const MEMORY: f64 = 0.98;

/// The yield of one arm, with decay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    pub seconds: f64,
    pub news: f64,
}

/// All arms by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bandit(BTreeMap<String, Arm>);

impl Bandit {
    /// Records a try of an arm.
    pub fn note(&mut self, name: &str, seconds: f64, news: u64) {
        let arm = self.0.entry(name.to_string()).or_default();
        arm.seconds = arm.seconds * MEMORY + seconds;
        arm.news = arm.news * MEMORY + news as f64;
    }

    /// The weight of each arm, from its usual one.
    pub fn weights<'a>(&self, arms: impl Iterator<Item = (&'a str, u32)>) -> Vec<u32> {
        let arms: Vec<(f64, u32)> = arms.map(|(name, usual)| (self.rate(name), usual)).collect();
        let best = arms.iter().map(|(rate, _)| *rate).fold(0.0, f64::max);
        let weight = |rate: f64, usual: u32| {
            let share = FLOOR + (1000.0 - FLOOR) * rate / best.max(f64::MIN_POSITIVE);
            (f64::from(usual) * share) as u32
        };
        arms.into_iter()
            .map(|(rate, usual)| weight(rate, usual).max(1))
            .collect()
    }

    /// New outcomes per second; an untried arm is assumed to bring one at once.
    fn rate(&self, name: &str) -> f64 {
        let arm = self.0.get(name).copied().unwrap_or_default();
        (arm.news + 1.0) / (arm.seconds + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(bandit: &Bandit) -> Vec<u32> {
        bandit.weights([("a", 10), ("b", 10), ("c", 40)].into_iter())
    }

    #[test]
    fn what_brings_news_gets_more_and_the_floor_stays() {
        let mut bandit = Bandit::default();
        assert_eq!(
            weights(&bandit),
            [10_000, 10_000, 40_000],
            "at first as usual"
        );
        for _ in 0..200 {
            bandit.note("a", 1.0, 5);
            bandit.note("b", 1.0, 0);
            bandit.note("c", 1.0, 0);
        }
        let now = weights(&bandit);
        assert_eq!(now[0], 10_000);
        assert!((2_500..3_000).contains(&now[1]), "{now:?}");
        assert!((10_000..12_000).contains(&now[2]), "{now:?}");
    }

    #[test]
    fn the_past_fades() {
        let mut bandit = Bandit::default();
        bandit.note("a", 1.0, 100);
        let before = bandit.rate("a");
        (0..500).for_each(|_| bandit.note("a", 1.0, 0));
        assert!(bandit.rate("a") < before / 100.0);
    }
}
