//! Records of what real solvers said, as small text files: written by `examples/record.rs`, judged again by `tests/recorded.rs`.
// Each of the two uses one half.
#![allow(dead_code)]

use auspex_logic::answer::{Answer, CrashKind, Rejection};
use auspex_solvers::process::{Ending, Stop, Usage};
use auspex_solvers::talk::Recorded;
use auspex_solvers::{Limits, Profile, Run};
use std::fmt::Write;
use std::time::Duration;

/// The number in all recorded markers.
pub const NONCE: u64 = 0xfeed;

/// A script that is put to every solver; its first lines say what is known about it.
pub struct Case {
    pub name: String,
    pub text: String,
    /// The true answers, by the standard; `-` where there is none.
    pub expect: Vec<String>,
    pub limits: Limits,
}

impl Case {
    pub fn read(name: &str, text: &str) -> Case {
        let field = |word: &str| {
            let mut lines = text.lines().filter_map(|line| line.strip_prefix("; "));
            lines
                .find_map(|line| line.strip_prefix(word))
                .map(str::trim)
        };
        let number = |word: &str| field(word).and_then(|value| value.parse::<u64>().ok());
        let expect = field("expect").unwrap_or_default();
        Case {
            name: name.to_string(),
            text: text.to_string(),
            expect: expect.split_whitespace().map(str::to_string).collect(),
            limits: Limits {
                wall: Duration::from_secs(number("wall").unwrap_or(10)),
                memory: Some(number("memory").map_or(4 << 30, |megabytes| megabytes << 20)),
                soft: number("soft").map(Duration::from_secs),
                ..Limits::default()
            },
        }
    }

    /// The script for one solver: `{QF_BV}` becomes that logic, or the nearest the solver has.
    pub fn script(&self, profile: &Profile) -> String {
        let mut script = self.text.clone();
        while let Some(start) = script.find("(set-logic {") {
            let Some(length) = script[start..].find('}') else {
                break;
            };
            let wanted = script[start + 12..start + length].to_string();
            let logic = profile.logic_for(&wanted).to_string();
            script.replace_range(start + 11..start + length + 1, &logic);
        }
        script
    }
}

/// One record.
#[derive(Default)]
pub struct Record {
    pub solver: String,
    pub version: String,
    pub command: String,
    pub case: String,
    pub driver: bool,
    pub ending: String,
    pub max_rss: u64,
    pub stdout: String,
    pub stderr: String,
    pub answers: Vec<String>,
}

impl Record {
    pub fn write(&self) -> String {
        let mut text = String::new();
        let mut field = |name: &str, value: &str| writeln!(text, "{name}: {value}").unwrap();
        field("solver", &self.solver);
        field("version", &self.version);
        field("driver", &self.driver.to_string());
        field("command", &self.command);
        field("case", &self.case);
        field("ending", &self.ending);
        field("max-rss", &self.max_rss.to_string());
        for answer in &self.answers {
            field("answer", answer);
        }
        write!(
            text,
            "--- stdout\n{}--- stderr\n{}",
            lines(&self.stdout),
            lines(&self.stderr)
        )
        .unwrap();
        text
    }

    pub fn read(text: &str) -> Record {
        let mut record = Record::default();
        let (fields, rest) = text
            .split_once("--- stdout\n")
            .expect("a record has an output");
        let (stdout, stderr) = rest
            .split_once("--- stderr\n")
            .expect("a record has errors");
        record.stdout = unlines(stdout);
        record.stderr = unlines(stderr);
        for line in fields.lines() {
            let (name, value) = line
                .split_once(": ")
                .unwrap_or((line.trim_end_matches(':'), ""));
            let value = value.to_string();
            match name {
                "solver" => record.solver = value,
                "version" => record.version = value,
                "driver" => record.driver = value == "true",
                "command" => record.command = value,
                "case" => record.case = value,
                "ending" => record.ending = value,
                "max-rss" => record.max_rss = value.parse().expect("a number"),
                "answer" => record.answers.push(value),
                other => panic!("a record has no field {other}"),
            }
        }
        record
    }

