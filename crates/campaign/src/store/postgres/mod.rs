//! The store in a PostgreSQL database: one campaign for any number of machines. A row of `spans` is a range of
//! unfinished blocks. A process that leases it is its owner until the lease expires; then another process may take it
//! over. Findings and seeds have the number of their last change. Writers queue at one row, so numbers become visible
//! in order, and a reader that remembers the last one misses nothing.

mod schema;
mod spans;

use self::schema::{check_version, migrate, version};
use super::address::Address;
use super::link::{Link, Session};
use super::{
    ATTEMPTS, CampaignRow, DefectRow, FindingRow, JobRow, Mark, News, ScriptRow, SeedRow,
    StatisticsRow, Store, StoreError, WorkerRow, runs, signed, unsigned,
};
use postgres::types::ToSql;
use postgres::{Error, IsolationLevel, Row};
use std::borrow::Cow;
use std::time::Duration;

/// How many rows of statistics are kept; of older ones every other row is deleted.
const STATISTICS: i64 = 4_000;
/// How long a silent process keeps its blocks.
pub const LEASE: Duration = Duration::from_secs(120);

pub struct Postgres {
    link: Link,
    lease: f64,
}

impl Postgres {
    /// Connects, and brings the database to the newest schema.
    pub fn create(address: Address, lease: Duration) -> Result<Postgres, StoreError> {
        let mut link = Link::open(address, true)?;
        check_version(link.with(migrate)?)?;
        Ok(Postgres {
            link,
            lease: lease.as_secs_f64(),
        })
    }

    /// Connects for reading, even while a campaign runs.
    pub fn look(address: Address) -> Result<Postgres, StoreError> {
        let mut link = Link::open(address, false)?;
        let found = link.with(|session| version(&mut session.client))?;
        match found {
            None => return Err(StoreError::Empty(link.address().to_string())),
            Some(found) => check_version(found)?,
        }
        Ok(Postgres {
            link,
            lease: LEASE.as_secs_f64(),
        })
    }

    /// The address without secrets.
    pub fn place(&self) -> String {
        self.link.address().to_string()
    }

