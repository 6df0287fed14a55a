//! Decides what the end of a process means: for an unanswered query, or for the command after the last answer.

use crate::crash;
use crate::items::{items, message, verdict};
use crate::meaning;
use crate::process::{Ending, Stop};
use crate::profile::{Meaning, Pattern};
use crate::reply::Transcript;
use auspex_logic::answer::{Answer, Crash, CrashKind};

/// Signals from outside: the solver was stopped and did not crash.
const OUTSIDE: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE];

/// What the end of the process means, for a query without an answer or after all answers.
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

/// An end by a signal, seen directly or through the exit code of a shell.
fn signalled(transcript: &Transcript<'_>, said: &str) -> Option<Answer> {
    let signal = match transcript.ending {
        Ending::Signal(signal) => signal,
        Ending::Exit(code) if (129..160).contains(&code) => code - 128,
        _ => return None,
    };
    let near_limit = transcript.limits.memory.is_some_and(|most| {
        // An unchecked failed allocation looks like any other fault.
        transcript.usage.max_rss > most / 10 * 9
    });
    Some(match signal {
        libc::SIGXCPU => Answer::Timeout,
        // We did not send it, so it came from the kernel, short of memory, or from a person; never from the solver.
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
                // Regular output says nothing about the end.
                message: first_lines(transcript.stderr),
            }),
        },
    })
}

/// A crash that the solver's profile explains as a rejection, such as cvc5's of a wrong `:status`.
fn excused(crash: Crash, own: &[Pattern]) -> Answer {
    let pattern = own.iter().find(|pattern| pattern.matches(&crash.message));
    match pattern.map(|pattern| pattern.means) {
        Some(
            Meaning::Rejected | Meaning::Unsupported | Meaning::Timeout | Meaning::OutOfMemory,
        ) => {
            // The line that explains it: `NOT IMPLEMENTED YET!` after z3's `ASSERTION VIOLATION`.
            let mut lines = crash.message.lines();
            let why = lines.find(|line| pattern.is_some_and(|one| one.matches(line)));
            let answer = meaning::answer(why.unwrap_or(&crash.message), own);
            answer.unwrap_or(Answer::Crashed(crash))
        }
        _ => Answer::Crashed(crash),
    }
}

/// The process exited normally, without an answer.
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

/// The output before the end, without answers and warnings, which say nothing about it.
fn first_lines(text: &str) -> String {
    // cvc5 prints a three-line warning if a script sets no logic.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::profiles;

    #[test]
    fn an_assertion_is_a_crash_unless_it_says_that_something_is_missing() {
        let all = profiles(None).unwrap();
        let z3 = all.iter().find(|profile| profile.name == "z3").unwrap();
        let end = |said: &str| {
            let text = format!(
                "ASSERTION VIOLATION\nFile: ../src/ast/sls/sls_seq_plugin.cpp\nLine: 378\n{said}\n5.4.0.0\nPlease file an issue\n"
            );
            excused(crash::find(&text).unwrap(), &z3.replies)
        };
        assert!(matches!(
            end("UNEXPECTED CODE WAS REACHED."),
            Answer::Crashed(_)
        ));
        let Answer::Rejected { message, .. } = end("NOT IMPLEMENTED YET!") else {
            panic!("it is missing");
        };
        assert_eq!(message, "NOT IMPLEMENTED YET!");
    }
}
