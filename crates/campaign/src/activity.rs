//! How the workers of a campaign spend their time. A worker does one thing at a time, so the parts sum up to the whole.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Cases are made.
    Making,
    /// Solvers are asked about cases.
    Asking,
    /// Solvers are asked about scripts that are related to cases, where their answers could convict.
    Relating,
    /// Answers are judged.
    Judging,
    /// Bugs are confirmed in fresh processes, and recorded.
    Confirming,
    /// Findings are reduced.
    Reducing,
    /// Seeds are asked about for the first time.
    Probing,
    /// Slowness and incompleteness are confirmed.
    Slowness,
    /// There is nothing to do, or the campaign is paused.
    Waiting,
}

impl Activity {
    pub const ALL: [Activity; 9] = [
        Activity::Making,
        Activity::Asking,
        Activity::Relating,
        Activity::Judging,
        Activity::Confirming,
        Activity::Reducing,
        Activity::Probing,
        Activity::Slowness,
        Activity::Waiting,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Activity::Making => "making",
            Activity::Asking => "asking",
            Activity::Relating => "related scripts",
            Activity::Judging => "judging",
            Activity::Confirming => "confirming",
            Activity::Reducing => "reducing",
            Activity::Probing => "probing",
            Activity::Slowness => "slowness",
            Activity::Waiting => "waiting",
        }
    }
}

/// Microseconds by activity.
pub type Times = BTreeMap<String, u64>;

/// The percentages of activities that took time, in the order of [`Activity::ALL`].
pub fn shares(times: &Times) -> Vec<(&'static str, f64)> {
    let all: u64 = times.values().sum();
    let share = |activity: Activity| {
        let spent = *times.get(activity.name())?;
        (spent > 0).then(|| (activity.name(), 100.0 * spent as f64 / all as f64))
    };
    Activity::ALL.into_iter().filter_map(share).collect()
}

/// `asking 81 %, judging 4 %`, or nothing before any time is spent.
pub fn summary(times: &Times) -> String {
    let shares = shares(times);
    let parts = shares
        .iter()
        .map(|(name, share)| format!("{name} {share:.0} %"));
    parts.collect::<Vec<_>>().join(", ")
}

/// The time of one worker.
#[derive(Debug)]
pub struct Timesheet {
    now: Activity,
    since: Instant,
    /// In the order of [`Activity::ALL`]: since the last call of `take`, and before.
    new: [Duration; Activity::ALL.len()],
    old: [Duration; Activity::ALL.len()],
}

impl Timesheet {
    pub fn start() -> Timesheet {
        Timesheet {
            now: Activity::Waiting,
            since: Instant::now(),
            new: Default::default(),
            old: Default::default(),
        }
    }

    /// Begins another activity; returns the one that ends.
    pub fn switch(&mut self, to: Activity) -> Activity {
        self.settle();
        std::mem::replace(&mut self.now, to)
    }

    fn settle(&mut self) {
        let now = Instant::now();
        self.new[self.now as usize] += now - self.since;
        self.since = now;
    }

    /// The times since the last call.
    pub fn take(&mut self) -> Times {
        self.settle();
        let new = std::mem::take(&mut self.new);
        for (old, new) in self.old.iter_mut().zip(new) {
            *old += new;
        }
        let named = Activity::ALL.iter().zip(new);
        let spent = named.filter(|(_, time)| !time.is_zero());
        spent
            .map(|(activity, time)| (activity.name().to_string(), time.as_micros() as u64))
            .collect()
    }

    /// The whole time spent on an activity.
    pub fn spent(&self, on: Activity) -> Duration {
        let running = match self.now == on {
            true => self.since.elapsed(),
            false => Duration::ZERO,
        };
        self.old[on as usize] + self.new[on as usize] + running
    }

    /// Whether an activity, with `more` time, has taken less than one part in `part` of all the time.
    pub fn is_within(&self, on: Activity, part: u32, more: Duration) -> bool {
        let all: Duration = self.old.iter().chain(&self.new).sum();
        (self.spent(on) + more) * part <= all + self.since.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_belongs_to_one_activity() {
        let started = Instant::now();
        let mut sheet = Timesheet::start();
        let before = sheet.switch(Activity::Judging);
        let outer = sheet.switch(Activity::Asking);
        std::thread::sleep(Duration::from_millis(20));
        sheet.switch(outer);
        assert!(!sheet.is_within(Activity::Asking, 4, Duration::ZERO));
        assert!(sheet.is_within(Activity::Reducing, 4, Duration::ZERO));
        assert!(!sheet.is_within(Activity::Reducing, 4, Duration::from_secs(9)));
        sheet.switch(before);
        let times = sheet.take();
        let all: u64 = times.values().sum();
        assert!(all <= started.elapsed().as_micros() as u64);
        assert!(
            times["asking"] >= 20_000 && times["judging"] < 20_000,
            "{times:?}"
        );
        assert!(sheet.spent(Activity::Asking) >= Duration::from_millis(20));
        assert!(!sheet.take().contains_key("asking"), "taken once");
    }

    #[test]
    fn shares_name_what_took_time() {
        let times = Times::from([("asking".to_string(), 800), ("making".to_string(), 200)]);
        assert_eq!(summary(&times), "making 20 %, asking 80 %");
        assert_eq!(summary(&Times::new()), "");
    }
}
