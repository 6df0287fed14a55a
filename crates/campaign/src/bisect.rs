//! Which releases of a solver are wrong about a script, and which options make the bug go away.
//! The truth comes first: by evaluation, by a model that our evaluator accepts, or from trusted solvers.

use crate::candidate::{Candidate, Worth};
use auspex_cases::Class;
use auspex_logic::Answer;
use auspex_solvers::solver::StartError;
use auspex_solvers::{Limits, Query, Run, Session, Solver};
use std::collections::BTreeSet;

/// The right answer to one query, and how it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    Sat { because: String },
    Unsat { because: String },
    Unknown,
}

/// Where a release stands on a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Right,
    Wrong(Class),
    /// No answer, a refusal, or an answer that nobody can judge.
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

/// What one configuration of a solver said.
#[derive(Clone, Debug)]
pub struct Row {
    pub title: String,
    pub version: String,
    /// The words of its answers.
    pub answers: Vec<&'static str>,
    pub standing: Standing,
    pub seconds: f64,
}

/// A script with the right answers to its queries.
pub struct Trial {
    text: String,
    pub truths: Vec<Truth>,
    limits: Limits,
    /// Whether only a crash is looked for: then any answer is a right one.
    only_crash: bool,
}

impl Trial {
    /// Establishes the truth from a known model, from evaluation and from what trusted solvers say.
    pub fn new(text: &str, model: Option<&str>, trusted: &[Solver], limits: &Limits) -> Trial {
        let mut trial = Trial {
            text: text.to_string(),
            truths: Vec::new(),
            limits: limits.clone(),
            only_crash: false,
        };
        let Some(mut candidate) = Candidate::read(text) else {
            return trial;
        };
        let runs: Vec<(&Solver, Run)> = trusted
            .iter()
            .filter_map(|solver| Some((solver, trial.ask(solver).ok()?)))
            .collect();
        for number in 0..candidate.queries() {
            let truth = truth(&mut candidate, number, model, &runs);
            trial.truths.push(truth);
        }
        trial
    }

    /// Takes over what a finding knows, where nothing better was established.
    pub fn expecting(mut self, class: Class, query: usize) -> Trial {
        self.only_crash = class == Class::Crash;
        let because = "the finding's evidence".to_string();
        let known = match class {
            Class::WrongUnsat => Truth::Sat { because },
            Class::WrongSat => Truth::Unsat { because },
            _ => return self,
        };
        let query = query.min(self.truths.len().saturating_sub(1));
        if let Some(truth @ Truth::Unknown) = self.truths.get_mut(query) {
            *truth = known;
        }
        self
    }

    fn ask(&self, solver: &Solver) -> Result<Run, StartError> {
        Session::start(solver, &self.limits).ask(&Query::new(&self.text).model())
    }

    /// Runs the script on one configuration and judges what it says.
    pub fn row(&self, solver: &Solver) -> Result<Row, StartError> {
        let run = self.ask(solver)?;
        let version = solver.version.as_ref().map(|version| version.to_string());
        Ok(Row {
            title: solver.title(),
            version: version.unwrap_or_default(),
            answers: run.answers.iter().map(Answer::word).collect(),
            standing: self.standing(&run),
            seconds: run.wall.as_secs_f64(),
        })
    }

    /// The gravest thing that is wrong with a run.
    fn standing(&self, run: &Run) -> Standing {
        let Some(mut candidate) = Candidate::read(&self.text) else {
            return Standing::Open;
        };
        let mut wrong = BTreeSet::new();
        let mut decided = !run.answers.is_empty();
        for (number, answer) in run.answers.iter().enumerate() {
            let truth = self.truths.get(number).unwrap_or(&Truth::Unknown);
            match judged(&mut candidate, number, answer, truth) {
                Standing::Wrong(class) if self.only_crash && class != Class::Crash => {}
                Standing::Open if self.only_crash && is_answer(answer) => {}
                Standing::Wrong(class) => {
                    wrong.insert(class);
                }
                Standing::Open => decided = false,
                Standing::Right => {}
            }
        }
        if run.later.is_some() {
            wrong.insert(Class::Crash);
        }
        match (wrong.first(), decided) {
            (Some(class), _) => Standing::Wrong(*class),
            (None, true) => Standing::Right,
            (None, false) => Standing::Open,
        }
    }

    /// Tries single options of the accused: those with which it is right make the bug go away.
    pub fn options(&self, accused: &Solver) -> Vec<(String, Row)> {
        let mut rows = Vec::new();
        // A release that does not know an option refuses it, which counts for nothing.
        for option in &accused.profile.options {
            let words: Vec<String> = option.text.split_whitespace().map(String::from).collect();
            let solver = accused.clone().with_options(&words);
            rows.extend(self.row(&solver).ok().map(|row| (option.text.clone(), row)));
        }
        rows
    }
}

