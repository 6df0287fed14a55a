//! Ranges of blocks: leased lowest first, taken over when their lease expires, finished piece by piece.

use super::super::link::Session;
use super::super::{signed, unsigned};
use postgres::Error;
use std::ops::Range;

/// The lowest free ranges, as many as needed, locked; the last one may be too long.
const FREE: &str = "SELECT first, past FROM spans WHERE (owner IS NULL OR until <= now())
    AND first < $1 ORDER BY first LIMIT $2 FOR UPDATE SKIP LOCKED";
/// The rest of a free range.
const SHORTEN: &str = "UPDATE spans SET first = $2 WHERE first = $1";
const TAKE: &str = "UPDATE spans SET owner = $2, until = now() + $3 * interval '1 second'
    WHERE first = $1";
const PUT: &str = "INSERT INTO spans VALUES ($1, $2, $3, now() + $4 * interval '1 second')";
/// Blocks that were never leased.
const NEW: &str = "WITH old AS (SELECT next_block FROM campaign FOR UPDATE), new AS
    (UPDATE campaign SET next_block = campaign.next_block + least($1, $2 - campaign.next_block)
     FROM old WHERE old.next_block < $2 RETURNING old.next_block AS first, campaign.next_block AS past)
    INSERT INTO spans SELECT first, past, $3, now() + $4 * interval '1 second' FROM new
    RETURNING first, past";
/// Removes a finished range from its owner's, and counts it.
const FINISH: &str = "WITH hit AS (DELETE FROM spans WHERE owner = $3 AND first < $2 AND past > $1
        RETURNING first, past, owner, until),
    rest AS (INSERT INTO spans SELECT first, $1, owner, until FROM hit WHERE first < $1
        UNION ALL SELECT $2, past, owner, until FROM hit WHERE past > $2)
    UPDATE campaign SET finished = finished +
        (SELECT sum(least(past, $2) - greatest(first, $1)) FROM hit)::bigint
    WHERE EXISTS (SELECT FROM hit)";

pub fn take(
    session: &mut Session,
    owner: &str,
    count: usize,
    limit: u64,
    lease: f64,
) -> Result<Vec<u64>, Error> {
    let all = [FREE, SHORTEN, TAKE, PUT, NEW];
    let [free, shorten, take, put, new] = [0, 1, 2, 3, 4].map(|at| session.statement(all[at]));
    let (free, shorten, take, put, new) = (free?, shorten?, take?, put?, new?);
    let limit = signed(limit.min(i64::MAX as u64));
    let mut transaction = session.client.transaction()?;
    let mut blocks = Vec::with_capacity(count);
    let mut left = count as i64;
    for row in transaction.query(&free, &[&limit, &left])? {
        let (first, past): (i64, i64) = (row.get(0), row.get(1));
        let end = past.min(limit).min(first + left);
        match end == past {
            true => transaction.execute(&take, &[&first, &owner, &lease])?,
            false => {
                transaction.execute(&shorten, &[&first, &end])?;
                transaction.execute(&put, &[&first, &end, &owner, &lease])?
            }
        };
        blocks.extend((first..end).map(unsigned));
        left -= end - first;
        if left <= 0 {
            break;
        }
    }
    if left > 0 {
        for row in transaction.query(&new, &[&left, &limit, &owner, &lease])? {
            blocks.extend((row.get::<_, i64>(0)..row.get(1)).map(unsigned));
        }
    }
    // Wait for the disk, since leasing a range twice would be worse.
    if !blocks.is_empty() {
        transaction.batch_execute("SET LOCAL synchronous_commit = on")?;
    }
    transaction.commit()?;
    Ok(blocks)
}

/// Counts ranges as done; ranges that the owner has lost are ignored.
pub fn finish(session: &mut Session, owner: &str, runs: &[Range<u64>]) -> Result<(), Error> {
    let finish = session.statement(FINISH)?;
    // The usual case needs one round trip.
    if let [run] = runs {
        let (start, end) = (signed(run.start), signed(run.end));
        let done = session.client.execute(&finish, &[&start, &end, &owner]);
        return done.map(drop);
    }
    let mut transaction = session.client.transaction()?;
    for run in runs {
        transaction.execute(&finish, &[&signed(run.start), &signed(run.end), &owner])?;
    }
    transaction.commit()
}
