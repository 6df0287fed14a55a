//! One campaign on many machines, as far as one machine can show it: eight processes and a real PostgreSQL.

mod common;
#[path = "../../campaign/tests/server/mod.rs"]
mod server;

use common::*;
use server::{PASSWORD, Server};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WORKERS: usize = 8;
const BLOCK: u64 = 16;
const BLOCKS: u64 = 192;
const LONGEST: Duration = Duration::from_secs(300);

/// One process of the campaign.
struct Worker {
    folder: PathBuf,
    process: Child,
    killed: bool,
}

impl Worker {
    fn start(place: &Path, number: usize, url: &str, solver: &[&str]) -> Worker {
        let folder = place.join(format!("w{number}"));
        std::fs::create_dir_all(&folder).unwrap();
        let process = Worker::process(&folder, "trace", url, solver);
        Worker {
            folder,
            process,
            killed: false,
        }
    }

    /// Starts again where it was killed, as a site does: what could not be delivered is delivered now.
    fn start_again(&mut self, url: &str) {
        self.process = Worker::process(&self.folder, "trace-again", url, &[]);
    }

    fn process(folder: &Path, trace: &str, url: &str, solver: &[&str]) -> Child {
        let mut said = std::fs::File::options();
        let said = said.create(true).append(true).open(folder.join("said"));
        let cases = (BLOCKS * BLOCK).to_string();
        Command::new(env!("CARGO_BIN_EXE_auspex"))
            .args([
                "fuzz",
                "--plain",
                "--workers",
                "1",
                "--seed",
                "7",
                "--cases",
                &cases,
            ])
            .args(["--strategy", "construct", "--theories", "arrays,bv,core"])
            .args(["--mode", "push-pop", "--options", "none", "--lease", "10"])
            .args(["--store", url])
            .args(solver)
            .arg("--trace")
            .arg(folder.join(trace))
            .arg("--out")
            .arg(folder.join("out"))
            .stdout(Stdio::null())
            .stderr(said.unwrap())
            .spawn()
            .expect("the program starts")
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.folder.join("said")).unwrap_or_default()
    }

    /// The blocks of which it made a case.
    fn blocks(&self) -> BTreeSet<u64> {
        let trace = std::fs::read_to_string(self.folder.join("trace")).unwrap_or_default();
        // The last line of a killed process may be cut.
        let whole = trace.rsplit_once('\n').map_or("", |(lines, _)| lines);
        let number = |line: &str| line.split(' ').next()?.parse::<u64>().ok();
        whole
            .lines()
            .filter_map(number)
            .map(|n| n / BLOCK)
            .collect()
    }

    /// The fingerprints of what it found, as its own disk has them.
    fn found(&self) -> BTreeSet<String> {
        let findings = std::fs::read_dir(self.folder.join("out/findings"));
        let names = findings.into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| !name.starts_with('.')).collect()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn finished(server: &Server, database: &str) -> u64 {
    let answer = server.ask(database, "SELECT coalesce(max(finished), 0) FROM campaign");
    answer.parse().unwrap_or(0)
}

/// Kills three at random moments, and restarts the database once.
fn disturb(workers: &mut [Worker], server: &mut Server, database: &str, started: Instant) {
    let nanos = std::time::UNIX_EPOCH
        .elapsed()
        .map_or(0, |t| t.subsec_nanos() as u64);
    let mut kills: Vec<(u64, usize)> = (0..3u64)
        .map(|kill| {
            let at = (nanos >> (4 * kill)) % (BLOCKS / 2) + BLOCKS / 8;
            (at, (nanos as usize / 7 + 3 * kill as usize) % WORKERS)
        })
        .collect();
    kills.sort_unstable();
    let mut restart = Some(BLOCKS / 3);
    while !kills.is_empty() || restart.is_some() {
        assert!(started.elapsed() < LONGEST, "it takes too long");
        std::thread::sleep(Duration::from_millis(100));
        let done = finished(server, database);
        if restart.is_some_and(|at| done >= at) {
            server.stop();
            std::thread::sleep(Duration::from_millis(nanos % 1500));
            server.run();
            restart = None;
        }
        if kills.first().is_some_and(|(at, _)| done >= *at) {
            let (_, number) = kills.remove(0);
            workers[number].process.kill().unwrap();
            workers[number].process.wait().unwrap();
            workers[number].killed = true;
        }
    }
}

