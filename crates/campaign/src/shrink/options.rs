//! Drops the options of an accused solver that a bug does not need, before its script is shrunk.

use crate::judge::diagnose::Bug;
use crate::shrink::bug_check::{BugCheck, Costs};
use crate::team::configuration::smaller_options;
use auspex_reduce::{Check, Examined};
use auspex_solvers::Limits;
use std::sync::Arc;

/// The same bug under as few and as small options as show it; those of the release's usual tier stay.
pub fn with_fewest_options(bug: Bug, text: &str, limits: &Limits, costs: &Arc<Costs>) -> Bug {
    let solver = &bug.accused;
    let tier = solver.profile.default_tier(solver.version.as_ref());
    let usual = tier.map_or(&[][..], |tier| &tier.arguments).to_vec();
    let Some(own) = solver.options.strip_prefix(&usual[..]) else {
        return bug;
    };
    let (mut own, mut fewest, mut tries) = (own.to_vec(), bug, 0);
    while let Some(options) = smaller_options(&own).into_iter().nth(tries) {
        tries += 1;
        let mut candidate = fewest.clone();
        candidate.accused.options = usual.iter().chain(&options).cloned().collect();
        let mut check = BugCheck::new(&candidate, false, limits, costs.clone());
        if let Examined::Yes { evidence } = check.interesting(text)
            && check.confirm(text, &evidence)
        {
            (own, fewest, tries) = (options, candidate, 0);
        }
    }
    fewest
}
