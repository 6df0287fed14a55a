//! The life of a bug: found, reported, fixed by a newer release, seen to be right, closed, and returned.

mod common;

use common::*;
use std::fs;
use std::path::Path;

/// A campaign on a release of z3 that is wrong about constant arrays.
fn campaign(out: &str) -> Option<()> {
    if !have("z3@4.13.0") || !have("z3@latest") {
        return None;
    }
    let mut fuzz = vec![
        "fuzz",
        "--workers",
        "1",
        "--plain",
        "--bugs-only",
        "--out",
        out,
    ];
    fuzz.extend(WRONG_ARRAYS);
    let output = auspex(&fuzz);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    Some(())
}

/// Every output fits its definition in the schema.
fn outputs_fit(out: &str) {
    schema::fits("findings", &json(&["findings", out, "--json"]));
    schema::fits("bugs", &json(&["bugs", out, "--json"]));
    schema::fits("status", &json(&["status", out, "--json"]));
    let again = ["recheck", out, "--solver", "z3@4.13.0", "--json"];
    schema::fits("recheck", &json(&again));
    let report = auspex(&["report", out]);
    assert_eq!(report.status.code(), Some(1), "{}", said(&report));
    let text = fs::read_to_string(Path::new(out).join("report/report.json")).expect("a report");
    schema::fits("report", &serde_json::from_str(&text).expect("JSON"));
    let findings = fs::read_dir(Path::new(out).join("findings"))
        .expect("findings")
        .flatten();
    let mut bisected = false;
    for folder in findings.map(|entry| entry.path()) {
        let text = fs::read_to_string(folder.join("finding.json")).expect("a finding");
        schema::fits("finding", &serde_json::from_str(&text).expect("JSON"));
        if !bisected {
            let folder = folder.to_str().expect("a plain path");
            schema::fits(
                "bisect",
                &json(&["bisect", folder, "--releases", "4.13.0,latest", "--json"]),
            );
            bisected = true;
        }
    }
    assert!(bisected);
}

/// The bug with a wrong answer, which the newest release does not have.
fn wrong_answer(out: &str) -> String {
    let all = json(&["bugs", out, "--json"]);
    let all = all.as_array().expect("a list").iter();
    let mut wrong = all.filter(|bug| bug["entry"]["class"] == "wrong-sat");
    let bug = wrong.next().expect("a wrong answer");
    assert_eq!(bug["state"], "open");
    bug["id"].as_str().expect("a name").to_string()
}

