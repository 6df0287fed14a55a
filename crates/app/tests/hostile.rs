//! Findings, seeds and files of somebody who means harm: every command that takes them says so, goes on, and writes
//! nothing outside of its own folder. `AUSPEX_HOSTILE=100000` makes so many findings instead of a few.

mod common;

use common::server::{Server, code as status};
use common::strangers::{campaign, finding};
use common::{Folder, auspex, have, said};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

const Z3: &str = "z3@5.4.0";

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_finding_of_somebody_else_makes_no_solver_write() {
    if !have(Z3) {
        return;
    }
    let folder = Folder::new("hostile");
    let target = folder.0.join("target");
    std::fs::create_dir_all(&target).unwrap();
    let file = target.join("written").display().to_string();
    let body = "(declare-const p Bool)(assert p)(check-sat)(echo \"x\")";
    let inside =
        format!("(set-option :trace true)(set-option ;x\n:trace_file_name {file:?}){body}");
    let channel = format!("(set-option :diagnostic-output-channel\"{file}\"){body}");
    let trace = format!("trace_file_name={file}");
    let log = format!("solver.proof.log={file}");
    let drat = format!("sat.drat.file={file}");
    let findings = [
        finding(0, &inside, &[]),
        finding(1, &channel, &[]),
        finding(2, body, &["trace=true", &trace]),
        finding(3, body, &[&log]),
        finding(4, body, &[&drat]),
    ];
    let out = folder.0.join("campaign");
    campaign(&out, &findings);
    let path = out.to_str().unwrap();
    assert_eq!(code(&auspex(&["findings", path])), 1);
    for arguments in [vec!["recheck", path, "--solver", Z3], vec!["report", path]] {
        let output = auspex(&arguments);
        assert!(
            [0, 1].contains(&code(&output)),
            "{arguments:?}: {}",
            said(&output)
        );
    }
    for number in 0..findings.len() {
        let one = format!("{path}/findings/wrong-sat-z3-{number:012x}");
        for arguments in [
            vec!["replay", &one],
            vec!["reduce", &one, "-o", "/dev/null"],
            vec!["bisect", &one, "--releases", "5.4.0"],
        ] {
            let output = auspex(&arguments);
            let bad_options = number >= 2 && arguments[0] == "replay";
            assert!(
                !bad_options || said(&output).contains("may set"),
                "{}",
                said(&output)
            );
        }
    }
    assert!(names(&target).is_empty(), "{:?}", names(&target));
    assert!(
        names(&folder.0) == ["campaign", "target"],
        "{:?}",
        names(&folder.0)
    );
}

#[test]
fn an_id_is_no_path_and_one_bad_finding_ends_nothing() {
    let folder = Folder::new("ids");
    let good = finding(0, "(check-sat)", &[]);
    let mut all = vec![good.clone()];
    for (number, id) in ["../../x", "/tmp/x", "", "wrong-sat-z3-missing", ".new-1"]
        .iter()
        .enumerate()
    {
        let mut bad = finding(number + 1, "(check-sat)", &[]);
        bad["id"] = json!(id);
        all.push(bad);
    }
    let (out, into) = (folder.0.join("a/campaign"), folder.0.join("b/into"));
    campaign(&out, &all);
    let (path, into) = (out.to_str().unwrap(), into.to_str().unwrap());
    for arguments in [
        vec!["findings", path],
        vec!["report", path, "--stored"],
        vec!["merge", into, path],
    ] {
        let output = auspex(&arguments);
        assert_eq!(code(&output), 3, "{arguments:?}: {}", said(&output));
        assert!(
            said(&output).contains("name of a finding"),
            "{}",
            said(&output)
        );
    }
    assert!(said(&auspex(&["findings", path])).contains("wrong-sat-z3-000000000000"));
    assert_eq!(names(&folder.0), ["a", "b"]);
    assert_eq!(names(&folder.0.join("a")), ["campaign"]);
    assert_eq!(names(&folder.0.join("b")), ["into"]);
}

