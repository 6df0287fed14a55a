//! The other scripts that a verdict rests on, as a report shows them.

use crate::findings::finding::Finding;
use auspex_cases::Side;
use auspex_cases::oracle::{Grounds, Link, ModelOf, Refuted, Related, Reply};

/// Another script that the reason refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// A caption: `The source of the script`.
    pub name: &'static str,
    pub text: String,
    /// The solvers' answers to it.
    pub answers: Vec<(String, &'static str)>,
    /// The model of it that the verdict rests on.
    pub model: Option<String>,
    /// The solvers that checked the relation again after reduction.
    pub checked_by: Vec<String>,
}

impl Other {
    /// The related scripts that a verdict refers to, each once, in the form that belongs to the script shown.
    pub fn all(finding: &Finding, grounds: &Grounds, related: &[Related]) -> Vec<Other> {
        let mut all: Vec<Other> = Vec::new();
        for at in referred(grounds) {
            if let Some(facts) = related.get(at)
                && all.iter().all(|other| other.text != facts.text)
            {
                all.push(Other {
                    name: caption(facts.link, grounds),
                    text: facts.text.clone(),
                    answers: answers_to(facts),
                    model: model_in(grounds, at, facts),
                    checked_by: checked_by(finding, facts.link),
                });
            }
        }
        all
    }
}

/// The related scripts that the grounds refer to.
fn referred(grounds: &Grounds) -> Vec<usize> {
    match grounds {
        Grounds::ValidModel {
            of: ModelOf::Related(at, _),
        }
        | Grounds::CoreModel {
            of: ModelOf::Related(at, _),
        }
        | Grounds::OtherForm { answer: (at, _) }
        | Grounds::CoreItself { answer: (at, _) } => vec![*at],
        Grounds::RelatedKnown { sources, .. } => sources.clone(),
        Grounds::RelatedAnswers { answers, .. }
        | Grounds::RelatedItself { answers, .. }
        | Grounds::CoreOthers { answers } => answers.iter().map(|(at, _)| *at).collect(),
        Grounds::Claim { refuted, .. } => refuted.related(),
        _ => Vec::new(),
    }
}

fn caption(link: Link, grounds: &Grounds) -> &'static str {
    match (link, grounds) {
        (Link::Source(_), _) => "The source of the script",
        (Link::CoreOf(_), _) => "The members of the core alone",
        (Link::Alone, _) => "The query alone",
        (Link::Pushed, _) => "The same script after a push",
        (Link::Spelled(_), _) => "The same script in another spelling",
        (
            Link::Claim(..),
            Grounds::Claim {
                refuted:
                    Refuted::Answers {
                        side: Side::Unsat, ..
                    },
                ..
            },
        ) => "If the claim holds, this script is satisfiable",
        (Link::Claim(..), _) => "If the claim holds, this script is unsatisfiable",
    }
}

/// The model of a related script that the grounds refer to.
fn model_in(grounds: &Grounds, script: usize, facts: &Related) -> Option<String> {
    let of = match grounds {
        Grounds::ValidModel { of } | Grounds::CoreModel { of } => *of,
        Grounds::Claim {
            refuted: Refuted::Model { of },
            ..
        } => *of,
        _ => return None,
    };
    match of {
        ModelOf::Related(at, reply) if at == script => {
            let model = facts.replies.get(reply).and_then(Reply::model);
            model.map(str::to_string)
        }
        _ => None,
    }
}

fn checked_by(finding: &Finding, link: Link) -> Vec<String> {
    let shrunk = finding.reduced.is_some();
    let mut records = finding.related.iter().filter(|_| shrunk);
    let record = records.find(|record| record.link == link);
    let reduced = record.and_then(|record| record.reduced.as_ref());
    reduced.map_or_else(Vec::new, |one| one.relation_checked_by.clone())
}

fn answers_to(facts: &Related) -> Vec<(String, &'static str)> {
    let replies = facts.replies.iter();
    replies
        .map(|reply| (reply.title(), reply.answer.word()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::finding::sample;
    use auspex_cases::oracle::SourceStatus;

    #[test]
    fn only_what_the_verdict_rests_on_is_shown_and_once() {
        let facts = |link, text: &str| Related {
            link,
            text: text.to_string(),
            known: SourceStatus::Nothing,
            replies: Vec::new(),
        };
        let related = [
            facts(Link::CoreOf(0), "a"),
            facts(Link::CoreOf(1), "b"),
            facts(Link::Source(0), "a"),
        ];
        let shown = |grounds: &Grounds| {
            let all = Other::all(&sample("a"), grounds, &related);
            let texts: Vec<String> = all.into_iter().map(|other| other.text).collect();
            texts
        };
        let core = Grounds::CoreOthers {
            answers: vec![(0, 0), (0, 1), (2, 0)],
        };
        assert_eq!(shown(&core), ["a"]);
        let name = "x".to_string();
        assert!(shown(&Grounds::UnknownName { name }).is_empty());
    }
}
