//! Fused scripts are well-formed, and have the answer of their seeds.

use super::*;
use auspex_logic::model::read_model;
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::value::Int;
use auspex_logic::{Sort, Value, read_script};

const SAT: [(&str, &str); 2] = [
    (
        "(set-logic QF_LIA)(declare-const x Int)(declare-fun f (Int) Int)(declare-const p Bool)\
         (assert (and p (> (f x) 0)))(assert (< x 9))(check-sat)",
        "((define-fun x () Int 5)(define-fun f ((a Int)) Int (ite (= a 5) 2 0))(define-fun p () Bool true))",
    ),
    (
        "(set-logic QF_LIA)(declare-const x Int)(declare-const fused!1 Bool)(define-fun f ((a Int)) Int (+ a x))\
         (assert (= (f x) 6))(assert (not fused!1))(check-sat)",
        "((define-fun x () Int 3)(define-fun fused!1 () Bool false))",
    ),
];

const UNSAT: [&str; 2] = [
    "(declare-const x Int)(declare-const y Int)(assert (< x 3))(assert (> x 5))(check-sat)",
    "(declare-const x Int)(declare-const p Bool)(assert (= x 1))(assert (and p (= x 2)))(check-sat)",
];

fn seed(script: Script, status: SeedStatus, models: Vec<Model>) -> Seed {
    Seed {
        name: "seed".into(),
        script,
        status: Some(status),
        models,
        core: None,
    }
}

fn sat_seeds(terms: &mut Terms) -> Vec<Seed> {
    let seeds = SAT.map(|(text, model)| {
        let script = read_script(terms, text).expect("well-formed").script;
        let model = read_model(terms, &script, model).expect("a model");
        seed(script, SeedStatus::ProvedSat, vec![model])
    });
    seeds.into()
}

fn unsat_seeds(terms: &mut Terms) -> Vec<Seed> {
    let seeds = UNSAT.map(|text| {
        let script = read_script(terms, text).expect("well-formed").script;
        seed(script, SeedStatus::AgreedUnsat, Vec::new())
    });
    seeds.into()
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

fn made(terms: &mut Terms, seeds: &[Seed], number: u64) -> Option<Case> {
    Fuse.make(&mut workshop(terms, seeds), &mut Draw::new(6, number))
}

#[test]
fn two_models_together_are_a_model_of_what_is_fused() {
    let mut terms = Terms::new();
    let seeds = sat_seeds(&mut terms);
    let mut fused = 0;
    for number in 0..1000 {
        let Some(case) = made(&mut terms, &seeds, number) else {
            continue;
        };
        fused += 1;
        let text = render::script(&terms, &case.script, Sharing::Auto);
        let Evidence::Witness(model) = &case.evidence[0] else {
            panic!("a witness for {text}")
        };
        let query = case.script.queries().remove(0);
        assert_eq!(
            validate(&terms, model, &query),
            ModelVerdict::Valid,
            "{text}"
        );
        let reading = read_script(&mut Terms::new(), &text).expect("well-formed");
        assert_eq!(reading.issues, [], "in {text}");
        assert!(text.contains("fused!"), "{text}");
    }
    assert!(fused > 900, "{fused}");
}

#[test]
fn two_unsatisfiable_seeds_stay_so() {
    let mut terms = Terms::new();
    let seeds = unsat_seeds(&mut terms);
    let (mut both, mut either) = (0, 0);
    for number in 0..400 {
        let Some(case) = made(&mut terms, &seeds, number) else {
            continue;
        };
        let Evidence::Relation(relation) = &case.evidence[0] else {
            panic!("a relation")
        };
        assert_eq!(relation.kind, RelationKind::UnsatIfAll);
        assert_eq!(relation.status, Some(SeedStatus::AgreedUnsat));
        assert_eq!(relation.sources.len(), 2);
        let text = render::script(&terms, &case.script, Sharing::Auto);
        match text.contains("(or (and ") {
            true => either += 1,
            false => both += 1,
        }
        let roots = case.script.roots();
        for turn in 0..60 {
            let mut draw = Draw::new(number, turn);
            let mut model = Model::with_definitions(&case.script);
            for fun in case.script.declared() {
                model.set_value(
                    fun,
                    match terms.fun(fun).result {
                        Sort::BOOL => Value::Bool(draw.coin()),
                        _ => Value::Int(Int::from(draw.below(12) as i64 - 2)),
                    },
                );
            }
            let mut evaluator = Evaluator::new(&terms, &model);
            let all = roots.iter().all(|r| evaluator.value(*r) == Ok(Value::TRUE));
            assert!(!all, "case {number}: {text}");
        }
    }
    assert!(both > 100 && either > 100, "{both} and {either}");
}

#[test]
fn leaves_seeds_alone_whose_answer_is_not_known() {
    let mut terms = Terms::new();
    let mut seeds = unsat_seeds(&mut terms);
    for seed in &mut seeds {
        seed.status = Some(SeedStatus::SaidUnsat);
    }
    assert!((0..20).all(|number| made(&mut terms, &seeds, number).is_none()));
}

#[test]
fn the_same_draw_makes_the_same_case_whatever_was_made_before() {
    let text = |before: u64| {
        let mut terms = Terms::new();
        let seeds = sat_seeds(&mut terms);
        for number in 0..before {
            made(&mut terms, &seeds, number);
        }
        let case = made(&mut terms, &seeds, 77).expect("it fuses");
        render::script(&terms, &case.script, Sharing::Auto)
    };
    assert_eq!(text(0), text(40));
}

#[test]
fn stages_lead_from_the_seeds_to_the_case() {
    let mut terms = Terms::new();
    let seeds = sat_seeds(&mut terms);
    let case = made(&mut terms, &seeds, 3).expect("it fuses");
    let stages = Fuse.stages(&mut workshop(&mut terms, &seeds), &mut Draw::new(6, 3));
    assert_eq!(stages.len(), 3);
    assert_eq!(stages[2], case.script);
}
