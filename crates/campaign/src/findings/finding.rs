//! The stored form of a finding: everything that a person or another machine needs to reproduce the bug. These
//! structs are the format of `finding.json`; they change only together with `VERSION`.

use crate::findings::finding_id::FindingId;
use crate::judge::confirm::Setting;
use crate::judge::trivial::UnsoundOptions;
use crate::schedule::recipe::Recipe;
use crate::seeds::pool::SeedRecord;
use crate::store::FindingRow;
use auspex_cases::answers::proof::FalseStep;
use auspex_cases::oracle::{
    Facts, Form, Grounds, Link, QuestionReply, Related, Reply, SourceStatus,
};
use auspex_cases::{
    Class, Evidence, Origin, Relation, RelationKind, SeedStatus, SolverId, Source, Verdict,
};
use auspex_logic::model::read_model;
use auspex_logic::{Answer, OpTable, Script, Terms};
use auspex_reduce::Step;
use auspex_solvers::options::as_written;
use auspex_solvers::profile::Tier;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// The version of the format.
pub const VERSION: u32 = 2;

/// One bug, with its evidence and its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub version: u32,
    /// The name of its folder: class, solver, fingerprint.
    pub id: FindingId,
    pub class: Class,
    pub fingerprint: String,
    pub bucket: String,
    /// Titles of the solvers that are (or may be) wrong.
    pub accused: Vec<String>,
    /// The recorded facts that the verdict rests on.
    pub grounds: Grounds,
    /// Positions of the accused among the replies.
    pub accused_replies: Vec<usize>,
    /// The grounds in a sentence, rendered from the facts recorded here.
    pub why: String,
    /// The place of the error: the site of a crash, the smallest false part of an assertion.
    pub site: String,
    /// The script as it was run, also in `script.smt2`.
    pub script: String,
    /// The reduced script, if there is one.
    #[serde(default)]
    pub reduced: Option<String>,
    /// The model of the accused for the reduced script, if the bug is an invalid model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced_model: Option<String>,
    /// Where the accused's proof of the reduced script goes wrong, if its `unsat` is wrong and it prints proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_step: Option<FalseStep>,
    /// The steps of the reduction, in order.
    #[serde(default)]
    pub reduction: Vec<StepRecord>,
    /// The identity of the reduced script.
    #[serde(default)]
    pub reduced_fingerprint: Option<String>,
    /// The finding that is the same bug, judging by the reduced scripts.
    #[serde(default)]
    pub same_as: Option<String>,
    /// The query with the wrong answer, from 0.
    pub query: usize,
    pub evidence: EvidenceRecord,
    pub replies: Vec<ReplyRecord>,
    /// Other scripts that the verdict refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedRecord>,
    pub origin: OriginRecord,
    /// The replay line, from which the case can be made again.
    pub replay: String,
    /// The files it was made from, if any.
    #[serde(default)]
    pub seeds: Vec<SeedRecord>,
    /// How it must be run: some bugs show only between `push` and `pop`, or after other queries.
    pub setting: Setting,
    /// Seconds since 1970.
    pub found: u64,
    /// The user's signature file, if operators of one were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The options of the accused, if it is wrong on trivial scripts under them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsound: Option<UnsoundOptions>,
    /// How well the makers support the options under which a campaign asked the accused; that of the least supported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Whether parts were removed to save space.
    #[serde(default)]
    pub slim: bool,
}

/// The effect of consecutive changes by one pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The name of the pass.
    pub pass: String,
    /// The number of accepted changes.
    pub changes: usize,
    /// Size afterwards.
    pub bytes: usize,
    pub lines: usize,
}

impl StepRecord {
    /// The steps of a reduction; consecutive ones of one pass are merged.
    pub fn all(steps: &[Step]) -> Vec<StepRecord> {
        let same = steps.chunk_by(|one, next| one.pass == next.pass);
        let record = |steps: &[Step]| {
            let last = steps.last()?;
            Some(StepRecord {
                pass: last.pass.to_string(),
                changes: steps.len(),
                bytes: last.size.bytes,
                lines: last.size.lines,
            })
        };
        same.filter_map(record).collect()
    }
}

