//! The sentence of a verdict, rendered only from the facts that it refers to.

use super::grounds::{Balance, Grounds, ModelOf, ModelState, Refuted};
use super::{Class, Link, Related, Reply, SourceStatus, Verdict};
use crate::case::RelationKind;
use ::core::time::Duration;
use auspex_logic::{Answer, Crash, CrashKind};

/// So many characters of a reply are quoted.
const LONGEST_QUOTE: usize = 200;

/// The facts that a verdict may refer to.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub replies: &'a [Reply],
    pub related: &'a [Related],
}

impl Verdict {
    /// Who is wrong, and why, for a person to check by hand.
    pub fn sentence(&self, facts: Facts<'_>) -> String {
        let accused = self.accused.first().copied().unwrap_or(0);
        let solver = facts.title(accused);
        let word = facts.word(accused);
        match &self.grounds {
            Grounds::Crash => match &facts.replies[accused].answer {
                Answer::Crashed(crash) => crashed(&solver, crash),
                _ => format!("{solver} crashed."),
            },
            Grounds::FalseAssertion { assertion, part } if assertion == part => {
                format!(
                    "{solver} answers sat, but under its model the assertion {assertion} is false."
                )
            }
            Grounds::FalseAssertion { assertion, part } => format!(
                "{solver} answers sat, but under its model the assertion {assertion} is false, because {part} has the wrong truth value."
            ),
            Grounds::ValidModel { of } => format!(
                "{solver} answers unsat, but {} makes every assertion true (checked by evaluation).",
                facts.model(*of)
            ),
            Grounds::FalseByEvaluation { assertion, forced } => {
                let whatever = match forced {
                    true => {
                        "is false in every model, because other assertions fix the values of its symbols"
                    }
                    false => "is false under every interpretation of its symbols",
                };
                format!("{solver} answers sat, but {assertion} {whatever} (checked by evaluation).")
            }
            Grounds::TrueByEvaluation => format!(
                "{solver} answers unsat, but every assertion is true under every interpretation of its symbols (checked by evaluation)."
            ),
            Grounds::Construction { because } => format!(
                "{solver} answers sat, but the assertions contradict each other: {because}."
            ),
            Grounds::RelatedKnown { relation, sources } => {
                let is_one = sources.len() == 1;
                let known = sources.iter().map(|at| match &facts.related[*at].known {
                    SourceStatus::Model(_) if is_one => {
                        "the source has a known model (checked by evaluation)"
                    }
                    SourceStatus::Model(_) => "they have known models (checked by evaluation)",
                    SourceStatus::Contradiction if is_one => {
                        "the source is contradictory by construction"
                    }
                    SourceStatus::Contradiction => "they are contradictory by construction",
                    SourceStatus::Nothing => "nothing is known about the source",
                });
                format!(
                    "{solver} answers {word}, but {}, and {}.",
                    meaning(*relation, sources.len()),
                    distinct(known)
                )
            }
            Grounds::RelatedAnswers { relation, answers }
            | Grounds::RelatedItself { relation, answers } => format!(
                "{solver} answers {word}, but {}, and {}.",
                meaning(*relation, count_sources(answers)),
                facts.said(
                    answers,
                    match count_sources(answers) {
                        1 => "to the source",
                        _ => "to them",
                    }
                )
            ),
            Grounds::OtherForm { answer } => {
                let form = match facts.related[answer.0].link {
                    Link::Pushed => "to the same script after a push".to_string(),
                    Link::Spelled(spelling) => format!("to the same script {}", spelling.how()),
                    Link::Alone | Link::Source(_) | Link::CoreOf(_) | Link::Claim(..) => {
                        "to the same assertions without the rest of the script".to_string()
                    }
                };
                let said = facts.said(&[*answer], &form);
                format!("{solver} answers {word}, but {said}; one of its two answers is wrong.")
            }
            Grounds::TwoAnswers { sat, unsat } => format!(
                "{} answers sat and {} answers unsat to the same assertions, so one of its two answers is wrong.",
                facts.form(*sat),
                facts.form(*unsat)
            ),
            Grounds::UnknownName { name } if name.starts_with('(') => format!(
                "{solver} returns a core that contains the term {name}, but a core consists of names of assertions."
            ),
            Grounds::UnknownName { name } => {
                format!(
                    "{solver} returns a core that contains {name}, but no assertion has that name."
                )
            }
            Grounds::CoreModel { of } => format!(
                "{solver} returns the core ({}), but {} makes all its members true (checked by evaluation).",
                facts.core(accused),
                facts.model(*of)
            ),
            Grounds::CoreItself { answer } => format!(
                "{solver} returns the core ({}), but {}.",
                facts.core(accused),
                facts.said(&[*answer], "to the members of that core alone")
            ),
            Grounds::CoreOthers { answers } => format!(
                "{solver} returns the core ({}), but {}.",
                facts.core(accused),
                facts.said(answers, "to the members of that core alone")
            ),
            Grounds::Claim {
                question,
                claim,
                refuted,
            } => {
                let reply = facts.question(accused, *question);
                let refuted = match refuted {
                    Refuted::Found { found } => found.clone(),
                    Refuted::Model { of } => format!(
                        "But {} shows the opposite (checked by evaluation).",
                        facts.model(*of)
                    ),
                    Refuted::Answers { side, answers } => {
                        let what = match side {
                            super::Side::Sat => "where the claim leaves no model",
                            super::Side::Unsat => "where the claim needs a model",
                        };
                        format!("But {}.", facts.said(answers, what))
                    }
                };
                format!("{solver} {reply}. It claims: {claim} {refuted}")
            }
            Grounds::Contradiction {
                sat,
                unsat,
                neither,
                models,
                balance,
            } => {
                let mut silent: Vec<String> = neither
                    .iter()
                    .map(|at| format!("{} ({})", facts.title(*at), facts.word(*at)))
                    .collect();
                silent.dedup();
                let silent = match silent.is_empty() {
                    true => String::new(),
                    false => format!(" Neither sat nor unsat: {}.", silent.join(", ")),
                };
                format!(
                    "{} sat, {} unsat.{silent} {} {}",
                    facts.answer(sat),
                    facts.answer(unsat),
                    undecided(models),
                    weighed(facts, self.class, sat, unsat, balance)
                )
            }
            Grounds::GaveUp { expected, reason } => format!(
                "{solver} answers unknown ({reason}), but the right answer is {}, and scripts of this kind are decidable.",
                expected.word()
            ),
            Grounds::Slower { than } => format!(
                "{solver} has {} after {} of processor time; {} needs {}.",
                match facts.replies[accused].answer {
                    Answer::Timeout => "no answer",
                    _ => "an answer",
                },
                seconds(facts.replies[accused].time),
                facts.title(*than),
                seconds(facts.replies[*than].time)
            ),
        }
    }
}

