//! A campaign on a small disk: it says when the disk is full or its limit is reached, and loses no finding.

mod told;

use auspex_campaign::{Campaign, Status};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use told::{Scratch, findings, liar, setup};

/// A file system of a few megabytes, gone with the test.
struct Disk(PathBuf);

impl Disk {
    /// None, with a message, if we are not permitted to make one.
    fn new(scratch: &Scratch, size: &str) -> Option<Disk> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "auspex-test"]);
        let mounted = mount.arg(scratch.path()).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Disk(scratch.path().to_path_buf()));
        }
        eprintln!("SKIPPED: a small disk needs the right to mount one");
        None
    }

    /// Takes all the room that is left.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = std::fs::File::create(&path).unwrap();
        while file.write_all(&[b'.'; 4096]).is_ok() {}
        while file.write_all(b".").is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Ticks until something is so.
fn wait(campaign: &mut Campaign, what: &str, is_so: impl Fn(&Status) -> bool) -> Status {
    let started = Instant::now();
    loop {
        let status = campaign.tick();
        if is_so(&status) {
            return status;
        }
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "{what}: {status:?}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn shown(status: &Status) -> BTreeSet<String> {
    status.newest.iter().map(|line| line.id.clone()).collect()
}

fn on_disk(out: &Path) -> BTreeSet<String> {
    findings(out)
        .into_iter()
        .map(|finding| finding.id.to_string())
        .collect()
}

#[test]
fn a_full_disk_is_told_and_no_finding_is_lost() {
    let scratch = Scratch::new();
    let Some(disk) = Disk::new(&scratch, "6m") else {
        return;
    };
    let out = disk.0.join("out");
    let mut wanted = setup(vec![liar("flip", 3), liar("model", 7)], &out, 1 << 30);
    wanted.reduce = false;
    let mut campaign = Campaign::start(wanted).unwrap();
    wait(&mut campaign, "it begins", |status| status.tally.cases > 0);
    let filler = disk.fill();
    // The reserve is used up, too.
    std::fs::remove_file(out.join("reserve")).unwrap();
    let filler_too = disk.0.join("filler-too");
    let mut more = std::fs::File::create(&filler_too).unwrap();
    while more.write_all(&[b'.'; 4096]).is_ok() {}
    let full = wait(&mut campaign, "the disk is full", |status| {
        status.trouble.is_some()
    });
    let why = full.trouble.clone().unwrap();
    assert!(why.contains("full") || why.contains("space"), "{why}");
    std::fs::remove_file(filler).unwrap();
    std::fs::remove_file(filler_too).unwrap();
    let cases = full.tally.cases;
    let is_well = |status: &Status| {
        status.trouble.is_none() && status.unsaved == 0 && status.tally.cases > cases + 64
    };
    wait(&mut campaign, "there is room again", is_well);
    wait(&mut campaign, "it finds", |status| status.findings() > 0);
    let (status, unsaved) = campaign.end();
    assert!(unsaved.is_empty());
    assert!(shown(&status).is_subset(&on_disk(&out)));
    let again = setup(vec![liar("flip", 3), liar("model", 7)], &out, 16);
    let again = Campaign::start(again).unwrap();
    assert!(again.resumed(), "the store is whole");
    again.end();
}

#[test]
fn a_campaign_stays_within_its_limit_and_says_when_it_cannot() {
    let scratch = Scratch::new();
    let mut wanted = setup(vec![liar("flip", 3)], scratch.path(), 4096);
    // The reserve alone takes more.
    wanted.disk_limit = Some(1 << 20);
    wanted.reduce = false;
    let mut campaign = Campaign::start(wanted).unwrap();
    let short = wait(&mut campaign, "room is short", |status| {
        status
            .trouble
            .as_ref()
            .is_some_and(|why| why.contains("--disk-limit"))
    });
    assert!(short.disk > short.disk_limit && short.disk_limit == 1 << 20);
    wait(&mut campaign, "it goes on", |status| status.over);
    let (status, unsaved) = campaign.end();
    assert!(unsaved.is_empty() && status.findings() > 0);
    assert!(shown(&status).is_subset(&on_disk(scratch.path())));
    let mut wanted = setup(vec![liar("flip", 3)], scratch.path(), 8192);
    wanted.disk_limit = Some(1 << 30);
    let mut campaign = Campaign::start(wanted).unwrap();
    let status = wait(&mut campaign, "room enough", |status| status.disk > 0);
    assert_eq!(status.trouble, None);
    campaign.end();
}
