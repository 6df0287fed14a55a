//! Questions about whole languages: emptiness, inclusion, equality, and a shortest word that decides them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::regex::Re;
use super::regex_states::{ALL, Class, EMPTY, State, States};
use super::string::{Str, TooLarge};

/// The work allowed for one question if nothing else is said: below a second.
const WORK: u64 = 1 << 21;

/// Whether a statement about all words holds, with the shortest word against it if not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No(Str),
    TooLarge,
}

impl Answer {
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No(_) => Some(false),
            Self::TooLarge => None,
        }
    }
}

impl Re {
    /// Whether the language is empty; otherwise its shortest word.
    pub fn is_empty_language(&self) -> Answer {
        self.is_empty_within(WORK)
    }

    pub fn is_empty_within(&self, work: u64) -> Answer {
        answer(self, &Self::none(), work, |left, _| left)
    }

    /// Whether every word of this language is in the other; otherwise the shortest that is not.
    pub fn is_included_in(&self, other: &Self) -> Answer {
        self.is_included_within(other, WORK)
    }

    pub fn is_included_within(&self, other: &Self, work: u64) -> Answer {
        answer(self, other, work, |left, right| left && !right)
    }

    /// Whether both languages are the same, which is what `=` means; otherwise the shortest word of only one.
    pub fn same_language(&self, other: &Self) -> Answer {
        self.same_language_within(other, WORK)
    }

    pub fn same_language_within(&self, other: &Self, work: u64) -> Answer {
        answer(self, other, work, |left, right| left != right)
    }
}

/// Whether no word is `against`, told from its membership in both languages.
fn answer(left: &Re, right: &Re, work: u64, against: fn(bool, bool) -> bool) -> Answer {
    let search = || {
        let (mut states, roots) = States::of(&[left, right], work)?;
        search(&mut states, (roots[0], roots[1]), against)
    };
    match search() {
        Ok(None) => Answer::Yes,
        Ok(Some(word)) => Answer::No(word),
        Err(TooLarge) => Answer::TooLarge,
    }
}

type Pair = (State, State);

/// A shortest word that is `against`, found breadth first over pairs of derivatives.
fn search(
    states: &mut States,
    start: Pair,
    against: fn(bool, bool) -> bool,
) -> Result<Option<Str>, TooLarge> {
    let mut came_from: FxHashMap<Pair, (Pair, Class)> = FxHashMap::default();
    let mut queue = VecDeque::from([start]);
    came_from.insert(start, (start, 0));
    while let Some(pair) = queue.pop_front() {
        if against(states.is_nullable(pair.0), states.is_nullable(pair.1)) {
            return Ok(Some(word_to(states, start, pair, &came_from)));
        }
        if is_settled(pair, against) {
            continue;
        }
        for class in 0..states.alphabet.classes() {
            states.charge(1)?;
            let next = (states.derive(pair.0, class)?, states.derive(pair.1, class)?);
            came_from.entry(next).or_insert_with(|| {
                queue.push_back(next);
                (pair, class)
            });
        }
    }
    Ok(None)
}

/// Whether no continuation of a pair can be `against` any more.
fn is_settled(pair: Pair, against: fn(bool, bool) -> bool) -> bool {
    let possible = |state| match state {
        EMPTY => [false].as_slice(),
        ALL => [true].as_slice(),
        _ => [false, true].as_slice(),
    };
    let (left, right) = (possible(pair.0), possible(pair.1));
    let mut both = left
        .iter()
        .flat_map(|&l| right.iter().map(move |&r| (l, r)));
    both.all(|(l, r)| (pair.0 == pair.1 && l != r) || !against(l, r))
}

fn word_to(
    states: &States,
    start: Pair,
    end: Pair,
    came_from: &FxHashMap<Pair, (Pair, Class)>,
) -> Str {
    let mut word = Vec::new();
    let mut pair = end;
    while pair != start {
        let (previous, class) = came_from[&pair];
        word.push(typical(states.alphabet.members(class)));
        pair = previous;
    }
    word.reverse();
    Str::trusted(word)
}

/// A readable character of a range if there is one: a letter, else a printable one, else the first.
fn typical((first, last): (u32, u32)) -> u32 {
    let candidates = [(0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x20, 0x7E)];
    let overlap = candidates
        .iter()
        .find(|&&(low, high)| first <= high && low <= last);
    overlap.map_or(first, |&(low, _)| low.max(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(text: &str) -> Re {
        Re::literal(text.into())
    }

    fn no(word: &str) -> Answer {
        Answer::No(word.into())
    }

    #[test]
    fn emptiness_gives_a_shortest_word() {
        assert_eq!(Re::none().is_empty_language(), Answer::Yes);
        assert_eq!(Re::all().is_empty_language(), no(""));
        assert_eq!(
            Re::inter(vec![lit("aa").plus(), lit("aaa").plus()]).is_empty_language(),
            no("aaaaaa")
        );
        let ab = Re::concat(vec![lit("a"), Re::all()]);
        let ba = Re::concat(vec![lit("b"), Re::all()]);
        assert_eq!(Re::inter(vec![ab, ba]).is_empty_language(), Answer::Yes);
    }

    #[test]
    fn inclusion_and_equality_are_told_apart() {
        let (a, digits) = (lit("a"), Re::code_range(0x30, 0x39).plus());
        assert_eq!(a.plus().is_included_in(&a.star()), Answer::Yes);
        assert_eq!(a.star().is_included_in(&a.plus()), no(""));
        assert_eq!(
            a.plus()
                .same_language(&Re::concat(vec![a.star(), a.clone()])),
            Answer::Yes
        );
        assert_eq!(
            a.repeat(2, Some(4)).same_language(&a.repeat(2, Some(5))),
            no("aaaaa")
        );
        assert_eq!(digits.comp().comp().same_language(&digits), Answer::Yes);
        assert_eq!(digits.is_included_in(&digits.comp()), no("0"));
        let de_morgan = Re::inter(vec![a.comp(), digits.comp()]).comp();
        assert_eq!(
            Re::union(vec![a, digits]).same_language(&de_morgan),
            Answer::Yes
        );
    }

    #[test]
    fn exponential_automata_are_undetermined() {
        let nth_from_end = Re::concat(vec![Re::all(), lit("a"), Re::all_char().power(40)]);
        let other = Re::concat(vec![Re::all(), lit("a"), Re::all_char().power(41)]);
        let both = Re::inter(vec![nth_from_end.comp(), other.comp()]).comp();
        assert_eq!(
            both.same_language_within(
                &Re::union(vec![nth_from_end, other, lit("b").power(60)]),
                100_000
            ),
            Answer::TooLarge
        );
    }
}
