//! A solver against itself: what it says of a seed and of a weakening or strengthening convicts it, without another
//! solver, and the two scripts are shrunk together.

mod told;

use auspex_campaign::Finding;
use auspex_campaign::schedule::maker::Maker;
use auspex_campaign::seeds::pool::{Pool, SeedFile};
use auspex_campaign::team::vocabulary::Vocabularies;
use auspex_cases::{Class, RelationKind, strategy};
use auspex_logic::OpTable;
use auspex_solvers::{Invocation, Profile, Solver, Version};
use std::path::Path;
use std::sync::Arc;
use told::{Scratch, findings, run, setup};

const SEED: &str = "(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n(assert (< x y))\n\
    (assert (> y (+ x 1)))\n(check-sat)\n";

/// What a campaign of `approximate` on one seed finds, with no solver but one that follows these rows.
fn found(rows: &str) -> Vec<Finding> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripted/solver.py");
    let mut profile = Profile::read("told", include_str!("told/profile.toml")).unwrap();
    profile.live = Vec::new();
    let solver = Solver {
        profile: Arc::new(profile),
        base: Invocation {
            program: "python3".into(),
            arguments: vec![file.into(), rows.into()],
            ..Invocation::default()
        },
        version: Version::read("1.0"),
        commit: None,
        options: Vec::new(),
    };
    let scratch = Scratch::new();
    let mut setup = setup(vec![solver], scratch.path(), 16 * 40);
    setup.maker = Maker {
        seed: 7,
        strategies: strategy::named("approximate").into_iter().collect(),
        theories: Vec::new(),
        vocabularies: Vocabularies::default(),
        kinds: Vec::new(),
        table: OpTable::builtin(),
    };
    let mut pool = Pool::default();
    let seed = SeedFile::new("seed.smt2".to_string(), SEED.to_string()).unwrap();
    pool.seeds.push(seed);
    setup.pool = pool;
    setup.workers = 1;
    setup.bugs_only = true;
    run(setup);
    findings(scratch.path())
}

fn convicted(rows: &str, relation: RelationKind) {
    let all = found(rows);
    let torn = |finding: &&Finding| finding.class == Class::SelfContradiction;
    let finding = all.iter().find(torn).expect("a contradiction is found");
    assert_eq!(finding.accused, ["told 1.0"]);
    let source = &finding.related[0];
    assert!(source.text.contains("(assert (< x y))"), "{}", source.text);
    assert!(finding.why.contains("told 1.0 answers"), "{}", finding.why);
    let kind = serde_json::to_value(relation).unwrap();
    let json: serde_json::Value = serde_json::from_str(&finding.to_json()).unwrap();
    assert_eq!(json["evidence"]["relation"], kind);
    let reduced = all.iter().filter(torn).any(|finding| {
        let source = finding.related[0].reduced.as_ref();
        finding.reduced.is_some() && source.is_some_and(|one| one.text.contains("(assert"))
    });
    assert!(reduced, "the two scripts are shrunk together");
}

#[test]
fn sat_to_a_seed_and_unsat_to_its_weakenings() {
    let rows = r#"[{"if": ["(assert (< x y))", "(assert (> y (+ x 1)))"], "say": "sat"}, {"say": "unsat"}]"#;
    convicted(rows, RelationKind::Weaker);
}

#[test]
fn unsat_to_a_seed_and_sat_to_its_strengthenings() {
    let rows = r#"[{"if": ["(assert (< x y))", "(assert (> y (+ x 1)))"], "say": "unsat"}, {"say": "sat"}]"#;
    convicted(rows, RelationKind::Stronger);
}

#[test]
fn a_solver_that_keeps_to_its_answer_is_not_accused() {
    for rows in [r#"[{"say": "sat"}]"#, r#"[{"say": "unsat"}]"#] {
        let all = found(rows);
        assert!(
            all.iter().all(|one| one.class != Class::SelfContradiction),
            "{all:?}"
        );
    }
}
