//! The server as a browser sees it: started for a test, spoken to over HTTP, and stopped with it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::support::Place;
use super::wire;
pub(crate) use super::wire::Reply as Page;

/// What a form field holds: a text, or a file with its name.
pub(crate) enum Field<'a> {
    Text(&'a str, &'a str),
    File(&'a str, &'a str, &'a [u8]),
}

/// What is said about a form.
const FORM: [(&str, &str); 1] = [("Content-Type", "multipart/form-data; boundary=border")];

/// The fields of a form as browsers send them.
fn form(fields: &[Field<'_>]) -> Vec<u8> {
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
    body
}

/// A running server, and the cookie and mark of the browser that this test is.
pub(crate) struct Web {
    child: Child,
    pub(crate) address: String,
    cookie: String,
    mark: String,
}

impl Web {
    /// Starts a server in a place, with its database there.
    pub(crate) fn start(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut words = vec!["serve", "--port", "0", "--db", "runs.db"];
        words.extend(arguments);
        let mut child = place.start_with(environment, &words);
        let address = wire::address(&mut child);
        let mut web = Self { child, address, cookie: String::new(), mark: String::new() };
        let first = web.get("/");
        web.cookie = first.cookie().unwrap_or_default();
        web.mark = first.mark();
        web
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Page {
        let cookie = [("Cookie", self.cookie.as_str())];
        let cookie = if self.cookie.is_empty() { [].as_slice() } else { &cookie };
        wire::send(&self.address, method, path, &[cookie, headers].concat(), body)
    }

    pub(crate) fn get(&self, path: &str) -> Page {
        self.send("GET", path, &[], &[])
    }

    /// Sends a form as the pages do.
    pub(crate) fn post(&self, path: &str, fields: &[Field<'_>]) -> Page {
        self.send("POST", &self.marked(path), &FORM, &form(fields))
    }

    /// Sends a form, and leaves it to the caller whether to wait for the answer.
    pub(crate) fn begin_post(&self, path: &str, fields: &[Field<'_>]) -> TcpStream {
        let headers = [("Cookie", self.cookie.as_str()), FORM[0]];
        let bytes = wire::request(&self.address, "POST", &self.marked(path), &headers, &form(fields));
        let mut stream = wire::connect(&self.address);
        stream.write_all(&bytes).unwrap();
        stream
    }

    fn marked(&self, path: &str) -> String {
        format!("{path}?mark={}", self.mark)
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
