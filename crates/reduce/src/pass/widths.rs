//! Makes all bit-vectors of a width narrower, and floating-point formats smaller.
//!
//! ```text
//! (declare-const x (_ BitVec 32)) (assert (= x #x0000000A))   →   (declare-const x (_ BitVec 4)) (assert (= x #xa))
//! ```
//! Works on the text; ill-sorted candidates (`concat`, `extract`) are dropped before anything is run.

use super::Pass;
use crate::edit::Edit;
use crate::rewrite::splice;
use crate::subject::Subject;
use auspex_logic::value::BitVec;
use auspex_syntax::{Kind, Sexpr};
use std::ops::Range;

pub struct Widths;

/// How a width changes.
#[derive(Clone, Copy)]
enum Scale {
    /// One width becomes another, the rest stays.
    One(u64, u64),
    /// Every width is divided.
    All(u64),
}

impl Scale {
    fn of(self, width: u64) -> u64 {
        match self {
            Scale::One(old, new) if width == old => new,
            Scale::One(..) => width,
            Scale::All(divisor) => width.div_ceil(divisor),
        }
    }
}

impl Pass for Widths {
    fn name(&self) -> &'static str {
        "widths"
    }

    fn about(&self) -> &'static str {
        "Makes bit-vectors narrower and floating-point formats smaller, everywhere at once."
    }

    fn is_about_values(&self) -> bool {
        true
    }

    fn candidates(&self, subject: &mut Subject) -> Vec<Edit> {
        let mut widths = widths(subject);
        widths.sort_unstable();
        widths.dedup();
        let all = [Scale::All(8), Scale::All(4), Scale::All(2)].into_iter();
        let one = widths.iter().flat_map(|&width| {
            let targets = [1, 2, 4, width / 2, width.saturating_sub(1)].into_iter();
            targets.map(move |new| Scale::One(width, new))
        });
        let scales = all.filter(|_| !widths.is_empty()).chain(one);
        let texts = scales.map(|scale| scaled(subject, scale));
        let fitting = texts.filter(|text| subject.admits(text));
        let smaller = fitting.filter(|text| text.len() < subject.text.len());
        smaller
            .map(|text| Edit::text((subject.text.len() - text.len()) as u64, text))
            .collect()
    }
}

fn widths(subject: &Subject) -> Vec<u64> {
    let (mut widths, mut stack) = (Vec::new(), Vec::new());
    stack.extend(subject.document.items());
    while let Some(sexpr) = stack.pop() {
        if let (Some("_"), Some("BitVec" | "FloatingPoint")) = (sexpr.head(), second(sexpr)) {
            widths.extend(sexpr.items().skip(2).filter_map(number));
        }
        stack.extend(sexpr.items());
    }
    widths.retain(|width| (2..=4096).contains(width));
    widths
}

fn second(sexpr: Sexpr<'_>) -> Option<&str> {
    sexpr.item(1)?.symbol()
}

fn number(sexpr: Sexpr<'_>) -> Option<u64> {
    (sexpr.kind() == Kind::Numeral).then(|| sexpr.text().parse().ok())?
}

/// The text with every width, index and literal scaled.
fn scaled(subject: &Subject, scale: Scale) -> String {
    let mut patches: Vec<(Range<usize>, String)> = Vec::new();
    let mut stack: Vec<Sexpr<'_>> = subject.document.items().rev().collect();
    while let Some(sexpr) = stack.pop() {
        match sexpr.kind() {
            Kind::Hexadecimal | Kind::Binary => {
                patches.extend(literal(sexpr.text(), scale).map(|new| (sexpr.span().range(), new)));
            }
            Kind::List if sexpr.head() == Some("_") => indexed(sexpr, scale, &mut patches),
            Kind::List => stack.extend(sexpr.items().collect::<Vec<_>>().into_iter().rev()),
            _ => {}
        }
    }
    splice(&subject.text, &patches)
}

/// A literal with its low bits only.
fn literal(text: &str, scale: Scale) -> Option<String> {
    let bits = BitVec::parse(text)?;
    let new = scale.of(bits.width().into());
    let high = u32::try_from(new).ok()?.checked_sub(1)?;
    (new < bits.width().into()).then(|| bits.extract(high, 0).map(|bits| bits.to_string()))?
}

/// Scales `(_ BitVec n)`, `(_ bvN n)`, `(_ extract i j)`, `(_ zero_extend n)`, `(_ to_fp e s)` and the like.
fn indexed(sexpr: Sexpr<'_>, scale: Scale, patches: &mut Vec<(Range<usize>, String)>) {
    let name = second(sexpr).unwrap_or("");
    let indices = sexpr.items().skip(2);
    for (place, index) in indices.enumerate() {
        let Some(old) = number(index) else {
            continue;
        };
        let new = match (name, place) {
            // The upper bound is the last bit that is kept.
            ("extract", 0) => scale.of(old + 1).saturating_sub(1),
            ("extract", _) => match scale {
                Scale::All(divisor) => old / divisor,
                Scale::One(..) => old,
            },
            ("^" | "loop" | "char" | "divisible", _) => old,
            _ => scale.of(old),
        };
        patches.push((index.span().range(), new.to_string()));
    }
    if let (Some(value), Some(item)) = (name.strip_prefix("bv"), sexpr.item(1))
        && let (Ok(value), Some(width)) = (value.parse::<u64>(), sexpr.item(2).and_then(number))
    {
        let width = scale.of(width);
        let value = if width < 64 {
            value & ((1 << width) - 1)
        } else {
            value
        };
        let at = patches.len() - 1;
        patches.insert(at, (item.span().range(), format!("bv{value}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{leaves_alone, proposes};

    #[test]
    fn narrows_everything_of_a_width() {
        proposes(
            &Widths,
            "(declare-const x (_ BitVec 32))(assert (= x #x0000000A (_ bv17 32)))",
            "(declare-const x (_ BitVec 4))(assert (= x #xa (_ bv1 4)))",
        );
        proposes(
            &Widths,
            "(declare-const x (_ BitVec 16))(assert (= ((_ extract 15 8) x) #xFF))",
            "(declare-const x (_ BitVec 8))(assert (= ((_ extract 7 4) x) #xf))",
        );
    }

    #[test]
    fn leaves_integers_alone() {
        leaves_alone(&Widths, "(declare-const x Int)(assert (= x 32))");
    }
}
