//! Probes a seed once: asks solvers and our evaluator about it, and keeps the result in the store.

use crate::script::{named_assertions, with_assertions, without_names};
use crate::seeds::models::{Search, accepted, diverse, keep};
use crate::seeds::pool::{Facts, SeedFile};
use crate::team::adaptive_timeout::shortened;
use crate::team::case_profile::{CaseProfile, features};
use crate::team::{SolverRun, Team};
use auspex_cases::{Case, Evidence, Origin, SeedStatus};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Command, Script, Terms};
use auspex_solvers::{Limits, Mode, Query as Question, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The time of one solver for a seed, as a part of the time limit, with a minimum; its mutants hardly get more. A
/// seed on which every solver needs longer is set aside.
const PART: u32 = 32;
const SHORTEST: Duration = Duration::from_millis(64);
/// The fewest operators in context of a useful seed.
const TRIVIAL: usize = 3;

/// The result of probing a seed.
pub struct Probed {
    pub facts: Facts,
    /// The seed as a case, with the answers, which may be wrong already.
    pub case: Case,
    pub asked: Vec<SolverRun>,
    pub features: CaseProfile,
}

/// The extent of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Answers and their models.
    Brief,
    /// Also cores and further models.
    Whole,
}

/// Asks solvers about seeds, in its own processes.
pub struct SeedProbe<'t> {
    team: &'t Team,
    limits: Limits,
    sessions: Vec<Session>,
    /// For each solver that was asked for further models: its additional processes.
    diverse: BTreeMap<usize, Vec<Session>>,
    mode: Mode,
    used: bool,
    /// Skips cores and further models.
    brief: bool,
}

