//! The counters of a campaign, and its status at one time for display.

use crate::activity::Times;
use crate::coverage::Edges;
use crate::findings::finding::Finding;
use crate::findings::gist::gist;
use crate::schedule::arms::Arms;
use crate::schedule::walk::Walk;
use auspex_cases::Class;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Counters of one solver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SolverTally {
    /// By answer.
    pub answers: BTreeMap<String, u64>,
    pub wall_us: u64,
    pub cpu_us: u64,
    /// Skipped scripts, because it does not support their theories or rejects all like them.
    pub skipped: u64,
    /// Live processes started.
    pub starts: u64,
    /// Live processes replaced because they were old or large.
    pub recycled: u64,
    /// Live processes that ended or were killed because something was wrong.
    pub killed: u64,
    /// Reasons for rejections, without names and numbers.
    pub refusals: BTreeMap<String, u64>,
    /// Reasons for skipped scripts: what it does not take, and what it was seen to refuse.
    pub skips: BTreeMap<String, u64>,
}

/// How many different reasons for rejections are stored.
const REASONS: usize = 40;

/// Counters of one strategy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StrategyTally {
    pub cases: u64,
    /// Draws without a case.
    pub empty: u64,
    /// Operators in a new context.
    pub features: u64,
    /// Edges of instrumented solvers that its cases were the first to reach.
    pub edges: u64,
    pub suspicions: u64,
    pub findings: u64,
    pub solver_us: u64,
}

/// How often solvers were asked about an operator, and how often they answered `sat` or `unsat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorTally {
    pub asked: u64,
    pub answered: u64,
}

impl AddAssign for OperatorTally {
    fn add_assign(&mut self, more: OperatorTally) {
        self.asked += more.asked;
        self.answered += more.answered;
    }
}

/// All counters. The counters of several processes can be added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    pub cases: u64,
    pub queries: u64,
    pub solvers: BTreeMap<String, SolverTally>,
    pub strategies: BTreeMap<String, StrategyTally>,
    pub modes: BTreeMap<String, u64>,
    pub suspicions: u64,
    /// Duplicates of known findings.
    pub repeats: u64,
    /// Not followed up, because its bucket has many findings already.
    pub similar: u64,
    /// Not followed up, because they are most likely the known bug of this name.
    pub silenced: BTreeMap<String, u64>,
    /// Solvers that were not asked a case, because they nearly always fail on such cases.
    pub avoided: u64,
    /// Known bugs and what the user ignores.
    pub suppressed: u64,
    /// Not reproduced in a fresh process.
    pub unrepeatable: u64,
    pub confirmed: u64,
    /// Panics of Auspex.
    pub defects: u64,
    /// The time of workers, by activity.
    pub times: Times,
    /// By row of the operator table; too many for every status.
    #[serde(skip)]
    pub operators: BTreeMap<u32, OperatorTally>,
}

impl Tally {
    pub fn add(&mut self, more: &Tally) {
        self.cases += more.cases;
        self.queries += more.queries;
        for (name, solver) in &more.solvers {
            self.solvers.entry(name.clone()).or_default().add(solver);
        }
        for (name, strategy) in &more.strategies {
            self.strategies
                .entry(name.clone())
                .or_default()
                .add(strategy);
        }
        add_counts(&mut self.modes, &more.modes);
        self.suspicions += more.suspicions;
        self.repeats += more.repeats;
        self.similar += more.similar;
        add_counts(&mut self.silenced, &more.silenced);
        self.avoided += more.avoided;
        self.suppressed += more.suppressed;
        self.unrepeatable += more.unrepeatable;
        self.confirmed += more.confirmed;
        self.defects += more.defects;
        add_counts(&mut self.times, &more.times);
        for (row, met) in &more.operators {
            *self.operators.entry(*row).or_default() += *met;
        }
    }

    pub fn solver(&mut self, title: &str) -> &mut SolverTally {
        entry(&mut self.solvers, title)
    }

    pub fn strategy(&mut self, name: &str) -> &mut StrategyTally {
        entry(&mut self.strategies, name)
    }
}

impl SolverTally {
    fn add(&mut self, more: &SolverTally) {
        add_counts(&mut self.answers, &more.answers);
        self.wall_us += more.wall_us;
        self.cpu_us += more.cpu_us;
        self.starts += more.starts;
        self.recycled += more.recycled;
        self.killed += more.killed;
        for (why, number) in &more.refusals {
            self.refuse(why, *number);
        }
        let told: u64 = more.skips.values().sum();
        // An older process counts them without reasons.
        self.skipped += more.skipped.saturating_sub(told);
        for (why, number) in &more.skips {
            self.skip(why, *number);
        }
    }

    /// Counts a rejection.
    pub fn refuse(&mut self, why: &str, number: u64) {
        count_reason(&mut self.refusals, why, number);
    }

