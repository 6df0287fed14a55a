//! A change of a solver's source, and the edges that belong to it: `src/a.cpp:10-20`, `src/a.cpp`, `mk_node`, or what
//! `git diff -U0` prints.

use auspex_solvers::coverage::source::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Lines of files, and functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The changed lines of each file.
    pub lines: BTreeMap<String, Vec<RangeInclusive<u32>>>,
    pub functions: BTreeSet<String>,
}

/// A place that cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no place: expected FILE, FILE:LINE, FILE:LINE-LINE or a function's name")]
pub struct BadPlace(String);

/// An edge of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub edge: u32,
    pub place: Place,
}

impl Change {
    /// The lines after the change, from the output of `git diff -U0`.
    pub fn of_diff(diff: &str) -> Change {
        let mut change = Change::default();
        let mut file = None;
        for line in diff.lines() {
            if let Some(path) = line.strip_prefix("+++ ") {
                file = path.strip_prefix("b/").map(str::to_string);
            } else if let Some(lines) = line.strip_prefix("@@ ").and_then(after)
                && let Some(file) = &file
            {
                change.lines.entry(file.clone()).or_default().push(lines);
            }
        }
        change
    }

    /// Adds a place as a user names it.
    pub fn add(&mut self, place: &str) -> Result<(), BadPlace> {
        let bad = || BadPlace(place.to_string());
        let (name, lines) = match place.rsplit_once(':') {
            Some((file, lines)) if !file.ends_with(':') => (file, Some(lines)),
            _ => (place, None),
        };
        let lines = lines.filter(|lines| lines.starts_with(|c: char| c.is_ascii_digit()));
        if let Some(lines) = lines {
            let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
            let number = |text: &str| text.parse::<u32>().map_err(|_| bad());
            let range = number(from)?..=number(to)?;
            self.lines.entry(name.to_string()).or_default().push(range);
        } else if place.contains(['/', '.']) && !place.contains(['(', ' ']) {
            let file = self.lines.entry(place.to_string()).or_default();
            file.push(0..=u32::MAX);
        } else if place.is_empty() {
            return Err(bad());
        } else {
            self.functions.insert(place.to_string());
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.functions.is_empty()
    }

    /// The edges of the change. Where a changed line has no edge, those of the function around it count.
    pub fn targets(&self, places: &[Place]) -> Vec<Target> {
        let mut chosen: BTreeSet<usize> = BTreeSet::new();
        for (at, place) in places.iter().enumerate() {
            let name = short(&place.function);
            if self.functions.contains(name) || self.functions.contains(&place.function) {
                chosen.insert(at);
            }
        }
        for (file, ranges) in &self.lines {
            let inside: Vec<usize> = (0..places.len())
                .filter(|at| is_same(&places[*at].file, file))
                .collect();
            for range in ranges {
                let hit = |at: &usize| range.contains(&places[*at].line);
                let on_lines: Vec<usize> = inside.iter().copied().filter(hit).collect();
                match on_lines.is_empty() {
                    false => chosen.extend(on_lines),
                    true => chosen.extend(around(places, &inside, *range.start())),
                }
            }
        }
        let target = |at: usize| Target {
            edge: at as u32,
            place: places[at].clone(),
        };
        chosen.into_iter().map(target).collect()
    }

    /// The theories that the names of files and functions speak of, in our words; for a solver that is not instrumented.
    pub fn theories(&self) -> BTreeSet<&'static str> {
        let names = self.lines.keys().chain(&self.functions);
        let words: Vec<String> = names.flat_map(|name| words(name)).collect();
        let spoken = THEORIES.iter().filter(|(word, _)| {
            let is_meant = |one: &String| one == word || (word.len() > 3 && one.starts_with(word));
            words.iter().any(is_meant)
        });
        spoken.map(|(_, theory)| *theory).collect()
    }
}

/// Words in the names of files and functions, with the theory that they stand for.
const THEORIES: [(&str, &str); 20] = [
    ("bv", "bv"),
    ("bitvector", "bv"),
    ("bit", "bv"),
    ("bits", "bv"),
    ("fp", "fp"),
    ("fpa", "fp"),
    ("float", "fp"),
    ("array", "arrays"),
    ("arith", "ints"),
    ("lra", "reals"),
    ("nla", "reals"),
    ("real", "reals"),
    ("str", "strings"),
    ("string", "strings"),
    ("strings", "strings"),
    ("regex", "regex"),
    ("seq", "seq"),
    ("datatype", "datatypes"),
    ("sets", "sets"),
    ("bags", "bags"),
];

