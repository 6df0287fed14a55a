//! Makes the cases of a campaign from their numbers: the same numbers give the same cases on any machine.

use crate::schedule::plan::{BLOCK, MADE_STREAM};
use crate::schedule::recipe::{Question, Recipe, Source};
use crate::team::vocabulary::{TargetSolvers, Vocabularies};
use auspex_cases::answers::{self, Kind};
use auspex_cases::features::Features;
use auspex_cases::strategy::ALL;
use auspex_cases::strategy::chain::Chain;
use auspex_cases::{
    Case, Draw, Evidence, GenContext, Seed, SeedStatus, Strategy, logic_set, logics,
};
use auspex_logic::{OpTable, Script, Symbol, Terms, Theory};
use std::sync::Arc;

/// How many draws a strategy has for one case.
const ATTEMPTS: usize = 8;

/// The settings that decide which cases a campaign makes.
#[derive(Clone)]
pub struct Maker {
    pub seed: u64,
    pub strategies: Vec<&'static dyn Strategy>,
    /// Empty means all.
    pub theories: Vec<Theory>,
    pub vocabularies: Vocabularies,
    /// The kinds of answers, besides `sat` and `unsat`, that cases may ask for.
    pub kinds: Vec<Kind>,
    /// The operators, with those of a user's signature file.
    pub table: Arc<OpTable>,
}

/// Sets the draws of questions apart from those of cases.
const QUESTIONS: u64 = 0x6175_7370_6578_0004;
/// Of so many blocks one asks for another answer besides `sat` and `unsat`.
const ASKING: u64 = 6;

/// Sets the draws of logics apart.
const LOGICS: u64 = 0x6175_7370_6578_0006;

/// Separates the draws of target solvers from those of cases.
const TARGETS: u64 = 0x6175_6469_656e_6365;

impl Maker {
    pub fn names(&self) -> Vec<&'static str> {
        self.strategies.iter().map(|s| s.name()).collect()
    }

    /// Whether a strategy uses what is known about seeds, not only their terms.
    pub fn wants_models(&self) -> bool {
        let mut all = self.strategies.iter();
        all.any(|strategy| strategy.needs_seeds() && !strategy.needs_second())
    }

    /// The same, for cases about these theories; none means the campaign's.
    pub fn about(&self, theories: &[Theory]) -> Maker {
        let mut maker = self.clone();
        if !theories.is_empty() {
            maker.theories = theories.to_vec();
        }
        maker
    }

    /// The theories that a block can be about alone: those with an operator of their own that a solver supports.
    pub fn single_theories(&self) -> Vec<Theory> {
        let wanted = |theory: &Theory| match &self.theories[..] {
            [] => true,
            [_] => false,
            some => some.contains(theory),
        };
        let all = Theory::ALL.into_iter().filter(wanted);
        let own = all.filter(|theory| !matches!(theory, Theory::Core | Theory::User));
        own.filter(|theory| self.vocabularies.know(*theory))
            .collect()
    }

    /// An arena that reads and makes cases.
    pub fn terms(&self) -> Terms {
        Terms::with_table(self.table.clone())
    }

    /// The solvers that a case is made for; the same for all cases of a block and of a chain.
    pub fn targets(&self, strategy: &dyn Strategy, number: u64) -> &TargetSolvers {
        if !strategy.makes().is_empty() {
            return self.vocabularies.everyone();
        }
        let first = strategy.chain_start(number);
        let mut draw = Draw::new(self.seed ^ TARGETS, first / BLOCK);
        self.vocabularies
            .targets(strategy.needs_second(), &mut draw)
    }

    /// What the cases of a block are made to ask for; the same for all of them.
    pub fn question(&self, strategy: &dyn Strategy, number: u64) -> Option<Question> {
        let mut draw = Draw::new(self.seed ^ QUESTIONS, number / BLOCK);
        if !strategy.makes().is_empty() || !draw.one_in(ASKING) {
            return None;
        }
        let makes = self.vocabularies.makes(self.targets(strategy, number));
        let kinds = answers::ALL.iter();
        let kinds = kinds.filter(|kind| self.kinds.contains(&kind.kind()));
        let questions = kinds.flat_map(|kind| {
            let spoken = makes
                .iter()
                .filter(|make| kind.makes().contains(&make.as_str()));
            spoken.map(|make| Question {
                kind: kind.kind(),
                make: make.clone(),
            })
        });
        draw.pick(&questions.collect::<Vec<_>>()).cloned()
    }

    /// The case of that number with a question, or none where it gives no occasion for one.
    pub fn ask(
        &self,
        terms: &mut Terms,
        case: &Case,
        number: u64,
        question: &Question,
    ) -> Option<Case> {
        let mut kinds = answers::ALL.iter();
        let kind = kinds.find(|kind| kind.kind() == question.kind)?;
        let mut draw = Draw::new(self.seed ^ QUESTIONS, !number);
        answers::ask(*kind, &mut draw, terms, case, &question.make)
    }

    /// Gives a case of that number a logic that fits and that its solvers take; the same choice for all cases of a
    /// block, since live solvers must be reset between two logics. Returns the logic that the script has then.
    pub fn set_logic(
        &self,
        terms: &mut Terms,
        script: &mut Script,
        number: u64,
        needs: Features,
    ) -> Option<String> {
        let own = logics::of_script(script).map(|own| terms.symbols.name(own).to_string());
        let mut draw = Draw::new(self.seed ^ LOGICS, number / BLOCK);
        let Some(logic) = self.vocabularies.logic(own.as_deref(), needs, &mut draw) else {
            return own;
        };
        logic_set::set(terms, script, &logic);
        Some(logic)
    }

    /// Makes the case of a number; none if all its draws fail.
    pub fn make(
        &self,
        terms: &mut Terms,
        strategy: &dyn Strategy,
        seeds: &[Seed],
        number: u64,
    ) -> Option<Case> {
        self.line(strategy).make(terms, seeds, number)
    }

    /// Makes consecutive cases of one strategy, which is cheaper than one by one.
    pub fn line<'m>(&'m self, strategy: &'m dyn Strategy) -> Line<'m> {
        Line {
            maker: self,
            strategy,
            chain: None,
            next: 0,
        }
    }

    /// The scripts from the seed to the case of a number, if it is made in steps.
    pub fn stages(
        &self,
        terms: &mut Terms,
        strategy: &dyn Strategy,
        seeds: &[Seed],
        number: u64,
    ) -> Vec<Script> {
        if strategy.is_chained() {
            let Some(case) = self.make(terms, strategy, seeds, number) else {
                return Vec::new();
            };
            let chain = self.chain(terms, strategy, seeds, number);
            let steps = case.origin.steps.len() as u64;
            return chain.map_or_else(Vec::new, |mut chain| chain.scripts(terms, steps));
        }
        if strategy.is_walk() {
            return Vec::new();
        }
        let targets = self.targets(strategy, number);
        let mut draw = Draw::new(self.seed, number);
        for _ in 0..ATTEMPTS {
            let mut again = draw.clone();
            let mut context = self.context(terms, seeds, targets);
            if strategy.make(&mut context, &mut draw).is_some() {
                return strategy.stages(&mut context, &mut again);
            }
        }
        Vec::new()
    }

    /// The chain to which a case belongs, at its start.
    fn chain<'m>(
        &self,
        terms: &mut Terms,
        strategy: &'m dyn Strategy,
        seeds: &[Seed],
        number: u64,
    ) -> Option<Chain<'m>> {
        let draw = Draw::new(self.seed, strategy.chain_start(number));
        let targets = self.targets(strategy, number);
        strategy.chain(&mut self.context(terms, seeds, targets), draw)
    }

    fn context<'a>(
        &'a self,
        terms: &'a mut Terms,
        seeds: &'a [Seed],
        targets: &'a TargetSolvers,
    ) -> GenContext<'a> {
        GenContext {
            terms,
            seeds,
            theories: &self.theories,
            solvers: targets.solvers,
            forbidden: &targets.forbidden,
        }
    }

    fn attempt(&self, terms: &mut Terms, from: Ingredients<'_>, mut draw: Draw) -> Option<Case> {
        let Ingredients {
            strategy,
            seeds,
            targets,
        } = from;
        (0..ATTEMPTS).find_map(|_| {
            let mark = terms.mark();
            let case = strategy.make(&mut self.context(terms, seeds, targets), &mut draw);
            if case.is_none() {
                terms.release(mark);
            }
            case
        })
    }

    /// Makes a seed for the strategies that need one, by the first strategy that needs none.
    pub fn made_seed(&self, terms: &mut Terms, number: u64) -> Option<Seed> {
        let own = self.strategies.iter().chain(ALL);
        let mut own = own.copied();
        let draws = |s: &&dyn Strategy| !s.needs_seeds() && !s.is_walk();
        let maker = own.find(|s| draws(s) && s.makes().is_empty())?;
        let from = Ingredients {
            strategy: maker,
            seeds: &[],
            targets: self.vocabularies.everyone(),
        };
        let case = self.attempt(terms, from, Draw::new(self.seed ^ MADE_STREAM, number))?;
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
                seed.status = Some(SeedStatus::ConstructedUnsat);
                seed.core = core_positions(&seed.script, &names);
            }
            Some(Evidence::Relation(_) | Evidence::NoneKnown) | None => {}
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
            solvers: self.vocabularies.specs(),
            from,
            asks: None,
            with: Vec::new(),
        }
    }
}

