//! Judges the recorded models in `tests/models` again.

use auspex_logic::model::{ModelVerdict, read_model, validate};
use auspex_logic::render::{self, Sharing};
use auspex_logic::{Terms, read_script};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// Every recorded reply: its path and its script's.
fn recorded() -> Vec<(PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let scripts: Vec<PathBuf> = files
        .iter()
        .filter(|f| has_ending(f, "smt2"))
        .cloned()
        .collect();
    let models = files.into_iter().filter(|f| has_ending(f, "model"));
    models
        .map(|model| {
            let stem = model
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .to_string();
            let script = scripts.iter().find(|script| {
                let name = script.file_stem().unwrap_or_default().to_string_lossy();
                stem.ends_with(&format!("-{name}"))
            });
            let script = script
                .unwrap_or_else(|| panic!("{stem} has no script"))
                .clone();
            (model, script)
        })
        .collect()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e == ending)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The verdict as `auspex model` prints its first line.
fn verdict(script: &str, reply: &str) -> String {
    let mut terms = Terms::new();
    let reading = read_script(&mut terms, script).expect("well-formed");
    assert_eq!(reading.issues, []);
    let model = match read_model(&mut terms, &reading.script, reply) {
        Ok(model) => model,
        Err(why) => return format!("unreadable: {why:?}"),
    };
    let query = &reading.script.queries()[0];
    let text = |term| render::term(&terms, term, Sharing::Auto);
    match validate(&terms, &model, query) {
        ModelVerdict::Valid => "valid".to_string(),
        ModelVerdict::Invalid { assertion } => format!("invalid: {}", text(assertion)),
        ModelVerdict::Undetermined { assertion, .. } => {
            format!("undetermined: {}", text(assertion))
        }
    }
}

#[test]
fn recorded_models_are_judged_as_expected() {
    let all = recorded();
    assert!(all.len() >= 25, "only {} recorded models", all.len());
    let mut wrong = Vec::new();
    for (model, script) in all {
        let expected = std::fs::read_to_string(model.with_extension("expected"));
        let expected = expected.map_or("valid".to_string(), |text| text.trim().to_string());
        let found = verdict(&read(&script), &read(&model));
        if found != expected {
            wrong.push(format!("{}: {found}, not {expected}", model.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A model with one value changed must not pass: the judge is no yes-man.
#[test]
fn changed_models_are_refused() {
    for (name, from, to) in [
        ("bits", "#xff", "#xfe"),
        ("functions", "7", "8"),
        ("strings", "", "zzz"),
    ] {
        let changed = recorded().into_iter().filter(|(model, script)| {
            let stem = script.file_stem().unwrap_or_default().to_string_lossy();
            stem == name && !model.with_extension("expected").exists()
        });
        for (model, script) in changed {
            let reply = read(&model);
            let reply = match from.is_empty() {
                true => reply.replace("String \"", &format!("String \"{to}")),
                false => reply.replace(from, to),
            };
            if reply == read(&model) {
                continue;
            }
            let found = verdict(&read(&script), &reply);
            assert!(found.starts_with("invalid"), "{}: {found}", model.display());
        }
    }
}

/// yices breaks its lines inside of `(as @const_2 U)` where a model is deep.
#[test]
fn an_element_is_the_same_in_every_layout() {
    let script = "(set-logic QF_UF)(declare-sort U 0)(declare-fun f (U) U)(declare-const a U)\
        (declare-const b U)(assert (= (f a) b))(assert (= (f b) a))(check-sat)";
    let reply = "(model (define-fun f ((x U)) U (ite (= x (as @const_1 U)) (as\n   @const_2\n   U)
        (as @const_1 ; the other\n U))) (define-fun a () U (as @const_1 U))
        (define-fun b () U (as @const_2  U)))";
    assert_eq!(verdict(script, reply), "valid");
}
