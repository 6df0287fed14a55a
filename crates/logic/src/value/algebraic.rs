//! Real algebraic numbers: exact arithmetic and comparison in a field that one root of a polynomial generates.
//!
//! A number is a polynomial in a root; the root is a square-free polynomial with an interval that holds only it.
//! Numbers over different roots are first brought into one field, see `Field`.

use super::poly::Poly;
use super::{Int, Rat};
use std::cmp::Ordering;
use std::fmt::Write;
use std::sync::Arc;

/// The fields we compute in have at most this degree.
const HIGHEST: usize = 16;
/// Polynomials as solvers print them may be a little larger.
const HIGHEST_READ: usize = 64;
/// How often an interval is halved to find a root before we give up.
const MOST_HALVINGS: usize = 4096;
/// How often at a time it is halved to tell a number from another; reached only by those that are astronomically close.
const MOST_AT_ONCE: usize = 256;
/// After about as many halvings as this, a number may be zero.
const SOON: usize = 32;

/// One root of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Root {
    /// Square-free and monic.
    poly: Poly,
    /// No root stands at either end, and one between.
    low: Rat,
    high: Rat,
}

/// A real number: rational, or a polynomial in a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    Rational(Rat),
    Algebraic(Algebraic),
}

/// A polynomial in a root, of lower degree than the root's and not constant.
/// Such a number may be rational all the same, but only if its root's polynomial has factors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Algebraic {
    root: Arc<Root>,
    poly: Poly,
}

impl Root {
    /// The root with this number among the real roots of a polynomial, the least being 1.
    pub fn numbered(poly: &Poly, number: usize) -> Option<Number> {
        if poly.degree() == 0 || poly.degree() > HIGHEST_READ {
            return None;
        }
        let poly = poly.square_free();
        let bound = poly.root_bound();
        let sturm = poly.sturm();
        let (mut low, mut high) = (bound.neg(), bound);
        let below = |at: &Rat, low: &Rat| sturm.roots(low, at);
        let lowest = low.clone();
        if number == 0 || below(&high, &lowest) < number {
            return None;
        }
        for _ in 0..MOST_HALVINGS {
            // The root with this number is above `low` and at most `high`.
            if poly.eval(&high).is_zero() && below(&high, &lowest) == number {
                return Some(Number::Rational(high));
            }
            if sturm.roots(&low, &high) == 1 && !poly.eval(&low).is_zero() {
                let root = Root { poly, low, high };
                return Some(root.into_number());
            }
            let middle = half(&low, &high);
            if below(&middle, &lowest) >= number {
                high = middle;
            } else {
                low = middle;
            }
        }
        None
    }

    /// The only root of a polynomial inside an interval.
    pub fn between(poly: &Poly, low: Rat, high: Rat) -> Option<Number> {
        if poly.degree() == 0 || poly.degree() > HIGHEST_READ {
            return None;
        }
        let poly = poly.square_free();
        if low == high {
            return poly.eval(&low).is_zero().then_some(Number::Rational(low));
        }
        let sturm = poly.sturm();
        let clean = !poly.eval(&low).is_zero() && !poly.eval(&high).is_zero();
        if !clean || sturm.roots(&low, &high) != 1 {
            return None;
        }
        // One root has one description, whatever interval it came with.
        let number = sturm.roots(&poly.root_bound().neg(), &high);
        Root::numbered(&poly, number)
    }

    fn into_number(self) -> Number {
        reduced(&Arc::new(self), Poly::variable())
    }

    /// The same root in an interval that was halved so often.
    fn narrow(&mut self, times: usize) {
        let signs = self.poly.signs();
        let below = signs.at(&self.low);
        for _ in 0..times {
            let middle = half(&self.low, &self.high);
            let sign = signs.at(&middle);
            if sign == 0 {
                // A rational root: move the ends around it, nearer than before.
                self.low = half(&self.low, &middle);
                self.high = half(&middle, &self.high);
            } else if sign == below {
                self.low = middle;
            } else {
                self.high = middle;
            }
        }
    }

