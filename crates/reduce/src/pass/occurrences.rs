//! Replaces one occurrence of a term that occurs several times.
//!
//! ```text
//! (assert (< (f x) (+ x x)))   →   (assert (< (f x) (+ 0 x)))
//! ```

use super::Pass;
use super::constants::simple_values;
use super::variables::constants;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::TermId;
use auspex_logic::edit::Occurrences as Places;

pub struct Occurrences;

/// The most occurrences in a script for this pass; larger scripts are left to passes that change all at once.
const MOST: u64 = 400;

/// How many symbols are tried for an occurrence.
const SYMBOLS: usize = 2;

impl Pass for Occurrences {
    fn name(&self) -> &'static str {
        "occurrences"
    }

    fn about(&self) -> &'static str {
        "Replaces one occurrence of a term by a simple value, one of its arguments or a symbol."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let subterms = subject.subterms();
        let places = Places::new(&subject.terms, &subject.script.roots());
        let symbols = constants(subject);
        let mut edits = Vec::new();
        for number in 0..places.len().min(MOST) {
            let Some(place) = places.nth(&subject.terms, number) else {
                break;
            };
            let term = place.term;
            if subterms.uses(term) < 2 || subject.terms.literal_value(term).is_some() {
                continue;
            }
            let sort = subject.terms.sort(term);
            let mut news = simple_values(&mut subject.terms, sort);
            let args = subject.terms.args(term).iter().copied();
            let symbols = symbols.iter().copied().filter(|symbol| *symbol != term);
            let same_sort = |new: &TermId| subject.terms.sort(*new) == sort;
            news.extend(args.filter(same_sort));
            if subterms.size(term) > 1 {
                news.extend(symbols.filter(same_sort).take(SYMBOLS));
            }
            for new in news {
                let gain = subterms.size(term).saturating_sub(subterms.size(new));
                let (root, path) = (place.root, place.path.clone());
                edits.push(Edit::new(gain, Change::At { root, path, new }));
            }
        }
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn replaces_one_of_two() {
        let text = "(declare-const x Int)(assert (< (* 2 x) (* 2 x)))";
        for half in ["(< 0 (* 2 x))", "(< (* 2 x) 0)", "(< (* 2 x) x)"] {
            let wanted = format!("(declare-const x Int)(assert {half})");
            proposes(&Occurrences, text, &wanted);
        }
    }

    #[test]
    fn leaves_what_stands_once_to_others() {
        leaves_alone(&Occurrences, "(declare-const x Int)(assert (< x 3))");
    }
}
