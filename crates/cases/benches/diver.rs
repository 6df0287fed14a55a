//! What the parts of `diver` are worth: accepted mutants per second of processor time, how many terms were tried for
//! each, and what the accepted terms look like, beside the loop of the paper with and without its weights.
//!
//! `cargo bench -p auspex-cases --bench diver -- [COUNT] [FOLDER]`: a table, over built-in seeds or over those scripts
//! of a folder that a model of zeros and empty values satisfies.
//! That every mutant keeps its model is checked by `crates/campaign/examples/soundness.rs`.

use auspex_cases::strategy::diver::Diver;
use auspex_cases::{Draw, GenContext, Seed};
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Head, Model, TermId, Terms, read_script};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Scripts whose models leave little room, over several theories.
const SEEDS: &[(&str, &str)] = &[
    (
        "(declare-const x Int)(declare-const y Int)(declare-const z Int)\
         (assert (= (+ x (* 3 y)) 14))(assert (= (mod x 4) 1))(assert (and (< y 4) (= z (- x y))))(assert (or (> z 1) (= x y)))",
        "((define-fun x () Int 5)(define-fun y () Int 3)(define-fun z () Int 2))",
    ),
    (
        "(declare-const a (_ BitVec 16))(declare-const b (_ BitVec 16))(assert (= (bvadd a b) #x1234))\
         (assert (bvult a #x0100))(assert (= (bvand b #x00ff) #x0030))(assert (bvsgt b a))",
        "((define-fun a () (_ BitVec 16) #x0004)(define-fun b () (_ BitVec 16) #x1230))",
    ),
    (
        "(declare-const s String)(declare-const t String)(assert (= (str.++ s t) \"hello\"))(assert (= (str.len s) 2))\
         (assert (str.in_re t (re.+ (re.range \"l\" \"o\"))))(assert (str.prefixof \"he\" s))",
        "((define-fun s () String \"he\")(define-fun t () String \"llo\"))",
    ),
    (
        "(declare-const r Real)(declare-const q Real)(assert (= (* 2.0 r) q))(assert (and (< 1.0 r) (< q 5.0)))\
         (assert (not (= r q)))",
        "((define-fun r () Real 2.0)(define-fun q () Real 4.0))",
    ),
    (
        "(declare-const m (Array Int Int))(declare-const k Int)(assert (= (select m k) (+ k 1)))\
         (assert (= (select (store m 3 7) 3) 7))(assert (< 0 k 9))",
        "((define-fun m () (Array Int Int) (store ((as const (Array Int Int)) 0) 4 5))(define-fun k () Int 4))",
    ),
];

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let count = arguments.iter().find_map(|a| a.parse().ok());
    let folder = arguments.iter().map(PathBuf::from).find(|p| p.is_dir());
    table(count.unwrap_or(3000), folder.as_deref());
}

/// The time this process has run on a processor, where the system tells it.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|n| n.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

fn table(draws: u64, folder: Option<&Path>) {
    let weighted = Diver {
        weighted: true,
        ..Diver::PLAIN
    };
    let incremental = Diver {
        guided: false,
        ..Diver::USUAL
    };
    let rows = [
        ("the paper's loop, uniform choice", Diver::PLAIN),
        ("the paper's loop, weighted choice", weighted),
        ("weights, sets, only changes evaluated", incremental),
        ("the same, grown towards allowed values", Diver::USUAL),
    ];
    println!("{draws} draws of each configuration");
    println!(
        "{:<40} {:>8} {:>9} {:>10} {:>7} {:>6} {:>10} {:>7}",
        "", "mutants", "accepted", "mutants/s", "ratio", "nodes", "operators", "leaves"
    );
    let mut base = None;
    for (name, diver) in rows {
        let row = measure(diver, draws, folder);
        let rate = row.mutants as f64 / row.seconds;
        let base = *base.get_or_insert(rate);
        let each = |sum: u64| sum as f64 / row.mutants as f64;
        println!(
            "{name:<40} {:>8} {:>7.1} % {rate:>10.0} {:>6.2}x {:>6.1} {:>10.1} {:>5.1} %",
            row.mutants,
            row.mutants as f64 * 100.0 / row.attempts as f64,
            rate / base,
            each(row.nodes),
            each(row.operators),
            each(row.leaves) * 100.0,
        );
    }
}

