//! Regular expressions in a normal form with one number per form, so that derivatives of one expression become states of an automaton.
//!
//! Unions and intersections are flat, sorted and without repetition; characters are grouped into classes that the expression does not tell apart.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

use super::regex::{Re, Shape, postorder};
use super::string::{MAX_CODE_POINT, TooLarge};

/// The number of a form.
pub(super) type State = u32;

/// A class of characters, by its place in the alphabet.
pub(super) type Class = u32;

/// Intervals of classes, sorted and apart.
type CharSet = Arc<[(Class, Class)]>;

pub(super) const EMPTY: State = 0;
pub(super) const EPSILON: State = 1;
pub(super) const ANY: State = 2;
pub(super) const ALL: State = 3;

/// The most forms kept at once, some hundred megabytes.
const MAX_FORMS: usize = 1 << 22;

/// No upper bound of a loop.
const UNBOUNDED: u32 = u32::MAX;

/// A normal form whose parts have smaller numbers than itself.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// One character of any of these classes.
    Chars(CharSet),
    Epsilon,
    /// The left part is never itself a concatenation.
    Concat(State, State),
    Star(State),
    /// At least and at most so often; the bound [`UNBOUNDED`] is none.
    Loop(State, u32, u32),
    Union(Arc<[State]>),
    Inter(Arc<[State]>),
    Not(State),
}

/// Code points grouped into classes.
pub(super) struct Alphabet {
    /// The first code point of each class, ascending from 0.
    starts: Vec<u32>,
}

impl Alphabet {
    fn of(expressions: &[&Re]) -> Self {
        let mut starts = vec![0];
        for re in postorder(expressions) {
            match re.shape() {
                Shape::Literal(word) => {
                    starts.extend(word.code_points().iter().flat_map(|&c| [c, c + 1]));
                }
                Shape::Range(first, last) => starts.extend([*first, last + 1]),
                _ => {}
            }
        }
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|&c| c <= MAX_CODE_POINT);
        Self { starts }
    }

    pub(super) fn class_of(&self, code_point: u32) -> Class {
        (self.starts.partition_point(|&start| start <= code_point) - 1) as Class
    }

    /// The first and the last code point of a class.
    pub(super) fn members(&self, class: Class) -> (u32, u32) {
        let next = self.starts.get(class as usize + 1);
        let last = next.map_or(MAX_CODE_POINT, |&next| next - 1);
        (self.starts[class as usize], last)
    }

    pub(super) fn classes(&self) -> Class {
        self.starts.len() as Class
    }
}

/// All forms made so far, and the work still allowed.
pub(super) struct States {
    pub(super) alphabet: Alphabet,
    forms: Vec<Form>,
    nullable: Vec<bool>,
    numbers: HashTable<State>,
    pub(super) derived: FxHashMap<(State, Class), State>,
    work: u64,
}

impl States {
    /// The forms of some expressions over a common alphabet.
    pub(super) fn of(expressions: &[&Re], work: u64) -> Result<(Self, Vec<State>), TooLarge> {
        let alphabet = Alphabet::of(expressions);
        let full = (0, alphabet.classes() - 1);
        let mut states = Self {
            alphabet,
            forms: Vec::new(),
            nullable: Vec::new(),
            numbers: HashTable::new(),
            derived: FxHashMap::default(),
            work,
        };
        states.number(Form::Chars([].into()))?;
        states.number(Form::Epsilon)?;
        states.number(Form::Chars([full].into()))?;
        states.number(Form::Star(ANY))?;
        let mut known = FxHashMap::default();
        for re in postorder(expressions) {
            let state = states.form_of(re, &known)?;
            known.insert(re.address(), state);
        }
        let roots = expressions.iter().map(|re| known[&re.address()]).collect();
        Ok((states, roots))
    }

