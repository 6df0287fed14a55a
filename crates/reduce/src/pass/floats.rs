//! Replaces a floating-point format by a small one.
//!
//! ```text
//! (declare-const x Float32) (assert (= x (fp #b0 #x00 #b00000000000000000000001)))
//!    →   (declare-const x (_ FloatingPoint 2 3)) (assert (= x (fp #b0 #b00 #b01)))
//! ```
//! Works on the text; ill-sorted candidates are dropped before anything is run.

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;
use auspex_logic::value::BitVec;
use auspex_syntax::{Kind, Sexpr};
use std::ops::Range;

pub struct Floats;

type Format = (u64, u64);

/// Formats that have a name.
const NAMED: [(&str, Format); 4] = [
    ("Float16", (5, 11)),
    ("Float32", (8, 24)),
    ("Float64", (11, 53)),
    ("Float128", (15, 113)),
];
/// Smallest first.
const SMALL: [Format; 4] = [(2, 3), (3, 5), (2, 11), (5, 11)];

impl Pass for Floats {
    fn name(&self) -> &'static str {
        "floats"
    }

    fn about(&self) -> &'static str {
        "Replaces a floating-point format by a small one, everywhere at once."
    }

    fn is_about_values(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut edits = Vec::new();
        for old in formats(subject) {
            let smaller = |new: &Format| new.0 <= old.0 && new.1 <= old.1 && *new != old;
            for new in SMALL.into_iter().filter(smaller) {
                let text = changed(subject, old, new);
                if subject.admits(&text) {
                    let gain = old.0 + old.1 - new.0 - new.1;
                    edits.push(Edit::text(gain, text));
                }
            }
        }
        edits
    }
}

/// The format in a sort's name or an indexed identifier, with its place in the text.
fn format_of(sexpr: Sexpr<'_>) -> Option<(Format, Vec<Range<usize>>)> {
    if let Some(name) = sexpr.symbol() {
        let (_, format) = NAMED.into_iter().find(|(known, _)| *known == name)?;
        return Some((format, vec![sexpr.span().range()]));
    }
    let items: Vec<Sexpr<'_>> = sexpr.items().collect();
    let [underscore, name, eb, sb] = items.as_slice() else {
        return None;
    };
    let speaks = matches!(
        name.symbol()?,
        "FloatingPoint" | "to_fp" | "to_fp_unsigned" | "+zero" | "-zero" | "+oo" | "-oo" | "NaN"
    );
    let number = |s: &Sexpr<'_>| s.text().parse::<u64>().ok();
    let format = (number(eb)?, number(sb)?);
    let fits = underscore.symbol() == Some("_") && speaks;
    fits.then(|| (format, vec![eb.span().range(), sb.span().range()]))
}

fn formats(subject: &Subject) -> Vec<Format> {
    let (mut all, mut stack) = (Vec::new(), Vec::new());
    stack.extend(subject.document.items());
    while let Some(sexpr) = stack.pop() {
        all.extend(format_of(sexpr).map(|(format, _)| format));
        stack.extend(sexpr.items());
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn changed(subject: &Subject, old: Format, new: Format) -> String {
    let mut patches: Vec<(Range<usize>, String)> = Vec::new();
    let mut stack: Vec<Sexpr<'_>> = subject.document.items().rev().collect();
    while let Some(sexpr) = stack.pop() {
        match format_of(sexpr) {
            Some((format, places)) if format == old => match places.as_slice() {
                [eb, sb] => patches.extend([
                    (eb.clone(), new.0.to_string()),
                    (sb.clone(), new.1.to_string()),
                ]),
                [name] => {
                    let sort = format!("(_ FloatingPoint {} {})", new.0, new.1);
                    patches.push((name.clone(), sort));
                }
                _ => {}
            },
            Some(_) => {}
            None => {
                let bits = |bits: u64| u32::try_from(bits).unwrap_or(u32::MAX);
                let widths = [
                    (bits(old.0), bits(new.0)),
                    (bits(old.1 - 1), bits(new.1 - 1)),
                ];
                if is_literal(sexpr) {
                    let parts = sexpr.items().skip(2).zip(widths);
                    patches.extend(parts.filter_map(|(part, (from, to))| {
                        Some((part.span().range(), narrowed(part.text(), from, to)?))
                    }));
                } else {
                    stack.extend(sexpr.items().collect::<Vec<_>>().into_iter().rev());
                }
            }
        }
    }
    splice(&subject.text, &patches)
}

/// `(fp sign exponent significand)` with literals.
fn is_literal(sexpr: Sexpr<'_>) -> bool {
    let literal = |s: Sexpr<'_>| matches!(s.kind(), Kind::Binary | Kind::Hexadecimal);
    sexpr.head() == Some("fp") && sexpr.count() == 4 && sexpr.items().skip(1).all(literal)
}

/// Scales a bit pattern: all zeros and all ones stay what they are, otherwise the low bits are kept.
fn narrowed(text: &str, from: u32, to: u32) -> Option<String> {
    let bits = BitVec::parse(text).filter(|bits| bits.width() == from)?;
    bits.extract(to.checked_sub(1)?, 0)
        .map(|bits| bits.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn puts_a_small_format_everywhere() {
        proposes(
            &Floats,
            "(declare-const x Float32)(assert (= x (fp #b0 #x00 #b00000000000000000000001)))",
            "(declare-const x (_ FloatingPoint 2 3))(assert (= x (fp #b0 #b00 #b01)))",
        );
        proposes(
            &Floats,
            "(declare-const r Real)(assert (= (_ NaN 8 24) ((_ to_fp 8 24) RTZ r)))",
            "(declare-const r Real)(assert (= (_ NaN 3 5) ((_ to_fp 3 5) RTZ r)))",
        );
    }

    #[test]
    fn leaves_the_smallest_format_alone() {
        leaves_alone(
            &Floats,
            "(declare-const x (_ FloatingPoint 2 3))(assert (fp.isNaN x))",
        );
    }
}
