//! `auspex ci --changed BASE`: directs a campaign at a change of a solver's source, and tells how much of it was reached.

use crate::exit::Failure;
use crate::terminal::Terminal;
use auspex_campaign::coverage::change::{Change, Target};
use auspex_campaign::coverage::index::{Index, functions};
use auspex_campaign::coverage::{Aim, Hits};
use auspex_campaign::{Campaign, Setup};
use auspex_logic::Theory;
use auspex_solvers::coverage::source::{NoPlaces, diff, places};
use std::path::PathBuf;

/// A change to direct a campaign at.
#[derive(clap::Args)]
// `auspex ci` takes them in.
#[group(skip)]
pub struct Arguments {
    /// Direct the run at what changed since this commit, in the checkout of a solver; best with an instrumented one
    #[arg(long, value_name = "BASE")]
    changed: Option<String>,
    /// Direct the run at a place: FILE, FILE:LINE, FILE:LINE-LINE or a function (may be given several times)
    #[arg(long, value_name = "PLACE")]
    changed_at: Vec<String>,
    /// The index of what each seed reaches, kept from run to run
    #[arg(long, value_name = "FILE", default_value = "auspex-reach.json")]
    reach_index: PathBuf,
}

impl Arguments {
    /// The change that is named, if any.
    fn change(&self) -> Result<Option<Change>, Failure> {
        if self.changed.is_none() && self.changed_at.is_empty() {
            return Ok(None);
        }
        let mut change = match &self.changed {
            Some(base) => Change::of_diff(&diff(base).map_err(environment)?),
            None => Change::default(),
        };
        for place in &self.changed_at {
            let added = change.add(place);
            added.map_err(|error| Failure::Usage(error.to_string()))?;
        }
        match change.is_empty() {
            true => Err(Failure::Usage("nothing has changed".to_string())),
            false => Ok(Some(change)),
        }
    }

    /// Directs a campaign at the change, if one is named.
    pub fn direct(&self, setup: &mut Setup, terminal: Terminal) -> Result<(), Failure> {
        let Some(change) = self.change()? else {
            return Ok(());
        };
        let members = setup.team.plain();
        let edges = |at: &usize| members[*at].solver.base.coverage.edges();
        let member = (0..members.len()).find(|at| edges(at).is_some());
        let Some(member) = member else {
            return by_names(&change, setup, terminal);
        };
        let solver = &members[member].solver;
        let places = match places(solver) {
            Ok(places) => places,
            Err(why @ (NoPlaces::NoTable(_) | NoPlaces::NoProgram)) => {
                terminal.error(&why.to_string());
                return by_names(&change, setup, terminal);
            }
            Err(why) => return Err(environment(why)),
        };
        let targets = change.targets(&places);
        if targets.is_empty() {
            terminal.error("no edge of the solver is in the change");
            return by_names(&change, setup, terminal);
        }
        terminal.note("asking the seeds what they reach");
        let index = Index::of(solver, &places, &setup.pool, &self.reach_index);
        let index = index.map_err(|error| Failure::file(&self.reach_index, &error))?;
        let seeds = index.reaching(&targets);
        terminal.error(&format!(
            "the change has {} edges in {} functions; {} of {} seeds reach its functions",
            targets.len(),
            functions(&targets).len(),
            seeds.len(),
            setup.pool.seeds.len()
        ));
        let unreached = index.unreached(&targets);
        if !unreached.is_empty() {
            terminal.error(&format!("no seed reaches {}", some(&unreached)));
        }
        setup.aim = Some(Aim {
            member,
            targets,
            seeds,
        });
        Ok(())
    }
}

fn environment(error: NoPlaces) -> Failure {
    Failure::Environment(error.to_string())
}

/// What names tell: only cases of the theories that they speak of.
fn by_names(change: &Change, setup: &mut Setup, terminal: Terminal) -> Result<(), Failure> {
    let names = change.theories();
    let named = |name: &&str| {
        Theory::ALL
            .into_iter()
            .find(|theory| theory.name() == *name)
    };
    let theories: Vec<Theory> = names.iter().filter_map(named).collect();
    if theories.is_empty() || !setup.maker.theories.is_empty() {
        terminal.error("no solver tells what it reaches, and the names in the change tell no theory: the run is not directed at it");
        return Ok(());
    }
    let names: Vec<&str> = names.into_iter().collect();
    terminal.error(&format!(
        "no solver tells what it reaches: the run is directed by the names in the change, which tell of {}",
        names.join(", ")
    ));
    setup.maker.theories = std::iter::once(Theory::Core).chain(theories).collect();
    Ok(())
}

/// Tells how much of the change a campaign reached.
pub fn tell(campaign: &Campaign, terminal: Terminal) {
    if let Some((aim, hits)) = campaign.state().reached.hits() {
        report(&aim.targets, &hits)
            .iter()
            .for_each(|line| terminal.error(line));
    }
}

fn report(targets: &[Target], hits: &Hits) -> Vec<String> {
    let reached = hits.edges.iter().filter(|count| **count > 0).count();
    let mut lines = vec![format!(
        "of the change's {} edges {reached} were reached, by {} cases",
        targets.len(),
        hits.cases
    )];
    let never = targets
        .iter()
        .zip(&hits.edges)
        .filter(|(_, count)| **count == 0);
    let mut never: Vec<String> = never.map(|(target, _)| place(target)).collect();
    never.dedup();
    if !never.is_empty() {
        let never: Vec<&str> = never.iter().map(String::as_str).collect();
        lines.push(format!("never reached: {}", some(&never)));
    }
    lines
}

fn place(target: &Target) -> String {
    let file = target.place.file.rsplit('/').next().unwrap_or("");
    format!("{file}:{} ({})", target.place.line, target.place.function)
}

/// How many places a line lists.
const LISTED: usize = 12;

fn some(all: &[&str]) -> String {
    let listed = all[..all.len().min(LISTED)].join(", ");
    match all.len() > LISTED {
        true => format!("{listed} and {} more", all.len() - LISTED),
        false => listed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_solvers::coverage::source::Place;

    #[test]
    fn what_was_never_reached_is_named() {
        let target = |edge: u32, line: u32| Target {
            edge,
            place: Place {
                function: "f()".to_string(),
                file: "/src/a.cpp".to_string(),
                line,
                entry: false,
            },
        };
        let hits = Hits {
            cases: 3,
            edges: vec![2, 0],
        };
        let lines = report(&[target(4, 10), target(7, 12)], &hits);
        assert_eq!(
            lines[0],
            "of the change's 2 edges 1 were reached, by 3 cases"
        );
        assert_eq!(lines[1], "never reached: a.cpp:12 (f())");
    }
}
