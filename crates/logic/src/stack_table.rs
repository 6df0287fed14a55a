//! A hash table of numbered items that are removed in stack order.

/// A hash table of numbers: open addressing with linear probing.
///
/// The newest numbers are removed first. A probe chain to a number contains only older ones, so a slot is simply
/// emptied, without tombstones.
#[derive(Clone)]
pub(crate) struct StackTable {
    /// Their number is a power of two.
    places: Vec<Place>,
    /// The place of each number.
    place_of: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Place {
    hash: u32,
    id: u32,
}

const EMPTY: Place = Place {
    hash: 0,
    id: u32::MAX,
};

/// Where a number that was not found is to be put.
#[derive(Clone, Copy)]
pub(crate) struct Gap {
    at: usize,
    hash: u32,
}

impl Default for StackTable {
    fn default() -> Self {
        const FEWEST: usize = 16;
        StackTable {
            places: vec![EMPTY; FEWEST],
            place_of: Vec::new(),
        }
    }
}

impl StackTable {
    /// The number of a thing with this hash, or the gap where it would be. Looks at the lower half
    /// of the hash.
    #[inline]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, Gap> {
        let hash = hash as u32;
        let last = self.places.len() - 1;
        let mut at = hash as usize & last;
        loop {
            let place = self.places[at];
            if place.id == EMPTY.id {
                return Err(Gap { at, hash });
            }
            if place.hash == hash && same(place.id) {
                return Ok(place.id);
            }
            at = (at + 1) & last;
        }
    }

    /// Puts the next number into a gap that was just found.
    #[inline]
    pub fn push(&mut self, gap: Gap) -> u32 {
        let id = self.place_of.len() as u32;
        let hash = gap.hash;
        self.places[gap.at] = Place { hash, id };
        self.place_of.push(gap.at as u32);
        // More than two thirds full, chains get long.
        if self.place_of.len() * 3 > self.places.len() * 2 {
            self.grow();
        }
        id
    }

    #[cold]
    fn grow(&mut self) {
        let places = vec![EMPTY; self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, places);
        let last = self.places.len() - 1;
        // From the oldest on, so that older ones stand before newer ones again.
        for place in &mut self.place_of {
            let moved = old[*place as usize];
            let mut at = moved.hash as usize & last;
            while self.places[at].id != EMPTY.id {
                at = (at + 1) & last;
            }
            self.places[at] = moved;
            *place = at as u32;
        }
    }

    /// Forgets every number from `len` on.
    pub fn truncate(&mut self, len: usize) {
        for place in self.place_of.drain(len.min(self.place_of.len())..) {
            self.places[place as usize] = EMPTY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(table: &mut StackTable, things: &mut Vec<u64>, thing: u64, hash: u64) {
        let same = |id: u32| things[id as usize] == thing;
        if let Err(gap) = table.find(hash, same) {
            assert_eq!(table.push(gap) as usize, things.len());
            things.push(thing);
        }
    }

    /// With hashes that are good, bad and all the same.
    #[test]
    fn finds_what_was_put_in_and_not_forgotten() {
        let hashes: [fn(u64) -> u64; 3] = [
            |n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32,
            |n| n / 8,
            |_| u64::MAX,
        ];
        for hash in hashes {
            let (mut table, mut things) = (StackTable::default(), Vec::new());
            for round in 0..20 {
                let first = round * 50;
                (first..first + 300).for_each(|n| put(&mut table, &mut things, n, hash(n)));
                for (id, thing) in things.iter().enumerate() {
                    let found = table.find(hash(*thing), |id| things[id as usize] == *thing);
                    assert_eq!(found.ok(), Some(id as u32));
                }
                let left = things.len() / 3;
                let forgotten = things.split_off(left);
                table.truncate(left);
                for thing in forgotten {
                    let same = |id: u32| things[id as usize] == thing;
                    assert!(table.find(hash(thing), same).is_err());
                }
            }
        }
    }
}