    /// Counts a script that it was not asked about.
    pub fn skip(&mut self, why: &str, number: u64) {
        self.skipped += number;
        count_reason(&mut self.skips, why, number);
    }

    /// The share of its answers that are rejections, in percent.
    pub fn refused_share(&self) -> f64 {
        let all: u64 = self.answers.values().sum();
        let refused = self.answers.get("rejected").copied().unwrap_or(0);
        100.0 * refused as f64 / all.max(1) as f64
    }
}

/// Counts a reason; those beyond the limit are counted together.
fn count_reason(map: &mut BTreeMap<String, u64>, why: &str, number: u64) {
    let known = map.len() < REASONS || map.contains_key(why);
    let why = if known { why } else { "other" };
    *map.entry(why.to_string()).or_default() += number;
}

impl StrategyTally {
    fn add(&mut self, more: &StrategyTally) {
        self.cases += more.cases;
        self.empty += more.empty;
        self.features += more.features;
        self.edges += more.edges;
        self.suspicions += more.suspicions;
        self.findings += more.findings;
        self.solver_us += more.solver_us;
    }
}

/// Avoids a new string for an existing name.
fn entry<'m, T: Default>(map: &'m mut BTreeMap<String, T>, name: &str) -> &'m mut T {
    if !map.contains_key(name) {
        map.insert(name.to_string(), T::default());
    }
    map.entry(name.to_string()).or_default()
}

/// Adds one to the count of a word.
pub fn count(map: &mut BTreeMap<String, u64>, word: &str) {
    match map.get_mut(word) {
        Some(count) => *count += 1,
        None => {
            map.insert(word.to_string(), 1);
        }
    }
}

fn add_counts(map: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (word, number) in more {
        *map.entry(word.clone()).or_default() += number;
    }
}

/// One finding in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingLine {
    pub id: String,
    pub class: String,
    pub accused: String,
    pub strategy: String,
    pub why: String,
    /// The decisive part of the script.
    #[serde(default)]
    pub gist: String,
    /// Seconds since 1970.
    pub found: u64,
    pub repeats: u64,
    pub reduced: bool,
    /// The finding that is the same bug.
    #[serde(default)]
    pub same_as: Option<String>,
}

/// The longest line; the finding has the complete sentence.
const LONGEST_WHY: usize = 240;

impl FindingLine {
    /// The line of a finding in a list.
    pub fn of(finding: &Finding, repeats: u64) -> FindingLine {
        FindingLine {
            same_as: finding.same_as.clone(),
            id: finding.id.to_string(),
            class: finding.class.name().to_string(),
            accused: finding.accused.join(", "),
            strategy: finding.origin.strategy.clone(),
            why: at_most(&finding.why, LONGEST_WHY),
            gist: gist(finding),
            found: finding.found,
            repeats,
            reduced: finding.reduced.is_some(),
        }
    }

    /// What it is about, in one line: the decisive part of the script, else the beginning of the reason.
    pub fn about(&self) -> &str {
        match self.gist.is_empty() {
            true => self.why.lines().next().unwrap_or(""),
            false => &self.gist,
        }
    }

    /// Whether the solver is wrong.
    pub fn is_bug(&self) -> bool {
        is_bug(&self.class)
    }
}

fn at_most(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn is_bug(class: &str) -> bool {
    Class::named(class).is_none_or(Class::is_bug)
}

/// The status of a campaign at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// Seconds since 1970.
    pub at: u64,
    pub seed: u64,
    /// Seconds of this run, and of all runs of the campaign.
    pub elapsed: f64,
    pub elapsed_all: f64,
    /// Cases a second in the last seconds, and over this run.
    pub rate_now: f64,
    pub rate: f64,
    /// Of all runs.
    pub tally: Tally,
    pub workers: usize,
    /// Findings by class.
    pub classes: BTreeMap<String, u64>,
    /// The newest bugs, newest first.
    pub newest: Vec<FindingLine>,
    /// The newest findings that are not bugs.
    pub lesser: Vec<FindingLine>,
    /// Live solver processes.
    pub sessions: u64,
    pub seeds: usize,
    pub seeds_used: usize,
    pub seeds_set_aside: usize,
    pub seeds_skipped: u64,
    /// How far strategies that walk their cases came.
    pub walk: Walk,
    /// What was reached in each instrumented solver in this run, and the mutants that are seeds because of it.
    pub edges: BTreeMap<String, Edges>,
    pub seeds_reaching: usize,
    /// Processor seconds of Auspex and of the solvers in this run, including probes, confirmations and reductions.
    pub own_cpu: f64,
    pub solver_cpu: f64,
    /// Our memory in bytes.
    pub memory: u64,
    pub paused: bool,
    /// What strategies, theories, modes and options earn.
    pub arms: Arms,
    /// A problem of the machine, if any: a full disk.
    pub trouble: Option<String>,
    /// Findings that are not written yet.
    pub unsaved: usize,
    /// Whether the run is over.
    pub over: bool,
    /// The operators that solvers were asked about; only when the run is over.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub operators: BTreeMap<String, OperatorTally>,
    /// For the sum of finished processes, their number; none for a single process.
    pub gone: usize,
    /// Bytes on disk that the campaign uses, and its limit; 0 means no limit.
    pub disk: u64,
    pub disk_limit: u64,
}

