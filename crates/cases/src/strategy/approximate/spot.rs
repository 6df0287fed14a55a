//! Finds a place to approximate: a walk from an assertion down through arguments that respect an order.
//!
//! ```text
//! (not (and p (< x (+ y 1))))    weakened at y: not turns, and keeps, < takes a greater right side to truth
//! ```
//!
//! The walk needs no look at the rest of the formula, so a mutation costs what its depth costs.

use crate::draw::Draw;
use crate::rules::approximation::{Book, Order, Side};
use auspex_logic::{Head, TermId, Terms, Theory};

/// A place with the order of its sort and the direction to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub path: Vec<u32>,
    pub term: TermId,
    pub order: Order,
    /// The side of rules to match: the lesser one when the place must become greater.
    pub side: Side,
    /// The bound variables in scope, outermost first.
    pub scope: Vec<TermId>,
}

/// Longer paths are not walked.
const DEEPEST: usize = 4096;

/// Walks from a formula that must become greater (weaker) or lesser (stronger).
pub fn walk(terms: &Terms, book: &Book, root: TermId, side: Side, draw: &mut Draw) -> Spot {
    let mut spot = Spot {
        path: Vec::new(),
        term: root,
        order: Order::Truth,
        side,
        scope: Vec::new(),
    };
    while spot.path.len() < DEEPEST
        && goes_on(terms, &spot, draw)
        && step(terms, book, &mut spot, draw)
    {}
    spot
}

/// Connectives are mostly passed, atoms and terms half of the time.
fn goes_on(terms: &Terms, spot: &Spot, draw: &mut Draw) -> bool {
    match terms.head(spot.term) {
        // An annotation belongs to the body it stands on.
        Head::Annotated(_) => true,
        Head::Binder(_) => !draw.one_in(16),
        Head::Op(op) if spot.order == Order::Truth && terms.op(op).theory == Theory::Core => {
            !draw.one_in(12)
        }
        _ => draw.coin(),
    }
}

/// Goes to one of the arguments that respect the order; false if there is none.
fn step(terms: &Terms, book: &Book, spot: &mut Spot, draw: &mut Draw) -> bool {
    let args = terms.args(spot.term);
    let first = draw.index(args.len());
    for turn in 0..args.len() {
        let place = (first + turn) % args.len();
        let Some(descent) = book.descent(terms, spot.term, place, spot.order) else {
            continue;
        };
        if let Head::Binder(number) = terms.head(spot.term) {
            spot.scope
                .extend_from_slice(&terms.binder(number).variables);
        }
        spot.path.push(place as u32);
        spot.term = args[place];
        spot.order = descent.order;
        if !descent.up {
            spot.side = spot.side.other();
        }
        return true;
    }
    false
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
            let spot = walk(
                &terms,
                book(),
                root,
                Side::Lesser,
                &mut Draw::new(1, number),
            );
            assert_eq!(terms.at_path(root, &spot.path), Some(spot.term));
            let direction = if spot.side == Side::Lesser {
                "up"
            } else {
                "down"
            };
            let term = render::term(&terms, spot.term, Sharing::Expanded);
            format!("{term} {} {direction}", spot.order.name())
        };
        (0..3000).map(one).collect()
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
