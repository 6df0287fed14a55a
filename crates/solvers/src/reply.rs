//! From what a solver printed, command by command, to one `Answer` per query.
//! An answer after a refused assertion in the same scope is no answer; an answer before a crash stands.

use crate::crash;
use crate::limits::Limits;
use crate::meaning;
use crate::process::{Ending, Stop, Usage};
use crate::profile::{Meaning, Pattern, Profile};
use crate::script::{Role, Step};
use auspex_logic::answer::{Answer, Crash, CrashKind, Rejection};

/// All that is known about a run when its replies are judged.
#[derive(Debug)]
pub struct Transcript<'t> {
    pub profile: &'t Profile,
    pub steps: &'t [Step<'t>],
    /// The reply to each step that was completed; steps left out on purpose have the empty reply.
    pub texts: &'t [&'t str],
    /// What was printed after the last completed step.
    pub tail: &'t str,
    pub stderr: &'t str,
    pub ending: Ending,
    pub usage: Usage,
    pub limits: &'t Limits,
}

/// The judgement on a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// One per query that was reached; queries after the end of the process have none.
    pub answers: Vec<Answer>,
    /// A crash of a command after the last answer.
    pub later: Option<Later>,
}

/// A crash that came after the last answer: the answer stands, the crash belongs to this command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Later {
    pub command: String,
    pub crash: Crash,
}

/// Judges a run.
pub fn judge(transcript: &Transcript<'_>) -> Judged {
    let mut judge = Judge {
        own: &transcript.profile.replies,
        stderr: transcript.stderr,
        scopes: vec![None],
        judged: Judged::default(),
    };
    for (step, text) in transcript.steps.iter().zip(transcript.texts) {
        judge.step(step, text);
    }
    let rest = &transcript.steps[transcript.texts.len().min(transcript.steps.len())..];
    judge.rest(transcript, rest);
    judge.judged
}

struct Judge<'t> {
    own: &'t [Pattern],
    stderr: &'t str,
    /// What spoils the answers of each open scope, outermost first.
    scopes: Vec<Option<Answer>>,
    judged: Judged,
}

