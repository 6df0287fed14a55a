//! A bug as a text for a tracker: script, command, actual and expected output, and the reason, so that it can be
//! checked by hand.

use super::account::BugSummary;
use super::markdown::{block, code, plain};
use crate::findings::group::Group;
use crate::judge::candidate::Candidate;
use auspex_cases::answers::Kind;
use auspex_cases::{Class, Side};
use auspex_solvers::profile::Tier;
use serde_json::json;
use std::fmt::Write;

/// What a tracker asks for.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    /// The solver's name in prose: `Z3`.
    pub solver: String,
    /// Where bugs are reported.
    pub url: String,
    /// The most reports a week that its maintainers ask for.
    pub weekly: Option<u32>,
    /// Commands that a script needs before `(get-model)`.
    pub model_options: Vec<String>,
    /// The options of the accused, and how well its maintainers support them.
    pub options: Vec<(String, Tier)>,
}

/// The title: one line that says what is wrong.
pub fn headline(group: &Group, account: &BugSummary) -> String {
    let finding = &group.first().finding;
    let who = finding.accused.first().map_or("a solver", String::as_str);
    let theories = subjects(finding.class, account, &finding.bucket);
    match finding.class {
        Class::WrongUnsat => format!("{who} answers unsat to a satisfiable script{theories}"),
        Class::WrongSat => format!("{who} answers sat to an unsatisfiable script{theories}"),
        Class::InvalidModel => format!("{who} returns an invalid model{theories}"),
        Class::WrongCore => format!("{who} returns a satisfiable unsat core{theories}"),
        Class::Wrong(kind) => format!("{who} returns a wrong {}{theories}", kind.name()),
        Class::SelfContradiction => format!("{who} contradicts itself{theories}"),
        Class::Crash => match place(finding.site.as_str(), account) {
            Some(place) => format!("{who} crashes: {place}"),
            None => account.why.trim_end_matches('.').to_string(),
        },
        Class::Incompleteness => format!("{who} answers unknown to a decidable script{theories}"),
        Class::Slowness => format!("{who} is slow{theories}"),
        Class::Disagreement => format!("{who} contradicts other solvers{theories}"),
    }
}