/// One solver's answer, and how it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyRecord {
    /// Name of the solver's profile.
    pub solver: String,
    /// The family: solvers that share code.
    pub family: String,
    /// Name, release and options.
    pub title: String,
    pub release: Option<String>,
    /// The commit, if the program prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub options: Vec<String>,
    /// The command line.
    pub command: String,
    pub mode: String,
    /// The form of the query.
    #[serde(default)]
    pub form: Form,
    pub answer: Answer,
    /// The replies to questions that belong to the query.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionReply>,
    #[serde(default)]
    pub has_partial_functions: bool,
    pub wall_ms: f64,
    pub cpu_ms: f64,
}

/// The evidence for the right answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EvidenceRecord {
    Witness {
        model: String,
    },
    Core {
        names: Vec<String>,
        because: String,
    },
    /// A proved relation to other scripts, which are among the related ones.
    Relation {
        relation: RelationKind,
        sources: Vec<Source>,
        status: Option<SeedStatus>,
    },
    NoneKnown,
}

/// Another script that the verdict refers to, with solvers' replies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelatedRecord {
    pub link: Link,
    pub text: String,
    #[serde(default)]
    pub known: SourceStatus,
    pub replies: Vec<ReplyRecord>,
    /// Its counterpart for the reduced script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<ReducedSource>,
}

/// The source of a reduced script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReducedSource {
    pub text: String,
    /// The solvers that refuted the negation of the relation; none if the case's rules still prove it.
    pub relation_checked_by: Vec<String>,
}

/// The origin of the case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginRecord {
    pub strategy: String,
    pub seed: Option<String>,
    pub steps: Vec<String>,
}

impl Finding {
    /// The other solvers of its campaign, by name, if only the accused was asked because the answer was known.
    pub fn companions(&self) -> Vec<String> {
        let others = |reply: &ReplyRecord| !self.accused.contains(&reply.title);
        if self.replies.iter().any(others) {
            return Vec::new();
        }
        let asked: Vec<String> = self.replies.iter().map(ReplyRecord::spec).collect();
        let recipe = self.replay.parse::<Recipe>();
        let all = recipe.map_or_else(|_| Vec::new(), |recipe| recipe.solvers);
        all.into_iter()
            .filter(|name| !asked.contains(name))
            .collect()
    }

    /// An arena with the operators of its script.
    pub fn terms(&self) -> Terms {
        let signature = self.signature.as_deref();
        let table = signature.and_then(|text| OpTable::with_user_signatures(text).ok());
        table.map_or_else(Terms::new, |table| Terms::with_table(Arc::new(table)))
    }

    /// The script to show: the reduced one, if any.
    pub fn shown(&self) -> &str {
        self.reduced.as_deref().unwrap_or(&self.script)
    }

