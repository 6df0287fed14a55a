//! The address of a shared store, as users of PostgreSQL know it: a URL, `PG…` variables, a password file. No message
//! contains the secrets in it.

use postgres::Config;
use postgres::config::Host;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The protection of the connection: `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SslMode {
    Disable,
    /// If the server can; nothing is verified.
    Prefer,
    /// Always; verified only if there is a root certificate.
    Require,
    /// The certificate must come from a trusted authority.
    VerifyCa,
    /// And be issued for the host.
    VerifyFull,
}

impl SslMode {
    fn named(name: &str) -> Option<SslMode> {
        Some(match name {
            "disable" => SslMode::Disable,
            // Without TLS first is no better than with it first.
            "allow" | "prefer" => SslMode::Prefer,
            "require" => SslMode::Require,
            "verify-ca" => SslMode::VerifyCa,
            "verify-full" => SslMode::VerifyFull,
            _ => return None,
        })
    }
}

/// The TLS settings: `sslmode`, `sslrootcert`, `sslcert` and `sslkey`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protection {
    pub mode: SslMode,
    /// A file, or `system` for the certificates of the machine.
    pub roots: Option<PathBuf>,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
}

/// A store's address. It is printed without its password.
#[derive(Clone)]
pub struct Address {
    pub config: Config,
    pub protection: Protection,
    /// The password in every spelling in which it may occur in messages.
    secrets: Vec<String>,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self.config.get_user().unwrap_or("");
        write!(f, "postgres://{user}@{}", host(&self.config))?;
        if let Some(port) = self.config.get_ports().first() {
            write!(f, ":{port}")?;
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or(user))
    }
}

/// The timeout for connecting, and for detecting a dead connection.
const CONNECT: Duration = Duration::from_secs(5);
const SILENCE: Duration = Duration::from_secs(15);

impl Address {
    /// Reads a URL with the help of the environment.
    pub fn read(url: &str) -> Result<Address, String> {
        Address::with(url, &|name| std::env::var(name).ok())
    }

    /// Like `read`, with a given environment.
    pub fn with(url: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Address, String> {
        let url = url.trim();
        let rest = url
            .strip_prefix("postgres://")
            .or_else(|| url.strip_prefix("postgresql://"));
        let rest = rest.ok_or("a store's address must start with postgres://")?;
        let mut secrets = written_secrets(rest);
        let clean = |text: String, secrets: &[String]| redacted(&text, secrets);
        let (plain, mut protection) = split(rest, env).map_err(|why| clean(why, &secrets))?;
        let mut config: Config = format!("postgres://{plain}")
            .parse()
            .map_err(|error: postgres::Error| clean(chain(&error), &secrets))?;
        fill(&mut config, env)?;
        if let Some(password) = config.get_password() {
            secrets.push(String::from_utf8_lossy(password).into_owned());
        }
        secrets.retain(|secret| !secret.is_empty());
        if protection.roots.is_none() {
            protection.roots = home(env)
                .map(|home| home.join(".postgresql/root.crt"))
                .filter(|path| path.is_file());
        }
        Ok(Address {
            config,
            protection,
            secrets,
        })
    }

    /// A message with all secrets removed.
    pub fn clean(&self, text: &str) -> String {
        redacted(text, &self.secrets)
    }

    /// The name for which a certificate must be issued.
    pub fn is_local_socket(&self) -> bool {
        matches!(self.config.get_hosts().first(), Some(Host::Unix(_)))
    }
}

/// A message with its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

fn redacted(text: &str, secrets: &[String]) -> String {
    let mut text = text.to_string();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret.as_str(), "***");
    }
    text
}

/// The password in the URL, with and without escapes.
fn written_secrets(rest: &str) -> Vec<String> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let user = place.rsplit_once('@').map_or("", |(user, _)| user);
    let mut raw = vec![user.split_once(':').map_or("", |(_, password)| password)];
    raw.extend(query.split('&').filter_map(|part| {
        part.strip_prefix("password=")
            .or_else(|| part.strip_prefix("sslpassword="))
    }));
    raw.iter()
        .flat_map(|raw| [raw.to_string(), unescaped(raw)])
        .collect()
}

fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3);
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Extracts the TLS parameters from a URL, since the library supports fewer of them.
fn split(rest: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<(String, Protection), String> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (mut kept, mut tls) = (Vec::new(), Vec::new());
    for part in query.split('&').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some((name, value)) if name.starts_with("ssl") => tls.push((name, unescaped(value))),
            _ => kept.push(part),
        }
    }
    let find = |name: &str, variable: &str| {
        let given = tls.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
        given.or_else(|| env(variable))
    };
    let known = ["sslmode", "sslrootcert", "sslcert", "sslkey"];
    if let Some((name, _)) = tls.iter().find(|(name, _)| !known.contains(name)) {
        return Err(format!("{name} is not supported in a store's address"));
    }
    let mode = find("sslmode", "PGSSLMODE").unwrap_or_else(|| "prefer".to_string());
    let mode = SslMode::named(&mode).ok_or(format!("sslmode={mode} is unknown"))?;
    let path = |name, variable| find(name, variable).map(PathBuf::from);
    let protection = Protection {
        mode,
        roots: path("sslrootcert", "PGSSLROOTCERT"),
        certificate: path("sslcert", "PGSSLCERT"),
        key: path("sslkey", "PGSSLKEY"),
    };
    let plain = match kept.is_empty() {
        true => place.to_string(),
        false => format!("{place}?{}", kept.join("&")),
    };
    Ok((plain, protection))
}

/// Fills in what the URL omits from the environment, default places, and the password file.
fn fill(config: &mut Config, env: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
    if config.get_hosts().is_empty() {
        config.host(env("PGHOST").as_deref().unwrap_or("localhost"));
    }
    if config.get_ports().is_empty() {
        let port = env("PGPORT").unwrap_or_else(|| "5432".to_string());
        config.port(
            port.parse()
                .map_err(|_| format!("PGPORT={port} is not a port"))?,
        );
    }
    if config.get_user().is_none() {
        let user = env("PGUSER").or_else(|| env("USER"));
        config.user(user.as_deref().unwrap_or("postgres"));
    }
    if config.get_dbname().is_none() {
        let user = config.get_user().unwrap_or("postgres").to_string();
        config.dbname(&env("PGDATABASE").unwrap_or(user));
    }
    if config.get_options().is_none()
        && let Some(options) = env("PGOPTIONS")
    {
        config.options(&options);
    }
    if config.get_password().is_none()
        && let Some(password) = env("PGPASSWORD").or_else(|| from_file(config, env))
    {
        config.password(password);
    }
    config.application_name("auspex");
    config.connect_timeout(CONNECT);
    config.tcp_user_timeout(SILENCE);
    config.keepalives_idle(SILENCE);
    Ok(())
}

fn home(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    env("HOME").map(PathBuf::from)
}

/// The host, a name or the folder of a socket.
fn host(config: &Config) -> String {
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "localhost".to_string(),
    }
}

/// The password of this place in `PGPASSFILE` or `~/.pgpass`.
fn from_file(config: &Config, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let file = env("PGPASSFILE").map(PathBuf::from);
    let file = file.or_else(|| Some(home(env)?.join(".pgpass")))?;
    if !is_private(&file) {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let host = match config.get_hosts().first() {
        // As in libpq: a socket is on the same machine.
        Some(Host::Unix(_)) => "localhost".to_string(),
        _ => host(config),
    };
    let place = [
        host,
        port.to_string(),
        config.get_dbname().unwrap_or("").to_string(),
        config.get_user().unwrap_or("").to_string(),
    ];
    text.lines().find_map(|line| matching(line, &place))
}

/// A password file that others may read is ignored, as PostgreSQL's own tools do.
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let data = std::fs::metadata(file);
    data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o077 == 0)
}

/// The password of a line `host:port:database:user:password`, if the rest matches.
fn matching(line: &str, place: &[String; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut()?;
        match letter {
            '\\' => field.extend(letters.next()),
            ':' => fields.push(String::new()),
            other => field.push(other),
        }
    }
    let [host, port, database, user, password] = fields.try_into().ok()?;
    let fits = |(wanted, found): (&String, &String)| wanted == "*" || wanted == found;
    [host, port, database, user]
        .iter()
        .zip(place)
        .all(fits)
        .then_some(password)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::os::unix::fs::PermissionsExt;

    fn read(url: &str, env: &[(&str, &str)]) -> Result<Address, String> {
        let find = |name: &str| {
            env.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.to_string())
        };
        Address::with(url, &find)
    }

    fn password(address: &Address) -> Option<String> {
        let password = address.config.get_password()?;
        Some(String::from_utf8_lossy(password).into_owned())
    }

    #[test]
    fn a_url_says_it_all() {
        let url = "postgres://ann:s%40cret@db:5433/fuzz?sslmode=verify-full&sslrootcert=/ca.pem";
        let address = read(url, &[]).unwrap();
        assert_eq!(address.to_string(), "postgres://ann@db:5433/fuzz");
        assert_eq!(password(&address).as_deref(), Some("s@cret"));
        assert_eq!(address.protection.mode, SslMode::VerifyFull);
        assert_eq!(address.protection.roots, Some("/ca.pem".into()));
        assert!(read("mysql://x", &[]).is_err());
        assert!(read("postgres://h/d?sslmode=sometimes", &[]).is_err());
    }

    #[test]
    fn the_environment_fills_in_what_a_url_leaves_open() {
        let env = [
            ("PGHOST", "db"),
            ("PGPORT", "6000"),
            ("PGUSER", "ann"),
            ("PGDATABASE", "fuzz"),
            ("PGPASSWORD", "pw"),
            ("PGSSLMODE", "require"),
        ];
        let address = read("postgres://", &env).unwrap();
        assert_eq!(address.to_string(), "postgres://ann@db:6000/fuzz");
        assert_eq!(password(&address).as_deref(), Some("pw"));
        assert_eq!(address.protection.mode, SslMode::Require);
        let given = read("postgres://bob:own@host:1/d?sslmode=disable", &env).unwrap();
        assert_eq!(given.to_string(), "postgres://bob@host:1/d");
        assert_eq!(password(&given).as_deref(), Some("own"));
        assert_eq!(given.protection.mode, SslMode::Disable);
    }

    #[test]
    fn the_password_file_is_read_as_postgresql_reads_it() {
        let scratch = Scratch::new();
        let file = scratch.path().join("pass");
        let text = "# mine\nother:*:*:*:no\ndb:5432:*:ann:a\\:b\\\\c\n*:*:*:*:rest\n";
        std::fs::write(&file, text).unwrap();
        let env = [("PGPASSFILE", file.to_str().unwrap())];
        let mode = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&file, mode).unwrap();
        };
        mode(0o600);
        let of = |url: &str| password(&read(url, &env).unwrap());
        assert_eq!(of("postgres://ann@db/x").as_deref(), Some("a:b\\c"));
        assert_eq!(of("postgres://bob@db/x").as_deref(), Some("rest"));
        mode(0o644);
        assert_eq!(of("postgres://ann@db/x"), None, "others may read it");
    }

    #[test]
    fn no_message_holds_a_secret() {
        let urls = [
            "postgres://ann:hunter2@db:notaport/x",
            "postgres://ann:hunter2@db/x?nonsense=1",
            "postgres://ann@db/x?password=hunter2&sslmode=odd",
            "postgres://ann:hunter2@db/x?sslcompression=1",
            "postgres://ann:hunter2%zz@[db/x",
        ];
        for url in urls {
            let why = read(url, &[]).unwrap_err();
            assert!(!why.contains("hunter2"), "{why}");
        }
        let address = read("postgres://ann:hunter2@db/x", &[]).unwrap();
        assert!(!format!("{address} {address:?}").contains("hunter2"));
        assert_eq!(address.clean("failed for hunter2"), "failed for ***");
    }
}
