//! A mutant in the making: a skeleton with other terms at some of its places, and how they came there.

use super::Approximate;
use super::pantry::{Pantry, place};
use super::skeleton::Skeleton;
use super::spot::{Spot, walk};
use crate::case::Direction;
use crate::draw::Draw;
use crate::rules::approximation::{Order, Side, Supply, book};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Command, Script, Sort, TermId, Terms};

/// A mutant of one skeleton.
pub struct Mutation<'k, 'w> {
    skeleton: &'k Skeleton<'w>,
    direction: Direction,
    linear: bool,
    depth: u32,
    /// What stands where: assertion, place, term. No place lies within another.
    changes: Vec<(usize, usize, TermId)>,
    steps: Vec<Step>,
}

/// One literal that became weaker or stronger.
struct Step {
    of: usize,
    spot: usize,
    /// What stands at the place now.
    whole: TermId,
    /// The part of it that was changed, if not all.
    below: Vec<u32>,
    old: TermId,
    new: TermId,
    how: &'static str,
}

/// Rules tried at one place before a formula is injected.
const RULES_TRIED: usize = 6;
/// Further attempts where nothing was changed.
const PATIENCE: usize = 6;

impl<'k, 'w> Mutation<'k, 'w> {
    /// A mutant of a skeleton, or none if nothing could be changed.
    pub fn make(
        strategy: &Approximate,
        skeleton: &'k Skeleton<'w>,
        direction: Direction,
        terms: &mut Terms,
        draw: &mut Draw,
    ) -> Option<Mutation<'k, 'w>> {
        let mut mutation = Mutation {
            skeleton,
            direction,
            linear: !draw.one_in(4),
            depth: strategy.depth,
            changes: Vec::new(),
            steps: Vec::new(),
        };
        let mut rounds = 1;
        while rounds < strategy.rounds && draw.one_in(4) {
            rounds += 1;
        }
        for _ in 0..rounds {
            for _ in 0..draw.between(1, strategy.literals) {
                mutation.change(terms, draw);
            }
        }
        // A draw may have failed to change anything: try a little longer.
        for _ in 0..PATIENCE {
            if mutation.steps.is_empty() {
                mutation.change(terms, draw);
            }
        }
        (!mutation.steps.is_empty()).then_some(mutation)
    }

    /// Changes one literal.
    fn change(&mut self, terms: &mut Terms, draw: &mut Draw) -> Option<()> {
        let (skeleton, book) = (self.skeleton, book());
        let of = draw.index(skeleton.active.len());
        let active = skeleton.active.get(of)?;
        let spot = active.spots.pick(draw);
        let (spot, changed) = self.free(of, spot)?;
        let base = &active.spots.all[spot];
        let side = match self.direction {
            Direction::Weaker => base.side,
            Direction::Stronger => base.side.other(),
        };
        let start = changed.map_or(base.term, |at| self.changes[at].2);
        let here = base.with(start, side);
        let (here, rules) = if changed.is_some() || active.spots.is_open(spot) {
            let here = walk(terms, book, here, draw);
            let rules = book.for_root(terms, here.term, here.order, here.side);
            (here, rules)
        } else {
            (here, active.fitting(terms, book, spot, side))
        };
        let (new, how) = self.approximated(terms, of, &here, rules, draw)?;
        let whole = match here.path.is_empty() {
            true => new,
            false => terms.replace_at(start, &here.path, new)?,
        };
        match changed {
            Some(at) => self.changes[at].2 = whole,
            None => self.changes.push((of, spot, whole)),
        }
        self.steps.push(Step {
            of,
            spot,
            whole,
            below: here.path,
            old: here.term,
            new,
            how,
        });
        Some(())
    }

    /// The place itself, or the changed one that it lies in; none if it lies around a changed one.
    fn free(&self, of: usize, spot: usize) -> Option<(usize, Option<usize>)> {
        let spots = &self.skeleton.active[of].spots.all;
        let path = &spots[spot].path;
        for (at, (other, changed, _)) in self.changes.iter().enumerate() {
            if *other != of {
                continue;
            }
            let taken = &spots[*changed].path;
            if path.starts_with(taken) {
                return Some((*changed, Some(at)));
            }
            if taken.starts_with(path) {
                return None;
            }
        }
        Some((spot, None))
    }

