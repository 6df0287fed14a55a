//! `diver`: mutates a satisfiable script in any way that keeps its model, so the mutant is satisfiable.
//!
//! ```text
//! model x = 5                     (assert (> x 3))
//!   →  (assert (> (str.len (str.++ "ab" s)) 1))       s = "" is chosen along the way; the model satisfies it
//! ```
//! Preserves: the model, extended by values for new variables, makes every assertion true, which the evaluator checks
//! before the case is used. After Kim and So's Diver, with sets of allowed values for more theories, and with terms
//! that are grown towards an allowed value instead of guessed.

pub mod allowed;
pub mod analysis;
mod complicate;
mod description;
mod guide;
pub mod mirror;
mod models;
mod mutant;
pub mod rules;
#[cfg(test)]
mod tests;
mod unfold;

use crate::case::Case;
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::Rules;
use crate::logics;
use crate::strategy::{GenContext, Parameter, Preset, Seed, Strategy, Values};
use analysis::Place;
use auspex_logic::edit::Path;
use auspex_logic::theory::SolverSet;
use auspex_logic::{Model, Script, Terms};
pub use mutant::ModelMutant;

/// The strategy with its parts, each of which can be left out to see what it is worth.
#[derive(Clone, Copy, Debug)]
pub struct Diver {
    /// The word used on the command line and in reports.
    pub name: &'static str,
    /// Choose places by the size of their allowed sets, not all alike.
    pub weighted: bool,
    /// Evaluate only what changed, and hold a new term against its allowed set first.
    pub incremental: bool,
    /// Turn a term whose value is not allowed into one whose value is; needs `incremental`.
    pub guided: bool,
    /// Introduce fresh variables.
    pub complicating: bool,
    /// Terms tried for one place.
    pub attempts: usize,
    /// Replacements in one case at most.
    pub replacements: u64,
    /// New operators above each other at most.
    pub depth: u64,
    /// Mutants of one seed before the next comes; none leaves that to the campaign.
    pub per_seed: Option<u64>,
}

/// One mutant in so many declares the logic of everything, whatever its seed declares.
const WIDE: u64 = 6;
/// One mutant in so many may bring transcendental functions.
const TRANSCENDENT: u64 = 6;

impl Diver {
    pub const USUAL: Diver = Diver {
        name: "diver",
        weighted: true,
        incremental: true,
        guided: true,
        complicating: true,
        attempts: 50,
        replacements: 8,
        depth: 5,
        per_seed: None,
    };

    /// The paper's loop without its weights: any place, any term, the whole formula evaluated each time.
    pub const PLAIN: Diver = Diver {
        weighted: false,
        incremental: false,
        guided: false,
        ..Diver::USUAL
    };

    /// Whether allowed sets are needed.
    fn analyses(&self) -> bool {
        self.weighted || self.incremental
    }

