//! The state of a bug, as people and later runs decide it: open, reported, confirmed, fixed, duplicate, won't fix or
//! invalid. A bug is a group of findings; its entry holds the keys by which findings of any campaign are recognised.

use crate::findings::history::State;
use auspex_solvers::version::Version;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The most keys of one entry; a flood adds no more.
const MOST_KEYS: usize = 200;
/// The longest text of a field.
const LONGEST: usize = 300;
/// Longer scripts are not kept, since people read the file.
const LONGEST_SCRIPT: usize = 4000;

/// What is known about a bug beyond its findings.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum BugState {
    /// Not reported yet.
    #[default]
    Open,
    Reported,
    /// The maintainers say that it is one.
    Confirmed,
    Fixed,
    Duplicate,
    WontFix,
    /// Not a bug.
    Invalid,
}

impl BugState {
    pub const ALL: [BugState; 7] = [
        BugState::Open,
        BugState::Reported,
        BugState::Confirmed,
        BugState::Fixed,
        BugState::Duplicate,
        BugState::WontFix,
        BugState::Invalid,
    ];

    pub fn word(self) -> &'static str {
        match self {
            BugState::Open => "open",
            BugState::Reported => "reported",
            BugState::Confirmed => "confirmed",
            BugState::Fixed => "fixed",
            BugState::Duplicate => "duplicate",
            BugState::WontFix => "wont-fix",
            BugState::Invalid => "invalid",
        }
    }

    /// Whether it still has to be reported, fixed or watched.
    pub fn is_pending(self) -> bool {
        matches!(
            self,
            BugState::Open | BugState::Reported | BugState::Confirmed
        )
    }

    /// Whether campaigns need not look at its lookalikes: the decision is taken, and the bug may still be there.
    pub fn is_silenced(self) -> bool {
        matches!(
            self,
            BugState::Reported | BugState::Confirmed | BugState::Duplicate | BugState::WontFix
        )
    }

    /// Whether the tracker has it.
    pub fn is_known_to_tracker(self) -> bool {
        self != BugState::Open && self != BugState::Invalid
    }
}

impl fmt::Display for BugState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for BugState {
    type Err = String;

    fn from_str(text: &str) -> Result<BugState, String> {
        let mut all = BugState::ALL.into_iter();
        all.find(|state| state.word() == text).ok_or_else(|| {
            let words: Vec<&str> = BugState::ALL.iter().map(|state| state.word()).collect();
            format!("unknown state {text:?}: use one of {}", words.join(", "))
        })
    }
}

/// A bug in a file or database of bugs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BugEntry {
    pub title: String,
    pub state: BugState,
    /// Where it is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// A release or a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_in: Option<String>,
    /// The name or the link of another bug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The date of its state.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub since: String,
    /// The date of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported: Option<String>,
    /// The date on which somebody said that it is a bug, or fixed it after a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<String>,
    /// The configured releases that were all right in fresh runs; such a bug is closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_by: Vec<String>,
    /// The release in which it came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned_in: Option<String>,
    pub class: String,
    pub solver: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub theories: Vec<String>,
    /// The releases and options that were seen to be wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen_in: Vec<String>,
    /// A finding with one of these keys is this bug.
    pub keys: Vec<String>,
    /// A small script that shows it, by which campaigns know its lookalikes before they look at them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The options that the solver needs to be wrong about the script.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// A change of state that a person asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub state: BugState,
    pub link: Option<String>,
    pub fixed_in: Option<String>,
    pub duplicate_of: Option<String>,
    pub why: Option<String>,
}

/// How fresh runs of the configured releases change a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Every release was right.
    Closed { releases: Vec<String> },
    /// A release that should be right was wrong.
    Returned { release: String },
}

impl Decision {
    /// Checks that the state has what it needs.
    pub fn check(&self, before: Option<&BugEntry>) -> Result<(), String> {
        let has = |new: &Option<String>, old: Option<&Option<String>>| {
            let is_given =
                |field: &Option<String>| field.as_ref().is_some_and(|text| !text.trim().is_empty());
            is_given(new) || old.is_some_and(is_given)
        };
        let missing = match self.state {
            BugState::Reported => (!has(&self.link, before.map(|b| &b.link)))
                .then_some("a reported bug needs its address: --link URL"),
            BugState::Fixed => (!has(&self.fixed_in, before.map(|b| &b.fixed_in)))
                .then_some("a fixed bug needs the release or commit that fixes it: --in RELEASE"),
            BugState::Duplicate => (!has(&self.duplicate_of, before.map(|b| &b.duplicate_of)))
                .then_some("a duplicate needs the other bug: --of ID or --of URL"),
            BugState::Invalid => (!has(&self.why, before.map(|b| &b.why)))
                .then_some("an invalid bug needs a reason: --why TEXT"),
            BugState::Open | BugState::Confirmed | BugState::WontFix => None,
        };
        missing.map_or(Ok(()), |why| Err(why.to_string()))
    }
}

