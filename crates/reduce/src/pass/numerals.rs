//! Replaces numbers by smaller ones.
//!
//! ```text
//! (< x 1000)    →   (< x 0), (< x 1), (< x 500), (< x 100), (< x 750), (< x 999)
//! (< x 2.75)    →   (< x 0.0), (< x 1.0), (< x 2.0)
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::Value;
use auspex_logic::value::{Int, Rat};

pub struct Numerals;

impl Pass for Numerals {
    fn name(&self) -> &'static str {
        "numerals"
    }

    fn about(&self) -> &'static str {
        "Replaces integers and reals by smaller and rounder ones."
    }

    fn is_about_values(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for term in subject.subterms().all {
            let simpler: Vec<Value> = match subject.terms.literal_value(term) {
                Some(Value::Int(int)) => smaller(int).into_iter().map(Value::Int).collect(),
                Some(Value::Real(rat)) => rounder(rat).into_iter().map(Value::Real).collect(),
                _ => continue,
            };
            let sort = subject.terms.sort(term);
            for value in simpler {
                if let Some(new) = subject.terms.value_term(&value, sort) {
                    edits.push(Edit::new(1, Change::All(vec![(term, new)])));
                }
            }
        }
        edits
    }
}

/// 0, 1, without the second half of the digits, half, one digit less, then a quarter, an eighth, a sixteenth and one
/// less. The search continues after the last success, so this finds the smallest number in few steps.
fn smaller(int: &Int) -> Vec<Int> {
    let digits = int.to_string();
    let first = |count: usize| Int::parse(digits.get(..count)?);
    let half = int.to_i64().map(|n| Int::from(n / 2));
    let less = [n_less(int, 4), n_less(int, 8), n_less(int, 16)];
    let one_less = int.to_i64().map(|n| Int::from(n - 1));
    let mut all = vec![Int::from(0), Int::from(1)];
    all.extend(first(digits.len().div_ceil(2)));
    all.extend(half);
    all.extend(first(digits.len().saturating_sub(1)));
    all.extend(less.into_iter().flatten());
    all.extend(one_less);
    all.retain(|other| other < int && !other.is_negative());
    all.dedup();
    all
}

fn n_less(int: &Int, part: i64) -> Option<Int> {
    let n = int.to_i64()?;
    (n >= part).then(|| Int::from(n - n / part))
}

fn rounder(rat: &Rat) -> Vec<Rat> {
    let floor = rat.floor();
    let mut all: Vec<Rat> = match rat.is_int() {
        true => smaller(&floor).into_iter().map(Rat::from).collect(),
        false => [Int::from(0), Int::from(1), floor].map(Rat::from).into(),
    };
    all.retain(|other| other != rat);
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn proposes_smaller_numbers() {
        for smaller in ["0", "1", "10", "500", "100", "750", "875", "938", "999"] {
            let wanted = format!("(declare-const x Int)(assert (< x {smaller}))");
            proposes(
                &Numerals,
                "(declare-const x Int)(assert (< x 1000))",
                &wanted,
            );
        }
        proposes(
            &Numerals,
            "(declare-const x Real)(assert (< x 2.75))",
            "(declare-const x Real)(assert (< x 2.0))",
        );
    }

    #[test]
    fn leaves_zero_alone() {
        leaves_alone(&Numerals, "(declare-const x Int)(assert (< x 0))");
    }
}
