//! A check by a user's command: its exit code and output, as in ddSMT.

use crate::shrink::bug_check::Costs;
use auspex_reduce::{Check, Examined};
use auspex_solvers::limits::Memory;
use auspex_solvers::process::{Ending, Process};
use auspex_solvers::{Invocation, Limits};
use regex_lite::Regex;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The required behaviour of the command.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub exit: Option<i32>,
    /// Must match somewhere in standard output or standard error.
    pub pattern: Option<Regex>,
}

/// The result of a run of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub ending: Ending,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the command with a file name appended to its arguments.
pub struct CommandCheck {
    command: Vec<OsString>,
    wanted: Wanted,
    /// The result for the original file, for comparison if nothing else is required.
    golden: Option<Outcome>,
    limits: Limits,
    costs: Arc<Costs>,
    file: PathBuf,
}

/// A candidate may take this many times as long as the script, and this much more, since machines are busy.
const LONGER: u32 = 5;
const SLACK: Duration = Duration::from_secs(1);

impl CommandCheck {
    pub fn new(
        command: &[String],
        wanted: &Wanted,
        limits: &Limits,
        costs: Arc<Costs>,
    ) -> CommandCheck {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("auspex-reduce-{}-{number}.smt2", std::process::id());
        CommandCheck {
            command: command.iter().map(OsString::from).collect(),
            wanted: wanted.clone(),
            golden: None,
            limits: limits.clone(),
            costs,
            file: std::env::temp_dir().join(name),
        }
    }

    /// Uses the command's behaviour on this text as the requirement, if nothing else is given.
    pub fn learn(&mut self, text: &str) -> std::io::Result<Outcome> {
        let started = Instant::now();
        let outcome = self.run(text)?;
        // A candidate that takes far longer than the current script shows something else.
        let longest = started.elapsed() * LONGER + SLACK;
        self.limits.wall = self.limits.wall.min(longest);
        self.golden = Some(outcome.clone());
        Ok(outcome)
    }

    fn run(&mut self, text: &str) -> std::io::Result<Outcome> {
        std::fs::write(&self.file, auspex_syntax::encode(text))?;
        let mut words = self.command.iter().cloned();
        let what = Invocation {
            program: words.next().unwrap_or_default().into(),
            arguments: words.chain([self.file.clone().into()]).collect(),
            environment: Vec::new(),
            // A user's command may depend on the files around it, so run it in the current folder.
            folder: Some(".".into()),
            ..Invocation::default()
        };
        let mut process = Process::start(&what, &self.limits, Memory::Resident)?;
        let stop = process.run(b"", Instant::now() + self.limits.wall);
        let (ending, usage, out, err) = process.finish(stop);
        self.costs.add(usage.cpu);
        let text = |bytes: &[u8]| auspex_syntax::decode(bytes).into_owned();
        // The file name differs between workers, so ignore it in the output.
        let name = self.file.display().to_string();
        Ok(Outcome {
            ending,
            stdout: text(&out).replace(&name, "FILE"),
            stderr: text(&err).replace(&name, "FILE"),
        })
    }

    fn accepts(&self, outcome: &Outcome) -> bool {
        let Wanted { exit, pattern } = &self.wanted;
        let exit_fits = match (exit, &self.golden) {
            (Some(code), _) => outcome.ending == Ending::Exit(*code),
            (None, Some(golden)) => outcome.ending == golden.ending,
            (None, None) => true,
        };
        let output_fits = match (pattern, &self.golden) {
            (Some(pattern), _) => {
                pattern.is_match(&outcome.stdout) || pattern.is_match(&outcome.stderr)
            }
            (None, Some(golden)) if exit.is_none() => outcome.stdout == golden.stdout,
            (None, _) => true,
        };
        exit_fits && output_fits
    }
}

impl Check for CommandCheck {
    fn interesting(&mut self, text: &str) -> Examined {
        match self.run(text) {
            Ok(outcome) if self.accepts(&outcome) => Examined::Yes {
                evidence: String::new(),
            },
            Ok(_) | Err(_) => Examined::No,
        }
    }
}

impl Drop for CommandCheck {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, wanted: Wanted) -> CommandCheck {
        let command = ["sh", "-c", script, "sh"].map(String::from);
        CommandCheck::new(&command, &wanted, &Limits::default(), Arc::default())
    }

    fn is_interesting(check: &mut CommandCheck, text: &str) -> bool {
        check.interesting(text) != Examined::No
    }

    #[test]
    fn exit_code_and_pattern_decide() {
        let wanted = Wanted {
            exit: Some(3),
            pattern: Regex::new("b.d").ok(),
        };
        let mut check = check("cat $1; grep -q bad $1 && exit 3; exit 0", wanted);
        assert!(is_interesting(&mut check, "(bad)"));
        assert!(!is_interesting(&mut check, "(good)"));
        assert_eq!(check.costs.calls(), 2);
    }

    #[test]
    fn without_wishes_the_first_run_is_the_measure() {
        let mut check = check("grep -c bad $1", Wanted::default());
        check.learn("(bad)").expect("sh runs");
        assert!(is_interesting(&mut check, "(also bad)"));
        assert!(!is_interesting(&mut check, "(bad)\n(bad)"));
    }

    #[test]
    fn a_command_that_does_not_exist_finds_nothing() {
        let command = ["/nowhere/at-all".to_string()];
        let mut check = CommandCheck::new(
            &command,
            &Wanted::default(),
            &Limits::default(),
            Arc::default(),
        );
        assert!(!is_interesting(&mut check, "(bad)"));
    }
}
