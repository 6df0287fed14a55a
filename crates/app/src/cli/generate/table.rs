//! Runs generated cases and counts the results as the thesis does: theory × expected answer × ending.

use super::{Arguments, Source};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::judge::judging::{Forms, Judge, Judged, Sources};
use auspex_campaign::team::case_profile::{CaseProfile, features};
use auspex_campaign::team::{SolverRun, Team, Wants, WorkerSessions};
use auspex_cases::oracle::Facts;
use auspex_cases::{Budget, Case, Class, Evidence, Expected};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Head, Script, Terms, Theory};
use auspex_solvers::Mode;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The result of one case on one solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    Passed,
    IncorrectStatus,
    IncorrectModel,
    IncorrectCore,
    /// A reply to another question that claims what does not hold.
    IncorrectReply,
    /// A correct core that is not minimal.
    ImpreciseCore,
    Unknown,
    Timeout,
    Error,
    Crash,
}

impl Ending {
    const ALL: [Ending; 10] = [
        Ending::Passed,
        Ending::IncorrectStatus,
        Ending::IncorrectModel,
        Ending::IncorrectCore,
        Ending::IncorrectReply,
        Ending::ImpreciseCore,
        Ending::Unknown,
        Ending::Timeout,
        Ending::Error,
        Ending::Crash,
    ];

    fn word(self) -> &'static str {
        match self {
            Ending::Passed => "passed",
            Ending::IncorrectStatus => "status",
            Ending::IncorrectModel => "model",
            Ending::IncorrectCore => "core",
            Ending::IncorrectReply => "reply",
            Ending::ImpreciseCore => "imprecise",
            Ending::Unknown => "unknown",
            Ending::Timeout => "timeout",
            Ending::Error => "error",
            Ending::Crash => "crash",
        }
    }

    /// Whether the solver is wrong.
    fn is_bug(self) -> bool {
        matches!(
            self,
            Ending::IncorrectStatus
                | Ending::IncorrectModel
                | Ending::IncorrectCore
                | Ending::IncorrectReply
                | Ending::Crash
        )
    }
}

/// Solver, theory, expected answer.
type Row = (usize, String, &'static str);
type Counts = BTreeMap<Row, [u64; Ending::ALL.len()]>;

/// A case that a solver got wrong.
struct Failed {
    solver: usize,
    number: u64,
    ending: Ending,
    why: String,
    text: String,
}

#[derive(Default)]
struct Results {
    counts: Counts,
    failed: Vec<Failed>,
}

pub fn run(
    arguments: &Arguments,
    source: &Source,
    team: &Team,
    terminal: Terminal,
) -> Result<Exit, Failure> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let numbers = arguments.numbers(source);
    let count = numbers.end.saturating_sub(numbers.start);
    let (next, end) = (AtomicU64::new(numbers.start), numbers.end);
    let results = Mutex::new(Results::default());
    let progress = terminal.progress(count, "running");
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut worker = Worker {
                    terms: Terms::new(),
                    sessions: WorkerSessions::steady(team),
                    team,
                };
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        break;
                    }
                    worker.one(source, number, &results);
                    progress.inc(1);
                }
            });
        }
    });
    progress.finish_and_clear();
    let results = results
        .into_inner()
        .unwrap_or_else(|broken| broken.into_inner());
    let seconds = started.elapsed().as_secs_f64();
    let mut out = terminal.out();
    show(&results, team, &mut out)?;
    writeln!(out, "{:.0} cases per second", count as f64 / seconds)?;
    let bugs = results.failed.iter().any(|f| f.ending.is_bug());
    if arguments.failures {
        show_failed(&results, team, &mut out)?;
    }
    out.flush()?;
    Ok(if bugs { Exit::Found } else { Exit::Clean })
}

/// A case that one solver is asked about.
#[derive(Clone, Copy)]
struct Asked<'a> {
    case: &'a Case,
    text: &'a str,
    member: usize,
    profile: &'a CaseProfile,
}

