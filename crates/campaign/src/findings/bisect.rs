//! Bisection: finds the releases of a solver that are wrong about a script, and the options that make the bug
//! disappear. Each is judged with what is known about the script and with the answers of trusted solvers.

use crate::findings::finding::Finding;
use crate::findings::replay::{self, ask_again};
use crate::judge::confirm::fresh_run;
use crate::judge::examine;
use crate::judge::judging::{Forms, Judge, Judged, Sources};
use crate::team::{SolverRun, Team};
use auspex_cases::oracle::Related;
use auspex_cases::oracle::ground::refuted_part;
use auspex_cases::{Budget, Case, Class, Evidence, Side};
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::{Answer, Terms, read_script};
use auspex_solvers::solver::StartError;
use auspex_solvers::{Limits, Query, Session, Solver};
use std::collections::BTreeSet;

/// The right answer to one query, and its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    Sat { because: String },
    Unsat { because: String },
    Unknown,
}

/// The result of a release on a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Right,
    Wrong(Class),
    /// No answer, a rejection, or an answer that cannot be judged.
    Open,
}

impl Standing {
    pub fn word(self) -> &'static str {
        match self {
            Standing::Right => "right",
            Standing::Wrong(class) => class.name(),
            Standing::Open => "-",
        }
    }

    pub fn is_wrong(self) -> bool {
        matches!(self, Standing::Wrong(_))
    }
}

/// The answers of one configuration of a solver.
#[derive(Clone, Debug)]
pub struct Row {
    pub title: String,
    pub version: String,
    /// Its answers in words.
    pub answers: Vec<&'static str>,
    pub standing: Standing,
    pub seconds: f64,
}

/// What is known about a script, for judging releases.
pub struct GroundTruth {
    text: String,
    /// The finding about it; none for a user's script.
    finding: Option<Finding>,
    model: Option<String>,
    trusted: Vec<Solver>,
    /// The answers of trusted solvers; in the team the judged release comes before them.
    runs: Vec<SolverRun>,
    recorded: Vec<Related>,
    pub truths: Vec<Truth>,
    limits: Limits,
}

impl GroundTruth {
    /// Uses a known model and asks trusted solvers.
    pub fn new(
        text: &str,
        finding: Option<&Finding>,
        model: Option<&str>,
        trusted: &[Solver],
        limits: &Limits,
    ) -> GroundTruth {
        let mut truth = GroundTruth {
            text: text.to_string(),
            finding: finding.cloned(),
            model: model.map(str::to_string),
            trusted: trusted.to_vec(),
            runs: Vec::new(),
            recorded: finding.map_or_else(Vec::new, |one| replay::related_to(one, text)),
            truths: Vec::new(),
            limits: limits.clone(),
        };
        for (at, solver) in trusted.iter().enumerate() {
            let run = truth.ask(solver).ok();
            truth.runs.extend(run.map(|run| SolverRun {
                member: at + 1,
                ..run
            }));
        }
        let mut terms = truth.terms();
        if let Some(case) = truth.case(&mut terms) {
            let numbers = 0..case.script.queries().len();
            truth.truths = numbers
                .map(|number| truth.right_answer(&mut terms, &case, number))
                .collect();
        }
        truth
    }

    fn terms(&self) -> Terms {
        self.finding
            .as_ref()
            .map_or_else(Terms::new, Finding::terms)
    }

    /// The script as a case, with the evidence that still holds.
    fn case(&self, terms: &mut Terms) -> Option<Case> {
        let mut case = match &self.finding {
            Some(finding) => replay::case_of(finding, &self.text, terms).ok()?,
            None => examine::case_of(read_script(terms, &self.text).ok()?.script, terms),
        };
        if let Some(text) = &self.model
            && let Ok(model) = read_model(terms, &case.script, text)
        {
            let queries = case.script.queries();
            for (query, evidence) in queries.iter().zip(&mut case.evidence) {
                let is_valid = || validate(terms, &model, query) == ModelVerdict::Valid;
                if matches!(evidence, Evidence::NoneKnown) && is_valid() {
                    *evidence = Evidence::Witness(Box::new(model.clone()));
                }
            }
        }
        Some(case)
    }

