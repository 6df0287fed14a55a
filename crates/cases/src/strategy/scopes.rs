//! `scopes`: walks all terms of a theory over few sorts and corner values, small ones first, instead of drawing some.
//!
//! ```text
//! number 0     (= (bvnot #x0) #x0)                         unsat: evaluates to false
//! number 1     (= (bvadd x0 #x0) #x1)                      sat, with x0 = #x1
//! …            every operator, then every two, over the same values
//! ```
//! Every case has its proof, like those of `construct`. A campaign goes on where earlier ones with the same release
//! ended, so that in the end a scope is known to be whole. After Winterer and Su (ET), 2024, and Becker.

use super::chain::STAGES;
use super::construct::exhaustive::{Bounds, Exhaustive};
use super::{GenContext, Strategy};
use crate::case::{Case, Evidence};
use crate::corner::corner_values;
use crate::draw::Draw;
use auspex_logic::model::Interpretation;
use auspex_logic::theory::SolverSet;
use auspex_logic::{Head, Terms, Theory};
use std::sync::{Arc, Mutex, PoisonError};

pub struct Scopes;

/// The scopes of every theory, small ones first.
const LEVELS: [Bounds; 5] = [
    bounds(1, 3, 2, 1),
    bounds(1, 4, 4, 1),
    bounds(1, 6, 6, 2),
    bounds(2, 3, 2, 1),
    bounds(2, 8, 4, 2),
];

const fn bounds(size: usize, sorts: usize, values: usize, instances: usize) -> Bounds {
    Bounds {
        sorts,
        values,
        instances,
        size,
        // Else every theory would begin with the same connectives.
        without: if size == 1 { Some(Theory::Core) } else { None },
    }
}

/// The theories that are walked; each brings the sorts that its operators need.
const THEORIES: [&[Theory]; 9] = [
    &[Theory::BitVectors],
    &[Theory::Ints],
    &[Theory::Reals, Theory::Ints],
    &[Theory::FloatingPoint],
    &[Theory::Strings, Theory::Ints],
    &[Theory::Regex, Theory::Strings],
    &[Theory::Arrays],
    &[Theory::Arrays, Theory::BitVectors],
    &[Theory::FloatingPoint, Theory::BitVectors, Theory::Reals],
];

impl Strategy for Scopes {
    fn name(&self) -> &'static str {
        "scopes"
    }

    fn about(&self) -> &'static str {
        "Walks all small terms of each theory over corner values, and remembers how far it came."
    }

    fn needs_seeds(&self) -> bool {
        false
    }

    fn is_general(&self) -> bool {
        true
    }

    fn is_walk(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        self.nth(workshop, draw.below(1 << 16))
    }

    fn nth(&self, workshop: &mut GenContext<'_>, place: u64) -> Option<Case> {
        let all = walked(workshop.theories);
        let (round, inside) = (place / STAGES, place % STAGES);
        let count = all.len() as u64;
        let theories = *all.get((round % count.max(1)) as usize)?;
        let number = round / count * STAGES + inside;
        let scope = Scope::at(theories, number.into())?;
        let mut case = scope.whole.nth(workshop.terms, scope.number)?;
        case.origin.strategy = self.name();
        is_first(workshop.terms, &case).then_some(case)
    }
}

/// Whether a case is the first of those that differ in the values of their witnesses only: in an equation whose result
/// is a variable, all others have the first value of their sorts.
fn is_first(terms: &Terms, case: &Case) -> bool {
    let (Some(Evidence::Witness(model)), Some(assertion)) =
        (case.evidence.first(), case.script.assertions().next())
    else {
        return true;
    };
    let result = terms
        .args(assertion.term)
        .last()
        .map(|arg| terms.head(*arg));
    let Some(Head::Fun(result)) = result else {
        return true;
    };
    let mut others = case.script.declared().filter(|fun| *fun != result);
    others.all(|fun| {
        let first = corner_values(&terms.sorts, terms.fun(fun).result)
            .into_iter()
            .next();
        match model.interpretation(fun) {
            Some(Interpretation::Value(value)) => Some(value) == first.as_ref(),
            _ => true,
        }
    })
}

/// The theories of a campaign that are walked.
fn walked(wanted: &[Theory]) -> Vec<&'static [Theory]> {
    let fits = |theories: &&[Theory]| {
        let mut needed = theories.iter();
        wanted.is_empty() || needed.all(|theory| wanted.contains(theory))
    };
    THEORIES.into_iter().filter(fits).collect()
}

/// A scope of a theory with a number in it.
struct Scope {
    whole: Arc<Exhaustive>,
    number: u128,
}

impl Scope {
    /// The scope in which a number of a theory's walk lies.
    fn at(theories: &'static [Theory], mut number: u128) -> Option<Scope> {
        for bounds in LEVELS {
            let (whole, first) = exhaustive(theories, bounds);
            let count = whole.total() - first;
            if number < count {
                let number = first + number;
                return Some(Scope { whole, number });
            }
            number -= count;
        }
        None
    }
}

