//! Enumerates all cases of the thesis's grammar within bounds, smallest first; each case is made from its number
//! alone.
//!
//! ```text
//! (= (bvadd #x0 v) #x0)                        operation = result; every value, or any subset of variables
//! (= (bvadd #x0 #x0) #x1)                      a wrong result
//! (= (bvadd v v) (bvmul v w))                  terms that evaluate to the same, constants behind variables
//! (= (bvadd #x0 #x0) (bvnot #x0))              a wrong result as a term
//! (not (= A r)) (= B r)                        every law, plain and with each variable linked by each identity
//! ```
//!
//! A term's size is its number of operators: all five forms of size one come before those of size two. Some numbers
//! have no case: the result of their operation is unspecified, or the two values happen to be equal.

mod signature;

use super::contradict;
use super::draft::{Claim, Draft};
use super::grow::Maker;
use super::kit::{Kit, Law, SortNo};
use crate::case::Case;
use crate::draw::Draw;
use auspex_logic::theory::SolverSet;
use auspex_logic::{TermId, Terms, Theory, Value};
use rustc_hash::FxHashMap;
use signature::{Leaf, Signature};
use std::sync::{Arc, OnceLock};

/// The bounds of the enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many sorts, simplest first.
    pub sorts: usize,
    /// How many values of each sort.
    pub values: usize,
    /// How many instances of each operator with each result.
    pub instances: usize,
    /// The most operators on a side of an equation.
    pub size: usize,
    /// A theory whose operators are left out.
    pub without: Option<Theory>,
}

impl Default for Bounds {
    /// The numbers of values in tables 3 and 6 of the thesis.
    fn default() -> Self {
        Bounds {
            sorts: 8,
            values: 4,
            instances: 2,
            size: 3,
            without: None,
        }
    }
}

/// The largest size that a user can set.
pub const LARGEST: usize = 8;
/// How many equal terms are tried for one left side.
const EQUALS: u128 = 4;

/// A form of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Result,
    WrongResult,
    EqualTerms,
    WrongTerm,
    Law,
}

impl Form {
    const ALL: [Form; 5] = [
        Form::Result,
        Form::WrongResult,
        Form::EqualTerms,
        Form::WrongTerm,
        Form::Law,
    ];
}

/// The numbers of the terms of one operation, by their value.
type ByValue = FxHashMap<Value, Vec<u128>>;

/// All cases over a signature.
pub struct Exhaustive {
    kit: Arc<Kit>,
    signature: Signature,
    bounds: Bounds,
    small: OnceLock<FxHashMap<SortNo, ByValue>>,
}

impl Exhaustive {
    pub fn new(theories: &[Theory], solvers: SolverSet, bounds: Bounds) -> Exhaustive {
        let kit = Kit::of(theories, solvers);
        let bounds = Bounds {
            size: bounds.size.clamp(1, LARGEST),
            ..bounds
        };
        let signature = Signature::new(&kit, bounds);
        Exhaustive {
            kit,
            signature,
            bounds,
            small: OnceLock::new(),
        }
    }

    /// The number of case numbers.
    pub fn total(&self) -> u128 {
        self.blocks()
            .fold(0, |sum, (_, _, count)| sum.saturating_add(count))
    }

    /// The number of case numbers below a size.
    pub fn before(&self, size: usize) -> u128 {
        let smaller = self.blocks().take_while(|(own, ..)| *own < size);
        smaller.fold(0, |sum, (_, _, count)| sum.saturating_add(count))
    }

    fn blocks(&self) -> impl Iterator<Item = (usize, Form, u128)> {
        let sizes = 1..=self.bounds.size;
        let all = sizes.flat_map(|size| Form::ALL.map(|form| (size, form)));
        all.map(|(size, form)| (size, form, self.count(size, form)))
    }

    fn count(&self, size: usize, form: Form) -> u128 {
        if form == Form::Law {
            return match size {
                1 => self.laws().count() as u128 * self.variants(),
                _ => 0,
            };
        }
        let each = self
            .signature
            .results()
            .map(|c| self.of_sort(c.sort, size, form));
        each.fold(0, u128::saturating_add)
    }

    fn of_sort(&self, sort: SortNo, size: usize, form: Form) -> u128 {
        let leaf = if form == Form::Result {
            Leaf::Open
        } else {
            Leaf::Ground
        };
        let terms = self.signature.terms(sort, size, leaf);
        terms.saturating_mul(self.right_sides(sort, form))
    }

