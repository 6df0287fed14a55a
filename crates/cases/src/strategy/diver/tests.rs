//! What `diver` promises: sets are sound, mutants keep their models, one seed gives many models.

use super::allowed::Allowed;
use super::analysis::{Depth, Map, Scan};
use super::*;
use crate::case::Evidence;
use auspex_logic::eval::Evaluator;
use auspex_logic::model::read_model;
use auspex_logic::model::{ModelVerdict, is_defined, validate};
use auspex_logic::read_script;
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::{TermId, Value};
use std::collections::BTreeSet;

/// Scripts with a model, over several theories.
const SEEDS: &[(&str, &str)] = &[
    (
        "(declare-const x Int)(declare-const y Int)(declare-const p Bool)\
         (assert (and (> x y) (or (= x 5) p)))(assert (<= (+ x (* 2 y)) 20))(assert (distinct (- x) (abs y)))",
        "((define-fun x () Int 5)(define-fun y () Int 3)(define-fun p () Bool false))",
    ),
    (
        "(declare-const r Real)(declare-const i Int)(assert (< 0.5 r))(assert (not (< (to_real i) r)))\
         (assert (= (to_int r) 2))",
        "((define-fun r () Real 2.5)(define-fun i () Int 3))",
    ),
    (
        "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))(assert (bvult a b))\
         (assert (bvsle (bvadd a #x01) (bvsub b #x02)))(assert (= ((_ extract 3 0) (bvand a b)) #x4))\
         (assert (not (bvuge (bvnot a) (bvneg a))))(assert (= (bvor a #x0f) #x1f))",
        "((define-fun a () (_ BitVec 8) #x14)(define-fun b () (_ BitVec 8) #x2c))",
    ),
    (
        "(declare-const s String)(declare-const t String)(assert (str.< s t))(assert (str.prefixof s t))\
         (assert (str.in_re t (re.+ (re.range \"a\" \"c\"))))(assert (not (str.contains s t)))\
         (assert (>= (str.len t) 2))",
        "((define-fun s () String \"ab\")(define-fun t () String \"abc\"))",
    ),
    (
        "(declare-const m (Array Int Bool))(declare-const k Int)(assert (select m k))\
         (assert (ite (select m 7) (= k 3) (> k 0)))",
        "((define-fun m () (Array Int Bool) (store ((as const (Array Int Bool)) false) 3 true))(define-fun k () Int 3))",
    ),
    (
        "(declare-const f (_ FloatingPoint 5 11))(declare-const g (_ FloatingPoint 5 11))(assert (fp.lt f g))\
         (assert (not (fp.geq f (fp.abs g))))(assert (fp.leq (fp.neg g) f))(assert (not (fp.isNaN (fp.neg f))))\
         (assert (not (fp.isInfinite g)))(assert (fp.isPositive g))(assert (not (fp.isNegative f)))(assert (fp.eq f f))\
         (assert (not (fp.eq f g)))",
        "((define-fun f () (_ FloatingPoint 5 11) (fp #b0 #b01111 #b0000000000))\
         (define-fun g () (_ FloatingPoint 5 11) (fp #b0 #b10000 #b0000000000)))",
    ),
    (
        "(declare-const x Real)(declare-const y Real)(assert (< (sin x) 1.5))(assert (> (exp (+ x y)) 2.0))\
         (assert (and (< (log y) (tanh x)) (<= (- 3.0) (arctan (* x y)) 1.5)))(assert (> (* 2.0 (cos y)) (sin (- x))))\
         (assert (distinct (exp x) (sin y)))",
        "((define-fun x () Real 1.5)(define-fun y () Real 0.5))",
    ),
    (
        "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)(declare-const k L)\
         (assert ((_ is cons) l))(assert (not ((_ is nil) (tail l))))(assert (> (head l) 3))\
         (assert (distinct l (cons 4 k)))(assert (= (head (cons 7 k)) 7))(assert (not (= (cons 1 k) (cons 2 k))))",
        "((define-fun l () L (cons 5 (cons 1 nil)))(define-fun k () L nil))",
    ),
    (
        "(declare-const s (Seq Int))(declare-const t (Seq Int))(assert (>= (seq.len s) 2))(assert (< (seq.nth s 1) 9))\
         (assert (= (seq.len t) 1))(assert (not (= (seq.unit 3) t)))(assert (distinct s t))",
        "((define-fun s () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 2)))(define-fun t () (Seq Int) (seq.unit 4)))",
    ),
    (
        "(declare-const x Int)(declare-const y Int)(declare-const r Real)(declare-const a (_ BitVec 4))\
         (declare-const m (Array Int Int))(declare-const e (Array Int Int))\
         (assert (< 0 x y 9))(assert (>= 7 y x))(assert (distinct (* 3 x) 7))(assert (not (= x y 5)))\
         (assert (not (distinct x y x)))(assert (< (* (- 2.0) r) (/ r 4.0)))(assert (=> (= x y) (> x 3)))\
         (assert (distinct (concat a #b01) #b111101))(assert (= ((_ zero_extend 2) a) #b001010))\
         (assert (= ((_ extract 1 0) (concat a #b01)) #b01))(assert (= (select (store m 3 x) 3) x))\
         (assert (> (select (store m 2 y) 5) (- x)))(assert (distinct m e))(assert (xor (< x y) (< y x)))",
        "((define-fun x () Int 2)(define-fun y () Int 4)(define-fun r () Real 1.5)(define-fun a () (_ BitVec 4) #b1010)\
         (define-fun m () (Array Int Int) ((as const (Array Int Int)) 0))\
         (define-fun e () (Array Int Int) ((as const (Array Int Int)) 1)))",
    ),
];

