//! Chains of mutations: a mutant is the seed of the next. One draw makes the whole chain, so every
//! mutant of it is replayed from the same numbers and its length.

use super::{Seed, Strategy, Workshop};
use crate::case::{Case, Evidence, Origin};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::{Kinds, Palette, Rules};
use crate::mutant::Mutant;
use auspex_logic::{Command, Head, Script, TermId, Terms, Theory};

/// One kind of mutation step; a strategy by being chained.
pub trait Mutate: Sync {
    fn name(&self) -> &'static str;
    /// One sentence for `auspex rules`.
    fn about(&self) -> &'static str;
    /// The longest chain.
    fn longest(&self) -> u32;
    /// Changes the mutant once and says what it did, or leaves it as it was.
    fn step(
        &self,
        mutant: &mut Mutant,
        terms: &mut Terms,
        palette: &Palette,
        draw: &mut Draw,
    ) -> Option<String>;
}

impl<M: Mutate> Strategy for M {
    fn name(&self) -> &'static str {
        Mutate::name(self)
    }

    fn about(&self) -> &'static str {
        Mutate::about(self)
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Option<Case> {
        make(self, self.longest(), workshop, draw)
    }

    fn stages(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Vec<Script> {
        let mut stages = Vec::new();
        follow(self, self.longest(), workshop, draw, |chain, terms| {
            stages.push(chain.mutant.script(terms));
        });
        stages
    }
}

/// The mutants of one seed, one after the other.
pub struct Chain<'m> {
    mutate: &'m dyn Mutate,
    mutant: Mutant,
    palette: Palette,
    seed: String,
    steps: Vec<String>,
}

/// Steps that change nothing before a chain is given up.
const PATIENCE: usize = 3;

impl<'m> Chain<'m> {
    /// A chain on one of the seeds; none if there are no seeds.
    pub fn start(
        mutate: &'m dyn Mutate,
        workshop: &mut Workshop<'_>,
        draw: &mut Draw,
    ) -> Option<Chain<'m>> {
        let seed = draw.pick(workshop.seeds)?;
        Some(Chain::on(mutate, workshop, seed, draw))
    }

    /// A chain on that seed.
    pub fn on(
        mutate: &'m dyn Mutate,
        workshop: &mut Workshop<'_>,
        seed: &Seed,
        draw: &mut Draw,
    ) -> Chain<'m> {
        let mutant = Mutant::new(workshop.terms, &seed.script);
        let palette = palette(workshop, &mutant, draw);
        Chain {
            mutate,
            mutant,
            palette,
            seed: seed.name.clone(),
            steps: Vec::new(),
        }
    }

    /// Makes the next mutant; false if there is none.
    pub fn advance(&mut self, terms: &mut Terms, draw: &mut Draw) -> bool {
        for _ in 0..PATIENCE {
            let step = self
                .mutate
                .step(&mut self.mutant, terms, &self.palette, draw);
            if let Some(step) = step {
                self.steps.push(step);
                return true;
            }
        }
        false
    }

    /// The mutant as a case. Nothing is known about its answers.
    pub fn case(&self, terms: &mut Terms) -> Case {
        let script = self.mutant.script(terms);
        let asks = |c: &&Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
        let queries = script.commands.iter().filter(asks).count();
        Case {
            script,
            evidence: vec![Evidence::Agreement; queries],
            origin: Origin {
                strategy: self.mutate.name(),
                seed: Some(self.seed.clone()),
                steps: self.steps.clone(),
            },
        }
    }
}

/// The mutant at a random position of a chain of at most `longest`.
pub fn make(
    mutate: &dyn Mutate,
    longest: u32,
    workshop: &mut Workshop<'_>,
    draw: &mut Draw,
) -> Option<Case> {
    let chain = follow(mutate, longest, workshop, draw, |_, _| {})?;
    (!chain.steps.is_empty()).then(|| chain.case(workshop.terms))
}

/// A chain of at most `longest`, shown at its start and after each step.
fn follow<'m>(
    mutate: &'m dyn Mutate,
    longest: u32,
    workshop: &mut Workshop<'_>,
    draw: &mut Draw,
    mut show: impl FnMut(&Chain<'m>, &mut Terms),
) -> Option<Chain<'m>> {
    let length = draw.between(1, longest.into());
    let mut chain = Chain::start(mutate, workshop, draw)?;
    show(&chain, workshop.terms);
    for _ in 0..length {
        if !chain.advance(workshop.terms, draw) {
            break;
        }
        show(&chain, workshop.terms);
    }
    Some(chain)
}

/// Theories that not every formula should get: they come only where the seed or its logic has them.
pub(super) const ONLY_WHERE_PRESENT: Features = Features::HIGHER_ORDER
    .and(Features::SEPARATION)
    .and(Features::FIELDS)
    .and(Features::TRANSCENDENTALS);

