//! The web page as its viewers meet it: by hand-written requests, and in a real browser.

mod browser;
mod common;

use auspex_campaign::Finding;
use auspex_campaign::findings::folder::Folder as Campaign;
use auspex_campaign::store::{DefectRow, FindingRow, SeedRow, Sqlite, StatisticsRow, Store};
use browser::Browser;
use common::server::{Server, code};
use common::{Folder, have};
use serde_json::json;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Text that runs where it is taken for markup.
const HOSTILE: &str = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'><svg onload=window.hacked=1>";

// ---- a campaign full of hostile text ----

fn finding(fingerprint: &str, class: &str, solver: &str, script: &str) -> Finding {
    let model = format!("((define-fun |{HOSTILE}| () Int 1))");
    let title = format!("{solver} 1.0 {HOSTILE}");
    let value = json!({
        "version": 2, "id": format!("{class}-{solver}-{fingerprint}"), "class": class,
        "fingerprint": fingerprint, "bucket": format!("{class} {solver} core+ints"),
        "accused": [title], "why": format!("because {HOSTILE}"), "site": "",
        "grounds": {"kind": "construction", "because": HOSTILE}, "accused_replies": [0],
        "script": script, "reduced": null, "query": 0,
        "evidence": {"kind": "core", "names": [HOSTILE], "because": HOSTILE},
        "replies": [
            {"solver": solver, "family": solver, "title": title, "release": "1.0", "options": [HOSTILE],
             "command": format!("/home/somebody/{solver} {HOSTILE}"), "mode": "fresh",
             "answer": {"word": "sat", "model": model}, "wall_ms": 1.0, "cpu_ms": 1.0},
            {"solver": "other", "family": "other", "title": HOSTILE, "release": null, "options": [], "command": "other",
             "mode": "fresh", "answer": {"word": "rejected", "why": "other", "message": HOSTILE},
             "wall_ms": 1.0, "cpu_ms": 1.0},
        ],
        "origin": {"strategy": "construct", "seed": HOSTILE, "steps": [HOSTILE]},
        "replay": HOSTILE,
        "seeds": [{"name": HOSTILE, "text": "(assert true)", "facts": facts()}],
        "setting": "fresh", "found": 1_794_000_000,
    });
    Finding::from_json(&value.to_string()).expect("a finding")
}

fn facts() -> serde_json::Value {
    json!({"status": "proved-sat", "models": [], "core": null, "theories": [HOSTILE],
           "answers": {HOSTILE: ["sat", 3]}, "set_aside": null})
}

fn row(finding: &Finding) -> FindingRow {
    FindingRow {
        fingerprint: finding.fingerprint.clone(),
        bucket: finding.bucket.clone(),
        class: finding.class.name().to_string(),
        solver: "z3".to_string(),
        id: finding.id.to_string(),
        strategy: "construct".to_string(),
        found: finding.found,
        repeats: 2,
        reduced: finding.reduced.is_some(),
        json: finding.to_json(),
    }
}

fn hostile_campaign(name: &str) -> Folder {
    let place = Folder::new(name);
    let campaign = Campaign::create(&place.0).expect("a folder");
    let mut store = Sqlite::create(&campaign.database()).expect("a store");
    let script = format!("(declare-const |{HOSTILE}| Int)(assert (> |{HOSTILE}| 1))(check-sat)");
    let found = [
        finding("aaa", "wrong-sat", "z3", &script),
        finding(
            "bbb",
            "wrong-unsat",
            "cvc5",
            "(declare-const needle Int)(assert (= needle 1))(check-sat)",
        ),
        finding("ccc", "crash", "z3", "(check-sat)"),
    ];
    for one in &found {
        campaign.write(one).expect("written");
    }
    store
        .put_findings(&found.each_ref().map(row))
        .expect("written");
    let history = json!({"known": null, "releases": {"solver": HOSTILE, "tried":
        [{"release": HOSTILE, "standing": HOSTILE, "answers": [HOSTILE]}], "right_with": [HOSTILE]}});
    let beside = place.0.join("findings/wrong-sat-z3-aaa/history.json");
    std::fs::write(beside, history.to_string()).expect("written");
    let seed = SeedRow {
        key: "1".to_string(),
        name: HOSTILE.to_string(),
        facts: facts().to_string(),
    };
    store.put_seeds(&[seed]).expect("written");
    let defect = DefectRow {
        replay: HOSTILE.to_string(),
        message: HOSTILE.to_string(),
    };
    store.put_defects(&[defect]).expect("written");
    let status = json!({"at": 1_794_000_001, "over": true, "trouble": HOSTILE,
        "classes": {HOSTILE: 1, "wrong-sat": 1},
        "tally": {"cases": 12, "modes": {HOSTILE: 1}, "strategies": {HOSTILE: {"cases": 3}},
            "solvers": {HOSTILE: {"answers": {"sat": 2, HOSTILE: 1}, "refusals": {HOSTILE: 1}}}}});
    let row = StatisticsRow {
        at: 1_794_000_001,
        json: status.to_string(),
    };
    store.put_statistics(&row).expect("written");
    place
}

