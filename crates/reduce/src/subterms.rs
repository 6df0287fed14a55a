//! The distinct subterms of a script, with the gain of removing them.

use auspex_logic::render::post_order;
use auspex_logic::{Head, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Distinct subterms, largest first.
pub struct Subterms {
    pub all: Vec<TermId>,
    /// The size of the expanded term, in tokens and lists.
    sizes: FxHashMap<TermId, u64>,
    /// How often it occurs in the expanded script.
    uses: FxHashMap<TermId, u64>,
}

impl Subterms {
    pub fn of(terms: &Terms, roots: &[TermId]) -> Subterms {
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        for root in roots {
            let fresh = |term: &TermId| !seen.contains(term);
            let new: Vec<TermId> = post_order(terms, *root).into_iter().filter(fresh).collect();
            seen.extend(new.iter().copied());
            order.extend(new);
        }
        let mut sizes = FxHashMap::default();
        for term in &order {
            let parts = terms.args(*term).iter();
            let inside = parts.fold(0u64, |sum, arg| sum.saturating_add(sizes[arg]));
            sizes.insert(*term, inside.saturating_add(own_size(terms, *term)));
        }
        let mut uses: FxHashMap<TermId, u64> = FxHashMap::default();
        for root in roots {
            *uses.entry(*root).or_default() += 1;
        }
        for term in order.iter().rev() {
            let times = uses[term];
            for arg in terms.args(*term) {
                let sum = uses.entry(*arg).or_default();
                *sum = sum.saturating_add(times);
            }
        }
        // Largest first, then in the order of occurrence.
        order.sort_by_key(|term| std::cmp::Reverse(sizes[term]));
        Subterms {
            all: order,
            sizes,
            uses,
        }
    }

    pub fn size(&self, term: TermId) -> u64 {
        self.sizes.get(&term).copied().unwrap_or(1)
    }

    pub fn uses(&self, term: TermId) -> u64 {
        self.uses.get(&term).copied().unwrap_or(0)
    }

    /// The gain if every occurrence gets the size `new`.
    pub fn gain(&self, term: TermId, new: u64) -> u64 {
        let each = self.size(term).saturating_sub(new);
        each.saturating_mul(self.uses(term))
    }
}

/// The size of a node without its arguments: parentheses, head, indices, variables.
fn own_size(terms: &Terms, term: TermId) -> u64 {
    let list = u64::from(!terms.args(term).is_empty());
    match terms.head(term) {
        Head::Op(op) if !terms.op_indices(op).is_empty() => {
            list + 2 + terms.op_indices(op).len() as u64
        }
        Head::Op(op) if terms.op(op).sig.qualified => list + 4,
        Head::Binder(number) => 3 + 3 * terms.binder(number).variables.len() as u64,
        _ => list + 1,
    }
}