fn read(terms: &mut Terms, (script, model): &(&str, &str)) -> Seed {
    let reading = read_script(terms, &format!("{script}(check-sat)")).expect("well-formed");
    assert_eq!(reading.issues, []);
    let model = read_model(terms, &reading.script, model).expect("a model");
    Seed {
        name: "test".into(),
        script: reading.script,
        status: None,
        models: vec![model],
        core: None,
    }
}

fn seeds(terms: &mut Terms) -> Vec<Seed> {
    SEEDS.iter().map(|seed| read(terms, seed)).collect()
}

fn mutant(terms: &mut Terms, seed: &Seed) -> ModelMutant {
    let rules = Rules {
        solvers: SolverSet(0),
        theories: &[],
        forbidden: &[],
        features: Features::ALL,
    };
    ModelMutant::new(terms, &seed.script, seed.models[0].clone(), &rules).expect("the model holds")
}

fn is_true(terms: &Terms, model: &Model, term: TermId) -> bool {
    let mut evaluator = Evaluator::new(terms, model).enclosing();
    evaluator.value(term) == Ok(Value::TRUE)
}

/// The name of a kind of set, for counting.
fn kind(allowed: &Allowed) -> String {
    let text = format!("{allowed:?}");
    text.chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect()
}

/// Values to try against a set: those it offers, constants of the sort, and values of the script's own terms.
fn candidates(terms: &mut Terms, model: &Model, seed: &Script, place: &Place) -> Vec<Value> {
    let sort = terms.sort(place.term);
    let mut all = Vec::new();
    for number in 0..20 {
        let draw = &mut Draw::new(7, number);
        all.extend(place.allowed.sample(draw));
        if let Some(term) = crate::grow::constant(terms, draw, sort) {
            all.extend(Evaluator::new(terms, model).value(term));
        }
    }
    for root in seed.roots() {
        for term in render::post_order(terms, root) {
            if terms.sort(term) == sort && terms.is_closed(term) {
                all.extend(Evaluator::new(terms, model).value(term));
            }
        }
    }
    all
}

#[test]
fn allowed_values_keep_the_formula_true() {
    let mut terms = Terms::new();
    let mut checked = std::collections::BTreeMap::<String, u32>::new();
    for seed in seeds(&mut terms) {
        let model = &seed.models[0];
        let shown = explain(&mut terms, &seed.script, model.clone()).expect("the model holds");
        let roots = seed.script.roots();
        for Shown { root, path, place } in shown {
            for value in candidates(&mut terms, model, &seed.script, &place) {
                if place.allowed.contains(&value) != Some(true) {
                    continue;
                }
                let sort = terms.sort(place.term);
                let Some(new) = terms.value_term(&value, sort) else {
                    continue;
                };
                let changed = terms
                    .replace_at(roots[root], &path, new)
                    .expect("sorts fit");
                let text = render::term(&terms, changed, Sharing::Expanded);
                assert!(
                    is_true(&terms, model, changed),
                    "{:?} allows {value:?} in {text}",
                    place.allowed
                );
                *checked.entry(kind(&place.allowed)).or_default() += 1;
            }
        }
    }
    let kinds = [
        "Anything",
        "AnythingBut",
        "Bits",
        "Circle",
        "Constructor",
        "Element",
        "Exactly",
        "Field",
        "Floats",
        "Ints",
        "Item",
        "Language",
        "Lengths",
        "Reals",
    ];
    for kind in kinds {
        assert!(
            checked.get(kind).is_some_and(|n| *n >= 3),
            "{kind}: {checked:?}"
        );
    }
}

