//! `approximate`: weakens satisfiable seeds and strengthens unsatisfiable ones, literal by literal.
//!
//! ```text
//! (assert (and (< x y) (not (str.prefixof s t))))     satisfiable
//! (assert (and (<= x y) (not (= t (str.++ s "b")))))  weaker, so satisfiable too
//! ```
//! Preserves: every model of the seed is a model of a weaker mutant, and every model of a stronger mutant is a model
//! of the seed (up to the names that a conjunctive normal form adds, and new variables). Two forms: in place, where
//! the direction is followed through connectives, quantifiers and operators that respect an order; and Tseitin's
//! conjunctive normal form, where every literal of every clause may be changed. Changes are rules of
//! approximation, live predicate injection (`p` to `(or p q)` with a grown `q`) among them. Any query of an
//! incremental seed can be the one that is approximated, and so can the bodies of defined and recursive functions.
//!
//! Source: Yao et al., Skeletal Approximation Enumeration for SMT Solver Testing, ESEC/FSE 2021.

mod change;
mod cnf;
mod mutation;
mod options;
mod site;
mod supply;
mod target;
mod uses;

use super::{GenContext, Parameter, Preset, Seed, Strategy, Values, position};
use crate::case::{Case, Direction, Evidence, Origin, Relation, RelationKind, SeedStatus, Source};
use crate::draw::Draw;
use auspex_logic::{Fun, Script, TermId};
use mutation::Mutation;

/// The strategy with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximate {
    /// The name of these settings.
    pub name: &'static str,
    /// Literals changed per round.
    pub literals: u64,
    /// The longest chain in which a mutant is the seed of the next.
    pub rounds: u64,
    /// Depth of operators in the atoms of injected formulas.
    pub depth: u32,
    pub changes: Changes,
    pub form: Form,
    pub linearity: Linearity,
    /// One in this many mutants has new variables in its injected formulas; 0 means none.
    pub variables: u64,
}

/// How literals may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Any rule.
    Any,
    /// Predicate symbol transformation: rules that inject no formula.
    Rules,
    /// Live predicate injection only.
    Formulas,
    /// As in the paper: a rule of its Table 2 or live predicate injection, with equal probability.
    Paper,
}

/// The form of the seed in which literals are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Either one, with equal probability.
    Either,
    /// In place, following the direction.
    Polarity,
    /// In conjunctive normal form.
    Clauses,
}

/// Whether new terms may contain products of unknowns if the logic permits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearity {
    /// In one mutant of four.
    Mixed,
    Linear,
    Nonlinear,
}

/// The names that normal forms added, with their formulas.
pub type Names = Vec<(Fun, TermId)>;

impl Approximate {
    /// The paper's bound of five literals, and short chains.
    pub const USUAL: Approximate = Approximate {
        name: "approximate",
        literals: 5,
        rounds: 3,
        depth: 2,
        changes: Changes::Any,
        form: Form::Either,
        linearity: Linearity::Mixed,
        variables: 4,
    };

    /// A case with the names of its normal forms: a model of the seed, extended by the values of their formulas, is a
    /// model of a weaker mutant.
    pub fn make_with_names(
        &self,
        workshop: &mut GenContext<'_>,
        draw: &mut Draw,
    ) -> Option<(Case, Names)> {
        let (mutation, seed) = self.mutate(workshop, draw)?;
        let names = mutation.names.clone();
        let place = position(workshop.seeds, seed);
        Some((case(&mutation, seed, place), names))
    }

    fn mutate<'w>(
        &self,
        workshop: &mut GenContext<'w>,
        draw: &mut Draw,
    ) -> Option<(Mutation<'w>, &'w Seed)> {
        let seed = pick_seed(workshop.seeds, draw)?;
        let mutation = Mutation::make(*self, workshop, seed, draw)?;
        Some((mutation, seed))
    }
}

impl Strategy for Approximate {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "Weakens satisfiable seeds and strengthens unsatisfiable ones by proved rules, literal by literal."
    }

    fn needs_seeds(&self) -> bool {
        true
    }

    fn parameters(&self) -> Vec<Parameter> {
        options::parameters(self)
    }

    fn presets(&self) -> &'static [Preset] {
        options::PRESETS
    }

    fn with(&self, name: &'static str, values: &Values) -> Result<Box<dyn Strategy>, String> {
        Ok(Box::new(options::with(name, values)?))
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let (mutation, seed) = self.mutate(workshop, draw)?;
        let place = position(workshop.seeds, seed);
        Some(case(&mutation, seed, place))
    }

    fn stages(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Vec<Script> {
        let made = self.mutate(workshop, draw);
        made.map_or_else(Vec::new, |(mutation, _)| mutation.stages())
    }
}

/// Any seed, preferably one whose status is known.
fn pick_seed<'s>(seeds: &'s [Seed], draw: &mut Draw) -> Option<&'s Seed> {
    const TRIES: usize = 4;
    let known = (0..TRIES).find_map(|_| draw.pick(seeds).filter(|seed| seed.status.is_some()));
    known.or_else(|| draw.pick(seeds))
}

/// The direction that keeps a status.
fn keeping(status: SeedStatus) -> Direction {
    match status {
        SeedStatus::ProvedSat | SeedStatus::SaidSat => Direction::Weaker,
        SeedStatus::ConstructedUnsat | SeedStatus::AgreedUnsat | SeedStatus::SaidUnsat => {
            Direction::Stronger
        }
    }
}

/// Relates every query to that of the seed; the seed's status is about its first query.
fn case(mutation: &Mutation<'_>, seed: &Seed, place: usize) -> Case {
    let script = mutation.script();
    let relation = |query: usize| {
        // An unchanged query has the same models.
        let kind = match mutation.changes_query(query) {
            true => mutation.direction.into(),
            false => RelationKind::Equisatisfiable,
        };
        Evidence::Relation(Relation {
            kind,
            sources: vec![Source::Seed { seed: place, query }],
            status: seed.status.filter(|_| query == 0),
        })
    };
    let evidence = (0..script.queries().len()).map(relation).collect();
    Case {
        script,
        evidence,
        origin: Origin {
            strategy: "approximate",
            seed: Some(seed.name.clone()),
            steps: mutation.steps_in_words(),
        },
    }
}

#[cfg(test)]
mod tests;