    /// A script as the accused is sent it: where its options are commands, they stand in it.
    pub fn as_sent<'s>(&self, script: &'s str) -> Cow<'s, str> {
        let is_accused = |reply: &&ReplyRecord| self.accused.contains(&reply.title);
        let reply = self.replies.iter().find(is_accused);
        reply.map_or(Cow::Borrowed(script), |reply| {
            as_written(&reply.options, script)
        })
    }

    /// Records the result of a reduction.
    pub fn take_reduced(
        &mut self,
        text: String,
        source: Option<ReducedSource>,
        steps: Vec<StepRecord>,
    ) {
        self.reduced = Some(text);
        self.reduced_model = None;
        self.false_step = None;
        self.reduction = steps;
        let mut related = self.related.iter_mut();
        if let Some(related) = related.find(|one| one.link == Link::Source(0)) {
            related.reduced = source;
        }
    }

    /// A smaller form of the finding: without seeds and, if it is reduced, without the original script and its
    /// models.
    pub fn slimmed(&self) -> Finding {
        let mut slim = Finding {
            slim: true,
            seeds: Vec::new(),
            ..self.clone()
        };
        if let Some(reduced) = &self.reduced {
            slim.script = reduced.clone();
            for reply in &mut slim.replies {
                if let Answer::Sat { model } = &mut reply.answer {
                    *model = None;
                }
            }
        }
        slim
    }

    /// The options under which the first of the accused is wrong.
    pub fn options_of_accused(&self) -> Vec<String> {
        let accused = self.accused.first();
        let mut replies = self.replies.iter();
        let reply = replies.find(|reply| Some(&reply.title) == accused);
        reply.map_or_else(Vec::new, |reply| reply.fact().solver.options.clone())
    }

    /// Whether it is about a core of the accused.
    pub fn is_about_core(&self) -> bool {
        matches!(
            self.grounds,
            Grounds::UnknownName { .. }
                | Grounds::CoreModel { .. }
                | Grounds::CoreItself { .. }
                | Grounds::CoreOthers { .. }
        )
    }

    /// The verdict, with positions of the recorded facts.
    pub fn verdict(&self) -> Verdict {
        Verdict {
            class: self.class,
            accused: self.accused_replies.clone(),
            grounds: self.grounds.clone(),
            site: self.site.clone(),
        }
    }

    /// The sentence of the verdict, rendered again from the recorded facts.
    pub fn sentence(&self) -> String {
        let replies: Vec<Reply> = self.replies.iter().map(ReplyRecord::fact).collect();
        let related = self.related_facts();
        let facts = Facts {
            replies: &replies,
            related: &related,
        };
        self.verdict().sentence(facts)
    }

    /// The other scripts that the verdict refers to, as facts.
    pub fn related_facts(&self) -> Vec<Related> {
        let facts = |record: &RelatedRecord| Related {
            link: record.link,
            text: record.text.clone(),
            known: record.known.clone(),
            replies: record.replies.iter().map(ReplyRecord::fact).collect(),
        };
        self.related.iter().map(facts).collect()
    }

    /// One line for lists.
    pub fn line(&self) -> String {
        format!(
            "{:<14} {:<28} {}",
            self.class.name(),
            self.accused.join(", "),
            self.id
        )
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    pub fn from_json(text: &str) -> Result<Finding, serde_json::Error> {
        serde_json::from_str(text).map_err(|error| match format_of(text) {
            Some(other) if other != VERSION => serde::de::Error::custom(format!(
                "a finding of format {other}, written by another release of auspex; this one reads format {VERSION}"
            )),
            _ => error,
        })
    }

    /// Reads the bytes of a finding. Invalid UTF-8, which older releases wrote, is escaped.
    pub fn from_bytes(bytes: &[u8]) -> Result<Finding, serde_json::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Finding::from_json(text),
            Err(_) => Finding::from_json(&auspex_syntax::decode(bytes)),
        }
    }
}

/// The format version of a finding from any release.
fn format_of(text: &str) -> Option<u32> {
    #[derive(Deserialize)]
    struct Format {
        version: u32,
    }
    let format: Format = serde_json::from_str(text).ok()?;
    Some(format.version)
}

impl ReplyRecord {
    /// The reply as a fact.
    pub fn fact(&self) -> Reply {
        let solver = SolverId {
            make: self.solver.clone(),
            family: self.family.clone(),
            release: self.release.clone(),
            options: self.title_options(),
            has_partial_functions: self.has_partial_functions,
            reads_otherwise: false,
        };
        Reply {
            form: self.form,
            questions: self.questions.clone(),
            time: Duration::try_from_secs_f64(self.cpu_ms / 1e3).ok(),
            ..Reply::new(Arc::new(solver), self.answer.clone())
        }
    }

