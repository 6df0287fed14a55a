//! The title of a report: who is wrong, how, and about what.

use super::account::BugSummary;
use crate::findings::finding::Finding;
use crate::findings::group::Group;
use crate::judge::candidate::Candidate;
use auspex_cases::Class;
use auspex_cases::answers::Kind;
use auspex_cases::oracle::Grounds;
use auspex_logic::{Answer, CrashKind};

/// The title: one line that says what is wrong.
pub fn headline(group: &Group, account: &BugSummary) -> String {
    let finding = &group.first().finding;
    let who = finding.accused.first().map_or("a solver", String::as_str);
    let theories = subjects(finding.class, account, &finding.bucket);
    match finding.class {
        Class::WrongUnsat => format!("{who} answers unsat to a satisfiable script{theories}"),
        Class::WrongSat => format!("{who} answers sat to an unsatisfiable script{theories}"),
        Class::InvalidModel => format!("{who} returns an invalid model{theories}"),
        Class::WrongCore => format!("{who} returns {}{theories}", core(&finding.grounds)),
        Class::Wrong(kind) => format!("{who} returns {}{theories}", reply(kind)),
        Class::SelfContradiction => format!("{who} contradicts itself{theories}"),
        Class::Crash => match place(finding.site.as_str(), account) {
            Some(place) => format!("{who} crashes: {place}"),
            None => format!("{who} {}", crash(finding)),
        },
        Class::Incompleteness => format!("{who} answers unknown to a decidable script{theories}"),
        Class::Slowness => format!("{who} is slow{theories}"),
        Class::Disagreement => format!("{who} contradicts other solvers{theories}"),
    }
}

/// What is wrong with a core.
fn core(grounds: &Grounds) -> &'static str {
    match grounds {
        Grounds::UnknownName { .. } => "an unsat core with a member that is no name",
        _ => "a satisfiable unsat core",
    }
}

/// A wrong reply of a kind.
fn reply(kind: Kind) -> &'static str {
    match kind {
        Kind::Optimum => "a wrong optimum",
        Kind::Interpolant => "a wrong interpolant",
        Kind::Abduct => "a wrong abduct",
        Kind::Synthesis => "a wrong solution of a synthesis problem",
        Kind::Invariant => "a wrong invariant",
        Kind::Simplification => "a term that is not equivalent as its simplification",
        Kind::Elimination => "a formula that is not equivalent after quantifier elimination",
        Kind::Consequence => "a wrong consequence",
        Kind::Assumptions => "wrong unsat assumptions",
        Kind::Value => "wrong values of terms",
        Kind::Lemma => "a wrong lemma",
        Kind::ProofStep => "a proof with a wrong step",
        Kind::Preprocessing => "wrong preprocessed assertions",
        Kind::Printing => "another script when it prints the one it read",
        Kind::Reason => "a wrong reason for unknown",
    }
}

/// How a solver ended that printed nothing about it.
pub fn crash(finding: &Finding) -> String {
    let reply = finding.accused_replies.first();
    let answer = reply.and_then(|at| finding.replies.get(*at));
    match answer.map(|reply| &reply.answer) {
        Some(Answer::Crashed(crash)) => match crash.how {
            CrashKind::Signal(number) => format!("crashes with {}", signal(number)),
            CrashKind::ExitCode(number) => format!("exits with code {number} and gives no answer"),
            _ => "crashes".to_string(),
        },
        _ => "crashes".to_string(),
    }
}

/// `a segmentation fault (signal 11)`.
fn signal(number: i32) -> String {
    let name = match number {
        4 => "an illegal instruction",
        6 => "an abort",
        7 => "a bus error",
        8 => "an arithmetic exception",
        11 => "a segmentation fault",
        _ => return format!("signal {number}"),
    };
    format!("{name} (signal {number})")
}

/// The place of a crash, else the first line of its message.
fn place(site: &str, account: &BugSummary) -> Option<String> {
    if !site.is_empty() {
        return Some(site.to_string());
    }
    let message = account
        .accused()
        .and_then(|saying| saying.message.as_ref())?;
    let first = message.lines().find(|line| !line.trim().is_empty())?;
    Some(first.to_string())
}

/// The subject of the script: its operators if they are few, since they tell a maintainer most, else its theories.
fn subjects(class: Class, account: &BugSummary, bucket: &str) -> String {
    const FEW: usize = 3;
    let named = Candidate::read(&account.script).map(|candidate| candidate.operators());
    match (class, named) {
        (Class::Crash, _) => String::new(),
        (_, Some(names)) if names.is_empty() => String::new(),
        (_, Some(names)) if names.len() <= FEW => format!(": {}", names.join(", ")),
        _ => theories(class, bucket),
    }
}

/// `: arrays, bit-vectors`; the bucket is class, solvers, theories.
fn theories(class: Class, bucket: &str) -> String {
    let names = bucket.split(' ').nth(2).unwrap_or("");
    let names: Vec<&str> = names
        .split('+')
        .filter(|n| !n.is_empty() && *n != "core")
        .collect();
    match names.is_empty() || class == Class::Crash {
        true => String::new(),
        false => format!(": {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;
    use auspex_logic::Crash;

    #[test]
    fn a_crash_without_a_word_is_told_by_its_signal() {
        let mut finding = sample("a");
        for (how, wanted) in [
            (
                CrashKind::Signal(11),
                "crashes with a segmentation fault (signal 11)",
            ),
            (CrashKind::Signal(99), "crashes with signal 99"),
            (
                CrashKind::ExitCode(3),
                "exits with code 3 and gives no answer",
            ),
        ] {
            finding.replies[0].answer = Answer::Crashed(Crash {
                how,
                site: None,
                message: String::new(),
            });
            assert_eq!(crash(&finding), wanted);
        }
    }
}
