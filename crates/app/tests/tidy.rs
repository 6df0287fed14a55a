//! The repository keeps its own rules: which crate may use which, how long files are, who starts
//! processes, that every list is complete, and that documents and reference pages are current.

mod documents;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate with the crates it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("syntax", &[]),
    ("logic", &["syntax"]),
    ("cases", &["syntax", "logic"]),
    ("reduce", &["syntax", "logic"]),
    ("solvers", &["syntax", "logic"]),
    (
        "campaign",
        &["syntax", "logic", "cases", "reduce", "solvers"],
    ),
    (
        "app",
        &["syntax", "logic", "cases", "reduce", "solvers", "campaign"],
    ),
];

/// Each module of `campaign` with the modules of the crate that it may use, lowest first; the rest it must not know.
/// What has no list of its own stands by itself and may be used by all.
const CAMPAIGN: &[(&str, &[&str])] = &[
    ("store", &[]),
    ("team", &[]),
    ("judge", &["team"]),
    ("seeds", &["team"]),
    ("coverage", &["team", "judge", "seeds"]),
    ("schedule", &["store", "team", "judge", "seeds"]),
    ("findings", &["store", "team", "judge", "seeds", "schedule"]),
    ("shrink", &["team", "judge", "findings"]),
    ("status", &["coverage", "schedule", "findings"]),
    (
        "ledger",
        &[
            "store", "judge", "seeds", "schedule", "findings", "shrink", "status",
        ],
    ),
    ("report", &["team", "judge", "findings", "status"]),
    (
        "run",
        &[
            "store", "team", "judge", "seeds", "coverage", "schedule", "findings", "shrink",
            "status", "ledger",
        ],
    ),
];

/// Modules of `campaign` that use no other module of it.
const CAMPAIGN_BASE: &[&str] = &[
    "activity",
    "clock",
    "crosscheck",
    "panics",
    "reading",
    "rules",
    "scratch",
    "script",
    "stable",
];

/// Crates whose results depend on their arguments only.
const PURE: &[&str] = &["syntax", "logic", "cases", "reduce"];

const LONGEST_FILE: usize = 800;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below a folder of the repository with some extension. Finding none is a mistake.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![root().join(folder)], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no .{extension} files in {folder}");
    found.sort();
    found
}

/// The source files of a crate, without its tests and benchmarks.
fn sources(krate: &str) -> Vec<PathBuf> {
    files(&format!("crates/{krate}/src"), "rs")
}

/// The part of a file before its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or(text)
}

#[test]
fn crates_depend_only_to_the_left() {
    for (krate, allowed) in ARROWS {
        let manifest = read(&root().join(format!("crates/{krate}/Cargo.toml")));
        let used = manifest.lines().filter_map(|line| {
            let name = line.strip_prefix("auspex-")?;
            name.split(['.', ' ', '=']).next()
        });
        for name in used {
            assert!(allowed.contains(&name), "{krate} must not use {name}");
        }
    }
    let listed = ARROWS.len();
    let crates = std::fs::read_dir(root().join("crates")).map_or(0, Iterator::count);
    assert_eq!(crates, listed, "every crate has its arrows");
}

#[test]
fn modules_of_campaign_depend_on_lower_ones_only() {
    let src = root().join("crates/campaign/src");
    let mut seen = std::collections::BTreeSet::new();
    for path in sources("campaign") {
        let inner = path.strip_prefix(&src).expect("a source of campaign");
        let module = inner.iter().next().expect("a file");
        let module = module.to_string_lossy().replace(".rs", "");
        let text = read(&path);
        for (at, _) in without_tests(&text).match_indices("crate::") {
            let used =
                text[at + "crate::".len()..].split(|c: char| c != '_' && !c.is_ascii_lowercase());
            let used = used.into_iter().next().unwrap_or_default();
            let row = CAMPAIGN.iter().find(|(name, _)| *name == module);
            let allowed = row.is_some_and(|(_, may)| may.contains(&used));
            let is_free = used == module || CAMPAIGN_BASE.contains(&used);
            let is_root = module == "lib" || is_free || allowed;
            assert!(is_root, "{} must not use {used}", path.display());
        }
        seen.insert(module);
    }
    seen.remove("lib");
    let listed = CAMPAIGN
        .iter()
        .map(|(name, _)| *name)
        .chain(CAMPAIGN_BASE.iter().copied());
    let listed: std::collections::BTreeSet<String> = listed.map(str::to_string).collect();
    assert_eq!(seen, listed, "every module has its place");
    for (at, (name, may)) in CAMPAIGN.iter().enumerate() {
        let below = |used: &&str| CAMPAIGN[..at].iter().any(|(lower, _)| lower == used);
        assert!(may.iter().all(below), "{name} may use lower modules only");
    }
}

#[test]
fn files_are_short_and_say_what_they_own() {
    for path in files("crates", "rs") {
        let text = read(&path);
        let lines = text.lines().count();
        assert!(lines <= LONGEST_FILE, "{}: {lines} lines", path.display());
        assert!(
            text.starts_with("//! "),
            "{} does not open with a sentence",
            path.display()
        );
    }
}

