//! Campaigns against solvers that lie now and then: every lie is caught, and nothing else is reported.

mod told;

use auspex_campaign::Status;
use auspex_campaign::findings::ignore::IgnoreRow;
use auspex_campaign::judge::confirm::Setting;
use auspex_campaign::schedule::maker::Maker;
use auspex_campaign::team::vocabulary::Vocabularies;
use auspex_cases::{Class, Evidence, Strategy};
use auspex_logic::{OpTable, Terms, render};
use told::{Scratch, Tell, findings, honest, liar, run, setup};

const CASES: u64 = 2048;

/// The numbers in the names of the cases that the campaign makes, with their answers.
fn numbers() -> Vec<(u64, bool)> {
    let maker = Maker {
        seed: 7,
        strategies: vec![&Tell],
        theories: Vec::new(),
        vocabularies: Vocabularies::default(),
        kinds: Vec::new(),
        table: OpTable::builtin(),
    };
    let number = |case: u64| {
        let mut terms = Terms::new();
        let made = maker.make(&mut terms, &Tell as &dyn Strategy, &[], case)?;
        let sat = matches!(made.evidence[0], Evidence::Witness(_));
        let text = render::script(&terms, &made.script, render::Sharing::Auto);
        let name = text.split("told-").nth(1)?.split([' ', ')']).next()?;
        Some((name.rsplit('-').next()?.parse().ok()?, sat))
    };
    (0..CASES).filter_map(number).collect()
}

fn lies(remainder: u64, answers: &[bool]) -> u64 {
    let told = numbers();
    let hit = told
        .iter()
        .filter(|(n, sat)| n % 100 == remainder && answers.contains(sat));
    hit.count() as u64
}

fn caught(status: &Status) -> u64 {
    let tally = &status.tally;
    let silenced: u64 = tally.silenced.values().sum();
    tally.confirmed + tally.repeats + tally.similar + silenced
}

#[test]
fn an_honest_solver_is_never_suspected() {
    let scratch = Scratch::new();
    let status = run(setup(vec![honest()], scratch.path(), CASES));
    assert_eq!(status.tally.cases, CASES);
    assert_eq!(status.tally.suspicions, 0);
    assert_eq!(findings(scratch.path()), []);
    let answers = &status.tally.solvers["told"].answers;
    assert_eq!(answers["sat"] + answers["unsat"], CASES);
}

#[test]
fn every_flipped_answer_is_caught() {
    let scratch = Scratch::new();
    let status = run(setup(vec![liar("flip", 3)], scratch.path(), CASES));
    let planted = lies(3, &[true, false]);
    assert!(planted > 3);
    assert_eq!(status.tally.suspicions, planted);
    assert_eq!(caught(&status), planted);
    let classes: Vec<Class> = findings(scratch.path()).iter().map(|f| f.class).collect();
    assert!(classes.contains(&Class::WrongUnsat) && classes.contains(&Class::WrongSat));
    assert_eq!(classes.len(), 2, "one for each shape");
}

#[test]
fn every_altered_model_is_caught() {
    let scratch = Scratch::new();
    let status = run(setup(
        vec![liar("model", 5), honest()],
        scratch.path(),
        CASES,
    ));
    let planted = lies(5, &[true]);
    assert!(planted > 3);
    assert_eq!(caught(&status), planted);
    let found = findings(scratch.path());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].class, Class::InvalidModel);
    assert!(
        found[0].script.contains("(get-model)"),
        "{}",
        found[0].script
    );
}

#[test]
fn every_crash_is_caught_with_its_site() {
    let scratch = Scratch::new();
    let status = run(setup(vec![liar("crash", 8)], scratch.path(), CASES));
    assert_eq!(caught(&status), lies(8, &[true]));
    let found = findings(scratch.path());
    assert_eq!(found.len(), 1, "one site, one bug");
    assert_eq!(found[0].class, Class::Crash);
    assert!(found[0].site.contains("core.c:7"), "{}", found[0].site);
    let solver = &status.tally.solvers["told"];
    assert!(solver.killed > 0 && solver.recycled == 0, "{solver:?}");
}

#[test]
fn what_shows_only_in_a_live_process_is_no_finding() {
    let scratch = Scratch::new();
    let status = run(setup(vec![liar("flip-live", 3)], scratch.path(), CASES));
    assert!(status.tally.unrepeatable > 0, "{:?}", status.tally);
    assert_eq!(status.tally.confirmed, 0, "{:?}", status.tally);
    assert_eq!(findings(scratch.path()), []);
}

#[test]
fn what_shows_only_after_push_is_reported_as_such_a_script() {
    let scratch = Scratch::new();
    run(setup(vec![liar("flip-pushed", 3)], scratch.path(), CASES));
    let found = findings(scratch.path());
    assert_eq!(found.len(), 2);
    for finding in found {
        assert_eq!(finding.setting, Setting::Incremental);
        assert!(finding.script.contains("(push 1)"), "{}", finding.script);
    }
}

#[test]
fn what_shows_only_after_other_scripts_is_reported_with_as_few_as_show_it() {
    let scratch = Scratch::new();
    let status = run(setup(vec![liar("flip-after", 3)], scratch.path(), CASES));
    assert!(status.tally.confirmed > 0, "{:?}", status.tally);
    let found = findings(scratch.path());
    assert_eq!(found.len(), 2);
    for finding in found {
        assert_eq!(finding.setting, Setting::AfterOthers);
        assert_eq!(finding.query, 1, "one script before it suffices");
        let scopes = finding.script.matches("(push 1)").count();
        assert_eq!(scopes, 2, "{}", finding.script);
    }
}

#[test]
fn what_the_user_ignores_is_counted_and_not_kept() {
    let scratch = Scratch::new();
    let mut setup = setup(vec![liar("flip", 3)], scratch.path(), CASES);
    setup.ignore.push(IgnoreRow {
        class: Some("wrong-sat".to_string()),
        solver: Some("told".to_string()),
        ..IgnoreRow::default()
    });
    let status = run(setup);
    assert_eq!(status.tally.suppressed, lies(3, &[false]));
    let classes: Vec<Class> = findings(scratch.path()).iter().map(|f| f.class).collect();
    assert_eq!(classes, [Class::WrongUnsat]);
}
