//! The crash oracle: a solver that dies or reports an internal error has a bug, whatever the right answer is.
//!
//! ```text
//! (assert …) (check-sat)   →   Fatal failure within … at file.cpp:123
//! ```

use super::grounds::Grounds;
use super::{Class, Oracle, QueryContext, Verdict};
use auspex_logic::Answer;

pub struct CrashOracle;

impl Oracle for CrashOracle {
    fn name(&self) -> &'static str {
        "crash"
    }

    fn about(&self) -> &'static str {
        "A solver that ends with a signal, a failed assertion or an internal error is wrong."
    }

    fn judge(&self, context: &mut QueryContext<'_>) -> Vec<Verdict> {
        let replies = context.replies.iter().enumerate();
        replies
            .filter_map(|(at, reply)| {
                let Answer::Crashed(crash) = &reply.answer else {
                    return None;
                };
                let first_line = || crash.message.lines().next().unwrap_or("").into();
                Some(Verdict {
                    site: crash.site.clone().unwrap_or_else(first_line),
                    ..Verdict::new(Class::Crash, at, Grounds::Crash)
                })
            })
            .collect()
    }
}