    /// The number of right sides for each left side of a sort.
    fn right_sides(&self, sort: SortNo, form: Form) -> u128 {
        let values = self.signature.column(sort).map_or(0, |c| c.values.len());
        match form {
            Form::Result => 2,
            Form::WrongResult => values as u128,
            Form::EqualTerms => EQUALS,
            Form::WrongTerm => self.signature.terms(sort, 1, Leaf::Ground),
            Form::Law => 1,
        }
    }

    /// The case of a number; none if the number has no case, or is beyond the last.
    pub fn nth(&self, terms: &mut Terms, number: u128) -> Option<Case> {
        let mut rest = number;
        let (size, form) = self.blocks().find_map(|(size, form, count)| {
            let here = rest < count;
            if !here {
                rest -= count;
            }
            here.then_some((size, form))
        })?;
        // Only the widths of laws are random, and the number determines them.
        let mut draw = Draw::new(0, number as u64);
        let mut maker = Maker::new(&self.kit, terms, &mut draw, &[]);
        maker.sharing = true;
        let mut draft = match form {
            Form::Law => self.law(&mut maker, rest),
            _ => self.equation(&mut maker, size, form, rest),
        }?;
        draft.steps.push(format!("number {number} of all"));
        draft.finish(&mut maker)
    }

    fn equation(
        &self,
        maker: &mut Maker<'_>,
        size: usize,
        form: Form,
        mut rest: u128,
    ) -> Option<Draft> {
        let sort = self.signature.results().find_map(|column| {
            let count = self.of_sort(column.sort, size, form);
            let here = rest < count;
            if !here {
                rest -= count;
            }
            here.then_some(column.sort)
        })?;
        let sides = self.right_sides(sort, form);
        let (left, right) = (rest / sides, rest % sides);
        let leaf = match form {
            Form::Result => Leaf::Open,
            Form::EqualTerms => Leaf::Shared,
            _ => Leaf::Ground,
        };
        let term = self.signature.term(maker, sort, (size, left), leaf)?;
        let value = maker.value_of(term)?;
        let (claim, right) = match form {
            Form::Result | Form::Law => (Claim::Witness, result(maker, sort, value, right)?),
            Form::EqualTerms => {
                let equal = self.equal_term(maker, sort, (term, &value), right)?;
                (Claim::Witness, equal)
            }
            Form::WrongResult => {
                let wrong = self
                    .signature
                    .column(sort)?
                    .values
                    .get(right as usize)?
                    .clone();
                differ(&value, &wrong)?;
                (wrong_claim(), maker.literal(sort, wrong)?.term)
            }
            Form::WrongTerm => {
                let wrong = self.signature.term(maker, sort, (1, right), Leaf::Ground)?;
                differ(&value, &maker.value_of(wrong)?)?;
                (wrong_claim(), wrong)
            }
        };
        let equation = maker.equation(term, right)?;
        let mut draft = Draft::new(claim, "operation equals a term");
        draft.member(equation);
        Some(draft)
    }

    /// Another term of one operation with that value.
    fn equal_term(
        &self,
        maker: &mut Maker<'_>,
        sort: SortNo,
        (term, value): (TermId, &Value),
        number: u128,
    ) -> Option<TermId> {
        let by_value = self.small.get_or_init(|| self.evaluated()).get(&sort)?;
        let equal = by_value.get(value)?.get(number as usize)?;
        let other = self
            .signature
            .term(maker, sort, (1, *equal), Leaf::Shared)?;
        (other != term).then_some(other)
    }

    /// The terms of one operation by sort and value.
    fn evaluated(&self) -> FxHashMap<SortNo, ByValue> {
        const MOST: u128 = 20_000;
        let mut terms = Terms::new();
        let mut all: FxHashMap<SortNo, ByValue> = FxHashMap::default();
        for column in self.signature.results() {
            let by_value = all.entry(column.sort).or_default();
            let count = self.signature.terms(column.sort, 1, Leaf::Ground);
            for number in 0..count.min(MOST) {
                let mark = terms.mark();
                let mut draw = Draw::new(0, 0);
                let mut maker = Maker::new(&self.kit, &mut terms, &mut draw, &[]);
                let term = self
                    .signature
                    .term(&mut maker, column.sort, (1, number), Leaf::Ground);
                if let Some(value) = term.and_then(|term| maker.value_of(term)) {
                    by_value.entry(value).or_default().push(number);
                }
                terms.release(mark);
            }
        }
        all
    }

    fn laws(&self) -> impl Iterator<Item = &Law> {
        self.kit.rules.iter().flat_map(|(_, laws)| laws)
    }

    /// Each law plain, then its variables linked by each identity.
    fn variants(&self) -> u128 {
        1 + self.identities().count() as u128
    }

