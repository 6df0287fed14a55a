//! The history of a finding: which releases are wrong, and whether it is fixed. It is stored in `history.json` beside
//! `finding.json`, so that a running campaign and a person never write the same file.

use crate::findings::bisect::{Row, Standing, bounds};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;

const FILE: &str = "history.json";

/// The history of one finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    pub releases: Option<Releases>,
    /// Oldest first.
    pub rechecks: Vec<Recheck>,
    /// Why no report is needed: a link, or a remark.
    pub known: Option<String>,
}

/// The releases of a solver that show a bug, and the single options that make it disappear.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Releases {
    pub solver: String,
    /// Oldest first: the release, its result (`right`, a class, or `-`), its answers.
    pub tried: Vec<Tried>,
    pub first_bad: Option<String>,
    pub last_good: Option<String>,
    pub last_bad: Option<String>,
    pub fixed: Option<String>,
    pub right_with: Vec<String>,
}

/// One release and its answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    pub release: String,
    pub standing: String,
    pub answers: Vec<String>,
}

/// The result of another release on a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recheck {
    /// Name, release and options.
    pub solver: String,
    pub state: State,
    pub answers: Vec<String>,
    /// Seconds since 1970.
    pub at: u64,
}

/// Whether a release still shows a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Wrong,
    Fixed,
    /// No answer, or one that cannot be judged.
    Open,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Wrong => "still wrong",
            State::Fixed => "fixed",
            State::Open => "open",
        }
    }

    /// Of two results the one that counts: wrong before open, open before fixed.
    pub fn graver(self, other: State) -> State {
        match (self, other) {
            (State::Wrong, _) | (_, State::Wrong) => State::Wrong,
            (State::Open, _) | (_, State::Open) => State::Open,
            (State::Fixed, State::Fixed) => State::Fixed,
        }
    }
}

impl From<Standing> for State {
    fn from(standing: Standing) -> State {
        match standing {
            Standing::Right => State::Fixed,
            Standing::Wrong(_) => State::Wrong,
            Standing::Open => State::Open,
        }
    }
}

impl Releases {
    /// The rows of a bisection, oldest release first, and the options with which the newest wrong one is right.
    pub fn new(solver: &str, rows: &[Row], right_with: Vec<String>) -> Releases {
        let standings: Vec<Option<Standing>> = rows.iter().map(|row| Some(row.standing)).collect();
        let ends = bounds(&standings);
        let release = |at: Option<usize>| at.map(|at| rows[at].version.clone());
        let tried = |row: &Row| Tried {
            release: row.version.clone(),
            standing: row.standing.word().to_string(),
            answers: row.answers.iter().map(|word| word.to_string()).collect(),
        };
        Releases {
            solver: solver.to_string(),
            tried: rows.iter().map(tried).collect(),
            first_bad: release(ends.first_bad),
            last_good: release(ends.last_good),
            last_bad: release(ends.last_bad),
            fixed: release(ends.fixed),
            right_with,
        }
    }

    /// The releases and options that show the bug, as a key that distinguishes bugs; none if there are none.
    pub fn toggle(&self) -> Option<String> {
        let came = self.last_good.as_ref().and(self.first_bad.as_ref());
        let went = self.last_bad.as_ref().and(self.fixed.as_ref());
        let between = self.right_between().join(",");
        let comes_and_goes = came.is_some() && went.is_some() || !between.is_empty();
        if self.right_with.is_empty() && !comes_and_goes {
            return None;
        }
        let word = |release: Option<&String>| release.map_or("-", |r| r.as_str()).to_string();
        let options = self.right_with.join(",");
        Some(format!("{} {between} {} {options}", word(came), word(went)))
    }

