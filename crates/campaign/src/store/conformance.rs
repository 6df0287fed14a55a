//! Tests that every implementation of the store must pass. `reopen` opens the same store again, as after a kill;
//! `lapse` waits until earlier leases have expired.

use super::{
    CampaignRow, DefectRow, FindingRow, JobRow, ScriptRow, SeedRow, StatisticsRow, Store, WorkerRow,
};

pub(crate) fn check(reopen: &mut dyn FnMut() -> Box<dyn Store>, lapse: &dyn Fn()) {
    campaign(reopen);
    leases(reopen, lapse);
    jobs(reopen, lapse);
    features(reopen);
    findings(reopen);
    workers(reopen);
    rest(reopen);
}

fn campaign(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    let first = CampaignRow {
        seed: u64::MAX,
        settings: "{}".into(),
        started: 5,
    };
    let other = CampaignRow {
        seed: 1,
        settings: "[]".into(),
        started: 6,
    };
    assert_eq!(reopen().campaign().unwrap(), None);
    assert_eq!(reopen().open(&first).unwrap(), first);
    assert_eq!(reopen().campaign().unwrap().as_ref(), Some(&first));
    assert_eq!(reopen().open(&other).unwrap(), first, "the first one stays");
}

fn leases(reopen: &mut dyn FnMut() -> Box<dyn Store>, lapse: &dyn Fn()) {
    let mut store = reopen();
    assert_eq!(store.lease("a", 2, 100).unwrap(), [0, 1]);
    assert_eq!(store.lease("b", 2, 100).unwrap(), [2, 3]);
    assert_eq!(store.renew("b").unwrap(), [2, 3]);
    store.finish("a", &[1, 2]).unwrap();
    store.finish("a", &[1]).unwrap();
    assert_eq!(store.finished().unwrap(), 1, "its own, and once");
    store.finish("b", &[2]).unwrap();
    assert_eq!(store.renew("b").unwrap(), [3]);
    drop(store);
    lapse();
    let mut store = reopen();
    store.reclaim("c").unwrap();
    assert_eq!(
        store.lease("c", 3, 100).unwrap(),
        [0, 3, 4],
        "unfinished first"
    );
    assert_eq!(
        store.lease("c", 3, 6).unwrap(),
        [5],
        "none beyond the limit"
    );
    assert_eq!(store.lease("c", 3, 6).unwrap(), [0u64; 0]);
    store.release("c").unwrap();
    assert_eq!(store.lease("d", 1, 6).unwrap(), [0], "given back");
}

fn jobs(reopen: &mut dyn FnMut() -> Box<dyn Store>, lapse: &dyn Fn()) {
    let job = |kind: &str, finding: &str| JobRow {
        number: 0,
        kind: kind.to_string(),
        finding: finding.to_string(),
        details: "{}".to_string(),
        attempts: 0,
    };
    let mut store = reopen();
    let rows = [job("reduce", "f"), job("bisect", "f"), job("reduce", "f")];
    store.put_jobs(&rows).unwrap();
    store.put_jobs(&rows[..1]).unwrap();
    assert_eq!(store.jobs().unwrap().len(), 2, "each is there once");
    let first = store
        .take_job("a", &["reduce", "recheck"])
        .unwrap()
        .unwrap();
    assert_eq!((first.kind.as_str(), first.attempts), ("reduce", 0));
    assert_eq!(
        store.take_job("b", &["reduce"]).unwrap(),
        None,
        "it is taken"
    );
    store.end_job("b", first.number, true).unwrap();
    assert_eq!(store.jobs().unwrap().len(), 2, "not b's to end");
    lapse();
    store.reclaim("b").unwrap();
    let again = store.take_job("b", &["reduce"]).unwrap().unwrap();
    assert_eq!((again.number, again.attempts), (first.number, 1));
    store.end_job("b", again.number, true).unwrap();
    let left = store.jobs().unwrap();
    assert_eq!((left.len(), left[0].kind.as_str()), (1, "bisect"));
    for _ in 0..super::ATTEMPTS {
        assert!(store.take_job("c", &["bisect"]).unwrap().is_some());
        store.end_job("c", left[0].number, false).unwrap();
    }
    assert_eq!(store.take_job("c", &["bisect"]).unwrap(), None, "given up");
    store.put_jobs(&[job("recheck", "f")]).unwrap();
    for _ in 0..2 * super::ATTEMPTS {
        assert!(store.take_job("d", &["recheck"]).unwrap().is_some());
        store.release("d").unwrap();
    }
    let left = store.jobs().unwrap();
    assert_eq!(left[1].attempts, 0, "who ends in order has not failed");
}

