//! Confirms a verdict in fresh processes. It becomes a finding only if it shows twice with exactly the text that will
//! be reported; a bug that shows only between `push` and `pop`, or only after other scripts in the same process, is
//! reported with such a script.

use crate::judge::judging::{Forms, Judge, Sources, Unconfirmed};
use crate::judge::slow;
use crate::script::pushed;
use crate::team::{SolverRun, Team};
use auspex_cases::oracle::Grounds;
use auspex_cases::{Budget, Case, Class};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Script, Terms};
use auspex_solvers::{Limits, Mode, Query, Session};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A confirmation may take longer than a run in a campaign, by this factor,
const LONGER: u32 = 20;
/// up to this limit.
const LONGEST: Duration = Duration::from_secs(20);

/// How a script must be run to show the bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// In a fresh process.
    #[default]
    Fresh,
    /// Only as an incremental script: the stored script contains the `push`.
    Incremental,
    /// Only after other scripts in the same process: the stored script contains them.
    AfterOthers,
}

impl Setting {
    pub fn is_incremental(self) -> bool {
        self != Setting::Fresh
    }
}

/// A verdict that showed twice.
pub struct Confirmed {
    pub verdict: Unconfirmed,
    /// The case, if it is another one: with the scripts that came before it.
    pub case: Option<Case>,
    /// The script as it was run.
    pub script: String,
    pub setting: Setting,
    /// The last answers of the accused, and the first answers of the others.
    pub runs: Vec<SolverRun>,
}

/// What is requested in addition to the answers.
#[derive(Clone, Copy, Debug)]
pub struct Details {
    pub models: bool,
    pub cores: bool,
}

/// A case with the answers that led to the verdict.
#[derive(Clone, Copy)]
pub struct Suspected<'a> {
    pub case: &'a Case,
    pub runs: &'a [SolverRun],
    pub team: &'a Team,
    pub sources: Sources<'a>,
    pub details: Details,
}

