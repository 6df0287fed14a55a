//! Installing: the wheel in an empty environment of Python, the action's script, manual pages, completions.

mod common;

use common::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn ran(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

/// An empty environment of Python; none, loudly, if this machine has no venv.
fn environment(place: &Path) -> Option<PathBuf> {
    let made = ran(Command::new("python3").args(["-m", "venv"]).arg(place));
    if made.status.success() {
        return Some(place.join("bin"));
    }
    assert!(
        std::env::var_os("AUSPEX_NO_SKIP").is_none(),
        "{}",
        said(&made)
    );
    eprintln!("SKIPPED: no virtual environment: {}", said(&made));
    None
}

/// The folder where cargo builds this test's program.
fn target() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_auspex"));
    let target = program.parent().and_then(Path::parent);
    target.expect("a target folder").to_path_buf()
}

#[test]
fn a_wheel_installs_one_program_that_fuzzes() {
    if !have("z3@latest") {
        return;
    }
    let place = Folder::new("wheel");
    let (Some(tools), Some(empty)) = (
        environment(&place.0.join("tools")),
        environment(&place.0.join("empty")),
    ) else {
        return;
    };
    let got = ran(Command::new(tools.join("pip")).args(["install", "--quiet", "maturin>=1.5,<2"]));
    assert!(got.status.success(), "{}", said(&got));
    let wheels = place.0.join("wheels");
    // The development profile shares what this test was built from.
    let path = format!(
        "{}:{}",
        tools.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let built = ran(Command::new(tools.join("pip"))
        .args([
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--wheel-dir",
        ])
        .arg(&wheels)
        .arg(root())
        .env("PATH", path)
        .env("CARGO_TARGET_DIR", target())
        .env("MATURIN_PEP517_ARGS", "--profile dev"));
    assert!(built.status.success(), "{}", said(&built));
    let wheel = std::fs::read_dir(&wheels)
        .expect("a folder")
        .flatten()
        .next()
        .expect("a wheel");
    let installed = ran(Command::new(empty.join("pip"))
        .args(["install", "--quiet", "--no-index"])
        .arg(wheel.path()));
    assert!(installed.status.success(), "{}", said(&installed));
    let python = std::fs::read_dir(empty.parent().expect("a folder").join("lib"))
        .expect("lib")
        .flatten();
    let modules = python.map(|entry| entry.path().join("site-packages/auspex"));
    assert_eq!(
        modules.filter(|path| path.exists()).count(),
        0,
        "no Python code"
    );
    let out = place.0.join("out");
    let fuzzed = ran(Command::new(empty.join("auspex"))
        .args([
            "fuzz",
            "--time",
            "5s",
            "--workers",
            "1",
            "--plain",
            "--solver",
            "z3@latest",
            "--out",
        ])
        .arg(&out));
    assert!(
        matches!(fuzzed.status.code(), Some(0 | 1)),
        "{}",
        said(&fuzzed)
    );
    assert!(out.join("campaign.db").is_file(), "{}", said(&fuzzed));
}

/// Runs the action's script as a runner does.
fn action(place: &Path, out: &str, bugs: &Path) -> Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_auspex"))
        .parent()
        .expect("a folder");
    let path = format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    ran(Command::new("bash")
        .arg(root().join("deploy/action/run.sh"))
        .env("PATH", path)
        .env("AUSPEX_SOLVER", "z3@4.13.0")
        .env("AUSPEX_TIME", "60s")
        .env("AUSPEX_BUGS", bugs)
        .env("AUSPEX_OUT", place.join(out))
        .env(
            "AUSPEX_ARGUMENTS",
            "--strategy construct --theories core,arrays --seed 7 --cases 200 --options none",
        )
        .env("GITHUB_STEP_SUMMARY", place.join(format!("{out}.summary"))))
}

#[test]
fn the_actions_script_fails_on_a_new_bug_only() {
    if !have("z3@4.13.0") {
        return;
    }
    let place = Folder::new("action");
    let bugs = place.0.join("auspex-bugs.toml");
    let output = action(&place.0, "first", &bugs);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let summary = std::fs::read_to_string(place.0.join("first.summary")).expect("a summary");
    assert!(
        summary.contains("open") && summary.contains("z3 4.13.0"),
        "{summary}"
    );
    assert!(place.0.join("first.junit.xml").is_file() && place.0.join("first.sarif").is_file());
    let accepted = place.0.join("accepted");
    let accept = ci_on_arrays(&accepted, &bugs.to_string_lossy(), &["--update-baseline"]);
    assert_eq!(accept.status.code(), Some(0), "{}", said(&accept));
    let text = std::fs::read_to_string(&bugs).expect("a file of bugs");
    only_unknown_bugs_fail(&action(&place.0, "second", &bugs), &text);
}

#[test]
fn the_action_names_what_its_script_reads() {
    let action = std::fs::read_to_string(root().join("action.yml")).expect("the action");
    let script = std::fs::read_to_string(root().join("deploy/action/run.sh")).expect("its script");
    for name in [
        "AUSPEX_SOLVER",
        "AUSPEX_TIME",
        "AUSPEX_BUGS",
        "AUSPEX_ARGUMENTS",
        "AUSPEX_OUT",
    ] {
        assert!(action.contains(&format!("{name}: ${{{{ inputs.")), "{name}");
        assert!(script.contains(name), "{name}");
    }
    let checked = ran(Command::new("bash")
        .arg("-n")
        .arg(root().join("deploy/action/run.sh")));
    assert!(checked.status.success(), "{}", said(&checked));
}

#[test]
fn every_command_has_a_manual_page_and_every_shell_its_completions() {
    let place = Folder::new("man");
    let output = auspex(&["man", place.path()]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for page in [
        "auspex.1",
        "auspex-fuzz.1",
        "auspex-bugs.1",
        "auspex-bugs-set.1",
    ] {
        let text = std::fs::read_to_string(place.0.join(page))
            .unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(
            text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"),
            "{page}"
        );
    }
    assert!(
        !place.0.join("auspex-reference.1").exists(),
        "hidden commands have none"
    );
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = auspex(&["completions", shell]);
        assert!(
            output.status.success() && said(&output).contains("bugs"),
            "{shell}"
        );
    }
}
