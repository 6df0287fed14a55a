//! Finds a place to approximate: a walk from an assertion down through arguments that respect an order.
//!
//! ```text
//! (not (and p (< x (+ y 1))))    weakened at y: not turns, and keeps, < takes a greater right side to truth
//! ```
//!
//! The walk needs no look at the rest of the formula, so a mutation costs what its depth costs. Where many mutants of one
//! seed are wanted, the places that walks lead to are listed once.

use crate::case::Direction;
use crate::draw::Draw;
use crate::rules::approximation::{Book, Descent, Order, Side};
use auspex_logic::{Head, TermId, Terms, Theory};
use std::rc::Rc;

/// A place with the order of its sort and the direction to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub path: Vec<u32>,
    pub term: TermId,
    pub order: Order,
    /// The side of rules to match: the lesser one when the place must become greater.
    pub side: Side,
    /// The bound variables in scope, outermost first.
    pub scope: Rc<[TermId]>,
}

/// Longer paths are not walked.
const DEEPEST: usize = 4096;

impl Spot {
    /// A whole formula that must become greater (weaker) or lesser (stronger).
    pub fn root(term: TermId, side: Side) -> Spot {
        Spot {
            path: Vec::new(),
            term,
            order: Order::Truth,
            side,
            scope: Rc::default(),
        }
    }

    /// The side of rules to match when the whole formula goes in a direction; the place is listed for weaker formulas.
    pub fn side_for(&self, direction: Direction) -> Side {
        match direction {
            Direction::Weaker => self.side,
            Direction::Stronger => self.side.other(),
        }
    }

    /// Another term at the same place, as a place of its own.
    pub fn with(&self, term: TermId, side: Side) -> Spot {
        Spot {
            path: Vec::new(),
            term,
            order: self.order,
            side,
            scope: self.scope.clone(),
        }
    }

    fn enter(&mut self, terms: &Terms, place: usize, descent: Descent) {
        if let Head::Binder(number) = terms.head(self.term) {
            let bound = terms.binder(number).variables.iter();
            self.scope = self.scope.iter().chain(bound).copied().collect();
        }
        self.path.push(place as u32);
        self.term = terms.args(self.term)[place];
        self.order = descent.order;
        if !descent.up {
            self.side = self.side.other();
        }
    }
}

/// Walks on from a place.
pub fn walk(terms: &Terms, book: &Book, mut spot: Spot, draw: &mut Draw) -> Spot {
    while spot.path.len() < DEEPEST
        && goes_on(terms, &spot, draw)
        && step(terms, book, &mut spot, draw)
    {}
    spot
}

/// Walks stop at a place once in so many times; 0 for never. Connectives are mostly passed, atoms and terms half
/// of the time.
fn stops(terms: &Terms, spot: &Spot) -> u64 {
    match terms.head(spot.term) {
        // An annotation belongs to the body it stands on.
        Head::Annotated(_) => 0,
        Head::Binder(_) => 16,
        Head::Op(op) if spot.order == Order::Truth && terms.op(op).theory == Theory::Core => 12,
        _ => 2,
    }
}

fn goes_on(terms: &Terms, spot: &Spot, draw: &mut Draw) -> bool {
    match stops(terms, spot) {
        0 => true,
        often => !draw.one_in(often),
    }
}

/// Goes to one of the arguments that respect the order; false if there is none.
fn step(terms: &Terms, book: &Book, spot: &mut Spot, draw: &mut Draw) -> bool {
    let count = terms.args(spot.term).len();
    let first = draw.index(count);
    for turn in 0..count {
        let place = (first + turn) % count;
        if let Some(descent) = book.descent(terms, spot.term, place, spot.order) {
            spot.enter(terms, place, descent);
            return true;
        }
    }
    false
}

/// Places of a formula, each with its share of all walks.
pub struct Spots {
    pub all: Vec<Spot>,
    /// Whether walks go on from the place: what lies below is not among the others.
    open: Vec<bool>,
    /// The shares, summed up.
    sums: Vec<u64>,
}

impl Spots {
    /// The places to which walks from a formula lead, at most about so many; others are found by walking on.
    pub fn of(terms: &Terms, book: &Book, root: Spot, most: usize) -> Spots {
        const WHOLE: u64 = 1 << 40;
        let mut spots = Spots {
            all: vec![root],
            open: Vec::new(),
            sums: Vec::new(),
        };
        let mut shares = vec![WHOLE];
        let mut sum = 0;
        let mut at = 0;
        while at < spots.all.len() {
            let (spot, share) = (&spots.all[at], shares[at]);
            let mut below = Vec::new();
            // What holds only beside certain literals must be looked at again after every change.
            let mut open = spots.all.len() >= most || spot.path.len() >= DEEPEST;
            for place in 0..if open { 0 } else { terms.args(spot.term).len() } {
                if let Some(descent) = book.descent(terms, spot.term, place, spot.order) {
                    open |= !descent.always;
                    let mut next = spot.clone();
                    next.enter(terms, place, descent);
                    below.push(next);
                }
            }
            let own = match (open || below.is_empty(), stops(terms, spot)) {
                (true, _) => share,
                (false, 0) => 0,
                (false, often) => share / often,
            };
            sum += own;
            spots.sums.push(sum);
            spots.open.push(open);
            if !open && !below.is_empty() {
                let each = (share - own) / below.len() as u64;
                shares.extend(std::iter::repeat_n(each, below.len()));
                spots.all.extend(below);
            }
            at += 1;
        }
        spots
    }

