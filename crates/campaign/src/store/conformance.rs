//! What every store must do, whatever it is made of. `reopen` opens the same store again, as after a kill.

use super::{CampaignRow, DefectRow, FindingRow, FoldRow, SeedRow, StatisticsRow, Store, YieldRow};

pub(crate) fn check(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    campaign(reopen);
    leases(reopen);
    yields(reopen);
    findings(reopen);
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
    assert_eq!(reopen().open(&first).unwrap(), first);
    assert_eq!(reopen().open(&other).unwrap(), first, "the first one stays");
}

fn leases(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    let mut store = reopen();
    assert_eq!(store.lease("a", 2, 100).unwrap(), [0, 1]);
    assert_eq!(store.lease("b", 2, 100).unwrap(), [2, 3]);
    store.finish(&[1, 2]).unwrap();
    store.finish(&[1]).unwrap();
    assert_eq!(store.finished().unwrap(), 2, "a block counts once");
    drop(store);
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
}

fn yields(reopen: &mut dyn FnMut() -> Box<dyn Store>) {
    let row = |block| YieldRow {
        block,
        strategy: "s".into(),
        cases: 16,
        features: vec![block, u64::MAX],
    };
    let mut store = reopen();
    store.put_yields(&[row(1), row(0), row(2)]).unwrap();
    assert_eq!(reopen().yields(0, 2).unwrap(), [row(0), row(1)]);
    let fold = |epoch, features: &[u64]| FoldRow {
        epoch,
        state: format!("{epoch}"),
        features: features.into(),
    };
    store.fold(&fold(0, &[7, u64::MAX]), 2, 2).unwrap();
    assert_eq!(
        store.yields(0, 9).unwrap(),
        [row(2)],
        "folded yields are forgotten"
    );
    store.fold(&fold(1, &[8, 7]), 2, 2).unwrap();
    store.fold(&fold(2, &[]), 2, 2).unwrap();
    assert_eq!(store.folds().unwrap(), [fold(1, &[]), fold(2, &[])]);
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
    assert_eq!(store.defects().unwrap(), [defect]);
    let since: Vec<u64> = store
        .statistics(2)
        .unwrap()
        .iter()
        .map(|row| row.at)
        .collect();
    assert_eq!(since, [2, 3]);
}
