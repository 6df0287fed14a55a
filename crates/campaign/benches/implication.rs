//! Asks two solvers whether mutants of `approximate` are what they claim: the seed without the mutant (for a weaker one)
//! or the mutant without the seed (for a stronger one) must never be satisfiable.
//!
//! `cargo bench -p auspex-campaign --bench implication -- FOLDER [SECONDS] [MUTANTS PER SCRIPT] [ENOUGH] [SOLVER…]`
//!
//! Small scripts come first, and it ends when so many mutants are confirmed by two solvers, or when the time is over.
//! Mutants are made as in campaigns.
//!
//! Assertions that seed and mutant share are left out at first: what is unsatisfiable without them is so with them.

use auspex_cases::strategy::approximate::{Approximate, Names};
use auspex_cases::{Case, Draw, GenContext, Seed, SeedStatus};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Answer, Assertion, Command, Fun, Script, TermId, Terms, read_script};
use auspex_solvers::{Catalog, Limits, Mode, Query, Session};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Mutants asked about in one query: one of them would have to be wrong.
const TOGETHER: usize = 16;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|w| !w.starts_with('-'))
        .collect();
    let Some(folder) = words.first() else {
        println!(
            "a folder of scripts is needed: cargo bench -p auspex-campaign --bench implication -- FOLDER"
        );
        return;
    };
    let number =
        |at: usize, usual: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(usual);
    let deadline = Instant::now() + Duration::from_secs(number(1, 600));
    let mut files = Vec::new();
    collect(Path::new(folder), &mut files);
    files.sort_by_key(|file| (file.metadata().map_or(0, |m| m.len()), file.clone()));
    let solvers = match words.get(4..) {
        Some([]) | None => vec!["z3".to_string(), "cvc5".to_string()],
        Some(named) => named.to_vec(),
    };
    let mut check = Check::new(&solvers);
    let (per_script, enough) = (number(2, 128), number(3, 100_000));
    let mut started = 0;
    for file in &files {
        if Instant::now() > deadline || check.confirmed[2] >= enough {
            break;
        }
        check.script(file, per_script);
        started += 1;
        if started % 50 == 0 {
            println!("{started} of {} scripts", files.len());
            check.report();
        }
    }
    println!("{started} of {} scripts", files.len());
    check.report();
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
    {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "smt2") {
            files.push(path);
        }
    }
}

struct Check {
    sessions: Vec<(String, Session)>,
    /// For how many mutants each solver said `unsat`.
    said: Vec<u64>,
    /// Mutants for which so many solvers said `unsat` and none `sat`.
    confirmed: [u64; 3],
    exceptions: Vec<String>,
}

impl Check {
    fn new(names: &[String]) -> Check {
        let catalog = Catalog::of_user().expect("the profiles can be read");
        let limits = Limits {
            wall: Duration::from_secs(2),
            soft: Some(Duration::from_millis(200)),
            ..Limits::default()
        };
        let start = |name: &String| {
            let solver = catalog.find(name).ok()?.solver;
            Some((solver.title(), Session::start(&solver, &limits)))
        };
        let sessions: Vec<_> = names.iter().filter_map(start).collect();
        assert!(!sessions.is_empty(), "z3 or cvc5 is needed");
        Check {
            said: vec![0; sessions.len()],
            sessions,
            confirmed: [0; 3],
            exceptions: Vec::new(),
        }
    }

