//! Options as the second dimension of a campaign, with real releases: what it sets, what it finds, how it is recorded.

mod told;

use auspex_campaign::judge::trivial::unsound;
use auspex_campaign::schedule::recipe::Recipe;
use auspex_campaign::team::configuration::{OptionSpace, Scope};
use auspex_campaign::{Finding, Setup};
use auspex_cases::{Class, strategy};
use auspex_logic::Theory;
use auspex_solvers::options::{Domain, offer};
use auspex_solvers::profile::Tier;
use auspex_solvers::{Called, Catalog, Limits, Solver, Want, install};
use std::path::Path;
use told::{Scratch, findings, run, setup};

/// A release, installed if it is not there; none where it cannot be had.
fn release(spec: &str) -> Option<Solver> {
    let catalog = Catalog::of_user().ok()?;
    let called = Called::read(spec);
    let profile = catalog.profile(called.name)?;
    let want = Want::read(called.release)?;
    match install(profile, &want, &catalog.cache, &mut |_| {}) {
        Ok(_) => Some(catalog.find(spec).ok()?.solver),
        Err(error) => {
            assert!(std::env::var_os("AUSPEX_NO_SKIP").is_none(), "{error}");
            eprintln!("SKIPPED: {spec} cannot be had on this machine: {error}");
            None
        }
    }
}

fn bits(solvers: Vec<Solver>, out: &Path, scope: &Scope, fixed: &[&str]) -> Setup {
    let fixed: Vec<String> = fixed.iter().map(ToString::to_string).collect();
    let mut setup = setup(solvers, out, 640);
    setup.maker.strategies = strategy::named("construct").into_iter().collect();
    setup.maker.theories = vec![Theory::Core, Theory::BitVectors];
    setup.bugs_only = true;
    setup.options = OptionSpace::of(&setup.team, scope, &fixed, None);
    setup
}

fn under(findings: &[Finding], word: &str) -> Vec<Finding> {
    let all = findings.iter();
    let under = all.filter(|one| one.accused.iter().any(|title| title.contains(word)));
    under.cloned().collect()
}

#[test]
fn releases_tell_their_options() {
    let (Some(z3), Some(cvc5)) = (release("z3@5.1.0"), release("cvc5@1.4.2")) else {
        return;
    };
    let z3 = offer(&z3, None);
    let named = |name: &str| z3.parameters.iter().find(|one| one.name == name).unwrap();
    assert!(z3.parameters.len() > 500 && z3.simplifiers.len() > 20 && z3.tactics.len() > 80);
    let engines = ["0", "1", "2"].map(str::to_string).to_vec();
    assert_eq!(
        named("smt.bv.solver").domain,
        Domain::Choice { values: engines }
    );
    assert_eq!(named("smt.random_seed").tier, Tier::Normal, "by its row");
    let cvc5 = offer(&cvc5, None);
    let named = |name: &str| cvc5.parameters.iter().find(|one| one.name == name).unwrap();
    assert_eq!(named("bv-solver").tier, Tier::Advanced, "by its row");
    assert_eq!(named("cbqi").category, "common");
    assert_eq!(named("ackermann").tier, Tier::Advanced);
}

#[test]
fn an_unsound_option_is_one_finding() {
    let (Some(older), Some(newer)) = (release("z3@5.1.0"), release("z3@5.4.0")) else {
        return;
    };
    let out = Scratch::new();
    let word = "smt.bv.solver=2";
    let wrong = unsound(&older, &[word.to_string()], &Limits::default());
    assert!(
        wrong.is_some_and(|one| one.wrong >= 3),
        "on trivial scripts"
    );
    let solvers = vec![older, newer];
    run(bits(solvers, out.path(), &Scope::None, &[word]));
    let mut found = under(&findings(out.path()), word);
    found.retain(|one| one.class == Class::WrongUnsat);
    let lines: Vec<_> = found.iter().map(Finding::line).collect();
    assert!(found.len() <= 1, "one finding for the option: {lines:?}");
    for finding in &found {
        let unsound = finding.unsound.as_ref().expect(&lines[0]);
        assert_eq!(unsound.options, [word]);
        let recipe: Recipe = finding.replay.parse().unwrap();
        assert_eq!(recipe.with, ["z3@5.1.0", word]);
    }
}
