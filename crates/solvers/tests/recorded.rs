//! What real solvers said, judged again: the judgement must be the recorded one, and answers must be true.
//!
//! `cargo run -p auspex-solvers --example record` writes the records anew.

mod replies;

use auspex_solvers::profile::{Profile, profiles};
use auspex_solvers::{Run, Version};
use replies::{Case, Record, describe};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies")
}

fn records() -> Vec<(PathBuf, Record)> {
    let mut all = Vec::new();
    for solver in std::fs::read_dir(folder()).unwrap() {
        let solver = solver.unwrap().path();
        if !solver.is_dir() || solver.ends_with("cases") {
            continue;
        }
        for entry in std::fs::read_dir(solver).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            all.push((path, Record::read(&text)));
        }
    }
    all
}

fn judge(record: &Record, profiles: &[Profile]) -> (Case, Run) {
    let file = folder().join("cases").join(format!("{}.smt2", record.case));
    let case = Case::read(&record.case, &std::fs::read_to_string(file).unwrap());
    let profile = profiles
        .iter()
        .find(|profile| profile.name == record.solver)
        .unwrap();
    let mut profile = match record.driver {
        true => profile.for_driver(),
        false => profile.clone(),
    };
    if let Some(version) = Version::read(&record.version) {
        profile = profile.for_release(&version);
    }
    let run = record.judge(&profile, &case);
    (case, run)
}

#[test]
fn records_are_judged_as_recorded() {
    let profiles = profiles(None).unwrap();
    let records = records();
    assert!(records.len() >= 60, "only {} records", records.len());
    for (path, record) in &records {
        let (_, run) = judge(record, &profiles);
        assert_eq!(describe(&run), record.answers, "{}", path.display());
    }
}

#[test]
fn every_answer_that_counts_is_the_true_one() {
    let profiles = profiles(None).unwrap();
    let mut compared = 0;
    for (path, record) in &records() {
        let (case, run) = judge(record, &profiles);
        for (answer, truth) in run.answers.iter().zip(&case.expect) {
            if ["sat", "unsat"].contains(&answer.word()) {
                compared += 1;
                assert_eq!(answer.word(), truth, "{}", path.display());
            }
        }
    }
    assert!(compared >= 60, "only {compared} answers");
}

#[test]
fn records_come_from_every_solver_that_can_be_had() {
    let records = records();
    for solver in [
        "z3",
        "cvc5",
        "cvc4",
        "bitwuzla",
        "boolector",
        "yices",
        "oxiz",
        "z3rs",
        "rz3",
        "dreal",
    ] {
        let of = records.iter().filter(|(_, record)| record.solver == solver);
        assert!(of.count() >= 5, "{solver}");
    }
}

#[test]
fn a_changed_record_is_noticed() {
    let profiles = profiles(None).unwrap();
    let (_, mut record) = records()
        .into_iter()
        .find(|(_, record)| record.answers == ["sat"])
        .unwrap();
    record.stdout = record.stdout.replace("sat\n", "unsat\n");
    let (_, run) = judge(&record, &profiles);
    assert_eq!(describe(&run), ["unsat"]);
}