    /// The form of an expression whose parts are known by address.
    fn form_of(&mut self, re: &Re, known: &FxHashMap<usize, State>) -> Result<State, TooLarge> {
        let parts: Vec<State> = re
            .shape()
            .parts()
            .iter()
            .map(|part| known[&part.address()])
            .collect();
        match re.shape() {
            Shape::None => Ok(EMPTY),
            Shape::All => Ok(ALL),
            Shape::AllChar => Ok(ANY),
            Shape::Literal(word) => self.literal(word.code_points()),
            Shape::Range(first, last) => {
                let classes = (
                    self.alphabet.class_of(*first),
                    self.alphabet.class_of(*last),
                );
                self.number(Form::Chars([classes].into()))
            }
            Shape::Concat(_) => self.concat_all(&parts),
            Shape::Union(_) => self.union(&parts),
            Shape::Inter(_) => self.inter(&parts),
            Shape::Diff(_) => {
                let others = self.union(&parts[1..])?;
                let without = self.not(others)?;
                self.inter(&[parts[0], without])
            }
            Shape::Star(_) => self.repeat(parts[0], 0, UNBOUNDED),
            Shape::Plus(_) => self.repeat(parts[0], 1, UNBOUNDED),
            Shape::Opt(_) => self.union(&[parts[0], EPSILON]),
            Shape::Comp(_) => self.not(parts[0]),
            Shape::Power(_, count) => self.repeat_exactly(parts[0], *count),
            Shape::Loop(_, least, Some(most)) => self.repeat_between(parts[0], *least, *most),
            Shape::Loop(_, least, None) => self.repeat(parts[0], *least, UNBOUNDED),
        }
    }

    pub(super) fn form(&self, state: State) -> &Form {
        &self.forms[state as usize]
    }

    pub(super) fn is_nullable(&self, state: State) -> bool {
        self.nullable[state as usize]
    }

    /// Pays for some steps.
    pub(super) fn charge(&mut self, steps: usize) -> Result<(), TooLarge> {
        let left = self.work.checked_sub(steps as u64).ok_or(TooLarge);
        self.work = left.unwrap_or(0);
        left.map(drop)
    }

    /// Grants a new allowance, for another way to the same result.
    pub(super) fn refill(&mut self, work: u64) {
        self.work = work;
    }

    /// How many forms there are.
    pub(super) fn count(&self) -> usize {
        self.forms.len()
    }

    /// Drops all but the first forms.
    pub(super) fn forget_beyond(&mut self, count: usize) {
        self.forms.truncate(count);
        self.nullable.truncate(count);
        self.numbers.retain(|&mut state| (state as usize) < count);
        self.derived = FxHashMap::default();
    }

    fn number(&mut self, form: Form) -> Result<State, TooLarge> {
        self.charge(1)?;
        let hash = FxBuildHasher.hash_one(&form);
        let forms = &self.forms;
        if let Some(&known) = self.numbers.find(hash, |&s| forms[s as usize] == form) {
            return Ok(known);
        }
        if self.forms.len() >= MAX_FORMS {
            return Err(TooLarge);
        }
        let state = self.forms.len() as State;
        self.nullable.push(self.form_is_nullable(&form));
        self.forms.push(form);
        let forms = &self.forms;
        let hash_again = |&s: &State| FxBuildHasher.hash_one(&forms[s as usize]);
        self.numbers.insert_unique(hash, state, hash_again);
        Ok(state)
    }

    fn form_is_nullable(&self, form: &Form) -> bool {
        match form {
            Form::Chars(_) => false,
            Form::Epsilon | Form::Star(_) => true,
            Form::Concat(left, right) => self.is_nullable(*left) && self.is_nullable(*right),
            Form::Loop(part, least, _) => *least == 0 || self.is_nullable(*part),
            Form::Union(parts) => parts.iter().any(|&part| self.is_nullable(part)),
            Form::Inter(parts) => parts.iter().all(|&part| self.is_nullable(part)),
            Form::Not(part) => !self.is_nullable(*part),
        }
    }

    fn literal(&mut self, word: &[u32]) -> Result<State, TooLarge> {
        let mut state = EPSILON;
        for &code_point in word.iter().rev() {
            let class = self.alphabet.class_of(code_point);
            let letter = self.number(Form::Chars([(class, class)].into()))?;
            state = self.concat(letter, state)?;
        }
        Ok(state)
    }

    fn concat_all(&mut self, parts: &[State]) -> Result<State, TooLarge> {
        let mut state = EPSILON;
        for &part in parts.iter().rev() {
            state = self.concat(part, state)?;
        }
        Ok(state)
    }

    pub(super) fn concat(&mut self, left: State, right: State) -> Result<State, TooLarge> {
        let mut spine = Vec::new();
        let mut last = left;
        while let Form::Concat(first, rest) = *self.form(last) {
            spine.push(first);
            last = rest;
        }
        self.charge(spine.len())?;
        let mut state = self.concat_two(last, right)?;
        for &part in spine.iter().rev() {
            state = self.concat_two(part, state)?;
        }
        Ok(state)
    }

