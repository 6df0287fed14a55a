//! The summary of a bug for a report: the script, the answer of each solver, and why one of them is wrong. A reduced
//! script is run again, so that the evidence is about the very lines that are shown.

use super::explain::{Explained, explain, stored_model};
use super::related::Other;
use crate::findings::finding::{EvidenceRecord, Finding, ReplyRecord};
use crate::findings::replay::{Rerun, rerun};
use crate::judge::candidate::{Candidate, Worth};
use crate::judge::false_step::false_step;
use crate::team::Team;
use auspex_cases::answers::proof::FalseStep;
use auspex_cases::oracle::{Grounds, ModelOf, Refuted};
use auspex_cases::{Class, Side};
use auspex_logic::Answer;

/// The answer of one solver to the script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Name, release and options.
    pub title: String,
    /// The command line, without the folders of this machine.
    pub command: String,
    pub answers: Vec<String>,
    pub accused: bool,
    /// Whether its answer to the only query is the opposite of the right one.
    pub wrong: bool,
    /// The first lines of a crash.
    pub message: Option<String>,
    pub model: Option<String>,
    pub core: Option<Vec<String>>,
    /// The replies to its questions.
    pub replies: Vec<String>,
}

impl Outcome {
    /// Whether it ended without a word.
    pub fn says_nothing(&self) -> bool {
        let message = self.message.as_deref();
        message.is_some_and(|text| text.trim().is_empty())
    }
}

/// A bug as the report shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BugSummary {
    pub script: String,
    pub why: String,
    pub sayings: Vec<Outcome>,
    /// The model of the accused for the script shown.
    pub model: Option<String>,
    /// A model that makes every assertion true, for a wrong `unsat` or a wrong claim.
    pub witness: Option<String>,
    /// Other scripts that the reason refers to.
    pub related: Vec<Other>,
    /// The facts that the reason rests on, if they are about the script shown.
    pub grounds: Option<Grounds>,
    /// The evaluation that shows it, if the evidence is a model or evaluation alone.
    pub explained: Vec<Explained>,
    /// Where the proof of a wrong `unsat` goes wrong.
    pub false_step: Option<FalseStep>,
}

impl BugSummary {
    /// Summarises a finding. With a team the script is run again; without, the stored results are used.
    pub fn of(finding: &Finding, team: Option<&Team>) -> BugSummary {
        let again = team.and_then(|team| {
            let rerun = rerun(finding, finding.shown(), team).ok()?;
            said_again(finding, &rerun, team)
        });
        let mut summary = again.unwrap_or_else(|| stored(finding));
        let model = match finding.class {
            Class::WrongUnsat => summary.witness.as_deref(),
            _ => summary.model.as_deref(),
        };
        summary.explained = explain(finding, finding.shown(), model);
        let witness = summary.witness.as_deref();
        summary.false_step = match (witness, team) {
            (Some(witness), Some(team)) => proved_wrongly(finding, team, witness),
            _ => finding.false_step.clone(),
        };
        if finding.class == Class::InvalidModel && finding.reduced.is_some() {
            summary.name_falsified(finding);
        }
        summary
    }

    /// Says which assertion of the reduced script is false; the recorded reason is about the script as it was run.
    fn name_falsified(&mut self, finding: &Finding) {
        if let (Some(one), Some(title)) = (self.explained.first(), finding.accused.first()) {
            let assertion = &one.assertion;
            let why = format!(
                "{title} answers sat, but under its model the assertion {assertion} is false."
            );
            self.why = short_why(&self.script, &why);
        }
    }

    /// A summary that holds the script only, for a headline.
    pub fn of_script(finding: &Finding) -> BugSummary {
        BugSummary {
            script: finding.shown().to_string(),
            ..BugSummary::default()
        }
    }

    /// The accused solver's answer.
    pub fn accused(&self) -> Option<&Outcome> {
        self.sayings.iter().find(|saying| saying.accused)
    }
}

/// Where the accused's proof of the script shown goes wrong.
fn proved_wrongly(finding: &Finding, team: &Team, witness: &str) -> Option<FalseStep> {
    let title = finding.accused.first()?;
    let accused = team.members.iter().find(|one| one.title == *title)?;
    let (terms, script) = (&mut finding.terms(), finding.shown());
    false_step(terms, &accused.solver, &team.limits, script, &[witness])
}