fn workers(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    let mut store = reopen();
    for name in ["x", "y", "z"] {
        store.put_worker(name, "1").unwrap();
    }
    let rows = store.workers().unwrap();
    let sum = WorkerRow {
        owner: "sum".into(),
        seen: 5,
        json: "2".into(),
    };
    let mut other = rows[..2].to_vec();
    other[1].seen += 1;
    assert!(!store.retire(&other, &sum).unwrap(), "one was heard of");
    assert_eq!(store.workers().unwrap(), rows);
    assert!(store.retire(&rows[..2], &sum).unwrap());
    assert_eq!(reopen().workers().unwrap(), [sum.clone(), rows[2].clone()]);
    let again = [sum.clone(), rows[2].clone()];
    assert!(
        store.retire(&again, &sum).unwrap(),
        "a sum is part of the next"
    );
    let none = store.retire(std::slice::from_ref(&sum), &rows[0]).unwrap();
    assert!(none && store.retire(&rows[..1], &rows[0]).unwrap());
}

fn features(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    reopen().put_features(&[7, u64::MAX]).unwrap();
    reopen().put_features(&[8, 7]).unwrap();
    let mut features = reopen().features().unwrap();
    features.sort_unstable();
    assert_eq!(features, [7, 8, u64::MAX]);
}

fn findings(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    let row = |fingerprint: &str, json: &str| FindingRow {
        fingerprint: fingerprint.into(),
        bucket: "b".into(),
        class: "crash".into(),
        solver: "z3".into(),
        id: format!("crash-{fingerprint}"),
        strategy: "construct".into(),
        found: 3,
        repeats: 0,
        reduced: false,
        json: json.into(),
    };
    let mut store = reopen();
    assert_eq!(
        store.put_findings(&[row("f", "1"), row("g", "2")]).unwrap(),
        [true, true]
    );
    store
        .add_repeats(&[("f".into(), 2), ("unknown".into(), 1)])
        .unwrap();
    assert_eq!(
        store.put_findings(&[row("f", "3"), row("h", "4")]).unwrap(),
        [false, true]
    );
    let all = reopen().findings().unwrap();
    assert_eq!(
        all[0],
        FindingRow {
            repeats: 2,
            ..row("f", "3")
        },
        "unique, replaced, still counted"
    );
    assert_eq!(all.len(), 3);
    let shrunk = FindingRow {
        reduced: true,
        ..row("g", "5")
    };
    store.put_findings(&[shrunk]).unwrap();
    store.put_findings(&[row("g", "6")]).unwrap();
    let found = store.finding("crash-g").unwrap().unwrap();
    assert_eq!((found.json.as_str(), found.reduced), ("5", true));
    assert_eq!(store.finding("crash-unknown").unwrap(), None);
    store.put_history("crash-g", "1").unwrap();
    store.put_history("crash-g", "2").unwrap();
    let histories = reopen().histories().unwrap();
    assert_eq!(histories, [("crash-g".to_string(), "2".to_string())]);
}

fn rest(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    let seed = SeedRow {
        key: "k".into(),
        name: "n".into(),
        facts: "{}".into(),
    };
    let defect = DefectRow {
        replay: "r".into(),
        message: "m".into(),
    };
    let mut store = reopen();
    store.put_seeds(&[seed.clone(), seed.clone()]).unwrap();
    store
        .put_defects(&[defect.clone(), defect.clone()])
        .unwrap();
    let script = ScriptRow {
        key: "k".into(),
        name: "n".into(),
        text: "(check-sat)".into(),
    };
    store
        .put_scripts(&[script.clone(), script.clone()])
        .unwrap();
    store.put_features(&[8, 9]).unwrap();
    store.put_worker("a", "1").unwrap();
    store.put_worker("a", "2").unwrap();
    assert!(store.take_turn(2).unwrap());
    for at in [1, 2, 3] {
        store
            .put_statistics(&StatisticsRow {
                at,
                json: at.to_string(),
            })
            .unwrap();
    }
    drop(store);
    let mut store = reopen();
    assert_eq!(store.seeds().unwrap(), [seed]);
    assert_eq!(store.scripts().unwrap(), [script]);
    assert!(store.features().unwrap().contains(&9));
    let workers = store.workers().unwrap();
    assert_eq!((workers.len(), workers[0].json.as_str()), (2, "2"));
    assert!(workers[0].seen > 1_000_000_000);
    assert!(!store.take_turn(2).unwrap(), "it has been written");
    assert_eq!(store.defects().unwrap(), [defect]);
    let since: Vec<u64> = store
        .statistics(2)
        .unwrap()
        .iter()
        .map(|row| row.at)
        .collect();
    assert_eq!(since, [2, 3]);
}
