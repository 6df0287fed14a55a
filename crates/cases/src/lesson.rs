//! What refusals teach: operators that a solver turned out not to know are not used again.
//! Pure: the same outcomes in the same order teach the same, so a campaign that learns between epochs can be replayed.

use auspex_logic::{Head, Rejection, Script, Terms};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Refusals that name no operator count as strikes against every new one; this many, without any acceptance, convict.
const STRIKES: u32 = 3;

/// What one solver has shown about the rows of the operator table.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    accepted: BTreeSet<u32>,
    strikes: BTreeMap<u32, u32>,
    forbidden: Vec<u32>,
}

impl Lessons {
    /// Rows that must not be used, sorted; for `Workshop::forbidden`.
    pub fn forbidden(&self) -> &[u32] {
        &self.forbidden
    }

    /// The rows forbidden by any of several solvers, sorted.
    pub fn union<'l>(all: impl IntoIterator<Item = &'l Lessons>) -> Vec<u32> {
        let rows: BTreeSet<u32> = all
            .into_iter()
            .flat_map(|l| l.forbidden.iter().copied())
            .collect();
        rows.into_iter().collect()
    }

    /// The solver took a script: it knows everything in it.
    pub fn accepted(&mut self, terms: &Terms, script: &Script) {
        self.accepted.extend(rows_used(terms, script));
    }

    /// The solver refused a mutant of a seed that it takes. True if a row is forbidden now that was not before.
    pub fn refused(
        &mut self,
        terms: &Terms,
        mutant: &Script,
        seed: &Script,
        why: Rejection,
        message: &str,
    ) -> bool {
        match why {
            Rejection::Unsupported | Rejection::ParseError => {}
            Rejection::OutsideLogic | Rejection::Other => return false,
        }
        let before = self.forbidden.len();
        let old = rows_used(terms, seed);
        let is_news = |row: &u32| !self.accepted.contains(row) && !old.contains(row);
        let new: Vec<u32> = rows_used(terms, mutant)
            .into_iter()
            .filter(is_news)
            .collect();
        let words: FxHashSet<&str> = message.split(ends_symbol).collect();
        let rows = terms.table().rows();
        let (named, others): (Vec<u32>, Vec<u32>) = new
            .into_iter()
            .partition(|row| words.contains(&*rows[*row as usize].name));
        if named.is_empty() {
            for row in &others {
                *self.strikes.entry(*row).or_default() += 1;
            }
            let only = others.len() == 1;
            let convicted = others
                .into_iter()
                .filter(|row| only || self.strikes[row] >= STRIKES);
            let convicted: Vec<u32> = convicted.collect();
            convicted.into_iter().for_each(|row| self.forbid(row));
        } else {
            named.into_iter().for_each(|row| self.forbid(row));
        }
        self.forbidden.len() > before
    }

    fn forbid(&mut self, row: u32) {
        if let Err(place) = self.forbidden.binary_search(&row) {
            self.forbidden.insert(place, row);
        }
    }
}

/// Whether a character cannot stand in a symbol.
fn ends_symbol(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c))
}

/// The rows of the operators in a script.
pub fn rows_used(terms: &Terms, script: &Script) -> BTreeSet<u32> {
    let mut rows = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut stack = script.roots();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            if let Head::Op(op) = terms.head(term) {
                rows.insert(terms.op_row(op) as u32);
            }
            stack.extend_from_slice(terms.args(term));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::read_script;

    fn scripts(terms: &mut Terms, texts: [&str; 2]) -> [Script; 2] {
        texts.map(|text| {
            let text = format!("(declare-const x String)(assert {text})");
            read_script(terms, &text).expect("well-formed").script
        })
    }

    fn names(terms: &Terms, rows: &[u32]) -> Vec<String> {
        let all = terms.table().rows();
        rows.iter()
            .map(|row| all[*row as usize].name.to_string())
            .collect()
    }

    #[test]
    fn a_named_operator_is_forbidden_at_once() {
        let mut terms = Terms::new();
        let texts = ["(= x x)", "(= x (str.rev (str.to_lower x)))"];
        let [seed, mutant] = scripts(&mut terms, texts);
        let mut lessons = Lessons::default();
        let message = "line 3 column 9: unknown constant str.rev (String)";
        assert!(lessons.refused(&terms, &mutant, &seed, Rejection::ParseError, message));
        assert_eq!(names(&terms, lessons.forbidden()), ["str.rev"]);
        assert!(!lessons.refused(&terms, &mutant, &seed, Rejection::ParseError, message));
    }

    #[test]
    fn what_was_accepted_before_is_not_to_blame() {
        let mut terms = Terms::new();
        let texts = ["(= x (str.rev x))", "(= x (str.rev (str.to_lower x)))"];
        let [seed, mutant] = scripts(&mut terms, texts);
        let mut lessons = Lessons::default();
        let message = "cannot handle str.rev here";
        assert!(lessons.refused(&terms, &mutant, &seed, Rejection::Unsupported, message));
        assert_eq!(names(&terms, lessons.forbidden()), ["str.to_lower"]);
        let mut lessons = Lessons::default();
        lessons.accepted(&terms, &mutant);
        assert!(!lessons.refused(&terms, &mutant, &seed, Rejection::Unsupported, "no"));
    }

    #[test]
    fn one_of_several_needs_three_strikes() {
        let mut terms = Terms::new();
        let texts = ["(= x x)", "(= x (str.rev (str.to_lower x)))"];
        let [seed, mutant] = scripts(&mut terms, texts);
        let mut lessons = Lessons::default();
        let mut refuse = || lessons.refused(&terms, &mutant, &seed, Rejection::Unsupported, "no");
        assert_eq!([refuse(), refuse(), refuse()], [false, false, true]);
        assert_eq!(
            Lessons::union([&lessons, &Lessons::default()]),
            lessons.forbidden()
        );
    }
}
