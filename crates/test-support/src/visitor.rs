//! A person with a browser that keeps its cookie and fills in forms.

use std::io::Write as _;
use std::net::TcpStream;

use crate::{Reply, client};

/// What a form field holds: a text, or a file with its name.
pub enum Field<'a> {
    /// A field's name and text.
    Text(&'a str, &'a str),
    /// A field's name, the file's name, and its content.
    File(&'a str, &'a str, &'a [u8]),
}

const FORM: (&str, &str) = ("Content-Type", "multipart/form-data; boundary=border");
const FIELDS: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// A browser at a server, with the cookie and the mark that the server gave it.
pub struct Visitor {
    address: String,
    cookie: String,
    mark: String,
    /// Stands in the address of everything, where nobody needs a token.
    rater: String,
    token: Option<String>,
}

impl Visitor {
    /// Somebody who opens a page first.
    #[track_caller]
    pub fn at(address: &str, first: &str) -> Self {
        Self::new(address, first, String::new(), None)
    }

    /// Somebody who says their name.
    #[track_caller]
    pub fn named(address: &str, first: &str, name: &str) -> Self {
        Self::new(address, first, format!("rater={name}"), None)
    }

    /// Somebody with a token.
    #[track_caller]
    pub fn with_token(address: &str, first: &str, token: &str) -> Self {
        Self::new(address, first, String::new(), Some(token.trim().to_owned()))
    }

    #[track_caller]
    fn new(address: &str, first: &str, rater: String, token: Option<String>) -> Self {
        let empty = String::new();
        let mut visitor = Self { address: address.to_owned(), cookie: empty.clone(), mark: empty, rater, token };
        let mut shown = visitor.exchange("GET", first, &[], b"");
        visitor.cookie = shown.cookie().unwrap_or_default();
        // Where a token is needed, the form for it has the mark.
        if shown.header("location").is_some_and(|location| location.starts_with("/login")) {
            shown = visitor.exchange("GET", "/login", &[], b"");
        }
        visitor.mark = shown.mark();
        visitor
    }

    /// What the forms of this browser carry.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// The browser's cookie.
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Opens a page.
    #[track_caller]
    pub fn get(&self, path: &str) -> Reply {
        self.exchange("GET", path, &[], b"")
    }

    /// Follows where an answer leads.
    #[track_caller]
    pub fn follow(&self, from: &Reply) -> Reply {
        let target = from.header("location").unwrap_or_else(|| panic!("it leads nowhere: {}", from.head));
        self.exchange_at("GET", target.split('#').next().unwrap_or_default(), &[], b"")
    }

    /// Sends the fields of a form.
    #[track_caller]
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.exchange("POST", path, &[FIELDS], encoded(fields).as_bytes())
    }

    /// Sends fields as a script of a page does.
    #[track_caller]
    pub fn post_as_script(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.exchange("POST", path, &[("accept", "application/json"), FIELDS], encoded(fields).as_bytes())
    }

    /// Sends a form that may hold files.
    #[track_caller]
    pub fn post_form(&self, path: &str, fields: &[Field<'_>]) -> Reply {
        self.exchange("POST", path, &[FORM], &form(fields))
    }

    /// Sends a form that may hold files, and leaves it to the caller whether to wait for the answer.
    #[track_caller]
    pub fn begin_form(&self, path: &str, fields: &[Field<'_>]) -> TcpStream {
        let headers = self.headers(&[FORM]);
        let bytes = client::request(&self.address, "POST", &self.marked("POST", path), &headers, &form(fields));
        let mut stream = client::connect(&self.address);
        stream.write_all(&bytes).expect("the form is sent");
        stream
    }

    /// Begins to send a form that never ends.
    #[track_caller]
    pub fn begin_endless_form(&self, path: &str) -> TcpStream {
        let mut stream = client::connect(&self.address);
        let kind = "content-type: multipart/form-data; boundary=border\r\ntransfer-encoding: chunked";
        let (host, cookie, target) = (&self.address, &self.cookie, self.marked("POST", path));
        write!(stream, "POST {target} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n{kind}\r\n\r\n")
            .and_then(|()| stream.write_all(b"8\r\n--border\r\n"))
            .expect("the form is begun");
        stream
    }

    /// The path with what every address of this browser carries.
    fn marked(&self, method: &str, path: &str) -> String {
        let mark = if method == "POST" { format!("mark={}", self.mark) } else { String::new() };
        let parts: Vec<&str> =
            [mark.as_str(), self.rater.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        let between = if path.contains('?') { "&" } else { "?" };
        if parts.is_empty() { path.to_owned() } else { format!("{path}{between}{}", parts.join("&")) }
    }

    fn headers<'a>(&'a self, headers: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let cookie = (!self.cookie.is_empty()).then_some(("Cookie", self.cookie.as_str()));
        cookie.into_iter().chain(headers.iter().copied()).collect()
    }

    #[track_caller]
    fn exchange(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.exchange_at(method, &self.marked(method, path), headers, body)
    }

    #[track_caller]
    fn exchange_at(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let bearer = self.token.as_ref().map(|token| format!("Bearer {token}"));
        let mut all = self.headers(headers);
        all.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
        client::send(&self.address, method, target, &all, body)
    }
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let escape = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    pairs.join("&")
}

/// The fields of a form as browsers send them.
fn form(fields: &[Field<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for field in fields {
        let (head, content) = match field {
            Field::Text(name, text) => (format!("name=\"{name}\""), text.as_bytes()),
            Field::File(name, file, bytes) => (format!("name=\"{name}\"; filename=\"{file}\""), *bytes),
        };
        body.extend(format!("--border\r\ncontent-disposition: form-data; {head}\r\n\r\n").as_bytes());
        body.extend(content);
        body.extend(b"\r\n");
    }
    body.extend(b"--border--\r\n");
    body
}
