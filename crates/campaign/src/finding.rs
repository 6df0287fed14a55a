//! A finding as it is stored: everything a person or another machine needs to see the bug again.
//! These structs are the format of `finding.json`; they change only together with `VERSION`.

use crate::finding_id::FindingId;
use crate::pool::Facts;
use crate::recipe::Recipe;
use auspex_cases::{Class, Direction, Evidence, Origin, SeedStatus};
use auspex_logic::model::read_model;
use auspex_logic::{Answer, Crash, CrashKind, OpTable, Rejection, Script, Terms};
use auspex_reduce::Step;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The version of the format.
pub const VERSION: u32 = 1;

/// One bug, with its evidence and its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub version: u32,
    /// The name of its folder: class, solver, fingerprint.
    pub id: FindingId,
    #[serde(with = "class_name")]
    pub class: Class,
    pub fingerprint: String,
    pub bucket: String,
    /// Titles of the solvers that are (or may be) wrong.
    pub accused: Vec<String>,
    /// The evidence in sentences a person can check by hand.
    pub why: String,
    /// Where it happened: the site of a crash, the smallest false part of an assertion.
    pub site: String,
    /// The script as it was run, also in `script.smt2`.
    pub script: String,
    /// The smallest script that still shows it, if it was reduced.
    #[serde(default)]
    pub reduced: Option<String>,
    /// How it became the smallest, first step first.
    #[serde(default)]
    pub reduction: Vec<StepRecord>,
    /// The identity of the reduced script.
    #[serde(default)]
    pub reduced_fingerprint: Option<String>,
    /// The finding that is the same bug, as the reduced scripts show.
    #[serde(default)]
    pub same_as: Option<String>,
    /// Which of the script's queries is answered wrongly, from 0.
    pub query: usize,
    pub evidence: EvidenceRecord,
    pub replies: Vec<ReplyRecord>,
    pub origin: OriginRecord,
    /// One line from which the case can be made again.
    pub replay: String,
    /// The files it was made from, if any.
    #[serde(default)]
    pub seeds: Vec<SeedRecord>,
    /// Shows only between `push` and `pop`, or after other queries: how it must be run.
    pub setting: Setting,
    /// Seconds since 1970.
    pub found: u64,
    /// The user's signature file, if operators of one were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Whether room was short and what is least missed was dropped.
    #[serde(default)]
    pub slim: bool,
}

/// What a script needs to show the bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// A process of its own.
    #[default]
    Fresh,
    /// Only as an incremental script: the stored script holds the `push`.
    Incremental,
}

/// What some changes of one kind made of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The name of the pass.
    pub pass: String,
    /// Changes that were kept, one after the other.
    pub changes: usize,
    /// Afterwards.
    pub bytes: usize,
    pub lines: usize,
}

impl StepRecord {
    /// The steps of a reduction; those of one pass that follow each other are one.
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

/// What one solver said, and how it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyRecord {
    /// Name of the solver's profile.
    pub solver: String,
    /// Name, release and options.
    pub title: String,
    pub release: Option<String>,
    /// The commit, where the program tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub options: Vec<String>,
    /// What to type to run it.
    pub command: String,
    pub mode: String,
    pub answer: AnswerRecord,
    pub wall_ms: f64,
    pub cpu_ms: f64,
}

/// An answer as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "kebab-case")]
pub enum AnswerRecord {
    Sat {
        model: Option<String>,
    },
    Unsat {
        core: Option<Vec<String>>,
    },
    Unknown {
        reason: String,
    },
    Timeout,
    Memory,
    Rejected {
        why: String,
        message: String,
    },
    Crash {
        how: String,
        number: i32,
        site: Option<String>,
        message: String,
    },
    Garbled {
        text: String,
    },
}

/// Why the right answer is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EvidenceRecord {
    Witness { model: String },
    Core { names: Vec<String>, because: String },
    Approximation { direction: String, seed: String },
    Agreement,
}

/// A file that a case was made from, with what was known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedRecord {
    pub name: String,
    pub text: String,
    pub facts: Facts,
}

/// How the case came about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginRecord {
    pub strategy: String,
    pub seed: Option<String>,
    pub steps: Vec<String>,
}

impl Finding {
    /// The other solvers of its campaign, by name, if only the accused was asked: where a case is known to be wrong
    /// nobody else needs to be.
    pub fn companions(&self) -> Vec<String> {
        let others = |reply: &ReplyRecord| !self.accused.contains(&reply.title);
        if self.replies.iter().any(others) {
            return Vec::new();
        }
        let asked: Vec<String> = self.replies.iter().map(ReplyRecord::spec).collect();
        let recipe = self.replay.parse::<Recipe>();
        let all = recipe.map_or_else(|_| Vec::new(), |recipe| recipe.readers);
        all.into_iter()
            .filter(|name| !asked.contains(name))
            .collect()
    }

