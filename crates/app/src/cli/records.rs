//! Reads the findings of a campaign with their histories, and finds the installed solvers of a finding.

use super::status::store_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::findings::folder::Folder;
use auspex_campaign::findings::group::{FindingRecord, accused_name};
use auspex_campaign::findings::history::History;
use auspex_campaign::report::Tracker;
use auspex_campaign::store::Store;
use auspex_campaign::team::Team;
use auspex_solvers::options::{Setting, offer};
use auspex_solvers::profile::Tier;
use auspex_solvers::{Called, Catalog, Limits};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of one finding of a campaign.
pub fn finding_folder(campaign: &Path, id: &str) -> PathBuf {
    campaign.join("findings").join(id)
}

/// The findings of a campaign that can be read.
pub struct Exhibits {
    pub all: Vec<FindingRecord>,
    /// How many could not be read or stored.
    pub failed: usize,
}

impl Exhibits {
    /// The exit code of a command that had to skip findings: those may be bugs.
    pub fn exit(failed: usize, otherwise: Exit) -> Exit {
        match failed {
            0 => otherwise,
            _ => Exit::Environment,
        }
    }
}

/// Every finding of a campaign. Findings that cannot be read are reported and skipped.
pub fn exhibits(
    campaign: &Path,
    store: &mut dyn Store,
    terminal: Terminal,
) -> Result<Exhibits, Failure> {
    let rows = store.findings().map_err(store_failure)?;
    let repeats: BTreeMap<String, u64> = rows
        .into_iter()
        .map(|row| (row.fingerprint, row.repeats))
        .collect();
    let folder = Folder::look(campaign).map_err(super::status::folder_failure)?;
    let (findings, unreadable) = folder.findings();
    for one in &unreadable {
        terminal.error(&format!("{}: {}", one.path.display(), one.why));
    }
    let exhibit = |finding: Finding| FindingRecord {
        history: History::read(&finding_folder(campaign, &finding.id)),
        repeats: repeats.get(&finding.fingerprint).copied().unwrap_or(0),
        finding,
    };
    Ok(Exhibits {
        all: findings.into_iter().map(exhibit).collect(),
        failed: unreadable.len(),
    })
}

/// What the tracker of a finding's accused asks for, and how well its options are supported.
pub fn tracker(catalog: &Catalog, finding: &Finding) -> Tracker {
    let name = accused_name(finding);
    let Some(profile) = catalog.profile(name) else {
        return Tracker {
            solver: name.to_string(),
            ..Tracker::default()
        };
    };
    Tracker {
        solver: profile.title.clone(),
        url: profile.tracker.clone(),
        weekly: profile.weekly,
        model_options: profile.model_options.clone(),
        options: option_tiers(catalog, finding),
    }
}

/// The options of the accused with their tiers, as far as its release is installed and says so.
fn option_tiers(catalog: &Catalog, finding: &Finding) -> Vec<(String, Tier)> {
    let reply = finding.accused_replies.first();
    let reply = reply.and_then(|at| finding.replies.get(*at));
    let Some(reply) = reply.filter(|reply| !reply.options.is_empty()) else {
        return Vec::new();
    };
    let here = catalog.find(&reply.spec()).ok();
    let Some(solver) = here.and_then(|found| found.solver.checked().ok()) else {
        return Vec::new();
    };
    let offer = offer(&solver, Some(&catalog.cache));
    let tier = |option: &String| {
        let setting = Setting::read(option)?;
        let mut known = offer.parameters.iter();
        let known = known.find(|parameter| parameter.name == setting.name)?;
        Some((option.clone(), known.tier))
    };
    reply.options.iter().filter_map(tier).collect()
}

/// The installed solvers of a finding, with its releases and options; the solvers of its campaign if only the accused
/// was asked. A finding names solvers and options, never a program or a file.
pub fn team_here(catalog: &Catalog, finding: &Finding) -> Team {
    let here = |name: &str| {
        catalog.profile(Called::read(name).name)?;
        catalog.find(name).ok()?.solver.checked().ok()
    };
    let asked = finding.replies.iter().filter_map(|reply| {
        let solver = here(&reply.spec())?.with_recorded(&reply.options);
        solver.ok()
    });
    let companions = finding.companions().into_iter();
    let solvers = asked.chain(companions.filter_map(|name| here(&name)));
    let limits = Limits {
        wall: Duration::from_secs(10),
        ..Limits::default()
    };
    Team::new(solvers.collect(), limits)
}
