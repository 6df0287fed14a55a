//! `auspex check`: runs scripts on all solvers and judges every answer.

use super::input::{read_text, script_of, solvers, within};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::examine::{Cell, CoreVerdict, Examination, examine};
use auspex_logic::model::ModelVerdict;
use auspex_logic::{Answer, Terms};
use auspex_solvers::Solver;
use auspex_solvers::allow::allowed;
use serde_json::json;
use std::collections::BTreeMap;
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
        let examination = examine(&mut terms, &reading.script, &text, &solvers, &limits);
        for (solver, why) in &examination.absent {
            terminal.error(&format!("{solver}: {why}"));
        }
        wrong |= examination
            .queries
            .iter()
            .any(|query| !query.complaints.is_empty());
        if arguments.json {
            writeln!(out, "{}", as_json(file, &examination))?;
        } else {
            show(file, &examination, &mut out)?;
        }
        out.flush()?;
    }
    Ok(if wrong { Exit::Found } else { Exit::Clean })
}

/// Says what of a script each solver is not sent; what several are not sent is said once.
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
            "{number} command{s} could do harm or are unknown; --as-is sends a script of your own as it is"
        ));
    }
}

fn show(file: &Path, examination: &Examination, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}", file.display())?;
    let width = examination
        .solvers
        .iter()
        .map(|s| s.chars().count())
        .max()
        .unwrap_or(0);
    for (number, query) in examination.queries.iter().enumerate() {
        for (solver, cell) in examination.solvers.iter().zip(&query.cells) {
            let line = format!(
                "  query {:<3} {solver:<width$}  {:<9} {:>8}  {}",
                number + 1,
                cell.answer.word(),
                format!("{:.0} ms", cell.time.as_secs_f64() * 1e3),
                remark(cell)
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        for complaint in &query.complaints {
            writeln!(out, "  {}: {}", complaint.class.name(), complaint.why)?;
        }
    }
    Ok(())
}

fn remark(cell: &Cell) -> String {
    let mut remark = match &cell.answer {
        Answer::Unknown { reason } => reason.clone(),
        Answer::Rejected { message, .. } => message.clone(),
        Answer::Crashed(crash) => crash.message.clone(),
        Answer::Garbled { text } => text.clone(),
        _ => String::new(),
    };
    match &cell.model {
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
    match cell.core {
        Some(CoreVerdict::Confirmed) => remark.push_str("core confirmed"),
        Some(CoreVerdict::Wrong) => remark.push_str("core WRONG"),
        Some(CoreVerdict::Open) => remark.push_str("core not confirmed"),
        None => {}
    }
    let line = remark.lines().next().unwrap_or("");
    line.chars().take(120).collect()
}

fn as_json(file: &Path, examination: &Examination) -> serde_json::Value {
    let queries: Vec<_> = examination
        .queries
        .iter()
        .map(|query| {
            let answers: Vec<_> = examination
                .solvers
                .iter()
                .zip(&query.cells)
                .map(|(solver, cell)| {
                    json!({
                        "solver": solver,
                        "answer": cell.answer.word(),
                        "seconds": cell.time.as_secs_f64(),
                        "remark": remark(cell),
                    })
                })
                .collect();
            let complaints: Vec<_> = query
                .complaints
                .iter()
                .map(|c| {
                    let accused: Vec<_> = c
                        .accused
                        .iter()
                        .map(|at| &examination.solvers[*at])
                        .collect();
                    json!({"class": c.class.name(), "accused": accused, "why": c.why})
                })
                .collect();
            json!({"answers": answers, "complaints": complaints})
        })
        .collect();
    json!({"file": file.display().to_string(), "queries": queries})
}
