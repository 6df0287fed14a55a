//! Guidance by coverage: a mutant that reached new edges of a solver becomes a seed, whatever its answer was. So the
//! cases follow the solvers, and two runs differ; a finding stores the text of such a seed like any other.

use crate::judge::witness::witness_text;
use crate::seeds::pool::{Facts, SeedFile};
use auspex_cases::{Case, Draw, Evidence, SeedStatus};
use auspex_logic::Terms;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The name prefix of such seeds.
pub const PREFIX: &str = "reached:";
/// One in this many seeds of a block is such a mutant.
const SHARE: u64 = 2;
/// The most mutants that are kept; the oldest go first.
const MOST: usize = 4096;
/// The largest mutant that becomes a seed.
const LARGEST: usize = 16 << 10;
/// Of so many drawn at random the one is used that was used least for what it reached.
const DRAWN: usize = 4;
/// Separates these draws from others.
const STREAM: u64 = 0x7265_6163_6865_6401;

/// The mutants that reached new edges.
pub struct Guide {
    seed: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    mutants: Vec<Mutant>,
    keys: HashSet<String>,
}

struct Mutant {
    seed: Arc<SeedFile>,
    /// How many edges it was the first to reach.
    edges: u64,
    used: u64,
}

impl Guide {
    pub fn new(seed: u64) -> Guide {
        Guide {
            seed,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many mutants there are.
    pub fn count(&self) -> usize {
        self.state().mutants.len()
    }

    /// Adds a case, with its number and text, that reached so many new edges.
    pub fn join(&self, terms: &mut Terms, (number, case, text): (u64, &Case, &str), edges: u64) {
        if text.len() > LARGEST {
            return;
        }
        let Ok(mut seed) = SeedFile::new(format!("{PREFIX}{number}"), text.to_string()) else {
            return;
        };
        if let [Evidence::Witness(model)] = &case.evidence[..] {
            let facts = Facts {
                status: Some(SeedStatus::ProvedSat),
                models: vec![witness_text(terms, &case.script, model)],
                ..Facts::default()
            };
            seed.facts = OnceLock::from(facts);
        }
        self.state().add(seed, edges);
    }

    /// A mutant for one position among the seeds of a block, if this position gets one and there is one.
    pub fn pick(&self, block: u64, place: u64) -> Option<Arc<SeedFile>> {
        let mut draw = Draw::new(self.seed ^ STREAM, block << 3 | place);
        if !draw.one_in(SHARE) {
            return None;
        }
        let mut state = self.state();
        let count = state.mutants.len() as u64;
        if count == 0 {
            return None;
        }
        let drawn = (0..DRAWN).map(|_| draw.below(count) as usize);
        let cost = |at: &usize| state.mutants[*at].cost();
        let chosen = drawn.min_by_key(cost)?;
        state.mutants[chosen].used += 1;
        Some(Arc::clone(&state.mutants[chosen].seed))
    }
}

impl Mutant {
    /// How often it was used for each edge, in thousandths.
    fn cost(&self) -> u64 {
        self.used * 1000 / (1 + self.edges.min(100))
    }
}

impl State {
    fn add(&mut self, seed: SeedFile, edges: u64) {
        if !self.keys.insert(seed.key.clone()) {
            return;
        }
        if self.mutants.len() == MOST {
            let old = self.mutants.remove(0);
            self.keys.remove(&old.seed.key);
        }
        self.mutants.push(Mutant {
            seed: Arc::new(seed),
            edges,
            used: 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_cases::Origin;
    use auspex_logic::read_script;

    fn join(guide: &Guide, number: u64, edges: u64) {
        let mut terms = Terms::new();
        let text = format!("(declare-const x Int)(assert (> x {number}))(check-sat)");
        let case = Case {
            script: read_script(&mut terms, &text).expect("well-formed").script,
            evidence: vec![Evidence::NoneKnown],
            origin: Origin::default(),
        };
        guide.join(&mut terms, (number, &case, &text), edges);
    }

    #[test]
    fn what_reached_something_is_used_and_the_unused_first() {
        let guide = Guide::new(1);
        assert!((0..50).all(|block| guide.pick(block, 0).is_none()));
        (0..8).for_each(|number| join(&guide, number, 1));
        join(&guide, 3, 5);
        assert_eq!(guide.count(), 8, "the same script joins once");
        let picked: Vec<_> = (0..160).filter_map(|block| guide.pick(block, 0)).collect();
        assert!((50..110).contains(&picked.len()));
        let state = guide.state();
        let uses = state.mutants.iter().map(|mutant| mutant.used);
        let (least, most) = (uses.clone().min(), uses.max());
        assert!(most <= least.map(|least| least + 6), "{least:?} {most:?}");
    }

    #[test]
    fn room_is_bounded() {
        let guide = Guide::new(1);
        let mut state = guide.state();
        for number in 0..MOST as u64 + 10 {
            let text = format!("(declare-const x Int)(assert (> x {number}))(check-sat)");
            state.add(SeedFile::new("a".to_string(), text).expect("a script"), 1);
        }
        assert_eq!((state.mutants.len(), state.keys.len()), (MOST, MOST));
    }
}
