//! `auspex replay`: makes a case again from its replay line, and runs a finding again.

use super::fuzz;
use super::input;
use super::place;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::findings::folder::read_finding;
use auspex_campaign::findings::replay::{self, ReplayError, Rerun, ends_with, same_assertions};
use auspex_campaign::judge::confirm::Setting;
use auspex_campaign::schedule::recipe::Recipe;
use auspex_campaign::team::Team;
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Terms, read_script};
use auspex_solvers::options::as_written;
use std::io::Write;
use std::path::Path;

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of a finding, its finding.json, or a replay line (strategy=… seed=… case=…)
    finding: String,
    /// The database of a shared campaign; name the finding by (a part of) its name
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// A solver to run instead of the finding's (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// Seconds per query
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = crate::cli::input::seconds)]
    timeout: f64,
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    if let Ok(recipe) = arguments.finding.parse::<Recipe>() {
        return line(&recipe, terminal);
    }
    let finding = match &arguments.store {
        Some(url) => place::one_finding(place::look(url)?.as_mut(), &arguments.finding)?.0,
        None => read_finding(Path::new(&arguments.finding))
            .map_err(|why| Failure::Usage(format!("{}: {why}", arguments.finding)))?,
    };
    let mut out = terminal.out_for(false);
    writeln!(out, "{}\n{}", finding.id, finding.why)?;
    writeln!(out, "from its replay line: {}", made_again(&finding))?;
    let team = team(arguments, &finding, terminal)?;
    let mut still = false;
    for (name, text) in [
        ("script", Some(&finding.script)),
        ("reduced script", finding.reduced.as_ref()),
    ] {
        let Some(text) = text else { continue };
        let rerun = replay::rerun(&finding, text, &team).map_err(failure)?;
        still |= show(name, &finding, &rerun, &team, &mut out)?;
    }
    out.flush()?;
    Ok(if still { Exit::Found } else { Exit::Clean })
}

/// Prints the case of a replay line.
fn line(recipe: &Recipe, terminal: Terminal) -> Result<Exit, Failure> {
    let mut terms = Terms::new();
    let case = replay::make(&mut terms, recipe, None).map_err(failure)?;
    let mut out = terminal.out();
    let script = render::script(&terms, &case.script, Sharing::Auto);
    if !recipe.with.is_empty() {
        writeln!(out, "; asked under {}", recipe.with.join(" "))?;
    }
    write!(out, "{}", as_written(&recipe.with, &script))?;
    out.flush()?;
    Ok(Exit::Clean)
}

fn failure(error: ReplayError) -> Failure {
    Failure::Usage(error.to_string())
}

/// Whether the replay line still gives the stored script.
fn made_again(finding: &Finding) -> String {
    if finding.origin.strategy == "seeds" {
        return "it is an unchanged seed".to_string();
    }
    let mut terms = finding.terms();
    let case = finding
        .replay
        .parse::<Recipe>()
        .map_err(ReplayError::from)
        .and_then(|recipe| replay::make(&mut terms, &recipe, Some(finding)));
    let mut stored = finding.terms();
    let script = read_script(&mut stored, &finding.script);
    match (case, script) {
        (Ok(case), Ok(reading)) => {
            let (made, stored) = ((&terms, &case.script), (&stored, &reading.script));
            let is_after = finding.setting == Setting::AfterOthers && ends_with(stored, made);
            match same_assertions(made, stored) {
                true => "the same script",
                false if is_after => "the last part of the script; the rest was asked before it",
                false => "a different script: auspex has changed since",
            }
            .to_string()
        }
        (Err(error), _) => error.to_string(),
        (_, Err(_)) => "the stored script cannot be read".to_string(),
    }
}

/// The solvers that the user names, else the finding's.
fn team(arguments: &Arguments, finding: &Finding, terminal: Terminal) -> Result<Team, Failure> {
    let limits = fuzz::time_limits(arguments.timeout, None)?;
    if !arguments.solver.is_empty() {
        return Ok(Team::new(
            input::solvers(&arguments.solver, terminal)?,
            limits,
        ));
    }
    let solvers = input::solvers_of(&finding.replies, terminal)?;
    Ok(Team::new(solvers, limits))
}

fn show(
    name: &str,
    finding: &Finding,
    rerun: &Rerun,
    team: &Team,
    out: &mut impl Write,
) -> Result<bool, Failure> {
    for run in &rerun.runs {
        let title = &team.members[run.member].title;
        let answers: Vec<&str> = run.answers.iter().map(Answer::word).collect();
        let later = if run.later.is_some() {
            ", then a crash"
        } else {
            ""
        };
        writeln!(out, "{name}: {title}: {}{later}", answers.join(" "))?;
    }
    let same = rerun.shows(finding, team);
    let still = same.is_some();
    for found in &rerun.verdicts {
        let is_it = same.is_some_and(|same| std::ptr::eq(same, found));
        let word = if is_it { "still wrong" } else { "also" };
        writeln!(out, "{name}: {word}: {}", found.sentence())?;
    }
    if !still {
        writeln!(out, "{name}: no longer shows")?;
    }
    Ok(still)
}
