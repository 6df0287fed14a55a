//! The sweep over all options, with a solver that lies under one value of an option and refuses another.

mod told;

use auspex_campaign::Finding;
use auspex_campaign::schedule::recipe::Recipe;
use auspex_campaign::team::configuration::{OptionSpace, Scope};
use auspex_solvers::options::refused;
use auspex_solvers::{Cache, Profile, Solver};
use std::path::Path;
use std::sync::Arc;
use told::{Scratch, findings, honest, run, setup};

/// The honest solver, with an option of three values.
fn solver() -> Solver {
    let value = |value: u8| {
        format!(
            "[[option]]\ntext = \"--engine={value}\"\ntier = \"normal\"\nmeans = \"an engine\"\n"
        )
    };
    let rows: String = (1..=3).map(value).collect();
    let text = format!(
        "settable = [\"engine\"]\n{}\n{rows}",
        include_str!("told/profile.toml")
    );
    Solver {
        profile: Arc::new(Profile::read("told", &text).unwrap()),
        ..honest()
    }
}

/// What a short campaign finds.
fn found(out: &Path, cache: &Cache) -> Vec<Finding> {
    let mut setup = setup(vec![solver()], out, 32);
    setup.options = OptionSpace::of(&setup.team, &Scope::Supported, &[], Some(cache));
    setup.workers = 1;
    run(setup);
    findings(out)
}

#[test]
fn every_value_has_its_turn_at_once() {
    let (out, folder) = (Scratch::new(), Scratch::new());
    let cache = Cache::at(folder.path());
    let all = found(out.path(), &cache);
    assert!(!all.is_empty(), "it lies under one value");
    for finding in &all {
        assert_eq!(finding.accused, ["told --engine=2"]);
        let recipe: Recipe = finding.replay.parse().unwrap();
        assert_eq!(recipe.with, ["told", "--engine=2"]);
    }
    let kept: Vec<String> = refused(&solver(), &cache).into_iter().collect();
    assert_eq!(kept, ["--engine=3"], "and refuses another");
}
