//! `auspex parse`: reads and sort-checks scripts, and reports what was not understood, and how often.

use super::input;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::survey::{self, Ending, How, Outcome};
use crate::terminal::Terminal;
use auspex_syntax::Diagnostic;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub struct Arguments {
    /// Scripts, and folders with scripts (.smt2, .smt25, .smt)
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Also print every script, read it again and compare
    #[arg(long)]
    round_trip: bool,
    /// A file of additional operators and sorts, declared as in SMT-LIB theory files
    #[arg(long, value_name = "FILE")]
    signature: Option<PathBuf>,
    /// How many reasons to list, most frequent first
    #[arg(long, default_value_t = 10, value_name = "N")]
    reasons: usize,
}

/// Counts over several files.
#[derive(Default, Serialize)]
struct Counts {
    files: usize,
    parsed: usize,
    sorted: usize,
    opaque_terms: usize,
    bytes: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.files += 1;
        self.parsed += usize::from(matches!(outcome.ending, Ending::Parsed | Ending::Sorted));
        self.sorted += usize::from(outcome.ending == Ending::Sorted);
        self.opaque_terms += outcome.opaque_terms;
        self.bytes += outcome.bytes;
    }
}

/// The JSON object. `seconds` is the time of reading and sorting, summed over all threads.
#[derive(Serialize)]
struct Report<'f> {
    #[serde(flatten)]
    total: Counts,
    seconds: f64,
    elapsed: f64,
    defects: usize,
    folders: BTreeMap<String, Counts>,
    failures: Vec<Reason<'f>>,
}

#[derive(Serialize)]
struct Reason<'f> {
    reason: &'f str,
    files: usize,
    places: Vec<Place>,
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: usize,
    column: usize,
}

impl Place {
    fn new(place: &survey::Place<'_>) -> Self {
        Place {
            file: place.file.to_string_lossy().into_owned(),
            line: place.line,
            column: place.column,
        }
    }
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let files = files::scripts(&arguments.paths)?;
    if files.is_empty() {
        return Err(Failure::Usage("no scripts at the given paths".into()));
    }
    let start = Instant::now();
    let bar = terminal.progress(files.len() as u64, "reading");
    let how = How {
        table: input::operators(arguments.signature.as_deref(), terminal)?,
        print_back: arguments.round_trip,
    };
    let outcomes = survey::read_all(&files, &how, &|| bar.inc(1));
    bar.finish_and_clear();
    let report = report(&files, &outcomes, start.elapsed().as_secs_f64());
    let mut out = terminal.out_for(arguments.json);
    if arguments.json {
        serde_json::to_writer_pretty(&mut out, &report).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        write_tables(&mut out, &report, arguments.reasons)?;
    }
    out.flush()?;
    if let ([file], [outcome], false) = (&*files, &*outcomes, arguments.json) {
        show(file, outcome, arguments.reasons, terminal)?;
    }
    if report.defects > 0 {
        let text = format!(
            "{} scripts revealed a defect of auspex; please report it",
            report.defects
        );
        return Err(Failure::Internal(text));
    }
    let all_read = report.total.parsed == report.total.files;
    Ok(if all_read { Exit::Clean } else { Exit::Found })
}

/// The complaints about a single file, each with its line.
fn show(file: &Path, outcome: &Outcome, most: usize, terminal: Terminal) -> Result<(), Failure> {
    if outcome.complaints.is_empty() || outcome.ending == Ending::Unreadable {
        return Ok(());
    }
    let text = input::read_text(file)?;
    for complaint in outcome.complaints.iter().take(most) {
        let help = complaint.expected.map(str::to_owned);
        let reason = complaint.reason.clone();
        let name = files::shown(file);
        let diagnostic = Diagnostic::new(&name, &text, complaint.span, reason, help);
        terminal.error(&diagnostic.render(terminal.colours()));
    }
    Ok(())
}

fn report<'f>(files: &'f [PathBuf], outcomes: &'f [Outcome], elapsed: f64) -> Report<'f> {
    let mut report = Report {
        total: Counts::default(),
        seconds: outcomes.iter().map(|o| o.time.as_secs_f64()).sum(),
        elapsed,
        defects: outcomes
            .iter()
            .filter(|o| o.ending == Ending::Defect)
            .count(),
        folders: BTreeMap::new(),
        failures: Vec::new(),
    };
    for (file, outcome) in files.iter().zip(outcomes) {
        report.total.add(outcome);
        let parent = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new(".")).to_string_lossy();
        report
            .folders
            .entry(folder.into_owned())
            .or_default()
            .add(outcome);
    }
    for survey::Reason { reason, places } in survey::by_reason(files, outcomes) {
        let places: Vec<Place> = places.iter().map(Place::new).collect();
        report.failures.push(Reason {
            reason,
            files: places.len(),
            places,
        });
    }
    report
}

fn write_tables(out: &mut impl Write, report: &Report<'_>, reasons: usize) -> std::io::Result<()> {
    let longest = report.folders.keys().map(|f| f.chars().count()).max();
    let width = longest.unwrap_or(0).max("folder".len());
    writeln!(
        out,
        "{:<width$} {:>6} {:>7} {:>7} {:>7} {:>9}",
        "folder", "files", "parsed", "sorted", "opaque", "kB"
    )?;
    for (folder, counts) in &report.folders {
        write_counts(out, folder, width, counts)?;
    }
    if report.folders.len() > 1 {
        write_counts(out, "all", width, &report.total)?;
    }
    write!(out, "\nread and sorted in {:.3} s", report.seconds)?;
    // Below a millisecond the figure means nothing.
    if report.seconds >= 0.01 {
        let speed = report.total.bytes as f64 / 1e6 / report.seconds;
        write!(out, ", {speed:.0} MB/s")?;
    }
    writeln!(out)?;
    if !report.failures.is_empty() {
        writeln!(
            out,
            "\n{:>6}  not understood, with the first place",
            "files"
        )?;
    }
    for failure in report.failures.iter().take(reasons) {
        let first = failure.places.first();
        let place = first.map(|p| format!("{}:{}:{}", p.file, p.line, p.column));
        let place = place.unwrap_or_default();
        writeln!(out, "{:>6}  {}  ({place})", failure.files, failure.reason)?;
    }
    let more = report.failures.len().saturating_sub(reasons);
    if more > 0 {
        writeln!(
            out,
            "        and {more} further reasons; show more with --reasons N"
        )?;
    }
    Ok(())
}

fn write_counts(
    out: &mut impl Write,
    folder: &str,
    width: usize,
    counts: &Counts,
) -> std::io::Result<()> {
    writeln!(
        out,
        "{folder:<width$} {:>6} {:>7} {:>7} {:>7} {:>9.1}",
        counts.files,
        percent(counts.parsed, counts.files),
        percent(counts.sorted, counts.files),
        counts.opaque_terms,
        counts.bytes as f64 / 1e3
    )
}

/// A percentage that is 100 % only if nothing is missing.
fn percent(part: usize, whole: usize) -> String {
    match part * 1000 / whole.max(1) {
        1000 => "100 %".into(),
        thousandths => format!("{}.{} %", thousandths / 10, thousandths % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_percent_means_all() {
        assert_eq!(percent(3, 3), "100 %");
        assert_eq!(percent(9999, 10_000), "99.9 %");
        assert_eq!(percent(0, 3), "0.0 %");
    }
}