/// The analysis that follows changes is the one made anew.
#[test]
fn sets_after_changes_are_those_worked_out_anew() {
    let mut terms = Terms::new();
    for (number, seed) in seeds(&mut terms).iter().enumerate() {
        let mut mutant = mutant(&mut terms, seed);
        let mut draw = Draw::new(3, number as u64);
        for _ in 0..40 {
            mutant.mutate(&mut terms, &mut draw, &Diver::USUAL);
            for root in 0..mutant.maps.len() {
                if mutant.maps[root].is_some() {
                    mutant.map(&terms, root, &Diver::USUAL);
                }
                let Some(map) = &mutant.maps[root] else {
                    continue;
                };
                let term = mutant.assertions[root].term;
                let memory = &mutant.judge.memory;
                let scan = Scan {
                    how: Depth::Sets,
                    limit: usize::MAX,
                    literals_stay: true,
                    focus: 0,
                };
                let anew = Map::new(&terms, memory, term, scan);
                assert_eq!(map.total(), anew.total());
                assert_eq!(map.places().len(), anew.places().len());
                for (number, (a, b)) in map.places().iter().zip(anew.places()).enumerate() {
                    assert_eq!((a.term, &a.allowed), (b.term, &b.allowed));
                    assert_eq!(terms.at_path(term, &map.path(number)), Some(a.term));
                }
            }
        }
    }
}

#[test]
fn constraints_say_what_sets_contain() {
    let mut terms = Terms::new();
    let mut checked = BTreeSet::new();
    for seed in seeds(&mut terms) {
        let model = seed.models[0].clone();
        let shown = explain(&mut terms, &seed.script, model.clone()).expect("the model holds");
        for Shown { place, .. } in shown {
            for value in candidates(&mut terms, &model, &seed.script, &place) {
                let sort = terms.sort(place.term);
                let Some(term) = terms.value_term(&value, sort) else {
                    continue;
                };
                let Some(constraint) = place.allowed.constraint(&mut terms, term) else {
                    continue;
                };
                let (Some(inside), Ok(holds)) = (
                    place.allowed.contains(&value),
                    Evaluator::new(&terms, &model).value(constraint),
                ) else {
                    continue;
                };
                assert_eq!(
                    holds,
                    Value::Bool(inside),
                    "{:?} and {value:?}",
                    place.allowed
                );
                checked.insert(kind(&place.allowed));
            }
        }
    }
    assert!(checked.len() >= 13, "{checked:?}");
}

#[test]
fn one_seed_gives_thousands_of_models() {
    let mut terms = Terms::new();
    let seeds = seeds(&mut terms);
    let mut models = BTreeSet::new();
    let mut mutant = mutant(&mut terms, &seeds[0]);
    let mut draw = Draw::new(1, 1);
    let constants = mutant.constants(&terms);
    for _ in 0..10_000 {
        mutant.vary(&mut terms, &mut draw, 1);
        let value = |fun: &auspex_logic::Fun| format!("{:?}", mutant.model().interpretation(*fun));
        models.insert(constants.iter().map(value).collect::<Vec<_>>());
    }
    assert!(models.len() > 1000, "only {} models", models.len());
    let roots = seeds[0].script.roots();
    assert!(
        roots
            .iter()
            .all(|root| is_true(&terms, mutant.model(), *root))
    );
}

#[test]
fn functions_are_extended_at_new_points() {
    let mut terms = Terms::new();
    let script =
        "(declare-fun f (Int) Int)(declare-const x Int)(assert (= (f x) 5))(assert (> (f 7) 5))";
    let model = "((define-fun x () Int 3)(define-fun f ((n Int)) Int (ite (= n 3) 5 6)))";
    let seed = read(&mut terms, &(script, model));
    let mut extended = 0;
    for number in 0..200 {
        let mut mutant = mutant(&mut terms, &seed);
        let mut draw = Draw::new(2, number);
        for _ in 0..4 {
            mutant.mutate(&mut terms, &mut draw, &Diver::USUAL);
        }
        let is_extension = |step: &mutant::Step| matches!(step, mutant::Step::Extended { .. });
        extended += mutant
            .steps
            .iter()
            .filter(|step| is_extension(step))
            .count();
        let roots = mutant.assertions.iter();
        assert!(
            roots
                .clone()
                .all(|a| is_true(&terms, mutant.model(), a.term))
        );
    }
    assert!(extended > 10, "only {extended} extensions");
}

