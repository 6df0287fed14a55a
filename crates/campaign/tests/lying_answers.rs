//! A real solver behind a liar that alters replies to questions: every lie that matters is convicted, and nothing
//! else. Honest solvers are the referees: a lie does not matter where they confirm everything that it claims.
//!
//! `AUSPEX_LIE_CASES=10000 cargo test --release -p auspex-campaign --test lying_answers` for the long version.

mod provided;
mod told;

use auspex_campaign::judge::judging::{Forms, Judge, Sources};
use auspex_campaign::team::{SolverRun, Team};
use auspex_cases::answers::{self, Kind};
use auspex_cases::oracle::Link;
use auspex_cases::{Budget, Case, Class, Draw, GenContext, Strategy, strategy};
use auspex_logic::render::{self, Sharing};
use auspex_logic::theory::SolverSet;
use auspex_logic::{Terms, Theory};
use auspex_solvers::{Catalog, Limits, Mode, Query, Session, Solver};
use provided::provided;
use std::path::Path;
use std::sync::Arc;
use told::Scratch;

/// One case in so many is lied about.
const RARITY: u64 = 3;

fn cases() -> u64 {
    let given = std::env::var("AUSPEX_LIE_CASES").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(60)
}

fn solver(name: &str) -> Option<Solver> {
    let catalog = Catalog::of_user().ok()?;
    provided(&catalog, name).then_some(())?;
    let found = catalog
        .find(name)
        .map_err(|error| eprintln!("{name}: {error}"));
    Some(found.ok()?.solver)
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

/// How the judge saw the replies to one case.
struct Seen {
    convicted: bool,
    /// A claim that no solver decided, or about which solvers disagree.
    open: bool,
    text: String,
}

/// A liar with two honest referees, all live.
struct Bench {
    kind: Kind,
    make: &'static str,
    strategy: &'static dyn Strategy,
    team: Team,
    sessions: Vec<Session>,
}

impl Bench {
    fn new(kind: Kind, make: &'static str, strategy: &str, log: &Path) -> Option<Bench> {
        let honest = solver(make)?;
        let liar = behind_liar(&honest, &format!("{}:{RARITY}", kind.name()), log);
        let referees = [solver("z3")?, solver("cvc5")?];
        let limits = Limits {
            wall: std::time::Duration::from_secs(4),
            ..Limits::default()
        };
        let solvers: Vec<Solver> = [liar].into_iter().chain(referees).collect();
        let sessions = solvers.iter().map(|one| Session::start(one, &limits));
        Some(Bench {
            kind,
            make,
            strategy: strategy::named(strategy)?,
            sessions: sessions.collect(),
            team: Team::new(solvers, limits),
        })
    }

    /// The case of that number, asking for an answer of the kind.
    fn case(&self, terms: &mut Terms, number: u64) -> Option<Case> {
        let mut context = GenContext {
            terms,
            seeds: &[],
            theories: &[
                Theory::Core,
                Theory::Ints,
                Theory::Reals,
                Theory::BitVectors,
            ],
            solvers: SolverSet::Z3.union(SolverSet::CVC5),
            forbidden: &[],
        };
        let case = self
            .strategy
            .make(&mut context, &mut Draw::new(11, number))?;
        if !self.strategy.makes().is_empty() {
            return Some(case);
        }
        let mut kinds = answers::ALL.iter();
        let kind = kinds.find(|kind| kind.kind() == self.kind)?;
        let mut draw = Draw::new(12, number);
        answers::ask(*kind, &mut draw, terms, &case, self.make)
    }

    fn judge(&mut self, number: u64) -> Option<Seen> {
        let mut terms = Terms::new();
        let case = self.case(&mut terms, number)?;
        let text = render::script(&terms, &case.script, Sharing::Auto);
        let sessions = &mut self.sessions;
        let mut ask = |member: usize, text: &str| {
            let mode = [Mode::Reset, Mode::PushPop][usize::from(member > 0)];
            let query = Query::new(text).model().mode(mode);
            Some(SolverRun::of(member, sessions[member].ask(&query).ok()?))
        };
        let run = ask(0, &text)?;
        let mut judge = Judge {
            team: &self.team,
            budget: Budget::THOROUGH,
            sources: Sources::Seeds(&[]),
            forms: Forms::default(),
            ask: &mut ask,
        };
        let judged = judge.judge(&mut terms, &case, &[run]);
        let verdicts = judged.iter().flat_map(|one| {
            let facts = one.facts.as_facts();
            let said =
                move |verdict: &auspex_cases::Verdict| (verdict.class, verdict.sentence(facts));
            one.verdicts.iter().map(said).collect::<Vec<_>>()
        });
        let verdicts: Vec<(Class, String)> = verdicts.collect();
        let related = judged.iter().flat_map(|one| &one.facts.related);
        let mut claims = related.filter(|one| matches!(one.link, Link::Claim(..)));
        let is_undecided = claims.any(|one| one.replies.iter().all(|reply| reply.side().is_none()));
        let is_torn = verdicts
            .iter()
            .any(|(class, _)| *class == Class::Disagreement);
        let sentences: Vec<&str> = verdicts.iter().map(|(_, text)| text.as_str()).collect();
        Some(Seen {
            convicted: verdicts.iter().any(|(class, _)| class.is_bug()),
            open: is_undecided || is_torn,
            text: format!("{text}\n{}", sentences.join("\n")),
        })
    }
}

/// Convicts a liar about replies of one kind, and acquits it where it says the truth.
fn lies_are_convicted(kind: Kind, make: &'static str, strategy: &str) {
    let scratch = Scratch::new();
    let log = scratch.path().join("lies");
    let Some(mut bench) = Bench::new(kind, make, strategy, &log) else {
        return;
    };
    let (mut known, mut asked) = (0, 0);
    let (mut lies, mut caught, mut open, mut own) = (0, 0, 0, 0);
    for number in 0..cases() {
        let Some(seen) = bench.judge(number) else {
            continue;
        };
        asked += 1;
        let written = std::fs::read_to_string(&log).unwrap_or_default();
        let told: Vec<&str> = written.lines().skip(known).collect();
        known += told.len();
        match told.is_empty() {
            true if seen.convicted => {
                eprintln!("case {number}, without a lie: {}", seen.text);
                own += 1;
            }
            true => {}
            false => {
                lies += 1;
                caught += usize::from(seen.convicted);
                open += usize::from(!seen.convicted && seen.open);
            }
        }
    }
    let harmless = lies - caught - open;
    eprintln!(
        "{} of {make}: {asked} cases, {lies} lies: {caught} convicted, {harmless} without effect, {open} not decided",
        kind.name()
    );
    // z3 5.4.0 itself returns wrong invariants (docs/trophies.md).
    let most = if kind == Kind::Invariant {
        asked / 20
    } else {
        0
    };
    assert!(own <= most, "{own} convictions without a lie");
    assert!(asked * 4 > cases(), "{asked} cases");
    assert!(lies * 12 > asked as usize, "{lies} lies in {asked} cases");
    assert!(
        caught * 2 > lies && open * 8 <= lies,
        "{caught} of {lies}, {open} open"
    );
}

#[test]
fn an_optimum_off_by_one_is_convicted() {
    lies_are_convicted(Kind::Optimum, "z3", "optimum");
}

#[test]
fn an_interpolant_without_a_conjunct_is_convicted() {
    lies_are_convicted(Kind::Interpolant, "cvc5", "construct");
}

#[test]
fn an_abduct_that_is_not_enough_is_convicted() {
    lies_are_convicted(Kind::Abduct, "cvc5", "construct");
}

#[test]
fn an_invariant_too_strong_is_convicted() {
    lies_are_convicted(Kind::Invariant, "z3", "horn");
}

#[test]
fn a_simplified_term_with_another_literal_is_convicted() {
    lies_are_convicted(Kind::Simplification, "z3", "construct");
}

#[test]
fn an_elimination_by_tactic_that_says_something_else_is_convicted() {
    lies_are_convicted(Kind::Elimination, "z3", "construct");
}

#[test]
fn an_elimination_that_says_the_opposite_is_convicted() {
    lies_are_convicted(Kind::Elimination, "cvc5", "construct");
}

#[test]
fn a_consequence_that_does_not_follow_is_convicted() {
    lies_are_convicted(Kind::Consequence, "z3", "construct");
}

#[test]
fn failed_assumptions_without_one_are_convicted() {
    lies_are_convicted(Kind::Assumptions, "z3", "construct");
}

#[test]
fn a_value_off_by_one_is_convicted() {
    lies_are_convicted(Kind::Value, "z3", "construct");
}
