//! How fast text becomes a tape: `cargo bench -p auspex-syntax --bench read -- FOLDER [SUFFIX]` prints MB/s.

use auspex_syntax::{Reader, Tape, decode};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Passes over the whole folder; the fastest one counts.
const PASSES: usize = 10;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    let Some(folder) = arguments.next() else {
        println!("usage: cargo bench -p auspex-syntax --bench read -- FOLDER [SUFFIX]");
        return;
    };
    let suffix = arguments.next().unwrap_or_else(|| "smt2".to_owned());
    let texts = texts(Path::new(&folder), &suffix);
    if texts.is_empty() {
        println!("no .{suffix} files in {folder}");
        return;
    }
    let mut tape = Tape::default();
    let passes: Vec<Pass> = (0..PASSES).map(|_| read_all(&texts, &mut tape)).collect();
    let Some(best) = passes.iter().min_by_key(|pass| pass.time) else {
        return;
    };
    let bytes: usize = texts.iter().map(Vec::len).sum();
    println!(
        "{} files, {:.1} MB, {} nodes, {} not read",
        texts.len(),
        bytes as f64 / 1e6,
        best.nodes,
        best.errors
    );
    println!(
        "best of {PASSES}: {:?}, {:.0} MB/s",
        best.time,
        bytes as f64 / 1e6 / best.time.as_secs_f64()
    );
}

struct Pass {
    time: Duration,
    nodes: usize,
    errors: usize,
}

/// From bytes to tape, the check for UTF-8 included.
fn read_all(texts: &[Vec<u8>], tape: &mut Tape) -> Pass {
    let start = Instant::now();
    let (mut nodes, mut errors) = (0, 0);
    for bytes in texts {
        tape.clear();
        let text = decode(bytes);
        let mut reader = Reader::new(&text);
        let end = loop {
            match reader.next(tape) {
                Ok(Some(_)) => {}
                end => break end,
            }
        };
        errors += usize::from(end.is_err());
        nodes += tape.len();
    }
    Pass {
        time: start.elapsed(),
        nodes,
        errors,
    }
}

fn texts(folder: &Path, suffix: &str) -> Vec<Vec<u8>> {
    let (mut folders, mut texts) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == suffix) {
                texts.extend(std::fs::read(&path));
            }
        }
    }
    texts
}
