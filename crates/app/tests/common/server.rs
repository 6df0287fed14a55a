//! A running `auspex serve`, and requests to it as they are written.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running `auspex serve`.
pub struct Server {
    pub process: Child,
    pub address: String,
}

impl Server {
    pub fn start(folder: &Path, more: &[&str]) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_auspex"))
            .arg("serve")
            .arg(folder)
            .args(["--listen", "127.0.0.1:0"])
            .args(more)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut said = BufReader::new(process.stderr.take().expect("a pipe"));
        let mut line = String::new();
        let _ = said.read_line(&mut line);
        let address = line.split_whitespace().next().unwrap_or("").to_string();
        let address = address
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .to_string();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Server { process, address }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends a request as it is written, and gives the whole reply.
    pub fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a timeout");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }

    pub fn get(&self, path: &str, headers: &str) -> String {
        let host = &self.address;
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"
        ))
    }

    pub fn post(&self, path: &str, origin: &str, body: &str) -> String {
        let (host, length) = (&self.address, body.len());
        let origin = origin.replace("HOST", host);
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{origin}Content-Length: {length}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}"
        ))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The status of a reply.
pub fn code(reply: &str) -> &str {
    reply.split(' ').nth(1).unwrap_or("")
}
