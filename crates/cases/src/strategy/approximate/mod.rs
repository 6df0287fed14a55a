//! `approximate`: weakens satisfiable seeds and strengthens unsatisfiable ones, literal by literal.
//!
//! ```text
//! (assert (and (< x y) (not (str.prefixof s t))))     satisfiable
//! (assert (and (<= x y) (not (= t (str.++ s "b")))))  weaker, so satisfiable too
//! ```
//!
//! Preserves: every model of the seed is one of a weaker mutant, every model of a stronger mutant is one of the seed
//! (up to the names that a conjunctive normal form adds). Two forms: in place, where the direction is followed through
//! connectives, quantifiers and operators that respect an order; and Tseitin's conjunctive normal form, where every
//! literal of every clause may be changed. Changes are rules of `rules::approximation`, live predicate injection
//! (`p` to `(or p q)` with a grown `q`) among them.
//!
//! Source: Yao et al., Skeletal Approximation Enumeration for SMT Solver Testing, ESEC/FSE 2021.

mod change;
mod cnf;
mod mutation;
mod pantry;
mod shelf;
mod skeleton;
mod spot;

use super::{Seed, Strategy, Workshop, position};
use crate::case::{Case, Direction, Evidence, Origin, Relation, SeedStatus, Source};
use crate::draw::Draw;
use crate::features::Features;
use crate::grow::Rules;
use auspex_logic::{Command, Fun, Script, TermId, Terms};
pub use mutation::Mutation;
use skeleton::Skeleton;

/// The strategy with its settings.
#[derive(Clone, Copy, Debug)]
pub struct Approximate {
    /// Literals changed in one round.
    pub literals: u64,
    /// A mutant is the seed of the next this often at most.
    pub rounds: u64,
    /// Operators above each other in the atoms of injected formulas.
    pub depth: u32,
}

/// The names that normal forms added, with what they stand for.
pub type Names = Vec<(Fun, TermId)>;

impl Approximate {
    /// The paper's bound of five literals, and short chains.
    pub const USUAL: Approximate = Approximate {
        literals: 5,
        rounds: 3,
        depth: 2,
    };

    /// A case with the names of its normal forms: a model of the seed that gives them the values of what they name is
    /// one of a weaker mutant.
    pub fn make_with_names(
        &self,
        workshop: &mut Workshop<'_>,
        draw: &mut Draw,
    ) -> Option<(Case, Names)> {
        self.run(workshop, draw, |mutation, seed, place, terms| {
            (case(mutation, seed, place, terms), mutation.names())
        })
    }

    fn run<T>(
        &self,
        workshop: &mut Workshop<'_>,
        draw: &mut Draw,
        then: impl FnOnce(&Mutation<'_, '_>, &Seed, usize, &mut Terms) -> T,
    ) -> Option<T> {
        let seed = pick_seed(workshop.seeds, draw)?;
        let direction = direction(seed.status, draw);
        let rules = Rules {
            solvers: workshop.solvers,
            theories: workshop.theories,
            forbidden: workshop.forbidden,
            features: Features::ALL,
        };
        let mut skeleton = Skeleton::new(*self, workshop.terms, rules, seed, false, draw)?;
        if draw.one_in(NORMAL_FORMS) {
            let normal = skeleton.normal_form(workshop.terms, false, draw);
            skeleton = normal.unwrap_or(skeleton);
        }
        let mutation = Mutation::make(&skeleton, direction, workshop.terms, draw)?;
        let place = position(workshop.seeds, seed);
        Some(then(&mutation, seed, place, workshop.terms))
    }
}

/// Of so many mutants one is of the seed's normal form.
const NORMAL_FORMS: u64 = 4;

/// A seed made ready for many mutants.
pub struct Nursery<'w> {
    seed: &'w Seed,
    plain: Skeleton<'w>,
    normal: Option<Skeleton<'w>>,
}

impl<'w> Nursery<'w> {
    /// None if the seed has nothing to mutate. What is made later may be forgotten by the arena, this may not.
    /// Of the rules, the features follow from the seed.
    pub fn new(
        strategy: Approximate,
        terms: &mut Terms,
        rules: Rules<'w>,
        seed: &'w Seed,
        draw: &mut Draw,
    ) -> Option<Nursery<'w>> {
        let plain = Skeleton::new(strategy, terms, rules, seed, true, draw)?;
        let normal = plain.normal_form(terms, true, draw);
        let directions = directions(seed.status);
        Some(Nursery {
            seed,
            plain: plain.complete(terms, directions),
            normal: normal.map(|normal| normal.complete(terms, directions)),
        })
    }

    pub fn mutant(&self, terms: &mut Terms, draw: &mut Draw) -> Option<Mutation<'_, 'w>> {
        let skeleton = match &self.normal {
            Some(normal) if draw.one_in(NORMAL_FORMS) => normal,
            _ => &self.plain,
        };
        let direction = direction(self.seed.status, draw);
        Mutation::make(skeleton, direction, terms, draw)
    }

    pub fn case(&self, mutant: &Mutation<'_, 'w>, terms: &mut Terms) -> Case {
        case(mutant, self.seed, 0, terms)
    }
}

impl Strategy for Approximate {
    fn name(&self) -> &'static str {
        "approximate"
    }

    fn about(&self) -> &'static str {
        "Weakens satisfiable seeds and strengthens unsatisfiable ones by proved rules, literal by literal."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Option<Case> {
        self.run(workshop, draw, case)
    }

    fn stages(&self, workshop: &mut Workshop<'_>, draw: &mut Draw) -> Vec<Script> {
        let made = self.run(workshop, draw, |mutation, _, _, terms| {
            mutation.stages(terms)
        });
        made.unwrap_or_default()
    }
}

/// Any seed, but rather one whose status is known.
fn pick_seed<'s>(seeds: &'s [Seed], draw: &mut Draw) -> Option<&'s Seed> {
    const TRIES: usize = 4;
    let known = (0..TRIES).find_map(|_| draw.pick(seeds).filter(|seed| seed.status.is_some()));
    known.or_else(|| draw.pick(seeds))
}

/// The directions that keep a status.
fn directions(status: Option<SeedStatus>) -> &'static [Direction] {
    match status {
        Some(SeedStatus::ProvedSat | SeedStatus::SaidSat) => &[Direction::Weaker],
        Some(SeedStatus::ConstructedUnsat | SeedStatus::AgreedUnsat | SeedStatus::SaidUnsat) => {
            &[Direction::Stronger]
        }
        None => &[Direction::Weaker, Direction::Stronger],
    }
}

fn direction(status: Option<SeedStatus>, draw: &mut Draw) -> Direction {
    let directions = directions(status);
    directions[draw.index(directions.len())]
}

fn case(mutation: &Mutation<'_, '_>, seed: &Seed, place: usize, terms: &mut Terms) -> Case {
    let (script, steps) = mutation.script(terms);
    let asks = |c: &&Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
    let queries = script.commands.iter().filter(asks).count();
    let mut evidence = vec![Evidence::NoneKnown; queries];
    if let Some(first) = evidence.first_mut() {
        *first = Evidence::Relation(Relation {
            kind: mutation.direction().into(),
            sources: vec![Source::Seed {
                seed: place,
                query: 0,
            }],
            status: seed.status,
        });
    }
    Case {
        script,
        evidence,
        origin: Origin {
            strategy: "approximate",
            seed: Some(seed.name.clone()),
            steps,
        },
    }
}

#[cfg(test)]
mod tests;
