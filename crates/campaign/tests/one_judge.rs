//! One judge for every command: the same situation gets the same verdict from `fuzz`, `check`, `reduce`, `bisect`,
//! `recheck`, `replay` and `generate --table`.

mod told;

use auspex_campaign::Finding;
use auspex_campaign::findings::bisect::{GroundTruth, Standing};
use auspex_campaign::findings::replay::rerun;
use auspex_campaign::judge::diagnose::diagnose;
use auspex_campaign::judge::examine::{case_of, examine};
use auspex_campaign::judge::judging::{Forms, Judge, Sources};
use auspex_campaign::schedule::maker::Maker;
use auspex_campaign::seeds::pool::{Pool, SeedFile};
use auspex_campaign::team::vocabulary::Vocabularies;
use auspex_campaign::team::{SolverRun, Team};
use auspex_cases::answers::Kind;
use auspex_cases::{
    Budget, Case, Class, Draw, Evidence, GenContext, Origin, Relation, RelationKind, Source,
    Strategy,
};
use auspex_logic::model::read_model;
use auspex_logic::{OpTable, Terms, read_script};
use auspex_solvers::{Invocation, Limits, Profile, Query, Session, Solver, Version};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use told::{Scratch, findings, run, setup};

/// What is known about the only query of a script.
#[derive(Clone, Copy, Debug)]
enum Known {
    Nothing,
    Model(&'static str),
    /// These names contradict each other.
    Core(&'static [&'static str]),
    /// The script has this relation to a source, which is the only seed.
    Related(RelationKind, &'static str),
}

/// A script, what is known about it, what solvers say, and the verdicts.
#[derive(Debug)]
struct Situation {
    name: &'static str,
    script: &'static str,
    known: Known,
    /// Name, family, and rows of the table that it follows.
    solvers: &'static [(&'static str, &'static str, &'static str)],
    /// Class and accused of every verdict that matters.
    verdicts: &'static [(Class, &'static [&'static str])],
}

const POSITIVE: &str = "(declare-const x Int)(assert (> x 0))(check-sat)";
const NEGATIVE: &str = "(declare-const x Int)(assert (and (> x 0) (< x 0)))(check-sat)";
const NAMED: &str = "(set-option :produce-unsat-cores true)(declare-const x Int)\
    (assert (! (> x 0) :named a))(assert (! (< x 0) :named b))(check-sat)";
const FALSE: &str = "(declare-const x Int)(assert (= 1 2))(check-sat)";
const FORCED: &str = "(declare-const x Int)(assert (= x 1))(assert (< x 1))(check-sat)";
const TRUE: &str = "(declare-const p Bool)(assert (or true p))(check-sat)";
const EXTENSION: &str = "(declare-const s (Seq Int))(assert (= (seq.rev s) s))(check-sat)";
const OTHER_MEANING: &str =
    "(set-option :encoding ascii)(declare-const s String)(assert (= s s))(check-sat)";
const SCOPED: &str = "(declare-const x Int)(push 1)(assert (> x 0))(check-sat)(pop 1)\
    (assert (< x 0))(check-sat)";
const OPTIMUM: &str =
    "(declare-const x Int)(assert (< x 5))(maximize x)(check-sat)(get-objectives)";
/// Seeds that say next to nothing are not used.
const SOURCE: &str = "(declare-const x Int)(assert (> x 0))(assert (< (- 0 x) (+ x 5)))(check-sat)";
const WEAKER: &str = "(declare-const x Int)(assert (>= x 0))(check-sat)";

const SAT: &str = r#"[{"say": "sat", "model": "((define-fun x () Int 1))"}]"#;
const SAT_BARE: &str = r#"[{"say": "sat"}]"#;
const SAT_WRONG: &str = r#"[{"say": "sat", "model": "((define-fun x () Int (- 1)))"}]"#;
const UNSAT: &str = r#"[{"say": "unsat"}]"#;
const WITH_CORE: &str = r#"[{"say": "unsat", "core": "(a b)"}]"#;
const UNKNOWN: &str = r#"[{"say": "unknown"}]"#;
const CRASH: &str = r#"[{"say": "crash"}]"#;
/// Refutes `(>= x 0)` and finds everything else satisfiable, without a model.
const TORN: &str = r#"[{"if": ["(>= x 0)"], "say": "unsat"}, {"say": "sat"}]"#;
/// The mirror: satisfies `(and` and refutes everything else.
const TORN_STRONGER: &str = r#"[{"if": ["(and"], "say": "sat"}, {"say": "unsat"}]"#;
const SMALL_CORE: &str = r#"[{"if": ["(> ", "(< "], "say": "unsat", "core": "(a)"},
    {"if": ["(< x 0)"], "say": "unsat", "core": "(a b)"},
    {"say": "sat", "model": "((define-fun x () Int 1))"}]"#;
