//! What workers cost one PostgreSQL: makes the calls of many workers as fast as the server answers, and counts its
//! statements and its processor time. `cargo run -p auspex-campaign --example store_load -- 16 300 1000`
//! is 16 workers, 300 seconds of their time, 1,000 cases a second each.

#[path = "../tests/server/mod.rs"]
mod server;

use auspex_campaign::store::{Address, CampaignRow, Mark, Postgres, Store, StoreError};
use server::Server;
use std::time::{Duration, Instant};

/// Cases in a block.
const BLOCK: u64 = 16;
/// A status of one process takes about so many bytes.
const STATUS: usize = 6_000;

fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let [workers, seconds, rate] = numbers[..] else {
        eprintln!("usage: store_load WORKERS SECONDS CASES-PER-SECOND");
        return;
    };
    let settings = [
        "shared_preload_libraries=pg_stat_statements",
        "max_connections=300",
    ];
    let Some(server) = Server::with(&settings) else {
        return;
    };
    let database = server.database();
    server.ask(&database, "CREATE EXTENSION pg_stat_statements");
    let row = CampaignRow {
        seed: 1,
        settings: "{}".to_string(),
        started: 0,
    };
    connect(&server, &database).open(&row).expect("a campaign");
    server.ask(&database, "SELECT pg_stat_statements_reset()");
    let (before, started) = (server.cpu(), Instant::now());
    std::thread::scope(|scope| {
        for number in 0..workers {
            let (server, database) = (&server, &database);
            scope.spawn(move || {
                let mut store = connect(server, database);
                live(&mut store, &format!("w{number}"), seconds, rate).expect("the store answers");
            });
        }
    });
    let wall = started.elapsed().as_secs_f64();
    // Children that have ended count for their parent only then.
    std::thread::sleep(Duration::from_millis(500));
    let used = server.cpu() - before;
    let calls = "SELECT sum(calls) FROM pg_stat_statements WHERE dbid =
        (SELECT oid FROM pg_database WHERE datname = current_database())";
    let calls: f64 = server.ask(&database, calls).parse().unwrap_or(0.0);
    let (time, cases) = (
        (workers * seconds) as f64,
        (workers * seconds * rate) as f64,
    );
    println!("{workers} workers, {seconds} s each at {rate} cases/s, in {wall:.1} s of ours");
    println!(
        "statements: {calls}, {:.2} a worker-second, {:.6} a case",
        calls / time,
        calls / cases
    );
    println!(
        "processor seconds of the server: {used:.2}, {:.1} µs a statement",
        used * 1e6 / calls
    );
    println!(
        "for each 1,000 cases/s: {:.4} % of a core",
        100.0 * used / (cases / 1000.0)
    );
    println!(
        "one core serves {:.0} workers of {rate} cases/s",
        time / used
    );
    let top = "SELECT calls || ' x ' || round(mean_exec_time::numeric, 3) || ' ms  ' ||
        left(regexp_replace(query, '\\s+', ' ', 'g'), 70) FROM pg_stat_statements
        ORDER BY total_exec_time DESC LIMIT 8";
    println!("{}", server.ask(&database, top));
}

fn connect(server: &Server, database: &str) -> Postgres {
    let address = Address::read(&server.url(database)).expect("an address");
    Postgres::create(address, Duration::from_secs(120)).expect("a server")
}

/// What a worker asks of the store in so many seconds of its life, without the waits in between.
fn live(store: &mut Postgres, owner: &str, seconds: u64, rate: u64) -> Result<(), StoreError> {
    let status = "x".repeat(STATUS);
    let per_lease = (rate * 20 / BLOCK).clamp(8, 4096) as usize;
    let mut mark = Mark::default();
    let (mut ready, mut done) = (Vec::new(), 0);
    for second in 0..seconds {
        if ready.len() < per_lease / 2 {
            ready.extend(store.lease(owner, per_lease, i64::MAX as u64)?);
        }
        if second % 5 == 4 {
            let end = ((second + 1) * rate / BLOCK - done).min(ready.len() as u64);
            let finished: Vec<u64> = ready.drain(..end as usize).collect();
            done += end;
            store.finish(owner, &finished)?;
            store.put_features(&[second * 31, second * 37])?;
            store.take_job(owner, &["reduce"])?;
            store.take_job(owner, &["recheck", "bisect"])?;
        }
        if second % 10 == 9 {
            store.put_worker(owner, &status)?;
        }
        if second % 15 == 14 {
            mark = store.news(mark)?.mark;
        }
        if second % 30 == 29 {
            store.renew(owner)?;
            if store.take_turn(second / 30)? {
                store.workers()?;
            }
        }
    }
    store.release(owner)
}
