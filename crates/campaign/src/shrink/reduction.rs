//! Reduces findings while the campaign runs, and identifies those that turn out to be one bug.

use crate::findings::finding::{EvidenceRecord, Finding, ReducedSource, StepRecord};
use crate::findings::replay;
use crate::judge::diagnose::Bug;
use crate::judge::false_step::false_step;
use crate::judge::fingerprint::{Identity, Stage, Suspect, identify};
use crate::shrink::bug_check::{BugCheck, Costs};
use crate::shrink::pair::{CheckedBy, Pair, PairCheck, split};
use crate::team::case_profile::features;
use crate::team::{Member, Team};
use auspex_cases::answers::proof::FalseStep;
use auspex_cases::{Class, RelationKind, Side};
use auspex_logic::{Answer, Terms, read_script};
use auspex_reduce::{Check, Flow, Progress, reduce};
use auspex_solvers::{Limits, Query, Session, Solver};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// The time limit for one finding.
const LONGEST: Duration = Duration::from_secs(30);

/// A reduced script with its bug's identity.
pub struct Reduced {
    pub text: String,
    /// The source of a pair.
    pub source: Option<ReducedSource>,
    /// The accused's model of it, if the bug is an invalid model.
    pub model: Option<String>,
    /// Where the accused's proof of it goes wrong, if the bug is a wrong `unsat`.
    pub false_step: Option<FalseStep>,
    pub steps: Vec<StepRecord>,
    pub identity: Identity,
}

/// Reduces a finding's script; none if its class has no check, or the bug no longer shows.
pub fn shrink(finding: &Finding, team: &Team, stop: &dyn Fn() -> bool) -> Option<Reduced> {
    let bug = bug_of(finding, team)?;
    let limits = Limits {
        soft: None,
        ..team.limits.clone()
    };
    let costs = Arc::new(Costs::default());
    let subject = Subject::of(finding, &bug, &limits, &costs);
    let check: Box<dyn Check> = match subject.pair {
        Some(_) => Box::new(PairCheck::new(&subject, &bug, &limits, costs)),
        None => Box::new(BugCheck::new(&bug, false, &limits, costs)),
    };
    let started = Instant::now();
    let mut watch = |_: &Progress<'_>| match stop() || started.elapsed() > LONGEST {
        true => Flow::Stop,
        false => Flow::Continue,
    };
    let mut checks: [Box<dyn Check>; 1] = [check];
    let report = reduce(&subject.text, &subject.earlier, &mut checks, &mut watch).ok()?;
    // The shape of an incomplete reduction does not identify a bug.
    if !report.complete && stop() {
        return None;
    }
    let (text, source) = subject.ended(report.text);
    Some(Reduced {
        steps: StepRecord::all(&report.steps),
        identity: identity(finding, &text)?,
        model: model_of(&bug, &text, &limits),
        false_step: step_of(&mut finding.terms(), &bug, &text, &limits),
        text,
        source,
    })
}

/// The model that the accused gives for a reduced script, if the bug is an invalid model.
pub fn model_of(bug: &Bug, text: &str, limits: &Limits) -> Option<String> {
    if bug.class != Class::InvalidModel {
        return None;
    }
    let run = Session::start(&bug.accused, limits).ask(&Query::new(text).model());
    model_in(run.ok()?.answers)
}

/// Where the proof of the accused goes wrong for a reduced script, if the bug is a wrong `unsat`: under the witness, or
/// under a model that another solver gives.
pub fn step_of(terms: &mut Terms, bug: &Bug, text: &str, limits: &Limits) -> Option<FalseStep> {
    if bug.class != Class::WrongUnsat {
        return None;
    }
    let others = bug.trusted.iter().filter_map(|solver| {
        let run = Session::start(solver, limits).ask(&Query::new(text).model());
        model_in(run.ok()?.answers)
    });
    let models: Vec<String> = bug.witness.iter().cloned().chain(others).collect();
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    false_step(terms, &bug.accused, limits, text, &models)
}