#[test]
fn quantified_bodies_are_mutated_too() {
    let mut terms = Terms::new();
    let script = "(declare-const a (_ BitVec 3))\
                  (assert (forall ((x (_ BitVec 3))) (or (bvule x a) (bvult a x))))";
    let seed = read(
        &mut terms,
        &(script, "((define-fun a () (_ BitVec 3) #b101))"),
    );
    let mut inside = 0;
    for number in 0..200 {
        let mut mutant = mutant(&mut terms, &seed);
        mutant.mutate(&mut terms, &mut Draw::new(2, number), &Diver::USUAL);
        let root = mutant.assertions[0].term;
        let quantified = matches!(terms.head(root), auspex_logic::Head::Binder(_));
        inside += usize::from(quantified && root != seed.script.roots()[0]);
    }
    assert!(inside > 5, "only {inside} mutants inside");
}

/// For dReal every part must have a value, and there are other functions than polynomials.
#[test]
fn mutants_for_dreal_are_defined_everywhere() {
    let mut terms = Terms::new();
    let script = "(declare-const x Real)(declare-const y Real)(assert (< (* x y) 3.0))(assert (or (> x 7.0) (> y 1.0)))";
    let model = "((define-fun x () Real 1.5)(define-fun y () Real 1.25))";
    let seeds = [read(&mut terms, &(script, model))];
    let mark = terms.mark();
    let mut curved = 0;
    for number in 0..300 {
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &seeds,
            theories: &[],
            solvers: SolverSet::DREAL,
            forbidden: &[],
        };
        if let Some(case) = Diver::USUAL.make(&mut workshop, &mut Draw::new(1, number)) {
            let query = case.script.queries().pop().expect("one query");
            let Evidence::Witness(model) = &case.evidence[0] else {
                panic!("a witness")
            };
            assert_eq!(validate(&terms, model, &query), ModelVerdict::Valid);
            assert!(is_defined(&terms, model, &query));
            let text = render::script(&terms, &case.script, Sharing::Auto);
            let words = [
                "(sin ", "(cos ", "(exp ", "(log ", "(tanh ", "(atan ", "(sqrt ",
            ];
            curved += usize::from(words.iter().any(|word| text.contains(word)));
        }
        terms.release(mark);
    }
    assert!(curved > 100, "only {curved} mutants with such functions");
}

#[test]
fn every_mutant_keeps_its_model() {
    let mut terms = Terms::new();
    let seeds = seeds(&mut terms);
    let mark = terms.mark();
    let mut made = 0;
    for number in 0..300 {
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &seeds,
            theories: &[],
            solvers: SolverSet(0),
            forbidden: &[],
        };
        if let Some(case) = Diver::USUAL.make(&mut workshop, &mut Draw::new(1, number)) {
            let query = case.script.queries().pop().expect("one query");
            let Evidence::Witness(model) = &case.evidence[0] else {
                panic!("a witness")
            };
            assert_eq!(validate(&terms, model, &query), ModelVerdict::Valid);
            made += 1;
        }
        terms.release(mark);
    }
    assert!(made > 200, "only {made} of 300 draws gave a mutant");
}

#[test]
fn leaves_a_seed_without_a_valid_model_alone() {
    let mut terms = Terms::new();
    let mut seeds = seeds(&mut terms);
    seeds.truncate(1);
    let script = seeds[0].script.clone();
    let wrong = "((define-fun x () Int 0)(define-fun y () Int 3)(define-fun p () Bool false))";
    seeds[0].models = vec![read_model(&mut terms, &script, wrong).expect("a model")];
    let mut workshop = GenContext {
        terms: &mut terms,
        seeds: &seeds,
        theories: &[],
        solvers: SolverSet(0),
        forbidden: &[],
    };
    assert!(
        Diver::USUAL
            .make(&mut workshop, &mut Draw::new(1, 1))
            .is_none()
    );
}

#[test]
fn literals_stay_where_a_solver_wants_them() {
    let script =
        "(declare-const k Int)(assert (= (select ((as const (Array Int Int)) 5) k) (+ k 2)))";
    let model = "((define-fun k () Int 3))";
    let constant = "((as const (Array Int Int)) 5)";
    let changed = |solvers: SolverSet| {
        let mut terms = Terms::new();
        let seeds = [read(&mut terms, &(script, model))];
        let mut draws = 0..400;
        draws.any(|number| {
            let mut workshop = GenContext {
                terms: &mut terms,
                seeds: &seeds,
                theories: &[],
                solvers,
                forbidden: &[],
            };
            let case = Diver::USUAL.make(&mut workshop, &mut Draw::new(1, number));
            case.is_some_and(|case| {
                let text = render::script(&terms, &case.script, Sharing::Expanded);
                let head = "((as const (Array Int Int)) ";
                let mut arrays = text.match_indices(head).map(|(at, _)| &text[at..]);
                arrays.any(|rest| rest[head.len()..].starts_with(['(', 'f', 'k']))
                    && !text.contains(constant)
            })
        })
    };
    assert!(!changed(SolverSet::Z3.union(SolverSet::CVC5)));
    assert!(changed(SolverSet::Z3));
}

