//! Findings as somebody else may send them, and a campaign that holds them.

use auspex_campaign::findings::folder::Folder as Campaign;
use auspex_campaign::store::{CampaignRow, FindingRow, Sqlite, Store};
use serde_json::{Value, json};
use std::path::Path;

/// A finding as somebody may send it: the script, the options and the release are theirs.
pub fn finding(number: usize, script: &str, options: &[&str]) -> Value {
    let id = format!("wrong-sat-z3-{number:012x}");
    json!({
        "version": 2, "id": id, "class": "wrong-sat", "fingerprint": format!("{number:012x}"),
        "bucket": "wrong-sat z3 core", "accused": ["z3 5.4.0"], "why": "because", "site": "",
        "script": script, "query": 0, "evidence": {"kind": "none-known"},
        "grounds": {"kind": "false-by-evaluation", "assertion": "false", "forced": false}, "accused_replies": [0],
        "replies": [{
            "solver": "z3", "family": "z3", "title": "z3 5.4.0", "release": "5.4.0", "options": options,
            "command": "z3 script.smt2", "mode": "fresh", "answer": {"word": "sat", "model": null},
            "wall_ms": 1.0, "cpu_ms": 1.0,
        }],
        "origin": {"strategy": "construct", "seed": null, "steps": []},
        "replay": "strategy=construct seed=1 case=2 solvers=z3@5.4.0%20trace=true,/bin/sh",
        "setting": "fresh", "found": 1,
    })
}

/// A campaign that holds these findings, however odd they are.
pub fn campaign(path: &Path, findings: &[Value]) {
    let folder = Campaign::create(path).unwrap();
    let mut store = Sqlite::create(&folder.database()).unwrap();
    let row = CampaignRow {
        seed: 1,
        settings: "{}".to_string(),
        started: 1,
    };
    store.open(&row).unwrap();
    for (number, finding) in findings.iter().enumerate() {
        let text = |key: &str| finding[key].as_str().unwrap_or("").to_string();
        let place = path
            .join("findings")
            .join(format!("wrong-sat-z3-{number:012x}"));
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("finding.json"), finding.to_string()).unwrap();
        let row = FindingRow {
            fingerprint: text("fingerprint"),
            bucket: text("bucket"),
            class: text("class"),
            solver: "z3".to_string(),
            id: text("id"),
            strategy: "construct".to_string(),
            found: 1,
            repeats: 0,
            reduced: false,
            json: finding.to_string(),
        };
        store.put_findings(&[row]).unwrap();
    }
}
