//! One worker: makes the cases of a block, asks every solver, judges, confirms, and reports.
//! A panic of ours costs one case, is recorded with it, and nothing else.

use crate::findings::filing::Filing;
use crate::findings::finding::SeedRecord;
use crate::findings::fingerprint::normalised;
use crate::findings::ignore::ignored;
use crate::judge::arbitrate::arbitrate;
use crate::judge::confirm::{Details, Suspected};
use crate::judge::judging::{Forms, Judge, Sources, Unconfirmed};
use crate::ledger::{Lease, Sighting};
use crate::run::campaign::Shared;
use crate::run::stats::{Tally, count};
use crate::run::team::{SolverRun, Wants, WorkerSessions};
use crate::schedule::features::{CaseProfile, features};
use crate::schedule::plan::{BLOCK, Choice, SeedChoice, Weights, choose, seeds, span};
use crate::schedule::recipe::Source;
use crate::seeds::learn::{Learner, named_assertions};
use crate::seeds::pool::{Facts, SeedFile};
use crate::shrink::reduction::shrink;
use crate::stable;
use crate::store::{DefectRow, SeedRow, YieldRow};
use auspex_cases::{Case, Class, Evidence, Seed};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Answer, Terms};
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// An arena is thrown away after so many blocks, however small it has stayed.
const ARENA_LIFE: u64 = 256;
/// After so many timeouts in one block a solver is spared the rest of the same seed: they are alike.
const TIMEOUTS: usize = 2;
/// After so many numbers of a block that came to nothing the rest is let go: it has the same seeds.
const BARREN: u64 = 3;
/// One of so many parts of the time may go to seeds that no block has asked for yet: seeds are cases themselves,
/// and a folder of regression tests holds many bugs.
const LOOKING: u32 = 4;
/// How many seeds that are put aside may be drawn before a made one is taken.
const DRAWS: u64 = 8;

/// A made case, ready to be asked.
struct Made {
    number: u64,
    case: Case,
    text: String,
    features: CaseProfile,
}

/// What a case was made from: the seeds in the worker's arena, and how to find them again.
#[derive(Clone, Copy)]
struct From<'a> {
    seeds: &'a [Seed],
    sources: &'a [Source],
    /// In which other forms its queries are asked, too.
    forms: Forms,
}

/// Answers to related scripts, which are the same for many cases of a block.
#[derive(Default)]
struct Remembered(HashMap<(usize, u64), Option<SolverRun>>);

impl Remembered {
    fn ask(
        &mut self,
        member: usize,
        text: &str,
        ask: impl FnOnce() -> Option<SolverRun>,
    ) -> Option<SolverRun> {
        let key = (member, stable::hash(text));
        self.0.entry(key).or_insert_with(ask).clone()
    }
}

/// How far a block has come; survives a panic.
#[derive(Default)]
struct Progress {
    /// The case in hand.
    current: Option<u64>,
    /// The first case.
    first: u64,
    /// Cases that made us panic.
    poisoned: BTreeSet<u64>,
    tested: BTreeSet<u64>,
    told: bool,
    sources: Vec<Source>,
}

struct Worker<'s> {
    shared: &'s Shared,
    terms: Terms,
    crew: WorkerSessions<'s>,
    learner: Learner<'s>,
    tally: Tally,
    /// Whether the last answer of each live solver leaves its process alive.
    healthy: Vec<bool>,
    /// What solvers said to scripts that cases of this block are related to.
    sources_asked: Remembered,
    /// The solvers that ran out of time in this block, each with the seed that it was about.
    timeouts: Vec<(usize, String)>,
    /// What the answers and complaints of this block were like.
    outcomes: Vec<u64>,
    blocks: u64,
    /// The seeds of this block that are mutants.
    grown: Vec<Arc<SeedFile>>,
    /// How long it has been at work, and how much of that it spent on learning about seeds.
    started: Instant,
    learning: Duration,
}