    /// An arena that knows the operators of its script.
    pub fn terms(&self) -> Terms {
        let signature = self.signature.as_deref();
        let table = signature.and_then(|text| OpTable::with_user_signatures(text).ok());
        table.map_or_else(Terms::new, |table| Terms::with_table(Arc::new(table)))
    }

    /// The script to show: the reduced one if there is one.
    pub fn shown(&self) -> &str {
        self.reduced.as_deref().unwrap_or(&self.script)
    }

    /// The same bug in less room: without the seeds it was made from and, if it is shrunk, with the shrunk script
    /// in the place of the first one and without the models that belong to that.
    pub fn slimmed(&self) -> Finding {
        let mut slim = Finding {
            slim: true,
            seeds: Vec::new(),
            ..self.clone()
        };
        if let Some(reduced) = &self.reduced {
            slim.script = reduced.clone();
            for reply in &mut slim.replies {
                if let AnswerRecord::Sat { model } = &mut reply.answer {
                    *model = None;
                }
            }
        }
        slim
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
        serde_json::from_str(text)
    }

    /// Reads the bytes of a finding. Text that is no UTF-8 is kept in a form that is; older releases wrote it as it was.
    pub fn from_bytes(bytes: &[u8]) -> Result<Finding, serde_json::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Finding::from_json(text),
            Err(_) => Finding::from_json(&auspex_syntax::decode(bytes)),
        }
    }
}

impl ReplyRecord {
    /// How a user would name the solver and its release.
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

impl From<&Answer> for AnswerRecord {
    fn from(answer: &Answer) -> AnswerRecord {
        match answer {
            Answer::Sat { model } => AnswerRecord::Sat {
                model: model.clone(),
            },
            Answer::Unsat { core } => AnswerRecord::Unsat { core: core.clone() },
            Answer::Unknown { reason } => AnswerRecord::Unknown {
                reason: reason.clone(),
            },
            Answer::Timeout => AnswerRecord::Timeout,
            Answer::OutOfMemory => AnswerRecord::Memory,
            Answer::Rejected { why, message } => AnswerRecord::Rejected {
                why: rejection_word(*why).to_string(),
                message: message.clone(),
            },
            Answer::Crashed(crash) => {
                let (how, number) = crash_word(&crash.how);
                AnswerRecord::Crash {
                    how: how.to_string(),
                    number,
                    site: crash.site.clone(),
                    message: crash.message.clone(),
                }
            }
            Answer::Garbled { text } => AnswerRecord::Garbled { text: text.clone() },
        }
    }
}

impl AnswerRecord {
    /// The answer again, for judging it.
    pub fn restore(&self) -> Answer {
        match self {
            AnswerRecord::Sat { model } => Answer::Sat {
                model: model.clone(),
            },
            AnswerRecord::Unsat { core } => Answer::Unsat { core: core.clone() },
            AnswerRecord::Unknown { reason } => Answer::Unknown {
                reason: reason.clone(),
            },
            AnswerRecord::Timeout => Answer::Timeout,
            AnswerRecord::Memory => Answer::OutOfMemory,
            AnswerRecord::Rejected { why, message } => Answer::Rejected {
                why: rejection_of(why),
                message: message.clone(),
            },
            AnswerRecord::Crash {
                how,
                number,
                site,
                message,
            } => Answer::Crashed(Crash {
                how: crash_of(how, *number),
                site: site.clone(),
                message: message.clone(),
            }),
            AnswerRecord::Garbled { text } => Answer::Garbled { text: text.clone() },
        }
    }

    pub fn word(&self) -> &'static str {
        self.restore().word()
    }
}

const REJECTIONS: [(Rejection, &str); 4] = [
    (Rejection::Unsupported, "unsupported"),
    (Rejection::ParseError, "parse-error"),
    (Rejection::OutsideLogic, "outside-logic"),
    (Rejection::Other, "other"),
];

fn rejection_word(why: Rejection) -> &'static str {
    let row = REJECTIONS.iter().find(|(known, _)| *known == why);
    row.map_or("other", |(_, word)| word)
}

fn rejection_of(word: &str) -> Rejection {
    let row = REJECTIONS.iter().find(|(_, known)| *known == word);
    row.map_or(Rejection::Other, |(why, _)| *why)
}

fn crash_word(how: &CrashKind) -> (&'static str, i32) {
    match how {
        CrashKind::Signal(number) => ("signal", *number),
        CrashKind::Assertion => ("assertion", 0),
        CrashKind::InternalError => ("internal-error", 0),
        CrashKind::Sanitizer => ("sanitizer", 0),
        CrashKind::Leak => ("leak", 0),
        CrashKind::Exception => ("exception", 0),
        CrashKind::ExitCode(code) => ("exit-code", *code),
    }
}

