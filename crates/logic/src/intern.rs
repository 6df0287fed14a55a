//! Interning: each distinct thing gets one small number, and can be forgotten again in stack order.
//! Forgetting keeps memory flat when one arena serves millions of cases.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

pub(crate) fn hash_of<T: Hash + ?Sized>(thing: &T) -> u64 {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
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

    /// Looks a borrowed form up before building the owned one.
    pub fn intern_ref<Q>(&mut self, borrowed: &Q, own: impl FnOnce(&Q) -> T) -> u32
    where
        Q: Hash + Eq + ?Sized,
        T: std::borrow::Borrow<Q>,
    {
        match self.find(borrowed) {
            Some(id) => id,
            None => self.intern(own(borrowed)),
        }
    }

    pub fn find<Q>(&self, borrowed: &Q) -> Option<u32>
    where
        Q: Hash + Eq + ?Sized,
        T: std::borrow::Borrow<Q>,
    {
        let hash = hash_of(borrowed);
        self.table
            .find(hash, |&id| self.things[id as usize].borrow() == borrowed)
            .copied()
    }

    pub fn get(&self, id: u32) -> &T {
        &self.things[id as usize]
    }

    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Forgets everything numbered `len` or higher.
    pub fn truncate(&mut self, len: usize) {
        // Clearing takes time for the whole table, which one large script may have made large.
        if len == 0 && self.things.len() * 8 >= self.table.capacity() {
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

/// All names of one arena.
#[derive(Clone, Default)]
pub struct Symbols(Interner<Box<str>>);

impl Symbols {
    pub fn intern(&mut self, name: &str) -> Symbol {
        Symbol(self.0.intern_ref(name, |n| n.into()))
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.0.find(name).map(Symbol)
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        self.0.get(symbol.0)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }
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
