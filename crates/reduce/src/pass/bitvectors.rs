//! Replaces bit-vectors by simpler ones.
//!
//! ```text
//! #xA3   →   #x00, #xFF, #x01, #x80, #x03
//! ```

use super::Pass;
use crate::edit::{Change, Edit};
use crate::subject::Subject;
use auspex_logic::Value;
use auspex_logic::value::BitVec;

pub struct BitVectors;

impl Pass for BitVectors {
    fn name(&self) -> &'static str {
        "bitvectors"
    }

    fn about(&self) -> &'static str {
        "Replaces bit-vectors by simpler ones of the same width."
    }

    fn is_about_values(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for term in subject.subterms().all {
            let Some(Value::BitVec(bits)) = subject.terms.literal_value(term) else {
                continue;
            };
            let (bits, sort) = (bits.clone(), subject.terms.sort(term));
            for simple in simpler(&bits) {
                let value = Value::BitVec(simple);
                if let Some(new) = subject.terms.value_term(&value, sort) {
                    edits.push(Edit::new(1, Change::All(vec![(term, new)])));
                }
            }
        }
        edits
    }
}

fn simpler(bits: &BitVec) -> Vec<BitVec> {
    let width = bits.width();
    let low = bits.to_u64().map(|n| BitVec::from_u64(width, n & 0xF));
    let first = [BitVec::zero(width), BitVec::one(width)];
    let mut all: Vec<BitVec> = first.into_iter().chain(low).collect();
    all.retain(|other| other != bits);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn proposes_simpler_values() {
        proposes(
            &BitVectors,
            "(assert (= #xA3 #xA3))",
            "(assert (= #x00 #x00))",
        );
        proposes(
            &BitVectors,
            "(assert (= #xA3 #xA3))",
            "(assert (= #x03 #x03))",
        );
    }

    #[test]
    fn leaves_other_values_alone() {
        leaves_alone(&BitVectors, "(assert (= 3 3))");
    }
}
