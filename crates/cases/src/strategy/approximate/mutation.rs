//! A mutant in the making: a skeleton with other terms at some of its places.

use super::change::{Change, How, Place, Step};
use super::shelf::{Entry, Formula, is_linear};
use super::skeleton::Skeleton;
use crate::case::Direction;
use crate::draw::Draw;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, TermId, Terms};
use std::borrow::Cow;
use std::ops::Range;

/// A mutant of one skeleton.
pub struct Mutation<'k, 'w> {
    skeleton: &'k Skeleton<'w>,
    direction: Direction,
    linear: bool,
    /// No place lies within another.
    parts: Vec<Part<'k>>,
}

/// A changed place.
enum Part<'k> {
    /// As text, with the formula for its open place; their terms can be made again.
    Text(Cow<'k, Entry>, Option<Cow<'k, Formula>>),
    /// Made for this mutant, in the arena.
    Made(Change),
}

/// Further attempts where nothing was changed.
const PATIENCE: usize = 6;
/// Further attempts to find a place that is still free.
const SEARCH: usize = 2;

impl Part<'_> {
    fn place(&self) -> Place {
        match self {
            Part::Text(entry, _) => entry.place,
            Part::Made(change) => change.place,
        }
    }
}

impl<'k, 'w> Mutation<'k, 'w> {
    /// A mutant of a skeleton, or none if nothing could be changed.
    pub fn make(
        skeleton: &'k Skeleton<'w>,
        direction: Direction,
        terms: &mut Terms,
        draw: &mut Draw,
    ) -> Option<Mutation<'k, 'w>> {
        let mut mutation = Mutation {
            skeleton,
            direction,
            linear: !draw.one_in(4),
            parts: Vec::with_capacity(8),
        };
        let mut rounds = 1;
        while rounds < skeleton.strategy.rounds && draw.one_in(4) {
            rounds += 1;
        }
        for _ in 0..rounds {
            // Rather more than fewer: with one change only a mutant is more often like another.
            let [one, other] = [(); 2].map(|()| draw.between(1, skeleton.strategy.literals));
            for _ in 0..one.max(other) {
                mutation.change(terms, draw);
            }
        }
        // A draw may have failed to change anything: try a little longer.
        for _ in 0..PATIENCE {
            if mutation.parts.is_empty() {
                mutation.change(terms, draw);
            }
        }
        (!mutation.parts.is_empty()).then_some(mutation)
    }

    /// Changes one place, unless what is drawn leads nowhere.
    fn change(&mut self, terms: &mut Terms, draw: &mut Draw) -> Option<()> {
        for _ in 0..=SEARCH {
            let number = self.skeleton.shelf.change(self.linear, draw);
            let place = self.skeleton.place_of(terms, self.direction, number)?;
            match self.taken(place) {
                None => {
                    let part = self.part(terms, number, draw)?;
                    self.parts.push(part);
                    return Some(());
                }
                Some(at) if self.is_open(at) => return self.go_on(terms, at, number),
                Some(_) => {}
            }
        }
        None
    }

