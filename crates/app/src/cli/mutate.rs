//! `auspex mutate`: writes mutants of seeds, each with its expected answer (if known) and the steps that made it.

use super::fuzz::time_limits;
use super::generate::{save, text};
use super::input;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;
use auspex_campaign::schedule::maker::Maker;
use auspex_campaign::seeds::pool::{Facts, Pool};
use auspex_campaign::seeds::probe::{Detail, SeedProbe};
use auspex_campaign::team::Team;
use auspex_campaign::team::vocabulary::Vocabularies;
use auspex_cases::strategy::chain::STAGES;
use auspex_cases::strategy::parse;
use auspex_cases::{Seed, SeedStatus, Strategy};
use auspex_logic::Terms;
use auspex_solvers::Mode;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// Scripts to mutate, or folders of them
    #[arg(required = true, value_name = "SEEDS")]
    seeds: Vec<PathBuf>,
    /// The strategy: approximate, typefuzz, opfuzz, fuzzchick, structure, skeletons, diver, mirror, fusion or storm;
    /// optionally with parameters, as in typefuzz:60, approximate:pst,literals=3 or diver:paper,depth=3
    #[arg(long, value_name = "NAME", default_value = "typefuzz")]
    strategy: String,
    /// How many mutants in all, one seed after another; by default sixteen of each seed
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// How many mutants of each seed, instead of --count; the papers make 300 (approximate)
    #[arg(long, value_name = "N", conflicts_with = "count", value_parser = clap::value_parser!(u64).range(1..))]
    per_seed: Option<u64>,
    /// The number of the first mutant
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// The random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The folder for the files; standard output by default
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Theories whose operators may be inserted, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    theories: Vec<String>,
    /// A solver that must support the mutants; with --learn it is asked about the seeds (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    solver: Vec<String>,
    /// First ask the solvers about every seed; approximate, diver, mirror, fusion and storm need this
    #[arg(long)]
    learn: bool,
    /// A file of additional operators, declared as in SMT-LIB theory files
    #[arg(long, value_name = "FILE")]
    signature: Option<PathBuf>,
    /// A file with the only operators to insert, declared in the same way; standard operators keep their semantics
    #[arg(long, value_name = "FILE", conflicts_with_all = ["signature", "theories"])]
    operators: Option<PathBuf>,
    /// Skip seeds larger than this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 65_536)]
    largest: u64,
}

type Fits = fn(&Seed) -> bool;

/// Strategies that preserve an answer must know it first, and can use only some seeds.
const KEEPING: [(&str, Fits); 5] = [
    ("approximate", |seed| seed.status.is_some()),
    ("diver", |seed| !seed.models.is_empty()),
    ("mirror", |seed| seed.core.is_some()),
    ("fusion", |seed| {
        !seed.models.is_empty() || seed.status == Some(SeedStatus::AgreedUnsat)
    }),
    ("storm", |seed| !seed.models.is_empty()),
];

