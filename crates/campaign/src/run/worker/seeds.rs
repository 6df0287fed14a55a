//! Loads the seeds of a block into the worker's arena, and probes seeds that were not used yet.

use super::{Answered, BlockMemory, MadeCase, MadeFrom, Progress, Worker};
use crate::activity::Activity;
use crate::findings::finding::Finding;
use crate::judge::confirm::Details;
use crate::judge::judging::Forms;
use crate::run::state::Part;
use crate::schedule::plan::{BlockPlan, SeedChoice};
use crate::schedule::recipe::Source;
use crate::seeds::pool::{Facts, SeedFile, SeedRecord};
use crate::seeds::probe::Probed;
use crate::stable::Stable;
use crate::store::SeedRow;
use auspex_cases::Seed;
use auspex_logic::Theory;
use auspex_logic::TheorySet;
use auspex_solvers::Mode;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The share of time (one part in this many) for seeds that no block has used yet: seeds are cases themselves, and a
/// folder of regression tests contains many bugs.
const PROBING: u32 = 8;
/// How many set-aside seeds may be drawn before a made one is used.
const DRAWS: u64 = 8;

impl<'s> Worker<'s> {
    /// The first `wanted` seeds of a block; a set-aside one is replaced by the next.
    pub(super) fn load_seeds(
        &mut self,
        plan: &BlockPlan,
        wanted: usize,
        progress: &mut Progress,
    ) -> Vec<Seed> {
        progress.sources.clear();
        let mut seeds = Vec::new();
        for (place, one) in plan.seeds[..wanted].iter().enumerate() {
            let grown = self.reaching_seed(plan.seed_block, place);
            let grown = grown.or_else(|| self.grown_seed(plan, place));
            let found = match (grown, *one) {
                (Some(grown), _) => Some(grown),
                (None, SeedChoice::File(number)) => self.seed_file(number, &plan.theories),
                (None, SeedChoice::Made(number)) => self.made_seed(number, &plan.theories),
            };
            if let Some((seed, source)) = found {
                seeds.push(seed);
                progress.sources.push(source);
            }
        }
        seeds
    }

    /// A mutant that reached new edges of a solver, where cases follow coverage.
    fn reaching_seed(&mut self, block: u64, place: usize) -> Option<(Seed, Source)> {
        if !self.campaign.is_guided() {
            return None;
        }
        let seed = self.campaign.reached.guide.pick(block, place as u64)?;
        if seed.facts.get().is_none() {
            let probed = self.probe.probe(&mut self.terms, &seed);
            let facts = probed.map_or_else(unreadable, |probed| probed.facts);
            let _ = seed.facts.set(facts);
        }
        let facts = seed.facts.get().filter(|facts| facts.set_aside.is_none())?;
        let loaded = seed.load(&mut self.terms, facts)?;
        let source = source_of(&seed);
        self.memory.grown.push(seed);
        Some((loaded, source))
    }

    fn grown_seed(&mut self, plan: &BlockPlan, place: usize) -> Option<(Seed, Source)> {
        if self.campaign.setup.steady {
            return None;
        }
        let about = TheorySet::of(&plan.theories);
        let growth = &self.campaign.growth;
        let seed = growth.pick(plan.seed_block, place as u64, about)?;
        let loaded = seed.load(&mut self.terms, seed.facts.get()?)?;
        let source = source_of(&seed);
        self.memory.grown.push(seed);
        Some((loaded, source))
    }

    fn made_seed(&mut self, number: u64, about: &[Theory]) -> Option<(Seed, Source)> {
        let maker = self.campaign.setup.maker.about(about);
        let seed = maker.made_seed(&mut self.terms, number)?;
        Some((seed, Source::Made(number)))
    }