    /// The change of a number, as text if the seed is made ready for that.
    fn part(&self, terms: &mut Terms, number: u64, draw: &mut Draw) -> Option<Part<'k>> {
        let (skeleton, direction) = (self.skeleton, self.direction);
        if skeleton.hole.is_none() {
            let change = skeleton.change(terms, direction, number)?;
            return Some(Part::Made(change));
        }
        let entry = skeleton.entry(terms, direction, number)?;
        let formula = match entry.pieces.len() {
            1 => None,
            _ => Some(skeleton.formula(terms, entry.place.of, self.linear, draw)?),
        };
        Some(Part::Text(entry, formula))
    }

    /// Whether a changed place has no places below it to choose from.
    fn is_open(&self, part: usize) -> bool {
        let Place { of, spot } = self.parts[part].place();
        self.skeleton.active[of].spots.is_open(spot)
    }

    /// The part that a place lies in or around.
    fn taken(&self, place: Place) -> Option<usize> {
        let spots = &self.skeleton.active[place.of].spots.all;
        let path = &spots[place.spot].path;
        self.parts.iter().position(|part| {
            let Place { of, spot } = part.place();
            of == place.of && {
                let other = &spots[spot].path;
                path.starts_with(other) || other.starts_with(path)
            }
        })
    }

    /// Changes more at or below a changed place.
    fn go_on(&mut self, terms: &mut Terms, at: usize, number: u64) -> Option<()> {
        let (skeleton, direction) = (self.skeleton, self.direction);
        let mut change = match &mut self.parts[at] {
            Part::Text(entry, formula) => {
                skeleton.again(terms, direction, entry, formula.as_deref())
            }
            Part::Made(change) => std::mem::take(change),
        };
        let how = How {
            direction,
            linear: is_linear(number),
            hole: None,
        };
        let (_, mut draw) = skeleton.place(number);
        let more = skeleton.go_on(terms, how, &mut draw, &mut change);
        self.parts[at] = Part::Made(change);
        more
    }

    // ---- what came of it ----

    pub fn direction(&self) -> Direction {
        self.direction
    }

    pub fn names(&self) -> super::Names {
        self.skeleton.names.clone()
    }

    /// Appends the text of the mutant, mostly copied from that of its seed.
    pub fn write(&self, terms: &mut Terms, out: &mut String) {
        let Some(text) = self.skeleton.text(terms) else {
            let (script, _) = self.script(terms);
            return render::script_to(terms, &script, Sharing::Auto, out);
        };
        let span = |part: &'_ Part<'k>| text.span(part.place());
        let mut order: Vec<(Range<usize>, &Part<'k>)> =
            self.parts.iter().map(|part| (span(part), part)).collect();
        order.sort_unstable_by_key(|(span, _)| span.start);
        let mut written = 0;
        for (span, part) in order {
            out.push_str(&text.text[written..span.start]);
            match part {
                Part::Text(entry, formula) => {
                    for (at, piece) in entry.pieces.iter().enumerate() {
                        if let (1.., Some(formula)) = (at, formula) {
                            out.push_str(&formula.text);
                        }
                        out.push_str(piece);
                    }
                }
                Part::Made(change) => {
                    let whole = change.whole().into_iter();
                    whole.for_each(|term| self.skeleton.write_term(terms, change.place, term, out));
                }
            }
            written = span.end;
        }
        out.push_str(&text.text[written..]);
    }

    /// The script, and each step in words.
    pub fn script(&self, terms: &mut Terms) -> (Script, Vec<String>) {
        let steps = self.steps(terms);
        (
            self.skeleton.script(terms, &steps),
            self.told(terms, &steps),
        )
    }

    fn steps(&self, terms: &mut Terms) -> Vec<(Place, Step)> {
        let mut all = Vec::new();
        for part in &self.parts {
            let steps = match part {
                Part::Made(change) => change.steps.clone(),
                Part::Text(entry, formula) => {
                    let formula = formula.as_deref();
                    let change = self.skeleton.again(terms, self.direction, entry, formula);
                    change.steps
                }
            };
            all.extend(steps.into_iter().map(|step| (part.place(), step)));
        }
        all
    }

    /// The script after each step, the seed first.
    pub fn stages(&self, terms: &mut Terms) -> Vec<Script> {
        let before = self.skeleton.before.as_ref();
        let mut stages: Vec<Script> = before.map(|(c, _)| script(c.clone())).into_iter().collect();
        let steps = self.steps(terms);
        for count in 0..=steps.len() {
            stages.push(self.skeleton.script(terms, &steps[..count]));
        }
        stages
    }

    fn told(&self, terms: &Terms, steps: &[(Place, Step)]) -> Vec<String> {
        let verb = match self.direction {
            Direction::Weaker => "weaken",
            Direction::Stronger => "strengthen",
        };
        let normal = self
            .skeleton
            .before
            .as_ref()
            .map(|(_, count)| format!("{count} assertions in conjunctive normal form"));
        let steps = steps.iter().map(|(Place { of, spot }, step)| {
            let path = self.skeleton.active[*of].spots.all[*spot].path.iter();
            let path: Vec<String> = path.chain(&step.below).map(u32::to_string).collect();
            let (old, new) = (shown(terms, step.old), shown(terms, step.new));
            format!(
                "{verb} assertion {} at [{}] by {}: {old} to {new}",
                of + 1,
                path.join("."),
                step.how
            )
        });
        normal.into_iter().chain(steps).collect()
    }
}

impl Skeleton<'_> {
    /// The script after some steps; of those at one place the last one counts.
    fn script(&self, terms: &mut Terms, steps: &[(Place, Step)]) -> Script {
        let mut commands = self.commands.clone();
        for (at, (place, step)) in steps.iter().enumerate() {
            let next = steps.get(at + 1);
            if next.is_some_and(|(other, _)| other == place) {
                continue;
            }
            let active = &self.active[place.of];
            if let Command::Assert(assertion) = &mut commands[active.at] {
                let path = &active.spots.all[place.spot].path;
                let changed = terms.replace_at(assertion.term, path, step.whole);
                assertion.term = changed.unwrap_or(assertion.term);
            }
        }
        script(commands)
    }
}

fn script(commands: Vec<Command>) -> Script {
    Script {
        commands,
        spans: Vec::new(),
    }
}

/// The text of a small term; of a large one nothing.
pub fn shown(terms: &Terms, term: TermId) -> String {
    const LARGEST: usize = 60;
    let mut stack = vec![term];
    for _ in 0..LARGEST {
        match stack.pop() {
            Some(term) => stack.extend_from_slice(terms.args(term)),
            None => return render::term(terms, term, Sharing::Expanded),
        }
    }
    "…".into()
}