#[derive(Default)]
struct Row {
    mutants: u64,
    attempts: u64,
    seconds: f64,
    /// Of the accepted terms: nodes, distinct operators, and how many are leaves.
    nodes: u64,
    operators: u64,
    leaves: u64,
}

fn measure(diver: Diver, draws: u64, folder: Option<&Path>) -> Row {
    let mut terms = Terms::new();
    let seeds = seeds(&mut terms, folder);
    let mark = terms.mark();
    let mut row = Row::default();
    let start = processor_seconds();
    for number in 0..draws {
        let mutant = diver.mutant(&mut workshop(&mut terms, &seeds), &mut Draw::new(1, number));
        mutant.and_then(|mutant| mutant.finish(&mut terms));
        terms.release(mark);
    }
    row.seconds = processor_seconds() - start;
    // The same again, looked at.
    for number in 0..draws {
        let mutant = diver.mutant(&mut workshop(&mut terms, &seeds), &mut Draw::new(1, number));
        if let Some(mutant) = mutant {
            row.attempts += mutant.attempts;
            for term in mutant.replacements() {
                look(&terms, term, &mut row);
            }
        }
        terms.release(mark);
    }
    row
}

fn look(terms: &Terms, term: TermId, row: &mut Row) {
    let mut stack = vec![term];
    let mut operators = BTreeSet::new();
    while let Some(term) = stack.pop() {
        row.nodes += 1;
        match terms.head(term) {
            Head::Op(op) => {
                operators.insert(terms.op(op).name.to_string());
            }
            Head::Fun(fun) if !terms.args(term).is_empty() => {
                operators.insert(format!("{fun:?}"));
            }
            _ => {}
        }
        stack.extend_from_slice(terms.args(term));
    }
    row.mutants += 1;
    row.operators += operators.len() as u64;
    row.leaves += u64::from(terms.args(term).is_empty());
}

fn workshop<'a>(terms: &'a mut Terms, seeds: &'a [Seed]) -> GenContext<'a> {
    GenContext {
        terms,
        seeds,
        theories: &[],
        solvers: SolverSet(0),
        forbidden: &[],
    }
}

fn seeds(terms: &mut Terms, folder: Option<&Path>) -> Vec<Seed> {
    const MOST: usize = 300;
    let Some(folder) = folder else {
        return SEEDS
            .iter()
            .map(|(script, model)| seed(terms, script, model))
            .collect();
    };
    let mut paths = Vec::new();
    files(folder, &mut paths);
    paths.sort();
    let read = |path: &PathBuf| {
        std::fs::read_to_string(path)
            .ok()
            .filter(|t| t.len() < 8000)
    };
    let found = paths
        .iter()
        .filter_map(read)
        .filter_map(|text| satisfied(terms, &text));
    found.take(MOST).collect()
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, into),
            path if path.extension().is_some_and(|e| e == "smt2") => into.push(path),
            _ => {}
        }
    }
}

/// A script that is true where every symbol has the value that a model gives by default.
fn satisfied(terms: &mut Terms, text: &str) -> Option<Seed> {
    let mark = terms.mark();
    let script = read_script(terms, text).ok()?.script;
    let mut model = Model::with_definitions(&script);
    for fun in script.declared() {
        if let Some(value) = model.default_value(terms, terms.fun(fun).result) {
            model.set_value(fun, value);
        }
    }
    let query = script.queries().into_iter().next();
    let holds = |q| validate(terms, &model, &q) == ModelVerdict::Valid;
    let large = query.as_ref().is_some_and(|q| q.assertions.len() > 1);
    if !large || !query.is_some_and(holds) {
        terms.release(mark);
        return None;
    }
    Some(Seed {
        name: "file".into(),
        script,
        status: None,
        models: vec![model],
        core: None,
    })
}

fn seed(terms: &mut Terms, script: &str, model: &str) -> Seed {
    let script = read_script(terms, &format!("{script}(check-sat)"))
        .expect("well-formed")
        .script;
    let model = read_model(terms, &script, model).expect("a model");
    Seed {
        name: "bench".into(),
        script,
        status: None,
        models: vec![model],
        core: None,
    }
}
