//! Replaces a subterm by a simple value of its sort.
//!
//! ```text
//! (assert (or p (< (* x y) z)))   →   (assert (or p false))
//! (assert (= x (str.++ s t)))     →   (assert (= x ""))
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::sort::SortKind;
use auspex_logic::value::{BitVec, Int, Rat};
use auspex_logic::{Head, Model, Sort, TermId, Terms, Value};

pub struct Constants;

/// The size of a declaration without its name.
const DECLARATION: u64 = 4;

impl Pass for Constants {
    fn name(&self) -> &'static str {
        "constants"
    }

    fn about(&self) -> &'static str {
        "Replaces a subterm by true, false, zero, one, the empty string or another simple value of its sort."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let mut edits = Vec::new();
        for term in &subterms.all {
            if subject.terms.literal_value(*term).is_some() {
                continue;
            }
            let is_symbol = matches!(subject.terms.head(*term), Head::Fun(_));
            let declaration = if is_symbol { DECLARATION } else { 0 };
            let sort = subject.terms.sort(*term);
            for value in simple_values(&mut subject.terms, sort) {
                let size = if subject.terms.args(value).is_empty() {
                    1
                } else {
                    3
                };
                let gain = subterms.gain(*term, size) + declaration;
                edits.push(Edit::new(gain, Change::All(vec![(*term, value)])));
            }
        }
        edits
    }
}

/// The simplest terms of a sort without symbols, simplest first; none for an unknown sort.
pub fn simple_values(terms: &mut Terms, sort: Sort) -> Vec<TermId> {
    let kind = terms.sorts.kind(sort).clone();
    let values = match kind {
        SortKind::Bool => vec![Value::FALSE, Value::TRUE],
        SortKind::Int => vec![Value::Int(Int::from(0)), Value::Int(Int::from(1))],
        SortKind::Real => vec![Value::Real(Rat::from(0)), Value::Real(Rat::from(1))],
        SortKind::BitVec(width) => vec![
            Value::BitVec(BitVec::zero(width)),
            Value::BitVec(BitVec::ones(width)),
            Value::BitVec(BitVec::one(width)),
        ],
        SortKind::RegLan => {
            let all = ["re.none", "re.all", "re.allchar"].into_iter();
            return all.filter_map(|name| terms.app(name, &[]).ok()).collect();
        }
        SortKind::Float { eb, sb } => {
            let all = ["+zero", "NaN", "+oo"].into_iter();
            let indices = [u64::from(eb), u64::from(sb)];
            return all
                .filter_map(|name| terms.indexed_app(name, &indices, &[]).ok())
                .collect();
        }
        _ => Model::default()
            .default_value(terms, sort)
            .into_iter()
            .collect(),
    };
    let terms_of = values.into_iter();
    terms_of
        .filter_map(|value| terms.value_term(&value, sort))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn puts_values_for_terms_of_every_sort() {
        let text = "(declare-const p Bool)(declare-const x Int)(assert (or p (< (* x x) 3)))";
        proposes(
            &Constants,
            text,
            "(declare-const p Bool)(assert (or p false))",
        );
        proposes(
            &Constants,
            text,
            "(declare-const p Bool)(assert (or p (< 0 3)))",
        );
        proposes(
            &Constants,
            "(declare-const s String)(assert (= s (str.++ s s)))",
            "(assert (= \"\" (str.++ \"\" \"\")))",
        );
    }

    #[test]
    fn leaves_values_and_unknown_sorts_alone() {
        leaves_alone(&Constants, "(assert true)");
        leaves_alone(&Constants, "(get-value (unheard-of))");
    }
}