    /// A mutated seed before it becomes a case.
    pub fn mutant(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<ModelMutant> {
        let seeds = workshop.seeds.iter();
        let with_models: Vec<&Seed> = seeds.filter(|seed| !seed.models.is_empty()).collect();
        let seed = *draw.pick(&with_models)?;
        let model = draw.pick(&seed.models)?.clone();
        // Sines and their like are slow to bound, and few solvers decide anything about them.
        let all = workshop.solvers.includes(SolverSet::DREAL) || draw.one_in(TRANSCENDENT);
        let usual = match all {
            true => HEAPLESS,
            false => HEAPLESS.without(Features::TRANSCENDENTALS),
        };
        let terms = &mut *workshop.terms;
        let outside = match draw.coin() {
            true => Features::ALL.without(logics::room(terms, &seed.script)),
            false => Features::NONE,
        };
        let rules = Rules {
            solvers: workshop.solvers,
            theories: workshop.theories,
            forbidden: workshop.forbidden,
            features: usual.without(outside),
        };
        let mut mutant = ModelMutant::new(terms, &seed.script, model, &rules)?;
        mutant.is_wide = draw.one_in(WIDE);
        let edits = draw.below(4);
        mutant.vary(terms, draw, edits);
        mutant.turn(draw);
        for _ in 0..draw.between(1, self.replacements) {
            mutant.mutate(terms, draw, self);
        }
        mutant.seed.clone_from(&seed.name);
        mutant.strategy = self.name;
        Some(mutant)
    }
}

/// The paper's algorithm, and `diver` with a part left out, to see what that part is worth.
const PRESETS: &[Preset] = &[
    Preset {
        name: "paper",
        about: "one replacement in a mutant, grown at random, a thousand mutants of each seed",
        values: &[
            ("per-seed", 1000),
            ("replacements", 1),
            ("attempts", 50),
            ("depth", 5),
            ("guided", 0),
        ],
    },
    Preset {
        name: "uniform",
        about: "every occurrence as likely as any other",
        values: &[("weighted", 0)],
    },
    Preset {
        name: "simple",
        about: "no fresh variables",
        values: &[("fresh", 0)],
    },
    Preset {
        name: "plain",
        about: "any occurrence, any term, the whole formula evaluated each time",
        values: &[("weighted", 0), ("incremental", 0), ("guided", 0)],
    },
];

/// Separation logic needs a heap, which hardly any script declares.
const HEAPLESS: Features = Features::ALL.without(Features::SEPARATION);

impl Strategy for Diver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "Mutates anything as long as a known model still satisfies the script."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn parameters(&self) -> Vec<Parameter> {
        let number = |name, about, value, most| Parameter::number(name, about, value, 1..=most);
        let switch = Parameter::switch;
        let per_seed = Parameter::number(
            "per-seed",
            "mutants of one seed before the next comes; 0 for as many as a block has",
            self.per_seed.unwrap_or(0),
            0..=1_000_000,
        );
        vec![
            per_seed,
            number(
                "replacements",
                "most replacements in a mutant",
                self.replacements,
                1000,
            ),
            number(
                "attempts",
                "terms tried for one place",
                self.attempts as u64,
                10_000,
            ),
            number(
                "depth",
                "most new operators above each other",
                self.depth,
                50,
            ),
            switch(
                "weighted",
                "prefer places with large allowed sets",
                self.weighted,
            ),
            switch(
                "incremental",
                "evaluate only what changed",
                self.incremental,
            ),
            switch(
                "guided",
                "turn a term that is not allowed into one that is",
                self.guided,
            ),
            switch("fresh", "introduce fresh variables", self.complicating),
        ]
    }

    fn presets(&self) -> &'static [Preset] {
        PRESETS
    }

    fn with(&self, name: &'static str, values: &Values) -> Result<Box<dyn Strategy>, String> {
        if values.is_on("guided") && !values.is_on("incremental") {
            return Err("guided=on has no effect with incremental=off".to_string());
        }
        Ok(Box::new(Diver {
            name,
            weighted: values.is_on("weighted"),
            incremental: values.is_on("incremental"),
            guided: values.is_on("guided"),
            complicating: values.is_on("fresh"),
            attempts: values.get("attempts") as usize,
            replacements: values.get("replacements"),
            depth: values.get("depth"),
            per_seed: Some(values.get("per-seed")).filter(|n| *n > 0),
        }))
    }

    fn per_seed(&self) -> Option<u64> {
        self.per_seed
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        self.mutant(workshop, draw)?.finish(workshop.terms)
    }
}

/// An occurrence as `auspex explain` shows it.
pub struct Shown {
    /// Which of the assertions it is in, and where.
    pub root: usize,
    pub path: Path,
    pub place: Place,
}

/// Occurrences shown of one assertion.
const MOST_SHOWN: usize = 100_000;

/// The places of a script with what may stand there and how likely each is chosen, in the order of the text.
pub fn explain(terms: &mut Terms, script: &Script, model: Model) -> Option<Vec<Shown>> {
    let rules = Rules {
        solvers: SolverSet(0),
        theories: &[],
        forbidden: &[],
        features: Features::ALL,
    };
    let mut mutant = ModelMutant::new(terms, script, model, &rules)?;
    mutant.limit = MOST_SHOWN;
    let mut shown = Vec::new();
    for root in 0..mutant.assertions.len() {
        mutant.map(terms, root, &Diver::USUAL);
        let map = mutant.maps[root].as_ref()?;
        shown.extend(
            map.places()
                .iter()
                .enumerate()
                .map(|(number, place)| Shown {
                    root,
                    path: map.path(number),
                    place: place.clone(),
                }),
        );
    }
    Some(shown)
}
