//! Objectives as linear forms, and what the optimum of one says about the optimum of another.
//!
//! ```text
//! (maximize x) has 4:   (minimize (- x)) has -4   (maximize (+ (* 2 x) 1)) has 9   (maximize x) beside others has 4
//! (assert-soft p :weight 2) and (minimize (ite p 0 2)) have the same
//! ```

use super::goals::{Objective, Range, number};
use super::value::{Extended, Optimum};
use auspex_logic::eval::Evaluator;
use auspex_logic::value::Rat;
use auspex_logic::{Head, Model, Sort, TermId, Terms};
use std::collections::BTreeMap;

/// The deepest nesting of sums that is looked into.
const DEEPEST: usize = 30;

/// A sum of multiples of atoms and a constant. An atom that is a formula counts one where it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    atoms: BTreeMap<TermId, Rat>,
    constant: Rat,
}

/// An objective that is optimized on its own, with the value that it is said to have.
pub(super) struct Standalone {
    pub name: String,
    pub maximize: bool,
    pub form: Linear,
    pub value: Optimum,
}

impl Linear {
    /// The form of an objective; none if it has no number as value in every model.
    pub fn of(terms: &Terms, objective: &Objective) -> Option<Linear> {
        let mut form = Linear {
            atoms: BTreeMap::new(),
            constant: Rat::ZERO,
        };
        for (term, weight) in objective.penalties() {
            form.indicator(terms, *term, &weight.neg());
            form.constant = form.constant.add(weight);
        }
        if let Some(term) = objective.single() {
            form.add(terms, term, &Rat::ONE, DEEPEST);
        }
        form.atoms.retain(|_, factor| !factor.is_zero());
        Some(form).filter(|form| !form.atoms.is_empty())
    }

    fn add(&mut self, terms: &Terms, term: TermId, by: &Rat, depth: usize) {
        if let Some(value) = constant(terms, term) {
            self.constant = self.constant.add(&value.mul(by));
            return;
        }
        let args = terms.args(term);
        let name = match terms.head(term) {
            Head::Op(op) if depth > 0 => &*terms.op(op).name,
            _ => "",
        };
        let is_number = matches!(terms.sort(term), Sort::INT | Sort::REAL);
        match (name, args) {
            ("+", _) if is_number => {
                args.iter()
                    .for_each(|one| self.add(terms, *one, by, depth - 1));
            }
            ("-", [one]) if is_number => self.add(terms, *one, &by.neg(), depth - 1),
            ("-", [first, rest @ ..]) if is_number => {
                self.add(terms, *first, by, depth - 1);
                rest.iter()
                    .for_each(|one| self.add(terms, *one, &by.neg(), depth - 1));
            }
            ("*", [one, other]) if is_number => {
                match (constant(terms, *one), constant(terms, *other)) {
                    (Some(factor), _) => self.add(terms, *other, &by.mul(&factor), depth - 1),
                    (_, Some(factor)) => self.add(terms, *one, &by.mul(&factor), depth - 1),
                    _ => self.atom(term, by),
                }
            }
            ("to_real", [one]) => self.add(terms, *one, by, depth - 1),
            ("ite", [condition, yes, no]) if is_number => {
                match (constant(terms, *yes), constant(terms, *no)) {
                    (Some(yes), Some(no)) => {
                        self.constant = self.constant.add(&no.mul(by));
                        self.indicator(terms, *condition, &yes.sub(&no).mul(by));
                    }
                    _ => self.atom(term, by),
                }
            }
            _ => self.atom(term, by),
        }
    }

    /// So much where a formula holds.
    fn indicator(&mut self, terms: &Terms, formula: TermId, by: &Rat) {
        let is_not = matches!(terms.head(formula), Head::Op(op) if &*terms.op(op).name == "not");
        match (is_not, terms.args(formula)) {
            (true, [inner]) => {
                self.constant = self.constant.add(by);
                self.indicator(terms, *inner, &by.neg());
            }
            _ => self.atom(formula, by),
        }
    }

