//! Finds a place to approximate by a walk from an assertion down through monotonic arguments.
//!
//! ```text
//! (not (and p (< x (+ y 1))))    weakened at y: not turns, and keeps, < takes a greater right side to truth
//! ```
//! The walk does not inspect the rest of the formula, so the cost of a mutation is proportional to its depth.

use crate::draw::Draw;
use crate::rules::{Descent, Order, RuleIndex, Side};
use auspex_logic::{Head, TermId, Terms, Theory};
use std::rc::Rc;

/// A place, with the order of its sort and the direction of the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub path: Vec<u32>,
    pub term: TermId,
    pub order: Order,
    /// The side of rules to match: the lesser one if the place must become greater.
    pub side: Side,
    /// The bound variables in scope, outermost first.
    pub scope: Rc<[TermId]>,
}

/// The longest path of a walk.
const DEEPEST: usize = 4096;

impl Site {
    /// A whole formula or body that must become greater (weaker) or lesser (stronger) in an order.
    pub fn root(term: TermId, (order, side): (Order, Side), scope: &[TermId]) -> Site {
        Site {
            path: Vec::new(),
            term,
            order,
            side,
            scope: scope.into(),
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

/// Continues the walk from a place; with `to_literals` through connectives only.
pub fn walk(
    terms: &Terms,
    rules: &RuleIndex,
    mut site: Site,
    to_literals: bool,
    draw: &mut Draw,
) -> Site {
    while site.path.len() < DEEPEST
        && goes_on(terms, &site, to_literals, draw)
        && step(terms, rules, &mut site, draw)
    {}
    site
}

/// One in this many walks stops at a place; 0 means never. Most walks pass connectives; half of them pass atoms and
/// terms.
fn stops(terms: &Terms, site: &Site) -> u64 {
    match terms.head(site.term) {
        // An annotation belongs to its body.
        Head::Annotated(_) => 0,
        Head::Binder(_) => 16,
        Head::Op(op) if site.order == Order::Truth && terms.op(op).theory == Theory::Core => 12,
        _ => ATOM,
    }
}

const ATOM: u64 = 2;

fn goes_on(terms: &Terms, site: &Site, to_literals: bool, draw: &mut Draw) -> bool {
    match stops(terms, site) {
        0 => true,
        ATOM if to_literals => false,
        often => !draw.one_in(often),
    }
}

/// Moves to one of the monotonic arguments; false if there is none.
fn step(terms: &Terms, rules: &RuleIndex, site: &mut Site, draw: &mut Draw) -> bool {
    let count = terms.args(site.term).len();
    let first = draw.index(count);
    for turn in 0..count {
        let place = (first + turn) % count;
        if let Some(descent) = rules.descent(terms, site.term, place, site.order) {
            site.enter(terms, place, descent);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::target::TRUTH;
    use super::*;
    use crate::rules::rule_index;
    use auspex_logic::read_script;
    use auspex_logic::render::{self, Sharing};
    use std::collections::BTreeSet;

    /// Every place a weakening can reach, as `term order direction`.
    fn sites(declarations: &str, formula: &str) -> BTreeSet<String> {
        let mut terms = Terms::new();
        let text = format!("{declarations}(assert {formula})");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        assert_eq!(reading.issues, []);
        let root = reading.script.roots()[0];
        let one = |number| {
            let from = Site::root(root, TRUTH, &[]);
            let site = walk(&terms, rule_index(), from, false, &mut Draw::new(1, number));
            assert_eq!(terms.at_path(root, &site.path), Some(site.term));
            let direction = if site.side == Side::Lesser {
                "up"
            } else {
                "down"
            };
            let term = render::term(&terms, site.term, Sharing::Expanded);
            format!("{term} {} {direction}", site.order.name())
        };
        (0..3000).map(one).collect()
    }

    #[test]
    fn polarity_turns_under_negation_and_premises() {
        let all = sites(
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
        let all = sites(
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
        let all = sites("", "(forall ((x Int)) (exists ((y Int)) (not (< x y))))");
        assert!(all.contains("(< x y) truth down"), "{all:?}");
        assert!(
            all.contains("x number up") && all.contains("y number down"),
            "{all:?}"
        );
    }

    #[test]
    fn orders_lead_into_terms() {
        let all = sites(
            "(declare-const s String)",
            "(str.in_re s (re.diff re.all (re.* (str.to_re \"a\"))))",
        );
        assert!(all.contains("(str.to_re \"a\") language down"), "{all:?}");
        let all = sites("(declare-const i Int)", "(<= (* 3 i) (- 7 i) (+ i 1))");
        assert!(
            all.contains("i number down") && all.contains("1 number up"),
            "{all:?}"
        );
        // The middle of a chain has both directions, and a factor that is no literal has none.
        assert!(
            !all.contains("(- 7 i) number up") && !all.contains("(- 7 i) number down"),
            "{all:?}"
        );
        let all = sites(
            "(declare-const i Int)(declare-const j Int)",
            "(< (* i j) 5)",
        );
        assert!(
            !all.contains("i number down") && !all.contains("i number up"),
            "{all:?}"
        );
    }
}
