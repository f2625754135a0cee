//! A server of its own for a test, spoken to byte by byte, with what it says on standard error at hand.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// What no message of the server may ever hold.
pub(crate) const SECRET: &str = "MARKER-7f3a9c";

/// The started program; it ends with the test.
pub(crate) struct Wire {
    pub(crate) folder: TempDir,
    pub(crate) address: String,
    child: Child,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) bytes: Vec<u8>,
    /// The bytes as text.
    pub(crate) body: String,
}

impl Reply {
    /// The first answer in some bytes; nothing where the connection was just closed.
    pub(crate) fn first(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = &bytes[end + 4..];
        let bytes = if is_chunked { joined(body) } else { body.to_vec() };
        Some(Self { status, head, body: String::from_utf8_lossy(&bytes).into_owned(), bytes })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The cookie that it sets.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.header("set-cookie").and_then(|set| set.split(';').next()).map(str::to_owned)
    }

    /// The mark that the forms of a page carry.
    pub(crate) fn mark(&self) -> String {
        let mark = self.body.split("mark=").nth(1).unwrap_or_default();
        mark.chars().take_while(char::is_ascii_hexdigit).collect()
    }

    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    #[track_caller]
    pub(crate) fn has(&self, text: &str) {
        assert!(self.body.contains(text), "no {text:?} in:\n{}", self.body);
    }
}

/// The chunks of a body put together; one that is cut off is no body.
fn joined(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").expect("a length");
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).expect("digits"), 16).expect("a length");
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
}

/// The address that a started server says.
pub(crate) fn address(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening on http://").expect("an address");
    address.trim_end_matches('/').to_owned()
}

pub(crate) fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a limit");
    stream
}

/// Sends bytes as they are; all that comes back until the server closes the connection.
fn raw(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(address);
    // The server may refuse and close before it has taken everything; what it said can be read all the same.
    let _ = stream.write_all(bytes);
    let mut back = Vec::new();
    let _ = stream.read_to_end(&mut back);
    back
}

/// Sends a request with these headers and body.
pub(crate) fn send(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let bytes = request(address, method, path, headers, body);
    Reply::first(&raw(address, &bytes)).unwrap_or_else(|| panic!("no answer to {method} {path}"))
}

/// The bytes of a request with these headers and body.
pub(crate) fn request(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        let _ = write!(head, "Host: {address}\r\n");
    }
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if !body.is_empty() || method != "GET" {
        let _ = write!(head, "Content-Length: {}\r\n", body.len());
    }
    let mut bytes = format!("{head}\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command of the program in a folder.
pub(crate) fn program(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carelock"));
    command.current_dir(folder).args(arguments).env_remove("CARELOCK_DB").env("NO_COLOR", "1");
    command.output().expect("the program runs")
}

/// A token of a role.
pub(crate) fn token(folder: &Path, name: &str, role: &str) -> String {
    let output = program(folder, &["token", "create", name, "--role", role, "--db", "runs.db"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Wire {
    /// A server with these options.
    pub(crate) fn new(options: &[&str]) -> Self {
        Self::filled(|_| {}, options)
    }

    /// A server in a folder that is filled first.
    pub(crate) fn filled(fill: impl FnOnce(&Path), options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder");
        fill(folder.path());
        let log = File::create(folder.path().join("log")).expect("a file");
        let mut child = Command::new(env!("CARGO_BIN_EXE_carelock"))
            .current_dir(folder.path())
            .args(["serve", "--port", "0", "--db", "runs.db"])
            .args(options)
            .env_remove("CARELOCK_DB")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        let address = address(&mut child);
        Self { folder, address, child }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        connect(&self.address)
    }

    /// Sends bytes as they are; all that comes back until the server closes the connection.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        raw(&self.address, bytes)
    }

    /// Sends a request with these headers and body.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        send(&self.address, method, path, headers, body)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn post_json(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], body.as_bytes())
    }

    /// What the server has said.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).expect("the log")
    }

    /// Makes sure that the server still serves, and has said nothing of what was sent.
    pub(crate) fn assert_sound(&self) {
        assert_eq!(self.get("/healthz").status, 200);
        let log = self.log();
        assert!(!log.contains(SECRET), "{log}");
        assert!(!log.contains("panicked"), "{log}");
        assert!(!log.contains(" 500 "), "{log}");
    }
}
