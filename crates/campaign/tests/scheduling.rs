//! A steady campaign makes the same cases, whoever makes them and however often it is interrupted; others follow what pays.

mod told;

use auspex_campaign::Setup;
use auspex_campaign::run::campaign::StartProblem;
use auspex_campaign::seeds::pool::{LARGEST, Pool};
use auspex_cases::strategy::{self, ALL};
use auspex_cases::{Case, Draw, GenContext, Strategy};
use std::path::Path;
use told::{Scratch, Tell, honest, liar, run, setup, traced};

/// All strategies; the solver knows none of their answers, but is asked.
fn everything(out: &Path, workers: usize, cases: u64) -> Setup {
    let mut setup = setup(vec![honest()], out, cases);
    setup.maker.strategies = ALL.to_vec();
    setup.workers = workers;
    setup.steady = true;
    setup
}

#[test]
fn one_worker_and_four_make_the_same_cases() {
    const CASES: u64 = 1024;
    let (one, four, other) = (Scratch::new(), Scratch::new(), Scratch::new());
    let (with_one, _) = traced(everything(one.path(), 1, CASES));
    let (with_four, _) = traced(everything(four.path(), 4, CASES));
    assert_eq!(with_one, with_four);
    assert!(with_one.len() as u64 > CASES / 2);
    let mut seed = everything(other.path(), 4, CASES);
    seed.maker.seed = 8;
    assert_ne!(traced(seed).0, with_four);
}

#[test]
fn arms_earn_what_blocks_bring_and_the_time_of_workers_adds_up() {
    let (out, steady) = (Scratch::new(), Scratch::new());
    let status = run(setup(vec![liar("flip", 3)], out.path(), 2048));
    let arms: Vec<_> = status.arms.iter().collect();
    let tell = arms.iter().find(|(name, _)| *name == "strategy tell");
    let (_, tell) = tell.expect("the only strategy");
    assert!(tell.blocks > 1.0 && tell.worth > 0.0, "{arms:?}");
    for name in ["theory all", "theory bv", "mode push-pop"] {
        assert!(arms.iter().any(|(known, _)| *known == name), "{name}");
    }
    let times = &status.tally.times;
    assert!(times["asking"] > 0 && times["confirming"] > 0, "{times:?}");
    let spent = times.values().sum::<u64>() as f64 / 1e6;
    assert!(spent <= status.elapsed * status.workers as f64 + 0.1);
    assert!(
        spent >= status.elapsed * 0.5,
        "{spent} of {}",
        status.elapsed
    );
    assert!(!status.operators.is_empty());
    let status = run(everything(steady.path(), 2, 256));
    assert_eq!(status.arms.iter().count(), 0, "nothing is learned");
}

#[test]
fn a_campaign_that_is_continued_does_what_is_left() {
    let scratch = Scratch::new();
    let (first, _) = traced(everything(scratch.path(), 2, 256));
    let (second, status) = traced(everything(scratch.path(), 2, 512));
    assert_eq!(status.tally.cases, first.len() as u64 + second.len() as u64);
    // A walk numbers its cases by their places in it.
    let is_walk = |name: &str| strategy::named(name).is_some_and(|one| one.is_walk());
    let others = second.iter().filter(|(_, name, _)| !is_walk(name));
    let mut numbers = others.map(|(number, _, _)| number);
    assert!(numbers.all(|number| (256..512).contains(number)));
    let (third, _) = traced(everything(scratch.path(), 2, 512));
    assert_eq!(third, []);
    let whole = Scratch::new();
    let (whole, _) = traced(everything(whole.path(), 2, 512));
    let mut both: Vec<_> = first.into_iter().chain(second).collect();
    both.sort_unstable();
    assert_eq!(both, whole);
}

#[test]
fn seeds_of_any_content_are_survived() {
    let (seeds, out) = (Scratch::new(), Scratch::new());
    let good = "(set-logic QF_LIA)(declare-const x Int)(declare-const p Bool)(assert (or p (< (+ x 1) 7)))(check-sat)";
    for cut in 0..good.len() {
        std::fs::write(seeds.path().join(format!("cut{cut}.smt2")), &good[..cut]).unwrap();
        let mut bytes = good.as_bytes().to_vec();
        bytes[cut] = bytes[cut].wrapping_mul(31).wrapping_add(cut as u8);
        std::fs::write(seeds.path().join(format!("changed{cut}.smt2")), bytes).unwrap();
    }
    std::fs::write(seeds.path().join("good.smt2"), good).unwrap();
    let mut setup = everything(out.path(), 2, 512);
    setup.steady = false;
    setup.pool = Pool::read(&[seeds.path().to_path_buf()], LARGEST);
    assert!(!setup.pool.seeds.is_empty());
    assert!(setup.pool.skipped.values().sum::<u64>() > 50);
    let status = run(setup);
    assert_eq!(status.tally.defects, 0);
    assert!(status.tally.cases > 256);
    assert!(status.seeds_used + status.seeds_set_aside > 0);
}

#[test]
fn a_panic_costs_one_case_and_is_recorded() {
    struct Clumsy;
    impl Strategy for Clumsy {
        fn name(&self) -> &'static str {
            "clumsy"
        }
        fn about(&self) -> &'static str {
            "Panics at times."
        }
        fn needs_seeds(&self) -> bool {
            false
        }
        fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
            assert!(!draw.one_in(10), "dropped it");
            Tell.make(workshop, draw)
        }
    }
    let scratch = Scratch::new();
    let mut setup = setup(vec![honest()], scratch.path(), 512);
    setup.maker.strategies = vec![&Clumsy];
    let status = run(setup);
    assert!(status.tally.defects > 20, "{}", status.tally.defects);
    assert_eq!(status.tally.cases + status.tally.defects, 512);
}

#[test]
fn nothing_starts_without_a_solver_or_in_a_folder_in_use() {
    let scratch = Scratch::new();
    let none = auspex_campaign::Campaign::start(setup(Vec::new(), scratch.path(), 16));
    assert!(matches!(none, Err(StartProblem::NoSolver)));
    let first =
        auspex_campaign::Campaign::start(setup(vec![honest()], scratch.path(), 16)).unwrap();
    let second = auspex_campaign::Campaign::start(setup(vec![honest()], scratch.path(), 16));
    assert!(matches!(second, Err(StartProblem::Folder(_))));
    first.end();
}
