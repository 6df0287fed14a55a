//! The store in one SQLite file: the default, for a local campaign.

use super::{
    CampaignRow, DefectRow, FindingRow, JobRow, Mark, News, ScriptRow, SeedRow, StatisticsRow,
    Store, StoreError, WorkerRow, signed, unsigned,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, params};
use std::path::Path;
use std::time::Duration;

/// The schema, one text per version; a store of version n gets the texts after the n-th.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE campaign (id INTEGER PRIMARY KEY CHECK (id = 1), seed INTEGER NOT NULL,
        settings TEXT NOT NULL, started INTEGER NOT NULL,
        next_block INTEGER NOT NULL DEFAULT 0, finished INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE blocks (number INTEGER PRIMARY KEY, owner TEXT);
    CREATE TABLE yields (block INTEGER PRIMARY KEY, strategy TEXT NOT NULL,
        cases INTEGER NOT NULL, features BLOB NOT NULL);
    CREATE TABLE folds (epoch INTEGER PRIMARY KEY, state TEXT NOT NULL);
    CREATE TABLE features (hash INTEGER PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE findings (fingerprint TEXT PRIMARY KEY, bucket TEXT NOT NULL, class TEXT NOT NULL,
        solver TEXT NOT NULL, id TEXT NOT NULL, strategy TEXT NOT NULL, found INTEGER NOT NULL,
        repeats INTEGER NOT NULL DEFAULT 0, json TEXT NOT NULL);
    CREATE INDEX findings_by_bucket ON findings (bucket);
    CREATE TABLE seeds (key TEXT PRIMARY KEY, name TEXT NOT NULL, facts TEXT NOT NULL);
    CREATE TABLE statistics (at INTEGER PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE defects (replay TEXT PRIMARY KEY, message TEXT NOT NULL);
",
    "
    ALTER TABLE findings ADD COLUMN reduced INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE histories (id TEXT PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE scripts (key TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
    CREATE TABLE workers (owner TEXT PRIMARY KEY, seen INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE TABLE jobs (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, finding TEXT NOT NULL,
        details TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, owner TEXT,
        UNIQUE (kind, finding, details));
",
    "
    DROP TABLE yields;
    DROP TABLE folds;
",
];

/// How many rows of statistics are kept; of older ones every other row is deleted.
const STATISTICS: i64 = 4_000;
/// And when the disk limit is reached.
const FEW_STATISTICS: i64 = 200;

#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged(error.to_string())
            }
            _ => StoreError::Other(error.to_string()),
        }
    }
}

impl Sqlite {
    /// Opens a file for writing, creates it if necessary, and upgrades it to the newest schema.
    pub fn create(path: &Path) -> Result<Sqlite, StoreError> {
        let mut connection = Connection::open(path)?;
        // A killed process loses nothing in this mode; a power cut may lose the last seconds, but findings have their
        // own synced files.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.busy_timeout(Duration::from_secs(10))?;
        migrate(&mut connection)?;
        Ok(Sqlite { connection })
    }

    /// Opens a file for reading, even while a campaign writes.
    pub fn look(path: &Path) -> Result<Sqlite, StoreError> {
        let looked = Sqlite::look_and_update(path);
        match looked {
            Err(StoreError::Other(_)) => Sqlite::look_only(path).or(looked),
            other => other,
        }
    }

    fn look_and_update(path: &Path) -> Result<Sqlite, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        // Reading also upgrades a file of an older auspex.
        migrate(&mut connection)?;
        // In a read-only folder the first query fails.
        read_campaign(&connection)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(Sqlite { connection })
    }

    /// Opens a file in a read-only folder; it does not change, so it needs no lock.
    fn look_only(path: &Path) -> Result<Sqlite, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let whole = std::path::absolute(path).map_err(|e| StoreError::Other(e.to_string()))?;
        let escaped = whole.to_string_lossy().replace('%', "%25");
        let escaped = escaped.replace('?', "%3f").replace('#', "%23");
        let connection = Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)?;
        let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        check_version(found)?;
        if found < MIGRATIONS.len() as i64 {
            let text = "this campaign was made by an older auspex and cannot be upgraded because its folder is read-only";
            return Err(StoreError::Other(text.to_string()));
        }
        Ok(Sqlite { connection })
    }

    /// The campaign in this store, if there is one.
    pub fn campaign(&self) -> Result<Option<CampaignRow>, StoreError> {
        Ok(read_campaign(&self.connection)?)
    }

    fn list<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn all<T>(
        &mut self,
        rows: &[T],
        mut each: impl FnMut(&Transaction<'_>, &T) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let transaction = self.connection.transaction()?;
        for row in rows {
            each(&transaction, row)?;
        }
        Ok(transaction.commit()?)
    }
}

