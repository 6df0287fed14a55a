//! What a campaign counts, and its state at one moment for whoever shows it.

use crate::bandit::Bandit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of one solver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SolverTally {
    /// By the word of the answer.
    pub answers: BTreeMap<String, u64>,
    pub wall_us: u64,
    pub cpu_us: u64,
    /// Scripts it was not asked, because it does not know their theories or refuses them all.
    pub spared: u64,
    /// Live processes started.
    pub starts: u64,
    /// Live processes replaced because they were old or large.
    pub recycled: u64,
    /// Live processes that ended or were ended because something was wrong.
    pub killed: u64,
    /// Why it refused scripts, without names and numbers.
    pub refusals: BTreeMap<String, u64>,
}

/// So many different reasons for refusals are kept.
const REASONS: usize = 40;

/// Counts of one strategy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StrategyTally {
    pub cases: u64,
    /// Draws that led nowhere.
    pub empty: u64,
    /// Operators in a new context.
    pub features: u64,
    pub suspicions: u64,
    pub findings: u64,
    pub solver_us: u64,
}

/// Everything that is counted. Sums of parts are counts of the whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    pub cases: u64,
    pub queries: u64,
    pub solvers: BTreeMap<String, SolverTally>,
    pub strategies: BTreeMap<String, StrategyTally>,
    pub modes: BTreeMap<String, u64>,
    pub suspicions: u64,
    /// Seen again after it was found.
    pub repeats: u64,
    /// Not looked at closely: its bucket has many findings already.
    pub similar: u64,
    /// Known bugs and what the user ignores.
    pub suppressed: u64,
    /// Did not show again in a process of its own.
    pub unrepeatable: u64,
    pub confirmed: u64,
    /// Panics of our own.
    pub defects: u64,
    pub make_us: u64,
    pub judge_us: u64,
    pub confirm_us: u64,
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
        self.suppressed += more.suppressed;
        self.unrepeatable += more.unrepeatable;
        self.confirmed += more.confirmed;
        self.defects += more.defects;
        self.make_us += more.make_us;
        self.judge_us += more.judge_us;
        self.confirm_us += more.confirm_us;
    }

    pub fn solver(&mut self, title: &str) -> &mut SolverTally {
        entry(&mut self.solvers, title)
    }

    pub fn strategy(&mut self, name: &str) -> &mut StrategyTally {
        entry(&mut self.strategies, name)
    }

    /// Processor time of all solvers in seconds.
    pub fn solver_cpu(&self) -> f64 {
        self.solvers.values().map(|s| s.cpu_us as f64 / 1e6).sum()
    }
}

impl SolverTally {
    fn add(&mut self, more: &SolverTally) {
        add_counts(&mut self.answers, &more.answers);
        self.wall_us += more.wall_us;
        self.cpu_us += more.cpu_us;
        self.spared += more.spared;
        self.starts += more.starts;
        self.recycled += more.recycled;
        self.killed += more.killed;
        for (why, number) in &more.refusals {
            self.refuse(why, *number);
        }
    }

    /// Counts a refusal; what is too rare or too varied to be listed is counted together.
    pub fn refuse(&mut self, why: &str, number: u64) {
        let known = self.refusals.len() < REASONS || self.refusals.contains_key(why);
        let why = if known { why } else { "other" };
        *self.refusals.entry(why.to_string()).or_default() += number;
    }
}

impl StrategyTally {
    fn add(&mut self, more: &StrategyTally) {
        self.cases += more.cases;
        self.empty += more.empty;
        self.features += more.features;
        self.suspicions += more.suspicions;
        self.findings += more.findings;
        self.solver_us += more.solver_us;
    }
}

/// Without a new string for a name that is there.
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
    /// Seconds since 1970.
    pub found: u64,
    pub repeats: u64,
    pub reduced: bool,
    /// The finding that is the same bug.
    #[serde(default)]
    pub same_as: Option<String>,
}

/// A campaign at one moment.
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
    /// The newest findings, newest first.
    pub newest: Vec<FindingLine>,
    /// Live solver processes.
    pub sessions: u64,
    pub seeds: usize,
    pub seeds_used: usize,
    pub seeds_aside: usize,
    pub seeds_skipped: u64,
    /// Processor seconds of our own and of the solvers, in this run.
    pub own_cpu: f64,
    pub solver_cpu: f64,
    /// Our memory in bytes.
    pub memory: u64,
    pub paused: bool,
    /// What modes and options have brought.
    pub bandit: Bandit,
    /// What is wrong with the machine, if anything: a full disk.
    pub trouble: Option<String>,
    /// Findings that could not be written yet.
    pub unsaved: usize,
    /// Whether the run is over.
    pub over: bool,
}

impl Status {
    /// Our share of all processor time, in percent.
    pub fn own_share(&self) -> f64 {
        let total = self.own_cpu + self.solver_cpu;
        if total > 0.0 {
            100.0 * self.own_cpu / total
        } else {
            0.0
        }
    }

    pub fn findings(&self) -> u64 {
        self.classes.values().sum()
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
    fn an_older_or_newer_status_can_still_be_read() {
        let status: Status = serde_json::from_str("{\"at\": 3, \"unheard\": 1}").unwrap();
        assert_eq!(status.at, 3);
        assert_eq!(status.own_share(), 0.0);
    }
}