impl Judge<'_> {
    /// A step that was completed.
    fn step(&mut self, step: &Step<'_>, text: &str) {
        match step.role {
            Role::Option | Role::Info => {}
            Role::Logic | Role::Setup => self.spoil(silent(text, step.role, self.own)),
            Role::Push(count) => {
                self.spoil(silent(text, step.role, self.own));
                let open = self.scopes.len() + count.min(1 << 16) as usize;
                self.scopes.resize(open, None);
            }
            Role::Pop(count) => {
                let open = self.scopes.len().saturating_sub(count as usize).max(1);
                self.scopes.truncate(open);
                self.spoil(silent(text, step.role, self.own));
            }
            Role::Reset => {
                self.scopes = vec![None];
                self.spoil(silent(text, step.role, self.own));
            }
            Role::Check => {
                let spoilt = self.scopes.iter().flatten().next().cloned();
                let answer = spoilt.unwrap_or_else(|| self.check(text));
                self.judged.answers.push(answer);
            }
            Role::Model | Role::Core | Role::Reason => self.detail(step.role, text),
            Role::Question | Role::Exit => {}
            // A command that was passed over may have been part of the question.
            Role::Other => self.spoil(refusal(text, self.own)),
        }
    }

    /// The reply to a query; where nothing is printed, standard error may say why.
    fn check(&self, text: &str) -> Answer {
        if text.trim().is_empty() && meaning::of(self.stderr, self.own).is_some() {
            return meaning::answer(self.stderr, self.own).unwrap_or_else(|| check(text, self.own));
        }
        check(text, self.own)
    }

    fn spoil(&mut self, trouble: Option<Answer>) {
        if let Some(scope) = self.scopes.last_mut() {
            *scope = scope.take().or(trouble);
        }
    }

    /// Adds a model, core or reason to the last answer.
    fn detail(&mut self, role: Role, text: &str) {
        let refused = items(text).any(|item| item.starts_with("(error") || item == "unsupported");
        let text = text.trim();
        if refused || text.is_empty() {
            return;
        }
        match (self.judged.answers.last_mut(), role) {
            (Some(Answer::Sat { model }), Role::Model) => *model = Some(text.to_string()),
            (Some(Answer::Unsat { core }), Role::Core) => *core = names(text),
            (Some(answer @ Answer::Unknown { .. }), Role::Reason) => {
                *answer = unknown(reason(text), self.own);
            }
            _ => {}
        }
    }

    /// What happened after the last completed step.
    fn rest(&mut self, transcript: &Transcript<'_>, rest: &[Step<'_>]) {
        if transcript.ending == Ending::Alive {
            let crash = crash::find(transcript.stderr);
            let last = transcript.steps.last();
            self.blame(last.map_or("", |step| step.head), crash);
            return;
        }
        let mut waiting = rest.iter().take_while(|step| step.role != Role::Exit);
        let answered = self.answered_in_tail(transcript, rest);
        let asked = waiting.clone().any(|step| step.role == Role::Check);
        if asked && !answered {
            let answer = end(transcript, true);
            let role = rest.first().map_or(Role::Check, |step| step.role);
            self.judged.answers.push(unread(answer, role));
            return;
        }
        if let Answer::Crashed(crash) = end(transcript, false) {
            // After an answer without its marker the process died in what came next.
            let command = waiting.nth(usize::from(answered));
            self.blame(command.map_or("exit", |step| step.head), Some(crash));
        }
    }

    /// An answer may be complete although the marker after it never came.
    fn answered_in_tail(&mut self, transcript: &Transcript<'_>, rest: &[Step<'_>]) -> bool {
        let Some(step) = rest.first().filter(|step| step.role == Role::Check) else {
            return false;
        };
        let answer = check(transcript.tail, self.own);
        let complete = transcript.tail.trim_end() != transcript.tail;
        let stands = matches!(
            answer,
            Answer::Sat { .. } | Answer::Unsat { .. } | Answer::Unknown { .. }
        );
        if !stands || !complete {
            return false;
        }
        self.step(step, transcript.tail);
        true
    }

    fn blame(&mut self, command: &str, crash: Option<Crash>) {
        let command = command.to_string();
        self.judged.later = crash.map(|crash| Later { command, crash });
    }
}

/// What spoils a scope: the refusal of a command that should be silent, or an answer nobody asked for.
fn silent(text: &str, role: Role, own: &[Pattern]) -> Option<Answer> {
    // A solver that does not know a logic takes all it has.
    let refused = items(text).filter(|item| role != Role::Logic || *item != "unsupported");
    let stray = |item: &str| {
        verdict(item).map(|_| Answer::Garbled {
            text: text.to_string(),
        })
    };
    let mut found = refused.map(|item| refusal_of(item, own).or_else(|| stray(item)));
    found
        .find_map(|answer| answer)
        .map(|answer| unread(answer, role))
}

/// What no pattern knows, said to a declaration or assertion, is that it could not be read.
fn unread(answer: Answer, role: Role) -> Answer {
    match answer {
        Answer::Rejected {
            why: Rejection::Other,
            message,
        } if role == Role::Setup => Answer::Rejected {
            why: Rejection::ParseError,
            message,
        },
        other => other,
    }
}

/// The first refusal in a reply.
fn refusal(text: &str, own: &[Pattern]) -> Option<Answer> {
    items(text).find_map(|item| refusal_of(item, own))
}

fn refusal_of(item: &str, own: &[Pattern]) -> Option<Answer> {
    let refused = item.starts_with("(error") || item == "unsupported";
    refused
        .then(|| meaning::answer(message(item), own))
        .flatten()
}

/// The reply to one `check-sat`.
fn check(text: &str, own: &[Pattern]) -> Answer {
    let mut verdicts = Vec::new();
    for item in items(text) {
        verdicts.extend(verdict(item));
    }
    if let Some(refusal) = refusal(text, own) {
        return refusal;
    }
    let garbled = || Answer::Garbled {
        text: text.to_string(),
    };
    match verdicts.len() {
        1 => match verdicts.pop() {
            Some(Answer::Unknown { reason }) => unknown(reason, own),
            answer => answer.unwrap_or_else(garbled),
        },
        0 => crash::find(text).map_or_else(garbled, Answer::Crashed),
        _ => garbled(),
    }
}

