//! Tests of shared campaigns on a real server.

#[path = "../../../tests/server/mod.rs"]
mod server;

mod tls;

use super::*;
use crate::store::conformance;
use server::Server;

fn store(server: &Server, database: &str, lease: f64) -> Postgres {
    let address = Address::with(&server.url(database), &|_| None).unwrap();
    Postgres::create(address, Duration::from_secs_f64(lease)).unwrap()
}

fn campaign() -> CampaignRow {
    CampaignRow {
        seed: 1,
        settings: "{}".to_string(),
        started: 2,
    }
}

fn finding(name: &str) -> FindingRow {
    FindingRow {
        fingerprint: name.to_string(),
        bucket: "b".to_string(),
        class: "crash".to_string(),
        solver: "z3".to_string(),
        id: format!("crash-{name}"),
        strategy: "construct".to_string(),
        found: 3,
        repeats: 0,
        reduced: false,
        json: "{}".to_string(),
    }
}

#[test]
fn keeps_what_every_store_must_keep() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = server.database();
    let reopen = &mut || Box::new(store(&server, &database, 1.5)) as Box<dyn Store>;
    let lapse = || std::thread::sleep(Duration::from_secs(2));
    conformance::check(reopen, &lapse);
}

#[test]
fn work_of_the_dead_is_taken_over_and_the_living_keep_theirs() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = server.database();
    let [mut one, mut two] = [0, 1].map(|_| store(&server, &database, 1.0));
    one.open(&campaign()).unwrap();
    assert_eq!(one.lease("dead", 3, 100).unwrap(), [0, 1, 2]);
    assert_eq!(one.lease("slow", 2, 100).unwrap(), [3, 4]);
    let wait = || std::thread::sleep(Duration::from_millis(700));
    wait();
    assert_eq!(one.renew("slow").unwrap(), [3, 4]);
    wait();
    assert_eq!(
        two.lease("new", 2, 100).unwrap(),
        [0, 1],
        "not more than asked for"
    );
    assert_eq!(
        two.lease("new", 3, 100).unwrap(),
        [2, 5, 6],
        "what slow has is kept"
    );
    one.finish("dead", &[0, 1]).unwrap();
    assert_eq!(one.finished().unwrap(), 0, "no longer its own");
    two.finish("new", &[0, 2, 5, 6]).unwrap();
    one.finish("slow", &[3]).unwrap();
    assert_eq!(one.finished().unwrap(), 5);
    assert_eq!(two.renew("new").unwrap(), [1]);
    two.release("new").unwrap();
    assert_eq!(
        one.lease("slow", 1, 100).unwrap(),
        [1],
        "given back at once"
    );
}

#[test]
fn many_take_blocks_at_once_and_none_twice() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = server.database();
    store(&server, &database, 60.0).open(&campaign()).unwrap();
    let take = |name: String| {
        let mut store = store(&server, &database, 60.0);
        let mut mine = Vec::new();
        for round in 0..30 {
            let blocks = store.lease(&name, 7, 1000).unwrap();
            match round % 5 {
                0 => store.release(&name).unwrap(),
                _ => {
                    store.finish(&name, &blocks).unwrap();
                    mine.extend(blocks);
                }
            }
        }
        mine
    };
    let mut all: Vec<u64> = std::thread::scope(|scope| {
        let names = (0..6).map(|n| format!("w{n}"));
        let threads: Vec<_> = names.map(|name| scope.spawn(|| take(name))).collect();
        threads
            .into_iter()
            .flat_map(|t| t.join().unwrap())
            .collect()
    });
    all.sort_unstable();
    let count = all.len() as u64;
    all.dedup();
    assert_eq!(all.len() as u64, count, "none was finished twice");
    let mut store = store(&server, &database, 60.0);
    assert_eq!(store.finished().unwrap(), count);
    let rest = store.lease("rest", 2000, 1000).unwrap();
    assert_eq!(rest.len() as u64 + count, 1000, "none is lost");
}

#[test]
fn news_are_told_once_and_to_everybody() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = server.database();
    let [mut one, mut two] = [0, 1].map(|_| store(&server, &database, 60.0));
    let nothing = two.news(Mark::default()).unwrap();
    assert!(nothing.findings.is_empty() && nothing.features.is_empty());
    one.put_findings(&[finding("f"), finding("g")]).unwrap();
    one.put_features(&[7, 9, 7]).unwrap();
    let news = two.news(nothing.mark).unwrap();
    assert_eq!(news.findings.len(), 2);
    assert_eq!(news.features.len(), 2);
    assert_eq!(two.news(news.mark).unwrap().findings, [], "told already");
    let reduced = FindingRow {
        reduced: true,
        json: "[]".to_string(),
        ..finding("f")
    };
    assert_eq!(one.put_findings(&[reduced]).unwrap(), [false]);
    assert_eq!(one.put_findings(&[finding("f")]).unwrap(), [false]);
    let news = two.news(news.mark).unwrap();
    assert_eq!(news.findings[0].json, "[]", "what was shrunk stays");
}

#[test]
fn it_comes_back_after_the_server_does_and_tells_no_secret() {
    let Some(mut server) = Server::start() else {
        return;
    };
    let database = server.database();
    let mut there = store(&server, &database, 60.0);
    there.open(&campaign()).unwrap();
    server.stop();
    let Err(StoreError::Away(why)) = there.finished() else {
        panic!("the server is stopped");
    };
    assert!(!why.contains(server::PASSWORD), "{why}");
    server.run();
    let back = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        there.finished().is_ok()
    });
    assert!(back, "it connects again by itself");
    let url = server
        .url(&database)
        .replace(server::PASSWORD, "not-the-password");
    let address = Address::with(&url, &|_| None).unwrap();
    let Err(error) = Postgres::create(address, LEASE) else {
        panic!("the password is wrong");
    };
    let said = format!("{error} {error:?}");
    assert!(
        said.contains("authentication") && !said.contains("not-the-password"),
        "{said}"
    );
}

#[test]
fn hostile_text_is_kept_and_a_newer_schema_is_refused() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = server.database();
    let mut there = store(&server, &database, 60.0);
    let defect = DefectRow {
        replay: "'; DROP TABLE findings; --".to_string(),
        message: "zero \0 byte".to_string(),
    };
    there.put_defects(std::slice::from_ref(&defect)).unwrap();
    let found = there.defects().unwrap().remove(0);
    assert_eq!(found.replay, defect.replay);
    assert_eq!(found.message, "zero \u{fffd} byte");
    there
        .execute("UPDATE auspex_schema SET version = 99", &[])
        .unwrap();
    let address = Address::with(&server.url(&database), &|_| None).unwrap();
    let newer = Postgres::create(address.clone(), LEASE);
    assert!(matches!(newer, Err(StoreError::TooNew { found: 99, .. })));
    assert!(matches!(
        Postgres::look(address),
        Err(StoreError::TooNew { .. })
    ));
    let empty = Address::with(&server.url(&server.database()), &|_| None).unwrap();
    assert!(matches!(Postgres::look(empty), Err(StoreError::Empty(_))));
}
