//! What is wrong with a script: the class, the accused, and who can be trusted to show it.
//! Found by running the script on every solver; kept by `bug_check` while the script shrinks.

use crate::candidate::{Candidate, plain_queries};
use crate::examine::{Cell, Columns, Examination, judge_all};
use auspex_cases::Class;
use auspex_logic::model::ModelVerdict;
use auspex_logic::{Answer, Crash, Terms, read_script};
use auspex_solvers::{Limits, Solver};

/// A bug of one solver, with those whose answers convict it.
#[derive(Clone, Debug)]
pub struct Bug {
    pub class: Class,
    pub accused: Solver,
    /// Solvers with other answers: their models and refutations are evidence.
    pub trusted: Vec<Solver>,
    /// A model that satisfies the script where the accused denies that there is one.
    pub witness: Option<String>,
    /// Where it crashed; empty for wrong answers.
    pub site: String,
    /// The evidence in a sentence.
    pub why: String,
}

impl Bug {
    /// One line for people.
    pub fn line(&self) -> String {
        format!("{} of {}", self.class.name(), self.accused.title())
    }
}

/// Where a crash happened, or the first line of what it said.
pub fn site_of(crash: &Crash) -> String {
    let first = crash.message.lines().next().unwrap_or("");
    let site = crash.site.clone().unwrap_or_else(|| first.to_string());
    steady(&site).to_string()
}

/// What memory that was written over looks like to the allocator, if it looks before a signal ends everything.
const OF_THE_ALLOCATOR: [&str; 7] = [
    "free(): ",
    "malloc(): ",
    "malloc_consolidate(): ",
    "munmap_chunk(): ",
    "double free or corruption",
    "corrupted double-linked list",
    "corrupted size vs. prev_size",
];

/// What stays of a site while the script shrinks: no place in the script, and nothing where chance decides whether the
/// allocator or the machine notices first.
pub fn steady(site: &str) -> &str {
    let corrupted = OF_THE_ALLOCATOR.iter().any(|sign| site.contains(sign));
    if corrupted { "" } else { without_place(site) }
}

/// A message without the place in the script that z3 puts before it, which moves as the script shrinks.
pub fn without_place(message: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rest = message.strip_prefix("line ").and_then(|rest| {
        let (line, rest) = rest.split_once(" column ")?;
        let (column, rest) = rest.split_once(": ")?;
        (digits(line) && digits(column)).then_some(rest)
    });
    rest.unwrap_or(message)
}

/// Everything that is wrong with a script, gravest first. Only `suspects` can be accused; `witnesses` only testify.
pub fn diagnose(
    text: &str,
    suspects: &[Solver],
    witnesses: &[Solver],
    limits: &Limits,
) -> Vec<Bug> {
    let mut terms = Terms::new();
    let Ok(mut reading) = read_script(&mut terms, text) else {
        return Vec::new();
    };
    plain_queries(&terms, &mut reading.script);
    let solvers: Vec<Solver> = suspects.iter().chain(witnesses).cloned().collect();
    let (asked, others) = solvers.split_at(suspects.len());
    let mut columns = Columns::ask(&reading.script, text, asked, limits);
    // A crash needs no witness.
    if !columns.has_crash() {
        columns.extend(Columns::ask(&reading.script, text, others, limits));
    }
    let examination = judge_all(&mut terms, &reading.script, columns, limits);
    let titles: Vec<String> = solvers.iter().map(Solver::title).collect();
    let mut bugs: Vec<Bug> = Vec::new();
    let refuted = Candidate::read(text).map_or(Vec::new(), |candidate| candidate.false_queries());
    for accusation in accusations(&examination, &refuted) {
        let title = &examination.solvers[accusation.accused];
        let Some(at) = titles.iter().position(|t| t == title) else {
            continue;
        };
        let known = |bug: &Bug| bug.class == accusation.class && bug.accused.title() == *title;
        if at >= suspects.len() || bugs.iter().any(known) {
            continue;
        }
        let others = solvers.iter().filter(|s| s.title() != *title);
        let mut trusted: Vec<Solver> = others.cloned().collect();
        // Independent programs are better witnesses than other releases of the accused.
        trusted.sort_by_key(|s| s.profile.name == solvers[at].profile.name);
        bugs.push(Bug {
            class: accusation.class,
            accused: solvers[at].clone(),
            trusted,
            witness: accusation.witness,
            site: accusation.site,
            why: accusation.why,
        });
    }
    if bugs.is_empty() {
        bugs = suspects
            .iter()
            .flat_map(|s| crash_to_the_letter(s, text, &solvers, limits))
            .collect();
    }
    bugs.sort_by_key(|bug| bug.class);
    bugs
}

