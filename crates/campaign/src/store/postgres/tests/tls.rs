//! Connections to a server with a certificate: what each `sslmode` accepts and rejects.

use super::server::{PASSWORD, Server};
use crate::scratch::Scratch;
use crate::store::postgres::{LEASE, Postgres};
use crate::store::{Address, StoreError};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// An authority, as a certificate and something that signs.
fn authority(name: &str) -> (String, Issuer<'static, KeyPair>) {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    (certificate.pem(), Issuer::new(params, key))
}

/// A server whose certificate is issued for `localhost`, and the files of its authority and of another one.
struct Protected {
    server: Server,
    right: PathBuf,
    wrong: PathBuf,
    own: PathBuf,
    _scratch: Scratch,
}

impl Protected {
    fn start() -> Option<Protected> {
        let (right, issuer) = authority("ours");
        let (wrong, _) = authority("theirs");
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_string()]).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap().pem();
        let files = [
            ("server.crt", certificate.as_str()),
            ("server.key", &key.serialize_pem()),
        ];
        let settings = [
            "fsync=off",
            "ssl=on",
            "ssl_cert_file=../server.crt",
            "ssl_key_file=../server.key",
        ];
        let server = Server::with_files(&settings, &files)?;
        let scratch = Scratch::new();
        let put = |name: &str, text: &str| {
            let path = scratch.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        Some(Protected {
            server,
            right: put("right.crt", &right),
            wrong: put("wrong.crt", &wrong),
            own: put("own.crt", &certificate),
            _scratch: scratch,
        })
    }

    /// Whether a connection by this name of the host in this mode is encrypted, or why there is none.
    fn connect(&self, host: &str, mode: &str, roots: Option<&Path>) -> Result<bool, String> {
        let roots = roots.map_or(String::new(), |r| format!("&sslrootcert={}", r.display()));
        let url = self.server.url("postgres").replace("127.0.0.1", host);
        encrypted(&format!("{url}?sslmode={mode}{roots}"), &[])
    }
}

fn encrypted(url: &str, env: &[(&str, &str)]) -> Result<bool, String> {
    let find = |name: &str| {
        let found = env.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| value.to_string())
    };
    let opened = Address::with(url, &find)
        .map_err(StoreError::Other)
        .and_then(|address| Postgres::create(address, LEASE));
    let mut store = opened.map_err(|error| {
        let said = format!("{error} {error:?}");
        assert!(!said.contains(PASSWORD), "{said}");
        said
    })?;
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    Ok(store.list(sql, &[], |row| row.get(0)).unwrap()[0])
}

#[test]
fn each_mode_accepts_what_it_should() {
    let Some(there) = Protected::start() else {
        return;
    };
    let (right, own) = (Some(there.right.as_path()), Some(there.own.as_path()));
    assert_eq!(there.connect("localhost", "disable", None), Ok(false));
    assert_eq!(there.connect("127.0.0.1", "prefer", None), Ok(true));
    assert_eq!(there.connect("127.0.0.1", "require", None), Ok(true));
    assert_eq!(there.connect("127.0.0.1", "require", right), Ok(true));
    assert_eq!(there.connect("127.0.0.1", "verify-ca", right), Ok(true));
    assert_eq!(there.connect("localhost", "verify-full", right), Ok(true));
    let own = there.connect("localhost", "verify-full", own);
    assert_eq!(own, Ok(true), "the certificate itself may be the root");
}

#[test]
fn each_mode_refuses_what_it_should() {
    let Some(there) = Protected::start() else {
        return;
    };
    let (right, wrong) = (Some(there.right.as_path()), Some(there.wrong.as_path()));
    let refused = |host, mode, roots| there.connect(host, mode, roots).unwrap_err();
    for mode in ["require", "verify-ca", "verify-full"] {
        let why = refused("localhost", mode, wrong);
        assert!(why.contains("certificate"), "{mode}: {why}");
    }
    let why = refused("127.0.0.1", "verify-full", right);
    assert!(
        why.contains("certificate"),
        "made out to another name: {why}"
    );
    assert!(refused("localhost", "verify-full", None).contains("sslrootcert"));
}

#[test]
fn a_server_without_a_certificate_is_refused_where_one_is_needed() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url("postgres");
    assert_eq!(encrypted(&format!("{url}?sslmode=prefer"), &[]), Ok(false));
    let why = encrypted(&format!("{url}?sslmode=require"), &[]).unwrap_err();
    assert!(why.contains("TLS"), "{why}");
}

#[test]
fn the_password_may_be_in_a_file_that_is_ours_alone() {
    let Some(server) = Server::start() else {
        return;
    };
    let scratch = Scratch::new();
    let file = scratch.path().join("pass");
    let env = [("PGPASSFILE", file.to_str().unwrap())];
    let url = server.url("postgres").replace(&format!(":{PASSWORD}"), "");
    let mode = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&file, mode).unwrap();
    };
    std::fs::write(&file, format!("*:*:postgres:auspex:{PASSWORD}\n")).unwrap();
    mode(0o600);
    assert_eq!(encrypted(&url, &env), Ok(false));
    mode(0o644);
    let why = encrypted(&url, &env).unwrap_err();
    assert!(why.contains("password"), "others may read it: {why}");
    mode(0o600);
    std::fs::write(&file, "*:*:postgres:auspex:not-the-password\n").unwrap();
    let why = encrypted(&url, &env).unwrap_err();
    assert!(
        why.contains("authentication") && !why.contains("not-the-password"),
        "{why}"
    );
}