    /// The sign of a polynomial at the root.
    fn sign_of(&self, poly: &Poly) -> Option<i32> {
        if let Some(constant) = poly.as_constant() {
            return Some(constant.signum());
        }
        let (mut root, signs) = (self.clone(), poly.signs());
        for times in narrowings(MOST_AT_ONCE) {
            if let Some(sign) = signs.within(&root.low, &root.high) {
                return Some(sign);
            }
            // Most numbers are far from zero, and whether one is zero takes long to find out.
            if times == SOON && self.is_root_of_factor(poly) {
                return Some(0);
            }
            root.narrow(times);
        }
        None
    }

    /// Whether the root is one of another polynomial as well.
    fn is_root_of_factor(&self, poly: &Poly) -> bool {
        let common = self.poly.gcd(poly);
        common.degree() > 0 && common.sturm().roots(&self.low, &self.high) > 0
    }

    /// Whether two descriptions mean the same number; then the polynomial they share.
    fn same_number(&self, other: &Root) -> Option<Poly> {
        let common = self.poly.gcd(&other.poly);
        let low = (&self.low).max(&other.low);
        let high = (&self.high).min(&other.high);
        (common.degree() > 0 && common.sturm().roots(low, high) > 0).then_some(common)
    }

    /// The same root with a smaller polynomial.
    fn with_poly(&self, poly: Poly) -> Arc<Root> {
        Arc::new(Root {
            poly: poly.monic(),
            low: self.low.clone(),
            high: self.high.clone(),
        })
    }
}

/// How often to halve before looking again: twice as often each time, since a look costs more than a half.
fn narrowings(most: usize) -> impl Iterator<Item = usize> {
    let doubled = std::iter::successors(Some(1), |times| Some(times * 2));
    doubled.take_while(move |times| *times <= most)
}

fn half(low: &Rat, high: &Rat) -> Rat {
    low.add(high).div(&Rat::from(2)).unwrap_or(Rat::ZERO)
}

/// A polynomial in a root, as simple as it gets without factoring.
fn reduced(root: &Arc<Root>, poly: Poly) -> Number {
    let poly = poly.modulo(&root.poly);
    match poly.as_constant() {
        Some(constant) => Number::Rational(constant),
        None => Number::Algebraic(Algebraic {
            root: root.clone(),
            poly,
        }),
    }
}

impl Number {
    /// Both as polynomials in one root. `None` if they are over different roots, or both rational.
    fn together(&self, other: &Number) -> Option<(Arc<Root>, Poly, Poly)> {
        match (self, other) {
            (Number::Rational(_), Number::Rational(_)) => None,
            (Number::Algebraic(a), Number::Rational(b)) => {
                Some((a.root.clone(), a.poly.clone(), Poly::constant(b.clone())))
            }
            (Number::Rational(a), Number::Algebraic(b)) => {
                Some((b.root.clone(), Poly::constant(a.clone()), b.poly.clone()))
            }
            (Number::Algebraic(a), Number::Algebraic(b)) => {
                let root = if a.root == b.root {
                    a.root.clone()
                } else {
                    a.root.with_poly(a.root.same_number(&b.root)?)
                };
                Some((root, a.poly.clone(), b.poly.clone()))
            }
        }
    }

    fn combine(
        &self,
        other: &Number,
        rational: impl Fn(&Rat, &Rat) -> Rat,
        algebraic: impl Fn(&Poly, &Poly) -> Poly,
    ) -> Option<Number> {
        if let (Number::Rational(a), Number::Rational(b)) = (self, other) {
            return Some(Number::Rational(rational(a, b)));
        }
        let (root, a, b) = self.together(other)?;
        Some(reduced(&root, algebraic(&a, &b)))
    }

    /// `None` for numbers over different roots, here and below.
    pub fn add(&self, other: &Number) -> Option<Number> {
        self.combine(other, Rat::add, Poly::add)
    }

    pub fn sub(&self, other: &Number) -> Option<Number> {
        self.combine(other, Rat::sub, Poly::sub)
    }

    pub fn mul(&self, other: &Number) -> Option<Number> {
        self.combine(other, Rat::mul, Poly::mul)
    }

    pub fn neg(&self) -> Number {
        match self {
            Number::Rational(a) => Number::Rational(a.neg()),
            Number::Algebraic(a) => reduced(&a.root, a.poly.neg()),
        }
    }

