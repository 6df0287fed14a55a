//! The pre-analysis: for each occurrence of a subterm, the values it may take so that the formula stays true.
//!
//! ```text
//! model x = 5, y = 3      (assert (and (> x y) (or (= x 5) p)))
//!     x in (> x y)        4 … ∞
//!     p                   anything, since (= x 5) holds
//! ```
//! Occurrences are in pre-order, so those below one follow it directly. After a change only the part in which values
//! changed is analysed again.

use super::allowed::Allowed;
use super::rules::below;
use crate::draw::Draw;
use auspex_logic::edit::Path;
use auspex_logic::eval::Memory;
use auspex_logic::render::post_order;
use auspex_logic::{Head, TermId, Terms, Value};
use rustc_hash::FxHashMap;

/// One occurrence with its allowed values.
#[derive(Clone, Debug)]
pub struct Place {
    pub term: TermId,
    pub allowed: Allowed,
    /// The relative probability of choosing it.
    pub weight: u32,
    /// Depth below the root.
    pub depth: u32,
    /// Its argument position in the parent.
    pub at: u32,
}

/// The occurrences in one assertion.
#[derive(Clone, Debug, Default)]
pub struct Map {
    places: Vec<Place>,
    literals_stay: bool,
    /// For a large assertion, of which only a part is analysed: the number of occurrences below each term.
    sizes: Option<Sizes>,
    total: u64,
    /// The occurrence that was replaced since the last analysis.
    stale: Option<usize>,
    /// Buffer for the values of arguments.
    values: Vec<Value>,
    /// Buffer for occurrences to be analysed.
    open: Vec<Place>,
}

/// The most occurrences analysed again; with much sharing there may be too many.
const MOST_REDONE: usize = 4096;

/// The extent of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    pub how: Depth,
    /// The most occurrences.
    pub limit: usize,
    /// Whether to skip occurrences that some solver requires to be literals.
    pub literals_stay: bool,
    /// Chooses the occurrences to analyse if there are more.
    pub focus: u64,
}

/// Whether allowed sets are computed, or occurrences only listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    Sets,
    Occurrences,
}

impl Map {
    /// The occurrences of a root that is true, all of whose subterms were evaluated.
    pub fn new(terms: &Terms, memory: &Memory, root: TermId, scan: Scan) -> Map {
        /// Occurrences in most assertions after some changes.
        const USUAL: usize = 32;
        let mut map = Map {
            places: Vec::with_capacity(USUAL),
            literals_stay: scan.literals_stay,
            ..Map::default()
        };
        let start = place(root, Allowed::truth(true), 0, 0);
        map.walk(terms, memory, start.clone(), scan.how, scan.limit);
        if map.places.len() >= scan.limit {
            map.sizes = Some(Sizes::of(terms, root, scan.focus));
            (map.total, map.places) = (0, Vec::new());
            map.walk(terms, memory, start, scan.how, scan.limit);
        }
        map
    }

    /// Whether the assertion has more occurrences than were analysed.
    pub fn is_partial(&self) -> bool {
        self.sizes.is_some()
    }

