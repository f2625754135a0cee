//! The app's own server on loopback, on a database made for the test.

use anyhow::{Context, Result, bail};
use carelock_test_support::{Outcome, Place, Server, repository, send};
use serde_json::json;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A database file in a folder of its own, filled by the binary itself; gone when it is dropped.
pub struct Database {
    place: Place,
}

impl Database {
    /// A fresh one.
    #[expect(clippy::new_without_default, reason = "a new database is no default")]
    pub fn new() -> Self {
        Self { place: Place::new() }
    }

    /// Keeps a run in it: `database.run(["examples/diagnosis.txt", "examples/ordinary.txt"])`.
    pub fn run<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Result<Outcome> {
        self.carelock([OsStr::new("run")], arguments)
    }

    /// Calls the binary with arguments and this database: `database.carelock(["runs"], ["--json"])`.
    pub fn carelock<A: AsRef<OsStr>, B: AsRef<OsStr>>(
        &self,
        command: impl IntoIterator<Item = A>,
        arguments: impl IntoIterator<Item = B>,
    ) -> Result<Outcome> {
        let command = command.into_iter().map(|part| part.as_ref().to_owned());
        let arguments = arguments.into_iter().map(|part| part.as_ref().to_owned());
        self.call(command.chain(arguments).chain(["--db".into(), self.file().into()]))
    }

    /// Calls the binary with arguments and nothing else: `database.call(["verify", "report.json"])`.
    pub fn call<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Result<Outcome> {
        let mut call = self.command(&[]);
        let outcome = Outcome::new(call.args(arguments));
        // 1 says that a threshold failed and 3 that a chat could not be judged: the run is kept all the same.
        if !matches!(outcome.code, 0 | 1 | 3) {
            bail!("{call:?}: {outcome}");
        }
        Ok(outcome)
    }

    /// The file.
    pub fn file(&self) -> PathBuf {
        self.place.path("carelock.db")
    }

    /// The binary, in the workspace's root, without anyone's keys or settings.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command.current_dir(repository());
        command
    }
}

/// Serves a database on a free port.
pub fn serve(database: &Database) -> Server {
    serve_with(database, &[])
}

/// Serves a database with further options.
pub fn serve_with(database: &Database, options: &[&str]) -> Server {
    let mut command = database.command(&["serve", "--port", "0", "--db"]);
    command.arg(database.file());
    Server::run(&database.place, command, options)
}

/// Tells a server a chat that goes on, turn by turn, each with its role (`user`, `assistant`).
pub fn tell_chat(server: &Server, token: Option<&str>, id: &str, turns: &[(&str, &str)]) -> Result<()> {
    let base = server.at("/");
    let address = base.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let bearer = token.map(|token| format!("Bearer {token}"));
    let post = |path: &str, body: &serde_json::Value, status: u16| -> Result<serde_json::Value> {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        let reply = send(&address, "POST", path, &headers, body.to_string().as_bytes());
        if reply.status != status {
            bail!("{path} answered {}", reply.status);
        }
        Ok(reply.json())
    };
    let begun = post("/api/v1/sessions", &json!({ "id": id }), 201)?;
    let session = begun["session"].as_str().context("no session")?;
    for (role, content) in turns {
        post(&format!("/api/v1/sessions/{session}/turns"), &json!({ "role": role, "content": content }), 200)?;
    }
    Ok(())
}

/// The folder that Cargo builds into: the tests themselves lie in its `debug/deps`, the programs in its `debug`.
pub(crate) fn target() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let profile = program.ancestors().find(|folder| folder.ends_with("debug") || folder.ends_with("release"));
    let target = profile.and_then(Path::parent);
    target.map(Path::to_owned).with_context(|| format!("{} does not lie in a target folder", program.display()))
}