/// The answer that a line is, if it is one.
pub fn verdict(line: &str) -> Option<Answer> {
    match line {
        "sat" => Some(Answer::Sat { model: None }),
        "unsat" => Some(Answer::Unsat { core: None }),
        "unknown" => Some(Answer::Unknown {
            reason: String::new(),
        }),
        "timeout" => Some(Answer::Timeout),
        _ if line.starts_with("unknown (") => Some(Answer::Unknown {
            reason: line["unknown (".len()..].trim_end_matches(')').to_string(),
        }),
        // Satisfiable after a change of the numbers by less than delta: neither sat nor unsat.
        _ if line.starts_with("delta-sat") => Some(Answer::Unknown {
            reason: line.to_string(),
        }),
        _ => None,
    }
}

/// `unknown` for lack of time or memory is a timeout or memory-out.
fn unknown(reason: String, own: &[Pattern]) -> Answer {
    match meaning::of(&reason, own) {
        Some(Meaning::Timeout) => Answer::Timeout,
        Some(Meaning::OutOfMemory) => Answer::OutOfMemory,
        _ => Answer::Unknown { reason },
    }
}

/// Signals that come from outside: someone stopped the solver, it did not fall.
const OUTSIDE: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE];

/// What the end of the process means: for a query that has no answer, or after all answers.
fn end(transcript: &Transcript<'_>, asked: bool) -> Answer {
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
            text: format!("ended by signal {signal} from outside"),
        },
        _ if near_limit => Answer::OutOfMemory,
        _ => match crash::find(said) {
            Some(crash) => excused(crash, &transcript.profile.replies),
            None => Answer::Crashed(Crash {
                how: CrashKind::Signal(signal),
                site: None,
                message: first_lines(said),
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

fn first_lines(text: &str) -> String {
    text.lines().take(4).collect::<Vec<_>>().join("\n")
}

/// The items of a reply: lists, and lines that are no list. Comments and `success` are left out.
pub fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let length = item_length(rest);
            let item = rest[..length].trim_end();
            rest = &rest[length..];
            if !item.starts_with(';') && item != "success" {
                return Some(item);
            }
        }
    })
}

fn item_length(text: &str) -> usize {
    if text.starts_with("(error") {
        return error_length(text);
    }
    if !text.starts_with('(') {
        return text.find('\n').unwrap_or(text.len());
    }
    let mut depth = 0usize;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'|') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            (None, _) => {}
        }
    }
    text.len()
}

/// An error ends with `")` at the end of a line: its text may quote the script, with quotes that are not doubled.
fn error_length(text: &str) -> usize {
    let end = |(at, _): (usize, &str)| {
        let after = &text[at + 2..];
        (after.is_empty() || after.starts_with('\n') || after.starts_with('\r')).then_some(at + 2)
    };
    text.match_indices("\")").find_map(end).unwrap_or_else(|| {
        // `(error foo)` without quotes, or cut off.
        text.find(")\n").map_or(text.len(), |at| at + 1)
    })
}

/// The text inside `(error "…")`.
fn message(item: &str) -> &str {
    let inner = item.strip_prefix("(error").unwrap_or(item);
    let inner = inner.strip_suffix(')').unwrap_or(inner).trim();
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    inner.strip_suffix('"').unwrap_or(inner)
}

/// The value in `(:reason-unknown "…")`.
fn reason(text: &str) -> String {
    let inner = text.trim_start_matches('(').trim_end_matches(')').trim();
    let inner = inner.strip_prefix(":reason-unknown").unwrap_or(inner);
    inner.trim().trim_matches('"').to_string()
}

/// The names in a core `(a |b c|)`, without bars.
fn names(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut names = Vec::new();
    let mut rest = inner.trim_start();
    while !rest.is_empty() {
        let (name, after) = match rest.strip_prefix('|') {
            Some(quoted) => quoted.split_once('|')?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        names.push(name.to_string());
        rest = after.trim_start();
    }
    Some(names)
}