/// A crash that shows only when nothing is asked but the text as it stands, or only after the last answer.
fn crash_to_the_letter(
    suspect: &Solver,
    text: &str,
    all: &[Solver],
    limits: &Limits,
) -> Option<Bug> {
    let run = suspect.fresh_exact(text, limits).ok()?;
    let answered = run.answers.iter().find_map(|answer| match answer {
        Answer::Crashed(crash) => Some(crash),
        _ => None,
    });
    let crash = answered.or(run.later.as_ref().map(|later| &later.crash))?;
    let site = site_of(crash);
    let others = all
        .iter()
        .filter(|solver| solver.title() != suspect.title());
    Some(Bug {
        class: Class::Crash,
        accused: suspect.clone(),
        trusted: others.cloned().collect(),
        witness: None,
        why: format!("{} crashes. {site}", suspect.title()),
        site,
    })
}

struct Accusation {
    class: Class,
    accused: usize,
    witness: Option<String>,
    site: String,
    why: String,
}

fn accusations(examination: &Examination, refuted: &[usize]) -> Vec<Accusation> {
    let mut all = Vec::new();
    for (number, query) in examination.queries.iter().enumerate() {
        let cells = &query.cells;
        let is = |at: usize, word: &str| cells[at].answer.word() == word;
        let proved = cells.iter().any(|c| c.model == Some(ModelVerdict::Valid));
        let unsat: Vec<usize> = (0..cells.len()).filter(|at| is(*at, "unsat")).collect();
        for complaint in &query.complaints {
            let class = complaint.class;
            for &accused in &complaint.accused {
                all.push(Accusation {
                    class,
                    accused,
                    witness: witness_among(cells).filter(|_| class == Class::WrongUnsat),
                    // A crash may also come after the answer.
                    site: match class {
                        Class::Crash => steady(&complaint.site).to_string(),
                        _ => String::new(),
                    },
                    why: complaint.why.clone(),
                });
            }
        }
        for accused in (0..cells.len()).filter(|at| refuted.contains(&number) && is(*at, "sat")) {
            all.push(Accusation {
                class: Class::WrongSat,
                accused,
                witness: None,
                site: String::new(),
                why: format!(
                    "{} answers sat, but an assertion is false in every model (by evaluation).",
                    examination.solvers[accused]
                ),
            });
        }
        // Without a valid model on any side, those who refute convict those who do not.
        if !proved && !unsat.is_empty() {
            let names: Vec<&str> = unsat.iter().map(|at| &*examination.solvers[*at]).collect();
            for accused in (0..cells.len()).filter(|at| is(*at, "sat")) {
                all.push(Accusation {
                    class: Class::WrongSat,
                    accused,
                    witness: None,
                    site: String::new(),
                    why: format!(
                        "{} answers sat without a valid model, but {} answers unsat.",
                        examination.solvers[accused],
                        names.join(", ")
                    ),
                });
            }
        }
    }
    all
}

/// A model that our evaluator accepted.
fn witness_among(cells: &[Cell]) -> Option<String> {
    let mut valid = cells
        .iter()
        .filter(|c| c.model == Some(ModelVerdict::Valid));
    valid.find_map(|cell| match &cell.answer {
        Answer::Sat { model } => model.clone(),
        _ => None,
    })
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