#[test]
fn nothing_is_left_undone() {
    let undone = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("dbg", "!("),
        concat!("#[ig", "nore"),
    ];
    for path in files("crates", "rs") {
        let text = read(&path);
        for word in undone {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
}

#[test]
fn only_solvers_start_processes() {
    for (krate, _) in ARROWS.iter().filter(|(krate, _)| *krate != "solvers") {
        for path in sources(krate) {
            let text = read(&path);
            let starts = text.contains("process::Command") || text.contains("libc::fork");
            assert!(!starts, "{} starts processes", path.display());
        }
    }
}

#[test]
fn pages_trust_no_text_and_bring_no_scripts_of_their_own() {
    for path in files("crates/app/templates", "html") {
        let text = read(&path);
        for word in ["safe", "javascript:", "<style", " style=", " onclick="] {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
        let inline = text.matches("<script").count() - text.matches("<script src=").count();
        assert_eq!(inline, 0, "{}", path.display());
    }
    for path in files("crates/app/assets", "js") {
        assert!(!read(&path).contains("innerHTML"), "{}", path.display());
    }
}

#[test]
fn pure_crates_see_no_clock_and_no_machine() {
    let impure = [
        "std::time",
        "std::env",
        "std::fs",
        "std::process",
        "std::net",
    ];
    for path in PURE.iter().flat_map(|krate| sources(krate)) {
        if path.to_string_lossy().ends_with("_tests.rs") {
            continue;
        }
        let text = read(&path);
        for word in impure {
            let code = without_tests(&text);
            assert!(!code.contains(word), "{word} in {}", path.display());
        }
    }
}

/// Whether a type has constants in a folder, as one type of strategy has several, and all of them are listed.
fn constants_are_listed(folder: &str, name: &str, list: &str) -> bool {
    let texts: Vec<String> = files(folder, "rs").iter().map(|path| read(path)).collect();
    let end = format!(": {name} = {name} {{");
    let constants = texts.iter().flat_map(|text| text.lines());
    let constants: Vec<&str> = constants
        .filter_map(|line| line.strip_prefix("pub const ")?.strip_suffix(&end))
        .collect();
    let is_listed = |constant: &&str| list.contains(&format!("::{constant},"));
    !constants.is_empty() && constants.iter().all(is_listed)
}

/// Every type in a folder that implements a trait stands in the `ALL` list of the folder's `mod.rs`.
fn list_is_complete(folder: &str, implements: &str) {
    let list = read(&root().join(folder).join("mod.rs"));
    // The last one: an enum of the same file may have its own.
    let list = list.rsplit("pub const ALL").next().unwrap_or("");
    let list = list.split("];").next().unwrap_or("");
    let mut count = 0;
    for path in files(folder, "rs") {
        let text = read(&path);
        for line in without_tests(&text).lines() {
            let Some(rest) = line.strip_prefix(implements) else {
                continue;
            };
            let name = rest.trim_end_matches(['{', ' ', '}']);
            count += 1;
            let listed =
                list.contains(&format!("::{name},")) || list.contains(&format!("::{name}::"));
            let listed = listed || constants_are_listed(folder, name, list);
            assert!(listed, "{name} of {} is not in ALL", path.display());
        }
    }
    assert!(count > 1, "nothing in {folder} implements anything");
}

#[test]
fn every_strategy_oracle_and_pass_is_listed() {
    list_is_complete("crates/cases/src/strategy", "impl Strategy for ");
    list_is_complete("crates/cases/src/oracle", "impl Oracle for ");
    list_is_complete("crates/reduce/src/pass", "impl Pass for ");
}

#[test]
fn every_table_of_operators_is_listed() {
    let list = read(&root().join("crates/logic/src/theory/mod.rs"));
    let mut count = 0;
    for path in files("crates/logic/src/theory", "rs") {
        let theory = path
            .file_stem()
            .map_or_else(String::new, |s| s.to_string_lossy().into());
        let text = read(&path);
        for line in text.lines().filter(|line| line.contains(": &[Row] =")) {
            let name = line.trim_start_matches("pub const ").split(':').next();
            let entry = format!("{theory}::{}", name.unwrap_or_default());
            assert!(list.contains(&entry), "{entry} is not in ALL");
            count += 1;
        }
    }
    assert!(count > 10, "the tables were not found");
}

#[test]
fn every_solver_profile_is_built_in() {
    let list = read(&root().join("crates/solvers/src/profile.rs"));
    for path in files("solvers", "toml") {
        let name = path
            .file_stem()
            .map_or_else(String::new, |s| s.to_string_lossy().into());
        assert!(
            list.contains(&format!("\"{name}\"")),
            "{name} is not built in"
        );
    }
}

#[test]
fn every_fuzz_target_has_its_smoke_test() {
    let checks: String = ["syntax", "logic"]
        .map(|krate| read(&root().join(format!("crates/{krate}/src/selfcheck.rs"))))
        .concat();
    let manifest = read(&root().join("fuzz/Cargo.toml"));
    for path in files("fuzz/fuzz_targets", "rs") {
        let name = path
            .file_stem()
            .map_or_else(String::new, |s| s.to_string_lossy().into());
        assert!(
            checks.contains(&format!("fn {name}_smoke()")),
            "{name} has no smoke test"
        );
        assert!(
            manifest.contains(&format!("name = \"{name}\"")),
            "{name} is not built"
        );
    }
}

#[test]
fn reference_pages_are_current() {
    let fresh = std::env::temp_dir().join(format!("auspex-reference-{}", std::process::id()));
    let status = Command::new(env!("CARGO_BIN_EXE_auspex"))
        .args(["--quiet", "reference"])
        .arg(&fresh)
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "the pages were written"
    );
    let mut pages: Vec<PathBuf> = std::fs::read_dir(&fresh)
        .expect("the pages are there")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    pages.sort();
    let outdated: Vec<_> = pages
        .iter()
        .filter_map(|page| page.file_name())
        .filter(|name| {
            let old = std::fs::read_to_string(root().join("docs/reference").join(name));
            old.ok() != Some(read(&fresh.join(name)))
        })
        .collect();
    assert!(!pages.is_empty());
    let _ = std::fs::remove_dir_all(&fresh);
    assert!(
        outdated.is_empty(),
        "outdated: {outdated:?}; run `cargo run -p auspex -- reference docs/reference`"
    );
}