/// The ingredients of a case, apart from random choices.
#[derive(Clone, Copy)]
struct Ingredients<'a> {
    strategy: &'a dyn Strategy,
    seeds: &'a [Seed],
    targets: &'a TargetSolvers,
}

/// A sequence of cases. The arena must keep its content while this is used.
pub struct Line<'m> {
    maker: &'m Maker,
    strategy: &'m dyn Strategy,
    chain: Option<Chain<'m>>,
    /// The number of the case that the chain makes next.
    next: u64,
}

impl Line<'_> {
    /// Makes the case of that number from these seeds.
    pub fn make(&mut self, terms: &mut Terms, seeds: &[Seed], number: u64) -> Option<Case> {
        if self.strategy.is_walk() {
            let targets = self.maker.targets(self.strategy, number);
            let mut context = self.maker.context(terms, seeds, targets);
            return self.strategy.nth(&mut context, number);
        }
        if !self.strategy.is_chained() {
            let from = Ingredients {
                strategy: self.strategy,
                seeds,
                targets: self.maker.targets(self.strategy, number),
            };
            let draw = Draw::new(self.maker.seed, number);
            return self.maker.attempt(terms, from, draw);
        }
        let start = self.strategy.chain_start(number);
        if number != self.next || number == start {
            self.chain = self.maker.chain(terms, self.strategy, seeds, number);
            self.next = start;
        }
        let chain = self.chain.as_mut()?;
        let mut is_new = false;
        while self.next <= number {
            is_new = chain.next(terms);
            self.next += 1;
        }
        is_new.then(|| chain.case(terms))
    }
}

/// The positions of a core's assertions; none if one is missing.
fn core_positions(script: &Script, names: &[Symbol]) -> Option<Vec<usize>> {
    let place = |name: &Symbol| script.assertions().position(|a| a.name == Some(*name));
    names.iter().map(place).collect()
}
