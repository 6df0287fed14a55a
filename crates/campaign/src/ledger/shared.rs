//! A campaign that many processes share: reads what others found and learned, sums up the counters, and gives each
//! reduction to the first process that takes it.

use super::deployment::Deployment;
use crate::clock::now;
use crate::findings::finding::Finding;
use crate::schedule::arms::Arms;
use crate::status::Status;
use crate::store::{JobRow, Mark, News, StatisticsRow, Store, StoreError, WorkerRow};
use std::time::{Duration, Instant};

/// How often what others wrote is read.
const NEWS: Duration = Duration::from_secs(15);
/// How often everything is written.
const REPORT: Duration = Duration::from_secs(5);
/// How often a process asks for a finding to reduce.
const JOBS: Duration = Duration::from_secs(5);
/// Seconds between two rows of the campaign's counters.
const TURN: u64 = 30;

/// Seconds of silence after which a process counts as gone: one that said it ends, and one that did not. Its counters are
/// added to one row then. The second is long, since a process that returns after it would be counted twice.
const ENDED: u64 = 3600;
const LOST: u64 = 7 * 24 * 3600;
/// The owner of the row for all that are gone.
const GONE: &str = "gone";

/// The name of the job that reduces a finding.
pub const REDUCE: &str = "reduce";

pub(super) struct Shared {
    owner: String,
    /// Whether findings are reduced at all.
    reduces: bool,
    /// How far the rows of others were read, and when.
    mark: Mark,
    read: Instant,
    reported: Instant,
    asked: Instant,
    turn: u64,
    /// The job in hand.
    job: Option<u64>,
    /// When the campaign began, in seconds since 1970.
    started: u64,
}

impl Shared {
    pub(super) fn new(owner: String, started: u64, reduces: bool) -> Shared {
        let now = Instant::now();
        Shared {
            owner,
            reduces,
            mark: Mark::default(),
            read: now,
            reported: now,
            asked: now,
            turn: 0,
            job: None,
            started,
        }
    }
}

impl Deployment for Shared {
    fn news(&mut self, store: &mut dyn Store) -> Result<News, StoreError> {
        let news = store.news(self.mark)?;
        self.mark = news.mark;
        self.read = Instant::now();
        Ok(news)
    }

    fn is_news_due(&self) -> bool {
        self.read.elapsed() >= NEWS
    }

    /// As one of the processes last summed it up.
    fn arms_of_all(&self, store: &mut dyn Store) -> Result<Option<Arms>, StoreError> {
        let rows = store.statistics(now().saturating_sub(4 * TURN))?;
        let last = rows.last();
        let last = last.and_then(|row| serde_json::from_str::<Status>(&row.json).ok());
        Ok(last.map(|status| status.arms.hint()))
    }

    fn writes_all(&mut self) -> bool {
        let due = self.reported.elapsed() >= REPORT;
        if due {
            self.reported = Instant::now();
        }
        due
    }

    fn has_own_disk(&self) -> bool {
        true
    }

    fn queues_reductions(&self) -> bool {
        false
    }

    /// Each reduction is a job for any process.
    fn delivered(&mut self, store: &mut dyn Store, new: &[Finding]) -> Result<(), StoreError> {
        let open = new.iter().filter(|finding| finding.reduced.is_none());
        let jobs: Vec<JobRow> = open.map(|finding| job(REDUCE, &finding.id, "{}")).collect();
        match self.reduces {
            true => store.put_jobs(&jobs),
            false => Ok(()),
        }
    }

    fn take_reduction(&mut self, store: &mut dyn Store, is_over: bool) -> Option<Finding> {
        if self.asked.elapsed() < JOBS && !is_over {
            return None;
        }
        self.asked = Instant::now();
        let job = store.take_job(&self.owner, &[REDUCE]).ok()??;
        match self.finding(store, &job.finding) {
            Some(finding) if finding.reduced.is_none() => {
                self.job = Some(job.number);
                Some(finding)
            }
            // It is reduced already, or it is gone.
            _ => {
                let _ = store.end_job(&self.owner, job.number, true);
                None
            }
        }
    }

    fn end_reduction(&mut self, store: &mut dyn Store, done: bool) {
        if let Some(job) = self.job.take() {
            let _ = store.end_job(&self.owner, job, done);
        }
    }

    fn finding(&self, store: &mut dyn Store, id: &str) -> Option<Finding> {
        let row = store.finding(id).ok()??;
        Finding::from_json(&row.json).ok()
    }

