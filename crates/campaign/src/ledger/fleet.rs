//! The ledger among many machines: what others found and learned is read now and then, counts are summed up,
//! and shrinking is done by whoever takes it first.

use super::Ledger;
use crate::clock::now;
use crate::findings::finding::Finding;
use crate::findings::trigger::Trigger;
use crate::status::Status;
use crate::store::{FindingRow, JobRow, Mark, SeedRow, StatisticsRow, StoreError, WorkerRow};
use std::time::{Duration, Instant};

/// How often what others wrote is read.
const NEWS: Duration = Duration::from_secs(15);
/// How often what is done is told.
const REPORT: Duration = Duration::from_secs(5);
/// How often somebody asks for something to shrink.
const JOBS: Duration = Duration::from_secs(5);
/// Seconds between two rows of the campaign's counters.
const TURN: u64 = 30;

/// Seconds of silence after which a process counts as gone: one that said it ends, and one that did not. What it
/// counted goes into one row then. The second is long, since who comes back after it would be counted twice.
const ENDED: u64 = 3600;
const LOST: u64 = 7 * 24 * 3600;
/// The owner of the row for all that are gone.
const GONE: &str = "gone";

/// The name of the job that shrinks a finding.
pub const REDUCE: &str = "reduce";

/// What is kept in mind about the others.
pub(super) struct Fleet {
    mark: Mark,
    read: Instant,
    reported: Instant,
    asked: Instant,
    turn: u64,
    /// The job in hand.
    job: Option<u64>,
    /// What others learned about seeds, for whoever has the pool.
    seeds: Vec<SeedRow>,
    /// When the campaign began, in seconds since 1970.
    started: u64,
}

impl Fleet {
    pub(super) fn new(started: u64) -> Fleet {
        let now = Instant::now();
        Fleet {
            mark: Mark::default(),
            read: now,
            reported: now,
            asked: now,
            turn: 0,
            job: None,
            seeds: Vec::new(),
            started,
        }
    }

    /// Whether it is time to tell what is done.
    pub(super) fn reports(&mut self) -> bool {
        let due = self.reported.elapsed() >= REPORT;
        if due {
            self.reported = Instant::now();
        }
        due
    }
}

impl Ledger {
    /// Reads what others wrote.
    pub(super) fn read_news(&mut self) -> Result<(), StoreError> {
        let news = self.store.news(self.fleet.mark)?;
        self.fleet.mark = news.mark;
        self.fleet.read = Instant::now();
        for row in &news.findings {
            self.take_in(row);
        }
        self.known_features.extend(news.features);
        self.read_arms()?;
        self.fleet.seeds.extend(news.seeds);
        Ok(())
    }

    /// What the arms of all processes earned, as one of them last summed it up.
    fn read_arms(&mut self) -> Result<(), StoreError> {
        let since = now().saturating_sub(4 * TURN);
        let rows = self.store.statistics(since)?;
        let last = rows
            .last()
            .map(|row| serde_json::from_str::<Status>(&row.json));
        if let Some(Ok(status)) = last {
            self.others = status.arms.hint();
        }
        Ok(())
    }

    /// As `read_news`, if it is time.
    pub(super) fn read_news_in_time(&mut self) -> Result<(), StoreError> {
        match self.claims.is_shared() && self.fleet.read.elapsed() >= NEWS {
            true => self.read_news(),
            false => Ok(()),
        }
    }

    /// What others learned about seeds since the last call.
    pub fn news_of_seeds(&mut self) -> Vec<SeedRow> {
        std::mem::take(&mut self.fleet.seeds)
    }

    /// A finding as the store has it now.
    fn take_in(&mut self, row: &FindingRow) {
        let Ok(finding) = Finding::from_json(&row.json) else {
            return;
        };
        let place = self.known.get(&finding.fingerprint).copied().flatten();
        let Some(place) = place else {
            return self.enter(&finding, row.repeats);
        };
        self.silence.add(&finding.id, Trigger::of_finding(&finding));
        let line = &mut self.lines[place];
        let newly_same = finding.same_as.is_some() && line.same_as.is_none();
        line.repeats = line.repeats.max(row.repeats);
        line.reduced |= finding.reduced.is_some();
        line.same_as.clone_from(&finding.same_as);
        if newly_same && let Some((bugs, _)) = self.buckets.get_mut(&finding.bucket) {
            *bugs = bugs.saturating_sub(1);
        }
        if let (Some(shape), None) = (&finding.reduced_fingerprint, &finding.same_as) {
            self.shapes.insert(shape.clone(), finding.id.to_string());
        }
    }

