//! One place that becomes weaker or stronger, by one rule or by several after each other.
//!
//! A change follows from the seed and a number alone, so that it can be made again whenever its terms are wanted.

use super::pantry::{Pantry, place};
use super::shelf::is_linear;
use super::skeleton::Skeleton;
use super::spot::{Spot, walk};
use crate::case::Direction;
use crate::draw::Draw;
use crate::rules::approximation::{Order, Side, Supply, book};
use auspex_logic::{Sort, TermId, Terms};
use rustc_hash::FxHashMap;

/// What stands at a place instead, and how it came there.
#[derive(Default)]
pub struct Change {
    pub place: Place,
    /// At least one.
    pub steps: Vec<Step>,
}

/// A place of a skeleton: the number of the assertion, and of the place within.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub of: usize,
    pub spot: usize,
}

/// One use of a rule.
#[derive(Clone)]
pub struct Step {
    /// What stands at the place then.
    pub whole: TermId,
    /// The part of it that was changed, if not all.
    pub below: Vec<u32>,
    pub old: TermId,
    pub new: TermId,
    pub how: &'static str,
}

/// What is wanted of a step.
#[derive(Clone, Copy)]
pub struct How {
    pub direction: Direction,
    pub linear: bool,
    /// What stands for a formula that is put in later.
    pub hole: Option<TermId>,
}

/// Rules tried at one place before a formula is injected; most do not fit, which is seen at once.
const RULES_TRIED: usize = 12;

impl Change {
    /// What stands at the place in the end.
    pub fn whole(&self) -> Option<TermId> {
        self.steps.last().map(|step| step.whole)
    }

    /// Puts a formula where a place was left open for it.
    pub fn fill(&mut self, terms: &mut Terms, hole: TermId, formula: TermId) {
        let map = FxHashMap::from_iter([(hole, formula)]);
        for step in &mut self.steps {
            for term in [&mut step.whole, &mut step.old, &mut step.new] {
                *term = terms.replace_all(*term, &map);
            }
        }
    }
}

impl Skeleton<'_> {
    /// The change of a number, or none where that leads nowhere. Its first formula is left open if the seed is made ready
    /// for many mutants.
    pub fn change(&self, terms: &mut Terms, direction: Direction, number: u64) -> Option<Change> {
        let (place, mut draw) = self.place(number);
        let mut change = Change {
            place,
            steps: Vec::new(),
        };
        let how = How {
            direction,
            linear: is_linear(number),
            hole: self.hole.as_ref().map(|hole| hole.term),
        };
        self.go_on(terms, how, &mut draw, &mut change)?;
        let how = How { hole: None, ..how };
        for _ in 1..self.strategy.rounds {
            if !draw.one_in(4) {
                break;
            }
            self.go_on(terms, how, &mut draw, &mut change);
        }
        Some(change)
    }

    /// The place of the change of a number, and what else is drawn for it.
    pub fn place(&self, number: u64) -> (Place, Draw) {
        let mut draw = Draw::new(self.turn, number);
        let of = draw.index(self.active.len());
        let spot = self.active[of].spots.pick(&mut draw);
        (Place { of, spot }, draw)
    }

    /// One step more at the place of a change.
    pub fn go_on(
        &self,
        terms: &mut Terms,
        how: How,
        draw: &mut Draw,
        change: &mut Change,
    ) -> Option<()> {
        let Place { of, spot } = change.place;
        let (active, book) = (&self.active[of], book());
        let base = &active.spots.all[spot];
        let side = base.side_for(how.direction);
        let start = change.whole().unwrap_or(base.term);
        let here = base.with(start, side);
        let here = match start != base.term || active.spots.is_open(spot) {
            true => walk(terms, book, here, draw),
            false => here,
        };
        let rules = book.for_root(terms, here.term, here.order, here.side);
        let mut pantry = Pantry {
            larder: self.larder(terms),
            draw,
            spot: &here,
            place: place(of),
            linear: how.linear,
            depth: self.strategy.depth,
            hole: how.hole,
        };
        let (new, how) = approximated(terms, rules, &mut pantry)?;
        let whole = match here.path.is_empty() {
            true => new,
            false => terms.replace_at(start, &here.path, new)?,
        };
        change.steps.push(Step {
            whole,
            below: here.path,
            old: here.term,
            new,
            how,
        });
        Some(())
    }
}

/// Another term for a place, and the name of the rule.
fn approximated(
    terms: &mut Terms,
    special: &[u32],
    pantry: &mut Pantry<'_>,
) -> Option<(TermId, &'static str)> {
    let (book, spot) = (book(), pantry.spot);
    let general = book.anywhere(spot.order, spot.side);
    let hole = pantry.hole;
    for _ in 0..RULES_TRIED {
        let from = if special.is_empty() || pantry.draw.one_in(4) {
            general
        } else {
            special
        };
        let Some(number) = pantry.draw.pick(from) else {
            continue;
        };
        let rule = book.rule(*number);
        if rule.forgets(spot.side) && !pantry.draw.one_in(8) {
            continue;
        }
        pantry.hole = hole;
        if let Some(new) = rule.apply(terms, spot.term, spot.side, pantry) {
            return Some((new, &rule.rule.name));
        }
    }
    pantry.hole = hole;
    injected(terms, spot, pantry)
}

/// Live predicate injection where no rule fits, also around what nobody knows.
fn injected(
    terms: &mut Terms,
    spot: &Spot,
    pantry: &mut Pantry<'_>,
) -> Option<(TermId, &'static str)> {
    if spot.order != Order::Truth {
        return None;
    }
    let snippet = pantry.term(terms, Sort::BOOL)?;
    let (connective, how) = match spot.side {
        Side::Lesser => ("or", "inject-or"),
        Side::Greater => ("and", "inject-and"),
    };
    Some((terms.app(connective, &[spot.term, snippet]).ok()?, how))
}