/// The words of a name: `src/theory/fp_solver.cpp` has `src`, `theory`, `fp`, `solver`, `cpp`.
fn words(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    parts.map(str::to_ascii_lowercase).collect()
}

/// The lines after a change: `-10,2 +12,3 @@ f()`; where lines were only removed, the line before them.
fn after(hunk: &str) -> Option<RangeInclusive<u32>> {
    let new = hunk.split(' ').find_map(|word| word.strip_prefix('+'))?;
    let (from, count) = new.split_once(',').unwrap_or((new, "1"));
    let (from, count): (u32, u32) = (from.parse().ok()?, count.parse().ok()?);
    Some(from..=from.saturating_add(count.saturating_sub(1)))
}

/// The name of a function without its parameters and its scope.
fn short(function: &str) -> &str {
    let name = function.split('(').next().unwrap_or("");
    name.rsplit("::").next().unwrap_or(name)
}

/// Whether a path of the debugging information is a file of the checkout.
fn is_same(known: &str, file: &str) -> bool {
    let file = file.trim_start_matches("./");
    known
        .strip_suffix(file)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The edges of the function around a line: the one whose entry is the last before it.
fn around(places: &[Place], inside: &[usize], line: u32) -> Vec<usize> {
    let entries = inside.iter().map(|at| &places[*at]);
    let before = entries.filter(|place| place.entry && place.line <= line);
    let Some(function) = before.max_by_key(|place| place.line) else {
        return Vec::new();
    };
    let same = |at: &&usize| places[**at].function == function.function;
    inside.iter().filter(same).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(function: &str, line: u32, entry: bool) -> Place {
        Place {
            function: function.to_string(),
            file: "/build/../src/a.cpp".to_string(),
            line,
            entry,
        }
    }

    fn lines(change: &Change) -> Vec<u32> {
        let places = [
            place("n::f(int)", 10, true),
            place("n::f(int)", 12, false),
            place("n::g()", 20, true),
            place("n::g()", 25, false),
        ];
        change
            .targets(&places)
            .iter()
            .map(|target| target.place.line)
            .collect()
    }

    #[test]
    fn a_diff_names_its_lines() {
        let diff =
            "--- a/src/a.cpp\n+++ b/src/a.cpp\n@@ -11,0 +12 @@ f\n+x\n@@ -30,2 +22,0 @@ g\n-y\n";
        let change = Change::of_diff(diff);
        assert_eq!(change.lines["src/a.cpp"], [12..=12, 22..=22]);
        assert_eq!(
            lines(&change),
            [12, 20, 25],
            "a line without an edge stands for its function"
        );
        assert!(Change::of_diff("+++ /dev/null\n@@ -1 +0,0 @@\n").is_empty());
    }

    #[test]
    fn places_are_lines_files_and_functions() {
        let named = |places: &[&str]| {
            let mut change = Change::default();
            places
                .iter()
                .for_each(|place| change.add(place).expect("a place"));
            lines(&change)
        };
        assert_eq!(named(&["src/a.cpp:20-30"]), [20, 25]);
        assert_eq!(named(&["a.cpp:12"]), [12]);
        assert_eq!(named(&["src/a.cpp"]), [10, 12, 20, 25]);
        assert_eq!(named(&["g"]), [20, 25]);
        assert_eq!(named(&["n::f(int)"]), [10, 12]);
        assert_eq!(named(&["src/b.cpp", "rc/a.cpp"]), [0; 0]);
        assert!(Change::default().add("a.cpp:1-x").is_err());
        assert!(Change::default().add("").is_err());
    }

    #[test]
    fn names_speak_of_theories() {
        let mut change = Change::default();
        change.add("src/rewrite/rewrites_fp.cpp").unwrap();
        change.add("mk_array_select").unwrap();
        assert_eq!(
            change.theories().into_iter().collect::<Vec<_>>(),
            ["arrays", "fp"]
        );
        change = Change::default();
        change.add("src/main/options.cpp").unwrap();
        assert!(change.theories().is_empty());
    }
}