    /// Another term for a place, and the name of the rule.
    fn approximated(
        &self,
        terms: &mut Terms,
        of: usize,
        spot: &Spot,
        special: &[u32],
        draw: &mut Draw,
    ) -> Option<(TermId, &'static str)> {
        let book = book();
        let general = book.anywhere(spot.order, spot.side);
        let mut pantry = Pantry {
            larder: self.skeleton.larder(terms),
            draw,
            spot,
            place: place(of),
            linear: self.linear,
            depth: self.depth,
        };
        for _ in 0..RULES_TRIED {
            let from = if special.is_empty() || pantry.draw.one_in(4) {
                general
            } else {
                special
            };
            let Some(number) = pantry.draw.pick(from) else {
                continue;
            };
            let rule = book.rule(*number);
            if rule.forgets(spot.side) && !pantry.draw.one_in(8) {
                continue;
            }
            if let Some(new) = rule.apply(terms, spot.term, spot.side, &mut pantry) {
                return Some((new, &rule.rule.name));
            }
        }
        injected(terms, spot, &mut pantry)
    }

    // ---- what came of it ----

    pub fn direction(&self) -> Direction {
        self.direction
    }

    pub fn names(&self) -> super::Names {
        self.skeleton.names.clone()
    }

    /// Appends the text of the mutant, mostly copied from that of its seed.
    pub fn write(&mut self, terms: &mut Terms, out: &mut String) {
        if !self.skeleton.write(terms, &mut self.changes, out) {
            let script = self.script(terms);
            render::script_to(terms, &script, Sharing::Auto, out);
        }
    }

    pub fn script(&self, terms: &mut Terms) -> Script {
        let changes = self.changes.iter();
        self.skeleton.script(terms, changes.copied())
    }

    /// The script after each step, the seed first.
    pub fn stages(&self, terms: &mut Terms) -> Vec<Script> {
        let before = self.skeleton.before.as_ref();
        let mut stages: Vec<Script> = before.map(|(c, _)| script(c.clone())).into_iter().collect();
        let changes = |steps: &[Step]| {
            let mut changes: Vec<(usize, usize, TermId)> = Vec::new();
            for step in steps {
                changes.retain(|(of, spot, _)| (*of, *spot) != (step.of, step.spot));
                changes.push((step.of, step.spot, step.whole));
            }
            changes
        };
        for count in 0..=self.steps.len() {
            let changes = changes(&self.steps[..count]);
            stages.push(self.skeleton.script(terms, changes.into_iter()));
        }
        stages
    }

    /// Each step in words.
    pub fn told(&self, terms: &Terms) -> Vec<String> {
        let verb = match self.direction {
            Direction::Weaker => "weaken",
            Direction::Stronger => "strengthen",
        };
        let normal = self
            .skeleton
            .before
            .as_ref()
            .map(|(_, count)| format!("{count} assertions in conjunctive normal form"));
        let steps = self.steps.iter().map(|step| {
            let spot = &self.skeleton.active[step.of].spots.all[step.spot];
            let path: Vec<String> = spot
                .path
                .iter()
                .chain(&step.below)
                .map(u32::to_string)
                .collect();
            let (old, new) = (shown(terms, step.old), shown(terms, step.new));
            format!(
                "{verb} assertion {} at [{}] by {}: {old} to {new}",
                step.of + 1,
                path.join("."),
                step.how
            )
        });
        normal.into_iter().chain(steps).collect()
    }
}

impl Skeleton<'_> {
    fn script(
        &self,
        terms: &mut Terms,
        changes: impl Iterator<Item = (usize, usize, TermId)>,
    ) -> Script {
        let mut commands = self.commands.clone();
        for (of, spot, term) in changes {
            let active = &self.active[of];
            if let Command::Assert(assertion) = &mut commands[active.at] {
                let path = &active.spots.all[spot].path;
                let changed = terms.replace_at(assertion.term, path, term);
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

/// Live predicate injection where no rule fits, also around what nobody knows.
fn injected(
    terms: &mut Terms,
    spot: &Spot,
    pantry: &mut Pantry<'_>,
) -> Option<(TermId, &'static str)> {
    if spot.order != Order::Truth {
        return None;
    }
    let snippet = pantry.term(terms, Sort::BOOL)?;
    let (connective, how) = match spot.side {
        Side::Lesser => ("or", "inject-or"),
        Side::Greater => ("and", "inject-and"),
    };
    Some((terms.app(connective, &[spot.term, snippet]).ok()?, how))
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
