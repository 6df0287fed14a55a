//! Irrational numbers as solvers print them: z3's `(root-obj (+ (^ x 2) (- 2)) 1)` and
//! cvc5's `(_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)`.

use super::ScriptReader;
use crate::sort::Sort;
use crate::term::TermId;
use crate::value::{Int, Irrational, Number, Poly, Rat, Root, Value};
use auspex_syntax::Sexpr;
use std::sync::Arc;

/// Polynomials beyond these bounds are kept by their text.
const HIGHEST: u32 = 64;
const DEEPEST: usize = 80;

impl ScriptReader<'_> {
    /// `(root-obj polynomial number)`.
    pub(super) fn root_object(&mut self, sexpr: Sexpr<'_>) -> TermId {
        let poly = sexpr.item(1).and_then(|p| poly(p, 0));
        let number = sexpr.item(2).and_then(|n| n.text().parse().ok());
        let found = poly.zip(number).and_then(|(p, n)| Root::numbered(&p, n));
        self.irrational(sexpr, found)
    }

    /// The part of cvc5's notation between the angles holds a polynomial and an interval.
    pub(super) fn algebraic_number(&mut self, sexpr: Sexpr<'_>) -> TermId {
        let found = between_angles(sexpr.text());
        self.irrational(sexpr, found)
    }

    fn irrational(&mut self, sexpr: Sexpr<'_>, found: Option<Number>) -> TermId {
        let value = match found {
            Some(number) => Value::from(number),
            None => Value::Irrational(Arc::new(Irrational::Named(sexpr.flat_text().into()))),
        };
        match self.terms.value_term(&value, Sort::REAL) {
            Some(term) => term,
            None => self.terms.literal_node(value, Sort::REAL),
        }
    }
}

fn poly(sexpr: Sexpr<'_>, depth: usize) -> Option<Poly> {
    if depth > DEEPEST {
        return None;
    }
    if !sexpr.is_list() {
        return match sexpr.symbol() {
            Some(_) => Some(Poly::variable()),
            None => Rat::parse(sexpr.text()).map(Poly::constant),
        };
    }
    if sexpr.head()? == "^" {
        let exponent: u32 = sexpr.item(2)?.text().parse().ok()?;
        let base = poly(sexpr.item(1)?, depth + 1)?;
        return (exponent <= HIGHEST).then(|| base.pow(exponent));
    }
    let parts: Option<Vec<Poly>> = sexpr.items().skip(1).map(|p| poly(p, depth + 1)).collect();
    let parts = parts?;
    let (first, rest) = parts.split_first()?;
    let small = |p: Poly| (p.degree() <= HIGHEST as usize).then_some(p);
    match (sexpr.head()?, rest) {
        ("+", _) => Some(rest.iter().fold(first.clone(), |sum, p| sum.add(p))),
        ("*", _) => rest
            .iter()
            .try_fold(first.clone(), |product, p| small(product.mul(p))),
        ("-", []) => Some(first.neg()),
        ("-", _) => Some(rest.iter().fold(first.clone(), |sum, p| sum.sub(p))),
        ("/", [divisor]) => Some(first.scale(&divisor.as_constant()?.inverse()?)),
        _ => None,
    }
}

fn between_angles(text: &str) -> Option<Number> {
    let inner = text.split_once('<')?.1.rsplit_once('>')?.0;
    let (poly, interval) = inner.split_once(", ")?;
    let mut sum = Poly::default();
    for part in poly.split(" + ") {
        sum = sum.add(&monomial(
            part.trim().trim_start_matches('(').trim_end_matches(')'),
        )?);
    }
    let (low, high) = interval.split_once(',')?;
    let end = |text: &str| fraction(text.trim().trim_matches(['(', ')', '[', ']']));
    Root::between(&sum, end(low)?, end(high)?)
}

/// `3*x^2`, `-1*x`, or `-2`.
fn monomial(text: &str) -> Option<Poly> {
    let (factor, power) = match text.split_once("*x") {
        None => (text, 0),
        Some((factor, "")) => (factor, 1),
        Some((factor, power)) => (factor, power.strip_prefix('^')?.parse().ok()?),
    };
    let small = power <= HIGHEST;
    small.then_some(())?;
    Some(Poly::variable().pow(power).scale(&fraction(factor)?))
}

fn fraction(text: &str) -> Option<Rat> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let value = Rat::new(&Int::parse(numerator)?, &Int::parse(denominator)?)?;
    Some(if negative { value.neg() } else { value })
}

#[cfg(test)]
mod tests {
    use crate::eval::Evaluator;
    use crate::{Model, Terms, Value, read_script};

    fn holds(formula: &str) -> Option<bool> {
        let mut terms = Terms::new();
        let text = format!("(assert {formula})");
        let reading = read_script(&mut terms, &text).expect("well-formed");
        assert_eq!(reading.issues, [], "in {formula}");
        let model = Model::default();
        let value = Evaluator::new(&terms, &model).value(reading.script.roots()[0]);
        value.ok().as_ref().and_then(Value::as_bool)
    }

    const Z3: &str = "(root-obj (+ (^ x 2) (- 2)) 2)";
    const CVC5: &str = "(_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)";

    #[test]
    fn reads_both_notations_as_the_same_number() {
        assert_eq!(holds(&format!("(= {Z3} {CVC5})")), Some(true));
        assert_eq!(holds(&format!("(= (* {Z3} {CVC5}) 2.0)")), Some(true));
        assert_eq!(holds(&format!("(< 1.4 {Z3} 1.5)")), Some(true));
        assert_eq!(holds(&format!("(= {Z3} 1.41421356)")), Some(false));
        assert_eq!(holds("(= (root-obj (+ (* 3 x) (- 6)) 1) 2.0)"), Some(true));
    }

    #[test]
    fn computes_with_one_root_and_is_silent_about_two() {
        let other = "(root-obj (+ (^ x 2) (- 3)) 2)";
        assert_eq!(holds(&format!("(< {Z3} {other})")), Some(true));
        assert_eq!(holds(&format!("(= (* {Z3} {other}) 2.0)")), None);
        assert_eq!(holds(&format!("(= (/ 2.0 {Z3}) {Z3})")), Some(true));
        assert_eq!(holds(&format!("(= (to_int (- {Z3})) (- 2))")), Some(true));
        assert_eq!(holds(&format!("(is_int {Z3})")), Some(false));
    }

    #[test]
    fn keeps_what_it_cannot_read_by_its_text() {
        assert_eq!(holds("(= (root-obj (^ x 1000000000) 1) 0.0)"), None);
        assert_eq!(holds("(= (root-obj (+ (^ x 2) 1) 1) 0.0)"), None);
    }
}
