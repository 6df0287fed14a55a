//! The check that keeps one bug while its script shrinks: same class, same accused, evidence checked again.
//!
//! Live processes answer first; only what they find interesting is run once more in a process of its own,
//! exactly as it will be reported.

use crate::check::{Bug, site_of};
use auspex_cases::Class;
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::{Answer, Model, Script, Terms, read_script};
use auspex_reduce::{Check, Examined, Support};
use auspex_solvers::{Limits, Mode, Query, Run, Session, Solver};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the runs of all workers cost together.
#[derive(Debug, Default)]
pub struct Costs {
    calls: AtomicU64,
    cpu_micros: AtomicU64,
}

impl Costs {
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub fn cpu(&self) -> Duration {
        Duration::from_micros(self.cpu_micros.load(Ordering::Relaxed))
    }

    pub(crate) fn add(&self, cpu: Duration) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX);
        self.cpu_micros.fetch_add(micros, Ordering::Relaxed);
    }
}

/// How often a live process may promise what a fresh one does not keep, before only fresh ones are asked.
const FORGIVEN: u32 = 4;

/// Checks that a script still shows a bug.
pub struct BugCheck {
    bug: Bug,
    any_bug: bool,
    accused: Session,
    trusted: Vec<Session>,
    limits: Limits,
    costs: Arc<Costs>,
    mode: Mode,
    broken_promises: u32,
    /// A model of the current script that our evaluator accepted, as text.
    witness: Option<String>,
}

impl BugCheck {
    pub fn new(bug: &Bug, any_bug: bool, limits: &Limits, costs: Arc<Costs>) -> BugCheck {
        BugCheck {
            bug: bug.clone(),
            any_bug,
            accused: Session::start(&bug.accused, limits),
            trusted: bug
                .trusted
                .iter()
                .map(|s| Session::start(s, limits))
                .collect(),
            limits: limits.clone(),
            costs,
            mode: Mode::Reset,
            broken_promises: 0,
            witness: None,
        }
    }

    /// Lets no query take much longer than the script that is to be shrunk takes now.
    /// A candidate that makes a solver search for long is of no use, and is most of the cost.
    pub fn pace(&mut self, text: &str) -> Option<Duration> {
        let mut slowest = Duration::ZERO;
        let solvers = std::iter::once(&self.bug.accused).chain(&self.bug.trusted);
        for solver in solvers {
            let query = Query::new(text).model();
            let run = Session::start(solver, &self.limits).ask(&query).ok()?;
            self.costs.add(run.cpu);
            let decided = run.answers.iter().any(|answer| {
                matches!(
                    answer,
                    Answer::Sat { .. } | Answer::Unsat { .. } | Answer::Crashed(_)
                )
            });
            if decided {
                slowest = slowest.max(run.wall);
            }
        }
        Some(slowest * 4 + Duration::from_millis(500))
    }

    /// The same check with other limits, and the same evidence.
    pub fn with_limits(&self, limits: &Limits) -> BugCheck {
        let mut other = BugCheck::new(&self.bug, self.any_bug, limits, self.costs.clone());
        other.mode = self.mode;
        other.witness = self.witness.clone();
        other
    }

    fn ask(&mut self, who: Who, text: &str, model: bool) -> Option<Run> {
        let query = Query {
            want_model: model,
            ..Query::new(text).mode(self.mode)
        };
        let session = match who {
            Who::Accused => &mut self.accused,
            Who::Trusted(at) => self.trusted.get_mut(at)?,
        };
        let run = session.ask(&query).ok()?;
        self.costs.add(run.cpu);
        Some(run)
    }

    /// Runs the text in a process of its own, to the letter unless a model is wanted.
    fn ask_fresh(&mut self, text: &str, model: bool) -> Option<Run> {
        let solver: &Solver = &self.bug.accused;
        let run = match model {
            false => solver.fresh_exact(text, &self.limits),
            true => Session::start(solver, &self.limits).ask(&Query::new(text).model()),
        };
        let run = run.ok()?;
        self.costs.add(run.cpu);
        Some(run)
    }

    /// The evidence, if the accused is wrong in this class.
    fn judge(&mut self, class: Class, text: &str) -> Option<String> {
        let mut subject = Subject::read(text)?;
        match class {
            Class::WrongUnsat => self.wrong_unsat(&mut subject, text),
            Class::WrongSat => self.wrong_sat(&mut subject, text),
            Class::InvalidModel => self.invalid_model(&mut subject, text),
            Class::Crash => self.crash(text),
            Class::Disagreement => self.disagreement(text),
            Class::WrongCore | Class::Incompleteness | Class::Performance => None,
        }
    }