    /// Concatenation with a left part that is not a concatenation.
    fn concat_two(&mut self, left: State, right: State) -> Result<State, TooLarge> {
        match (left, right) {
            (EMPTY, _) | (_, EMPTY) => return Ok(EMPTY),
            (EPSILON, other) | (other, EPSILON) => return Ok(other),
            _ => {}
        }
        let absorbs = match *self.form(right) {
            Form::Concat(first, _) => left == first,
            _ => left == right,
        };
        match self.form(left) {
            Form::Star(_) if absorbs => Ok(right),
            _ => self.number(Form::Concat(left, right)),
        }
    }

    fn repeat_exactly(&mut self, part: State, count: u32) -> Result<State, TooLarge> {
        self.repeat_between(part, count, count)
    }

    /// A loop with a true bound, even if it is the number that stands for none.
    fn repeat_between(&mut self, part: State, least: u32, most: u32) -> Result<State, TooLarge> {
        match most {
            UNBOUNDED => Err(TooLarge),
            _ => self.repeat(part, least, most),
        }
    }

    fn repeat(&mut self, part: State, least: u32, most: u32) -> Result<State, TooLarge> {
        // Leaving out a repetition of a nullable part is one of its choices.
        let least = if self.is_nullable(part) && least <= most {
            0
        } else {
            least
        };
        let form = self.form(part);
        match (part, least, most) {
            _ if least > most => Ok(EMPTY),
            (_, _, 0) | (EPSILON, ..) | (EMPTY, 0, _) => Ok(EPSILON),
            (EMPTY, ..) => Ok(EMPTY),
            (_, 1, 1) => Ok(part),
            (_, 0, _) if matches!(form, Form::Star(_)) => Ok(part),
            (_, 0, UNBOUNDED) => self.number(Form::Star(part)),
            (_, 1, UNBOUNDED) => {
                let star = self.number(Form::Star(part))?;
                self.concat(part, star)
            }
            _ => self.number(Form::Loop(part, least, most)),
        }
    }

    /// What remains of a loop after one repetition has begun.
    pub(super) fn one_less(
        &mut self,
        part: State,
        least: u32,
        most: u32,
    ) -> Result<State, TooLarge> {
        let most = if most == UNBOUNDED { most } else { most - 1 };
        self.repeat(part, least.saturating_sub(1), most)
    }

    /// The bound of a loop, if it has one.
    pub(super) fn bound(most: u32) -> Option<u32> {
        (most != UNBOUNDED).then_some(most)
    }

    pub(super) fn not(&mut self, part: State) -> Result<State, TooLarge> {
        match (part, self.form(part)) {
            (EMPTY, _) => Ok(ALL),
            (ALL, _) => Ok(EMPTY),
            (_, Form::Not(inner)) => Ok(*inner),
            _ => self.number(Form::Not(part)),
        }
    }

    pub(super) fn union(&mut self, parts: &[State]) -> Result<State, TooLarge> {
        let (mut rest, chars) = self.flatten(parts, |form| match form {
            Form::Union(inner) => Some(inner),
            _ => None,
        })?;
        let mut intervals: Vec<_> = chars.iter().flat_map(|set| set.iter().copied()).collect();
        if !intervals.is_empty() {
            intervals = merged(intervals);
            rest.push(self.number(Form::Chars(intervals.into()))?);
        }
        rest.sort_unstable();
        rest.dedup();
        if rest.contains(&ALL) || self.has_opposites(&rest) {
            return Ok(ALL);
        }
        if rest
            .iter()
            .any(|&part| part != EPSILON && self.is_nullable(part))
        {
            rest.retain(|&part| part != EPSILON);
        }
        match rest[..] {
            [] => Ok(EMPTY),
            [only] => Ok(only),
            _ => self.number(Form::Union(rest.into())),
        }
    }

    pub(super) fn inter(&mut self, parts: &[State]) -> Result<State, TooLarge> {
        let (mut rest, chars) = self.flatten(parts, |form| match form {
            Form::Inter(inner) => Some(inner),
            _ => None,
        })?;
        if let Some(common) = chars.into_iter().reduce(|a, b| common(&a, &b)) {
            rest.push(self.number(Form::Chars(common))?);
        }
        rest.sort_unstable();
        rest.dedup();
        rest.retain(|&part| part != ALL);
        if rest.contains(&EMPTY) || self.has_opposites(&rest) {
            return Ok(EMPTY);
        }
        if rest.contains(&EPSILON) {
            let all = rest.iter().all(|&part| self.is_nullable(part));
            return Ok(if all { EPSILON } else { EMPTY });
        }
        match rest[..] {
            [] => Ok(ALL),
            [only] => Ok(only),
            _ => self.number(Form::Inter(rest.into())),
        }
    }

