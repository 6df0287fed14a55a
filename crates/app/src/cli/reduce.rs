//! `auspex reduce`: finds out which bug a script shows, and shrinks the script while it still shows that bug.

use super::fuzz::Signals;
use super::input::{foreign_solvers, named_solvers, read_text, solvers, solvers_of, within};
use super::jobs::enqueue;
use super::place;
use super::status::store_failure;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::findings::finding::{EvidenceRecord, ReducedSource, ReplyRecord, StepRecord};
use auspex_campaign::findings::folder::{read_finding, rewrite};
use auspex_campaign::findings::replay::stages;
use auspex_campaign::judge::diagnose::diagnose;
use auspex_campaign::ledger::REDUCE;
use auspex_campaign::shrink::bug_check::{BugCheck, Costs};
use auspex_campaign::shrink::command_check::{CommandCheck, Wanted};
use auspex_campaign::shrink::options::with_fewest_options;
use auspex_campaign::shrink::pair::{Pair, PairCheck};
use auspex_campaign::shrink::reduction::{Subject as Reducible, bug_in, identity};
use auspex_campaign::store::FindingRow;
use auspex_cases::Class;
use auspex_reduce::{Check, Flow, Progress, Report, Size, reduce};
use auspex_solvers::discover::words;
use auspex_solvers::{Limits, Solver};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Arguments {
    /// The script to shrink, or the folder of a finding; - is standard input; with --store, (a part of) a finding's name
    #[arg(required_unless_present = "queue")]
    file: Option<PathBuf>,
    /// The database of a shared campaign, which has the finding and gets the reduced script
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "earlier"])]
    store: Option<String>,
    /// With --store: queue it for the campaign's workers; without a name, queue all findings that are not reduced
    #[arg(long, requires = "store")]
    queue: bool,
    /// A solver that may be wrong: z3@4.8.12, or a command line (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// A solver whose models and refutations count as evidence (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    trusted: Vec<String>,
    /// A command to run with the file's name appended, instead of solvers and oracles
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["solver", "trusted", "any_bug"])]
    command: Option<String>,
    /// With --command: the exit code that a file must cause
    #[arg(long, value_name = "CODE", requires = "command")]
    exit: Option<i32>,
    /// With --command: a regular expression that the output must match
    #[arg(long = "match", value_name = "REGEX", requires = "command")]
    pattern: Option<String>,
    /// Where to write the result; standard output by default
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Follow any bug of the accused solver, not only the original one
    #[arg(long)]
    any_bug: bool,
    /// How many candidates to try in parallel
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    workers: u16,
    /// Seconds per run of a solver
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
    /// Total seconds; the smallest script by then is the result
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    budget: Option<u64>,
    /// Scripts that this one was derived from, oldest first
    #[arg(long, value_name = "FILE")]
    earlier: Vec<PathBuf>,
    /// At the end, print what each pass tried, removed and cost
    #[arg(long)]
    passes: bool,
}

/// The script to reduce, and what is known about it.
struct Subject {
    text: String,
    /// The scripts it was derived from, oldest first.
    earlier: Vec<String>,
    finding: Option<Finding>,
}