/// The texts of mutants of one seed.
fn mutants(how: &Diver, seed: &(&str, &str), count: u64) -> Vec<String> {
    let mut terms = Terms::new();
    let seeds = [read(&mut terms, seed)];
    let mark = terms.mark();
    let mut texts = Vec::new();
    for number in 0..count {
        let mut workshop = GenContext {
            terms: &mut terms,
            seeds: &seeds,
            theories: &[],
            solvers: SolverSet::Z3,
            forbidden: &[],
        };
        if let Some(case) = how.make(&mut workshop, &mut Draw::new(1, number)) {
            texts.push(render::script(&terms, &case.script, Sharing::Expanded));
        }
        terms.release(mark);
    }
    texts
}

#[test]
fn the_logic_of_the_seed_is_kept_or_widened() {
    let seed = (
        "(set-logic QF_NRA)(declare-const x Real)(assert (< (* x x) 3.0))(assert (> x 1.0))",
        "((define-fun x () Real 1.5))",
    );
    let texts = mutants(&Diver::USUAL, &seed, 3000);
    let count = |logic: &str| texts.iter().filter(|t| t.starts_with(logic)).count();
    assert!(
        count("(set-logic QF_NRA)") > 100,
        "{}",
        count("(set-logic QF_NRA)")
    );
    assert!(count("(set-logic ALL)") > 30);
    let logics: BTreeSet<&str> = texts.iter().filter_map(|t| t.lines().next()).collect();
    assert!(logics.len() >= 3, "{logics:?}");
    let outside = |t: &&String| t.starts_with("(set-logic QF_NRA)") && t.contains("(str.");
    assert_eq!(texts.iter().find(outside), None);
}

#[test]
fn definitions_are_seen_through_and_their_bodies_mutated() {
    let script =
        "(declare-const a Int)(define-fun pos ((x Int)) Bool (> (+ x 1) 0))(assert (pos a))";
    let seed = (script, "((define-fun a () Int 5))");
    let mut terms = Terms::new();
    let read = read(&mut terms, &seed);
    let shown = explain(&mut terms, &read.script, read.models[0].clone()).expect("the model holds");
    let least = Allowed::Ints(Some(auspex_logic::value::Int::from(0)), None);
    assert!(
        shown.iter().any(|one| one.place.allowed == least),
        "a may be 0 or more"
    );
    let texts = mutants(&Diver::USUAL, &seed, 200);
    let changed = |t: &&String| !t.contains("(assert (> (+ a 1) 0))");
    assert!(texts.iter().filter(changed).count() > 150);
    assert!(texts.iter().any(|t| t.contains("(pos ")
        && t.split("(assert").skip(1).any(|a| a.contains("(pos "))));
}

#[test]
fn every_occurrence_of_a_large_assertion_can_be_chosen() {
    let mut script = String::from("(declare-const x Int)(assert (and");
    for n in 0..400 {
        script.push_str(&format!(" (< x (+ {n} 9))"));
    }
    script.push_str("))");
    let one = Diver {
        replacements: 1,
        ..Diver::USUAL
    };
    let texts = mutants(&one, &(&script, "((define-fun x () Int 5))"), 1500);
    let kept = |t: &String, n: u64| t.contains(&format!("(< x (+ {n} 9))"));
    let changed: Vec<u64> = (0..400)
        .filter(|n| {
            texts
                .iter()
                .any(|t| kept(t, (n + 200) % 400) && !kept(t, *n))
        })
        .collect();
    assert!(changed.len() > 300, "{}", changed.len());
    assert!(changed.iter().filter(|n| **n >= 200).count() > 100);
}

#[test]
fn fresh_variables_and_values_of_the_model_are_put_in() {
    let seed = (
        "(declare-const x Int)(declare-const y Int)(assert (< x y))(assert (> (+ x y) 3))",
        "((define-fun x () Int 4711)(define-fun y () Int 80000))",
    );
    let many = Diver {
        replacements: 20,
        ..Diver::USUAL
    };
    let texts = mutants(&many, &seed, 200);
    assert!(texts.iter().any(|t| t.contains("4711")));
    // Declared once, bound by one assertion, and used again.
    let again = |t: &&String| t.matches("fresh!1").count() > 4;
    assert!(texts.iter().filter(again).count() > 10);
}
