//! `auspex check`: runs scripts on all solvers and judges every answer.

mod shown;

use super::input::{read_text, script_of, solvers, within};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::judge::examine::{CoreVerdict, Examination, case_of, examine};
use auspex_campaign::judge::judging::Judged;
use auspex_cases::Case;
use auspex_cases::oracle::Form;
use auspex_logic::model::ModelVerdict;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Terms};
use auspex_solvers::Solver;
use auspex_solvers::allow::allowed;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    /// SMT-LIB scripts; - is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A solver: z3, z3@4.13.0, cvc5+plain, or a command line (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// Seconds per solver and script
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
    /// Also ask for the lemmas of each answer (cvc5, z3), and judge them
    #[arg(long)]
    lemmas: bool,
    /// Also ask for a proof of the last answer (cvc5, z3), and judge its steps
    #[arg(long)]
    proof: bool,
    /// Send the scripts as they are, with commands and options that may write files: for scripts of your own
    #[arg(long)]
    as_is: bool,
    /// Print one JSON object per script
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let limits = within(arguments.timeout)?;
    let mut solvers = solvers(&arguments.solver, terminal)?;
    if arguments.as_is {
        solvers = solvers.into_iter().map(Solver::as_is).collect();
    }
    let mut out = terminal.out_for(arguments.json);
    let mut wrong = false;
    for file in &arguments.files {
        let mut terms = Terms::new();
        let text = read_text(file)?;
        let reading = script_of(&mut terms, file, &text, terminal)?;
        tell_lost(file, &text, &solvers, terminal);
        let script = shown::asking(&mut terms, reading.script, arguments, &solvers);
        let case = case_of(script, &terms);
        let text = match arguments.lemmas || arguments.proof {
            true => render::script(&terms, &case.script, Sharing::Auto),
            false => text,
        };
        let examination = examine(&mut terms, &case, &text, &solvers, &limits);
        for (solver, why) in &examination.absent {
            terminal.error(&format!("{solver}: {why}"));
        }
        let verdicts = examination.queries.iter().flat_map(|one| &one.verdicts);
        wrong |= verdicts.into_iter().any(|verdict| verdict.class.is_bug());
        let tables = tables(&mut terms, &case, &examination);
        let shown = shown::all(&mut terms, &case, &examination);
        if arguments.json {
            let mut json = as_json(file, &examination, &tables);
            json["shown"] = shown::as_json(&shown);
            writeln!(out, "{json}")?;
        } else {
            show(file, &examination, &tables, &mut out)?;
            shown::write(&shown, &mut out)?;
        }
        out.flush()?;
    }
    Ok(if wrong { Exit::Found } else { Exit::Clean })
}

/// Names the commands that are not sent to a solver. A command withheld from several solvers is named once.
fn tell_lost(file: &Path, text: &str, solvers: &[Solver], terminal: Terminal) {
    let mut lost: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
    for solver in solvers {
        let allowed = allowed(&solver.profile, text);
        if let Some(why) = allowed.refused {
            terminal.error(&format!("{}: {}: {why}", file.display(), solver.title()));
        }
        for one in allowed.lost {
            let row = lost.entry((one.line, one.command)).or_default();
            row.push(solver.title());
        }
    }
    for ((line, command), titles) in &lost {
        let titles = match titles.len() == solvers.len() {
            true => "any solver".to_string(),
            false => titles.join(", "),
        };
        terminal.note(&format!(
            "{}:{line}: not sent to {titles}: {command}",
            file.display()
        ));
    }
    if !lost.is_empty() {
        let (number, s) = (lost.len(), if lost.len() == 1 { "" } else { "s" });
        terminal.note(&format!(
            "{number} command{s} withheld because unknown or unsafe; use --as-is if you trust the script"
        ));
    }
}

/// One line of the result.
struct Row {
    solver: String,
    word: &'static str,
    seconds: f64,
    remark: String,
}

