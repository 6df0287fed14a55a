//! A mutant in the making: a skeleton with other terms at some of its places.

use super::change::{Change, How, Place, Step};
use super::shelf::{Shared, any_number, is_linear};
use super::skeleton::Skeleton;
use crate::case::Direction;
use crate::draw::Draw;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, TermId, Terms};

/// A mutant of one skeleton.
pub struct Mutation<'k, 'w> {
    skeleton: &'k Skeleton<'w>,
    direction: Direction,
    linear: bool,
    /// No place lies within another. What is shared stands in the order of the text.
    parts: Vec<Part>,
}

/// A changed place.
enum Part {
    /// As text; its terms can be made again.
    Shared(Shared),
    /// Made for this mutant, in the arena.
    Made(Change),
}

/// Further attempts where nothing was changed.
const PATIENCE: usize = 6;
/// Further attempts to find a place that is still free.
const SEARCH: usize = 2;

impl Part {
    fn place(&self) -> Place {
        match self {
            Part::Shared(shared) => shared.entry.place,
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
            for _ in 0..draw.between(1, skeleton.strategy.literals) {
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
            let found = match self.is_shared() {
                true => self.share(terms, draw)?,
                false => self.make_anew(terms, any_number(self.linear, draw))?,
            };
            if found {
                return Some(());
            }
        }
        None
    }

    /// Takes a change from the shelf; false if its place is taken. At a place that is changed already
    /// another formula may still be injected.
    fn share(&mut self, terms: &mut Terms, draw: &mut Draw) -> Option<bool> {
        let (skeleton, linear) = (self.skeleton, self.linear);
        let entry = skeleton.shared_change(terms, self.direction, linear, draw)?;
        let Place { of, .. } = entry.place;
        let mut formula = |terms: &mut Terms| skeleton.formula(terms, of, linear, draw);
        let Some(at) = self.taken(entry.place) else {
            let inside = match entry.is_open() {
                true => Some(formula(terms)?),
                false => None,
            };
            self.add(Shared::new(entry, inside));
            return Some(true);
        };
        match &mut self.parts[at] {
            Part::Shared(shared) if shared.entry.place == entry.place && shared.takes_more() => {
                shared.put_beside(formula(terms)?);
                Some(true)
            }
            _ => Some(false),
        }
    }

    fn add(&mut self, shared: Shared) {
        let start = shared.entry.span.start;
        let before =
            |part: &Part| matches!(part, Part::Shared(other) if other.entry.span.start < start);
        let at = self.parts.partition_point(before);
        self.parts.insert(at, Part::Shared(shared));
    }

    /// Makes the change of a number; false if its place is taken and cannot be changed further.
    fn make_anew(&mut self, terms: &mut Terms, number: u64) -> Option<bool> {
        let (place, _) = self.skeleton.place(number);
        match self.taken(place) {
            None => {
                let change = self.skeleton.change(terms, self.direction, number)?;
                self.parts.push(Part::Made(change));
                Some(true)
            }
            Some(at) if self.is_open(at) => self.go_on(terms, at, number).map(|()| true),
            Some(_) => Some(false),
        }
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
        let Part::Made(change) = &mut self.parts[at] else {
            return None;
        };
        let how = How {
            direction: self.direction,
            linear: is_linear(number),
            hole: None,
        };
        let (_, mut draw) = self.skeleton.place(number);
        self.skeleton.go_on(terms, how, &mut draw, change)
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
        let Some(text) = self.skeleton.text(terms).filter(|_| self.is_shared()) else {
            let (script, _) = self.script(terms);
            return render::script_to(terms, &script, Sharing::Auto, out);
        };
        let mut written = 0;
        for part in &self.parts {
            if let Part::Shared(shared) = part {
                out.push_str(&text.text[written..shared.entry.span.start]);
                shared.write(out);
                written = shared.entry.span.end;
            }
        }
        out.push_str(&text.text[written..]);
    }

    fn is_shared(&self) -> bool {
        self.skeleton.hole.is_some()
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
                Part::Shared(shared) => self.skeleton.again(terms, self.direction, shared).steps,
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
