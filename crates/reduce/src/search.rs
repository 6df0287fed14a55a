//! The search: runs the passes in turn, largest candidates first, until nothing smaller passes the check. It is
//! greedy and deterministic: of the candidates tried in parallel the first in order wins, whichever worker finishes
//! first. While there is evidence (a witness), candidates that it supports are tried first; the others are tried when
//! none of those helps any more. A check may answer quickly (from a live process) and confirm later: after the first
//! step, then ever less often, and at the end of a round. Unconfirmed steps are undone.

use crate::cache::{Cache, Known};
use crate::check::{Check, Examined, Support};
use crate::edit::{Change, Edit};
use crate::failures::Failures;
use crate::measure::{Size, is_smaller};
use crate::pass::{self, Pass};
use crate::subject::Subject;
use crate::trail::Trail;
use auspex_logic::render::{self, Sharing};

/// The progress of the search, for a line on the screen.
#[derive(Clone, Debug)]
pub struct Progress<'p> {
    pub pass: &'static str,
    pub text: &'p str,
    pub size: Size,
    pub checks: u64,
}

/// Whether to continue; called before every batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Continue,
    Stop,
}

/// One accepted change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub pass: &'static str,
    pub size: Size,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub text: String,
    pub before: Size,
    pub after: Size,
    /// How often a check was called.
    pub checks: u64,
    /// Candidates that were dropped because their evidence no longer holds.
    pub unsupported: u64,
    pub steps: Vec<Step>,
    /// How many candidates of each pass were examined, in the order of the passes' first use.
    pub tried: Vec<(&'static str, u64)>,
    /// Whether the search ended by itself, not by a limit.
    pub complete: bool,
}

/// The original text does not show the bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotInteresting;

/// Shrinks a text. `earlier` are texts it was derived from, oldest first; each worker has one check.
pub fn reduce(
    text: &str,
    earlier: &[String],
    checks: &mut [Box<dyn Check + '_>],
    watch: &mut dyn FnMut(&Progress<'_>) -> Flow,
) -> Result<Report, NotInteresting> {
    let mut search = Search::start(text, checks, watch)?;
    search.undo(earlier);
    search.normalise();
    search.run();
    Ok(search.report(Size::of(text)))
}

/// A result larger than this is reduced again in other orders …
const LARGE: usize = 60;
/// … if it took no more checks than this, and then with at most this many; then pairs of edits are tried …
const OTHER_WAY: u64 = 1000;
/// … with at most this many checks, and half as many as it took so far.
const PAIRS: u64 = 250;
/// How many edits of a pass are combined with how many others.
const FIRSTS: usize = 8;
const SECONDS: usize = 2;

/// Other orders of the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Passes that keep a script's shape first, and edits of equal gain in reverse order.
    Backwards,
    /// The passes in reverse order.
    Upwards,
}

impl Way {
    const ALL: [Way; 2] = [Way::Backwards, Way::Upwards];

    fn passes(self) -> Vec<&'static dyn Pass> {
        match self {
            Way::Backwards => pass::otherwise(),
            Way::Upwards => pass::meaning().into_iter().rev().collect(),
        }
    }
}

/// A sample of a pass's edits, large and small ones.
fn some(pass: &dyn Pass, subject: &mut Subject, most: usize) -> Vec<Edit> {
    let mut edits = pass.candidates(subject);
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.gain));
    let step = edits.len().div_ceil(most).max(1);
    edits.into_iter().step_by(step).collect()
}

struct Search<'s, 'c> {
    subject: Subject,
    checks: &'s mut [Box<dyn Check + 'c>],
    watch: &'s mut dyn FnMut(&Progress<'_>) -> Flow,
    cache: Cache,
    failures: Failures,
    /// Only candidates that the evidence supports.
    supported_only: bool,
    asked: u64,
    unsupported: u64,
    steps: Vec<Step>,
    tried: Vec<(&'static str, u64)>,
    trail: Trail,
    /// The current limit of checks.
    limit: u64,
    /// Whether candidates of equal gain come in reverse order; values are the exception.
    backwards: bool,
    stopped: bool,
}

/// A confirmed state of the search.
#[derive(Clone)]
struct Stand {
    trail: Trail,
    steps: Vec<Step>,
}

