//! A real solver behind a liar that alters replies to questions: every lie is convicted, and nothing else.
//!
//! `AUSPEX_LIE_CASES=5000 cargo test -p auspex-campaign --test lying_answers` for the long version.

mod provided;
mod told;

use auspex_campaign::judge::judging::{Forms, Judge, Sources};
use auspex_campaign::team::{SolverRun, Team};
use auspex_cases::answers::Kind;
use auspex_cases::{Budget, Class, Draw, GenContext, strategy};
use auspex_logic::Terms;
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_solvers::{Catalog, Limits, Mode, Query, Session, Solver};
use provided::provided;
use std::path::Path;
use std::sync::Arc;
use told::Scratch;

/// One case in so many is lied about.
const RARITY: u64 = 3;

fn cases() -> u64 {
    let given = std::env::var("AUSPEX_LIE_CASES").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(120)
}

fn z3() -> Option<Solver> {
    let catalog = Catalog::of_user().ok()?;
    provided(&catalog, "z3").then_some(())?;
    Some(catalog.find("z3").ok()?.solver)
}

/// The same solver behind the liar.
fn behind_liar(solver: &Solver, rarity: &str, log: &Path) -> Solver {
    // The liar writes down its lies, which the fence would forbid.
    auspex_solvers::fence::take_down();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/liar/solver.py");
    let mut profile = (*solver.profile).clone();
    profile.name = "liar".to_string();
    let mut liar = solver.clone();
    liar.profile = Arc::new(profile);
    let real = solver.base.program.clone().into();
    let head = [script.into(), rarity.into(), log.into(), real];
    liar.base.program = "python3".into();
    liar.base.arguments.splice(0..0, head);
    liar
}

/// The bugs that a solver is convicted of for the case of that number.
fn convicted(session: &mut Session, team: &Team, number: u64) -> Option<Vec<String>> {
    let mut terms = Terms::new();
    let mut context = GenContext {
        terms: &mut terms,
        seeds: &[],
        theories: &[],
        solvers: SolverSet::Z3,
        forbidden: &[],
    };
    let case = strategy::named("optimum")?.make(&mut context, &mut Draw::new(11, number))?;
    let text = render::script(&terms, &case.script, Sharing::Auto);
    let mode = [Mode::PushPop, Mode::Reset][(number % 2) as usize];
    let mut ask = |text: &str| session.ask(&Query::new(text).model().mode(mode)).ok();
    let run = SolverRun::of(0, ask(&text)?);
    let mut judge = Judge {
        team,
        budget: Budget::THOROUGH,
        sources: Sources::Seeds(&[]),
        forms: Forms::default(),
        ask: &mut |_, text| Some(SolverRun::of(0, ask(text)?)),
    };
    let verdicts = judge.verdicts(&mut terms, &case, &[run]);
    let of_class = verdicts.iter().filter(|one| {
        let class = one.verdict.class;
        let expected = [Class::Wrong(Kind::Optimum), Class::SelfContradiction];
        assert!(
            !class.is_bug() || expected.contains(&class),
            "{text}\n{}",
            one.sentence()
        );
        class.is_bug()
    });
    Some(
        of_class
            .map(|one| format!("{text}\n{}", one.sentence()))
            .collect(),
    )
}

#[test]
fn an_optimum_off_by_one_is_convicted_every_time() {
    let Some(z3) = z3() else { return };
    let scratch = Scratch::new();
    let log = scratch.path().join("lies");
    let liar = behind_liar(&z3, &format!("optimum:{RARITY}"), &log);
    let limits = Limits::default();
    let team = Team::new(vec![liar.clone()], limits.clone());
    let mut session = Session::start(&liar, &limits);
    let (mut lies, mut asked) = (0, 0);
    for number in 0..cases() {
        let Some(found) = convicted(&mut session, &team, number) else {
            continue;
        };
        asked += 1;
        let written = std::fs::read_to_string(&log).unwrap_or_default();
        let lied = written.lines().count() > lies;
        lies = written.lines().count();
        assert_eq!(!found.is_empty(), lied, "case {number}: {found:#?}");
    }
    eprintln!("{asked} cases, {lies} lies");
    assert!(asked > cases() / 2 && lies as u64 > asked / (2 * RARITY));
}
