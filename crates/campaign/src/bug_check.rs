//! The check that keeps one bug while its script shrinks: same class, same accused, evidence checked again.
//!
//! Live processes answer first; only what they find interesting is run once more in a process of its own,
//! exactly as it will be reported.

use crate::candidate::{Candidate, Worth};
use crate::check::{Bug, site_of};
use auspex_cases::Class;
use auspex_logic::Answer;
use auspex_reduce::{Check, Examined, Support};
use auspex_solvers::{Limits, Mode, Query, Run, Session};
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
    /// Processor time of the last run in a process of its own.
    last_fresh: Duration,
    /// Whether the search has begun.
    started: bool,
}

#[derive(Clone, Copy)]
enum Who {
    Accused,
    Trusted(usize),
}

impl BugCheck {
    pub fn new(bug: &Bug, any_bug: bool, limits: &Limits, costs: Arc<Costs>) -> BugCheck {
        let trusted = bug.trusted.iter();
        BugCheck {
            bug: bug.clone(),
            any_bug,
            accused: Session::start(&bug.accused, limits),
            trusted: trusted.map(|s| Session::start(s, limits)).collect(),
            limits: limits.clone(),
            costs,
            mode: Mode::Reset,
            broken_promises: 0,
            witness: None,
            last_fresh: Duration::ZERO,
            started: false,
        }
    }

    /// Starts from a model that is known to satisfy the script.
    pub fn with_witness(mut self, model: &str) -> BugCheck {
        self.witness = Some(model.to_string());
        self
    }

    /// Lets no query take much more processor time than the current script takes.
    /// A candidate that makes a solver search for long is of no use, and is most of the cost.
    fn pace(&mut self, cpu: Duration) {
        let wanted = cpu * 4 + Duration::from_millis(800);
        let wanted = Duration::from_secs(wanted.as_secs() + 1);
        if self.limits.cpu.is_none_or(|now| wanted < now) {
            self.limits.cpu = Some(wanted);
            self.accused = Session::start(&self.bug.accused, &self.limits);
            let trusted = self.bug.trusted.iter();
            self.trusted = trusted.map(|s| Session::start(s, &self.limits)).collect();
        }
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
        let solver = &self.bug.accused;
        let run = match model {
            false => solver.fresh_exact(text, &self.limits),
            true => Session::start(solver, &self.limits).ask(&Query::new(text).model()),
        };
        let run = run.ok()?;
        self.costs.add(run.cpu);
        self.last_fresh = run.cpu;
        Some(run)
    }

    /// The evidence, if the accused is wrong in one of these classes.
    fn judge(&mut self, classes: &[Class], text: &str) -> Option<String> {
        let mut candidate = Candidate::read(text)?;
        classes.iter().find_map(|class| match class {
            Class::WrongUnsat => self.wrong_unsat(&mut candidate, text),
            Class::WrongSat => self.wrong_sat(&mut candidate, text),
            Class::InvalidModel => self.invalid_model(&mut candidate, text),
            Class::Crash => self.crash(text),
            Class::Disagreement => self.disagreement(text),
            Class::WrongCore | Class::Incompleteness | Class::Performance => None,
        })
    }

    /// The accused answers unsat, and a model makes all assertions true: the one at hand, or a trusted solver's.
    fn wrong_unsat(&mut self, candidate: &mut Candidate, text: &str) -> Option<String> {
        let said = answers_like(&self.ask(Who::Accused, text, false)?, "unsat");
        if said.is_empty() {
            return None;
        }
        let mut known = self.witness.clone().into_iter();
        let mut witness = known.find(|model| candidate.holds(model, &said));
        for at in 0..self.trusted.len() {
            if witness.is_none() {
                let run = self.ask(Who::Trusted(at), text, true)?;
                let mut models = run.answers.iter().filter_map(model_text);
                let found = models.find(|model| candidate.holds(model, &said));
                witness = found.map(str::to_string);
            }
        }
        let witness = witness?;
        let again = answers_like(&self.ask_fresh(text, false)?, "unsat");
        self.keep_promise(candidate.holds(&witness, &again))?;
        Some(witness)
    }

    /// The accused answers sat without a valid model, and evaluation or a trusted solver refutes the script.
    fn wrong_sat(&mut self, candidate: &mut Candidate, text: &str) -> Option<String> {
        let said = answers_like(&self.ask(Who::Accused, text, false)?, "sat");
        let by_evaluation = said.iter().filter(|number| candidate.is_false(**number));
        let mut refuted: Vec<usize> = by_evaluation.copied().collect();
        for at in 0..self.trusted.len() {
            if said.is_empty() || !refuted.is_empty() {
                break;
            }
            let unsat = answers_like(&self.ask(Who::Trusted(at), text, false)?, "unsat");
            refuted = said.iter().copied().filter(|n| unsat.contains(n)).collect();
        }
        if refuted.is_empty() {
            return None;
        }
        let again = answers_like(&self.ask_fresh(text, false)?, "sat");
        refuted.retain(|number| again.contains(number));
        // A model that holds would show that those we trust are wrong.
        let modelled = self.ask_fresh(text, true)?;
        let mut models = modelled.answers.iter().filter_map(model_text);
        let sound = models.all(|model| !candidate.holds(model, &refuted));
        self.keep_promise(!refuted.is_empty() && sound)?;
        Some(String::new())
    }

