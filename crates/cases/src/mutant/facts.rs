//! Facts that mutation needs about each term of a formula, computed once per term and kept through a chain.

use super::prepare::is_named;
use super::visible::Visible;
use crate::features::Features;
use crate::grow::Places;
use auspex_logic::term::{Attribute, BinderKind, FunKind};
use auspex_logic::{Head, Sort, SortKind, Symbol, TermId, Terms};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// The facts about one term.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// The number of replaceable occurrences in the term's tree.
    pub sites: u64,
    /// The number of those whose operator, function or quantifier may be exchanged.
    pub exchangeable: u64,
    /// The number of all occurrences in the tree.
    pub size: u64,
    pub places: Places,
    pub features: Features,
    /// May be replaced, if its place allows it.
    pub is_site: bool,
    /// Has a root that may be exchanged: an operator, a function or a quantifier.
    pub is_exchangeable: bool,
    /// May be copied to another place.
    pub may_move: bool,
    /// Mentions a symbol with the name of a bound variable.
    pub clashes: bool,
}

impl Fact {
    /// The facts about a term that was not analysed yet.
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
    /// Names of bound variables that are also names of symbols.
    pub clashing: FxHashSet<Symbol>,
}

impl Default for Facts {
    fn default() -> Facts {
        /// Initial capacity, which suffices for most formulas.
        const USUAL: usize = 112;
        Facts {
            known: FxHashMap::with_capacity_and_hasher(USUAL, FxBuildHasher),
            clashing: FxHashSet::default(),
        }
    }
}

impl Facts {
    /// The facts about a term that was analysed.
    pub fn of(&self, term: TermId) -> &Fact {
        &self.known[&term]
    }

    /// How many terms have been analysed.
    pub fn len(&self) -> u64 {
        self.known.len() as u64
    }

    pub fn knows(&self, term: TermId) -> bool {
        self.known.contains_key(&term)
    }

    /// Analyses a term and its subterms; calls `new` for each new term, arguments first.
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

    /// None if the arguments were not analysed.
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
            // The name must be neither lost nor duplicated.
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

/// Whether the root of a term may be exchanged for a similar one.
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

/// A function used as a value is not replaceable, but the term around it may be moved.
fn is_unsorted_part(terms: &Terms, head: Head, arg: TermId) -> bool {
    let function = matches!(terms.sorts.kind(terms.sort(arg)), SortKind::Function(_));
    function && !matches!(head, Head::Opaque(_)) && !matches!(terms.head(arg), Head::Opaque(_))
}

/// Whether terms of a sort may be replaced; functions as values and unknown sorts may not.
pub fn is_replaceable(terms: &Terms, sort: Sort) -> bool {
    match terms.sorts.kind(sort) {
        SortKind::Function(_) => false,
        _ => terms.sorts.is_known(sort),
    }
}

/// Whether an argument of a term and its subterms may be replaced.
pub fn leads_on(terms: &Terms, head: Head, place: usize) -> bool {
    match head {
        // Patterns and other attributes follow other rules.
        Head::Annotated(number) => place == 0 && has_no_name(terms, number),
        // An unknown operator may need its arguments unchanged.
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