    fn execute(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, StoreError> {
        self.link.with(|session| {
            let statement = session.statement(sql)?;
            session.client.execute(&statement, values)
        })
    }

    fn list<T>(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
        read: impl Fn(&Row) -> T,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.link.with(|session| {
            let statement = session.statement(sql)?;
            session.client.query(&statement, values)
        })?;
        Ok(rows.iter().map(read).collect())
    }
}

/// PostgreSQL's texts cannot contain a zero byte.
fn text(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

fn texts<'r, T>(rows: &'r [T], get: impl Fn(&'r T) -> &'r str) -> Vec<Cow<'r, str>> {
    rows.iter().map(|row| text(get(row))).collect()
}

fn number(row: &Row, at: usize) -> u64 {
    unsigned(row.get(at))
}

fn finding_row(row: &Row) -> FindingRow {
    FindingRow {
        fingerprint: row.get(0),
        bucket: row.get(1),
        class: row.get(2),
        solver: row.get(3),
        id: row.get(4),
        strategy: row.get(5),
        found: number(row, 6),
        repeats: number(row, 7),
        reduced: row.get(8),
        json: row.get(9),
    }
}

fn seed_row(row: &Row) -> SeedRow {
    SeedRow {
        key: row.get(0),
        name: row.get(1),
        facts: row.get(2),
    }
}

fn job_row(row: &Row) -> JobRow {
    JobRow {
        number: number(row, 0),
        kind: row.get(1),
        finding: row.get(2),
        details: row.get(3),
        attempts: number(row, 4),
    }
}

/// The number of the current change; other writers wait until it is visible.
const CHANGE: &str = "UPDATE changes SET number = number + 1 RETURNING number";
const PUT_FINDING: &str = "INSERT INTO findings (fingerprint, bucket, class, solver, id, strategy,
        found, repeats, reduced, json, changed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (fingerprint) DO UPDATE SET json = excluded.json, reduced = excluded.reduced,
        changed = excluded.changed WHERE excluded.reduced >= findings.reduced";

fn put_findings(session: &mut Session, rows: &[FindingRow]) -> Result<Vec<bool>, Error> {
    let change = session.statement(CHANGE)?;
    let known = session.statement("SELECT 1 FROM findings WHERE fingerprint = $1")?;
    let put = session.statement(PUT_FINDING)?;
    let mut transaction = session.client.transaction()?;
    let changed: i64 = transaction.query_one(&change, &[])?.get(0);
    let mut new = Vec::with_capacity(rows.len());
    for row in rows {
        let fingerprint = text(&row.fingerprint);
        new.push(transaction.query_opt(&known, &[&fingerprint])?.is_none());
        let values: [&(dyn ToSql + Sync); 11] = [
            &fingerprint,
            &text(&row.bucket),
            &text(&row.class),
            &text(&row.solver),
            &text(&row.id),
            &text(&row.strategy),
            &signed(row.found),
            &signed(row.repeats),
            &row.reduced,
            &text(&row.json),
            &changed,
        ];
        transaction.execute(&put, &values)?;
    }
    transaction.batch_execute("SET LOCAL synchronous_commit = on")?;
    transaction.commit()?;
    Ok(new)
}

fn news(session: &mut Session, since: Mark) -> Result<News, Error> {
    let findings = "SELECT fingerprint, bucket, class, solver, id, strategy, found, repeats,
        reduced, json, changed FROM findings WHERE changed > $1 ORDER BY changed, number";
    let findings = session.statement(findings)?;
    let seeds =
        session.statement("SELECT key, name, facts, changed FROM seeds WHERE changed > $1")?;
    let features = session.statement("SELECT hash, number FROM features WHERE number > $1")?;
    let transaction = session.client.build_transaction();
    let one_moment = transaction.isolation_level(IsolationLevel::RepeatableRead);
    let mut transaction = one_moment.read_only(true).start()?;
    let mut news = News {
        mark: since,
        ..News::default()
    };
    let mut newest = |row: &Row, at| {
        news.mark.changes = news.mark.changes.max(number(row, at));
    };
    for row in transaction.query(&findings, &[&signed(since.changes)])? {
        newest(&row, 10);
        news.findings.push(finding_row(&row));
    }
    for row in transaction.query(&seeds, &[&signed(since.changes)])? {
        newest(&row, 3);
        news.seeds.push(seed_row(&row));
    }
    for row in transaction.query(&features, &[&signed(since.features)])? {
        news.features.push(number(&row, 0));
        news.mark.features = news.mark.features.max(number(&row, 1));
    }
    transaction.commit()?;
    Ok(news)
}

impl Store for Postgres {
    fn open(&mut self, wanted: &CampaignRow) -> Result<CampaignRow, StoreError> {
        let put = "INSERT INTO campaign (id, seed, settings, started) VALUES (1, $1, $2, $3)
            ON CONFLICT DO NOTHING";
        let settings = text(&wanted.settings);
        let (seed, started) = (signed(wanted.seed), signed(wanted.started));
        self.execute(put, &[&seed, &settings, &started])?;
        let found = self.campaign()?;
        found.ok_or_else(|| StoreError::Empty(self.place()))
    }

    fn campaign(&mut self) -> Result<Option<CampaignRow>, StoreError> {
        let sql = "SELECT seed, settings, started FROM campaign";
        let found = self.list(sql, &[], |row| CampaignRow {
            seed: number(row, 0),
            settings: row.get(1),
            started: number(row, 2),
        })?;
        Ok(found.into_iter().next())
    }

    fn shared(&self) -> Option<Duration> {
        Some(Duration::from_secs_f64(self.lease))
    }

    fn lease(&mut self, owner: &str, count: usize, limit: u64) -> Result<Vec<u64>, StoreError> {
        let lease = self.lease;
        self.link
            .with(|session| spans::take(session, owner, count, limit, lease))
    }

