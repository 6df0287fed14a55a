//! Confirms that a solver is slow: in processes of their own those who answered must be quick again, and the accused
//! must take the whole limit and many times what they take, twice.

use crate::confirm::{Proof, is_same};
use crate::finding::Setting;
use crate::suspicion::{Suspicion, suspicions};
use crate::team::{Asked, Team};
use auspex_cases::oracle::performance::RATIO;
use auspex_cases::{Care, Case};
use auspex_logic::{Answer, Terms};
use auspex_solvers::{Limits, Mode, Run};
use std::time::Duration;

/// A busy machine may take so many times as long as its processor counts.
const BUSY: u32 = 4;

/// The proof, or none if somebody is not as slow or as quick as before.
pub fn confirm(
    terms: &mut Terms,
    case: &Case,
    suspicion: &Suspicion,
    asked: &[Asked],
    team: &Team,
    text: &str,
) -> Option<Proof> {
    let mut last = None;
    let care = Care {
        patience: Some(team.patience()),
        ..Care::THOROUGH
    };
    for _ in 0..2 {
        let now = again(suspicion, asked, team, text)?;
        let seen = suspicions(terms, case, &now, team, care);
        let same = seen.into_iter().find(|s| is_same(s, suspicion))?;
        last = Some((same, now));
    }
    let (suspicion, asked) = last?;
    Some(Proof {
        suspicion,
        script: text.to_string(),
        setting: Setting::Fresh,
        asked,
    })
}

/// Asks those who answered, and then the accused for as long as tells.
fn again(suspicion: &Suspicion, asked: &[Asked], team: &Team, text: &str) -> Option<Vec<Asked>> {
    let answered = |one: &&Asked| {
        let answer = one.answers.get(suspicion.query);
        !suspicion.accused.contains(&one.member)
            && matches!(answer, Some(Answer::Sat { .. } | Answer::Unsat { .. }))
    };
    let mut now = Vec::new();
    for one in asked.iter().filter(answered) {
        now.push(fresh(team, one.member, text, team.patience())?);
    }
    let quickest = now.iter().map(|one| one.cpu).min()?;
    let needed = team.patience().max(quickest * RATIO);
    for member in &suspicion.accused {
        now.push(fresh(team, *member, text, needed + needed / 10)?);
    }
    Some(now)
}

fn fresh(team: &Team, member: usize, text: &str, cpu: Duration) -> Option<Asked> {
    let limits = Limits {
        wall: cpu * BUSY,
        soft: None,
        cpu: Some(cpu),
        ..team.limits.clone()
    };
    let run: Run = team.members[member]
        .solver
        .fresh_exact(text, &limits)
        .ok()?;
    Some(Asked {
        member,
        answers: run.answers,
        later: run.later.map(|later| later.crash),
        mode: Mode::Fresh,
        wall: run.wall,
        cpu: run.cpu,
    })
}