const TORN_CORE: &str = r#"[{"if": [":named a", ":named b"], "say": "unsat", "core": "(a)"},
    {"say": "sat"}]"#;
const KEPT_CORE: &str = r#"[{"say": "unsat", "core": "(a)"}]"#;
const ODD_CORE: &str = r#"[{"say": "unsat", "core": "(a c)"}]"#;
const RIGHT_OPTIMUM: &str = r#"[{"if": ["(> x 4)"], "say": "unsat"},
    {"if": ["1000000"], "say": "unsat"},
    {"say": "sat", "model": "((define-fun x () Int 4))", "objectives": "(objectives (x 4))"}]"#;
const BETTERED_OPTIMUM: &str = r#"[{"if": ["(> x 3)"], "say": "sat", "model": "((define-fun x () Int 4))"},
    {"say": "sat", "model": "((define-fun x () Int 3))", "objectives": "(objectives (x 3))"}]"#;
const MISSED_OPTIMUM: &str = r#"[{"if": ["(> x 4)"], "say": "unsat"},
    {"say": "sat", "model": "((define-fun x () Int 3))", "objectives": "(objectives (x 4))"}]"#;
const TORN_OPTIMUM: &str = r#"[{"if": ["(> x 3)"], "say": "sat"},
    {"say": "sat", "model": "((define-fun x () Int 3))", "objectives": "(objectives (x 3))"}]"#;
const UNSAT_ABOVE: &str = r#"[{"if": ["(> x"], "say": "unsat"}, {"say": "sat"}]"#;
const UNBOUNDED: &str = r#"[{"if": ["1000000"], "say": "unsat"}, {"if": ["(> x 4)"], "say": "unsat"},
    {"say": "sat", "objectives": "(objectives (x oo))"}]"#;

use Class::{
    Crash, Disagreement, InvalidModel, SelfContradiction, WrongCore, WrongSat, WrongUnsat,
};

