//! `auspex generate`: writes cases with their expected answers, or runs them and prints a table of the results.

mod table;
pub(super) mod text;

use super::fuzz::time_limits;
use super::input;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::team::Team;
use auspex_cases::answers::{self, AnswerKind};
use auspex_cases::strategy::construct::DEEPEST;
use auspex_cases::strategy::construct::exhaustive::{Bounds, Exhaustive, LARGEST};
use auspex_cases::strategy::construct::stream::Stream;
use auspex_cases::{Case, Draw, GenContext, strategy};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Terms, Theory};
use auspex_solvers::Called;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    /// The strategy; one that needs no seeds
    #[arg(long, value_name = "NAME", default_value = "construct")]
    strategy: String,
    /// Ask for another answer besides sat and unsat: interpolant, elimination, …; cases without occasion are left out
    #[arg(long, value_name = "KIND", conflicts_with_all = ["table", "exhaustive"])]
    asks: Option<String>,
    /// Theories that cases may use, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    theories: Vec<String>,
    /// Maximum depth of terms; all depths up to it are equally frequent (2 by default)
    #[arg(long, value_name = "N", conflicts_with = "exhaustive", value_parser = clap::value_parser!(u64).range(1..=DEEPEST))]
    depth: Option<u64>,
    /// How many cases
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    /// The number of the first case
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// The random seed
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        conflicts_with = "exhaustive"
    )]
    seed: u64,
    /// Enumerate all cases of the thesis's grammar within bounds, smallest first, instead of random ones
    #[arg(long)]
    exhaustive: bool,
    #[command(flatten)]
    bounds: BoundArguments,
    /// The folder for the files; standard output by default
    #[arg(long, value_name = "DIR", conflicts_with = "table")]
    out: Option<PathBuf>,
    /// Run the cases and print the results of each solver, by theory and expected answer
    #[arg(long)]
    table: bool,
    /// With --table: print every case that failed
    #[arg(long, requires = "table")]
    failures: bool,
    /// A solver that must support the cases and, with --table, runs them (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// With --table: seconds per query
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 2.0,
        requires = "table",
        value_parser = crate::cli::input::seconds
    )]
    timeout: f64,
}

/// The bounds of `--exhaustive`.
#[derive(clap::Args)]
struct BoundArguments {
    /// With --exhaustive: how many operators a side of an equation may have
    #[arg(long, value_name = "N", requires = "exhaustive", value_parser = clap::value_parser!(u64).range(1..=LARGEST as u64))]
    size: Option<u64>,
    /// With --exhaustive: how many values of each sort
    #[arg(long, value_name = "N", requires = "exhaustive")]
    values: Option<usize>,
    /// With --exhaustive: how many sorts, simplest first
    #[arg(long, value_name = "N", requires = "exhaustive")]
    sorts: Option<usize>,
    /// With --exhaustive: how many instances of each operator with each result
    #[arg(long, value_name = "N", requires = "exhaustive")]
    instances: Option<usize>,
}

impl BoundArguments {
    fn bounds(&self) -> Bounds {
        let usual = Bounds::default();
        Bounds {
            sorts: self.sorts.unwrap_or(usual.sorts),
            values: self.values.unwrap_or(usual.values),
            instances: self.instances.unwrap_or(usual.instances),
            size: self.size.map_or(usual.size, |size| size as usize),
            ..usual
        }
    }
}

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let theories = input::theories(&arguments.theories)?;
    if arguments.table {
        let solvers = input::solvers(&arguments.solver, terminal)?;
        let team = Team::new(solvers, time_limits(arguments.timeout, None)?);
        let source = Source::new(arguments, &theories, team.known())?;
        return table::run(arguments, &source, &team, terminal);
    }
    let source = Source::new(arguments, &theories, known(&arguments.solver))?;
    write(arguments, &source, terminal)
}

impl Arguments {
    /// The numbers of the cases.
    fn numbers(&self, source: &Source) -> std::ops::Range<u64> {
        self.from..self.from.saturating_add(self.count).min(source.end())
    }

    /// What made a case, for its file.
    fn about(&self) -> String {
        let how = if self.exhaustive { " --exhaustive" } else { "" };
        format!("generate --strategy {}{how}", self.strategy)
    }
}

/// The solvers named on the command line. Writing files for a solver does not need it installed.
fn known(words: &[String]) -> SolverSet {
    let names: Vec<&str> = words.iter().map(|word| Called::read(word).name).collect();
    let meant = SolverSet::SOLVERS
        .iter()
        .filter(|(_, solver)| names.contains(solver));
    let meant = meant.fold(SolverSet(0), |all, (one, _)| all.union(*one));
    match meant {
        SolverSet(0) => SolverSet::Z3.union(SolverSet::CVC5),
        some => some,
    }
}

/// Where cases come from, by number.
pub(super) enum Source {
    Drawn(Stream),
    All(Box<Exhaustive>),
    /// Its cases ask for another answer, in the words of a make.
    Asking {
        source: Box<Source>,
        kind: &'static dyn AnswerKind,
        make: String,
        seed: u64,
    },
    Other {
        strategy: &'static dyn auspex_cases::Strategy,
        theories: Vec<Theory>,
        solvers: SolverSet,
        seed: u64,
    },
}

