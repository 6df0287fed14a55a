//! A real browser without a window, driven by the DevTools protocol over two pipes.
//! It ends with the pipes, so that nothing is left behind however a test ends.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
];
/// AdaptiveTimeout with a busy machine.
const LONGEST: Duration = Duration::from_secs(40);

/// The browser's program: on PATH, or installed where that is allowed. Otherwise the skip is loud.
pub fn program() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND
        .get_or_init(|| on_path().or_else(installed))
        .as_deref();
    if found.is_none() {
        let strict = std::env::var_os("AUSPEX_NO_SKIP").is_some();
        assert!(!strict, "chromium is needed here and cannot be had");
        eprintln!("SKIPPED: chromium is not here and cannot be installed");
    }
    found
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}

fn installed() -> Option<PathBuf> {
    let install = "[ \"$(id -u)\" = 0 ] && apt-get install -y -qq chromium";
    let mut command = Command::new("sh");
    command
        .args(["-c", install])
        .env("DEBIAN_FRONTEND", "noninteractive");
    command
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    on_path()
}

pub struct Browser {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    number: u64,
    folder: PathBuf,
    /// What pages complained about: exceptions and violated policies.
    pub complaints: Vec<String>,
}

impl Browser {
    pub fn start(program: &Path) -> Browser {
        static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("auspex-browser-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // The browser talks on descriptors 3 and 4.
        let pipes = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        let mut process = Command::new("sh")
            .args(["-c", pipes, "sh"])
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("the browser starts");
        let input = process.stdin.take().expect("a pipe");
        let output = process.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let Ok(value) = serde_json::from_slice(&message) else {
                    continue;
                };
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser {
            process,
            input,
            messages,
            session: None,
            number: 0,
            folder,
            complaints: Vec::new(),
        };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call("Target.attachToTarget", target);
        self.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        self.call(
            "Emulation.setFocusEmulationEnabled",
            json!({"enabled": true}),
        );
    }

    /// Calls a method and waits for its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).expect("the browser listens");
        loop {
            let message = self.messages.recv_timeout(LONGEST);
            let mut message = message.unwrap_or_else(|_| panic!("no reply to {method}"));
            if message["id"] == json!(self.number) {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.hear(&message);
        }
    }

    fn hear(&mut self, message: &Value) {
        let method = message["method"].as_str().unwrap_or("");
        let entry = &message["params"]["entry"];
        let bad = match method {
            "Runtime.exceptionThrown" | "Page.javascriptDialogOpening" => true,
            "Log.entryAdded" => entry["level"] == "error",
            _ => false,
        };
        if bad {
            self.complaints.push(message["params"].to_string());
        }
    }

    /// Opens an address and waits until the page is there.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        let there = format!(
            "document.readyState === 'complete' && location.href.startsWith({})",
            json!(address)
        );
        self.wait(&there);
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call("Runtime.evaluate", parameters);
        result["result"]["value"].take()
    }

    pub fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_string)
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != json!(true) {
            assert!(start.elapsed() < LONGEST, "never true: {expression}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let (text, number) = match key {
            "Tab" => ("", 9),
            "Enter" => ("\r", 13),
            "Escape" => ("", 27),
            key => (key, 0),
        };
        let mut event = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": number});
        if !text.is_empty() {
            event["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", event.clone());
        event["type"] = json!("keyUp");
        self.call("Input.dispatchKeyEvent", event);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = b"{\"id\":0,\"method\":\"Browser.close\"}\0";
        let _ = self.input.write_all(close);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // Its helpers are in its group, which is ended if it does not answer.
        let group = format!("-{}", self.process.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).output();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
