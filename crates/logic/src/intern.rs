//! Interning: each distinct item gets a small number, and the newest can be dropped again. Dropping keeps memory
//! constant when one arena serves millions of cases.

use crate::stack_table::{Gap, StackTable};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

pub(crate) fn hash_of<T: Hash + ?Sized>(thing: &T) -> u64 {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
}

/// A term of one arena. Equal terms have equal handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// A dense number, for tables indexed by term.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Distinct things, numbered in order of first appearance.
#[derive(Clone)]
pub(crate) struct Interner<T> {
    things: Vec<T>,
    table: StackTable,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            things: Vec::new(),
            table: StackTable::default(),
        }
    }
}

impl<T: Hash + Eq> Interner<T> {
    pub fn intern(&mut self, thing: T) -> u32 {
        let same = |id: u32| self.things[id as usize] == thing;
        match self.table.find(hash_of(&thing), same) {
            Ok(id) => id,
            Err(gap) => {
                self.things.push(thing);
                self.table.push(gap)
            }
        }
    }

    pub fn get(&self, id: u32) -> &T {
        &self.things[id as usize]
    }

    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Forgets everything numbered `len` or higher.
    pub fn truncate(&mut self, len: usize) {
        self.table.truncate(len);
        self.things.truncate(len);
    }
}

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

/// All names of one arena in one string: a script has many, and an allocation for each would take longer than reading
/// it.
#[derive(Clone, Default)]
pub struct Symbols {
    text: String,
    names: Vec<Name>,
    table: StackTable,
}

#[derive(Clone, Copy)]
struct Name {
    /// Short names, and nearly all are, are compared by it alone.
    key: u64,
    /// Where it ends in the text; it begins where the one before it ends.
    end: usize,
}

impl Symbols {
    #[inline]
    pub fn intern(&mut self, name: &str) -> Symbol {
        match self.find_part(name.as_bytes(), 0..name.len()) {
            Ok(symbol) => symbol,
            Err(new) => self.add(name, new),
        }
    }

    fn add(&mut self, name: &str, (key, gap): (u64, Gap)) -> Symbol {
        self.text.push_str(name);
        let end = self.text.len();
        self.names.push(Name { key, end });
        Symbol(self.table.push(gap))
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.find_part(name.as_bytes(), 0..name.len()).ok()
    }

    /// Interns a part of a text. Faster than the part alone, which may be shorter than a word.
    #[inline]
    pub(crate) fn intern_part(&mut self, text: &str, part: Range<usize>) -> Symbol {
        match self.find_part(text.as_bytes(), part.clone()) {
            Ok(symbol) => symbol,
            Err(new) => self.add(&text[part], new),
        }
    }

    /// The symbol of a part of a text, or what is needed to add it.
    #[inline]
    fn find_part(&self, text: &[u8], part: Range<usize>) -> Result<Symbol, (u64, Gap)> {
        let key = key(text, part.clone());
        let same = |id: u32| {
            self.names[id as usize].key == key
                && (key < LONG || self.text.as_bytes()[self.range(id)] == text[part.clone()])
        };
        let found = self.table.find(mix(key), same);
        found.map(Symbol).map_err(|gap| (key, gap))
    }

    #[inline]
    fn range(&self, id: u32) -> Range<usize> {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.names[id - 1].end };
        start..self.names[id].end
    }

    #[inline]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.text[self.range(symbol.0)]
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.table.truncate(len);
        self.names.truncate(len);
        self.text
            .truncate(self.names.last().map_or(0, |last| last.end));
    }
}

/// The number of bytes handled at once.
const WORD: usize = 8;

/// Keys from here on are those of long names.
const LONG: u64 = 0xFF << 56;

/// A name as a number: the bytes of a short one with their count on top, or a hash.
#[inline]
fn key(text: &[u8], part: Range<usize>) -> u64 {
    let len = part.len();
    if len < WORD {
        (len as u64) << 56 | short_word(text, part)
    } else {
        LONG | hash_of(&text[part])
    }
}

/// The bytes of a short part of a text. No branch depends on how many they are, which cannot be
/// foreseen, unless the text ends.
#[inline]
fn short_word(text: &[u8], part: Range<usize>) -> u64 {
    match text[part.start..].first_chunk::<WORD>() {
        Some(bytes) => u64::from_le_bytes(*bytes) & ((1 << (8 * part.len())) - 1),
        None => {
            let bytes = text[part].iter().rev();
            bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    }
}

/// Spreads the bits of a key, also to the lower half, where the table looks.
#[inline]
fn mix(key: u64) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let product = u128::from(key) * u128::from(ODD);
    product as u64 ^ (product >> 64) as u64
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
    fn a_part_of_a_text_is_the_same_name() {
        let text = "|| a ab abcdefg abcdefgh abcdefghi abcdefghj abcdefghijklmnopq \0 a\0 xy";
        let mut symbols = Symbols::default();
        symbols.intern("");
        let names: Vec<Symbol> = text.split(' ').map(|name| symbols.intern(name)).collect();
        assert_eq!(symbols.len(), names.len() + 1);
        let mut at = 0;
        for (name, symbol) in text.split(' ').zip(names) {
            let part = at..at + name.len();
            assert_eq!(symbols.intern_part(text, part), symbol);
            assert_eq!(symbols.find(name), Some(symbol));
            at += name.len() + 1;
        }
        assert_eq!(Some(symbols.intern_part(text, 3..3)), symbols.find(""));
        assert_eq!(symbols.find("abcdefgi"), None);
        assert_eq!(symbols.find("abcdefghk"), None);
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