#[test]
fn texts_of_somebody_else_stay_texts() {
    let folder = Folder::new("texts");
    let script = "; ```\n; # heading\n(check-sat) ; \u{1b}]0;title\u{7} \u{9b}2J";
    let mut one = finding(0, script, &[]);
    one["why"] = json!("a <b>bold</b> \u{1b}[2J | @someone `x` *y*");
    campaign(&folder.0, &[one]);
    let path = folder.path();
    for arguments in [
        vec!["findings", path, "--show", "wrong"],
        vec!["report", path, "--stored"],
    ] {
        let output = auspex(&arguments);
        let control = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!said(&output).contains(control), "{:?}", said(&output));
    }
    let report = folder.0.join("report");
    let text = std::fs::read_to_string(report.join("wrong-sat-z3-000000000000.md")).unwrap();
    assert!(
        text.contains("````smt2\n; ```\n") && text.contains("&lt;b>bold"),
        "{text}"
    );
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert!(!page.contains("<b>bold"), "{page}");
}

/// Any value of JSON in the place of another.
fn odd(number: usize) -> Value {
    match number % 9 {
        0 => json!(null),
        1 => json!("../../../x"),
        2 => json!("\u{0}\u{1b}[2J\u{f7ff}|\"\\"),
        3 => json!(-1),
        4 => json!(1e300),
        5 => json!([[[[]]]]),
        6 => json!({"word": "crash", "how": "x", "number": 7, "site": "`", "message": "\u{7}"}),
        7 => json!("a".repeat(5000)),
        _ => json!("/bin/sh -c x"),
    }
}

/// A finding of a stranger: any value in the place of any other.
fn strange(number: usize) -> Value {
    let mut one = finding(number, "(declare-const p Bool)(assert p)(check-sat)", &[]);
    let keys: Vec<String> = one.as_object().unwrap().keys().cloned().collect();
    let key = &keys[number % keys.len()];
    one[key] = odd(number / keys.len() + number);
    if let Some(solver) = one.pointer_mut("/replies/0/solver")
        && number.is_multiple_of(5)
    {
        *solver = odd(number / 5);
    }
    one
}

/// How many findings of strangers one campaign has.
const BATCH: usize = 5_000;

#[test]
fn findings_of_strangers_are_read_or_refused() {
    let count = std::env::var("AUSPEX_HOSTILE")
        .ok()
        .and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(120);
    for first in (0..count).step_by(BATCH) {
        let numbers = first..count.min(first + BATCH);
        strangers_are_read_or_refused(numbers.map(strange).collect());
    }
}

fn strangers_are_read_or_refused(all: Vec<Value>) {
    let folder = Folder::new("strangers");
    let (out, into) = (folder.0.join("campaign"), folder.0.join("into"));
    campaign(&out, &all);
    let (path, into) = (out.to_str().unwrap(), into.to_str().unwrap());
    for arguments in [
        vec!["findings", path, "--all"],
        vec!["findings", path, "--json"],
        vec!["status", path],
        vec!["report", path, "--stored"],
        vec!["recheck", path, "--solver", "/bin/true"],
        vec!["merge", into, path],
    ] {
        let output = auspex(&arguments);
        assert!(
            (0..=3).contains(&code(&output)),
            "{arguments:?}: {}",
            said(&output)
        );
    }
    let step = (all.len() / 20).max(1);
    let server = Server::start(&out, &[]);
    for page in ["/", "/findings?all=1", "/seeds", "/solvers"] {
        assert_eq!(status(&server.get(page, "")), "200", "{page}");
    }
    for number in (0..all.len()).step_by(step) {
        let name = format!("wrong-sat-z3-{number:012x}");
        let page = server.get(&format!("/findings/{name}"), "");
        assert!(["200", "404"].contains(&status(&page)), "{name}: {page}");
        let one = format!("{path}/findings/{name}");
        let output = auspex(&["replay", &one, "--solver", "/bin/true"]);
        assert!((0..=3).contains(&code(&output)), "{one}: {}", said(&output));
    }
    assert_eq!(names(&folder.0), ["campaign", "into"]);
}

