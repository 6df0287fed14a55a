//! Makes mutants of seeds, asks solvers about them if any are named, and prints what came of it as one line of JSON.
//!
//! `cargo run --release -p auspex-campaign --example mutants -- SEEDS… [--strategy typefuzz] [--seconds 10]
//!  [--solver z3 --solver cvc5] [--mode push-pop] [--wall 2] [--largest 4096] [--show 3] [--chain] [--each 300]`
//!
//! `--chain` counts every mutant of a chain, as other tools do, instead of one per draw; `--each` makes so many
//! mutants of each seed in such chains, however long that takes.

use auspex_cases::mutant::Mutant;
use auspex_cases::strategy::chain::{Chain, MUTATIONS};
use auspex_cases::{Draw, GenContext, Seed};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Answer, Terms, read_script};
use auspex_solvers::{Catalog, Limits, Mode, Query, Session};
use rustc_hash::FxHasher;
use serde_json::json;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

struct Wish {
    seeds: Vec<PathBuf>,
    strategy: String,
    seconds: f64,
    solvers: Vec<String>,
    mode: Mode,
    wall: f64,
    largest: u64,
    show: usize,
    whole_chains: bool,
    each_seed: bool,
    each: Option<u64>,
}

fn main() {
    let wish = read_wish();
    let mut terms = Terms::new();
    let seeds = read_seeds(&mut terms, &wish);
    let catalog = OnceCell::new();
    let limits = Limits {
        wall: Duration::from_secs_f64(wish.wall),
        soft: Some(Duration::from_secs_f64(wish.wall / 2.0)),
        ..Limits::default()
    };
    let sessions = wish.solvers.iter().map(|name| {
        let catalog = catalog.get_or_init(|| Catalog::of_user().expect("the profiles can be read"));
        let found = catalog.find(name).expect("the solver is here");
        Session::start(&found.solver, &limits)
    });
    let mut tally = Tally::new(sessions.collect());
    let mark = terms.mark();
    let started = Instant::now();
    let mut number = 0;
    for (seed, each) in seeds.iter().zip(std::iter::repeat(wish.each)) {
        let mut left = each.unwrap_or(0);
        while left > 0 {
            let made = one_chain(
                &wish,
                &mut terms,
                std::slice::from_ref(seed),
                number,
                left.min(30),
                &mut tally,
            );
            terms.release(mark);
            left -= made;
            number += 1;
            if made == 0 {
                break;
            }
        }
    }
    while wish.each.is_none() && started.elapsed().as_secs_f64() < wish.seconds {
        if wish.each_seed && number as usize >= seeds.len() {
            break;
        }
        let only = number as usize % seeds.len();
        let chosen = if wish.each_seed {
            &seeds[only..=only]
        } else {
            &seeds[..]
        };
        one_draw(&wish, &mut terms, chosen, number, &mut tally);
        terms.release(mark);
        number += 1;
    }
    tally.print(&wish, seeds.len(), started.elapsed().as_secs_f64());
}

fn read_wish() -> Wish {
    let mut wish = Wish {
        seeds: Vec::new(),
        strategy: "typefuzz".into(),
        seconds: 10.0,
        solvers: Vec::new(),
        mode: Mode::PushPop,
        wall: 2.0,
        largest: 4096,
        show: 0,
        whole_chains: false,
        each_seed: false,
        each: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().expect("a value after the option");
        match word.as_str() {
            "--strategy" => wish.strategy = value(),
            "--seconds" => wish.seconds = value().parse().expect("seconds"),
            "--solver" => wish.solvers.push(value()),
            "--mode" => {
                let name = value();
                let mut all = Mode::ALL.into_iter();
                wish.mode = all.find(|mode| mode.name() == name).expect("a mode");
            }
            "--wall" => wish.wall = value().parse().expect("seconds"),
            "--largest" => wish.largest = value().parse().expect("bytes"),
            "--show" => wish.show = value().parse().expect("a number"),
            "--each" => wish.each = Some(value().parse().expect("a number")),
            "--chain" => wish.whole_chains = true,
            "--each-seed" => wish.each_seed = true,
            _ => wish.seeds.push(word.into()),
        }
    }
    wish
}

