//! `auspex fuzz`: the campaign, from a bare command line to its summary.

use super::fuzz_seeds;
use super::idle::Researcher;
use super::input;
use super::jobs::Helper;
use super::place;
use super::seeds;
use super::status::store_failure;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::terminal::{Terminal, fitted};
use crate::tui;
use auspex_campaign::findings::bug_file::{self, Bugs};
use auspex_campaign::run::campaign::{Part, StartProblem};
use auspex_campaign::run::config::{Config, duration, size};
use auspex_campaign::run::memory::Memory;
use auspex_campaign::schedule::maker::Maker;
use auspex_campaign::schedule::settings::Settings;
use auspex_campaign::seeds::pool::{LARGEST, Pool};
use auspex_campaign::store::Store;
use auspex_campaign::team::Team;
use auspex_campaign::team::configuration::{OptionSpace, Scope};
use auspex_campaign::{Campaign, Setup, Status};
use auspex_cases::answers::{self, Kind};
use auspex_cases::{Strategy, strategy};
use auspex_solvers::{Cache, Limits, Mode, Solver};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Default seconds per query. Most answers come within milliseconds, and a campaign has many other cases.
const TIMEOUT: f64 = 0.5;

/// Default disk limit: more than a week of findings needs, and little enough for a shared disk.
const DISK: &str = "4G";

/// The largest number of workers in one process.
const MOST_WORKERS: i64 = 1024;

/// Arguments of a campaign, local or shared.
#[derive(clap::Args)]
pub struct FuzzArguments {
    #[command(flatten)]
    campaign: Arguments,
    /// A PostgreSQL database, postgres://…: join the shared campaign in it, or start one
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// With --store: seconds without a sign of life after which a process loses its work to others
    #[arg(long, value_name = "SECONDS", default_value_t = place::LEASE, requires = "store", value_parser = crate::cli::input::seconds)]
    lease: f64,
    /// A file of bugs: lookalikes of those that are reported, confirmed, duplicates or won't be fixed are counted and
    /// seldom looked at; by default auspex-bugs.toml in the campaign's folder, or the bugs in the database
    #[arg(long, value_name = "FILE")]
    bugs: Option<PathBuf>,
}

#[derive(clap::Args, Default)]
// `auspex ci` takes them in.
#[group(skip)]
pub struct Arguments {
    /// A solver: z3, z3@4.13.0, cvc5+plain, or a command line (may be given several times)
    #[arg(long, value_name = "SOLVER")]
    pub solver: Vec<String>,
    /// A folder of seed scripts, or a collection by name, see `auspex seeds` (may be given several times); optional
    #[arg(long, value_name = "DIR|NAME")]
    pub seeds: Vec<PathBuf>,
    /// A strategy, optionally with parameters: typefuzz, diver:paper,depth=3 (may be given several times); all by
    /// default
    #[arg(long, value_name = "NAME")]
    pub strategy: Vec<String>,
    /// Theories that cases may use, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub theories: Vec<String>,
    /// A file of additional operators, declared as in SMT-LIB theory files; solvers are only compared on them
    #[arg(long, value_name = "FILE")]
    pub signature: Option<PathBuf>,
    /// A file with the only operators that typefuzz, opfuzz and fuzzchick may insert, declared in the same way;
    /// standard operators keep their semantics
    #[arg(long, value_name = "FILE", conflicts_with_all = ["signature", "theories"])]
    pub operators: Option<PathBuf>,
    /// How long to run, such as 90s, 10m, 1h30m; by default until stopped
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Stop after this many cases
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cases: Option<u64>,
    /// How many workers; by default one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_WORKERS))]
    pub workers: Option<u16>,
    /// How much disk the campaign's folder may use: 500M, 20G, none; 4G by default
    #[arg(long, value_name = "SIZE")]
    pub disk_limit: Option<String>,
    /// The random seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The campaign's folder; an existing campaign is continued
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seconds per query; 0.5 by default
    #[arg(long, value_name = "SECONDS", value_parser = crate::cli::input::seconds)]
    pub timeout: Option<f64>,
    /// Which options solvers are asked under in one block of four: none, supported (by its maintainers), all (for
    /// experts, too), or the settings of a paper: typefuzz, diver; by default all
    #[arg(long, value_name = "WHICH")]
    pub options: Option<String>,
    /// An option to set in each of these blocks, on every solver that has it: smt.arith.solver=2 (may be given several
    /// times)
    #[arg(long, value_name = "OPTION")]
    pub with_option: Vec<String>,
    /// The kinds of answers, besides sat and unsat, that some cases ask for: optimum, …; all if none is given, or none
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub asks: Vec<String>,
    /// Do not look for the first and last wrong release of each bug among the installed ones
    #[arg(long)]
    pub no_bisect: bool,
    /// Do not reduce findings
    #[arg(long)]
    pub no_reduce: bool,
    /// Look for bugs only, not for incompleteness or slowness
    #[arg(long)]
    pub bugs_only: bool,
    /// How solvers are asked: fresh, reset, push-pop or check-sat-using (may be given several times); by default a
    /// mix of all
    #[arg(long, value_name = "MODE", value_delimiter = ',')]
    pub mode: Vec<String>,
    /// Do not bring collections of seeds in the background, see `auspex seeds`; they come if no seeds are given, and
    /// neither --seed nor --cases is
    #[arg(long)]
    pub no_seed_install: bool,
    /// Use nothing of earlier campaigns on this machine, and keep nothing for later ones: bugs as seeds, how far scopes
    /// came, and what pays
    #[arg(long)]
    pub no_memory: bool,
    /// What the campaign does without, to measure what it is worth: schedule (learning what pays), silence (about known
    /// bugs), theories (blocks about one theory), sweep (every option in turn)
    #[arg(long, value_name = "PART", value_delimiter = ',', hide = true)]
    pub without: Vec<String>,
    /// A configuration file; by default ./auspex.toml if it exists
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What cases follow, besides chance: coverage (mutants that reach new edges of an instrumented solver become
    /// seeds) or nothing
    #[arg(long, value_name = "WHAT", default_value = "nothing")]
    pub guide: Guide,
    /// Write the number, strategy and hash of every case to a file
    #[arg(long, value_name = "FILE", hide = true)]
    pub trace: Option<PathBuf>,
    /// Print lines instead of the status screen
    #[arg(long)]
    pub plain: bool,
}

/// What cases follow, besides chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Guide {
    #[default]
    Nothing,
    /// What they reach in instrumented solvers.
    Coverage,
}

