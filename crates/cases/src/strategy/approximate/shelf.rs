//! Changes and atoms kept as text, so that mutants of one seed can share them: a mutant is then a few numbers drawn
//! and a few pieces of text put together.
//!
//! ```text
//! change 17    (< x y) becomes (or (< x y) _)      atom 5   (= (* 2 y) 7)      formula   (not (= (* 2 y) 7))
//! ```
//!
//! They are made when a seed is made ready, and what stands where is a matter of the seed alone. A change has at most one
//! open place for a formula, and a formula is one or two atoms under a connective, so that a few of all make many mutants.
//! Now and then a mutant has a change or an atom of its own.

use super::change::{Change, Place, Step};
use super::pantry::{CONNECTIVES, Pantry, connected, place};
use super::skeleton::Skeleton;
use super::spot::Spot;
use crate::case::Direction;
use crate::draw::Draw;
use crate::rules::approximation::{Order, Side};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{TermId, Terms};
use std::ops::Range;
use std::rc::Rc;

/// A change as text.
pub struct Entry {
    number: u64,
    pub place: Place,
    /// What it replaces in the text of the seed.
    pub span: Range<usize>,
    /// What stands before and after each occurrence of the formula.
    pieces: Box<[Box<str>]>,
    /// The connective by which a formula beside it goes on in the same direction, where one may stand.
    beside: Option<Beside>,
}

/// How a formula is put beside what stands at a place.
#[derive(Clone, Copy)]
struct Beside {
    connective: &'static str,
    rule: &'static str,
}

/// An atom as text, with the first assertion that it may stand in.
struct Atom {
    number: u64,
    of: usize,
    text: Box<str>,
}

/// One atom or two under a connective.
pub struct Formula {
    connective: &'static str,
    first: Rc<Atom>,
    second: Option<Rc<Atom>>,
}

/// A change with its formulas: the one for its open place, and one beside it.
pub struct Shared {
    pub entry: Rc<Entry>,
    inside: Option<Formula>,
    beside: Option<Formula>,
}

/// Without and with nonlinear arithmetic where the logic leaves that open.
type Kept<T> = [Vec<Rc<T>>; 2];

/// Changes of both directions, and atoms in the order of the assertions that they may stand in.
#[derive(Default)]
pub struct Shelf {
    weaker: Kept<Entry>,
    stronger: Kept<Entry>,
    atoms: Kept<Atom>,
}

/// One change in so many is a new one, and one atom.
const NEW: u64 = 128;
const NEW_ATOM: u64 = 512;

/// Numbers are of four kinds in turn. Atoms of the first are made for the first assertion and may stand everywhere;
/// what has the last may use nonlinear arithmetic.
const KINDS: u64 = 4;

pub fn is_linear(number: u64) -> bool {
    number % KINDS != KINDS - 1
}

/// The number of any change or atom.
pub fn any_number(linear: bool, draw: &mut Draw) -> u64 {
    const ALL: u64 = 1 << 60;
    KINDS * draw.below(ALL) + draw.below(KINDS - u64::from(linear))
}

/// Those of the first so many numbers that lead somewhere.
fn first<T>(count: u64, mut make: impl FnMut(u64) -> Option<T>) -> Kept<T> {
    let mut kept = Kept::default();
    for number in 0..count {
        let made = make(number).map(Rc::new);
        kept[usize::from(!is_linear(number))].extend(made);
    }
    kept
}

/// Of what is kept, that of one kind.
fn of_kind<'k, T>(kept: &'k Kept<T>, linear: bool, draw: &mut Draw) -> &'k [Rc<T>] {
    &kept[usize::from(!linear && draw.one_in(KINDS))]
}

