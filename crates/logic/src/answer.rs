//! A solver's answer to one query. `solvers` makes it and the oracles in `cases` judge it; it is defined here so that
//! neither depends on the other. Findings store it unchanged.

use serde::{Deserialize, Serialize};

/// How one query ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "kebab-case")]
pub enum Answer {
    /// `sat`, with the reply to `(get-model)` as the solver printed it, if one was asked for.
    Sat { model: Option<String> },
    /// `unsat`, with the names of the reported core, if one was asked for.
    Unsat { core: Option<Vec<String>> },
    /// `unknown`, with the reply to `(get-info :reason-unknown)` or the empty string.
    Unknown { reason: String },
    /// No answer within the time limit, ours or the solver's own.
    Timeout,
    /// The memory limit was reached, ours or the solver's own.
    OutOfMemory,
    /// The solver rejected the input; an answer printed after that does not belong to this query.
    Rejected { why: Rejection, message: String },
    /// The solver died or reported an internal error.
    Crashed(Crash),
    /// Any other reply.
    Garbled { text: String },
}

/// Why a solver rejected a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// A command, operator, sort or option that the solver does not support.
    Unsupported,
    /// It could not read the script: syntax, undeclared symbols, wrong sorts.
    ParseError,
    /// The script uses something outside of its logic.
    OutsideLogic,
    /// Another reason.
    Other,
}

/// A crash: its kind, its place, and the message to search for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    pub how: CrashKind,
    /// `file:line` or a function name, if the message names one.
    pub site: Option<String>,
    pub message: String,
}

/// The kind of a crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrashKind {
    /// Ended by a signal without a message that says more.
    Signal(i32),
    /// A failed assertion or a fatal internal check.
    Assertion,
    /// The solver itself reports an internal error, or an invalid model found by its own check.
    InternalError,
    /// A sanitizer report.
    Sanitizer,
    /// A report of leaked memory.
    Leak,
    /// An uncaught exception.
    Exception,
    /// An exit code that means failure, with no message.
    ExitCode(i32),
}

/// The reply to a question that a script asks besides its queries, in the order of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The first word of the command.
    pub head: String,
    /// To the letter; empty if it is not known, or was said in a scope in which the solver refused something.
    pub text: String,
}

/// Whether a command of this name is a question: it prints a reply and changes nothing. What belongs to the answer of
/// a query (a model, a core) is none.
pub fn is_question(head: &str) -> bool {
    const QUESTIONS: [&str; 9] = [
        "apply",
        "check-synth",
        "check-synth-next",
        "display",
        "echo",
        "eval",
        "help",
        "labels",
        "simplify",
    ];
    const DETAILS: [&str; 2] = ["get-model", "get-unsat-core"];
    (head.starts_with("get-") && !DETAILS.contains(&head))
        || head.starts_with("dbg-")
        || QUESTIONS.contains(&head)
}

/// Whether an option makes a solver print, before its answer to a query, what it does: cvc5's `:output lemmas`, z3's
/// `:solver.lemmas2console true`. The query is a question then, too. The key with its colon, and the value.
pub fn is_narrated(key: &str, value: &str) -> bool {
    match key {
        ":output" => ["lemmas", "pre-asserts", "post-asserts"].contains(&value),
        ":solver.lemmas2console" => value == "true",
        _ => false,
    }
}

impl Answer {
    /// The answer in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Sat { .. } => "sat",
            Answer::Unsat { .. } => "unsat",
            Answer::Unknown { .. } => "unknown",
            Answer::Timeout => "timeout",
            Answer::OutOfMemory => "memory",
            Answer::Rejected { .. } => "rejected",
            Answer::Crashed(_) => "crash",
            Answer::Garbled { .. } => "garbled",
        }
    }
}
