//! The walk of a campaign: strategies that walk their cases in order have every sixteenth block, and go on where earlier
//! campaigns with the same releases ended.

use crate::schedule::plan::{BLOCK, BlockPlan};
use auspex_cases::Strategy;
use auspex_cases::strategy::scopes::coverage;
use auspex_logic::Theory;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// Of so many blocks one belongs to a strategy that walks its cases, if there are other strategies.
const EVERY: u64 = 16;

/// After how many blocks what is covered is told anew.
const TOLD_EVERY: u64 = 16;

/// How far a walk came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Walk {
    /// How many cases earlier campaigns did.
    pub from: u64,
    /// How many blocks of this campaign are done without a gap.
    blocks: u64,
    /// What is covered, for people: a line for each theory.
    pub covered: Vec<String>,
    /// Empty means all.
    #[serde(skip)]
    theories: Vec<Theory>,
    /// Those that are done beyond a gap.
    #[serde(skip)]
    later: BTreeSet<u64>,
}

impl Walk {
    pub fn from(from: u64) -> Walk {
        Walk {
            from,
            ..Walk::default()
        }
    }

    pub fn over(self, theories: &[Theory]) -> Walk {
        Walk {
            theories: theories.to_vec(),
            ..self
        }
    }

    /// The places of a block's cases.
    pub fn places(&self, strategies: &[&dyn Strategy], block: u64) -> Range<u64> {
        let first = self.from + number(strategies, block) * BLOCK;
        first..first + BLOCK
    }

    /// Notes a block that is done.
    pub fn finish(&mut self, strategies: &[&dyn Strategy], plan: &BlockPlan) {
        if !strategies[plan.strategy].is_walk() {
            return;
        }
        self.later.insert(number(strategies, plan.block));
        while self.later.remove(&self.blocks) {
            self.blocks += 1;
        }
        if self.blocks.is_power_of_two() || self.blocks.is_multiple_of(TOLD_EVERY) {
            let (_, until) = self.done();
            self.covered = coverage(&self.theories, until);
        }
    }

    /// The cases of this campaign that are done without a gap.
    pub fn done(&self) -> (u64, u64) {
        (self.from, self.from + self.blocks * BLOCK)
    }
}

/// The number of a block among those of the walk.
fn number(strategies: &[&dyn Strategy], block: u64) -> u64 {
    match strategies.iter().all(|one| one.is_walk()) {
        true => block,
        false => block / EVERY,
    }
}

/// The strategy of a block, given the one that was chosen.
pub fn strategy(strategies: &[&dyn Strategy], chosen: usize, block: u64) -> usize {
    let count = strategies.len();
    let mut all = (0..count).map(|step| (chosen + step) % count);
    let is_walk = block % EVERY == EVERY / 2;
    all.find(|at| strategies[*at].is_walk() == is_walk)
        .unwrap_or(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_cases::strategy::named;

    fn all(names: &[&str]) -> Vec<&'static dyn Strategy> {
        names.iter().map(|name| named(name).unwrap()).collect()
    }

    #[test]
    fn one_block_in_sixteen_belongs_to_the_walk() {
        let strategies = all(&["construct", "scopes", "typefuzz"]);
        let chosen = |block| strategies[strategy(&strategies, 1, block)].name();
        let walks = (0..320).filter(|block| chosen(*block) == "scopes");
        assert_eq!(walks.count(), 20);
        assert_eq!(chosen(0), "typefuzz", "the next one takes its place");
        let without = all(&["construct"]);
        assert_eq!(strategy(&without, 0, 8), 0);
        let alone = all(&["scopes"]);
        assert_eq!(strategy(&alone, 0, 3), 0);
    }

    #[test]
    fn places_follow_each_other() {
        let walk = Walk::from(32);
        let mixed = all(&["construct", "scopes"]);
        assert_eq!(walk.places(&mixed, 8), 32..48);
        assert_eq!(walk.places(&mixed, 24), 48..64);
        assert_eq!(walk.places(&all(&["scopes"]), 1), 48..64);
    }
}
