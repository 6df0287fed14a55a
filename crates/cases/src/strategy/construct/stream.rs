//! Cases by number: each depends on the seed and its number alone, so a stream can be stopped, resumed and split
//! among workers, and the millionth case needs no more memory than the first.

use super::kit::Kit;
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::theory::SolverSet;
use auspex_logic::{Terms, Theory};
use std::sync::Arc;

/// An endless stream of cases.
#[derive(Clone)]
pub struct Stream {
    kit: Arc<Kit>,
    seed: u64,
    depth: u64,
}

/// How many draws are tried for a number.
const ATTEMPTS: usize = 16;

impl Stream {
    /// Cases over some theories (all if none are given) that all the solvers support, up to a depth.
    pub fn new(theories: &[Theory], solvers: SolverSet, seed: u64, depth: u64) -> Stream {
        Stream {
            kit: Kit::of(theories, solvers),
            seed,
            depth: depth.max(1),
        }
    }

    /// The case of a number; none for the rare number whose draws all fail.
    pub fn nth(&self, terms: &mut Terms, number: u64) -> Option<Case> {
        let mut draw = Draw::new(self.seed, number);
        for _ in 0..ATTEMPTS {
            let mark = terms.mark();
            let depth = draw.between(1, self.depth);
            if let Some(case) = super::case(&self.kit, terms, &mut draw, depth, &[]) {
                return Some(case);
            }
            terms.release(mark);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::TermId;
    use auspex_logic::render::{self, Sharing};
    use std::collections::HashMap;

    fn text(stream: &Stream, number: u64) -> Option<String> {
        let mut terms = Terms::new();
        let case = stream.nth(&mut terms, number)?;
        Some(render::script(&terms, &case.script, Sharing::Auto))
    }

    #[test]
    fn any_part_can_be_made_alone() {
        let stream = Stream::new(&[Theory::BitVectors], SolverSet::Z3, 5, 2);
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
        let stream = Stream::new(&[Theory::BitVectors, Theory::Arrays], SolverSet::Z3, 5, 3);
        let mut terms = Terms::new();
        let empty = terms.len();
        for number in 0..300 {
            let mark = terms.mark();
            stream.nth(&mut terms, number);
            terms.release(mark);
        }
        assert_eq!(terms.len(), empty);
    }

    /// The longest paths of operators below the equations of a hundred cases.
    fn depths(most: u64) -> Vec<u64> {
        let stream = Stream::new(&[Theory::BitVectors, Theory::Ints], SolverSet::Z3, 5, most);
        let mut terms = Terms::new();
        let depth = |number| {
            let mark = terms.mark();
            let case = stream.nth(&mut terms, number);
            let depth = case.map(|case| {
                let roots = case.script.roots();
                roots.into_iter().map(|root| levels(&terms, root)).max()
            });
            terms.release(mark);
            depth.flatten()
        };
        (0..100).filter_map(depth).collect()
    }

    fn levels(terms: &Terms, root: TermId) -> u64 {
        let mut levels: HashMap<TermId, u64> = HashMap::new();
        for term in render::post_order(terms, root) {
            let args = terms.args(term).iter();
            let below = args.map(|arg| levels[arg]).max();
            levels.insert(term, below.map_or(0, |below| below + 1));
        }
        levels[&root]
    }

    #[test]
    fn depth_is_reached() {
        for most in [1, 2, 4, 8, 16] {
            let depths = depths(most);
            assert!(depths.len() > 90, "{most}: {depths:?}");
            // The equation itself, and sometimes a negation, stand above the terms.
            let deep = depths.iter().filter(|d| **d > most).count();
            assert!(
                deep as u64 * most * 4 > depths.len() as u64,
                "{most}: {depths:?}"
            );
        }
    }

    #[test]
    fn size_grows_with_depth_only() {
        let stream = Stream::new(&[], SolverSet::Z3, 5, 100);
        let mut terms = Terms::new();
        for number in 0..100 {
            let mark = terms.mark();
            if let Some(case) = stream.nth(&mut terms, number) {
                let text = render::script(&terms, &case.script, Sharing::Auto);
                assert!(text.len() < 60_000, "{}", text.len());
            }
            terms.release(mark);
        }
    }
}