    fn seed_file(&mut self, number: u64, about: &[Theory]) -> Option<(Seed, Source)> {
        let pool = self.campaign.pool();
        for draw in 0..DRAWS {
            let drawn = match draw {
                0 => number,
                _ => Stable::default().number(number).number(draw).finish(),
            };
            let Some(place) = pool.pick_about(drawn, TheorySet::of(about)) else {
                break;
            };
            let seed = &pool.seeds[place];
            let facts = match seed.facts.get() {
                Some(facts) => facts,
                None => self.probe_seed(place),
            };
            if facts.set_aside.is_none()
                && let Some(loaded) = seed.load(&mut self.terms, facts)
            {
                return Some((loaded, source_of(seed)));
            }
        }
        self.made_seed(number >> 44, about)
    }

    /// Probes unused seeds while there is time for it.
    pub(super) fn probe_new_seeds(&mut self) {
        if !self.campaign.setup.lacks(Part::Silence) {
            self.memory.known = self.campaign.ledger().known_bugs();
        }
        while self
            .time
            .is_within(Activity::Probing, PROBING, Duration::ZERO)
            && let Some(place) = self.campaign.next_seed()
        {
            let mark = self.terms.mark();
            if catch_unwind(AssertUnwindSafe(|| _ = self.probe_seed(place))).is_err() {
                let seed = &self.campaign.pool().seeds[place];
                self.record_panic(format!("seed {}", seed.name));
                self.tally.defects += 1;
                self.terms = self.campaign.setup.maker.terms();
            } else {
                self.terms.release(mark);
            }
            self.probe.restart_if_idle();
        }
        // What seeds bring is not earned by the next block.
        self.memory = BlockMemory::default();
    }

    /// Asks all solvers about a seed, unless another worker has, and follows up wrong answers.
    fn probe_seed(&mut self, place: usize) -> &'s Facts {
        let setup = &self.campaign.setup;
        let seed = &self.campaign.pool().seeds[place];
        let mut probed = None;
        let before = self.time.switch(Activity::Probing);
        let facts = seed.facts.get_or_init(|| {
            probed = self.probe.probe(&mut self.terms, seed);
            probed.as_ref().map_or_else(unreadable, |p| p.facts.clone())
        });
        let Some(probed) = probed else {
            self.time.switch(before);
            return facts;
        };
        self.campaign.ledger().learned(SeedRow {
            key: format!("{}-{}", seed.key, setup.team.key()),
            name: seed.name.clone(),
            facts: serde_json::to_string(facts).unwrap_or_default(),
        });
        self.gauges.read(&self.campaign.reached);
        if !seed.past {
            self.time.switch(Activity::Judging);
            self.judge_seed(seed, probed);
        }
        self.time.switch(before);
        facts
    }

    fn judge_seed(&mut self, seed: &SeedFile, probed: Probed) {
        let made = MadeCase {
            number: 0,
            case: probed.case,
            text: seed.text.clone(),
            profile: probed.features,
            question: None,
            has_questions: false,
        };
        let source = source_of(seed);
        self.judge(Answered {
            made: &made,
            from: MadeFrom {
                seeds: &[],
                sources: std::slice::from_ref(&source),
                theories: &[],
                forms: Forms::default(),
                related: Mode::Reset,
            },
            runs: &probed.asked,
            details: Details {
                models: true,
                cores: false,
            },
        });
    }

    /// Adds the files that a case was made from, so that it can be made again without them.
    pub(super) fn add_seeds(&self, finding: &mut Finding, from: &[Source]) {
        let file = |source: &Source| match source {
            Source::Made(_) => None,
            Source::File { key, .. } => {
                let grown = self.memory.grown.iter().map(Arc::as_ref);
                let mut all = grown.chain(&self.campaign.pool().seeds);
                let seed = all.find(|s| s.key == *key)?;
                Some(SeedRecord {
                    name: seed.name.clone(),
                    text: seed.text.clone(),
                    facts: seed.facts.get().cloned().unwrap_or_default(),
                })
            }
        };
        finding.seeds = from.iter().filter_map(file).collect();
    }
}

fn source_of(seed: &SeedFile) -> Source {
    Source::File {
        key: seed.key.clone(),
        name: seed.name.clone(),
    }
}

fn unreadable() -> Facts {
    Facts {
        set_aside: Some("cannot be read".to_string()),
        ..Facts::default()
    }
}