/// One line of at most a few hundred characters.
fn line(text: String) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST)
        .collect();
    (!line.is_empty()).then_some(line)
}

impl BugEntry {
    /// Takes a decision on a date.
    pub fn decide(&mut self, decision: Decision, today: &str) {
        let set = |field: &mut Option<String>, new: Option<String>| {
            if let Some(new) = new.and_then(line) {
                *field = Some(new);
            }
        };
        set(&mut self.link, decision.link);
        set(&mut self.fixed_in, decision.fixed_in);
        set(&mut self.duplicate_of, decision.duplicate_of);
        set(&mut self.why, decision.why);
        if decision.state != BugState::Fixed {
            self.fixed_in = None;
        }
        self.closed_by = Vec::new();
        if decision.state != BugState::Duplicate {
            self.duplicate_of = None;
        }
        if decision.state == BugState::Reported && self.reported.is_none() {
            self.reported = Some(today.to_string());
        }
        let is_fix = decision.state == BugState::Fixed && self.reported.is_some();
        if (is_fix || decision.state == BugState::Confirmed) && self.confirmed.is_none() {
            self.confirmed = Some(today.to_string());
        }
        self.returned_in = None;
        self.state = decision.state;
        self.since = today.to_string();
    }

    /// Whether every configured release was right.
    pub fn is_closed(&self) -> bool {
        !self.closed_by.is_empty()
    }

    /// Adds what new findings of the bug show.
    pub fn learn(&mut self, keys: &[String], seen_in: &[String]) {
        let add = |list: &mut Vec<String>, new: &[String]| {
            list.extend(new.iter().cloned());
            list.sort();
            list.dedup();
            list.truncate(MOST_KEYS);
        };
        add(&mut self.keys, keys);
        add(&mut self.seen_in, seen_in);
    }

    /// Keeps a script that shows it, if it is smaller than the one at hand.
    pub fn keep_script(&mut self, script: &str, options: &[String]) {
        let before = self.script.as_ref().map_or(LONGEST_SCRIPT, String::len);
        if script.len() < before {
            self.script = Some(script.to_string());
            self.options = options.to_vec();
        }
    }

    /// What fresh runs of the configured releases mean for the bug: each release with its gravest result.
    pub fn change(&self, runs: &[(String, State)]) -> Option<Change> {
        if matches!(
            self.state,
            BugState::Duplicate | BugState::Invalid | BugState::WontFix
        ) {
            return None;
        }
        let wrong = runs.iter().find(|(title, state)| {
            *state == State::Wrong && self.state == BugState::Fixed && !self.is_before_fix(title)
        });
        if let Some((release, _)) = wrong {
            let release = release.clone();
            return Some(Change::Returned { release });
        }
        let all_right = !runs.is_empty() && runs.iter().all(|(_, state)| *state == State::Fixed);
        let releases: Vec<String> = runs.iter().map(|(title, _)| title.clone()).collect();
        (all_right && releases != self.closed_by).then_some(Change::Closed { releases })
    }

    /// Applies what fresh runs mean.
    pub fn apply(&mut self, change: &Change, today: &str) {
        match change {
            Change::Closed { releases } => {
                let first = releases.first().cloned();
                self.fixed_in = self.fixed_in.take().or(first);
                self.closed_by = releases.clone();
                self.returned_in = None;
                self.state = BugState::Fixed;
            }
            Change::Returned { release } => {
                self.state = match self.link {
                    Some(_) => BugState::Reported,
                    None => BugState::Open,
                };
                (self.fixed_in, self.closed_by) = (None, Vec::new());
                self.returned_in = Some(release.clone());
            }
        }
        self.since = today.to_string();
    }

    /// Whether one of these releases should be right, but is wrong: the bug was fixed.
    pub fn is_back(&self, wrong: &[String]) -> bool {
        self.state == BugState::Fixed && wrong.iter().any(|title| !self.is_before_fix(title))
    }