impl Source {
    fn new(
        arguments: &Arguments,
        theories: &[Theory],
        solvers: SolverSet,
    ) -> Result<Source, Failure> {
        let name = &arguments.strategy;
        let strategy = strategy::named(name)
            .ok_or_else(|| Failure::Usage(format!("unknown strategy {name}")))?;
        if strategy.needs_seeds() {
            return Err(Failure::Usage(format!("{name} needs seeds")));
        }
        if name == "construct" {
            let source = Source::constructed(arguments, theories, solvers);
            return asking(arguments, source);
        }
        let given = [
            ("--exhaustive", arguments.exhaustive),
            ("--depth", arguments.depth.is_some()),
            ("--asks", arguments.asks.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            let message =
                format!("{option} has no effect on {name}: omit it, or use --strategy construct");
            return Err(Failure::Usage(message));
        }
        Ok(Source::Other {
            strategy,
            theories: theories.to_vec(),
            solvers,
            seed: arguments.seed,
        })
    }

    fn constructed(arguments: &Arguments, theories: &[Theory], solvers: SolverSet) -> Source {
        const USUAL_DEPTH: u64 = 2;
        if arguments.exhaustive {
            let all = Exhaustive::new(theories, solvers, arguments.bounds.bounds());
            return Source::All(Box::new(all));
        }
        let depth = arguments.depth.unwrap_or(USUAL_DEPTH);
        Source::Drawn(Stream::new(theories, solvers, arguments.seed, depth))
    }

    /// One past the last number, where there is a last.
    pub fn end(&self) -> u64 {
        match self {
            Source::All(all) => u64::try_from(all.total()).unwrap_or(u64::MAX),
            Source::Asking { source, .. } => source.end(),
            Source::Drawn(_) | Source::Other { .. } => u64::MAX,
        }
    }

    pub fn nth(&self, terms: &mut Terms, number: u64) -> Option<Case> {
        match self {
            Source::Drawn(stream) => stream.nth(terms, number),
            Source::All(all) => all.nth(terms, u128::from(number)),
            Source::Asking {
                source,
                kind,
                make,
                seed,
            } => {
                let case = source.nth(terms, number)?;
                answers::ask(*kind, &mut Draw::new(*seed, !number), terms, &case, make)
            }
            Source::Other {
                strategy,
                theories,
                solvers,
                seed,
            } => {
                let mut workshop = GenContext {
                    terms,
                    seeds: &[],
                    theories,
                    solvers: *solvers,
                    forbidden: &[],
                };
                strategy.make(&mut workshop, &mut Draw::new(*seed, number))
            }
        }
    }
}

/// The source with questions of the wanted kind, in the words of the first named solver that speaks it.
fn asking(arguments: &Arguments, source: Source) -> Result<Source, Failure> {
    let Some(name) = &arguments.asks else {
        return Ok(source);
    };
    let kind = input::kind(name)?;
    let named = arguments.solver.iter().map(|word| Called::read(word).name);
    let makes = kind.makes();
    let mut spoken = named.filter(|name| makes.contains(name));
    let make = spoken.next().or(makes.first().copied()).unwrap_or_default();
    Ok(Source::Asking {
        source: Box::new(source),
        kind,
        make: make.to_string(),
        seed: arguments.seed,
    })
}

fn write(arguments: &Arguments, source: &Source, terminal: Terminal) -> Result<Exit, Failure> {
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
    }
    let numbers = arguments.numbers(source);
    let shown = arguments.out.as_ref();
    let count = numbers.end.saturating_sub(numbers.start);
    let progress = shown.map(|_| terminal.progress(count, "writing"));
    let mut out = terminal.out();
    let mut terms = Terms::new();
    let mut written = 0;
    for number in numbers {
        let mark = terms.mark();
        if let Some(case) = source.nth(&mut terms, number) {
            let text = text::of(
                &mut terms,
                &case,
                &arguments.about(),
                arguments.seed,
                number,
            );
            match &arguments.out {
                Some(folder) => save(folder, number, &text)?,
                None => std::io::Write::write_all(&mut out, text.as_bytes())?,
            }
            written += 1;
        }
        terms.release(mark);
        if let Some(progress) = &progress {
            progress.inc(1);
        }
    }
    std::io::Write::flush(&mut out)?;
    terminal.note(&format!("{written} cases"));
    Ok(Exit::Clean)
}

/// Files per folder; some file systems are slow with more.
pub(super) fn save(folder: &Path, number: u64, text: &str) -> Result<(), Failure> {
    let part = folder.join(format!("{:04}", number / 1000));
    std::fs::create_dir_all(&part).map_err(|error| Failure::file(&part, &error))?;
    let path = part.join(format!("{number:07}.smt2"));
    std::fs::write(&path, text).map_err(|error| Failure::file(&path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_solvers_from_words() {
        let words = ["z3@4.13.0".to_string(), "cvc5+plain".to_string()];
        assert_eq!(known(&words), SolverSet::Z3.union(SolverSet::CVC5));
        assert_eq!(known(&["cvc4".to_string()]), SolverSet::CVC4);
        assert_eq!(known(&[]), SolverSet::Z3.union(SolverSet::CVC5));
    }

    #[test]
    fn refuses_unknown_theories() {
        assert!(input::theories(&["bv".into(), "arrays".into()]).is_ok());
        assert!(input::theories(&["poetry".into()]).is_err());
    }
}
