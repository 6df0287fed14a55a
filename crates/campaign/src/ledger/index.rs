//! The index of findings: which bugs are known, how often each was seen, what is reduced next. In memory only.

use super::silence::{KnownBug, Silence};
use super::{Context, Sighting};
use crate::findings::finding::Finding;
use crate::findings::trigger::Trigger;
use crate::judge::fingerprint::{BUCKET_LIMIT, Identity};
use crate::status::{FindingLine, Status};
use auspex_cases::Class;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The number of examples that are kept of one kind of finding that is not a bug.
pub(super) const EXAMPLES: usize = 3;
/// More findings of one bucket are counted even if reducing shows that most are one bug.
const FLOOD: usize = 100;
/// The share of all time that reducing may take, as a divisor.
const REDUCING: u32 = 6;
/// How many of the newest findings a status shows.
const SHOWN: usize = 50;

pub(super) struct Index {
    /// Places in `lines` by fingerprint; none while a worker confirms it.
    known: HashMap<String, Option<usize>>,
    pub(super) lines: Vec<FindingLine>,
    /// Different bugs, and findings, by bucket.
    buckets: HashMap<String, (usize, usize)>,
    /// Reduced scripts that stand for a bug: which finding they belong to.
    shapes: HashMap<String, String>,
    /// Buckets with a reduced finding.
    reduced_kinds: HashSet<String>,
    /// Confirmations that failed.
    failures: HashMap<String, u32>,
    silence: Silence,
    /// How many different bugs of a bucket are kept; fewer when the disk is short.
    pub(super) most: usize,
    /// Sightings of known findings that the store has not counted yet.
    repeats: BTreeMap<String, u64>,
    /// Findings that wait to be reduced by this process.
    unreduced: VecDeque<Finding>,
    queues_reductions: bool,
    /// Whether a worker reduces, and how long all did.
    reducing: bool,
    reduce_time: Duration,
}

impl Index {
    /// An empty index; with `queues_reductions` it keeps findings until they are reduced.
    pub(super) fn new(queues_reductions: bool) -> Index {
        Index {
            known: HashMap::new(),
            lines: Vec::new(),
            buckets: HashMap::new(),
            shapes: HashMap::new(),
            reduced_kinds: HashSet::new(),
            failures: HashMap::new(),
            silence: Silence::default(),
            most: BUCKET_LIMIT,
            repeats: BTreeMap::new(),
            unreduced: VecDeque::new(),
            queues_reductions,
            reducing: false,
            reduce_time: Duration::ZERO,
        }
    }

    pub(super) fn knows(&self, fingerprint: &str) -> bool {
        self.known.contains_key(fingerprint)
    }

    fn place(&self, fingerprint: &str) -> Option<usize> {
        self.known.get(fingerprint).copied().flatten()
    }

    /// Whether a suspicion is worth confirming; counts it if it is known.
    pub(super) fn sight(&mut self, identity: &Identity, context: Context<'_>) -> Sighting {
        let explained = self.silence.explain(context.held);
        if let Some(place) = self.known.get(&identity.fingerprint) {
            if let Some(place) = *place {
                self.repeat(place, &identity.fingerprint);
            }
            return Sighting::Known;
        }
        // A crash at another site is another bug.
        if let Some(name) = explained
            && identity.class != Class::Crash
        {
            return Sighting::Silenced(name);
        }
        let (bugs, all) = self.count(&identity.bucket);
        let most = match identity.class.is_bug() {
            true => self.most,
            false => EXAMPLES,
        };
        if bugs >= most.min(context.most) || all >= FLOOD {
            return Sighting::Similar;
        }
        // A suspicion that was not reproduced twice is confirmed less and less often.
        if let Some(failures) = self.failures.get_mut(attempted(identity)) {
            *failures += 1;
            if *failures > 3 && !failures.is_power_of_two() {
                return Sighting::Unrepeatable;
            }
        }
        self.known.insert(identity.fingerprint.clone(), None);
        Sighting::New
    }

