//! Strategies, which make cases. Each is one file and one line in `ALL`.

pub mod approximate;
pub mod chain;
pub mod construct;
pub mod diver;
pub mod flat;
pub mod fusion;
pub mod fuzzchick;
pub mod horn;
pub mod opfuzz;
pub mod optimum;
pub mod parameters;
pub mod scopes;
pub mod skeletons;
pub mod storm;
pub mod structure;
pub mod typefuzz;

use crate::case::{Case, SeedStatus};
use crate::draw::Draw;
use auspex_logic::theory::SolverSet;
use auspex_logic::{Model, Script, Terms, Theory};
use chain::Chain;
pub use parameters::{Parameter, Preset, Values, parse, split};

/// A script to start from, in the worker's arena.
#[derive(Clone, Debug)]
pub struct Seed {
    /// The file it came from.
    pub name: String,
    pub script: Script,
    /// The status of its first query.
    pub status: Option<SeedStatus>,
    /// Models that our evaluator accepted for its first query.
    pub models: Vec<Model>,
    /// Positions (among the assertions) of an unsatisfiable core that two solvers accept.
    pub core: Option<Vec<usize>>,
}

/// The position of a seed among those it was picked from.
pub fn position(seeds: &[Seed], seed: &Seed) -> usize {
    let place = seeds.iter().position(|one| std::ptr::eq(one, seed));
    place.unwrap_or(0)
}

/// Everything that a strategy may use, except random choices.
pub struct GenContext<'a> {
    pub terms: &'a mut Terms,
    pub seeds: &'a [Seed],
    /// The theories cases may use; empty means all.
    pub theories: &'a [Theory],
    /// The solvers that must all support the operators used; empty means standard operators only.
    pub solvers: SolverSet,
    /// Rows of the operator table that not all of those solvers support, sorted.
    pub forbidden: &'a [u32],
}

/// A strategy.
pub trait Strategy: Sync {
    /// The name on the command line and in reports.
    fn name(&self) -> &'static str;
    /// One sentence for `auspex rules`.
    fn about(&self) -> &'static str;
    /// Whether it makes its cases from seeds.
    fn needs_seeds(&self) -> bool;
    /// How many seeds it combines.
    fn seeds(&self) -> usize {
        1
    }

    /// The parameters that a user can set; the first may be given without its name.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// Presets: values of several parameters under one name.
    fn presets(&self) -> &'static [Preset] {
        &[]
    }

    /// The strategy with other parameters, under a name; or an error for values without effect.
    fn with(&self, _name: &'static str, _: &Values) -> Result<Box<dyn Strategy>, String> {
        Err("it has no parameters".to_string())
    }

    /// How many mutants of one seed are made in a row, if that is set.
    fn per_seed(&self) -> Option<u64> {
        None
    }

    /// Whether its answers are unknown, so that two solvers must be compared.
    fn needs_second(&self) -> bool {
        false
    }

    /// The solvers that its cases are for, by the names of their profiles; empty means all.
    fn makes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether it needs no seeds, makes cases about every operator, and knows the answers.
    fn is_general(&self) -> bool {
        false
    }

    /// Makes one case, or none if this draw gives no case. The case is in the context's arena.
    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case>;

    /// Whether it walks its cases in order instead of drawing them.
    fn is_walk(&self) -> bool {
        false
    }

    /// The case of a place in its walk; none where the place has no case.
    fn nth(&self, _: &mut GenContext<'_>, _place: u64) -> Option<Case> {
        None
    }

    /// Whether one draw makes a chain of cases.
    fn is_chained(&self) -> bool {
        false
    }

    /// The number of the first case in a case's chain.
    fn chain_start(&self, number: u64) -> u64 {
        number
    }

    /// The chain of a draw; none for strategies with one case per draw.
    fn chain(&self, _: &mut GenContext<'_>, _: Draw) -> Option<Chain<'_>> {
        None
    }

    /// The scripts that lead to the case of the same draw, from the seed to the case itself; the reducer goes back
    /// along them. None if the case is not made step by step.
    fn stages(&self, _: &mut GenContext<'_>, _: &mut Draw) -> Vec<Script> {
        Vec::new()
    }
}

/// Every strategy.
pub const ALL: &[&dyn Strategy] = &[
    &construct::Construct::USUAL,
    &approximate::Approximate::USUAL,
    &typefuzz::TYPEFUZZ,
    &opfuzz::OPFUZZ,
    &fuzzchick::FUZZCHICK,
    &structure::Structure,
    &skeletons::Skeletons,
    &diver::Diver::USUAL,
    &diver::mirror::Mirror,
    &fusion::Fuse,
    &storm::Storm,
    &scopes::Scopes,
    &horn::Horn,
    &optimum::Optimum,
];

/// The strategy of a name, optionally with parameters: `typefuzz:60`, `diver:paper,depth=3`.
pub fn named(name: &str) -> Option<&'static dyn Strategy> {
    parse(name).ok()
}
