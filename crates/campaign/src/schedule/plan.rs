//! The plan of a block: its strategy, theories, seeds, mode and more, drawn with the weights of the arms. Without
//! weights that were learned (`auspex ci`) it is a pure function of the campaign's seed and the block's number.

use crate::judge::judging::Forms;
use crate::schedule::arms::Arms;
use crate::team::sweep::Turn;
use auspex_cases::spelling::Spelling;
use auspex_cases::strategy::chain::STAGES;
use auspex_cases::{Draw, Strategy};
use auspex_logic::Theory;
use auspex_solvers::Mode;
use std::ops::Range;

/// Cases in a block: they share a strategy, seeds and a mode, so that live solvers need not be reset.
/// A chain of mutations fills one.
pub const BLOCK: u64 = STAGES;

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
    /// The theories that its cases are about; empty means those of the campaign.
    pub theories: Vec<Theory>,
    /// The block whose number determines the seeds: a strategy may keep its seeds for several blocks.
    pub seed_block: u64,
    pub seeds: Vec<SeedChoice>,
    pub mode: Mode,
    /// Ask for unsatisfiable cores.
    pub cores: bool,
    /// Whether one solver is asked in another configuration, too; these are the weights of groups of options.
    pub configured: Option<Vec<u32>>,
    /// The configurations that it asks instead, if it belongs to the sweep.
    pub sweep: Option<Turn>,
    /// The other forms in which queries are asked, too; a solver must give the same answer.
    pub forms: Forms,
}

/// The modes with their usual shares of the time. In fresh processes, in which findings are confirmed anyway, a share
/// brings a twentieth of the cases.
pub const MODES: [(Mode, u32); 4] = [
    (Mode::PushPop, 43),
    (Mode::CheckSatUsing, 16),
    (Mode::Reset, 6),
    (Mode::Fresh, 2),
];
/// The usual share of a group of options.
pub const OPTION_SHARE: u32 = 4;
/// The usual share of a general strategy, as a multiple of that of another. A walk has blocks of its own.
const GENERAL_SHARE: u32 = 4;
/// The usual share of cases about all theories together, as a multiple of that of one theory.
const MIXTURE: u32 = 6;

/// Of so many blocks one is asked under other options, too.
const OPTIONS: u64 = 4;
/// In one of this many blocks each query is also asked alone.
const FORMS: u64 = 8;

/// The arms of a campaign, each with its name and its usual share of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Menu {
    pub strategies: Vec<(String, u32)>,
    /// All theories together, then each of `single`.
    pub theories: Vec<(String, u32)>,
    pub modes: Vec<(String, u32)>,
    /// Groups of options; none where no options are set.
    pub options: Vec<(String, u32)>,
    /// The theories that a block can be about alone.
    pub single: Vec<Theory>,
}

/// What shapes the choice for a block: a weight for each arm of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    pub strategies: Vec<u32>,
    pub theories: Vec<u32>,
    pub modes: Vec<u32>,
    pub options: Vec<u32>,
}

impl Menu {
    /// `single` are the theories that a block can be about alone; `groups` are groups of options.
    pub fn new(strategies: &[&dyn Strategy], single: Vec<Theory>, groups: &[String]) -> Menu {
        let strategies = strategies.iter();
        let share = |one: &dyn Strategy| match one.is_general() && !one.is_walk() {
            true => GENERAL_SHARE,
            false => 1,
        };
        let strategies = strategies.map(|one| (strategy_arm(one.name()), share(*one)));
        let mixture = (theory_arm(None), MIXTURE);
        let theories = single.iter();
        let theories = theories.map(|theory| (theory_arm(Some(*theory)), usual_share(*theory)));
        let modes = MODES.iter().map(|(mode, share)| (mode_arm(*mode), *share));
        let options = groups.iter().map(|name| (option_arm(name), OPTION_SHARE));
        Menu {
            strategies: strategies.collect(),
            theories: std::iter::once(mixture).chain(theories).collect(),
            modes: modes.collect(),
            options: options.collect(),
            single,
        }
    }

    /// The weights by what the arms earned.
    pub fn weights(&self, arms: &Arms) -> Weights {
        let of = |choices: &[(String, u32)]| {
            let choices = choices.iter().map(|(name, share)| (name.as_str(), *share));
            arms.weights(choices)
        };
        Weights {
            strategies: of(&self.strategies),
            theories: of(&self.theories),
            modes: of(&self.modes),
            options: of(&self.options),
        }
    }
}

pub fn strategy_arm(name: &str) -> String {
    format!("strategy {name}")
}

/// Of one theory, or of all together.
pub fn theory_arm(theory: Option<Theory>) -> String {
    format!("theory {}", theory.map_or("all", Theory::name))
}

pub fn mode_arm(mode: Mode) -> String {
    format!("mode {}", mode.name())
}

pub fn option_arm(group: &str) -> String {
    format!("option {group}")
}

