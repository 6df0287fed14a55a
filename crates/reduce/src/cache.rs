//! What is known of texts already tried, by a hash of 128 bits.

use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Why a text was not taken.
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
    // Two hashers that start differently are as good as one of 128 bits.
    let hash = |start: u8| {
        let mut hasher = DefaultHasher::new();
        (start, text).hash(&mut hasher);
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
}
