//! Reads many scripts and counts what was understood, for `auspex parse`.

use crate::files;
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::OpTable;
use auspex_logic::{Terms, read_script};
use auspex_syntax::{Span, decode, line_column};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How reading one file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every term has a sort.
    Sorted,
    /// Well-formed, but some term has no sort.
    Parsed,
    /// Not well-formed SMT-LIB text.
    Malformed,
    /// The file could not be read from disk.
    Unreadable,
    /// Reading or printing it revealed a defect of Auspex.
    Defect,
}

/// A reason why a file cannot be sorted.
#[derive(Clone, Debug)]
pub struct Complaint {
    pub reason: String,
    /// A suggestion, if there is one.
    pub expected: Option<&'static str>,
    pub span: Span,
    /// Line and column, from 1.
    pub place: (usize, usize),
}

impl Complaint {
    fn of_file(reason: String) -> Self {
        Complaint {
            reason,
            expected: None,
            span: Span { start: 0, end: 0 },
            place: (1, 1),
        }
    }
}

/// How to read.
pub struct How {
    pub table: Arc<OpTable>,
    /// Also print every script and read it again.
    pub print_back: bool,
}

/// The result for one file.
pub struct Outcome {
    pub ending: Ending,
    pub bytes: usize,
    /// Time from bytes to typed terms, without disk and printing.
    pub time: Duration,
    pub opaque_terms: usize,
    pub complaints: Vec<Complaint>,
}

/// Reads all files, several at once; `done` is called after each. Outcomes are in the order of the files.
pub fn read_all(files: &[PathBuf], how: &How, done: &(dyn Fn() + Sync)) -> Vec<Outcome> {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut terms = Terms::with_table(how.table.clone());
        let mut mine = Vec::new();
        while let Some((number, file)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            files.get(number).map(|file| (number, file))
        } {
            mine.push((number, read_one(&mut terms, file, how)));
            done();
        }
        mine
    };
    let mut all: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers.min(files.len()))
            .map(|_| scope.spawn(work))
            .collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap_or_default())
            .collect()
    });
    all.sort_unstable_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

fn read_one(terms: &mut Terms, file: &Path, how: &How) -> Outcome {
    let bytes = match files::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            let complaint = Complaint::of_file(error.to_string());
            return failed(Ending::Unreadable, 0, complaint);
        }
    };
    let mark = terms.mark();
    // A panic is a defect of Auspex, but the other files must still be read.
    let outcome = catch_unwind(AssertUnwindSafe(|| survey(terms, &bytes, how.print_back)));
    match outcome {
        Ok(outcome) => {
            terms.release(mark);
            outcome
        }
        Err(_) => {
            *terms = Terms::with_table(how.table.clone());
            let complaint = Complaint::of_file("reading it panicked".into());
            failed(Ending::Defect, bytes.len(), complaint)
        }
    }
}

fn failed(ending: Ending, bytes: usize, complaint: Complaint) -> Outcome {
    Outcome {
        ending,
        bytes,
        time: Duration::ZERO,
        opaque_terms: 0,
        complaints: vec![complaint],
    }
}

fn survey(terms: &mut Terms, bytes: &[u8], print_back: bool) -> Outcome {
    let start = std::time::Instant::now();
    let text = decode(bytes);
    let reading = match read_script(terms, &text) {
        Ok(reading) => reading,
        Err(error) => {
            let complaint = Complaint {
                reason: error.message().into(),
                expected: Some(error.expected()),
                span: error.span,
                place: line_column(&text, error.span.start),
            };
            return failed(Ending::Malformed, bytes.len(), complaint);
        }
    };
    let time = start.elapsed();
    let mut complaints: Vec<Complaint> = reading
        .issues
        .iter()
        .map(|(span, issue)| Complaint {
            reason: issue.message(),
            expected: None,
            span: *span,
            place: line_column(&text, span.start),
        })
        .collect();
    let mut ending = if complaints.is_empty() && reading.opaque_terms == 0 {
        Ending::Sorted
    } else {
        Ending::Parsed
    };
    if print_back && let Err(reason) = prints_back(terms, &reading.script) {
        ending = Ending::Defect;
        complaints.insert(0, Complaint::of_file(reason));
    }
    Outcome {
        ending,
        bytes: bytes.len(),
        time,
        opaque_terms: reading.opaque_terms,
        complaints,
    }
}

/// Whether the script is the same after printing and reading again, in every layout.
fn prints_back(terms: &mut Terms, script: &auspex_logic::Script) -> Result<(), String> {
    for sharing in [Sharing::Auto, Sharing::Let] {
        let printed = render::script(terms, script, sharing);
        let again = read_script(terms, &printed)
            .map_err(|error| format!("printed text is malformed: {}", error.message()))?;
        if again.script.commands != script.commands {
            return Err("printed text reads differently".into());
        }
    }
    Ok(())
}

/// One reason with the first place in every file that shows it.
pub struct Reason<'f> {
    pub reason: &'f str,
    pub places: Vec<Place<'f>>,
}

pub struct Place<'f> {
    pub file: &'f Path,
    pub line: usize,
    pub column: usize,
}

/// The reasons, most frequent (in files) first.
pub fn by_reason<'f>(files: &'f [PathBuf], outcomes: &'f [Outcome]) -> Vec<Reason<'f>> {
    let mut reasons: BTreeMap<&str, Vec<Place<'f>>> = BTreeMap::new();
    for (file, outcome) in files.iter().zip(outcomes) {
        for complaint in &outcome.complaints {
            let places = reasons.entry(&complaint.reason).or_default();
            if places.last().is_none_or(|last| last.file != file) {
                let (line, column) = complaint.place;
                places.push(Place { file, line, column });
            }
        }
    }
    let mut sorted: Vec<Reason<'f>> = reasons
        .into_iter()
        .map(|(reason, places)| Reason { reason, places })
        .collect();
    sorted.sort_by_key(|reason| std::cmp::Reverse(reason.places.len()));
    sorted
}
