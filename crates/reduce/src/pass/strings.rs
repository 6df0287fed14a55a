//! Replaces strings by shorter and simpler ones.
//!
//! ```text
//! "hello"              →   "", "lo", "hel", …, "0ello"
//! "abcabc" and "abc"   →   "00" and "0"
//! ```

use super::Pass;
use crate::chunks::chunks;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::value::Str;
use auspex_logic::{TermId, Value};

pub struct Strings;

/// The character that replaces others: not an escape, and a digit, which some operators treat as a number.
const PLAIN: u32 = '0' as u32;

impl Pass for Strings {
    fn name(&self) -> &'static str {
        "strings"
    }

    fn about(&self) -> &'static str {
        "Replaces string literals by shorter and plainer ones."
    }

    fn is_about_values(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        let literals = literals(subject);
        for (term, points) in &literals {
            for (gain, points) in simpler(points) {
                let new = string(subject, *term, &points);
                edits.extend(new.map(|new| Edit::new(gain, Change::All(vec![(*term, new)]))));
            }
            if points.len() > 1 {
                edits.extend(without_part(subject, &literals, points));
            }
        }
        edits
    }
}

fn literals(subject: &Subject) -> Vec<(TermId, Vec<u32>)> {
    let all = subject.subterms().all.into_iter();
    let points = all.map(|term| match subject.terms.literal_value(term) {
        Some(Value::Str(string)) => Some((term, string.code_points().to_vec())),
        _ => None,
    });
    points.flatten().collect()
}

/// A literal of the same sort as another.
fn string(subject: &mut Subject, like: TermId, points: &[u32]) -> Option<TermId> {
    let value = Str::new(points).map(Value::Str)?;
    let sort = subject.terms.sort(like);
    subject.terms.value_term(&value, sort)
}

/// Replaces a part that several literals share by one character in all of them.
fn without_part(
    subject: &mut Subject,
    literals: &[(TermId, Vec<u32>)],
    part: &[u32],
) -> Option<Edit> {
    let mut pairs = Vec::new();
    for (term, points) in literals {
        let (mut new, mut at) = (Vec::new(), 0);
        while at < points.len() {
            let here = points[at..].starts_with(part);
            new.push(if here { PLAIN } else { points[at] });
            at += if here { part.len() } else { 1 };
        }
        if new != *points {
            pairs.push((*term, string(subject, *term, &new)?));
        }
    }
    let gain = (part.len() * pairs.len()) as u64;
    (pairs.len() > 1).then(|| Edit::new(gain, Change::All(pairs)))
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
        for simpler in ["", "lo", "hel", "heo", "0ello"] {
            let wanted = format!("(declare-const s String)(assert (= s \"{simpler}\"))");
            let text = "(declare-const s String)(assert (= s \"hello\"))";
            proposes(&Strings, text, &wanted);
        }
    }

    #[test]
    fn shortens_a_part_in_all_literals() {
        proposes(
            &Strings,
            "(assert (= (str.++ \"abc\" \"x\") \"abcabc\"))",
            "(assert (= (str.++ \"0\" \"x\") \"00\"))",
        );
    }

    #[test]
    fn leaves_the_empty_string_alone() {
        leaves_alone(&Strings, "(declare-const s String)(assert (= s \"\"))");
    }
}
