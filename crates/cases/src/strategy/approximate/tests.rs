//! Mutants are approximations in the promised direction: checked by evaluation over all assignments of small seeds.

use super::mutation::shown;
use super::*;
use crate::features;
use auspex_logic::eval::Evaluator;
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::Known;
use auspex_logic::value::array;
use auspex_logic::{Model, Value, read_script};

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
    let mut workshop = Workshop {
        terms,
        seeds: std::slice::from_ref(seed),
        theories: &[],
        solvers: Known::Z3.and(Known::CVC5),
        forbidden: &[],
    };
    Approximate::USUAL.make(&mut workshop, &mut Draw::new(11, number))
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
    let mut model = Model::default();
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

/// Something ready to make many mutants.
fn nursery<'s>(terms: &mut Terms, seed: &'s Seed) -> Nursery<'s> {
    let rules = Rules {
        solvers: Known::Z3.and(Known::CVC5),
        theories: &[],
        forbidden: &[],
        features: Features::ALL,
    };
    let made = Nursery::new(Approximate::USUAL, terms, rules, seed, &mut Draw::new(1, 1));
    made.expect("a seed with assertions")
}

/// A mutant by one or the other way, each of which is as good.
fn either(terms: &mut Terms, seed: &Seed, nursery: &Nursery<'_>, number: u64) -> Option<Case> {
    if number.is_multiple_of(2) {
        return make(terms, seed, number);
    }
    let mutant = nursery.mutant(terms, &mut Draw::new(11, number))?;
    Some(nursery.case(&mutant, terms))
}

/// Makes mutants of a seed and checks each of them under all assignments.
fn check(text: &str, count: u64) {
    let mut checked = 0;
    for status in [SeedStatus::SaidSat, SeedStatus::SaidUnsat] {
        let mut terms = Terms::new();
        let seed = seed(&mut terms, text, Some(status));
        let nursery = nursery(&mut terms, &seed);
        let old: Vec<Fun> = seed.script.declared().collect();
        for number in 0..count {
            let mark = terms.mark();
            if let Some(case) = either(&mut terms, &seed, &nursery, number) {
                let added: Vec<Fun> = case
                    .script
                    .declared()
                    .filter(|f| !old.contains(f))
                    .collect();
                if added.len() <= 6 {
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

/// Seeds of many shapes: names, patterns, queries after each other, datatypes whose constructors share a name, parts that
/// are written with `let`, and what nobody knows.
fn shapes() -> Vec<String> {
    let mut twice = "(bvadd x x)".to_string();
    for _ in 0..10 {
        twice = format!("(let ((y {twice})) (bvadd y (bvmul y y)))");
    }
    let shared = format!(
        "(declare-const x (_ BitVec 8))(assert (or (bvult {twice} #x03) (= x #x00)))(check-sat)"
    );
    let plain = [
        "(set-logic LIA)(declare-const x Int)(declare-fun f (Int) Int)(assert (! (or (< x (f 2)) (= (* 2 x) 7)) :named a))\
         (assert (forall ((y Int)) (! (=> (< x y) (not (= (f y) (- 1)))) :pattern ((f y)))))(check-sat)",
        "(declare-const s String)(declare-datatype D ((c (h Int) (t D)) (n)))(declare-const d D)\
         (push 1)(assert (or (str.in_re s (re.* (re.range \"a\" \"c\"))) ((_ is c) d)))(check-sat)(pop 1)(assert (= d n))(check-sat)",
        "(declare-const x (_ BitVec 4))(assert (xor (bvult ((_ extract 3 0) x) #b0011) (= x (bvneg x))))",
        "(declare-datatypes ((A 0) (B 0)) (((no) (a (b B))) ((no) (c (d A)))))(declare-const x A)(declare-const y B)\
         (assert (or (= x (a y)) (= y (as no B)) ((_ is a) x)))(check-sat)",
        "(declare-const x Real)(declare-const |a b| Int)(assert (=> (<= x 0.5 (to_real |a b|)) (frob x)))(check-sat)",
        "(declare-const p Bool)(declare-const q Bool)(assert (ite p (xor q (=> p q)) (and q (not p) (or p q))))(check-sat)",
    ];
    plain
        .map(String::from)
        .into_iter()
        .chain([shared])
        .collect()
}

#[test]
fn the_text_is_that_of_the_script() {
    for text in shapes() {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, &text).expect("well-formed").script;
        for status in [SeedStatus::SaidSat, SeedStatus::SaidUnsat] {
            let seed = Seed {
                name: "seed".into(),
                script: script.clone(),
                status: Some(status),
                models: Vec::new(),
                core: None,
            };
            let made = compare_texts(&mut terms, &seed);
            assert!(made > 250, "{made} mutants of {text}");
        }
    }
}

/// Makes mutants as text and as terms; how many there are.
fn compare_texts(terms: &mut Terms, seed: &Seed) -> usize {
    let nursery = nursery(terms, seed);
    let mark = terms.mark();
    let mut made = 0;
    for number in 0..300 {
        if let Some(mutant) = nursery.mutant(terms, &mut Draw::new(3, number)) {
            let mut text = String::new();
            mutant.write(terms, &mut text);
            let case = nursery.case(&mutant, terms);
            // Only `let` may make a difference.
            let read = read_script(terms, &text).expect("well-formed").script;
            let [read, built] = [&read, &case.script];
            assert_eq!(
                render::script(terms, read, Sharing::Auto),
                render::script(terms, built, Sharing::Auto)
            );
            made += 1;
        }
        terms.release(mark);
    }
    made
}

#[test]
fn a_mutant_does_not_depend_on_those_made_before_it() {
    for text in shapes() {
        let mut terms = Terms::new();
        let seed = Seed {
            name: "seed".into(),
            script: read_script(&mut terms, &text).expect("well-formed").script,
            status: None,
            models: Vec::new(),
            core: None,
        };
        let mut in_order = |numbers: Vec<u64>| {
            let nursery = nursery(&mut terms, &seed);
            let mark = terms.mark();
            let mut texts = std::collections::BTreeMap::new();
            for number in numbers {
                let mut text = String::new();
                if let Some(mutant) = nursery.mutant(&mut terms, &mut Draw::new(4, number)) {
                    mutant.write(&mut terms, &mut text);
                }
                texts.insert(number, text);
                terms.release(mark);
            }
            texts
        };
        let forwards = in_order((0..200).collect());
        assert_eq!(forwards, in_order((0..200).rev().collect()));
        let distinct: std::collections::BTreeSet<&String> = forwards.values().collect();
        assert!(distinct.len() > 100, "{} of {text}", distinct.len());
    }
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
        let mut workshop = Workshop {
            terms: &mut terms,
            seeds: std::slice::from_ref(&seed),
            theories: &[],
            solvers: Known::Z3.and(Known::CVC5),
            forbidden: &[],
        };
        let stages = Approximate::USUAL.stages(&mut workshop, &mut Draw::new(11, number));
        let case = make(&mut terms, &seed, number).expect("a mutant");
        assert_eq!(stages.len(), case.origin.steps.len() + 1);
        assert_eq!(stages.last(), Some(&case.script));
    }
}

#[test]
fn what_nobody_knows_is_injected_into() {
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
