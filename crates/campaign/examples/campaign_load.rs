//! What a real campaign of several processes costs one PostgreSQL: starts a server of its own in a temporary folder
//! and `auspex fuzz --store` so many times, and counts cases, statements and the server's processor time, after the
//! start-up and in all. `cargo run --release -p auspex-campaign --example campaign_load -- target/release/auspex 8 180
//! --solver z3 --strategy construct` is 8 processes for 180 seconds; what follows goes to each process.

#[path = "../tests/server/mod.rs"]
mod server;

use server::Server;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Counts at one moment.
#[derive(Clone, Copy, Default)]
struct Counts {
    at: f64,
    cases: f64,
    calls: f64,
    cpu: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, processes, seconds, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: campaign_load PROGRAM PROCESSES SECONDS [OPTION OF FUZZ…]");
        return;
    };
    let (Ok(processes), Ok(seconds)) = (processes.parse::<u64>(), seconds.parse::<u64>()) else {
        eprintln!("how many processes, and for how many seconds?");
        return;
    };
    let settings = ["shared_preload_libraries=pg_stat_statements"];
    let Some(server) = Server::with(&settings) else {
        return;
    };
    let database = server.database();
    server.ask(&database, "CREATE EXTENSION pg_stat_statements");
    server.ask(&database, "SELECT pg_stat_statements_reset()");
    let started = Instant::now();
    let start = |number| process(program, &server, &database, number, seconds, rest);
    let mut all = vec![start(0)];
    // The first begins the campaign, the others join it.
    while server.ask(&database, "SELECT to_regclass('campaign') IS NOT NULL") != "t" {
        std::thread::sleep(Duration::from_millis(200));
    }
    all.extend((1..processes).map(start));
    let half = started + Duration::from_secs(seconds / 2);
    let look = || counts(&server, &database, started);
    std::thread::sleep(half.saturating_duration_since(Instant::now()));
    let middle = look();
    let late = started + Duration::from_secs(seconds * 19 / 20);
    std::thread::sleep(late.saturating_duration_since(Instant::now()));
    let last = look();
    for process in &mut all {
        let code = process.wait().ok().and_then(|status| status.code());
        if !matches!(code, Some(0 | 1)) {
            eprintln!("a process ended with {code:?}");
        }
    }
    let end = look();
    println!(
        "{processes} processes, {seconds} s, fuzz {}",
        rest.join(" ")
    );
    tell("in all", Counts::default(), end, processes);
    tell("from the middle to nearly the end", middle, last, processes);
    let found = "SELECT (SELECT count(*) FROM findings) || ' findings, ' ||
        (SELECT count(*) FROM features) || ' features'";
    println!("{}", server.ask(&database, found));
    let top = "SELECT calls || ' x ' || round(mean_exec_time::numeric, 3) || ' ms  ' ||
        left(regexp_replace(query, '\\s+', ' ', 'g'), 70) FROM pg_stat_statements
        ORDER BY calls DESC LIMIT 16";
    println!("{}", server.ask(&database, top));
}

fn process(
    program: &str,
    server: &Server,
    database: &str,
    number: u64,
    seconds: u64,
    rest: &[String],
) -> Child {
    let out = server.folder().join(format!("out-{number}"));
    Command::new(Path::new(program))
        .args(["fuzz", "--plain", "--quiet", "--workers", "1"])
        .args(["--time", &format!("{seconds}s")])
        .args(["--store", &server.url(database)])
        .arg("--out")
        .arg(out)
        .args(rest)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// The statements of this example itself are left out.
fn counts(server: &Server, database: &str, started: Instant) -> Counts {
    let number = |sql: &str| server.ask(database, sql).parse().unwrap_or(0.0);
    let calls =
        "SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'
        AND query NOT LIKE '%to_regclass(''campaign%' AND query NOT LIKE '%tally%' AND dbid =
        (SELECT oid FROM pg_database WHERE datname = current_database())";
    let cases = "SELECT sum((json::json->'tally'->>'cases')::bigint) FROM workers";
    Counts {
        at: started.elapsed().as_secs_f64(),
        cases: number(cases),
        calls: number(calls),
        cpu: server.cpu(),
    }
}

fn tell(when: &str, from: Counts, to: Counts, processes: u64) {
    let (time, cases) = (to.at - from.at, to.cases - from.cases);
    let (calls, cpu) = (to.calls - from.calls, to.cpu - from.cpu);
    println!(
        "{when}: {cases:.0} cases in {time:.0} s, {:.1} a second",
        cases / time
    );
    println!(
        "  {calls:.0} statements: {:.2} a process-second, {:.5} a case",
        calls / (time * processes as f64),
        calls / cases
    );
    println!(
        "  {cpu:.2} processor seconds of the server: {:.3} % of a core for each process, \
         {:.3} % for each 1,000 cases/s, {:.0} µs a statement",
        100.0 * cpu / (time * processes as f64),
        100.0 * cpu / (cases / 1000.0),
        cpu * 1e6 / calls
    );
}