/// The cases of a scope, and the first that no smaller scope has.
fn exhaustive(theories: &'static [Theory], bounds: Bounds) -> (Arc<Exhaustive>, u128) {
    type Made = (&'static [Theory], Bounds, Arc<Exhaustive>);
    static MADE: Mutex<Vec<Made>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = made
        .iter()
        .find(|(of, within, _)| *of == theories && *within == bounds);
    let whole = match known {
        Some((_, _, whole)) => whole.clone(),
        None => {
            let whole = Arc::new(Exhaustive::new(theories, SolverSet(0), bounds));
            made.push((theories, bounds, whole.clone()));
            whole
        }
    };
    let first = whole.before(bounds.size);
    (whole, first)
}

/// How far a walk over some theories (all if none are given) came after so many cases, for people: one line for each
/// theory that was reached.
pub fn coverage(wanted: &[Theory], cases: u64) -> Vec<String> {
    let all = walked(wanted);
    let count = all.len().max(1) as u64;
    let rounds = cases / STAGES;
    let line = |(at, theories): (usize, &&'static [Theory])| {
        let own = rounds / count + u64::from((at as u64) < rounds % count);
        described(theories, u128::from(own * STAGES))
    };
    all.iter().enumerate().filter_map(line).collect()
}

fn described(theories: &'static [Theory], cases: u128) -> Option<String> {
    let names: Vec<&str> = theories.iter().map(|theory| theory.name()).collect();
    let names = names.join(" with ");
    let (mut rest, mut done) = (cases, None);
    for bounds in LEVELS {
        let (whole, first) = exhaustive(theories, bounds);
        let count = whole.total() - first;
        if rest < count {
            let percent = 100 * rest / count.max(1);
            let under_way = format!("{percent} % of {}", terms_of(bounds));
            return match done {
                Some(done) => Some(format!("{names}: all {done}; {under_way}")),
                None if rest == 0 => None,
                None => Some(format!("{names}: {under_way}")),
            };
        }
        rest -= count;
        done = Some(terms_of(bounds));
    }
    done.map(|done| format!("{names}: all {done}"))
}

fn terms_of(bounds: Bounds) -> String {
    let operators = match bounds.size {
        1 => "one operator".to_string(),
        size => format!("{size} operators"),
    };
    let Bounds { sorts, values, .. } = bounds;
    format!("terms of {operators} over {values} values of each of {sorts} sorts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::model::{ModelVerdict, validate};
    use auspex_logic::render::{self, Sharing};
    use std::collections::HashSet;

    fn made(theories: &[Theory], place: u64) -> Option<String> {
        let mut terms = Terms::new();
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &[],
            theories,
            solvers: SolverSet::Z3,
            forbidden: &[],
        };
        let case = Scopes.nth(&mut workshop, place)?;
        match &case.evidence[0] {
            Evidence::Witness(model) => {
                let verdict = validate(&terms, model, &case.script.queries()[0]);
                assert_eq!(verdict, ModelVerdict::Valid);
            }
            other => assert!(other.expected().is_some(), "every answer is known"),
        }
        Some(render::script(&terms, &case.script, Sharing::Expanded))
    }

    #[test]
    fn the_first_cases_of_all_theories_are_many() {
        let places = 0..48 * STAGES;
        let texts: Vec<String> = places.filter_map(|place| made(&[], place)).collect();
        let distinct: HashSet<&String> = texts.iter().collect();
        assert!(texts.len() > 100, "{}", texts.len());
        assert!(
            distinct.len() * 5 > texts.len() * 2,
            "{} of {}",
            distinct.len(),
            texts.len()
        );
        let has = |part: &str| texts.iter().any(|text| text.contains(part));
        assert!(has("bv") && has("fp.") && has("str.") && has("select"));
    }

    #[test]
    fn coverage_is_told_by_theory() {
        let bits = [Theory::BitVectors];
        assert_eq!(coverage(&bits, 0), [""; 0]);
        let some = coverage(&bits, 64).join("");
        assert!(
            some.starts_with("bv: ") && some.contains("% of terms of one operator"),
            "{some}"
        );
        let (level, first) = exhaustive(THEORIES[0], LEVELS[0]);
        let all = (level.total() - first) as u64 + 32;
        let more = coverage(&bits, all).join("");
        assert!(
            more.contains("bv: all terms of one operator over 2 values"),
            "{more}"
        );
    }

    #[test]
    fn scopes_grow_and_small_ones_end() {
        for theories in THEORIES {
            let (small, first) = exhaustive(theories, LEVELS[0]);
            let count = small.total() - first;
            assert!((1..100_000).contains(&count), "{theories:?}: {count}");
        }
    }
}