    /// The number of a place, as often as walks end there or go on from there.
    pub fn pick(&self, draw: &mut Draw) -> usize {
        let sum = draw.below(self.sums.last().copied().unwrap_or(0));
        let at = self.sums.partition_point(|s| *s <= sum);
        at.min(self.all.len() - 1)
    }

    pub fn is_open(&self, spot: usize) -> bool {
        self.open[spot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::approximation::book;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};
    use std::collections::BTreeSet;

    /// Every place a weakening can reach, as `term order direction`.
    fn spots(declarations: &str, formula: &str) -> BTreeSet<String> {
        let mut terms = Terms::new();
        let text = format!("{declarations}(assert {formula})");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        assert_eq!(reading.issues, []);
        let root = reading.script.roots()[0];
        let one = |number| {
            let from = Spot::root(root, Side::Lesser);
            let spot = walk(&terms, book(), from, &mut Draw::new(1, number));
            assert_eq!(terms.at_path(root, &spot.path), Some(spot.term));
            let direction = if spot.side == Side::Lesser {
                "up"
            } else {
                "down"
            };
            let term = render::term(&terms, spot.term, Sharing::Expanded);
            format!("{term} {} {direction}", spot.order.name())
        };
        let walked: BTreeSet<String> = (0..3000).map(one).collect();
        let listed = Spots::of(&terms, book(), Spot::root(root, Side::Lesser), 1000);
        for (at, spot) in listed.all.iter().enumerate() {
            assert_eq!(terms.at_path(root, &spot.path), Some(spot.term));
            let own = listed.sums[at] - if at == 0 { 0 } else { listed.sums[at - 1] };
            let term = render::term(&terms, spot.term, Sharing::Expanded);
            let end = format!("{term} {} ", spot.order.name());
            assert!(
                own == 0 || walked.iter().any(|w| w.starts_with(&end)),
                "{end}"
            );
        }
        walked
    }

    #[test]
    fn polarity_turns_under_negation_and_premises() {
        let all = spots(
            "(declare-const p Bool)(declare-const q Bool)",
            "(not (=> p (and q (not p))))",
        );
        let expected = [
            "(and q (not p)) truth down",
            "(not (=> p (and q (not p)))) truth up",
            "(not p) truth down",
            "(=> p (and q (not p))) truth down",
            "p truth up",
            "q truth down",
        ];
        assert_eq!(all, expected.map(String::from).into_iter().collect());
    }

    #[test]
    fn conditions_and_equations_are_not_entered() {
        let all = spots(
            "(declare-const p Bool)(declare-const q Bool)",
            "(ite (not p) (= p q) (xor q p))",
        );
        assert!(
            !all.iter()
                .any(|s| s.starts_with("(not p)") || s.starts_with("p ") || s.starts_with("q ")),
            "{all:?}"
        );
    }

    #[test]
    fn binders_keep_the_direction() {
        let all = spots("", "(forall ((x Int)) (exists ((y Int)) (not (< x y))))");
        assert!(all.contains("(< x y) truth down"), "{all:?}");
        assert!(
            all.contains("x number up") && all.contains("y number down"),
            "{all:?}"
        );
    }

    #[test]
    fn orders_lead_into_terms() {
        let all = spots(
            "(declare-const s String)",
            "(str.in_re s (re.diff re.all (re.* (str.to_re \"a\"))))",
        );
        assert!(all.contains("(str.to_re \"a\") language down"), "{all:?}");
        let all = spots("(declare-const i Int)", "(<= (* 3 i) (- 7 i) (+ i 1))");
        assert!(
            all.contains("i number down") && all.contains("1 number up"),
            "{all:?}"
        );
        // The middle of a chain has both directions, and a factor that is no literal has none.
        assert!(
            !all.contains("(- 7 i) number up") && !all.contains("(- 7 i) number down"),
            "{all:?}"
        );
        let all = spots(
            "(declare-const i Int)(declare-const j Int)",
            "(< (* i j) 5)",
        );
        assert!(
            !all.contains("i number down") && !all.contains("i number up"),
            "{all:?}"
        );
    }
}
