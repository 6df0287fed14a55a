//! Remembers failed edits by their change and its surroundings. While the script is hardly smaller they would fail
//! again, and trying all of them after every success would be most of the cost.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// How many bytes on either side identify a place.
const CONTEXT: usize = 24;

/// For each failed edit: the number of tokens and lists that the script had.
#[derive(Default)]
pub struct Failures(FxHashMap<u64, usize>);

impl Failures {
    pub fn put(&mut self, old: &str, new: &str, nodes: usize) {
        self.0.insert(key(old, new), nodes);
    }

    /// Whether the same edit failed on a script at most a quarter larger.
    pub fn is_hopeless(&self, old: &str, new: &str, nodes: usize) -> bool {
        let failed = self.0.get(&key(old, new));
        failed.is_some_and(|before| before.saturating_mul(4) <= nodes.saturating_mul(5))
    }
}

/// The text that an edit removes and inserts, its surroundings, and how often these occur before.
fn key(old: &str, new: &str) -> u64 {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let shorter = old.len().min(new.len());
    let first = (0..shorter)
        .find(|at| old[*at] != new[*at])
        .unwrap_or(shorter);
    let tail = |at: &usize| old[old.len() - 1 - at] != new[new.len() - 1 - at];
    let last = (0..shorter - first).find(tail).unwrap_or(shorter - first);
    let from = first.saturating_sub(CONTEXT);
    let to = (old.len() - last + CONTEXT).min(old.len());
    let place = &old[from..to];
    let before = old.windows(place.len().max(1)).take(from);
    let number = before.filter(|other| *other == place).count();
    let mut hasher = FxHasher::default();
    (place, first - from, &new[first..new.len() - last], number).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "(assert (< first-of-many 1))\n(assert (< second-of-many 1))\n(assert (< third-of-many 1))\n";

    fn failed(old: &str, new: &str) -> Failures {
        let mut failures = Failures::default();
        failures.put(old, new, 100);
        failures
    }

    #[test]
    fn the_same_edit_of_a_script_that_changed_elsewhere_is_hopeless() {
        let failures = failed(LONG, &LONG.replace("first-of-many 1", "first-of-many 0"));
        let later = LONG.replace("third-of-many", "x");
        let again = later.replace("first-of-many 1", "first-of-many 0");
        assert!(failures.is_hopeless(&later, &again, 90));
        assert!(!failures.is_hopeless(&later, &again, 79), "much smaller");
    }

    #[test]
    fn another_place_or_another_change_is_not() {
        let failures = failed(LONG, &LONG.replace("first-of-many 1", "first-of-many 0"));
        let elsewhere = LONG.replace("second-of-many 1", "second-of-many 0");
        assert!(!failures.is_hopeless(LONG, &elsewhere, 100));
        let other = LONG.replace("first-of-many 1", "first-of-many 2");
        assert!(!failures.is_hopeless(LONG, &other, 100));
        let twins = "(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)(p a)";
        let at = |place: usize| format!("{}b{}", &twins[..place], &twins[place + 1..]);
        assert!(!failed(twins, &at(33)).is_hopeless(twins, &at(38), 100));
    }
}
