//! The check of a reduction: the script must still show the same bug, with the same class and accused, and its
//! evidence is checked again. Evaluation decides what it can. Then live processes answer, first the one that rules
//! candidates out more cheaply, and their results are confirmed from time to time in fresh processes, exactly as they
//! will be reported. The accused is asked in the cheapest mode that shows the bug. Some rejected candidates are tried
//! again in a more reliable mode; if that shows the bug, the cheap mode is abandoned and earlier rejections are
//! dropped.

use crate::judge::candidate::{Candidate, Worth};
use crate::judge::confirm::fresh_run;
use crate::judge::diagnose::{Bug, site_of, steady, without_place};
use crate::judge::judging::{Forms, Judge, Sources};
use crate::shrink::reducer_session::ReducerSession;
use crate::team::{SolverRun, Team};
use auspex_cases::oracle::Form;
use auspex_cases::oracle::incompleteness::is_limit;
use auspex_cases::{Budget, Class, Side};
use auspex_logic::Answer;
use auspex_reduce::{Check, Examined, Support};
use auspex_solvers::{Limits, Mode, Run};
use auspex_syntax::{Document, Sexpr, write_flat};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The cost of all workers' runs.
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

/// How often a fresh process may fail to reproduce a live one's result before only fresh ones are asked.
const FORGIVEN: u32 = 4;

/// How many models that satisfied candidates are kept.
const MODELS: usize = 12;

/// Checks that a script still shows a bug.
pub struct BugCheck {
    bug: Bug,
    any_bug: bool,
    accused: ReducerSession,
    trusted: Vec<ReducerSession>,
    broken_promises: u32,
    /// Whether rejections in a cheap mode have turned out to be unreliable.
    takes_back: bool,
    /// The accused and the trusted solvers, as the judge sees them.
    team: Team,
    /// The accused alone.
    alone: Team,
    limits: Limits,
    costs: Arc<Costs>,
    /// A model of the current script that our evaluator accepted.
    witness: Option<String>,
    /// The side that the accused takes in a disagreement.
    side: Option<Side>,
    /// Models that satisfied candidates for a wrong sat, latest first: a candidate that one of them satisfies is
    /// rejected without a query.
    satisfying: Vec<String>,
    /// The last text that was read, which is often needed twice.
    read: Option<(String, Candidate)>,
    /// Whether the search has started.
    started: bool,
    /// Whether the crash comes after an answer, so that a script without a query cannot show it.
    needs_query: bool,
}

impl BugCheck {
    pub fn new(bug: &Bug, any_bug: bool, limits: &Limits, costs: Arc<Costs>) -> BugCheck {
        let trusted = |solver| ReducerSession::trusted(solver, limits, costs.clone());
        let solvers = [&bug.accused].into_iter().chain(&bug.trusted);
        BugCheck {
            team: Team::new(solvers.cloned().collect(), limits.clone()),
            alone: Team::new(vec![bug.accused.clone()], limits.clone()),
            limits: limits.clone(),
            costs: costs.clone(),
            side: None,
            accused: ReducerSession::accused(&bug.accused, limits, costs.clone()),
            trusted: bug.trusted.iter().map(trusted).collect(),
            witness: bug.witness.clone(),
            bug: bug.clone(),
            any_bug,
            broken_promises: 0,
            takes_back: false,
            satisfying: Vec::new(),
            read: None,
            started: false,
            needs_query: bug.class != Class::Crash,
        }
    }

    /// Starts with a model that is known to satisfy the script.
    pub fn with_witness(mut self, model: &str) -> BugCheck {
        self.witness = Some(model.to_string());
        self
    }

    fn classes(&self) -> Vec<Class> {
        match self.any_bug {
            true => vec![
                Class::WrongUnsat,
                Class::WrongSat,
                Class::InvalidModel,
                Class::Crash,
            ],
            false => vec![self.bug.class],
        }
    }

    /// Whether the accused treats functions as undefined outside their domains.
    fn is_partial(&self) -> bool {
        self.bug.accused.profile.partial_functions
    }

    fn read(&mut self, text: &str) -> Option<Candidate> {
        match self.read.take() {
            Some((read, candidate)) if read == text => Some(candidate),
            _ => Candidate::read(text).map(|c| c.demanding(self.is_partial())),
        }
    }