    /// The parts without one level of nesting, and the character sets among them apart.
    fn flatten(
        &mut self,
        parts: &[State],
        nested: fn(&Form) -> Option<&Arc<[State]>>,
    ) -> Result<(Vec<State>, Vec<CharSet>), TooLarge> {
        let (mut rest, mut chars) = (Vec::new(), Vec::new());
        for part in parts {
            let inner = nested(self.form(*part)).cloned();
            for &state in inner.as_deref().unwrap_or(std::slice::from_ref(part)) {
                match self.form(state) {
                    Form::Chars(set) => chars.push(set.clone()),
                    _ => rest.push(state),
                }
            }
        }
        self.charge(rest.len() + chars.len())?;
        Ok((rest, chars))
    }

    /// Whether a part and its complement are among the sorted parts.
    fn has_opposites(&self, parts: &[State]) -> bool {
        parts.iter().any(|&part| match self.form(part) {
            Form::Not(inner) => parts.binary_search(inner).is_ok(),
            _ => false,
        })
    }
}

/// Overlapping and adjacent intervals united.
fn merged(mut intervals: Vec<(Class, Class)>) -> Vec<(Class, Class)> {
    intervals.sort_unstable();
    let mut result: Vec<(Class, Class)> = Vec::with_capacity(intervals.len());
    for (first, last) in intervals {
        match result.last_mut() {
            Some(previous) if first <= previous.1.saturating_add(1) => {
                previous.1 = previous.1.max(last);
            }
            _ => result.push((first, last)),
        }
    }
    result
}

/// The classes in both of two sorted lists of intervals.
fn common(a: &[(Class, Class)], b: &[(Class, Class)]) -> CharSet {
    let (mut i, mut j) = (0, 0);
    let mut result = Vec::new();
    while let (Some(&(a_first, a_last)), Some(&(b_first, b_last))) = (a.get(i), b.get(j)) {
        let (first, last) = (a_first.max(b_first), a_last.min(b_last));
        if first <= last {
            result.push((first, last));
        }
        if a_last < b_last { i += 1 } else { j += 1 }
    }
    result.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two expressions get the same form.
    fn same(a: &Re, b: &Re) -> bool {
        let (_, roots) = States::of(&[a, b], 10_000).unwrap();
        roots[0] == roots[1]
    }

    fn lit(text: &str) -> Re {
        Re::literal(text.into())
    }

    #[test]
    fn laws_hold_by_form() {
        let (a, b, c) = (lit("a"), lit("b"), lit("c"));
        let abc = Re::concat(vec![Re::concat(vec![a.clone(), b.clone()]), c.clone()]);
        assert!(same(&abc, &lit("abc")));
        assert!(same(
            &Re::union(vec![a.clone(), b.clone()]),
            &Re::code_range(97, 98)
        ));
        assert!(same(&Re::union(vec![abc.clone(), abc.comp()]), &Re::all()));
        assert!(same(&Re::diff(vec![abc.clone(), abc.clone()]), &Re::none()));
        assert!(same(&Re::inter(vec![a.clone(), b.clone()]), &Re::none()));
        assert!(same(&a.star().star(), &a.star()));
        assert!(same(&Re::all_char().star(), &Re::all()));
        assert!(same(&a.star().repeat(3, Some(7)), &a.star()));
        assert!(same(&a.repeat(3, Some(2)), &Re::none()));
        assert!(same(&a.power(0), &lit("")));
    }

    #[test]
    fn different_languages_have_different_forms() {
        let (a, b) = (lit("a"), lit("b"));
        assert!(!same(&a.star(), &a.plus()));
        assert!(!same(&a.opt(), &a));
        assert!(!same(
            &Re::union(vec![a.clone(), b.clone()]),
            &Re::inter(vec![a.clone(), b])
        ));
        assert!(!same(&a.repeat(0, Some(2)), &a.power(2)));
    }

    #[test]
    fn classes_cover_all_code_points() {
        let re = Re::union(vec![
            lit("az"),
            Re::code_range(0, 9),
            Re::code_range(0x2FFFF, 0x2FFFF),
        ]);
        let alphabet = Alphabet::of(&[&re]);
        let mut next = 0;
        for class in 0..alphabet.classes() {
            let (first, last) = alphabet.members(class);
            assert_eq!(first, next);
            assert_eq!(
                (alphabet.class_of(first), alphabet.class_of(last)),
                (class, class)
            );
            next = last + 1;
        }
        assert_eq!(next, MAX_CODE_POINT + 1);
    }
}
