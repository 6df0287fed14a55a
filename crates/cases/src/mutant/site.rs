//! Sites: occurrences that may be replaced, how one is chosen, and what is known about its place.

use super::facts::{Fact, leads_on};
use super::{Mutant, Root};
use crate::draw::Draw;
use crate::grow::Places;
use auspex_logic::{Head, TermId, Terms};

/// One occurrence that may be replaced.
#[derive(Clone, Debug)]
pub struct Site {
    pub(super) root: usize,
    /// The terms from the root down, each with the next argument position.
    pub(super) path: Vec<(TermId, u32)>,
    pub term: TermId,
    /// The bound variables in scope.
    pub scope: Vec<TermId>,
    pub place: Places,
}

impl Site {
    /// A readable position: `assertion 2 at 0.1`.
    pub fn describe(&self) -> String {
        let mut text = format!("term {}", self.root + 1);
        for (at, (_, place)) in self.path.iter().enumerate() {
            text.push_str(if at == 0 { " at " } else { "." });
            text.push_str(&place.to_string());
        }
        text
    }
}

/// The kind of occurrence that a mutation looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Any replaceable occurrence.
    Any,
    /// One whose operator, function or quantifier may be exchanged.
    Exchangeable,
}

impl Fact {
    /// How many such occurrences there are in the tree.
    fn count(&self, wanted: Wanted) -> u64 {
        match wanted {
            Wanted::Any => self.sites,
            Wanted::Exchangeable => self.exchangeable,
        }
    }

    fn is(&self, wanted: Wanted) -> bool {
        self.is_site && (wanted == Wanted::Any || self.is_exchangeable)
    }
}

impl Mutant {
    /// A uniformly chosen occurrence of the wanted kind.
    pub fn site(&self, terms: &Terms, draw: &mut Draw, wanted: Wanted) -> Option<Site> {
        let sites = |root: &Root| root.fact.count(wanted);
        let total = self
            .roots
            .iter()
            .fold(0u64, |sum, root| sum.saturating_add(sites(root)));
        if total == 0 {
            return None;
        }
        let mut number = draw.below(total);
        let at = self.roots.iter().position(|root| {
            let here = number < sites(root);
            if !here {
                number -= sites(root);
            }
            here
        })?;
        self.walk(terms, at, number, wanted)
    }

    /// The occurrence with that number below a root.
    fn walk(&self, terms: &Terms, root: usize, mut number: u64, wanted: Wanted) -> Option<Site> {
        let from = &self.roots[root];
        let mut site = Site {
            root,
            path: Vec::with_capacity(8),
            term: from.term,
            scope: from.parameters.clone(),
            place: from.place,
        };
        let mut fact = &from.fact;
        loop {
            if fact.is(wanted) {
                if number == 0 {
                    return Some(site);
                }
                number -= 1;
            }
            let head = terms.head(site.term);
            let mut below = None;
            for (place, arg) in terms.args(site.term).iter().enumerate() {
                if !leads_on(terms, head, place) {
                    continue;
                }
                let there = self.facts.of(*arg);
                if number < there.count(wanted) {
                    below = Some((place, *arg, there));
                    break;
                }
                number -= there.count(wanted);
            }
            // Counts saturate at 64 bits; then a walk may find no occurrence.
            let (place, arg, there) = below?;
            enter(terms, head, place, &mut site.scope);
            site.path.push((site.term, place as u32));
            (site.term, fact) = (arg, there);
        }
    }
}

/// Adds the variables that a term binds in an argument. An inner variable hides an outer one of the same name.
fn enter(terms: &Terms, head: Head, place: usize, scope: &mut Vec<TermId>) {
    let bound: &[TermId] = match head {
        Head::Binder(number) => &terms.binder(number).variables,
        Head::Match(number) if place > 0 => match terms.match_(number).cases.get(place - 1) {
            Some(case) => &case.variables,
            None => return,
        },
        _ => return,
    };
    let name = |variable: &TermId| terms.head(*variable);
    scope.retain(|outer| !bound.iter().any(|inner| name(inner) == name(outer)));
    scope.extend_from_slice(bound);
}
