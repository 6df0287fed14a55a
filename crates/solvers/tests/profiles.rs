//! Every built-in profile is complete and consistent, and the user's files come first.

use auspex_solvers::profile::{BUILT_IN, Meaning, Mode, Profile, Tier, profiles};
use auspex_solvers::{Version, drivers};
use std::path::Path;

fn built_in() -> Vec<Profile> {
    profiles(None).unwrap()
}

fn named(name: &str) -> Profile {
    let found = built_in().into_iter().find(|profile| profile.name == name);
    found.unwrap()
}

#[test]
fn every_file_is_built_in_under_its_own_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../solvers");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut names: Vec<String> = BUILT_IN
        .iter()
        .map(|(name, _)| format!("{name}.toml"))
        .collect();
    names.sort();
    assert_eq!(files, names);
    for (name, text) in BUILT_IN {
        assert_eq!(Profile::read(name, text).unwrap().name, *name);
    }
}

#[test]
fn every_profile_says_what_a_campaign_needs() {
    for profile in built_in() {
        let name = &profile.name;
        assert!(
            profile.modes.contains(&Mode::Fresh),
            "{name} has no fresh mode"
        );
        assert!(!profile.theories.is_empty(), "{name} has no theories");
        assert!(!profile.logics.is_empty(), "{name} has no logics");
        assert!(profile.home.starts_with("https://"), "{name} has no home");
        let defaults = profile.tiers.iter().filter(|tier| tier.default);
        assert_eq!(defaults.count(), 1, "{name} has no single default tier");
        for row in &profile.options {
            assert!(
                !row.means.is_empty() && !row.text.is_empty(),
                "{name}: {row:?}"
            );
        }
    }
}

#[test]
fn every_driver_is_there_and_fits_its_profile() {
    let mut used = Vec::new();
    for profile in built_in() {
        let Some(driver) = profile
            .packages
            .pip
            .as_ref()
            .and_then(|pip| pip.driver.clone())
        else {
            continue;
        };
        assert!(drivers::files(&driver).is_some(), "{driver}");
        let adapted = profile.for_driver();
        assert!(adapted.stdin.is_some(), "{} cannot be fed", profile.name);
        assert!(
            adapted.has(Mode::PushPop),
            "{} has no live mode",
            profile.name
        );
        used.push(driver);
    }
    for (name, _) in drivers::ALL {
        assert!(used.iter().any(|driver| driver == name), "{name} is unused");
    }
}

#[test]
fn safe_mode_is_the_default_where_cvc5_has_it() {
    let cvc5 = named("cvc5");
    let tier = |text: &str| {
        let version = Version::read(text).unwrap();
        cvc5.default_tier(Some(&version))
            .map(|tier| tier.name.clone())
    };
    assert_eq!(tier("1.3.0").as_deref(), Some("safe"));
    assert_eq!(tier("1.4.2").as_deref(), Some("safe"));
    assert_eq!(tier("1.2.1"), None);
    assert_eq!(tier("1.0.3"), None);
}

#[test]
fn old_releases_have_what_they_had() {
    let boolector = named("boolector");
    let old = boolector.for_release(&Version::read("1.5.118").unwrap());
    assert!(!old.echo && !old.models);
    let new = boolector.for_release(&Version::read("3.2.4").unwrap());
    assert!(new.echo && new.models);
    let z3 = named("z3");
    let count = |text: &str| {
        let version = Version::read(text).unwrap();
        let rows = z3.options_for(Tier::Unsupported, &version);
        rows.filter(|row| row.text.contains("z3str3")).count()
    };
    assert_eq!(count("4.8.12"), 1);
    assert_eq!(count("5.4.0"), 0);
}