/// The command line merged with the configuration file.
pub struct Plan {
    pub setup: Setup,
    pub time: Option<Duration>,
    /// Whether it may bring collections of seeds by itself, and the largest seed.
    brings_seeds: bool,
    largest_seed: u64,
}

impl Plan {
    /// Whether collections are to be brought: only for a campaign of its own that uses seeds.
    fn wants_seeds(&self, is_shared: bool) -> bool {
        let mut strategies = self.setup.maker.strategies.iter();
        self.brings_seeds && !is_shared && strategies.any(|one| one.needs_seeds())
    }
}

pub fn run(arguments: &FuzzArguments, terminal: Terminal) -> Result<Exit, Failure> {
    let mut store: Option<Box<dyn Store>> = None;
    if let Some(url) = &arguments.store {
        store = Some(place::write(url, arguments.lease)?);
    }
    let (url, lease) = (arguments.store.clone(), arguments.lease);
    let mut plan = join(&arguments.campaign, terminal, &mut store)?;
    let bugs = known_bugs(arguments.bugs.as_deref(), &plan.setup.out, &mut store)?;
    plan.setup.known = bugs.triggers();
    let arguments = &arguments.campaign;
    let (seeds_wanted, largest_seed) = (plan.wants_seeds(store.is_some()), plan.largest_seed);
    let signals = Signals::watch()?;
    let out = plan.setup.out.clone();
    let people = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let screen = people && !arguments.plain && !terminal.is_quiet();
    let started = match store {
        Some(store) => Campaign::join(plan.setup, store),
        None => Campaign::start(plan.setup),
    };
    let mut campaign = started.map_err(problem)?;
    greet(&campaign, &out, terminal);
    // Nothing else may write to the terminal while the screen is up.
    let voice = if screen {
        Terminal::new(true)
    } else {
        terminal
    };
    let researches = url.is_none() && !arguments.no_bisect;
    let researcher = researches.then(|| Researcher::start(&out));
    if seeds_wanted {
        let state = campaign.shared_state();
        fuzz_seeds::bring(state, largest_seed, voice);
    }
    let helper = url.map(|url| Helper::start(&url, lease, voice));
    let shown = match screen {
        true => tui::watch(&mut campaign, plan.time, &signals),
        false => watch_lines(&mut campaign, plan.time, &signals, terminal),
    };
    // The campaign ended by itself, so there is time for waiting jobs.
    let all_done = !campaign.state().is_stopped();
    let late = || plan.time.is_some_and(|time| campaign.elapsed() >= time);
    if let Some(helper) = &helper
        && all_done
    {
        helper.drain(|| signals.asked() || late());
    }
    let status = end(campaign, terminal);
    if let Some(helper) = helper {
        helper.end();
    }
    if let Some(researcher) = researcher {
        researcher.end();
    }
    shown?;
    terminal.error(&summary(&status, &out));
    if !out.join("findings").is_dir() {
        let text = format!(
            "{} was removed while the campaign ran, and its findings with it",
            out.display()
        );
        return Err(Failure::Environment(text));
    }
    Ok(match status.findings() {
        0 => Exit::Clean,
        _ => Exit::Found,
    })
}

