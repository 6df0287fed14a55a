//! Makes the record of a finding: the confirmed verdict with its facts, and the origin of the case.

use crate::findings::finding::{
    EvidenceRecord, Finding, OriginRecord, RelatedRecord, ReplyRecord, VERSION,
};
use crate::findings::finding_id::FindingId;
use crate::judge::confirm::Confirmed;
use crate::judge::fingerprint::Identity;
use crate::judge::judging::Unconfirmed;
use crate::schedule::recipe::Recipe;
use crate::team::{Member, Team};
use auspex_cases::oracle::Reply;
use auspex_cases::{Case, Evidence};
use auspex_logic::Terms;

/// The parts of a finding.
#[derive(Clone, Copy)]
pub struct Filing<'a> {
    pub case: &'a Case,
    pub confirmed: &'a Confirmed,
    pub team: &'a Team,
    pub identity: &'a Identity,
    pub recipe: &'a Recipe,
}

impl Filing<'_> {
    /// The record, without the signature file and the seeds, which the campaign adds.
    pub fn finding(&self, terms: &mut Terms) -> Finding {
        let Filing {
            case,
            confirmed,
            team,
            identity,
            recipe,
        } = *self;
        let found = &confirmed.verdict;
        let verdict = &found.verdict;
        let evidence = case.evidence.get(found.query);
        let accused = found.accused();
        let mut names: Vec<&str> = accused.iter().map(|at| team.members[*at].name()).collect();
        names.dedup();
        let class = verdict.class;
        Finding {
            version: VERSION,
            id: FindingId::new(class.name(), &names.join("-"), &identity.fingerprint),
            class,
            fingerprint: identity.fingerprint.clone(),
            bucket: identity.bucket.clone(),
            accused: accused
                .iter()
                .map(|at| team.members[*at].title.clone())
                .collect(),
            grounds: verdict.grounds.clone(),
            accused_replies: verdict.accused.clone(),
            why: found.sentence(),
            site: verdict.site.clone(),
            script: confirmed.script.clone(),
            reduced: None,
            reduced_model: None,
            false_step: None,
            reduced_fingerprint: None,
            reduction: Vec::new(),
            same_as: None,
            signature: None,
            unsound: None,
            tier: None,
            slim: false,
            query: found.query,
            evidence: EvidenceRecord::of(
                terms,
                &case.script,
                evidence.unwrap_or(&Evidence::NoneKnown),
            ),
            replies: replies(team, confirmed),
            related: related(team, found),
            origin: OriginRecord::from(&case.origin),
            seeds: Vec::new(),
            replay: recipe.to_string(),
            setting: confirmed.setting,
            found: crate::clock::now(),
        }
    }
}

/// The replies that a verdict refers to, in its order.
fn replies(team: &Team, confirmed: &Confirmed) -> Vec<ReplyRecord> {
    let facts = &confirmed.verdict.facts;
    let incremental = confirmed.setting.is_incremental();
    let all = facts.replies.iter().zip(&facts.runs).zip(&facts.members);
    all.map(|((reply, run), member)| {
        let run = &confirmed.runs[*run];
        let mut record = record(&team.members[*member], reply, run.mode.name());
        if incremental {
            let more = team.members[*member].solver.profile.incremental.clone();
            record.options.extend(more);
        }
        record.wall_ms = run.wall.as_secs_f64() * 1e3;
        record
    })
    .collect()
}

/// The related scripts that a verdict may refer to.
fn related(team: &Team, found: &Unconfirmed) -> Vec<RelatedRecord> {
    let all = found.facts.related.iter();
    all.map(|one| RelatedRecord {
        link: one.link,
        text: one.text.clone(),
        known: one.known.clone(),
        replies: one
            .replies
            .iter()
            .filter_map(|reply| {
                let mut members = team.members.iter();
                let member = members.find(|member| member.id == reply.solver)?;
                Some(record(member, reply, "fresh"))
            })
            .collect(),
        reduced: None,
    })
    .collect()
}

fn record(member: &Member, reply: &Reply, mode: &str) -> ReplyRecord {
    ReplyRecord {
        solver: member.name().to_string(),
        family: member.id.family.clone(),
        title: member.title.clone(),
        release: member.release(),
        commit: member.solver.commit.clone(),
        options: member.solver.options.clone(),
        command: member.command(),
        mode: mode.to_string(),
        form: reply.form,
        answer: reply.answer.clone(),
        questions: reply.questions.clone(),
        has_partial_functions: member.id.has_partial_functions,
        wall_ms: 0.0,
        cpu_ms: reply.time.unwrap_or_default().as_secs_f64() * 1e3,
    }
}
