//! Interning: each distinct thing gets one small number, and can be forgotten again in stack order.
//! Forgetting keeps memory flat when one arena serves millions of cases.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

pub(crate) fn hash_of<T: Hash + ?Sized>(thing: &T) -> u64 {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
}

/// Whether forgetting all of a table at once is faster than one by one. It takes time for the whole
/// table, which one large script may have made large, but little for each place.
pub(crate) fn worth_clearing(used: usize, places: usize) -> bool {
    const PLACES_PER_REMOVAL: usize = 256;
    used >= places / PLACES_PER_REMOVAL
}

/// Distinct things, numbered in order of first appearance.
#[derive(Clone)]
pub(crate) struct Interner<T> {
    things: Vec<T>,
    table: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            things: Vec::new(),
            table: HashTable::new(),
        }
    }
}

impl<T: Hash + Eq> Interner<T> {
    pub fn intern(&mut self, thing: T) -> u32 {
        let hash = hash_of(&thing);
        let things = &self.things;
        if let Some(&id) = self.table.find(hash, |&id| things[id as usize] == thing) {
            return id;
        }
        let id = self.things.len() as u32;
        self.things.push(thing);
        let things = &self.things;
        self.table
            .insert_unique(hash, id, |&id| hash_of(&things[id as usize]));
        id
    }

    pub fn get(&self, id: u32) -> &T {
        &self.things[id as usize]
    }

    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Forgets everything numbered `len` or higher.
    pub fn truncate(&mut self, len: usize) {
        if len == 0 && worth_clearing(self.things.len(), self.table.capacity()) {
            self.table.clear();
            self.things.clear();
        }
        for id in (len..self.things.len()).rev() {
            let hash = hash_of(&self.things[id]);
            if let Ok(entry) = self.table.find_entry(hash, |&other| other as usize == id) {
                entry.remove();
            }
        }
        self.things.truncate(len);
    }
}

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

/// All names of one arena, in one text: a script has many, and memory for each would take longer
/// than reading it.
#[derive(Clone, Default)]
pub struct Symbols {
    text: String,
    /// Where each name ends; it begins where the one before it ends.
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Symbols {
    #[inline]
    pub fn intern(&mut self, name: &str) -> Symbol {
        let hash = hash_of(name);
        let (text, ends) = (self.text.as_bytes(), &self.ends);
        let same = |id: &u32| text[range(ends, *id)] == *name.as_bytes();
        if let Some(id) = self.table.find(hash, same) {
            return Symbol(*id);
        }
        self.add(name, hash)
    }

    fn add(&mut self, name: &str, hash: u64) -> Symbol {
        let id = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let (text, ends) = (&self.text, &self.ends);
        let hash_again = |id: &u32| hash_of(nth(text, ends, *id));
        self.table.insert_unique(hash, id, hash_again);
        Symbol(id)
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        let same = |id: &u32| nth(&self.text, &self.ends, *id) == name;
        self.table.find(hash_of(name), same).map(|id| Symbol(*id))
    }

    #[inline]
    pub fn name(&self, symbol: Symbol) -> &str {
        nth(&self.text, &self.ends, symbol.0)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        for id in (len..self.ends.len()).rev() {
            let hash = hash_of(nth(&self.text, &self.ends, id as u32));
            if let Ok(entry) = self.table.find_entry(hash, |&other| other as usize == id) {
                entry.remove();
            }
        }
        self.ends.truncate(len);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }
}

#[inline]
fn nth<'t>(text: &'t str, ends: &[usize], id: u32) -> &'t str {
    &text[range(ends, id)]
}

#[inline]
fn range(ends: &[usize], id: u32) -> Range<usize> {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    start..ends[id]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_thing_same_number() {
        let mut symbols = Symbols::default();
        let x = symbols.intern("x");
        assert_ne!(x, symbols.intern("y"));
        assert_eq!(x, symbols.intern("x"));
        assert_eq!(symbols.name(x), "x");
    }

    #[test]
    fn forgets_in_stack_order() {
        let mut symbols = Symbols::default();
        let x = symbols.intern("x");
        let mark = symbols.len();
        symbols.intern("y");
        symbols.truncate(mark);
        assert_eq!(symbols.find("y"), None);
        assert_eq!(symbols.find("x"), Some(x));
        assert_eq!(symbols.len(), 1);
    }
}
