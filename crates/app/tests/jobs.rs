//! Jobs that people queue in a shared campaign, and the workers with time that do them; and campaigns that are
//! brought together in a database.

mod common;
#[path = "../../campaign/tests/server/mod.rs"]
mod server;

use common::*;
use server::{PASSWORD, Server};
use std::process::Output;

const CASES: &str = "1024";

fn fuzz(url: &str, out: &str, more: &[&str]) -> Output {
    let mut arguments = vec!["fuzz", "--plain", "--workers", "2", "--seed", "7"];
    arguments.extend(["--cases", CASES, "--strategy", "construct"]);
    arguments.extend(["--theories", "arrays,bv,core", "--mode", "push-pop"]);
    arguments.extend([
        "--options",
        "none",
        "--lease",
        "20",
        "--solver",
        "z3@4.13.0",
    ]);
    arguments.extend(["--store", url, "--out", out]);
    arguments.extend(more);
    let output = auspex(&arguments);
    assert!(!said(&output).contains(PASSWORD), "{}", said(&output));
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        said(&output)
    );
    output
}

fn done(arguments: &[&str]) -> Output {
    let output = auspex(arguments);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        said(&output)
    );
    output
}

#[test]
fn what_is_queued_is_done_by_who_has_time() {
    let Some(server) = Server::start() else {
        return;
    };
    if !have("z3@4.13.0") {
        return;
    }
    let place = Folder::new("jobs");
    let out = |name: &str| place.0.join(name).display().to_string();
    let database = server.database();
    let url = server.url(&database);
    let ask = |sql: &str| server.ask(&database, sql);
    fuzz(&url, &out("first"), &["--no-reduce"]);
    let found: usize = ask("SELECT count(*) FROM findings").parse().unwrap();
    assert!(found > 0, "z3 4.13.0 is wrong about arrays");
    assert_eq!(ask("SELECT count(*) FROM jobs"), "0");
    assert_eq!(ask("SELECT count(*) FROM findings WHERE reduced"), "0");

    let queued = done(&["reduce", "--store", &url, "--queue"]);
    assert!(said(&queued).contains("for a worker"), "{}", said(&queued));
    let id = ask("SELECT id FROM findings ORDER BY number LIMIT 1");
    done(&[
        "recheck",
        "--store",
        &url,
        "--solver",
        "z3@4.13.0",
        "--queue",
    ]);
    // Asked for twice, it is one job.
    for _ in 0..2 {
        done(&[
            "bisect",
            &id,
            "--store",
            &url,
            "--releases",
            "4.13.0",
            "--trusted",
            "z3@4.13.0",
            "--queue",
        ]);
    }
    let waiting = ask("SELECT string_agg(n, ' ' ORDER BY n) FROM
        (SELECT kind || count(*) AS n FROM jobs GROUP BY kind) AS k");
    assert_eq!(waiting, format!("bisect1 recheck{found} reduce{found}"));
    let status = done(&["status", "--store", &url]);
    assert!(
        said(&status).contains(&format!("waiting: bisect {id}")),
        "{}",
        said(&status)
    );

    // All cases are tested: whoever joins now has time.
    let helped = fuzz(&url, &out("second"), &[]);
    let left = ask("SELECT kind, attempts, owner FROM jobs WHERE kind <> 'reduce'");
    assert_eq!(left, "", "{}", said(&helped));
    assert_ne!(ask("SELECT count(*) FROM findings WHERE reduced"), "0");
    let history = ask(&format!("SELECT json FROM histories WHERE id = '{id}'"));
    assert!(
        history.contains("rechecks") && history.contains("4.13.0"),
        "{history}"
    );
    assert!(history.contains("releases"), "{history}");

    by_hand(&url, &server, &database);
    brought_together(&url, &place, &server);
}

/// `auspex reduce NAME --store` shrinks here and keeps the result there.
fn by_hand(url: &str, server: &Server, database: &str) {
    let id = server.ask(database, "SELECT id FROM findings ORDER BY number LIMIT 1");
    let json = "UPDATE findings SET reduced = false, json =
        jsonb_set(json::jsonb, '{reduced}', 'null')::text";
    server.ask(database, json);
    let output = done(&["reduce", &id, "--store", url, "--budget", "60"]);
    assert!(said(&output).contains("(check-sat)"), "{}", said(&output));
    let reduced = format!(
        "SELECT reduced AND json::json->>'reduced' LIKE '%(check-sat)%'
        AND json::json->>'reduced_fingerprint' <> '' FROM findings WHERE id = '{id}'"
    );
    assert_eq!(server.ask(database, &reduced), "t");
    let again = done(&["reduce", &id, "--store", url, "--queue"]);
    assert!(said(&again).contains("already"), "{}", said(&again));
    let unknown = auspex(&["reduce", "no-such-finding", "--store", url]);
    assert_eq!(unknown.status.code(), Some(2), "{}", said(&unknown));
}

/// From a database into a folder, and from the folder into another database.
fn brought_together(url: &str, place: &Folder, server: &Server) {
    let folder = place.0.join("merged").display().to_string();
    let merged = done(&["merge", &folder, url]);
    assert!(
        !said(&merged).contains("0 new findings"),
        "{}",
        said(&merged)
    );
    let count = |text: &str| text.split(" new").next().unwrap().trim().to_string();
    let new = count(&said(&merged));
    let other = server.url(&server.database());
    let back = done(&["merge", "--store", &other, &folder]);
    assert_eq!(count(&said(&back)), new, "{}", said(&back));
    let again = done(&["merge", "--store", &other, &folder, url]);
    assert_eq!(count(&said(&again)), "0", "{}", said(&again));
    let findings = done(&["findings", "--store", &other, "--json"]);
    let findings: serde_json::Value = serde_json::from_slice(&findings.stdout).unwrap();
    assert!(!findings.as_array().unwrap().is_empty());
    for wrong in [
        vec!["merge", url, folder.as_str()],
        vec!["merge", folder.as_str()],
    ] {
        assert_eq!(auspex(&wrong).status.code(), Some(2));
    }
}
