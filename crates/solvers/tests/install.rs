//! Installation by name, from a folder of wheels that the test makes: whole or not at all, once, and again without asking anybody.

use auspex_solvers::cache::Cache;
use auspex_solvers::install::{Progress, Want, install};
use auspex_solvers::profile::Profile;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROFILE: &str = "name='made-up'\ntitle='Made Up'\nhome='https://example.org'\nprograms=['made-up']\n\
    version=['--version']\nstdin=[]\nmodes=['fresh']\nlogics=['ALL']\n\
    [packages.pip]\nname='auspex-made-up-solver'\nprogram='made-up'\n";

/// A wheel with a shell script that answers `sat`; written with Python's own zip, as a real one would be.
const MAKE_WHEEL: &str = r#"
import sys, zipfile
folder, version, answer = sys.argv[1:4]
name = "auspex_made_up_solver-" + version
script = '''#!/bin/sh
if [ "$1" = --version ]; then echo "made-up %s"; exit; fi
sed -n 's/.*(check-sat).*/%s/p; s/.*(echo "\\([^"]*\\)").*/\\1/p'
''' % (version, answer)
with zipfile.ZipFile("%s/%s-py3-none-any.whl" % (folder, name), "w") as wheel:
    wheel.writestr(name + ".data/data/bin/made-up", script)
    info = name + ".dist-info/"
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: auspex-made-up-solver\nVersion: %s\n" % version)
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", "")
"#;

/// A folder for one test, with wheels and a cache; removed at the end.
struct Place {
    folder: PathBuf,
}

impl Place {
    /// `None` where there is no pip to test with.
    fn new(name: &str) -> Option<Place> {
        let pip = Command::new("python3")
            .args(["-m", "pip", "--version"])
            .output();
        if !pip.is_ok_and(|output| output.status.success()) {
            println!("no pip here: nothing to test");
            return None;
        }
        let folder =
            std::env::temp_dir().join(format!("auspex-test-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("wheels")).unwrap();
        Some(Place { folder })
    }

    fn wheel(&self, version: &str, answer: &str) {
        let status = Command::new("python3")
            .args(["-c", MAKE_WHEEL])
            .arg(self.folder.join("wheels"))
            .args([version, answer])
            .status();
        assert!(status.unwrap().success());
    }

    /// This test program again, as a user's process with its own environment.
    fn command(&self, want: &str, online: bool) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let wheels = if online { "wheels" } else { "nothing" };
        command
            .args(["--exact", "installing_process", "--nocapture"])
            .env("AUSPEX_TEST_INSTALL", want)
            .env("AUSPEX_CACHE", self.folder.join("cache"))
            .env("PIP_NO_INDEX", "1")
            .env("PIP_FIND_LINKS", self.folder.join(wheels))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn install(&self, want: &str, online: bool) -> String {
        said(&self.command(want, online).output().unwrap())
    }

    fn cache(&self) -> Cache {
        Cache::at(self.folder.join("cache"))
    }

    /// Folders of unfinished installations.
    fn leftovers(&self) -> usize {
        let entries = std::fs::read_dir(self.folder.join("cache/solvers"));
        let names = entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name());
        names
            .filter(|name| name.to_string_lossy().starts_with(".staging"))
            .count()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn said(output: &Output) -> String {
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let own = lines.lines().filter_map(|line| line.split("SAYS ").nth(1));
    own.collect::<Vec<_>>().join("\n")
}

/// Not a test by itself: the process of a user, started by the tests below.
#[test]
fn installing_process() {
    let Ok(want) = std::env::var("AUSPEX_TEST_INSTALL") else {
        return;
    };
    let profile = Profile::read("made-up", PROFILE).unwrap();
    let want = Want::read(Some(want.as_str())).unwrap();
    let result = install(
        &profile,
        &want,
        &Cache::of_user().unwrap(),
        &mut |progress| match progress {
            Progress::Present { .. } => println!("SAYS present"),
            Progress::Bringing { channel, .. } => println!("SAYS bringing {channel}"),
            Progress::Waiting { .. } | Progress::Refused { .. } => {}
            Progress::Probing { .. } | Progress::Done { .. } => {}
        },
    );
    match result {
        Ok(entry) => println!("SAYS installed {}", entry.installed.version),
        Err(_) => println!("SAYS failed"),
    }
}

#[test]
fn a_release_is_brought_once_and_reused_without_asking() {
    let Some(place) = Place::new("once") else {
        return;
    };
    place.wheel("1.2.0.0", "sat");
    place.wheel("1.10.1", "sat");
    assert_eq!(
        place.install("1.2.0", true),
        "bringing pip\ninstalled 1.2.0.0"
    );
    assert_eq!(place.install("1.2.0", false), "present\ninstalled 1.2.0.0");
    assert_eq!(
        place.install("latest", true),
        "bringing pip\ninstalled 1.10.1"
    );
    assert_eq!(place.install("", false), "present\ninstalled 1.10.1");
    assert_eq!(place.install("7.7", true), "bringing pip\nfailed");
    assert_eq!(place.leftovers(), 0);
}

#[test]
fn what_does_not_answer_is_not_installed() {
    let Some(place) = Place::new("mute") else {
        return;
    };
    place.wheel("1.0", "perhaps");
    assert_eq!(place.install("1.0", true), "bringing pip\nfailed");
    assert!(place.cache().entries().is_empty());
    assert_eq!(place.leftovers(), 0);
}

#[test]
fn processes_that_want_the_same_bring_it_once() {
    let Some(place) = Place::new("parallel") else {
        return;
    };
    place.wheel("1.0", "sat");
    let users: Vec<Child> = (0..4)
        .map(|_| place.command("1.0", true).spawn().unwrap())
        .collect();
    let mut said: Vec<String> = users
        .into_iter()
        .map(|user| said(&user.wait_with_output().unwrap()))
        .collect();
    said.sort();
    assert_eq!(said[0], "bringing pip\ninstalled 1.0");
    assert!(
        said[1..].iter().all(|one| one == "present\ninstalled 1.0"),
        "{said:?}"
    );
}

#[test]
fn an_interruption_leaves_nothing_that_looks_whole() {
    let Some(place) = Place::new("killed") else {
        return;
    };
    place.wheel("1.0", "sat");
    let mut user = place.command("1.0", true).spawn().unwrap();
    let started = Instant::now();
    while place.leftovers() == 0 && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
    user.kill().unwrap();
    user.wait().unwrap();
    assert!(place.cache().entries().is_empty());
    assert_eq!(place.install("1.0", true), "bringing pip\ninstalled 1.0");
    assert_eq!(place.leftovers(), 0);
}

#[test]
fn damage_is_noticed_and_removal_removes() {
    let Some(place) = Place::new("damage") else {
        return;
    };
    place.wheel("1.0", "sat");
    place.install("1.0", true);
    let cache = place.cache();
    let entry = cache.entries().pop().unwrap();
    assert_eq!(entry.installed.packages.len(), 1);
    assert!(entry.damaged().is_empty());
    std::fs::write(entry.folder.join("made-up"), "changed").unwrap();
    assert_eq!(entry.damaged(), ["made-up"]);
    cache.remove(&entry).unwrap();
    assert!(cache.entries().is_empty());
    assert!(!Path::new(&entry.folder).exists());
}
