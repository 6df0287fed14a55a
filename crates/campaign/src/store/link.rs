//! A reconnecting connection to PostgreSQL: after a loss the next call connects again, with growing pauses between
//! attempts, and calls in between fail at once.

use super::StoreError;
use super::address::{Address, SslMode, chain};
use super::tls;
use postgres::error::SqlState;
use postgres::{Client, NoTls, Statement};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The shortest and the longest pause between attempts to connect.
const SHORTEST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(30);

/// Session settings for writers: a lost worker must not block others.
const GREETING: &str = "SET statement_timeout = '60s'; SET lock_timeout = '30s';
    SET idle_in_transaction_session_timeout = '60s'; SET synchronous_commit = off";
/// Session settings for readers.
const LOOKING: &str = "SET default_transaction_read_only = on; SET statement_timeout = '60s'";

/// A live connection with its prepared statements.
pub struct Session {
    pub client: Client,
    known: HashMap<&'static str, Statement>,
}

impl Session {
    /// A statement, prepared at its first use.
    pub fn statement(&mut self, sql: &'static str) -> Result<Statement, postgres::Error> {
        if let Some(known) = self.known.get(sql) {
            return Ok(known.clone());
        }
        let prepared = self.client.prepare(sql)?;
        self.known.insert(sql, prepared.clone());
        Ok(prepared)
    }
}

/// A connection, or how to make one.
pub struct Link {
    address: Address,
    tls: Option<MakeRustlsConnect>,
    writes: bool,
    session: Option<Session>,
    failures: u32,
    /// No attempt before this.
    next: Instant,
    why: String,
}

impl Link {
    /// Connects; a first attempt that fails is an error.
    pub fn open(address: Address, writes: bool) -> Result<Link, StoreError> {
        let tls = match (address.protection.mode, address.is_local_socket()) {
            (SslMode::Disable, _) | (_, true) => None,
            _ => Some(tls::connector(&address.protection).map_err(StoreError::Other)?),
        };
        let mut link = Link {
            address,
            tls,
            writes,
            session: None,
            failures: 0,
            next: Instant::now(),
            why: String::new(),
        };
        link.connect()?;
        Ok(link)
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Runs some work in a connection. If it fails because the connection was lost, it is run once more in a new one.
    pub fn with<T>(
        &mut self,
        mut work: impl FnMut(&mut Session) -> Result<T, postgres::Error>,
    ) -> Result<T, StoreError> {
        for attempt in 0.. {
            let session = match &mut self.session {
                Some(session) => session,
                None => self.connect()?,
            };
            let error = match work(session) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let lost = session.client.is_closed() || is_loss(&error);
            if lost {
                self.session = None;
            }
            if attempt == 1 || !(lost || is_collision(&error)) {
                return Err(self.explain(&error, lost));
            }
        }
        Err(StoreError::Away(self.why.clone()))
    }

    fn connect(&mut self) -> Result<&mut Session, StoreError> {
        if Instant::now() < self.next {
            return Err(StoreError::Away(self.why.clone()));
        }
        match self.attempt() {
            Ok(client) => {
                self.failures = 0;
                Ok(self.session.insert(Session {
                    client,
                    known: HashMap::new(),
                }))
            }
            Err(error) => {
                self.next = Instant::now() + pause(self.failures);
                self.failures += 1;
                Err(self.explain(&error, true))
            }
        }
    }

    fn attempt(&self) -> Result<Client, postgres::Error> {
        let mut config = self.address.config.clone();
        config.ssl_mode(match self.address.protection.mode {
            _ if self.tls.is_none() => postgres::config::SslMode::Disable,
            SslMode::Disable => postgres::config::SslMode::Disable,
            SslMode::Prefer => postgres::config::SslMode::Prefer,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => {
                postgres::config::SslMode::Require
            }
        });
        let mut client = match &self.tls {
            Some(tls) => config.connect(tls.clone())?,
            None => config.connect(NoTls)?,
        };
        client.batch_execute(if self.writes { GREETING } else { LOOKING })?;
        Ok(client)
    }

    fn explain(&mut self, error: &postgres::Error, lost: bool) -> StoreError {
        let text = match error.as_db_error() {
            Some(error) => error.message().to_string(),
            None => chain(error),
        };
        let text = self.address.clean(&text);
        if error.code() == Some(&SqlState::DISK_FULL) {
            return StoreError::Full;
        }
        if lost {
            self.why = text.clone();
            return StoreError::Away(text);
        }
        StoreError::Other(text)
    }
}

/// Whether a failure means that the connection or the server is lost.
fn is_loss(error: &postgres::Error) -> bool {
    match error.code() {
        None => error.is_closed() || is_io(error),
        Some(code) => {
            let gone = [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
            ];
            gone.contains(code) || code.code().starts_with("08")
        }
    }
}

fn is_io(error: &postgres::Error) -> bool {
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        if cause.is::<std::io::Error>() {
            return true;
        }
        next = cause.source();
    }
    false
}

/// Whether two machines conflicted; then a second attempt succeeds.
fn is_collision(error: &postgres::Error) -> bool {
    let code = error.code();
    code == Some(&SqlState::T_R_DEADLOCK_DETECTED)
        || code == Some(&SqlState::T_R_SERIALIZATION_FAILURE)
}

/// The next pause: longer after each failure, and different on every machine, so that a thousand do not reconnect at
/// once.
fn pause(failures: u32) -> Duration {
    let whole = SHORTEST.saturating_mul(1 << failures.min(10)).min(LONGEST);
    let part = std::process::id() % 512;
    whole * (512 + part) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let pauses: Vec<Duration> = (0..40).map(pause).collect();
        assert!(pauses.windows(2).all(|two| two[0] <= two[1]));
        assert!(pauses[0] >= SHORTEST / 2 && pauses[39] <= LONGEST);
    }

    #[test]
    fn a_server_that_is_not_there_is_told_without_its_password() {
        let url = "postgres://ann:hunter2@127.0.0.1:1/x";
        let address = Address::with(url, &|_| None).unwrap();
        let Err(StoreError::Away(why)) = Link::open(address, true) else {
            panic!("no server listens on port 1");
        };
        assert!(!why.is_empty() && !why.contains("hunter2"), "{why}");
    }
}
