//! Changes and formulas kept as text, so that mutants of one seed can share them: a mutant is then a few numbers drawn
//! and a few pieces of text put together.
//!
//! ```text
//! change 17    (< x y) becomes (or (< x y) _)      formula 5   (= (* 2 y) 7)
//! ```
//!
//! What a number stands for is a matter of the seed alone; it is made when it is first wanted. A change has at most one
//! open place for a formula, so that a few of both make many mutants.

use super::change::{Change, Place};
use super::pantry::{Pantry, place};
use super::skeleton::Skeleton;
use super::spot::Spot;
use crate::case::Direction;
use crate::draw::Draw;
use crate::rules::approximation::Side;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{TermId, Terms};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A change as text.
#[derive(Clone)]
pub struct Entry {
    pub number: u64,
    pub place: Place,
    /// What stands before and after each occurrence of the formula.
    pub pieces: Box<[Box<str>]>,
}

/// A formula as text.
#[derive(Clone)]
pub struct Formula {
    pub number: u64,
    pub text: Box<str>,
}

/// What is kept under the numbers from 0 on; nothing where a number leads nowhere.
type Kept<T> = Box<[OnceCell<Option<T>>]>;

/// Changes of both directions, and formulas.
pub struct Shelf {
    weaker: Kept<Entry>,
    stronger: Kept<Entry>,
    formulas: Kept<Formula>,
    /// One change in so many is not kept.
    new: u64,
}

/// One change in so many is a new one, and one formula.
const NEW: u64 = 24;
const NEW_FORMULA: u64 = 32;

/// Numbers are of four kinds in turn. Formulas of the first are made for the first assertion and may stand everywhere;
/// what has the last may use nonlinear arithmetic where the logic leaves that open.
const KINDS: u64 = 4;

pub fn is_linear(number: u64) -> bool {
    number % KINDS != KINDS - 1
}

impl Shelf {
    /// With room for so many changes of each direction, for a seed with so many places. Few places tell few mutants apart:
    /// then changes are new more often.
    pub fn new(room: usize, places: usize) -> Shelf {
        Shelf {
            weaker: empty(room),
            stronger: empty(room),
            formulas: empty(room / 4),
            new: if places < 4 { NEW / 6 } else { NEW },
        }
    }

    /// The number of a change, one of those kept or any other.
    pub fn change(&self, linear: bool, draw: &mut Draw) -> u64 {
        number(self.weaker.len(), self.new, linear, draw)
    }

    fn formula(&self, linear: bool, draw: &mut Draw) -> u64 {
        number(self.formulas.len(), NEW_FORMULA, linear, draw)
    }
}

fn empty<T>(room: usize) -> Kept<T> {
    (0..room).map(|_| OnceCell::new()).collect()
}

fn number(room: usize, new: u64, linear: bool, draw: &mut Draw) -> u64 {
    const ALL: u64 = 1 << 60;
    let kind = draw.below(KINDS - u64::from(linear));
    let room = room as u64 / KINDS;
    let any = match room == 0 || draw.one_in(new) {
        true => draw.between(room, ALL),
        false => draw.below(room),
    };
    KINDS * any + kind
}

/// What is kept under a number, or is made now.
fn held<'k, T: Clone>(
    kept: &'k Kept<T>,
    number: u64,
    make: impl FnOnce() -> Option<T>,
) -> Option<Cow<'k, T>> {
    match usize::try_from(number).ok().and_then(|at| kept.get(at)) {
        Some(slot) => slot.get_or_init(make).as_ref().map(Cow::Borrowed),
        None => make().map(Cow::Owned),
    }
}

impl Skeleton<'_> {
    /// The place of the change of a number; none if that is known to lead nowhere.
    pub fn place_of(&self, terms: &mut Terms, direction: Direction, number: u64) -> Option<Place> {
        match number < self.shelf.weaker.len() as u64 {
            true => Some(self.entry(terms, direction, number)?.place),
            false => Some(self.place(number).0),
        }
    }

    /// The change of a number as text.
    pub fn entry(
        &self,
        terms: &mut Terms,
        direction: Direction,
        number: u64,
    ) -> Option<Cow<'_, Entry>> {
        let kept = match direction {
            Direction::Weaker => &self.shelf.weaker,
            Direction::Stronger => &self.shelf.stronger,
        };
        held(kept, number, || {
            let change = self.change(terms, direction, number)?;
            let mut text = String::new();
            self.write_term(terms, change.place, change.whole()?, &mut text);
            let hole = self.hole.as_ref()?;
            Some(Entry {
                number,
                place: change.place,
                pieces: text.split(&*hole.name).map(Box::from).collect(),
            })
        })
    }

    /// A formula for an open place of an assertion.
    pub fn formula(
        &self,
        terms: &mut Terms,
        of: usize,
        linear: bool,
        draw: &mut Draw,
    ) -> Option<Cow<'_, Formula>> {
        let mut number = self.shelf.formula(linear, draw);
        if self.formula_place(number).0 > of {
            number -= number % KINDS;
        }
        held(&self.shelf.formulas, number, || {
            let term = self.formula_term(terms, number)?;
            let text = render::term(terms, term, Sharing::Auto);
            Some(Formula {
                number,
                text: text.into(),
            })
        })
    }

    /// The assertion that a formula is made for. What may stand there may stand in later ones.
    fn formula_place(&self, number: u64) -> (usize, Draw) {
        const FORMULAS: u64 = 0xf0;
        let mut draw = Draw::new(self.turn ^ FORMULAS, number);
        let any = draw.index(self.active.len());
        (if number.is_multiple_of(KINDS) { 0 } else { any }, draw)
    }

    fn formula_term(&self, terms: &mut Terms, number: u64) -> Option<TermId> {
        let (of, mut draw) = self.formula_place(number);
        let mut pantry = Pantry {
            larder: self.larder(terms),
            draw: &mut draw,
            spot: &Spot::root(self.active[of].spots.all[0].term, Side::Lesser),
            place: place(of),
            linear: is_linear(number),
            depth: self.strategy.depth,
            hole: None,
        };
        pantry.snippet(terms)
    }

    /// The change of an entry with its formula, as terms.
    pub fn again(
        &self,
        terms: &mut Terms,
        direction: Direction,
        entry: &Entry,
        formula: Option<&Formula>,
    ) -> Change {
        let change = self.change(terms, direction, entry.number);
        let mut change = change.unwrap_or_else(|| unreachable!("{MADE_ONCE}"));
        if let (Some(formula), Some(hole)) = (formula, &self.hole) {
            let formula = self.formula_term(terms, formula.number);
            let formula = formula.unwrap_or_else(|| unreachable!("{MADE_ONCE}"));
            change.fill(terms, hole.term, formula);
        }
        change
    }
}

const MADE_ONCE: &str = "what was made once can be made again";
