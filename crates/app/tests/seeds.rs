//! Collections of seeds, brought by cargo as a user would bring them.

mod common;

use common::said;
use std::path::PathBuf;
use std::process::{Command, Output};

struct Cache(PathBuf);

impl Cache {
    fn new(name: &str) -> Cache {
        let name = format!("auspex-test-{}-{name}", std::process::id());
        Cache(std::env::temp_dir().join(name))
    }

    fn auspex(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_auspex"))
            .args(arguments)
            .env("AUSPEX_CACHE", &self.0)
            .output()
            .expect("the program starts")
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_collection_is_brought_by_name_and_used_by_name() {
    let cache = Cache::new("seeds");
    let brought = cache.auspex(&["seeds", "install", "bitwuzla"]);
    assert!(brought.status.success(), "{}", said(&brought));
    let list = cache.auspex(&["seeds", "--json"]);
    let rows: serde_json::Value = serde_json::from_slice(&list.stdout).expect("JSON");
    let row = &rows[0];
    assert_eq!(row["name"], "bitwuzla");
    assert_eq!(row["scripts"], 1427);
    assert_eq!(row["licence"], "MIT");
    assert_eq!(row["whole"], true);
    let mutants = cache.auspex(&["mutate", "bitwuzla", "--strategy", "opfuzz", "--count", "3"]);
    assert!(mutants.status.success(), "{}", said(&mutants));
    assert!(said(&mutants).contains("(check-sat)"));
    // What has changed since is not used.
    let folder = row["folder"].as_str().expect("a path");
    std::fs::write(PathBuf::from(folder).join("more.smt2"), "(check-sat)").expect("writable");
    let refused = cache.auspex(&["mutate", "bitwuzla", "--strategy", "opfuzz"]);
    assert!(!refused.status.success());
    assert!(
        said(&refused).contains("have changed"),
        "{}",
        said(&refused)
    );
}

#[test]
fn a_name_that_nothing_has_is_told_with_those_there_are() {
    let cache = Cache::new("no-seeds");
    let refused = cache.auspex(&["seeds", "install", "no-such-collection"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("bitwuzla, boolector"),
        "{}",
        said(&refused)
    );
}