    fn ask(&self, solver: &Solver) -> Result<SolverRun, StartError> {
        if let Some(finding) = &self.finding
            && let Some(run) = ask_again(finding, &self.text, solver, &self.limits)
        {
            return Ok(run);
        }
        let query = Query {
            want_core: self.text.contains(":named"),
            ..Query::new(&self.text).model()
        };
        let run = Session::start(solver, &self.limits).ask(&query)?;
        Ok(SolverRun::of(0, run))
    }

    /// The right answer to a query, by evaluation, a model, or independent solvers.
    fn right_answer(&self, terms: &mut Terms, case: &Case, number: usize) -> Truth {
        let queries = case.script.queries();
        let query = &queries[number];
        if refuted_part(terms, &case.script, query).is_some() {
            let because = "an assertion is false in every model".to_string();
            return Truth::Unsat { because };
        }
        match &case.evidence[number] {
            Evidence::Witness(model) if validate(terms, model, query) == ModelVerdict::Valid => {
                let because = "the witness makes every assertion true".to_string();
                return Truth::Sat { because };
            }
            Evidence::Core { because, .. } => {
                let because = because.clone();
                return Truth::Unsat { because };
            }
            _ => {}
        }
        for run in &self.runs {
            let Some(Answer::Sat { model: Some(text) }) = run.answer(number) else {
                continue;
            };
            let model = read_model(terms, &case.script, text);
            if model.is_ok_and(|model| validate(terms, &model, query) == ModelVerdict::Valid) {
                let title = self.trusted[run.member - 1].title();
                let because = format!("the model of {title} makes every assertion true");
                return Truth::Sat { because };
            }
        }
        self.agreed(number)
    }

    /// The answer of at least two independent trusted solvers, if none contradicts it.
    fn agreed(&self, number: usize) -> Truth {
        let mut said: BTreeSet<(Side, String)> = BTreeSet::new();
        let mut titles = Vec::new();
        for run in &self.runs {
            if let Some(side) = run.answer(number).and_then(Side::of) {
                let solver = &self.trusted[run.member - 1];
                said.insert((side, crate::team::id_of(solver).family));
                titles.push(solver.title());
            }
        }
        let sides: BTreeSet<Side> = said.iter().map(|(side, _)| *side).collect();
        let because = || format!("{} say so", titles.join(", "));
        match (sides.len(), said.len(), sides.first()) {
            (1, 2.., Some(Side::Sat)) => Truth::Sat { because: because() },
            (1, 2.., Some(Side::Unsat)) => Truth::Unsat { because: because() },
            _ => Truth::Unknown,
        }
    }

    /// Runs the script on one configuration and judges its answers.
    pub fn row(&self, solver: &Solver) -> Result<Row, StartError> {
        let run = self.ask(solver)?;
        let version = solver.version.as_ref().map(|version| version.to_string());
        Ok(Row {
            title: solver.title(),
            version: version.unwrap_or_default(),
            answers: run.answers.iter().map(Answer::word).collect(),
            seconds: run.wall.as_secs_f64(),
            standing: self.standing(solver, run),
        })
    }