    /// Whether a release of the solver (`z3 4.13.0 …`) is older than the one with the fix, so that it may be wrong.
    pub fn is_before_fix(&self, title: &str) -> bool {
        let version = |text: &str| Version::find(text).or_else(|| Version::read(text));
        let fixed = self.fixed_in.as_deref().and_then(version);
        match (version(title), fixed) {
            (Some(release), Some(fixed)) => release < fixed,
            _ => false,
        }
    }

    /// Its state with what belongs to it: `reported https://…`, `fixed in 5.4.0, closed by z3 5.4.0`.
    pub fn line(&self) -> String {
        let with = |word: &str, what: &Option<String>| match what {
            Some(what) => format!("{word} {what}"),
            None => word
                .trim_end_matches([':', ' '])
                .trim_end_matches(" in")
                .trim_end_matches(" of")
                .to_string(),
        };
        let mut text = match self.state {
            BugState::Open => "open".to_string(),
            BugState::Reported => with("reported", &self.link),
            BugState::Confirmed => with("confirmed", &self.link),
            BugState::Fixed => with("fixed in", &self.fixed_in),
            BugState::Duplicate => with("duplicate of", &self.duplicate_of),
            BugState::WontFix => with("won't fix:", &self.why),
            BugState::Invalid => with("invalid:", &self.why),
        };
        if self.is_closed() {
            text = format!(
                "{text}, closed: {} right in fresh runs",
                self.closed_by.join(", ")
            );
        }
        if let Some(release) = &self.returned_in {
            text = format!("{text}, returned in {release}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(state: BugState) -> BugEntry {
        BugEntry {
            state,
            ..BugEntry::default()
        }
    }

    fn runs(all: &[(&str, State)]) -> Vec<(String, State)> {
        all.iter()
            .map(|(title, state)| (title.to_string(), *state))
            .collect()
    }

    #[test]
    fn a_state_needs_what_belongs_to_it() {
        for state in BugState::ALL {
            let bare = Decision {
                state,
                ..Decision::default()
            };
            let full = Decision {
                link: Some("https://x/1".to_string()),
                fixed_in: Some("5.4.0".to_string()),
                duplicate_of: Some("b".to_string()),
                why: Some("by design".to_string()),
                ..bare.clone()
            };
            assert_eq!(full.check(None), Ok(()));
            let needs = [
                BugState::Reported,
                BugState::Fixed,
                BugState::Duplicate,
                BugState::Invalid,
            ];
            assert_eq!(bare.check(None).is_err(), needs.contains(&state), "{state}");
            assert_eq!(state.word().parse(), Ok(state));
        }
        assert!("closed".parse::<BugState>().is_err());
    }

    #[test]
    fn a_bug_closes_when_every_release_is_right_and_returns_when_one_is_not() {
        let mut bug = entry(BugState::Reported);
        bug.link = Some("https://x/1".to_string());
        let half = runs(&[("z3 4.13.0", State::Wrong), ("z3 5.4.0", State::Fixed)]);
        assert_eq!(bug.change(&half), None);
        assert_eq!(bug.change(&runs(&[("z3 5.4.0", State::Open)])), None);
        assert_eq!(bug.change(&[]), None);
        let all = runs(&[("z3 5.4.0", State::Fixed)]);
        let change = bug.change(&all).expect("all are right");
        bug.apply(&change, "2026-11-19");
        assert!(bug.is_closed() && bug.state == BugState::Fixed);
        assert_eq!(bug.change(&all), None, "closed already");
        let older = runs(&[("z3 4.13.0", State::Wrong)]);
        assert_eq!(bug.change(&older), None, "older than the fix");
        let newer = runs(&[("z3 5.5.0", State::Wrong)]);
        let change = bug.change(&newer).expect("it is back");
        bug.apply(&change, "2026-11-20");
        assert_eq!(bug.state, BugState::Reported);
        assert_eq!(bug.line(), "reported https://x/1, returned in z3 5.5.0");
        assert_eq!(entry(BugState::Invalid).change(&all), None);
    }

    #[test]
    fn a_decision_is_one_line_and_clears_what_no_longer_holds() {
        let mut bug = entry(BugState::Open);
        let fixed = Decision {
            state: BugState::Fixed,
            fixed_in: Some("5.4.0\n".to_string()),
            ..Decision::default()
        };
        bug.decide(fixed, "2026-11-19");
        assert_eq!(bug.line(), "fixed in 5.4.0");
        bug.decide(Decision::default(), "2026-11-20");
        assert_eq!(
            (bug.line().as_str(), bug.since.as_str()),
            ("open", "2026-11-20")
        );
    }
}
