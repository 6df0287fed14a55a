//! The tables of a shared store, and the upgrade of older databases.

use super::super::StoreError;
use super::super::link::Session;
use postgres::{Error, GenericClient};

/// The schema, one text per version; a store of version n gets the texts after the n-th.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE campaign (id INT PRIMARY KEY CHECK (id = 1), seed BIGINT NOT NULL,
        settings TEXT NOT NULL, started BIGINT NOT NULL,
        next_block BIGINT NOT NULL DEFAULT 0, finished BIGINT NOT NULL DEFAULT 0);
    CREATE TABLE spans (first BIGINT PRIMARY KEY, past BIGINT NOT NULL, owner TEXT,
        until TIMESTAMPTZ NOT NULL, CHECK (first < past));
    CREATE INDEX spans_by_owner ON spans (owner);
    CREATE TABLE yields (block BIGINT PRIMARY KEY, strategy TEXT NOT NULL,
        cases INT NOT NULL, features BYTEA NOT NULL);
    CREATE TABLE folds (epoch BIGINT PRIMARY KEY, state TEXT NOT NULL);
    CREATE TABLE features (hash BIGINT PRIMARY KEY, number BIGSERIAL);
    CREATE INDEX features_by_number ON features (number);
    CREATE TABLE changes (id INT PRIMARY KEY CHECK (id = 1), number BIGINT NOT NULL);
    INSERT INTO changes VALUES (1, 0);
    CREATE TABLE findings (fingerprint TEXT PRIMARY KEY, bucket TEXT NOT NULL, class TEXT NOT NULL,
        solver TEXT NOT NULL, id TEXT NOT NULL UNIQUE, strategy TEXT NOT NULL, found BIGINT NOT NULL,
        repeats BIGINT NOT NULL DEFAULT 0, reduced BOOLEAN NOT NULL, json TEXT NOT NULL,
        number BIGSERIAL, changed BIGINT NOT NULL);
    CREATE INDEX findings_by_change ON findings (changed);
    CREATE TABLE histories (id TEXT PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE seeds (key TEXT PRIMARY KEY, name TEXT NOT NULL, facts TEXT NOT NULL,
        changed BIGINT NOT NULL);
    CREATE INDEX seeds_by_change ON seeds (changed);
    CREATE TABLE scripts (key TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
    CREATE TABLE statistics (at BIGINT PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE workers (owner TEXT PRIMARY KEY, seen TIMESTAMPTZ NOT NULL, json TEXT NOT NULL);
    CREATE TABLE jobs (number BIGSERIAL PRIMARY KEY, kind TEXT NOT NULL, finding TEXT NOT NULL,
        details TEXT NOT NULL, attempts BIGINT NOT NULL DEFAULT 0, owner TEXT,
        until TIMESTAMPTZ NOT NULL DEFAULT now(), UNIQUE (kind, finding, details));
    CREATE TABLE defects (replay TEXT PRIMARY KEY, message TEXT NOT NULL);
", "
    DROP TABLE yields;
    DROP TABLE folds;
"];

/// The advisory lock for changes of the schema: the bytes of `auspex`.
const SCHEMA_LOCK: i64 = 0x6175_7370_6578;

pub fn check_version(found: i64) -> Result<(), StoreError> {
    let known = MIGRATIONS.len() as i64;
    match found <= known {
        true => Ok(()),
        false => Err(StoreError::TooNew { found, known }),
    }
}

/// The version of the schema; none if there is no store.
pub fn version(client: &mut impl GenericClient) -> Result<Option<i64>, Error> {
    let there = "SELECT to_regclass('auspex_schema') IS NOT NULL";
    if !client.query_one(there, &[])?.get::<_, bool>(0) {
        return Ok(None);
    }
    let row = client.query_one("SELECT version FROM auspex_schema", &[])?;
    Ok(Some(row.get(0)))
}

pub fn migrate(session: &mut Session) -> Result<i64, Error> {
    let mut transaction = session.client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&SCHEMA_LOCK])?;
    let found = version(&mut transaction)?;
    if found.is_none() {
        transaction.batch_execute(
            "CREATE TABLE auspex_schema (version BIGINT NOT NULL);
             INSERT INTO auspex_schema VALUES (0)",
        )?;
    }
    let found = found.unwrap_or(0);
    for text in MIGRATIONS.iter().skip(found.max(0) as usize) {
        transaction.batch_execute(text)?;
    }
    let newest = found.max(MIGRATIONS.len() as i64);
    transaction.execute("UPDATE auspex_schema SET version = $1", &[&newest])?;
    transaction.commit()?;
    Ok(newest)
}
