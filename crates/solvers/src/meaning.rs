//! The meaning of solvers' messages: first the solver's own patterns, then those that many solvers share.

use crate::profile::{Meaning, Pattern};
use auspex_logic::answer::{Answer, Crash, CrashKind, Rejection};

/// Texts that mean the same for every solver, ignoring case; the first match counts.
const COMMON: &[(&str, Meaning)] = &[
    ("out of memory", Meaning::OutOfMemory),
    ("out-of-memory", Meaning::OutOfMemory),
    ("outofmemoryerror", Meaning::OutOfMemory),
    ("bad_alloc", Meaning::OutOfMemory),
    ("memory exhausted", Meaning::OutOfMemory),
    ("cannot allocate memory", Meaning::OutOfMemory),
    ("memory allocation of", Meaning::OutOfMemory),
    ("memoryerror", Meaning::OutOfMemory),
    // A thread's stack could not be allocated.
    ("resource temporarily unavailable", Meaning::OutOfMemory),
    ("memout", Meaning::OutOfMemory),
    ("invalid model", Meaning::InvalidModel),
    ("check annotation that says", Meaning::Ignore),
    ("not allowed in logic", Meaning::OutsideLogic),
    ("not in logic", Meaning::OutsideLogic),
    ("logic does not", Meaning::OutsideLogic),
    ("linear logic", Meaning::OutsideLogic),
    ("unknown logic", Meaning::Unsupported),
    ("unsupported", Meaning::Unsupported),
    ("not supported", Meaning::Unsupported),
    ("does not support", Meaning::Unsupported),
    ("doesn't support", Meaning::Unsupported),
    ("unimplemented", Meaning::Unsupported),
    ("not implemented", Meaning::Unsupported),
    ("not handled", Meaning::Unsupported),
    ("unrecognized option", Meaning::Unsupported),
    ("unknown option", Meaning::Unsupported),
    ("unknown parameter", Meaning::Unsupported),
    ("invalid option", Meaning::Unsupported),
    ("unknown command", Meaning::Unsupported),
    ("parse error", Meaning::ParseError),
    ("parser error", Meaning::ParseError),
    ("syntax error", Meaning::ParseError),
    ("undefined", Meaning::ParseError),
    ("undeclared", Meaning::ParseError),
    ("not declared", Meaning::ParseError),
    ("already declared", Meaning::ParseError),
    ("already defined", Meaning::ParseError),
    ("unknown symbol", Meaning::ParseError),
    ("unknown constant", Meaning::ParseError),
    ("unknown function", Meaning::ParseError),
    ("unknown sort", Meaning::ParseError),
    ("unknown identifier", Meaning::ParseError),
    ("unexpected token", Meaning::ParseError),
    ("unexpected character", Meaning::ParseError),
    ("unexpected end", Meaning::ParseError),
    ("invalid sort", Meaning::ParseError),
    ("incompatible type", Meaning::ParseError),
    ("type mismatch", Meaning::ParseError),
    ("sort mismatch", Meaning::ParseError),
    ("same sort", Meaning::ParseError),
    ("same type", Meaning::ParseError),
    ("wrong number of arguments", Meaning::ParseError),
    ("type error", Meaning::ParseError),
    ("timeout", Meaning::Timeout),
    ("timed out", Meaning::Timeout),
    ("time limit", Meaning::Timeout),
    ("resource limit", Meaning::Timeout),
    ("resourceout", Meaning::Timeout),
    ("canceled", Meaning::Timeout),
    ("interrupted", Meaning::Timeout),
];

/// What a message means, if any pattern knows it.
pub fn of(message: &str, own: &[Pattern]) -> Option<Meaning> {
    if let Some(pattern) = own.iter().find(|pattern| pattern.matches(message)) {
        return Some(pattern.means);
    }
    let lower = message.to_lowercase();
    let common = COMMON.iter().find(|(part, _)| lower.contains(part));
    common.map(|(_, meaning)| *meaning)
}

/// Whether a text says that memory ran out.
pub fn is_out_of_memory(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut ways = COMMON
        .iter()
        .filter(|(_, meaning)| *meaning == Meaning::OutOfMemory);
    ways.any(|(part, _)| lower.contains(part))
}

/// The answer that an error message means; `None` if it can be ignored.
pub fn answer(message: &str, own: &[Pattern]) -> Option<Answer> {
    let message = message.trim();
    let reject = |why| {
        Some(Answer::Rejected {
            why,
            message: message.to_string(),
        })
    };
    let crash = |how| {
        let found = crate::crash::find(message);
        Some(Answer::Crashed(Crash {
            how,
            site: found.and_then(|crash| crash.site),
            message: message.to_string(),
        }))
    };
    match of(message, own) {
        Some(Meaning::Unsupported) => reject(Rejection::Unsupported),
        Some(Meaning::ParseError) => reject(Rejection::ParseError),
        Some(Meaning::OutsideLogic) => reject(Rejection::OutsideLogic),
        Some(Meaning::Rejected) | None => reject(Rejection::Other),
        Some(Meaning::Timeout) => Some(Answer::Timeout),
        Some(Meaning::OutOfMemory) => Some(Answer::OutOfMemory),
        Some(Meaning::InvalidModel | Meaning::InternalError) => crash(CrashKind::InternalError),
        Some(Meaning::Assertion) => crash(CrashKind::Assertion),
        Some(Meaning::Exception) => crash(CrashKind::Exception),
        Some(Meaning::Ignore) => None,
    }
}
