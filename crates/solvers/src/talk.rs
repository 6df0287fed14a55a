//! One conversation with a solver, from the text that is sent to the `Run` that is kept.

use crate::limits::Limits;
use crate::process::{Ending, Usage};
use crate::profile::{Mode, Profile};
use crate::reply::{Transcript, judge};
use crate::run::{Markers, Query, Reply, Run};
use crate::script::Step;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What was said, before it is judged.
pub(crate) struct Talk<'t> {
    pub profile: &'t Profile,
    pub limits: &'t Limits,
    pub steps: &'t [Step<'t>],
    pub texts: Vec<&'t str>,
    pub tail: &'t str,
    pub stderr: String,
    pub ending: Ending,
    pub usage: Usage,
}

impl Talk<'_> {
    pub(crate) fn into_run(self, stdout: &str, mode: Mode, wall: Duration) -> Run {
        let judged = judge(&Transcript {
            profile: self.profile,
            steps: self.steps,
            texts: &self.texts,
            tail: self.tail,
            stderr: &self.stderr,
            ending: self.ending,
            usage: self.usage,
            limits: self.limits,
        });
        let tail = (!self.tail.is_empty()).then_some(self.tail);
        let replies = self
            .steps
            .iter()
            .zip(self.texts.iter().copied().chain(tail));
        let replies = replies.filter(|(_, text)| !text.trim().is_empty());
        Run {
            answers: judged.answers,
            later: judged.later,
            replies: replies
                .map(|(step, text)| Reply {
                    command: step.head.to_string(),
                    text: text.to_string(),
                })
                .collect(),
            mode,
            ending: self.ending,
            wall,
            cpu: self.usage.cpu,
            max_rss: self.usage.max_rss,
            stdout: stdout.to_string(),
            stderr: self.stderr,
        }
    }
}

/// New markers for one process.
pub(crate) fn markers() -> Markers {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |since| u64::from(since.subsec_nanos()));
    Markers::new((COUNT.fetch_add(1, Ordering::Relaxed) << 30) | nanos)
}

/// The script with what was added to it, and with a marker after each step if wanted.
/// Markers stand on the lines of the commands, so that line numbers in replies stay true.
pub(crate) fn fresh_input(
    query: &Query<'_>,
    steps: &[Step<'_>],
    echo: bool,
) -> (String, Option<Markers>) {
    let markers = echo.then(markers);
    let mut input = String::with_capacity(query.script.len() + 40 * steps.len());
    let mut at = 0;
    for (number, step) in steps.iter().enumerate() {
        input.push_str(&query.script[at..step.end]);
        if step.start == step.end {
            input.push_str(step.text);
        }
        at = step.end;
        if let Some(markers) = &markers {
            markers.write(number, &mut input);
        }
    }
    input.push_str(&query.script[at..]);
    input.push('\n');
    (input, markers)
}
