//! Searches for rules of approximation: enumeration and evaluation propose, solvers prove.

use crate::rules::prove::{Provers, Said};
use auspex_cases::rules::Rule;
use auspex_cases::rules::discover::{Extent, Found, discover};
use auspex_logic::Theory;

/// A rule that no solver refutes and some prove.
#[derive(Clone, Debug)]
pub struct Survivor {
    /// The rule as a line of a table.
    pub line: String,
    pub provers: Vec<&'static str>,
}

/// What became of a search.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub found: Found,
    pub survivors: Vec<Survivor>,
    /// Proposals that evaluation on other widths and sorts, or a solver, refuted.
    pub refuted: usize,
    /// Proposals that no solver decided.
    pub open: usize,
}

impl Search {
    /// How many survivors so many solvers have proved.
    pub fn proved_by(&self, solvers: usize) -> usize {
        let survivors = self.survivors.iter();
        survivors.filter(|s| s.provers.len() == solvers).count()
    }
}

/// Looks for rules of a theory and asks the provers about each; `watch` is told after how many of all.
pub fn search(
    theory: Theory,
    extent: &Extent,
    provers: &mut Provers,
    watch: &mut dyn FnMut(usize, usize),
) -> Search {
    let mut search = Search {
        found: discover(theory, extent),
        ..Search::default()
    };
    let rules = search.found.rules.clone();
    let all = rules.len();
    for (at, found) in rules.into_iter().enumerate() {
        watch(at, all);
        let line = found.line;
        match judged(&found.rule, provers) {
            None => search.refuted += 1,
            Some(provers) if provers.is_empty() => search.open += 1,
            Some(provers) => search.survivors.push(Survivor { line, provers }),
        }
    }
    search
}

/// Who proves a rule; `None` if it is wrong.
fn judged(rule: &Rule, provers: &mut Provers) -> Option<Vec<&'static str>> {
    const ASSIGNMENTS: usize = 2000;
    let claim = rule.claim();
    if claim.check_with(ASSIGNMENTS).counterexample.is_some() {
        return None;
    }
    let mut proved = Vec::new();
    for (name, said) in provers.ask(&claim.queries()) {
        match said {
            Said::Proved => proved.push(name),
            Said::Open(_) => {}
            Said::Denied(_) => return None,
        }
    }
    Some(proved)
}
