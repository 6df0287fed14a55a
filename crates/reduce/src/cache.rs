//! Results for texts already tried, by a hash of 128 bits. Comments and whitespace do not count.

use auspex_syntax::{Document, write_flat};
use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Why a text was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The check said no.
    No,
    /// The evidence does not hold for it; the check was not asked.
    Unsupported,
}

#[derive(Default)]
pub struct Cache(FxHashMap<(u64, u64), Known>);

impl Cache {
    pub fn get(&self, text: &str) -> Option<Known> {
        self.0.get(&key(text)).copied()
    }

    pub fn put(&mut self, text: &str, known: Known) {
        self.0.insert(key(text), known);
    }
}

fn key(text: &str) -> (u64, u64) {
    let mut flat = String::new();
    match Document::read(text) {
        Ok(document) => document
            .items()
            .for_each(|form| write_flat(form, &mut flat)),
        Err(_) => flat.push_str(text),
    }
    // Two hashers with different seeds together make 128 bits.
    let hash = |start: u8| {
        let mut hasher = DefaultHasher::new();
        (start, &flat).hash(&mut hasher);
        hasher.finish()
    };
    (hash(0), hash(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_what_it_was_told_and_nothing_else() {
        let mut cache = Cache::default();
        cache.put("a", Known::No);
        assert_eq!(cache.get("a"), Some(Known::No));
        assert_eq!(cache.get("b"), None);
    }

    #[test]
    fn a_text_laid_out_otherwise_is_the_same() {
        let mut cache = Cache::default();
        cache.put("(f a)\n(g)\n", Known::No);
        assert_eq!(cache.get(" (f\n a) ; why\n (g)"), Some(Known::No));
        assert_eq!(cache.get("(fa)(g)"), None);
        cache.put("(f", Known::No);
        assert_eq!(cache.get("(f "), None, "what cannot be read is what it is");
    }
}
