//! A real solver that is compiled with coverage: what it reaches is seen, guides a campaign, and directs a run at a
//! change. The solver is built by `benches/instrumented.py` once and kept in a cache.

mod common;

use common::*;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// The instrumented Bitwuzla; none if it cannot be built here.
fn solver() -> Option<&'static str> {
    static BUILT: OnceLock<Option<String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/instrumented.py");
        let output = Command::new("python3").arg(script).output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout);
        match output.status.success() {
            true => said.lines().last().map(str::to_string),
            false => {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(std::env::var_os("AUSPEX_NO_SKIP").is_none(), "{why}");
                eprintln!("SKIPPED: no instrumented solver can be built here: {why}");
                None
            }
        }
    });
    built.as_deref()
}

/// What is said by a campaign of the solver alone, with more arguments.
fn campaign(command: &str, solver: &str, out: &str, more: &[&str]) -> String {
    let mut arguments = vec![command, "--solver", solver, "--workers", "1", "--seed", "3"];
    arguments.extend(["--plain", "--cases", "512", "--theories", "core,bv"]);
    arguments.extend(["--options", "none", "--no-reduce", "--out", out]);
    arguments.extend(more);
    let output = auspex(&arguments);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

fn status(out: &str) -> serde_json::Value {
    let output = auspex(&["status", out, "--json"]);
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn an_instrumented_solver_is_noticed_and_another_is_not() {
    let Some(solver) = solver() else { return };
    let output = auspex(&["coverage", "check", solver]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains(" edges\n") && text.contains(" functions\n"),
        "{text}"
    );
    if have("z3@4.13.0") {
        let other = auspex(&["coverage", "check", "z3@4.13.0"]);
        assert_eq!(other.status.code(), Some(1), "{}", said(&other));
        assert!(said(&other).contains("is not instrumented"));
    }
}

#[test]
fn a_campaign_counts_edges_and_follows_them_if_it_is_told_to() {
    let Some(solver) = solver() else { return };
    let folder = Folder::new("coverage");
    let out = |name: &str| folder.0.join(name).display().to_string();
    let all = ["--strategy", "construct", "--strategy", "opfuzz"];
    let plain = out("plain");
    let said = campaign("fuzz", solver, &plain, &all);
    assert!(said.contains(" edges"), "{said}");
    let state = status(&plain);
    let edges = state["edges"].as_object().expect("an object");
    let edges = edges.values().next().expect("one solver");
    let (reached, of) = (edges["reached"].as_u64(), edges["of"].as_u64());
    assert!(reached > Some(1000) && reached < of, "{edges}");
    assert!(state["tally"]["strategies"]["construct"]["edges"].as_u64() > Some(100));
    assert_eq!(state["seeds_reaching"].as_u64(), Some(0));
    let guided = out("guided");
    let more: Vec<&str> = all.into_iter().chain(["--guide", "coverage"]).collect();
    campaign("fuzz", solver, &guided, &more);
    assert!(status(&guided)["seeds_reaching"].as_u64() > Some(10));
}

#[test]
fn a_run_is_directed_at_a_change_and_tells_what_it_reached() {
    let Some(solver) = solver() else { return };
    let folder = Folder::new("changed");
    let seeds = folder.0.join("seeds");
    std::fs::create_dir_all(&seeds).expect("a writable folder");
    let script =
        "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (= (bvudiv x x) x))(check-sat)";
    std::fs::write(seeds.join("a.smt2"), script).expect("a writable folder");
    let index = folder.0.join("reach.json").display().to_string();
    let seeds = seeds.display().to_string();
    let directed = |name: &str, place: &str| {
        let out = folder.0.join(name).display().to_string();
        let more = [
            "--changed-at",
            place,
            "--reach-index",
            &index,
            "--seeds",
            &seeds,
        ];
        campaign("ci", solver, &out, &more)
    };
    let said = directed("one", "src/rewrite/rewrites_bv.cpp");
    assert!(said.contains("the change has "), "{said}");
    assert!(
        said.contains(" were reached, by ") && said.contains("never reached: "),
        "{said}"
    );
    assert!(std::fs::read(&index).is_ok_and(|text| !text.is_empty()));
    let said = directed("two", "no_such_function");
    assert!(said.contains("the run is not directed at it"), "{said}");
}