    /// The evidence, if the accused is wrong in one of the wanted classes.
    fn judge(&mut self, text: &str) -> Option<String> {
        let mut candidate = self.read(text)?;
        let classes = self.classes();
        let evidence = classes.iter().find_map(|class| match class {
            Class::WrongUnsat => self.wrong_unsat(&mut candidate, text),
            Class::WrongSat => self.wrong_sat(&mut candidate, text),
            Class::InvalidModel => self.invalid_model(&mut candidate, text),
            Class::Crash => self.crash(&candidate, text),
            Class::Disagreement => self.disagreement(text),
            Class::Incompleteness => self.incompleteness(&candidate, text),
            Class::WrongCore | Class::Wrong(_) | Class::SelfContradiction => {
                let shows = self.is_judged(*class, &mut candidate, text);
                shows.then(String::new)
            }
            Class::Slowness => None,
        });
        self.read = Some((text.to_string(), candidate));
        evidence
    }

    /// Whether asking the only trusted solver first is cheaper.
    fn trust_first(&self) -> bool {
        match self.trusted.as_slice() {
            [one] => one.price() < self.accused.price(),
            _ => false,
        }
    }

    /// The queries to which the accused gives this answer; if there are none, the candidate is rejected.
    fn accused_says(&mut self, text: &str, word: &str) -> Option<Vec<usize>> {
        let said = answers_like(&self.accused.ask(text, false)?, word);
        if said.is_empty() {
            self.accused.refuses();
        }
        (!said.is_empty()).then_some(said)
    }

    /// A model of a trusted solver that makes all assertions of one of these queries true.
    fn trusted_model(
        &mut self,
        candidate: &mut Candidate,
        text: &str,
        queries: &[usize],
    ) -> Option<String> {
        for session in &mut self.trusted {
            let mut valid = |run: &Run| {
                let mut models = run.answers.iter().filter_map(model_text);
                let model = models.find(|model| candidate.holds(model, queries));
                model.map(str::to_string)
            };
            let unsat = |run: &Run| run.answers.iter().all(|answer| answer.word() == "unsat");
            let mut is_useful = |run: &Run| unsat(run) || valid(run).is_some();
            let run = session.ask_for(text, true, &mut is_useful)?;
            if let Some(model) = valid(&run) {
                return Some(model);
            }
            session.refuses();
        }
        None
    }

    /// The queries that a trusted solver refutes.
    fn trusted_refutes(&mut self, candidate: &mut Candidate, text: &str) -> Option<Vec<usize>> {
        for session in &mut self.trusted {
            let mut valid = |run: &Run| {
                let mut models = run.answers.iter().filter_map(model_text);
                let model = models.find(|model| candidate.holds_everywhere(model));
                model.map(str::to_string)
            };
            let unsat = |run: &Run| answers_like(run, "unsat");
            let mut is_useful = |run: &Run| !unsat(run).is_empty() || valid(run).is_some();
            let run = session.ask_for(text, true, &mut is_useful)?;
            if !unsat(&run).is_empty() {
                return Some(unsat(&run));
            }
            session.refuses();
            if let Some(model) = valid(&run) {
                self.satisfying.insert(0, model);
                self.satisfying.truncate(MODELS);
                return None;
            }
        }
        None
    }

    /// The accused answers unsat, and a model makes all assertions true: the current one, or a trusted solver's.
    fn wrong_unsat(&mut self, candidate: &mut Candidate, text: &str) -> Option<String> {
        let all: Vec<usize> = (0..candidate.queries()).collect();
        let known = self.witness.clone();
        let mut witness = known.filter(|model| candidate.holds(model, &all));
        if witness.is_none() && self.trust_first() {
            witness = Some(self.trusted_model(candidate, text, &all)?);
        }
        let said = self.accused_says(text, "unsat")?;
        match witness.filter(|model| candidate.holds(model, &said)) {
            Some(witness) => Some(witness),
            None => self.trusted_model(candidate, text, &said),
        }
    }

    /// The accused answers sat, and evaluation or a trusted solver refutes the script.
    fn wrong_sat(&mut self, candidate: &mut Candidate, text: &str) -> Option<String> {
        let mut refuted = candidate.false_queries();
        if refuted.is_empty() && self.trust_first() {
            refuted = self.trusted_refutes(candidate, text)?;
        }
        if refuted.is_empty() && self.trusted.is_empty() {
            return None;
        }
        let said = self.accused_says(text, "sat")?;
        if refuted.is_empty() {
            refuted = self.trusted_refutes(candidate, text)?;
        }
        overlap(&said, &refuted).then(String::new)
    }