/// The bugs about which a decision was taken already.
fn known_bugs(
    file: Option<&Path>,
    out: &Path,
    store: &mut Option<Box<dyn Store>>,
) -> Result<Bugs, Failure> {
    match (file, store) {
        (Some(file), _) => place::read_bugs(file),
        (None, None) => place::read_bugs(&out.join(bug_file::FILE)),
        (None, Some(store)) => place::bugs_in(store.as_mut()),
    }
}

/// The plan of a campaign. An existing campaign keeps the settings that decide its cases.
fn join(
    arguments: &Arguments,
    terminal: Terminal,
    store: &mut Option<Box<dyn Store>>,
) -> Result<Plan, Failure> {
    let row = match store {
        Some(store) => store.campaign().map_err(store_failure)?,
        None => None,
    };
    let Some(row) = row else {
        return plan(arguments, terminal, None, &[]);
    };
    let settings = Settings::read(&row.settings);
    if settings.auspex != env!("CARGO_PKG_VERSION") {
        let began = &settings.auspex;
        terminal.error(&format!(
            "auspex {began} started this campaign; this version may make other cases"
        ));
    }
    if arguments.solver.is_empty() {
        // Whoever started the campaign must not choose which programs run on this machine.
        input::foreign_solvers(&settings.specs, terminal)?;
    }
    let mut plan = plan(arguments, terminal, Some(row.seed), &settings.specs)?;
    let applied = settings.apply(&mut plan.setup.maker);
    applied.map_err(Failure::Usage)?;
    Ok(plan)
}

/// Ends sessions and workers, and prints findings that could not be written to disk.
pub fn end(campaign: Campaign, terminal: Terminal) -> Status {
    let (status, unsaved) = campaign.end();
    for finding in &unsaved {
        terminal.error(&format!(
            "this finding could not be written:\n{}",
            finding.to_json()
        ));
    }
    status
}

pub fn problem(problem: StartProblem) -> Failure {
    match problem {
        StartProblem::NothingToDo => Failure::Usage(problem.to_string()),
        _ => Failure::Environment(problem.to_string()),
    }
}

// ---- from arguments to a plan ----

