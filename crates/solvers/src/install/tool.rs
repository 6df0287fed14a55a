//! Runs the tools that bring packages: pip, apt, dpkg, cargo. They obey their own configuration; no address stands here.

use super::InstallError;
use crate::invocation::Invocation;
use crate::limits::{Limits, Memory};
use crate::process::{Ending, Process};
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bringing and building may be slow; a tool that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Runs a tool to its end; what it printed.
pub(crate) fn run<A: AsRef<OsStr>>(
    program: &str,
    arguments: &[A],
    folder: Option<&Path>,
) -> Result<String, InstallError> {
    let what = Invocation {
        program: program.into(),
        arguments: arguments
            .iter()
            .map(|word| word.as_ref().to_owned())
            .collect(),
        environment: vec![("PIP_DISABLE_PIP_VERSION_CHECK".into(), "1".into())],
        // Some tools write into the folder they are called in, and have no option for another.
        folder: Some(folder.unwrap_or(Path::new(".")).into()),
    };
    let limits = Limits {
        wall: PATIENCE,
        memory: None,
        output: 64 << 20,
        ..Limits::default()
    };
    let mut process = Process::start(&what, &limits, Memory::AddressSpace).map_err(|source| {
        InstallError::NoTool {
            tool: program.to_string(),
            source,
        }
    })?;
    let stop = process.run(b"", Instant::now() + PATIENCE);
    let (ending, _, out, err) = process.finish(stop);
    let out = String::from_utf8_lossy(&out).into_owned();
    if ending == Ending::Exit(0) {
        return Ok(out);
    }
    let err = String::from_utf8_lossy(&err);
    Err(InstallError::Tool {
        command: what.line(),
        said: last_lines(&format!("{out}\n{err}")),
    })
}

/// The end of what a tool said, where the reason stands.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}
