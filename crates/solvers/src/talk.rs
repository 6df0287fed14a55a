//! One exchange with a solver, from the text sent to the resulting `Run`.

use crate::deal::deal;
use crate::limits::Limits;
use crate::process::{Ending, Usage};
use crate::profile::{Mode, Profile};
use crate::reply::{Transcript, judge};
use crate::run::{Markers, Query, Reply, Run};
use crate::script::Step;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An exchange before it is interpreted.
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
            said: judged.said,
            replies: replies
                .map(|(step, text)| Reply {
                    command: step.head.to_string(),
                    text: text.to_string(),
                })
                .collect(),
            mode,
            earlier: Vec::new(),
            ending: self.ending,
            wall,
            cpu: self.usage.cpu,
            time_limit: self.limits.shortest(),
            max_rss: self.usage.max_rss,
            stdout: stdout.to_string(),
            stderr: self.stderr,
        }
    }
}

/// A new number for the markers of one process.
pub(crate) fn nonce() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |since| u64::from(since.subsec_nanos()));
    (COUNT.fetch_add(1, Ordering::Relaxed) << 30) | nanos
}

/// The script with the added commands, and optionally with a marker after each step. Markers are on the lines of the
/// commands, so that line numbers in replies stay correct.
pub(crate) fn input(script: &str, steps: &[Step<'_>], markers: Option<&Markers>) -> String {
    let mut input = String::with_capacity(script.len() + 40 * steps.len());
    let mut at = 0;
    let mut whole = true;
    for (number, step) in steps.iter().enumerate() {
        input.push_str(&script[at..step.end]);
        if step.start == step.end {
            input.push_str(step.text);
        }
        at = step.end;
        // Inside a list that is not closed a marker would be part of the list.
        whole &= step.closed;
        if let (Some(markers), true) = (markers, whole) {
            markers.write(number, &mut input);
        }
    }
    input.push_str(&script[at..]);
    input.push('\n');
    input
}

/// The output of a finished process for a whole script, to be interpreted now or later from a record.
#[derive(Clone, Debug)]
pub struct Recorded<'r> {
    pub profile: &'r Profile,
    pub limits: &'r Limits,
    pub script: &'r str,
    /// The number in the markers between replies; without one, replies are assigned in order.
    pub nonce: Option<u64>,
    pub stdout: String,
    pub stderr: String,
    pub ending: Ending,
    pub usage: Usage,
    pub wall: Duration,
}

impl Recorded<'_> {
    /// The resulting run.
    pub fn run(self) -> Run {
        let steps = Query::new(self.script).steps(self.profile, &|_| Vec::new());
        let markers = self.nonce.map(Markers::new);
        self.judge(&steps, markers.as_ref())
    }

    pub(crate) fn judge(self, steps: &[Step<'_>], markers: Option<&Markers>) -> Run {
        let (texts, tail) = match markers {
            Some(markers) => markers.cut(&self.stdout, 0),
            None => deal(steps, &self.stdout),
        };
        let talk = Talk {
            profile: self.profile,
            limits: self.limits,
            steps,
            texts,
            tail,
            stderr: self.stderr,
            ending: self.ending,
            usage: self.usage,
        };
        talk.into_run(&self.stdout, Mode::Fresh, self.wall)
    }
}
