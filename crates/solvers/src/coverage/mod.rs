//! Which edges an instrumented solver reaches: it maps a file in its scratch folder ([`RUNTIME`]), and a [`Gauge`]
//! reads and clears the marks after a reply. A solver is recognised by what it writes when it is asked for its version,
//! so nothing has to be configured, and other solvers cost nothing.

pub mod source;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The C file that a solver is linked with.
pub const RUNTIME: &str = include_str!("runtime.c");

/// The variable that names the file to map, and the one that names the file for the places of edges.
pub(crate) const VARIABLE: &str = "AUSPEX_COVERAGE";
pub(crate) const TABLE_VARIABLE: &str = "AUSPEX_COVERAGE_TABLE";

const MAGIC: &[u8; 8] = b"AUSPEXC1";
/// Where the marks begin.
const HEADER: u64 = 4096;
/// The most edges that the runtime counts.
const MOST: usize = 32 << 20;
/// Files of ended processes that are kept until somebody reads them.
const UNREAD: usize = 16;

/// What is known and recorded about a solver's edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// Not instrumented, or not asked yet.
    #[default]
    Unknown,
    /// Instrumented, with so many edges; nothing is recorded.
    Idle(usize),
    /// Recorded by all processes that are started with it.
    On(Gauge),
    /// The same, and they tell the addresses of all edges.
    Located(Gauge),
}

impl Coverage {
    /// How many edges the solver has; none if it is not instrumented.
    pub fn edges(&self) -> Option<usize> {
        match self {
            Coverage::Unknown => None,
            Coverage::Idle(edges) => Some(*edges),
            Coverage::On(gauge) | Coverage::Located(gauge) => gauge.edges(),
        }
    }

    /// The files of a process that is about to start in a scratch folder, if anything is recorded.
    pub(crate) fn attach(&self, scratch: &Path) -> io::Result<Option<Attached>> {
        match self {
            Coverage::Unknown | Coverage::Idle(_) => Ok(None),
            Coverage::On(gauge) => gauge.attach(scratch, false).map(Some),
            Coverage::Located(gauge) => gauge.attach(scratch, true).map(Some),
        }
    }
}

/// Collects the marks of the processes of one solver.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    watched: Vec<Watched>,
    edges: Option<usize>,
    /// Whether the places of edges are wanted.
    places: Option<File>,
    buffer: Vec<u8>,
}

/// The file of a process.
#[derive(Debug)]
struct Watched {
    file: File,
    /// Whether the process may still write.
    process: Weak<()>,
}

/// What a process keeps as long as it runs, and the variables that it is started with.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) variables: Vec<(&'static str, PathBuf)>,
    _alive: Arc<()>,
}

