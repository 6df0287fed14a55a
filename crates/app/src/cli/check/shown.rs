//! What solvers show of their reasoning in `auspex check`: asks for lemmas and proofs, and counts what they come to.

use super::Arguments;
use auspex_campaign::judge::examine::Examination;
use auspex_cases::Case;
use auspex_cases::answers::{Asked, Kind, asked_by, lemma, proof};
use auspex_cases::oracle::{Form, QuestionReply, Reply};
use auspex_cases::proofs::steps::Effort;
use auspex_logic::{Script, Terms};
use auspex_solvers::Solver;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// What one reply shows, counted.
pub struct Shown {
    solver: String,
    /// From 1.
    query: usize,
    what: What,
}

enum What {
    Lemmas(lemma::Census),
    Proof(&'static str, BTreeMap<&'static str, usize>),
    Unread(String),
}

/// The script with the settings and questions that the arguments want.
pub fn asking(
    terms: &mut Terms,
    mut script: Script,
    arguments: &Arguments,
    solvers: &[Solver],
) -> Script {
    if arguments.lemmas {
        let mut makes: Vec<&str> = solvers
            .iter()
            .map(|one| one.profile.name.as_str())
            .collect();
        makes.sort_unstable();
        makes.dedup();
        for make in makes {
            script = lemma::narrated(terms, &script, make).unwrap_or(script);
        }
    }
    match arguments.proof {
        true => proof::with_proof(terms, &script),
        false => script,
    }
}

/// What the replies to all queries show.
pub fn all(terms: &mut Terms, case: &Case, examination: &Examination) -> Vec<Shown> {
    let mut all = Vec::new();
    for (number, judged) in examination.queries.iter().enumerate() {
        let replies = judged.facts.replies.iter();
        for reply in replies.filter(|reply| reply.form == Form::Script) {
            for question in &reply.questions {
                let what = what(terms, &case.script, reply, question);
                all.extend(what.map(|what| Shown {
                    solver: reply.solver.title(),
                    query: number + 1,
                    what,
                }));
            }
        }
    }
    all
}

fn what(
    terms: &mut Terms,
    script: &Script,
    reply: &Reply,
    question: &QuestionReply,
) -> Option<What> {
    let kind = asked_by(terms, script, question.command)?.kind();
    let mut asked = Asked {
        said: &question.said,
        answer: Some(&reply.answer),
        ..Asked::new(terms, script, question.command)
    };
    let what = match kind {
        Kind::ProofStep => {
            let judged = proof::judged(&mut asked, Effort::QUICK);
            judged.map(|one| What::Proof(one.format.name(), one.census()))
        }
        Kind::Lemma => lemma::census(&mut asked).map(What::Lemmas),
        _ => return None,
    };
    Some(what.unwrap_or_else(What::Unread))
}

pub fn write(all: &[Shown], out: &mut impl Write) -> std::io::Result<()> {
    for one in all {
        let (query, solver) = (one.query, &one.solver);
        match &one.what {
            What::Lemmas(census) => {
                let mut states: BTreeMap<lemma::State, usize> = BTreeMap::new();
                for ((_, state), count) in census {
                    *states.entry(*state).or_default() += count;
                }
                let counts = states.iter().map(|(state, count)| (state.word(), *count));
                writeln!(
                    out,
                    "  query {query}: lemmas of {solver}: {}",
                    listed(counts)
                )?;
                for ((source, state), count) in census {
                    writeln!(out, "    {source:<32} {:<10} {count:>6}", state.word())?;
                }
            }
            What::Proof(format, census) => {
                let steps: usize = census.values().sum();
                let counts = census.iter().map(|(word, count)| (*word, *count));
                let counts = listed(counts);
                writeln!(
                    out,
                    "  query {query}: proof of {solver} ({format} format): {steps} steps: {counts}"
                )?;
            }
            What::Unread(why) => writeln!(out, "  query {query}: {solver}: not read: {why}")?,
        }
    }
    Ok(())
}

fn listed<'t>(counts: impl Iterator<Item = (&'t str, usize)>) -> String {
    let all: Vec<String> = counts
        .map(|(word, count)| format!("{word} {count}"))
        .collect();
    match all.is_empty() {
        true => "none".to_string(),
        false => all.join(", "),
    }
}

pub fn as_json(all: &[Shown]) -> Value {
    let one = |one: &Shown| match &one.what {
        What::Lemmas(census) => {
            let rows = census.iter().map(|((source, state), count)| {
                json!({"source": source, "state": state.word(), "count": count})
            });
            json!({"query": one.query, "solver": one.solver, "lemmas": rows.collect::<Vec<_>>()})
        }
        What::Proof(format, census) => {
            json!({"query": one.query, "solver": one.solver, "proof": format, "steps": census})
        }
        What::Unread(why) => json!({"query": one.query, "solver": one.solver, "unread": why}),
    };
    all.iter().map(one).collect()
}
