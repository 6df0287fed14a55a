//! Runs the package tools: pip, apt, dpkg, cargo. They use their own configuration, so there is no address here.

use super::InstallError;
use crate::invocation::Invocation;
use crate::limits::{Limits, Memory};
use crate::process::{Ending, Process};
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

/// Downloading and building may be slow; a tool that takes longer than this hangs.
const LONGEST: Duration = Duration::from_secs(1800);

/// Runs a tool to its end; returns its output.
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
        // Some tools write into the current folder, and have no option for another one.
        folder: Some(folder.unwrap_or(Path::new(".")).into()),
        ..Invocation::default()
    };
    let limits = Limits {
        wall: LONGEST,
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
    let stop = process.run(b"", Instant::now() + LONGEST);
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

/// The end of a tool's output, which has the reason.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}
