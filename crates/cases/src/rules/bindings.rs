//! Bindings of a rule's variables and letters: the result of matching, and the input of building.

use super::pattern::Variable;
use super::size::{LETTERS, slot};
use auspex_logic::{Fun, Sort, TermId, Terms};

/// The letters for any comparable sort.
pub const SORTS: [char; 3] = ['X', 'Y', 'Z'];
/// The place of the sort `N`, which is `Int` or `Real`.
const NUMBER: usize = 3;
/// The place of the datatype `D`.
const DATA: usize = 4;
/// The most variables of a rule.
pub const MOST_VARIABLES: usize = 8;
/// The names of constructors in rules: two without fields, and one with any number of them.
pub const CONSTRUCTORS: [&str; 3] = ["c0", "d0", "cn"];
/// The one that has fields.
pub const WITH_FIELDS: u8 = 2;

/// The bindings of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    pub(super) terms: [Option<TermId>; MOST_VARIABLES],
    sorts: [Option<Sort>; 5],
    numbers: [Option<u64>; LETTERS.len()],
    pub(super) constructors: [Option<u32>; CONSTRUCTORS.len()],
    pub(super) function: Option<Fun>,
    /// The remainder of this number by the number of fields chooses one.
    pub(super) turn: usize,
}

impl Bindings {
    /// Empty bindings; the number chooses a field of constructors.
    pub fn choosing(turn: usize) -> Bindings {
        Bindings {
            turn,
            ..Bindings::default()
        }
    }

    /// The same with terms for the variables, in their order.
    #[must_use]
    pub fn with_terms(mut self, terms: &[TermId]) -> Bindings {
        for (slot, term) in self.terms.iter_mut().zip(terms) {
            *slot = Some(*term);
        }
        self
    }

    pub fn number(&self, slot: u8) -> Option<u64> {
        self.numbers[slot as usize]
    }

    pub fn has_number(&self, letter: char) -> bool {
        self.number_of(letter).is_some()
    }

    /// The number bound to a letter.
    pub fn number_of(&self, letter: char) -> Option<u64> {
        self.number(slot(letter)?)
    }

    /// Binds a letter again.
    pub fn set_number(&mut self, letter: char, number: u64) {
        if let Some(slot) = slot(letter) {
            self.numbers[slot as usize] = Some(number);
        }
    }

    /// The same with another number for one letter.
    pub(super) fn with_number(mut self, slot: u8, number: u64) -> Bindings {
        self.numbers[slot as usize] = Some(number);
        self
    }

    pub(super) fn bind_number(&mut self, slot: u8, number: u64) -> bool {
        bind(&mut self.numbers[slot as usize], number)
    }

    /// The sort of a place among `SORTS`.
    pub fn sort(&self, place: u8) -> Option<Sort> {
        self.sorts[place as usize]
    }

    pub fn set_sort(&mut self, place: u8, sort: Sort) {
        self.sorts[place as usize] = Some(sort);
    }

    pub(super) fn bind_sort(&mut self, place: u8, sort: Sort) -> bool {
        bind(&mut self.sorts[place as usize], sort)
    }

    pub(super) fn numeric(&self) -> Option<Sort> {
        self.sorts[NUMBER]
    }

    pub(super) fn bind_numeric(&mut self, sort: Sort) -> bool {
        bind(&mut self.sorts[NUMBER], sort)
    }

    pub(super) fn data(&self) -> Option<Sort> {
        self.sorts[DATA]
    }

    pub(super) fn bind_data(&mut self, sort: Sort) -> bool {
        bind(&mut self.sorts[DATA], sort)
    }

    pub(super) fn constructor(&self, terms: &mut Terms, slot: u8) -> Option<Fun> {
        terms.constructor(self.data()?, self.constructors[slot as usize]?)
    }

    /// The sort of the chosen field of the constructor that has fields.
    pub(super) fn field(&self, terms: &mut Terms) -> Option<Sort> {
        let constructor = self.constructor(terms, WITH_FIELDS)?;
        let fields = &terms.fun(constructor).params;
        fields.get(self.turn.checked_rem(fields.len())?).copied()
    }

    /// Different names are different constructors of the same datatype.
    pub(super) fn bind_constructor(&mut self, slot: u8, sort: Sort, number: u32) -> bool {
        let slot = slot as usize;
        let taken = (0..CONSTRUCTORS.len())
            .any(|other| other != slot && self.constructors[other] == Some(number));
        !taken && self.bind_data(sort) && bind(&mut self.constructors[slot], number)
    }

    pub(super) fn bind_function(&mut self, fun: Fun) -> bool {
        bind(&mut self.function, fun)
    }

    /// The other fields of an application, by the application; the same ones if they are bound already.
    pub(super) fn bind_rest(
        &mut self,
        terms: &Terms,
        rest: u8,
        term: TermId,
        chosen: usize,
    ) -> bool {
        let bound = *self.terms[rest as usize].get_or_insert(term);
        let (old, new) = (terms.args(bound), terms.args(term));
        let mut pairs = old.iter().zip(new).enumerate();
        old.len() == new.len() && pairs.all(|(field, (a, b))| field == chosen || a == b)
    }

    /// Whether every bound variable that must be a literal is one with the property.
    pub(super) fn meets(&self, terms: &Terms, variables: &[Variable]) -> bool {
        variables
            .iter()
            .zip(&self.terms)
            .all(|(variable, term)| match (variable.literal, term) {
                (Some(literal), Some(term)) => {
                    terms.literal_value(*term).is_some_and(|v| literal.holds(v))
                }
                _ => true,
            })
    }
}

fn bind<T: PartialEq + Copy>(slot: &mut Option<T>, value: T) -> bool {
    *slot.get_or_insert(value) == value
}