fn truth(
    candidate: &mut Candidate,
    number: usize,
    model: Option<&str>,
    runs: &[(&Solver, Run)],
) -> Truth {
    if candidate.is_false(number) {
        return Truth::Unsat {
            because: "an assertion is false in every model".into(),
        };
    }
    let given = model.map(|model| (model, "the witness".to_string()));
    let models = runs
        .iter()
        .filter_map(|(solver, run)| match run.answers.get(number) {
            Some(Answer::Sat { model: Some(model) }) => {
                Some((model.as_str(), format!("the model of {}", solver.title())))
            }
            _ => None,
        });
    for (model, name) in given.into_iter().chain(models) {
        if candidate.worth(model, number) == Some(Worth::Valid) {
            let because = format!("{name} makes every assertion true");
            return Truth::Sat { because };
        }
    }
    let said = |word: &str| {
        let with = runs
            .iter()
            .filter(|(_, run)| run.answers.get(number).is_some_and(|a| a.word() == word));
        with.map(|(solver, _)| solver.title()).collect::<Vec<_>>()
    };
    match (said("sat"), said("unsat")) {
        (sat, unsat) if sat.is_empty() && !unsat.is_empty() => Truth::Unsat {
            because: format!("{} answers unsat", unsat.join(", ")),
        },
        (sat, unsat) if unsat.is_empty() && !sat.is_empty() => Truth::Sat {
            because: format!("{} answers sat", sat.join(", ")),
        },
        _ => Truth::Unknown,
    }
}

fn judged(candidate: &mut Candidate, number: usize, answer: &Answer, truth: &Truth) -> Standing {
    match (answer, truth) {
        (Answer::Crashed(_), _) => Standing::Wrong(Class::Crash),
        (Answer::Sat { .. }, Truth::Unsat { .. }) => Standing::Wrong(Class::WrongSat),
        (Answer::Unsat { .. }, Truth::Sat { .. }) => Standing::Wrong(Class::WrongUnsat),
        (Answer::Sat { model }, truth) => {
            let worth = model.as_deref().and_then(|m| candidate.worth(m, number));
            match (worth, truth) {
                (Some(Worth::Invalid), _) => Standing::Wrong(Class::InvalidModel),
                (Some(Worth::Valid), _) | (_, Truth::Sat { .. }) => Standing::Right,
                (_, Truth::Unsat { .. } | Truth::Unknown) => Standing::Open,
            }
        }
        (Answer::Unsat { .. }, Truth::Unsat { .. }) => Standing::Right,
        _ => Standing::Open,
    }
}

/// Whether a solver came to an end of its own.
fn is_answer(answer: &Answer) -> bool {
    matches!(answer.word(), "sat" | "unsat" | "unknown")
}

/// The ends of the wrong releases, by position in a list from the oldest to the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub first_bad: Option<usize>,
    /// The newest right one before the first bad one.
    pub last_good: Option<usize>,
    pub last_bad: Option<usize>,
    /// The oldest right one after the last bad one.
    pub fixed: Option<usize>,
}

/// Finds the ends; what was not tried or is open counts for neither side.
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

/// The next release to try so that the ends become known with few tries; none when they are.
/// `None` in the list is a release that was not tried yet.
pub fn next(standings: &[Option<Standing>]) -> Option<usize> {
    let last = standings.len().checked_sub(1)?;
    if let Some(end) = [last, 0].into_iter().find(|at| standings[*at].is_none()) {
        return Some(end);
    }
    let bounds = bounds(standings);
    let Some(first_bad) = bounds.first_bad else {
        // Nothing wrong yet: look in the middle of the widest gap.
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

    #[test]
    fn answers_are_judged_by_the_truth() {
        let text = "(declare-const x Int)(assert (< x 3))(check-sat)";
        let mut candidate = Candidate::read(text).expect("well-formed");
        let sat = |model: &str| Answer::Sat {
            model: Some(model.to_string()),
        };
        let truth = Truth::Sat {
            because: String::new(),
        };
        let unsat = Answer::Unsat { core: None };
        let wrong = sat("((define-fun x () Int 5))");
        assert_eq!(
            judged(&mut candidate, 0, &unsat, &truth),
            Standing::Wrong(Class::WrongUnsat)
        );
        assert_eq!(
            judged(&mut candidate, 0, &wrong, &truth),
            Standing::Wrong(Class::InvalidModel)
        );
        let right = sat("((define-fun x () Int 1))");
        assert_eq!(judged(&mut candidate, 0, &right, &truth), Standing::Right);
        assert_eq!(
            judged(&mut candidate, 0, &Answer::Timeout, &truth),
            Standing::Open
        );
    }
}