// ---- the program and plain requests ----

const PAGES: [&str; 8] = [
    "/",
    "/findings",
    "/findings?all=1",
    "/findings/wrong-sat-z3-aaa",
    "/findings/crash-z3-ccc",
    "/seeds",
    "/solvers",
    "/workers",
];

#[test]
fn every_page_reads_without_a_script_and_hostile_text_is_escaped() {
    let folder = hostile_campaign("pages");
    let server = Server::start(&folder.0, &["--allow-actions"]);
    for path in PAGES {
        let reply = server.get(path, "");
        assert_eq!(code(&reply), "200", "{path}: {reply}");
        let (head, body) = reply.split_once("\r\n\r\n").expect("a body");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: same-origin",
        ] {
            assert!(head.contains(header), "{path}: {head}");
        }
        for markup in [
            "<script>",
            "<img",
            "onload=window.hacked=1>",
            " style=",
            "<svg onload",
        ] {
            assert!(!body.contains(markup), "{path} holds {markup}");
        }
        assert!(
            body.contains("window.hacked") || path == "/workers",
            "{path} shows the text"
        );
    }
    let page = server.get("/findings/wrong-unsat-cvc5-bbb", "");
    assert!(
        page.contains("needle") && page.contains("# cvc5 1.0"),
        "script and report"
    );
    assert!(
        !page.contains("/home/somebody"),
        "no folders of the machine it ran on"
    );
}

#[test]
fn addresses_never_become_paths_and_files_are_only_text() {
    let folder = hostile_campaign("paths");
    std::fs::write(folder.0.join("secret.smt2"), "secret").expect("written");
    let server = Server::start(&folder.0, &[]);
    for path in [
        "/../campaign.db",
        "/findings/../../secret.smt2",
        "/findings/..%2f..%2fsecret.smt2",
        "/findings/%2e%2e/secret.smt2",
        "/findings/wrong-sat-z3-aaa/../../secret.smt2",
        "/findings/wrong-sat-z3-aaa/..%2f..%2f..%2fsecret.smt2",
        "/findings/wrong-sat-z3-aaa/history.json",
        "/findings/nothing",
        "/style.css/..",
        "/%00",
    ] {
        let reply = server.get(path, "");
        assert_eq!(code(&reply), "404", "{path}: {reply}");
    }
    let file = server.get("/findings/wrong-sat-z3-aaa/finding.json", "");
    assert!(
        file.contains("content-type: text/plain") && file.contains("attachment"),
        "{file}"
    );
    assert!(
        file.contains("<script>"),
        "a file is not escaped, so it must not be a page"
    );
}

#[test]
fn only_those_with_the_right_name_and_token_are_served() {
    let folder = hostile_campaign("token");
    let token = "a token of some length";
    let server = Server::start(&folder.0, &["--token", token]);
    assert_eq!(code(&server.get("/", "")), "401");
    assert_eq!(code(&server.get("/events", "")), "401");
    assert_eq!(code(&server.get("/?token=other", "")), "401");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(code(&server.get("/", &bearer)), "200");
    let rebound =
        format!("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n{bearer}\r\n");
    assert_eq!(code(&server.ask(&rebound)), "421");
    let kept = server.get("/seeds?token=a%20token%20of%20some%20length&q=x", "");
    assert_eq!(code(&kept), "303");
    assert!(kept.contains("location: /seeds?q=x\r\n"), "{kept}");
    let cookie = kept
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .expect("a cookie");
    let cookie = cookie.split(';').next().unwrap_or("");
    assert_eq!(
        code(&server.get("/seeds", &format!("Cookie: {cookie}\r\n"))),
        "200"
    );
    let open = common::auspex(&["serve", folder.path(), "--listen", "0.0.0.0:0"]);
    assert_eq!(open.status.code(), Some(2), "{}", common::said(&open));
    let short = common::auspex(&["serve", folder.path(), "--token", "short"]);
    assert_eq!(short.status.code(), Some(2));
}

