//! Cases by number: each is a function of the seed and its number alone, so a stream can be stopped, resumed and
//! split among workers, and needs no more memory for the millionth case than for the first.

use super::kit::Kit;
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::theory::Known;
use auspex_logic::{Terms, Theory};
use std::sync::Arc;

/// An endless stream of cases.
#[derive(Clone)]
pub struct Stream {
    kit: Arc<Kit>,
    seed: u64,
    depth: u64,
}

/// How often a number may be tried before it is given up.
const ATTEMPTS: usize = 16;

impl Stream {
    /// Cases over some theories (all if none are given) that all the solvers can read, at most that deep.
    pub fn new(theories: &[Theory], solvers: Known, seed: u64, depth: u64) -> Stream {
        Stream {
            kit: Kit::of(theories, solvers),
            seed,
            depth: depth.max(1),
        }
    }

    /// The case of that number; none for the rare number whose draws all lead nowhere.
    pub fn nth(&self, terms: &mut Terms, number: u64) -> Option<Case> {
        let mut draw = Draw::new(self.seed, number);
        let most = self.depth.min(reach(number));
        for _ in 0..ATTEMPTS {
            let mark = terms.mark();
            let depth = draw.between(1, most);
            if let Some(case) = super::case(&self.kit, terms, &mut draw, depth, &[]) {
                return Some(case);
            }
            terms.release(mark);
        }
        None
    }
}

/// Small cases come first: the first nine thousand are of one level, the next ninety thousand of up to two, and so on.
fn reach(number: u64) -> u64 {
    const FIRST: u64 = 1000;
    u64::from((number / FIRST + 1).ilog10()) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::render::{self, Sharing};

    fn text(stream: &Stream, number: u64) -> Option<String> {
        let mut terms = Terms::new();
        let case = stream.nth(&mut terms, number)?;
        Some(render::script(&terms, &case.script, Sharing::Auto))
    }

    #[test]
    fn any_part_can_be_made_alone() {
        let stream = Stream::new(&[Theory::BitVectors], Known::Z3, 5, 2);
        let again = stream.clone();
        let mut terms = Terms::new();
        for number in 0..60 {
            // Made in one arena, in order.
            let mark = terms.mark();
            let case = again.nth(&mut terms, number);
            let in_order = case.map(|c| render::script(&terms, &c.script, Sharing::Auto));
            terms.release(mark);
            assert_eq!(in_order, text(&stream, number));
        }
    }

    #[test]
    fn memory_stays_flat() {
        let stream = Stream::new(&[Theory::BitVectors, Theory::Arrays], Known::Z3, 5, 3);
        let mut terms = Terms::new();
        let empty = terms.len();
        for number in 0..300 {
            let mark = terms.mark();
            stream.nth(&mut terms, number);
            terms.release(mark);
        }
        assert_eq!(terms.len(), empty);
    }

    #[test]
    fn depth_grows_slowly() {
        assert_eq!([reach(0), reach(8_999), reach(9_000)], [1, 1, 2]);
    }
}