    /// The accused's own model makes an assertion false, and no solver refutes the script.
    fn invalid_model(&mut self, candidate: &mut Candidate, text: &str) -> Option<String> {
        let run = self.accused.ask(text, true)?;
        if !has_invalid_model(candidate, &run) {
            self.accused.refuses();
            return None;
        }
        // For a script without models it would be a wrong sat, which is another bug.
        let other = self.trusted.first_mut().and_then(|p| p.ask(text, false));
        let refuted = other.is_some_and(|run| !answers_like(&run, "unsat").is_empty());
        (!refuted).then(String::new)
    }

    /// The accused crashes at the same place.
    fn crash(&mut self, candidate: &Candidate, text: &str) -> Option<String> {
        // A live process is always asked a query, which the crash may not need.
        let run = match candidate.queries() {
            0 => self.accused.ask_in(Mode::Fresh, text, false)?,
            _ => self.accused.ask(text, false)?,
        };
        let crashed = self.crashed(&run);
        if !crashed {
            self.accused.refuses();
        }
        crashed.then(String::new)
    }

    fn crashed(&self, run: &Run) -> bool {
        let site = (!self.any_bug).then_some(self.bug.site.as_str());
        crashes_at(run, site)
    }

    /// The accused answers unknown to a decidable query.
    fn incompleteness(&mut self, candidate: &Candidate, text: &str) -> Option<String> {
        let decidable = candidate.decidable();
        if decidable.is_empty() {
            return None;
        }
        let run = self.accused.ask(text, false)?;
        let gives_up = overlap(&gives_up(&run), &decidable);
        if !gives_up {
            self.accused.refuses();
        }
        gives_up.then(String::new)
    }

    /// The accused answers sat (or unsat), and a trusted solver the opposite.
    fn disagreement(&mut self, text: &str) -> Option<String> {
        let mut other = None;
        if self.trust_first() {
            let run = self.trusted[0].ask_for(text, false, &mut decides)?;
            if !decides(&run) {
                self.trusted[0].refuses();
                return None;
            }
            other = Some(run);
        }
        let run = self.accused.ask(text, false)?;
        let side = other.as_ref().and_then(|other| self.side(&run, other));
        if !decides(&run) || other.is_some() && side.is_none() {
            self.accused.refuses();
            return None;
        }
        if side.is_some() {
            return side.map(|side| side.word().to_string());
        }
        for at in 0..self.trusted.len() {
            let other = self.trusted[at].ask_for(text, false, &mut decides)?;
            if let Some(side) = self.side(&run, &other) {
                return Some(side.word().to_string());
            }
            self.trusted[at].refuses();
        }
        None
    }

    /// The accused's side in a disagreement; once it is known, only that one counts.
    fn side(&self, accused: &Run, other: &Run) -> Option<Side> {
        let mut sides = [Side::Sat, Side::Unsat].into_iter();
        sides.find(|own| {
            let said = answers_like(accused, own.word());
            self.side.is_none_or(|side| side == *own)
                && overlap(&said, &answers_like(other, own.other().word()))
        })
    }

    /// Whether fresh processes show the same on the unchanged text.
    fn confirmed(&mut self, class: Class, candidate: &mut Candidate, text: &str) -> bool {
        match class {
            // The judge has no class for complaints; the reduced script keeps the complaint.
            Class::Crash => {
                let run = self.accused.ask_surely(text, false);
                run.is_some_and(|run| self.crashed(&run))
            }
            Class::Incompleteness => {
                let run = self.accused.ask_surely(text, false);
                run.is_some_and(|run| overlap(&gives_up(&run), &candidate.decidable()))
            }
            Class::Slowness => false,
            Class::WrongUnsat
            | Class::WrongSat
            | Class::InvalidModel
            | Class::WrongCore
            | Class::Wrong(_)
            | Class::SelfContradiction
            | Class::Disagreement => self.is_judged(class, candidate, text),
        }
    }

    /// Whether the judge convicts the accused in fresh processes.
    fn is_judged(&mut self, class: Class, candidate: &mut Candidate, text: &str) -> bool {
        let exact = self.accused.ask_surely(text, false);
        let Some(exact) = exact.filter(|run| says_what(class, run)) else {
            return false;
        };
        let mut runs = vec![SolverRun::of(0, exact).in_form(Form::Exact)];
        let details = match class {
            Class::InvalidModel | Class::WrongSat | Class::Wrong(_) => {
                self.accused.ask_surely(text, true)
            }
            Class::WrongCore | Class::SelfContradiction => self.accused.ask_core(text),
            _ => None,
        };
        runs.extend(details.map(|run| SolverRun::of(0, run)));
        // Claims are mostly refuted by the accused itself.
        if self.convicts(&self.alone.clone(), class, candidate, &runs) {
            return true;
        }
        for at in 0..self.trusted.len() {
            let model = class != Class::Disagreement;
            let run = self.trusted[at].ask_surely(text, model);
            let Some(run) = run else { continue };
            runs.push(SolverRun::of(at + 1, run));
            if self.convicts(&self.team.clone(), class, candidate, &runs) {
                return true;
            }
        }
        false
    }