fn check_version(found: i64) -> Result<(), StoreError> {
    let known = MIGRATIONS.len() as i64;
    match found <= known {
        true => Ok(()),
        false => Err(StoreError::TooNew { found, known }),
    }
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    check_version(found)?;
    for (number, text) in MIGRATIONS.iter().enumerate().skip(found.max(0) as usize) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(text)?;
        transaction.pragma_update(None, "user_version", number as i64 + 1)?;
        transaction.commit()?;
    }
    Ok(())
}

fn finding_row(row: &Row<'_>) -> rusqlite::Result<FindingRow> {
    Ok(FindingRow {
        fingerprint: text(row, 0)?,
        bucket: text(row, 1)?,
        class: text(row, 2)?,
        solver: text(row, 3)?,
        id: text(row, 4)?,
        strategy: text(row, 5)?,
        found: unsigned(row.get(6)?),
        repeats: unsigned(row.get(7)?),
        reduced: row.get(8)?,
        json: text(row, 9)?,
    })
}

/// A text from an untrusted file: invalid UTF-8 becomes a text that is not a finding, so that the other rows can
/// still be read.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => String::new(),
    })
}

fn put_finding(transaction: &Transaction<'_>, row: &FindingRow) -> rusqlite::Result<bool> {
    let known = "SELECT 1 FROM findings WHERE fingerprint = ?1";
    let known = transaction
        .prepare_cached(known)?
        .exists([&row.fingerprint])?;
    let sql = "INSERT INTO findings
        (fingerprint, bucket, class, solver, id, strategy, found, repeats, reduced, json)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (fingerprint) DO UPDATE SET json = excluded.json, reduced = excluded.reduced
        WHERE excluded.reduced >= reduced";
    transaction.prepare_cached(sql)?.execute(params![
        row.fingerprint,
        row.bucket,
        row.class,
        row.solver,
        row.id,
        row.strategy,
        signed(row.found),
        signed(row.repeats),
        row.reduced,
        row.json
    ])?;
    Ok(!known)
}

fn put_feature(transaction: &Transaction<'_>, feature: &u64) -> rusqlite::Result<()> {
    let put = "INSERT OR IGNORE INTO features VALUES (?1)";
    let values = [signed(*feature)];
    transaction.prepare_cached(put)?.execute(values)?;
    Ok(())
}

fn job_row(row: &Row<'_>) -> rusqlite::Result<JobRow> {
    Ok(JobRow {
        number: unsigned(row.get(0)?),
        kind: row.get(1)?,
        finding: row.get(2)?,
        details: row.get(3)?,
        attempts: unsigned(row.get(4)?),
    })
}

fn read_campaign(connection: &Connection) -> rusqlite::Result<Option<CampaignRow>> {
    let read = "SELECT seed, settings, started FROM campaign";
    let found = connection.query_row(read, [], |row| {
        Ok(CampaignRow {
            seed: unsigned(row.get(0)?),
            settings: row.get(1)?,
            started: unsigned(row.get(2)?),
        })
    });
    found.optional()
}

/// The lowest free blocks: returned ones first, then new ones.
fn take(
    transaction: &Transaction<'_>,
    owner: &str,
    count: usize,
    limit: u64,
) -> rusqlite::Result<Vec<u64>> {
    let free =
        "SELECT number FROM blocks WHERE owner IS NULL AND number < ?1 ORDER BY number LIMIT ?2";
    let mut statement = transaction.prepare_cached(free)?;
    let rows = statement.query_map(params![signed(limit), count as i64], |row| row.get(0))?;
    let mut blocks: Vec<i64> = rows.collect::<Result<_, _>>()?;
    let next = "SELECT next_block FROM campaign";
    let mut next: i64 = transaction.query_row(next, [], |row| row.get(0))?;
    while blocks.len() < count && unsigned(next) < limit {
        blocks.push(next);
        next += 1;
    }
    transaction
        .prepare_cached("UPDATE campaign SET next_block = ?1")?
        .execute([next])?;
    let put = "INSERT INTO blocks VALUES (?1, ?2) ON CONFLICT (number) DO UPDATE SET owner = ?2";
    let mut put = transaction.prepare_cached(put)?;
    for block in &blocks {
        put.execute(params![block, owner])?;
    }
    Ok(blocks.into_iter().map(unsigned).collect())
}

