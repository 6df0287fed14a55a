//! Runs a suspicious script again in processes of their own. Only what shows twice, in the very text that will
//! be reported, becomes a finding; what shows only between `push` and `pop` is reported as such a script.

use crate::finding::Setting;
use crate::slow;
use crate::suspicion::{Suspicion, suspicions};
use crate::team::{Asked, Team};
use auspex_cases::{Care, Case, Class};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Script, Terms};
use auspex_solvers::{Limits, Mode, Query, Run, Session};
use std::time::Duration;

/// A run that only confirms may take longer than one among thousands, by so much,
const PATIENCE: u32 = 20;
/// and never longer than this.
const LONGEST: Duration = Duration::from_secs(20);

/// What was seen twice.
pub struct Proof {
    pub suspicion: Suspicion,
    /// The script as it was run.
    pub script: String,
    pub setting: Setting,
    /// The accused as they answered last, and the others as they answered first.
    pub asked: Vec<Asked>,
}

/// What is asked besides the answers.
#[derive(Clone, Copy, Debug)]
pub struct Details {
    pub models: bool,
    pub cores: bool,
}

/// The proof, or none if it does not show again.
pub fn confirm(
    terms: &mut Terms,
    case: &Case,
    suspicion: &Suspicion,
    asked: &[Asked],
    team: &Team,
    details: Details,
) -> Option<Proof> {
    let script = exact(terms, &case.script, suspicion, asked, details);
    let text = render::script(terms, &script, Sharing::Auto);
    if suspicion.complaint.class == Class::Performance {
        return slow::confirm(terms, case, suspicion, asked, team, &text);
    }
    if let Some(proof) = twice(terms, case, suspicion, asked, team, &text, Setting::Fresh) {
        return Some(proof);
    }
    let live = |at: &usize| asked.iter().find(|a| a.member == *at).map(|a| a.mode);
    let modes: Vec<Mode> = suspicion.accused.iter().filter_map(live).collect();
    if modes.iter().all(|mode| *mode == Mode::Fresh) {
        return None;
    }
    let script = pushed(script);
    let mut text = render::script(terms, &script, Sharing::Auto);
    if modes.contains(&Mode::CheckSatUsing) {
        text = text.replace("(check-sat)\n", "(check-sat-using default)\n");
    }
    twice(
        terms,
        case,
        suspicion,
        asked,
        team,
        &text,
        Setting::Incremental,
    )
}

fn twice(
    terms: &mut Terms,
    case: &Case,
    suspicion: &Suspicion,
    asked: &[Asked],
    team: &Team,
    text: &str,
    setting: Setting,
) -> Option<Proof> {
    let mut last = None;
    for exactly in [true, false] {
        let now = again(suspicion, asked, team, text, setting, exactly)?;
        let seen = suspicions(terms, case, &now, team, Care::THOROUGH);
        let same = seen.into_iter().find(|s| is_same(s, suspicion))?;
        last = Some((same, now));
    }
    let (suspicion, asked) = last?;
    Some(Proof {
        suspicion,
        script: text.to_string(),
        setting,
        asked,
    })
}

pub(crate) fn is_same(one: &Suspicion, other: &Suspicion) -> bool {
    one.query == other.query
        && one.complaint.class == other.complaint.class
        && one.accused == other.accused
}

/// Asks the accused again, and leaves the others' answers as they are.
fn again(
    suspicion: &Suspicion,
    asked: &[Asked],
    team: &Team,
    text: &str,
    setting: Setting,
    exactly: bool,
) -> Option<Vec<Asked>> {
    let mut now = Vec::with_capacity(asked.len());
    for one in asked {
        if !suspicion.accused.contains(&one.member) {
            now.push(one.clone());
            continue;
        }
        let run = fresh(team, one, text, setting, exactly)?;
        now.push(Asked {
            member: one.member,
            answers: run.answers,
            later: run.later.map(|later| later.crash),
            mode: Mode::Fresh,
            wall: run.wall,
            cpu: run.cpu,
        });
    }
    Some(now)
}

/// Asks as `before`, in a process of its own.
fn fresh(team: &Team, before: &Asked, text: &str, setting: Setting, exactly: bool) -> Option<Run> {
    let mut solver = team.members[before.member].solver.clone();
    if setting == Setting::Incremental {
        let incremental = solver.profile.incremental.clone();
        solver = solver.with_options(&incremental);
    }
    let limits = Limits {
        wall: (before.wall * PATIENCE)
            .clamp(team.limits.wall * 2, LONGEST.max(team.limits.wall * 2)),
        soft: None,
        ..team.limits.clone()
    };
    match exactly {
        true => solver.fresh_exact(text, &limits).ok(),
        false => Session::start(&solver, &limits).ask(&Query::new(text)).ok(),
    }
}

/// The script with the options and commands that the live session added, so that it stands for itself.
fn exact(
    terms: &mut Terms,
    script: &Script,
    suspicion: &Suspicion,
    asked: &[Asked],
    details: Details,
) -> Script {
    let mut exact = Script {
        commands: script.commands.clone(),
        spans: Vec::new(),
    };
    let queries = script.queries();
    let Some(query) = queries.get(suspicion.query) else {
        return exact;
    };
    if let Some(command) = detail(terms, suspicion, asked, details)
        && script.commands.get(query.command + 1) != Some(&command)
    {
        exact.commands.insert(query.command + 1, command);
    }
    let truth = terms.symbols.intern("true");
    for (wanted, name) in [
        (details.cores, ":produce-unsat-cores"),
        (details.models, ":produce-models"),
    ] {
        let name = terms.symbols.intern(name);
        let set = |command: &Command| matches!(command, Command::SetOption(n, _) if *n == name);
        if wanted && !script.commands.iter().any(set) {
            exact.commands.insert(0, Command::SetOption(name, truth));
        }
    }
    exact
}

/// What must be asked after the answer so that it can be judged, or to make it crash again.
fn detail(
    terms: &mut Terms,
    suspicion: &Suspicion,
    asked: &[Asked],
    details: Details,
) -> Option<Command> {
    let accused = asked
        .iter()
        .find(|a| suspicion.accused.first() == Some(&a.member))?;
    let answer = accused.answers.get(suspicion.query)?;
    match (suspicion.complaint.class, answer) {
        // Those who answer sat and those who answer unsat get the same text.
        (Class::Disagreement | Class::Performance, _) => None,
        (Class::Incompleteness, _) => {
            let question = terms.symbols.intern("(get-info :reason-unknown)");
            Some(Command::Other(question))
        }
        (_, Answer::Sat { .. }) if details.models => Some(Command::GetModel),
        (_, Answer::Unsat { .. }) if details.cores => Some(Command::GetUnsatCore),
        _ => None,
    }
}

/// The same script after one `push`, as a live session asks it.
fn pushed(mut script: Script) -> Script {
    let is_header = |command: &Command| {
        matches!(
            command,
            Command::SetLogic(_) | Command::SetOption(..) | Command::SetInfo(..)
        )
    };
    let header = script.commands.iter().take_while(|c| is_header(c)).count();
    script.commands.insert(header, Command::Push(1));
    script
}