    /// `None` also for zero.
    pub fn inverse(&self) -> Option<Number> {
        match self {
            Number::Rational(a) => a.inverse().map(Number::Rational),
            Number::Algebraic(a) => {
                if self.signum()? == 0 {
                    return None;
                }
                // What the number shares with the root's polynomial is no factor of the root's own.
                let shared = a.poly.gcd(&a.root.poly);
                let (own, _) = a.root.poly.div_rem(&shared)?;
                let root = a.root.with_poly(own);
                let (_, factor) = a.poly.gcd_with_factor(&root.poly);
                Some(reduced(&root, factor))
            }
        }
    }

    pub fn signum(&self) -> Option<i32> {
        match self {
            Number::Rational(a) => Some(a.signum()),
            Number::Algebraic(a) => a.root.sign_of(&a.poly),
        }
    }

    pub fn compare(&self, other: &Number) -> Option<Ordering> {
        if let (Number::Algebraic(a), Number::Algebraic(b)) = (self, other)
            && a.root != b.root
            && a.root.same_number(&b.root).is_none()
        {
            return match a.is_root_of(b).or_else(|| b.is_root_of(a)) {
                Some(true) => Some(Ordering::Equal),
                _ => apart(a, b),
            };
        }
        Some(self.sub(other)?.signum()?.cmp(&0))
    }

    pub fn floor(&self) -> Option<Int> {
        match self {
            Number::Rational(a) => Some(a.floor()),
            Number::Algebraic(a) => {
                let (low, _) = a.enclosed(&Rat::from(1))?;
                // At most one step above the floor of the lower end.
                let next = low.floor().add(&Int::from(1));
                let at_least_next = self.compare(&Number::Rational(Rat::from(next.clone())))?;
                Some(match at_least_next {
                    Ordering::Less => low.floor(),
                    Ordering::Equal | Ordering::Greater => next,
                })
            }
        }
    }
}

/// Numbers over different roots are compared as long as they differ in what can be seen.
fn apart(a: &Algebraic, b: &Algebraic) -> Option<Ordering> {
    let (mut a_root, mut b_root) = ((*a.root).clone(), (*b.root).clone());
    for times in narrowings(MOST_AT_ONCE) {
        let (a_low, a_high) = a.poly.range(&a_root.low, &a_root.high);
        let (b_low, b_high) = b.poly.range(&b_root.low, &b_root.high);
        if a_high < b_low {
            return Some(Ordering::Less);
        }
        if b_high < a_low {
            return Some(Ordering::Greater);
        }
        a_root.narrow(times);
        b_root.narrow(times);
    }
    None
}

impl Algebraic {
    /// The degree of the field in which it lies.
    pub fn degree(&self) -> usize {
        self.root.poly.degree()
    }

    /// Whether this is the number that another one is the root of; `None` if the other is more than a root.
    fn is_root_of(&self, other: &Algebraic) -> Option<bool> {
        if other.poly != Poly::variable() {
            return None;
        }
        let at_self = other.root.poly.compose_modulo(&self.poly, &self.root.poly);
        if self.root.sign_of(&at_self)? != 0 {
            return Some(false);
        }
        // A root of the same polynomial: the interval says which.
        let number = Number::Algebraic(self.clone());
        let end = |end: &Rat| number.compare(&Number::Rational(end.clone()));
        let above = end(&other.root.low)? == Ordering::Greater;
        Some(above && end(&other.root.high)? == Ordering::Less)
    }

    /// Bounds that are at most `width` apart.
    pub fn enclosed(&self, width: &Rat) -> Option<(Rat, Rat)> {
        let mut root = (*self.root).clone();
        for times in narrowings(MOST_AT_ONCE) {
            let (low, high) = self.poly.range(&root.low, &root.high);
            if high.sub(&low) <= *width {
                return Some((low, high));
            }
            root.narrow(times);
        }
        None
    }

    /// z3's notation for a root itself, else an approximation.
    pub fn text(&self) -> String {
        let approximation = || {
            let width = Rat::new(&Int::from(1), &Int::from(100_000_000)).unwrap_or(Rat::ONE);
            let low = self.enclosed(&width).map_or(Rat::ZERO, |(low, _)| low);
            let scaled = low.mul(&Rat::from(1_000_000)).floor();
            let number = Rat::new(&scaled, &Int::from(1_000_000)).unwrap_or(Rat::ZERO);
            format!("(irrational {})", number.to_smtlib())
        };
        if self.poly != Poly::variable() {
            return approximation();
        }
        let bound = self.root.poly.root_bound().neg();
        let number = self.root.poly.sturm().roots(&bound, &self.root.high);
        format!("(root-obj {} {number})", poly_text(&self.root.poly))
    }
}

