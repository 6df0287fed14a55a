//! Growth of the seed pool (Algorithm 1 of DIVER, line 21): satisfiable mutants with their models become seeds, so
//! that changes accumulate over a campaign. A finding stores the text and the model of such a seed like any other, and
//! its replay line makes the case again on any machine.

use crate::judge::witness::witness_text;
use crate::seeds::pool::{Facts, SeedFile};
use crate::team::case_profile::CaseProfile;
use auspex_cases::{Case, Draw, Evidence, SeedStatus};
use auspex_logic::Terms;
use auspex_logic::TheorySet;
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
/// How many choices are remembered: blocks that share their seeds get the same again.
const REMEMBERED: usize = 4096;
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
    /// Oldest first.
    grown: VecDeque<Arc<SeedFile>>,
    /// The operators in context of the accepted ones.
    edges: FxHashSet<u64>,
    /// What was chosen for a place in a block.
    chosen: BTreeMap<(u64, u64), Option<Arc<SeedFile>>>,
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
        let Evidence::Witness(model) = &case.evidence[0] else {
            return;
        };
        let new = self.state().note(&features.edges);
        if new == 0 && !block.is_multiple_of(ALIKE) {
            return;
        }
        let facts = Facts {
            status: Some(SeedStatus::ProvedSat),
            models: vec![witness_text(terms, &case.script, model)],
            ..Facts::default()
        };
        if let Ok(mut seed) = SeedFile::new(format!("{PREFIX}{number}"), text.to_string()) {
            seed.facts = OnceLock::from(facts);
            self.state().take(seed);
        }
    }

    /// A mutant about these theories for one position among the seeds of a block, if this position gets one and there
    /// is one.
    pub fn pick(&self, block: u64, place: u64, about: TheorySet) -> Option<Arc<SeedFile>> {
        let mut draw = self.draw(block, place);
        if !draw.one_in(SHARE) {
            return None;
        }
        let mut state = self.state();
        if let Some(before) = state.chosen.get(&(block, place)) {
            return before.clone();
        }
        let fits = |seed: &&Arc<SeedFile>| about.is_empty() || seed.theories.meets(about);
        let fitting: Vec<&Arc<SeedFile>> = state.grown.iter().filter(fits).collect();
        let chosen = draw.pick(&fitting).copied().cloned();
        state.chosen.insert((block, place), chosen.clone());
        if state.chosen.len() > REMEMBERED {
            state.chosen.pop_first();
        }
        chosen
    }
}

impl State {
    /// How many features are new.
    fn note(&mut self, edges: &[u64]) -> usize {
        let new = edges.iter().filter(|edge| self.edges.insert(**edge));
        new.count()
    }

    fn take(&mut self, seed: SeedFile) {
        if self.grown.iter().any(|known| known.key == seed.key) {
            return;
        }
        self.grown.push_back(Arc::new(seed));
        if self.grown.len() > MOST {
            self.grown.pop_front();
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
    use auspex_logic::{Model, Theory, Value, read_script};

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

    #[test]
    fn a_mutant_becomes_a_seed_with_its_model() {
        let growth = Growth::new(1);
        let pick = |block, about| growth.pick(block, 0, TheorySet::of(about));
        assert!((0..20).all(|block| pick(block, &[]).is_none()));
        (0..20).for_each(|block| offer(&growth, block));
        let seed = (20..40).find_map(|block| pick(block, &[])).expect("a seed");
        let mut terms = Terms::new();
        let facts = seed.facts.get().expect("what is known");
        let loaded: Seed = seed.load(&mut terms, facts).expect("it can be read");
        assert_eq!(loaded.status, Some(SeedStatus::ProvedSat));
        let query = &loaded.script.queries()[0];
        assert_eq!(
            validate(&terms, &loaded.models[0], query),
            ModelVerdict::Valid
        );
        assert!((40..80).all(|block| pick(block, &[Theory::Strings]).is_none()));
        assert!((80..120).any(|block| pick(block, &[Theory::Ints]).is_some()));
    }

    #[test]
    fn blocks_that_share_seeds_get_the_same_and_room_is_bounded() {
        let growth = Growth::new(1);
        (0..5 * MOST as u64).for_each(|block| offer(&growth, block));
        let name = |block| {
            growth
                .pick(block, 0, TheorySet::default())
                .map(|seed| seed.name.clone())
        };
        let before: Vec<_> = (0..50).map(name).collect();
        assert!(before.iter().flatten().count() > 5);
        offer(&growth, 6 * MOST as u64);
        assert_eq!((0..50).map(name).collect::<Vec<_>>(), before);
        assert!(growth.state().grown.len() <= MOST);
    }
}