    /// Judges what was recorded as if it had just been said.
    pub fn judge(&self, profile: &Profile, case: &Case) -> Run {
        let script = case.script(profile);
        let recorded = Recorded {
            profile,
            limits: &case.limits,
            script: &script,
            nonce: profile.echo.then_some(NONCE),
            stdout: self.stdout.clone(),
            stderr: self.stderr.clone(),
            ending: read_ending(&self.ending),
            usage: Usage {
                cpu: Duration::ZERO,
                max_rss: self.max_rss,
            },
            wall: Duration::ZERO,
        };
        recorded.run()
    }
}

/// Each line marked, so that a missing last newline and empty lines survive.
fn lines(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| match line.strip_suffix('\n') {
            Some(whole) => format!("|{whole}\n"),
            None => format!("\\{line}\n"),
        })
        .collect()
}

fn unlines(text: &str) -> String {
    let lines = text.lines();
    lines
        .map(|line| match line.strip_prefix('|') {
            Some(whole) => format!("{whole}\n"),
            None => line.trim_start_matches('\\').to_string(),
        })
        .collect()
}

pub fn write_ending(ending: Ending) -> String {
    match ending {
        Ending::Alive => "alive".to_string(),
        Ending::Exit(code) => format!("exit {code}"),
        Ending::Signal(signal) => format!("signal {signal}"),
        Ending::Killed(stop) => format!("killed {stop:?}"),
    }
}

fn read_ending(text: &str) -> Ending {
    let (word, value) = text.split_once(' ').unwrap_or((text, ""));
    match (word, value) {
        ("exit", code) => Ending::Exit(code.parse().expect("a number")),
        ("signal", signal) => Ending::Signal(signal.parse().expect("a number")),
        ("killed", "Deadline") => Ending::Killed(Stop::Deadline),
        ("killed", "Flooded") => Ending::Killed(Stop::Flooded),
        ("killed", "Closed") => Ending::Killed(Stop::Closed),
        ("killed", "Memory") => Ending::Killed(Stop::Memory),
        _ => panic!("{text} is no ending"),
    }
}

/// The answers of a run, one line each, and a later crash.
pub fn describe(run: &Run) -> Vec<String> {
    let mut all: Vec<String> = run.answers.iter().map(describe_answer).collect();
    if let Some(later) = &run.later {
        let crash = describe_answer(&Answer::Crashed(later.crash.clone()));
        all.push(format!("later {} {crash}", later.command));
    }
    all
}

fn describe_answer(answer: &Answer) -> String {
    let word = answer.word();
    match answer {
        Answer::Sat { model: Some(_) } => format!("{word} model"),
        Answer::Unsat { core: Some(core) } => format!("{word} core [{}]", core.join(", ")),
        Answer::Unknown { reason } if !reason.is_empty() => format!("{word} ({reason})"),
        Answer::Rejected { why, .. } => {
            let why = match why {
                Rejection::Unsupported => "unsupported",
                Rejection::ParseError => "parse-error",
                Rejection::OutsideLogic => "outside-logic",
                Rejection::Other => "other",
            };
            format!("{word} {why}")
        }
        Answer::Crashed(crash) => {
            let how = match &crash.how {
                CrashKind::Signal(signal) => format!("signal {signal}"),
                CrashKind::ExitCode(code) => format!("exit {code}"),
                other => format!("{other:?}").to_lowercase(),
            };
            let site = crash.site.as_deref().unwrap_or("");
            format!("{word} {how} {site}").trim_end().to_string()
        }
        Answer::Sat { model: None }
        | Answer::Unsat { core: None }
        | Answer::Unknown { .. }
        | Answer::Timeout
        | Answer::OutOfMemory
        | Answer::Garbled { .. } => word.to_string(),
    }
}