#[test]
fn what_is_no_script_is_told_and_no_number_is_taken_blindly() {
    let folder = Folder::new("inputs");
    let deep = folder.0.join("deep.smt2");
    std::fs::write(
        &deep,
        format!(
            "(f {}Int{} Int)",
            "(Set ".repeat(20_000),
            ")".repeat(20_000)
        ),
    )
    .unwrap();
    let deep = deep.to_str().unwrap();
    std::fs::write(folder.0.join("a.toml"), b"solver = [\"\xff\"]").unwrap();
    let config = folder.0.join("a.toml").display().to_string();
    let fuzz = ["fuzz", "--plain", "--time", "1s"];
    let with = |more: &[&'static str]| [&fuzz[..], more].concat();
    for arguments in [
        with(&["--workers", "100000"]),
        with(&["--workers", "0"]),
        with(&["--cases", "0"]),
        with(&["--timeout", "1e300"]),
        with(&["--timeout", "nan"]),
        vec!["fuzz", "--config", &config],
        vec!["check", "--timeout", "-1", "x.smt2"],
        vec!["parse", "/dev/zero", "--signature", deep],
        vec!["eval", "true", "--model", "/dev/zero"],
    ] {
        let output = auspex(&arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", said(&output));
    }
    let output = auspex(&["parse", "/dev/zero"]);
    assert!(
        code(&output) < 4 && said(&output).contains("device"),
        "{}",
        said(&output)
    );
}

#[test]
fn links_pipes_and_devices_are_no_seeds() {
    let folder = Folder::new("seeds");
    let seeds = folder.0.join("seeds");
    std::fs::create_dir_all(&seeds).unwrap();
    std::fs::write(
        seeds.join("good.smt2"),
        "(declare-const p Bool)(assert p)(check-sat)",
    )
    .unwrap();
    std::os::unix::fs::symlink("good.smt2", seeds.join("link.smt2")).unwrap();
    std::os::unix::fs::symlink(".", seeds.join("circle")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", seeds.join("zero.smt2")).unwrap();
    let made = Command::new("mkfifo").arg(seeds.join("pipe.smt2")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let pool = auspex_campaign::seeds::pool::Pool::read(&[seeds, "/dev/zero".into()], 1 << 20);
    assert_eq!(pool.seeds.len(), 1);
    let skipped: Vec<&str> = pool.skipped.keys().map(String::as_str).collect();
    assert_eq!(
        skipped,
        ["a link", "not a regular file"],
        "{:?}",
        pool.skipped
    );
    assert_eq!(pool.skipped["a link"], 3);
}

#[test]
fn without_a_home_no_solver_is_looked_for_in_a_shared_folder() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_auspex"));
    for name in ["HOME", "XDG_CACHE_HOME", "AUSPEX_CACHE"] {
        command.env_remove(name);
    }
    let output = command.arg("solvers").output().unwrap();
    assert_eq!(code(&output), 3, "{}", said(&output));
    assert!(said(&output).contains("set HOME"), "{}", said(&output));
}

#[test]
fn check_says_what_it_does_not_send() {
    if !have(Z3) {
        return;
    }
    let folder = Folder::new("lost");
    let (file, away) = (folder.0.join("a.smt2"), folder.0.join("away"));
    let script = format!(
        "(set-option :regular-output-channel {away:?})\n(assert true)\n(echo \"x\")\n(check-sat)\n"
    );
    std::fs::write(&file, script).unwrap();
    let file = file.to_str().unwrap();
    let output = auspex(&["check", file, "--solver", Z3]);
    for part in [
        "a.smt2:1: not sent to any solver",
        ":3: not sent",
        "2 commands",
        "--as-is",
    ] {
        assert!(said(&output).contains(part), "{part}: {}", said(&output));
    }
    assert!(!away.exists());
    let output = auspex(&["--no-fence", "check", file, "--solver", Z3, "--as-is"]);
    assert!(!said(&output).contains("not sent"), "{}", said(&output));
    assert!(away.exists(), "a script of one's own does what it says");
}
