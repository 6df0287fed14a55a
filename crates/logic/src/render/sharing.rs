//! Decides which subterms get a `let`.

use crate::intern::Symbol;
use crate::term::{Attribute, Head, TermId, Terms};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Terms with at most this many parts are expanded, however much they share.
pub const ALWAYS_WRITTEN_OUT: u64 = 2_000;

/// Whether the expanded term would be much longer than its DAG.
pub(super) fn expands_badly(terms: &Terms, root: TermId) -> bool {
    if is_tiny(terms, root, &mut 60) {
        return false;
    }
    let mut budget = ALWAYS_WRITTEN_OUT;
    // A quick count that stops early: nearly all terms are small.
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        budget = match budget.checked_sub(1) {
            Some(rest) => rest,
            None => {
                let order = post_order(terms, root);
                return is_longer(tree_size(terms, &order), order.len() as u64);
            }
        };
        stack.extend_from_slice(terms.args(term));
    }
    false
}

/// Whether a number of parts is much larger than the number of distinct ones.
pub fn is_longer(parts: u64, distinct: u64) -> bool {
    parts > distinct.saturating_mul(4)
}

/// Whether a term has at most this many parts, without allocating.
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

/// The number of parts of the last of some terms when expanded; its parts come before it.
fn tree_size(terms: &Terms, order: &[TermId]) -> u64 {
    let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
    let mut last = 0;
    for term in order {
        let args = terms.args(*term).iter();
        last = args.fold(1u64, |sum, arg| sum.saturating_add(sizes[arg]));
        sizes.insert(*term, last);
    }
    last
}

/// All distinct subterms, arguments before the terms that use them.
pub fn post_order(terms: &Terms, root: TermId) -> Vec<TermId> {
    /// Room for most terms.
    const USUAL: usize = 48;
    let mut order = Vec::with_capacity(USUAL);
    let mut seen = FxHashSet::with_capacity_and_hasher(USUAL, FxBuildHasher);
    let mut stack = Vec::with_capacity(USUAL);
    stack.push((root, false));
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
    let mut kept_in_place = with_names_used_early(terms, &order);
    kept_in_place.extend(order.iter().flat_map(|term| loose_cases(terms, *term)));
    let worth = |term: &TermId| {
        *term != root
            && !terms.args(*term).is_empty()
            && uses.get(term).is_some_and(|count| *count > 1)
            && !kept_in_place.contains(term)
    };
    order.into_iter().filter(worth).collect()
}

/// The list of cases of an unknown `match`, and the cases in it, which are not terms.
fn loose_cases(terms: &Terms, term: TermId) -> impl Iterator<Item = TermId> {
    let is_match = |symbol| terms.symbols.name(symbol) == "match";
    let list = match (terms.head(term), terms.args(term)) {
        (Head::Opaque(symbol), [_, list]) if is_match(symbol) => Some(*list),
        _ => None,
    };
    let cases = list.into_iter().flat_map(|list| terms.args(list)).copied();
    list.into_iter().chain(cases)
}

/// The `:named` terms, if such a name may be used before its definition: a `let` would move the definition to the
/// front, before that use. None if expanding them would be too long.
fn with_names_used_early(terms: &Terms, order: &[TermId]) -> FxHashSet<TermId> {
    const LONGEST: u64 = 100_000;
    let mut naming = FxHashSet::default();
    let (mut given, mut unknown) = (FxHashSet::default(), FxHashSet::default());
    for term in order {
        match terms.head(*term) {
            Head::Annotated(number) => {
                let name = name_in(terms, number);
                given.extend(name);
                if name.is_some() {
                    naming.insert(*term);
                }
            }
            Head::Opaque(text) => {
                unknown.insert(text);
            }
            _ => {}
        }
        if terms.args(*term).iter().any(|arg| naming.contains(arg)) {
            naming.insert(*term);
        }
    }
    if given.is_disjoint(&unknown) || tree_size(terms, order) > LONGEST {
        naming.clear();
    }
    naming
}

fn name_in(terms: &Terms, annotation: u32) -> Option<Symbol> {
    let mut attributes = terms.annotation(annotation).attributes.iter();
    attributes.find_map(|(key, value)| match value {
        Attribute::Text(name) if terms.symbols.name(*key) == ":named" => Some(*name),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::render::{self, Sharing};
    use crate::{Terms, read_script};

    fn with_let(text: &str) -> String {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).expect("well-formed").script;
        render::script(&terms, &script, Sharing::Let)
    }

    #[test]
    fn a_name_that_is_used_early_is_given_where_it_was() {
        let early = "(assert (foo a (! (bar 1) :named a) (! (bar 1) :named a)))\n";
        assert_eq!(with_let(early), early);
    }

    #[test]
    fn other_shared_terms_are_named_once() {
        let text = "(assert (foo (bar 1 2) (bar 1 2)))\n";
        assert!(with_let(text).contains("(let "), "{}", with_let(text));
    }
}
