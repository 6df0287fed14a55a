//! Which blocks this process may work on, and how it comes by more.
//!
//! Alone, a process takes a few blocks at a time. Among others it takes enough for some seconds, says now and then that it lives, and continues only as long as no other process can have taken
//! over.

use crate::store::{Store, StoreError};
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Blocks taken at once; among others, to begin with.
const LEASE: usize = 8;
/// And at most.
const MOST: usize = 4096;
/// Among others one lease should last so long, within a factor of two.
const LASTS: Duration = Duration::from_secs(20);
/// The pause after there was nothing to lease, or no store to ask.
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
    pub owner: String,
    /// How long a lease lasts; none for a local campaign.
    shared: Option<Duration>,
    /// The first block that is not part of the campaign.
    end: u64,
    ready: VecDeque<u64>,
    /// Blocks under way.
    busy: BTreeSet<u64>,
    /// Blocks that are done and not yet reported.
    finished: Vec<u64>,
    size: usize,
    /// When blocks were last got, and when they may be asked for again.
    got: Instant,
    next_ask: Instant,
    renewed: Instant,
    over: bool,
}

impl Claims {
    pub fn new(owner: String, shared: Option<Duration>, last: Option<u64>) -> Claims {
        let now = Instant::now();
        Claims {
            owner,
            shared,
            end: last.map_or(i64::MAX as u64, |last| last + 1),
            ready: VecDeque::new(),
            busy: BTreeSet::new(),
            finished: Vec::new(),
            size: LEASE,
            got: now,
            next_ask: now,
            renewed: now,
            over: false,
        }
    }

    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Whether there is nothing to do any more.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Gets more blocks if they run short.
    pub fn fetch(&mut self, store: &mut dyn Store) -> Result<(), StoreError> {
        match self.shared {
            None => self.fetch_alone(store),
            Some(_) => self.fetch_among_others(store),
        }
    }

    fn fetch_alone(&mut self, store: &mut dyn Store) -> Result<(), StoreError> {
        if self.ready.is_empty() {
            self.ready
                .extend(store.lease(&self.owner, LEASE, self.end)?);
            self.over = self.ready.is_empty() && self.busy.is_empty();
        }
        Ok(())
    }

    fn fetch_among_others(&mut self, store: &mut dyn Store) -> Result<(), StoreError> {
        let now = Instant::now();
        if self.ready.len() > self.size / 2 || now < self.next_ask {
            return Ok(());
        }
        self.next_ask = now + PAUSE;
        let blocks = store.lease(&self.owner, self.size, self.end)?;
        if !blocks.is_empty() {
            self.resize(now.duration_since(self.got));
            (self.got, self.next_ask) = (now, now);
            self.ready.extend(blocks);
        } else if self.ready.is_empty() && self.busy.is_empty() {
            // Others may still die; then their blocks come to us.
            self.report(store)?;
            self.over = store.finished()? >= self.end;
        }
        Ok(())
    }

    /// The faster the last lease was used up, the larger the next.
    fn resize(&mut self, took: Duration) {
        if took < LASTS / 2 {
            self.size = (self.size * 2).min(MOST);
        } else if took > LASTS * 2 {
            self.size = (self.size / 2).max(LEASE);
        }
    }

    /// The next block, if there is one that is surely ours.
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

    /// Tells the store what is done.
    pub fn report(&mut self, store: &mut dyn Store) -> Result<(), StoreError> {
        store.finish(&self.owner, &self.finished)?;
        self.finished.clear();
        Ok(())
    }

    /// Says that we live, in time. What another has taken over meanwhile is dropped; what the store says is ours
    /// and we never heard of, because its answer was lost, is taken up.
    pub fn renew(&mut self, store: &mut dyn Store) -> Result<(), StoreError> {
        let due = |lease: Duration| self.renewed.elapsed() >= lease / 4;
        if !self.shared.is_some_and(due) {
            return Ok(());
        }
        let now = Instant::now();
        let mut held: BTreeSet<u64> = store.renew(&self.owner)?.into_iter().collect();
        self.renewed = now;
        self.ready.retain(|block| held.remove(block));
        for block in self.busy.iter().chain(&self.finished) {
            held.remove(block);
        }
        self.ready.extend(held);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use crate::store::{CampaignRow, Sqlite};

    fn store(scratch: &Scratch) -> Sqlite {
        let mut store = Sqlite::create(&scratch.path().join("a.db")).unwrap();
        let row = CampaignRow {
            seed: 1,
            settings: String::new(),
            started: 0,
        };
        store.open(&row).unwrap();
        store
    }

    fn claims(lease: Duration) -> Claims {
        Claims::new("me".to_string(), Some(lease), Some(99))
    }

    #[test]
    fn among_others_leases_grow() {
        let scratch = Scratch::new();
        let mut store = store(&scratch);
        store.lease("other", 5, 100).unwrap();
        let mut claims = claims(Duration::from_secs(60));
        claims.fetch(&mut store).unwrap();
        assert_eq!(claims.next(), Next::Block(5));
        assert_eq!(claims.next(), Next::Block(6));
        assert_eq!(claims.size, 2 * LEASE, "it was used up at once");
        claims.resize(LASTS * 3);
        assert_eq!(claims.size, LEASE);
    }

    #[test]
    fn what_was_taken_over_is_dropped_and_what_was_not_heard_of_is_taken_up() {
        let scratch = Scratch::new();
        let mut store = store(&scratch);
        let mut claims = claims(Duration::ZERO);
        claims.fetch(&mut store).unwrap();
        assert_eq!(claims.next(), Next::Wait, "the lease has run out");
        store.release("me").unwrap();
        assert_eq!(store.lease("thief", 6, 100).unwrap().len(), 6);
        assert_eq!(store.lease("me", 4, 100).unwrap(), [6, 7, 8, 9]);
        claims.renew(&mut store).unwrap();
        assert_eq!(claims.ready, [6, 7, 8, 9]);
    }

    #[test]
    fn it_is_over_when_everybody_is_done() {
        let scratch = Scratch::new();
        let mut store = store(&scratch);
        store.lease("other", 100, 100).unwrap();
        let mut claims = claims(Duration::from_secs(60));
        claims.fetch(&mut store).unwrap();
        assert_eq!(claims.next(), Next::Wait, "the other may die");
        let all: Vec<u64> = (0..100).collect();
        store.finish("other", &all).unwrap();
        claims.next_ask = Instant::now();
        claims.fetch(&mut store).unwrap();
        assert_eq!(claims.next(), Next::Over);
    }
}