    fn script(&mut self, file: &Path, count: u64) {
        let Ok(text) = std::fs::read_to_string(file) else {
            return;
        };
        let mut terms = Terms::new();
        let Ok(reading) = read_script(&mut terms, &text) else {
            return;
        };
        let name = file.display().to_string();
        let mut seed = Seed {
            name,
            script: reading.script,
            status: None,
            models: Vec::new(),
            core: None,
        };
        for status in [SeedStatus::SaidSat, SeedStatus::SaidUnsat] {
            seed.status = Some(status);
            let before = terms.mark();
            let mut numbers = 0..count / 2;
            let mut open = 0;
            // Where a solver gives up twice it will go on to do so.
            while open < 2 {
                let mark = terms.mark();
                let mutants: Vec<(u64, Case, Names)> = numbers
                    .by_ref()
                    .take(TOGETHER)
                    .filter_map(|n| {
                        let (case, names) = make(&mut terms, &seed, n)?;
                        Some((n, case, names))
                    })
                    .collect();
                if mutants.is_empty() {
                    break;
                }
                let known = self.confirmed[2];
                self.batch(&mut terms, &seed, &mutants);
                open += u64::from(self.confirmed[2] == known);
                terms.release(mark);
            }
            terms.release(before);
        }
    }

    fn batch(&mut self, terms: &mut Terms, seed: &Seed, mutants: &[(u64, Case, Names)]) {
        let is_sat = |answers: &[Option<Answer>]| {
            let mut answers = answers.iter();
            answers.any(|a| matches!(a, Some(Answer::Sat { .. })))
        };
        let Some(mut text) = question(terms, seed, mutants, false) else {
            return;
        };
        let mut answers = self.ask(&text);
        if is_sat(&answers)
            && let Some(whole) = question(terms, seed, mutants, true)
        {
            (text, answers) = (whole.clone(), self.ask(&whole));
        }
        let sat = is_sat(&answers);
        if sat && mutants.len() > 1 {
            for one in mutants {
                self.batch(terms, seed, std::slice::from_ref(one));
            }
            return;
        }
        if sat {
            let (number, case, _) = &mutants[0];
            let steps = case.origin.steps.join("\n");
            let note = format!(
                "{} {:?} mutant {number}: {answers:?}\n{steps}\n{text}",
                seed.name, seed.status
            );
            println!("EXCEPTION {note}");
            self.exceptions.push(note);
            return;
        }
        let mut unsat = 0;
        for (answer, said) in answers.iter().zip(&mut self.said) {
            if matches!(answer, Some(Answer::Unsat { .. })) {
                *said += mutants.len() as u64;
                unsat += 1;
            }
        }
        self.confirmed[unsat.min(2)] += mutants.len() as u64;
    }

    fn ask(&mut self, text: &str) -> Vec<Option<Answer>> {
        let ask = |(_, session): &mut (String, Session)| {
            let run = session.ask(&Query::new(text).mode(Mode::Reset)).ok()?;
            run.answers.into_iter().next()
        };
        self.sessions.iter_mut().map(ask).collect()
    }

    fn report(&self) {
        let [none, one, two] = self.confirmed;
        for ((name, _), said) in self.sessions.iter().zip(&self.said) {
            println!("{name} confirms {said}");
        }
        println!("mutants that both solvers confirm: {two}");
        println!("mutants that one solver confirms and the other leaves open: {one}");
        println!("mutants that both leave open: {none}");
        println!("exceptions: {}", self.exceptions.len());
    }
}

const SOLVERS: SolverSet = SolverSet::Z3.union(SolverSet::CVC5);

fn make(terms: &mut Terms, seed: &Seed, number: u64) -> Option<(Case, Names)> {
    let mut workshop = GenContext {
        terms,
        seeds: std::slice::from_ref(seed),
        theories: &[],
        solvers: SOLVERS,
        forbidden: &[],
    };
    let made = Approximate::USUAL.make_with_names(&mut workshop, &mut Draw::new(5, number));
    // Seed and mutant cannot stand in one script where a definition differs.
    let changes_bodies = |(case, _): &(Case, Names)| {
        let mut steps = case.origin.steps.iter();
        steps.any(|step| step.contains(" the body of definition "))
    };
    made.filter(|made| !changes_bodies(made))
}