const SITUATIONS: &[Situation] = &[
    Situation {
        name: "a right optimum",
        script: OPTIMUM,
        known: Known::Nothing,
        solvers: &[("a", "a", RIGHT_OPTIMUM)],
        verdicts: &[],
    },
    Situation {
        name: "an optimum that a model betters",
        script: OPTIMUM,
        known: Known::Nothing,
        solvers: &[("a", "a", BETTERED_OPTIMUM)],
        verdicts: &[(Class::Wrong(Kind::Optimum), &["a"])],
    },
    Situation {
        name: "an optimum that its model misses",
        script: OPTIMUM,
        known: Known::Nothing,
        solvers: &[("a", "a", MISSED_OPTIMUM)],
        verdicts: &[(Class::Wrong(Kind::Optimum), &["a"])],
    },
    Situation {
        name: "an optimum that the solver itself betters",
        script: OPTIMUM,
        known: Known::Nothing,
        solvers: &[("a", "a", TORN_OPTIMUM)],
        verdicts: &[(SelfContradiction, &["a"])],
    },
    Situation {
        name: "no bound, which two others deny",
        script: OPTIMUM,
        known: Known::Nothing,
        solvers: &[
            ("a", "a", UNBOUNDED),
            ("b", "b", RIGHT_OPTIMUM),
            ("c", "c", UNSAT_ABOVE),
        ],
        verdicts: &[(Class::Wrong(Kind::Optimum), &["a"])],
    },
    Situation {
        name: "an honest solver",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT)],
        verdicts: &[],
    },
    Situation {
        name: "no solver answers",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", UNKNOWN), ("b", "b", UNKNOWN)],
        verdicts: &[],
    },
    Situation {
        name: "an unknown contradicts no answer",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT), ("b", "b", UNKNOWN)],
        verdicts: &[],
    },
    Situation {
        name: "a model that is false",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_WRONG)],
        verdicts: &[(InvalidModel, &["a"])],
    },
    Situation {
        name: "a valid model refutes an unsat",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", UNSAT), ("b", "b", SAT)],
        verdicts: &[(WrongUnsat, &["a"])],
    },
    Situation {
        name: "a valid model refutes many",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", UNSAT), ("b", "b", SAT), ("c", "c", UNSAT)],
        verdicts: &[(WrongUnsat, &["a"]), (WrongUnsat, &["c"])],
    },
    Situation {
        name: "one against one without a model",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", UNSAT), ("b", "b", SAT_BARE)],
        verdicts: &[(Disagreement, &["a", "b"])],
    },
    Situation {
        name: "two families refute a sat",
        script: NEGATIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE), ("b", "b", UNSAT), ("c", "c", UNSAT)],
        verdicts: &[(WrongSat, &["a"])],
    },
    Situation {
        name: "two of one family do not",
        script: NEGATIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE), ("b", "f", UNSAT), ("c", "f", UNSAT)],
        verdicts: &[(Disagreement, &["a", "b", "c"])],
    },
    Situation {
        name: "a majority cannot refute an unsat",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[
            ("a", "a", UNSAT),
            ("b", "b", SAT_BARE),
            ("c", "c", SAT_BARE),
        ],
        verdicts: &[(Disagreement, &["a"])],
    },
    Situation {
        name: "an invalid model beside a refutation",
        script: NEGATIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT), ("b", "b", UNSAT)],
        verdicts: &[(InvalidModel, &["a"])],
    },
    Situation {
        name: "false whatever x is",
        script: FALSE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE)],
        verdicts: &[(WrongSat, &["a"])],
    },
    Situation {
        name: "false and refuted",
        script: FALSE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE), ("b", "b", UNSAT)],
        verdicts: &[(WrongSat, &["a"])],
    },
    Situation {
        name: "false by forced values",
        script: FORCED,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE), ("b", "b", UNSAT)],
        verdicts: &[(WrongSat, &["a"])],
    },
    Situation {
        name: "false and said so",
        script: FALSE,
        known: Known::Nothing,
        solvers: &[("a", "a", UNSAT)],
        verdicts: &[],
    },
    Situation {
        name: "true whatever p is",
        script: TRUE,
        known: Known::Nothing,
        solvers: &[("a", "a", UNSAT)],
        verdicts: &[(WrongUnsat, &["a"])],
    },
    Situation {
        name: "true and said so",
        script: TRUE,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE)],
        verdicts: &[],
    },
    Situation {
        name: "a crash",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", CRASH)],
        verdicts: &[(Crash, &["a"])],
    },
    Situation {
        name: "a crash beside an answer",
        script: POSITIVE,
        known: Known::Nothing,
        solvers: &[("a", "a", CRASH), ("b", "b", SAT)],
        verdicts: &[(Crash, &["a"])],
    },
    Situation {
        name: "an extension that solvers copy",
        script: EXTENSION,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE), ("b", "b", UNSAT), ("c", "c", UNSAT)],
        verdicts: &[(Disagreement, &["a"])],
    },
    Situation {
        name: "an option with another meaning",
        script: OTHER_MEANING,
        known: Known::Nothing,
        solvers: &[("a", "a", SAT_BARE), ("b", "b", UNSAT), ("c", "c", UNSAT)],
        verdicts: &[],
    },
    Situation {
        name: "a crash under such an option",
        script: OTHER_MEANING,
        known: Known::Nothing,
        solvers: &[("a", "a", CRASH)],
        verdicts: &[(Crash, &["a"])],
    },
    Situation {
        name: "a witness",
        script: POSITIVE,
        known: Known::Model("((define-fun x () Int 7))"),
        solvers: &[("a", "a", UNSAT)],
        verdicts: &[(WrongUnsat, &["a"])],
    },
    Situation {
        name: "a witness and an honest solver",
        script: POSITIVE,
        known: Known::Model("((define-fun x () Int 7))"),
        solvers: &[("a", "a", SAT)],
        verdicts: &[],
    },
    Situation {
        name: "a wrong witness",
        script: POSITIVE,
        known: Known::Model("((define-fun x () Int (- 7)))"),
        solvers: &[("a", "a", UNSAT)],
        verdicts: &[],
    },
    Situation {
        name: "a contradiction by construction",
        script: NAMED,
        known: Known::Core(&["a", "b"]),
        solvers: &[("a", "a", SAT_BARE)],
        verdicts: &[(WrongSat, &["a"])],
    },
    Situation {
        name: "a contradiction and its core",
        script: NAMED,
        known: Known::Core(&["a", "b"]),
        solvers: &[("a", "a", WITH_CORE)],
        verdicts: &[],
    },
    Situation {
        name: "a core with a model",
        script: NAMED,
        known: Known::Nothing,
        solvers: &[("a", "a", SMALL_CORE)],
        verdicts: &[(WrongCore, &["a"])],
    },
    Situation {
        name: "a core with a model, by construction",
        script: NAMED,
        known: Known::Core(&["a", "b"]),
        solvers: &[("a", "a", SMALL_CORE)],
        verdicts: &[(WrongCore, &["a"])],
    },
    Situation {
        name: "a core that the solver itself satisfies",
        script: NAMED,
        known: Known::Nothing,
        solvers: &[("a", "a", TORN_CORE)],
        verdicts: &[(SelfContradiction, &["a"])],
    },
    Situation {
        name: "a core that the solver stands by",
        script: NAMED,
        known: Known::Nothing,
        solvers: &[("a", "a", KEPT_CORE)],
        verdicts: &[],
    },
    Situation {
        name: "a core with a name that nothing has",
        script: NAMED,
        known: Known::Nothing,
        solvers: &[("a", "a", ODD_CORE)],
        verdicts: &[(WrongCore, &["a"])],
    },
    Situation {
        name: "a weakening of what it satisfies",
        script: WEAKER,
        known: Known::Related(RelationKind::Weaker, SOURCE),
        solvers: &[("a", "a", TORN)],
        verdicts: &[(SelfContradiction, &["a"])],
    },
    Situation {
        name: "a weakening, with a model of the source",
        script: WEAKER,
        known: Known::Related(RelationKind::Weaker, SOURCE),
        solvers: &[(
            "a",
            "a",
            r#"[{"if": ["(>= x 0)"], "say": "unsat"},
            {"say": "sat", "model": "((define-fun x () Int 3))"}]"#,
        )],
        verdicts: &[(WrongUnsat, &["a"])],
    },
    Situation {
        name: "a strengthening of what it refutes",
        script: NEGATIVE,
        known: Known::Related(RelationKind::Stronger, SOURCE),
        solvers: &[("a", "a", TORN_STRONGER)],
        verdicts: &[(SelfContradiction, &["a"])],
    },
    Situation {
        name: "a strengthening may be unsat",
        script: NEGATIVE,
        known: Known::Related(RelationKind::Stronger, SOURCE),
        solvers: &[(
            "a",
            "a",
            r#"[{"if": ["(and"], "say": "unsat"}, {"say": "sat"}]"#,
        )],
        verdicts: &[],
    },
    Situation {
        name: "equisatisfiable scripts",
        script: WEAKER,
        known: Known::Related(RelationKind::Equisatisfiable, SOURCE),
        solvers: &[("a", "a", TORN)],
        verdicts: &[(SelfContradiction, &["a"])],
    },
    Situation {
        name: "what the accused says of the source decides nothing for others",
        script: WEAKER,
        known: Known::Related(RelationKind::Weaker, SOURCE),
        solvers: &[("a", "a", UNSAT)],
        verdicts: &[],
    },
    Situation {
        name: "a query alone",
        script: SCOPED,
        known: Known::Nothing,
        solvers: &[(
            "a",
            "a",
            r#"[{"if": ["PUSHED"], "say": "unsat"}, {"say": "sat"}]"#,
        )],
        verdicts: &[(SelfContradiction, &["a"])],
    },
];

