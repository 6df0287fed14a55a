//! Finds other models of the same script: a symbol gets another value, or a function another value at an unused
//! point. A change is kept only if every assertion stays true, so one model leads to thousands.
//!
//! ```text
//! (assert (< x y)), x = 1, y = 5       →   y = 6, then x = -1, …
//! (assert (> (f 1) 0))                 →   (assert (> (f (+ y 7)) 0)) with (f 12) = 3 from now on
//! ```

use super::allowed::Allowed;
use super::analysis::Place;
use super::mutant::{ModelMutant, Step};
use crate::draw::Draw;
use crate::grow::{Function, constant};
use auspex_logic::model::Interpretation;
use auspex_logic::term::FunKind;
use auspex_logic::value::{BitVec, Int, Rat, Str};
use auspex_logic::{Fun, Model, Sort, TermId, Terms, Value};
use std::collections::HashMap;

impl ModelMutant {
    pub fn model(&self) -> &Model {
        &self.judge.model
    }

    /// Changes at most a number of symbols' values while the script stays true.
    pub fn vary(&mut self, terms: &mut Terms, draw: &mut Draw, edits: u64) {
        let constants = self.constants(terms);
        for _ in 0..edits {
            let Some(fun) = draw.pick(&constants).copied() else {
                return;
            };
            let now = terms.fun_app(fun, &[]).ok();
            let Some(Ok(old)) = now.map(|now| self.judge.value(terms, now)) else {
                continue;
            };
            if let Some(new) = self.candidate(terms, draw, terms.fun(fun).result, &old) {
                self.change(
                    terms,
                    fun,
                    Interpretation::Value(new),
                    Interpretation::Value(old),
                );
            }
        }
    }

    /// Another value for a symbol: near the old one, that of another symbol, or an interesting constant.
    fn candidate(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        sort: Sort,
        old: &Value,
    ) -> Option<Value> {
        match draw.below(3) {
            0 => near(draw, old),
            1 => {
                let item = draw.pick(self.pool.items(sort))?.term;
                terms
                    .is_closed(item)
                    .then(|| self.judge.value(terms, item).ok())?
            }
            _ => {
                let term = constant(terms, draw, sort)?;
                self.judge.value(terms, term).ok()
            }
        }
        .filter(|new| new != old)
    }

    /// Sets the interpretation of a symbol if every assertion stays true, otherwise restores it.
    fn change(
        &mut self,
        terms: &Terms,
        fun: Fun,
        new: Interpretation,
        old: Interpretation,
    ) -> bool {
        let before = std::mem::take(&mut self.judge.memory);
        self.judge.model.set(fun, new);
        let roots: Vec<TermId> = self.assertions.iter().map(|a| a.term).collect();
        let mut roots = roots.into_iter();
        if roots.all(|root| self.judge.value(terms, root) == Ok(Value::TRUE)) {
            // Allowed sets depend on values.
            self.maps.fill(None);
            return true;
        }
        self.judge.model.set(fun, old);
        self.judge.memory = before;
        false
    }

    /// An application of a function of the script whose value is allowed; the model is changed to make it so.
    pub(super) fn extended(
        &mut self,
        terms: &mut Terms,
        draw: &mut Draw,
        place: &Place,
    ) -> Option<TermId> {
        if matches!(place.allowed, Allowed::Unknown | Allowed::Anything) {
            return None;
        }
        let declared = |f: &&Function| {
            let fun = terms.fun(f.fun);
            fun.kind == FunKind::Declared && !fun.params.is_empty()
        };
        let functions = self.pool.functions(terms.sort(place.term)).iter();
        let functions: Vec<Fun> = functions.filter(declared).map(|f| f.fun).collect();
        let fun = *draw.pick(&functions)?;
        let mut args = Vec::new();
        let mut point = Vec::new();
        for sort in terms.fun(fun).params.clone() {
            let arg = match draw.pick(self.pool.items(sort)) {
                Some(item) if draw.coin() && terms.is_closed(item.term) => item.term,
                _ => constant(terms, draw, sort)?,
            };
            point.push(
                self.judge
                    .value(terms, arg)
                    .ok()
                    .filter(Value::is_comparable)?,
            );
            args.push(arg);
        }
        let term = terms.fun_app(fun, &args).ok()?;
        if let Ok(value) = self.judge.value(terms, term)
            && place.allowed.contains(&value) == Some(true)
        {
            return Some(term);
        }
        let target = place.allowed.sample(draw)?;
        let old = self.judge.model.interpretation(fun)?.clone();
        let new = at_point(terms, fun, &old, point, target)?;
        if !self.change(terms, fun, new, old) {
            return None;
        }
        self.steps.push(Step::Extended { fun });
        Some(term)
    }
}

/// The same function with another value at one point.
fn at_point(
    terms: &mut Terms,
    fun: Fun,
    old: &Interpretation,
    point: Vec<Value>,
    target: Value,
) -> Option<Interpretation> {
    match old {
        Interpretation::Value(value) => {
            let table = HashMap::from([(point, target)]);
            Some(Interpretation::Table(table, Some(value.clone())))
        }
        Interpretation::Table(table, default) => {
            let mut table = table.clone();
            table.insert(point, target);
            Some(Interpretation::Table(table, default.clone()))
        }
        Interpretation::Body(variables, body) => {
            let mut equal = Vec::new();
            for (variable, value) in variables.iter().zip(&point) {
                let value = terms.value_term(value, terms.sort(*variable))?;
                equal.push(terms.equation(*variable, value)?);
            }
            let condition = match equal.as_slice() {
                [one] => *one,
                many => terms.app("and", many).ok()?,
            };
            let target = terms.value_term(&target, terms.fun(fun).result)?;
            let body = terms.app("ite", &[condition, target, *body]).ok()?;
            Some(Interpretation::Body(variables.clone(), body))
        }
    }
}

/// A value close to another.
fn near(draw: &mut Draw, value: &Value) -> Option<Value> {
    let step = draw.between(1, 3);
    let down = draw.coin();
    Some(match value {
        Value::Bool(b) => Value::Bool(!b),
        Value::Int(int) if down => Value::Int(int.sub(&Int::from(step))),
        Value::Int(int) => Value::Int(int.add(&Int::from(step))),
        Value::Real(rat) => {
            let part = Rat::new(&Int::from(step), &Int::from(draw.between(1, 9)))?;
            Value::Real(if down { rat.sub(&part) } else { rat.add(&part) })
        }
        Value::BitVec(bits) => {
            let one = BitVec::one(bits.width());
            let at = BitVec::from_u64(bits.width(), draw.below(u64::from(bits.width())));
            Value::BitVec(match draw.below(3) {
                0 => bits.add(&one),
                1 => bits.sub(&one),
                _ => bits.xor(&one.shl(&at)),
            })
        }
        Value::Str(string) => {
            let mut points = string.code_points().to_vec();
            if down && !points.is_empty() {
                points.remove(draw.index(points.len()));
            } else {
                let letter = u32::from('a') + draw.below(26) as u32;
                points.insert(draw.index(points.len() + 1), letter);
            }
            Value::Str(Str::new(&points)?)
        }
        _ => return None,
    })
}