struct Worker<'t> {
    terms: Terms,
    sessions: WorkerSessions,
    team: &'t Team,
}

impl Worker<'_> {
    fn one(&mut self, source: &Source, number: u64, results: &Mutex<Results>) {
        let mark = self.terms.mark();
        if let Some(case) = source.nth(&mut self.terms, number) {
            let text = render::script(&self.terms, &case.script, Sharing::Auto);
            for member in 0..self.team.members.len() {
                let (ending, why) = self.ask(&case, &text, member);
                let row = (
                    member,
                    theory_of(&self.terms, &case.script),
                    expected_of(&self.terms, &case),
                );
                let mut results = results.lock().unwrap_or_else(|broken| broken.into_inner());
                let counts = results.counts.entry(row).or_default();
                counts[ending as usize] += 1;
                if ending != Ending::Passed {
                    results.failed.push(Failed {
                        solver: member,
                        number,
                        ending,
                        why,
                        text: text.clone(),
                    });
                }
            }
        }
        self.terms.release(mark);
    }

    fn ask(&mut self, case: &Case, text: &str, member: usize) -> (Ending, String) {
        let wants = Wants {
            mode: Mode::PushPop,
            models: true,
            cores: matches!(case.evidence.first(), Some(Evidence::Core { .. })),
            likely_sat: false,
        };
        let asked = Asked {
            case,
            text,
            member,
            profile: &features(&self.terms, &case.script),
        };
        let first = self.ending(asked, wants);
        if !first.0.is_bug() {
            return first;
        }
        // A wrong answer of a live process counts only if a fresh process gives it, too.
        let wants = Wants {
            mode: Mode::Fresh,
            ..wants
        };
        self.ending(asked, wants)
    }

    fn ending(&mut self, asked: Asked<'_>, wants: Wants) -> (Ending, String) {
        let Asked {
            case,
            text,
            member,
            profile,
        } = asked;
        let run: SolverRun = match self.sessions.ask(member, text, wants, profile) {
            Ok(run) => run,
            Err(error) => return (Ending::Error, error.to_string()),
        };
        let (sessions, team) = (&mut self.sessions, self.team);
        let mut ask =
            |member: usize, text: &str| sessions.ask_related(member, text, Mode::Reset, profile);
        let mut judge = Judge {
            team,
            budget: Budget::THOROUGH,
            sources: Sources::Seeds(&[]),
            forms: Forms::default(),
            ask: &mut ask,
        };
        let judged = judge.judge(&mut self.terms, case, std::slice::from_ref(&run));
        let Some(judged) = judged.first() else {
            return (Ending::Error, "no query".into());
        };
        let ended = ended(judged);
        match (&ended.0, run.answers.first()) {
            (Ending::Passed, Some(Answer::Unsat { core: Some(core) })) => {
                imprecise(&self.terms, case, core).unwrap_or(ended)
            }
            _ => ended,
        }
    }
}

/// A core with assertions that are not part of the contradiction.
fn imprecise(terms: &Terms, case: &Case, core: &[String]) -> Option<(Ending, String)> {
    let Some(Evidence::Core { names, .. }) = case.evidence.first() else {
        return None;
    };
    let needed: Vec<&str> = names.iter().map(|n| terms.symbols.name(*n)).collect();
    let more = core.iter().any(|name| !needed.contains(&name.as_str()));
    more.then(|| {
        let why = format!("({}) instead of ({})", core.join(" "), needed.join(" "));
        (Ending::ImpreciseCore, why)
    })
}

