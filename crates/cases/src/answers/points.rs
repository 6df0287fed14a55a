//! Values of the symbols for which two terms differ.

use super::reading::last_assertion;
use crate::proofs::Sequent;
use crate::proofs::points::survey;
use auspex_logic::{Script, TermId, Terms};

/// How many points are tried.
const POINTS: usize = 60;

/// A point where the last assertion of a script, `(= left right)`, is false, in words: "With x = 3 the first is 5 and
/// the second 4." The equation itself is evaluated, since equal values may be written in several ways, such as regular
/// expressions.
pub(super) fn difference_of_sides(terms: &mut Terms, script: &Script) -> Option<String> {
    let equation = last_assertion(script)?;
    let [left, right]: [TermId; 2] = terms.args(equation).try_into().ok()?;
    let point = survey(terms, script, &Sequent::valid(equation), POINTS).fails?;
    let sort = terms.sort(left);
    let (one, other) = (point.value(terms, left)?, point.value(terms, right)?);
    let values = [terms.value_text(&one, sort), terms.value_text(&other, sort)];
    let place = match point.is_anywhere() {
        true => "Always".to_string(),
        false => format!("With {}", point.text(terms)),
    };
    Some(format!(
        "{place} the first is {} and the second {}.",
        values[0], values[1]
    ))
}