impl Skeleton<'_> {
    /// Changes of some directions and atoms that mutants will share. The arena may forget their terms.
    pub fn stock(&self, terms: &mut Terms, directions: &[Direction], room: u64) -> Shelf {
        let mut of = |direction| match directions.contains(&direction) {
            true => first(room, |number| self.entry(terms, direction, number)),
            false => Kept::default(),
        };
        let (weaker, stronger) = (of(Direction::Weaker), of(Direction::Stronger));
        let mut atoms = first(room / 2, |number| self.atom(terms, number));
        for atoms in &mut atoms {
            atoms.sort_by_key(|atom| atom.of);
        }
        Shelf {
            weaker,
            stronger,
            atoms,
        }
    }

    /// One of the changes kept, or now and then a new one.
    pub fn shared_change(
        &self,
        terms: &mut Terms,
        direction: Direction,
        linear: bool,
        draw: &mut Draw,
    ) -> Option<Rc<Entry>> {
        let kept = match direction {
            Direction::Weaker => &self.shelf.weaker,
            Direction::Stronger => &self.shelf.stronger,
        };
        let kept = of_kind(kept, linear, draw);
        match draw.pick(kept) {
            Some(entry) if !draw.one_in(NEW) => Some(entry.clone()),
            _ => {
                let number = any_number(linear, draw);
                self.entry(terms, direction, number).map(Rc::new)
            }
        }
    }

    /// The change of a number as text.
    fn entry(&self, terms: &mut Terms, direction: Direction, number: u64) -> Option<Entry> {
        let change = self.change(terms, direction, number)?;
        let mut text = String::new();
        self.write_term(terms, change.place, change.whole()?, &mut text);
        let hole = self.hole.as_ref()?;
        Some(Entry {
            number,
            place: change.place,
            span: self
                .text(terms)
                .map_or(0..0, |text| text.span(change.place)),
            pieces: text.split(&*hole.name).map(Box::from).collect(),
            beside: self.beside(direction, change.place),
        })
    }

    /// Where bound variables are in scope, a formula may not be able to stand.
    fn beside(&self, direction: Direction, place: Place) -> Option<Beside> {
        let spot = &self.active[place.of].spots.all[place.spot];
        let (connective, rule) = match spot.side_for(direction) {
            Side::Lesser => ("or", "inject-or"),
            Side::Greater => ("and", "inject-and"),
        };
        let may = spot.order == Order::Truth && spot.scope.is_empty();
        may.then_some(Beside { connective, rule })
    }

    /// A formula for a place of an assertion.
    pub fn formula(
        &self,
        terms: &mut Terms,
        of: usize,
        linear: bool,
        draw: &mut Draw,
    ) -> Option<Formula> {
        let connective = *draw.pick(CONNECTIVES)?;
        let first = self.shared_atom(terms, of, linear, draw)?;
        let second = match connective {
            "" | "not" => None,
            _ => Some(self.shared_atom(terms, of, linear, draw)?),
        };
        Some(Formula {
            connective,
            first,
            second,
        })
    }

    /// One of the atoms kept that may stand in an assertion, or now and then a new one.
    fn shared_atom(
        &self,
        terms: &mut Terms,
        of: usize,
        linear: bool,
        draw: &mut Draw,
    ) -> Option<Rc<Atom>> {
        let kept = of_kind(&self.shelf.atoms, linear, draw);
        let fitting = kept.partition_point(|atom| atom.of <= of);
        match draw.pick(&kept[..fitting]) {
            Some(atom) if !draw.one_in(NEW_ATOM) => Some(atom.clone()),
            _ => {
                let mut number = any_number(linear, draw);
                if self.atom_place(number).0 > of {
                    number -= number % KINDS;
                }
                self.atom(terms, number).map(Rc::new)
            }
        }
    }

    fn atom(&self, terms: &mut Terms, number: u64) -> Option<Atom> {
        let term = self.atom_term(terms, number)?;
        Some(Atom {
            number,
            of: self.atom_place(number).0,
            text: render::term(terms, term, Sharing::Auto).into(),
        })
    }

    /// The assertion that an atom is made for. What may stand there may stand in later ones.
    fn atom_place(&self, number: u64) -> (usize, Draw) {
        const ATOMS: u64 = 0xf0;
        let mut draw = Draw::new(self.turn ^ ATOMS, number);
        let any = draw.index(self.active.len());
        (if number.is_multiple_of(KINDS) { 0 } else { any }, draw)
    }

    fn atom_term(&self, terms: &mut Terms, number: u64) -> Option<TermId> {
        let (of, mut draw) = self.atom_place(number);
        let mut pantry = Pantry {
            larder: self.larder(terms),
            draw: &mut draw,
            spot: &Spot::root(self.active[of].spots.all[0].term, Side::Lesser),
            place: place(of),
            linear: is_linear(number),
            depth: self.strategy.depth,
            hole: None,
        };
        pantry.atom(terms)
    }

    fn formula_term(&self, terms: &mut Terms, formula: &Formula) -> Option<TermId> {
        let first = self.atom_term(terms, formula.first.number)?;
        let second = match &formula.second {
            Some(atom) => Some(self.atom_term(terms, atom.number)?),
            None => None,
        };
        connected(terms, formula.connective, first, second)
    }

    /// A shared change with its formulas, as terms.
    pub fn again(&self, terms: &mut Terms, direction: Direction, shared: &Shared) -> Change {
        let change = self.change(terms, direction, shared.entry.number);
        let mut change = change.unwrap_or_else(|| unreachable!("{MADE_ONCE}"));
        let term = |terms: &mut Terms, formula: &Formula| {
            let term = self.formula_term(terms, formula);
            term.unwrap_or_else(|| unreachable!("{MADE_ONCE}"))
        };
        if let (Some(formula), Some(hole)) = (&shared.inside, &self.hole) {
            let formula = term(terms, formula);
            change.fill(terms, hole.term, formula);
        }
        if let (Some(formula), Some(beside), Some(old)) =
            (&shared.beside, shared.entry.beside, change.whole())
        {
            let formula = term(terms, formula);
            let new = terms.app(beside.connective, &[old, formula]);
            let whole = new.unwrap_or_else(|_| unreachable!("{MADE_ONCE}"));
            change.steps.push(Step {
                whole,
                below: Vec::new(),
                old,
                new: whole,
                how: beside.rule,
            });
        }
        change
    }
}