/// Reads the configuration, finds or installs solvers, reads seeds. `usual` and `specs` are the defaults for the
/// random seed and the solvers.
pub fn plan(
    arguments: &Arguments,
    terminal: Terminal,
    usual: Option<u64>,
    specs: &[String],
) -> Result<Plan, Failure> {
    let mut config = config(arguments)?;
    config.solver = either(&arguments.solver, either(&config.solver, specs)).to_vec();
    let time = arguments.time.as_ref().or(config.time.as_ref());
    let time = time.map(|text| {
        duration(text).ok_or_else(|| {
            bad(format!(
                "invalid duration \"{text}\": expected a number and s, m, h or d"
            ))
        })
    });
    let theories = input::theories(either(&arguments.theories, &config.theories))?;
    let team = Team::new(
        solvers(&config.solver, terminal)?,
        limits(arguments, &config)?,
    );
    let options = option_space(arguments, &config, &team)?;
    let pool = pool(arguments, &config, terminal)?;
    let strategies = strategies(either(&arguments.strategy, &config.strategy), &team)?;
    let only = arguments.operators.as_deref();
    for strategy in &strategies {
        input::takes_operators(*strategy, only)?;
    }
    let signature = arguments.signature.clone().or(config.signature.clone());
    let maker = Maker {
        seed: arguments
            .seed
            .or(config.seed)
            .or(usual)
            .unwrap_or_else(any_seed),
        strategies,
        theories,
        vocabularies: team.vocabularies(),
        kinds: kinds(&arguments.asks)?,
        table: input::operators_or_only(signature.as_deref(), only, terminal)?,
    };
    let workers = arguments.workers.or(config.workers).map(usize::from);
    let out = arguments.out.clone().or(config.out.clone());
    // Whoever fixes the seed or the number of cases wants the same cases again.
    let is_fixed = arguments.seed.or(config.seed).is_some() || arguments.cases.is_some();
    let has_seeds = !arguments.seeds.is_empty() || !config.seeds.is_empty();
    let is_off = arguments.no_seed_install || config.no_seed_install;
    Ok(Plan {
        time: time.transpose()?,
        brings_seeds: !is_fixed && !has_seeds && !is_off,
        largest_seed: config.largest_seed.unwrap_or(LARGEST),
        setup: Setup {
            settings: Settings::of(&maker, &team, &config.solver).to_json(),
            maker,
            team,
            options,
            pool,
            out: out.unwrap_or_else(|| PathBuf::from("auspex-out")),
            workers: workers.unwrap_or_else(cores),
            disk_limit: disk_limit(arguments, &config)?,
            cases: arguments.cases,
            ignore: config.ignore,
            reduce: !arguments.no_reduce,
            modes: modes(&arguments.mode)?,
            steady: false,
            bugs_only: arguments.bugs_only || config.bugs_only,
            memory: memory(arguments),
            without: parts(&arguments.without)?,
            known: Vec::new(),
            aim: None,
            guided: arguments.guide == Guide::Coverage,
            trace: trace(arguments)?,
        },
    })
}

/// The options that the solvers are asked under now and then.
fn option_space(
    arguments: &Arguments,
    config: &Config,
    team: &Team,
) -> Result<OptionSpace, Failure> {
    let catalog = input::catalog()?;
    let name = arguments.options.as_ref().or(config.options.as_ref());
    let name = name.map_or("all", String::as_str);
    let scope = Scope::named(name, &catalog.profiles).ok_or_else(|| {
        bad(format!(
            "no options are called {name}; there are none, supported, all, typefuzz and diver"
        ))
    })?;
    let fixed = &arguments.with_option;
    let space = OptionSpace::of(team, &scope, fixed, Some(&catalog.cache));
    match fixed.iter().find(|word| !space.sets(word)) {
        None => Ok(space),
        Some(word) => Err(bad(format!(
            "no solver of this campaign has the option {word}; `auspex options SOLVER` lists what it has"
        ))),
    }
}

fn bad(text: String) -> Failure {
    Failure::Usage(text)
}

fn either<'a>(first: &'a [String], second: &'a [String]) -> &'a [String] {
    if first.is_empty() { second } else { first }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A random seed, if none is given. It is shown, so the campaign can be repeated.
fn any_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |now| (now.as_nanos() >> 10) as u64 & 0xffff_ffff)
}

fn config(arguments: &Arguments) -> Result<Config, Failure> {
    let usual = Path::new("auspex.toml");
    let path = match &arguments.config {
        Some(path) => path.as_path(),
        None if usual.is_file() => usual,
        None => return Ok(Config::default()),
    };
    let text = files::read_config(path)?;
    let mut config =
        Config::read(&text).map_err(|why| bad(format!("{}: {why}", path.display())))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(path) = &mut config.signature {
        *path = folder.join(&*path);
    }
    // A plain word that is no folder beside the file is the name of a collection.
    for path in &mut config.seeds {
        let beside = folder.join(&*path);
        if beside.exists() || path.components().count() > 1 {
            *path = beside;
        }
    }
    Ok(config)
}

fn disk_limit(arguments: &Arguments, config: &Config) -> Result<Option<u64>, Failure> {
    let given = arguments.disk_limit.as_ref().or(config.disk_limit.as_ref());
    match given.map_or(DISK, String::as_str) {
        "none" => Ok(None),
        text => size(text)
            .map(Some)
            .ok_or_else(|| bad(format!("invalid size {text}: expected 500M, 20G or none"))),
    }
}

fn limits(arguments: &Arguments, config: &Config) -> Result<Limits, Failure> {
    let seconds = arguments.timeout.or(config.timeout).unwrap_or(TIMEOUT);
    time_limits(seconds, config.memory)
}