    fn identities(&self) -> impl Iterator<Item = &Law> {
        self.laws().filter(|law| law.rule.is_identity())
    }

    fn law(&self, maker: &mut Maker<'_>, number: u128) -> Option<Draft> {
        // All laws plain before the first link.
        let count = self.laws().count() as u128;
        let (variant, law) = (number / count, number % count);
        let law = self.laws().nth(law as usize)?;
        let identity = match variant {
            0 => None,
            _ => Some(self.identities().nth(variant as usize - 1)?),
        };
        contradict::plain(maker, law, identity)
    }
}

fn wrong_claim() -> Claim {
    Claim::Contradiction("the ground assertion evaluates to false".into())
}

/// Values that cannot be compared never count as different.
fn differ(one: &Value, other: &Value) -> Option<()> {
    (one != other && one.is_comparable() && other.is_comparable()).then_some(())
}

/// The result as a value or as a variable.
fn result(maker: &mut Maker<'_>, sort: SortNo, value: Value, number: u128) -> Option<TermId> {
    match number {
        0 => Some(maker.literal(sort, value)?.term),
        _ => Some(maker.fresh(sort, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Evidence, Expected};
    use auspex_logic::model::{ModelVerdict, validate};
    use auspex_logic::render::{self, Sharing};
    use std::collections::HashSet;

    fn bits() -> Exhaustive {
        let bounds = Bounds {
            sorts: 3,
            values: 2,
            instances: 1,
            size: 2,
            without: None,
        };
        Exhaustive::new(&[Theory::BitVectors], SolverSet(0), bounds)
    }

    fn made(all: &Exhaustive, number: u128) -> Option<(String, Evidence)> {
        let mut terms = Terms::new();
        let case = all.nth(&mut terms, number)?;
        if let Evidence::Witness(model) = &case.evidence[0] {
            let verdict = validate(&terms, model, &case.script.queries()[0]);
            assert_eq!(verdict, ModelVerdict::Valid);
        }
        let text = render::script(&terms, &case.script, Sharing::Expanded);
        Some((text, case.evidence[0].clone()))
    }

    /// The numbers of size one.
    fn first(all: &Exhaustive) -> u128 {
        let blocks = all.blocks().filter(|(size, ..)| *size == 1);
        blocks.map(|(.., count)| count).sum()
    }

    #[test]
    fn every_case_once_and_its_answer_known() {
        let all = bits();
        let (mut texts, mut sat) = (HashSet::new(), 0);
        for number in 0..first(&all) {
            let Some((text, evidence)) = made(&all, number) else {
                continue;
            };
            let expected = evidence.expected().expect("known by construction");
            sat += usize::from(expected == Expected::Sat);
            // A formula may come again with other values for its variables, as in the thesis.
            let case = format!("{text}{evidence:?}");
            assert!(texts.insert(case), "{number} again: {text}");
        }
        assert!(
            sat > 100 && texts.len() - sat > 100,
            "{sat} {}",
            texts.len()
        );
    }

    #[test]
    fn has_the_power_set_of_free_variables() {
        let all = bits();
        let made: HashSet<String> = (0..first(&all))
            .filter_map(|number| made(&all, number))
            .map(|(text, _)| text)
            .collect();
        let wanted = [
            "(= (bvadd #b0000 #b0000) #b0000)",
            "(= (bvadd x0 #b0000) #b0000)",
            "(= (bvadd #b0000 x0) #b0000)",
            "(= (bvadd #b0000 #b0000) x0)",
            "(= (bvadd x0 x1) #b0000)",
            "(= (bvadd x0 #b0000) x1)",
            "(= (bvadd #b0000 x0) x1)",
            "(= (bvadd x0 x1) x2)",
        ];
        for formula in wanted.map(|w| w.replace("#b0000", "#x0")) {
            let assertion = format!("(assert {formula})");
            assert!(made.iter().any(|t| t.contains(&assertion)), "{formula}");
        }
    }

    #[test]
    fn small_ones_first_and_then_an_end() {
        let all = bits();
        let one = first(&all);
        assert!(all.total() > one);
        let mut terms = Terms::new();
        assert!(all.nth(&mut terms, all.total()).is_none());
        let later = (one..one + 50).filter_map(|n| made(&all, n)).count();
        assert!(later > 25);
    }

    #[test]
    fn bounds_bound() {
        let of = |values, size| {
            let bounds = Bounds {
                values,
                size,
                ..Bounds::default()
            };
            Exhaustive::new(&[Theory::BitVectors], SolverSet(0), bounds).total()
        };
        assert!(of(2, 1) < of(3, 1) && of(3, 1) < of(3, 2));
    }
}
