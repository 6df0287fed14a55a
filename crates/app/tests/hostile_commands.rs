//! Scripts that want to write a file, through every command that runs solvers, with a watch on the file system.
//! `AUSPEX_HOSTILE_SCRIPTS=3000` makes so many scripts instead of a few.

mod common;
#[path = "../../solvers/tests/hostile_scripts/mod.rs"]
mod hostile_scripts;

use common::strangers::{campaign, finding};
use common::{Folder, have};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

const SOLVERS: [&str; 3] = ["z3@5.4.0", "z3@4.13.0", "cvc5@1.4.2"];

/// How many scripts pass between two looks at the file system.
const LOOK: u64 = 50;

/// A home, a working folder, a temporary folder, and one that no command uses.
struct Place {
    root: Folder,
    before: BTreeMap<PathBuf, (SystemTime, u64)>,
}

impl Place {
    fn new(name: &str) -> Place {
        let root = Folder::new(name);
        for part in ["home/.config", "work", "tmp", "target"] {
            std::fs::create_dir_all(root.0.join(part)).unwrap();
        }
        std::fs::write(root.0.join("home/.profile"), "# mine\n").unwrap();
        std::fs::write(root.0.join("work/notes"), "mine\n").unwrap();
        let mut place = Place {
            root,
            before: BTreeMap::new(),
        };
        place.before = place.seen();
        place
    }

    /// Everything that must not change, with its time and size: a file that was made and removed changes its folder.
    fn seen(&self) -> BTreeMap<PathBuf, (SystemTime, u64)> {
        let mut seen = BTreeMap::new();
        for part in ["home", "work", "target"] {
            look(&self.root.0.join(part), &mut seen);
        }
        seen
    }

    /// The file that a script wants to write.
    fn wanted(&self, number: u64) -> String {
        let part = ["target/written", "home/.profile", "work/notes", "tmp/x"][number as usize % 4];
        self.root.0.join(part).display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_auspex"));
        command
            .env("AUSPEX_CACHE", cache())
            .env("HOME", self.root.0.join("home"))
            .env("TMPDIR", self.root.0.join("tmp"))
            .current_dir(self.root.0.join("work"))
            .stdin(Stdio::null());
        let output = command.args(arguments).output().unwrap();
        let code = output.status.code().unwrap_or(-1);
        assert!(
            (0..=3).contains(&code),
            "{arguments:?}: {}",
            common::said(&output)
        );
        output
    }

    fn check(&self, what: &str) {
        assert_eq!(self.seen(), self.before, "{what}");
        // The guard of a command that has ended clears its scratch folder a moment later.
        let scratch = self.root.0.join("tmp");
        let is_clear = || std::fs::read_dir(&scratch).unwrap().next().is_none();
        let started = Instant::now();
        while !is_clear() {
            assert!(started.elapsed() < Duration::from_secs(20), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn look(path: &Path, seen: &mut BTreeMap<PathBuf, (SystemTime, u64)>) {
    let about = std::fs::symlink_metadata(path).unwrap();
    seen.insert(path.to_path_buf(), (about.modified().unwrap(), about.len()));
    if about.is_dir() {
        for entry in std::fs::read_dir(path).unwrap().flatten() {
            look(&entry.path(), seen);
        }
    }
}

/// The cache of the user who runs the tests.
fn cache() -> PathBuf {
    auspex_solvers::Cache::of_user()
        .unwrap()
        .folder()
        .to_path_buf()
}

/// Half of the runs are without the fence: the lists must hold by themselves.
fn fence(number: u64) -> &'static [&'static str] {
    if number.is_multiple_of(2) {
        &[]
    } else {
        &["--no-fence"]
    }
}

#[test]
fn no_command_lets_a_script_write() {
    if !SOLVERS.iter().all(|solver| have(solver)) {
        return;
    }
    let count = std::env::var("AUSPEX_HOSTILE_SCRIPTS").ok();
    let count: u64 = count.and_then(|n| n.parse().ok()).unwrap_or(6);
    let place = Place::new("commands");
    let home = &place.root.0;
    let mut findings: Vec<Value> = Vec::new();
    for number in 0..count {
        let script = hostile_scripts::script(number, &place.wanted(number));
        findings.push(finding(number as usize, &script, &[]));
        std::fs::write(home.join(format!("{number}.smt2")), script).unwrap();
    }
    let out = home.join("campaign");
    campaign(&out, &findings);
    let out = out.display().to_string();
    for first in (0..count).step_by(LOOK as usize) {
        let numbers = first..count.min(first + LOOK);
        numbers.for_each(|number| one_by_one(&place, &out, number));
        place.check(&format!("scripts from {first}"));
    }
    for fence in [&[][..], &["--no-fence"]] {
        let recheck = ["recheck", &out, "--solver", SOLVERS[0], "--timeout", "2"];
        place.run(&[fence, &recheck[..]].concat());
        place.check("recheck");
    }
}

/// The commands that take one script or finding.
fn one_by_one(place: &Place, out: &str, number: u64) {
    let script = place.root.0.join(format!("{number}.smt2"));
    let script = script.display().to_string();
    let finding = format!("{out}/findings/wrong-sat-z3-{number:012x}");
    let solver = SOLVERS[number as usize % 2];
    let release = solver.trim_start_matches("z3@");
    let all = SOLVERS.iter().flat_map(|solver| ["--solver", solver]);
    let in_time = |command: &'static str| [command, "--timeout", "2"];
    let [check, reduce, replay, bisect] = ["check", "reduce", "replay", "bisect"].map(in_time);
    for (command, what, more) in [
        (check, &script, all.collect()),
        (
            reduce,
            &script,
            vec!["--solver", solver, "--budget", "2", "-o", "/dev/null"],
        ),
        (reduce, &finding, vec!["--budget", "2", "-o", "/dev/null"]),
        (replay, &finding, vec!["--solver", solver]),
        (
            bisect,
            &script,
            vec!["--solver", "z3", "--releases", release],
        ),
    ] {
        let words = [fence(number), &command[..], &[what], &more[..]].concat();
        place.run(&words);
    }
}
