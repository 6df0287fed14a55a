//! Input that several commands share: files, scripts, limits, and the solvers a user names.

use crate::exit::Failure;
use crate::files;
use crate::terminal::Terminal;
use auspex_campaign::findings::finding::ReplyRecord;
use auspex_cases::Strategy;
use auspex_cases::answers::{self, AnswerKind};
use auspex_logic::theory::{OpTable, SignatureError};

use auspex_logic::{Reading, Terms, Theory, read_script};
use auspex_solvers::discover::FindError;
use auspex_solvers::install::Progress;
use auspex_solvers::profile::ProfileError;
use auspex_solvers::{Called, Catalog, Limits, Solver, Want, install};
use auspex_syntax::{Diagnostic, decode};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The text of a file; `-` is standard input.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    Ok(decode(&files::read(path)?).into_owned())
}

/// Reads a script, or reports where the text is malformed.
pub fn script_of(
    terms: &mut Terms,
    path: &Path,
    text: &str,
    terminal: Terminal,
) -> Result<Reading, Failure> {
    read_script(terms, text).map_err(|error| {
        let name = path.display().to_string();
        Failure::Usage(Diagnostic::of_syntax_error(&name, text, &error).render(terminal.colours()))
    })
}

/// The built-in operators together with those of a user's signature file.
pub fn operators(signature: Option<&Path>, terminal: Terminal) -> Result<Arc<OpTable>, Failure> {
    match signature {
        None => Ok(OpTable::builtin()),
        Some(path) => table(path, terminal, OpTable::with_user_signatures),
    }
}

/// The same, or only the operators that another file declares.
pub fn operators_or_only(
    signature: Option<&Path>,
    only: Option<&Path>,
    terminal: Terminal,
) -> Result<Arc<OpTable>, Failure> {
    match only {
        None => operators(signature, terminal),
        Some(path) => table(path, terminal, OpTable::with_operators),
    }
}

fn table(
    path: &Path,
    terminal: Terminal,
    read: impl Fn(&str) -> Result<OpTable, SignatureError>,
) -> Result<Arc<OpTable>, Failure> {
    let text = read_text(path)?;
    let table = read(&text).map_err(|error| {
        let name = path.display().to_string();
        Failure::Usage(error.diagnostic(&name, &text).render(terminal.colours()))
    })?;
    Ok(Arc::new(table))
}

/// Strategies that honour a file of operators.
pub fn takes_operators(strategy: &dyn Strategy, only: Option<&Path>) -> Result<(), Failure> {
    if only.is_none() || strategy.is_chained() {
        return Ok(());
    }
    let name = strategy.name();
    Err(Failure::Usage(format!(
        "--operators has no effect on {name}: use it with --strategy typefuzz, opfuzz or fuzzchick"
    )))
}

/// The user's solver catalog.
pub fn catalog() -> Result<Catalog, Failure> {
    Catalog::of_user().map_err(|error| match error {
        ProfileError::NoCache => Failure::Environment(error.to_string()),
        _ => Failure::Usage(error.to_string()),
    })
}

/// The solvers a user named, or all that are installed. If there are none, z3 and cvc5 are installed.
pub fn solvers(specs: &[String], terminal: Terminal) -> Result<Vec<Solver>, Failure> {
    if !specs.is_empty() {
        return named_solvers(specs, terminal);
    }
    let catalog = catalog()?;
    let found: Vec<Solver> = catalog
        .found()
        .into_iter()
        .map(|found| found.solver)
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    terminal.note("no solver on PATH or in the cache: installing z3 and cvc5");
    ["z3", "cvc5"]
        .iter()
        .map(|name| named(&catalog, name, terminal))
        .collect()
}

/// Exactly the solvers a user named.
pub fn named_solvers(specs: &[String], terminal: Terminal) -> Result<Vec<Solver>, Failure> {
    let catalog = catalog()?;
    let specs = specs.iter();
    specs.map(|spec| named(&catalog, spec, terminal)).collect()
}

/// The solvers that gave the replies of a finding, in their releases and with their options.
pub fn solvers_of<'r>(
    replies: impl IntoIterator<Item = &'r ReplyRecord>,
    terminal: Terminal,
) -> Result<Vec<Solver>, Failure> {
    let catalog = catalog()?;
    let replies = replies.into_iter();
    replies
        .map(|reply| {
            must_have_profile(&catalog, &reply.solver)?;
            let solver = named(&catalog, &reply.spec(), terminal)?;
            let solver = solver.with_recorded(&reply.options);
            solver.map_err(|error| Failure::Usage(error.to_string()))
        })
        .collect()
}

