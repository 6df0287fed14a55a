//! Turns a term with one value into a term with another, by an operator that compensates the difference.
//!
//! ```text
//! (* x y) has the value 12, 7 is wanted      →   (- (* x y) 5), or (- (* x y) z) where z has the value 5
//! (str.++ s t) is "ab", "abc" is wanted      →   (str.++ (str.++ s t) "c"), (str.replace (str.++ s t) "ab" "abc")
//! p is false, true is wanted                 →   (not p)
//! a has 3 at 0, 4 is wanted there            →   (store a 0 4)
//! ```

use super::allowed::Allowed;
use crate::draw::Draw;
use crate::grow::Pool;
use auspex_logic::eval::Memory;
use auspex_logic::value::{BitVec, Expression, Int, Rat, Str};
use auspex_logic::{Sort, TermId, Terms, Value};

/// The ingredients of the new term.
pub(super) struct Guide<'a> {
    pub pool: &'a Pool,
    /// Values of the terms in the pool.
    pub memory: &'a Memory,
    /// The term that is replaced; its value is allowed.
    pub old: TermId,
}

impl Guide<'_> {
    /// A term that contains `term` (with value `value`) and has a value in the set.
    pub fn fitting(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        value: &Value,
        allowed: &Allowed,
    ) -> Option<TermId> {
        if let (Allowed::Element(index, inner), Value::Array(_)) = (allowed, value) {
            return self.stored(terms, draw, term, index, inner);
        }
        let target = allowed.sample(draw);
        let target = target.filter(|target| allowed.contains(target) == Some(true));
        let direct = target.and_then(|target| self.towards(terms, draw, term, value, &target));
        direct.or_else(|| self.chosen(terms, draw, term, value))
    }

    fn towards(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        value: &Value,
        target: &Value,
    ) -> Option<TermId> {
        match (value, target) {
            (Value::Bool(_), Value::Bool(_)) => self.negated(terms, draw, term),
            (Value::Int(from), Value::Int(to)) => self.int(terms, draw, term, from, to),
            (Value::Real(from), Value::Real(to)) => self.real(terms, draw, term, from, to),
            // Accurate enough for an interval; the evaluator decides.
            (Value::Irrational(_), Value::Real(to)) => {
                let step = to.sub(&Expression::of(value)?.near()?);
                let (step, swap) = (Value::Real(step), draw.coin());
                self.joined(terms, draw, "+", term, &step, swap)
            }
            (Value::BitVec(from), Value::BitVec(to)) => self.bits(terms, draw, term, from, to),
            (Value::Str(from), Value::Str(to)) => self.string(terms, draw, term, from, to),
            _ => None,
        }
    }

    /// A term with this value: one of the formula if available, else a constant.
    fn with_value(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        value: &Value,
        sort: Sort,
    ) -> Option<TermId> {
        const LOOKS: usize = 8;
        let items = self.pool.items(sort);
        let start = draw.index(items.len());
        for turn in 0..items.len().min(LOOKS) {
            let item = items[(start + turn) % items.len()];
            if matches!(self.memory.known(item.term), Some(Ok(known)) if known == value) {
                return Some(item.term);
            }
        }
        terms.value_term(value, sort)
    }

    fn negated(&self, terms: &mut Terms, draw: &mut Draw, term: TermId) -> Option<TermId> {
        let name = *draw.pick(&["not", "not", "xor", "=", "distinct"])?;
        if name == "not" {
            return terms.app(name, &[term]).ok();
        }
        let other = self.with_value(terms, draw, &Value::Bool(name != "="), Sort::BOOL)?;
        terms.app(name, &[other, term]).ok()
    }

    fn int(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        from: &Int,
        to: &Int,
    ) -> Option<TermId> {
        let step = |v: Int| Value::Int(v);
        let divides = !from.is_zero() && to.is_multiple_of(from);
        let (name, step, swap) = match draw.below(4) {
            0 => ("+", step(to.sub(from)), true),
            1 => ("-", step(to.add(from)), true),
            2 if divides => ("*", step(to.div_smtlib(from)?), draw.coin()),
            _ if to < from => ("-", step(from.sub(to)), false),
            _ => ("+", step(to.sub(from)), false),
        };
        self.joined(terms, draw, name, term, &step, swap)
    }

    fn real(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        from: &Rat,
        to: &Rat,
    ) -> Option<TermId> {
        let (name, step, swap) = match draw.below(4) {
            0 => ("+", to.sub(from), true),
            1 => ("-", to.add(from), true),
            2 if !from.is_zero() => ("*", to.div(from)?, draw.coin()),
            _ => ("-", from.sub(to), false),
        };
        self.joined(terms, draw, name, term, &Value::Real(step), swap)
    }

    fn bits(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        from: &BitVec,
        to: &BitVec,
    ) -> Option<TermId> {
        let (name, step, swap) = match draw.below(5) {
            0 => ("bvadd", to.sub(from), draw.coin()),
            1 => ("bvxor", to.xor(from), draw.coin()),
            2 => ("bvsub", from.sub(to), false),
            3 => ("bvsub", to.add(from), true),
            _ => ("bvxnor", to.xnor(from), false),
        };
        self.joined(terms, draw, name, term, &Value::BitVec(step), swap)
    }

    /// `(name term step)`, or the other way round.
    fn joined(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        name: &str,
        term: TermId,
        step: &Value,
        swap: bool,
    ) -> Option<TermId> {
        let step = self.with_value(terms, draw, step, terms.sort(term))?;
        let args = if swap { [step, term] } else { [term, step] };
        terms.app(name, &args).ok()
    }

    /// Completes a prefix or suffix, extracts a part, or replaces the whole.
    fn string(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        from: &Str,
        to: &Str,
    ) -> Option<TermId> {
        let (old, new) = (from.code_points(), to.code_points());
        if let Some(rest) = new.strip_prefix(old) {
            return self.joined(
                terms,
                draw,
                "str.++",
                term,
                &Value::Str(Str::new(rest)?),
                false,
            );
        }
        if let Some(rest) = new.strip_suffix(old) {
            return self.joined(
                terms,
                draw,
                "str.++",
                term,
                &Value::Str(Str::new(rest)?),
                true,
            );
        }
        if let Some(start) = from.index_of(to, 0).filter(|_| draw.coin()) {
            let start = Value::Int(Int::from(start as u64));
            let start = self.with_value(terms, draw, &start, Sort::INT)?;
            let length = Value::Int(Int::from(to.len() as u64));
            let length = self.with_value(terms, draw, &length, Sort::INT)?;
            return terms.app("str.substr", &[term, start, length]).ok();
        }
        let from = self.with_value(terms, draw, &Value::Str(from.clone()), Sort::STRING)?;
        let to = self.with_value(terms, draw, &Value::Str(to.clone()), Sort::STRING)?;
        terms.app("str.replace", &[term, from, to]).ok()
    }

    fn stored(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        index: &Value,
        inner: &Allowed,
    ) -> Option<TermId> {
        let parts = terms.sorts.parts(terms.sort(term));
        let [index_sort, element_sort] = parts[..] else {
            return None;
        };
        let element = match inner.sample(draw) {
            Some(element) if inner.contains(&element) == Some(true) => element,
            _ => return None,
        };
        let index = self.with_value(terms, draw, index, index_sort)?;
        let element = self.with_value(terms, draw, &element, element_sort)?;
        terms.app("store", &[term, index, element]).ok()
    }

    /// For any sort: `(ite condition old term)` with a condition that holds.
    fn chosen(
        &self,
        terms: &mut Terms,
        draw: &mut Draw,
        term: TermId,
        value: &Value,
    ) -> Option<TermId> {
        let sort = terms.sort(term);
        // Some solvers do not accept regular expressions as values.
        if sort == Sort::REG_LAN {
            return None;
        }
        let condition = match terms.value_term(value, sort) {
            Some(literal) if draw.coin() => terms.equation(term, literal)?,
            _ => self.with_value(terms, draw, &Value::TRUE, Sort::BOOL)?,
        };
        terms.app("ite", &[condition, self.old, term]).ok()
    }
}