/// The result of a case: the verdict on the answer if there is one, else the answer.
fn ended(judged: &Judged) -> (Ending, String) {
    let facts: Facts<'_> = judged.facts.as_facts();
    if let Some(verdict) = judged.verdicts.first() {
        let ending = match verdict.class {
            Class::WrongSat | Class::WrongUnsat => Ending::IncorrectStatus,
            Class::InvalidModel => Ending::IncorrectModel,
            Class::WrongCore | Class::SelfContradiction => Ending::IncorrectCore,
            Class::Wrong(_) => Ending::IncorrectReply,
            Class::Crash => Ending::Crash,
            Class::Disagreement | Class::Incompleteness | Class::Slowness => Ending::Unknown,
        };
        return (ending, verdict.sentence(facts));
    }
    match facts.replies.first().map(|reply| &reply.answer) {
        Some(Answer::Sat { .. } | Answer::Unsat { .. }) => (Ending::Passed, String::new()),
        Some(Answer::Unknown { reason }) => (Ending::Unknown, reason.clone()),
        Some(Answer::Timeout) => (Ending::Timeout, String::new()),
        Some(Answer::OutOfMemory) => (Ending::Timeout, "out of memory".into()),
        Some(Answer::Rejected { message, .. }) => (Ending::Error, message.clone()),
        Some(Answer::Crashed(crash)) => (Ending::Crash, crash.message.clone()),
        Some(Answer::Garbled { text }) => (Ending::Error, text.clone()),
        None => (Ending::Error, "no answer".into()),
    }
}

/// The theory of a script's operators, or `combined` if there are several. As in the thesis, integers count only
/// where no other theory does, and sorts of indices and elements do not count: arrays of bit-vectors are arrays.
fn theory_of(terms: &Terms, script: &Script) -> String {
    let all = features(terms, script).theories;
    let is_main = |t: &Theory| !matches!(t, Theory::Core | Theory::Ints | Theory::User);
    let operated = operators(terms, script);
    let used = |t: &Theory| match t {
        // Constructors, selectors and testers are declared by the script.
        Theory::Datatypes => all.contains(*t),
        _ => operated.contains(t),
    };
    let mut main: Vec<Theory> = Theory::ALL
        .into_iter()
        .filter(is_main)
        .filter(used)
        .collect();
    if main.is_empty() {
        let some = Theory::ALL.into_iter().filter(is_main);
        main = some.filter(|t| all.contains(*t)).collect();
    }
    match main.as_slice() {
        [] if all.contains(Theory::Ints) => "ints".into(),
        [] => "core".into(),
        [one] => one.name().into(),
        [Theory::Strings, Theory::Regex] => "strings".into(),
        _ => "combined".into(),
    }
}

/// The theories of the operators in a script's assertions.
fn operators(terms: &Terms, script: &Script) -> BTreeSet<Theory> {
    let parts = script.roots().into_iter();
    let parts = parts.flat_map(|root| render::post_order(terms, root));
    let theory = |term| match terms.head(term) {
        Head::Op(op) => Some(terms.op(op).theory),
        _ => None,
    };
    parts.filter_map(theory).collect()
}

fn expected_of(terms: &Terms, case: &Case) -> &'static str {
    let patterns = case.script.roots().into_iter().any(|root| {
        let parts = render::post_order(terms, root);
        parts
            .iter()
            .any(|t| matches!(terms.head(*t), Head::Annotated(_)))
    });
    match case.evidence.first().and_then(Evidence::expected) {
        Some(Expected::Sat) => "sat",
        Some(Expected::Unsat) if patterns => "unsat [p]",
        Some(Expected::Unsat) => "unsat",
        None => "any",
    }
}