impl Facts<'_> {
    fn title(&self, at: usize) -> String {
        self.replies.get(at).map_or_else(String::new, Reply::title)
    }

    /// The title of a reply, and the form in which its solver was asked.
    fn form(&self, at: usize) -> String {
        let form = self.replies.get(at).map_or("", |reply| reply.form.remark());
        self.title(at) + form
    }

    fn word(&self, at: usize) -> &'static str {
        self.replies.get(at).map_or("", |reply| reply.answer.word())
    }

    /// `z3 5.4.0 answers` or `z3 5.4.0, cvc5 1.4.2 answer`.
    fn answer(&self, all: &[usize]) -> String {
        let titles = self.names(all);
        let verb = match titles.len() {
            1 => "answers",
            _ => "answer",
        };
        format!("{} {verb}", titles.join(", "))
    }

    fn titles(&self, all: &[usize]) -> String {
        self.names(all).join(", ")
    }

    /// The solvers of these replies, each named once.
    fn names(&self, all: &[usize]) -> Vec<String> {
        let mut titles: Vec<String> = Vec::new();
        for title in all.iter().map(|at| self.title(*at)) {
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        titles
    }

    /// `z3 5.4.0 answers sat to the source`, for answers to related scripts.
    fn said(&self, answers: &[(usize, usize)], to: &str) -> String {
        let mut said: Vec<String> = Vec::new();
        for (related, reply) in answers {
            let Some(reply) = self
                .related
                .get(*related)
                .and_then(|r| r.replies.get(*reply))
            else {
                continue;
            };
            let one = format!("{} answers {} {to}", reply.title(), reply.answer.word());
            if !said.contains(&one) {
                said.push(one);
            }
        }
        said.join(" and ")
    }

    fn model(&self, of: ModelOf) -> String {
        match of {
            ModelOf::Case => "the model that the script was built to satisfy".to_string(),
            ModelOf::Reply(at) => format!("the model of {}", self.title(at)),
            ModelOf::Related(related, reply) => {
                let Some(related) = self.related.get(related) else {
                    return String::new();
                };
                let title = related
                    .replies
                    .get(reply)
                    .map_or_else(String::new, Reply::title);
                let script = match related.link {
                    Link::Source(_) => "the source of the script",
                    Link::CoreOf(_) => "these members alone",
                    Link::Alone => "the query alone",
                    Link::Pushed => "the script after a push",
                    Link::Spelled(_) => "the script in another spelling",
                    Link::Claim(..) => "the opposite",
                };
                format!("the model that {title} returns for {script}")
            }
        }
    }

    /// `replies (objectives (x 3)) to (get-objectives)`, or the answer to the query itself.
    fn question(&self, at: usize, question: Option<usize>) -> String {
        let reply = self.replies.get(at);
        match question.and_then(|number| reply?.questions.get(number)) {
            Some(one) => format!(
                "replies {} to {}",
                in_one_line(&one.said),
                in_one_line(&one.question)
            ),
            None => format!("answers {}", self.word(at)),
        }
    }

    fn core(&self, at: usize) -> String {
        match self.replies.get(at).map(|reply| &reply.answer) {
            Some(Answer::Unsat { core: Some(core) }) => core.join(" "),
            _ => String::new(),
        }
    }
}

