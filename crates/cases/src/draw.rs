//! `Draw`, the only source of random choices. It is determined by a few numbers that fit on one line, and gives the
//! same choices on any machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of choices.
#[derive(Clone, Debug)]
pub struct Draw {
    source: Xoshiro256PlusPlus,
}

impl Draw {
    /// The choices of one case of a campaign, independent of all other cases.
    pub fn new(campaign: u64, case: u64) -> Self {
        // Two rounds of an invertible mix make neighbouring cases unrelated.
        let seed = mix(mix(campaign) ^ case);
        Draw {
            source: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn next(&mut self) -> u64 {
        self.source.next_u64()
    }

    /// A number below `bound`; 0 if the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Multiply and shift; the bias is below 2^-32 for every bound used here.
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number between two bounds, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True with probability 1/n.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// One of several; `None` only if there are none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() {
            None
        } else {
            from.get(self.index(from.len()))
        }
    }

    /// The position of a weight, chosen with probability proportional to it; `None` if all are zero.
    pub fn weighted(&mut self, weights: &[u32]) -> Option<usize> {
        let total: u64 = weights.iter().map(|w| u64::from(*w)).sum();
        let mut at = if total == 0 {
            return None;
        } else {
            self.below(total)
        };
        weights.iter().position(|w| {
            let hit = at < u64::from(*w);
            at = at.wrapping_sub(u64::from(*w));
            hit
        })
    }

    /// Shuffles a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.index(last + 1);
            list.swap(last, other);
        }
    }

    /// The draw as a closure, as signatures need it.
    pub fn chooser(&mut self) -> impl FnMut(u64) -> u64 + '_ {
        |bound| self.below(bound)
    }
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_numbers_same_choices() {
        let choices = |mut draw: Draw| (0..20).map(|_| draw.below(1000)).collect::<Vec<_>>();
        assert_eq!(choices(Draw::new(1, 2)), choices(Draw::new(1, 2)));
        assert_ne!(choices(Draw::new(1, 2)), choices(Draw::new(1, 3)));
        assert_ne!(choices(Draw::new(1, 2)), choices(Draw::new(2, 2)));
    }

    #[test]
    fn stays_below_its_bound() {
        let mut draw = Draw::new(0, 0);
        assert!((0..10_000).all(|_| draw.below(7) < 7));
        assert_eq!(draw.below(0), 0);
        assert_eq!(draw.weighted(&[0, 5, 0]), Some(1));
        assert_eq!(draw.weighted(&[0]), None);
    }
}
