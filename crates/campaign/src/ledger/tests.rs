//! The ledger of one process, with a store on disk.

use super::index::EXAMPLES;
use super::*;
use crate::findings::finding::sample;
use crate::judge::fingerprint::BUCKET_LIMIT;
use crate::scratch::Scratch;
use crate::store::Sqlite;
use auspex_cases::Class;

fn open(scratch: &Scratch) -> Ledger {
    let folder = Folder::create(scratch.path()).unwrap();
    let store = Sqlite::create(&folder.database()).unwrap();
    let row = crate::store::CampaignRow {
        seed: 1,
        settings: String::new(),
        started: 0,
    };
    let mut store: Box<dyn Store> = Box::new(store);
    store.open(&row).unwrap();
    Ledger::open(store, folder, Some(3), true).unwrap()
}

fn identity(fingerprint: &str) -> Identity {
    Identity {
        class: Class::WrongSat,
        fingerprint: fingerprint.to_string(),
        bucket: "wrong-sat z3 core".to_string(),
        operators: Vec::new(),
    }
}

/// The trouble that is shown.
impl Ledger {
    fn told(&self) -> Option<String> {
        lock(&self.trouble).clone()
    }
}

fn numbers(ledger: &Ledger) -> Vec<u64> {
    let lease = |_| match ledger.lease() {
        Lease::Block { number, .. } => Some(number),
        Lease::Wait | Lease::Over => None,
    };
    (0..10).filter_map(lease).collect()
}

#[test]
fn unfinished_blocks_come_again_after_a_kill() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    assert_eq!(numbers(&ledger), [0, 1, 2, 3]);
    assert_eq!(ledger.lease(), Lease::Wait);
    ledger.finish(1);
    ledger.flush();
    ledger.finish(2);
    drop(ledger);
    let ledger = open(&scratch);
    assert_eq!(numbers(&ledger), [0, 2, 3]);
    for block in [0, 2, 3] {
        ledger.finish(block);
    }
    assert_eq!(ledger.lease(), Lease::Over);
}

#[test]
fn of_what_is_no_bug_some_examples_are_kept_and_told_apart() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    let slow = |number: usize| Identity {
        class: Class::Slowness,
        bucket: "performance z3 core".to_string(),
        ..identity(&format!("slow{number}"))
    };
    let mut kept = 0;
    for number in 0..10 {
        if ledger.sight(&slow(number), Context::OPEN) == Sighting::New {
            let mut finding = sample(&format!("slow{number}"));
            (finding.class, finding.bucket) = (Class::Slowness, slow(number).bucket);
            ledger.file(&slow(number), &finding);
            kept += 1;
        }
    }
    assert_eq!(kept, EXAMPLES);
    let mut status = Status::default();
    ledger.describe(&mut status);
    assert_eq!((status.findings(), status.besides()), (0, EXAMPLES as u64));
    assert_eq!((status.newest.len(), status.lesser.len()), (0, EXAMPLES));
    assert_eq!(ledger.next_reduction(Duration::MAX).map(|f| f.id), None);
    assert!(ledger.past().scripts.is_empty(), "no seeds for a later run");
}

#[test]
fn what_is_no_bug_and_does_not_show_again_is_tried_less_and_less() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    let tried = (0..64).filter(|number| {
        let slow = Identity {
            class: Class::Slowness,
            ..identity(&format!("slow{number}"))
        };
        let new = ledger.sight(&slow, Context::OPEN) == Sighting::New;
        if new {
            ledger.dismiss(&slow);
        }
        new
    });
    assert!(tried.count() < 9);
}

#[test]
fn a_bug_is_found_once_and_then_counted() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    assert_eq!(ledger.sight(&identity("f"), Context::OPEN), Sighting::New);
    assert_eq!(
        ledger.sight(&identity("f"), Context::OPEN),
        Sighting::Known,
        "being confirmed"
    );
    ledger.file(&identity("f"), &sample("f"));
    assert_eq!(ledger.sight(&identity("f"), Context::OPEN), Sighting::Known);
    ledger.flush();
    drop(ledger);
    let ledger = open(&scratch);
    assert_eq!(ledger.sight(&identity("f"), Context::OPEN), Sighting::Known);
    assert_eq!(ledger.index().lines[0].repeats, 2);
}

#[test]
fn what_does_not_show_again_may_be_tried_again_but_not_for_ever() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    let mut tried = 0;
    for _ in 0..1000 {
        if ledger.sight(&identity("f"), Context::OPEN) == Sighting::New {
            tried += 1;
            ledger.dismiss(&identity("f"));
        }
    }
    assert!((3..20).contains(&tried), "{tried}");
}

#[test]
fn a_flood_in_one_bucket_is_bounded() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    for number in 0..BUCKET_LIMIT {
        let name = format!("f{number}");
        assert_eq!(ledger.sight(&identity(&name), Context::OPEN), Sighting::New);
        ledger.file(&identity(&name), &sample(&name));
    }
    assert_eq!(
        ledger.sight(&identity("one more"), Context::OPEN),
        Sighting::Similar
    );
}