/// A script that is satisfiable only if one of the mutants is not what it claims; without `whole`, it may be satisfiable
/// also where it is, but is simpler.
fn question(
    terms: &mut Terms,
    seed: &Seed,
    mutants: &[(u64, Case, Names)],
    whole: bool,
) -> Option<String> {
    let weaker = seed.status == Some(SeedStatus::SaidSat);
    let mut script = Script::default();
    let seed_query = prepared(terms, seed)?;
    let mutant = &mutants[0].1.script;
    // What a mutant declares covers what its seed declares; what mutants add is declared below.
    for command in mutant.commands.iter().take_while(|c| !asks(c)) {
        match command {
            Command::Assert(_) | Command::Push(_) | Command::Pop(_) | Command::ResetAssertions => {}
            // A logic without quantifiers or functions still has what the mutants have.
            other => script.push(other.clone()),
        }
    }
    let of_seed: FxHashSet<Fun> = seed.script.declared().collect();
    script
        .commands
        .retain(|c| !matches!(c, Command::DeclareFun(fun) if !of_seed.contains(fun)));
    let mut wrong = Vec::new();
    for (at, (_, case, names)) in mutants.iter().enumerate() {
        let added = case.script.declared();
        let added: Vec<Fun> = added.filter(|fun| !of_seed.contains(fun)).collect();
        let renamed = renamed(terms, &mut script, at, &added);
        let query = case.script.queries().into_iter().next()?;
        let query: Vec<TermId> = query.assertions.iter().map(|a| a.term).collect();
        let without = |all: &[TermId], others: &[TermId]| -> Vec<TermId> {
            let kept = all.iter().filter(|a| whole || !others.contains(a));
            kept.copied().collect()
        };
        let seed_formula = conjunction(terms, &without(&seed_query, &query))?;
        let formula = conjunction(terms, &without(&query, &seed_query))?;
        let formula = terms.replace_all(formula, &renamed);
        let (yes, no) = if weaker {
            (seed_formula, formula)
        } else {
            (formula, seed_formula)
        };
        let no = terms.app("not", &[no]).ok()?;
        // Names stand for what they name, where the seed must have a model of the mutant.
        let mut parts = vec![yes, no];
        for (fun, of) in names {
            if weaker {
                let name = terms.fun_app(*fun, &[]).ok()?;
                let equation = terms.app("=", &[name, *of]).ok()?;
                parts.push(terms.replace_all(equation, &renamed));
            }
        }
        wrong.push(terms.app("and", &parts).ok()?);
    }
    let term = if let [one] = wrong[..] {
        one
    } else {
        terms.app("or", &wrong).ok()?
    };
    script.push(Command::Assert(Assertion { term, name: None }));
    script.push(Command::CheckSat);
    Some(render::script(terms, &script, Sharing::Let))
}

fn asks(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_))
}

/// The assertions of the seed's first query, as the strategy sees them.
fn prepared(terms: &mut Terms, seed: &Seed) -> Option<Vec<TermId>> {
    let commands = auspex_cases::mutant::prepare::prepare(terms, &seed.script);
    let script = Script {
        commands,
        spans: Vec::new(),
    };
    let query = script.queries().into_iter().next()?;
    Some(query.assertions.iter().map(|a| a.term).collect())
}

fn conjunction(terms: &mut Terms, formulas: &[TermId]) -> Option<TermId> {
    match formulas {
        [] => Some(terms.bool(true)),
        [one] => Some(*one),
        _ => terms.app("and", formulas).ok(),
    }
}

/// The symbols that one mutant adds under names that no other mutant has, declared in the script.
fn renamed(
    terms: &mut Terms,
    script: &mut Script,
    at: usize,
    added: &[Fun],
) -> FxHashMap<TermId, TermId> {
    let mut map = FxHashMap::default();
    for (number, fun) in added.iter().enumerate() {
        let sort = terms.fun(*fun).result;
        let new = terms.declare_fun(&format!("m{at}!{number}"), &[], sort);
        script.push(Command::DeclareFun(new));
        if let (Ok(old), Ok(new)) = (terms.fun_app(*fun, &[]), terms.fun_app(new, &[])) {
            map.insert(old, new);
        }
    }
    map
}
