//! The places of a solver's edges in its source: the runtime writes their addresses, and llvm-symbolizer or addr2line
//! finds function, file and line of each in the debugging information.

use crate::coverage::{Coverage, Gauge};
use crate::discover::in_path;
use crate::invocation::Invocation;
use crate::limits::{Limits, Memory};
use crate::process::{Ending, Process};
use crate::solver::{Solver, StartError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The programs that find places, best first, with their arguments.
const PROGRAMS: [(&str, &[&str]); 2] = [
    (
        "llvm-symbolizer",
        &["--no-inlines", "--output-style=GNU", "-f", "-C"],
    ),
    ("addr2line", &["-f", "-C"]),
];

/// A large solver has a million edges.
const LONGEST: Duration = Duration::from_secs(600);
const OUTPUT: usize = 1 << 30;

/// Where an edge is in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function with its parameters; empty if it is unknown.
    pub function: String,
    /// The path as the compiler was given it; empty if it is unknown.
    pub file: String,
    /// 0 if it is unknown.
    pub line: u32,
    /// Whether it is the entry of the function.
    pub entry: bool,
}

/// Why the places of a solver's edges are unknown.
#[derive(Debug, thiserror::Error)]
pub enum NoPlaces {
    #[error("{0} is not instrumented; docs/coverage.md says how to build it")]
    NotInstrumented(String),
    #[error(
        "{0} has no table of its edges; compile it with -fsanitize-coverage=trace-pc-guard,pc-table"
    )]
    NoTable(String),
    #[error("neither llvm-symbolizer nor addr2line is on PATH; install llvm or binutils")]
    NoProgram,
    #[error("{0} failed: {1}")]
    Failed(String, String),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// The longest diff that is read.
const DIFF: usize = 64 << 20;

/// The changes of the checkout in the current folder since a commit, without context.
pub fn diff(base: &str) -> Result<String, NoPlaces> {
    let failed = |why: String| NoPlaces::Failed(format!("git diff {base}"), why);
    if base.starts_with('-') || base.is_empty() {
        return Err(failed("this is no name of a commit".to_string()));
    }
    let words = ["diff", "-U0", "--no-color", "--no-ext-diff", "--relative"];
    let what = Invocation {
        program: "git".into(),
        arguments: words.iter().chain(&[base, "--"]).map(Into::into).collect(),
        folder: Some(".".into()),
        ..Invocation::default()
    };
    finished(&what, b"", DIFF).map_err(failed)
}

/// The output of a program that ends well; otherwise what it says.
fn finished(what: &Invocation, input: &[u8], output: usize) -> Result<String, String> {
    let limits = Limits {
        wall: LONGEST,
        memory: None,
        output,
        ..Limits::default()
    };
    let process = Process::start(what, &limits, Memory::AddressSpace);
    let mut process = process.map_err(|error| error.to_string())?;
    let stop = process.run(input, Instant::now() + LONGEST);
    let (ending, _, out, err) = process.finish(stop);
    match ending {
        Ending::Exit(0) => Ok(String::from_utf8_lossy(&out).into_owned()),
        _ => Err(String::from_utf8_lossy(&err).trim().to_string()),
    }
}

/// The addresses of one module's edges, in hexadecimal.
#[derive(Debug, Default, PartialEq, Eq)]
struct Module<'t> {
    path: &'t str,
    /// Each with whether it is the entry of a function.
    edges: Vec<(&'t str, bool)>,
}

/// The place of every edge, in the order of the marks.
pub fn places(solver: &Solver) -> Result<Vec<Place>, NoPlaces> {
    let title = solver.title();
    if solver.base.coverage.edges().is_none() {
        return Err(NoPlaces::NotInstrumented(title));
    }
    let gauge = Gauge::new();
    let mut asked = solver.clone();
    asked.base.coverage = Coverage::Located(gauge.clone());
    asked.tell(&solver.profile.version, 1 << 20)?;
    let failed = |error: std::io::Error| NoPlaces::Failed(title.clone(), error.to_string());
    let text = gauge.places().map_err(failed)?;
    let modules = modules(&text);
    let known: usize = modules.iter().map(|module| module.edges.len()).sum();
    if known == 0 || gauge.edges() != Some(known) {
        return Err(NoPlaces::NoTable(title));
    }
    let (program, arguments) = PROGRAMS
        .into_iter()
        .find_map(|(name, arguments)| Some((in_path(name)?, arguments)))
        .ok_or(NoPlaces::NoProgram)?;
    let mut places = Vec::with_capacity(known);
    for module in &modules {
        places.extend(located(&program, arguments, module)?);
    }
    Ok(places)
}

fn modules(text: &str) -> Vec<Module<'_>> {
    let mut modules: Vec<Module<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("module ") {
            modules.push(Module {
                path,
                edges: Vec::new(),
            });
        } else if let Some(module) = modules.last_mut() {
            let address = line.strip_suffix('+');
            let edge = (address.unwrap_or(line), address.is_some());
            module.edges.push(edge);
        }
    }
    modules
}

fn located(
    program: &Path,
    arguments: &[&str],
    module: &Module<'_>,
) -> Result<Vec<Place>, NoPlaces> {
    let failed = |why: String| NoPlaces::Failed(program.display().to_string(), why);
    let mut what = Invocation {
        program: PathBuf::from(program),
        arguments: arguments.iter().map(Into::into).collect(),
        folder: Some(".".into()),
        ..Invocation::default()
    };
    what.arguments.extend(["-e".into(), module.path.into()]);
    let addresses = module.edges.iter().map(|(at, _)| format!("0x{at}\n"));
    let addresses: String = addresses.collect();
    let out = finished(&what, addresses.as_bytes(), OUTPUT).map_err(failed)?;
    // llvm-symbolizer ends each answer with an empty line.
    let lines: Vec<&str> = out.lines().filter(|line| !line.is_empty()).collect();
    if lines.len() != 2 * module.edges.len() {
        let count = format!("{} lines for {} edges", lines.len(), module.edges.len());
        return Err(failed(count));
    }
    let edges = module.edges.iter().zip(lines.chunks(2));
    Ok(edges
        .map(|((_, entry), said)| place(said[0], said[1], *entry))
        .collect())
}

/// Reads `function` and `path:line`, perhaps with a remark after it; `??` is what is unknown.
fn place(function: &str, position: &str, entry: bool) -> Place {
    let known = |text: &str| {
        if text == "??" {
            String::new()
        } else {
            text.to_string()
        }
    };
    let position = position.split(" (discriminator").next().unwrap_or("");
    let (file, line) = position.rsplit_once(':').unwrap_or((position, ""));
    Place {
        function: known(function),
        file: known(file),
        line: line.parse().unwrap_or(0),
        entry,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_positions_are_read() {
        let text = "module /a b\n12+\n1f\nmodule /c\n0+\n";
        let read = modules(text);
        assert_eq!(read[0].path, "/a b");
        assert_eq!(read[0].edges, [("12", true), ("1f", false)]);
        assert_eq!(read[1].edges, [("0", true)]);
        let there = place("f(int)", "/src/a.cpp:12 (discriminator 3)", true);
        assert_eq!((there.file.as_str(), there.line), ("/src/a.cpp", 12));
        let unknown = place("??", "??:0", false);
        assert_eq!(
            (unknown.function, unknown.file, unknown.line),
            (String::new(), String::new(), 0)
        );
    }
}