    /// The options of the configuration, without those for incremental scripts.
    fn title_options(&self) -> Vec<String> {
        let mut plain = self.solver.clone();
        if let Some(release) = &self.release {
            plain = format!("{plain} {release}");
        }
        let rest = self.title.strip_prefix(&plain).unwrap_or("").trim_start();
        let first = |count: &usize| self.options[..*count].join(" ") == rest;
        let count = (0..=self.options.len()).find(first).unwrap_or(0);
        self.options[..count].to_vec()
    }

    /// The solver and its release, as a user names them.
    pub fn spec(&self) -> String {
        match &self.release {
            Some(release) => format!("{}@{release}", self.solver),
            None => self.solver.clone(),
        }
    }
}

impl From<&Origin> for OriginRecord {
    fn from(origin: &Origin) -> OriginRecord {
        OriginRecord {
            strategy: origin.strategy.to_string(),
            seed: origin.seed.clone(),
            steps: origin.steps.clone(),
        }
    }
}

impl EvidenceRecord {
    /// Converts evidence for storage; a witness becomes the definitions of its model.
    pub fn of(terms: &mut Terms, script: &Script, evidence: &Evidence) -> EvidenceRecord {
        match evidence {
            Evidence::Witness(model) => EvidenceRecord::Witness {
                model: crate::judge::witness::witness_text(terms, script, model),
            },
            Evidence::Core { names, because } => EvidenceRecord::Core {
                names: names
                    .iter()
                    .map(|n| terms.symbols.name(*n).to_string())
                    .collect(),
                because: because.clone(),
            },
            Evidence::Relation(relation) => EvidenceRecord::Relation {
                relation: relation.kind,
                sources: relation.sources.clone(),
                status: relation.status,
            },
            Evidence::NoneKnown => EvidenceRecord::NoneKnown,
        }
    }

    /// Reads the evidence back, in an arena with the script; unreadable evidence proves nothing.
    pub fn restore(&self, terms: &mut Terms, script: &Script) -> Evidence {
        match self {
            EvidenceRecord::Witness { model } => match read_model(terms, script, model) {
                Ok(model) => Evidence::Witness(Box::new(model)),
                Err(_) => Evidence::NoneKnown,
            },
            EvidenceRecord::Core { names, because } => Evidence::Core {
                names: names
                    .iter()
                    .map(|name| terms.symbols.intern(name))
                    .collect(),
                because: because.clone(),
            },
            EvidenceRecord::Relation {
                relation,
                sources,
                status,
            } => Evidence::Relation(Relation {
                kind: *relation,
                sources: sources.clone(),
                status: *status,
            }),
            EvidenceRecord::NoneKnown => Evidence::NoneKnown,
        }
    }
}

/// The row of a finding in a store.
impl From<&Finding> for FindingRow {
    fn from(finding: &Finding) -> FindingRow {
        let accused = finding
            .replies
            .iter()
            .filter(|r| finding.accused.contains(&r.title));
        let mut solvers: Vec<&str> = accused.map(|r| r.solver.as_str()).collect();
        solvers.sort_unstable();
        solvers.dedup();
        FindingRow {
            fingerprint: finding.fingerprint.clone(),
            bucket: finding.bucket.clone(),
            class: finding.class.name().to_string(),
            solver: solvers.join("+"),
            id: finding.id.to_string(),
            strategy: finding.origin.strategy.clone(),
            found: finding.found,
            repeats: 0,
            reduced: finding.reduced.is_some(),
            json: finding.to_json(),
        }
    }
}