/// The place of a crash, else the first line of its message.
fn place(site: &str, account: &BugSummary) -> Option<String> {
    if !site.is_empty() {
        return Some(site.to_string());
    }
    let message = account
        .accused()
        .and_then(|saying| saying.message.as_ref())?;
    message.lines().next().map(str::to_string)
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

/// The whole text, in Markdown.
pub fn issue(group: &Group, account: &BugSummary, tracker: &Tracker) -> String {
    let finding = &group.first().finding;
    let mut out = format!("# {}\n\n", plain(&headline(group, account)));
    let own = account.accused().and_then(|saying| saying.model.as_ref());
    let about_model = matches!(
        finding.class,
        Class::InvalidModel | Class::Wrong(Kind::Invariant)
    );
    let model = own.filter(|_| about_model);
    let asked = model.and_then(|_| asking_for_model(&account.script, &tracker.model_options));
    let script = asked.as_ref().unwrap_or(&account.script);
    let _ = writeln!(out, "{}", block("smt2", script.trim_end()));
    if let Some(saying) = account.accused() {
        // The replies to questions are what it is about, in the order of the script as far as that is known.
        let about_reply = matches!(finding.class, Class::Wrong(_));
        let replies = saying.replies.iter().filter(|_| about_reply);
        let replies = replies.filter(|reply| !reply.is_empty());
        let lines: Vec<&String> = saying.answers.iter().chain(replies).collect();
        let answers = lines.into_iter().cloned().collect::<Vec<_>>().join("\n");
        let said = saying.message.as_ref().unwrap_or(&answers);
        let mut console = format!("$ {}\n{said}", saying.command);
        if let (Some(_), Some(model)) = (&asked, model) {
            console = format!("{console}\n{}", model.trim());
        }
        let _ = writeln!(out, "{}", block("console", &console));
    }
    write_expected(&mut out, group, account);
    write_why(&mut out, account, model.filter(|_| asked.is_none()));
    write_evaluation(&mut out, account);
    write_related(&mut out, account);
    write_others(&mut out, account);
    write_facts(&mut out, group, tracker);
    write_evidence(&mut out, group, account);
    out
}

/// What the solver should do, and what it does.
fn write_expected(out: &mut String, group: &Group, account: &BugSummary) {
    let finding = &group.first().finding;
    let said = account.accused().map(|saying| saying.answers.join(", "));
    let (expected, actual) = match (finding.class, finding.class.expected()) {
        (Class::InvalidModel, _) => (
            "`unsat`, or a model that makes every assertion true".to_string(),
            "`sat`, and a model that makes an assertion false".to_string(),
        ),
        (Class::WrongCore, _) => (
            "a core whose members are unsatisfiable".to_string(),
            "a core that is satisfiable, or names no assertion".to_string(),
        ),
        (Class::Crash, _) => ("an answer".to_string(), "a crash".to_string()),
        (_, Some(right)) => (
            format!("`{}`", right.word()),
            format!(
                "`{}`",
                said.unwrap_or_else(|| right.other().word().to_string())
            ),
        ),
        _ => return,
    };
    let _ = writeln!(out, "- Expected: {expected}\n- Actual: {actual}\n");
}

/// The evaluation, bottom-up, and what is known about the operators on its path.
fn write_evaluation(out: &mut String, account: &BugSummary) {
    for one in &account.explained {
        let word = if one.holds { "true" } else { "false" };
        let of = match account.explained.len() {
            1 => "The assertion".to_string(),
            _ => code(&one.assertion),
        };
        let _ = writeln!(out, "{of} is {word}, evaluated bottom-up:\n");
        let mut lines = one.trace.text();
        if one.trace.left_out > 0 {
            lines.push(format!("; {} steps are left out", one.trace.left_out));
        }
        let _ = writeln!(out, "{}", block("smt2", &lines.join("\n")));
    }
    let mut sentences: Vec<&String> = account
        .explained
        .iter()
        .flat_map(|one| &one.operators)
        .collect();
    sentences.dedup();
    for sentence in sentences {
        let _ = writeln!(out, "{}\n", plain(sentence));
    }
}

/// The facts in a form that programs read.
fn write_evidence(out: &mut String, group: &Group, account: &BugSummary) {
    let finding = &group.first().finding;
    let lines: Vec<Vec<String>> = account
        .explained
        .iter()
        .map(|one| one.trace.text())
        .collect();
    let reply = finding
        .accused_replies
        .first()
        .and_then(|at| finding.replies.get(*at));
    let history = group
        .members
        .iter()
        .find_map(|m| m.history.releases.as_ref());
    let value = json!({
        "auspex": 1,
        "bug": group.id(),
        "class": finding.class.name(),
        "solver": group.solver(),
        "release": reply.and_then(|reply| reply.release.as_ref()),
        "commit": reply.and_then(|reply| reply.commit.as_ref()),
        "options": reply.map(|reply| &reply.options),
        "command": account.accused().map(|saying| &saying.command),
        "answers": account.accused().map(|saying| &saying.answers),
        "expected": finding.class.expected().map(Side::word),
        "grounds": account.grounds,
        "evaluation": lines,
        "first_bad": history.and_then(|releases| releases.first_bad.as_ref()),
        "last_good": history.and_then(|releases| releases.last_good.as_ref()),
        "replay": finding.replay,
    });
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let _ = writeln!(
        out,
        "\n<details><summary>Evidence for programs</summary>\n\n{}\n</details>",
        block("json", &text)
    );
}

/// A script with one query, extended to ask for its model, so that running it shows what is wrong.
fn asking_for_model(script: &str, options: &[String]) -> Option<String> {
    let ends_with_query = script.trim_end().ends_with("(check-sat)");
    if !ends_with_query || script.matches("(check-sat").count() > 1 {
        return None;
    }
    let missing = options.iter().filter(|option| !script.contains(*option));
    let before: String = missing.map(|option| format!("{option}\n")).collect();
    Some(format!("{before}{}\n(get-model)\n", script.trim_end()))
}

/// The evidence in a sentence, followed by the model to check.
fn write_why(out: &mut String, account: &BugSummary, model: Option<&String>) {
    let _ = writeln!(out, "{}\n", plain(&account.why));
    if let Some(witness) = &account.witness {
        let _ = writeln!(out, "{}", block("smt2", witness.trim()));
    }
    if let Some(model) = model {
        let _ = writeln!(out, "Its model:\n\n{}", block("smt2", model.trim()));
    }
}

/// The other scripts that the reason refers to, with the answers to them.
fn write_related(out: &mut String, account: &BugSummary) {
    for other in &account.related {
        let _ = writeln!(
            out,
            "{}:\n\n{}",
            other.name,
            block("smt2", other.text.trim_end())
        );
        let answers = other.answers.iter();
        let answers = answers.map(|(title, word)| format!("{} answers `{word}`", plain(title)));
        let answers: Vec<String> = answers.collect();
        if !answers.is_empty() {
            let _ = writeln!(out, "On this script {}.\n", answers.join(", "));
        }
        if let Some(model) = &other.model {
            let _ = writeln!(out, "{}", block("smt2", model.trim()));
        }
        if !other.checked_by.is_empty() {
            let by: Vec<String> = other
                .checked_by
                .iter()
                .map(|title| plain(title).to_string())
                .collect();
            let _ = writeln!(
                out,
                "The relation between the two scripts was checked again after reduction: {} refuted its negation.\n",
                by.join(", ")
            );
        }
    }
}

fn write_others(out: &mut String, account: &BugSummary) {
    let refused = |words: &[String]| words.iter().all(|word| word == "rejected");
    let others = account.sayings.iter().filter(|saying| !saying.accused);
    let others: Vec<_> = others.filter(|saying| !refused(&saying.answers)).collect();
    if others.is_empty() {
        return;
    }
    out.push_str("| solver | answer |\n|---|---|\n");
    for saying in others {
        let too = if saying.wrong { ", wrong as well" } else { "" };
        let answers = saying.answers.join(", ");
        let _ = writeln!(
            out,
            "| {} | {}{too} |",
            plain(&saying.title),
            plain(&answers)
        );
    }
    out.push('\n');
}

/// Version, platform, releases and options, in the order that trackers ask for.
fn write_facts(out: &mut String, group: &Group, tracker: &Tracker) {
    let finding = &group.first().finding;
    let accused = finding.accused.first();
    let reply = accused.and_then(|title| finding.replies.iter().find(|r| r.title == *title));
    let release = reply.and_then(|reply| reply.release.clone());
    let mut release = release.unwrap_or_else(|| "unknown".to_string());
    if let Some(commit) = reply.and_then(|reply| reply.commit.as_ref()) {
        let _ = write!(release, ", commit {commit}");
    }
    let options = reply.map_or(String::new(), |reply| reply.options.join(" "));
    let _ = writeln!(
        out,
        "- {} version: {}",
        plain(&tracker.solver),
        plain(&release)
    );
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let _ = writeln!(out, "- Operating system: {system}, {machine}");
    let options = match options.is_empty() {
        true => "none".to_string(),
        false => format!("{}{}", code(&options), tiers(&tracker.options)),
    };
    let _ = writeln!(out, "- Options: {options}");
    if let Some(tier) = finding.tier {
        let _ = writeln!(out, "- Tier of the options: {}", tier.meaning());
    }
    let releases = group
        .members
        .iter()
        .find_map(|m| m.history.releases.as_ref());
    if let Some(releases) = releases {
        let _ = writeln!(out, "- Releases: {}", plain(&releases.line()));
    }
    if let Some(solver) = group.fixed_in() {
        let _ = writeln!(out, "- Does not show in {}", plain(solver));
    }
    let strategy = match finding.origin.strategy.is_empty() {
        true => String::new(),
        false => format!(" ({})", plain(&finding.origin.strategy)),
    };
    let _ = writeln!(out, "- Found by fuzzing with Auspex{strategy}");
}

/// ` (--safe-mode=safe: normal)`.
fn tiers(options: &[(String, Tier)]) -> String {
    let word = |tier: Tier| match tier {
        Tier::Normal => "normal",
        Tier::Advanced => "advanced",
        Tier::Unsupported => "unsupported",
    };
    let all: Vec<String> = options
        .iter()
        .map(|(option, tier)| format!("{} is {}", plain(option), word(*tier)))
        .collect();
    match all.is_empty() {
        true => String::new(),
        false => format!(" ({})", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;
    use crate::findings::group::{FindingRecord, groups};
    use crate::findings::history::{History, Releases};

    fn group() -> Group {
        let mut finding = sample("a");
        finding.bucket = "wrong-sat z3 core+arrays".to_string();
        finding.why = "z3 5.4.0 answers sat, but false is false.".to_string();
        finding.replies[0].commit = Some("3a402ca2c".to_string());
        let exhibit = FindingRecord {
            finding,
            history: History {
                releases: Some(Releases {
                    first_bad: Some("5.4.0".to_string()),
                    last_bad: Some("5.4.0".to_string()),
                    last_good: Some("5.3.0".to_string()),
                    ..Releases::default()
                }),
                ..History::default()
            },
            repeats: 0,
        };
        groups(vec![exhibit]).remove(0)
    }

    #[test]
    fn the_script_of_an_invalid_model_asks_for_it() {
        let models = ["(set-option :produce-models true)".to_string()];
        let asking = |script: &str| asking_for_model(script, &models);
        assert_eq!(
            asking("(assert true)\n(check-sat)\n").as_deref(),
            Some("(set-option :produce-models true)\n(assert true)\n(check-sat)\n(get-model)\n")
        );
        assert_eq!(asking("(check-sat)\n(get-model)"), None);
        assert_eq!(asking("(check-sat)(push 1)(check-sat)"), None);
    }

    #[test]
    fn a_text_has_what_a_maintainer_needs_and_no_folder_of_ours() {
        let group = group();
        let account = BugSummary::of(&group.first().finding, None);
        let tracker = Tracker {
            solver: "Z3".to_string(),
            ..Tracker::default()
        };
        let text = issue(&group, &account, &tracker);
        for part in [
            "# z3 5.4.0 answers sat to an unsatisfiable script\n",
            "```smt2\n(assert false)\n(check-sat)\n```\n",
            "```console\n$ z3 script.smt2\nsat\n```\n",
            "- Expected: `unsat`\n- Actual: `sat`\n",
            "but false is false.",
            "- Z3 version: 5.4.0, commit 3a402ca2c\n",
            "- Options: none",
            "- Releases: first bad 5.4.0 (5.3.0 is right); last bad 5.4.0",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
        assert!(!text.contains("/home") && !text.contains("cache"), "{text}");
    }
}