/// A candidate that passed, and its position among those of equal gain.
struct Winner {
    text: String,
    evidence: String,
    gain: u64,
    before: usize,
}

impl<'s, 'c> Search<'s, 'c> {
    fn start(
        text: &str,
        checks: &'s mut [Box<dyn Check + 'c>],
        watch: &'s mut dyn FnMut(&Progress<'_>) -> Flow,
    ) -> Result<Self, NotInteresting> {
        let first = checks.first_mut().ok_or(NotInteresting)?;
        let Examined::Yes { evidence } = first.interesting(text) else {
            return Err(NotInteresting);
        };
        let mut search = Search {
            subject: Subject::read(text),
            supported_only: first.has_evidence(),
            checks,
            watch,
            cache: Cache::default(),
            failures: Failures::default(),
            asked: 1,
            unsupported: 0,
            steps: Vec::new(),
            tried: Vec::new(),
            trail: Trail::from(text, &evidence),
            limit: u64::MAX,
            backwards: false,
            stopped: false,
        };
        search.tell(&evidence);
        Ok(search)
    }

    fn tell(&mut self, evidence: &str) {
        for check in self.checks.iter_mut() {
            check.accepted(&self.subject.text, evidence);
        }
    }

    fn accept(&mut self, pass: &'static str, text: &str, evidence: &str) {
        self.subject = Subject::read(text);
        self.steps.push(Step {
            pass,
            size: self.subject.size,
        });
        self.trail.add(text, evidence);
        self.tell(evidence);
        if self.trail.is_due() {
            self.confirm();
        }
    }

    /// Confirms the steps so far, or goes back to the last confirmed one; returns whether it went back.
    fn confirm(&mut self) -> bool {
        let first = &mut self.checks[0];
        let refused = self
            .trail
            .confirm(&mut |text, evidence| first.confirm(text, evidence));
        if refused.is_empty() {
            return false;
        }
        for text in &refused {
            self.cache.put(text, Known::No);
        }
        for check in self.checks.iter_mut() {
            check.distrust();
        }
        self.steps.truncate(self.trail.confirmed());
        self.go_to(self.stand());
        true
    }

    /// Goes back to the oldest earlier text that also shows the bug.
    fn undo(&mut self, earlier: &[String]) {
        for text in earlier {
            if self.proceed("undo")
                && let Some(evidence) = self.ask_one(text)
            {
                self.accept("undo", text, &evidence);
                return;
            }
        }
    }

    /// Rewrites the script without `let` and comments, even if that makes it longer. This happens once only, so the
    /// search still terminates.
    fn normalise(&mut self) {
        let script = &self.subject.script;
        let text = render::script(&self.subject.terms, script, Sharing::Auto);
        let spelled = self.subject.spellings.restore(text.clone());
        let spelled = (spelled != text).then_some(spelled);
        for text in [text].into_iter().chain(spelled) {
            let usable = text != self.subject.text && self.subject.admits(&text);
            if usable
                && self.proceed("normalise")
                && let Some(evidence) = self.ask_one(&text)
            {
                self.accept("normalise", &text, &evidence);
                return;
            }
        }
    }

    fn ask_one(&mut self, text: &str) -> Option<String> {
        self.asked += 1;
        match self.checks[0].interesting(text) {
            Examined::Yes { evidence } => Some(evidence),
            Examined::No => None,
        }
    }

    fn run(&mut self) {
        self.confirm();
        let (start, before) = (self.stand(), self.asked);
        self.rounds(&pass::meaning());
        if self.asked - before <= OTHER_WAY {
            Way::ALL.iter().for_each(|way| self.other_way(*way, &start));
        }
        let end = self.asked + (self.asked / 2).min(PAIRS);
        while self.subject.size.nodes > LARGE && self.asked < end && self.pairs(end) {
            self.rounds(&pass::meaning());
        }
        self.rounds(&pass::looks());
    }

    /// Searches again from the start in another order if the result is large, and keeps the smaller result: where a
    /// greedy search ends depends on its order.
    fn other_way(&mut self, way: Way, start: &Stand) {
        if self.subject.size.nodes <= LARGE || self.stopped {
            return;
        }
        let first = self.stand();
        self.go_to(start.clone());
        self.limit = self.asked + OTHER_WAY;
        self.backwards = way == Way::Backwards;
        self.rounds(&way.passes());
        (self.limit, self.backwards) = (u64::MAX, false);
        self.confirm();
        let (text, _) = first.trail.sure();
        let here = (self.subject.text.as_str(), self.subject.size);
        if is_smaller((text, Size::of(text)), here) {
            self.go_to(first);
        }
    }

    /// The current state; everything up to here is confirmed.
    fn stand(&self) -> Stand {
        Stand {
            trail: self.trail.clone(),
            steps: self.steps.clone(),
        }
    }

    fn go_to(&mut self, stand: Stand) {
        let (text, evidence) = stand.trail.sure().clone();
        self.subject = Subject::read(&text);
        (self.trail, self.steps) = (stand.trail, stand.steps);
        self.tell(&evidence);
    }

    /// Tries pairs of edits of a pass, which may succeed where every single edit fails.
    fn pairs(&mut self, end: u64) -> bool {
        for pass in pass::meaning() {
            let pairs = self.pairs_of(pass);
            if let Some(winner) = self.first("pairs", &pairs, 0) {
                self.accept("pairs", &winner.text, &winner.evidence);
                return true;
            }
            if self.stopped || self.asked >= end {
                return false;
            }
        }
        false
    }

    /// Some edits, each with some possible second edits.
    fn pairs_of(&mut self, pass: &dyn Pass) -> Vec<Edit> {
        let mut pairs = Vec::new();
        for first in some(pass, &mut self.subject, FIRSTS) {
            let text = first.change.text(&mut self.subject);
            let Some(text) = text.filter(|text| self.subject.admits(text)) else {
                continue;
            };
            let mut half = Subject::read(&text);
            for second in some(pass, &mut half, SECONDS) {
                let text = second.change.text(&mut half);
                let gain = first.gain.saturating_add(second.gain);
                pairs.extend(text.map(|text| Edit::text(gain, text)));
            }
        }
        pairs
    }

    /// Runs rounds of some passes until none of them helps.
    fn rounds(&mut self, passes: &[&dyn Pass]) {
        let has_evidence = self.checks[0].has_evidence();
        self.supported_only = has_evidence;
        while !self.stopped {
            let mut changed = false;
            for pass in passes {
                changed |= self.sweep(*pass);
            }
            changed |= self.confirm();
            match (changed, self.supported_only) {
                (true, _) => self.supported_only = has_evidence,
                (false, true) => self.supported_only = false,
                (false, false) => return,
            }
        }
    }

    /// Tries the candidates of one pass by decreasing gain, and continues after each success.
    fn sweep(&mut self, pass: &dyn Pass) -> bool {
        let (mut changed, mut ceiling, mut skip) = (false, u64::MAX, 0);
        while !self.stopped {
            let mut edits = pass.candidates(&mut self.subject);
            edits.retain(|edit| edit.gain <= ceiling);
            if self.backwards && !pass.is_about_values() {
                edits.reverse();
            }
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.gain));
            // Similar candidates before the successful one have failed already; a later round tries them again.
            let level = edits.iter().take_while(|edit| edit.gain == ceiling);
            let tried = level.count().min(skip);
            let Some(winner) = self.first(pass.name(), &edits[tried..], tried) else {
                break;
            };
            (ceiling, skip) = (winner.gain, winner.before);
            self.accept(pass.name(), &winner.text, &winner.evidence);
            changed = true;
        }
        changed
    }

    /// The first candidate that passes.
    fn first(&mut self, pass: &'static str, edits: &[Edit], offset: usize) -> Option<Winner> {
        let mut batch: Vec<(String, usize)> = Vec::new();
        for (number, edit) in edits.iter().enumerate() {
            if let Some(text) = self.candidate(&edit.change)
                && !batch.iter().any(|(other, _)| *other == text)
            {
                batch.push((text, number));
            }
            let full = batch.len() == self.checks.len();
            if !full && number + 1 < edits.len() || batch.is_empty() {
                continue;
            }
            if !self.proceed(pass) {
                return None;
            }
            self.count(pass, batch.len() as u64);
            if let Some((at, evidence)) = self.examine(&batch) {
                let (text, number) = batch.swap_remove(at);
                let gain = edits[number].gain;
                let same = edits[..number].iter().rev();
                let mut before = same.take_while(|edit| edit.gain == gain).count();
                if before == number {
                    before += offset;
                }
                return Some(Winner {
                    text,
                    evidence,
                    gain,
                    before,
                });
            }
            batch.clear();
        }
        None
    }

    /// The text of a change, if it is smaller, not known to fail, and as well-sorted as before.
    fn candidate(&mut self, change: &Change) -> Option<String> {
        let text = change.text(&mut self.subject)?;
        let current = (self.subject.text.as_str(), self.subject.size);
        if !is_smaller((&text, Size::of(&text)), current) {
            return None;
        }
        match self.cache.get(&text) {
            Some(Known::No) => return None,
            Some(Known::Unsupported) if self.supported_only => return None,
            Some(Known::Unsupported) | None => {}
        }
        let (old, nodes) = (&self.subject.text, self.subject.size.nodes);
        if self.failures.is_hopeless(old, &text, nodes) {
            return None;
        }
        if !self.subject.admits(&text) {
            self.cache.put(&text, Known::No);
            return None;
        }
        Some(text)
    }

    /// Checks a batch in parallel, and returns the first text that passes.
    fn examine(&mut self, batch: &[(String, usize)]) -> Option<(usize, String)> {
        let only = self.supported_only;
        let outcomes: Vec<Outcome> = match batch {
            [(text, _)] => vec![examine(&mut *self.checks[0], text, only)],
            _ => std::thread::scope(|scope| {
                let pairs = self.checks.iter_mut().zip(batch);
                let workers: Vec<_> = pairs
                    .map(|(check, (text, _))| {
                        scope.spawn(move || examine(&mut **check, text, only))
                    })
                    .collect();
                let joined = workers.into_iter().map(|worker| worker.join());
                // A check that panics counts as failed.
                joined
                    .map(|outcome| outcome.unwrap_or(Outcome::No))
                    .collect()
            }),
        };
        let mut winner = None;
        for (at, (outcome, (text, _))) in outcomes.into_iter().zip(batch).enumerate() {
            match outcome {
                Outcome::Refuted => self.cache.put(text, Known::No),
                Outcome::No => {
                    self.asked += 1;
                    self.cache.put(text, Known::No);
                    let (old, nodes) = (&self.subject.text, self.subject.size.nodes);
                    self.failures.put(old, text, nodes);
                }
                Outcome::Unsupported => {
                    self.unsupported += 1;
                    self.cache.put(text, Known::Unsupported);
                }
                Outcome::Yes(evidence) => {
                    self.asked += 1;
                    winner.get_or_insert((at, evidence));
                }
            }
        }
        if self.checks.iter_mut().any(|check| check.takes_back()) {
            self.cache = Cache::default();
            self.failures = Failures::default();
        }
        winner
    }

    fn proceed(&mut self, pass: &'static str) -> bool {
        let progress = Progress {
            pass,
            text: &self.subject.text,
            size: self.subject.size,
            checks: self.asked,
        };
        self.stopped = self.stopped || (self.watch)(&progress) == Flow::Stop;
        !self.stopped && self.asked < self.limit
    }

    fn count(&mut self, pass: &'static str, more: u64) {
        match self.tried.iter_mut().find(|(name, _)| *name == pass) {
            Some((_, tried)) => *tried += more,
            None => self.tried.push((pass, more)),
        }
    }

    fn report(mut self, before: Size) -> Report {
        // Also confirm the result of a search that was stopped.
        self.confirm();
        Report {
            before,
            after: self.subject.size,
            text: self.subject.text,
            checks: self.asked,
            unsupported: self.unsupported,
            steps: self.steps,
            tried: self.tried,
            complete: !self.stopped,
        }
    }
}

enum Outcome {
    Refuted,
    Unsupported,
    No,
    Yes(String),
}

fn examine(check: &mut dyn Check, text: &str, supported_only: bool) -> Outcome {
    match check.support(text) {
        Support::Refuted => return Outcome::Refuted,
        Support::Open if supported_only => return Outcome::Unsupported,
        Support::Open | Support::Supported => {}
    }
    match check.interesting(text) {
        Examined::Yes { evidence } => Outcome::Yes(evidence),
        Examined::No => Outcome::No,
    }
}