    /// The gravest verdict on a run.
    fn standing(&self, solver: &Solver, run: SolverRun) -> Standing {
        let mut terms = self.terms();
        let Some(case) = self.case(&mut terms) else {
            return Standing::Open;
        };
        let solvers = [solver].into_iter().chain(&self.trusted);
        let team = Team::new(solvers.cloned().collect(), self.limits.clone());
        let only_crash = self.class() == Some(Class::Crash);
        let ended = !run.answers.is_empty() && run.answers.iter().all(is_answer);
        let mut runs = vec![run];
        runs.extend(self.runs.iter().cloned());
        let limits = self.limits.clone();
        let mut ask = |member: usize, text: &str| fresh_run(&team, member, text, &limits);
        let judged = Judge {
            team: &team,
            budget: Budget::THOROUGH,
            sources: Sources::Recorded(&self.recorded),
            forms: self.finding.as_ref().map_or(Forms::ALL, replay::forms),
            ask: &mut ask,
        }
        .judge(&mut terms, &case, &runs);
        let mut wrong = judged.iter().flat_map(accused_of).collect::<BTreeSet<_>>();
        wrong.retain(|class| counts(*class) && (!only_crash || *class == Class::Crash));
        match wrong.first() {
            Some(class) => Standing::Wrong(*class),
            None if only_crash && ended => Standing::Right,
            None if self.is_right(&mut terms, &case, &judged) => Standing::Right,
            None => Standing::Open,
        }
    }

    fn class(&self) -> Option<Class> {
        self.finding.as_ref().map(|finding| finding.class)
    }

    /// Whether every answer is known to be right.
    fn is_right(&self, terms: &mut Terms, case: &Case, judged: &[Judged]) -> bool {
        let mut queries = judged.iter().enumerate();
        !judged.is_empty()
            && queries.all(|(number, one)| {
                let Some(own) = one.facts.members.iter().position(|member| *member == 0) else {
                    return false;
                };
                let side = one.facts.replies[own].side();
                let agrees = match self.truths.get(number) {
                    Some(Truth::Sat { .. }) => side == Some(Side::Sat),
                    Some(Truth::Unsat { .. }) => side == Some(Side::Unsat),
                    Some(Truth::Unknown) | None => false,
                };
                let mut others = one.facts.replies.iter().zip(&one.facts.members);
                let mut seconded =
                    || others.any(|(reply, member)| *member != 0 && reply.side() == side);
                let mut model = || one.model(terms, case, number, own);
                side.is_some() && (agrees || model() == Some(ModelVerdict::Valid) || seconded())
            })
    }

    /// Tries the accused without each of its own options, then with single others: those without or with which it is
    /// right make the bug disappear.
    pub fn options(&self, accused: &Solver) -> Vec<(String, Row)> {
        let mut rows = Vec::new();
        for (place, option) in accused.options.iter().enumerate() {
            let mut without = accused.clone();
            without.options.remove(place);
            let row = self.row(&without).ok();
            rows.extend(row.map(|row| (format!("without {option}"), row)));
        }
        // A release without an option rejects it, which does not count.
        for option in &accused.profile.options {
            let words: Vec<String> = option.text.split_whitespace().map(String::from).collect();
            let solver = accused.clone().with_options(&words);
            rows.extend(self.row(&solver).ok().map(|row| (option.text.clone(), row)));
        }
        rows
    }
}

/// The classes of the verdicts that accuse the release, which is first in the team.
fn accused_of(judged: &Judged) -> Vec<Class> {
    let accuses = |accused: &[usize]| accused.iter().any(|at| judged.facts.members[*at] == 0);
    let verdicts = judged.verdicts.iter();
    let own = verdicts.filter(|verdict| accuses(&verdict.accused));
    own.map(|verdict| verdict.class).collect()
}

/// Whether a class counts: a contradiction with trusted solvers does; incompleteness and slowness are not errors.
fn counts(class: Class) -> bool {
    class.is_bug() || class == Class::Disagreement
}

/// Whether a solver ended by itself.
fn is_answer(answer: &Answer) -> bool {
    matches!(answer.word(), "sat" | "unsat" | "unknown")
}

/// The first and the last wrong release, by position in a list from the oldest to the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub first_bad: Option<usize>,
    /// The newest right one before the first bad one.
    pub last_good: Option<usize>,
    pub last_bad: Option<usize>,
    /// The oldest right one after the last bad one.
    pub fixed: Option<usize>,
}

