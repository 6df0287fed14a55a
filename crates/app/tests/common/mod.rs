//! Runs the program as a user does, with real solvers that it installs itself.
#![allow(dead_code)]

pub mod schema;
pub mod server;
pub mod strangers;

use std::path::PathBuf;
use std::process::{Command, Output};

pub fn auspex(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_auspex"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

pub fn said(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    format!("{out}{}", String::from_utf8_lossy(&output.stderr))
}

/// A file that is gone when the test is.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str, text: &str) -> Scratch {
        let name = format!("auspex-test-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).expect("a writable folder");
        Scratch(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A run in continuous integration fails only if it names a bug that its file of bugs does not have: on a busy machine
/// another run may find another bug.
pub fn only_unknown_bugs_fail(output: &Output, bugs: &str) {
    let told = said(output);
    let new = told.lines().filter_map(|line| line.strip_prefix("NEW "));
    let names: Vec<&str> = new.filter_map(|line| line.split(':').next()).collect();
    let known = names
        .iter()
        .filter(|id| bugs.contains(&format!("name {id}")));
    assert_eq!(known.count(), 0, "{told}");
    let code = if names.is_empty() { 0 } else { 1 };
    assert_eq!(output.status.code(), Some(code), "{told}");
}

/// True if the solver is there or could be installed; otherwise the skip is loud.
pub fn have(solver: &str) -> bool {
    let output = auspex(&["solvers", "install", solver]);
    if output.status.success() {
        return true;
    }
    let why = said(&output);
    let strict = std::env::var_os("AUSPEX_NO_SKIP").is_some();
    assert!(!strict, "{solver} is needed here: {why}");
    eprintln!("SKIPPED: {solver} cannot be had on this machine: {why}");
    false
}

pub const CONSTANT_ARRAYS: &str = "(assert (= ((as const (Array Bool Bool)) true)
  (store ((as const (Array Bool Bool)) false) true true)))(check-sat)";
pub const WRITTEN_ARRAYS: &str =
    "(assert (= (store ((as const (Array (_ BitVec 4) Bool)) true) #x0 false)
  (store ((as const (Array (_ BitVec 4) Bool)) false) #x1 true)))(check-sat)";
pub const SELECTED: &str = "(set-logic ALL)(declare-const a (Array (_ BitVec 4) Bool))
(declare-const bv (_ BitVec 4))(declare-const b Bool)(declare-const s String)
(assert (= (select (store a bv b) (bvnot bv)) (str.contains s s)))(check-sat)";

/// A folder that is gone when the test is.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let name = format!("auspex-test-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a writable folder");
        Folder(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a command prints as JSON.
pub fn json(arguments: &[&str]) -> serde_json::Value {
    let output = auspex(arguments);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// The arguments of `fuzz` and `ci` with which 200 fixed cases show z3 4.13.0 wrong about constant arrays.
pub const WRONG_ARRAYS: [&str; 12] = [
    "--solver",
    "z3@4.13.0",
    "--strategy",
    "construct",
    "--theories",
    "core,arrays",
    "--seed",
    "7",
    "--cases",
    "200",
    "--options",
    "none",
];

/// Runs `ci` on these cases with a file of bugs.
pub fn ci_on_arrays(out: &std::path::Path, bugs: &str, more: &[&str]) -> Output {
    let mut arguments = vec!["ci"];
    arguments.extend(WRONG_ARRAYS);
    let out = out.to_str().expect("a plain path");
    arguments.extend(["--out", out, "--bugs", bugs]);
    arguments.extend(more);
    auspex(&arguments)
}
