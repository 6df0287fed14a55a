//! Growth of the seed pool (Algorithm 1 of DIVER, line 21): satisfiable mutants with their models become seeds, so
//! that changes accumulate over a campaign.
//!
//! A block offers one of its mutants, and another block may start from it `WINDOW` epochs later, when all blocks
//! before have made theirs. So the seeds depend on the numbers of blocks and not on timing. A finding stores the text
//! and the model of such a seed like any other, and its replay line makes the case again on any machine.

use crate::judge::witness::witness_text;
use crate::schedule::plan::{EPOCH, WINDOW};
use crate::seeds::pool::{Facts, SeedFile};
use crate::team::case_profile::CaseProfile;
use auspex_cases::{Case, Draw, Evidence, SeedStatus};
use auspex_logic::Terms;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Seeds that blocks choose from.
const MOST: usize = 1024;
/// One in this many seeds of a block is a mutant.
const SHARE: u64 = 3;
/// One in this many mutants is accepted even without new features, so that growth never ends.
const ALIKE: u64 = 4;
/// The largest mutant that becomes a seed.
const LARGEST: usize = 16 << 10;
/// How many epochs a block may lag behind the newest: blocks that share their seeds, and slow ones, do.
const HORIZON: u64 = 80;
/// The name prefix of such seeds.
pub const PREFIX: &str = "mutant:";
/// Separates these draws from others.
const STREAM: u64 = 0x6772_6f77_7468_0001;

/// The mutants of a campaign that are seeds.
pub struct Growth {
    seed: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Offers of blocks whose epoch may not be used yet.
    offers: BTreeMap<u64, Offer>,
    /// With the epoch in which each was made; oldest first.
    grown: VecDeque<(u64, Arc<SeedFile>)>,
    /// The operators in context of the accepted ones.
    edges: FxHashSet<u64>,
}

struct Offer {
    number: u64,
    text: String,
    model: String,
    edges: Vec<u64>,
}

impl Growth {
    pub fn new(seed: u64) -> Growth {
        Growth {
            seed,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, block: u64, place: u64) -> Draw {
        Draw::new(self.seed ^ STREAM, block << 3 | place)
    }

    /// Accepts one of a block's cases (with number and text) that has a model, if any.
    pub fn offer<'c>(
        &self,
        terms: &mut Terms,
        block: u64,
        cases: impl Iterator<Item = (u64, &'c Case, &'c str, &'c CaseProfile)>,
    ) {
        let fits = |(_, case, text, _): &(u64, &Case, &str, &CaseProfile)| {
            matches!(case.evidence[..], [Evidence::Witness(_)]) && text.len() <= LARGEST
        };
        let fitting: Vec<_> = cases.filter(fits).collect();
        let Some((number, case, text, features)) = self.draw(block, 7).pick(&fitting).copied()
        else {
            return;
        };
        if let Evidence::Witness(model) = &case.evidence[0] {
            let offer = Offer {
                number,
                text: text.to_string(),
                model: witness_text(terms, &case.script, model),
                edges: features.edges.clone(),
            };
            self.state().offers.insert(block, offer);
        }
    }

    /// A mutant for one position among the seeds of a block, if this position gets one and there is one.
    pub fn pick(&self, block: u64, place: u64) -> Option<Arc<SeedFile>> {
        let mut draw = self.draw(block, place);
        let epoch = (block / EPOCH).checked_sub(WINDOW)?;
        if !draw.one_in(SHARE) {
            return None;
        }
        let mut state = self.state();
        state.settle(epoch);
        let visible = state.grown.partition_point(|(made, _)| *made <= epoch);
        let back = draw.below(visible.min(MOST) as u64) as usize;
        let chosen = visible.checked_sub(back + 1)?;
        Some(state.grown[chosen].1.clone())
    }
}

impl State {
    /// Accepts the offers up to an epoch, in the order of blocks.
    fn settle(&mut self, epoch: u64) {
        while let Some(entry) = self.offers.first_entry()
            && entry.key() / EPOCH <= epoch
        {
            let (block, offer) = entry.remove_entry();
            self.take(block, offer);
        }
        let old = epoch.saturating_sub(HORIZON);
        let needed = self.grown.partition_point(|(made, _)| *made <= old);
        self.grown.drain(..needed.saturating_sub(MOST));
    }