    /// Writes what this process counted and, in its turn, the sum of all processes.
    fn put_status(
        &mut self,
        store: &mut dyn Store,
        status: &Status,
        fill: &dyn Fn(&mut Status),
    ) -> Result<(), StoreError> {
        let mut own = status.clone();
        own.newest.clear();
        own.lesser.clear();
        own.classes.clear();
        let json = serde_json::to_string(&own).unwrap_or_default();
        store.put_worker(&self.owner, &json)?;
        let turn = status.at / TURN;
        if turn == self.turn && !status.over {
            return Ok(());
        }
        self.turn = turn;
        let at = if status.over { status.at } else { turn * TURN };
        if !store.take_turn(at)? && !status.over {
            return Ok(());
        }
        let rows = store.workers()?;
        if let Some((gone, row)) = gone(&rows, self.started) {
            store.retire(&gone, &row)?;
        }
        let mut sum = sum_of(&rows, self.started);
        fill(&mut sum);
        let json = serde_json::to_string(&sum).unwrap_or_default();
        store.put_statistics(&StatisticsRow { at, json })
    }

    /// Each process has its own.
    fn last_status(&self, _: &mut dyn Store) -> Option<Status> {
        None
    }

    fn close(&mut self, store: &mut dyn Store) -> Result<(), StoreError> {
        store.release(&self.owner)
    }
}

/// What all processes have done, by the store's clock.
pub fn sum_of(rows: &[WorkerRow], started: u64) -> Status {
    let now = rows.iter().map(|row| row.seen).max().unwrap_or(started);
    let all = rows.iter().filter_map(|row| {
        let status: Status = serde_json::from_str(&row.json).ok()?;
        Some(Status {
            at: row.seen,
            ..status
        })
    });
    Status::sum(&all.collect::<Vec<_>>(), now, started)
}

fn read(row: &WorkerRow) -> Status {
    serde_json::from_str(&row.json).unwrap_or_default()
}

/// The rows of processes that will not be heard of again, and one row for all of them; none if there are none.
fn gone(rows: &[WorkerRow], started: u64) -> Option<(Vec<WorkerRow>, WorkerRow)> {
    let now = rows.iter().map(|row| row.seen).max()?;
    let is_gone = |row: &&WorkerRow| match now.saturating_sub(row.seen) {
        _ if row.owner == GONE => true,
        silence if silence > LOST => true,
        silence => silence > ENDED && read(row).over,
    };
    let gone: Vec<WorkerRow> = rows.iter().filter(is_gone).cloned().collect();
    let seen = gone.iter().map(|row| row.seen).max()?;
    if gone.iter().all(|row| row.owner == GONE) {
        return None;
    }
    let states: Vec<Status> = gone.iter().map(read).collect();
    // None of them is taken for one that works.
    let over: Vec<Status> = states
        .iter()
        .map(|state| Status {
            over: true,
            ..state.clone()
        })
        .collect();
    let sum = Status {
        gone: states.iter().map(|state| state.gone.max(1)).sum(),
        elapsed: states.iter().map(|state| state.elapsed).sum(),
        ..Status::sum(&over, seen, started)
    };
    let row = WorkerRow {
        owner: GONE.to_string(),
        seen,
        json: serde_json::to_string(&sum).unwrap_or_default(),
    };
    Some((gone, row))
}

/// A job that is to be done.
pub fn job(kind: &str, finding: &str, details: &str) -> JobRow {
    JobRow {
        number: 0,
        kind: kind.to_string(),
        finding: finding.to_string(),
        details: details.to_string(),
        attempts: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Tally;

    fn row(owner: &str, seen: u64, over: bool) -> WorkerRow {
        let status = Status {
            over,
            elapsed: 10.0,
            tally: Tally {
                cases: 5,
                ..Tally::default()
            },
            ..Status::default()
        };
        WorkerRow {
            owner: owner.to_string(),
            seen,
            json: serde_json::to_string(&status).unwrap(),
        }
    }

    #[test]
    fn who_is_gone_makes_room_and_still_counts() {
        let now = 2 * LOST;
        let rows = [
            row("a", now, false),
            row("b", now - ENDED - 1, true),
            row("c", now - ENDED - 1, false),
            row("d", now - LOST - 1, false),
            row("e", now - 1, true),
        ];
        let before = sum_of(&rows, 0).tally.cases;
        let (lost, sum) = gone(&rows, 0).unwrap();
        let names: Vec<&str> = lost.iter().map(|row| row.owner.as_str()).collect();
        assert_eq!(names, ["b", "d"], "c may only be busy");
        let left = [rows[0].clone(), sum, rows[2].clone(), rows[4].clone()];
        assert_eq!(sum_of(&left, 0).tally.cases, before);
        assert_eq!(gone(&left, 0), None, "no other process has ended");
        let later = [
            left[1].clone(),
            row("f", now, true),
            row("a", 2 * now, true),
        ];
        let (_, sum) = gone(&later, 0).unwrap();
        let sum: Status = serde_json::from_str(&sum.json).unwrap();
        assert_eq!((sum.gone, sum.tally.cases), (3, 15));
        assert_eq!(gone(&[], 0), None);
    }
}