#[test]
fn a_known_bug_ends_with_its_release() {
    let text = "name='s'\ntitle='S'\nhome='x'\nprograms=['s']\nmodes=['fresh']\n\
        [[bug]]\nlink='l'\nsymptom='crash'\ncontains=['a.cpp:7', 'foo']\nsince='1.2'\nfixed='1.4'\n";
    let profile = Profile::read("s", text).unwrap();
    let known = |message: &str, version: &str| {
        let version = Version::read(version).unwrap();
        profile.known_bug(message, &version).is_some()
    };
    assert!(known("foo at a.cpp:7", "1.3.9"));
    assert!(!known("foo at a.cpp:7", "1.4"));
    assert!(!known("foo at a.cpp:7", "1.1"));
    assert!(!known("foo at a.cpp:8", "1.3"));
}

#[test]
fn mistakes_in_a_profile_are_told() {
    let base = "name='s'\ntitle='S'\nhome='x'\nprograms=['s']\n";
    let reads = |more: &str| Profile::read("s", &format!("{base}{more}")).is_ok();
    assert!(reads("modes=['fresh']"));
    assert!(!reads("modes=['fresh', 'warm']"));
    assert!(!reads("modes=['fresh']\ncolour='red'"));
    assert!(!reads("modes=['reset']"), "live without standard input");
    assert!(
        !reads("modes=['reset']\nstdin=[]\necho=false"),
        "live without echo"
    );
    assert!(reads("modes=['reset']\nstdin=[]"));
    assert!(!reads(
        "modes=['fresh']\n[[reply]]\ncontains=['']\nmeans='ignore'"
    ));
    assert!(!reads(
        "modes=['fresh']\n[[tier]]\nname='t'\narguments=[]\nmeans='m'\nsince='new'"
    ));
}

#[test]
fn a_file_of_the_user_replaces_the_built_in_one() {
    let folder = std::env::temp_dir().join(format!("auspex-profiles-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = "name='z3'\ntitle='My Z3'\nhome='x'\nprograms=['my-z3']\nmodes=['fresh']\n";
    std::fs::write(folder.join("mine.toml"), text).unwrap();
    std::fs::write(folder.join("notes.txt"), "no profile").unwrap();
    let all = profiles(Some(&folder)).unwrap();
    assert_eq!(all.len(), BUILT_IN.len());
    let z3 = all.iter().find(|profile| profile.name == "z3").unwrap();
    assert_eq!(z3.title, "My Z3");
    std::fs::write(folder.join("bad.toml"), "name = ").unwrap();
    assert!(profiles(Some(&folder)).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(profiles(Some(&folder)).unwrap().len(), BUILT_IN.len());
}

#[test]
fn reply_patterns_of_z3_mean_what_they_say() {
    use auspex_solvers::meaning::of;
    let z3 = named("z3");
    let of = |text| of(text, &z3.replies);
    assert_eq!(
        of("line 3 column 13: unknown constant y"),
        Some(Meaning::ParseError)
    );
    assert_eq!(
        of("line 4 column 10: check annotation that says unsat"),
        Some(Meaning::Ignore)
    );
    assert_eq!(
        of("line 3 column 10: logic does not support nonlinear arithmetic"),
        Some(Meaning::OutsideLogic)
    );
    assert_eq!(of("out of memory"), Some(Meaning::OutOfMemory));
    assert_eq!(of("something new"), None);
}

#[test]
fn operators_come_and_go_with_releases() {
    let (_, text) = BUILT_IN[0];
    let with = |rows: &str| Profile::read("z3", &text.replace("[operators]", rows));
    let profile =
        with("[operators]\na = \"since 4.9\"\nb = \"since 4.9 until 4.12\"\nc = \"never\"")
            .unwrap();
    let lists = |name: &str, release: &str| profile.lists(name, Version::read(release).as_ref());
    assert_eq!(lists("a", "4.8.17"), Some(false));
    assert_eq!(lists("a", "4.9.0"), Some(true));
    assert_eq!(
        (lists("b", "4.12.6"), lists("b", "4.13.0")),
        (Some(true), Some(false))
    );
    assert_eq!(
        (lists("c", "4.9.0"), lists("d", "4.9.0")),
        (Some(false), None)
    );
    assert_eq!(
        (profile.lists("a", None), profile.lists("b", None)),
        (Some(true), Some(false))
    );
    assert!(with("[operators]\na = \"after 4.9\"").is_err());
}
