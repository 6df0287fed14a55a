//! A real PostgreSQL for tests, in a folder of its own and gone with the test; where none can be had the skip is loud.
#![allow(dead_code)]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Of the user `auspex`, who owns everything in there.
pub const PASSWORD: &str = "correct-horse";

static COUNT: AtomicU64 = AtomicU64::new(0);
static SETTING_UP: Mutex<()> = Mutex::new(());

/// A server that listens on this machine only.
pub struct Server {
    programs: PathBuf,
    folder: PathBuf,
    /// Whom it runs as, if not as ourselves: it refuses to be root.
    user: Option<String>,
    port: u16,
    settings: Vec<String>,
    process: Option<Child>,
}

impl Server {
    /// Starts a server; none, loudly, where there is none to be had.
    pub fn start() -> Option<Server> {
        Server::with(&["fsync=off"])
    }

    /// Starts a server with settings as in `postgresql.conf`.
    pub fn with(settings: &[&str]) -> Option<Server> {
        Server::with_files(settings, &[])
    }

    /// And with files that only it may read, in the folder above its data.
    pub fn with_files(settings: &[&str], files: &[(&str, &str)]) -> Option<Server> {
        let programs = {
            let _one = SETTING_UP.lock();
            programs().or_else(set_up)
        };
        let Some(programs) = programs else {
            let strict = std::env::var_os("AUSPEX_NO_SKIP").is_some();
            assert!(!strict, "PostgreSQL's server is needed here");
            eprintln!("SKIPPED: PostgreSQL's server cannot be had on this machine");
            return None;
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("auspex-pg-{}-{number}", std::process::id());
        let mut server = Server {
            programs,
            folder: std::env::temp_dir().join(name),
            user: is_root().then(unprivileged),
            port: free_port(),
            settings: settings.iter().map(|s| s.to_string()).collect(),
            process: None,
        };
        server.make(files);
        server.run();
        Some(server)
    }

    fn make(&self, files: &[(&str, &str)]) {
        std::fs::create_dir_all(&self.folder).expect("a writable folder");
        for (name, text) in files {
            let path = self.folder.join(name);
            std::fs::write(&path, text).expect("a writable folder");
            done(Command::new("chmod").arg("600").arg(&path));
        }
        let file = self.folder.join("password");
        std::fs::write(&file, PASSWORD).expect("a writable folder");
        if let Some(user) = &self.user {
            done(Command::new("chown").arg("-R").arg(user).arg(&self.folder));
        }
        let mut initdb = self.command("initdb");
        initdb.args([
            "-U",
            "auspex",
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--no-sync",
        ]);
        initdb.arg(format!("--pwfile={}", file.display()));
        done(initdb.arg("-D").arg(self.data()));
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// One of the server's programs, as the user it must run as.
    fn command(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = match &self.user {
            None => Command::new(program),
            Some(user) => {
                let mut command = Command::new("setpriv");
                let (uid, gid) = (
                    format!("--reuid={user}"),
                    format!("--regid={}", group(user)),
                );
                // It ends with whoever started it.
                command.args([&uid, &gid, "--clear-groups", "--pdeathsig=QUIT"]);
                command.arg(program);
                command
            }
        };
        command.current_dir(&self.folder);
        command
            .env("LC_ALL", "C")
            .env_remove("PGPORT")
            .env_remove("PGHOST");
        command
    }

    /// Starts it, again if it was stopped, and waits until it answers.
    pub fn run(&mut self) {
        let log = std::fs::File::options();
        let log = log
            .clone()
            .create(true)
            .append(true)
            .open(self.folder.join("log"));
        let log = log.expect("a writable folder");
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data());
        let own = [
            format!("port={}", self.port),
            "listen_addresses=127.0.0.1".to_string(),
            format!("unix_socket_directories={}", self.folder.display()),
        ];
        for setting in own.iter().chain(&self.settings) {
            command.arg("-c").arg(setting);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        self.process = Some(command.spawn().expect("the server starts"));
        let port = self.port.to_string();
        for _ in 0..600 {
            let mut ready = self.command("pg_isready");
            ready.args(["-q", "-h", "127.0.0.1", "-p", &port]);
            if ready.status().is_ok_and(|status| status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        panic!("the server does not answer:\n{log}");
    }

    /// Stops it as an administrator does: everybody is thrown out, nothing is lost.
    pub fn stop(&mut self) {
        self.signal("INT");
    }

    fn signal(&mut self, signal: &str) {
        if let Some(mut process) = self.process.take() {
            let id = process.id().to_string();
            let _ = Command::new("kill")
                .args([&format!("-{signal}"), &id])
                .status();
            let _ = process.wait();
        }
    }

    /// The process of the server itself; its children serve the connections.
    pub fn process(&self) -> u32 {
        self.process.as_ref().map_or(0, Child::id)
    }

    /// Processor seconds of the server: its process, the children that live and those that have ended.
    pub fn cpu(&self) -> f64 {
        let parent = self.process();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ticks = processes.filter_map(|entry| {
            let text = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let (front, back) = text.rsplit_once(')')?;
            let id: u32 = front.split(' ').next()?.parse().ok()?;
            let fields: Vec<u64> = back
                .split_whitespace()
                .skip(1)
                .filter_map(|f| f.parse().ok())
                .collect();
            let (own, ended) = (
                fields.get(10)? + fields.get(11)?,
                fields.get(12)? + fields.get(13)?,
            );
            match (id == parent, u64::from(parent) == fields[0]) {
                (true, _) => Some(own + ended),
                (_, true) => Some(own),
                _ => None,
            }
        });
        let per_second: f64 = said("getconf", &["CLK_TCK"]).parse().unwrap_or(100.0);
        ticks.sum::<u64>() as f64 / per_second
    }

    /// A new, empty database.
    pub fn database(&self) -> String {
        let name = format!("d{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let mut command = self.command("createdb");
        command.args([
            "-h",
            "127.0.0.1",
            "-U",
            "auspex",
            "-p",
            &self.port.to_string(),
            &name,
        ]);
        done(command.env("PGPASSWORD", PASSWORD));
        name
    }

    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://auspex:{PASSWORD}@127.0.0.1:{}/{database}",
            self.port
        )
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What a query answers, a row a line.
    pub fn ask(&self, database: &str, sql: &str) -> String {
        let mut command = self.command("psql");
        command.args(["-X", "-q", "-t", "-A", "-c", sql]);
        let output = command
            .arg(self.url(database))
            .output()
            .expect("psql starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal("QUIT");
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn done(command: &mut Command) {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// Where the server's programs are: the newest release in the usual places.
fn programs() -> Option<PathBuf> {
    let usual = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut folders: Vec<PathBuf> = usual.flatten().map(|e| e.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    let whole = |folder: &PathBuf| {
        ["initdb", "postgres", "pg_isready", "createdb", "psql"]
            .iter()
            .all(|name| folder.join(name).is_file())
    };
    folders.into_iter().find(whole)
}

/// Installs the server's package where that is ours to do.
fn set_up() -> Option<PathBuf> {
    if !is_root() {
        return None;
    }
    let mut install = Command::new("apt-get");
    install.args([
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
        "postgresql",
    ]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    install.stdout(Stdio::null()).stderr(Stdio::null());
    install.status().ok().filter(|status| status.success())?;
    programs()
}

fn is_root() -> bool {
    said("id", &["-u"]) == "0"
}

fn unprivileged() -> String {
    let there = |user: &&str| !said("id", &["-u", user]).is_empty();
    ["postgres", "nobody"]
        .into_iter()
        .find(there)
        .unwrap_or("nobody")
        .to_string()
}

fn group(user: &str) -> String {
    said("id", &["-g", user])
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(
        |_| String::new(),
        |o| String::from_utf8_lossy(&o.stdout).trim().to_string(),
    )
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound port").port()
}