fn show(results: &Results, team: &Team, out: &mut impl Write) -> std::io::Result<()> {
    for (solver, member) in team.members.iter().enumerate() {
        writeln!(out, "{}", member.title)?;
        write!(out, "  {:<12} {:<10} {:>8}", "theory", "expected", "tests")?;
        for ending in Ending::ALL {
            write!(out, " {:>8}", ending.word())?;
        }
        writeln!(out)?;
        let rows = results.counts.iter().filter(|((s, _, _), _)| *s == solver);
        for ((_, theory, expected), counts) in rows {
            let tests: u64 = counts.iter().sum();
            write!(out, "  {theory:<12} {expected:<10} {tests:>8}")?;
            for count in counts {
                write!(out, " {count:>8}")?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn show_failed(results: &Results, team: &Team, out: &mut impl Write) -> std::io::Result<()> {
    let mut failed: Vec<&Failed> = results.failed.iter().collect();
    failed.sort_by_key(|f| (f.ending, f.solver, f.number));
    for failed in failed {
        writeln!(
            out,
            "\n; {} {}: case {}\n; {}\n{}",
            team.members[failed.solver].title,
            failed.ending.word(),
            failed.number,
            failed.why.replace('\n', " "),
            failed.text
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_cases::oracle::Form;
    use auspex_logic::read_script;
    use auspex_solvers::{Invocation, Limits, Profile, Solver};
    use std::sync::Arc;
    use std::time::Duration;

    fn case(terms: &mut Terms, text: &str, evidence: Evidence) -> Case {
        let script = read_script(terms, text).expect("well-formed").script;
        Case {
            script,
            evidence: vec![evidence],
            origin: Default::default(),
        }
    }

    /// How a case ends if a solver says that.
    fn ending(terms: &mut Terms, case: &Case, answer: Answer) -> Ending {
        let solver = Solver {
            profile: Arc::new(Profile::unknown("toy")),
            base: Invocation::default(),
            version: None,
            commit: None,
            options: Vec::new(),
        };
        let team = Team::new(vec![solver], Limits::default());
        let run = SolverRun {
            member: 0,
            form: Form::Script,
            answers: vec![answer],
            later: None,
            said: Vec::new(),
            mode: Mode::Fresh,
            earlier: Vec::new(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            time_used: None,
        };
        let judged = Judge {
            team: &team,
            budget: Budget::THOROUGH,
            sources: Sources::Seeds(&[]),
            forms: Forms::default(),
            ask: &mut |_, _| None,
        }
        .judge(terms, case, &[run]);
        ended(&judged[0]).0
    }

    #[test]
    fn wrong_answers_are_counted_by_kind() {
        let mut terms = Terms::new();
        let witness = Evidence::Witness(Box::default());
        let text = "(declare-const p Bool)(assert (or p (not p)))(check-sat)";
        let case = case(&mut terms, text, witness);
        let mut of = |answer| ending(&mut terms, &case, answer);
        assert_eq!(of(Answer::Unsat { core: None }), Ending::IncorrectStatus);
        assert_eq!(of(Answer::Sat { model: None }), Ending::Passed);
        assert_eq!(of(Answer::Timeout), Ending::Timeout);
    }

    #[test]
    fn a_core_with_bystanders_is_imprecise() {
        let mut terms = Terms::new();
        let names = vec![terms.symbols.intern("a0")];
        let because = "false is false".into();
        let evidence = Evidence::Core { names, because };
        let text = "(assert (! false :named a0))(assert (! true :named a1))(check-sat)";
        let case = case(&mut terms, text, evidence);
        let ending = |core: &[&str]| {
            let core: Vec<String> = core.iter().map(|name| name.to_string()).collect();
            imprecise(&terms, &case, &core).map(|(ending, _)| ending)
        };
        assert_eq!(ending(&["a0"]), None);
        assert_eq!(ending(&["a0", "a1"]), Some(Ending::ImpreciseCore));
    }

    #[test]
    fn names_the_theory() {
        let theory = |text: &str| {
            let mut terms = Terms::new();
            let script = read_script(&mut terms, text).expect("well-formed").script;
            theory_of(&terms, &script)
        };
        assert_eq!(theory("(assert (= #b0 #b1))(check-sat)"), "bv");
        assert_eq!(
            theory("(assert (= (str.len \"\") 0))(check-sat)"),
            "strings"
        );
        let both = "(assert (= (select ((as const (Array Int String)) \"\") 0) \"\"))(check-sat)";
        assert_eq!(theory(both), "arrays");
        let both = "(declare-const a (Array Int (_ BitVec 4)))(assert (= (bvnot (select a 0)) #x0))(check-sat)";
        assert_eq!(theory(both), "combined");
        assert_eq!(theory("(assert true)(check-sat)"), "core");
    }
}
