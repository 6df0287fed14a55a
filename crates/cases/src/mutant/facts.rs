//! What mutation must know about each term of a formula, worked out once per term and kept through a chain.

use super::prepare::is_named;
use super::visible::Visible;
use crate::features::Features;
use crate::grow::Places;
use auspex_logic::term::{Attribute, BinderKind, FunKind};
use auspex_logic::{Head, Sort, SortKind, Symbol, TermId, Terms};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// About one term.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// How many occurrences in the tree below (and including) the term may be replaced.
    pub sites: u64,
    /// How many of them have an operator, a function or a quantifier that may be exchanged.
    pub exchangeable: u64,
    /// Occurrences in the tree, all of them.
    pub size: u64,
    pub places: Places,
    pub features: Features,
    /// May be replaced, where it stands in a place that allows it.
    pub is_site: bool,
    /// Has an operator, a function or a quantifier at its root that may be exchanged.
    pub is_exchangeable: bool,
    /// May be copied to another place.
    pub may_move: bool,
    /// Mentions a symbol that has the name of a bound variable.
    pub clashes: bool,
}

impl Fact {
    /// About a term nobody has looked at.
    pub const NONE: Fact = Fact {
        sites: 0,
        exchangeable: 0,
        size: 0,
        places: 0,
        features: Features::NONE,
        is_site: false,
        is_exchangeable: false,
        may_move: false,
        clashes: false,
    };
}

pub struct Facts {
    known: FxHashMap<TermId, Fact>,
    /// Names of bound variables that are names of symbols, too.
    pub clashing: FxHashSet<Symbol>,
}

impl Default for Facts {
    fn default() -> Facts {
        /// Room for most formulas, which would be had by growing again and again.
        const USUAL: usize = 112;
        Facts {
            known: FxHashMap::with_capacity_and_hasher(USUAL, FxBuildHasher),
            clashing: FxHashSet::default(),
        }
    }
}

impl Facts {
    /// About a term that has been looked at.
    pub fn of(&self, term: TermId) -> &Fact {
        &self.known[&term]
    }

    /// How many terms have been looked at.
    pub fn len(&self) -> u64 {
        self.known.len() as u64
    }

    pub fn knows(&self, term: TermId) -> bool {
        self.known.contains_key(&term)
    }

    /// Looks at a term and everything below it; calls `new` for each term not seen before, arguments first.
    pub fn look(
        &mut self,
        terms: &Terms,
        visible: &Visible,
        root: TermId,
        mut new: impl FnMut(TermId, &Fact),
    ) {
        if self.known.contains_key(&root) {
            return;
        }
        if let Some(fact) = self.work_out(terms, visible, root) {
            new(root, &fact);
            self.known.insert(root, fact);
            return;
        }
        let mut stack = vec![(root, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.known.contains_key(&term) {
                continue;
            }
            if ready && let Some(fact) = self.work_out(terms, visible, term) {
                new(term, &fact);
                self.known.insert(term, fact);
            } else {
                stack.push((term, true));
                let args = terms.args(term).iter().rev();
                stack.extend(args.map(|arg| (*arg, false)));
            }
        }
    }

    /// None if something is not known about the arguments.
    fn work_out(&self, terms: &Terms, visible: &Visible, term: TermId) -> Option<Fact> {
        let sort = terms.sort(term);
        let known_sort = is_replaceable(terms, sort);
        let head = terms.head(term);
        let mut fact = Fact {
            sites: 0,
            exchangeable: 0,
            size: 1,
            places: visible.of_root(terms, term),
            features: Features::of_root(terms, term),
            is_site: known_sort,
            is_exchangeable: known_sort && is_exchangeable(terms, head),
            may_move: known_sort,
            clashes: self.root_clashes(terms, term),
        };
        for (place, arg) in terms.args(term).iter().enumerate() {
            let below = self.known.get(arg)?;
            if leads_on(terms, head, place) {
                fact.sites = fact.sites.saturating_add(below.sites);
                fact.exchangeable = fact.exchangeable.saturating_add(below.exchangeable);
            }
            fact.size = fact.size.saturating_add(below.size);
            fact.places &= below.places;
            fact.features = fact.features.union(below.features);
            fact.clashes |= below.clashes;
            fact.may_move &= below.may_move || is_unsorted_part(terms, head, *arg);
        }
        if is_named(terms, term) {
            // The name must neither be lost nor doubled.
            (fact.sites, fact.exchangeable) = (0, 0);
            (fact.is_site, fact.is_exchangeable, fact.may_move) = (false, false, false);
        }
        if matches!(head, Head::Opaque(_)) {
            fact.may_move = false;
        }
        fact.sites = fact.sites.saturating_add(fact.is_site.into());
        let own = fact.is_exchangeable.into();
        fact.exchangeable = fact.exchangeable.saturating_add(own);
        Some(fact)
    }

    fn root_clashes(&self, terms: &Terms, term: TermId) -> bool {
        match terms.head(term) {
            Head::Fun(fun) if !self.clashing.is_empty() => {
                let decl = terms.fun(fun);
                matches!(decl.kind, FunKind::Declared | FunKind::Defined)
                    && self.clashing.contains(&decl.name)
            }
            _ => false,
        }
    }
}

/// Whether what stands at the root of a term may have others like it.
fn is_exchangeable(terms: &Terms, head: Head) -> bool {
    match head {
        Head::Op(_) => true,
        Head::Fun(fun) => {
            let decl = terms.fun(fun);
            !decl.params.is_empty() || matches!(decl.kind, FunKind::Constructor(..))
        }
        Head::Binder(number) => {
            let kind = terms.binder(number).kind;
            matches!(kind, BinderKind::Forall | BinderKind::Exists)
        }
        Head::Literal(_)
        | Head::Variable(_)
        | Head::Match(_)
        | Head::Annotated(_)
        | Head::Apply
        | Head::Opaque(_) => false,
    }
}

/// A function used as a value has no replaceable sort, but the term around it moves.
fn is_unsorted_part(terms: &Terms, head: Head, arg: TermId) -> bool {
    let function = matches!(terms.sorts.kind(terms.sort(arg)), SortKind::Function(_));
    function && !matches!(head, Head::Opaque(_)) && !matches!(terms.head(arg), Head::Opaque(_))
}

/// Whether terms of a sort may be replaced by others: functions as values and what nobody knows may not.
pub fn is_replaceable(terms: &Terms, sort: Sort) -> bool {
    match terms.sorts.kind(sort) {
        SortKind::Function(_) => false,
        _ => terms.sorts.is_known(sort),
    }
}

/// Whether an argument of a term, and what is below it, may be replaced.
pub fn leads_on(terms: &Terms, head: Head, place: usize) -> bool {
    match head {
        // Patterns and other attributes have rules of their own.
        Head::Annotated(number) => place == 0 && has_no_name(terms, number),
        // What nobody knows may want its arguments as they are.
        Head::Opaque(_) => false,
        Head::Op(op) => !terms.op(op).wants_literal(place),
        Head::Literal(_)
        | Head::Fun(_)
        | Head::Variable(_)
        | Head::Binder(_)
        | Head::Match(_)
        | Head::Apply => true,
    }
}

fn has_no_name(terms: &Terms, annotation: u32) -> bool {
    let attributes = &terms.annotation(annotation).attributes;
    !attributes.iter().any(|(key, value)| {
        terms.symbols.name(*key) == ":named" && matches!(value, Attribute::Text(_))
    })
}
