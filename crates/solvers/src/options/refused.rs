//! What a release was seen to refuse of what it lists, kept in the cache beside its options: `sat.smt=true`,
//! `(set-simplifier nothing)`. A campaign that learns it tells the next one.

use super::listing::key;
use crate::cache::Cache;
use crate::solver::Solver;
use std::collections::BTreeSet;

const KIND: &str = "options";

fn name(solver: &Solver) -> String {
    key(solver, &["refused".to_string()])
}

/// The options and commands that a release refuses, as a configuration writes them.
pub fn refused(solver: &Solver, cache: &Cache) -> BTreeSet<String> {
    let text = cache.kept(KIND, &name(solver)).unwrap_or_default();
    text.lines().map(str::to_string).collect()
}

/// Adds one to them.
pub fn note_refused(solver: &Solver, cache: &Cache, word: &str) {
    let mut all = refused(solver, cache);
    if !word.contains('\n') && all.insert(word.to_string()) {
        let lines: Vec<String> = all.into_iter().collect();
        cache.keep(KIND, &name(solver), &(lines.join("\n") + "\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Invocation, Profile, Version};
    use std::sync::Arc;

    fn release(version: &str) -> Solver {
        Solver {
            profile: Arc::new(Profile::unknown("toy")),
            base: Invocation::default(),
            version: Version::read(version),
            commit: None,
            options: Vec::new(),
        }
    }

    #[test]
    fn what_a_release_refuses_is_kept_for_it_alone() {
        let folder = std::env::temp_dir().join(format!("auspex-refused-{}", std::process::id()));
        let cache = Cache::at(&folder);
        let (one, other) = (release("1.0"), release("2.0"));
        assert!(refused(&one, &cache).is_empty());
        for word in ["--b=2", "(set-simplifier a)", "--b=2", "two\nlines"] {
            note_refused(&one, &cache, word);
        }
        let kept: Vec<String> = refused(&one, &cache).into_iter().collect();
        assert_eq!(kept, ["(set-simplifier a)", "--b=2"]);
        assert!(refused(&other, &cache).is_empty());
        let _ = std::fs::remove_dir_all(&folder);
    }
}