/// Makes the script of a situation, whatever is drawn.
struct Makes(&'static Situation);

impl Strategy for Makes {
    fn name(&self) -> &'static str {
        "situation"
    }

    fn about(&self) -> &'static str {
        "Makes one script."
    }

    fn needs_seeds(&self) -> bool {
        matches!(self.0.known, Known::Related(..))
    }

    fn make(&self, workshop: &mut GenContext<'_>, _: &mut Draw) -> Option<Case> {
        // The relation is to the file, and some blocks get seeds that are made.
        let mut seeds = workshop.seeds.iter();
        let place = seeds.position(|seed| seed.name == "source.smt2");
        let mut case = self.0.case(workshop.terms);
        if let Evidence::Relation(relation) = &mut case.evidence[0] {
            let (seed, query) = (place?, 0);
            relation.sources = vec![Source::Seed { seed, query }];
        }
        Some(case)
    }
}

impl Situation {
    fn case(&self, terms: &mut Terms) -> Case {
        let script = read_script(terms, self.script).unwrap().script;
        let mut case = case_of(script, terms);
        case.origin = Origin {
            strategy: "situation",
            ..Origin::default()
        };
        case.evidence[0] = match self.known {
            Known::Nothing => Evidence::NoneKnown,
            Known::Model(text) => {
                let model = read_model(terms, &case.script, text).unwrap();
                Evidence::Witness(Box::new(model))
            }
            Known::Core(names) => Evidence::Core {
                names: names
                    .iter()
                    .map(|name| terms.symbols.intern(name))
                    .collect(),
                because: "no number is below and above 0".to_string(),
            },
            Known::Related(kind, _) => Evidence::Relation(Relation {
                kind,
                sources: vec![Source::Seed { seed: 0, query: 0 }],
                status: None,
            }),
        };
        case
    }

