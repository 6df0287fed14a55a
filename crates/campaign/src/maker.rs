//! Makes the cases of a campaign from their numbers. Pure: the same numbers give the same cases anywhere.

use crate::plan::MADE_STREAM;
use crate::recipe::{Recipe, Source};
use auspex_cases::strategy::ALL;
use auspex_cases::{Case, Draw, Evidence, Seed, SeedStatus, Strategy, Workshop};
use auspex_logic::theory::Known;
use auspex_logic::{Script, Symbol, Terms, Theory};

/// How often a strategy may try to make one case.
const ATTEMPTS: usize = 8;

/// What decides which cases a campaign makes.
#[derive(Clone)]
pub struct Maker {
    pub seed: u64,
    pub strategies: Vec<&'static dyn Strategy>,
    /// Empty means all.
    pub theories: Vec<Theory>,
    pub known: Known,
}

impl Maker {
    pub fn names(&self) -> Vec<&'static str> {
        self.strategies.iter().map(|s| s.name()).collect()
    }

    /// Makes the case of that number, or none where its draws lead nowhere.
    pub fn make(
        &self,
        terms: &mut Terms,
        strategy: &dyn Strategy,
        seeds: &[Seed],
        number: u64,
    ) -> Option<Case> {
        let mut draw = Draw::new(self.seed, number);
        self.attempt(terms, strategy, seeds, &mut draw)
    }

    /// The scripts that lead from the seed to the case of that number, as far as it is made in steps.
    pub fn stages(
        &self,
        terms: &mut Terms,
        strategy: &dyn Strategy,
        seeds: &[Seed],
        number: u64,
    ) -> Vec<Script> {
        let mut draw = Draw::new(self.seed, number);
        for _ in 0..ATTEMPTS {
            let mut again = draw.clone();
            let mut workshop = self.workshop(terms, seeds);
            if strategy.make(&mut workshop, &mut draw).is_some() {
                return strategy.stages(&mut workshop, &mut again);
            }
        }
        Vec::new()
    }

    fn workshop<'a>(&'a self, terms: &'a mut Terms, seeds: &'a [Seed]) -> Workshop<'a> {
        Workshop {
            terms,
            seeds,
            theories: &self.theories,
            solvers: self.known,
            forbidden: &[],
        }
    }

    fn attempt(
        &self,
        terms: &mut Terms,
        strategy: &dyn Strategy,
        seeds: &[Seed],
        draw: &mut Draw,
    ) -> Option<Case> {
        (0..ATTEMPTS).find_map(|_| {
            let mark = terms.mark();
            let case = strategy.make(&mut self.workshop(terms, seeds), draw);
            if case.is_none() {
                terms.release(mark);
            }
            case
        })
    }

    /// Makes a seed for the strategies that need one, by the first strategy that needs none.
    pub fn made_seed(&self, terms: &mut Terms, number: u64) -> Option<Seed> {
        let own = self.strategies.iter().chain(ALL);
        let maker = own.copied().find(|s| !s.needs_seeds())?;
        let mut draw = Draw::new(self.seed ^ MADE_STREAM, number);
        let case = self.attempt(terms, maker, &[], &mut draw)?;
        let mut seed = Seed {
            name: format!("{}:{number}", maker.name()),
            status: None,
            models: Vec::new(),
            core: None,
            script: case.script,
        };
        match case.evidence.into_iter().next() {
            Some(Evidence::Witness(model)) => {
                seed.status = Some(SeedStatus::ProvedSat);
                seed.models.push(*model);
            }
            Some(Evidence::Core { names, .. }) => {
                seed.status = Some(SeedStatus::AgreedUnsat);
                seed.core = core_positions(&seed.script, &names);
            }
            Some(Evidence::Approximation { .. } | Evidence::Agreement) | None => {}
        }
        Some(seed)
    }

    /// The line from which a case can be made again.
    pub fn recipe(&self, strategy: &str, case: u64, from: Vec<Source>) -> Recipe {
        Recipe {
            strategy: strategy.to_string(),
            seed: self.seed,
            case,
            theories: self.theories.clone(),
            known: self.known,
            from,
        }
    }
}

/// Where the assertions of a core stand; none if one is missing.
fn core_positions(script: &Script, names: &[Symbol]) -> Option<Vec<usize>> {
    let place = |name: &Symbol| script.assertions().position(|a| a.name == Some(*name));
    names.iter().map(place).collect()
}
