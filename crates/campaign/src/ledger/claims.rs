//! Which blocks this process may work on. It leases enough for some seconds, and more in time. In a shared campaign it
//! continues only as long as no other process can have taken its blocks over.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Blocks in the first lease.
const LEASE: usize = 8;
/// And at most.
const MOST: usize = 4096;
/// One lease should last so long, within a factor of two.
const LASTS: Duration = Duration::from_secs(20);
/// In a shared campaign, the pause after there was nothing to lease.
const PAUSE: Duration = Duration::from_secs(1);

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Block(u64),
    Wait,
    Over,
}

/// The blocks of this process.
pub struct Claims {
    /// How long a lease lasts in a shared campaign.
    shared: Option<Duration>,
    ready: VecDeque<u64>,
    /// Blocks under way.
    busy: BTreeSet<u64>,
    /// Blocks that are done and not yet reported.
    finished: Vec<u64>,
    size: usize,
    /// When blocks were last leased, and when they may be asked for again.
    leased: Instant,
    next_ask: Instant,
    renewed: Instant,
    over: bool,
}

impl Claims {
    pub fn new(shared: Option<Duration>) -> Claims {
        let now = Instant::now();
        Claims {
            shared,
            ready: VecDeque::new(),
            busy: BTreeSet::new(),
            finished: Vec::new(),
            size: LEASE,
            leased: now,
            next_ask: now,
            renewed: now,
            over: false,
        }
    }

    /// Whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// All blocks of the campaign are finished.
    pub fn end(&mut self) {
        self.over = true;
    }

    /// How many blocks to lease now, if they run short.
    pub fn wanted(&mut self) -> Option<usize> {
        let now = Instant::now();
        if self.over || self.ready.len() > self.size / 2 || now < self.next_ask {
            return None;
        }
        if self.shared.is_some() {
            self.next_ask = now + PAUSE;
        }
        Some(self.size)
    }

    /// Takes leased blocks. Returns whether this process has nothing to do.
    pub fn take(&mut self, blocks: Vec<u64>) -> bool {
        if blocks.is_empty() {
            return self.ready.is_empty() && self.busy.is_empty();
        }
        let now = Instant::now();
        self.resize(now.duration_since(self.leased));
        (self.leased, self.next_ask) = (now, now);
        self.ready.extend(blocks);
        false
    }

    /// The faster the last lease was used up, the larger the next.
    fn resize(&mut self, took: Duration) {
        if took < LASTS / 2 {
            self.size = (self.size * 2).min(MOST);
        } else if took > LASTS * 2 {
            self.size = (self.size / 2).max(LEASE);
        }
    }

    /// The next block, if it certainly belongs to this process.
    pub fn next(&mut self) -> Next {
        if self.over {
            return Next::Over;
        }
        let mut lease = self.shared.iter();
        if lease.any(|lease| self.renewed.elapsed() >= *lease) {
            return Next::Wait;
        }
        let Some(number) = self.ready.pop_front() else {
            return Next::Wait;
        };
        self.busy.insert(number);
        Next::Block(number)
    }

    pub fn finish(&mut self, block: u64) {
        self.busy.remove(&block);
        self.finished.push(block);
    }

    /// The blocks that are done and not yet reported.
    pub fn take_finished(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.finished)
    }

    /// Takes back blocks that could not be reported.
    pub fn keep_finished(&mut self, blocks: Vec<u64>) {
        self.finished.extend(blocks);
    }

    /// Whether the lease must be renewed now.
    pub fn must_renew(&self) -> bool {
        let due = |lease: Duration| self.renewed.elapsed() >= lease / 4;
        self.shared.is_some_and(due)
    }

    /// The lease was renewed at that time, and the store lists these blocks as ours. Blocks that another process has
    /// taken over are dropped; blocks that we never heard of, because a reply of the store was lost, are added.
    pub fn renewed(&mut self, at: Instant, held: Vec<u64>) {
        let mut held: BTreeSet<u64> = held.into_iter().collect();
        self.renewed = at;
        self.ready.retain(|block| held.remove(block));
        for block in self.busy.iter().chain(&self.finished) {
            held.remove(block);
        }
        self.ready.extend(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(lease: Duration) -> Claims {
        Claims::new(Some(lease))
    }

    fn block(claims: &mut Claims) -> Option<u64> {
        match claims.next() {
            Next::Block(number) => Some(number),
            Next::Wait | Next::Over => None,
        }
    }

    #[test]
    fn leases_grow_while_they_are_used_up_quickly() {
        let mut claims = claims(Duration::from_secs(60));
        assert_eq!(claims.wanted(), Some(LEASE));
        assert_eq!(claims.wanted(), None, "it has just asked");
        assert!(!claims.take((5..13).collect()));
        assert_eq!(block(&mut claims), Some(5));
        assert_eq!(claims.size, 2 * LEASE, "it was used up at once");
        claims.resize(LASTS * 3);
        assert_eq!(claims.size, LEASE);
    }

    #[test]
    fn more_is_leased_before_the_last_block_is_taken() {
        let mut claims = Claims::new(None);
        claims.take((0..64).collect());
        claims.size = 64;
        assert_eq!(claims.wanted(), None);
        for _ in 0..32 {
            block(&mut claims);
        }
        assert_eq!(claims.wanted(), Some(64));
    }

    #[test]
    fn blocks_taken_over_are_dropped_and_unknown_ones_are_added() {
        let mut claims = claims(Duration::ZERO);
        claims.take((0..8).collect());
        assert_eq!(block(&mut claims), None, "the lease has run out");
        assert!(claims.must_renew());
        claims.renewed(Instant::now(), vec![6, 7, 8, 9]);
        assert_eq!(claims.ready, [6, 7, 8, 9]);
    }

    #[test]
    fn unreported_blocks_are_kept() {
        let mut claims = Claims::new(None);
        claims.take(vec![0, 1]);
        assert_eq!(block(&mut claims), Some(0));
        claims.finish(0);
        let finished = claims.take_finished();
        assert_eq!(finished, [0]);
        claims.keep_finished(finished);
        assert_eq!(claims.take_finished(), [0]);
        assert!(!claims.take(Vec::new()), "one block is ready");
    }
}
