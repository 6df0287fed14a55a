//! Mutants are approximations in the promised direction: checked by evaluation over all assignments of small seeds.

use super::mutation::shown;
use super::*;
use crate::features::{self, Features};
use auspex_logic::eval::Evaluator;
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::value::array;
use auspex_logic::{Model, Terms, Value, read_script};

fn seed(terms: &mut Terms, text: &str, status: Option<SeedStatus>) -> Seed {
    let reading = read_script(terms, text).expect("well-formed");
    assert_eq!(reading.issues, [], "{text}");
    Seed {
        name: "seed".into(),
        script: reading.script,
        status,
        models: Vec::new(),
        core: None,
    }
}

fn make(terms: &mut Terms, seed: &Seed, number: u64) -> Option<Case> {
    made_by(&Approximate::USUAL, terms, seed, number)
}

fn made_by(strategy: &dyn Strategy, terms: &mut Terms, seed: &Seed, number: u64) -> Option<Case> {
    let mut workshop = GenContext {
        terms,
        seeds: std::slice::from_ref(seed),
        theories: &[],
        solvers: SolverSet::Z3.union(SolverSet::CVC5),
        forbidden: &[],
    };
    strategy.make(&mut workshop, &mut Draw::new(11, number))
}

/// Every assignment of some constants with few values.
fn assignments(terms: &Terms, funs: &[Fun]) -> Vec<Vec<(Fun, Value)>> {
    let mut all = vec![Vec::new()];
    for fun in funs {
        let values = array::enumerate(&terms.sorts, terms.fun(*fun).result).expect("a small sort");
        all = all
            .iter()
            .flat_map(|row: &Vec<(Fun, Value)>| {
                let longer = |v: &Value| row.iter().cloned().chain([(*fun, v.clone())]).collect();
                values.iter().map(longer).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// Whether the first query's assertions hold; `None` where the standard leaves that open.
fn holds(terms: &Terms, script: &Script, assignment: &[(Fun, Value)]) -> Option<bool> {
    let mut model = Model::with_definitions(script);
    for (fun, value) in assignment {
        model.set_value(*fun, value.clone());
    }
    let mut evaluator = Evaluator::new(terms, &model);
    let query = script.queries().into_iter().next().expect("a query");
    let mut open = false;
    for assertion in query.assertions {
        match evaluator.value(assertion.term) {
            Ok(Value::Bool(false)) => return Some(false),
            Ok(_) => {}
            Err(_) => open = true,
        }
    }
    (!open).then_some(true)
}

/// Makes mutants of a seed and checks each of them under all assignments.
fn check(text: &str, count: u64) {
    let mut checked = 0;
    for status in [SeedStatus::SaidSat, SeedStatus::SaidUnsat] {
        let mut terms = Terms::new();
        let seed = seed(&mut terms, text, Some(status));
        let old: Vec<Fun> = seed.script.declared().collect();
        for number in 0..count {
            let mark = terms.mark();
            if let Some(case) = make(&mut terms, &seed, number) {
                let added: Vec<Fun> = case
                    .script
                    .declared()
                    .filter(|f| !old.contains(f))
                    .collect();
                let is_small =
                    |fun: &Fun| array::enumerate(&terms.sorts, terms.fun(*fun).result).is_some();
                if added.len() <= 6 && added.iter().all(is_small) {
                    compare(&terms, &seed.script, &case, status, &old, &added);
                    checked += 1;
                }
            }
            terms.release(mark);
        }
    }
    assert!(checked > count, "only {checked} mutants of {text}");
}

fn compare(
    terms: &Terms,
    seed: &Script,
    case: &Case,
    status: SeedStatus,
    old: &[Fun],
    added: &[Fun],
) {
    let extensions = assignments(terms, added);
    for assignment in assignments(terms, old) {
        let of_seed = holds(terms, seed, &assignment) == Some(true);
        // The names of a normal form may get any values.
        let mut of_mutant = extensions
            .iter()
            .map(|extension| holds(terms, &case.script, &[&assignment[..], extension].concat()));
        let right = match status {
            SeedStatus::SaidSat => !of_seed || of_mutant.any(|held| held != Some(false)),
            _ => of_seed || of_mutant.all(|held| held != Some(true)),
        };
        assert!(
            right,
            "{assignment:?} {:#?}\n{}",
            case.origin.steps,
            render::script(terms, &case.script, Sharing::Expanded)
        );
    }
}

#[test]
fn connectives_are_approximated_in_one_direction() {
    check(
        "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)\
         (assert (=> (and p q) (xor q r)))(assert (not (ite p (= q r) (or r (not q)))))(check-sat)",
        400,
    );
}

#[test]
fn bit_vectors_are_approximated_in_one_direction() {
    check(
        "(set-logic QF_BV)(declare-const x (_ BitVec 2))(declare-const y (_ BitVec 2))(declare-const p Bool)\
         (assert (or (not (bvult x (bvadd y #b01))) (= p (bvsle y x))))(assert (distinct (bvand x y) (bvnot x)))(check-sat)",
        400,
    );
}

#[test]
fn quantified_bit_vectors_are_approximated_in_one_direction() {
    check(
        "(declare-const x (_ BitVec 2))(declare-const p Bool)\
         (assert (forall ((y (_ BitVec 2))) (=> (bvult x y) (exists ((z (_ BitVec 2))) (and p (bvsle (bvor y z) x))))))(check-sat)",
        50,
    );
}

#[test]
fn floats_are_approximated_in_one_direction() {
    check(
        "(declare-const x (_ FloatingPoint 2 2))(declare-const y (_ FloatingPoint 2 2))\
         (assert (and (fp.leq x (fp.neg y)) (not (fp.isNaN x))))(assert (or (fp.eq x y) (not (= x (fp.abs y)))))(check-sat)",
        80,
    );
}

#[test]
fn factors_that_change_sign_are_seen() {
    // Both factors can be approximated, but the second only as long as the first is a positive literal.
    check(
        "(declare-const p Bool)(assert (or p (< (* 3 2) (* 2 4))))(assert (=> p (<= (* 2 5) (* 3 3))))(check-sat)",
        1500,
    );
}

#[test]
fn the_same_numbers_make_the_same_mutant() {
    let text =
        "(declare-const x Int)(declare-const y Int)(assert (or (< x y) (= (* 2 x) 7)))(check-sat)";
    let made = |number| {
        let mut terms = Terms::new();
        let seed = seed(&mut terms, text, Some(SeedStatus::ProvedSat));
        let case = make(&mut terms, &seed, number)?;
        Some(render::script(&terms, &case.script, Sharing::Auto))
    };
    let all: Vec<_> = (0..50).map(made).collect();
    assert_eq!(all, (0..50).map(made).collect::<Vec<_>>());
    assert!(
        all.iter()
            .flatten()
            .collect::<std::collections::HashSet<_>>()
            .len()
            > 40
    );
}

#[test]
fn evidence_follows_the_status() {
    let text = "(declare-const x Int)(assert (< x 0))(check-sat)(assert (> x 0))(check-sat)";
    let mut terms = Terms::new();
    for (status, expected) in [
        (Some(SeedStatus::ProvedSat), Some(crate::Expected::Sat)),
        (Some(SeedStatus::SaidUnsat), Some(crate::Expected::Unsat)),
        (None, None),
    ] {
        let seed = seed(&mut terms, text, status);
        let case = (0..9)
            .find_map(|n| make(&mut terms, &seed, n))
            .expect("a mutant");
        assert_eq!(case.evidence.len(), 2);
        assert_eq!(case.evidence[0].expected(), expected);
        assert_eq!(case.evidence[1].expected(), None);
        assert!(!case.origin.steps.is_empty());
    }
}

#[test]
fn linear_logics_stay_linear_and_without_other_theories() {
    let text = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (or (< x y) (= (* 2 x) 7)))(check-sat)";
    let mut terms = Terms::new();
    let seed = seed(&mut terms, text, Some(SeedStatus::ProvedSat));
    let allowed = features::of_logic("QF_LIA").expect("a logic");
    for number in 0..2000 {
        let Some(case) = make(&mut terms, &seed, number) else {
            continue;
        };
        for root in case.script.roots() {
            for term in render::post_order(&terms, root) {
                let used = Features::of_root(&terms, term);
                assert!(allowed.includes(used), "{}", shown(&terms, term));
            }
        }
    }
}

#[test]
fn an_assertion_used_by_name_stays_as_it_is() {
    let text = "(declare-const p Bool)(declare-const q Bool)(assert (! (or p q) :named a))(assert (not a))(check-sat)";
    let mut terms = Terms::new();
    let seed = seed(&mut terms, text, Some(SeedStatus::SaidUnsat));
    let mut made = 0;
    for number in 0..200 {
        if let Some(case) = make(&mut terms, &seed, number) {
            let script = render::script(&terms, &case.script, Sharing::Auto);
            assert!(
                script.contains("(assert (! (or p q) :named a))"),
                "{script}"
            );
            made += 1;
        }
    }
    assert!(made > 100);
}

#[test]
fn stages_lead_from_the_seed_to_the_case() {
    let text =
        "(declare-const x Int)(declare-const y Int)(assert (or (< x y) (= (* 2 x) 7)))(check-sat)";
    let mut terms = Terms::new();
    let seed = seed(&mut terms, text, Some(SeedStatus::ProvedSat));
    for number in 0..50 {
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: std::slice::from_ref(&seed),
            theories: &[],
            solvers: SolverSet::Z3.union(SolverSet::CVC5),
            forbidden: &[],
        };
        let stages = Approximate::USUAL.stages(&mut workshop, &mut Draw::new(11, number));
        let case = make(&mut terms, &seed, number).expect("a mutant");
        assert_eq!(stages.len(), case.origin.steps.len() + 1);
        assert_eq!(stages.last(), Some(&case.script));
    }
}

#[test]
fn unknown_terms_are_injected_into() {
    let mut terms = Terms::new();
    let text = "(declare-const x Int)(assert (frob x))(check-sat)";
    let script = read_script(&mut terms, text).expect("well-formed").script;
    let seed = Seed {
        name: "s".into(),
        script,
        status: Some(SeedStatus::SaidSat),
        models: Vec::new(),
        core: None,
    };
    let cases = (0..20)
        .filter_map(|n| make(&mut terms, &seed, n))
        .collect::<Vec<_>>();
    let injected = cases.iter().filter(|case| {
        let script = render::script(&terms, &case.script, Sharing::Auto);
        script.contains("(or (frob x) ")
    });
    assert!(injected.count() > 10);
}

/// The settings of a name.
fn settings(name: &str) -> &'static dyn Strategy {
    crate::strategy::named(name).expect("settings")
}

const BODIES: &str = "(declare-const p Bool)(declare-const q Bool)\
    (define-fun f ((a Bool)) Bool (and a (or p q)))\
    (define-fun-rec g ((x (_ BitVec 2))) Bool (or (= x #b00) (g (bvsub x #b01))))\
    (define-fun both ((a Bool)) Bool (or a q))\
    (assert (or (f q) (not p)))(assert (=> p (g #b10)))(assert (= p (both q)))(check-sat)";

#[test]
fn bodies_are_approximated_in_one_direction() {
    check(BODIES, 400);
}

#[test]
fn bodies_are_changed_where_all_uses_agree() {
    let mut terms = Terms::new();
    let seed = seed(&mut terms, BODIES, Some(SeedStatus::SaidSat));
    let mut changed = [0; 2];
    for number in 0..400 {
        let made = make(&mut terms, &seed, number);
        for step in made.iter().flat_map(|case| &case.origin.steps) {
            for (at, slot) in [1, 2].into_iter().enumerate() {
                let text = format!("the body of definition {slot} ");
                changed[at] += usize::from(step.contains(&text));
            }
        }
    }
    assert!(changed.iter().all(|count| *count > 20), "{changed:?}");
}

#[test]
fn defined_functions_are_material() {
    let mut terms = Terms::new();
    let seed = seed(&mut terms, BODIES, Some(SeedStatus::SaidSat));
    let applied = (0..400).filter(|number| {
        let case = make(&mut terms, &seed, *number);
        case.is_some_and(|case| {
            let script = render::script(&terms, &case.script, Sharing::Auto);
            script.matches("(both ").count() > 2
        })
    });
    assert!(applied.count() > 5);
}

#[test]
fn every_query_of_an_incremental_seed_is_changed() {
    let text = "(declare-const x Int)(assert (< x 9))(push 1)(assert (< x 3))(check-sat)(pop 1)\
                (push 1)(declare-const y Int)(assert (< y x))(check-sat)(pop 1)(assert (> x 5))(check-sat)";
    let mut terms = Terms::new();
    for status in [Some(SeedStatus::ProvedSat), None] {
        let seed = seed(&mut terms, text, status);
        let mut changed = [0; 4];
        for number in 0..300 {
            let case = make(&mut terms, &seed, number).expect("a mutant");
            assert_eq!(case.evidence.len(), 3);
            for step in &case.origin.steps {
                for (at, changed) in changed.iter_mut().enumerate() {
                    *changed += usize::from(step.contains(&format!("assertion {} ", at + 1)));
                }
            }
            let text = render::script(&terms, &case.script, Sharing::Auto);
            let again = read_script(&mut terms, &text).expect("well-formed");
            assert_eq!(again.issues, [], "{text}");
        }
        assert!(changed.iter().all(|count| *count > 40), "{changed:?}");
    }
}

#[test]
fn large_assertions_become_clauses_too() {
    let many: Vec<String> = (0..600)
        .map(|n| format!("(or p (< x {n}) (xor p q))"))
        .collect();
    let text = format!(
        "(declare-const p Bool)(declare-const q Bool)(declare-const x Int)\
         (assert (or q (and {})))(assert (=> p (> x 3)))(check-sat)",
        many.join(" ")
    );
    let mut terms = Terms::new();
    let seed = seed(&mut terms, &text, Some(SeedStatus::SaidSat));
    let (mut large, mut small) = (0, 0);
    for number in 0..60 {
        let mark = terms.mark();
        let case = make(&mut terms, &seed, number).expect("a mutant");
        let text = render::script(&terms, &case.script, Sharing::Auto);
        large += usize::from(!text.contains("(assert (or q (and "));
        small += usize::from(text.contains("nf!") && !text.contains("(assert (=> p "));
        terms.release(mark);
    }
    assert!(large > 15 && small > 15, "{large} and {small}");
}

#[test]
fn new_variables_are_injected_and_declared() {
    let text = "(declare-sort U 0)(declare-const u U)(declare-const x Int)(declare-const v U)\
                (assert (or (= u v) (< x 3)))(check-sat)";
    let mut terms = Terms::new();
    let seed = seed(&mut terms, text, Some(SeedStatus::SaidSat));
    let mut with = 0;
    for number in 0..300 {
        let case = make(&mut terms, &seed, number).expect("a mutant");
        let text = render::script(&terms, &case.script, Sharing::Auto);
        with += usize::from(text.contains("var!"));
        let again = read_script(&mut terms, &text).expect("well-formed");
        assert_eq!(again.issues, [], "{text}");
        let none = made_by(
            settings("approximate:variables=0"),
            &mut terms,
            &seed,
            number,
        );
        let text = none.map(|case| render::script(&terms, &case.script, Sharing::Auto));
        assert!(!text.is_some_and(|text| text.contains("var!")));
    }
    assert!(with > 25, "{with}");
}

#[test]
fn a_script_that_resets_gets_no_new_variables() {
    let text = "(declare-const x Int)(assert (< x 3))(reset)(declare-const y Int)(assert (< y 3))(check-sat)";
    let mut terms = Terms::new();
    let seed = seed(&mut terms, text, Some(SeedStatus::SaidSat));
    for number in 0..100 {
        let case = make(&mut terms, &seed, number).expect("a mutant");
        let text = render::script(&terms, &case.script, Sharing::Auto);
        let again = read_script(&mut terms, &text).expect("well-formed");
        assert_eq!(again.issues, [], "{text}");
    }
}

#[test]
fn settings_do_what_they_say() {
    let text = "(declare-const x Int)(declare-const y Int)(declare-const p Bool)\
                (assert (or (< x y) (and p (= (* 2 x) 7))))(assert (=> p (>= x y)))(check-sat)";
    let mut terms = Terms::new();
    let seed = seed(&mut terms, text, Some(SeedStatus::SaidSat));
    let mut steps = |name: &str| -> Vec<String> {
        let cases = (0..200).filter_map(|n| made_by(settings(name), &mut terms, &seed, n));
        let steps: Vec<String> = cases.flat_map(|case| case.origin.steps).collect();
        assert!(steps.len() > 100, "{name}");
        steps
    };
    let injects = |step: &String| step.contains(" by inject-");
    let clauses = |step: &String| step.ends_with("conjunctive normal form");
    assert!(!steps("approximate:pst").iter().any(injects));
    assert!(steps("approximate:lpi,form=polarity").iter().all(injects));
    assert!(!steps("approximate:form=polarity").iter().any(clauses));
    let paper = steps("approximate:paper");
    assert_eq!(paper.iter().filter(|step| clauses(step)).count(), 200);
    let injected = paper.iter().filter(|step| injects(step)).count();
    assert!(injected * 5 > paper.len() * 2 && injected < paper.len());
    let one = steps("approximate:no-chain,literals=1,form=polarity");
    assert!(one.len() <= 200, "{}", one.len());
}