#[test]
fn a_bug_is_reported_fixed_closed_and_returns() {
    let folder = Folder::new("states");
    let out = folder.path();
    if campaign(out).is_none() {
        return;
    }
    let id = wrong_answer(out);
    outputs_fit(out);
    let next = auspex(&["report", "--next", out]);
    assert!(
        said(&next).contains("the gravest open class: wrong-sat"),
        "{}",
        said(&next)
    );
    let refused = auspex(&["bugs", "set", &id, "reported", out]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("--link"), "{}", said(&refused));
    let link = "https://example.org/issues/7";
    let output = auspex(&["bugs", "set", &id, "reported", "--link", link, out]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let file = Path::new(out).join("auspex-bugs.toml");
    let text = fs::read_to_string(&file).expect("a file of bugs");
    assert!(
        text.contains(&format!("[bugs.{id}]")) && text.contains("keys = ["),
        "{text}"
    );
    let listed = said(&auspex(&["bugs", out]));
    assert!(listed.contains(&format!("reported {link}")), "{listed}");

    // The old release is still wrong, the newest is right: two configured releases do not close it, one does.
    let both = [
        "recheck",
        out,
        "--solver",
        "z3@4.13.0",
        "--solver",
        "z3@latest",
    ];
    let told = said(&auspex(&both));
    assert!(!told.contains(&format!("closed       {id}")), "{told}");
    let told = said(&auspex(&["recheck", out, "--solver", "z3@latest"]));
    assert!(told.contains(&format!("closed       {id}")), "{told}");
    let listed = said(&auspex(&["bugs", out, "--state", "fixed"]));
    assert!(
        listed.contains(&id) && listed.contains("right in fresh runs"),
        "{listed}"
    );
    // An older release may be wrong; one that should be right brings it back.
    let told = said(&auspex(&["recheck", out, "--solver", "z3@4.13.0"]));
    assert!(told.contains("0 returned"), "{told}");
    let output = auspex(&["bugs", "set", &id, "fixed", "--in", "4.12.0", out]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let told = said(&auspex(&["recheck", out, "--solver", "z3@4.13.0"]));
    assert!(told.contains(&format!("returned     {id}")), "{told}");
    let listed = said(&auspex(&["bugs", out, "--state", "reported"]));
    assert!(listed.contains("returned in z3 4.13.0"), "{listed}");
}

#[test]
fn a_file_of_bugs_is_a_baseline_and_fails_on_a_new_or_returned_bug_only() {
    let folder = Folder::new("bug-baseline");
    let first = folder.0.join("first");
    let first = first.to_str().expect("a plain path");
    if campaign(first).is_none() {
        return;
    }
    let file = folder.0.join("known.toml");
    let file = file.to_str().expect("a plain path");
    let ci = |out: &str, more: &[&str]| ci_on_arrays(&folder.0.join(out), file, more);
    let output = ci("a", &["--update-baseline"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = fs::read_to_string(file).expect("a file");
    only_unknown_bugs_fail(&ci("b", &[]), &text);
    // Lookalikes of another campaign are recognised by their keys.
    let listed = json(&["bugs", first, "--bugs", file, "--json"]);
    let listed = listed.as_array().expect("a list").iter();
    let names = listed.filter_map(|bug| bug["id"].as_str());
    let known: Vec<&str> = names
        .filter(|id| text.contains(&format!("[bugs.{id}]")))
        .collect();
    let id = known.first().expect("a bug of both campaigns");
    let set = [
        "bugs", "set", id, "fixed", "--in", "4.12.0", "--bugs", file, first,
    ];
    let set = auspex(&set);
    assert_eq!(set.status.code(), Some(0), "{}", said(&set));
    let output = ci("c", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains(&format!("NEW {id}")),
        "{}",
        said(&output)
    );
}

#[test]
fn models_and_checks_fit_the_schema() {
    let script = Scratch::new(
        "fits.smt2",
        "(declare-const x Int)(assert (> x 1))(check-sat)",
    );
    for value in ["2", "0"] {
        let model = Scratch::new("fits.model", &format!("((define-fun x () Int {value}))"));
        schema::fits(
            "model",
            &json(&["model", script.path(), model.path(), "--json"]),
        );
    }
    if have("z3@latest") {
        let checked = json(&["check", script.path(), "--solver", "z3@latest", "--json"]);
        schema::fits("check", &checked);
    }
}

#[test]
fn duplicates_and_names_are_checked_without_a_campaign() {
    let file = Scratch::new(
        "bugs.toml",
        "[bugs.wrong-sat-z3-a]\ntitle = \"one\"\nkeys = [\"fingerprint a\"]\n\
         [bugs.wrong-sat-z3-b]\ntitle = \"two\"\nkeys = [\"fingerprint b\"]\n",
    );
    let set = |arguments: &[&str]| {
        let mut all = vec!["bugs", "set"];
        all.extend(arguments);
        all.extend(["--bugs", file.path(), "/nonexistent"]);
        auspex(&all)
    };
    for (arguments, part) in [
        (&["wrong-sat", "open"][..], "several bugs"),
        (&["nothing", "open"], "no bug is called"),
        (&["z3-a", "duplicate"], "--of"),
        (&["z3-a", "duplicate", "--of", "z3-a"], "itself"),
        (&["z3-a", "gone"], "unknown state"),
    ] {
        let output = set(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(part), "{}", said(&output));
    }
    let output = set(&["z3-a", "duplicate", "--of", "z3-b"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let listed = auspex(&["bugs", "/nonexistent", "--bugs", file.path()]);
    assert!(
        said(&listed).contains("duplicate of wrong-sat-z3-b"),
        "{}",
        said(&listed)
    );
    assert!(
        said(&listed).contains("1 open, 1 duplicate"),
        "{}",
        said(&listed)
    );
}