impl Store for Sqlite {
    fn open(&mut self, wanted: &CampaignRow) -> Result<CampaignRow, StoreError> {
        let transaction = self.connection.transaction()?;
        if let Some(found) = read_campaign(&transaction)? {
            return Ok(found);
        }
        let put = "INSERT INTO campaign (id, seed, settings, started) VALUES (1, ?1, ?2, ?3)";
        let (seed, started) = (signed(wanted.seed), signed(wanted.started));
        transaction.execute(put, params![seed, wanted.settings, started])?;
        transaction.commit()?;
        Ok(wanted.clone())
    }

    fn campaign(&mut self) -> Result<Option<CampaignRow>, StoreError> {
        Ok(read_campaign(&self.connection)?)
    }

    fn shared(&self) -> Option<Duration> {
        None
    }

    fn lease(&mut self, owner: &str, count: usize, limit: u64) -> Result<Vec<u64>, StoreError> {
        let transaction = self.connection.transaction()?;
        let blocks = take(&transaction, owner, count, limit)?;
        transaction.commit()?;
        Ok(blocks)
    }

    fn reclaim(&mut self, owner: &str) -> Result<(), StoreError> {
        // Only one process uses this file, so all other owners are dead.
        let transaction = self.connection.transaction()?;
        for table in ["blocks", "jobs"] {
            let sql = format!("UPDATE {table} SET owner = NULL WHERE owner IS NOT ?1");
            transaction.execute(&sql, [owner])?;
        }
        Ok(transaction.commit()?)
    }

    fn renew(&mut self, owner: &str) -> Result<Vec<u64>, StoreError> {
        let sql = "SELECT number FROM blocks WHERE owner = ?1 ORDER BY number";
        self.list(sql, [owner], |row| Ok(unsigned(row.get(0)?)))
    }