fn read_seeds(terms: &mut Terms, wish: &Wish) -> Vec<Seed> {
    let mut files = Vec::new();
    wish.seeds.iter().for_each(|path| collect(path, &mut files));
    files.sort();
    files.retain(|file| file.metadata().is_ok_and(|m| m.len() <= wish.largest));
    let mut seeds = Vec::new();
    for file in files {
        let Ok(bytes) = std::fs::read(&file) else {
            continue;
        };
        if let Ok(reading) = read_script(terms, &auspex_syntax::decode(&bytes)) {
            seeds.push(Seed {
                name: file.display().to_string(),
                script: reading.script,
                status: None,
                models: Vec::new(),
                core: None,
            });
        }
    }
    seeds
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|e| collect(&e.path(), files)),
        Err(_) if path.extension().is_some_and(|e| e == "smt2") => files.push(path.into()),
        Err(_) => {}
    }
}

fn one_draw(wish: &Wish, terms: &mut Terms, seeds: &[Seed], number: u64, tally: &mut Tally) {
    let mut workshop = workshop(terms, seeds);
    let mut draw = Draw::new(1, number);
    if !wish.whole_chains {
        let strategy = auspex_cases::strategy::named(&wish.strategy).expect("a strategy");
        match strategy.make(&mut workshop, &mut draw) {
            Some(case) => {
                let seed = case.origin.seed.as_deref().unwrap_or("");
                tally.learn(terms, seeds, seed, wish);
                tally.steps += case.origin.steps.len() as u64;
                let text = render::script(terms, &case.script, Sharing::Auto);
                tally.take(&text, seed, wish);
            }
            None => tally.barren += 1,
        }
        return;
    }
    one_chain(wish, terms, seeds, number, 30, tally);
}

/// Mutants of one chain, at most so many; says how many there were.
fn one_chain(
    wish: &Wish,
    terms: &mut Terms,
    seeds: &[Seed],
    number: u64,
    most: u64,
    tally: &mut Tally,
) -> u64 {
    let mut all = MUTATIONS.into_iter();
    let mutate = all.find(|one| one.name == wish.strategy);
    let mutate = mutate.expect("a strategy");
    let mut workshop = workshop(terms, seeds);
    let mut chain =
        Chain::start(mutate, &mut workshop, Draw::new(1, number)).expect("there are seeds");
    let mut text = String::new();
    for made in 0..most {
        if !chain.advance(terms) {
            tally.barren += 1;
            return made;
        }
        tally.learn(terms, seeds, chain.seed(), wish);
        text.clear();
        chain.write(terms, &mut text);
        tally.steps += 1;
        tally.take(&text, chain.seed(), wish);
    }
    most
}

fn workshop<'w>(terms: &'w mut Terms, seeds: &'w [Seed]) -> GenContext<'w> {
    GenContext {
        terms,
        seeds,
        theories: &[],
        solvers: SolverSet::Z3.union(SolverSet::CVC5),
        forbidden: &[],
    }
}

struct Tally {
    sessions: Vec<Session>,
    made: u64,
    barren: u64,
    bytes: u64,
    steps: u64,
    distinct: HashSet<u64>,
    seeds: HashSet<String>,
    accepted: HashSet<String>,
    answers: Vec<BTreeMap<&'static str, u64>>,
    rejections: Vec<BTreeMap<String, (u64, String)>>,
    solver_cpu: f64,
    disagreements: u64,
    /// Per seed, which solvers take the seed itself.
    takers: HashMap<String, Vec<bool>>,
    /// Per solver, mutants of seeds it takes.
    asked: Vec<u64>,
}

impl Tally {
    fn new(sessions: Vec<Session>) -> Tally {
        let count = sessions.len();
        Tally {
            sessions,
            made: 0,
            barren: 0,
            bytes: 0,
            steps: 0,
            distinct: HashSet::new(),
            seeds: HashSet::new(),
            accepted: HashSet::new(),
            answers: vec![BTreeMap::new(); count],
            rejections: vec![BTreeMap::new(); count],
            solver_cpu: 0.0,
            disagreements: 0,
            takers: HashMap::new(),
            asked: vec![0; count],
        }
    }

