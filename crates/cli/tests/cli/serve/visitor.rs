//! A person with a browser that keeps its cookie and fills in forms, and the server they visit.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::wire::{self, Reply, program};

/// A started server over a database; it ends with the test.
pub(crate) struct Server {
    folder: TempDir,
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the program prints; it must not complain.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = program(folder, arguments);
    // What falls short of a threshold or cannot be judged in full is no mistake of the command.
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(2), "{arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

impl Server {
    /// A server over a run `demo` of the named example chats; each line of `before` is a command that is run first.
    pub(crate) fn over(chats: &[&str], before: &[&[&str]], options: &[&str]) -> (Self, Vec<String>) {
        Self::judged(chats, &["--judge", "builtin"], before, options)
    }

    /// The same, judged in another way.
    pub(crate) fn judged(chats: &[&str], judge: &[&str], before: &[&[&str]], options: &[&str]) -> (Self, Vec<String>) {
        let folder = TempDir::new().unwrap();
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        std::fs::create_dir(folder.path().join("chats")).unwrap();
        for name in chats {
            let file = format!("{name}.txt");
            std::fs::copy(examples.join(&file), folder.path().join("chats").join(&file)).unwrap();
        }
        let usual = ["run", "chats", "--name", "demo", "--db", "runs.db"];
        printed(folder.path(), &usual.iter().chain(judge).copied().collect::<Vec<_>>());
        let told = before.iter().map(|line| printed(folder.path(), line)).collect();
        let mut child = Command::new(env!("CARGO_BIN_EXE_carelock"))
            .current_dir(folder.path())
            .env_remove("CARELOCK_DB")
            .args(["serve", "--port", "0", "--db", "runs.db"])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let address = wire::address(&mut child);
        (Self { folder, child, address }, told)
    }

    /// What the program prints about the same database.
    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        printed(self.folder.path(), arguments)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// What came back.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    pub(crate) text: String,
}

impl Page {
    /// What stands between two texts.
    pub(crate) fn between(&self, before: &str, after: &str) -> Option<&str> {
        let (_, rest) = self.text.split_once(before)?;
        rest.split_once(after).map(|(found, _)| found)
    }
}

/// A browser.
pub(crate) struct Visitor<'a> {
    server: &'a Server,
    cookie: String,
    mark: String,
    /// Stands in the address of everything, where nobody needs a token.
    rater: String,
    token: Option<String>,
}

impl<'a> Visitor<'a> {
    /// Somebody who says their name.
    pub(crate) fn named(server: &'a Server, name: &str) -> Self {
        Self::new(server, format!("rater={name}"), None)
    }

    /// Somebody with a token.
    pub(crate) fn with_token(server: &'a Server, token: &str) -> Self {
        Self::new(server, String::new(), Some(token.trim().to_owned()))
    }

    /// Somebody who has shown nothing.
    pub(crate) fn unknown(server: &'a Server) -> Self {
        Self::new(server, String::new(), None)
    }

    fn new(server: &'a Server, rater: String, token: Option<String>) -> Self {
        let mut visitor = Self { server, cookie: String::new(), mark: String::new(), rater, token };
        let mut first = visitor.exchange("GET", "/rate", &[], "");
        visitor.cookie = first.cookie().unwrap_or_default();
        // Where a token is needed, the form for it has the mark.
        if first.header("location").is_some_and(|location| location.starts_with("/login")) {
            first = visitor.exchange("GET", "/login", &[], "");
        }
        visitor.mark = first.mark();
        visitor
    }

    /// What the forms of this browser carry.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    pub(crate) fn get(&self, path: &str) -> Page {
        page(self.exchange("GET", path, &[], ""))
    }

    /// Follows where an answer leads.
    pub(crate) fn follow(&self, from: &Page) -> Page {
        let target = from.location.as_deref().unwrap();
        let target = target.split('#').next().unwrap_or_default();
        page(self.exchange_at("GET", target, &[], ""))
    }

    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        page(self.exchange("POST", path, &[], &encoded(fields)))
    }

    /// What a script sends.
    pub(crate) fn post_as_script(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        page(self.exchange("POST", path, &[("accept", "application/json")], &encoded(fields)))
    }

    fn exchange(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mark = if method == "POST" { format!("mark={}", self.mark) } else { String::new() };
        let parts: Vec<&str> =
            [mark.as_str(), self.rater.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        let between = if path.contains('?') { "&" } else { "?" };
        let behind = if parts.is_empty() { String::new() } else { format!("{between}{}", parts.join("&")) };
        self.exchange_at(method, &format!("{path}{behind}"), headers, body)
    }

    fn exchange_at(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let bearer = self.token.as_ref().map(|token| format!("Bearer {token}"));
        let mut all = headers.to_vec();
        all.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
        all.extend((!self.cookie.is_empty()).then_some(("Cookie", self.cookie.as_str())));
        all.extend((method == "POST").then_some(("Content-Type", "application/x-www-form-urlencoded")));
        wire::send(&self.server.address, method, target, &all, body.as_bytes())
    }
}

fn page(reply: Reply) -> Page {
    let location = reply.header("location").map(str::to_owned);
    Page { status: reply.status, location, text: reply.body }
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let escape = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    pairs.join("&")
}
