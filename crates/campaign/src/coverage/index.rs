//! The index beside a campaign: which seeds reach which functions of an instrumented solver. It is made by asking every
//! seed once, belongs to one build, and is made again for another.

use crate::coverage::change::Target;
use crate::seeds::pool::{Pool, SeedFile};
use crate::stable::Stable;
use auspex_solvers::coverage::Gauge;
use auspex_solvers::coverage::source::Place;
use auspex_solvers::{Limits, Mode, Query, Session, Solver};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// The most seeds that are kept for one function; common ones are reached by nearly all.
const MOST: usize = 64;
/// The time of one seed.
const TIME: Duration = Duration::from_millis(500);

/// Which seeds reach which functions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The hash of all places of the build.
    build: String,
    /// The keys of the seeds that were asked.
    asked: BTreeSet<String>,
    functions: BTreeMap<String, Reaching>,
}

/// The seeds that reach a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reaching {
    pub count: usize,
    /// The keys of the first of them.
    pub seeds: Vec<String>,
}

impl Index {
    /// The index of a build, from a file if it has it; seeds that are not in it are asked, and the file is written.
    pub fn of(
        solver: &Solver,
        places: &[Place],
        pool: &Pool,
        path: &Path,
    ) -> std::io::Result<Index> {
        let build = build(places);
        let known = std::fs::read(path).ok();
        let known = known.and_then(|text| serde_json::from_slice::<Index>(&text).ok());
        let known = known.filter(|index| index.build == build);
        let mut index = known.unwrap_or(Index {
            build,
            ..Index::default()
        });
        let new = pool
            .seeds
            .iter()
            .filter(|seed| !index.asked.contains(&seed.key));
        let new: Vec<&SeedFile> = new.collect();
        if !new.is_empty() {
            index.ask(solver, places, &new);
            std::fs::write(path, serde_json::to_vec(&index)?)?;
        }
        Ok(index)
    }

    fn ask(&mut self, solver: &Solver, places: &[Place], seeds: &[&SeedFile]) {
        let (solver, Some(gauge)) = solver.clone().gauged() else {
            return;
        };
        let limits = Limits {
            wall: TIME,
            cpu: Some(TIME),
            ..Limits::default()
        };
        let mut session = Session::start(&solver, &limits);
        for seed in seeds {
            let reached = reached(&mut session, &gauge, places, seed);
            for function in reached {
                let known = self.functions.entry(function.to_string()).or_default();
                known.count += 1;
                if known.seeds.len() < MOST {
                    known.seeds.push(seed.key.clone());
                }
            }
            self.asked.insert(seed.key.clone());
        }
    }

    /// The seeds that reach functions of the targets; a function that few seeds reach counts more, in thousandths.
    pub fn reaching(&self, targets: &[Target]) -> BTreeMap<String, u64> {
        let mut weights = BTreeMap::new();
        for function in functions(targets) {
            if let Some(reaching) = self.functions.get(function) {
                for seed in &reaching.seeds {
                    let weight: &mut u64 = weights.entry(seed.clone()).or_default();
                    *weight += (1000 / reaching.count.max(1) as u64).max(1);
                }
            }
        }
        weights
    }

    /// The functions of the targets that no seed reaches.
    pub fn unreached<'t>(&self, targets: &'t [Target]) -> Vec<&'t str> {
        let all = functions(targets).into_iter();
        all.filter(|function| !self.functions.contains_key(*function))
            .collect()
    }
}

/// The functions of a change.
pub fn functions(targets: &[Target]) -> BTreeSet<&str> {
    targets
        .iter()
        .map(|target| target.place.function.as_str())
        .collect()
}

/// The functions that a seed reaches.
fn reached<'p>(
    session: &mut Session,
    gauge: &Gauge,
    places: &'p [Place],
    seed: &SeedFile,
) -> BTreeSet<&'p str> {
    // A solver that cannot be started reaches nothing, which the campaign will say.
    let _ = session.ask(&Query::new(&seed.text).mode(Mode::Reset));
    let edges = gauge.take().into_iter();
    let places = edges.filter_map(|edge| places.get(edge as usize));
    places.map(|place| place.function.as_str()).collect()
}

fn build(places: &[Place]) -> String {
    let hash = places.iter().fold(Stable::default(), |hash, place| {
        hash.text(&place.function).number(u64::from(place.line))
    });
    format!("{:016x}", hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_seeds_weigh_more() {
        let reaching = |count: usize, seeds: &[&str]| Reaching {
            count,
            seeds: seeds.iter().map(ToString::to_string).collect(),
        };
        let index = Index {
            functions: BTreeMap::from([
                ("f".to_string(), reaching(2, &["a", "b"])),
                ("g".to_string(), reaching(1, &["b"])),
            ]),
            ..Index::default()
        };
        let target = |function: &str| Target {
            edge: 0,
            place: Place {
                function: function.to_string(),
                file: String::new(),
                line: 1,
                entry: true,
            },
        };
        let targets = [target("f"), target("g"), target("h")];
        let weights = index.reaching(&targets);
        assert_eq!((weights["a"], weights["b"]), (500, 1500));
        assert_eq!(index.unreached(&targets), ["h"]);
    }
}