    fn atom(&mut self, term: TermId, by: &Rat) {
        let factor = self.atoms.entry(term).or_insert(Rat::ZERO);
        *factor = factor.add(by);
    }

    /// The factor and the number that make another form of this one: `2 x + 3` is twice `x`, and 3.
    fn made_of(&self, other: &Linear) -> Option<(Rat, Rat)> {
        let (atom, of_other) = other.atoms.iter().next()?;
        let factor = self.atoms.get(atom)?.mul(&of_other.inverse()?);
        let is_multiple = |(atom, of_other): (&TermId, &Rat)| {
            self.atoms.get(atom) == Some(&of_other.mul(&factor))
        };
        let all = self.atoms.len() == other.atoms.len() && other.atoms.iter().all(is_multiple);
        all.then(|| {
            let shift = self.constant.sub(&other.constant.mul(&factor));
            (factor, shift)
        })
    }
}

/// The value of a number literal.
fn constant(terms: &Terms, term: TermId) -> Option<Rat> {
    let is_number = matches!(terms.sort(term), Sort::INT | Sort::REAL);
    if !is_number || !terms.is_closed(term) {
        return None;
    }
    let args = terms.args(term);
    let is_literal = matches!(terms.head(term), Head::Literal(_));
    let is_made_of_literals = matches!(terms.head(term), Head::Op(op) if ["-", "/"].contains(&&*terms.op(op).name))
        && args
            .iter()
            .all(|one| matches!(terms.head(*one), Head::Literal(_)));
    if !is_literal && !is_made_of_literals {
        return None;
    }
    let model = Model::default();
    number(
        Evaluator::new(terms, &model)
            .without_completion()
            .value(term)
            .ok()?,
    )
}

impl Standalone {
    pub fn of(terms: &Terms, objective: &Objective, value: &Optimum) -> Option<Standalone> {
        // Sums of bit-vectors wrap around, so they stay whole.
        let form = match objective.range {
            Range::Bits(_) => Linear {
                atoms: BTreeMap::from([(objective.single()?, Rat::ONE)]),
                constant: Rat::ZERO,
            },
            Range::Int | Range::Real => Linear::of(terms, objective)?,
        };
        Some(Standalone {
            name: objective.name(terms),
            maximize: objective.maximize,
            form,
            value: value.clone(),
        })
    }

    /// `largest value of x`.
    pub fn title(&self) -> String {
        let which = if self.maximize { "largest" } else { "smallest" };
        format!("{which} value of {}", self.name)
    }

    /// The value that this one must have if the other's is right, in words with the value itself; none if the two are
    /// optimized in other directions, or are no multiples of each other.
    pub fn expected(&self, other: &Standalone) -> Option<(String, Extended)> {
        let (factor, shift) = self.form.made_of(&other.form)?;
        let same_direction = (factor.signum() > 0) == (self.maximize == other.maximize);
        let Optimum::Exactly(value) = &other.value else {
            return None;
        };
        let words = match (factor == Rat::ONE, shift.is_zero()) {
            (true, true) => "the same as".to_string(),
            (true, false) => format!("{} more than", shift.to_smtlib()),
            (false, true) => format!("{} times", factor.to_smtlib()),
            (false, false) => format!("{} and {} times", shift.to_smtlib(), factor.to_smtlib()),
        };
        same_direction.then(|| (words, value.scaled(&factor).shifted(&shift)))
    }
}

/// Whether two optima differ for certain: solvers do not agree on how large an epsilon is.
pub(super) fn differ(one: &Extended, other: &Optimum) -> bool {
    let Optimum::Exactly(other) = other else {
        return false;
    };
    let is_infinite = !one.infinite.is_zero() || !other.infinite.is_zero();
    one.infinite.signum() != other.infinite.signum()
        || (!is_infinite
            && (one.finite != other.finite || one.epsilon.signum() != other.epsilon.signum()))
}
