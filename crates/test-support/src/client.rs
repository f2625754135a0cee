//! HTTP as a client speaks it, byte by byte, over a connection of its own for every request.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

use crate::LIMIT;

/// What came back.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The status line and the headers.
    pub head: String,
    /// The body.
    pub bytes: Vec<u8>,
    /// The body as text.
    pub body: String,
}

impl Reply {
    /// The first answer in some bytes; nothing where the connection was just closed.
    pub fn first(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = &bytes[end + 4..];
        let bytes = if is_chunked { joined(body) } else { body.to_vec() };
        Some(Self { status, head, body: String::from_utf8_lossy(&bytes).into_owned(), bytes })
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The cookie that it sets.
    pub fn cookie(&self) -> Option<String> {
        self.header("set-cookie").and_then(|set| set.split(';').next()).map(str::to_owned)
    }

    /// The mark that the forms of a page carry.
    pub fn mark(&self) -> String {
        let mark = self.body.split("mark=").nth(1).unwrap_or_default();
        mark.chars().take_while(char::is_ascii_hexdigit).collect()
    }

    /// What stands between two texts of the body.
    pub fn between(&self, before: &str, after: &str) -> Option<&str> {
        let (_, rest) = self.body.split_once(before)?;
        rest.split_once(after).map(|(found, _)| found)
    }

    /// The same, of a request that must have been answered with this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    /// Fails unless the body holds a text.
    #[track_caller]
    pub fn has(&self, text: &str) {
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

/// A connection that does not wait without a limit.
#[track_caller]
pub fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(LIMIT)).expect("a limit");
    stream.set_write_timeout(Some(LIMIT)).expect("a limit");
    stream
}

/// Sends bytes as they are; all that comes back until the server closes the connection.
#[track_caller]
pub(crate) fn raw(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(address);
    // The server may refuse and close before it has taken everything; what it said can be read all the same.
    let _ = stream.write_all(bytes);
    let mut back = Vec::new();
    if let Err(error) = stream.read_to_end(&mut back) {
        let is_late = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(!is_late, "the server did not end its answer within {LIMIT:?}: {}", String::from_utf8_lossy(&back));
    }
    back
}

/// Sends a request with these headers and body.
#[track_caller]
pub fn send(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let bytes = request(address, method, path, headers, body);
    Reply::first(&raw(address, &bytes)).unwrap_or_else(|| panic!("no answer to {method} {path}"))
}

/// The bytes of a request with these headers and body.
pub fn request(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
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
