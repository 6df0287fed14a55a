//! How long workers wait for their next block while the disk is slow.
//!
//! ```text
//! cargo bench -p auspex-campaign --bench leases
//! ```
//!
//! Eight workers lease, make and finish blocks of two milliseconds for ten seconds, while every write to the store takes
//! a tenth of a second and the ledger is flushed every half second.

use auspex_campaign::findings::folder::Folder;
use auspex_campaign::ledger::{Lease, Ledger};
use auspex_campaign::schedule::arms::Arms;
use auspex_campaign::schedule::plan::Menu;
use auspex_campaign::store::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const WORKERS: usize = 8;
const TIME: Duration = Duration::from_secs(10);
const BLOCK: Duration = Duration::from_millis(2);
const SLOW: Duration = Duration::from_millis(100);
const FLUSH: Duration = Duration::from_millis(500);

/// A store on a slow disk.
struct SlowStore(Sqlite);

impl Store for SlowStore {
    fn open(&mut self, wanted: &CampaignRow) -> Result<CampaignRow, StoreError> {
        self.0.open(wanted)
    }

    fn campaign(&mut self) -> Result<Option<CampaignRow>, StoreError> {
        self.0.campaign()
    }

    fn shared(&self) -> Option<Duration> {
        self.0.shared()
    }

    fn lease(&mut self, owner: &str, count: usize, limit: u64) -> Result<Vec<u64>, StoreError> {
        std::thread::sleep(SLOW);
        self.0.lease(owner, count, limit)
    }

    fn reclaim(&mut self, owner: &str) -> Result<(), StoreError> {
        self.0.reclaim(owner)
    }

    fn renew(&mut self, owner: &str) -> Result<Vec<u64>, StoreError> {
        self.0.renew(owner)
    }

    fn release(&mut self, owner: &str) -> Result<(), StoreError> {
        self.0.release(owner)
    }

    fn finish(&mut self, owner: &str, blocks: &[u64]) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.finish(owner, blocks)
    }

    fn finished(&mut self) -> Result<u64, StoreError> {
        self.0.finished()
    }

    fn put_features(&mut self, features: &[u64]) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_features(features)
    }

    fn features(&mut self) -> Result<Vec<u64>, StoreError> {
        self.0.features()
    }

    fn put_findings(&mut self, rows: &[FindingRow]) -> Result<Vec<bool>, StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_findings(rows)
    }

    fn findings(&mut self) -> Result<Vec<FindingRow>, StoreError> {
        self.0.findings()
    }

    fn finding(&mut self, id: &str) -> Result<Option<FindingRow>, StoreError> {
        self.0.finding(id)
    }

    fn add_repeats(&mut self, rows: &[(String, u64)]) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.add_repeats(rows)
    }

    fn put_history(&mut self, id: &str, json: &str) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_history(id, json)
    }

    fn histories(&mut self) -> Result<Vec<(String, String)>, StoreError> {
        self.0.histories()
    }

    fn put_seeds(&mut self, rows: &[SeedRow]) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_seeds(rows)
    }

    fn seeds(&mut self) -> Result<Vec<SeedRow>, StoreError> {
        self.0.seeds()
    }

    fn put_scripts(&mut self, rows: &[ScriptRow]) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_scripts(rows)
    }

    fn scripts(&mut self) -> Result<Vec<ScriptRow>, StoreError> {
        self.0.scripts()
    }

    fn put_statistics(&mut self, row: &StatisticsRow) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_statistics(row)
    }

    fn statistics(&mut self, since: u64) -> Result<Vec<StatisticsRow>, StoreError> {
        self.0.statistics(since)
    }

    fn put_worker(&mut self, owner: &str, json: &str) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_worker(owner, json)
    }

    fn workers(&mut self) -> Result<Vec<WorkerRow>, StoreError> {
        self.0.workers()
    }

    fn retire(&mut self, gone: &[WorkerRow], sum: &WorkerRow) -> Result<bool, StoreError> {
        self.0.retire(gone, sum)
    }

    fn take_turn(&mut self, at: u64) -> Result<bool, StoreError> {
        self.0.take_turn(at)
    }

    fn put_jobs(&mut self, rows: &[JobRow]) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_jobs(rows)
    }

    fn take_job(&mut self, owner: &str, kinds: &[&str]) -> Result<Option<JobRow>, StoreError> {
        self.0.take_job(owner, kinds)
    }

    fn end_job(&mut self, owner: &str, number: u64, done: bool) -> Result<(), StoreError> {
        self.0.end_job(owner, number, done)
    }

    fn jobs(&mut self) -> Result<Vec<JobRow>, StoreError> {
        self.0.jobs()
    }

    fn spare(&mut self) -> Result<(), StoreError> {
        self.0.spare()
    }

    fn put_defects(&mut self, rows: &[DefectRow]) -> Result<(), StoreError> {
        std::thread::sleep(SLOW);
        self.0.put_defects(rows)
    }

    fn defects(&mut self) -> Result<Vec<DefectRow>, StoreError> {
        self.0.defects()
    }

    fn news(&mut self, since: Mark) -> Result<News, StoreError> {
        self.0.news(since)
    }
}

fn ledger(folder: &std::path::Path) -> Ledger {
    let folder = Folder::create(folder).expect("a folder");
    let mut store = Sqlite::create(&folder.database()).expect("a store");
    let row = CampaignRow {
        seed: 1,
        settings: String::new(),
        started: 0,
    };
    store.open(&row).expect("a campaign");
    let store = Box::new(SlowStore(store));
    let ledger = Ledger::open(store, folder, None, false).expect("a ledger");
    ledger.schedule(Menu::default(), Arms::default());
    ledger
}

/// Works until told to stop. Returns how long each block was waited for.
fn work(ledger: &Ledger, stop: &AtomicBool) -> Vec<Duration> {
    let mut waits = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let asked = Instant::now();
        let number = loop {
            match ledger.lease() {
                Lease::Block { number, .. } => break number,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        waits.push(asked.elapsed());
        ledger.made(&[number]);
        std::thread::sleep(BLOCK);
        ledger.finish(number);
    }
    waits
}

fn main() {
    let path = std::env::temp_dir().join(format!("auspex-leases-{}", std::process::id()));
    let ledger = ledger(&path);
    let (stop, all) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let waits = work(&ledger, &stop);
                all.lock().expect("no panic").extend(waits);
            });
        }
        let started = Instant::now();
        while started.elapsed() < TIME {
            ledger.flush();
            std::thread::sleep(FLUSH);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let mut waits = all.into_inner().expect("no panic");
    waits.sort_unstable();
    let sum: Duration = waits.iter().sum();
    let share = 100.0 * sum.as_secs_f64() / (TIME.as_secs_f64() * WORKERS as f64);
    let longest = waits.last().copied().unwrap_or_default();
    println!(
        "{} blocks; waiting {share:.1} % of the workers' time, longest {:.0} ms",
        waits.len(),
        longest.as_secs_f64() * 1000.0
    );
    let _ = std::fs::remove_dir_all(&path);
}