#[test]
fn nothing_changes_unless_it_was_allowed_and_asked_from_the_page_itself() {
    let folder = hostile_campaign("actions");
    let path = "/findings/wrong-sat-z3-aaa";
    let file = folder.0.join("auspex-bugs.toml");
    let own = "Origin: http://HOST\r\n";
    let form = "action=state&state=invalid&why=%3Cscript%3Eold";
    {
        let server = Server::start(&folder.0, &[]);
        assert_eq!(code(&server.post(path, own, form)), "403", "only shows");
    }
    let server = Server::start(&folder.0, &["--allow-actions"]);
    assert_eq!(code(&server.post(path, "", form)), "403", "no origin");
    assert_eq!(
        code(&server.post(path, "Origin: http://evil.example\r\n", form)),
        "403"
    );
    assert_eq!(code(&server.post("/findings/..%2f", own, form)), "404");
    assert_eq!(
        code(&server.post(path, own, "action=recheck&solver=sh+-c+true")),
        "409"
    );
    for wrong in [
        "state=closed",
        "state=reported",
        "state=duplicate&of=wrong-sat-z3-aaa",
    ] {
        let form = format!("action=state&{wrong}");
        assert_eq!(code(&server.post(path, own, &form)), "409", "{wrong}");
    }
    assert!(!file.exists());
    assert_eq!(code(&server.post(path, own, form)), "303");
    let after = std::fs::read_to_string(&file).expect("a file of bugs");
    assert!(after.contains("why = \"<script>old\""), "{after}");
    let listed = common::said(&common::auspex(&["findings", folder.path()]));
    assert!(listed.contains("invalid: <script>old"), "{listed}");
}

#[test]
fn an_installed_release_is_asked_again() {
    if !have("z3@4.13.0") {
        return;
    }
    let folder = hostile_campaign("recheck");
    let server = Server::start(&folder.0, &["--allow-actions"]);
    let path = "/findings/crash-z3-ccc";
    assert!(server.get(path, "").contains("<option>z3 4.13.0</option>"));
    let form = "action=recheck&solver=z3+4.13.0";
    let reply = server.post(path, "Origin: http://HOST\r\n", form);
    assert_eq!(code(&reply), "303", "{reply}");
    let start = std::time::Instant::now();
    while !server.get(path, "").contains("asked again</th>") {
        assert!(start.elapsed() < Duration::from_secs(40), "it answered");
        std::thread::sleep(Duration::from_millis(200));
    }
}

// ---- in a browser ----

#[test]
fn hostile_text_is_text_in_a_browser() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = hostile_campaign("hostile");
    let server = Server::start(&folder.0, &["--allow-actions"]);
    let mut browser = Browser::start(program);
    for path in PAGES {
        browser.open(&server.url(path));
        // Until the page has loaded itself again: text comes in that way, too.
        let again = format!(
            "performance.getEntriesByType('resource').some(e => e.name === {})",
            json!(server.url(path))
        );
        browser.wait(&again);
        browser.value("document.querySelectorAll('details').forEach(d => d.open = true)");
        assert_eq!(
            browser.value("window.hacked === undefined"),
            json!(true),
            "{path}"
        );
        let foreign = browser
            .value("document.querySelectorAll('main script, main img, main svg[onload]').length");
        assert_eq!(foreign, json!(0), "{path}");
        let shown = browser.text("document.body.innerText");
        assert!(
            shown.contains("<script>window.hacked=1</script>"),
            "{path}: {shown}"
        );
    }
    assert_eq!(browser.complaints, [""; 0], "no page broke its own policy");
    // The other half: markup that does come in still cannot run.
    browser.value(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked=1\">')",
    );
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(browser.value("window.hacked === undefined"), json!(true));
}