    fn wrong_unsat(&mut self, subject: &mut Subject, text: &str) -> Option<String> {
        let is_unsat = |answer: &Answer| matches!(answer, Answer::Unsat { .. });
        let said = answers_like(&self.ask(Who::Accused, text, false)?, is_unsat);
        let known = self.witness.clone().into_iter();
        let mut witness = known.into_iter().find(|model| subject.holds(model, &said));
        for at in 0..self.trusted.len() {
            if said.is_empty() || witness.is_some() {
                break;
            }
            let run = self.ask(Who::Trusted(at), text, true)?;
            let models = run.answers.iter().filter_map(model_text);
            witness = models
                .map(str::to_string)
                .find(|model| subject.holds(model, &said));
        }
        let witness = witness?;
        let again = answers_like(&self.ask_fresh(text, false)?, is_unsat);
        self.keep_promise(subject.holds(&witness, &again))?;
        Some(witness)
    }

    fn wrong_sat(&mut self, subject: &mut Subject, text: &str) -> Option<String> {
        let is_sat = |answer: &Answer| matches!(answer, Answer::Sat { .. });
        let is_unsat = |answer: &Answer| matches!(answer, Answer::Unsat { .. });
        let said = answers_like(&self.ask(Who::Accused, text, false)?, is_sat);
        let mut refuted = Vec::new();
        for at in 0..self.trusted.len() {
            if said.is_empty() || !refuted.is_empty() {
                break;
            }
            let unsat = answers_like(&self.ask(Who::Trusted(at), text, false)?, is_unsat);
            refuted = said.iter().copied().filter(|n| unsat.contains(n)).collect();
        }
        if refuted.is_empty() {
            return None;
        }
        let again = answers_like(&self.ask_fresh(text, false)?, is_sat);
        refuted.retain(|number| again.contains(number));
        // A model that holds would show that those we trust are wrong.
        let modelled = self.ask_fresh(text, true)?;
        let models = modelled.answers.iter().filter_map(model_text);
        let sound = models
            .into_iter()
            .all(|model| !subject.holds(model, &refuted));
        self.keep_promise(!refuted.is_empty() && sound)?;
        Some(String::new())
    }

    fn invalid_model(&mut self, subject: &mut Subject, text: &str) -> Option<String> {
        let wrong = |subject: &mut Subject, run: &Run| {
            let answers = run.answers.iter().enumerate();
            let models = answers.filter_map(|(n, a)| Some((n, model_text(a)?.to_string())));
            let models: Vec<_> = models.collect();
            models
                .iter()
                .any(|(n, model)| subject.verdict(model, *n) == Some(Worth::Invalid))
        };
        let run = self.ask(Who::Accused, text, true)?;
        if !wrong(subject, &run) {
            return None;
        }
        let again = self.ask_fresh(text, true)?;
        let again = wrong(subject, &again);
        self.keep_promise(again)?;
        // A script without models would be a wrong sat: another bug.
        if let Some(run) = self.ask(Who::Trusted(0), text, false)
            && run
                .answers
                .iter()
                .any(|a| matches!(a, Answer::Unsat { .. }))
        {
            return None;
        }
        Some(String::new())
    }

    fn crash(&mut self, text: &str) -> Option<String> {
        let wanted = self.bug.site.clone();
        let any_site = self.any_bug;
        let same = |run: &Run| {
            let later = run.later.as_ref().map(|later| &later.crash);
            let crashes = run.answers.iter().filter_map(|answer| match answer {
                Answer::Crashed(crash) => Some(crash),
                _ => None,
            });
            let mut all = crashes.chain(later);
            all.any(|crash| any_site || site_of(crash) == wanted)
        };
        let run = self.ask(Who::Accused, text, false)?;
        if !same(&run) {
            return None;
        }
        let again = same(&self.ask_fresh(text, false)?);
        self.keep_promise(again)?;
        Some(String::new())
    }

    /// The accused still says sat (or unsat) where someone trusted says the opposite.
    fn disagreement(&mut self, text: &str) -> Option<String> {
        let run = self.ask(Who::Accused, text, false)?;
        let mut opposed = false;
        for at in 0..self.trusted.len() {
            let other = self.ask(Who::Trusted(at), text, false)?;
            let pairs = run.answers.iter().zip(&other.answers);
            opposed = opposed
                || pairs.into_iter().any(|(one, other)| {
                    matches!(
                        (one.word(), other.word()),
                        ("sat", "unsat") | ("unsat", "sat")
                    )
                });
        }
        if !opposed {
            return None;
        }
        let again = self.ask_fresh(text, false)?;
        let words = |run: &Run| run.answers.iter().map(Answer::word).collect::<Vec<_>>();
        let same = words(&again) == words(&run);
        self.keep_promise(same)?;
        Some(String::new())
    }