/// What a relation claims about this script and its sources.
fn meaning(relation: RelationKind, sources: usize) -> String {
    let text = match (relation, sources) {
        (RelationKind::Weaker, _) => "its source implies the script",
        (RelationKind::Stronger, _) => "the script implies its source",
        (RelationKind::Equisatisfiable, _) => {
            "the script is satisfiable if and only if its source is"
        }
        (RelationKind::SatIfAll, 1) => "the script is satisfiable if its source is",
        (RelationKind::SatIfAll, _) => "the script is satisfiable if all its sources are",
        (RelationKind::UnsatIfAll, 1) => "the script is unsatisfiable if its source is",
        (RelationKind::UnsatIfAll, _) => "the script is unsatisfiable if all its sources are",
    };
    text.to_string()
}

/// How many related scripts these answers are about.
fn count_sources(answers: &[(usize, usize)]) -> usize {
    let mut sources: Vec<usize> = answers.iter().map(|(related, _)| *related).collect();
    sources.dedup();
    sources.len()
}

fn distinct<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut all: Vec<&str> = texts.collect();
    all.dedup();
    all.join(" and ")
}

/// Why no model decides a contradiction.
fn undecided(models: &[ModelState]) -> String {
    let words: Vec<&str> = models
        .iter()
        .map(|state| match state {
            ModelState::Missing => "no model was returned",
            ModelState::Unreadable => "a model could not be read",
            ModelState::Undetermined => "a model leaves an assertion undetermined",
            ModelState::Valid => "a model is valid",
            ModelState::Invalid => "a model is invalid",
        })
        .collect();
    format!("No model decides it ({}).", words.join("; "))
}

fn weighed(
    facts: Facts<'_>,
    class: Class,
    sat: &[usize],
    unsat: &[usize],
    balance: &Balance,
) -> String {
    let side = |wrong: &super::Side| match wrong {
        super::Side::Sat => facts.titles(sat),
        super::Side::Unsat => facts.titles(unsat),
    };
    match balance {
        Balance::Likely { wrong, against } => {
            let sure = match class {
                Class::WrongSat => "Wrong",
                _ => "Likely wrong",
            };
            format!(
                "{sure}: {}; {against} independent solvers contradict it.",
                side(wrong)
            )
        }
        Balance::OwnRunsAgree { wrong, makes } => format!(
            "Likely wrong: {}; other runs of {} and independent solvers contradict it.",
            side(wrong),
            makes.join(", ")
        ),
        Balance::Open { torn, .. } if !torn.is_empty() => {
            format!(
                "Which side is wrong is open: {} is on both sides.",
                torn.join(", ")
            )
        }
        Balance::Open { sat, unsat, .. } => format!(
            "Which side is wrong is open: {sat} independent {} sat and {unsat} unsat.",
            if *sat == 1 {
                "solver says"
            } else {
                "solvers say"
            }
        ),
    }
}