fn crash_of(word: &str, number: i32) -> CrashKind {
    match word {
        "signal" => CrashKind::Signal(number),
        "assertion" => CrashKind::Assertion,
        "internal-error" => CrashKind::InternalError,
        "sanitizer" => CrashKind::Sanitizer,
        "leak" => CrashKind::Leak,
        "exception" => CrashKind::Exception,
        _ => CrashKind::ExitCode(number),
    }
}

const STATUSES: [(SeedStatus, &str); 4] = [
    (SeedStatus::ProvedSat, "proved-sat"),
    (SeedStatus::AgreedUnsat, "agreed-unsat"),
    (SeedStatus::SaidSat, "said-sat"),
    (SeedStatus::SaidUnsat, "said-unsat"),
];

/// The word for what is known about a seed.
pub fn status_word(status: SeedStatus) -> &'static str {
    let row = STATUSES.iter().find(|(known, _)| *known == status);
    row.map_or("said-sat", |(_, word)| word)
}

/// What a word says about a seed.
pub fn status_of(word: &str) -> Option<SeedStatus> {
    STATUSES
        .iter()
        .find(|(_, known)| *known == word)
        .map(|(status, _)| *status)
}

impl EvidenceRecord {
    /// Writes evidence down; a witness becomes the definitions of its model.
    pub fn of(terms: &mut Terms, script: &Script, evidence: &Evidence) -> EvidenceRecord {
        match evidence {
            Evidence::Witness(model) => EvidenceRecord::Witness {
                model: crate::witness::witness_text(terms, script, model),
            },
            Evidence::Core { names, because } => EvidenceRecord::Core {
                names: names
                    .iter()
                    .map(|n| terms.symbols.name(*n).to_string())
                    .collect(),
                because: because.clone(),
            },
            Evidence::Approximation { direction, seed } => EvidenceRecord::Approximation {
                direction: match direction {
                    Direction::Weaker => "weaker".to_string(),
                    Direction::Stronger => "stronger".to_string(),
                },
                seed: status_word(*seed).to_string(),
            },
            Evidence::Agreement => EvidenceRecord::Agreement,
        }
    }

    /// The evidence again, in an arena that holds the script; what cannot be read proves nothing.
    pub fn restore(&self, terms: &mut Terms, script: &Script) -> Evidence {
        match self {
            EvidenceRecord::Witness { model } => match read_model(terms, script, model) {
                Ok(model) => Evidence::Witness(Box::new(model)),
                Err(_) => Evidence::Agreement,
            },
            EvidenceRecord::Core { names, because } => Evidence::Core {
                names: names
                    .iter()
                    .map(|name| terms.symbols.intern(name))
                    .collect(),
                because: because.clone(),
            },
            EvidenceRecord::Approximation { direction, seed } => {
                let direction = match direction.as_str() {
                    "weaker" => Some(Direction::Weaker),
                    "stronger" => Some(Direction::Stronger),
                    _ => None,
                };
                match (direction, status_of(seed)) {
                    (Some(direction), Some(seed)) => Evidence::Approximation { direction, seed },
                    _ => Evidence::Agreement,
                }
            }
            EvidenceRecord::Agreement => Evidence::Agreement,
        }
    }
}

mod class_name {
    use auspex_cases::Class;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(class: &Class, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(class.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Class, D::Error> {
        let name = String::deserialize(from)?;
        Class::named(&name).ok_or_else(|| D::Error::custom(format!("no class {name}")))
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
        why: "because".to_string(),
        site: String::new(),
        script: "(assert false)\n(check-sat)\n".to_string(),
        reduced: None,
        reduced_fingerprint: None,
        reduction: Vec::new(),
        same_as: None,
        query: 0,
        evidence: EvidenceRecord::Agreement,
        replies: vec![ReplyRecord {
            solver: "z3".to_string(),
            title: "z3 5.4.0".to_string(),
            release: Some("5.4.0".to_string()),
            commit: None,
            options: Vec::new(),
            command: "z3 script.smt2".to_string(),
            mode: "fresh".to_string(),
            answer: AnswerRecord::Sat {
                model: Some("()".to_string()),
            },
            wall_ms: 1.5,
            cpu_ms: 1.0,
        }],
        origin: OriginRecord::default(),
        replay: "strategy=construct seed=1 case=2".to_string(),
        seeds: Vec::new(),
        setting: Setting::Fresh,
        found: 1,
        signature: None,
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
        assert!(Finding::from_json("{\"version\": 1}").is_err());
    }

    #[test]
    fn answers_and_evidence_survive() {
        let crash = Answer::Crashed(Crash {
            how: CrashKind::Signal(11),
            site: Some("a.cpp:1".into()),
            message: "m".into(),
        });
        let rejected = Answer::Rejected {
            why: Rejection::OutsideLogic,
            message: "no".into(),
        };
        for answer in [crash, rejected, Answer::OutOfMemory, Answer::Timeout] {
            assert_eq!(AnswerRecord::from(&answer).restore(), answer);
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
