//! Brzozowski derivatives of normal forms: what may follow after one character.

use super::regex_states::{Class, EMPTY, EPSILON, Form, State, States};
use super::string::TooLarge;

impl States {
    /// The form of all words that, after a character of `class`, lead into `state`.
    /// Works with an own stack, because forms may be nested deeply.
    pub(super) fn derive(&mut self, state: State, class: Class) -> Result<State, TooLarge> {
        if let Some(known) = self.derivative(state, class) {
            return Ok(known);
        }
        let mut pending = vec![state];
        while let Some(&top) = pending.last() {
            if self.derivative(top, class).is_some() {
                pending.pop();
                continue;
            }
            let before = pending.len();
            self.push_underived_parts(top, class, &mut pending);
            self.charge(1 + pending.len() - before)?;
            if pending.len() == before {
                let derivative = self.derive_from_parts(top, class)?;
                self.derived.insert((top, class), derivative);
            }
        }
        self.derivative(state, class).ok_or(TooLarge)
    }

    /// The derivative if it is known or immediate.
    fn derivative(&self, state: State, class: Class) -> Option<State> {
        match self.form(state) {
            Form::Epsilon => Some(EMPTY),
            Form::Chars(set) => {
                let after = set.partition_point(|&(first, _)| first <= class);
                let inside = after > 0 && class <= set[after - 1].1;
                Some(if inside { EPSILON } else { EMPTY })
            }
            _ => self.derived.get(&(state, class)).copied(),
        }
    }

    fn push_underived_parts(&self, state: State, class: Class, pending: &mut Vec<State>) {
        let mut push = |part: State| {
            if self.derivative(part, class).is_none() {
                pending.push(part);
            }
        };
        match self.form(state) {
            Form::Chars(_) | Form::Epsilon => {}
            Form::Concat(left, right) => {
                push(*left);
                if self.is_nullable(*left) {
                    push(*right);
                }
            }
            Form::Star(part) | Form::Loop(part, ..) | Form::Not(part) => push(*part),
            Form::Union(parts) | Form::Inter(parts) => parts.iter().copied().for_each(push),
        }
    }

    fn derive_from_parts(&mut self, state: State, class: Class) -> Result<State, TooLarge> {
        let of = |states: &Self, part| states.derivative(part, class).ok_or(TooLarge);
        match self.form(state).clone() {
            Form::Chars(_) | Form::Epsilon => of(self, state),
            Form::Concat(left, right) => {
                let left_derived = of(self, left)?;
                let first = self.concat(left_derived, right)?;
                match self.is_nullable(left) {
                    false => Ok(first),
                    true => self.union(&[first, of(self, right)?]),
                }
            }
            Form::Star(part) => self.concat(of(self, part)?, state),
            Form::Loop(part, least, most) => {
                let rest = self.one_less(part, least, most)?;
                self.concat(of(self, part)?, rest)
            }
            Form::Not(part) => self.not(of(self, part)?),
            Form::Union(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|&part| of(self, part)).collect();
                self.union(&parts?)
            }
            Form::Inter(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|&part| of(self, part)).collect();
                self.inter(&parts?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::regex::Re;
    use super::*;

    /// The derivative of an expression by a word has the form of another expression.
    fn check(before: &Re, word: &str, after: &Re) {
        let (mut states, roots) = States::of(&[before, after], 10_000).unwrap();
        let mut state = roots[0];
        for c in word.chars() {
            let class = states.alphabet.class_of(u32::from(c));
            state = states.derive(state, class).unwrap();
        }
        assert!(state == roots[1], "{before} by {word} is not {after}");
    }

    fn lit(text: &str) -> Re {
        Re::literal(text.into())
    }

    #[test]
    fn derivatives_of_each_operator() {
        let ab_loop = lit("ab").repeat(2, Some(4));
        check(&lit("abc"), "ab", &lit("c"));
        check(&lit("ab").star(), "ab", &lit("ab").star());
        check(&ab_loop, "ab", &lit("ab").repeat(1, Some(3)));
        check(&lit("ab").repeat(3, None), "ab", &lit("ab").repeat(2, None));
        check(&lit("ab").comp(), "a", &lit("b").comp());
        check(&lit("ab").comp(), "b", &Re::all());
        check(
            &Re::union(vec![lit("ab"), lit("ac")]),
            "a",
            &Re::code_range(98, 99),
        );
        check(
            &Re::concat(vec![lit("a").opt(), lit("ab")]),
            "a",
            &Re::union(vec![lit("ab"), lit("b")]),
        );
    }

    #[test]
    fn long_nullable_chains_do_not_overflow_the_stack() {
        let parts = vec![lit("a").opt(); 100_000];
        let chain = Re::concat(parts.clone());
        let (mut states, roots) = States::of(&[&chain], 10_000_000).unwrap();
        let z = states.alphabet.class_of(u32::from('z'));
        assert_eq!(states.derive(roots[0], z), Ok(EMPTY));
    }
}
