//! How fast bytes become typed terms, beside yaspar-ir:
//! `cargo bench -p auspex-logic --features compare --bench read -- FOLDER [SUFFIX [PASSES]]` prints MB/s.
//! Without the feature, yaspar-ir is neither compiled nor measured.

use auspex_logic::{Terms, read_script};
use auspex_syntax::decode;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Passes over the whole folder unless told; the fastest one counts. One is enough for a profiler.
const PASSES: usize = 20;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    let Some(folder) = arguments.next() else {
        println!("usage: cargo bench -p auspex-logic --bench read -- FOLDER [SUFFIX [PASSES]]");
        return;
    };
    let suffix = arguments.next().unwrap_or_else(|| "smt2".to_owned());
    let texts = texts(Path::new(&folder), &suffix);
    if texts.is_empty() {
        println!("no .{suffix} files in {folder}");
        return;
    }
    let bytes: usize = texts.iter().map(Vec::len).sum();
    println!("{} files, {:.1} MB", texts.len(), bytes as f64 / 1e6);
    let passes = arguments.next().and_then(|p| p.parse().ok());
    let mut terms = Terms::new();
    report("auspex", &texts, passes.unwrap_or(PASSES), || {
        ours(&texts, &mut terms)
    });
    #[cfg(feature = "compare")]
    report("yaspar-ir", &texts, 1, || theirs::pass(&texts));
}

struct Pass {
    time: Duration,
    processor: Duration,
    read: usize,
    sorted: usize,
}

/// Time this program was on a processor: on a busy machine the clock says little about a program.
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes only to the local it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn report(name: &str, texts: &[Vec<u8>], passes: usize, mut pass: impl FnMut() -> Pass) {
    let passes: Vec<Pass> = (0..passes).map(|_| pass()).collect();
    let Some(best) = passes.iter().min_by_key(|pass| pass.processor) else {
        return;
    };
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let share = |count: usize| 100.0 * count as f64 / texts.len() as f64;
    println!(
        "{name:<10} {:>6.1} MB/s (best of {}: {:?} of processor time in {:?}), {:.2} % read, {:.2} % sorted",
        bytes as f64 / 1e6 / best.processor.as_secs_f64(),
        passes.len(),
        best.processor,
        best.time,
        share(best.read),
        share(best.sorted)
    );
}

/// One arena for all scripts, cleared after each: as a campaign does it.
fn ours(texts: &[Vec<u8>], terms: &mut Terms) -> Pass {
    let (start, before) = (Instant::now(), processor_time());
    let (mut read, mut sorted) = (0, 0);
    for bytes in texts {
        let mark = terms.mark();
        if let Ok(reading) = read_script(terms, &decode(bytes)) {
            read += 1;
            sorted += usize::from(reading.issues.is_empty() && reading.opaque_terms == 0);
        }
        terms.release(mark);
    }
    Pass {
        time: start.elapsed(),
        processor: processor_time() - before,
        read,
        sorted,
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

#[cfg(feature = "compare")]
mod theirs {
    use super::{Pass, processor_time};
    use auspex_syntax::decode;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Instant;
    use yaspar_ir::ast::{Context, Typecheck};
    use yaspar_ir::untyped::UntypedAst;

    pub fn pass(texts: &[Vec<u8>]) -> Pass {
        let quiet = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let (start, before) = (Instant::now(), processor_time());
        let (mut read, mut sorted) = (0, 0);
        for bytes in texts {
            let text = decode(bytes);
            let (parsed, checked) =
                catch_unwind(AssertUnwindSafe(|| read_theirs(&text))).unwrap_or((false, false));
            read += usize::from(parsed);
            sorted += usize::from(checked);
        }
        let (time, processor) = (start.elapsed(), processor_time() - before);
        std::panic::set_hook(quiet);
        Pass {
            time,
            processor,
            read,
            sorted,
        }
    }

    fn read_theirs(text: &str) -> (bool, bool) {
        let Ok(commands) = UntypedAst.parse_script_str(text) else {
            return (false, false);
        };
        (true, commands.type_check(&mut Context::new()).is_ok())
    }
}
