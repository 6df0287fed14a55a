//! What the parts of `diver` are worth: mutants per second and accepted terms with weights or without, with guidance or
//! without. `cargo bench -p auspex-cases --bench diver`
//!
//! A "dive" is one case; a dive that finds no mutant within its attempts counts as time spent for nothing.

use auspex_cases::strategy::diver::Diver;
use auspex_cases::{Draw, Evidence, Seed, Strategy, Workshop};
use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::theory::Known;
use auspex_logic::{Terms, read_script};
use std::time::Instant;

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
    let dives: u64 = std::env::args()
        .skip(1)
        .find_map(|a| a.parse().ok())
        .unwrap_or(3000);
    println!("{dives} dives of one configuration each\n");
    println!(
        "{:<28} {:>10} {:>14} {:>12}",
        "", "mutants", "mutants/s", "ratio"
    );
    let usual = Diver {
        attempts: 10,
        ..Diver::USUAL
    };
    let rows = [
        (
            "uniform choice, guessing",
            Diver {
                weighted: false,
                guided: false,
                ..usual
            },
        ),
        (
            "weighted choice, guessing",
            Diver {
                weighted: true,
                guided: false,
                ..usual
            },
        ),
        (
            "uniform choice, guided",
            Diver {
                weighted: false,
                guided: true,
                ..usual
            },
        ),
        ("weighted choice, guided", usual),
    ];
    let mut base = None;
    for (name, diver) in rows {
        let (mutants, rate) = measure(diver, dives);
        let base = *base.get_or_insert(rate);
        println!(
            "{name:<28} {mutants:>10} {rate:>14.0} {:>11.2}x",
            rate / base
        );
    }
}

/// Mutations that were accepted, and how many of them a second.
fn measure(diver: Diver, dives: u64) -> (u64, f64) {
    let mut terms = Terms::new();
    let seeds: Vec<Seed> = SEEDS
        .iter()
        .map(|(script, model)| seed(&mut terms, script, model))
        .collect();
    let mark = terms.mark();
    let start = Instant::now();
    let mut mutants = 0;
    for number in 0..dives {
        let mut workshop = Workshop {
            terms: &mut terms,
            seeds: &seeds,
            theories: &[],
            solvers: Known(0),
            forbidden: &[],
        };
        if let Some(case) = diver.make(&mut workshop, &mut Draw::new(1, number)) {
            let query = case.script.queries().pop().expect("one query");
            let Evidence::Witness(model) = &case.evidence[0] else {
                panic!("a witness")
            };
            assert_eq!(
                validate(&terms, model, &query),
                ModelVerdict::Valid,
                "every mutant keeps its model"
            );
            mutants += case.origin.steps.len() as u64;
        }
        terms.release(mark);
    }
    (mutants, mutants as f64 / start.elapsed().as_secs_f64())
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