/// Solvers named by others, in a finding, a job or a shared campaign: never programs, and no unsafe options.
pub fn foreign_solvers(specs: &[String], terminal: Terminal) -> Result<Vec<Solver>, Failure> {
    let catalog = catalog()?;
    let one = |spec: &String| {
        must_have_profile(&catalog, Called::read(spec).name)?;
        let solver = named(&catalog, spec, terminal)?.checked();
        solver.map_err(|error| Failure::Usage(error.to_string()))
    };
    specs.iter().map(one).collect()
}

/// Only names with a profile are accepted: whoever writes a finding must not choose which programs run here.
fn must_have_profile(catalog: &Catalog, name: &str) -> Result<(), Failure> {
    match catalog.profile(name) {
        Some(_) => Ok(()),
        None => Err(Failure::Usage(format!(
            "unknown solver {name:?}; name the solver with --solver"
        ))),
    }
}

/// One solver by name, release or command line. A known release that is missing is installed.
fn named(catalog: &Catalog, spec: &str, terminal: Terminal) -> Result<Solver, Failure> {
    match catalog.find(spec) {
        Ok(found) => return Ok(found.solver),
        Err(FindError::Absent(_)) => {}
        Err(error) => return Err(Failure::Usage(error.to_string())),
    }
    let called = Called::read(spec);
    install_release(catalog, called.name, called.release, terminal)?;
    let found = catalog
        .find(spec)
        .map_err(|error| Failure::Environment(error.to_string()))?;
    Ok(found.solver)
}

/// Installs a release and reports progress.
pub fn install_release(
    catalog: &Catalog,
    name: &str,
    version: Option<&str>,
    terminal: Terminal,
) -> Result<auspex_solvers::cache::Entry, Failure> {
    let profile = catalog
        .profile(name)
        .ok_or_else(|| Failure::Usage(format!("unknown solver {name}")))?;
    let want = Want::read(version).ok_or_else(|| {
        Failure::Usage(format!("unknown release {name}@{}", version.unwrap_or("")))
    })?;
    let label = version.map_or(name.to_string(), |version| format!("{name}@{version}"));
    install(profile, &want, &catalog.cache, &mut |progress| {
        terminal.note(&said(&label, &progress))
    })
    .map_err(|error| Failure::Environment(error.to_string()))
}

fn said(label: &str, progress: &Progress) -> String {
    match progress {
        Progress::Present { .. } => format!("{label}: already installed"),
        Progress::Waiting { .. } => format!("{label}: not installed yet"),
        Progress::Bringing { channel, .. } => format!("{label}: installing with {channel}"),
        Progress::Refused { channel, why } => {
            format!(
                "{label}: not available from {channel}: {}",
                why.lines().last().unwrap_or("")
            )
        }
        Progress::Probing { .. } => format!("{label}: testing it"),
        Progress::Done { .. } => format!("{label}: installed"),
    }
}

/// The longest time limit: one day, in seconds.
const MOST_SECONDS: f64 = 86_400.0;

/// Seconds of a time limit, from a millisecond to a day.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| format!("invalid time limit {text:?}: expected seconds"))?;
    match (0.001..=MOST_SECONDS).contains(&seconds) {
        true => Ok(seconds),
        false => Err(format!(
            "invalid time limit {text}: must be between 0.001 and {MOST_SECONDS} seconds"
        )),
    }
}

/// Limits of a fresh run.
pub fn within(seconds: f64) -> Result<Limits, Failure> {
    let wall = Duration::try_from_secs_f64(seconds)
        .map_err(|_| Failure::Usage(format!("invalid time limit {seconds}: expected seconds")))?;
    Ok(Limits {
        wall,
        ..Limits::default()
    })
}

/// Theories by name.
pub fn theories(names: &[String]) -> Result<Vec<Theory>, Failure> {
    let named = |name: &String| {
        let theory = Theory::ALL.into_iter().find(|t| t.name() == name);
        let known: Vec<&str> = Theory::ALL.iter().map(|t| t.name()).collect();
        theory.ok_or_else(|| {
            Failure::Usage(format!(
                "unknown theory {name}; expected one of {}",
                known.join(", ")
            ))
        })
    };
    names.iter().map(named).collect()
}

/// The kind of answers, besides sat and unsat, of a name.
pub fn kind(name: &str) -> Result<&'static dyn AnswerKind, Failure> {
    let mut kinds = answers::ALL.iter().copied();
    let known = kinds.clone().map(|kind| kind.kind().name());
    kinds
        .find(|kind| kind.kind().name() == name)
        .ok_or_else(|| {
            let known: Vec<&str> = known.collect();
            Failure::Usage(format!(
                "unknown kind of answers {name}; known are {}, and for fuzz none",
                known.join(", ")
            ))
        })
}
