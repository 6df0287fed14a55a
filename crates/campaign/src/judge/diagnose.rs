//! Diagnoses the bug that a script shows, by running it on every solver: the class, the accused, and the solvers
//! whose answers convict it. `bug_check` preserves it while the script shrinks.

use crate::judge::examine::{case_of, examine};
use crate::judge::judging::Judged;
use auspex_cases::oracle::{Grounds, ModelOf};
use auspex_cases::{Class, Verdict};
use auspex_logic::{Crash, Terms, read_script};
use auspex_solvers::{Limits, Solver};

/// A bug of one solver, with the solvers whose answers convict it.
#[derive(Clone, Debug)]
pub struct Bug {
    pub class: Class,
    pub accused: Solver,
    /// Solvers with other answers: their models and refutations are evidence.
    pub trusted: Vec<Solver>,
    /// A model that satisfies the script, if the accused answers unsat.
    pub witness: Option<String>,
    /// The crash site; empty for wrong answers.
    pub site: String,
    /// The evidence in a sentence.
    pub why: String,
}

impl Bug {
    /// One line of text.
    pub fn line(&self) -> String {
        format!("{} of {}", self.class.name(), self.accused.title())
    }
}

/// The site of a crash, else the first line of its message.
pub fn site_of(crash: &Crash) -> String {
    let first = crash.message.lines().next().unwrap_or("");
    let site = crash.site.clone().unwrap_or_else(|| first.to_string());
    steady(&site).to_string()
}

/// The allocator's messages about corrupted memory, if it notices before a signal ends the process.
const OF_THE_ALLOCATOR: [&str; 7] = [
    "free(): ",
    "malloc(): ",
    "malloc_consolidate(): ",
    "munmap_chunk(): ",
    "double free or corruption",
    "corrupted double-linked list",
    "corrupted size vs. prev_size",
];

/// The part of a site that stays the same while the script shrinks: without positions in the script, and empty for
/// corrupted memory, where it is random whether the allocator or a signal comes first.
pub fn steady(site: &str) -> &str {
    let corrupted = OF_THE_ALLOCATOR.iter().any(|sign| site.contains(sign));
    if corrupted { "" } else { without_place(site) }
}

/// A message without z3's prefix with the position in the script, which moves as the script shrinks.
pub fn without_place(message: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rest = message.strip_prefix("line ").and_then(|rest| {
        let (line, rest) = rest.split_once(" column ")?;
        let (column, rest) = rest.split_once(": ")?;
        (digits(line) && digits(column)).then_some(rest)
    });
    rest.unwrap_or(message)
}

/// All bugs that a script shows, gravest first. Only `suspects` can be accused; `witnesses` only give evidence.
pub fn diagnose(
    text: &str,
    suspects: &[Solver],
    witnesses: &[Solver],
    limits: &Limits,
) -> Vec<Bug> {
    let mut terms = Terms::new();
    let Ok(reading) = read_script(&mut terms, text) else {
        return Vec::new();
    };
    let case = case_of(reading.script, &terms);
    let solvers: Vec<Solver> = suspects.iter().chain(witnesses).cloned().collect();
    let examination = examine(&mut terms, &case, text, &solvers, limits);
    let mut bugs: Vec<Bug> = Vec::new();
    for judged in &examination.queries {
        for verdict in &judged.verdicts {
            for at in &verdict.accused {
                let title = judged.facts.replies[*at].solver.title();
                let suspect = suspects.iter().find(|s| s.title() == title);
                let known = |bug: &Bug| bug.class == verdict.class && bug.accused.title() == title;
                if let Some(suspect) = suspect.filter(|_| !bugs.iter().any(known)) {
                    bugs.push(bug(judged, verdict, *at, suspect, &solvers));
                }
            }
        }
    }
    bugs.sort_by_key(|bug| bug.class);
    bugs
}

fn bug(
    judged: &Judged,
    verdict: &Verdict,
    accused: usize,
    suspect: &Solver,
    all: &[Solver],
) -> Bug {
    let others = all.iter().filter(|s| s.title() != suspect.title());
    let mut trusted: Vec<Solver> = others.cloned().collect();
    // Independent solvers are better witnesses than other releases of the accused.
    trusted.sort_by_key(|s| s.profile.name == suspect.profile.name);
    let own = Verdict {
        accused: vec![accused],
        ..verdict.clone()
    };
    Bug {
        class: verdict.class,
        accused: suspect.clone(),
        trusted,
        witness: match verdict.grounds {
            Grounds::ValidModel {
                of: ModelOf::Reply(at),
            } => judged.facts.replies[at].model().map(str::to_string),
            _ => None,
        },
        // A crash may also come after the answer.
        site: match verdict.class {
            Class::Crash => steady(&verdict.site).to_string(),
            _ => String::new(),
        },
        why: own.sentence(judged.facts.as_facts()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auspex_logic::answer::CrashKind;

    #[test]
    fn a_complaint_is_the_same_wherever_the_script_has_moved() {
        let said = "an invalid model was generated";
        assert_eq!(without_place(&format!("line 12 column 10: {said}")), said);
        assert_eq!(without_place("line noise: x"), "line noise: x");
        assert_eq!(without_place("core.cpp:12"), "core.cpp:12");
    }

    #[test]
    fn corrupted_memory_is_the_same_with_and_without_a_message() {
        let crash = |message: &str| Crash {
            how: CrashKind::Signal(6),
            site: None,
            message: message.into(),
        };
        assert_eq!(
            site_of(&crash("free(): invalid pointer")),
            site_of(&crash(""))
        );
        assert_ne!(site_of(&crash("Assertion `x' failed")), site_of(&crash("")));
    }
}
