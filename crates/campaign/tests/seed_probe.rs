//! What a campaign asks a real solver about a seed.

mod provided;

use auspex_campaign::seeds::pool::{Facts, SeedFile};
use auspex_campaign::seeds::probe::{Detail, SeedProbe};
use auspex_campaign::team::Team;
use auspex_logic::Terms;
use auspex_solvers::{Catalog, Limits, Mode};
use provided::provided;

const SEED: &str = "(declare-const x Int)(declare-const y Int)\
                    (assert (and (< 0 x y) (< (+ x y) 9)))(check-sat)";

/// What z3 says about the seed; none where it cannot be had.
fn probed(detail: Detail) -> Option<Facts> {
    let catalog = Catalog::of_user().ok()?;
    provided(&catalog, "z3").then_some(())?;
    let solver = catalog.find("z3").ok()?.solver;
    let team = Team::new(vec![solver], Limits::default());
    let seed = SeedFile::new("seed".to_string(), SEED.to_string()).expect("a seed");
    let mut probe = SeedProbe::new(&team, Mode::Reset, detail);
    let probed = probe.probe(&mut Terms::new(), &seed);
    Some(probed.expect("it can be read").facts)
}

#[test]
fn further_models_are_sought_where_they_are_wanted() {
    let Some(facts) = probed(Detail::Whole) else {
        return;
    };
    assert_eq!(facts.status, Some(auspex_cases::SeedStatus::ProvedSat));
    assert!(facts.models.len() > 1, "{facts:?}");
    assert!(!facts.brief);
}

#[test]
fn the_first_model_will_do_where_it_is_not_used() {
    let Some(facts) = probed(Detail::Brief) else {
        return;
    };
    assert_eq!(facts.status, Some(auspex_cases::SeedStatus::ProvedSat));
    assert_eq!(facts.models.len(), 1);
    assert!(facts.brief);
}
