//! Makes sure that no solver or child of a solver outlives Auspex, however Auspex ends. Every solver process has a
//! mark in its environment, which its children inherit. A small shell process waits on a pipe that only Auspex holds.
//! When the pipe closes (on exit, panic or SIGKILL), it kills every process with the mark and removes the folder of
//! temporary files. PR_SET_PDEATHSIG would need code between fork and exec, fires when the starting thread ends, and
//! misses grandchildren.

use rustix::process::{Pid, Signal, kill_process};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The environment variable that marks every process started here.
pub const MARK: &str = "AUSPEX_RUN";

/// The script of the watching process: waits for the end of its input, then kills all marked processes, twice,
/// because one may be between fork and exec.
const WATCH: &str = r#"
trap '' HUP INT QUIT TERM PIPE
read -r _
quiet=0
while [ "$quiet" -lt 2 ]; do
    found=$(grep -lsaF "$1" /proc/[0-9]*/environ)
    if [ -z "$found" ]; then quiet=$((quiet + 1)); else quiet=0; fi
    for place in $found; do
        pid=${place#/proc/}; pid=${pid%/environ}
        kill -9 "-$pid" "$pid" 2>/dev/null
    done
    sleep 0.05 2>/dev/null || sleep 1
done
rm -rf "$2"
"#;

struct Guard {
    token: String,
    folder: PathBuf,
    /// Whether the watching process could be started.
    watching: bool,
}

static GUARD: OnceLock<Guard> = OnceLock::new();
static RUNS: AtomicU64 = AtomicU64::new(0);

fn guard() -> &'static Guard {
    GUARD.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = now.map_or(0, |since| since.as_nanos() as u64);
        let token = format!("{}-{nanos:x}", std::process::id());
        let folder = std::env::temp_dir().join(format!("auspex-{token}"));
        let watching = watch(&token, &folder).is_ok();
        Guard {
            token,
            folder,
            watching,
        }
    })
}

fn watch(token: &str, folder: &Path) -> std::io::Result<()> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", WATCH, "auspex-guard"])
        .arg(format!("{MARK}={token}."))
        .arg(folder)
        .env_remove(MARK)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A separate group: Ctrl-C in the terminal is for Auspex, and the guard must outlive it.
        .process_group(0)
        .spawn()?;
    // We never write or close it: the kernel closes it when this process ends.
    std::mem::forget(child.stdin.take());
    Ok(())
}

/// Whether the watching process runs.
pub fn is_watching() -> bool {
    guard().watching
}

/// A new mark for one solver process: the value of [`MARK`] in its environment.
pub(crate) fn mark() -> String {
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    format!("{}.{number}.", guard().token)
}

/// The folder for temporary files of this process, removed after its end.
pub(crate) fn folder() -> std::io::Result<&'static Path> {
    let folder = &guard().folder;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    Ok(folder)
}

/// Kills every process that has the mark and was started after another one, even if it left its process group;
/// returns how many.
pub(crate) fn kill_marked(mark: &str, after: Pid) -> usize {
    let marked = among(mark, started_after(after));
    for &pid in &marked {
        let _ = kill_process(pid, Signal::KILL);
    }
    marked.len()
}

/// The living processes with the mark.
pub fn marked(mark: &str) -> Vec<Pid> {
    among(mark, i32::MIN)
}

/// A number below the ids of all processes that were started after this one. Reading the environment of every process
/// takes longer than most queries; process ids are reused only after all have been used.
fn started_after(process: Pid) -> i32 {
    let number = process.as_raw_nonzero().get();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let newest = load.split_whitespace().last().map(str::parse::<i32>);
    match newest {
        Some(Ok(newest)) if newest >= number => number,
        _ => i32::MIN,
    }
}

/// The processes with higher ids that have the mark.
fn among(mark: &str, above: i32) -> Vec<Pid> {
    let needle = format!("{MARK}={mark}").into_bytes();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| *pid > above)
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|&byte| byte == 0)
                .any(|entry| entry.starts_with(&needle))
        })
        .filter_map(Pid::from_raw)
        .collect()
}