const MADE_ONCE: &str = "what was made once can be made again";

impl Entry {
    /// Whether it has an open place for a formula.
    pub fn is_open(&self) -> bool {
        self.pieces.len() > 1
    }
}

impl Shared {
    pub fn new(entry: Rc<Entry>, inside: Option<Formula>) -> Shared {
        Shared {
            entry,
            inside,
            beside: None,
        }
    }

    /// Whether another formula may be put beside it.
    pub fn takes_more(&self) -> bool {
        self.entry.beside.is_some() && self.beside.is_none()
    }

    pub fn put_beside(&mut self, formula: Formula) {
        self.beside = Some(formula);
    }

    pub fn write(&self, out: &mut String) {
        match (&self.beside, self.entry.beside) {
            (Some(formula), Some(beside)) => {
                out.push('(');
                out.push_str(beside.connective);
                out.push(' ');
                self.write_changed(out);
                out.push(' ');
                formula.write(out);
                out.push(')');
            }
            _ => self.write_changed(out),
        }
    }

    fn write_changed(&self, out: &mut String) {
        for (at, piece) in self.entry.pieces.iter().enumerate() {
            if let (1.., Some(formula)) = (at, &self.inside) {
                formula.write(out);
            }
            out.push_str(piece);
        }
    }
}

impl Formula {
    fn write(&self, out: &mut String) {
        if self.connective.is_empty() {
            return out.push_str(&self.first.text);
        }
        out.push('(');
        out.push_str(self.connective);
        for atom in [Some(&self.first), self.second.as_ref()]
            .into_iter()
            .flatten()
        {
            out.push(' ');
            out.push_str(&atom.text);
        }
        out.push(')');
    }
}