    pub fn places(&self) -> &[Place] {
        &self.places
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// The argument positions that lead to an occurrence.
    pub fn path(&self, number: usize) -> Path {
        let above = self.above(number);
        above
            .iter()
            .rev()
            .skip(1)
            .map(|n| self.places[*n].at)
            .collect()
    }

    /// An occurrence and those it stands in, the root last.
    fn above(&self, number: usize) -> Vec<usize> {
        let mut chain = Vec::with_capacity(8);
        let mut depth = self.places[number].depth + 1;
        for at in (0..=number).rev() {
            if self.places[at].depth < depth {
                depth = self.places[at].depth;
                chain.push(at);
                if depth == 0 {
                    break;
                }
            }
        }
        chain
    }

    /// The number of occurrences in the subtree of one, itself included.
    pub fn extent(&self, number: usize) -> usize {
        let depth = self.places[number].depth;
        let below = self.places[number + 1..].iter();
        1 + below.take_while(|place| place.depth > depth).count()
    }

    /// Records a replacement; until `settle` the map describes the previous state.
    pub fn replaced(&mut self, number: usize) {
        self.stale = Some(number);
    }

    /// Updates the map after the last replacement; the root is now another, evaluated term.
    pub fn settle(&mut self, terms: &Terms, memory: &Memory, root: TermId) {
        let Some(number) = self.stale.take() else {
            return;
        };
        let chain = self.above(number);
        let mut term = root;
        // The lowest ancestor that kept its value: everything outside of it kept its set.
        let mut redo = 0;
        let mut kept = true;
        for (step, at) in chain.iter().rev().enumerate() {
            if step > 0 {
                term = terms.args(term)[self.places[*at].at as usize];
            }
            let old = std::mem::replace(&mut self.places[*at].term, term);
            kept &= memory.known(old) == memory.known(term);
            if kept {
                redo = *at;
            }
        }
        self.redo(terms, memory, redo);
    }

    /// Records the replacement of an occurrence by a leaf with the same value.
    pub fn renamed(&mut self, terms: &Terms, number: usize, root: TermId) {
        let mut term = root;
        for (step, at) in self.above(number).iter().rev().enumerate() {
            if step > 0 {
                term = terms.args(term)[self.places[*at].at as usize];
            }
            self.places[*at].term = term;
        }
    }

    /// Analyses the subtree of an occurrence again.
    fn redo(&mut self, terms: &Terms, memory: &Memory, number: usize) {
        let end = number + self.extent(number);
        let tail = self.places.split_off(end);
        let start = self.places[number].clone();
        let gone: u64 = self.places[number..]
            .iter()
            .map(|p| u64::from(p.weight))
            .sum();
        self.total -= gone;
        self.places.truncate(number);
        let limit = MOST_REDONE + number;
        self.walk(terms, memory, start, Depth::Sets, limit);
        self.places.extend(tail);
    }

    fn walk(&mut self, terms: &Terms, memory: &Memory, start: Place, how: Depth, limit: usize) {
        let mut open = std::mem::take(&mut self.open);
        open.push(start);
        while let Some(mut place) = open.pop() {
            if self.places.len() >= limit {
                open.clear();
                break;
            }
            place.weight = match how {
                Depth::Sets => place.allowed.score(),
                Depth::Occurrences => 1,
            };
            self.total += u64::from(place.weight);
            let from = open.len();
            self.arguments(terms, memory, &place, how, &mut open);
            if self.literals_stay
                && let Head::Op(op) = terms.head(place.term)
                && terms.op(op).literals != 0
            {
                let others = open.split_off(from).into_iter();
                let free = |other: &Place| !terms.op(op).wants_literal(other.at as usize);
                open.extend(others.filter(free));
            }
            if let Some(sizes) = &mut self.sizes {
                let room = limit - self.places.len();
                sizes.choose(&mut open, from, room);
            }
            open[from..].reverse();
            self.places.push(place);
        }
        self.open = open;
    }

    /// The arguments of an occurrence.
    fn arguments(
        &mut self,
        terms: &Terms,
        memory: &Memory,
        of: &Place,
        how: Depth,
        open: &mut Vec<Place>,
    ) {
        let args = terms.args(of.term);
        let mut all = |allowed: Allowed| {
            let args = args.iter().enumerate();
            open.extend(args.map(|(at, arg)| place(*arg, allowed.clone(), of.depth + 1, at)));
        };
        match (terms.head(of.term), &of.allowed) {
            _ if args.is_empty() => {}
            // Terms in attributes have no effect.
            (Head::Annotated(_), allowed) => {
                open.push(place(args[0], allowed.clone(), of.depth + 1, 0));
            }
            (Head::Binder(_) | Head::Match(_), _) | (_, Allowed::Unknown) => all(Allowed::Unknown),
            (_, Allowed::Anything) => all(Allowed::Anything),
            _ if how == Depth::Occurrences => all(Allowed::truth(true)),
            _ => {
                self.values.clear();
                for arg in args {
                    match memory.known(*arg) {
                        Some(Ok(value)) => self.values.push(value.clone()),
                        _ => return,
                    }
                }
                let values = &self.values;
                open.extend(args.iter().enumerate().map(|(at, arg)| {
                    let allowed = below(terms, of.term, &of.allowed, values, at)
                        .unwrap_or_else(|| Allowed::Exactly(values[at].clone()));
                    place(*arg, allowed, of.depth + 1, at)
                }));
            }
        }
    }
}

/// The number of occurrences below each term of a large assertion, and a random choice.
#[derive(Clone, Debug)]
struct Sizes {
    below: FxHashMap<TermId, u64>,
    draw: Draw,
}

impl Sizes {
    fn of(terms: &Terms, root: TermId, focus: u64) -> Sizes {
        let mut below: FxHashMap<TermId, u64> = FxHashMap::default();
        for term in post_order(terms, root) {
            let args = terms.args(term).iter();
            let sum = args.fold(1u64, |sum, arg| {
                sum.saturating_add(below.get(arg).copied().unwrap_or(1))
            });
            below.insert(term, sum);
        }
        Sizes {
            below,
            draw: Draw::new(focus, 1),
        }
    }

    /// Keeps as many of the places from one on as fit with their subtrees, in random order; of a place that is too
    /// large, only itself.
    fn choose(&mut self, open: &mut Vec<Place>, from: usize, room: usize) {
        let pending = open[..from].iter().map(|place| self.size(place));
        let mut room = (room as u64).saturating_sub(pending.fold(1, u64::saturating_add));
        let mut others = open.split_off(from);
        if others
            .iter()
            .map(|place| self.size(place))
            .fold(0, u64::saturating_add)
            > room
        {
            let first = self.draw.index(others.len());
            others.rotate_left(first);
            let mut is_first = true;
            others.retain(|place| {
                let size = self.size(place);
                let keeps = is_first || size <= room;
                is_first = false;
                room = room.saturating_sub(size);
                keeps
            });
        }
        open.append(&mut others);
    }

    fn size(&self, place: &Place) -> u64 {
        self.below.get(&place.term).copied().unwrap_or(1)
    }
}

fn place(term: TermId, allowed: Allowed, depth: u32, at: usize) -> Place {
    Place {
        term,
        allowed,
        weight: 0,
        depth,
        at: at as u32,
    }
}