    fn convicts(
        &self,
        team: &Team,
        class: Class,
        candidate: &mut Candidate,
        runs: &[SolverRun],
    ) -> bool {
        let (limits, costs) = (&self.limits, &self.costs);
        let mut ask = |member: usize, text: &str| {
            let run = fresh_run(team, member, text, limits)?;
            costs.add(run.cpu);
            Some(run)
        };
        let mut judge = Judge {
            team,
            budget: Budget::THOROUGH,
            sources: Sources::Recorded(&[]),
            forms: match class {
                Class::SelfContradiction => Forms::ALL,
                _ => Forms::default(),
            },
            ask: &mut ask,
        };
        let verdicts = candidate.verdicts(&mut judge, self.witness.as_deref(), runs);
        let counts = |verdict: Class| match class {
            // One trusted solver suffices here; the report says what the smallest script proves.
            Class::WrongSat => matches!(verdict, Class::WrongSat | Class::Disagreement),
            Class::Disagreement | Class::SelfContradiction => {
                verdict == class || verdict.is_proof()
            }
            _ => verdict == class,
        };
        let of_accused = |members: Vec<usize>| members.contains(&0);
        verdicts
            .iter()
            .any(|one| counts(one.verdict.class) && of_accused(one.accused()))
    }
}

impl Check for BugCheck {
    fn has_evidence(&self) -> bool {
        self.bug.class == Class::WrongUnsat && !self.any_bug
    }

    fn support(&mut self, text: &str) -> Support {
        let Some(mut candidate) = self.read(text) else {
            return Support::Open;
        };
        let support = self.look(&mut candidate);
        self.read = Some((text.to_string(), candidate));
        support
    }

    fn interesting(&mut self, text: &str) -> Examined {
        let evidence = match self.started {
            true => self.judge_again(text),
            false => self.judge_first(text),
        };
        match evidence {
            Some(evidence) => Examined::Yes { evidence },
            None => Examined::No,
        }
    }

    fn confirm(&mut self, text: &str, evidence: &str) -> bool {
        let Some(mut candidate) = self.read(text) else {
            return false;
        };
        let before = (self.witness.clone(), self.side);
        self.keep(evidence);
        let classes = self.classes();
        let mut classes = classes.into_iter();
        let confirmed = classes.any(|class| self.confirmed(class, &mut candidate, text));
        (self.witness, self.side) = before;
        confirmed
    }

    fn distrust(&mut self) {
        self.broken_promises += 1;
        if self.broken_promises >= FORGIVEN {
            self.accused.be_fresh();
        } else {
            self.be_surer();
        }
    }

    fn takes_back(&mut self) -> bool {
        std::mem::take(&mut self.takes_back)
    }

    fn accepted(&mut self, text: &str, evidence: &str) {
        self.keep(evidence);
        if !self.started && self.bug.class == Class::Crash {
            self.needs_query = self.crashes_only_when_asked(text);
        }
        self.started = true;
        self.accused.pace();
        self.trusted.iter_mut().for_each(ReducerSession::pace);
    }
}

impl BugCheck {
    /// Sets the evidence for a script: the accused's side, or a model.
    fn keep(&mut self, evidence: &str) {
        match (self.bug.class, evidence) {
            (_, "") => {}
            (Class::Disagreement, "sat") => self.side = Some(Side::Sat),
            (Class::Disagreement, _) => self.side = Some(Side::Unsat),
            _ => self.witness = Some(evidence.to_string()),
        }
    }

    /// Finds the cheapest mode in which the accused shows the bug, and uses it from then on.
    fn judge_first(&mut self, text: &str) -> Option<String> {
        // A tactic in the script may give up between push and pop; then another query shows the bug.
        let has_tactics = text.contains("(check-sat-using");
        let fits = |mode: &Mode| !has_tactics || matches!(mode, Mode::Reset | Mode::Fresh);
        let mut modes = self.accused.modes().into_iter().filter(fits);
        modes.find_map(|mode| {
            self.accused.be_asked(mode);
            self.judge(text)
        })
    }

