//! Expands definitions: `(pos a)` becomes `(> a 0)`, so that the body is analysed and mutated.

use crate::strategy::flat::rebuild;
use auspex_logic::{Command, Fun, Head, TermId, Terms};
use rustc_hash::FxHashMap;

/// The definitions of a script that can be expanded: not recursive ones, nor those that bind variables.
pub(super) struct Unfolding(FxHashMap<Fun, (Vec<TermId>, TermId)>);

impl Unfolding {
    pub fn of(terms: &mut Terms, commands: &[Command]) -> Unfolding {
        let mut known = Unfolding(FxHashMap::default());
        for command in commands {
            if let Command::DefineFun(definition) = command
                && terms.sort(definition.body) == terms.fun(definition.fun).result
                && !binds(terms, definition.body)
            {
                let body = known.term(terms, definition.body);
                let meaning = (definition.variables.clone(), body);
                known.0.insert(definition.fun, meaning);
            }
        }
        known
    }

    /// The term with every such definition expanded.
    pub fn term(&self, terms: &mut Terms, term: TermId) -> TermId {
        if self.0.is_empty() {
            return term;
        }
        rebuild(terms, term, &mut |terms, old, args| {
            let Head::Fun(fun) = terms.head(old) else {
                return None;
            };
            let (variables, body) = self.0.get(&fun)?;
            let values: FxHashMap<TermId, TermId> = variables
                .iter()
                .copied()
                .zip(args.iter().copied())
                .collect();
            let new = rebuild(terms, *body, &mut |_, old, _| values.get(&old).copied());
            Some(new)
        })
    }
}

/// Whether a term binds variables, which could capture those of an argument.
fn binds(terms: &Terms, term: TermId) -> bool {
    let parts = auspex_logic::render::post_order(terms, term);
    let mut heads = parts.into_iter().map(|part| terms.head(part));
    heads.any(|head| matches!(head, Head::Binder(_) | Head::Match(_)))
}