fn model_in(answers: Vec<Answer>) -> Option<String> {
    answers.into_iter().find_map(|answer| match answer {
        Answer::Sat { model } => model,
        _ => None,
    })
}

/// What to reduce: a finding's script, or its pair of scripts as one text.
pub struct Subject {
    pub text: String,
    /// The scripts it was made from, oldest first; mutations are undone first.
    pub earlier: Vec<String>,
    /// The relation, if it is a pair.
    pub pair: Option<RelationKind>,
    /// The solvers that checked the relation during the reduction.
    pub checked_by: CheckedBy,
}

impl Subject {
    pub fn of(finding: &Finding, bug: &Bug, limits: &Limits, costs: &Costs) -> Subject {
        let earlier = replay::stages(finding);
        let pair = Pair::of(finding).filter(|_| finding.class == Class::SelfContradiction);
        let closest = pair.map(|pair| closest(pair, &earlier, &bug.accused, limits, costs));
        let merged = closest.and_then(|pair| Some((pair.merged()?, pair.kind)));
        match merged {
            Some((text, kind)) => Subject {
                text,
                earlier: Vec::new(),
                pair: Some(kind),
                checked_by: CheckedBy::default(),
            },
            None => Subject {
                text: finding.script.clone(),
                earlier,
                pair: None,
                checked_by: CheckedBy::default(),
            },
        }
    }

    /// The final script, and its source if it is a pair.
    pub fn ended(&self, text: String) -> (String, Option<ReducedSource>) {
        match self.pair.and_then(|_| split(&text)) {
            Some((source, script)) => {
                let checked = self.checked_by.lock();
                let checked = checked.unwrap_or_else(PoisonError::into_inner);
                let source = ReducedSource {
                    text: source,
                    relation_checked_by: checked.clone(),
                };
                (script, Some(source))
            }
            None => (text, None),
        }
    }
}

/// Undoes mutations: finds two neighbours in the chain from source to script whose answers by the accused violate the
/// relation.
fn closest(
    pair: Pair,
    stages: &[String],
    accused: &Solver,
    limits: &Limits,
    costs: &Costs,
) -> Pair {
    let inner = stages.iter().skip(1).cloned();
    let all: Vec<String> = std::iter::once(pair.source.clone())
        .chain(inner)
        .chain([pair.script.clone()])
        .collect();
    let ask = |text: &String| {
        let run = accused.fresh_exact(text, limits).ok()?;
        costs.add(run.cpu);
        Side::of(run.answers.last()?)
    };
    let said: Vec<Option<Side>> = all.iter().map(ask).collect();
    let forbidden = |at: &usize| {
        let told = said[at + 1].and_then(|side| pair.kind.forbids(side));
        told.is_some() && said[*at] == told && all[*at] != all[at + 1]
    };
    match (0..all.len() - 1).find(forbidden) {
        Some(at) => Pair {
            kind: pair.kind,
            source: all[at].clone(),
            script: all[at + 1].clone(),
        },
        None => pair,
    }
}

fn bug_of(finding: &Finding, team: &Team) -> Option<Bug> {
    let title = finding.accused.first()?;
    let accused = &member_of(finding, title, team)?;
    let others = team.plain().iter().filter(|m| m.title != *title);
    let mut trusted: Vec<Solver> = others.map(|m| m.solver.clone()).collect();
    trusted.sort_by_key(|solver| solver.profile.name == accused.name());
    let solver = accused.solver.clone();
    let more = match finding.setting.is_incremental() {
        false => Vec::new(),
        true => solver.profile.incremental.clone(),
    };
    Some(bug_in(finding, solver.with_options(&more), trusted))
}

/// The accused: a solver of the team, or one of its releases under the options that the finding records.
fn member_of(finding: &Finding, title: &str, team: &Team) -> Option<Member> {
    if let Some(member) = team.members.iter().find(|m| m.title == title) {
        return Some(member.clone());
    }
    let reply = finding.replies.iter().find(|reply| reply.title == title)?;
    let options = &reply.fact().solver.options;
    let is_same = |one: &&Member| one.name() == reply.solver && one.release() == reply.release;
    let release = team.plain().iter().find(is_same)?;
    let solver = release.solver.clone().with_recorded(options).ok()?;
    Some(Member::new(solver))
}