    fn solvers(&self) -> Vec<Solver> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripted/solver.py");
        let solver = |(name, family, rows): &(&str, &str, &str)| {
            let mut profile = Profile::read(name, include_str!("told/profile.toml")).unwrap();
            profile.name = name.to_string();
            profile.family = Some(family.to_string());
            profile.live = Vec::new();
            Solver {
                profile: Arc::new(profile),
                base: Invocation {
                    program: "python3".into(),
                    arguments: vec![file.clone().into(), (*rows).into()],
                    ..Invocation::default()
                },
                version: Version::read("1.0"),
                commit: None,
                options: Vec::new(),
            }
        };
        self.solvers.iter().map(solver).collect()
    }

    fn wanted(&self) -> Vec<(Class, Vec<String>)> {
        let titles = |names: &&[&str]| names.iter().map(|name| format!("{name} 1.0")).collect();
        let all = self.verdicts.iter();
        sorted(all.map(|(class, names)| (*class, titles(names))).collect())
    }

    /// What `fuzz` files.
    fn fuzz(&'static self, out: &Path) -> Vec<Finding> {
        let strategy: &'static Makes = Box::leak(Box::new(Makes(self)));
        // Few blocks ask each query alone.
        let blocks = if self.script == SCOPED { 48 } else { 12 };
        let mut setup = setup(self.solvers(), out, 16 * blocks);
        setup.maker = Maker {
            seed: 7,
            strategies: vec![strategy],
            theories: Vec::new(),
            vocabularies: Vocabularies::default(),
            kinds: Vec::new(),
            table: OpTable::builtin(),
        };
        setup.reduce = false;
        // Other solvers of this machine would arbitrate.
        setup.steady = true;
        setup.workers = 1;
        if let Known::Related(_, source) = self.known {
            let mut pool = Pool::default();
            pool.seeds
                .push(SeedFile::new("source.smt2".into(), source.into()).unwrap());
            setup.pool = pool;
        }
        run(setup);
        findings(out)
    }
}

fn sorted(mut all: Vec<(Class, Vec<String>)>) -> Vec<(Class, Vec<String>)> {
    all.sort();
    all.dedup();
    all
}

fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(30),
        ..Limits::default()
    }
}

/// What `check` says.
fn checked(situation: &Situation) -> Vec<(Class, Vec<String>)> {
    let mut terms = Terms::new();
    let script = read_script(&mut terms, situation.script).unwrap().script;
    let case = case_of(script, &terms);
    let solvers = situation.solvers();
    let seen = examine(&mut terms, &case, situation.script, &solvers, &limits());
    let mut all = Vec::new();
    for judged in &seen.queries {
        for verdict in &judged.verdicts {
            let title = |at: &usize| judged.facts.replies[*at].solver.title();
            let mut accused: Vec<String> = verdict.accused.iter().map(title).collect();
            accused.sort();
            accused.dedup();
            let sentence = verdict.sentence(judged.facts.as_facts());
            assert!(
                accused.iter().all(|title| sentence.contains(title)),
                "{sentence}"
            );
            all.push((verdict.class, accused));
        }
    }
    sorted(all)
}

/// What `reduce` would shrink: a verdict for each accused.
fn diagnosed(situation: &Situation) -> Vec<(Class, Vec<String>)> {
    let bugs = diagnose(situation.script, &situation.solvers(), &[], &limits());
    let one = |bug: &auspex_campaign::judge::diagnose::Bug| (bug.class, vec![bug.accused.title()]);
    sorted(bugs.iter().map(one).collect())
}

/// What `bisect` says of each solver, beside the others.
fn bisected(situation: &Situation, finding: Option<&Finding>) -> Vec<(Class, Vec<String>)> {
    let solvers = situation.solvers();
    let mut all = Vec::new();
    for at in 0..solvers.len() {
        let mut trusted = solvers.clone();
        let accused = trusted.remove(at);
        let text = finding.map_or(situation.script, |finding| &finding.script);
        let truth = GroundTruth::new(text, finding, None, &trusted, &limits());
        if let Standing::Wrong(class) = truth.row(&accused).unwrap().standing {
            all.push((class, vec![accused.title()]));
        }
    }
    sorted(all)
}