/// Two gauges are equal if they are one.
impl PartialEq for Gauge {
    fn eq(&self, other: &Gauge) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Gauge {}

impl Gauge {
    pub fn new() -> Gauge {
        Gauge::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the files of a process that is about to start in a scratch folder.
    fn attach(&self, scratch: &Path, wants_places: bool) -> io::Result<Attached> {
        let path = scratch.join("coverage");
        let file = made(&path)?;
        let alive = Arc::new(());
        let mut variables = vec![(VARIABLE, path)];
        let mut state = self.state();
        if wants_places {
            let table = scratch.join("coverage-table");
            state.places = Some(made(&table)?);
            variables.push((TABLE_VARIABLE, table));
        }
        while state.watched.len() >= UNREAD {
            let ended = |one: &Watched| one.process.strong_count() == 0;
            let oldest = state.watched.iter().position(ended).unwrap_or(0);
            state.watched.remove(oldest);
        }
        state.watched.push(Watched {
            file,
            process: Arc::downgrade(&alive),
        });
        Ok(Attached {
            variables,
            _alive: alive,
        })
    }

    /// How many edges the solver has; none before an instrumented process has started.
    pub fn edges(&self) -> Option<usize> {
        let mut state = self.state();
        state.count();
        state.edges
    }

    /// The edges that were reached since the last call, in ascending order.
    pub fn take(&self) -> Vec<u32> {
        let mut state = self.state();
        state.count();
        let mut reached = Vec::new();
        let mut buffer = std::mem::take(&mut state.buffer);
        for one in &state.watched {
            // A broken file of a broken solver tells nothing.
            let _ = drain(&one.file, &mut buffer, &mut reached);
        }
        state.buffer = buffer;
        if state.watched.len() > 1 {
            reached.sort_unstable();
            reached.dedup();
        }
        state.watched.retain(|one| one.process.strong_count() > 0);
        reached
    }

    /// The places of edges, as the runtime wrote them.
    fn places(&self) -> io::Result<String> {
        match &self.state().places {
            None => Ok(String::new()),
            Some(file) => {
                let length = file.metadata()?.len().min(64 * MOST as u64);
                let mut text = vec![0; length as usize];
                file.read_exact_at(&mut text, 0)?;
                Ok(String::from_utf8_lossy(&text).into_owned())
            }
        }
    }
}

impl State {
    /// Learns how many edges there are, before the files of ended processes are dropped.
    fn count(&mut self) {
        if self.edges.is_none() {
            let counts = self.watched.iter().filter_map(|one| count(&one.file));
            self.edges = counts.max();
        }
    }
}

fn made(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).open(path)
}

/// How many edges the file's solver has; none if it has not written any.
fn count(file: &File) -> Option<usize> {
    let mut header = [0; 16];
    file.read_exact_at(&mut header, 0).ok()?;
    let (magic, count) = header.split_at(8);
    let count = u64::from_ne_bytes(count.try_into().ok()?);
    (magic == MAGIC && (1..=MOST as u64).contains(&count)).then_some(count as usize)
}

/// Appends the marked edges and clears the marks.
fn drain(file: &File, buffer: &mut Vec<u8>, reached: &mut Vec<u32>) -> io::Result<()> {
    let Some(count) = count(file) else {
        return Ok(());
    };
    buffer.resize(count, 0);
    file.read_exact_at(buffer, HEADER)?;
    let before = reached.len();
    for (place, part) in buffer.chunks(8).enumerate() {
        if part != [0; 8].as_slice() {
            let marked = part.iter().enumerate().filter(|(_, mark)| **mark != 0);
            reached.extend(marked.map(|(at, _)| (place * 8 + at) as u32));
        }
    }
    if reached.len() > before {
        buffer.fill(0);
        file.write_all_at(buffer, HEADER)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a solver's process would do.
    fn mark(path: &Path, edges: u64, marks: &[u64]) {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(HEADER + edges).unwrap();
        file.write_all_at(MAGIC, 0).unwrap();
        file.write_all_at(&edges.to_ne_bytes(), 8).unwrap();
        for mark in marks {
            file.write_all_at(&[1], HEADER + mark).unwrap();
        }
    }

    fn folder(name: &str) -> PathBuf {
        let path = crate::guard::folder().unwrap().join(name);
        std::fs::create_dir(&path).unwrap();
        path
    }

    #[test]
    fn marks_are_read_once_even_after_the_process_and_its_folder_are_gone() {
        let (gauge, scratch) = (Gauge::new(), folder("gauge-reads"));
        let attached = gauge.attach(&scratch, false).unwrap();
        assert_eq!(gauge.edges(), None);
        mark(&attached.variables[0].1, 19, &[0, 7, 8, 18]);
        assert_eq!(gauge.take(), [0, 7, 8, 18]);
        assert_eq!(gauge.take(), [0u32; 0]);
        mark(&attached.variables[0].1, 19, &[3]);
        drop(attached);
        std::fs::remove_dir_all(&scratch).unwrap();
        assert_eq!((gauge.take(), gauge.edges()), (vec![3], Some(19)));
        assert!(gauge.state().watched.is_empty());
    }

    #[test]
    fn other_contents_tell_nothing() {
        let (gauge, scratch) = (Gauge::new(), folder("gauge-refuses"));
        let attached = gauge.attach(&scratch, false).unwrap();
        let path = &attached.variables[0].1;
        for text in [
            &b""[..],
            b"AUSPEXC1",
            b"AUSPEXC1\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            std::fs::write(path, text).unwrap();
            assert_eq!((gauge.take(), gauge.edges()), (Vec::new(), None));
        }
    }
}
