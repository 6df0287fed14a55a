//! A solver that is told the answers and lies about some, a strategy that tells them, and a folder to work in.

#![allow(dead_code, reason = "each test uses a part")]

use auspex_campaign::schedule::maker::Maker;
use auspex_campaign::seeds::pool::Pool;
use auspex_campaign::team::Team;
use auspex_campaign::team::configuration::OptionSpace;
use auspex_campaign::team::vocabulary::Vocabularies;
use auspex_campaign::{Campaign, Finding, Setup, Status};
use auspex_cases::{Case, Draw, Evidence, GenContext, Origin, Strategy};
use auspex_logic::{Model, OpTable, Value, read_script};
use auspex_solvers::{Invocation, Limits, Profile, Solver};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Makes scripts whose names tell the solver what to answer.
pub struct Tell;

impl Strategy for Tell {
    fn name(&self) -> &'static str {
        "tell"
    }

    fn about(&self) -> &'static str {
        "Tells the solver the answer."
    }

    fn needs_seeds(&self) -> bool {
        false
    }

    fn is_general(&self) -> bool {
        true
    }

    fn make(&self, workshop: &mut GenContext<'_>, draw: &mut Draw) -> Option<Case> {
        let number = draw.below(1_000_000);
        let sat = draw.coin();
        let text = match sat {
            true => format!(
                "(set-logic QF_LIA)\n(declare-const told-sat-{number} Int)\n(assert (= told-sat-{number} {number}))\n(check-sat)\n"
            ),
            false => format!(
                "(set-logic QF_LIA)\n(declare-const told-unsat-{number} Int)\n(assert (! (< told-unsat-{number} 0) :named low))\n\
                 (assert (! (> told-unsat-{number} 0) :named high))\n(check-sat)\n"
            ),
        };
        let script = read_script(workshop.terms, &text).ok()?.script;
        let evidence = match sat {
            true => {
                let mut model = Model::with_definitions(&script);
                let value = Value::Int((number as i64).into());
                model.set_value(script.declared().next()?, value);
                Evidence::Witness(Box::new(model))
            }
            false => Evidence::Core {
                names: script.assertions().filter_map(|a| a.name).collect(),
                because: "no integer is below and above 0".to_string(),
            },
        };
        Some(Case {
            script,
            evidence: vec![evidence],
            origin: Origin {
                strategy: "tell",
                ..Origin::default()
            },
        })
    }
}

/// A solver that lies in one way about the numbers that leave a remainder by 100.
pub fn liar(lie: &str, remainder: u64) -> Solver {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/told/solver.sh");
    Solver {
        profile: Arc::new(Profile::read("told", include_str!("profile.toml")).unwrap()),
        base: Invocation {
            program: "/bin/sh".into(),
            arguments: vec![script.into(), lie.into(), remainder.to_string().into()],
            ..Invocation::default()
        },
        version: None,
        commit: None,
        options: Vec::new(),
    }
}

pub fn honest() -> Solver {
    liar("honest", 0)
}

/// A folder for one test, removed when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("auspex-told-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A small campaign with the strategy above.
pub fn setup(solvers: Vec<Solver>, out: &Path, cases: u64) -> Setup {
    let limits = Limits {
        wall: Duration::from_secs(30),
        ..Limits::default()
    };
    Setup {
        maker: Maker {
            seed: 7,
            strategies: vec![&Tell],
            theories: Vec::new(),
            vocabularies: Vocabularies::default(),
            kinds: Vec::new(),
            table: OpTable::builtin(),
        },
        team: Team::new(solvers, limits),
        options: OptionSpace::default(),
        pool: Pool::default(),
        out: out.to_path_buf(),
        workers: 2,
        disk_limit: None,
        cases: Some(cases),
        ignore: Vec::new(),
        modes: Vec::new(),
        settings: "{}".to_string(),
        reduce: true,
        steady: false,
        bugs_only: false,
        memory: None,
        without: Vec::new(),
        known: Vec::new(),
        guided: false,
        aim: None,
        trace: None,
    }
}

/// Runs a campaign to its end.
pub fn run(setup: Setup) -> Status {
    let mut campaign = Campaign::start(setup).unwrap();
    while !campaign.is_over() {
        std::thread::sleep(Duration::from_millis(20));
        campaign.tick();
    }
    campaign.end().0
}

/// The numbers of all cases with their texts' hashes, sorted.
pub fn traced(mut setup: Setup) -> (Vec<(u64, &'static str, u64)>, Status) {
    let all = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&all);
    setup.trace = Some(Box::new(move |cases| sink.lock().unwrap().extend(cases)));
    let status = run(setup);
    let mut all = all.lock().unwrap().clone();
    all.sort_unstable();
    (all, status)
}

/// The findings on disk.
pub fn findings(out: &Path) -> Vec<Finding> {
    let folder = auspex_campaign::Folder::look(out).unwrap();
    let (good, bad) = folder.findings();
    assert!(bad.is_empty(), "{bad:?}");
    good
}