#[test]
fn findings_that_reduce_to_one_shape_are_one_bug() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    for name in ["f", "g"] {
        ledger.sight(&identity(name), Context::OPEN);
        ledger.file(&identity(name), &sample(name));
    }
    let mut all = Vec::new();
    while let Some(finding) = ledger.next_reduction(Duration::from_secs(100)) {
        assert!(
            ledger.next_reduction(Duration::from_secs(100)).is_none(),
            "one at a time"
        );
        let text = "(assert false)(check-sat)".to_string();
        let reduced = Reduced {
            source: None,
            model: None,
            false_step: None,
            steps: Vec::new(),
            text,
            identity: identity("shape"),
        };
        ledger.reduced(&finding.fingerprint, Some(reduced), Duration::from_secs(1));
        all.push(finding.id.to_string());
    }
    assert_eq!(all.len(), 2);
    let check = |ledger: &Ledger| {
        let mut status = Status::default();
        ledger.describe(&mut status);
        assert_eq!(status.findings(), 1);
        let stored: Vec<_> = all
            .iter()
            .filter_map(|id| ledger.writer().finding(id))
            .collect();
        assert_eq!(stored[0].same_as, None);
        assert_eq!(stored[1].same_as.as_ref(), Some(&all[0]));
        assert!(stored.iter().all(|f| f.reduced.is_some()));
    };
    check(&ledger);
    drop(ledger);
    check(&open(&scratch));
}

#[test]
fn reducing_keeps_to_its_share_of_the_time() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    for name in ["f", "g"] {
        ledger.file(&identity(name), &sample(name));
    }
    let finding = ledger.next_reduction(Duration::ZERO).unwrap();
    ledger.reduced(&finding.fingerprint, None, Duration::from_secs(10));
    assert!(ledger.next_reduction(Duration::from_secs(59)).is_none());
    assert!(ledger.next_reduction(Duration::from_secs(61)).is_some());
}

#[test]
fn a_finding_that_was_written_but_not_stored_is_entered_later() {
    let scratch = Scratch::new();
    let mut ledger = open(&scratch);
    ledger.writer().folder.write(&sample("f")).unwrap();
    drop(ledger);
    ledger = open(&scratch);
    assert_eq!(ledger.writer().store.findings().unwrap().len(), 1);
    assert_eq!(ledger.sight(&identity("f"), Context::OPEN), Sighting::Known);
}

#[test]
fn a_finding_that_cannot_be_written_is_kept_and_written_later() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    let findings = scratch.path().join("findings");
    std::fs::remove_dir(&findings).unwrap();
    std::fs::write(&findings, "in the way").unwrap();
    ledger.file(&identity("f"), &sample("f"));
    assert_eq!(ledger.unsaved().len(), 1);
    assert!(ledger.told().is_some());
    ledger.flush();
    assert_eq!(ledger.unsaved().len(), 1);
    std::fs::remove_file(&findings).unwrap();
    std::fs::create_dir(&findings).unwrap();
    ledger.flush();
    assert!(ledger.unsaved().is_empty() && ledger.told().is_none());
    assert_eq!(ledger.writer().folder.findings().0.len(), 1);
    assert_eq!(ledger.writer().store.findings().unwrap().len(), 1);
}

#[test]
fn when_room_is_short_likes_are_slimmed_and_the_first_stay_whole() {
    let scratch = Scratch::new();
    let ledger = open(&scratch);
    for (number, name) in ["a", "b", "c", "d", "e"].iter().enumerate() {
        let mut finding = sample(name);
        finding.script = format!("; {}\n(check-sat)", "long ".repeat(20_000));
        finding.reduced = Some("(check-sat)".to_string());
        finding.reduced_fingerprint = Some(format!("shape {number}"));
        finding.same_as = (number == 1).then(|| sample("a").id.to_string());
        ledger.file(&identity(name), &finding);
    }
    let scripts = |ledger: &Ledger| {
        let (findings, bad) = ledger.writer().folder.findings();
        assert!(bad.is_empty());
        let slim = findings.iter().filter(|f| f.slim);
        let slim: Vec<String> = slim.map(|f| f.fingerprint.clone()).collect();
        assert_eq!(findings.len(), 5, "none is given up");
        slim
    };
    ledger.limit_disk(None);
    ledger.flush();
    assert_eq!(scripts(&ledger), [""; 0], "no limit");
    ledger.writer().store.spare().unwrap();
    let all = ledger.writer().folder.size();
    ledger.limit_disk(Some(all - 100_000));
    ledger.flush();
    assert_eq!(
        scripts(&ledger),
        ["b"],
        "the same bug as another goes first"
    );
    assert_eq!(
        (ledger.told(), ledger.writer().room.most()),
        (None, BUCKET_LIMIT)
    );
    ledger.limit_disk(Some(1000));
    ledger.flush();
    assert_eq!(scripts(&ledger), ["b", "e"], "three of a kind stay whole");
    assert!(ledger.told().unwrap().contains("--disk-limit"));
    let rows = ledger.writer().store.findings().unwrap();
    let slim = rows.iter().filter(|row| row.json.len() < 50_000).count();
    assert_eq!((rows.len(), slim), (5, 2), "in the store, too");
    assert_eq!(
        ledger.sight(&identity("new"), Context::OPEN),
        Sighting::Similar
    );
}