    /// One line a person can read: `first bad 4.11.0 (4.8.12 is right), fixed in 5.0.0`.
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        if let Some(first) = &self.first_bad {
            let good = self.last_good.as_ref();
            let good = good.map_or(String::new(), |good| format!(" ({good} is right)"));
            parts.push(format!("first bad {first}{good}"));
        }
        match (&self.fixed, &self.last_bad) {
            (Some(fixed), Some(last)) => parts.push(format!("last bad {last}, right in {fixed}")),
            (None, Some(last)) => parts.push(format!("last bad {last}")),
            (_, None) => parts.push("none of the tested releases is wrong".to_string()),
        }
        let between = self.right_between();
        if !between.is_empty() {
            parts.push(format!("right in between: {}", between.join(", ")));
        }
        if !self.right_with.is_empty() {
            parts.push(format!("right with {}", self.right_with.join(", ")));
        }
        parts.join("; ")
    }

    /// Right releases between the first and the last wrong one, if the bug came back.
    fn right_between(&self) -> Vec<&str> {
        let place = |wanted: &Option<String>| {
            let mut releases = self.tried.iter().map(|tried| Some(&tried.release));
            releases.position(|release| release == wanted.as_ref())
        };
        let (Some(first), Some(last)) = (place(&self.first_bad), place(&self.last_bad)) else {
            return Vec::new();
        };
        let inside = self.tried.get(first..=last).unwrap_or_default().iter();
        let right = inside.filter(|tried| tried.standing == Standing::Right.word());
        right.map(|tried| tried.release.as_str()).collect()
    }
}

impl History {
    /// The history in a finding's folder; empty if it is missing or unreadable.
    pub fn read(folder: &Path) -> History {
        let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Writes it atomically.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        let unfinished = folder.join(format!(".new-{FILE}"));
        fs::write(&unfinished, text)?;
        fs::rename(&unfinished, folder.join(FILE))
    }

    /// The release in which it was last seen to be fixed, unless a later check showed it again.
    pub fn fixed_in(&self) -> Option<&str> {
        let last = self.rechecks.iter().rfind(|r| r.state != State::Open)?;
        (last.state == State::Fixed).then_some(last.solver.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use auspex_cases::Class;

    fn row(version: &str, standing: Standing) -> Row {
        Row {
            title: format!("z3 {version}"),
            version: version.to_string(),
            answers: vec!["sat"],
            standing,
            seconds: 0.1,
        }
    }

    fn releases(right_with: &[&str]) -> Releases {
        let rows = [
            row("1.0", Standing::Right),
            row("1.1", Standing::Wrong(Class::WrongSat)),
            row("1.2", Standing::Right),
        ];
        let right_with = right_with.iter().map(|o| o.to_string()).collect();
        Releases::new("z3", &rows, right_with)
    }

    #[test]
    fn ends_and_options_are_told_in_one_line() {
        let line = releases(&["a=b"]).line();
        assert_eq!(
            line,
            "first bad 1.1 (1.0 is right); last bad 1.1, right in 1.2; right with a=b"
        );
        let wrong = Standing::Wrong(Class::WrongSat);
        let again = [
            row("1.0", wrong),
            row("1.1", Standing::Right),
            row("1.2", wrong),
        ];
        assert_eq!(
            Releases::new("z3", &again, Vec::new()).line(),
            "first bad 1.0; last bad 1.2; right in between: 1.1"
        );
        let rows = [row("1.0", Standing::Open)];
        let none = Releases::new("z3", &rows, Vec::new());
        assert_eq!(none.line(), "none of the tested releases is wrong");
    }

    #[test]
    fn only_what_comes_and_goes_tells_bugs_apart() {
        assert_eq!(releases(&[]).toggle(), releases(&[]).toggle());
        assert_ne!(releases(&[]).toggle(), releases(&["a=b"]).toggle());
        let always = [row("1.0", Standing::Wrong(Class::WrongSat))];
        assert_eq!(Releases::new("z3", &always, Vec::new()).toggle(), None);
    }

    #[test]
    fn a_history_is_read_again_and_damage_is_none() {
        let scratch = Scratch::new();
        let mut history = History {
            releases: Some(releases(&[])),
            rechecks: Vec::new(),
            known: Some("seen".to_string()),
        };
        let recheck = |solver: &str, state| Recheck {
            solver: solver.to_string(),
            state,
            answers: vec!["unsat".to_string()],
            at: 7,
        };
        history.rechecks.push(recheck("z3 5.4.0", State::Fixed));
        history.write(scratch.path()).unwrap();
        assert_eq!(History::read(scratch.path()), history);
        assert_eq!(history.fixed_in(), Some("z3 5.4.0"));
        history.rechecks.push(recheck("z3 5.5.0", State::Wrong));
        assert_eq!(history.fixed_in(), None);
        fs::write(scratch.path().join(FILE), "{").unwrap();
        assert_eq!(History::read(scratch.path()), History::default());
    }
}