    fn reclaim(&mut self, owner: &str) -> Result<(), StoreError> {
        let sql = "UPDATE spans SET owner = NULL WHERE until <= now() AND owner <> $1";
        self.execute(sql, &[&owner]).map(drop)
    }

    fn renew(&mut self, owner: &str) -> Result<Vec<u64>, StoreError> {
        let jobs = "UPDATE jobs SET until = now() + $2 * interval '1 second' WHERE owner = $1";
        let lease = self.lease;
        self.execute(jobs, &[&owner, &lease])?;
        let spans = "UPDATE spans SET until = now() + $2 * interval '1 second' WHERE owner = $1
            RETURNING first, past";
        let held = self.list(spans, &[&owner, &lease], |row| {
            number(row, 0)..number(row, 1)
        })?;
        let mut held: Vec<u64> = held.into_iter().flatten().collect();
        held.sort_unstable();
        Ok(held)
    }

    fn release(&mut self, owner: &str) -> Result<(), StoreError> {
        let spans = "UPDATE spans SET owner = NULL WHERE owner = $1";
        self.execute(spans, &[&owner])?;
        let jobs = "UPDATE jobs SET owner = NULL, attempts = greatest(attempts - 1, 0)
            WHERE owner = $1";
        self.execute(jobs, &[&owner]).map(drop)
    }

    fn finish(&mut self, owner: &str, blocks: &[u64]) -> Result<(), StoreError> {
        let runs = runs(blocks);
        match runs.is_empty() {
            true => Ok(()),
            false => self
                .link
                .with(|session| spans::finish(session, owner, &runs)),
        }
    }

    fn finished(&mut self) -> Result<u64, StoreError> {
        let found = self.list("SELECT finished FROM campaign", &[], |row| number(row, 0))?;
        Ok(found.first().copied().unwrap_or(0))
    }

    fn put_features(&mut self, features: &[u64]) -> Result<(), StoreError> {
        if features.is_empty() {
            return Ok(());
        }
        // The same order everywhere, so that there are no deadlocks.
        let mut features: Vec<i64> = features.iter().map(|f| signed(*f)).collect();
        features.sort_unstable();
        self.execute(PUT_FEATURES, &[&features]).map(drop)
    }

    fn features(&mut self) -> Result<Vec<u64>, StoreError> {
        self.list("SELECT hash FROM features", &[], |row| number(row, 0))
    }

    fn put_findings(&mut self, rows: &[FindingRow]) -> Result<Vec<bool>, StoreError> {
        match rows.is_empty() {
            true => Ok(Vec::new()),
            false => self.link.with(|session| put_findings(session, rows)),
        }
    }

    fn findings(&mut self) -> Result<Vec<FindingRow>, StoreError> {
        let sql = "SELECT fingerprint, bucket, class, solver, id, strategy, found, repeats,
            reduced, json FROM findings ORDER BY found, number";
        self.list(sql, &[], finding_row)
    }

    fn finding(&mut self, id: &str) -> Result<Option<FindingRow>, StoreError> {
        let sql = "SELECT fingerprint, bucket, class, solver, id, strategy, found, repeats,
            reduced, json FROM findings WHERE id = $1";
        Ok(self.list(sql, &[&text(id)], finding_row)?.pop())
    }

    fn add_repeats(&mut self, rows: &[(String, u64)]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut rows = rows.to_vec();
        rows.sort();
        let names = texts(&rows, |(fingerprint, _)| fingerprint);
        let more: Vec<i64> = rows.iter().map(|(_, more)| signed(*more)).collect();
        let sql = "UPDATE findings SET repeats = repeats + more.number
            FROM (SELECT name, number FROM unnest($1::text[], $2::bigint[]) AS m(name, number)) AS more
            WHERE fingerprint = more.name";
        self.execute(sql, &[&names, &more]).map(drop)
    }

