//! A bug as a text for a tracker: script, command, actual and expected output, and the reason, so that it can be
//! checked by hand.

use super::account::{BugSummary, Outcome};
use super::console::Console;
use super::expected::expected_and_actual;
use super::headline::{crash, headline};
use super::markdown::{block, code, plain};
use super::prose::prose;
use crate::findings::group::Group;
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

/// The whole text, in Markdown.
pub fn issue(group: &Group, account: &BugSummary, tracker: &Tracker) -> String {
    let finding = &group.first().finding;
    let mut out = format!("# {}\n\n", prose(&headline(group, account)));
    let console = Console::of(finding, account, &tracker.model_options);
    let _ = writeln!(out, "{}", block("smt2", console.script.trim_end()));
    if !console.output.is_empty() {
        let ended = match account.accused() {
            Some(accused) if accused.says_nothing() => format!("\n; {}", crash(finding)),
            _ => String::new(),
        };
        let output = format!("{}{ended}", console.output.trim_end());
        let _ = writeln!(out, "{}", block("console", &output));
    }
    if let Some((expected, actual)) = expected_and_actual(finding, account) {
        let _ = writeln!(out, "- Expected: {expected}\n- Actual: {actual}\n");
    }
    let about_model = matches!(
        finding.class,
        Class::InvalidModel | Class::Wrong(Kind::Invariant)
    );
    let model = account.accused().and_then(|saying| saying.model.as_ref());
    let is_unseen = about_model && !console.has_model;
    write_why(&mut out, account, model.filter(|_| is_unseen));
    write_evaluation(&mut out, account);
    write_false_step(&mut out, account);
    write_related(&mut out, account);
    write_others(&mut out, finding.class, account);
    write_facts(&mut out, group, account, tracker);
    write_evidence(&mut out, group, account);
    out
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
        let _ = writeln!(out, "{}\n", prose(sentence));
    }
}

/// Where the proof of a wrong `unsat` goes wrong.
fn write_false_step(out: &mut String, account: &BugSummary) {
    let Some(step) = &account.false_step else {
        return;
    };
    let (name, rule) = (code(&step.step), code(&step.rule));
    let conclusion = block("smt2", &step.conclusion);
    let (from, truth) = match &step.premises[..] {
        [] => (String::new(), "this is false"),
        premises => (
            format!("from\n\n{}\n", block("smt2", &premises.join("\n"))),
            "the premises are true and the conclusion is false",
        ),
    };
    let point = code(&step.point);
    let _ = writeln!(
        out,
        "Its proof goes wrong at step {name}, where rule {rule} concludes\n\n{conclusion}\n{from}\
         With {point} {truth} (checked by evaluation).\n"
    );
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
        "false_step": account.false_step,
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

/// The evidence in a sentence, followed by the model to check.
fn write_why(out: &mut String, account: &BugSummary, model: Option<&String>) {
    let _ = writeln!(out, "{}\n", prose(&account.why));
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
            let _ = writeln!(out, "Its model:\n\n{}", block("smt2", model.trim()));
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

fn write_others(out: &mut String, class: Class, account: &BugSummary) {
    let refused = |words: &[String]| words.iter().all(|word| word == "rejected");
    let others = account.sayings.iter().filter(|saying| !saying.accused);
    let others: Vec<_> = others.filter(|saying| !refused(&saying.answers)).collect();
    if others.is_empty() {
        return;
    }
    out.push_str("| solver | answer |\n|---|---|\n");
    for saying in others {
        let too = if saying.wrong { ", wrong as well" } else { "" };
        let (title, said) = (plain(&saying.title), said(class, saying));
        let _ = writeln!(out, "| {title} | {said}{too} |");
    }
    out.push('\n');
}

/// The answers of another solver, with its replies if the bug is about replies.
fn said(class: Class, saying: &Outcome) -> String {
    let answers = plain(&saying.answers.join(", "));
    let replies = saying.replies.iter().filter(|reply| !reply.is_empty());
    let replies: Vec<String> = replies
        .filter(|_| matches!(class, Class::Wrong(_)))
        .map(|reply| code(&reply.split_whitespace().collect::<Vec<_>>().join(" ")))
        // A bar would end the cell.
        .filter(|reply| !reply.contains('|'))
        .collect();
    match replies.is_empty() {
        true => answers,
        false => format!("{answers}, {}", replies.join(", ")),
    }
}

/// Version, platform, releases and options, in the order that trackers ask for.
fn write_facts(out: &mut String, group: &Group, account: &BugSummary, tracker: &Tracker) {
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
    let usual = account.accused().map(usual_options).unwrap_or_default();
    let options = match (options.is_empty(), usual.is_empty()) {
        (true, true) => "none".to_string(),
        (true, false) => format!("{} (always set)", code(&usual)),
        (false, _) => format!("{}{}", code(&options), tiers(&tracker.options)),
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

/// The words of the command between the program and the script: options of every run.
fn usual_options(accused: &Outcome) -> String {
    let words: Vec<&str> = accused.command.split(' ').skip(1).collect();
    let options = words.iter().take(words.len().saturating_sub(1));
    options.copied().collect::<Vec<_>>().join(" ")
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
    use auspex_cases::answers::proof::FalseStep;

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
    fn the_wrong_step_of_a_proof_is_shown() {
        let step = |premises: &[&str]| BugSummary {
            false_step: Some(FalseStep {
                step: "@p7".to_string(),
                rule: "trans".to_string(),
                conclusion: "(= x 2)".to_string(),
                premises: premises.iter().map(ToString::to_string).collect(),
                point: "x = 1".to_string(),
            }),
            ..BugSummary::default()
        };
        let shown = |account: &BugSummary| {
            let mut out = String::new();
            write_false_step(&mut out, account);
            out
        };
        let told = shown(&step(&["(= x 1)"]));
        assert!(
            told.starts_with("Its proof goes wrong at step `@p7`, where rule `trans` concludes")
        );
        let end = "With `x = 1` the premises are true and the conclusion is false (checked by evaluation).";
        assert!(told.contains(end), "{told}");
        assert!(shown(&step(&[])).contains("With `x = 1` this is false"));
        assert_eq!(shown(&BugSummary::default()), "");
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
