//! Confirms that a solver is slow: in fresh processes the other solvers must be fast again, and the accused must take
//! the whole limit and many times as long, twice.

use crate::judge::confirm::{Confirmed, Setting, Suspected};
use crate::judge::judging::{Forms, Judge, Unconfirmed};
use crate::team::{SolverRun, Team};
use auspex_cases::Budget;
use auspex_cases::oracle::slowness::RATIO;
use auspex_logic::{Answer, Terms};
use auspex_solvers::Limits;
use std::time::Duration;

/// How much longer wall time may be than processor time on a busy machine.
const BUSY: u32 = 4;

/// The verdict again, or none if a solver is not as slow or as fast as before.
pub fn confirm(
    terms: &mut Terms,
    suspected: &Suspected<'_>,
    first: &Unconfirmed,
    text: &str,
) -> Option<Confirmed> {
    let team = suspected.team;
    let mut last = None;
    for _ in 0..2 {
        let runs = again(first, suspected.runs, team, text)?;
        let mut judge = Judge {
            team,
            budget: Budget {
                slow_from: Some(team.time_limit()),
                ..Budget::THOROUGH
            },
            sources: suspected.sources,
            forms: Forms::default(),
            ask: &mut |_, _| None,
        };
        let seen = judge.verdicts(terms, suspected.case, &runs);
        let same = seen.into_iter().find(|one| one.is_same(first))?;
        last = Some((same, runs));
    }
    let (verdict, runs) = last?;
    Some(Confirmed {
        verdict,
        case: None,
        script: text.to_string(),
        setting: Setting::Fresh,
        runs,
    })
}

/// Asks the solvers that answered, and then the accused, with a limit that is long enough to decide.
fn again(
    first: &Unconfirmed,
    runs: &[SolverRun],
    team: &Team,
    text: &str,
) -> Option<Vec<SolverRun>> {
    let accused = first.accused();
    let answered = |run: &&SolverRun| {
        let answer = run.answer(first.query);
        !accused.contains(&run.member)
            && matches!(answer, Some(Answer::Sat { .. } | Answer::Unsat { .. }))
    };
    let mut now = Vec::new();
    for run in runs.iter().filter(answered) {
        now.push(fresh(team, run.member, text, team.time_limit())?);
    }
    let quickest = now.iter().map(|run| run.cpu).min()?;
    let needed = team.time_limit().max(quickest * RATIO);
    for member in accused {
        now.push(fresh(team, member, text, needed + needed / 10)?);
    }
    Some(now)
}

fn fresh(team: &Team, member: usize, text: &str, cpu: Duration) -> Option<SolverRun> {
    let limits = Limits {
        wall: cpu * BUSY,
        soft: None,
        cpu: Some(cpu),
        ..team.limits.clone()
    };
    let solver = &team.members[member].solver;
    let run = solver.fresh_exact(text, &limits).ok()?;
    Some(SolverRun::of(member, run))
}