/// Seconds of silence after which a process counts as dead.
pub const SILENCE: u64 = 60;

impl Status {
    /// Auspex's share of all processor time, in percent.
    pub fn own_share(&self) -> f64 {
        let total = self.own_cpu + self.solver_cpu;
        if total > 0.0 {
            100.0 * self.own_cpu / total
        } else {
            0.0
        }
    }

    /// The number of bugs.
    pub fn findings(&self) -> u64 {
        self.count(true)
    }

    /// The number of findings that are not bugs: incompleteness and slowness.
    pub fn besides(&self) -> u64 {
        self.count(false)
    }

    fn count(&self, bugs: bool) -> u64 {
        let classes = self.classes.iter();
        let wanted = classes.filter(|(class, _)| is_bug(class) == bugs);
        wanted.map(|(_, count)| count).sum()
    }

    /// Whether the process is still alive.
    fn is_live(&self, now: u64) -> bool {
        !self.over && now.saturating_sub(self.at) < SILENCE
    }

    /// The sum of all processes' counters, without findings, which come from the store.
    pub fn sum(all: &[Status], now: u64, started: u64) -> Status {
        let mut sum = Status {
            at: now,
            seed: all.first().map_or(0, |one| one.seed),
            over: !all.iter().any(|one| one.is_live(now)),
            elapsed: now.saturating_sub(started) as f64,
            elapsed_all: now.saturating_sub(started) as f64,
            ..Status::default()
        };
        for one in all {
            sum.tally.add(&one.tally);
            sum.own_cpu += one.own_cpu;
            sum.solver_cpu += one.solver_cpu;
            sum.seeds = sum.seeds.max(one.seeds);
            sum.seeds_used = sum.seeds_used.max(one.seeds_used);
            sum.seeds_set_aside = sum.seeds_set_aside.max(one.seeds_set_aside);
            sum.seeds_skipped = sum.seeds_skipped.max(one.seeds_skipped);
            sum.seeds_reaching += one.seeds_reaching;
            for (name, edges) in &one.edges {
                let most = sum.edges.entry(name.clone()).or_default();
                most.reached = most.reached.max(edges.reached);
                most.of = most.of.max(edges.of);
            }
        }
        for one in all.iter().filter(|one| one.is_live(now)) {
            sum.rate_now += one.rate_now;
            sum.workers += one.workers;
            sum.sessions += one.sessions;
            sum.arms.add(&one.arms);
            sum.memory += one.memory;
            sum.unsaved += one.unsaved;
            sum.disk += one.disk;
            sum.trouble = sum.trouble.or_else(|| one.trouble.clone());
        }
        sum.rate = sum.tally.cases as f64 / sum.elapsed.max(1.0);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_parts_are_counts_of_the_whole() {
        let mut one = Tally {
            cases: 2,
            ..Tally::default()
        };
        count(&mut one.solver("z3").answers, "sat");
        one.strategy("construct").cases = 2;
        let mut all = Tally::default();
        all.add(&one);
        all.add(&one);
        assert_eq!(all.cases, 4);
        assert_eq!(all.solver("z3").answers["sat"], 2);
        assert_eq!(all.strategy("construct").cases, 4);
    }

    #[test]
    fn machines_are_summed_up_and_the_dead_count_for_what_they_did() {
        let one = |at, over, cases| Status {
            at,
            over,
            workers: 4,
            rate_now: 10.0,
            tally: Tally {
                cases,
                ..Tally::default()
            },
            ..Status::default()
        };
        let all = [one(1000, false, 5), one(900, false, 7), one(1000, true, 9)];
        let sum = Status::sum(&all, 1010, 10);
        assert_eq!((sum.tally.cases, sum.workers), (21, 4));
        assert_eq!((sum.rate_now, sum.elapsed_all), (10.0, 1000.0));
        assert!(!sum.over && Status::sum(&all[1..], 1010, 10).over);
    }

    #[test]
    fn an_older_or_newer_status_can_still_be_read() {
        let status: Status = serde_json::from_str("{\"at\": 3, \"unheard\": 1}").unwrap();
        assert_eq!(status.at, 3);
        assert_eq!(status.own_share(), 0.0);
    }
}