impl Subject {
    /// A script without a finding.
    fn reducible(&self) -> Reducible {
        let made_from = self.finding.as_ref().map_or_else(Vec::new, stages);
        Reducible {
            text: self.text.clone(),
            earlier: self.earlier.iter().cloned().chain(made_from).collect(),
            pair: None,
            checked_by: Default::default(),
        }
    }
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    if let (Some(url), true) = (&arguments.store, arguments.queue) {
        return queue(arguments, url, terminal);
    }
    let subject = subject(arguments)?;
    let limits = within(arguments.timeout)?;
    let (costs, started) = (Arc::new(Costs::default()), Instant::now());
    let Some((what, mut checks)) = checks(arguments, &subject, &limits, &costs, terminal)? else {
        terminal.note(match subject.finding {
            Some(_) => "no solver contradicts the accused any more: nothing to reduce; name other solvers with --trusted",
            None => "no solver's answer is wrong: nothing to reduce",
        });
        return Ok(Exit::Clean);
    };
    let signals = Signals::watch()?;
    let budget = arguments.budget.map(Duration::from_secs);
    let bar = terminal.progress(1, "reduce");
    let mut work = Work::default();
    let mut watch = |progress: &Progress<'_>| {
        work.turn(progress.pass, costs.cpu());
        bar.set_message(format!("{:<12} {}", progress.pass, sizes(&progress.size)));
        match signals.asked() || budget.is_some_and(|budget| started.elapsed() > budget) {
            true => Flow::Stop,
            false => Flow::Continue,
        }
    };
    let report = reduce(&what.text, &what.earlier, &mut checks, &mut watch).map_err(|_| {
        Failure::Usage(match arguments.command {
            Some(_) => {
                "the command does not give the expected exit code or output on this file".into()
            }
            None => "the script does not show the bug again".into(),
        })
    })?;
    bar.finish_and_clear();
    if arguments.passes {
        work.turn("", costs.cpu());
        terminal.note(&work.table(&report));
    }
    terminal.note(&summary(&report, &costs, started.elapsed()));
    let ended = what.ended(report.text.clone());
    let text = with_source(&ended);
    if let Some(finding) = subject.finding {
        remember(arguments, finding, &report, ended)?;
    }
    match &arguments.out {
        Some(file) => std::fs::write(file, &text).map_err(|error| Failure::file(file, &error))?,
        None => {
            let mut out = terminal.out();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(Exit::Found)
}

/// Queues the findings that are not reduced yet for the workers.
fn queue(arguments: &Arguments, url: &str, terminal: Terminal) -> Result<Exit, Failure> {
    let mut store = place::look(url)?;
    let rows = match &arguments.file {
        Some(name) => {
            let (finding, _) = place::one_finding(store.as_mut(), &name.to_string_lossy())?;
            vec![FindingRow::from(&finding)]
        }
        None => store.findings().map_err(store_failure)?,
    };
    let open = rows.into_iter().filter(|row| !row.reduced);
    let open: Vec<String> = open.map(|row| row.id).collect();
    match open.is_empty() {
        true => terminal.note("nothing to do: already reduced"),
        false => enqueue(url, REDUCE, &open, "{}", terminal)?,
    }
    Ok(Exit::Clean)
}

/// Stores the reduced script with its finding, and the bug that its shape identifies.
fn remember(
    arguments: &Arguments,
    mut finding: Finding,
    report: &Report,
    ended: (String, Option<ReducedSource>),
) -> Result<(), Failure> {
    let (text, source) = ended;
    finding.take_reduced(text, source, StepRecord::all(&report.steps));
    // With `--any-bug` the script may show another bug now, so the finding stays as it is.
    if !arguments.any_bug {
        let identity = identity(&finding, finding.shown());
        finding.reduced_fingerprint = identity.map(|identity| identity.fingerprint);
    }
    let Some(url) = &arguments.store else {
        let folder = arguments.file.clone().unwrap_or_default();
        return rewrite(&finding, &folder).map_err(|error| Failure::file(&folder, &error));
    };
    let mut store = place::write(url, place::LEASE)?;
    let rows = store.findings().map_err(store_failure)?;
    let others = rows.iter().filter(|row| row.id != finding.id);
    let others = others.filter_map(|row| Finding::from_json(&row.json).ok());
    let mut firsts = others.filter(|other| other.same_as.is_none());
    finding.same_as = finding.reduced_fingerprint.as_ref().and_then(|shape| {
        let same = firsts.find(|other| other.reduced_fingerprint.as_ref() == Some(shape))?;
        Some(same.id.to_string())
    });
    let put = store.put_findings(&[FindingRow::from(&finding)]);
    put.map(drop).map_err(store_failure)
}

fn subject(arguments: &Arguments) -> Result<Subject, Failure> {
    let earlier = arguments.earlier.iter().map(|file| read_text(file));
    let mut subject = Subject {
        text: String::new(),
        earlier: earlier.collect::<Result<_, _>>()?,
        finding: None,
    };
    let file = arguments.file.clone().unwrap_or_default();
    let finding = match &arguments.store {
        Some(url) => place::one_finding(place::look(url)?.as_mut(), &file.to_string_lossy())?.0,
        None if file.is_dir() => read_finding(&file)
            .map_err(|why| Failure::Usage(format!("{}: {why}", file.display())))?,
        None => {
            subject.text = read_text(&file)?;
            return Ok(subject);
        }
    };
    subject.text = finding.script.clone();
    subject.finding = Some(finding);
    Ok(subject)
}

type Checks = Vec<Box<dyn Check>>;

/// The reduced script, after the source that it contradicts if it is one of two.
fn with_source((text, source): &(String, Option<ReducedSource>)) -> String {
    match source {
        Some(source) => format!("; the source\n{}; the script\n{text}", source.text),
        None => text.clone(),
    }
}

fn checks(
    arguments: &Arguments,
    subject: &Subject,
    limits: &Limits,
    costs: &Arc<Costs>,
    terminal: Terminal,
) -> Result<Option<(Reducible, Checks)>, Failure> {
    match &arguments.command {
        Some(command) => {
            let checks = command_checks(arguments, command, &subject.text, limits, costs)?;
            Ok(Some((subject.reducible(), checks)))
        }
        None => bug_checks(arguments, subject, limits, costs, terminal),
    }
}

fn command_checks(
    arguments: &Arguments,
    command: &str,
    text: &str,
    limits: &Limits,
    costs: &Arc<Costs>,
) -> Result<Checks, Failure> {
    let words = words(command)
        .filter(|words| !words.is_empty())
        .ok_or_else(|| Failure::Usage(format!("not a command: {command:?}")))?;
    let pattern = match &arguments.pattern {
        Some(pattern) => Some(
            regex_lite::Regex::new(pattern).map_err(|error| Failure::Usage(error.to_string()))?,
        ),
        None => None,
    };
    let wanted = Wanted {
        exit: arguments.exit,
        pattern,
    };
    let mut checks: Checks = Vec::new();
    for _ in 0..arguments.workers {
        let mut check = CommandCheck::new(&words, &wanted, limits, costs.clone());
        check
            .learn(text)
            .map_err(|error| Failure::Environment(format!("cannot run {command}: {error}")))?;
        checks.push(Box::new(check));
    }
    Ok(checks)
}

fn bug_checks(
    arguments: &Arguments,
    subject: &Subject,
    limits: &Limits,
    costs: &Arc<Costs>,
    terminal: Terminal,
) -> Result<Option<(Reducible, Checks)>, Failure> {
    let (suspects, witnesses) = parties(arguments, subject, terminal)?;
    let finding = subject.finding.as_ref();
    let model = finding.and_then(|f| match &f.evidence {
        EvidenceRecord::Witness { model } => Some(model),
        _ => None,
    });
    let bug = match (finding, model, suspects.first()) {
        // If no other solver was asked, only the witness shows that an `unsat` is wrong.
        (Some(finding), Some(_), Some(accused)) if finding.class == Class::WrongUnsat => {
            Some(bug_in(finding, accused.clone(), witnesses))
        }
        // The finding is about two related scripts, and only its record has the second one.
        (Some(finding), _, Some(accused)) if Pair::of(finding).is_some() => {
            Some(bug_in(finding, accused.clone(), witnesses))
        }
        _ => {
            let bugs = diagnose(&subject.text, &suspects, &witnesses, limits);
            let wanted = finding.map(|finding| finding.class);
            let mut bugs = bugs.into_iter();
            bugs.find(|bug| wanted.is_none_or(|class| bug.class == class))
        }
    };
    let Some(mut bug) = bug else {
        return Ok(None);
    };
    if finding.is_none() {
        bug = with_fewest_options(bug, &subject.text, limits, costs);
    }
    terminal.note(&format!("{}: {}", bug.line(), bug.why));
    let what = match finding {
        Some(finding) => Reducible::of(finding, &bug, limits, costs),
        None => subject.reducible(),
    };
    let check = || -> Box<dyn Check> {
        if what.pair.is_some() {
            return Box::new(PairCheck::new(&what, &bug, limits, costs.clone()));
        }
        let check = BugCheck::new(&bug, arguments.any_bug, limits, costs.clone());
        Box::new(match model {
            Some(model) => check.with_witness(model),
            None => check,
        })
    };
    let checks = (0..arguments.workers).map(|_| check()).collect();
    Ok(Some((what, checks)))
}

/// The accused and the trusted solvers: as the user names them, else as the finding does.
fn parties(
    arguments: &Arguments,
    subject: &Subject,
    terminal: Terminal,
) -> Result<(Vec<Solver>, Vec<Solver>), Failure> {
    let (accused, others): (Vec<&ReplyRecord>, Vec<_>) = match &subject.finding {
        Some(finding) => finding
            .replies
            .iter()
            .partition(|reply| finding.accused.contains(&reply.title)),
        None => Default::default(),
    };
    let suspects = match arguments.solver.is_empty() && !accused.is_empty() {
        true => solvers_of(accused, terminal)?,
        false => solvers(&arguments.solver, terminal)?,
    };
    let witnesses = match arguments.trusted.is_empty() {
        false => named_solvers(&arguments.trusted, terminal)?,
        true => {
            let finding = subject.finding.as_ref();
            let companions = finding
                .map_or_else(Vec::new, Finding::companions)
                .into_iter();
            let mut witnesses = solvers_of(others, terminal)?;
            // Missing solvers are skipped.
            witnesses.extend(
                companions.flat_map(|name| foreign_solvers(&[name], terminal).unwrap_or_default()),
            );
            witnesses
        }
    };
    Ok((suspects, witnesses))
}

fn sizes(size: &Size) -> String {
    format!(
        "{} bytes, {} lines, {} nodes",
        size.bytes, size.lines, size.nodes
    )
}

fn summary(report: &Report, costs: &Costs, took: Duration) -> String {
    let stopped = match report.complete {
        true => "",
        false => "stopped early\n",
    };
    format!(
        "{stopped}before: {}\nafter:  {}\n{} checks, {} solver calls, {:.2} s of solver time, {:.2} s in all",
        sizes(&report.before),
        sizes(&report.after),
        report.checks,
        costs.calls(),
        costs.cpu().as_secs_f64(),
        took.as_secs_f64()
    )
}

/// Solver time of each pass.
#[derive(Default)]
struct Work {
    cpu: Vec<(&'static str, Duration)>,
    pass: &'static str,
    so_far: Duration,
}

impl Work {
    /// Charges the time since the last call to the previous pass.
    fn turn(&mut self, pass: &'static str, total: Duration) {
        let spent = total.saturating_sub(self.so_far);
        match self.cpu.iter_mut().find(|(name, _)| *name == self.pass) {
            Some((_, cpu)) => *cpu += spent,
            None => self.cpu.push((self.pass, spent)),
        }
        (self.pass, self.so_far) = (pass, total);
    }

    fn table(&self, report: &Report) -> String {
        let mut lines = vec![format!(
            "{:<14} {:>6} {:>6} {:>6} {:>9}",
            "pass", "tried", "taken", "nodes", "cpu s"
        )];
        for (pass, cpu) in &self.cpu {
            let tried = report.tried.iter().find(|(name, _)| name == pass);
            let mut last = report.before.nodes;
            let (mut taken, mut nodes) = (0, 0);
            for step in &report.steps {
                if step.pass == *pass {
                    taken += 1;
                    nodes += last as i64 - step.size.nodes as i64;
                }
                last = step.size.nodes;
            }
            let pass = if pass.is_empty() { "(start)" } else { pass };
            let tried = tried.map_or(0, |(_, tried)| *tried);
            let cpu = cpu.as_secs_f64();
            lines.push(format!(
                "{pass:<14} {tried:>6} {taken:>6} {nodes:>6} {cpu:>9.2}"
            ));
        }
        lines.join("\n")
    }
}