/// The account of a run, if it shows the same bug of the same solver.
fn said_again(finding: &Finding, rerun: &Rerun, team: &Team) -> Option<BugSummary> {
    let found = rerun.shows(finding, team)?;
    let accused = finding.accused.first()?;
    let sayings = rerun.runs.iter().map(|run| {
        let member = &team.members[run.member];
        Outcome {
            title: member.title.clone(),
            command: member.solver.shown("script.smt2"),
            answers: run.answers.iter().map(|a| a.word().into()).collect(),
            accused: member.title == *accused,
            wrong: false,
            message: run.answers.iter().find_map(crash_lines),
            model: run.answers.iter().find_map(model_of),
            core: run.answers.iter().find_map(core_of),
            replies: run.said.iter().map(|said| said.text.clone()).collect(),
        }
    });
    let related = Other::all(finding, &found.verdict.grounds, &found.facts.related);
    let account = with_witness(finding, found.sentence(), sayings.collect());
    let model = account.accused().and_then(|saying| saying.model.clone());
    Some(BugSummary {
        related,
        model,
        grounds: Some(found.verdict.grounds.clone()),
        ..account
    })
}

fn stored(finding: &Finding) -> BugSummary {
    let saying = |reply: &ReplyRecord| {
        let answer = reply.answer.clone();
        Outcome {
            title: reply.title.clone(),
            command: plain_command(&reply.command),
            answers: vec![answer.word().to_string()],
            accused: finding.accused.contains(&reply.title),
            wrong: false,
            message: crash_lines(&answer),
            model: model_of(&answer),
            core: core_of(&answer),
            replies: reply.questions.iter().map(|one| one.said.clone()).collect(),
        }
    };
    let sayings = finding.replies.iter().map(saying).collect();
    let related = Other::all(finding, &finding.grounds, &finding.related_facts());
    let account = with_witness(finding, finding.why.clone(), sayings);
    BugSummary {
        related,
        model: stored_model(finding).map(str::to_string),
        grounds: finding.reduced.is_none().then(|| finding.grounds.clone()),
        ..account
    }
}

/// Adds the first model that our evaluator accepts for the script shown, and says who is wrong.
fn with_witness(finding: &Finding, why: String, mut sayings: Vec<Outcome>) -> BugSummary {
    let right = finding.class.expected().map(Side::word);
    for saying in &mut sayings {
        saying.wrong = match saying.answers.as_slice() {
            [said] if said == "sat" || said == "unsat" => right.is_some_and(|right| right != said),
            _ => false,
        };
    }
    let script = finding.shown().to_string();
    let witness = needs_witness(finding)
        .then(|| witness(finding, &script, &sayings))
        .flatten();
    let why = match (finding.class, &witness, finding.accused.first()) {
        (Class::WrongUnsat, Some(_), Some(title)) => format!(
            "{title} answers unsat, but the model below makes every assertion true (checked by evaluation)."
        ),
        (_, Some(_), _) => why.replace(
            "the model that the script was built to satisfy",
            "the model below",
        ),
        _ => short_why(&script, why.trim_end()),
    };
    let why = match &finding.unsound {
        Some(unsound) => {
            let release = finding
                .replies
                .iter()
                .find(|reply| finding.accused.contains(&reply.title));
            let solver = release.map_or(String::new(), ReplyRecord::spec);
            format!("{why} {}", unsound.sentence(&solver))
        }
        None => why,
    };
    BugSummary {
        witness,
        script: finding.as_sent(&script).into_owned(),
        why,
        sayings,
        ..BugSummary::default()
    }
}

/// Whether a model of the script shows that the accused is wrong.
fn needs_witness(finding: &Finding) -> bool {
    let refuted_by_case = matches!(
        &finding.grounds,
        Grounds::Claim {
            refuted: Refuted::Model { of: ModelOf::Case },
            ..
        }
    );
    finding.class == Class::WrongUnsat || refuted_by_case
}