/// The limits of one query, in seconds and megabytes.
pub fn time_limits(seconds: f64, memory: Option<u64>) -> Result<Limits, Failure> {
    let soft = Duration::try_from_secs_f64(seconds)
        .map_err(|_| bad(format!("invalid time limit {seconds}: expected seconds")))?;
    Ok(Limits {
        // The solver's own limit expires first, so that its process survives.
        wall: soft + soft / 2 + Duration::from_millis(200),
        soft: Some(soft),
        memory: Some(memory.unwrap_or(2048) << 20),
        ..Limits::default()
    })
}

fn parts(names: &[String]) -> Result<Vec<Part>, Failure> {
    let named = |name: &String| {
        let known = Part::ALL.map(|(known, _)| known).join(", ");
        Part::named(name)
            .ok_or_else(|| bad(format!("unknown part {name}; expected one of {known}")))
    };
    names.iter().map(named).collect()
}

fn modes(names: &[String]) -> Result<Vec<Mode>, Failure> {
    let named = |name: &String| {
        let mode = Mode::ALL.into_iter().find(|m| m.name() == name);
        let known = Mode::ALL.map(Mode::name).join(", ");
        mode.ok_or_else(|| bad(format!("unknown mode {name}; expected one of {known}")))
    };
    names.iter().map(named).collect()
}

/// The strategies named, or all that make cases for one of the solvers.
fn strategies(names: &[String], team: &Team) -> Result<Vec<&'static dyn Strategy>, Failure> {
    if names.is_empty() {
        let is_there = |make: &&str| team.plain().iter().any(|member| member.name() == *make);
        let all = strategy::ALL.iter().copied();
        let usable = all.filter(|s| s.makes().is_empty() || s.makes().iter().any(is_there));
        return Ok(usable.collect());
    }
    let names = names.iter().flat_map(|list| strategy::split(list));
    names
        .map(|name| strategy::parse(&name).map_err(bad))
        .collect()
}

/// The kinds of answers that cases may ask for: all if none is named.
fn kinds(names: &[String]) -> Result<Vec<Kind>, Failure> {
    match names {
        [] => Ok(answers::ALL.iter().map(|kind| kind.kind()).collect()),
        [none] if none == "none" => Ok(Vec::new()),
        names => names
            .iter()
            .map(|name| Ok(input::kind(name)?.kind()))
            .collect(),
    }
}

/// The solvers named, or the newest release of each one found.
fn solvers(specs: &[String], terminal: Terminal) -> Result<Vec<Solver>, Failure> {
    if !specs.is_empty() {
        return named(specs, terminal);
    }
    let found = input::solvers(specs, terminal)?;
    let mut newest: BTreeMap<String, Solver> = BTreeMap::new();
    for solver in found {
        let name = solver.profile.name.clone();
        let newer = newest
            .get(&name)
            .is_none_or(|known| known.version < solver.version);
        if newer {
            newest.insert(name, solver);
        }
    }
    Ok(newest.into_values().collect())
}

/// The solvers named that are available; having none is an error.
fn named(specs: &[String], terminal: Terminal) -> Result<Vec<Solver>, Failure> {
    let (mut found, mut missing) = (Vec::new(), None);
    for spec in specs {
        match input::named_solvers(std::slice::from_ref(spec), terminal) {
            Ok(solvers) => found.extend(solvers),
            Err(Failure::Environment(why)) => {
                terminal.error(&format!("going on without {spec}: {why}"));
                missing = Some(Failure::Environment(why));
            }
            Err(failure) => return Err(failure),
        }
    }
    match (found.is_empty(), missing) {
        (true, Some(failure)) => Err(failure),
        _ => Ok(found),
    }
}

fn pool(arguments: &Arguments, config: &Config, terminal: Terminal) -> Result<Pool, Failure> {
    let places = match arguments.seeds.is_empty() {
        true => &config.seeds,
        false => &arguments.seeds,
    };
    let places = &seeds::places(places, terminal)?;
    let pool = Pool::read(places, config.largest_seed.unwrap_or(LARGEST));
    if !places.is_empty() {
        terminal.note(&format!("{} seeds", pool.seeds.len()));
        for (why, count) in &pool.skipped {
            terminal.note(&format!("  {count} skipped: {why}"));
        }
        let lost = pool.seeds.iter().filter(|seed| seed.lost > 0);
        let (seeds, commands) = lost.fold((0, 0), |(n, sum), seed| (n + 1, sum + seed.lost));
        if seeds > 0 {
            terminal.note(&format!(
                "  {commands} commands in {seeds} seeds are not sent to solvers, because they are unknown or could write files"
            ));
        }
    }
    Ok(pool)
}

