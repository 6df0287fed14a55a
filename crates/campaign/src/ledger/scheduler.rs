//! The scheduler: which block a worker gets, and the weights of its choices. It waits for no disk and no database.

use super::claims::{Claims, Next};
use super::{BlockYield, Lease};
use crate::schedule::arms::Arms;
use crate::schedule::plan::{Menu, Weights};
use std::collections::HashSet;
use std::time::Duration;

/// How many different outcomes are told apart.
const OUTCOMES: usize = 1 << 20;

pub(super) struct Scheduler {
    pub(super) claims: Claims,
    menu: Menu,
    /// What the arms of this process earned, and those of others.
    arms: Arms,
    others: Arms,
    /// Operators in context that some case had.
    known_features: HashSet<u64>,
    /// Hashes of the answers and messages seen so far.
    outcomes: HashSet<u64>,
}

impl Scheduler {
    pub(super) fn new(shared: Option<Duration>, features: Vec<u64>) -> Scheduler {
        Scheduler {
            claims: Claims::new(shared),
            menu: Menu::default(),
            arms: Arms::default(),
            others: Arms::default(),
            known_features: features.into_iter().collect(),
            outcomes: HashSet::new(),
        }
    }

    /// Sets what can be chosen, and what was learned before.
    pub(super) fn start(&mut self, menu: Menu, arms: Arms) {
        self.menu = menu;
        self.arms = arms;
    }

    pub(super) fn lease(&mut self) -> Lease {
        match self.claims.next() {
            Next::Block(number) => Lease::Block {
                number,
                weights: self.weights(),
            },
            Next::Wait => Lease::Wait,
            Next::Over => Lease::Over,
        }
    }

    fn weights(&self) -> Weights {
        let mut arms = self.arms.clone();
        arms.add(&self.others);
        self.menu.weights(&arms)
    }

    pub(super) fn arms(&self) -> &Arms {
        &self.arms
    }

    /// What other processes learned.
    pub(super) fn hear(&mut self, features: &[u64], arms: Option<Arms>) {
        self.known_features.extend(features);
        self.others = arms.unwrap_or_else(|| std::mem::take(&mut self.others));
    }

    /// The new ones of these features.
    pub(super) fn new_features(&mut self, features: &[u64]) -> Vec<u64> {
        let known = &mut self.known_features;
        let new = features.iter().filter(|feature| known.insert(**feature));
        new.copied().collect()
    }

    /// The arms of a block earn what it brought.
    pub(super) fn answered(&mut self, block: &BlockYield) {
        let new = block.outcomes.iter();
        let new = new.filter(|one| self.outcomes.len() < OUTCOMES && self.outcomes.insert(**one));
        let mut earned = block.earned;
        earned.behaviour += new.count() as u64;
        let arms = block.arms.iter().map(String::as_str);
        self.arms.note(arms, block.seconds, earned);
    }
}