/// The first model that makes every assertion true: the one the script was built with, or one that a solver returned.
fn witness(finding: &Finding, script: &str, sayings: &[Outcome]) -> Option<String> {
    let own = match &finding.evidence {
        EvidenceRecord::Witness { model } => Some(model.as_str()),
        _ => None,
    };
    let mut candidate = Candidate::read(script)?;
    // Only the model that the script was built with is known to refute a claim, and only as it is.
    let is_any_right = finding.class == Class::WrongUnsat;
    let own = own.filter(|model| is_any_right || candidate.is_complete(model));
    let others = sayings.iter().filter(|_| is_any_right);
    let others = others.filter_map(|saying| saying.model.as_deref());
    let query = finding.query.min(candidate.queries().saturating_sub(1));
    let mut models = own.into_iter().chain(others);
    let model = models.find(|model| candidate.worth(model, query) == Some(Worth::Valid))?;
    // A reduced script has other names than the one it was made from.
    let written = candidate.definitions(model, query);
    let written = written.filter(|text| candidate.worth(text, query) == Some(Worth::Valid));
    Some(written.unwrap_or_else(|| model.to_string()))
}

/// The evidence in a sentence, in which a script's only assertion need not be written once more.
fn short_why(script: &str, why: &str) -> String {
    let lines = script.lines();
    let mut assertions = lines.filter_map(|line| line.strip_prefix("(assert ")?.strip_suffix(')'));
    match (assertions.next(), assertions.next()) {
        (Some(only), None) if only.starts_with('(') => why
            .replace(&format!("the assertion {only}"), "its only assertion")
            .replace(only, "its only assertion"),
        _ => why.to_string(),
    }
}

fn crash_lines(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Crashed(crash) => {
            let lines: Vec<&str> = crash.message.lines().take(12).collect();
            Some(lines.join("\n"))
        }
        _ => None,
    }
}

fn core_of(answer: &Answer) -> Option<Vec<String>> {
    match answer {
        Answer::Unsat { core } => core.clone(),
        _ => None,
    }
}

fn model_of(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Sat { model } => model.clone(),
        _ => None,
    }
}

/// `z3 script.smt2` instead of `/home/me/.cache/auspex/solvers/z3-5.4.0/z3 script.smt2`.
fn plain_command(command: &str) -> String {
    let plain = |word: &str| match word.starts_with('/') {
        true => word.rsplit('/').next().unwrap_or(word).to_string(),
        false => word.to_string(),
    };
    let words: Vec<String> = command.split(' ').map(plain).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;

    #[test]
    fn commands_lose_the_folders_of_this_machine() {
        assert_eq!(
            plain_command("/a/b/z3 -T:5 script.smt2"),
            "z3 -T:5 script.smt2"
        );
        assert_eq!(plain_command("z3 x"), "z3 x");
    }

    #[test]
    fn only_a_model_that_holds_is_a_witness() {
        let mut finding = sample("a");
        finding.class = Class::WrongUnsat;
        finding.script = "(declare-const x Int)(assert (> x 1))(check-sat)".to_string();
        let mut other = finding.replies[0].clone();
        finding.replies[0].answer = Answer::Unsat { core: None };
        other.title = "cvc5 1.4.2".to_string();
        for (model, wanted) in [("2", true), ("0", false)] {
            let model = format!("((define-fun x () Int {model}))");
            other.answer = Answer::Sat { model: Some(model) };
            let mut finding = finding.clone();
            finding.replies.push(other.clone());
            let account = BugSummary::of(&finding, None);
            assert_eq!(account.witness.is_some(), wanted);
            assert_eq!(account.accused().unwrap().answers, ["unsat"]);
        }
    }

    #[test]
    fn an_only_assertion_is_not_written_twice() {
        let why = "sat, but (= 0 1) is false.";
        let one = short_why("(assert (= 0 1))\n(check-sat)\n", why);
        assert_eq!(one, "sat, but its only assertion is false.");
        let model = "sat, but under its model the assertion (= 0 1) is false.";
        let model = short_why("(assert (= 0 1))\n(check-sat)\n", model);
        assert_eq!(
            model,
            "sat, but under its model its only assertion is false."
        );
        let two = short_why("(assert (= 0 1))\n(assert (= 1 1))\n(check-sat)\n", why);
        assert_eq!(two, why);
    }

    #[test]
    fn another_solver_that_is_wrong_too_is_no_witness() {
        let mut finding = sample("a");
        let mut other = finding.replies[0].clone();
        other.title = "cvc5 1.4.2".to_string();
        finding.replies.push(other.clone());
        other.title = "yices 2.6.5".to_string();
        other.answer = Answer::Unsat { core: None };
        finding.replies.push(other);
        let account = BugSummary::of(&finding, None);
        let wrong: Vec<bool> = account.sayings.iter().map(|saying| saying.wrong).collect();
        assert_eq!(wrong[wrong.len() - 2..], [true, false]);
    }
}
