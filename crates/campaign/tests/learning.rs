//! What a campaign learns about a seed, by a real solver.

mod provided;

use auspex_campaign::run::team::Team;
use auspex_campaign::seeds::learn::Learner;
use auspex_campaign::seeds::pool::{Facts, SeedFile};
use auspex_logic::Terms;
use auspex_solvers::{Catalog, Limits};
use provided::provided;

const SEED: &str = "(declare-const x Int)(declare-const y Int)\
                    (assert (and (< 0 x y) (< (+ x y) 9)))(check-sat)";

/// What z3 says about the seed; none where it cannot be had.
fn learned(brief: bool) -> Option<Facts> {
    let catalog = Catalog::of_user().ok()?;
    provided(&catalog, "z3").then_some(())?;
    let solver = catalog.find("z3").ok()?.solver;
    let team = Team::new(vec![solver], Limits::default());
    let seed = SeedFile::new("seed".to_string(), SEED.to_string()).expect("a seed");
    let mut learner = Learner::new(&team, false, brief);
    let learned = learner.learn(&mut Terms::new(), &seed);
    Some(learned.expect("it can be read").facts)
}

#[test]
fn further_models_are_sought_where_they_are_wanted() {
    let Some(facts) = learned(false) else { return };
    assert_eq!(facts.status, Some(auspex_cases::SeedStatus::ProvedSat));
    assert!(facts.models.len() > 1, "{facts:?}");
    assert!(!facts.brief);
}

#[test]
fn the_first_model_will_do_where_nobody_uses_it() {
    let Some(facts) = learned(true) else { return };
    assert_eq!(facts.status, Some(auspex_cases::SeedStatus::ProvedSat));
    assert_eq!(facts.models.len(), 1);
    assert!(facts.brief);
}
