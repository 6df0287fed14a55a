//! What a campaign reaches inside of instrumented solvers: the edges of each, counted once for all workers, and the
//! mutants that reached new ones.

pub mod change;
pub mod guide;
pub mod index;

use crate::coverage::change::Target;
use crate::coverage::guide::Guide;
use crate::team::Team;
use auspex_solvers::coverage::{Coverage, Gauge};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How much of a solver was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edges {
    pub reached: usize,
    pub of: usize,
}

/// The edges that all workers reached, and the mutants that led there.
pub struct Reached {
    /// In the order of the team's members; none where a solver is not instrumented.
    solvers: Vec<Option<Solver>>,
    pub guide: Guide,
    aim: Option<Aim>,
    hits: Mutex<Hits>,
}

/// The edges of a change that a campaign is directed at.
#[derive(Clone, Debug)]
pub struct Aim {
    /// The position of the solver in the team.
    pub member: usize,
    /// In ascending order of edges.
    pub targets: Vec<Target>,
    /// The seeds that reach its functions, by their keys, with weights.
    pub seeds: BTreeMap<String, u64>,
}

/// How often a change was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Cases that reached any of its edges.
    pub cases: u64,
    /// For each edge the cases that reached it.
    pub edges: Vec<u64>,
}

struct Solver {
    label: String,
    edges: Mutex<Marks>,
}

/// A set of edges.
#[derive(Clone, Debug, Default)]
struct Marks {
    marked: Vec<bool>,
    count: usize,
}

impl Marks {
    /// Adds edges; leaves only those that are new.
    fn add(&mut self, edges: &mut Vec<u32>) {
        edges.retain(|edge| {
            let at = *edge as usize;
            if at >= self.marked.len() {
                self.marked.resize(at + 1, false);
            }
            !std::mem::replace(&mut self.marked[at], true)
        });
        self.count += edges.len();
    }
}

impl Reached {
    pub fn new(team: &Team, seed: u64, aim: Option<Aim>) -> Reached {
        let solvers = team.plain().iter().map(|member| {
            member.solver.base.coverage.edges().map(|count| Solver {
                label: member.label.clone(),
                edges: Mutex::new(Marks {
                    marked: vec![false; count],
                    count: 0,
                }),
            })
        });
        Reached {
            solvers: solvers.collect(),
            guide: Guide::new(seed),
            hits: Mutex::new(Hits {
                cases: 0,
                edges: vec![0; aim.as_ref().map_or(0, |aim| aim.targets.len())],
            }),
            aim,
        }
    }

    /// Whether any solver is instrumented.
    pub fn is_known(&self) -> bool {
        self.solvers.iter().any(Option::is_some)
    }

    /// Adds edges that a worker reached for the first time; tells how many are new to the campaign.
    fn add(&self, member: usize, edges: &mut Vec<u32>) -> u64 {
        let Some(Some(solver)) = self.solvers.get(member) else {
            return 0;
        };
        let marks = solver.edges.lock();
        marks.unwrap_or_else(PoisonError::into_inner).add(edges);
        edges.len() as u64
    }

    /// How often the change was reached, if the campaign is directed at one.
    pub fn hits(&self) -> Option<(&Aim, Hits)> {
        let hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        self.aim.as_ref().map(|aim| (aim, hits.clone()))
    }

    /// Counts what one case reached of the change.
    fn hit(&self, member: usize, edges: &[u32]) {
        let Some(aim) = self.aim.as_ref().filter(|aim| aim.member == member) else {
            return;
        };
        let is_reached = |target: &Target| edges.binary_search(&target.edge).is_ok();
        let reached: Vec<usize> = (0..aim.targets.len())
            .filter(|at| is_reached(&aim.targets[*at]))
            .collect();
        if !reached.is_empty() {
            let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
            hits.cases += 1;
            reached.into_iter().for_each(|at| hits.edges[at] += 1);
        }
    }

    /// How much of each solver was reached so far.
    pub fn edges(&self) -> BTreeMap<String, Edges> {
        let known = self.solvers.iter().flatten().map(|solver| {
            let marks = solver.edges.lock();
            let marks = marks.unwrap_or_else(PoisonError::into_inner);
            let edges = Edges {
                reached: marks.count,
                of: marks.marked.len(),
            };
            (solver.label.clone(), edges)
        });
        known.collect()
    }
}

/// The gauges of one worker's processes.
#[derive(Default)]
pub struct Gauges(Vec<(usize, Gauge, Marks)>);

impl Gauges {
    /// A worker's own solvers, and the gauges of those that are instrumented.
    pub fn attach(team: &Team) -> (Team, Gauges) {
        let (mut team, mut gauges) = (team.clone(), Gauges::default());
        for (number, member) in team.members.iter_mut().enumerate() {
            if member.solver.base.coverage.edges().is_some() {
                let gauge = Gauge::new();
                member.solver.base.coverage = Coverage::On(gauge.clone());
                gauges.0.push((number, gauge, Marks::default()));
            }
        }
        (team, gauges)
    }

    /// How many edges that no worker reached before were reached since the last call.
    pub fn read(&mut self, all: &Reached) -> u64 {
        let new = self.0.iter_mut().map(|(member, gauge, known)| {
            let mut edges = gauge.take();
            all.hit(*member, &edges);
            known.add(&mut edges);
            match edges.is_empty() {
                true => 0,
                false => all.add(*member, &mut edges),
            }
        });
        new.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_new_once() {
        let mut marks = Marks::default();
        let mut edges = vec![3, 900, 3];
        marks.add(&mut edges);
        assert_eq!((edges, marks.count), (vec![3, 900], 2));
        let mut edges = vec![900, 4];
        marks.add(&mut edges);
        assert_eq!((edges, marks.count), (vec![4], 3));
    }
}