    /// After too many promises of live processes that fresh ones did not keep, only fresh ones are asked.
    fn keep_promise(&mut self, kept: bool) -> Option<()> {
        if !kept {
            self.broken_promises += 1;
            if self.broken_promises >= FORGIVEN {
                self.mode = Mode::Fresh;
            }
        }
        kept.then_some(())
    }
}

impl Check for BugCheck {
    fn has_evidence(&self) -> bool {
        self.bug.class == Class::WrongUnsat && !self.any_bug
    }

    fn support(&mut self, text: &str) -> Support {
        let Some(mut subject) = Subject::read(text) else {
            return Support::Open;
        };
        if subject.queries == 0 {
            return Support::Refuted;
        }
        match (self.bug.class, &self.witness) {
            _ if self.any_bug => Support::Open,
            (Class::WrongUnsat, Some(witness)) => {
                let all: Vec<usize> = (0..subject.queries).collect();
                match subject.holds(&witness.clone(), &all) {
                    true => Support::Supported,
                    false => Support::Open,
                }
            }
            // What the simplest model satisfies is satisfiable, and no sat is wrong.
            (Class::WrongSat, _) if subject.holds_by_default() => Support::Refuted,
            _ => Support::Open,
        }
    }

    fn interesting(&mut self, text: &str) -> Examined {
        let classes = match self.any_bug {
            true => vec![
                Class::WrongUnsat,
                Class::WrongSat,
                Class::InvalidModel,
                Class::Crash,
            ],
            false => vec![self.bug.class],
        };
        let evidence = classes
            .into_iter()
            .find_map(|class| self.judge(class, text));
        if evidence.is_none() && self.mode == Mode::Reset && self.witness.is_none() {
            // The very first look: what only a process of its own shows is asked that way from then on.
            self.mode = Mode::Fresh;
            let again = self.judge(self.bug.class, text);
            return answer(again);
        }
        answer(evidence)
    }

    fn accepted(&mut self, _text: &str, evidence: &str) {
        self.witness = Some(evidence.to_string());
    }
}

fn answer(evidence: Option<String>) -> Examined {
    match evidence {
        Some(evidence) => Examined::Yes { evidence },
        None => Examined::No,
    }
}

#[derive(Clone, Copy)]
enum Who {
    Accused,
    Trusted(usize),
}

/// The numbers of the queries answered so.
fn answers_like(run: &Run, like: impl Fn(&Answer) -> bool) -> Vec<usize> {
    let answers = run.answers.iter().enumerate();
    let matching = answers.filter(|(_, answer)| like(answer));
    matching.map(|(number, _)| number).collect()
}

fn model_text(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::Sat { model } => model.as_deref(),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Valid,
    Invalid,
    Open,
}

/// A candidate read for evaluation.
struct Subject {
    terms: Terms,
    script: Script,
    queries: usize,
}

impl Subject {
    fn read(text: &str) -> Option<Subject> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).ok()?.script;
        let queries = script.queries().len();
        Some(Subject {
            terms,
            script,
            queries,
        })
    }

    /// Whether a model makes all assertions of one of these queries true.
    fn holds(&mut self, model: &str, queries: &[usize]) -> bool {
        let mut numbers = queries.iter();
        numbers.any(|number| self.verdict(model, *number) == Some(Worth::Valid))
    }

    fn verdict(&mut self, model: &str, number: usize) -> Option<Worth> {
        let mark = self.terms.mark();
        let query = self.script.queries().into_iter().nth(number)?;
        let model = read_model(&mut self.terms, &self.script, model).ok();
        let worth = model.map(|model| match validate(&self.terms, &model, &query) {
            ModelVerdict::Valid => Worth::Valid,
            ModelVerdict::Invalid { .. } => Worth::Invalid,
            ModelVerdict::Undetermined { .. } => Worth::Open,
        });
        self.terms.release(mark);
        worth
    }

    fn holds_by_default(&self) -> bool {
        let model = Model::with_definitions(&self.script);
        let queries = self.script.queries();
        let mut holding = queries
            .iter()
            .map(|query| validate(&self.terms, &model, query));
        holding.all(|verdict| verdict == ModelVerdict::Valid)
    }
}
