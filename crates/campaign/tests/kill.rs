//! Campaigns that are killed at any moment: whatever was shown is there and complete, and the campaign goes on.

mod told;

use auspex_campaign::store::{Sqlite, Store};
use auspex_campaign::{Campaign, Folder};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use told::{Scratch, liar, run, setup};

const CASES: u64 = 100_000;

/// The campaign that is killed; does nothing unless it is started by the test below.
#[test]
fn victim() {
    let Some(out) = std::env::var_os("AUSPEX_VICTIM") else {
        return;
    };
    let out = Path::new(&out);
    let solvers = vec![liar("flip", 3), liar("model", 5), liar("crash", 8)];
    let mut campaign = Campaign::start(setup(solvers, out, CASES)).unwrap();
    let mut options = std::fs::File::options();
    let mut shown = options
        .create(true)
        .append(true)
        .open(out.join("shown"))
        .unwrap();
    loop {
        std::thread::sleep(Duration::from_millis(5));
        for line in campaign.tick().newest {
            // In one piece: a kill may come between two writes.
            shown
                .write_all(format!("{}\n", line.id).as_bytes())
                .unwrap();
        }
    }
}

/// `AUSPEX_KILLS=200 cargo test -p auspex-campaign --test kill` for the long version.
#[test]
fn whatever_was_shown_survives_a_kill() {
    let kills = std::env::var("AUSPEX_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(10);
    let scratch = Scratch::new();
    let (mut finished, mut most) = (0, 0);
    for kill in 0..kills {
        let out = scratch.path().join(format!("c{}", kill / 10));
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "victim", "--nocapture"])
            .env("AUSPEX_VICTIM", &out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Different moments, the earliest before the store is there.
        std::thread::sleep(Duration::from_millis(kill * 7919 % 1000));
        victim.kill().unwrap();
        victim.wait().unwrap();
        if out.join("campaign.db").exists() {
            finished = check(&out, if kill % 10 == 0 { 0 } else { finished });
            most = most.max(finished);
        }
    }
    assert!(most > 0 || kills < 3, "it got somewhere");
    let last = scratch.path().join("c0");
    let status = run(setup(vec![liar("flip", 3)], &last, 64));
    assert!(status.trouble.is_none());
}

fn check(out: &Path, before: u64) -> u64 {
    let folder = Folder::create(out).unwrap();
    let (findings, unreadable) = folder.findings();
    assert!(unreadable.is_empty(), "{unreadable:?}");
    let there: BTreeSet<&str> = findings.iter().map(|f| f.id.as_str()).collect();
    let shown = std::fs::read_to_string(out.join("shown")).unwrap_or_default();
    // The last line may be cut.
    let complete = shown.rsplit_once('\n').map_or("", |(lines, _)| lines);
    for id in complete.lines() {
        assert!(there.contains(id), "{id} was shown and is not there");
    }
    let mut store = Sqlite::create(&folder.database()).unwrap();
    let rows = store.findings().unwrap();
    for id in complete.lines() {
        assert!(
            rows.iter().any(|row| row.id == id),
            "{id} is not in the store"
        );
    }
    let finished = store.finished().unwrap();
    assert!(finished >= before, "{finished} < {before}");
    finished
}