impl Suspected<'_> {
    /// The same verdict in fresh processes; none if it is not reproduced.
    pub fn confirm(&self, terms: &mut Terms, first: &Unconfirmed) -> Option<Confirmed> {
        let script = self.exact(terms, first);
        let text = render::script(terms, &script, Sharing::Auto);
        if first.verdict.class == Class::Slowness {
            return slow::confirm(terms, self, first, &text);
        }
        if let Some(confirmed) = self.twice(terms, first, &text, Setting::Fresh) {
            return Some(confirmed);
        }
        let accused = first.accused();
        let modes = self.runs.iter().filter(|run| accused.contains(&run.member));
        let modes: Vec<Mode> = modes.map(|run| run.mode).collect();
        if modes.iter().all(|mode| *mode == Mode::Fresh) {
            return None;
        }
        let script = pushed(script);
        let mut text = render::script(terms, &script, Sharing::Auto);
        if modes.contains(&Mode::CheckSatUsing) {
            text = text.replace("(check-sat)\n", "(check-sat-using default)\n");
        }
        let confirmed = self.twice(terms, first, &text, Setting::Incremental);
        confirmed.or_else(|| self.after_others(terms, first))
    }

    pub(super) fn twice(
        &self,
        terms: &mut Terms,
        first: &Unconfirmed,
        text: &str,
        setting: Setting,
    ) -> Option<Confirmed> {
        let mut last = None;
        for exactly in [true, false] {
            let how = How {
                text,
                setting,
                exactly,
            };
            let runs = self.again(first, how)?;
            let limits = self.team.limits.clone();
            let mut ask = |member: usize, text: &str| fresh_run(self.team, member, text, &limits);
            let mut judge = Judge {
                team: self.team,
                budget: Budget::THOROUGH,
                sources: self.sources,
                forms: Forms::needed_for(&first.verdict.grounds, &first.facts),
                ask: &mut ask,
            };
            let seen = judge.verdicts(terms, self.case, &runs);
            let same = seen.into_iter().find(|one| is_confirmation(one, first))?;
            last = Some((same, runs));
        }
        let (verdict, runs) = last?;
        Some(Confirmed {
            verdict,
            case: None,
            script: text.to_string(),
            setting,
            runs,
        })
    }

    /// Asks the accused again, and keeps the others' answers.
    fn again(&self, first: &Unconfirmed, how: How<'_>) -> Option<Vec<SolverRun>> {
        let accused = first.accused();
        let mut now = Vec::with_capacity(self.runs.len());
        for run in self.runs {
            now.push(match accused.contains(&run.member) {
                true => self.ask_again(run, how)?,
                false => run.clone(),
            });
        }
        Some(now)
    }

    /// Asks as before, in a fresh process.
    fn ask_again(&self, before: &SolverRun, how: How<'_>) -> Option<SolverRun> {
        let longest = LONGEST.max(self.team.limits.wall * 2);
        let limits = Limits {
            wall: (before.wall * LONGER).clamp(self.team.limits.wall * 2, longest),
            soft: None,
            ..self.team.limits.clone()
        };
        let mut solver = self.team.members[before.member].solver.clone();
        if how.setting.is_incremental() {
            let incremental = solver.profile.incremental.clone();
            solver = solver.with_options(&incremental);
        }
        let run = match how.exactly {
            true => solver.fresh_exact(how.text, &limits).ok()?,
            false => Session::start(&solver, &limits)
                .ask(&Query::new(how.text))
                .ok()?,
        };
        Some(SolverRun::of(before.member, run))
    }

    /// The script with the options and commands that the live session added, so that it is complete.
    pub(super) fn exact(&self, terms: &mut Terms, first: &Unconfirmed) -> Script {
        let mut exact = Script {
            commands: self.case.script.commands.clone(),
            spans: Vec::new(),
        };
        let queries = self.case.script.queries();
        let Some(query) = queries.get(first.query) else {
            return exact;
        };
        if let Some(command) = self.detail(terms, first)
            && exact.commands.get(query.command + 1) != Some(&command)
        {
            exact.commands.insert(query.command + 1, command);
        }
        let truth = terms.symbols.intern("true");
        for (wanted, name) in [
            (self.details.cores, ":produce-unsat-cores"),
            (self.details.models, ":produce-models"),
        ] {
            let name = terms.symbols.intern(name);
            let set = |command: &Command| matches!(command, Command::SetOption(n, _) if *n == name);
            if wanted && !exact.commands.iter().any(set) {
                exact.commands.insert(0, Command::SetOption(name, truth));
            }
        }
        exact
    }

    /// The requests after the answer that judging needs, or that make the solver crash again.
    fn detail(&self, terms: &mut Terms, first: &Unconfirmed) -> Option<Command> {
        let at = *first.verdict.accused.first()?;
        let answer = &first.facts.replies[at].answer;
        match (first.verdict.class, answer) {
            _ if matches!(first.verdict.grounds, Grounds::CoreItself { .. }) => {
                Some(Command::GetUnsatCore)
            }
            // Solvers that answer sat and those that answer unsat get the same text.
            (Class::Disagreement | Class::SelfContradiction | Class::Slowness, _) => None,
            (Class::Incompleteness, _) => {
                let question = terms.symbols.intern("(get-info :reason-unknown)");
                Some(Command::Other(question))
            }
            (_, Answer::Sat { .. }) if self.details.models => Some(Command::GetModel),
            (_, Answer::Unsat { .. }) if self.details.cores => Some(Command::GetUnsatCore),
            _ => None,
        }
    }
}

/// The query to repeat, and how.
#[derive(Clone, Copy)]
struct How<'a> {
    text: &'a str,
    setting: Setting,
    exactly: bool,
}

/// Asks a member of the team in a fresh process, with models.
pub fn fresh_run(team: &Team, member: usize, text: &str, limits: &Limits) -> Option<SolverRun> {
    let solver = &team.members[member].solver;
    let run = Session::start(solver, limits).ask(&Query::new(text).model());
    Some(SolverRun::of(member, run.ok()?))
}

/// Whether the new verdict is the first one again, or a proof that one of the contradicting answers is wrong.
fn is_confirmation(now: &Unconfirmed, first: &Unconfirmed) -> bool {
    let decides = now.verdict.class.is_proof()
        && matches!(
            first.verdict.class,
            Class::SelfContradiction | Class::Disagreement
        );
    let accused = first.accused();
    now.is_same(first)
        || decides
            && now.query == first.query
            && now.accused().iter().all(|at| accused.contains(at))
}
