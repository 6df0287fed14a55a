//! Asks a release for its options, simplifiers and tactics: once, then the texts are kept in the cache.

use super::{Domain, Parameter, with_rows};
use crate::cache::{Cache, sha256_of};
use crate::solver::Solver;
use crate::version::Version;
use std::ffi::OsString;
use std::fs::metadata;
use std::path::Path;

/// More text than this is no listing.
const LONGEST: usize = 4 << 20;

/// What a release offers to be set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    pub parameters: Vec<Parameter>,
    /// What `set-simplifier` takes.
    pub simplifiers: Vec<String>,
    /// What `check-sat-using` takes.
    pub tactics: Vec<String>,
}

/// What a release offers. One that lists nothing, or cannot be asked, has the options of its profile's rows.
pub fn offer(solver: &Solver, cache: Option<&Cache>) -> Offer {
    let profile = &solver.profile;
    let rows = profile.options_of(solver.version.as_ref());
    let Some(listing) = &profile.listing else {
        return Offer {
            parameters: with_rows(Vec::new(), rows),
            ..Offer::default()
        };
    };
    let read = |text: &str| listing.form.read(text);
    let tactics = told(solver, &listing.tactics, cache, &names);
    Offer {
        parameters: with_rows(told(solver, &listing.arguments, cache, &read), rows),
        simplifiers: told(solver, &listing.simplifiers, cache, &names),
        tactics,
    }
    .with_tactics_as_values()
}

impl Offer {
    /// An option that takes any tactic has those of the release as its values.
    fn with_tactics_as_values(mut self) -> Offer {
        let mut all = self.parameters.iter_mut();
        let takes_tactic = all.find(|one| one.name == "tactic.default_tactic");
        if let Some(one) = takes_tactic.filter(|_| !self.tactics.is_empty()) {
            let values = self.tactics.clone();
            one.domain = Domain::Choice { values };
        }
        self
    }
}

/// What the program prints with these arguments, read; from the cache if it was asked before. What cannot be read is
/// not kept.
fn told<T>(
    solver: &Solver,
    arguments: &[String],
    cache: Option<&Cache>,
    read: &dyn Fn(&str) -> Vec<T>,
) -> Vec<T> {
    if arguments.is_empty() {
        return Vec::new();
    }
    let ask = || {
        let (out, err) = solver.tell(arguments, LONGEST).ok()?;
        let text = if out.trim().is_empty() { err } else { out };
        (!read(&text).is_empty()).then_some(text)
    };
    let text = match cache {
        Some(cache) => cache.text("options", &key(solver, arguments), ask),
        None => ask(),
    };
    read(&text.unwrap_or_default())
}

/// Names a program as it is now: another file of the same name is another program.
pub(super) fn key(solver: &Solver, arguments: &[String]) -> String {
    let base = &solver.base;
    let program = OsString::from(&base.program);
    let words = [&program].into_iter().chain(&base.arguments);
    let mut text = format!("{arguments:?}");
    for word in words {
        let data = metadata(Path::new(word)).ok();
        let data = data.map(|data| (data.len(), data.modified().ok()));
        text.push_str(&format!("\n{word:?} {data:?}"));
    }
    let release = solver.version.as_ref().map(Version::to_string);
    let release = release.unwrap_or_default();
    let digest = sha256_of(text.as_bytes());
    format!("{}-{release}-{}", solver.profile.name, &digest[..16])
}

/// The names in lines such as `- bit-blast reduce bit-vector expressions into SAT.`
fn names(text: &str) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let names = text.lines().filter_map(|line| {
        let line = line.strip_prefix("- ").unwrap_or(line);
        let (name, about) = line.split_once(' ')?;
        let fits = !name.is_empty() && name.chars().all(plain) && !about.is_empty();
        fits.then(|| name.to_string())
    });
    // A usage message instead of a list has words that are no names, and fewer lines.
    match text.starts_with("Error") {
        true => Vec::new(),
        false => names.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_at_the_beginning_of_lines() {
        let text = "- bit-blast reduce bit-vector expressions into SAT.\nackermannize_bv A tactic for all.\n";
        assert_eq!(names(text), ["bit-blast", "ackermannize_bv"]);
        assert_eq!(
            names("Error: input file was not specified.\nFor usage information: z3 -h\n"),
            [""; 0]
        );
    }
}