    /// Asks for new findings to be shrunk by whoever has time.
    pub(super) fn ask_to_reduce(&mut self, findings: &[Finding]) -> Result<(), StoreError> {
        let open = findings.iter().filter(|f| f.reduced.is_none());
        let jobs: Vec<JobRow> = open.map(|finding| job(REDUCE, &finding.id, "{}")).collect();
        match self.claims.is_shared() && self.reduces {
            true => self.store.put_jobs(&jobs),
            false => Ok(()),
        }
    }

    /// A finding that no process reduces yet.
    pub(super) fn reduction_for_all(&mut self) -> Option<Finding> {
        if self.fleet.asked.elapsed() < JOBS && !self.claims.is_over() {
            return None;
        }
        self.fleet.asked = Instant::now();
        let owner = self.claims.owner.clone();
        let job = self.store.take_job(&owner, &[REDUCE]).ok()??;
        let row = self.store.finding(&job.finding).ok().flatten();
        let finding = row.and_then(|row| Finding::from_json(&row.json).ok());
        match finding {
            Some(finding) if finding.reduced.is_none() => {
                self.fleet.job = Some(job.number);
                Some(finding)
            }
            // Somebody has done it, or it is gone.
            _ => {
                let _ = self.store.end_job(&owner, job.number, true);
                None
            }
        }
    }

    /// The job in hand has come to an end; what was not done another may try.
    pub(super) fn end_reduction(&mut self, done: bool) {
        if let Some(job) = self.fleet.job.take() {
            let owner = self.claims.owner.clone();
            let _ = self.store.end_job(&owner, job, done);
        }
    }

    /// Tells what this process counted, and what all did if it is our turn.
    pub(super) fn tell_counts(&mut self, status: &Status) -> Result<(), StoreError> {
        let mut own = status.clone();
        own.newest.clear();
        own.lesser.clear();
        own.classes.clear();
        let json = serde_json::to_string(&own).unwrap_or_default();
        self.store.put_worker(&self.claims.owner, &json)?;
        let turn = status.at / TURN;
        if turn == self.fleet.turn && !status.over {
            return Ok(());
        }
        self.fleet.turn = turn;
        let at = if status.over { status.at } else { turn * TURN };
        if !self.store.take_turn(at)? && !status.over {
            return Ok(());
        }
        let rows = self.store.workers()?;
        if let Some((gone, row)) = gone(&rows, self.fleet.started) {
            self.store.retire(&gone, &row)?;
        }
        let mut sum = sum_of(&rows, self.fleet.started);
        let arms = std::mem::take(&mut sum.arms);
        self.describe(&mut sum);
        sum.arms = arms;
        let json = serde_json::to_string(&sum).unwrap_or_default();
        self.store.put_statistics(&StatisticsRow { at, json })
    }

    /// Findings that are on disk and not in the store yet, sent in one go.
    pub(super) fn deliver(&mut self) -> Result<(), StoreError> {
        if self.undelivered.is_empty() {
            return Ok(());
        }
        let rows: Vec<FindingRow> = self.undelivered.iter().map(FindingRow::from).collect();
        let new = self.store.put_findings(&rows)?;
        let findings = std::mem::take(&mut self.undelivered);
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for (finding, new) in findings.into_iter().zip(new) {
            if new { &mut first } else { &mut again }.push(finding);
        }
        // Another machine was faster; what is sent again because it was shrunk is no sighting.
        let seen = again.iter().filter(|f| f.reduced.is_none());
        for finding in seen.filter(|_| self.claims.is_shared()) {
            let fingerprint = finding.fingerprint.clone();
            *self.repeats.entry(fingerprint).or_default() += 1;
        }
        self.ask_to_reduce(&first)
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
