//! The store in one SQLite file: the default, for one machine.

use super::{
    CampaignRow, DefectRow, FindingRow, FoldRow, SeedRow, StatisticsRow, Store, StoreError,
    YieldRow,
};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, params};
use std::path::Path;
use std::time::Duration;

/// The schema, one text per version; a store of version n gets the texts after the n-th.
const MIGRATIONS: &[&str] = &["
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
"];

/// How many rows of statistics are kept; older ones are thinned out to every other one.
const STATISTICS: i64 = 4_000;

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
    /// Opens a file for writing, makes it if needed, and brings it to the newest schema.
    pub fn create(path: &Path) -> Result<Sqlite, StoreError> {
        let mut connection = Connection::open(path)?;
        // A killed process loses nothing in this mode; a power cut may lose the last moments,
        // and findings have their own synced files.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.busy_timeout(Duration::from_secs(10))?;
        migrate(&mut connection)?;
        Ok(Sqlite { connection })
    }

    /// Opens a file to look at it, also while a campaign writes.
    pub fn look(path: &Path) -> Result<Sqlite, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.pragma_update(None, "query_only", true)?;
        let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        check_version(found)?;
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

/// SQLite's integers are signed; the bits are what counts.
fn signed(number: u64) -> i64 {
    number as i64
}

fn unsigned(number: i64) -> u64 {
    number as u64
}

fn bytes(features: &[u64]) -> Vec<u8> {
    features.iter().flat_map(|f| f.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<u64> {
    let chunks = bytes.chunks_exact(8);
    chunks
        .filter_map(|c| c.try_into().ok().map(u64::from_le_bytes))
        .collect()
}

fn finding_row(row: &Row<'_>) -> rusqlite::Result<FindingRow> {
    Ok(FindingRow {
        fingerprint: row.get(0)?,
        bucket: row.get(1)?,
        class: row.get(2)?,
        solver: row.get(3)?,
        id: row.get(4)?,
        strategy: row.get(5)?,
        found: unsigned(row.get(6)?),
        repeats: unsigned(row.get(7)?),
        json: row.get(8)?,
    })
}

fn put_finding(transaction: &Transaction<'_>, row: &FindingRow) -> rusqlite::Result<bool> {
    let known = "SELECT 1 FROM findings WHERE fingerprint = ?1";
    let known = transaction
        .prepare_cached(known)?
        .exists([&row.fingerprint])?;
    let sql = "INSERT INTO findings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT (fingerprint) DO UPDATE SET json = excluded.json, repeats = max(repeats, excluded.repeats)";
    transaction.prepare_cached(sql)?.execute(params![
        row.fingerprint,
        row.bucket,
        row.class,
        row.solver,
        row.id,
        row.strategy,
        signed(row.found),
        signed(row.repeats),
        row.json
    ])?;
    Ok(!known)
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

/// The lowest free blocks: given back first, then new ones.
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

    fn lease(&mut self, owner: &str, count: usize, limit: u64) -> Result<Vec<u64>, StoreError> {
        let transaction = self.connection.transaction()?;
        let blocks = take(&transaction, owner, count, limit)?;
        transaction.commit()?;
        Ok(blocks)
    }

    fn reclaim(&mut self, owner: &str) -> Result<(), StoreError> {
        // Only one process has this file, so every other owner is gone.
        let sql = "UPDATE blocks SET owner = NULL WHERE owner IS NOT ?1";
        self.connection.execute(sql, [owner])?;
        Ok(())
    }

    fn finish(&mut self, blocks: &[u64]) -> Result<(), StoreError> {
        self.all(blocks, |transaction, block| {
            let delete = "DELETE FROM blocks WHERE number = ?1";
            let was_there = transaction
                .prepare_cached(delete)?
                .execute([signed(*block)])?;
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

    fn put_yields(&mut self, rows: &[YieldRow]) -> Result<(), StoreError> {
        self.all(rows, |transaction, row| {
            let sql = "INSERT OR REPLACE INTO yields VALUES (?1, ?2, ?3, ?4)";
            let features = bytes(&row.features);
            let values = params![signed(row.block), row.strategy, row.cases, features];
            transaction.prepare_cached(sql)?.execute(values)?;
            Ok(())
        })
    }

    fn yields(&mut self, from: u64, to: u64) -> Result<Vec<YieldRow>, StoreError> {
        let sql = "SELECT block, strategy, cases, features FROM yields
            WHERE block >= ?1 AND block < ?2 ORDER BY block";
        self.list(sql, [signed(from), signed(to)], |row| {
            Ok(YieldRow {
                block: unsigned(row.get(0)?),
                strategy: row.get(1)?,
                cases: row.get(2)?,
                features: numbers(&row.get::<_, Vec<u8>>(3)?),
            })
        })
    }

    fn fold(&mut self, row: &FoldRow, blocks: u64, keep: u64) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        let epoch = signed(row.epoch);
        let put = "INSERT OR REPLACE INTO folds VALUES (?1, ?2)";
        transaction.execute(put, params![epoch, row.state])?;
        let forget = "DELETE FROM folds WHERE epoch <= ?1";
        transaction.execute(forget, [epoch - signed(keep)])?;
        transaction.execute("DELETE FROM yields WHERE block < ?1", [signed(blocks)])?;
        for feature in &row.features {
            let put = "INSERT OR IGNORE INTO features VALUES (?1)";
            transaction
                .prepare_cached(put)?
                .execute([signed(*feature)])?;
        }
        Ok(transaction.commit()?)
    }

    fn folds(&mut self) -> Result<Vec<FoldRow>, StoreError> {
        self.list("SELECT epoch, state FROM folds ORDER BY epoch", [], |row| {
            Ok(FoldRow {
                epoch: unsigned(row.get(0)?),
                state: row.get(1)?,
                features: Vec::new(),
            })
        })
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
        let sql = "SELECT fingerprint, bucket, class, solver, id, strategy, found, repeats, json
            FROM findings ORDER BY found, rowid";
        self.list(sql, [], finding_row)
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
        conformance::check(&mut || Box::new(Sqlite::create(&path).unwrap()));
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
