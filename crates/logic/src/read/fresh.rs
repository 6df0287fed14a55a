//! Renames bound variables to avoid nested binders of the same variable: the value of a `let` name may bind variables
//! and be used under a binder of the same variables. It is then used with fresh ones:
//!
//! ```text
//! (let ((p (exists ((x Int)) (q x)))) (forall ((x Int)) (or p (r x))))
//! (forall ((x Int)) (or (exists ((x!1 Int)) (q x!1)) (r x)))
//! ```

use super::ScriptReader;
use crate::intern::Symbol;
use crate::render::post_order;
use crate::term::{Binder, Head, Match, MatchCase, TermId};
use auspex_syntax::{Reader, Tape};
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger values are used unchanged: inner variables then shadow outer ones, which is not an error.
const LARGEST: usize = 10_000;

/// The most renaming steps in one script, so that no script takes quadratic time.
const MOST_STEPS: usize = 1 << 26;

#[derive(Default)]
pub(super) struct Binding {
    /// How many binders were read so far, uses of values with binders included.
    pub made: u32,
    /// Values of `let` names with binders inside.
    pub values: FxHashSet<TermId>,
    /// How many steps renaming took.
    steps: usize,
}

impl ScriptReader<'_> {
    /// A local's meaning, with bound variables that differ from the enclosing ones.
    #[inline]
    pub(super) fn local_value(&mut self, local: TermId) -> TermId {
        if self.binding.values.is_empty() || !self.binding.values.contains(&local) {
            return local;
        }
        self.binding.made += 1;
        self.apart(local)
    }

    fn apart(&mut self, value: TermId) -> TermId {
        if self.binding.steps > MOST_STEPS {
            return value;
        }
        let order = post_order(self.terms, value);
        self.binding.steps += order.len();
        if order.len() > LARGEST {
            return value;
        }
        let bound: FxHashSet<TermId> = order.iter().flat_map(|t| self.bound_by(*t)).collect();
        self.binding.steps += self.scope.bound();
        let clashes = self.scope.bound_among(&bound);
        if clashes.is_empty() {
            return value;
        }
        self.renamed(&order, &clashes)
    }

    /// Renames variables of a binder that would capture undeclared symbols, which a `let` brought in from outside.
    #[inline]
    pub(super) fn release_undeclared<const N: usize>(
        &mut self,
        variables: &mut [TermId],
        bodies: [&mut TermId; N],
    ) {
        if !self.undeclared.is_empty() {
            self.release_from(variables, bodies);
        }
    }

    fn release_from<const N: usize>(
        &mut self,
        variables: &mut [TermId],
        mut bodies: [&mut TermId; N],
    ) {
        let named = |v: &&TermId| matches!(self.terms.head(**v), Head::Variable(name) if self.undeclared.contains(&name));
        let mut clashes: FxHashSet<TermId> = variables.iter().filter(named).copied().collect();
        if clashes.is_empty() || self.binding.steps > MOST_STEPS {
            return;
        }
        let mut mentioned = FxHashSet::default();
        let mut inside = FxHashSet::default();
        for body in &bodies {
            let order = post_order(self.terms, **body);
            self.binding.steps += order.len();
            inside.extend(order.iter().copied());
            let opaque = order
                .iter()
                .filter_map(|term| match self.terms.head(*term) {
                    Head::Opaque(text) => Some(text),
                    _ => None,
                });
            mentioned.extend(opaque);
        }
        clashes.retain(|variable| {
            let Head::Variable(name) = self.terms.head(*variable) else {
                return false;
            };
            let name = self.terms.symbols.name(name);
            let text = |text: &Symbol| mentions(self.terms.symbols.name(*text), name);
            mentioned.iter().any(text)
        });
        if clashes.is_empty() {
            return;
        }
        let map = self.fresh_for(variables, &clashes);
        for body in &mut bodies {
            **body = self.terms.replace_all(**body, &map);
        }
        // `:named` terms inside are renamed with their terms.
        let named = self.named.iter_mut();
        for (place, definition) in named.filter(|(place, _)| inside.contains(place)) {
            *place = self.terms.replace_all(*place, &map);
            definition.body = self.terms.replace_all(definition.body, &map);
        }
        for variable in variables {
            *variable = *map.get(variable).unwrap_or(variable);
        }
    }

    /// The variables that the root of a term binds.
    fn bound_by(&self, term: TermId) -> Vec<TermId> {
        match self.terms.head(term) {
            Head::Binder(number) => self.terms.binder(number).variables.to_vec(),
            Head::Match(number) => {
                let cases = self.terms.match_(number).cases.iter();
                cases
                    .flat_map(|case| case.variables.iter().copied())
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The last of some terms (arguments come before the terms that use them) with fresh variables
    /// in the place of some.
    fn renamed(&mut self, order: &[TermId], clashes: &FxHashSet<TermId>) -> TermId {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut last = order[0];
        for term in order {
            let args: Vec<TermId> = self.terms.args(*term).iter().map(|a| done[a]).collect();
            last = match self.terms.head(*term) {
                Head::Binder(number) => self.renamed_binder(*term, number, &args, clashes),
                Head::Match(number) => self.renamed_match(*term, number, &args, clashes),
                _ => self.terms.with_args(*term, &args).unwrap_or(*term),
            };
            done.insert(*term, last);
        }
        last
    }

    fn renamed_binder(
        &mut self,
        term: TermId,
        number: u32,
        bodies: &[TermId],
        clashes: &FxHashSet<TermId>,
    ) -> TermId {
        let Binder { kind, variables } = self.terms.binder(number).clone();
        let map = self.fresh_for(&variables, clashes);
        let bodies: Vec<TermId> = bodies
            .iter()
            .map(|b| self.terms.replace_all(*b, &map))
            .collect();
        let variables = variables.iter().map(|v| *map.get(v).unwrap_or(v)).collect();
        let sort = self.terms.sort(term);
        self.terms
            .binder_node(Binder { kind, variables }, &bodies, sort)
    }

    fn renamed_match(
        &mut self,
        term: TermId,
        number: u32,
        args: &[TermId],
        clashes: &FxHashSet<TermId>,
    ) -> TermId {
        let mut args = args.to_vec();
        let old = self.terms.match_(number).cases.clone();
        let mut cases = Vec::new();
        for (case, body) in old.iter().zip(&mut args[1..]) {
            let map = self.fresh_for(&case.variables, clashes);
            *body = self.terms.replace_all(*body, &map);
            let variables = case.variables.iter().map(|v| *map.get(v).unwrap_or(v));
            cases.push(MatchCase {
                constructor: case.constructor,
                variables: variables.collect(),
            });
        }
        let cases = cases.into();
        let sort = self.terms.sort(term);
        self.terms.match_node(Match { cases }, &args, sort)
    }

    fn fresh_for(
        &mut self,
        variables: &[TermId],
        clashes: &FxHashSet<TermId>,
    ) -> FxHashMap<TermId, TermId> {
        let mut map = FxHashMap::default();
        for variable in variables.iter().filter(|v| clashes.contains(v)) {
            if let Head::Variable(name) = self.terms.head(*variable) {
                let sort = self.terms.sort(*variable);
                map.insert(*variable, self.fresh_variable(name, sort));
            }
        }
        map
    }
}

/// Whether an unknown text is a name or contains it.
fn mentions(text: &str, name: &str) -> bool {
    if !text.starts_with('(') {
        return text.trim_matches('|') == name;
    }
    let (mut reader, mut tape) = (Reader::new(text), Tape::default());
    let Ok(Some(_)) = reader.next(&mut tape) else {
        return false;
    };
    (0..tape.len() as u32).any(|at| tape.root(text, at).symbol() == Some(name))
}

#[cfg(test)]
mod tests {
    use crate::render::{self, Sharing};
    use crate::{Terms, read_script};

    fn printed(term: &str) -> String {
        let mut terms = Terms::new();
        let text = format!("(declare-fun q (Int) Bool)(assert {term})");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        assert_eq!(reading.issues, []);
        let root = reading.script.roots()[0];
        render::term(&terms, root, Sharing::Expanded)
    }

    #[test]
    fn a_value_under_a_binder_of_its_variable_gets_another() {
        assert_eq!(
            printed("(let ((p (exists ((x Int)) (q x)))) (forall ((x Int)) (or p (q x))))"),
            "(forall ((x Int)) (or (exists ((x!1 Int)) (q x!1)) (q x)))"
        );
    }

    #[test]
    fn a_value_beside_it_stays() {
        assert_eq!(
            printed("(let ((p (exists ((x Int)) (q x)))) (or p (forall ((x Int)) (q x))))"),
            "(or (exists ((x Int)) (q x)) (forall ((x Int)) (q x)))"
        );
    }
}
