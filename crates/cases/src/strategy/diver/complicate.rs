//! Complicate: replaces a leaf of a new term by a fresh variable, and asserts its allowed values.
//!
//! ```text
//! x = 5, (assert (> (+ x 2) 3))   →   (declare-const fresh!1 Int)
//!                                     (assert (> (+ fresh!1 2) 3)) (assert (<= 2 fresh!1))
//! ```

use super::Diver;
use super::allowed::Allowed;
use super::mutant::{ModelMutant, Step};
use crate::draw::Draw;
use crate::grow::{EVERYWHERE, Item};
use auspex_logic::script::{Assertion, Command};
use auspex_logic::{Sort, TermId, Terms, Value};

impl ModelMutant {
    /// Replaces one leaf of the new term at an occurrence of an assertion; returns the term with the variable.
    pub(super) fn complicate(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        (root, top): (usize, usize),
        new: TermId,
        how: &Diver,
    ) -> Option<TermId> {
        if !how.analyses() {
            self.maps[root] = None;
        }
        self.map(terms, root, &Diver::USUAL);
        let map = self.maps[root].as_ref()?;
        // Next to an undetermined value nothing is analysed, so the new term has no place.
        map.places().get(top).filter(|place| place.term == new)?;
        let inside = top..top + map.extent(top);
        let is_leaf = |n: &usize| {
            let place = &map.places()[*n];
            terms.args(place.term).is_empty() && place.allowed != Allowed::Unknown
        };
        let leaves: Vec<usize> = inside.filter(is_leaf).collect();
        let number = *draw.pick(&leaves)?;
        let (leaf, path) = (map.places()[number].clone(), map.path(number));
        let value = self.judge.value(terms, leaf.term).ok()?;
        let sort = terms.sort(leaf.term);
        // Every sort with values that can be written; regular expressions have no variables.
        if sort == Sort::REG_LAN || terms.value_term(&value, sort).is_none() {
            return None;
        }
        let name = self.fresh_name(terms);
        let fun = terms.declare_fun(&name, &[], sort);
        let variable = terms.fun_app(fun, &[]).ok()?;
        let changed = terms.replace_at(self.assertions[root].term, &path, variable)?;
        let constraint = leaf.allowed.constraint(terms, variable)?;
        // No evaluated term has the new symbol, so the cache stays valid.
        self.judge.model.set_value(fun, value);
        let holds = |mutant: &mut ModelMutant, term: TermId| {
            mutant.judge.value(terms, term) == Ok(Value::TRUE)
        };
        if !holds(self, changed) || !holds(self, constraint) {
            return None;
        }
        self.assertions[root].term = changed;
        let map = self.maps[root].as_mut()?;
        map.renamed(terms, number, changed);
        let complicated = map.places()[top].term;
        self.header.push(Command::DeclareFun(fun));
        let item = Item {
            term: variable,
            places: EVERYWHERE,
            clashes: false,
        };
        self.pool.add(terms, item, EVERYWHERE);
        if terms.literal_value(constraint).is_none() {
            let name = None;
            self.assertions.push(Assertion {
                term: constraint,
                name,
            });
            self.maps.push(None);
        }
        if !how.analyses() {
            self.maps[root] = None;
        }
        self.steps.push(Step::Fresh { root, fun });
        Some(complicated)
    }

    fn fresh_name(&mut self, terms: &Terms) -> String {
        loop {
            self.fresh += 1;
            let name = format!("fresh!{}", self.fresh);
            if terms.symbols.find(&name).is_none() {
                return name;
            }
        }
    }
}