    fn take(&mut self, block: u64, offer: Offer) {
        let edges = offer.edges.into_iter();
        let new = edges.filter(|edge| self.edges.insert(*edge)).count();
        if new == 0 && !block.is_multiple_of(ALIKE) {
            return;
        }
        let name = format!("{PREFIX}{}", offer.number);
        let Ok(mut seed) = SeedFile::new(name, offer.text) else {
            return;
        };
        let facts = Facts {
            status: Some(SeedStatus::ProvedSat),
            models: vec![offer.model],
            ..Facts::default()
        };
        seed.facts = OnceLock::from(facts);
        if self.grown.iter().all(|(_, known)| known.key != seed.key) {
            self.grown.push_back((block / EPOCH, Arc::new(seed)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::case_profile::features;
    use auspex_cases::{Origin, Seed};
    use auspex_logic::model::{ModelVerdict, validate};
    use auspex_logic::value::Int;
    use auspex_logic::{Model, Value, read_script};

    /// Offers `x = block` with its model for a block.
    fn offer(growth: &Growth, block: u64) {
        let mut terms = Terms::new();
        let text = format!("(declare-const x Int)(assert (= x {block}))(check-sat)");
        let script = read_script(&mut terms, &text).expect("well-formed").script;
        let mut model = Model::with_definitions(&script);
        for fun in script.declared() {
            model.set_value(fun, Value::Int(Int::from(block)));
        }
        let features = features(&terms, &script);
        let case = Case {
            script,
            evidence: vec![Evidence::Witness(Box::new(model))],
            origin: Origin::default(),
        };
        let cases = [(block * 16, &case, text.as_str(), &features)];
        growth.offer(&mut terms, block, cases.into_iter());
    }

    fn picks(growth: &Growth, blocks: std::ops::Range<u64>) -> Vec<Option<String>> {
        let places = blocks.flat_map(|block| (0..4).map(move |place| (block, place)));
        let picks = places.map(|(block, place)| growth.pick(block, place));
        picks
            .map(|seed| seed.map(|seed| seed.name.clone()))
            .collect()
    }

    #[test]
    fn a_mutant_becomes_a_seed_with_its_model() {
        let growth = Growth::new(1);
        (0..EPOCH).for_each(|block| offer(&growth, block));
        let later = WINDOW * EPOCH;
        assert!(picks(&growth, 0..later).iter().all(Option::is_none));
        let mut blocks = later..later + EPOCH;
        let seed = blocks
            .find_map(|block| growth.pick(block, 0))
            .expect("a seed");
        let mut terms = Terms::new();
        let facts = seed.facts.get().expect("what is known");
        let loaded: Seed = seed.load(&mut terms, facts).expect("it can be read");
        assert_eq!(loaded.status, Some(SeedStatus::ProvedSat));
        let query = &loaded.script.queries()[0];
        assert_eq!(
            validate(&terms, &loaded.models[0], query),
            ModelVerdict::Valid
        );
    }

    #[test]
    fn the_order_of_offers_does_not_matter_and_room_is_bounded() {
        let count = 4 * MOST as u64;
        let (one, other) = (Growth::new(1), Growth::new(1));
        (0..count).for_each(|block| offer(&one, block));
        (0..count).rev().for_each(|block| offer(&other, block));
        let blocks = count..count + EPOCH;
        let early = picks(&one, WINDOW * EPOCH..(WINDOW + 4) * EPOCH);
        assert_eq!(picks(&other, WINDOW * EPOCH..(WINDOW + 4) * EPOCH), early);
        let chosen = picks(&one, blocks.clone());
        assert_eq!(picks(&other, blocks), chosen);
        assert!(chosen.iter().flatten().count() > 10);
        let most = MOST + ((HORIZON + WINDOW) * EPOCH) as usize;
        assert!(one.state().grown.len() <= most);
    }
}
