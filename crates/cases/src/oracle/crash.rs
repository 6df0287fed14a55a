//! A solver that dies or reports an internal error has a bug, whatever the right answer is.
//!
//! ```text
//! (assert …) (check-sat)   →   Fatal failure within … at file.cpp:123
//! ```

use super::{Class, Complaint, Oracle, Trial};
use auspex_logic::{Answer, Crash, CrashKind};

pub struct CrashOracle;

impl Oracle for CrashOracle {
    fn name(&self) -> &'static str {
        "crash"
    }

    fn about(&self) -> &'static str {
        "A solver that ends by a signal, a failed assertion or an internal error is wrong."
    }

    fn judge(&self, trial: &mut Trial<'_>) -> Vec<Complaint> {
        let crashed =
            trial
                .replies
                .iter()
                .enumerate()
                .filter_map(|(at, reply)| match &reply.answer {
                    Answer::Crashed(crash) => Some((at, crash)),
                    _ => None,
                });
        crashed
            .map(|(at, crash)| complaint(at, &trial.replies[at].solver, crash))
            .collect()
    }
}

/// That the solver whose reply is at that position has crashed.
pub fn complaint(at: usize, solver: &str, crash: &Crash) -> Complaint {
    let how = match &crash.how {
        CrashKind::Signal(signal) => format!("was ended by signal {signal}"),
        CrashKind::Assertion => "failed an assertion".into(),
        CrashKind::InternalError => "reported an internal error".into(),
        CrashKind::Sanitizer => "triggered a sanitizer".into(),
        CrashKind::Leak => "leaked memory".into(),
        CrashKind::Exception => "did not catch an exception".into(),
        CrashKind::ExitCode(code) => format!("ended with exit code {code} and no answer"),
    };
    let first_line = || crash.message.lines().next().unwrap_or("").into();
    Complaint {
        class: Class::Crash,
        accused: vec![at],
        why: match crash.message.trim() {
            "" => format!("{solver} {how}."),
            message => format!("{solver} {how}: {message}"),
        },
        site: crash.site.clone().unwrap_or_else(first_line),
    }
}