fn poly_text(poly: &Poly) -> String {
    let mut terms = Vec::new();
    for (power, coefficient) in poly.integral().iter().enumerate().rev() {
        if coefficient.is_zero() {
            continue;
        }
        let power = match power {
            0 => String::new(),
            1 => "x".to_string(),
            _ => format!("(^ x {power})"),
        };
        terms.push(match (power.is_empty(), coefficient.is_one()) {
            (true, _) => coefficient.to_smtlib(),
            (false, true) => power,
            (false, false) => format!("(* {} {power})", coefficient.to_smtlib()),
        });
    }
    let mut text = String::from("(+");
    for term in terms {
        let _ = write!(text, " {term}");
    }
    text + ")"
}

/// One field that holds several algebraic numbers.
#[derive(Clone, Debug, Default)]
pub struct Field {
    root: Option<Arc<Root>>,
    /// Each root as a polynomial in the field's.
    known: Vec<(Arc<Root>, Poly)>,
}

impl Field {
    /// Makes the field larger by a number. False if it would become too large to compute in.
    pub fn adjoin(&mut self, number: &Algebraic) -> bool {
        let new = &number.root;
        if self.known.iter().any(|(root, _)| root == new) {
            return true;
        }
        let Some(old) = self.root.clone() else {
            self.root = Some(new.clone());
            self.known.push((new.clone(), Poly::variable()));
            return true;
        };
        let Some((root, old_in, new_in)) = join(&old, new) else {
            return false;
        };
        for (_, poly) in &mut self.known {
            *poly = poly.compose_modulo(&old_in, &root.poly);
        }
        self.known.push((new.clone(), new_in));
        self.root = Some(root);
        true
    }

    /// The number as an element of the field, if it is known to be one.
    pub fn express(&self, number: &Algebraic) -> Option<Number> {
        let root = self.root.as_ref()?;
        let (_, poly) = self.known.iter().find(|(known, _)| *known == number.root)?;
        Some(reduced(root, number.poly.compose_modulo(poly, &root.poly)))
    }
}

/// A root that generates both, and both as polynomials in it.
fn join(a: &Arc<Root>, b: &Arc<Root>) -> Option<(Arc<Root>, Poly, Poly)> {
    if let Some(common) = a.same_number(b) {
        return Some((a.with_poly(common), Poly::variable(), Poly::variable()));
    }
    let degree = a.poly.degree() * b.poly.degree();
    if degree > HIGHEST {
        return None;
    }
    const TRIES: i64 = 8;
    (1..=TRIES).find_map(|k| join_with(a, b, degree, &Rat::from(k)))
}

/// Tries `a + k * b` as the generator.
fn join_with(a: &Root, b: &Root, degree: usize, k: &Rat) -> Option<(Arc<Root>, Poly, Poly)> {
    let shifted = |z: &Rat| a.poly.compose(&Poly::new(vec![z.clone(), k.neg()]));
    let values: Vec<Rat> = (0..=degree)
        .map(|z| shifted(&Rat::from(z as i64)).resultant(&b.poly))
        .collect();
    let poly = Poly::through(&values).square_free();
    let mut root = isolated_sum(a, b, k, poly)?;
    let b_in = common_root(a, b, k, &mut root)?.modulo(&root.poly);
    let a_in = Poly::variable().sub(&b_in.scale(k)).modulo(&root.poly);
    Some((Arc::new(root), a_in, b_in))
}

/// The root of a polynomial that is `a + k * b`.
fn isolated_sum(a: &Root, b: &Root, k: &Rat, poly: Poly) -> Option<Root> {
    let (mut a, mut b) = (a.clone(), b.clone());
    let sturm = poly.sturm();
    for times in narrowings(MOST_AT_ONCE) {
        let (low, high) = (a.low.add(&b.low.mul(k)), a.high.add(&b.high.mul(k)));
        let clean = !poly.eval(&low).is_zero() && !poly.eval(&high).is_zero();
        if clean && sturm.roots(&low, &high) == 1 {
            return Some(Root { poly, low, high });
        }
        a.narrow(times);
        b.narrow(times);
    }
    None
}

