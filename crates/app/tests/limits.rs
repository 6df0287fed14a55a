//! Viewers who are slow, idle or many: the page stays there for the others.

mod common;

use auspex_campaign::findings::folder::Folder as Campaign;
use auspex_campaign::store::Sqlite;
use common::Folder;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than any limit of the server, with time to spare on a busy machine.
const LONG: Duration = Duration::from_secs(60);

struct Page {
    process: Child,
    address: String,
    _folder: Folder,
}

impl Page {
    fn serve(name: &str) -> Page {
        let folder = Folder::new(name);
        let campaign = Campaign::create(&folder.0).unwrap();
        Sqlite::create(&campaign.database()).unwrap();
        drop(campaign);
        let mut process = Command::new(env!("CARGO_BIN_EXE_auspex"))
            .args(["serve", folder.path(), "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        said.read_line(&mut line).unwrap();
        let address = line.split("//").nth(1).unwrap();
        let address = address.split('/').next().unwrap().to_string();
        Page {
            process,
            address,
            _folder: folder,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    fn send(&self, text: &str) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// The first line of the reply to a request for a page.
    fn get(&self, path: &str) -> String {
        status(self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn status(stream: TcpStream) -> String {
    let mut line = String::new();
    let _ = BufReader::new(stream).read_line(&mut line);
    line.trim().to_string()
}

/// Waits for the other end to close; whatever it says before does not matter.
fn closes(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 1 << 16];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::ConnectionReset,
        }
    }
}

#[test]
fn a_head_or_a_form_that_does_not_come_is_not_waited_for() {
    let page = Page::serve("limits-slow");
    let mut idle = page.connect();
    let mut head = page.send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    let form = page.send(
        "POST /findings/x HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na",
    );
    let mut drip = head.try_clone().unwrap();
    let dripping = std::thread::spawn(move || {
        let started = Instant::now();
        while started.elapsed() < LONG && drip.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(500));
        }
        started.elapsed()
    });
    assert_eq!(
        page.get("/"),
        "HTTP/1.1 200 OK",
        "others are served meanwhile"
    );
    assert!(closes(&mut idle) && closes(&mut head));
    assert!(dripping.join().unwrap() < LONG);
    assert_eq!(status(form), "HTTP/1.1 408 Request Timeout");
    let long = format!(
        "POST /findings/x HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\
         Content-Length: 100000\r\n\r\n{}",
        "a".repeat(100_000)
    );
    let mut stream = page.connect();
    let _ = stream.write_all(long.as_bytes());
    // What was not read may make the reply get lost.
    let line = status(stream);
    assert!(line.is_empty() || line.contains("413"), "{line}");
}

#[test]
fn many_idle_listeners_leave_room_for_pages() {
    let page = Page::serve("limits-many");
    let ask = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let listeners: Vec<TcpStream> = (0..256).map(|_| page.send(ask)).collect();
    for listener in &listeners {
        let heard = status(listener.try_clone().unwrap());
        assert_eq!(heard, "HTTP/1.1 200 OK");
    }
    assert_eq!(page.get("/events"), "HTTP/1.1 503 Service Unavailable");
    assert_eq!(page.get("/"), "HTTP/1.1 200 OK");
    drop(listeners);
    let started = Instant::now();
    while page.get("/events") != "HTTP/1.1 200 OK" {
        assert!(started.elapsed() < LONG, "places are free again");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn there_is_an_end_to_connections_and_idle_ones_make_room() {
    let page = Page::serve("limits-connections");
    let mut idle: Vec<TcpStream> = (0..600).map(|_| page.connect()).collect();
    let turned_away = idle.split_off(512);
    let refused = |stream: TcpStream| {
        let line = status(stream);
        line.is_empty() || line.contains("503")
    };
    assert!(turned_away.into_iter().all(refused));
    let started = Instant::now();
    while page.get("/") != "HTTP/1.1 200 OK" {
        assert!(started.elapsed() < LONG, "idle connections end");
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn who_does_not_take_replies_is_not_served_for_ever() {
    let page = Page::serve("limits-unread");
    let mut stream = page.connect();
    stream
        .set_write_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    let request = "GET /script.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    // More than both ends keep in memory.
    while stream.write_all(request.as_bytes()).is_ok() {}
    std::thread::sleep(Duration::from_secs(25));
    assert!(closes(&mut stream), "it was given up");
    assert_eq!(page.get("/"), "HTTP/1.1 200 OK");
}
