//! The plan: strategy, seeds and mode of each block, as a pure function of the campaign's seed, the block's number,
//! and what was learned from much earlier cases. So any number of workers makes the same cases.
//!
//! Cases come in blocks, blocks in epochs. The new features of an epoch are known as soon as its cases are made, and
//! shape the plan of the epoch `WINDOW` epochs later.

use crate::judge::judging::Forms;
use crate::store::YieldRow;
use auspex_cases::spelling::Spelling;
use auspex_cases::strategy::chain::STAGES;
use auspex_cases::{Draw, Strategy};
use auspex_solvers::Mode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Cases in a block: they share a strategy, seeds and a mode, so that live solvers need not be reset.
/// A chain of mutations fills one.
pub const BLOCK: u64 = STAGES;
/// Blocks in an epoch.
pub const EPOCH: u64 = 16;
/// The most epochs in progress at once.
pub const WINDOW: u64 = 16;

/// Separates the choices of blocks, of made seeds, and of cases.
const CHOICE_STREAM: u64 = 0x6175_7370_6578_0001;
const SEED_STREAM: u64 = 0x6175_7370_6578_0003;
/// Separates the seeds that `construct` makes if there are no files.
pub const MADE_STREAM: u64 = 0x6175_7370_6578_0002;

/// The number of different made seeds.
const MADE_SEEDS: u64 = 1 << 20;

/// Seeds of one block: some strategies need a satisfiable one, some an unsatisfiable one, some two.
const SEEDS: u64 = 4;

/// The step from one seed to the next, as a fraction of the pool: with golden-ratio steps (after Weyl) nearly every
/// seed is used before one is repeated, while random draws would miss a third.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The share of each strategy that does not depend on its yield, in thousandths of an equal share.
const FLOOR: u64 = 250;

/// New features per million cases, averaged over the last epochs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scores(BTreeMap<String, u64>);

impl Scores {
    /// The scores after another epoch. Integers only: the same on every machine.
    pub fn after(&self, epoch: &[(&str, u64, u64)]) -> Scores {
        let mut scores = self.0.clone();
        let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (strategy, cases, new) in epoch {
            let sum = sums.entry(strategy).or_default();
            *sum = (sum.0 + cases, sum.1 + new);
        }
        for (strategy, (cases, new)) in sums {
            let rate = new * 1_000_000 / cases.max(1);
            let score = scores.entry(strategy.to_string()).or_insert(rate);
            *score = (*score * 7 + rate) / 8;
        }
        Scores(scores)
    }

    /// The weight of each strategy: a floor for all, and the rest by yield.
    pub fn weights(&self, strategies: &[&str]) -> Vec<u32> {
        let count = strategies.len().max(1) as u64;
        let score = |name: &&str| self.0.get(*name).copied();
        // An untried strategy counts as the best.
        let best = strategies.iter().filter_map(score).max().unwrap_or(1);
        let scores = strategies.iter().map(|name| score(name).unwrap_or(best));
        let scores: Vec<u64> = scores.collect();
        let total: u64 = scores.iter().sum();
        let weight = |score: u64| match total {
            0 => 1000,
            _ => FLOOR + (1000 - FLOOR) * count * score / total,
        };
        scores
            .into_iter()
            .map(|score| weight(score) as u32)
            .collect()
    }
}

/// The seed of a block's cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedChoice {
    /// A number that selects a file of the pool.
    File(u64),
    /// The seed of this number, made by a strategy without seeds.
    Made(u64),
}

/// The choices that all cases of one block share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPlan {
    pub block: u64,
    /// Position among the campaign's strategies.
    pub strategy: usize,
    /// The block whose number determines the seeds: a strategy may keep its seeds for several blocks.
    pub seed_block: u64,
    pub seeds: Vec<SeedChoice>,
    pub mode: Mode,
    /// Ask for unsatisfiable cores.
    pub cores: bool,
    /// Whether one solver is asked in another configuration, too; these are the weights of groups of options.
    pub configured: Option<Vec<u32>>,
    /// The other forms in which queries are asked, too; a solver must give the same answer.
    pub forms: Forms,
}

/// The modes with their usual weights; fresh processes cost a hundred times as much as live ones.
pub const MODES: [(Mode, u32); 4] = [
    (Mode::PushPop, 43),
    (Mode::CheckSatUsing, 16),
    (Mode::Reset, 4),
    (Mode::Fresh, 1),
];

/// Of so many blocks one is asked under other options, too.
const OPTIONS: u64 = 4;
/// In one of this many blocks each query is also asked alone.
const FORMS: u64 = 8;

/// What shapes the choice for a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    pub strategies: Vec<u32>,
    /// Of `MODES`.
    pub modes: Vec<u32>,
    /// Of groups of options; none where no options are set.
    pub options: Vec<u32>,
}

/// The choice for one block; `files` eighths of the seeds come from files.
pub fn choose(seed: u64, block: u64, weights: &Weights, files: usize) -> BlockPlan {
    let mut draw = Draw::new(seed ^ CHOICE_STREAM, block);
    let strategy = draw.weighted(&weights.strategies).unwrap_or(0);
    let seeds = seeds(seed, block, files);
    let cores = draw.one_in(4);
    // The choices below do not affect which cases are made.
    let mode = draw.weighted(&weights.modes).unwrap_or(0);
    let configured = draw.one_in(OPTIONS).then(|| weights.options.clone());
    let often = draw.one_in(FORMS);
    BlockPlan {
        block,
        strategy,
        seed_block: block,
        seeds,
        mode: MODES[mode].0,
        cores,
        configured,
        forms: Forms {
            alone: often,
            pushed: often && draw.one_in(4),
            spelled: spelled(&mut draw, often),
        },
    }
}