/// Finds the first and the last wrong release; untested and open ones count for neither side.
pub fn bounds(standings: &[Option<Standing>]) -> Bounds {
    let is_bad = |standing: &Option<Standing>| standing.is_some_and(Standing::is_wrong);
    let is_good = |standing: &Option<Standing>| *standing == Some(Standing::Right);
    let first_bad = standings.iter().position(is_bad);
    let last_bad = standings.iter().rposition(is_bad);
    Bounds {
        first_bad,
        last_good: first_bad.and_then(|at| standings[..at].iter().rposition(is_good)),
        last_bad,
        fixed: last_bad.and_then(|at| {
            let after = standings[at + 1..].iter().position(is_good);
            after.map(|more| at + 1 + more)
        }),
    }
}

/// The next release to test so that few tests suffice; none if both ends are known. `None` in the list is a release
/// that was not tested yet.
pub fn next(standings: &[Option<Standing>]) -> Option<usize> {
    let last = standings.len().checked_sub(1)?;
    if let Some(end) = [last, 0].into_iter().find(|at| standings[*at].is_none()) {
        return Some(end);
    }
    let bounds = bounds(standings);
    let Some(first_bad) = bounds.first_bad else {
        // No wrong release yet: test the middle of the widest gap.
        return middle_of_widest(standings);
    };
    let before = bounds.last_good.map_or(0, |good| good + 1)..first_bad;
    let after = bounds.last_bad.map_or(last, |bad| bad + 1)..bounds.fixed.unwrap_or(last + 1);
    [before, after].into_iter().find_map(|gap| {
        let open: Vec<usize> = gap.filter(|at| standings[*at].is_none()).collect();
        open.get(open.len() / 2).copied()
    })
}

fn middle_of_widest(standings: &[Option<Standing>]) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    let mut start = None;
    for (at, standing) in standings.iter().chain([&Some(Standing::Open)]).enumerate() {
        match (standing.is_none(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                if best.is_none_or(|(a, b)| at - from > b - a) {
                    best = Some((from, at));
                }
                start = None;
            }
            _ => {}
        }
    }
    best.map(|(from, to)| from + (to - from) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Option<Standing> = Some(Standing::Right);
    const BAD: Option<Standing> = Some(Standing::Wrong(Class::WrongSat));
    const OPEN: Option<Standing> = Some(Standing::Open);

    #[test]
    fn ends_are_found_and_open_ones_passed_over() {
        let all = [GOOD, OPEN, BAD, GOOD, BAD, None, GOOD];
        let found = bounds(&all);
        assert_eq!((found.first_bad, found.last_good), (Some(2), Some(0)));
        assert_eq!((found.last_bad, found.fixed), (Some(4), Some(6)));
        assert_eq!(bounds(&[GOOD, OPEN]), Bounds::default());
    }

    /// Tries releases one after another as `next` says, and counts the tries.
    fn search(truth: &[Option<Standing>]) -> (Bounds, usize) {
        let mut known = vec![None; truth.len()];
        let mut tries = 0;
        while let Some(at) = next(&known) {
            assert!(known[at].is_none(), "tries nothing twice");
            known[at] = truth[at];
            tries += 1;
        }
        (bounds(&known), tries)
    }

    #[test]
    fn few_tries_find_both_ends() {
        let mut truth = vec![GOOD; 64];
        truth[20..50].fill(BAD);
        let (found, tries) = search(&truth);
        assert_eq!((found.last_good, found.first_bad), (Some(19), Some(20)));
        assert_eq!((found.last_bad, found.fixed), (Some(49), Some(50)));
        assert!(tries <= 16, "{tries}");
    }

    #[test]
    fn a_bug_of_the_newest_only_and_none_at_all() {
        let mut truth = vec![GOOD; 10];
        truth[9] = BAD;
        assert_eq!(search(&truth).0.last_good, Some(8));
        assert_eq!(search(&[GOOD; 10]), (Bounds::default(), 10));
        assert_eq!(search(&[]), (Bounds::default(), 0));
    }
}