    /// Judges a candidate, and checks some of the rejections of a cheap mode again.
    fn judge_again(&mut self, text: &str) -> Option<String> {
        let before = self.accused.refusals();
        let evidence = self.judge(text);
        if evidence.is_some() || self.accused.refusals() == before {
            return evidence;
        }
        let cheap = self.accused.mode();
        for surer in self.accused.doubts() {
            self.accused.be_asked(surer);
            let evidence = self.judge(text);
            if evidence.is_some() {
                self.takes_back = true;
                return evidence;
            }
        }
        self.accused.be_asked(cheap);
        None
    }

    /// Whether the accused does not crash on the script without its queries.
    fn crashes_only_when_asked(&mut self, text: &str) -> bool {
        let Ok(document) = Document::read(text) else {
            return false;
        };
        let is_query = |form: &Sexpr<'_>| {
            form.head()
                .is_some_and(|head| head.starts_with("check-sat"))
        };
        let mut silent = String::new();
        for form in document.items().filter(|form| !is_query(form)) {
            write_flat(form, &mut silent);
            silent.push('\n');
        }
        let run = self.accused.ask_surely(&silent, false);
        run.is_some_and(|run| !self.crashed(&run))
    }

    /// Abandons a cheap mode.
    fn be_surer(&mut self) {
        if matches!(self.accused.mode(), Mode::PushPop | Mode::CheckSatUsing) {
            self.accused.be_asked(Mode::Reset);
        }
    }

    /// What is known about a candidate without any run.
    fn look(&self, candidate: &mut Candidate) -> Support {
        if candidate.queries() == 0 && self.needs_query {
            return Support::Refuted;
        }
        match (self.bug.class, &self.witness) {
            _ if self.any_bug => Support::Open,
            (Class::WrongUnsat, Some(witness)) => {
                let all: Vec<usize> = (0..candidate.queries()).collect();
                match candidate.holds(witness, &all) {
                    true => Support::Supported,
                    // No solver could return another model.
                    false if self.trusted.is_empty() => Support::Refuted,
                    false => Support::Open,
                }
            }
            // The simplest model satisfies the script, so no sat is wrong.
            (Class::WrongSat, _) if self.is_satisfied(candidate) => Support::Refuted,
            _ => Support::Open,
        }
    }

    fn is_satisfied(&self, candidate: &mut Candidate) -> bool {
        let mut known = self.satisfying.iter();
        candidate.holds_by_default() || known.any(|model| candidate.holds_everywhere(model))
    }
}

/// Whether a run has an answer of the kind that a class is about.
fn says_what(class: Class, run: &Run) -> bool {
    let says = |word| !answers_like(run, word).is_empty();
    match class {
        Class::WrongUnsat | Class::WrongCore => says("unsat"),
        Class::WrongSat | Class::InvalidModel => says("sat"),
        _ => true,
    }
}

fn overlap(some: &[usize], others: &[usize]) -> bool {
    some.iter().any(|number| others.contains(number))
}

/// Whether a run has an answer sat or unsat.
fn decides(run: &Run) -> bool {
    let mut words = run.answers.iter().map(Answer::word);
    words.any(|word| word == "sat" || word == "unsat")
}

/// The numbers of the queries with this answer.
fn answers_like(run: &Run, word: &str) -> Vec<usize> {
    let answers = run.answers.iter().enumerate();
    let matching = answers.filter(|(_, answer)| answer.word() == word);
    matching.map(|(number, _)| number).collect()
}

/// The numbers of the queries with an unknown that is not due to a limit.
fn gives_up(run: &Run) -> Vec<usize> {
    let answers = run.answers.iter().enumerate();
    let given_up = answers
        .filter(|(_, answer)| matches!(answer, Answer::Unknown { reason } if !is_limit(reason)));
    given_up.map(|(number, _)| number).collect()
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
    // Without markers a complaint after an answer cannot be assigned to it.
    if site.is_some_and(|site| complains(run, without_place(site))) {
        return true;
    }
    let mut all = crashes.chain(later);
    all.any(|crash| site.is_none_or(|site| site_of(crash) == steady(site)))
}

/// Whether a solver reports the same complaint about itself as before.
fn complains(run: &Run, complaint: &str) -> bool {
    run.stdout.lines().any(|line| {
        let message = line.strip_prefix("(error \"");
        let message = message.and_then(|rest| rest.strip_suffix("\")"));
        message.is_some_and(|message| without_place(message) == complaint)
    })
}