/// The spelling in which the queries of a block are asked, too, if it has one.
fn spelled(draw: &mut Draw, often: bool) -> &'static [Spelling] {
    let spelling = draw.pick(&Spelling::ALL).filter(|_| often);
    spelling.map_or(&[], |one| one.alone())
}

/// The seeds of one block; `files` eighths come from files.
pub fn seeds(seed: u64, block: u64, files: usize) -> Vec<SeedChoice> {
    let first = Draw::new(seed ^ CHOICE_STREAM, u64::MAX).below(u64::MAX);
    let mut draw = Draw::new(seed ^ SEED_STREAM, block);
    let seeds = (0..SEEDS).map(|place| {
        let steps = block.wrapping_mul(SEEDS).wrapping_add(place);
        let number = first.wrapping_add(STRIDE.wrapping_mul(steps));
        match draw.below(8) < files as u64 {
            true => SeedChoice::File(number),
            false => SeedChoice::Made(number % MADE_SEEDS),
        }
    });
    seeds.collect()
}

impl BlockPlan {
    /// Keeps the seeds of the previous blocks, so that each seed gives as many mutants as the strategy wants.
    pub fn keep_seeds(&mut self, strategy: &dyn Strategy, seed: u64, files: usize) {
        self.seed_block = self.block - self.block % span(strategy);
        self.seeds = seeds(seed, self.seed_block, files);
    }

    /// The numbers of its cases.
    pub fn cases(&self) -> Range<u64> {
        self.block * BLOCK..(self.block + 1) * BLOCK
    }
}

/// How many consecutive blocks use the same seeds, so that each gives as many mutants as a strategy wants.
fn span(strategy: &dyn Strategy) -> u64 {
    let shared = match strategy.is_chained() {
        true => 1,
        false => SEEDS,
    };
    let wanted = strategy.per_seed().unwrap_or(0).saturating_mul(shared);
    wanted.div_ceil(BLOCK).max(1)
}

/// The new features of an epoch, each credited to the lowest block that has it.
pub fn credit(rows: &[YieldRow], mut is_new: impl FnMut(u64) -> bool) -> Vec<(&str, u64, u64)> {
    let credit = rows.iter().map(|row| {
        let new = row.features.iter().filter(|f| is_new(**f)).count();
        (row.strategy.as_str(), u64::from(row.cases), new as u64)
    });
    credit.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(strategies: &[u32]) -> Weights {
        Weights {
            strategies: strategies.to_vec(),
            modes: MODES.map(|(_, weight)| weight).to_vec(),
            options: vec![1; 3],
        }
    }

    #[test]
    fn yield_moves_weight_and_the_floor_stays() {
        let scores = Scores::default().after(&[("a", 256, 200), ("b", 256, 0)]);
        let weights = scores.weights(&["a", "b"]);
        assert!(weights[0] > weights[1]);
        assert_eq!(weights[1] as u64, FLOOR);
        assert_eq!(Scores::default().weights(&["a", "b"]), [1000, 1000]);
    }

    #[test]
    fn scores_forget_slowly() {
        let mut scores = Scores::default().after(&[("a", 1000, 1000), ("b", 1000, 10)]);
        for _ in 0..100 {
            scores = scores.after(&[("a", 1000, 0), ("b", 1000, 10)]);
        }
        let weights = scores.weights(&["a", "b"]);
        assert!(weights[1] > weights[0]);
    }

    #[test]
    fn choices_depend_on_nothing_else() {
        let at = |seed, block| choose(seed, block, &weights(&[1, 1, 1]), 7);
        assert_eq!(at(1, 5), at(1, 5));
        assert!((0..50).any(|block| at(1, block) != at(2, block)));
        let modes = (0..2000).map(|block| at(1, block).mode);
        let fresh = modes.filter(|mode| *mode == Mode::Fresh).count();
        assert!((5..100).contains(&fresh), "{fresh}");
    }

    #[test]
    fn without_files_all_seeds_are_made() {
        let made = |choice: BlockPlan| {
            choice
                .seeds
                .iter()
                .all(|s| matches!(s, SeedChoice::Made(_)))
        };
        assert!((0..100).all(|block| made(choose(3, block, &weights(&[1]), 0))));
        assert!(!(0..100).all(|block| made(choose(3, block, &weights(&[1]), 7))));
    }

    #[test]
    fn nearly_every_seed_comes_up_before_one_comes_again() {
        let files = (0..250).flat_map(|block| choose(3, block, &weights(&[1]), 8).seeds);
        let places = files.map(|choice| match choice {
            SeedChoice::File(number) => (u128::from(number) * 1000) >> 64,
            SeedChoice::Made(_) => panic!("there are files for all"),
        });
        let seen: std::collections::HashSet<u128> = places.collect();
        assert!(seen.len() > 800, "{} of 1000", seen.len());
    }

    #[test]
    fn a_feature_is_credited_once_to_its_lowest_block() {
        let row = |block, strategy: &str, features: &[u64]| YieldRow {
            block,
            strategy: strategy.to_string(),
            cases: 16,
            features: features.to_vec(),
        };
        let rows = [row(0, "a", &[1, 2]), row(1, "b", &[2, 3])];
        let mut seen = std::collections::HashSet::from([1]);
        let credit = credit(&rows, |f| seen.insert(f));
        assert_eq!(credit, [("a", 16, 1), ("b", 16, 1)]);
    }
}