/// The choice for one block; `files` eighths of the seeds come from files.
pub fn choose(
    seed: u64,
    block: u64,
    (menu, weights): (&Menu, &Weights),
    files: usize,
) -> BlockPlan {
    let mut draw = Draw::new(seed ^ CHOICE_STREAM, block);
    let strategy = draw.weighted(&weights.strategies).unwrap_or(0);
    let seeds = seeds(seed, block, files);
    let cores = draw.one_in(4);
    let theories = theories(&mut draw, menu, weights);
    let mode = draw.weighted(&weights.modes).unwrap_or(0);
    let configured = draw.one_in(OPTIONS).then(|| weights.options.clone());
    let often = draw.one_in(FORMS);
    BlockPlan {
        block,
        strategy,
        theories,
        seed_block: block,
        seeds,
        mode: MODES[mode].0,
        cores,
        configured,
        sweep: None,
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

/// All theories, or one, or one with another and what it cannot do without.
fn theories(draw: &mut Draw, menu: &Menu, weights: &Weights) -> Vec<Theory> {
    let pick = |draw: &mut Draw| {
        let at = draw.weighted(&weights.theories).unwrap_or(0);
        at.checked_sub(1)
            .and_then(|at| menu.single.get(at).copied())
    };
    let Some(first) = pick(draw) else {
        return Vec::new();
    };
    let beside = draw.coin().then(|| pick(draw)).flatten();
    let mut all = vec![first];
    for theory in beside.into_iter().chain(needed(first)) {
        if !all.contains(&theory) {
            all.push(theory);
        }
    }
    all
}

/// The usual share of cases about one theory. Most wrong answers that were reported in 2025 and 2026 are about strings and
/// their kin, and about floating point.
fn usual_share(theory: Theory) -> u32 {
    match theory {
        Theory::FloatingPoint => 3,
        Theory::Strings | Theory::Sequences | Theory::Regex => 2,
        _ => 1,
    }
}

/// The theory whose terms the operators of another take.
fn needed(theory: Theory) -> Option<Theory> {
    match theory {
        Theory::Regex => Some(Theory::Strings),
        Theory::Transcendentals => Some(Theory::Reals),
        Theory::Relations => Some(Theory::Sets),
        _ => None,
    }
}

/// The theory that makes the small terms of another more.
fn beside(theory: Theory) -> Option<Theory> {
    match theory {
        Theory::Reals | Theory::Strings => Some(Theory::Ints),
        _ => None,
    }
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

    /// Makes it a block of the sweep: small cases with known answers, under several configurations.
    pub fn join_sweep(&mut self, turn: Turn) {
        if let Some(theory) = turn.theory {
            let others = needed(theory).into_iter().chain(beside(theory));
            self.theories = std::iter::once(theory).chain(others).collect();
        }
        self.mode = match self.block / 2 % 8 {
            3 | 6 => Mode::Reset,
            _ => Mode::PushPop,
        };
        self.cores = false;
        self.configured = None;
        self.forms = Forms::default();
        self.sweep = Some(turn);
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

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_cases::strategy::ALL;

    fn menu() -> Menu {
        Menu::new(ALL, vec![Theory::FloatingPoint, Theory::Regex], &[])
    }

    fn plan(seed: u64, block: u64, files: usize) -> BlockPlan {
        let menu = menu();
        choose(seed, block, (&menu, &menu.weights(&Arms::default())), files)
    }

    #[test]
    fn choices_depend_on_nothing_else() {
        assert_eq!(plan(1, 5, 7), plan(1, 5, 7));
        assert!((0..50).any(|block| plan(1, block, 7) != plan(2, block, 7)));
        let modes = (0..2000).map(|block| plan(1, block, 7).mode);
        let fresh = modes.filter(|mode| *mode == Mode::Fresh).count();
        assert!((20..120).contains(&fresh), "{fresh}");
    }

    #[test]
    fn some_blocks_are_about_one_theory_or_two() {
        let plans: Vec<BlockPlan> = (0..400).map(|block| plan(1, block, 7)).collect();
        let about = |theories: &[Theory]| {
            let fitting = plans.iter().filter(|plan| plan.theories == theories);
            fitting.count()
        };
        assert!(about(&[]) > 100);
        assert!(about(&[Theory::FloatingPoint]) > 20);
        assert!(about(&[Theory::Regex, Theory::Strings]) > 20);
        assert_eq!(about(&[Theory::Regex]), 0, "there would be no terms");
        assert!(plans.iter().any(|plan| plan.theories.len() > 2));
    }

    #[test]
    fn without_files_all_seeds_are_made() {
        let made = |choice: BlockPlan| {
            choice
                .seeds
                .iter()
                .all(|s| matches!(s, SeedChoice::Made(_)))
        };
        assert!((0..100).all(|block| made(plan(3, block, 0))));
        assert!(!(0..100).all(|block| made(plan(3, block, 7))));
    }

    #[test]
    fn nearly_every_seed_comes_up_before_one_comes_again() {
        let files = (0..250).flat_map(|block| plan(3, block, 8).seeds);
        let places = files.map(|choice| match choice {
            SeedChoice::File(number) => (u128::from(number) * 1000) >> 64,
            SeedChoice::Made(_) => panic!("there are files for all"),
        });
        let seen: std::collections::HashSet<u128> = places.collect();
        assert!(seen.len() > 800, "{} of 1000", seen.len());
    }
}
