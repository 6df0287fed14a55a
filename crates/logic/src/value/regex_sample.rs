//! Members of a language, chosen by the caller: a walk over the explored automaton that never leaves the way to acceptance.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::regex::Re;
use super::regex_search::WORK;
use super::regex_states::{Class, State, States};
use super::string::{Str, TooLarge};

/// What asking for a member led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sample {
    Member(Str),
    /// The language has no word at all.
    Empty,
    /// All its words are longer than asked for.
    Longer,
    TooLarge,
}

/// How much of an automaton is explored for sampling; a part of it is enough.
const EXPLORED: usize = 2_000;

/// The part of the automaton that was explored.
struct Graph {
    states: States,
    root: State,
    next: FxHashMap<State, Vec<(Class, State)>>,
    /// The fewest characters to an accepting state, where one can be reached.
    distance: FxHashMap<State, usize>,
    complete: bool,
}

/// A member of at most `max_len` characters. `choose(n)` picks a number below `n`.
pub fn sample(re: &Re, choose: &mut dyn FnMut(u64) -> u64, max_len: usize) -> Sample {
    let Ok(graph) = Graph::explore(re) else {
        return Sample::TooLarge;
    };
    match graph.distance.get(&graph.root) {
        Some(&distance) if distance <= max_len => Sample::Member(graph.walk(choose, max_len)),
        _ if !graph.complete => Sample::TooLarge,
        Some(_) => Sample::Longer,
        None => Sample::Empty,
    }
}

impl Graph {
    fn explore(re: &Re) -> Result<Self, TooLarge> {
        let (mut states, roots) = States::of(&[re], WORK)?;
        let mut next: FxHashMap<State, Vec<(Class, State)>> = FxHashMap::default();
        let mut order = vec![roots[0]];
        let mut seen = rustc_hash::FxHashSet::from_iter([roots[0]]);
        let mut at = 0;
        while at < order.len().min(EXPLORED) {
            let Ok(targets) = targets(&mut states, order[at]) else {
                break;
            };
            order.extend(
                targets
                    .iter()
                    .map(|&(_, target)| target)
                    .filter(|&target| seen.insert(target)),
            );
            next.insert(order[at], targets);
            at += 1;
        }
        let complete = at == order.len();
        let distance = distances(&states, &order, &next);
        Ok(Self {
            states,
            root: roots[0],
            next,
            distance,
            complete,
        })
    }

    fn walk(&self, choose: &mut dyn FnMut(u64) -> u64, max_len: usize) -> Str {
        let mut word = Vec::new();
        let mut state = self.root;
        loop {
            let left = max_len - word.len();
            let onward: Vec<(Class, State)> = self.onward(state, left).collect();
            let may_stop = self.states.is_nullable(state);
            if onward.is_empty() || (may_stop && pick(choose, 3) == 0) {
                return Str::trusted(word);
            }
            let (class, target) = onward[pick(choose, onward.len() as u64) as usize];
            word.push(character(self.states.alphabet.members(class), choose));
            state = target;
        }
    }

    /// The steps from a state after which acceptance is still within reach.
    fn onward(&self, state: State, left: usize) -> impl Iterator<Item = (Class, State)> + '_ {
        let steps = self.next.get(&state).into_iter().flatten().copied();
        steps.filter(move |(_, target)| self.distance.get(target).is_some_and(|&d| d < left))
    }
}

fn targets(states: &mut States, state: State) -> Result<Vec<(Class, State)>, TooLarge> {
    let classes = 0..states.alphabet.classes();
    classes
        .map(|class| {
            states.charge(1)?;
            Ok((class, states.derive(state, class)?))
        })
        .collect()
}

/// How far each state is from acceptance, by going backwards over the steps.
fn distances(
    states: &States,
    order: &[State],
    next: &FxHashMap<State, Vec<(Class, State)>>,
) -> FxHashMap<State, usize> {
    let mut before: FxHashMap<State, Vec<State>> = FxHashMap::default();
    for (&state, targets) in next {
        for &(_, target) in targets {
            before.entry(target).or_default().push(state);
        }
    }
    let accepting = order.iter().filter(|&&state| states.is_nullable(state));
    let mut queue: VecDeque<State> = accepting.copied().collect();
    let mut distance: FxHashMap<State, usize> = queue.iter().map(|&state| (state, 0)).collect();
    while let Some(state) = queue.pop_front() {
        let further = distance[&state] + 1;
        for &previous in before.get(&state).into_iter().flatten() {
            distance.entry(previous).or_insert_with(|| {
                queue.push_back(previous);
                further
            });
        }
    }
    distance
}

/// One of the characters from a first to a last one, more often a printable one if there is any.
fn character((first, last): (u32, u32), choose: &mut dyn FnMut(u64) -> u64) -> u32 {
    let printable = (first.max(0x20), last.min(0x7E));
    let (first, last) = match printable.0 <= printable.1 && pick(choose, 8) != 0 {
        true => printable,
        false => (first, last),
    };
    first + pick(choose, u64::from(last - first) + 1) as u32
}

/// A number below `n`, whatever the caller returns.
fn pick(choose: &mut dyn FnMut(u64) -> u64, n: u64) -> u64 {
    choose(n) % n
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simple generator, so that the test makes the same choices every time.
    fn choices() -> impl FnMut(u64) -> u64 {
        let mut state = 1_u64;
        move |n| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % n
        }
    }

    #[test]
    fn samples_are_members_and_differ() {
        let (a, b) = (Re::literal("ab".into()), Re::code_range(0x30, 0x39));
        let re = Re::inter(vec![
            Re::union(vec![a, b]).plus(),
            Re::literal("00".into()).comp(),
        ]);
        let mut choose = choices();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let Sample::Member(word) = sample(&re, &mut choose, 6) else {
                panic!("the language has short words");
            };
            assert!(word.len() <= 6);
            assert_eq!(re.contains(&word), Ok(true), "{word}");
            seen.insert(word);
        }
        assert!(seen.len() > 50);
    }

    #[test]
    fn missing_members_are_named() {
        let a = Re::literal("aaa".into());
        assert_eq!(sample(&Re::none(), &mut choices(), 9), Sample::Empty);
        assert_eq!(sample(&a, &mut choices(), 2), Sample::Longer);
        assert_eq!(sample(&a, &mut choices(), 3), Sample::Member("aaa".into()));
        assert_eq!(
            sample(&a.power(100_000), &mut choices(), 9),
            Sample::TooLarge
        );
    }
}