pub fn run(arguments: &Arguments, terminal: Terminal) -> Result<Exit, Failure> {
    let strategy = strategy(&arguments.strategy)?;
    let only = arguments.operators.as_deref();
    input::takes_operators(strategy, only)?;
    let table = input::operators_or_only(arguments.signature.as_deref(), only, terminal)?;
    let mut terms = Terms::with_table(table);
    let seeds = seeds(arguments, &mut terms, terminal)?;
    let maker = Maker {
        seed: arguments.seed,
        strategies: vec![strategy],
        theories: input::theories(&arguments.theories)?,
        vocabularies: vocabularies(&arguments.solver)?,
        kinds: Vec::new(),
        table: terms.table().clone(),
    };
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
    }
    let mut out = terminal.out();
    // After this many mutants the next seed is taken; strategies without such a number take the seeds in turn.
    let per_seed = arguments.per_seed.or(strategy.per_seed());
    let run = per_seed.unwrap_or(1);
    let each = per_seed.unwrap_or(STAGES);
    if strategy.is_chained() && !each.is_multiple_of(STAGES) {
        return Err(Failure::Usage(format!(
            "--per-seed {each}: {} makes chains of {STAGES} mutants, so the number must be a multiple of {STAGES}",
            strategy.name()
        )));
    }
    let count = arguments.count.unwrap_or(each * seeds.len() as u64);
    let bar = terminal.progress(count, "mutants");
    let mark = terms.mark();
    let mut line = maker.line(strategy);
    let mut written = 0;
    for number in arguments.from..arguments.from.saturating_add(count) {
        bar.inc(1);
        if !strategy.is_chained() || number.is_multiple_of(run) {
            line = maker.line(strategy);
            terms.release(mark);
        }
        let place = (number / run % seeds.len() as u64) as usize;
        let one = &seeds[place];
        let own = &seeds[place..(place + strategy.seeds()).min(seeds.len())];
        if let Some(case) = line.make(&mut terms, own, number) {
            let about = format!("mutate --strategy {} of {}", strategy.name(), one.name);
            let text = text::of(&mut terms, &case, &about, arguments.seed, number);
            match &arguments.out {
                Some(folder) => save(folder, number, &text)?,
                None => out.write_all(&auspex_syntax::encode(&text))?,
            }
            written += 1;
        }
    }
    bar.finish_and_clear();
    out.flush()?;
    terminal.note(&format!("{written} mutants of {} seeds", seeds.len()));
    Ok(match written {
        0 => Exit::Undetermined,
        _ => Exit::Clean,
    })
}

/// The solvers named on the command line, which need not be installed; z3 and cvc5 by default.
fn vocabularies(words: &[String]) -> Result<Vocabularies, Failure> {
    let vocabularies = match words {
        [] => Vocabularies::named(&["z3", "cvc5"]),
        _ => Vocabularies::named(words),
    };
    vocabularies
        .map(Vocabularies::together)
        .map_err(Failure::Usage)
}

fn strategy(name: &str) -> Result<&'static dyn Strategy, Failure> {
    let found = parse(name).map_err(Failure::Usage)?;
    match found.needs_seeds() {
        true => Ok(found),
        false => Err(Failure::Usage(format!(
            "{name} makes cases without seeds: use `auspex generate --strategy {name}`"
        ))),
    }
}

/// The seeds, with the solvers' answers to them if the strategy needs those.
fn seeds(
    arguments: &Arguments,
    terms: &mut Terms,
    terminal: Terminal,
) -> Result<Vec<Seed>, Failure> {
    let places = super::seeds::places(&arguments.seeds, terminal)?;
    let pool = Pool::read(&places, arguments.largest);
    for (why, count) in &pool.skipped {
        terminal.note(&format!("skipped {count} files: {why}"));
    }
    let name = arguments.strategy.split(':').next().unwrap_or("");
    let keeping = KEEPING.iter().find(|(keeps, _)| *keeps == name);
    let team = match arguments.learn || keeping.is_some() {
        true => {
            let solvers = input::solvers(&arguments.solver, terminal)?;
            Some(Team::new(solvers, time_limits(2.0, None)?))
        }
        false => None,
    };
    let mut probe = team
        .as_ref()
        .map(|team| SeedProbe::new(team, Mode::Reset, Detail::Whole));
    let bar = terminal.progress(pool.seeds.len() as u64, "seeds");
    let mut seeds = Vec::new();
    for file in &pool.seeds {
        bar.inc(1);
        let mark = terms.mark();
        let facts = match &mut probe {
            Some(probe) => probe.probe(terms, file).map(|probed| probed.facts),
            None => Some(Facts::default()),
        };
        terms.release(mark);
        let loaded = facts.and_then(|facts| file.load(terms, &facts));
        let fits = |seed: &Seed| keeping.is_none_or(|(_, fits)| fits(seed));
        seeds.extend(loaded.filter(fits));
    }
    bar.finish_and_clear();
    match seeds.is_empty() {
        true => Err(Failure::Usage(format!(
            "none of {} seeds can be used: {}",
            pool.seeds.len(),
            match name {
                "mirror" => "mirror needs unsatisfiable seeds with a core that two solvers confirm",
                "diver" => "diver needs satisfiable seeds with a model that our evaluator accepts",
                _ => "no solver gave an answer",
            }
        ))),
        false => Ok(seeds),
    }
}
