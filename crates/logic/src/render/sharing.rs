//! Which subterms are worth a `let`.

use crate::term::{TermId, Terms};
use rustc_hash::FxHashMap;

/// Whether writing the term out would be much longer than its DAG.
pub(super) fn expands_badly(terms: &Terms, root: TermId) -> bool {
    if is_tiny(terms, root, &mut 60) {
        return false;
    }
    const SMALL: u64 = 2_000;
    let mut budget = SMALL;
    // A quick count that stops early: nearly all terms are small.
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        budget = match budget.checked_sub(1) {
            Some(rest) => rest,
            None => return tree_size(terms, root) > 4 * dag_size(terms, root),
        };
        stack.extend_from_slice(terms.args(term));
    }
    false
}

/// Whether a term has at most so many parts, without allocating.
fn is_tiny(terms: &Terms, term: TermId, left: &mut u32) -> bool {
    for arg in terms.args(term) {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        if !terms.args(*arg).is_empty() && !is_tiny(terms, *arg, left) {
            return false;
        }
    }
    true
}

fn dag_size(terms: &Terms, root: TermId) -> u64 {
    post_order(terms, root).len() as u64
}

fn tree_size(terms: &Terms, root: TermId) -> u64 {
    let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
    for term in post_order(terms, root) {
        let size = terms
            .args(term)
            .iter()
            .fold(1u64, |sum, arg| sum.saturating_add(sizes[arg]));
        sizes.insert(term, size);
    }
    sizes[&root]
}

/// All distinct subterms, arguments before the terms that use them.
pub fn post_order(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut order = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![(root, false)];
    while let Some((term, done)) = stack.pop() {
        if done {
            order.push(term);
        } else if seen.insert(term) {
            stack.push((term, true));
            stack.extend(
                terms
                    .args(term)
                    .iter()
                    .rev()
                    .filter(|a| !seen.contains(*a))
                    .map(|a| (*a, false)),
            );
        }
    }
    order
}

/// The subterms that occur in several places below a root, inner ones first.
pub(super) fn shared(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
    let order = post_order(terms, root);
    for term in &order {
        for arg in terms.args(*term) {
            *uses.entry(*arg).or_default() += 1;
        }
    }
    let worth = |term: &TermId| {
        *term != root
            && !terms.args(*term).is_empty()
            && uses.get(term).is_some_and(|count| *count > 1)
    };
    order.into_iter().filter(worth).collect()
}