/// A finding for tests.
#[cfg(test)]
pub(crate) fn sample(fingerprint: &str) -> Finding {
    Finding {
        version: VERSION,
        id: FindingId::new("wrong-sat", "z3", fingerprint),
        class: Class::WrongSat,
        fingerprint: fingerprint.to_string(),
        bucket: "wrong-sat z3 core".to_string(),
        accused: vec!["z3 5.4.0".to_string()],
        grounds: Grounds::FalseByEvaluation {
            assertion: "false".to_string(),
            forced: false,
        },
        accused_replies: vec![0],
        why: "z3 5.4.0 answers sat, but false is false under every interpretation of its symbols (checked by evaluation)."
            .to_string(),
        site: String::new(),
        script: "(assert false)\n(check-sat)\n".to_string(),
        reduced: None,
        reduced_model: None,
        false_step: None,
        reduced_fingerprint: None,
        reduction: Vec::new(),
        same_as: None,
        query: 0,
        evidence: EvidenceRecord::NoneKnown,
        replies: vec![ReplyRecord {
            solver: "z3".to_string(),
            family: "z3".to_string(),
            title: "z3 5.4.0".to_string(),
            release: Some("5.4.0".to_string()),
            commit: None,
            options: Vec::new(),
            command: "z3 script.smt2".to_string(),
            mode: "fresh".to_string(),
            form: Form::Script,
            has_partial_functions: false,
            answer: Answer::Sat {
                model: Some("()".to_string()),
            },
            questions: Vec::new(),
            wall_ms: 1.5,
            cpu_ms: 1.0,
        }],
        related: Vec::new(),
        origin: OriginRecord::default(),
        replay: "strategy=construct seed=1 case=2".to_string(),
        seeds: Vec::new(),
        setting: Setting::Fresh,
        found: 1,
        signature: None,
        unsound: None,
        tier: None,
        slim: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_of_the_campaign_stand_by_where_only_the_accused_was_asked() {
        let mut finding = sample("0");
        finding.replay = "strategy=construct seed=5 case=1 solvers=z3@5.4.0,cvc5@1.0.3".to_string();
        assert_eq!(finding.companions(), ["cvc5@1.0.3"]);
        let mut other = finding.replies[0].clone();
        (other.solver, other.title) = ("cvc4".to_string(), "cvc4 1.8".to_string());
        finding.replies.push(other);
        assert!(finding.companions().is_empty());
    }
    use auspex_logic::read_script;

    #[test]
    fn what_is_stored_is_read_again() {
        let finding = sample("0123456789ab");
        assert_eq!(Finding::from_json(&finding.to_json()).unwrap(), finding);
        let older = Finding::from_json("{\"version\": 1}").expect_err("another format");
        assert!(older.to_string().contains("format 1"), "{older}");
        assert!(Finding::from_json("{\"version\": 2}").is_err());
    }

    #[test]
    fn the_sentence_is_rendered_from_the_record() {
        let finding = sample("0123456789ab");
        assert_eq!(finding.sentence(), finding.why);
    }

    #[test]
    fn answers_and_evidence_survive() {
        let crash = Answer::Crashed(auspex_logic::Crash {
            how: auspex_logic::CrashKind::Signal(11),
            site: Some("a.cpp:1".into()),
            message: "m".into(),
        });
        let rejected = Answer::Rejected {
            why: auspex_logic::Rejection::OutsideLogic,
            message: "no".into(),
        };
        for answer in [crash, rejected, Answer::OutOfMemory, Answer::Timeout] {
            let text = serde_json::to_string(&answer).unwrap();
            assert_eq!(
                serde_json::from_str::<Answer>(&text).unwrap(),
                answer,
                "{text}"
            );
        }
        let mut terms = Terms::new();
        let script = read_script(
            &mut terms,
            "(declare-const x Int)(assert (= x 3))(check-sat)",
        );
        let script = script.unwrap().script;
        let model = read_model(&mut terms, &script, "((define-fun x () Int 3))").unwrap();
        let record = EvidenceRecord::of(&mut terms, &script, &Evidence::Witness(Box::new(model)));
        assert!(
            matches!(&record, EvidenceRecord::Witness { model } if model.contains("x () Int 3"))
        );
        assert!(matches!(
            record.restore(&mut terms, &script),
            Evidence::Witness(_)
        ));
    }
}