    fn put_history(&mut self, id: &str, json: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO histories VALUES ($1, $2)
            ON CONFLICT (id) DO UPDATE SET json = excluded.json";
        self.execute(sql, &[&text(id), &text(json)]).map(drop)
    }

    fn histories(&mut self) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT id, json FROM histories ORDER BY id";
        self.list(sql, &[], |row| (row.get(0), row.get(1)))
    }

    fn put_seeds(&mut self, rows: &[SeedRow]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.link.with(|session| {
            let change = session.statement(CHANGE)?;
            let put = "INSERT INTO seeds VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO UPDATE
                SET name = excluded.name, facts = excluded.facts, changed = excluded.changed";
            let put = session.statement(put)?;
            let mut transaction = session.client.transaction()?;
            let changed: i64 = transaction.query_one(&change, &[])?.get(0);
            for row in rows {
                let (key, name, facts) = (text(&row.key), text(&row.name), text(&row.facts));
                transaction.execute(&put, &[&key, &name, &facts, &changed])?;
            }
            transaction.commit()
        })
    }

    fn seeds(&mut self) -> Result<Vec<SeedRow>, StoreError> {
        let sql = "SELECT key, name, facts FROM seeds ORDER BY key";
        self.list(sql, &[], seed_row)
    }

    fn put_scripts(&mut self, rows: &[ScriptRow]) -> Result<(), StoreError> {
        let sql = "INSERT INTO scripts SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
            ON CONFLICT DO NOTHING";
        for rows in rows.chunks(500) {
            let keys = texts(rows, |row| &row.key);
            let names = texts(rows, |row| &row.name);
            let scripts = texts(rows, |row| &row.text);
            self.execute(sql, &[&keys, &names, &scripts])?;
        }
        Ok(())
    }

    fn scripts(&mut self) -> Result<Vec<ScriptRow>, StoreError> {
        let sql = "SELECT key, name, text FROM scripts ORDER BY key";
        self.list(sql, &[], |row| ScriptRow {
            key: row.get(0),
            name: row.get(1),
            text: row.get(2),
        })
    }

