//! Jobs of a shared campaign: `recheck` and `bisect` put them into the queue, and every `auspex fuzz --store`
//! does them beside its own work, with a small share of the time.

use super::{bisect, place, recheck};
use crate::exit::Failure;
use crate::terminal::Terminal;
use auspex_campaign::ledger::job;
use auspex_campaign::store::{JobRow, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub const RECHECK: &str = "recheck";
pub const BISECT: &str = "bisect";

/// Seconds after which a job of a process that died goes to another: bringing many releases takes long.
const LEASE: f64 = 3600.0;
/// How often the queue is looked at.
const EVERY: Duration = Duration::from_secs(5);
/// After a job the helper rests so many times as long as the job took.
const REST: u32 = 3;

/// Puts jobs into the queue of a database.
pub fn enqueue(
    url: &str,
    kind: &str,
    findings: &[String],
    details: &str,
    terminal: Terminal,
) -> Result<(), Failure> {
    let jobs: Vec<JobRow> = findings.iter().map(|id| job(kind, id, details)).collect();
    let mut store = place::write(url, LEASE)?;
    store
        .put_jobs(&jobs)
        .map_err(super::status::store_failure)?;
    terminal.note(&format!("{} jobs wait for a worker", jobs.len()));
    Ok(())
}

/// Does jobs until it is told to stop.
pub struct Helper {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Helper {
    pub fn start(url: &str, terminal: Terminal) -> Helper {
        let stop = Arc::new(AtomicBool::new(false));
        let (asked, url) = (Arc::clone(&stop), url.to_string());
        let thread = std::thread::Builder::new().name("jobs".to_string());
        let thread = thread.spawn(move || work(&url, &asked, terminal)).ok();
        Helper { stop, thread }
    }

    /// Asks it to end after the job in hand, for which nobody waits: its lease runs out.
    pub fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take_if(|thread| thread.is_finished()) {
            let _ = thread.join();
        }
    }
}

fn work(url: &str, stop: &AtomicBool, terminal: Terminal) {
    let Ok(mut store) = place::write(url, LEASE) else {
        return;
    };
    let owner = format!("helper-{}-{:?}", std::process::id(), Instant::now());
    let mut next = Instant::now() + EVERY;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        if Instant::now() < next {
            continue;
        }
        let started = Instant::now();
        // A database that is away is the campaign's to tell.
        if let Ok(Some(job)) = store.take_job(&owner, &[RECHECK, BISECT]) {
            let done = run(&mut store, &job, terminal);
            if let Err(failure) = &done {
                terminal.error(&format!("{} {}: {failure}", job.kind, job.finding));
            }
            let _ = store.end_job(&owner, job.number, done.is_ok());
        }
        next = Instant::now() + (started.elapsed() * REST).max(EVERY);
    }
}

fn run(store: &mut dyn Store, job: &JobRow, terminal: Terminal) -> Result<(), Failure> {
    let (finding, mut history) = place::one_finding(store, &job.finding)?;
    match job.kind.as_str() {
        RECHECK => {
            let rows = recheck::for_job(&finding, &job.details, terminal)?;
            history.rechecks.extend(rows);
        }
        _ => history.releases = Some(bisect::for_job(&finding, &job.details, terminal)?),
    }
    place::remember(store, &finding.id, &history)?;
    terminal.note(&format!("{} of {} is done", job.kind, finding.id));
    Ok(())
}