fn wait(workers: &mut [Worker], started: Instant) {
    for worker in workers {
        let code = loop {
            assert!(
                started.elapsed() < LONGEST,
                "it takes too long: {}",
                worker.said()
            );
            if let Some(status) = worker.process.try_wait().unwrap() {
                break status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        assert!(matches!(code, Some(0 | 1)), "{code:?}: {}", worker.said());
    }
}

#[test]
fn workers_die_and_the_database_restarts_and_nothing_is_lost_or_done_twice() {
    let Some(mut server) = Server::start() else {
        return;
    };
    if !have("z3@4.13.0") {
        return;
    }
    let place = Folder::new("many");
    let database = server.database();
    let url = server.url(&database);
    let started = Instant::now();
    let begin = |number| {
        // The first one begins the campaign; the others need to know nothing but its place.
        let solver: &[&str] = if number == 0 {
            &["--solver", "z3@4.13.0"]
        } else {
            &[]
        };
        Worker::start(&place.0, number, &url, solver)
    };
    let mut workers = vec![begin(0)];
    while server.ask(&database, "SELECT to_regclass('campaign') IS NOT NULL") != "t"
        || server.ask(&database, "SELECT count(*) FROM campaign") != "1"
    {
        assert!(started.elapsed() < LONGEST, "{}", workers[0].said());
        std::thread::sleep(Duration::from_millis(100));
    }
    workers.extend((1..WORKERS).map(begin));
    disturb(&mut workers, &mut server, &database, started);
    let (mut dead, mut living): (Vec<_>, Vec<_>) = workers.into_iter().partition(|w| w.killed);
    wait(&mut living, started);
    for worker in &mut dead {
        worker.start_again(&url);
    }
    wait(&mut dead, started);
    living.extend(dead);
    let workers = living;
    books_are_in_order(&workers, &server, &database);
    findings_are_all_there(&workers, &server, &database);
    for worker in &workers {
        assert!(!worker.said().contains(PASSWORD), "{}", worker.said());
        assert!(
            worker.said().matches("TROUBLE").count() < 10,
            "{}",
            worker.said()
        );
    }
    others_can_see_it(&url);
}

/// Every block was finished once, and made twice only if who made it first was killed.
fn books_are_in_order(workers: &[Worker], server: &Server, database: &str) {
    let state = "SELECT next_block, finished, (SELECT count(*) FROM spans) FROM campaign";
    assert_eq!(server.ask(database, state), format!("{BLOCKS}|{BLOCKS}|0"));
    let mut makers: BTreeMap<u64, Vec<&Worker>> = BTreeMap::new();
    for worker in workers {
        for block in worker.blocks() {
            makers.entry(block).or_default().push(worker);
        }
    }
    let made: Vec<u64> = makers.keys().copied().collect();
    assert_eq!(made, (0..BLOCKS).collect::<Vec<_>>());
    for (block, makers) in &makers {
        let lived = makers.iter().filter(|worker| !worker.killed).count();
        assert!(lived <= 1, "block {block} was done by {lived}");
    }
    let busy = workers.iter().filter(|worker| !worker.blocks().is_empty());
    assert!(busy.count() > WORKERS / 2, "the work was shared");
}

/// What is on any disk is in the database, once, with its script.
fn findings_are_all_there(workers: &[Worker], server: &Server, database: &str) {
    let stored = server.ask(database, "SELECT id FROM findings ORDER BY id");
    let stored: Vec<&str> = stored.lines().collect();
    let unique: BTreeSet<String> = stored.iter().map(|id| id.to_string()).collect();
    assert_eq!(unique.len(), stored.len(), "each once");
    let found: BTreeSet<String> = workers.iter().flat_map(Worker::found).collect();
    assert!(!found.is_empty(), "z3 4.13.0 is wrong about arrays");
    assert_eq!(unique, found);
}

/// A machine that took no part sees counts, findings and scripts.
fn others_can_see_it(url: &str) {
    let status = auspex(&["status", "--store", url, "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert!(status["tally"]["cases"].as_u64().unwrap() > BLOCKS);
    let findings = auspex(&["findings", "--store", url, "--json"]);
    assert_eq!(findings.status.code(), Some(1), "{}", said(&findings));
    let findings: serde_json::Value = serde_json::from_slice(&findings.stdout).unwrap();
    let id = findings[0]["id"].as_str().unwrap();
    assert!(
        findings[0]["script"]
            .as_str()
            .unwrap()
            .contains("(check-sat)")
    );
    let replayed = auspex(&["replay", id, "--store", url]);
    assert_eq!(replayed.status.code(), Some(1), "{}", said(&replayed));
    let wrong = url.replace(PASSWORD, "not-the-password");
    let refused = auspex(&["status", "--store", &wrong]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(
        !said(&refused).contains("not-the-password"),
        "{}",
        said(&refused)
    );
}