/// Works until there is nothing to do or the campaign stops.
pub fn run(shared: &Shared) {
    let mut worker = Worker {
        shared,
        terms: shared.maker.terms(),
        crew: WorkerSessions::new(&shared.team, !shared.steady),
        learner: Learner::new(&shared.team, shared.steady, !shared.maker.wants_models()),
        tally: Tally::default(),
        healthy: vec![true; shared.team.members.len()],
        sources_asked: Remembered::default(),
        timeouts: Vec::new(),
        outcomes: Vec::new(),
        blocks: 0,
        grown: Vec::new(),
        started: Instant::now(),
        learning: Duration::ZERO,
    };
    while !shared.stop.load(Ordering::Relaxed) {
        if shared.pause.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        }
        if shared.reduce {
            worker.reduce();
        }
        worker.look_ahead();
        let lease = shared.ledger().lease();
        match lease {
            Lease::Block { number, weights } => worker.block(number, &weights),
            Lease::Wait => std::thread::sleep(Duration::from_millis(5)),
            Lease::Over => {
                // Jobs of a shared campaign may wait for somebody who has time.
                let stopped = || shared.stop.load(Ordering::Relaxed);
                while shared.reduce && shared.is_shared && !stopped() && worker.reduce() {}
                break;
            }
        }
    }
}

impl<'s> Worker<'s> {
    fn block(&mut self, block: u64, weights: &Weights) {
        let files = self.shared.pool.share();
        let maker = &self.shared.maker;
        let mut choice = choose(maker.seed, block, weights, files);
        let span = span(maker.strategies[choice.strategy]);
        choice.turn = block - block % span;
        choice.seeds = seeds(maker.seed, choice.turn, files);
        let modes = &self.shared.modes;
        if !modes.is_empty() && !modes.contains(&choice.mode) {
            choice.mode = modes[block as usize % modes.len()];
        }
        let mut progress = Progress {
            first: block * BLOCK,
            ..Progress::default()
        };
        loop {
            let attempt = || self.try_block(block, &choice, &mut progress);
            match catch_unwind(AssertUnwindSafe(attempt)) {
                Ok(complete) => {
                    self.hand_in();
                    if complete {
                        self.shared.ledger().finish(block);
                    }
                    return;
                }
                Err(_) => self.recover(&choice, &mut progress),
            }
        }
    }

