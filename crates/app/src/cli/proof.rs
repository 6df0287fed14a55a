//! `auspex proof`: checks a proof against a script, step by step.

use super::input::{read_text, script_of, solvers, within};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::judge::steps::{Asking, Outcome, ask};
use auspex_cases::answers::Asked;
use auspex_cases::answers::proof::{Judged, judged};
use auspex_cases::proofs::draft::How;
use auspex_cases::proofs::steps::{Effort, Verdict, ends_in_false};
use auspex_logic::{Answer, Command, Script, Terms};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// An SMT-LIB script
    script: PathBuf,
    /// A solver's reply to (get-proof): CPC with conclusions, Alethe, or z3's format
    proof: PathBuf,
    /// A solver to ask about steps that stay open (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// Ask about at most this many open steps
    #[arg(long, value_name = "STEPS", default_value_t = 100)]
    ask: usize,
    /// Seconds per solver and step
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
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
    let said = read_text(&arguments.proof)?;
    let judged = read(&mut terms, &script, &said)
        .map_err(|why| Failure::Usage(format!("{}: {why}", arguments.proof.display())))?;
    let asked = match arguments.solver.is_empty() {
        true => Vec::new(),
        false => {
            let solvers = solvers(&arguments.solver, terminal)?;
            let asking = Asking {
                solvers: &solvers,
                limits: &within(arguments.timeout)?,
                most: arguments.ask,
            };
            ask(&mut terms, &script, &judged, &asking)
        }
    };
    let result = Summary::of(&mut terms, &judged, &asked);
    let mut out = terminal.out_for(arguments.json);
    match arguments.json {
        true => writeln!(out, "{}", result.as_json(&judged))?,
        false => result.show(&judged, &mut out)?,
    }
    out.flush()?;
    Ok(result.exit())
}

/// The proof belongs to the last query.
fn read(terms: &mut Terms, script: &Script, said: &str) -> Result<Judged, String> {
    let command = script.queries().last().map_or(0, |query| query.command);
    judged(
        &mut Asked {
            said,
            answer: Some(&Answer::Unsat { core: None }),
            ..Asked::new(terms, script, command)
        },
        Effort::THOROUGH,
    )
}

/// What the proof comes to.
struct Summary {
    /// The steps that are wrong, with the point that shows it.
    wrong: Vec<String>,
    /// The steps that nothing settles, with the reason.
    open: Vec<String>,
    counts: Vec<(&'static str, usize)>,
    is_closed: bool,
}

impl Summary {
    fn of(terms: &mut Terms, judged: &Judged, asked: &[(usize, Outcome)]) -> Summary {
        let mut result = Summary {
            wrong: Vec::new(),
            open: Vec::new(),
            counts: Vec::new(),
            is_closed: ends_in_false(terms, &judged.proof),
        };
        let mut by_solver = 0;
        for (number, verdict) in judged.verdicts.iter().enumerate() {
            let outcome = asked.iter().find(|(step, _)| *step == number);
            let outcome = outcome.map(|(_, outcome)| outcome);
            let step = &judged.proof.steps[number];
            let claim = judged.claim(terms, number);
            match (verdict, outcome) {
                (Verdict::Wrong(point), _) => {
                    let point = point.text(terms);
                    result.wrong.push(format!(
                        "{claim} But with {point} the premises are true and the conclusion is false."
                    ));
                }
                (_, Some(Outcome::Holds(_))) => by_solver += 1,
                (_, Some(Outcome::Refuted(who))) => result.wrong.push(format!(
                    "{claim} But the model that {who} returns makes the premises true and the conclusion false (checked by evaluation)."
                )),
                (Verdict::Unread(why), _) => {
                    result.open.push(format!("{} ({}): {why}", step.id, step.rule));
                }
                (Verdict::Hole, _) => {
                    result.open.push(format!("{} ({}): a hole", step.id, step.rule));
                }
                (Verdict::Context, _) => {
                    let why = "depends on more than its premises";
                    result.open.push(format!("{} ({}): {why}", step.id, step.rule));
                }
                (Verdict::Open, _) if step.how == How::Assertion => result
                    .open
                    .push(format!("{}: not an assertion of the script, word for word", step.id)),
                (Verdict::Open, _) => result.open.push(claim),
                _ => {}
            }
        }
        result.counts = judged.census().into_iter().collect();
        if by_solver > 0 {
            result.counts.push(("another solver", by_solver));
            let open = result.counts.iter_mut().find(|(word, _)| *word == "open");
            if let Some((_, count)) = open {
                *count = count.saturating_sub(by_solver);
            }
        }
        result
    }

    fn word(&self) -> &'static str {
        match (
            self.wrong.is_empty(),
            self.open.is_empty() && self.is_closed,
        ) {
            (false, _) => "wrong",
            (true, true) => "valid",
            (true, false) => "open",
        }
    }

    fn exit(&self) -> Exit {
        match self.word() {
            "wrong" => Exit::Found,
            "valid" => Exit::Clean,
            _ => Exit::Undetermined,
        }
    }

    fn show(&self, judged: &Judged, out: &mut impl Write) -> std::io::Result<()> {
        const MOST: usize = 20;
        let counts = self
            .counts
            .iter()
            .map(|(word, count)| format!("{word} {count}"));
        let counts: Vec<String> = counts.collect();
        writeln!(
            out,
            "{}: {} steps in {} format: {}",
            self.word(),
            judged.proof.steps.len(),
            judged.format.name(),
            counts.join(", ")
        )?;
        if !self.is_closed {
            writeln!(out, "  no step concludes false")?;
        }
        for wrong in &self.wrong {
            writeln!(out, "  wrong: {wrong}")?;
        }
        for open in self.open.iter().take(MOST) {
            writeln!(out, "  open: {open}")?;
        }
        if self.open.len() > MOST {
            writeln!(
                out,
                "  and {} more steps that stay open",
                self.open.len() - MOST
            )?;
        }
        Ok(())
    }

    fn as_json(&self, judged: &Judged) -> serde_json::Value {
        let counts: serde_json::Map<String, serde_json::Value> = self
            .counts
            .iter()
            .map(|(word, count)| (word.to_string(), json!(count)))
            .collect();
        json!({
            "verdict": self.word(),
            "format": judged.format.name(),
            "concludes-false": self.is_closed,
            "steps": judged.proof.steps.len(),
            "counts": counts,
            "wrong": self.wrong,
            "open": self.open,
        })
    }
}