/// `b` in terms of `c = a + k * b`: the only common root of `b`'s polynomial and of `a`'s at `c - k * y`.
/// Whether a coefficient is zero is decided at `c`; what that shows of factors makes `c`'s polynomial smaller.
fn common_root(a: &Root, b: &Root, k: &Rat, c: &mut Root) -> Option<Poly> {
    let mut first: Vec<Poly> = Vec::new();
    for coefficient in b.poly.coefficients() {
        first.push(Poly::constant(coefficient.clone()));
    }
    // Horner's rule with polynomials in c as coefficients of polynomials in y.
    let mut second: Vec<Poly> = Vec::new();
    for coefficient in a.poly.coefficients().iter().rev() {
        let mut next = vec![Poly::default(); second.len() + 1];
        for (power, part) in second.iter().enumerate() {
            next[power] = next[power].add(&part.mul(&Poly::variable()));
            next[power + 1] = next[power + 1].sub(&part.scale(k));
        }
        next[0] = next[0].add(&Poly::constant(coefficient.clone()));
        second = next;
    }
    loop {
        trim(&mut second, c)?;
        match second.len() {
            0 => break,
            1 => return None,
            _ => {}
        }
        trim(&mut first, c)?;
        if first.len() < second.len() {
            std::mem::swap(&mut first, &mut second);
            continue;
        }
        eliminate(&mut first, &second, c)?;
        std::mem::swap(&mut first, &mut second);
        if first.len() == 2 && second.is_empty() {
            break;
        }
    }
    let [constant, factor] = first.as_slice() else {
        return None;
    };
    let inverse = inverse_at(factor, c)?;
    Some(constant.neg().mul(&inverse).modulo(&c.poly))
}

/// Subtracts multiples of the second from the first until its degree is lower.
fn eliminate(first: &mut Vec<Poly>, second: &[Poly], c: &mut Root) -> Option<()> {
    let inverse = inverse_at(second.last()?, c)?;
    while first.len() >= second.len() {
        let shift = first.len() - second.len();
        let factor = first.last()?.mul(&inverse).modulo(&c.poly);
        for (place, part) in second.iter().enumerate() {
            first[place + shift] = first[place + shift].sub(&part.mul(&factor)).modulo(&c.poly);
        }
        first.pop();
        trim(first, c)?;
    }
    Some(())
}

/// Drops leading coefficients that are zero at the root.
fn trim(poly: &mut Vec<Poly>, c: &mut Root) -> Option<()> {
    while let Some(last) = poly.last() {
        if !is_zero_at(&last.modulo(&c.poly), c)? {
            break;
        }
        poly.pop();
    }
    Some(())
}

fn is_zero_at(poly: &Poly, c: &mut Root) -> Option<bool> {
    if let Some(constant) = poly.as_constant() {
        return Some(constant.is_zero());
    }
    let common = c.poly.gcd(poly);
    if common.degree() == 0 {
        return Some(false);
    }
    let zero = c.sign_of(poly)? == 0;
    c.poly = if zero {
        common
    } else {
        c.poly.div_rem(&common)?.0.monic()
    };
    Some(zero)
}