    fn repeat(&mut self, place: usize, fingerprint: &str) {
        self.lines[place].repeats += 1;
        self.count_repeat(fingerprint);
    }

    fn count_repeat(&mut self, fingerprint: &str) {
        *self.repeats.entry(fingerprint.to_string()).or_default() += 1;
    }

    pub(super) fn count_repeats(&mut self, fingerprints: &[String]) {
        for fingerprint in fingerprints {
            self.count_repeat(fingerprint);
        }
    }

    pub(super) fn take_repeats(&mut self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.repeats)
    }

    /// Different bugs, and findings, of a bucket.
    fn count(&self, bucket: &str) -> (usize, usize) {
        self.buckets.get(bucket).copied().unwrap_or_default()
    }

    /// The suspicion was not reproduced.
    pub(super) fn dismiss(&mut self, identity: &Identity) {
        self.known.remove(&identity.fingerprint);
        let attempted = attempted(identity).to_string();
        self.failures.entry(attempted).or_insert(1);
    }

    /// Whether a confirmed finding is a known one; then it is counted.
    pub(super) fn is_duplicate(&mut self, seen: &Identity, finding: &Finding) -> bool {
        let Some(place) = self.place(&finding.fingerprint) else {
            return false;
        };
        self.known.insert(seen.fingerprint.clone(), Some(place));
        self.repeat(place, &finding.fingerprint);
        true
    }

    /// Enters a new finding that is on disk. Returns what it is worth: 1 for a bug of a new kind, less for one more of a
    /// kind.
    pub(super) fn file(&mut self, seen: &Identity, finding: &Finding) -> f64 {
        let (alike, _) = self.count(&finding.bucket);
        self.enter(finding, 0);
        let place = self.lines.len() - 1;
        self.known.insert(seen.fingerprint.clone(), Some(place));
        match finding.class.is_bug() {
            true => 1.0 / (1.0 + alike as f64),
            false => 0.0,
        }
    }

    pub(super) fn enter(&mut self, finding: &Finding, repeats: u64) {
        self.silence.add(&finding.id, Trigger::of_finding(finding));
        let place = self.lines.len();
        self.known.insert(finding.fingerprint.clone(), Some(place));
        let (bugs, all) = self.buckets.entry(finding.bucket.clone()).or_default();
        *bugs += usize::from(finding.same_as.is_none());
        *all += 1;
        if finding.reduced.is_some() {
            self.reduced_kinds.insert(finding.bucket.clone());
        }
        match (&finding.reduced_fingerprint, &finding.same_as) {
            (Some(shape), None) => {
                self.shapes.insert(shape.clone(), finding.id.to_string());
            }
            (None, None) if self.queues_reductions && is_reducible(finding) => {
                self.unreduced.push_back(finding.clone());
            }
            (None, None) | (_, Some(_)) => {}
        }
        self.lines.push(FindingLine::of(finding, repeats));
    }

    /// A finding as another process has written it.
    pub(super) fn take_in(&mut self, finding: &Finding, repeats: u64) {
        let Some(place) = self.place(&finding.fingerprint) else {
            return self.enter(finding, repeats);
        };
        self.silence.add(&finding.id, Trigger::of_finding(finding));
        let line = &mut self.lines[place];
        let newly_same = finding.same_as.is_some() && line.same_as.is_none();
        line.repeats = line.repeats.max(repeats);
        line.reduced |= finding.reduced.is_some();
        line.same_as.clone_from(&finding.same_as);
        if newly_same {
            self.is_one_bug_less(&finding.bucket);
        }
        if let (Some(shape), None) = (&finding.reduced_fingerprint, &finding.same_as) {
            self.shapes.insert(shape.clone(), finding.id.to_string());
        }
    }

    fn is_one_bug_less(&mut self, bucket: &str) {
        if let Some((bugs, _)) = self.buckets.get_mut(bucket) {
            *bugs = bugs.saturating_sub(1);
        }
    }

    // ---- reducing ----

    /// Whether reducing has not had its share of the time, and no worker reduces; then the caller does.
    pub(super) fn begin_reduction(&mut self, spent: Duration, is_over: bool) -> bool {
        let free = !self.reducing && (is_over || self.reduce_time <= spent / REDUCING);
        self.reducing |= free;
        free
    }

    pub(super) fn end_reduction(&mut self, took: Duration) {
        self.reducing = false;
        self.reduce_time += took;
    }

    /// The next finding to reduce: a new kind first, then the gravest, then the oldest.
    pub(super) fn next_unreduced(&mut self) -> Option<Finding> {
        let next = self.unreduced.iter().enumerate();
        let next = next.min_by_key(|(at, finding)| {
            let is_reduced = self.reduced_kinds.contains(&finding.bucket);
            (is_reduced, finding.class, *at)
        });
        self.unreduced.remove(next?.0)
    }

    pub(super) fn id(&self, fingerprint: &str) -> Option<String> {
        let place = self.place(fingerprint)?;
        Some(self.lines[place].id.clone())
    }

    /// A finding was reduced to that shape. If the shape is known, it is the same bug as the known one.
    pub(super) fn note_reduced(&mut self, finding: &mut Finding, shape: &str) {
        match self.shapes.get(shape) {
            Some(other) if finding.id != *other => finding.same_as = Some(other.clone()),
            _ => {
                let id = finding.id.to_string();
                self.shapes.insert(shape.to_string(), id);
            }
        }
        match finding.same_as {
            Some(_) => self.is_one_bug_less(&finding.bucket),
            None => self.silence.add(&finding.id, Trigger::of_finding(finding)),
        }
        self.reduced_kinds.insert(finding.bucket.clone());
        if let Some(place) = self.place(&finding.fingerprint) {
            self.lines[place].reduced = true;
            self.lines[place].same_as.clone_from(&finding.same_as);
        }
    }

    // ---- silence ----

    /// The bugs that are known, with their triggers.
    pub(super) fn known_bugs(&self) -> Arc<Vec<KnownBug>> {
        self.silence.bugs()
    }

    /// Silences a bug that was reported or found elsewhere.
    pub(super) fn silence(&mut self, name: &str, trigger: Trigger) {
        self.silence.add(name, Some(trigger));
    }

    /// Solvers were asked scripts that hold these triggers.
    pub(super) fn note_asked(&mut self, held: &[usize]) {
        self.silence.note_asked(held);
    }

    // ---- what is shown ----

    /// The names of the newest bugs, newest first.
    pub(super) fn newest_bugs(&self, most: usize) -> Vec<String> {
        let lines = self.lines.iter().rev();
        let bugs = lines.filter(|line| line.same_as.is_none() && line.is_bug());
        bugs.take(most).map(|line| line.id.clone()).collect()
    }

    /// The names of findings that are the same bug as another, and those of all others; oldest first.
    pub(super) fn names(&self) -> (Vec<String>, Vec<String>) {
        let lines = self.lines.iter();
        let (same, first): (Vec<_>, Vec<_>) = lines.partition(|line| line.same_as.is_some());
        let names = |lines: Vec<&FindingLine>| lines.iter().map(|line| line.id.clone()).collect();
        (names(same), names(first))
    }

    pub(super) fn describe(&self, status: &mut Status) {
        let lines = self.lines.iter().filter(|line| line.same_as.is_none());
        for line in lines.clone() {
            *status.classes.entry(line.class.clone()).or_default() += 1;
        }
        let of = |bugs| {
            let lines = lines.clone().rev();
            let lines = lines.filter(move |line| line.is_bug() == bugs);
            lines.take(SHOWN).cloned().collect()
        };
        status.newest = of(true);
        status.lesser = of(false);
    }
}

/// The key by which failed confirmations are counted: the bug itself, or the bucket of a finding that is not a bug.
fn attempted(identity: &Identity) -> &str {
    match identity.class.is_bug() {
        true => &identity.fingerprint,
        false => &identity.bucket,
    }
}

/// Whether a smaller script can show the same: how long a solver takes depends on all of a script.
fn is_reducible(finding: &Finding) -> bool {
    finding.class != Class::Slowness
}
