//! What the end of a process means for a query that it left without an answer, or for the command after the last one.

use crate::crash;
use crate::items::{items, message, verdict};
use crate::meaning;
use crate::process::{Ending, Stop};
use crate::profile::{Meaning, Pattern};
use crate::reply::Transcript;
use auspex_logic::answer::{Answer, Crash, CrashKind};

/// Signals that come from outside: someone stopped the solver, it did not fall.
const OUTSIDE: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE];

/// What the end of the process means: for a query that has no answer, or after all answers.
pub(crate) fn end(transcript: &Transcript<'_>, asked: bool) -> Answer {
    let said = format!("{}\n{}", transcript.tail, transcript.stderr);
    let said = said.trim();
    let garbled = |text: &str| Answer::Garbled {
        text: text.to_string(),
    };
    match transcript.ending {
        Ending::Killed(Stop::Deadline) => return Answer::Timeout,
        Ending::Killed(Stop::Memory) => return Answer::OutOfMemory,
        Ending::Killed(Stop::Closed) => return garbled("closed its output"),
        Ending::Killed(Stop::Flooded | Stop::Ended | Stop::Reached) => return garbled(said),
        Ending::Alive | Ending::Exit(_) | Ending::Signal(_) => {}
    }
    if meaning::is_out_of_memory(said) {
        return Answer::OutOfMemory;
    }
    if let Some(answer) = signalled(transcript, said) {
        return answer;
    }
    if let Some(crash) = crash::find(said) {
        return excused(crash, &transcript.profile.replies);
    }
    if !asked {
        return garbled(said);
    }
    refused(transcript, said)
}

/// The end by a signal, seen directly or by the exit code of a shell in between.
fn signalled(transcript: &Transcript<'_>, said: &str) -> Option<Answer> {
    let signal = match transcript.ending {
        Ending::Signal(signal) => signal,
        Ending::Exit(code) if (129..160).contains(&code) => code - 128,
        _ => return None,
    };
    let near_limit = transcript.limits.memory.is_some_and(|most| {
        // A failed allocation that nobody checked looks like any other fault.
        transcript.usage.max_rss > most / 10 * 9
    });
    Some(match signal {
        libc::SIGXCPU => Answer::Timeout,
        // We did not send it: it is the kernel, short of memory, or a person. Never the solver.
        libc::SIGKILL => Answer::OutOfMemory,
        _ if OUTSIDE.contains(&signal) => Answer::Garbled {
            text: format!("killed from outside with signal {signal}"),
        },
        _ if near_limit => Answer::OutOfMemory,
        _ => match crash::find(said) {
            Some(crash) => excused(crash, &transcript.profile.replies),
            None => Answer::Crashed(Crash {
                how: CrashKind::Signal(signal),
                site: None,
                // What it printed in order says nothing about the end.
                message: first_lines(transcript.stderr),
            }),
        },
    })
}

/// A crash that the solver's profile knows to be a refusal, such as cvc5's of a wrong `:status`.
fn excused(crash: Crash, own: &[Pattern]) -> Answer {
    let pattern = own.iter().find(|pattern| pattern.matches(&crash.message));
    match pattern.map(|pattern| pattern.means) {
        Some(
            Meaning::Rejected | Meaning::Unsupported | Meaning::Timeout | Meaning::OutOfMemory,
        ) => meaning::answer(&crash.message, own).unwrap_or(Answer::Crashed(crash)),
        _ => Answer::Crashed(crash),
    }
}

/// The process ended by itself and in order, without an answer.
fn refused(transcript: &Transcript<'_>, said: &str) -> Answer {
    let own = &transcript.profile.replies;
    let refusals = items(transcript.tail).filter(|item| item.starts_with("(error"));
    if let Some(answer) = refusals
        .filter_map(|item| meaning::answer(message(item), own))
        .next()
    {
        return answer;
    }
    if said.lines().any(|line| line.trim() == "timeout") {
        return Answer::Timeout;
    }
    match transcript.ending {
        Ending::Exit(0) if meaning::of(said, own).is_none() => Answer::Garbled {
            text: said.to_string(),
        },
        Ending::Exit(code) if said.is_empty() => Answer::Crashed(Crash {
            how: CrashKind::ExitCode(code),
            site: None,
            message: String::new(),
        }),
        _ => meaning::answer(said, own).unwrap_or_else(|| Answer::Garbled {
            text: said.to_string(),
        }),
    }
}

/// What was said before the end; answers and warnings say nothing about it.
fn first_lines(text: &str) -> String {
    // cvc5 warns that a script sets no logic, in three lines.
    const WARNINGS: [&str; 4] = [
        "warning",
        "no set-logic command was given",
        "will make all theories available",
        "consider setting a stricter logic",
    ];
    let is_warning = |line: &str| {
        let lower = line.to_ascii_lowercase();
        let mut all = WARNINGS.iter();
        all.any(|sign| lower.contains(sign))
    };
    let lines = text
        .lines()
        .filter(|line| verdict(line.trim()).is_none() && !is_warning(line));
    lines.take(4).collect::<Vec<_>>().join("\n")
}