    /// Shrinks a finding, if one waits and reducing has not taken too much time already; true if one got smaller.
    fn reduce(&mut self) -> bool {
        let shared = self.shared;
        let Some(finding) = shared.ledger().next_reduction(shared.spent()) else {
            return false;
        };
        let started = Instant::now();
        let stop = || shared.stop.load(Ordering::Relaxed);
        let attempt = || shrink(&finding, &shared.team, &stop);
        let reduced = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
            let message = crate::panics::take();
            let replay = finding.replay.clone();
            shared.ledger().defect(DefectRow { replay, message });
            None
        });
        let done = reduced.is_some();
        shared
            .ledger()
            .reduced(&finding.fingerprint, reduced, started.elapsed());
        done
    }

    /// After a panic nothing half-made is used again, and the case is not tried again.
    fn recover(&mut self, choice: &Choice, progress: &mut Progress) {
        let message = crate::panics::take();
        let strategy = self.shared.maker.names()[choice.strategy];
        let number = progress.current.take();
        let case = number.unwrap_or(progress.first);
        let recipe = self
            .shared
            .maker
            .recipe(strategy, case, progress.sources.clone());
        let replay = recipe.to_string();
        self.shared.ledger().defect(DefectRow { replay, message });
        self.tally.defects += 1;
        // A panic outside any case would come again: give the block up.
        match number {
            Some(number) => progress.poisoned.insert(number),
            None => progress.poisoned.insert(u64::MAX),
        };
        self.terms = self.shared.maker.terms();
        self.crew = WorkerSessions::new(&self.shared.team, !self.shared.steady);
    }

    /// Does what is left of a block; false if the campaign stops before it is done.
    fn try_block(&mut self, block: u64, choice: &Choice, progress: &mut Progress) -> bool {
        if self.shared.steady {
            self.crew = WorkerSessions::new(&self.shared.team, !self.shared.steady);
        }
        let mark = self.terms.mark();
        let (seeds, mut made) = match progress.poisoned.contains(&u64::MAX) {
            true => (Vec::new(), Vec::new()),
            false => self.make(block, choice, progress),
        };
        self.tell(block, choice, &made, progress);
        self.learner.rest();
        // Between two scripts of one logic a live process need not be reset.
        made.sort_by(|one, other| header(&one.text).cmp(header(&other.text)));
        self.timeouts.clear();
        self.sources_asked.0.clear();
        let started = Instant::now();
        let mut complete = true;
        for made in &made {
            if self.shared.stop.load(Ordering::Relaxed) {
                complete = false;
                break;
            }
            if !progress.tested.contains(&made.number) {
                progress.current = Some(made.number);
                let from = From {
                    seeds: &seeds,
                    sources: &progress.sources,
                    forms: choice.forms,
                };
                self.test(made, choice, &from);
                progress.current = None;
                progress.tested.insert(made.number);
            }
        }
        drop((seeds, made));
        self.answered(choice, started.elapsed());
        self.terms.release(mark);
        self.blocks += 1;
        if self.blocks.is_multiple_of(ARENA_LIFE) {
            self.terms = self.shared.maker.terms();
        }
        complete
    }

    /// Tells what the answers to a block brought, and ends the process that was asked for this block only.
    fn answered(&mut self, choice: &Choice, took: Duration) {
        let team = &self.shared.team;
        let mut arms = vec![choice.mode.name()];
        if let Some(variant) = choice.variant.map(|at| team.plain + at) {
            arms.push(&team.members[variant].title);
            self.crew.rest(variant);
        }
        let outcomes = std::mem::take(&mut self.outcomes);
        if !self.shared.steady {
            let mut ledger = self.shared.ledger();
            ledger.answered(&arms, took.as_secs_f64(), &outcomes);
        }
    }

    fn make(
        &mut self,
        block: u64,
        choice: &Choice,
        progress: &mut Progress,
    ) -> (Vec<Seed>, Vec<Made>) {
        let strategy = self.shared.maker.strategies[choice.strategy];
        let wanted = match (strategy.needs_seeds(), strategy.is_chained()) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => choice.seeds.len(),
        };
        let seeds = self.seeds(choice, wanted, progress);
        let mut line = self.shared.maker.line(strategy);
        let started = Instant::now();
        let mut all = Vec::with_capacity(BLOCK as usize);
        let mut barren = 0;
        for number in block * BLOCK..(block + 1) * BLOCK {
            if progress.poisoned.contains(&number) {
                continue;
            }
            if barren == BARREN && all.is_empty() {
                break;
            }
            progress.current = Some(number);
            match line.make(&mut self.terms, &seeds, number) {
                Some(mut case) => {
                    // A core says something only about assertions that have names.
                    if choice.cores && !case.evidence.iter().any(is_witness) {
                        case.script = named_assertions(&mut self.terms, &case.script);
                    }
                    all.push(Made {
                        number,
                        text: render::script(&self.terms, &case.script, Sharing::Auto),
                        features: features(&self.terms, &case.script),
                        case,
                    });
                }
                None => {
                    barren += 1;
                    self.tally.strategy(strategy.name()).empty += 1;
                }
            }
            progress.current = None;
        }
        self.tally.make_us += started.elapsed().as_micros() as u64;
        (seeds, all)
    }

    /// Tells the ledger what was made, once, however often a panic makes us start again.
    fn tell(&mut self, block: u64, choice: &Choice, made: &[Made], progress: &mut Progress) {
        if std::mem::replace(&mut progress.told, true) {
            return;
        }
        let cases = made.iter();
        let cases = cases.map(|m| (m.number, &m.case, m.text.as_str(), &m.features));
        self.shared.growth.offer(&mut self.terms, block, cases);
        let strategy = self.shared.maker.names()[choice.strategy];
        let mut all: Vec<u64> = made.iter().flat_map(|m| m.features.edges.clone()).collect();
        all.sort_unstable();
        all.dedup();
        let row = YieldRow {
            block,
            strategy: strategy.to_string(),
            cases: BLOCK as u32,
            features: all,
        };
        let new = self.shared.ledger().made(row);
        self.tally.strategy(strategy).features += new as u64;
        if let Some(trace) = &self.shared.trace {
            trace(
                made.iter()
                    .map(|m| (m.number, strategy, stable::hash(&m.text)))
                    .collect(),
            );
        }
    }

    // ---- seeds ----

    /// The seeds of a block in our arena; one that is put aside makes room for the next.
    fn seeds(&mut self, choice: &Choice, wanted: usize, progress: &mut Progress) -> Vec<Seed> {
        progress.sources.clear();
        self.grown.clear();
        let mut seeds = Vec::new();
        for (place, one) in choice.seeds[..wanted].iter().enumerate() {
            let found = match (self.grown_seed(choice.turn, place), *one) {
                (Some(grown), _) => Some(grown),
                (None, SeedChoice::File(number)) => self.seed_file(number),
                (None, SeedChoice::Made(number)) => self.made_seed(number),
            };
            if let Some((seed, source)) = found {
                seeds.push(seed);
                progress.sources.push(source);
            }
        }
        seeds
    }

    fn grown_seed(&mut self, turn: u64, place: usize) -> Option<(Seed, Source)> {
        let seed = self.shared.growth.pick(turn, place as u64)?;
        let loaded = seed.load(&mut self.terms, seed.facts.get()?)?;
        let (key, name) = (seed.key.clone(), seed.name.clone());
        self.grown.push(seed);
        Some((loaded, Source::File { key, name }))
    }

    fn made_seed(&mut self, number: u64) -> Option<(Seed, Source)> {
        let seed = self.shared.maker.made_seed(&mut self.terms, number)?;
        Some((seed, Source::Made(number)))
    }

    fn seed_file(&mut self, number: u64) -> Option<(Seed, Source)> {
        let pool = &self.shared.pool;
        for draw in 0..DRAWS {
            let drawn = match draw {
                0 => number,
                _ => stable::Stable::default()
                    .number(number)
                    .number(draw)
                    .finish(),
            };
            let seed = &pool.seeds[pool.pick(drawn)?];
            let facts = match seed.facts.get() {
                Some(facts) => facts,
                None => self.learn(pool.pick(drawn)?),
            };
            if facts.aside.is_none()
                && let Some(loaded) = seed.load(&mut self.terms, facts)
            {
                let (key, name) = (seed.key.clone(), seed.name.clone());
                return Some((loaded, Source::File { key, name }));
            }
        }
        self.made_seed(number >> 44)
    }

    /// Asks about seeds that have not come up yet, as long as there is time for it.
    fn look_ahead(&mut self) {
        while self.learning * LOOKING < self.started.elapsed()
            && let Some(place) = self.shared.next_seed()
        {
            let mark = self.terms.mark();
            if catch_unwind(AssertUnwindSafe(|| _ = self.learn(place))).is_err() {
                let message = crate::panics::take();
                let replay = format!("seed {}", self.shared.pool.seeds[place].name);
                self.shared.ledger().defect(DefectRow { replay, message });
                self.tally.defects += 1;
                self.terms = self.shared.maker.terms();
            } else {
                self.terms.release(mark);
            }
            self.learner.rest();
        }
    }

    /// Asks all solvers about a seed, unless another worker has; and follows what they get wrong.
    fn learn(&mut self, place: usize) -> &'s Facts {
        let shared = self.shared;
        let seed = &shared.pool.seeds[place];
        let mut learned = None;
        let began = Instant::now();
        let facts = seed.facts.get_or_init(|| {
            learned = self.learner.learn(&mut self.terms, seed);
            learned
                .as_ref()
                .map_or_else(unreadable, |l| l.facts.clone())
        });
        if let Some(learned) = learned {
            shared.ledger().learned(SeedRow {
                key: format!("{}-{}", seed.key, shared.team.key()),
                name: seed.name.clone(),
                facts: serde_json::to_string(facts).unwrap_or_default(),
            });
            let made = Made {
                number: 0,
                case: learned.case,
                text: seed.text.clone(),
                features: learned.features,
            };
            if seed.past {
                return facts;
            }
            let details = Details {
                models: true,
                cores: false,
            };
            let source = Source::File {
                key: seed.key.clone(),
                name: seed.name.clone(),
            };
            let from = From {
                seeds: &[],
                sources: &[source],
                forms: Forms::default(),
            };
            self.judge(&made, &learned.asked, details, &from);
            self.learning += began.elapsed();
        }
        facts
    }

    // ---- testing ----

    fn test(&mut self, made: &Made, choice: &Choice, from: &From<'_>) {
        let names = made.case.script.assertions().any(|a| a.name.is_some());
        let wants = Wants {
            mode: choice.mode,
            models: true,
            cores: choice.cores && names,
            likely_sat: made.case.evidence.iter().all(is_witness),
        };
        let started = Instant::now();
        let mut asked = Vec::with_capacity(self.shared.team.members.len());
        let plain = self.shared.team.plain;
        let variant = choice.variant.map(|at| plain + at);
        let maker = &self.shared.maker;
        let strategy = maker.strategies[choice.strategy];
        let audience = maker.audience(strategy, made.number);
        let (compared, operators) = (strategy.needs_second(), &made.features.operators);
        for member in (0..plain).chain(variant) {
            let spec = &self.shared.team.members[member].reader.spec;
            if maker.readers.asks(audience, spec, compared, operators) {
                asked.extend(self.ask(member, made, wants));
            }
        }
        let strategy = self.tally.strategy(made.case.origin.strategy);
        strategy.cases += 1;
        strategy.solver_us += started.elapsed().as_micros() as u64;
        self.tally.cases += 1;
        self.tally.queries += asked.iter().map(|a| a.answers.len() as u64).sum::<u64>();
        let details = Details {
            models: wants.models,
            cores: wants.cores,
        };
        self.judge(made, &asked, details, from);
    }

    fn ask(&mut self, member: usize, made: &Made, wants: Wants) -> Option<SolverRun> {
        let shared = self.shared;
        let title = &shared.team.members[member].label;
        let seed = made.case.origin.seed.as_ref();
        let alike = |(who, about): &&(usize, String)| *who == member && Some(about) == seed;
        let tired = self.timeouts.iter().filter(alike).count() >= TIMEOUTS;
        if tired || !self.crew.expects_answer(member, &made.features) {
            self.tally.solver(title).spared += 1;
            return None;
        }
        let before = self.crew.starts(member);
        let asked = match self.crew.ask(member, &made.text, wants, &made.features) {
            Ok(asked) => asked,
            Err(error) => {
                self.shared.ledger().trouble = Some(error.to_string());
                std::thread::sleep(Duration::from_millis(100));
                return None;
            }
        };
        count(&mut self.tally.modes, asked.mode.name());
        let started = self.crew.starts(member) - before;
        let tally = self.tally.solver(title);
        tally.starts += started;
        if started > 0 && before > 0 {
            match self.healthy[member] {
                true => tally.recycled += 1,
                false => tally.killed += 1,
            }
        }
        for answer in &asked.answers {
            let name = shared.team.members[member].name();
            let outcome = stable::Stable::default().text(name).text(answer.word());
            let outcome = outcome.number(made.features.theories.number());
            self.outcomes.push(outcome.finish());
            count(&mut tally.answers, answer.word());
            if let (Answer::Timeout, Some(seed)) = (answer, seed) {
                self.timeouts.push((member, seed.clone()));
            }
            match answer {
                Answer::Rejected { message, .. } => tally.refuse(&short(message), 1),
                Answer::Garbled { text } => {
                    tally.refuse(&format!("unparsable reply: {}", short(text)), 1)
                }
                _ => {}
            }
        }
        tally.wall_us += asked.wall.as_micros() as u64;
        tally.cpu_us += asked.cpu.as_micros() as u64;
        let calm = |a: &Answer| {
            matches!(
                a,
                Answer::Sat { .. } | Answer::Unsat { .. } | Answer::Unknown { .. }
            )
        };
        self.healthy[member] = asked.answers.iter().all(calm) && asked.later.is_none();
        Some(asked)
    }

    fn judge(&mut self, made: &Made, runs: &[SolverRun], details: Details, from: &From<'_>) {
        let started = Instant::now();
        let shared = self.shared;
        let budget = shared.budget();
        let sources = Sources::Seeds(from.seeds);
        let (crew, features, sources_asked) =
            (&mut self.crew, &made.features, &mut self.sources_asked);
        let mut ask = |member: usize, text: &str| {
            sources_asked.ask(member, text, || crew.ask_related(member, text, features))
        };
        let mut judge = Judge {
            team: &shared.team,
            budget,
            sources,
            forms: from.forms,
            ask: &mut ask,
        };
        let mut all = judge.verdicts(&mut self.terms, &made.case, runs);
        // A disagreement may turn out to be a bug.
        let counts = |class: Class| class.is_bug() || class == Class::Disagreement;
        all.retain(|one| counts(one.verdict.class) || !shared.bugs_only);
        self.tally.judge_us += started.elapsed().as_micros() as u64;
        for found in all {
            let suspected = Suspected {
                case: &made.case,
                runs,
                team: &shared.team,
                sources,
                details,
            };
            self.follow(made, &suspected, found, from.sources);
        }
    }

    fn follow(
        &mut self,
        made: &Made,
        suspected: &Suspected<'_>,
        found: Unconfirmed,
        sources: &[Source],
    ) {
        let shared = self.shared;
        let (case, theories) = (&made.case, made.features.theories);
        let strategy = case.origin.strategy;
        self.tally.suspicions += 1;
        self.tally.strategy(strategy).suspicions += 1;
        let seen = found.identity(&self.terms, case, theories, &shared.team);
        self.outcomes.push(stable::hash(&seen.bucket));
        if ignored(&shared.ignore, &found, &seen, &shared.team, &made.text).is_some() {
            self.tally.suppressed += 1;
            return;
        }
        let sighting = shared.ledger().sight(&seen);
        match sighting {
            Sighting::New => {}
            Sighting::Known => return self.tally.repeats += 1,
            Sighting::Similar => return self.tally.similar += 1,
            Sighting::Unrepeatable => return self.tally.unrepeatable += 1,
        }
        let started = Instant::now();
        let Some(confirmed) = suspected.confirm(&mut self.terms, &found) else {
            self.tally.confirm_us += started.elapsed().as_micros() as u64;
            self.tally.unrepeatable += 1;
            return shared.ledger().dismiss(&seen);
        };
        self.tally.confirmed += 1;
        let (confirmed, team) = match confirmed.verdict.verdict.class {
            // Who else is on this machine must not change what two steady runs say.
            Class::Disagreement if !shared.steady => {
                let terms = &mut self.terms;
                let neighbours = shared.neighbours();
                arbitrate(terms, suspected, &made.features, confirmed, neighbours)
            }
            _ => (confirmed, shared.team.clone()),
        };
        self.tally.confirm_us += started.elapsed().as_micros() as u64;
        let is_bug = confirmed.verdict.verdict.class.is_bug();
        if !is_bug && shared.bugs_only {
            return shared.ledger().dismiss(&seen);
        }
        self.tally.strategy(strategy).findings += u64::from(is_bug);
        let identity = confirmed
            .verdict
            .identity(&self.terms, case, theories, &team);
        let recipe = shared.maker.recipe(strategy, made.number, sources.to_vec());
        let made = Filing {
            case,
            confirmed: &confirmed,
            team: &team,
            identity: &identity,
            recipe: &recipe,
        };
        let mut finding = made.finding(&mut self.terms);
        finding.signature = shared.maker.table.signature().map(ToString::to_string);
        finding.seeds = self.seed_records(&recipe.from);
        shared.ledger().file(&seen, finding);
    }

    /// The files a case was made from, so that it can be made again where they are not.
    fn seed_records(&self, from: &[Source]) -> Vec<SeedRecord> {
        let file = |source: &Source| match source {
            Source::Made(_) => None,
            Source::File { key, .. } => {
                let grown = self.grown.iter().map(Arc::as_ref);
                let mut all = grown.chain(&self.shared.pool.seeds);
                let seed = all.find(|s| s.key == *key)?;
                Some(SeedRecord {
                    name: seed.name.clone(),
                    text: seed.text.clone(),
                    facts: seed.facts.get().cloned().unwrap_or_default(),
                })
            }
        };
        from.iter().filter_map(file).collect()
    }

    /// Adds what this worker has counted to the common counts.
    fn hand_in(&mut self) {
        let tally = std::mem::take(&mut self.tally);
        self.shared.ledger().tally.add(&tally);
    }
}

/// The logic and the options of a script as we write it.
fn header(text: &str) -> &str {
    let lines = text.split_inclusive('\n');
    let length = lines.take_while(|line| line.starts_with("(set-"));
    &text[..length.map(str::len).sum()]
}

fn is_witness(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::Witness(_))
}

/// What a refusal says, without what differs from script to script.
fn short(message: &str) -> String {
    let line = message.lines().find(|line| !line.trim().is_empty());
    let text = normalised(line.unwrap_or(""));
    text.chars().take(100).collect()
}

fn unreadable() -> Facts {
    Facts {
        aside: Some("cannot be read".to_string()),
        ..Facts::default()
    }
}
