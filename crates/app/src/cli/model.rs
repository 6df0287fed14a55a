//! `auspex model`: checks whether a model satisfies a script, and if not, which part is false.

use super::eval::reason;
use super::input::{read_text, script_of};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_logic::eval::{Evaluator, Outcome};
use auspex_logic::model::{ModelError, ModelVerdict, falsified, read_model, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::script::{Command, Query};
use auspex_logic::{Model, TermId, Terms, Value};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// An SMT-LIB script
    script: PathBuf,
    /// A solver's reply to (get-model)
    model: PathBuf,
    /// The query the model is for, counted from 1
    #[arg(long, default_value_t = 1)]
    query: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut terms = Terms::new();
    let text = read_text(&arguments.script)?;
    let mut script = script_of(&mut terms, &arguments.script, &text, terminal)?.script;
    if script.queries().is_empty() {
        script.push(Command::CheckSat);
    }
    let queries = script.queries();
    let query = arguments
        .query
        .checked_sub(1)
        .and_then(|n| queries.get(n))
        .ok_or_else(|| {
            Failure::Usage(format!(
                "{} has {} queries",
                arguments.script.display(),
                queries.len()
            ))
        })?;
    let reply = read_text(&arguments.model)?;
    let model =
        read_model(&mut terms, &script, &reply).map_err(|error| refuse(&arguments.model, error))?;
    let verdict = validate(&terms, &model, query);
    let mut out = terminal.out();
    if arguments.json {
        writeln!(out, "{}", as_json(&mut terms, &model, &verdict))?;
    } else {
        show(&mut terms, &model, query, &verdict, &mut out)?;
    }
    out.flush()?;
    Ok(match verdict {
        ModelVerdict::Valid => Exit::Clean,
        ModelVerdict::Invalid { .. } => Exit::Found,
        ModelVerdict::Undetermined { .. } => Exit::Undetermined,
    })
}

fn refuse(path: &std::path::Path, error: ModelError) -> Failure {
    let what = match error {
        ModelError::Syntax(error) => error.message().to_string(),
        ModelError::Refused(said) => format!("the reply contains no model: {said}"),
        ModelError::NoModel(text) => format!("not a model: it starts with {text:?}"),
    };
    Failure::Usage(format!("{}: {what}", path.display()))
}

fn show(
    terms: &mut Terms,
    model: &Model,
    query: &Query,
    verdict: &ModelVerdict,
    out: &mut impl Write,
) -> std::io::Result<()> {
    match verdict {
        ModelVerdict::Valid => {
            let count = query.assertions.len() + query.assumptions.len();
            writeln!(out, "valid: all {count} assertions are true")
        }
        ModelVerdict::Undetermined { assertion, why } => {
            writeln!(out, "undetermined: {}", text(terms, *assertion))?;
            writeln!(
                out,
                "  since {}: {}",
                text(terms, why.term),
                reason(why.reason)
            )
        }
        ModelVerdict::Invalid { assertion } => {
            writeln!(out, "invalid: {}", text(terms, *assertion))?;
            for (term, outcome, parts) in explanation(terms, model, *assertion) {
                writeln!(out, "  {} is {}", text(terms, term), value(&outcome))?;
                for (part, outcome) in parts {
                    let shown = shown(terms, part, outcome);
                    writeln!(out, "    {} = {shown}", text(terms, part))?;
                }
            }
            Ok(())
        }
    }
}

type Explained = (TermId, Outcome, Vec<(TermId, Outcome)>);

/// The false parts, smallest first, each with the values of its arguments.
fn explanation(terms: &Terms, model: &Model, assertion: TermId) -> Vec<Explained> {
    let mut evaluator = Evaluator::new(terms, model);
    let chain = falsified(terms, model, assertion).into_iter().rev();
    chain
        .map(|(term, outcome)| {
            let worth_showing =
                |arg: &TermId| terms.is_closed(*arg) && terms.literal_value(*arg).is_none();
            let args = terms.args(term).iter().copied().filter(worth_showing);
            let parts = args.map(|arg| (arg, evaluator.value(arg))).collect();
            (term, outcome, parts)
        })
        .collect()
}

fn shown(terms: &mut Terms, part: TermId, outcome: Outcome) -> String {
    let sort = terms.sort(part);
    match outcome {
        Ok(value) => terms.value_text(&value, sort),
        Err(why) => format!("undetermined ({})", reason(why.reason)),
    }
}

fn value(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(Value::Bool(true)) => "true",
        Ok(Value::Bool(false)) => "false",
        _ => "undetermined",
    }
}

fn text(terms: &Terms, term: TermId) -> String {
    render::term(terms, term, Sharing::Auto)
}

fn as_json(terms: &mut Terms, model: &Model, verdict: &ModelVerdict) -> serde_json::Value {
    match verdict {
        ModelVerdict::Valid => json!({"verdict": "valid"}),
        ModelVerdict::Invalid { assertion } => {
            let parts = explanation(terms, model, *assertion);
            let parts: Vec<serde_json::Value> = parts
                .into_iter()
                .map(|(term, outcome, args)| {
                    let mut argument = |(part, outcome): (TermId, Outcome)| {
                        json!({"term": text(terms, part), "value": shown(terms, part, outcome)})
                    };
                    let args: Vec<serde_json::Value> = args.into_iter().map(&mut argument).collect();
                    json!({"term": text(terms, term), "value": value(&outcome), "arguments": args})
                })
                .collect();
            json!({"verdict": "invalid", "assertion": text(terms, *assertion), "parts": parts})
        }
        ModelVerdict::Undetermined { assertion, why } => json!({
            "verdict": "undetermined",
            "assertion": text(terms, *assertion),
            "part": text(terms, why.term),
            "reason": reason(why.reason),
        }),
    }
}