    fn put_statistics(&mut self, row: &StatisticsRow) -> Result<(), StoreError> {
        let put = "INSERT INTO statistics VALUES ($1, $2)
            ON CONFLICT (at) DO UPDATE SET json = excluded.json";
        self.execute(put, &[&signed(row.at), &text(&row.json)])?;
        let thin = "DELETE FROM statistics WHERE at IN (SELECT at FROM
                (SELECT at, row_number() OVER (ORDER BY at) AS n FROM statistics) AS numbered
                WHERE n % 2 = 0 AND n < $1)
            AND (SELECT count(*) FROM statistics) > $2";
        self.execute(thin, &[&(STATISTICS / 2), &STATISTICS])
            .map(drop)
    }

    fn statistics(&mut self, since: u64) -> Result<Vec<StatisticsRow>, StoreError> {
        let sql = "SELECT at, json FROM statistics WHERE at >= $1 AND json <> '' ORDER BY at";
        self.list(sql, &[&signed(since)], |row| StatisticsRow {
            at: number(row, 0),
            json: row.get(1),
        })
    }

    fn put_worker(&mut self, owner: &str, json: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO workers VALUES ($1, now(), $2)
            ON CONFLICT (owner) DO UPDATE SET seen = now(), json = excluded.json";
        self.execute(sql, &[&owner, &text(json)]).map(drop)
    }

    fn workers(&mut self) -> Result<Vec<WorkerRow>, StoreError> {
        let sql =
            "SELECT owner, extract(epoch FROM seen)::bigint, json FROM workers ORDER BY owner";
        self.list(sql, &[], |row| WorkerRow {
            owner: row.get(0),
            seen: number(row, 1),
            json: row.get(2),
        })
    }

    fn retire(&mut self, gone: &[WorkerRow], sum: &WorkerRow) -> Result<bool, StoreError> {
        let owners = texts(gone, |row| &row.owner);
        let seen: Vec<i64> = gone.iter().map(|row| signed(row.seen)).collect();
        self.link.with(|session| {
            let mut transaction = session.client.transaction()?;
            let forget =
                "DELETE FROM workers USING unnest($1::text[], $2::bigint[]) AS gone(name, at)
                WHERE owner = name AND extract(epoch FROM seen)::bigint = at";
            let forgotten = transaction.execute(forget, &[&owners, &seen])?;
            if forgotten != gone.len() as u64 {
                transaction.rollback()?;
                return Ok(false);
            }
            let put = "INSERT INTO workers VALUES ($1, to_timestamp($2::bigint), $3)";
            let values: [&(dyn ToSql + Sync); 3] =
                [&text(&sum.owner), &signed(sum.seen), &text(&sum.json)];
            transaction.execute(put, &values)?;
            transaction.commit()?;
            Ok(true)
        })
    }

    fn take_turn(&mut self, at: u64) -> Result<bool, StoreError> {
        let sql = "INSERT INTO statistics VALUES ($1, '') ON CONFLICT DO NOTHING";
        Ok(self.execute(sql, &[&signed(at)])? == 1)
    }

    fn put_jobs(&mut self, rows: &[JobRow]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let sql = "INSERT INTO jobs (kind, finding, details)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING";
        let kinds = texts(rows, |row| &row.kind);
        let findings = texts(rows, |row| &row.finding);
        let details = texts(rows, |row| &row.details);
        self.execute(sql, &[&kinds, &findings, &details]).map(drop)
    }

    fn take_job(&mut self, owner: &str, kinds: &[&str]) -> Result<Option<JobRow>, StoreError> {
        let sql = "UPDATE jobs SET owner = $1, attempts = jobs.attempts + 1,
                until = now() + $3 * interval '1 second'
            FROM (SELECT number, attempts FROM jobs WHERE (owner IS NULL OR until <= now())
                AND kind = ANY($2) AND attempts < $4
                ORDER BY attempts, number LIMIT 1 FOR UPDATE SKIP LOCKED) AS free
            WHERE jobs.number = free.number
            RETURNING jobs.number, kind, finding, details, free.attempts";
        let (lease, attempts) = (self.lease, signed(ATTEMPTS));
        let found = self.list(sql, &[&owner, &kinds, &lease, &attempts], job_row)?;
        Ok(found.into_iter().next())
    }

    fn end_job(&mut self, owner: &str, number: u64, done: bool) -> Result<(), StoreError> {
        let sql = match done {
            true => "DELETE FROM jobs WHERE number = $1 AND owner = $2",
            false => "UPDATE jobs SET owner = NULL WHERE number = $1 AND owner = $2",
        };
        self.execute(sql, &[&signed(number), &owner]).map(drop)
    }

    fn jobs(&mut self) -> Result<Vec<JobRow>, StoreError> {
        let sql = "SELECT number, kind, finding, details, attempts FROM jobs ORDER BY number";
        self.list(sql, &[], job_row)
    }

    fn spare(&mut self) -> Result<(), StoreError> {
        // The database is on another machine's disk.
        Ok(())
    }

    fn put_defects(&mut self, rows: &[DefectRow]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let sql = "INSERT INTO defects SELECT * FROM unnest($1::text[], $2::text[])
            ON CONFLICT DO NOTHING";
        let replays = texts(rows, |row| &row.replay);
        let messages = texts(rows, |row| &row.message);
        self.execute(sql, &[&replays, &messages]).map(drop)
    }

    fn defects(&mut self) -> Result<Vec<DefectRow>, StoreError> {
        let sql = "SELECT replay, message FROM defects ORDER BY replay";
        self.list(sql, &[], |row| DefectRow {
            replay: row.get(0),
            message: row.get(1),
        })
    }

    fn news(&mut self, since: Mark) -> Result<News, StoreError> {
        self.link.with(|session| news(session, since))
    }
}

const PUT_FEATURES: &str =
    "INSERT INTO features (hash) SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING";

#[cfg(test)]
mod tests;