    fn release(&mut self, owner: &str) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        let blocks = "UPDATE blocks SET owner = NULL WHERE owner = ?1";
        transaction.execute(blocks, [owner])?;
        let jobs = "UPDATE jobs SET owner = NULL, attempts = max(attempts - 1, 0) WHERE owner = ?1";
        transaction.execute(jobs, [owner])?;
        Ok(transaction.commit()?)
    }

    fn finish(&mut self, owner: &str, blocks: &[u64]) -> Result<(), StoreError> {
        self.all(blocks, |transaction, block| {
            let delete = "DELETE FROM blocks WHERE number = ?1 AND owner = ?2";
            let was_there = transaction
                .prepare_cached(delete)?
                .execute(params![signed(*block), owner])?;
            let count = "UPDATE campaign SET finished = finished + ?1";
            transaction
                .prepare_cached(count)?
                .execute([was_there as i64])?;
            Ok(())
        })
    }

    fn finished(&mut self) -> Result<u64, StoreError> {
        let sql = "SELECT finished FROM campaign";
        let found = self
            .connection
            .query_row(sql, [], |row| row.get(0))
            .optional()?;
        Ok(found.map_or(0, unsigned))
    }

    fn put_features(&mut self, features: &[u64]) -> Result<(), StoreError> {
        self.all(features, put_feature)
    }

    fn features(&mut self) -> Result<Vec<u64>, StoreError> {
        self.list("SELECT hash FROM features", [], |row| {
            Ok(unsigned(row.get(0)?))
        })
    }

    fn put_findings(&mut self, rows: &[FindingRow]) -> Result<Vec<bool>, StoreError> {
        let mut new = Vec::with_capacity(rows.len());
        self.all(rows, |transaction, row| {
            new.push(put_finding(transaction, row)?);
            Ok(())
        })?;
        Ok(new)
    }

    fn findings(&mut self) -> Result<Vec<FindingRow>, StoreError> {
        let sql =
            "SELECT fingerprint, bucket, class, solver, id, strategy, found, repeats, reduced, json
            FROM findings ORDER BY found, rowid";
        self.list(sql, [], finding_row)
    }

    fn finding(&mut self, id: &str) -> Result<Option<FindingRow>, StoreError> {
        let sql =
            "SELECT fingerprint, bucket, class, solver, id, strategy, found, repeats, reduced, json
            FROM findings WHERE id = ?1";
        Ok(self.list(sql, [id], finding_row)?.pop())
    }

    fn add_repeats(&mut self, rows: &[(String, u64)]) -> Result<(), StoreError> {
        self.all(rows, |transaction, (fingerprint, more)| {
            let sql = "UPDATE findings SET repeats = repeats + ?2 WHERE fingerprint = ?1";
            let values = params![fingerprint, signed(*more)];
            transaction.prepare_cached(sql)?.execute(values)?;
            Ok(())
        })
    }

    fn put_seeds(&mut self, rows: &[SeedRow]) -> Result<(), StoreError> {
        self.all(rows, |transaction, row| {
            let sql = "INSERT OR REPLACE INTO seeds VALUES (?1, ?2, ?3)";
            transaction
                .prepare_cached(sql)?
                .execute([&row.key, &row.name, &row.facts])?;
            Ok(())
        })
    }

    fn seeds(&mut self) -> Result<Vec<SeedRow>, StoreError> {
        self.list(
            "SELECT key, name, facts FROM seeds ORDER BY key",
            [],
            |row| {
                Ok(SeedRow {
                    key: row.get(0)?,
                    name: row.get(1)?,
                    facts: row.get(2)?,
                })
            },
        )
    }

    fn put_statistics(&mut self, row: &StatisticsRow) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        let put = "INSERT OR REPLACE INTO statistics VALUES (?1, ?2)";
        transaction.execute(put, params![signed(row.at), row.json])?;
        let count = "SELECT count(*) FROM statistics";
        let count: i64 = transaction.query_row(count, [], |row| row.get(0))?;
        if count > STATISTICS {
            let thin = "DELETE FROM statistics WHERE at IN (SELECT at FROM
                (SELECT at, row_number() OVER (ORDER BY at) AS n FROM statistics)
                WHERE n % 2 = 0 AND n < ?1)";
            transaction.execute(thin, [STATISTICS / 2])?;
        }
        Ok(transaction.commit()?)
    }

    fn statistics(&mut self, since: u64) -> Result<Vec<StatisticsRow>, StoreError> {
        let sql = "SELECT at, json FROM statistics WHERE at >= ?1 ORDER BY at";
        self.list(sql, [signed(since)], |row| {
            Ok(StatisticsRow {
                at: unsigned(row.get(0)?),
                json: row.get(1)?,
            })
        })
    }

    fn put_worker(&mut self, owner: &str, json: &str) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO workers VALUES (?1, unixepoch(), ?2)";
        self.connection.execute(sql, [owner, json])?;
        Ok(())
    }

    fn workers(&mut self) -> Result<Vec<WorkerRow>, StoreError> {
        let sql = "SELECT owner, seen, json FROM workers ORDER BY owner";
        self.list(sql, [], |row| {
            Ok(WorkerRow {
                owner: row.get(0)?,
                seen: unsigned(row.get(1)?),
                json: row.get(2)?,
            })
        })
    }

    fn retire(&mut self, gone: &[WorkerRow], sum: &WorkerRow) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction()?;
        for row in gone {
            let forget = "DELETE FROM workers WHERE owner = ?1 AND seen = ?2";
            if transaction.execute(forget, params![row.owner, signed(row.seen)])? != 1 {
                return Ok(false);
            }
        }
        let put = "INSERT INTO workers VALUES (?1, ?2, ?3)";
        transaction.execute(put, params![sum.owner, signed(sum.seen), sum.json])?;
        transaction.commit()?;
        Ok(true)
    }

    fn take_turn(&mut self, at: u64) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM statistics WHERE at = ?1";
        let taken = self.connection.prepare_cached(sql)?.exists([signed(at)])?;
        Ok(!taken)
    }

    fn put_jobs(&mut self, rows: &[JobRow]) -> Result<(), StoreError> {
        self.all(rows, |transaction, row| {
            let sql = "INSERT OR IGNORE INTO jobs (kind, finding, details) VALUES (?1, ?2, ?3)";
            transaction
                .prepare_cached(sql)?
                .execute([&row.kind, &row.finding, &row.details])?;
            Ok(())
        })
    }

    fn take_job(&mut self, owner: &str, kinds: &[&str]) -> Result<Option<JobRow>, StoreError> {
        let transaction = self.connection.transaction()?;
        let sql = "SELECT number, kind, finding, details, attempts FROM jobs WHERE owner IS NULL
            AND instr(?1, ',' || kind || ',') > 0 AND attempts < ?2 ORDER BY attempts, number LIMIT 1";
        let kinds = format!(",{},", kinds.join(","));
        let values = params![kinds, signed(super::ATTEMPTS)];
        let found = transaction.query_row(sql, values, job_row).optional()?;
        if let Some(job) = &found {
            let sql = "UPDATE jobs SET owner = ?1, attempts = attempts + 1 WHERE number = ?2";
            transaction.execute(sql, params![owner, signed(job.number)])?;
        }
        transaction.commit()?;
        Ok(found)
    }

    fn end_job(&mut self, owner: &str, number: u64, done: bool) -> Result<(), StoreError> {
        let sql = match done {
            true => "DELETE FROM jobs WHERE number = ?1 AND owner = ?2",
            false => "UPDATE jobs SET owner = NULL WHERE number = ?1 AND owner = ?2",
        };
        self.connection
            .execute(sql, params![signed(number), owner])?;
        Ok(())
    }

    fn jobs(&mut self) -> Result<Vec<JobRow>, StoreError> {
        let sql = "SELECT number, kind, finding, details, attempts FROM jobs ORDER BY number";
        self.list(sql, [], job_row)
    }

    fn put_history(&mut self, id: &str, json: &str) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO histories VALUES (?1, ?2)";
        self.connection.execute(sql, [id, json])?;
        Ok(())
    }

    fn histories(&mut self) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT id, json FROM histories ORDER BY id";
        self.list(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn put_scripts(&mut self, rows: &[ScriptRow]) -> Result<(), StoreError> {
        self.all(rows, |transaction, row| {
            let sql = "INSERT OR IGNORE INTO scripts VALUES (?1, ?2, ?3)";
            transaction
                .prepare_cached(sql)?
                .execute([&row.key, &row.name, &row.text])?;
            Ok(())
        })
    }

    fn scripts(&mut self) -> Result<Vec<ScriptRow>, StoreError> {
        let sql = "SELECT key, name, text FROM scripts ORDER BY key";
        self.list(sql, [], |row| {
            Ok(ScriptRow {
                key: row.get(0)?,
                name: row.get(1)?,
                text: row.get(2)?,
            })
        })
    }

    fn news(&mut self, since: Mark) -> Result<News, StoreError> {
        // Only one process uses this file.
        Ok(News {
            mark: since,
            ..News::default()
        })
    }

    fn spare(&mut self) -> Result<(), StoreError> {
        let thin = "DELETE FROM statistics WHERE at NOT IN
            (SELECT at FROM statistics ORDER BY at DESC LIMIT ?1)";
        self.connection.execute(thin, [FEW_STATISTICS])?;
        let count = |name| {
            self.connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        if 2 * count("freelist_count")? > count("page_count")? {
            self.connection.execute_batch("VACUUM")?;
        }
        // If another process is reading, this happens another time.
        let shorten = "PRAGMA wal_checkpoint(TRUNCATE)";
        self.connection.query_row(shorten, [], |_| Ok(()))?;
        Ok(())
    }

    fn put_defects(&mut self, rows: &[DefectRow]) -> Result<(), StoreError> {
        self.all(rows, |transaction, row| {
            let sql = "INSERT OR REPLACE INTO defects VALUES (?1, ?2)";
            transaction
                .prepare_cached(sql)?
                .execute([&row.replay, &row.message])?;
            Ok(())
        })
    }

    fn defects(&mut self) -> Result<Vec<DefectRow>, StoreError> {
        self.list(
            "SELECT replay, message FROM defects ORDER BY replay",
            [],
            |row| {
                Ok(DefectRow {
                    replay: row.get(0)?,
                    message: row.get(1)?,
                })
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use crate::store::conformance;

    #[test]
    fn keeps_what_every_store_must_keep() {
        let scratch = Scratch::new();
        let path = scratch.path().join("a.db");
        conformance::check(&mut || Box::new(Sqlite::create(&path).unwrap()), &|| {});
    }

    #[test]
    fn refuses_what_is_no_store() {
        let scratch = Scratch::new();
        let path = scratch.path().join("a.db");
        std::fs::write(
            &path,
            "this is no database, but it is long enough to be looked at".repeat(9),
        )
        .unwrap();
        assert!(matches!(Sqlite::create(&path), Err(StoreError::Damaged(_))));
        let newer = scratch.path().join("b.db");
        let store = Sqlite::create(&newer).unwrap();
        store
            .connection
            .pragma_update(None, "user_version", 99)
            .unwrap();
        assert!(matches!(
            Sqlite::create(&newer),
            Err(StoreError::TooNew { found: 99, .. })
        ));
    }

    #[test]
    fn can_be_looked_at_while_it_is_written() {
        let scratch = Scratch::new();
        let path = scratch.path().join("a.db");
        let mut writer = Sqlite::create(&path).unwrap();
        let row = StatisticsRow {
            at: 1,
            json: "{}".to_string(),
        };
        writer.put_statistics(&row).unwrap();
        let mut reader = Sqlite::look(&path).unwrap();
        assert_eq!(reader.statistics(0).unwrap().len(), 1);
        assert!(reader.put_statistics(&row).is_err());
    }
}