#[test]
fn lists_are_filtered_and_walked_through_by_keys() {
    let Some(program) = browser::program() else {
        return;
    };
    let folder = hostile_campaign("keys");
    let server = Server::start(&folder.0, &[]);
    let mut browser = Browser::start(program);
    browser.open(&server.url("/findings"));
    let rows = "document.querySelectorAll('.row').length";
    assert_eq!(browser.value(rows), json!(3));
    browser.press("Tab");
    assert_eq!(browser.text("document.activeElement.className"), "skip");
    // Search by typing.
    browser.press("/");
    assert_eq!(browser.text("document.activeElement.id"), "search");
    for letter in ["n", "e", "e", "d", "l", "e"] {
        browser.press(letter);
    }
    browser.press("Enter");
    browser.wait("location.search.includes('q=needle') && document.readyState === 'complete'");
    assert_eq!(browser.value(rows), json!(1));
    // A menu filters by itself.
    browser.open(&server.url("/findings"));
    browser.value("(() => { const m = document.querySelector('select[name=class]'); m.value = 'crash'; m.dispatchEvent(new Event('change')); })()");
    browser.wait("location.search.includes('class=crash') && document.readyState === 'complete'");
    assert_eq!(browser.value(rows), json!(1));
    // From row to row, into a finding, to the next one.
    browser.open(&server.url("/findings?q="));
    let focused = "document.activeElement.getAttribute('href') || ''";
    let links: Vec<String> = (1..=3)
        .map(|n| {
            browser.text(&format!(
                "document.querySelector('.row:nth-child({n}) > a').getAttribute('href')"
            ))
        })
        .collect();
    for (key, at) in [
        ("j", 0),
        ("j", 1),
        ("j", 2),
        ("j", 2),
        ("k", 1),
        ("k", 0),
        ("k", 0),
    ] {
        browser.press(key);
        assert_eq!(browser.text(focused), links[at], "{key}");
    }
    browser.press("Enter");
    browser.wait(&format!(
        "location.pathname === '{}' && document.readyState === 'complete'",
        links[0]
    ));
    browser.press("c");
    browser.wait("document.querySelector('[data-copy]').textContent === 'Copied'");
    browser.press("j");
    browser.wait(&format!("location.pathname === '{}'", links[1]));
    // On a phone nothing sticks out sideways.
    let phone = json!({"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true});
    browser.call("Emulation.setDeviceMetricsOverride", phone);
    for path in PAGES {
        browser.open(&server.url(path));
        let wide = browser.value("document.documentElement.scrollWidth");
        assert!(wide.as_u64() <= Some(360), "{path} is {wide} wide");
    }
}

/// A campaign that runs until the test is over.
struct Fuzz(Child);

impl Drop for Fuzz {
    fn drop(&mut self) {
        let id = self.0.id().to_string();
        let _ = Command::new("kill").args(["-INT", &id]).output();
        let _ = self.0.wait();
    }
}

#[test]
fn numbers_move_while_a_campaign_runs() {
    let Some(program) = browser::program() else {
        return;
    };
    if !have("z3@4.13.0") {
        return;
    }
    let folder = Folder::new("live");
    let out = folder.0.join("out");
    let fuzz = Command::new(env!("CARGO_BIN_EXE_auspex"))
        .args([
            "fuzz",
            "--solver",
            "z3@4.13.0",
            "--workers",
            "1",
            "--strategy",
            "construct",
            "--time",
            "60s",
            "--out",
        ])
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let _fuzz = Fuzz(fuzz);
    let start = std::time::Instant::now();
    while Sqlite::look(&out.join("campaign.db")).is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the campaign began"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    let server = Server::start(&out, &[]);
    let mut browser = Browser::start(program);
    browser.open(&server.url("/"));
    browser.value("window.stayed = true");
    let cases = "document.querySelector('#numbers div:nth-child(2) dd').textContent";
    let mut seen = browser.text(cases);
    for _ in 0..2 {
        browser.wait(&format!("{cases} !== {}", json!(seen)));
        seen = browser.text(cases);
        assert_eq!(
            browser.text("document.getElementById('doing').textContent"),
            "running"
        );
    }
    assert_eq!(
        browser.value("window.stayed"),
        json!(true),
        "without loading the page anew"
    );
    assert_eq!(browser.complaints, [""; 0]);
}