/// What is kept of campaigns of this user.
fn memory(arguments: &Arguments) -> Option<Memory> {
    let cache = Cache::of_user().filter(|_| !arguments.no_memory)?;
    Some(Memory::at(cache.folder().join("campaigns")))
}

fn trace(arguments: &Arguments) -> Result<Option<auspex_campaign::run::campaign::Trace>, Failure> {
    let Some(path) = &arguments.trace else {
        return Ok(None);
    };
    let file = std::fs::File::create(path).map_err(|error| Failure::file(path, &error))?;
    Ok(Some(Box::new(move |cases| {
        let mut text = String::new();
        for (number, strategy, hash) in cases {
            text.push_str(&format!("{number} {strategy} {hash:016x}\n"));
        }
        let _ = (&file).write_all(text.as_bytes());
    })))
}

// ---- while it runs ----

/// Signals that end the program: the first one cleanly, the second one at once.
pub struct Signals(Arc<AtomicBool>);

impl Signals {
    pub fn watch() -> Result<Signals, Failure> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let again = Arc::clone(&asked);
            signal_hook::flag::register_conditional_shutdown(signal, Exit::Found as i32, again)?;
            signal_hook::flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Signals(asked))
    }

    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

fn greet(campaign: &Campaign, out: &Path, terminal: Terminal) {
    let Setup { team, maker, .. } = &campaign.state().setup;
    let solvers: Vec<&str> = team.plain().iter().map(|m| m.title.as_str()).collect();
    terminal.note(&format!("solvers: {}", solvers.join(" | ")));
    terminal.note(&format!("strategies: {}", maker.names().join(", ")));
    let how = match (campaign.is_shared(), campaign.resumed()) {
        (true, _) => "shared with other machines, findings also in",
        (false, true) => "continued in",
        (false, false) => "in",
    };
    terminal.note(&format!(
        "seed {}, {how} {}",
        campaign.seed(),
        out.display()
    ));
}

/// Prints a line from time to time, and one for every finding.
pub fn watch_lines(
    campaign: &mut Campaign,
    time: Option<Duration>,
    signals: &Signals,
    terminal: Terminal,
) -> Result<(), Failure> {
    let mut lines = tui::Lines::new(&campaign.status());
    while !campaign.is_over() {
        std::thread::sleep(Duration::from_millis(100));
        if signals.asked() || time.is_some_and(|time| campaign.elapsed() >= time) {
            campaign.stop();
        }
        if lines.is_due(campaign.elapsed()) {
            let status = campaign.tick();
            for line in lines.next(&status) {
                terminal.note(&line);
            }
        }
    }
    Ok(())
}

/// Prints the summary.
pub fn summary(status: &Status, out: &Path) -> String {
    let mut text = format!(
        "\n{} cases in {} ({:.1} a second), {} findings{}\n",
        status.tally.cases,
        tui::clock(status.elapsed_all),
        status.rate,
        status.findings(),
        tui::classes(status),
    );
    for line in &status.newest {
        let repeats = match line.repeats {
            0 => String::new(),
            n => format!(", {n} duplicates"),
        };
        let (who, about) = (format!("{} {}", line.class, line.accused), line.about());
        text.push_str(&format!("{}\n", fitted(&format!("  {}{repeats}", line.id))));
        text.push_str(&format!("{}\n", fitted(&format!("    {who}: {about}"))));
    }
    if status.besides() > 0 {
        let besides = tui::besides(status);
        text.push_str(&format!(
            "also {besides}, which are not bugs; list them with `auspex findings {}`\n",
            out.display()
        ));
    }
    if status.tally.defects > 0 {
        let defects = status.tally.defects;
        text.push_str(&format!(
            "{defects} defects of auspex itself, see `auspex status {}`\n",
            out.display()
        ));
    }
    if let Some(trouble) = &status.trouble {
        text.push_str(&format!("trouble: {trouble}\n"));
    }
    text.push_str(&format!(
        "own processor share {:.1} %; the campaign is in {}, and the same command continues it",
        status.own_share(),
        out.display()
    ));
    text
}
