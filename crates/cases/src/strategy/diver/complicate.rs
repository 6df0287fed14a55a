//! Complicate: a leaf of a new term becomes a fresh variable, and what it may be becomes an assertion.
//!
//! ```text
//! x = 5, (assert (> (+ x 2) 3))   →   (declare-const fresh!1 Int)
//!                                     (assert (> (+ fresh!1 2) 3)) (assert (<= 2 fresh!1))
//! ```

use super::Dive;
use super::analysis::analyse;
use crate::draw::Draw;
use auspex_logic::eval::Evaluator;
use auspex_logic::script::{Assertion, Command};
use auspex_logic::{TermId, Terms};

impl Dive {
    /// Replaces one leaf of the new term at a path of an assertion.
    pub(super) fn complicate(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        root: usize,
        path: &[u32],
        new: TermId,
    ) {
        let leaves: Vec<_> = {
            let mut evaluator = Evaluator::new(terms, &self.model);
            let roots = [self.assertions[root].term];
            let places = analyse(terms, &mut evaluator, &roots, super::MOST_PLACES);
            let inside =
                |p: &super::Place| p.path.starts_with(path) && terms.args(p.term).is_empty();
            places.into_iter().filter(inside).collect()
        };
        let Some(leaf) = draw.pick(&leaves) else {
            return;
        };
        let Ok(value) = Evaluator::new(terms, &self.model).value(leaf.term) else {
            return;
        };
        let sort = terms.sort(leaf.term);
        // Every sort with values that can be written down; regular expressions have no variables.
        if sort == auspex_logic::Sort::REG_LAN || terms.value_term(&value, sort).is_none() {
            return;
        }
        let name = self.fresh_name(terms);
        let fun = terms.declare_fun(&name, &[], sort);
        let Ok(variable) = terms.fun_app(fun, &[]) else {
            return;
        };
        let Some(changed) = terms.replace_at(self.assertions[root].term, &leaf.path, variable)
        else {
            return;
        };
        let Some(constraint) = leaf.allowed.constraint(terms, variable) else {
            return;
        };
        let before = (self.model.clone(), self.assertions.clone());
        self.model.set_value(fun, value);
        self.assertions[root].term = changed;
        self.assertions.push(Assertion {
            term: constraint,
            name: None,
        });
        if !self.holds(terms) {
            (self.model, self.assertions) = before;
            return;
        }
        self.header.push(Command::DeclareFun(fun));
        let step = format!("assertion {}: a leaf becomes the variable {name}", root + 1);
        self.steps.push(step);
        debug_assert!(
            terms.at_path(changed, path).is_some(),
            "{new:?} stands there"
        );
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
