//! The command line: one file per command here, each with its `Arguments` and `run`. A new command needs one `mod`,
//! one variant with its one-line help, one arm, and its name in `GROUPS`.

mod bisect;
mod bugs;
mod changed;
mod check;
mod ci;
mod completions;
mod coverage;
mod crosscheck;
mod discover;
mod doctor;
mod eval;
mod explain;
mod findings;
mod fmt;
mod fuzz;
mod fuzz_seeds;
mod generate;
mod idle;
mod input;
mod jobs;
mod man;
mod merge;
mod model;
mod mutate;
mod ops;
mod options;
mod parse;
mod place;
mod proof;
mod recheck;
mod records;
mod reduce;
mod reference;
mod replay;
mod report;
mod rules;
mod seeds;
#[cfg_attr(not(feature = "web"), path = "no_serve.rs")]
mod serve;
mod solvers;
mod status;

use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use clap::{CommandFactory, Parser, Subcommand};
pub use fuzz::Signals;
#[cfg(feature = "web")]
pub use recheck::recheck as ask_again;
#[cfg(feature = "web")]
pub use records::tracker;

/// Finds, proves, reduces and reports wrong answers of SMT solvers.
#[derive(Parser)]
#[command(name = "auspex", version, help_template = TEMPLATE)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options of every command.
#[derive(clap::Args)]
struct Global {
    /// Print results and errors only, no notes or progress
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Run solvers without the fence, the sandbox that keeps them from writing outside their scratch folder
    #[arg(long, global = true)]
    no_fence: bool,
}

/// The commands. The first line of each comment is what `auspex --help` shows.
#[derive(Subcommand)]
enum Command {
    /// Find bugs in solvers: make cases, run, judge, confirm, reduce
    Fuzz(fuzz::FuzzArguments),
    /// Run a campaign in continuous integration, against a baseline
    Ci(ci::Arguments),
    /// Copy the findings of other campaigns into one
    Merge(merge::Arguments),
    /// Show the state of a campaign
    Status(status::Arguments),
    /// Show a campaign as a web page
    Serve(serve::Arguments),
    /// List what a campaign has found
    Findings(findings::Arguments),
    /// Make a case again from its replay line, or run a finding again
    Replay(replay::Arguments),
    /// Write cases with their expected answers, or run them
    Generate(generate::Arguments),
    /// Write mutants of scripts, with expected answers where known
    Mutate(mutate::Arguments),
    /// Run scripts on all solvers and judge every answer
    Check(check::Arguments),
    /// Shrink a script while it still shows its bug
    Reduce(reduce::Arguments),
    /// Find the releases and options that show a bug
    Bisect(bisect::Arguments),
    /// Write issue texts for trackers, and a page with charts
    Report(report::Arguments),
    /// List bugs with their states, or set a state
    Bugs(bugs::Arguments),
    /// Run findings on other releases, and mark the fixed ones
    Recheck(recheck::Arguments),
    /// Check a model against a script
    Model(model::Arguments),
    /// Check the steps of a proof against a script
    Proof(proof::Arguments),
    /// Evaluate a term
    Eval(eval::Arguments),
    /// Show which values each subterm may take while a model holds
    Explain(explain::Arguments),
    /// Compare our evaluator with solvers on ground terms
    Crosscheck(crosscheck::Arguments),
    /// List, probe, install and remove solvers
    Solvers(solvers::Arguments),
    /// List, install and remove collections of seeds
    Seeds(seeds::Arguments),
    /// List the options of a release, and which campaigns set
    Options(options::Arguments),
    /// Check that everything Auspex needs is present and works
    Doctor(doctor::Arguments),
    /// Print the file that makes a solver tell its edges, or check it
    Coverage(coverage::Arguments),
    /// Read and sort-check scripts, and report what was not understood
    Parse(parse::Arguments),
    /// Format scripts
    Fmt(fmt::Arguments),
    /// List the operators by theory, with signatures and solvers
    Ops(ops::Arguments),
    /// List strategies and rules, with the proof state of every rule
    Rules(rules::Arguments),
    /// Search for new approximation rules and prove them
    Discover(discover::Arguments),
    /// Write the reference pages into a folder
    #[command(hide = true)]
    Reference(reference::Arguments),
    /// Write manual pages into a folder
    Man(man::Arguments),
    /// Print shell completions
    Completions(completions::Arguments),
}