/// The answers to each query. Answers to the unchanged script are shown where they differ.
fn tables(terms: &mut Terms, case: &Case, examination: &Examination) -> Vec<Vec<Row>> {
    let queries = examination.queries.iter().enumerate();
    let table = queries.map(|(query, judged)| {
        let replies = 0..judged.facts.replies.len();
        let shown = replies.filter(|at| is_shown(judged, *at));
        let rows = shown.map(|at| {
            let reply = &judged.facts.replies[at];
            let run = &examination.runs[judged.facts.runs[at]];
            Row {
                solver: match reply.form {
                    Form::Exact => format!("{} (unchanged script)", reply.solver.title()),
                    _ => reply.solver.title(),
                },
                word: reply.answer.word(),
                seconds: run.wall.as_secs_f64(),
                remark: remark(terms, case, judged, (query, at)),
            }
        });
        rows.collect()
    });
    table.collect()
}

fn is_shown(judged: &Judged, at: usize) -> bool {
    let facts = &judged.facts;
    let reply = &facts.replies[at];
    let mut others = facts.replies.iter().zip(&facts.members);
    let told = others.any(|(other, member)| {
        *member == facts.members[at]
            && other.form != Form::Exact
            && other.answer.word() == reply.answer.word()
    });
    reply.form != Form::Exact || !told
}

fn show(
    file: &Path,
    examination: &Examination,
    tables: &[Vec<Row>],
    out: &mut impl Write,
) -> std::io::Result<()> {
    writeln!(out, "{}", file.display())?;
    let all = tables.iter().flatten();
    let width = all.map(|row| row.solver.chars().count()).max().unwrap_or(0);
    for (number, (rows, judged)) in tables.iter().zip(&examination.queries).enumerate() {
        for row in rows {
            let line = format!(
                "  query {:<3} {:<width$}  {:<9} {:>8}  {}",
                number + 1,
                row.solver,
                row.word,
                format!("{:.0} ms", row.seconds * 1e3),
                row.remark
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        // Both forms of a script are judged, mostly alike.
        let mut shown = BTreeSet::new();
        for verdict in &judged.verdicts {
            let why = verdict.sentence(judged.facts.as_facts());
            let line = format!("  {}: {why}", verdict.class.name());
            if shown.insert(line.clone()) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

fn remark(terms: &mut Terms, case: &Case, judged: &Judged, at: (usize, usize)) -> String {
    let (query, reply) = at;
    let mut remark = match &judged.facts.replies[reply].answer {
        Answer::Unknown { reason } => reason.clone(),
        Answer::Rejected { message, .. } => message.clone(),
        Answer::Crashed(crash) => crash.message.clone(),
        Answer::Garbled { text } => text.clone(),
        _ => String::new(),
    };
    match judged.model(terms, case, query, reply) {
        Some(ModelVerdict::Valid) => remark.push_str("model valid"),
        Some(ModelVerdict::Invalid { .. }) => remark.push_str("model INVALID"),
        Some(ModelVerdict::Undetermined { why, .. }) => {
            remark.push_str(&format!(
                "model undetermined: {}",
                super::eval::reason(why.reason)
            ));
        }
        None => {}
    }
    match judged.core(reply) {
        Some(CoreVerdict::Confirmed) => remark.push_str("core confirmed"),
        Some(CoreVerdict::Wrong) => remark.push_str("core WRONG"),
        Some(CoreVerdict::Open) => remark.push_str("core not confirmed"),
        None => {}
    }
    let line = remark.lines().next().unwrap_or("");
    line.chars().take(120).collect()
}

fn as_json(file: &Path, examination: &Examination, tables: &[Vec<Row>]) -> serde_json::Value {
    let queries = tables.iter().zip(&examination.queries);
    let queries = queries.map(|(rows, judged)| {
        let answers = rows.iter().map(|row| {
            json!({
                "solver": row.solver,
                "answer": row.word,
                "seconds": row.seconds,
                "remark": row.remark,
            })
        });
        let facts = judged.facts.as_facts();
        let verdicts = judged.verdicts.iter().map(|verdict| {
            let accused = verdict.accused.iter();
            let accused: BTreeSet<String> = accused
                .map(|at| facts.replies[*at].solver.title())
                .collect();
            json!({
                "class": verdict.class,
                "is-bug": verdict.class.is_bug(),
                "accused": accused,
                "grounds": verdict.grounds,
                "why": verdict.sentence(facts),
            })
        });
        json!({
            "answers": answers.collect::<Vec<_>>(),
            "verdicts": verdicts.collect::<Vec<_>>(),
        })
    });
    let queries: Vec<_> = queries.collect();
    json!({"file": file.display().to_string(), "queries": queries})
}