    /// Which solvers take the seed as it is: only their refusals of its mutants are ours.
    fn learn(&mut self, terms: &mut Terms, seeds: &[Seed], name: &str, wish: &Wish) {
        let Some(seed) = seeds.iter().find(|seed| seed.name == name) else {
            return;
        };
        if self.sessions.is_empty() || self.takers.contains_key(name) {
            return;
        }
        let script = Mutant::new(terms, &seed.script).script(terms);
        let text = render::script(terms, &script, Sharing::Auto);
        let mut takes = Vec::new();
        for session in &mut self.sessions {
            let run = session.ask(&Query::new(&text).mode(wish.mode));
            let run = run.expect("the solver starts");
            takes.push(
                !run.answers
                    .iter()
                    .any(|a| matches!(a, Answer::Rejected { .. })),
            );
        }
        self.takers.insert(name.into(), takes);
    }

    fn take(&mut self, text: &str, seed: &str, wish: &Wish) {
        self.made += 1;
        self.bytes += text.len() as u64;
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        self.distinct.insert(hasher.finish());
        let mut words = Vec::new();
        for at in 0..self.sessions.len() {
            if !self.takers[seed][at] {
                continue;
            }
            self.asked[at] += 1;
            let run = self.sessions[at].ask(&Query::new(text).mode(wish.mode));
            let run = run.expect("the solver starts");
            self.solver_cpu += run.cpu.as_secs_f64();
            let rejected = run
                .answers
                .iter()
                .find(|a| matches!(a, Answer::Rejected { .. }));
            let answer = rejected.unwrap_or(run.answer());
            *self.answers[at].entry(answer.word()).or_default() += 1;
            words.push(answer.word());
            match answer {
                Answer::Rejected { message, .. } => {
                    let kind = shape(message);
                    let entry = self.rejections[at].entry(kind);
                    entry.or_insert((0, format!("{message}\n{seed}\n{text}"))).0 += 1;
                }
                _ => {
                    self.accepted.insert(seed.to_string());
                }
            }
        }
        if words.contains(&"sat") && words.contains(&"unsat") {
            self.disagreements += 1;
            if wish.show > 0 {
                eprintln!("---- disagreement {words:?}\n{text}");
            }
        }
        if !self.seeds.contains(seed) {
            self.seeds.insert(seed.to_string());
        }
    }

    fn print(self, wish: &Wish, seeds: usize, wall: f64) {
        let cpu = own_cpu();
        let mut solvers = Vec::new();
        for (at, session) in self.sessions.iter().enumerate() {
            let rejected: u64 = self.rejections[at].values().map(|(count, _)| count).sum();
            solvers.push(json!({
                "solver": session.solver().title(),
                "answers": self.answers[at],
                "asked": self.asked[at],
                "rejected": rejected as f64 / self.asked[at].max(1) as f64,
                "starts": session.starts,
            }));
            let mut kinds: Vec<_> = self.rejections[at].iter().collect();
            kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            for (kind, (count, sample)) in kinds.into_iter().take(wish.show) {
                eprintln!(
                    "---- {} × {count}: {kind}\n{sample}",
                    session.solver().title()
                );
            }
        }
        let line = json!({
            "strategy": wish.strategy,
            "seeds": seeds,
            "seeds used": self.seeds.len(),
            "seeds accepted": self.accepted.len(),
            "mutants": self.made,
            "barren": self.barren,
            "steps": self.steps,
            "distinct": self.distinct.len(),
            "bytes": self.bytes,
            "wall seconds": wall,
            "own CPU seconds": cpu,
            "solver CPU seconds": self.solver_cpu,
            "made per CPU second": self.made as f64 / cpu,
            "tested per CPU second": self.made as f64 / (cpu + self.solver_cpu),
            "disagreements": self.disagreements,
            "solvers": solvers,
        });
        println!("{line}");
    }
}

/// A message without what differs from case to case: numbers, quoted parts, names.
fn shape(message: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in message.split_whitespace().take(24) {
        let plain = word
            .chars()
            .filter(|c| !c.is_ascii_digit())
            .collect::<String>();
        words.push(plain);
    }
    words.join(" ").chars().take(140).collect()
}

/// Processor time of this process without its children, in seconds.
fn own_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|n| n.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}