/// The operators for a chain. Half of the chains keep to the seed's logic, since solvers have procedures
/// of their own for small logics; one in eight may also bring sorts the seed does not have.
fn palette(workshop: &Workshop<'_>, mutant: &Mutant, draw: &mut Draw) -> Palette {
    let (inside, wide) = (draw.coin(), draw.one_in(8));
    let usual = Features::ALL.without(ONLY_WHERE_PRESENT);
    let seed = mutant.seed_features();
    let features = if inside {
        mutant.allowed()
    } else if seed.includes(Features::HIGHER_ORDER) {
        // The logic of higher order is a small one for z3.
        usual.and(seed).without(Features::EXTENSION)
    } else {
        usual.and(seed)
    };
    let rules = Rules {
        solvers: workshop.solvers,
        theories: workshop.theories,
        forbidden: workshop.forbidden,
        features: within_theories(features, workshop.theories),
    };
    let kinds = if wide {
        Kinds::ALL
    } else {
        mutant.pool.kinds(&workshop.terms.sorts)
    };
    Palette::new(&workshop.terms.table().clone(), &rules, kinds)
}

pub(super) fn within_theories(features: Features, theories: &[Theory]) -> Features {
    if theories.is_empty() {
        return features;
    }
    let wanted = Theory::ALL.into_iter().filter(|t| !theories.contains(t));
    wanted.fold(features, |all, theory| {
        all.without(Features::of_theory(theory))
    })
}

/// What stands at the root of a term, in one word.
pub fn root_word(terms: &Terms, term: TermId) -> &str {
    match terms.head(term) {
        Head::Op(op) => &terms.op(op).name,
        Head::Fun(fun) => terms.symbols.name(terms.fun(fun).name),
        Head::Variable(name) => terms.symbols.name(name),
        Head::Literal(_) => "a constant",
        Head::Binder(_) => "a quantifier",
        Head::Match(_) => "match",
        Head::Annotated(_) | Head::Apply | Head::Opaque(_) => "a term",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};
    use auspex_logic::theory::Known;

    /// The texts of the mutants of the first so many draws.
    pub fn mutants(mutate: &dyn Mutate, longest: u32, seed: &str, draws: u64) -> Vec<String> {
        all(seed, draws, |workshop, draw| {
            make(mutate, longest, workshop, draw)
        })
    }

    /// The texts of the cases that a strategy makes from the first so many draws.
    pub fn made(strategy: &dyn Strategy, seed: &str, draws: u64) -> Vec<String> {
        all(seed, draws, |workshop, draw| strategy.make(workshop, draw))
    }

    fn all(
        seed: &str,
        draws: u64,
        make: impl Fn(&mut Workshop<'_>, &mut Draw) -> Option<Case>,
    ) -> Vec<String> {
        let mut terms = Terms::new();
        let reading = read_script(&mut terms, seed).expect("well-formed");
        let seeds = [Seed {
            name: "seed.smt2".into(),
            script: reading.script,
            status: None,
            models: Vec::new(),
            core: None,
        }];
        let mark = terms.mark();
        let mut texts = Vec::new();
        for number in 0..draws {
            let mut workshop = Workshop {
                terms: &mut terms,
                seeds: &seeds,
                theories: &[],
                solvers: Known::Z3.and(Known::CVC5),
                forbidden: &[],
            };
            let case = make(&mut workshop, &mut Draw::new(3, number));
            if let Some(case) = case {
                texts.push(render::script(&terms, &case.script, Sharing::Expanded));
            }
            terms.release(mark);
        }
        texts
    }

    #[test]
    fn stages_lead_from_the_seed_to_the_case() {
        let text = "(declare-const x Int)(assert (< (+ x 1) (* 2 x)))(check-sat)";
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        let seeds = [Seed {
            name: "seed.smt2".into(),
            script,
            status: None,
            models: Vec::new(),
            core: None,
        }];
        let mut workshop = Workshop {
            terms: &mut terms,
            seeds: &seeds,
            theories: &[],
            solvers: Known::Z3,
            forbidden: &[],
        };
        for number in 0..20 {
            let strategy = crate::strategy::typefuzz::TypeFuzz::USUAL;
            let stages = strategy.stages(&mut workshop, &mut Draw::new(5, number));
            let case = strategy.make(&mut workshop, &mut Draw::new(5, number));
            let case = case.expect("a mutant");
            assert_eq!(stages.len(), case.origin.steps.len() + 1);
            assert_eq!(stages.last(), Some(&case.script));
        }
    }

    /// Every mutant of a chain reads back without anything that does not fit.
    pub fn all_well_sorted(mutate: &dyn Mutate, seed: &str, draws: u64) -> usize {
        let all = mutants(mutate, 20, seed, draws);
        for text in &all {
            let mut terms = Terms::new();
            let reading = read_script(&mut terms, text).expect("well-formed");
            assert_eq!(reading.issues, [], "in {text}");
        }
        all.len()
    }
}