fn crashed(solver: &str, crash: &Crash) -> String {
    let how = match &crash.how {
        CrashKind::Signal(signal) => format!("crashed with signal {signal}"),
        CrashKind::Assertion => "failed an assertion".into(),
        CrashKind::InternalError => "reported an internal error".into(),
        CrashKind::Sanitizer => "triggered a sanitizer report".into(),
        CrashKind::Leak => "leaked memory".into(),
        CrashKind::Exception => "ended with an uncaught exception".into(),
        CrashKind::ExitCode(code) => format!("exited with code {code} and gave no answer"),
    };
    match crash.message.trim() {
        "" => format!("{solver} {how}."),
        message => format!("{solver} {how}: {message}"),
    }
}

/// A text without line breaks, and its beginning if it is long.
fn in_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ").replace("( ", "(").replace(" )", ")");
    match line.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn seconds(time: Option<Duration>) -> String {
    format!("{:.3} s", time.unwrap_or_default().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Kind;
    use crate::case::Expected;
    use crate::oracle::tests::reply;
    use crate::oracle::{Side, SourceStatus};

    /// Facts in which every solver has a name that no other has.
    fn facts() -> (Vec<Reply>, Vec<Related>) {
        let core = Some(vec!["a".to_string()]);
        let replies = vec![
            Reply {
                answer: Answer::Unsat { core },
                ..reply("first 1", "unsat")
            },
            reply("second 1", "sat"),
            reply("third 1", "unknown"),
        ];
        let related = |link, known, who| Related {
            link,
            text: "(check-sat)".to_string(),
            known,
            replies: vec![reply(who, "sat")],
        };
        let related = vec![
            related(
                Link::Source(0),
                SourceStatus::Model("()".into()),
                "fourth 1",
            ),
            related(Link::CoreOf(0), SourceStatus::Nothing, "fifth 1"),
            related(Link::Pushed, SourceStatus::Nothing, "sixth 1"),
        ];
        (replies, related)
    }

    /// Every kind of grounds, with the solvers whose facts it refers to.
    fn kinds() -> Vec<(Class, Grounds, &'static [&'static str])> {
        let relation = RelationKind::Weaker;
        let term = || "(= x x)".to_string();
        vec![
            (Class::Crash, Grounds::Crash, &["first"]),
            (
                Class::InvalidModel,
                Grounds::FalseAssertion {
                    assertion: term(),
                    part: term(),
                },
                &["first"],
            ),
            (
                Class::WrongUnsat,
                Grounds::ValidModel { of: ModelOf::Case },
                &["first"],
            ),
            (
                Class::WrongUnsat,
                Grounds::ValidModel {
                    of: ModelOf::Reply(1),
                },
                &["first", "second"],
            ),
            (
                Class::WrongUnsat,
                Grounds::ValidModel {
                    of: ModelOf::Related(0, 0),
                },
                &["first", "fourth"],
            ),
            (
                Class::WrongSat,
                Grounds::FalseByEvaluation {
                    assertion: term(),
                    forced: true,
                },
                &["first"],
            ),
            (Class::WrongUnsat, Grounds::TrueByEvaluation, &["first"]),
            (
                Class::WrongSat,
                Grounds::Construction { because: term() },
                &["first"],
            ),
            (
                Class::WrongUnsat,
                Grounds::RelatedKnown {
                    relation,
                    sources: vec![0],
                },
                &["first"],
            ),
            (
                Class::WrongSat,
                Grounds::RelatedAnswers {
                    relation,
                    answers: vec![(0, 0)],
                },
                &["first", "fourth"],
            ),
            (
                Class::SelfContradiction,
                Grounds::RelatedItself {
                    relation,
                    answers: vec![(0, 0)],
                },
                &["first", "fourth"],
            ),
            (
                Class::SelfContradiction,
                Grounds::OtherForm { answer: (2, 0) },
                &["first", "sixth"],
            ),
            (
                Class::SelfContradiction,
                Grounds::TwoAnswers { sat: 1, unsat: 0 },
                &["first", "second"],
            ),
            (
                Class::WrongCore,
                Grounds::UnknownName { name: term() },
                &["first"],
            ),
            (
                Class::WrongCore,
                Grounds::UnknownName {
                    name: "a".to_string(),
                },
                &["first"],
            ),
            (
                Class::WrongCore,
                Grounds::CoreModel {
                    of: ModelOf::Related(1, 0),
                },
                &["first", "fifth"],
            ),
            (
                Class::SelfContradiction,
                Grounds::CoreItself { answer: (1, 0) },
                &["first", "fifth"],
            ),
            (
                Class::WrongCore,
                Grounds::CoreOthers {
                    answers: vec![(1, 0)],
                },
                &["first", "fifth"],
            ),
            (
                Class::Wrong(Kind::Optimum),
                Grounds::Claim {
                    question: None,
                    claim: "No model has a larger x.".to_string(),
                    refuted: Refuted::Model {
                        of: ModelOf::Related(1, 0),
                    },
                },
                &["first", "fifth"],
            ),
            (
                Class::SelfContradiction,
                Grounds::Claim {
                    question: None,
                    claim: "No model has a larger x.".to_string(),
                    refuted: Refuted::Answers {
                        side: Side::Sat,
                        answers: vec![(2, 0)],
                    },
                },
                &["first", "sixth"],
            ),
            (
                Class::Wrong(Kind::Optimum),
                Grounds::Claim {
                    question: None,
                    claim: "Its model attains 3.".to_string(),
                    refuted: Refuted::Found {
                        found: "Under its model x is 2.".to_string(),
                    },
                },
                &["first"],
            ),
            (
                Class::Disagreement,
                Grounds::Contradiction {
                    sat: vec![1],
                    unsat: vec![0, 0],
                    neither: vec![2],
                    models: vec![ModelState::Missing],
                    balance: Balance::Likely {
                        wrong: Side::Sat,
                        against: 2,
                    },
                },
                &["first", "second", "third"],
            ),
            (
                Class::Incompleteness,
                Grounds::GaveUp {
                    expected: Expected::Sat,
                    reason: "incomplete".to_string(),
                },
                &["first"],
            ),
            (
                Class::Slowness,
                Grounds::Slower { than: 1 },
                &["first", "second"],
            ),
        ]
    }

    #[test]
    fn a_sentence_names_those_of_its_facts_and_nobody_else() {
        let (replies, related) = facts();
        let facts = Facts {
            replies: &replies,
            related: &related,
        };
        let all = ["first", "second", "third", "fourth", "fifth", "sixth"];
        for (class, grounds, named) in kinds() {
            let text = Verdict::new(class, 0, grounds).sentence(facts);
            for who in all {
                let title = format!("{who} 1");
                assert_eq!(text.contains(&title), named.contains(&who), "{who}: {text}");
            }
            assert!(text.ends_with('.') && !text.contains("  "), "{text}");
            assert_eq!(text.matches("first 1, first 1").count(), 0, "{text}");
        }
    }

    #[test]
    fn what_a_related_script_is_known_by_is_said_only_where_it_is_known() {
        let (replies, related) = facts();
        let said = |known| {
            let mut related = related.clone();
            related[0].known = known;
            let grounds = Grounds::RelatedKnown {
                relation: RelationKind::Weaker,
                sources: vec![0],
            };
            Verdict::new(Class::WrongUnsat, 0, grounds).sentence(Facts {
                replies: &replies,
                related: &related,
            })
        };
        assert!(said(SourceStatus::Model("()".into())).contains("checked by evaluation"));
        assert!(said(SourceStatus::Contradiction).contains("by construction"));
        assert!(said(SourceStatus::Nothing).contains("nothing is known"));
    }
}
