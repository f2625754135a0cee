//! The server as a browser sees it: started for a test, spoken to over HTTP, and stopped with it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::support::Place;

/// What a form field holds: a text, or a file with its name.
pub(crate) enum Field<'a> {
    Text(&'a str, &'a str),
    File(&'a str, &'a str, &'a [u8]),
}

/// A running server, and the cookie and mark of the browser that this test is.
pub(crate) struct Web {
    child: Child,
    pub(crate) address: String,
    cookie: String,
    mark: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Page {
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    #[track_caller]
    pub(crate) fn has(&self, text: &str) {
        assert!(self.body.contains(text), "no {text:?} in:\n{}", self.body);
    }
}

impl Web {
    /// Starts a server in a place, with its database there.
    pub(crate) fn start(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut words = vec!["serve", "--port", "0", "--db", "runs.db"];
        words.extend(arguments);
        let mut child = place.start_with(environment, &words);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap().trim_end_matches('/').to_owned();
        let mut web = Self { child, address, cookie: String::new(), mark: String::new() };
        let first = web.get("/");
        if let Some(cookie) = first.header("set-cookie") {
            web.cookie = cookie.split(';').next().unwrap().to_owned();
        }
        let mark = first.body.split("mark=").nth(1).unwrap_or_default();
        web.mark = mark.chars().take_while(char::is_ascii_hexdigit).collect();
        web
    }

    fn send(&self, head: &str, body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let cookie = if self.cookie.is_empty() { String::new() } else { format!("cookie: {}\r\n", self.cookie) };
        let (host, length) = (&self.address, body.len());
        write!(stream, "{head}\r\nhost: {host}\r\n{cookie}content-length: {length}\r\nconnection: close\r\n\r\n")
            .unwrap();
        stream.write_all(body).unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Page {
        read(self.send(&format!("GET {path} HTTP/1.1"), &[]))
    }

    /// Sends a form as the pages do.
    pub(crate) fn post(&self, path: &str, fields: &[Field<'_>]) -> Page {
        read(self.begin_post(path, fields))
    }

    /// Sends a form, and leaves it to the caller whether to wait for the answer.
    pub(crate) fn begin_post(&self, path: &str, fields: &[Field<'_>]) -> TcpStream {
        let mut body = Vec::new();
        for field in fields {
            body.extend(b"--border\r\ncontent-disposition: form-data; ");
            match field {
                Field::Text(name, text) => write!(body, "name=\"{name}\"\r\n\r\n{text}\r\n").unwrap(),
                Field::File(name, file, bytes) => {
                    write!(body, "name=\"{name}\"; filename=\"{file}\"\r\n\r\n").unwrap();
                    body.extend(*bytes);
                    body.extend(b"\r\n");
                }
            }
        }
        body.extend(b"--border--\r\n");
        let kind = "content-type: multipart/form-data; boundary=border";
        self.send(&format!("POST {path}?mark={} HTTP/1.1\r\n{kind}", self.mark), &body)
    }

    /// Begins to send a form that never ends.
    pub(crate) fn begin_chunked(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let kind = "content-type: multipart/form-data; boundary=border\r\ntransfer-encoding: chunked";
        let (host, cookie, mark) = (&self.address, &self.cookie, &self.mark);
        write!(stream, "POST {path}?mark={mark} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n{kind}\r\n\r\n")
            .unwrap();
        stream.write_all(b"8\r\n--border\r\n").unwrap();
        stream
    }

    /// Waits until something is so.
    #[track_caller]
    pub(crate) fn wait_until(&self, is_so: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !is_so() {
            assert!(Instant::now() < end, "it never was so");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The events of a run until the stream ends: each with its name and its data.
    pub(crate) fn events(&self, run: &str) -> Vec<(String, serde_json::Value)> {
        let page = self.get(&format!("{run}/events")).is(200);
        assert_eq!(page.header("content-type"), Some("text/event-stream"));
        let field = |event: &str, name: &str| {
            let found = event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found.map(str::to_owned)
        };
        let events = page.body.split("\n\n").filter(|event| event.contains("event: "));
        events
            .map(|event| {
                let data = serde_json::from_str(&field(event, "data").unwrap()).unwrap();
                (field(event, "event").unwrap(), data)
            })
            .collect()
    }

    /// Waits until a page says something.
    #[track_caller]
    pub(crate) fn wait_for(&self, path: &str, text: &str) -> Page {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let page = self.get(path).is(200);
            if page.body.contains(text) {
                return page;
            }
            assert!(Instant::now() < end, "{path} never said {text:?}:\n{}", page.body);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the server as Ctrl-C does; all it said.
    pub(crate) fn stop(mut self) -> String {
        let done = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(done.success());
        assert!(self.child.wait().unwrap().success());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(mut stream: TcpStream) -> Page {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = &bytes[end + 4..];
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_vec() };
    Page { status, head, body: String::from_utf8_lossy(&body).into_owned() }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap().trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.extend(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    whole
}