/// What `generate --table` says of each solver alone.
fn tabled(situation: &'static Situation) -> Vec<(Class, Vec<String>)> {
    let team = Team::new(situation.solvers(), limits());
    let mut all = Vec::new();
    for (member, one) in team.members.iter().enumerate() {
        let mut terms = Terms::new();
        let case = situation.case(&mut terms);
        let query = Query::new(situation.script).model();
        let query = Query {
            want_core: true,
            ..query
        };
        let run = Session::start(&one.solver, &limits()).ask(&query).unwrap();
        let mut ask = |member: usize, text: &str| {
            auspex_campaign::judge::confirm::fresh_run(&team, member, text, &limits())
        };
        let mut judge = Judge {
            team: &team,
            budget: Budget::THOROUGH,
            sources: Sources::Seeds(&[]),
            forms: Forms::default(),
            ask: &mut ask,
        };
        let verdicts = judge.verdicts(&mut terms, &case, &[SolverRun::of(member, run)]);
        all.extend(
            verdicts
                .iter()
                .map(|v| (v.verdict.class, vec![one.title.clone()])),
        );
    }
    sorted(all)
}

/// Verdicts one by one for each accused, as commands that look at one solver tell them.
fn each(wanted: &[(Class, Vec<String>)]) -> Vec<(Class, Vec<String>)> {
    let one = |(class, accused): &(Class, Vec<String>)| {
        let class = *class;
        let each = accused
            .iter()
            .map(move |title| (class, vec![title.clone()]));
        each.collect::<Vec<_>>()
    };
    sorted(wanted.iter().flat_map(one).collect())
}

fn filed(findings: &[Finding]) -> Vec<(Class, Vec<String>)> {
    let one = |finding: &Finding| {
        let mut accused = finding.accused.clone();
        accused.sort();
        (finding.class, accused)
    };
    sorted(findings.iter().map(one).collect())
}

/// Notes what a command said if it is not what was wanted.
fn compare<T: PartialEq + std::fmt::Debug>(told: &mut Vec<String>, who: &str, left: T, right: T) {
    if left != right {
        told.push(format!("{who}: {left:?} instead of {right:?}"));
    }
}

/// What `fuzz` files, and what `replay` and `recheck` say of that.
fn of_campaigns(situation: &'static Situation, told: &mut Vec<String>) {
    let name = situation.name;
    let scratch = Scratch::new();
    let found = situation.fuzz(scratch.path());
    compare(
        told,
        &format!("fuzz: {name}"),
        filed(&found),
        situation.wanted(),
    );
    for finding in &found {
        compare(told, name, &finding.sentence(), &finding.why);
        let read = Finding::from_json(&finding.to_json()).unwrap();
        compare(told, name, &read, finding);
        let team = Team::new(situation.solvers(), limits());
        let again = rerun(finding, &finding.script, &team).unwrap();
        let shown = again.shows(finding, &team).is_some();
        compare(told, &format!("replay: {name}"), shown, true);
        let accused = bisected(situation, Some(finding));
        let class = (finding.class, vec![finding.accused[0].clone()]);
        compare(
            told,
            &format!("recheck: {name}: {accused:?}"),
            accused.contains(&class),
            true,
        );
    }
}

#[test]
fn every_command_gives_the_same_verdict() {
    let mut told = Vec::new();
    for situation in SITUATIONS {
        let name = situation.name;
        let wanted = situation.wanted();
        // Campaigns ask no solver about operators that no profile lists.
        if situation.script != EXTENSION {
            of_campaigns(situation, &mut told);
        }
        if let Known::Nothing = situation.known {
            let mut same = |command: &str, said, wanted| {
                compare(&mut told, &format!("{command}: {name}"), said, wanted);
            };
            same("check", checked(situation), wanted.clone());
            same("reduce", diagnosed(situation), each(&wanted));
            same("bisect", bisected(situation, None), each(&wanted));
        }
        // The table asks one solver at a time, and no other form of the question.
        let alone = situation.solvers.len() == 1 && !matches!(situation.known, Known::Related(..));
        if alone && situation.script != SCOPED {
            compare(
                &mut told,
                &format!("table: {name}"),
                tabled(situation),
                wanted,
            );
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}
