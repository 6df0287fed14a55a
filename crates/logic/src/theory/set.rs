//! Sets of theories.

use super::Theory;

/// A set of theories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TheorySet(u32);

impl TheorySet {
    pub const ALL: TheorySet = TheorySet(u32::MAX);

    /// The set of one theory.
    pub const fn one(theory: Theory) -> TheorySet {
        TheorySet(1 << theory as u32)
    }

    pub fn of(all: &[Theory]) -> TheorySet {
        let mut set = TheorySet::default();
        all.iter().for_each(|theory| set.insert(*theory));
        set
    }

    pub fn insert(&mut self, theory: Theory) {
        self.0 |= 1 << theory as u32;
    }

    pub fn contains(self, theory: Theory) -> bool {
        self.0 & (1 << theory as u32) != 0
    }

    /// Whether both have a theory in common.
    pub fn meets(self, other: TheorySet) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set without one theory.
    pub fn without(self, theory: Theory) -> TheorySet {
        TheorySet(self.0 & !(1 << theory as u32))
    }

    /// All that is in one of both.
    pub fn union(self, other: TheorySet) -> TheorySet {
        TheorySet(self.0 | other.0)
    }

    pub fn includes(self, other: TheorySet) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set as a bit mask.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }

    /// The names, in the order of `Theory::ALL`.
    pub fn names(self) -> Vec<&'static str> {
        let inside = Theory::ALL.into_iter().filter(|t| self.contains(*t));
        inside.map(Theory::name).collect()
    }
}