impl Command {
    fn run(self, terminal: Terminal) -> Result<Exit, Failure> {
        match self {
            Command::Fuzz(arguments) => fuzz::run(&arguments, terminal),
            Command::Ci(arguments) => ci::run(&arguments, terminal),
            Command::Merge(arguments) => merge::run(&arguments, terminal),
            Command::Status(arguments) => status::run(&arguments, terminal),
            Command::Serve(arguments) => serve::run(&arguments, terminal),
            Command::Findings(arguments) => findings::run(&arguments, terminal),
            Command::Replay(arguments) => replay::run(&arguments, terminal),
            Command::Generate(arguments) => generate::run(&arguments, terminal),
            Command::Mutate(arguments) => mutate::run(&arguments, terminal),
            Command::Check(arguments) => check::run(&arguments, terminal),
            Command::Reduce(arguments) => reduce::run(&arguments, terminal),
            Command::Bisect(arguments) => bisect::run(&arguments, terminal),
            Command::Report(arguments) => report::run(&arguments, terminal),
            Command::Bugs(arguments) => bugs::run(&arguments, terminal),
            Command::Recheck(arguments) => recheck::run(&arguments, terminal),
            Command::Model(arguments) => model::run(&arguments, terminal),
            Command::Proof(arguments) => proof::run(&arguments, terminal),
            Command::Eval(arguments) => eval::run(&arguments, terminal),
            Command::Explain(arguments) => explain::run(&arguments, terminal),
            Command::Crosscheck(arguments) => crosscheck::run(&arguments, terminal),
            Command::Solvers(arguments) => solvers::run(&arguments, terminal),
            Command::Seeds(arguments) => seeds::run(&arguments, terminal),
            Command::Options(arguments) => options::run(&arguments, terminal),
            Command::Doctor(arguments) => doctor::run(&arguments, terminal),
            Command::Coverage(arguments) => coverage::run(&arguments, terminal),
            Command::Parse(arguments) => parse::run(&arguments, terminal),
            Command::Fmt(arguments) => fmt::run(&arguments, terminal),
            Command::Ops(arguments) => ops::run(&arguments, terminal),
            Command::Rules(arguments) => rules::run(&arguments, terminal),
            Command::Discover(arguments) => discover::run(&arguments, terminal),
            Command::Reference(arguments) => reference::run(&arguments, terminal),
            Command::Man(arguments) => man::run(&arguments, terminal),
            Command::Completions(arguments) => completions::run(&arguments, terminal),
        }
    }
}

/// The commands by purpose, in the order of the help text.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Find bugs",
        &[
            "fuzz", "ci", "status", "serve", "findings", "replay", "merge", "generate", "mutate",
            "check", "reduce", "bisect", "bugs", "report", "recheck",
        ],
    ),
    (
        "Judge",
        &["model", "proof", "eval", "crosscheck", "explain"],
    ),
    (
        "Solvers and seeds",
        &["solvers", "options", "seeds", "doctor", "coverage"],
    ),
    ("Scripts", &["parse", "fmt"]),
    ("What Auspex knows", &["ops", "rules", "discover"]),
    ("This program", &["man", "completions", "help"]),
];

const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}{after-help}

Options:
{options}";

/// The command line with its commands listed in groups.
pub fn command() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    let help = grouped(&command);
    command.after_help(help)
}

fn grouped(command: &clap::Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        text.push_str(&format!("{title}:\n"));
        for name in *names {
            let about = command
                .find_subcommand(name)
                .and_then(|c| c.get_about())
                .map(|about| about.to_string())
                .unwrap_or_default();
            text.push_str(&format!("  {name:<12} {about}\n"));
        }
        text.push('\n');
    }
    text.push_str("Exit codes:\n");
    for (exit, meaning) in Exit::ALL {
        text.push_str(&format!("  {} {meaning}\n", exit as u8));
    }
    text
}

/// Reads the command line and runs the command.
pub fn run() -> Exit {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return refuse(&error),
    };
    let cli = match <Cli as clap::FromArgMatches>::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let terminal = Terminal::new(cli.global.quiet);
    if cli.global.no_fence {
        auspex_solvers::fence::take_down();
    }
    match cli.command.run(terminal) {
        Ok(exit) => exit,
        Err(Failure::OutputClosed) => Exit::Clean,
        Err(failure) => {
            terminal.error(&format!("auspex: {failure}"));
            failure.exit()
        }
    }
}

/// clap reports help and version as errors; they are not failures.
fn refuse(error: &clap::Error) -> Exit {
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let command = command();
        let mut listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        listed.sort_unstable();
        let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
        let mut commands: Vec<&str> = shown.map(|c| c.get_name()).collect();
        commands.sort_unstable();
        assert_eq!(listed, commands);
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_command_has_a_short_line_of_help() {
        for sub in command().get_subcommands() {
            let about = sub.get_about().map(|a| a.to_string()).unwrap_or_default();
            assert!(!about.is_empty() && about.len() <= 64, "{}", sub.get_name());
            assert!(!about.ends_with('.'), "{}", sub.get_name());
        }
    }
}
