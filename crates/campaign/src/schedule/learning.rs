//! Learning: the yields of strategies, epoch by epoch and in order. It depends only on the cases that were made, not
//! on which process made them or when.

use crate::schedule::plan::{EPOCH, Scores, WINDOW, credit};
use crate::store::{FoldRow, Store, StoreError, YieldRow};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// How many states are kept, because a slow block may lag behind by that many epochs.
pub const KEPT: u64 = 1024;

/// Known features, scores, and the epochs that are not complete yet.
#[derive(Default)]
pub struct Learning {
    features: FxHashSet<u64>,
    states: BTreeMap<u64, Scores>,
    pending: BTreeMap<u64, YieldRow>,
    /// The first incomplete epoch.
    next: u64,
}

impl Learning {
    /// Loads the state from a store; returns epochs that can be folded now.
    pub fn recall(store: &mut dyn Store) -> Result<(Learning, Vec<FoldRow>), StoreError> {
        let mut learning = Learning {
            features: store.features()?.into_iter().collect(),
            ..Learning::default()
        };
        for fold in store.folds()? {
            learning.next = fold.epoch + 1;
            let scores = serde_json::from_str(&fold.state).unwrap_or_default();
            learning.states.insert(fold.epoch, scores);
        }
        for row in store.yields(0, i64::MAX as u64)? {
            learning.pending.insert(row.block, row);
        }
        let folds = learning.fold();
        Ok((learning, folds))
    }

    /// The first block that may not be started yet.
    pub fn limit(&self) -> u64 {
        (self.next + WINDOW) * EPOCH
    }

    /// The weights of the strategies for the epoch of a block.
    pub fn weights(&self, block: u64, strategies: &[&str]) -> Vec<u32> {
        let before = (block / EPOCH).checked_sub(WINDOW);
        let scores = before.and_then(|epoch| self.states.get(&epoch));
        scores.cloned().unwrap_or_default().weights(strategies)
    }

    /// Records a block whose cases are made. Returns its row to store, if it is new, and the epochs that are complete
    /// now.
    pub fn note(&mut self, mut row: YieldRow) -> (Option<YieldRow>, Vec<FoldRow>) {
        // A block of a killed run comes twice; the second time is ignored.
        if row.block / EPOCH < self.next || self.pending.contains_key(&row.block) {
            return (None, Vec::new());
        }
        row.features
            .retain(|feature| !self.features.contains(feature));
        self.pending.insert(row.block, row.clone());
        (Some(row), self.fold())
    }

    fn fold(&mut self) -> Vec<FoldRow> {
        let mut folds = Vec::new();
        loop {
            let blocks = self.next * EPOCH..(self.next + 1) * EPOCH;
            if self.pending.range(blocks.clone()).count() < EPOCH as usize {
                return folds;
            }
            let rows: Vec<YieldRow> = blocks.filter_map(|b| self.pending.remove(&b)).collect();
            let mut new = Vec::new();
            let yields = credit(&rows, |feature| {
                let is_new = self.features.insert(feature);
                if is_new {
                    new.push(feature);
                }
                is_new
            });
            let before = self.next.checked_sub(1).and_then(|e| self.states.get(&e));
            let scores = before.cloned().unwrap_or_default().after(&yields);
            folds.push(FoldRow {
                epoch: self.next,
                state: serde_json::to_string(&scores).unwrap_or_default(),
                features: new,
            });
            self.states.insert(self.next, scores);
            self.next += 1;
            let oldest = self.next.saturating_sub(KEPT);
            self.states = self.states.split_off(&oldest);
        }
    }

    /// Records features that other processes have seen.
    pub fn know(&mut self, features: &[u64]) {
        self.features.extend(features);
    }

    pub fn features(&self) -> usize {
        self.features.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use crate::store::Sqlite;

    fn row(block: u64) -> YieldRow {
        YieldRow {
            block,
            strategy: if block.is_multiple_of(3) { "a" } else { "b" }.to_string(),
            cases: 16,
            features: (block..block + 2 + block % 3).collect(),
        }
    }

    fn weights_after(order: impl Iterator<Item = u64>) -> Vec<Vec<u32>> {
        let mut learning = Learning::default();
        for block in order {
            learning.note(row(block));
        }
        (0..40 * EPOCH)
            .map(|block| learning.weights(block, &["a", "b"]))
            .collect()
    }

    #[test]
    fn the_order_of_work_does_not_matter() {
        let blocks = 24 * EPOCH;
        assert_eq!(weights_after(0..blocks), weights_after((0..blocks).rev()));
        let plan = weights_after(0..blocks);
        assert_ne!(plan[0], plan[(WINDOW * EPOCH) as usize]);
    }

    #[test]
    fn nobody_runs_ahead_of_the_window() {
        let mut learning = Learning::default();
        assert_eq!(learning.limit(), WINDOW * EPOCH);
        for block in 1..EPOCH {
            learning.note(row(block));
        }
        assert_eq!(learning.limit(), WINDOW * EPOCH, "block 0 is missing");
        learning.note(row(0));
        assert_eq!(learning.limit(), (WINDOW + 1) * EPOCH);
    }

    #[test]
    fn a_store_brings_it_back_wherever_it_was_cut() {
        let scratch = Scratch::new();
        let mut store = Sqlite::create(&scratch.path().join("a.db")).unwrap();
        let mut learning = Learning::default();
        for block in 0..20 * EPOCH + 5 {
            let (stored, folds) = learning.note(row(block));
            store.put_yields(stored.as_slice()).unwrap();
            for fold in folds.iter().filter(|fold| fold.epoch < 19) {
                store.fold(fold, (fold.epoch + 1) * EPOCH, KEPT).unwrap();
            }
        }
        let (again, folds) = Learning::recall(&mut store).unwrap();
        assert_eq!(folds.len(), 1, "the epoch that was complete and not folded");
        assert_eq!(again.limit(), learning.limit());
        let blocks = (0..36 * EPOCH).step_by(7);
        for block in blocks {
            let strategies = ["a", "b"];
            assert_eq!(
                again.weights(block, &strategies),
                learning.weights(block, &strategies)
            );
        }
    }
}
