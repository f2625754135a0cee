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
    pub(crate) body: String,
}

impl Reply {
    /// The first answer in some bytes; nothing where the connection was just closed.
    pub(crate) fn first(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
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
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.trim().trim_start_matches("listening on http://").trim_end_matches('/').to_owned();
        Self { folder, address, child }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        stream
    }

    /// Sends bytes as they are; all that comes back until the server closes the connection.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may refuse and close before it has taken everything; what it said can be read all the same.
        let _ = stream.write_all(bytes);
        let mut back = Vec::new();
        let _ = stream.read_to_end(&mut back);
        back
    }

    /// Sends a request with these headers and body.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            let _ = write!(head, "Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if !body.is_empty() || method != "GET" {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        let mut bytes = format!("{head}\r\n").into_bytes();
        bytes.extend_from_slice(body);
        let back = self.raw(&bytes);
        Reply::first(&back).unwrap_or_else(|| panic!("no answer to {method} {path}"))
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