/// The bug that a finding shows, with its witness if it has one.
pub fn bug_in(finding: &Finding, accused: Solver, trusted: Vec<Solver>) -> Bug {
    Bug {
        class: finding.class,
        accused,
        trusted,
        witness: witness(finding),
        site: match finding.class {
            Class::Crash => finding.site.clone(),
            _ => String::new(),
        },
        why: finding.why.clone(),
    }
}

/// A model that refutes a wrong `unsat`: by construction, or another solver's.
fn witness(finding: &Finding) -> Option<String> {
    if finding.class != Class::WrongUnsat {
        return None;
    }
    if let EvidenceRecord::Witness { model } = &finding.evidence {
        return Some(model.clone());
    }
    finding
        .replies
        .iter()
        .find_map(|reply| match &reply.answer {
            Answer::Sat { model } => model.clone(),
            _ => None,
        })
}

/// The identity of the bug that a reduced script shows.
pub fn identity(finding: &Finding, text: &str) -> Option<Identity> {
    let mut terms = finding.terms();
    let script = read_script(&mut terms, text).ok()?.script;
    let accused = finding
        .replies
        .iter()
        .filter(|r| finding.accused.contains(&r.title));
    let solvers: Vec<&str> = accused.clone().map(|r| r.solver.as_str()).collect();
    let crash = accused.clone().find_map(|reply| match &reply.answer {
        Answer::Crashed(crash) => Some(crash.clone()),
        _ => None,
    });
    let suspect = Suspect {
        class: finding.class,
        solvers: &solvers,
        site: &finding.site,
        crash: crash.as_ref(),
        theories: features(&terms, &script).theories,
        stage: Stage::Reduced,
    };
    Some(identify(&terms, &script, &suspect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;

    #[test]
    fn reduced_scripts_of_one_shape_are_one_bug() {
        let finding = sample("a");
        let id = |text: &str| identity(&finding, text).map(|i| i.fingerprint);
        let one = id("(declare-const x Int)(assert (< x 1))(check-sat)");
        assert_eq!(
            one,
            id("(set-logic ALL)(declare-const y Int)(assert (< y 7))(check-sat)")
        );
        assert_ne!(one, id("(declare-const y Int)(assert (<= y 7))(check-sat)"));
        assert_eq!(id("(assert ("), None);
    }

    #[test]
    fn a_witness_is_used_for_what_it_refutes_only() {
        let mut finding = sample("a");
        assert_eq!(witness(&finding), None, "a wrong sat has none");
        finding.class = Class::WrongUnsat;
        assert_eq!(witness(&finding).as_deref(), Some("()"));
        finding.evidence = EvidenceRecord::Witness {
            model: "((define-fun x () Int 1))".to_string(),
        };
        assert!(witness(&finding).unwrap().contains("x"));
    }
    #[test]
    fn a_bug_that_needs_a_push_is_asked_as_an_incremental_script() {
        let mut profile = auspex_solvers::Profile::unknown("toy");
        profile.incremental = vec!["--incremental".to_string()];
        let solver = Solver {
            profile: Arc::new(profile),
            base: auspex_solvers::Invocation::default(),
            version: None,
            commit: None,
            options: Vec::new(),
        };
        let team = Team::new(vec![solver], Limits::default());
        let mut finding = sample("a");
        finding.accused = vec![team.members[0].title.clone()];
        let options = |finding: &Finding| bug_of(finding, &team).map(|bug| bug.accused.options);
        assert_eq!(options(&finding), Some(Vec::new()));
        finding.setting = crate::judge::confirm::Setting::Incremental;
        assert_eq!(options(&finding), Some(vec!["--incremental".to_string()]));
    }
}