    /// The accused's own model makes an assertion false, and nobody refutes the script.
    fn invalid_model(&mut self, candidate: &mut Candidate, text: &str) -> Option<String> {
        let run = self.ask(Who::Accused, text, true)?;
        if !has_invalid_model(candidate, &run) {
            return None;
        }
        let again = self.ask_fresh(text, true)?;
        self.keep_promise(has_invalid_model(candidate, &again))?;
        // A script without models would be a wrong sat: another bug.
        let other = self.ask(Who::Trusted(0), text, false);
        let refuted = other.is_some_and(|run| !answers_like(&run, "unsat").is_empty());
        (!refuted).then(String::new)
    }

    /// The accused crashes at the same place.
    fn crash(&mut self, text: &str) -> Option<String> {
        let site = (!self.any_bug).then(|| self.bug.site.clone());
        if !crashes_at(&self.ask(Who::Accused, text, false)?, site.as_deref()) {
            return None;
        }
        let again = crashes_at(&self.ask_fresh(text, false)?, site.as_deref());
        self.keep_promise(again)?;
        Some(String::new())
    }

    /// The accused says sat (or unsat) where someone trusted says the opposite.
    fn disagreement(&mut self, text: &str) -> Option<String> {
        let run = self.ask(Who::Accused, text, false)?;
        let (sat, unsat) = (answers_like(&run, "sat"), answers_like(&run, "unsat"));
        let opposed = (0..self.trusted.len()).any(|at| {
            let other = self.ask(Who::Trusted(at), text, false);
            other.is_some_and(|other| {
                let (yes, no) = (answers_like(&other, "sat"), answers_like(&other, "unsat"));
                sat.iter().any(|n| no.contains(n)) || unsat.iter().any(|n| yes.contains(n))
            })
        });
        if !opposed {
            return None;
        }
        let again = self.ask_fresh(text, false)?;
        let same = answers_like(&again, "sat") == sat && answers_like(&again, "unsat") == unsat;
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
        let Some(mut candidate) = Candidate::read(text) else {
            return Support::Open;
        };
        if candidate.queries() == 0 {
            return Support::Refuted;
        }
        let witness = self.witness.clone();
        match (self.bug.class, witness) {
            _ if self.any_bug => Support::Open,
            (Class::WrongUnsat, Some(witness)) => {
                let all: Vec<usize> = (0..candidate.queries()).collect();
                match candidate.holds(&witness, &all) {
                    true => Support::Supported,
                    false => Support::Open,
                }
            }
            // What the simplest model satisfies is satisfiable, and no sat is wrong.
            (Class::WrongSat, _) if candidate.holds_by_default() => Support::Refuted,
            _ => Support::Open,
        }
    }

    fn interesting(&mut self, text: &str) -> Examined {
        let own = [self.bug.class];
        let classes: &[Class] = match self.any_bug {
            true => &[
                Class::WrongUnsat,
                Class::WrongSat,
                Class::InvalidModel,
                Class::Crash,
            ],
            false => &own,
        };
        let mut evidence = self.judge(classes, text);
        if evidence.is_none() && !self.started && self.mode != Mode::Fresh {
            // What only a process of its own shows is asked that way from then on.
            self.mode = Mode::Fresh;
            evidence = self.judge(classes, text);
        }
        match evidence {
            Some(evidence) => Examined::Yes { evidence },
            None => Examined::No,
        }
    }

    fn accepted(&mut self, _text: &str, evidence: &str) {
        if !evidence.is_empty() {
            self.witness = Some(evidence.to_string());
        }
        self.started = true;
        self.pace(self.last_fresh);
    }
}

/// The numbers of the queries answered by that word.
fn answers_like(run: &Run, word: &str) -> Vec<usize> {
    let answers = run.answers.iter().enumerate();
    let matching = answers.filter(|(_, answer)| answer.word() == word);
    matching.map(|(number, _)| number).collect()
}

fn model_text(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::Sat { model } => model.as_deref(),
        _ => None,
    }
}

fn has_invalid_model(candidate: &mut Candidate, run: &Run) -> bool {
    let mut answers = run.answers.iter().enumerate();
    answers.any(|(number, answer)| {
        let worth = model_text(answer).and_then(|model| candidate.worth(model, number));
        worth == Some(Worth::Invalid)
    })
}

/// Whether a run crashed, at that site if one is given.
fn crashes_at(run: &Run, site: Option<&str>) -> bool {
    let later = run.later.as_ref().map(|later| &later.crash);
    let crashes = run.answers.iter().filter_map(|answer| match answer {
        Answer::Crashed(crash) => Some(crash),
        _ => None,
    });
    let mut all = crashes.chain(later);
    all.any(|crash| site.is_none_or(|site| site_of(crash) == site))
}