fn inverse_at(poly: &Poly, c: &mut Root) -> Option<Poly> {
    if is_zero_at(&poly.modulo(&c.poly), c)? {
        return None;
    }
    let (divisor, factor) = poly.modulo(&c.poly).gcd_with_factor(&c.poly);
    (divisor.degree() == 0).then(|| factor.modulo(&c.poly))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(coefficients: &[i64]) -> Poly {
        Poly::new(coefficients.iter().map(|c| Rat::from(*c)).collect())
    }

    fn root(coefficients: &[i64], number: usize) -> Number {
        Root::numbered(&poly(coefficients), number).expect("there is such a root")
    }

    fn rational(n: i64) -> Number {
        Number::Rational(Rat::from(n))
    }

    fn algebraic(number: &Number) -> &Algebraic {
        match number {
            Number::Algebraic(algebraic) => algebraic,
            Number::Rational(r) => panic!("{r} is rational"),
        }
    }

    #[test]
    fn squares_of_roots_are_what_they_should_be() {
        let sqrt2 = root(&[-2, 0, 1], 2);
        assert_eq!(sqrt2.mul(&sqrt2), Some(rational(2)));
        assert_eq!(sqrt2.signum(), Some(1));
        assert_eq!(root(&[-2, 0, 1], 1).signum(), Some(-1));
        assert_eq!(sqrt2.floor(), Some(Int::from(1)));
        assert_eq!(root(&[-2, 0, 1], 1).floor(), Some(Int::from(-2)));
        assert_eq!(
            sqrt2.mul(&sqrt2.inverse().expect("not zero")),
            Some(rational(1))
        );
    }

    #[test]
    fn rational_roots_are_rational() {
        let two = root(&[-6, 11, -6, 1], 2);
        assert_eq!(two.compare(&rational(2)), Some(Ordering::Equal));
        assert_eq!(two.floor(), Some(Int::from(2)));
        assert_eq!(Root::numbered(&poly(&[1, 0, 1]), 1), None);
        assert_eq!(Root::numbered(&poly(&[-2, 0, 1]), 3), None);
    }

    #[test]
    fn compares_with_rationals_and_other_roots() {
        let (sqrt2, sqrt3) = (root(&[-2, 0, 1], 2), root(&[-3, 0, 1], 2));
        assert_eq!(sqrt2.compare(&rational(1)), Some(Ordering::Greater));
        assert_eq!(sqrt2.compare(&rational(2)), Some(Ordering::Less));
        assert_eq!(sqrt2.compare(&sqrt3), Some(Ordering::Less));
        // The same number, by a polynomial with more roots: (x^2 - 2)(x^2 - 3).
        let again = root(&[6, 0, -5, 0, 1], 3);
        assert_eq!(again.compare(&sqrt2), Some(Ordering::Equal));
        assert_eq!(
            root(&[6, 0, -5, 0, 1], 4).compare(&sqrt3),
            Some(Ordering::Equal)
        );
    }

    #[test]
    fn a_field_holds_roots_of_different_polynomials() {
        let (sqrt2, sqrt3) = (root(&[-2, 0, 1], 2), root(&[-3, 0, 1], 2));
        let sqrt6 = root(&[-6, 0, 1], 2);
        assert_eq!(sqrt2.mul(&sqrt3), None, "over different roots");
        let mut field = Field::default();
        for number in [&sqrt2, &sqrt3, &sqrt6] {
            assert!(field.adjoin(algebraic(number)));
        }
        let [a, b, c] =
            [&sqrt2, &sqrt3, &sqrt6].map(|n| field.express(algebraic(n)).expect("in the field"));
        let product = a.mul(&b).expect("one field");
        assert_eq!(product.compare(&c), Some(Ordering::Equal));
        assert_eq!(product.neg().compare(&c), Some(Ordering::Less));
        assert_eq!(
            a.mul(&a).and_then(|s| s.compare(&rational(2))),
            Some(Ordering::Equal)
        );
        assert_eq!(
            b.mul(&b).and_then(|s| s.compare(&rational(3))),
            Some(Ordering::Equal)
        );
    }

    #[test]
    fn a_field_sees_that_one_root_lies_in_the_others_field() {
        // The golden ratio and the root of 5.
        let (golden, sqrt5) = (root(&[-1, -1, 1], 2), root(&[-5, 0, 1], 2));
        let mut field = Field::default();
        assert!(field.adjoin(algebraic(&golden)) && field.adjoin(algebraic(&sqrt5)));
        let [g, s] = [&golden, &sqrt5].map(|n| field.express(algebraic(n)).expect("in the field"));
        let twice = g.mul(&rational(2)).and_then(|n| n.sub(&rational(1)));
        assert_eq!(twice.and_then(|n| n.compare(&s)), Some(Ordering::Equal));
    }

    #[test]
    fn prints_roots_as_z3_does() {
        assert_eq!(
            algebraic(&root(&[-2, 0, 1], 2)).text(),
            "(root-obj (+ (^ x 2) (- 2)) 2)"
        );
        let twice = root(&[-2, 0, 1], 2).mul(&rational(2)).expect("one field");
        assert_eq!(algebraic(&twice).text(), "(irrational 2.828427)");
    }
}
