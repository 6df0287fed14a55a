//! The job queue of a shared campaign. `reduce`, `recheck` and `bisect` add jobs; every `auspex fuzz --store` runs
//! rechecks and bisections in a helper thread for a small share of its time, and reductions in its workers. Jobs are
//! leased like blocks: a process that dies loses its job, and a process that ends returns it.

use super::{bisect, place, recheck};
use crate::exit::Failure;
use crate::terminal::Terminal;
use auspex_campaign::Finding;
use auspex_campaign::findings::history::{Recheck, Releases};
use auspex_campaign::ledger::{job, owner};
use auspex_campaign::store::{JobRow, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub const RECHECK: &str = "recheck";
pub const BISECT: &str = "bisect";

/// How often the queue is polled.
const EVERY: Duration = Duration::from_secs(5);
/// How often the helper checks whether it should end.
const SHORT: Duration = Duration::from_millis(100);
/// After a job the helper pauses this many times as long as the job took.
const REST: u32 = 3;
/// The longest wait for a job to be returned.
const FAREWELL: Duration = Duration::from_secs(3);

/// Adds jobs to the queue of a shared campaign.
pub fn enqueue(
    url: &str,
    kind: &str,
    findings: &[String],
    details: &str,
    terminal: Terminal,
) -> Result<(), Failure> {
    let jobs: Vec<JobRow> = findings.iter().map(|id| job(kind, id, details)).collect();
    let mut store = place::write(url, place::LEASE)?;
    store
        .put_jobs(&jobs)
        .map_err(super::status::store_failure)?;
    let (number, verb) = match jobs.len() {
        1 => ("1 job".to_string(), "waits"),
        many => (format!("{many} jobs"), "wait"),
    };
    terminal.note(&format!("{number} {verb} for a worker"));
    Ok(())
}

/// What a helper should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Run jobs in the background.
    Help,
    /// Run all waiting jobs, then end.
    Drain,
    /// End, and return the current job.
    Stop,
}

/// The current order, shared between threads.
#[derive(Clone, Default)]
struct Orders(Arc<AtomicU8>);

impl Orders {
    fn give(&self, order: Order) {
        self.0.store(order as u8, Ordering::Relaxed);
    }

    fn get(&self) -> Order {
        match self.0.load(Ordering::Relaxed) {
            0 => Order::Help,
            1 => Order::Drain,
            _ => Order::Stop,
        }
    }
}

/// Runs jobs until told to stop.
pub struct Helper {
    orders: Orders,
    thread: Option<JoinHandle<()>>,
}

impl Helper {
    pub fn start(url: &str, lease: f64, terminal: Terminal) -> Helper {
        let orders = Orders::default();
        let (given, url) = (orders.clone(), url.to_string());
        let thread = std::thread::Builder::new().name("jobs".to_string());
        let work = move || {
            // The campaign itself reports an unreachable database.
            if let Ok(store) = place::write(&url, lease) {
                Desk::new(store, given, lease, terminal).work();
            }
        };
        let thread = thread.spawn(work).ok();
        Helper { orders, thread }
    }

    /// Waits until no job is left that can be run, or the user asks to end.
    pub fn drain(&self, asked: impl Fn() -> bool) {
        self.orders.give(Order::Drain);
        while !self.is_finished() && !asked() {
            std::thread::sleep(SHORT);
        }
    }

    /// Asks the helper to end; its job returns to the queue.
    pub fn end(self) {
        self.orders.give(Order::Stop);
        let asked = Instant::now();
        while !self.is_finished() && asked.elapsed() < FAREWELL {
            std::thread::sleep(SHORT / 10);
        }
    }

    fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

/// The result of a job.
enum Outcome {
    Rechecks(Vec<Recheck>),
    Releases(Releases),
}

/// The thread that runs jobs, one at a time.
struct Desk {
    store: Box<dyn Store>,
    owner: String,
    orders: Orders,
    /// How often the lease is renewed.
    beat: Duration,
    terminal: Terminal,
}

impl Desk {
    fn new(store: Box<dyn Store>, orders: Orders, lease: f64, terminal: Terminal) -> Desk {
        Desk {
            store,
            owner: format!("{}-jobs", owner()),
            orders,
            beat: Duration::from_secs_f64(lease / 4.0),
            terminal,
        }
    }

    fn work(mut self) {
        let mut next = Instant::now() + EVERY;
        loop {
            match self.orders.get() {
                Order::Stop => return,
                Order::Help if Instant::now() < next => {
                    std::thread::sleep(SHORT);
                    continue;
                }
                Order::Help | Order::Drain => {}
            }
            let started = Instant::now();
            let taken = self.store.take_job(&self.owner, &[RECHECK, BISECT]);
            let done = match taken {
                Ok(Some(job)) => self.attend(job),
                Ok(None) | Err(_) => false,
            };
            // A job that failed would be leased again at once.
            if self.orders.get() == Order::Drain && !done {
                return;
            }
            next = Instant::now() + (started.elapsed() * REST).max(EVERY);
        }
    }

    /// Runs a job and stores the result; true if it is finished.
    fn attend(&mut self, job: JobRow) -> bool {
        let number = job.number;
        let name = format!("{} {}", job.kind, job.finding);
        let result = match self.perform(job) {
            Some(Ok((finding, outcome))) => self.remember(&finding, outcome),
            Some(Err(failure)) => Err(failure),
            None => {
                let _ = self.store.release(&self.owner);
                return false;
            }
        };
        match &result {
            Ok(()) => self.terminal.note(&format!("{name} is done")),
            Err(failure) => self.terminal.error(&format!("{name}: {failure}")),
        }
        let ended = self.store.end_job(&self.owner, number, result.is_ok());
        result.is_ok() && ended.is_ok()
    }

    /// Runs a job while another thread renews its lease; none if the user asks to end meanwhile.
    fn perform(&mut self, job: JobRow) -> Option<Result<(Finding, Outcome), Failure>> {
        let finding = match place::one_finding(self.store.as_mut(), &job.finding) {
            Ok((finding, _)) => finding,
            Err(failure) => return Some(Err(failure)),
        };
        let (say, hear) = mpsc::channel();
        let terminal = self.terminal;
        std::thread::spawn(move || {
            let outcome = run(&finding, &job, terminal);
            let _ = say.send(outcome.map(|outcome| (finding, outcome)));
        });
        let mut beaten = Instant::now();
        loop {
            match hear.recv_timeout(SHORT) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => {
                    let text = "a promise inside auspex was broken".to_string();
                    return Some(Err(Failure::Internal(text)));
                }
                Err(RecvTimeoutError::Timeout) if self.orders.get() == Order::Stop => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if beaten.elapsed() >= self.beat && self.store.renew(&self.owner).is_ok() {
                beaten = Instant::now();
            }
        }
    }

    /// The history may have grown since the job was taken.
    fn remember(&mut self, finding: &Finding, outcome: Outcome) -> Result<(), Failure> {
        let (_, mut history) = place::one_finding(self.store.as_mut(), &finding.id)?;
        match outcome {
            Outcome::Rechecks(rows) => history.rechecks.extend(rows),
            Outcome::Releases(releases) => history.releases = Some(releases),
        }
        place::remember(self.store.as_mut(), &finding.id, &history)
    }
}

fn run(finding: &Finding, job: &JobRow, terminal: Terminal) -> Result<Outcome, Failure> {
    match job.kind.as_str() {
        RECHECK => recheck::for_job(finding, &job.details, terminal).map(Outcome::Rechecks),
        _ => bisect::for_job(finding, &job.details, terminal).map(Outcome::Releases),
    }
}