impl<'t> SeedProbe<'t> {
    /// In `Mode::Fresh` every seed finds a new process, in `Mode::Reset` processes live from seed to seed.
    pub fn new(team: &'t Team, mode: Mode, detail: Detail) -> SeedProbe<'t> {
        let whole = team.limits.soft.unwrap_or(team.limits.wall);
        let limits = shortened(&team.limits, (whole / PART).max(SHORTEST).min(whole));
        SeedProbe {
            team,
            sessions: sessions(team, &limits),
            diverse: BTreeMap::new(),
            limits,
            mode,
            used: false,
            brief: detail == Detail::Brief,
        }
    }

    /// Ends the processes if they were not used since the last call.
    pub fn restart_if_idle(&mut self) {
        if !std::mem::take(&mut self.used) {
            self.sessions = sessions(self.team, &self.limits);
            self.diverse.clear();
        }
    }

    fn ask(&mut self, member: usize, question: Question<'_>) -> Option<SolverRun> {
        self.used = true;
        let run = self.sessions[member].ask(&question.mode(self.mode)).ok()?;
        Some(SolverRun::of(member, run))
    }

    /// Asks every solver about a seed; none if it cannot be read.
    pub fn probe(&mut self, terms: &mut Terms, seed: &SeedFile) -> Option<Probed> {
        let loaded = seed.load(terms, &Facts::default())?;
        let features = features(terms, &loaded.script);
        let script = loaded.script;
        let mut asked = Vec::new();
        for (number, member) in self.team.plain().iter().enumerate() {
            if member.understands(&features) {
                asked.extend(self.ask(number, Question::new(&seed.text).model()));
            }
        }
        let facts = self.facts(terms, &script, &asked, &features);
        let case = Case {
            evidence: vec![Evidence::NoneKnown; script.queries().len()],
            origin: Origin {
                strategy: "seeds",
                seed: Some(seed.name.clone()),
                steps: Vec::new(),
            },
            script,
        };
        Some(Probed {
            facts,
            case,
            asked,
            features,
        })
    }

    fn facts(
        &mut self,
        terms: &mut Terms,
        script: &Script,
        asked: &[SolverRun],
        features: &CaseProfile,
    ) -> Facts {
        let theories = features.theories.names();
        let mut facts = Facts {
            theories: theories.iter().map(ToString::to_string).collect(),
            set_aside: set_aside(asked, features),
            brief: self.brief,
            ..Facts::default()
        };
        for one in asked {
            let answer = one.answers.first().map_or("none", Answer::word);
            let title = self.team.members[one.member].title.clone();
            let row = (answer.to_string(), one.wall.as_millis() as u64);
            facts.answers.insert(title, row);
        }
        self.status(terms, script, asked, &mut facts);
        let unsat = Some(SeedStatus::AgreedUnsat);
        if !self.brief && facts.status == unsat && script.queries().len() == 1 {
            facts.core = self.core(terms, script);
        }
        facts
    }

    /// The status of a seed: a model that our evaluator accepts proves `sat`; `unsat` needs two solvers of different
    /// families and the seed's own `:status`.
    fn status(
        &mut self,
        terms: &mut Terms,
        script: &Script,
        asked: &[SolverRun],
        facts: &mut Facts,
    ) {
        let queries = script.queries();
        let Some(query) = queries.first() else {
            return;
        };
        let (mut found, mut givers) = (Vec::new(), Vec::new());
        for one in asked {
            if let Some(Answer::Sat { model }) = one.answers.first()
                && let text = model.as_deref().unwrap_or("")
                && let Some(model) = accepted(terms, script, query, text)
            {
                keep(&mut found, model);
                givers.push(one);
            }
        }
        // Further models are the most expensive part of a probe: only one solver is asked for them, always the first,
        // so that nothing depends on timing.
        if let Some(giver) = givers.first().filter(|one| one.wall * 4 < self.limits.wall)
            && !self.brief
            && queries.len() == 1
        {
            let search = Search {
                script,
                query,
                mode: self.mode,
            };
            let (team, limits) = (self.team, &self.limits);
            let others = self.diverse.entry(giver.member);
            let others = others.or_insert_with(|| diverse(&team.members[giver.member], limits));
            let session = &mut self.sessions[giver.member];
            search.more(terms, session, others, &mut found);
        }
        facts.models = found.into_iter().map(|found| found.text).collect();
        facts.status = match facts.models.is_empty() {
            true => self.said(asked, own_status(terms, script).as_deref()),
            false => Some(SeedStatus::ProvedSat),
        };
    }

    /// The solvers' answer to a seed without an accepted model; none if they disagree or do not answer.
    fn said(&self, asked: &[SolverRun], own_word: Option<&str>) -> Option<SeedStatus> {
        let mut is_sat = false;
        let mut unsat = BTreeSet::new();
        for one in asked {
            match one.answers.first() {
                Some(Answer::Sat { .. }) => is_sat = true,
                Some(Answer::Unsat { .. }) => {
                    unsat.insert(self.team.members[one.member].id.family.as_str());
                }
                _ => {}
            }
        }
        match (is_sat, unsat.len()) {
            (true, 0) => Some(SeedStatus::SaidSat),
            (true, _) | (false, 0) => None,
            (false, 1) => Some(SeedStatus::SaidUnsat),
            (false, _) if own_word == Some("unsat") => Some(SeedStatus::AgreedUnsat),
            (false, _) => Some(SeedStatus::SaidUnsat),
        }
    }

    /// A core of one solver that another accepts: positions among the assertions.
    fn core(&mut self, terms: &mut Terms, script: &Script) -> Option<Vec<usize>> {
        let count = script.assertions().count();
        let named = named_assertions(terms, &without_names(script));
        let text = render::script(terms, &named, Sharing::Auto);
        for member in 0..self.team.plain {
            let found = self.ask(member, Question::new(&text).core());
            let Some(Answer::Unsat { core: Some(names) }) = found?.answers.into_iter().next()
            else {
                continue;
            };
            let number = |name: &String| name.strip_prefix("auspex!")?.parse::<usize>().ok();
            let mut places: Vec<usize> = names.iter().map(number).collect::<Option<_>>()?;
            places.sort_unstable();
            if places.len() < count && self.agreed_unsat(terms, script, &places) {
                return Some(places);
            }
        }
        None
    }

    /// Whether two solvers of different families find the chosen assertions unsatisfiable, and none satisfiable.
    fn agreed_unsat(&mut self, terms: &Terms, script: &Script, places: &[usize]) -> bool {
        let small = with_assertions(script, places);
        let text = render::script(terms, &small, Sharing::Auto);
        let mut families = BTreeSet::new();
        for (at, member) in self.team.plain().iter().enumerate() {
            let asked = self.ask(at, Question::new(&text));
            match asked.and_then(|a| a.answers.into_iter().next()) {
                Some(Answer::Unsat { .. }) => families.insert(member.id.family.as_str()),
                Some(Answer::Sat { .. }) => return false,
                _ => false,
            };
        }
        families.len() >= 2
    }
}

fn sessions(team: &Team, limits: &Limits) -> Vec<Session> {
    let plain = team.plain().iter();
    plain.map(|m| Session::start(&m.solver, limits)).collect()
}

fn set_aside(asked: &[SolverRun], features: &CaseProfile) -> Option<String> {
    if features.edges.len() < TRIVIAL {
        return Some("too trivial".to_string());
    }
    let refused = |a: &SolverRun| matches!(a.answers.first(), Some(Answer::Rejected { .. }) | None);
    let slow = |a: &SolverRun| matches!(a.answers.first(), Some(Answer::Timeout));
    if asked.iter().all(refused) {
        return Some("rejected by all solvers".to_string());
    }
    let mut others = asked.iter().filter(|a| !refused(a));
    others.all(slow).then(|| "too slow".to_string())
}

/// The seed's own `:status`, if it has one query and one status.
fn own_status(terms: &Terms, script: &Script) -> Option<String> {
    let mut found = script.commands.iter().filter_map(|command| match command {
        Command::SetInfo(key, value) if terms.symbols.name(*key) == ":status" => Some(*value),
        _ => None,
    });
    let first = found.next()?;
    let only = found.next().is_none() && script.queries().len() == 1;
    only.then(|| terms.symbols.name(first).to_string())
}
